//! Clients that lack a part of what they need: consumers without a consumer group, readers of
//! schemas without configurations (D-68).

use super::{Finding, FindingCode, Severity};
use crate::held::is_superuser;
use gbac_engine::escape::escaped;
use gbac_engine::model::{Operation, Permission, Principal, PrincipalType, ResourceType};
use gbac_engine::order::sort;
use gbac_engine::{
    policy::Policy,
    policy::index::{Operations, PrincipalId},
};

/// The accesses that ACLs allow on any resource.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Allowed {
    reads_topics: bool,
    joins_groups: bool,
    reads_subjects: bool,
    sees_subject_configs: bool,
    sees_registry_configs: bool,
}

impl Allowed {
    const fn or(self, other: Self) -> Self {
        Self {
            reads_topics: self.reads_topics || other.reads_topics,
            joins_groups: self.joins_groups || other.joins_groups,
            reads_subjects: self.reads_subjects || other.reads_subjects,
            sees_subject_configs: self.sees_subject_configs || other.sees_subject_configs,
            sees_registry_configs: self.sees_registry_configs || other.sees_registry_configs,
        }
    }
}

/// Finds principals whose ACLs allow reading topics or subjects, but whose users lack the other
/// accesses that reading needs.
pub(super) fn lint(policy: &Policy, findings: &mut Vec<Finding>) {
    let own = of_principals(policy);
    let of = |id: PrincipalId| own.get(id.0 as usize).copied().unwrap_or_default();
    let everyone = policy.principal_id(PrincipalType::User, "*");
    let for_everyone = everyone.map(of).unwrap_or_default();
    // Without any ACL for reading consumer groups, the policy does not manage them.
    let has_groups = own.iter().any(|allowed| allowed.joins_groups);
    // The accesses of a principal: its own, those of its roles, and those of everyone.
    let total = |id: PrincipalId| {
        let links = policy.links(id).iter().map(|role| of(*role));
        links.fold(of(id).or(for_everyone), Allowed::or)
    };
    let mut principals: Vec<(PrincipalId, &Principal)> = policy.principals().collect();
    sort(&mut principals, |a, b| a.1.cmp(b.1));
    for (id, principal) in principals {
        let is_role = policy.is_role(id);
        // `User:*` is not a client, and a role without members has no clients.
        if everyone == Some(id)
            || is_superuser(policy, principal)
            || (principal.kind() == PrincipalType::Role && !is_role)
        {
            continue;
        }
        let allowed = of(id);
        let holders: Vec<Allowed> = match is_role {
            true => policy
                .links(id)
                .iter()
                .map(|member| total(*member))
                .collect(),
            false => vec![total(id)],
        };
        let mut find = |code, lacking: usize, what: &str, hint: &str| {
            if lacking > 0 {
                let message = format!("{} {what}", clients(principal, lacking, holders.len()));
                let finding = Finding::new(code, Severity::Notice, message, hint);
                findings.push(finding.with_principals(vec![principal.clone()]));
            }
        };
        if allowed.reads_topics && has_groups {
            find(
                FindingCode::ConsumerGroupMissing,
                holders.iter().filter(|holder| !holder.joins_groups).count(),
                "can read topics, but no consumer group",
                "allow read on the consumer group too, unless they consume without one",
            );
        }
        if allowed.reads_subjects {
            find(
                FindingCode::SchemaReaderWithoutConfigs,
                holders
                    .iter()
                    .filter(|holder| !holder.sees_subject_configs || !holder.sees_registry_configs)
                    .count(),
                "can read schemas, but not their compatibility level",
                "allow describe configs on the subjects and on the registry too",
            );
        }
    }
}

/// The affected clients, as the start of a message.
fn clients(principal: &Principal, lacking: usize, all: usize) -> String {
    let name = escaped(principal.name());
    match principal.kind() {
        PrincipalType::Role if lacking == all => format!("members of the role `{name}`"),
        PrincipalType::Role => format!("{lacking} of {all} members of the role `{name}`"),
        PrincipalType::Group => format!("users with the group `{name}`"),
        PrincipalType::User => format!("the user `{name}`"),
        PrincipalType::Other => format!("the principal `{name}`"),
    }
}

/// The accesses that the ACLs of each principal allow, by its id.
fn of_principals(policy: &Policy) -> Vec<Allowed> {
    let bound = policy
        .principals()
        .map(|(id, _)| id.0 as usize + 1)
        .max()
        .unwrap_or_default();
    let mut own = vec![Allowed::default(); bound];
    let read = Operations::answering(Operation::Read, Permission::Allow);
    let configs = Operations::answering(Operation::DescribeConfigs, Permission::Allow);
    for (_, pattern) in policy.patterns() {
        for row in pattern.rows() {
            let Some(allowed) = own.get_mut(row.principal.0 as usize) else {
                continue;
            };
            let (reads, sees_configs) = (row.allow().meets(read), row.allow().meets(configs));
            match pattern.resource_type {
                ResourceType::Topic => allowed.reads_topics |= reads,
                ResourceType::Group => allowed.joins_groups |= reads,
                ResourceType::Subject => {
                    allowed.reads_subjects |= reads;
                    allowed.sees_subject_configs |= sees_configs;
                }
                ResourceType::Registry => allowed.sees_registry_configs |= sees_configs,
                ResourceType::Cluster
                | ResourceType::TransactionalId
                | ResourceType::DelegationToken
                | ResourceType::User => {}
            }
        }
    }
    own
}
