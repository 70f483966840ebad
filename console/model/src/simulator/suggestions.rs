//! What name fields suggest: names of the policy, by recent use and by how many ACLs name them, and
//! likely requests.

use std::collections::BTreeSet;

use gbac_engine::model::{Host, Operation, PatternType, Permission, PrincipalType, ResourceType};
use gbac_engine::policy::Policy;
use gbac_words::phrases::count;

use crate::simulator::inputs::Inputs;
use crate::simulator::question::AccessRequest;

/// How many names are suggested.
const SUGGESTED: usize = 20;
/// How many requests are suggested.
const REQUESTS: usize = 3;
/// How many names are remembered.
const REMEMBERED: usize = 20;

/// A name that a field suggests, with what is known about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuggestedName {
    /// The name.
    pub name: String,
    /// `recent`, or what ACLs name it: `prefixed, 6 ACLs`.
    pub about: String,
}

/// What is suggested beside the fields.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Offers {
    /// For the name of the resource.
    pub resources: Vec<SuggestedName>,
    /// For the user.
    pub users: Vec<String>,
    /// For groups.
    pub groups: Vec<String>,
    /// For the host.
    pub hosts: Vec<String>,
    /// Whole requests.
    pub requests: Vec<AccessRequest>,
}

/// A pattern of the policy.
#[derive(Debug, Clone, PartialEq, Eq)]
struct NamedPattern {
    resource_type: ResourceType,
    name: String,
    is_prefix: bool,
    acls: usize,
    /// The operation of its first deny, else of its first allow.
    operation: Operation,
    denies: bool,
}

/// The names of a policy, prepared once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PolicyNames {
    /// The weightiest first.
    patterns: Vec<NamedPattern>,
    /// The users that ACLs and roles name, sorted.
    users: Vec<String>,
    /// The groups that ACLs and roles name, sorted.
    groups: Vec<String>,
    /// The addresses that ACLs name, sorted.
    hosts: Vec<String>,
}

impl PolicyNames {
    /// The names of a policy.
    #[must_use]
    pub fn from_policy(policy: &Policy) -> Self {
        let mut patterns = Vec::new();
        let (mut hosts, mut known_hosts) = (BTreeSet::new(), BTreeSet::new());
        for (_, pattern) in policy.patterns() {
            let (mut acls, mut denied, mut allowed) = (0, None, None);
            for row in pattern.rows() {
                row.acls(|operation, permission| {
                    acls += 1;
                    let first = if permission == Permission::Deny {
                        &mut denied
                    } else {
                        &mut allowed
                    };
                    if first.is_none_or(|first| first > operation) {
                        *first = Some(operation);
                    }
                    // The address of a number is looked up once.
                    if known_hosts.insert(row.host)
                        && let host @ Host::Address(_) =
                            policy.acl(pattern, row, operation, permission).host
                    {
                        hosts.insert(host.to_string());
                    }
                });
            }
            let Some(operation) = denied.or(allowed) else {
                continue;
            };
            if Inputs::is_nameless(pattern.resource_type) || pattern.is_all_names() {
                continue;
            }
            patterns.push(NamedPattern {
                resource_type: pattern.resource_type,
                name: pattern.name().to_owned(),
                is_prefix: pattern.pattern_type == PatternType::Prefixed,
                acls,
                operation,
                denies: denied.is_some(),
            });
        }
        patterns.sort_by(|a, b| {
            b.acls
                .cmp(&a.acls)
                .then_with(|| (&a.name, a.is_prefix).cmp(&(&b.name, b.is_prefix)))
        });
        let (mut users, mut groups) = (Vec::new(), Vec::new());
        for (_, principal) in policy.principals() {
            match principal.kind() {
                PrincipalType::User if !principal.is_everyone() => {
                    users.push(principal.name().to_owned());
                }
                PrincipalType::Group => groups.push(principal.name().to_owned()),
                PrincipalType::User | PrincipalType::Role | PrincipalType::Other => {}
            }
        }
        users.sort_unstable();
        groups.sort_unstable();
        Self {
            patterns,
            users,
            groups,
            hosts: hosts.into_iter().collect(),
        }
    }

    /// What is suggested for what is entered.
    pub fn offers(&self, inputs: &Inputs, recent: &[(ResourceType, String)]) -> Offers {
        Offers {
            resources: self.resources(inputs.resource_type, &inputs.resource_name, recent),
            users: matching(&self.users, &inputs.user),
            groups: matching(&self.groups, ""),
            hosts: matching(&self.hosts, &inputs.host),
            requests: self.requests(),
        }
    }

    /// Names for what is typed: recently used ones, then those of the policy.
    fn resources(
        &self,
        resource_type: ResourceType,
        typed: &str,
        recent: &[(ResourceType, String)],
    ) -> Vec<SuggestedName> {
        let used = recent.iter().filter(|(of, _)| *of == resource_type);
        let used = used.map(|(_, name)| SuggestedName {
            name: name.clone(),
            about: "recent".into(),
        });
        let named = self
            .patterns
            .iter()
            .filter(|pattern| pattern.resource_type == resource_type);
        let named = named.map(|pattern| SuggestedName {
            name: pattern.name.clone(),
            about: format!(
                "{}, {}",
                if pattern.is_prefix {
                    "prefixed"
                } else {
                    "literal"
                },
                count(pattern.acls, "ACL")
            ),
        });
        let mut found: Vec<SuggestedName> = Vec::new();
        for suggested in used.chain(named) {
            if found.len() == SUGGESTED {
                break;
            }
            if suggested.name.contains(typed)
                && found.iter().all(|known| known.name != suggested.name)
            {
                found.push(suggested);
            }
        }
        found
    }

    /// Requests that ACLs are about, each on another name: topics first, and of these the ones with
    /// a deny.
    pub fn requests(&self) -> Vec<AccessRequest> {
        let weight = |pattern: &&NamedPattern| {
            (
                pattern.resource_type != ResourceType::Topic,
                pattern.is_prefix,
                !pattern.denies,
            )
        };
        let mut likely: Vec<&NamedPattern> = self.patterns.iter().collect();
        likely.sort_by_key(weight);
        likely
            .into_iter()
            .take(REQUESTS)
            .map(|pattern| AccessRequest {
                operation: match pattern.operation {
                    Operation::All => pattern
                        .resource_type
                        .operations()
                        .first()
                        .copied()
                        .unwrap_or(Operation::Read),
                    operation => operation,
                },
                resource_type: pattern.resource_type,
                // A prefix is the name that it covers first.
                resource_name: pattern.name.clone(),
                host: None,
            })
            .collect()
    }
}

/// The first of these that contain what is typed.
fn matching(names: &[String], typed: &str) -> Vec<String> {
    names
        .iter()
        .filter(|name| name.contains(typed))
        .take(SUGGESTED)
        .cloned()
        .collect()
}

/// Fills in the first request that the policy is about, unless something was entered before.
pub fn begin(inputs: &mut Inputs, requests: &[AccessRequest]) {
    let empty = Inputs::default();
    let is_untouched = inputs.operation == empty.operation
        && inputs.resource_type == empty.resource_type
        && inputs.resource_name.is_empty()
        && inputs.host.is_empty();
    if let Some(request) = requests.first().filter(|_| is_untouched) {
        request.fill(inputs);
    }
}

/// Remembers the name of a request as the one that was used last.
pub fn remember(recent: &mut Vec<(ResourceType, String)>, request: &AccessRequest) {
    if Inputs::is_nameless(request.resource_type) {
        return;
    }
    let used = (request.resource_type, request.resource_name.clone());
    recent.retain(|known| *known != used);
    recent.insert(0, used);
    recent.truncate(REMEMBERED);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulator::tests::policy;

    fn said(names: &[SuggestedName]) -> Vec<String> {
        names
            .iter()
            .map(|suggested| format!("{} ({})", suggested.name, suggested.about))
            .collect()
    }

    #[test]
    fn names_are_suggested_by_recent_use_and_by_pattern() {
        let names = PolicyNames::from_policy(&policy());
        let mut recent = Vec::new();
        let all = names.resources(ResourceType::Topic, "", &recent);
        assert!(
            all.iter().any(|suggested| suggested.name == "payments-"),
            "{:?}",
            said(&all)
        );
        for name in ["orders", "payments-new", "orders"] {
            let request = AccessRequest {
                operation: Operation::Read,
                resource_type: ResourceType::Topic,
                resource_name: name.into(),
                host: None,
            };
            remember(&mut recent, &request);
        }
        assert_eq!(recent.len(), 2);
        let found = said(&names.resources(ResourceType::Topic, "", &recent));
        assert_eq!(found[..2], ["orders (recent)", "payments-new (recent)"]);
        let found = said(&names.resources(ResourceType::Topic, "payments", &recent));
        assert_eq!(found[0], "payments-new (recent)");
        assert!(
            found[1..].iter().all(|name| name.contains("payments")) && found.len() > 1,
            "{found:?}"
        );
        assert_eq!(
            names.resources(ResourceType::Subject, "payments-new", &recent),
            []
        );
    }

    #[test]
    fn principals_and_hosts_of_the_policy_are_suggested() {
        let names = PolicyNames::from_policy(&policy());
        assert!(names.groups.is_sorted() && names.groups.iter().any(|group| group == "payments"));
        assert_eq!(matching(&names.groups, "paym"), ["payments"]);
        assert_eq!(names.hosts, ["10.0.0.9", "10.20.4.71"]);
        assert!(!names.users.contains(&"*".to_owned()));
    }

    #[test]
    fn requests_lead_to_a_verdict() {
        let found = PolicyNames::from_policy(&policy()).requests();
        assert!(!found.is_empty() && found.len() <= REQUESTS);
        assert_eq!(found[0].resource_type, ResourceType::Topic);
        for request in found {
            assert!(
                request
                    .resource_type
                    .operations()
                    .contains(&request.operation)
            );
            let mut inputs = Inputs::default();
            begin(&mut inputs, std::slice::from_ref(&request));
            assert_eq!(crate::simulator::question::read(&inputs).0, Some(request));
        }
        assert_eq!(PolicyNames::from_policy(&Policy::default()).requests(), []);
        // What was entered stays.
        let mut entered = Inputs {
            operation: Operation::Describe,
            ..Inputs::default()
        };
        begin(
            &mut entered,
            &PolicyNames::from_policy(&policy()).requests(),
        );
        assert!(
            entered
                == Inputs {
                    operation: Operation::Describe,
                    ..Inputs::default()
                }
        );
    }
}
