//! A plain loop over all ACLs. Every measured engine must first give the same results.

use std::collections::HashMap;

use crate::document::{Acl, Document, Operation, PatternType, Permission};
use crate::workload::{Query, Questions, Who};

/// A document with numbered principals, so that looping ten thousand times over a million ACLs is
/// feasible.
pub struct Reference<'a> {
    acls: Vec<(usize, &'a Acl)>,
    numbers: HashMap<&'a str, usize>,
    roles_of: HashMap<&'a str, Vec<usize>>,
}

impl<'a> Reference<'a> {
    /// Numbers the principals of a document.
    #[must_use]
    pub fn new(document: &'a Document) -> Self {
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut acls = Vec::with_capacity(document.acls.len());
        for acl in &document.acls {
            let next = numbers.len();
            acls.push((*numbers.entry(&acl.principal).or_insert(next), acl));
        }
        let mut roles_of: HashMap<&str, Vec<usize>> = HashMap::new();
        for role in &document.roles {
            if let Some(number) = numbers.get(format!("Role:{}", role.name).as_str()) {
                for member in &role.members {
                    roles_of.entry(&member.principal).or_default().push(*number);
                }
            }
        }
        Self {
            acls,
            numbers,
            roles_of,
        }
    }

    /// Decides every query: whether it is allowed.
    #[must_use]
    pub fn answers(&self, questions: &Questions) -> Vec<bool> {
        let identities: Vec<Vec<bool>> = questions
            .identities
            .iter()
            .map(|who| self.principals(who))
            .collect();
        let answer = |query: &Query| self.allows(&identities[query.identity], query);
        // Two concurrent halves, because this dominates a short run with a million ACLs.
        let (first, second) = questions.queries.split_at(questions.queries.len() / 2);
        std::thread::scope(|scope| {
            let second = scope.spawn(move || second.iter().map(answer).collect::<Vec<bool>>());
            let mut answers: Vec<bool> = first.iter().map(answer).collect();
            answers.extend(second.join().unwrap_or_default());
            answers
        })
    }

    /// For each principal, whether it applies to the identity: the user, everyone, the groups, and
    /// the roles of these.
    fn principals(&self, who: &Who) -> Vec<bool> {
        let mut has = vec![false; self.numbers.len()];
        let own = [format!("User:{}", who.user), "User:*".to_owned()];
        for principal in own
            .into_iter()
            .chain(who.groups.iter().map(|group| format!("Group:{group}")))
        {
            let roles = self.roles_of.get(principal.as_str()).into_iter().flatten();
            for number in self
                .numbers
                .get(principal.as_str())
                .into_iter()
                .chain(roles)
            {
                has[*number] = true;
            }
        }
        has
    }

    /// Denies take precedence over allows; without a match, the result is a denial.
    fn allows(&self, principals: &[bool], query: &Query) -> bool {
        let mut allowed = false;
        for (principal, acl) in &self.acls {
            if principals[*principal] && matches(acl, query) {
                match acl.permission_type {
                    Permission::Deny => return false,
                    Permission::Allow => allowed = true,
                }
            }
        }
        allowed
    }
}

/// Whether an ACL applies to the query's resource and operation.
fn matches(acl: &Acl, query: &Query) -> bool {
    let name = match acl.resource_pattern_type {
        PatternType::Literal => acl.resource_name == query.name || acl.resource_name == "*",
        PatternType::Prefixed => query.name.starts_with(&acl.resource_name),
    };
    acl.resource_type == query.resource_type && name && covers(acl, query.operation)
}

/// Whether an ACL's operation is the requested one, `all`, or, for an allow, one that implies it.
fn covers(acl: &Acl, asked: Operation) -> bool {
    use Operation::{All, Alter, AlterConfigs, Delete, Describe, DescribeConfigs, Read, Write};
    acl.operation == asked
        || acl.operation == All
        || acl.permission_type == Permission::Allow
            && match asked {
                Describe => matches!(acl.operation, Read | Write | Delete | Alter),
                DescribeConfigs => acl.operation == AlterConfigs,
                _ => false,
            }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use gbac_engine::model::{Operation, Principal, ResourceType, Role};
    use gbac_json::acl_from_value;
    use gbac_tests::oracle::{self, Facts, OracleQuestion};

    use super::Reference;
    use crate::document::Document;
    use crate::workload::{document, questions};

    fn facts(document: &Document) -> Facts {
        let acl = |acl| acl_from_value(&serde_json::to_value(acl).unwrap()).unwrap();
        let role = |role: &crate::document::Role| {
            let members = role
                .members
                .iter()
                .map(|member| Principal::parse(&member.principal).unwrap());
            Role {
                name: role.name.clone(),
                members: members.collect::<BTreeSet<_>>(),
            }
        };
        Facts {
            acls: document.acls.iter().map(acl).collect(),
            roles: document.roles.iter().map(role).collect(),
            superusers: Vec::new(),
        }
    }

    /// Both were written separately: this one for plain documents, the oracle for the engine's
    /// model.
    #[test]
    fn agrees_with_the_oracle_of_the_tests() {
        let document = document(300, 10);
        let facts = facts(&document);
        for groups in [1, 10] {
            let mut questions = questions(&document, groups);
            questions.queries.truncate(600);
            let answers = Reference::new(&document).answers(&questions);
            let expected: Vec<bool> = questions
                .queries
                .iter()
                .map(|query| {
                    let who = &questions.identities[query.identity];
                    let asked = OracleQuestion {
                        user: who.user.clone(),
                        groups: who.groups.clone(),
                        operation: query.operation.short().parse::<Operation>().ok().unwrap(),
                        resource_type: query
                            .resource_type
                            .short()
                            .parse::<ResourceType>()
                            .ok()
                            .unwrap(),
                        name: query.name.clone(),
                        host: None,
                    };
                    oracle::decide(&facts, &asked).outcome == "allow"
                })
                .collect();
            assert_eq!(answers, expected);
            let allowed = answers.iter().filter(|allowed| **allowed).count();
            assert!(
                allowed > 100 && allowed < 500,
                "{allowed} of 600 are allowed"
            );
        }
    }
}
