//! Presets: the ACLs that a kind of client needs.

use gbac_analysis::requests::{
    Recipe, RecipeParameter, RequiredCheck, Requirement, ResourceNames, recipe,
};
use gbac_engine::decide::Outcome;
use gbac_engine::model::{
    Acl, CLUSTER_NAME, Dialect, Host, Operation, PatternType, Permission, Principal, ResourceType,
};
use gbac_words::phrases::capitalized;

use crate::role::acl_form::{AclForm, PatternChoice};

/// What rows are made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AclPreset {
    /// A client whose requests the engine knows, by the id of its recipe.
    Client(&'static str, &'static str),
    /// Somebody who looks at everything and changes nothing.
    Operator,
    /// Everything.
    Everything,
}

impl AclPreset {
    /// Every preset.
    pub const ALL: [Self; 8] = [
        Self::Client("consume", "Consumer"),
        Self::Client("produce", "Producer"),
        Self::Client("produce-transactional", "Transactional producer"),
        Self::Client("streams", "Streams application"),
        Self::Client("schema-read", "Schema reader"),
        Self::Client("schema-write", "Schema writer"),
        Self::Operator,
        Self::Everything,
    ];

    /// The value in the form.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Client(id, _) => id,
            Self::Operator => "operator",
            Self::Everything => "everything",
        }
    }

    /// The label on the page.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Client(_, words) => words,
            Self::Operator => "Read-only operator",
            Self::Everything => "Allow all operations",
        }
    }

    /// Reads the value of the form.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.id() == id)
    }

    /// What it is for, as a sentence without a final period.
    pub fn purpose(self) -> String {
        match self {
            Self::Client(id, _) => recipe(id).map(|recipe| capitalized(recipe.description)).unwrap_or_default(),
            Self::Operator => {
                "Describes topics, consumer groups, the cluster and the registry with their configuration, without data"
                    .into()
            }
            Self::Everything => "Every operation on every resource".into(),
        }
    }
}

/// One name that a preset is filled with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PresetName {
    /// What it names.
    pub slot: RecipeParameter,
    /// How.
    pub pattern: PatternChoice,
    /// The name or prefix, as typed.
    pub name: String,
}

/// A preset as it is filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PresetForm {
    /// Which.
    pub preset: AclPreset,
    /// Its names.
    pub names: Vec<PresetName>,
}

impl PresetForm {
    /// A preset with nothing filled in.
    #[must_use]
    pub fn new(preset: AclPreset) -> Self {
        let slots = match preset {
            AclPreset::Client(id, _) => recipe(id).map_or(&[][..], |recipe| recipe.slots),
            AclPreset::Operator | AclPreset::Everything => &[],
        };
        let fill = |slot: &RecipeParameter| {
            let pattern = if slot.prefixed {
                PatternChoice::Prefixed
            } else {
                PatternChoice::Literal
            };
            PresetName {
                slot: *slot,
                pattern,
                name: String::new(),
            }
        };
        Self {
            preset,
            names: slots.iter().map(fill).collect(),
        }
    }

    /// The rows for this role, or by slot why there are none.
    ///
    /// # Errors
    /// By slot, in their order, what is wrong with the name; an empty one only when `sent`.
    pub fn rows(&self, role: &str, sent: bool) -> Result<Vec<Acl>, Vec<Option<String>>> {
        let mut faults = Vec::with_capacity(self.names.len());
        let mut is_complete = true;
        for name in &self.names {
            // The rules for names are those of the form of one ACL.
            let checked = name.form().check(role, sent);
            is_complete &= checked.is_ok();
            faults.push(checked.err().and_then(|faults| faults.name.or(faults.form)));
        }
        if !is_complete {
            return Err(faults);
        }
        let acl = |resource_type, pattern_type, name: String, operation| Acl {
            resource_type,
            resource_name: name,
            pattern_type,
            principal: Principal::role(role),
            host: Host::Any,
            operation,
            permission: Permission::Allow,
        };
        let on = |resource_type, operation| {
            let name = match resource_type {
                ResourceType::Cluster => CLUSTER_NAME,
                ResourceType::Registry => "",
                _ => "*",
            };
            acl(resource_type, PatternType::Literal, name.into(), operation)
        };
        let mut rows: Vec<Acl> = match self.preset {
            AclPreset::Operator => OPERATOR
                .iter()
                .map(|(resource_type, operation)| on(*resource_type, *operation))
                .collect(),
            AclPreset::Everything => Dialect::Platform
                .resource_types()
                .iter()
                .map(|resource_type| on(*resource_type, Operation::All))
                .collect(),
            AclPreset::Client(id, _) => (recipe(id).map(needed).unwrap_or_default().into_iter())
                .map(|check| {
                    match self
                        .names
                        .iter()
                        .find(|name| Some(name.slot.name) == check.resource_name.as_deref())
                    {
                        Some(name) => {
                            let form = name.form();
                            acl(
                                check.resource_type,
                                form.pattern_type(),
                                form.resource_name(),
                                check.operation,
                            )
                        }
                        None => on(check.resource_type, check.operation),
                    }
                })
                .collect(),
        };
        rows.sort();
        rows.dedup();
        Ok(rows)
    }
}

impl PresetName {
    /// What it is called beside its field: its kind, or its own name where a recipe has several of
    /// a kind.
    pub fn label(&self) -> String {
        match self.slot.name.split_once('_') {
            Some((which, "topic")) => capitalized(&format!("{which} topic")),
            _ => self.slot.kind.spelling().label.to_owned(),
        }
    }

    fn form(&self) -> AclForm {
        AclForm {
            resource_type: self.slot.kind,
            pattern: self.pattern,
            name: self.name.clone(),
            operations: vec![Operation::Describe],
            ..AclForm::default()
        }
    }
}

/// The permissions to read everything and change nothing.
const OPERATOR: &[(ResourceType, Operation)] = &[
    (ResourceType::Topic, Operation::Describe),
    (ResourceType::Topic, Operation::DescribeConfigs),
    (ResourceType::Group, Operation::Describe),
    (ResourceType::Cluster, Operation::Describe),
    (ResourceType::Cluster, Operation::DescribeConfigs),
    (ResourceType::TransactionalId, Operation::Describe),
    (ResourceType::Subject, Operation::Describe),
    (ResourceType::Subject, Operation::DescribeConfigs),
    (ResourceType::Registry, Operation::Describe),
    (ResourceType::Registry, Operation::DescribeConfigs),
];

/// The fewest checks that a recipe needs, each on a slot by its name: what others imply is left
/// out, and of a choice the first is taken where none is there anyway.
fn needed(recipe: &Recipe) -> Vec<RequiredCheck> {
    let mut names = ResourceNames::default();
    for slot in recipe.slots {
        names.insert(slot.name, vec![slot.name.to_owned()]);
    }
    let Ok(need) = recipe.expand(&names) else {
        return Vec::new();
    };
    let mut chosen = Vec::new();
    take(&need, &mut chosen);
    let all = chosen.clone();
    chosen.retain(|check| {
        let implies =
            |other: &RequiredCheck| other.operation != check.operation && is_answered(check, other);
        !all.iter().any(implies)
    });
    chosen
}

fn take(need: &Requirement, chosen: &mut Vec<RequiredCheck>) {
    match need {
        Requirement::Check(check) if !chosen.contains(check) => chosen.push(check.clone()),
        Requirement::Check(_) => {}
        // Choices last: the rest may have made them.
        Requirement::All(parts) => {
            parts
                .iter()
                .filter(|part| !part.has_choice())
                .for_each(|part| take(part, chosen));
            parts
                .iter()
                .filter(|part| part.has_choice())
                .for_each(|part| take(part, chosen));
        }
        Requirement::Any(parts) => {
            let is_chosen =
                |check: &RequiredCheck| chosen.iter().any(|other| is_answered(check, other));
            let made = need.outcome(|check| {
                if is_chosen(check) {
                    Outcome::Allow
                } else {
                    Outcome::Deny
                }
            });
            if let (Outcome::Deny, Some(first)) = (made, parts.first()) {
                take(first, chosen);
            }
        }
    }
}

/// Whether an ACL for the one check allows the other.
fn is_answered(check: &RequiredCheck, by: &RequiredCheck) -> bool {
    let same = check.resource_type == by.resource_type && check.resource_name == by.resource_name;
    same && (check.operation == by.operation
        || check.operation.implied_by().contains(&by.operation))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gbac_words::acl;

    fn rows(id: &str, names: &[(&str, PatternChoice)]) -> Vec<String> {
        let mut form = PresetForm::new(AclPreset::from_id(id).unwrap());
        for (preset_name, (name, pattern)) in form.names.iter_mut().zip(names) {
            (preset_name.name, preset_name.pattern) = ((*name).into(), *pattern);
        }
        form.rows("R", true)
            .unwrap()
            .iter()
            .map(|acl| acl::rule(acl).plain())
            .collect()
    }

    #[test]
    fn a_client_gets_what_its_requests_need_and_no_more() {
        let consumer = rows(
            "consume",
            &[
                ("orders", PatternChoice::Literal),
                ("app", PatternChoice::Prefixed),
            ],
        );
        assert_eq!(
            consumer,
            [
                "Allow Read, topic orders literal",
                "Allow Read, consumer group app prefixed"
            ]
        );
        assert_eq!(
            rows("produce", &[("", PatternChoice::Any)]),
            ["Allow Write, topic * all names"]
        );
        let transactional = rows(
            "produce-transactional",
            &[("a", PatternChoice::Literal), ("t", PatternChoice::Literal)],
        );
        assert_eq!(
            transactional,
            [
                "Allow Write, topic a literal",
                "Allow Write, transactional ID t literal"
            ]
        );
        let names = [
            ("in", PatternChoice::Literal),
            ("out", PatternChoice::Literal),
            ("app", PatternChoice::Literal),
        ];
        let streams = rows(
            "streams",
            &[&names[..], &[("app-", PatternChoice::Prefixed)]].concat(),
        );
        let internal: Vec<&String> = streams
            .iter()
            .filter(|row| row.contains("app- prefixed"))
            .collect();
        assert_eq!(internal.len(), 4, "{streams:?}");
        assert!(
            streams.contains(&"Allow Read, consumer group app literal".to_owned()),
            "{streams:?}"
        );
        assert_eq!(
            rows("schema-read", &[("s", PatternChoice::Literal)]),
            ["Allow Read, subject s literal"]
        );
        assert!(
            rows("schema-write", &[("s", PatternChoice::Literal)])
                .contains(&"Allow Write, subject s literal".to_owned())
        );
    }

    #[test]
    fn names_of_one_kind_are_told_apart() {
        let labels = |id: &str| {
            let form = PresetForm::new(AclPreset::from_id(id).unwrap());
            form.names.iter().map(PresetName::label).collect::<Vec<_>>()
        };
        assert_eq!(
            labels("streams"),
            [
                "Input topic",
                "Output topic",
                "Consumer group",
                "Internal topic"
            ]
        );
        assert_eq!(
            labels("produce-transactional"),
            ["Topic", "Transactional ID"]
        );
    }

    #[test]
    fn an_operator_gets_no_data_and_everything_is_everything() {
        let operator = rows("operator", &[]);
        assert_eq!(operator.len(), OPERATOR.len());
        assert!(operator.iter().all(|row| row.contains("Describe")));
        assert_eq!(
            rows("everything", &[]).len(),
            Dialect::Platform.resource_types().len()
        );
    }

    #[test]
    fn names_are_checked_as_those_of_any_acl() {
        let mut form = PresetForm::new(AclPreset::from_id("consume").unwrap());
        assert_eq!(form.rows("R", false), Err(vec![None, None]));
        let faults = form.rows("R", true).unwrap_err();
        assert!(faults.iter().all(Option::is_some));
        form.names[0].name = "data-*".into();
        let faults = form.rows("R", false).unwrap_err();
        assert!(
            faults[0]
                .as_ref()
                .is_some_and(|text| text.contains("prefixed"))
                && faults[1].is_none()
        );
    }
}
