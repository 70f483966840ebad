//! The form that adds an ACL to a role, with an error for each field.

use gbac_engine::model::{
    Acl, CLUSTER_NAME, Host, Operation, PatternType, Permission, Principal, ResourceType,
};
use gbac_words::escape::plain;
use gbac_words::phrases::{capitalized, with_hint};

/// How the resource is named in the form; *any* is the platform's word for the literal `*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternChoice {
    /// The name itself.
    Literal,
    /// Every name that starts so.
    Prefixed,
    /// Every name.
    Any,
}

impl PatternChoice {
    /// Every choice.
    pub const ALL: [Self; 3] = [Self::Literal, Self::Prefixed, Self::Any];

    /// The value in the form.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Literal => "literal",
            Self::Prefixed => "prefixed",
            Self::Any => "any",
        }
    }

    /// The word on the page.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Literal => "Literal",
            Self::Prefixed => "Prefixed",
            Self::Any => "Any",
        }
    }

    /// Reads the value of the form.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pattern| pattern.id() == id)
    }
}

/// The values of the form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AclForm {
    /// The type of the resource.
    pub resource_type: ResourceType,
    /// How it is named.
    pub pattern: PatternChoice,
    /// The name or prefix, as typed.
    pub name: String,
    /// The operations, in the order in which they are offered; nothing is chosen for anyone.
    pub operations: Vec<Operation>,
    /// Allow or deny.
    pub permission: Permission,
    /// The host, as typed.
    pub host: String,
}

impl Default for AclForm {
    fn default() -> Self {
        Self {
            resource_type: ResourceType::Topic,
            pattern: PatternChoice::Literal,
            name: String::new(),
            operations: Vec::new(),
            permission: Permission::Allow,
            host: "*".into(),
        }
    }
}

/// What is wrong, by field; empty fields are wrong only once the form was sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AclFaults {
    /// About the resource's name.
    pub name: Option<String>,
    /// About the operation.
    pub operation: Option<String>,
    /// About the host.
    pub host: Option<String>,
    /// About no field of the form.
    pub form: Option<String>,
}

impl AclFaults {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl AclForm {
    /// Whether this type of resource has names; the cluster and the Schema Registry have one each.
    pub const fn has_name(&self) -> bool {
        !matches!(
            self.resource_type,
            ResourceType::Cluster | ResourceType::Registry
        )
    }

    /// The operations that make sense, `All` first; another type may take chosen ones away.
    pub fn offered(&self) -> Vec<Operation> {
        std::iter::once(Operation::All)
            .chain(self.resource_type.operations().iter().copied())
            .collect()
    }

    /// The form after a choice of the type.
    #[must_use]
    pub fn with_type(mut self, resource_type: ResourceType) -> Self {
        self.resource_type = resource_type;
        let fitting = self.offered();
        self.operations
            .retain(|operation| fitting.contains(operation));
        self
    }

    /// The form after an operation is selected or cleared. `All` includes every operation, so it
    /// excludes the others.
    #[must_use]
    pub fn with_operation(mut self, operation: Operation, chosen: bool) -> Self {
        self.operations.retain(|other| {
            *other != operation
                && !(chosen && (operation == Operation::All || *other == Operation::All))
        });
        if chosen {
            self.operations.push(operation);
        }
        let order = self.offered();
        self.operations
            .sort_by_key(|operation| order.iter().position(|other| other == operation));
        self
    }

    /// The form after its ACLs were added: ready for the next operations on the same resource.
    #[must_use]
    pub fn after_add(&self) -> Self {
        Self {
            operations: Vec::new(),
            ..self.clone()
        }
    }

    /// The name that will be stored.
    pub fn resource_name(&self) -> String {
        match (self.resource_type, self.pattern) {
            (ResourceType::Cluster, _) => CLUSTER_NAME.into(),
            (ResourceType::Registry, _) => String::new(),
            (_, PatternChoice::Any) => "*".into(),
            (_, PatternChoice::Literal | PatternChoice::Prefixed) => self.name.clone(),
        }
    }

    /// The pattern type that will be stored.
    pub fn pattern_type(&self) -> PatternType {
        if self.has_name() && self.pattern == PatternChoice::Prefixed {
            PatternType::Prefixed
        } else {
            PatternType::Literal
        }
    }

    /// The form with the fields of an ACL.
    pub fn of_acl(acl: &Acl) -> Self {
        let form = Self {
            resource_type: acl.resource_type,
            ..Self::default()
        };
        let pattern = match (acl.pattern_type, acl.resource_name.as_str()) {
            (PatternType::Prefixed, _) => PatternChoice::Prefixed,
            (PatternType::Literal, "*") if form.has_name() => PatternChoice::Any,
            (PatternType::Literal, _) => PatternChoice::Literal,
        };
        let is_named = form.has_name() && pattern != PatternChoice::Any;
        Self {
            pattern,
            name: if is_named {
                acl.resource_name.clone()
            } else {
                String::new()
            },
            operations: vec![acl.operation],
            permission: acl.permission,
            host: acl.host.to_string(),
            ..form
        }
    }

    /// The ACLs of this role, one for each operation, where the form is right.
    ///
    /// # Errors
    /// Every fault at once, by field; an empty name or no operation only when `sent`.
    pub fn check(&self, role: &str, sent: bool) -> Result<Vec<Acl>, AclFaults> {
        self.check_of(&Principal::role(role), sent)
    }

    /// The ACLs of a principal, as [`Self::check`].
    pub(super) fn check_of(
        &self,
        principal: &Principal,
        sent: bool,
    ) -> Result<Vec<Acl>, AclFaults> {
        let mut faults = AclFaults::default();
        let host = match Host::parse(&self.host) {
            Ok(host) => host,
            Err(error) => {
                faults.host = Some(if self.host.is_empty() && !sent {
                    "One address, or `*` for any".into()
                } else {
                    capitalized(error.hint())
                });
                Host::Any
            }
        };
        if self.operations.is_empty() {
            faults.operation = sent.then(|| "Choose at least one operation".into());
        }
        let acl = Acl {
            resource_type: self.resource_type,
            resource_name: self.resource_name(),
            pattern_type: self.pattern_type(),
            principal: principal.clone(),
            host,
            operation: self.operations.first().copied().unwrap_or(Operation::All),
            permission: self.permission,
        };
        let untouched = self.name.is_empty() && !sent;
        for error in acl.check_create() {
            let text = with_hint(&error.to_string(), &error.hint());
            match error.field().name() {
                "resource_name" if untouched => {}
                "resource_name" => faults.name = Some(text),
                _ => faults.form = Some(text),
            }
        }
        let is_complete =
            !(self.operations.is_empty() || self.has_name() && self.resource_name().is_empty());
        if faults.is_empty() && is_complete {
            Ok(self
                .operations
                .iter()
                .map(|operation| Acl {
                    operation: *operation,
                    ..acl.clone()
                })
                .collect())
        } else {
            Err(faults)
        }
    }

    /// Why to look at the name again.
    pub fn name_warning(&self) -> Option<String> {
        if !self.has_name() || self.pattern == PatternChoice::Any || self.name.is_empty() {
            return None;
        }
        if self.name.trim() != self.name {
            return Some("The name starts or ends with a space, which is part of it".into());
        }
        match (self.pattern, self.name.strip_suffix('*')) {
            (PatternChoice::Literal, Some("")) => {
                Some("The literal `*` covers all names, like Any".into())
            }
            (PatternChoice::Literal, Some(prefix)) => Some(format!(
                "`*` is not a wildcard here; for all names that start with `{}`, choose Prefixed",
                plain(prefix)
            )),
            (PatternChoice::Prefixed, Some(_)) => {
                Some("`*` is not a wildcard here; remove it, a prefix needs none".into())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(resource_type: ResourceType, pattern: PatternChoice, name: &str) -> AclForm {
        AclForm {
            name: name.into(),
            pattern,
            operations: vec![Operation::Read],
            ..AclForm::default()
        }
        .with_type(resource_type)
    }

    #[test]
    fn an_empty_form_is_quiet_until_it_is_sent() {
        let form = AclForm::default();
        assert_eq!(form.check("R", false), Err(AclFaults::default()));
        let faults = form.check("R", true).unwrap_err();
        assert!(faults.name.is_some_and(|text| text.contains("empty")));
        assert_eq!(
            faults.operation.as_deref(),
            Some("Choose at least one operation")
        );
    }

    #[test]
    fn a_complete_form_is_an_acl_of_the_role() {
        let one = |form: &AclForm| form.check("R", true).unwrap().remove(0);
        let acl = one(&form(
            ResourceType::Topic,
            PatternChoice::Prefixed,
            "payments-",
        ));
        assert_eq!(
            (acl.principal, acl.pattern_type),
            (Principal::role("R"), PatternType::Prefixed)
        );
        let any = one(&form(ResourceType::Group, PatternChoice::Any, "ignored"));
        assert_eq!(
            (any.resource_name.as_str(), any.pattern_type),
            ("*", PatternType::Literal)
        );
        let mut cluster = form(ResourceType::Cluster, PatternChoice::Prefixed, "ignored");
        cluster.operations = vec![Operation::Alter];
        let acl = one(&cluster);
        assert_eq!(
            (acl.resource_name.as_str(), acl.pattern_type),
            (CLUSTER_NAME, PatternType::Literal)
        );
    }

    #[test]
    fn faults_are_at_their_fields() {
        let mut form = form(ResourceType::Topic, PatternChoice::Literal, "data-*");
        form.host = "10.0.0.0/8".into();
        let faults = form.check("R", false).unwrap_err();
        assert!(faults.name.is_some_and(|text| text.contains("prefixed")));
        assert!(faults.host.is_some_and(|text| text.contains("not a range")));
        assert_eq!(faults.form, None);
    }

    #[test]
    fn another_type_takes_an_operation_away_that_it_has_not() {
        let mut form = form(ResourceType::Topic, PatternChoice::Literal, "a");
        form.operations = vec![Operation::Write];
        assert_eq!(form.clone().with_type(ResourceType::Group).operations, []);
        assert_eq!(
            form.with_type(ResourceType::Subject).operations,
            [Operation::Write]
        );
    }

    #[test]
    fn several_operations_are_several_acls() {
        let form = form(ResourceType::Topic, PatternChoice::Literal, "a")
            .with_operation(Operation::Describe, true);
        let form = form
            .with_operation(Operation::Write, true)
            .with_operation(Operation::Describe, false);
        let operations: Vec<Operation> = form
            .check("R", true)
            .unwrap()
            .iter()
            .map(|acl| acl.operation)
            .collect();
        assert_eq!(operations, [Operation::Read, Operation::Write]);
        let all = form.with_operation(Operation::All, true);
        assert_eq!(all.operations, [Operation::All]);
        assert_eq!(
            all.with_operation(Operation::Read, true).operations,
            [Operation::Read]
        );
    }

    #[test]
    fn a_star_is_explained() {
        let warning = |pattern, name: &str| form(ResourceType::Group, pattern, name).name_warning();
        assert!(
            warning(PatternChoice::Literal, "pay-*").is_some_and(|text| text.contains("Prefixed"))
        );
        assert!(
            warning(PatternChoice::Prefixed, "pay-*")
                .is_some_and(|text| text.contains("remove it"))
        );
        assert!(warning(PatternChoice::Literal, "*").is_some());
        assert_eq!(warning(PatternChoice::Literal, "pay"), None);
    }
}
