//! Who can: the query with its address, and the answer grouped by result.

use std::net::IpAddr;

use gbac_analysis::{Scope, WhoCanEntry, who_can, who_can_on_prefix};
use gbac_api::encode::query;
use gbac_engine::decide::{At, Outcome, Request};
use gbac_engine::model::{
    Acl, CLUSTER_NAME, Host, Operation, PatternType, Principal, PrincipalType, ResourceType,
};
use gbac_engine::policy::Policy;
use gbac_words::phrases::{capitalized, count, with_hint};
use gbac_words::request::verb;

use crate::address::{self, value};
/// How many principals of one kind of answer are shown at first, and how many more at a time.
pub const PAGE: usize = 50;

/// The query, as entered in the form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhoCanQuery {
    /// The operation.
    pub operation: Operation,
    /// The resource's type.
    pub resource_type: ResourceType,
    /// How the name is meant: a name, or the start of all names that are asked about.
    pub pattern: PatternType,
    /// The resource's name, as typed.
    pub name: String,
    /// The host, as typed; empty or `*` is not known.
    pub host: String,
}

impl Default for WhoCanQuery {
    fn default() -> Self {
        Self {
            operation: Operation::Read,
            resource_type: ResourceType::Topic,
            pattern: PatternType::Literal,
            name: String::new(),
            host: String::new(),
        }
    }
}

/// What is wrong with the question, by field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WhoCanFaults {
    /// About the name.
    pub name: Option<String>,
    /// About the host.
    pub host: Option<String>,
}

impl WhoCanQuery {
    /// The question for a row of an ACL: who else has this access, on the names that it matches. For
    /// `All`, it is about the type's first operation.
    #[must_use]
    pub fn for_acl(acl: &Acl) -> Self {
        let operations = acl.resource_type.operations();
        let operation = match operations.contains(&acl.operation) {
            true => acl.operation,
            false => operations.first().copied().unwrap_or(Operation::Read),
        };
        // The empty prefix is another spelling of the literal `*`.
        let (pattern, name) = match (acl.pattern_type, acl.resource_name.as_str()) {
            (PatternType::Prefixed, "") => (PatternType::Literal, "*"),
            (pattern, name) => (pattern, name),
        };
        Self {
            operation,
            resource_type: acl.resource_type,
            pattern,
            name: name.to_owned(),
            ..Self::default()
        }
    }

    /// Reads the query of an address, without the `?`; none when it asks nothing.
    pub fn from_query(query: &str) -> Option<Self> {
        let resource_type = value(query, "type")?.parse::<ResourceType>().ok()?;
        let operation = value(query, "operation")?.parse::<Operation>().ok()?;
        let name = value(query, "name").unwrap_or_default();
        let pattern = value(query, "pattern").and_then(|text| text.parse::<PatternType>().ok());
        let host = value(query, "host").unwrap_or_default();
        Some(
            Self {
                operation,
                resource_type,
                pattern: pattern.unwrap_or(PatternType::Literal),
                name,
                host,
            }
            .fitting(),
        )
    }

    /// The address of the question.
    pub fn address(&self) -> String {
        let parts = [
            ("operation", self.operation.spelling().cli.to_owned()),
            ("type", self.resource_type.spelling().cli.to_owned()),
            (
                "pattern",
                if self.is_prefix() {
                    self.pattern.spelling().cli.to_owned()
                } else {
                    String::new()
                },
            ),
            (
                "name",
                if self.has_name() {
                    self.name.clone()
                } else {
                    String::new()
                },
            ),
            ("host", self.host.clone()),
        ];
        format!(
            "{}{}",
            address::WHO_CAN,
            query(parts.into_iter().filter(|(_, value)| !value.is_empty()))
        )
    }

    /// Whether resources of this type have names to choose from.
    pub const fn has_name(&self) -> bool {
        !matches!(
            self.resource_type,
            ResourceType::Cluster | ResourceType::Registry
        )
    }

    /// Whether all names that start with the name are asked about.
    pub const fn is_prefix(&self) -> bool {
        self.has_name() && matches!(self.pattern, PatternType::Prefixed)
    }

    /// What the principals of the answer can do, up to the name: `can write to topic`.
    pub fn can(&self) -> String {
        let verb = verb(self.operation, self.resource_type);
        let label = self.resource_type.spelling().label;
        if self.is_prefix() {
            format!("can {verb} every {} that starts with", label.to_lowercase())
        } else if self.has_name() {
            format!("can {verb} {}", label.to_lowercase())
        } else {
            format!("can {verb} the {label}")
        }
    }

    /// The same question with an operation that the type has.
    #[must_use]
    pub fn fitting(mut self) -> Self {
        let operations = self.resource_type.operations();
        if self.operation != Operation::All && !operations.contains(&self.operation) {
            self.operation = operations.first().copied().unwrap_or(Operation::Read);
        }
        self
    }

    /// The name in the question.
    pub fn resource_name(&self) -> &str {
        match self.resource_type {
            ResourceType::Cluster => CLUSTER_NAME,
            ResourceType::Registry => "",
            _ => &self.name,
        }
    }

    /// The host, where it is one.
    ///
    /// # Errors
    /// What is wrong, by field.
    pub fn check(&self) -> Result<Option<IpAddr>, WhoCanFaults> {
        let mut faults = WhoCanFaults::default();
        let host = match self.host.trim() {
            "" | "*" => None,
            text => match Host::parse_address(text) {
                Ok(address) => Some(address),
                Err(error) => {
                    faults.host = Some(with_hint(&error.to_string(), error.hint()));
                    None
                }
            },
        };
        if self.has_name() && self.name.is_empty() {
            faults.name = Some(capitalized(
                "enter the resource name; `*` finds ACLs for all names",
            ));
        }
        if faults == WhoCanFaults::default() {
            Ok(host)
        } else {
            Err(faults)
        }
    }
}

/// What an entry of the answer means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WhoCanGroup {
    /// May.
    Can,
    /// May on some of the names that were asked about.
    CanOnSome,
    /// Might from another host: none was asked about.
    FromSomeHost,
    /// Would, but a deny blocks it.
    Blocked,
    /// Has a deny and nothing that a deny could block.
    Carries,
}

impl WhoCanGroup {
    /// Every group, in the order of the page.
    pub const ALL: [Self; 5] = [
        Self::Can,
        Self::CanOnSome,
        Self::FromSomeHost,
        Self::Blocked,
        Self::Carries,
    ];

    /// The heading of the group.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Can => "Can",
            Self::CanOnSome => "Can on some names",
            Self::FromSomeHost => "Depends on the host",
            Self::Blocked => "Blocked by a deny",
            Self::Carries => "Has only a deny",
        }
    }
}

/// Somebody in the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhoCanPrincipal {
    /// A superuser, who is allowed without any ACL.
    Superuser(String),
    /// A principal with a matching ACL.
    Entry(Box<WhoCanEntry>),
}

impl WhoCanPrincipal {
    /// The principal as it is shown; everyone is `User:*`.
    pub fn principal(&self) -> Principal {
        match self {
            Self::Superuser(name) => Principal::user(name.as_str()),
            Self::Entry(entry) => match &entry.scope {
                Scope::Everyone => Principal::user("*"),
                Scope::One(principal) => principal.clone(),
            },
        }
    }
}

/// How many are in a group of the answer. A role is no principal of a request, so it is counted by
/// itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Users and groups.
    pub principals: usize,
    /// Roles.
    pub roles: usize,
}

impl Tally {
    /// Counts the principals of a result.
    #[must_use]
    pub fn from_principals(principals: &[WhoCanPrincipal]) -> Self {
        let roles = principals
            .iter()
            .filter(|entry| entry.principal().kind() == PrincipalType::Role)
            .count();
        Self {
            principals: principals.len() - roles,
            roles,
        }
    }

    /// All of them.
    pub const fn total(self) -> usize {
        self.principals + self.roles
    }

    /// As text: `2 principals and 1 role`.
    pub fn text(self) -> String {
        match (self.principals, self.roles) {
            (0, 0) => "no principals".into(),
            (principals, 0) => count(principals, "principal"),
            (0, roles) => count(roles, "role"),
            (principals, roles) => format!(
                "{} and {}",
                count(principals, "principal"),
                count(roles, "role")
            ),
        }
    }
}

/// Who may, and who would if nothing blocked it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WhoCanAnswer {
    /// By group, each in order of the principals.
    pub groups: Vec<(WhoCanGroup, Vec<WhoCanPrincipal>)>,
    /// The principals of matching denies. Users with one of them are denied, regardless of allows.
    pub denied_principals: Vec<Principal>,
    /// How many ACLs have the name as a prefix: the result does not include longer names.
    pub is_prefix: bool,
}

impl WhoCanAnswer {
    /// How many users, groups and roles are in a group.
    pub fn tally(&self, group: WhoCanGroup) -> Tally {
        self.groups
            .iter()
            .find(|(of, _)| *of == group)
            .map(|(_, found)| Tally::from_principals(found))
            .unwrap_or_default()
    }

    /// How many may from one host only.
    pub fn one_host_only(&self) -> usize {
        let entries = self
            .groups
            .iter()
            .filter(|(of, _)| *of == WhoCanGroup::Can)
            .flat_map(|(_, found)| found);
        entries.filter(|found| matches!(found, WhoCanPrincipal::Entry(entry) if only_host(entry).is_some())).count()
    }
}

/// The one host from which a principal is allowed.
pub fn only_host(entry: &WhoCanEntry) -> Option<Host> {
    entry
        .granted_by
        .as_ref()
        .map(|by| by.acl.host.clone())
        .filter(|host| *host != Host::Any)
}

/// Answers a question about a policy.
pub fn answer(policy: &Policy, query: &WhoCanQuery, host: Option<IpAddr>) -> WhoCanAnswer {
    let name = query.resource_name();
    let request = Request::new(
        query.operation,
        query.resource_type,
        name,
        At::IgnoringExpiry,
    );
    let request = host.map_or(request, |host| request.with_host(host));
    let found = if query.is_prefix() {
        who_can_on_prefix(policy, &request)
    } else {
        who_can(policy, &request)
    };
    let group_of = |entry: &WhoCanEntry| match (
        entry.outcome,
        &entry.granted_by,
        entry.denied_by.is_empty(),
    ) {
        (Outcome::Allow, ..) if !entry.covers_all() => WhoCanGroup::CanOnSome,
        (Outcome::Allow, ..) => WhoCanGroup::Can,
        (Outcome::Deny, Some(_), _) => WhoCanGroup::Blocked,
        (Outcome::Deny, None, false) => WhoCanGroup::Carries,
        (Outcome::Deny, None, true) => WhoCanGroup::FromSomeHost,
    };
    let is_prefix = !query.is_prefix()
        && found.entries.iter().any(|entry| {
            let acls = entry
                .granted_by
                .iter()
                .chain(&entry.denied_by)
                .map(|by| &by.acl);
            acls.into_iter()
                .any(|acl| acl.pattern_type == PatternType::Prefixed && acl.resource_name == name)
        });
    let mut groups: Vec<(WhoCanGroup, Vec<WhoCanPrincipal>)> = WhoCanGroup::ALL
        .into_iter()
        .map(|group| (group, Vec::new()))
        .collect();
    let mut put = |group: WhoCanGroup, found| {
        if let Some((_, list)) = groups.iter_mut().find(|(of, _)| *of == group) {
            list.push(found);
        }
    };
    for name in found.superusers {
        put(WhoCanGroup::Can, WhoCanPrincipal::Superuser(name));
    }
    for entry in found.entries {
        put(group_of(&entry), WhoCanPrincipal::Entry(Box::new(entry)));
    }
    groups.retain(|(_, list)| !list.is_empty());
    WhoCanAnswer {
        groups,
        denied_principals: found.denied_principals,
        is_prefix,
    }
}

#[cfg(test)]
mod tests {
    use gbac_engine::model::Permission;
    use gbac_json::policy_from_value;
    use serde_json::json;

    use super::*;

    fn policy() -> Policy {
        let acl = |principal: &str, permission: &str, name: &str, pattern: &str, host: &str| {
            json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": name,
                "resource_pattern_type": format!("RESOURCE_PATTERN_TYPE_{pattern}"), "principal": principal, "host": host,
                "operation": "OPERATION_WRITE", "permission_type": format!("PERMISSION_TYPE_{permission}") })
        };
        policy_from_value(&json!({ "version": 1, "settings": { "superusers": ["root"] },
            "roles": [{ "name": "Writers", "members": [{ "principal": "Group:eng" }, { "principal": "Group:qa" }] }],
            "acls": [
                acl("Role:Writers", "ALLOW", "pay-", "PREFIXED", "*"), acl("Group:qa", "DENY", "pay-eu", "LITERAL", "*"),
                acl("User:ann", "ALLOW", "pay-eu", "LITERAL", "10.0.0.7"), acl("Group:no", "DENY", "pay-", "PREFIXED", "*")] }))
        .unwrap()
    }

    #[test]
    fn a_link_of_an_acl_asks_about_the_names_that_it_matches() {
        let asked = |pattern, name: &str| {
            let acl = Acl {
                principal: Principal::user("u"),
                host: Host::Any,
                resource_type: ResourceType::Topic,
                pattern_type: pattern,
                resource_name: name.into(),
                operation: Operation::Read,
                permission: Permission::Allow,
            };
            let query = WhoCanQuery::for_acl(&acl);
            (query.pattern, query.name)
        };
        let (literal, prefixed) = (PatternType::Literal, PatternType::Prefixed);
        for (pattern, name, expected) in [
            (prefixed, "orders-", (prefixed, "orders-")),
            (literal, "orders-", (literal, "orders-")),
            (literal, "*", (literal, "*")),
            (prefixed, "", (literal, "*")),
        ] {
            let (pattern, name) = asked(pattern, name);
            assert_eq!((pattern, name.as_str()), expected);
        }
    }

    #[test]
    fn a_prefix_lists_those_who_can_on_some_of_its_names() {
        let asked = |name: &str| {
            let query = WhoCanQuery {
                pattern: PatternType::Prefixed,
                name: name.into(),
                ..WhoCanQuery::default()
            };
            let query = WhoCanQuery {
                operation: Operation::Write,
                ..query
            };
            let answer = answer(&policy(), &query, None);
            let mut found = Vec::new();
            for (group, entries) in answer.groups {
                for entry in entries {
                    let names = match &entry {
                        WhoCanPrincipal::Superuser(_) => None,
                        WhoCanPrincipal::Entry(entry) => {
                            gbac_words::acl::coverage(&entry.only_on, &entry.not_on)
                        }
                    };
                    let names = names.map(|names| names.plain()).unwrap_or_default();
                    found.push(format!("{} {}: {names}", group.label(), entry.principal()));
                }
            }
            found
        };
        let whole = asked("pay-");
        assert!(whole.contains(&"Can Group:eng: ".to_owned()), "{whole:?}");
        assert!(
            whole.contains(&"Can on some names Group:qa: not on pay-eu".to_owned()),
            "{whole:?}"
        );
        assert!(
            whole.contains(&"Depends on the host User:ann: only on pay-eu".to_owned()),
            "{whole:?}"
        );
        let wider = asked("p");
        assert!(
            wider.contains(&"Can on some names Group:eng: only on pay- prefixed".to_owned()),
            "{wider:?}"
        );
        assert!(
            wider.contains(&"Has only a deny Group:no: not on pay- prefixed".to_owned()),
            "{wider:?}"
        );
    }

    #[test]
    fn the_answer_says_what_they_can_do() {
        let query = |operation, resource_type, pattern| WhoCanQuery {
            operation,
            resource_type,
            pattern,
            name: "a".into(),
            host: String::new(),
        };
        for (operation, resource_type, pattern, words) in [
            (
                Operation::Write,
                ResourceType::Topic,
                PatternType::Literal,
                "can write to topic",
            ),
            (
                Operation::Read,
                ResourceType::Topic,
                PatternType::Prefixed,
                "can read every topic that starts with",
            ),
            (
                Operation::Describe,
                ResourceType::Cluster,
                PatternType::Literal,
                "can describe the Cluster",
            ),
        ] {
            assert_eq!(query(operation, resource_type, pattern).can(), words);
        }
    }

    #[test]
    fn a_role_is_not_counted_as_a_principal() {
        let query = WhoCanQuery {
            operation: Operation::Write,
            name: "pay-eu".into(),
            ..WhoCanQuery::default()
        };
        let answer = answer(&policy(), &query, None);
        let can = answer.tally(WhoCanGroup::Can);
        assert_eq!(
            (can.text().as_str(), can.total()),
            ("2 principals and 1 role", 3)
        );
        assert_eq!(answer.tally(WhoCanGroup::Blocked).text(), "1 principal");
        assert_eq!(
            Tally {
                principals: 0,
                roles: 2
            }
            .text(),
            "2 roles"
        );
        assert_eq!(Tally::default().text(), "no principals");
    }

    fn ask(host: &str) -> Vec<(WhoCanGroup, Vec<String>)> {
        let query = WhoCanQuery {
            operation: Operation::Write,
            name: "pay-eu".into(),
            host: host.into(),
            ..WhoCanQuery::default()
        };
        let answer = answer(&policy(), &query, query.check().unwrap());
        let names = |found: &[WhoCanPrincipal]| {
            found
                .iter()
                .map(|found| found.principal().to_string())
                .collect()
        };
        answer
            .groups
            .iter()
            .map(|(group, found)| (*group, names(found)))
            .collect()
    }

    #[test]
    fn everybody_is_in_the_group_that_says_what_it_means() {
        let text = |names: &[&str]| {
            names
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            ask(""),
            [
                (
                    WhoCanGroup::Can,
                    text(&["User:root", "Group:eng", "Role:Writers"])
                ),
                (WhoCanGroup::FromSomeHost, text(&["User:ann"])),
                (WhoCanGroup::Blocked, text(&["Group:qa"])),
                (WhoCanGroup::Carries, text(&["Group:no"])),
            ]
        );
        assert_eq!(
            ask("10.0.0.7")[0],
            (
                WhoCanGroup::Can,
                text(&["User:root", "User:ann", "Group:eng", "Role:Writers"])
            )
        );
        assert!(
            ask("10.0.0.8")
                .iter()
                .all(|(group, _)| *group != WhoCanGroup::FromSomeHost)
        );
    }

    #[test]
    fn a_question_has_an_address() {
        let query = WhoCanQuery {
            operation: Operation::DescribeConfigs,
            name: "a&b /ü".into(),
            host: "::1".into(),
            ..WhoCanQuery::default()
        };
        let address = query.address();
        assert_eq!(
            WhoCanQuery::from_query(address.split_once('?').unwrap().1),
            Some(query)
        );
        assert_eq!(WhoCanQuery::from_query("type=topic"), None);
        let foreign = WhoCanQuery::from_query("type=group&operation=write&name=g").unwrap();
        assert_eq!(foreign.operation, Operation::Read);
        let cluster = WhoCanQuery {
            resource_type: ResourceType::Cluster,
            name: "x".into(),
            ..WhoCanQuery::default()
        }
        .fitting();
        assert_eq!(
            cluster.address(),
            "/security/permissions/who-can?operation=create&type=cluster"
        );
        assert_eq!(cluster.resource_name(), CLUSTER_NAME);
    }

    #[test]
    fn a_prefix_is_answered_by_what_covers_all_of_its_names() {
        let names = |pattern, name: &str| {
            let query = WhoCanQuery {
                operation: Operation::Write,
                pattern,
                name: name.into(),
                ..WhoCanQuery::default()
            };
            let address = query.address();
            assert_eq!(
                WhoCanQuery::from_query(address.split_once('?').unwrap().1),
                Some(query.clone())
            );
            let answer = answer(&policy(), &query, None);
            let of = |group| answer.tally(group).total();
            (
                of(WhoCanGroup::Can),
                of(WhoCanGroup::Blocked),
                answer.is_prefix,
            )
        };
        // The literal deny for `Group:qa` is on one of the names only.
        assert_eq!(names(PatternType::Prefixed, "pay-"), (3, 0, false));
        assert_eq!(names(PatternType::Literal, "pay-"), (4, 0, true));
        assert_eq!(names(PatternType::Literal, "pay-eu"), (3, 1, false));
        assert_eq!(
            names(PatternType::Prefixed, "pa"),
            (1, 0, false),
            "the superuser"
        );
    }

    #[test]
    fn faults_are_at_their_fields() {
        let query = WhoCanQuery {
            host: "10.0.0.0/8".into(),
            ..WhoCanQuery::default()
        };
        let faults = query.check().unwrap_err();
        assert!(
            faults.name.is_some() && faults.host.is_some_and(|text| text.contains("not a range"))
        );
        assert_eq!(
            WhoCanQuery {
                name: "x".into(),
                host: "*".into(),
                ..WhoCanQuery::default()
            }
            .check(),
            Ok(None)
        );
    }
}
