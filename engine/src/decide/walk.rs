//! The walk itself: paths from the identity to principals, patterns that cover the name, rows that match.

use std::ops::ControlFlow;

use super::{Decision, Outcome, Path, Reason, Request, Source};
use crate::identity::Identity;
use crate::model::{Acl, Host, Operation, Permission, Principal};
use crate::order::{run, sort};
use crate::policy::Policy;

/// What is decided before any ACL is read.
pub(super) fn settled_before_acls(policy: &Policy, identity: &Identity, request: &Request<'_>) -> Option<Reason> {
    if request.now.is_some_and(|now| identity.is_expired(now)) {
        return Some(Reason::Expired);
    }
    policy.settings().superusers.contains(identity.user()).then_some(Reason::Superuser)
}

/// Every way from the identity to a principal that ACLs may name, in the order of D-20.
///
/// A role that several ways lead to is in the list once for each.
pub(super) fn paths(policy: &Policy, identity: &Identity) -> Vec<Path> {
    let mut paths = Vec::new();
    let mut add = |principal: Principal, group: Option<&String>, source, source_of_roles| {
        let place = paths.len();
        for role in policy.roles_of(&principal) {
            paths.push(Path {
                source: source_of_roles,
                group: group.cloned(),
                role: Some(role.into()),
                principal: Principal::role(role),
            });
        }
        paths.insert(place, Path { source, group: group.cloned(), role: None, principal });
    };
    add(Principal::user(identity.user()), None, Source::User, Source::Role);
    for group in identity.groups() {
        add(Principal::group(group), Some(group), Source::Group, Source::GroupRole);
    }
    paths
}

/// Walks the deny pass, then the allow pass, and hands every match to `visit` in the order of D-20.
///
/// The first match decides; `visit` says whether the walk goes on after it.
pub(super) fn walk<'p>(
    policy: &'p Policy,
    identity: &Identity,
    request: &Request<'_>,
    paths: &[Path],
    visit: &mut dyn FnMut(&'p Acl) -> ControlFlow<()>,
) -> Decision {
    let covering = policy.covering(request.resource_type, request.resource_name);
    let everyone = Principal::user("*");
    let mut decision: Option<Decision> = None;
    let mut host_might_allow = false;
    'walk: for permission in [Permission::Deny, Permission::Allow] {
        for path in paths {
            // `User:*` is an ACL of the user (D-20); for the other principals it would say the same again.
            let others = (path.source == Source::User && !path.principal.is_everyone()).then_some(&everyone);
            for of_pattern in &covering {
                for principal in std::iter::once(&path.principal).chain(others) {
                    let of_principal = run(of_pattern, |acl| acl.principal.cmp(principal));
                    for acl in matching(of_principal, permission, request, &mut host_might_allow) {
                        if decision.is_none() {
                            decision = Some(decision_of(path, acl, request, identity));
                        }
                        if visit(acl).is_break() {
                            break 'walk;
                        }
                    }
                }
            }
        }
    }
    decision.unwrap_or_else(|| Decision {
        host_unknown: host_might_allow,
        ..Decision::without_rule(Reason::NoMatch, identity)
    })
}

/// The ACLs of one principal on one pattern that match, best first: host, then operation (D-20).
fn matching<'p>(
    acls: &'p [Acl],
    permission: Permission,
    request: &Request<'_>,
    host_might_allow: &mut bool,
) -> Vec<&'p Acl> {
    let mut ranked: Vec<((u8, usize), &Acl)> = Vec::new();
    for acl in acls.iter().filter(|acl| acl.permission == permission) {
        let Some(operation) = operation_rank(acl.operation, request.operation, permission) else { continue };
        match host_match(acl.host, request) {
            HostMatch::Exact => ranked.push(((0, operation), acl)),
            HostMatch::Any => ranked.push(((1, operation), acl)),
            // Fail closed: what may deny denies, what may allow does not (D-04).
            HostMatch::Unknown if permission == Permission::Deny => ranked.push(((0, operation), acl)),
            HostMatch::Unknown => *host_might_allow = true,
            HostMatch::No => {}
        }
    }
    sort(&mut ranked, |a, b| a.0.cmp(&b.0));
    ranked.into_iter().map(|(_, acl)| acl).collect()
}

/// How an ACL's host relates to the request's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HostMatch {
    Exact,
    Any,
    Unknown,
    No,
}

pub(super) fn host_match(host: Host, request: &Request<'_>) -> HostMatch {
    match (host, request.host) {
        (Host::Any, _) => HostMatch::Any,
        (Host::Address(_), None) => HostMatch::Unknown,
        (Host::Address(address), Some(asked)) if address == asked.to_canonical() => HostMatch::Exact,
        (Host::Address(_), Some(_)) => HostMatch::No,
    }
}

/// The place of an ACL's operation among those that answer the one asked for; none when it does not (D-02).
pub(super) fn operation_rank(of_acl: Operation, asked: Operation, permission: Permission) -> Option<usize> {
    if of_acl == asked {
        return Some(0);
    }
    if of_acl == Operation::All {
        return Some(usize::MAX);
    }
    if permission == Permission::Deny {
        return None;
    }
    asked.implied_by().iter().position(|implied| *implied == of_acl).map(|place| place + 1)
}

fn decision_of(path: &Path, acl: &Acl, request: &Request<'_>, identity: &Identity) -> Decision {
    let (outcome, reason) = match acl.permission {
        Permission::Deny => (Outcome::Deny, Reason::DenyRule),
        Permission::Allow => (Outcome::Allow, Reason::AllowRule),
    };
    Decision {
        outcome,
        reason,
        source: Some(path.source),
        group: path.group.clone(),
        role: path.role.clone(),
        acl: Some(acl.clone()),
        implied_by: (acl.operation != request.operation).then_some(acl.operation),
        host_unknown: host_match(acl.host, request) == HostMatch::Unknown,
        verified: identity.is_verified(),
    }
}
