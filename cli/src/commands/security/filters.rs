//! What the flags of `gbac security acl` mean: the ACLs to create, and the filters of those that are there.

use std::collections::BTreeSet;

use gbac_api::acls::{AclFilter, PatternFilter};
use gbac_engine::model::{Acl, Host, Operation, PatternType, Permission, Principal, PrincipalType, ResourceType};

use crate::args::online::{AclArgs, CreateAclsArgs, FilterArgs, PatternArg, PatternFilterArg};
use crate::lists::{entries, principals};
use crate::output::Failure;
use crate::question::resources;

/// The flags of one permission, read: who, and from where.
struct Side {
    permission: Permission,
    principals: Vec<Principal>,
    hosts: Vec<Host>,
}

impl Side {
    fn both(args: &AclArgs) -> Result<[Self; 2], Failure> {
        Ok([
            Self::of(Permission::Allow, [&args.allow_principal, &args.allow_role, &args.allow_host])?,
            Self::of(Permission::Deny, [&args.deny_principal, &args.deny_role, &args.deny_host])?,
        ])
    }

    fn of(permission: Permission, [who, roles, hosts]: [&[String]; 3]) -> Result<Self, Failure> {
        let flag = |name: &str| format!("--{}-{name}", permission.spelling().cli);
        let mut principals = principals(&flag("principal"), who)?;
        principals.extend(entries(&flag("role"), roles)?.iter().map(|name| role(name)));
        let hosts = entries(&flag("host"), hosts)?;
        let hosts = hosts.iter().map(|text| {
            Host::parse(text).map_err(|error| Failure::usage(format!("{}: {error}; {}", flag("host"), error.hint())))
        });
        Ok(Self { permission, principals, hosts: hosts.collect::<Result<_, _>>()? })
    }

    const fn is_named(&self) -> bool {
        !self.principals.is_empty() || !self.hosts.is_empty()
    }
}

/// A role by its name, or as the principal that it is.
fn role(text: &str) -> Principal {
    match Principal::parse(text) {
        Ok(principal) if principal.kind() == PrincipalType::Role => principal,
        _ => Principal::role(text),
    }
}

/// The operations that are named.
fn operations(args: &AclArgs) -> Result<Vec<Operation>, Failure> {
    let read = |text: &String| {
        text.parse::<Operation>().ok().ok_or_else(|| {
            let all: Vec<&str> = Operation::ALL.iter().map(|operation| operation.spelling().cli).collect();
            Failure::usage(format!("--operation: `{text}` is not an operation; one of {}", all.join(", ")))
        })
    };
    entries("--operation", &args.operation)?.iter().map(read).collect()
}

/// Whether there is one such resource only, so that its name says nothing.
const fn is_single(kind: ResourceType) -> bool {
    matches!(kind, ResourceType::Cluster | ResourceType::Registry)
}

/// The ACLs to create: one for each combination, in their order.
pub(super) fn wanted(args: &CreateAclsArgs) -> Result<BTreeSet<Acl>, Failure> {
    let (resources, operations, sides) =
        (resources(&args.acls.resources)?, operations(&args.acls)?, Side::both(&args.acls)?);
    let none = |what: &str| Err(Failure::usage(format!("nothing to create: {what}")));
    if sides.iter().all(|side| side.principals.is_empty()) {
        return none("name a principal with --allow-principal, --deny-principal, --allow-role or --deny-role");
    }
    if resources.is_empty() {
        return none(
            "name a resource with --topic, --group, --cluster, --transactional-id, --registry-subject or --registry-global",
        );
    }
    if operations.is_empty() {
        return none("name an operation with --operation");
    }
    if let Some(side) = sides.iter().find(|side| side.principals.is_empty() && !side.hosts.is_empty()) {
        let word = side.permission.spelling().cli;
        return none(&format!("--{word}-host has no principal; name one with --{word}-principal or --{word}-role"));
    }
    let pattern = match args.resource_pattern_type {
        PatternArg::Literal => PatternType::Literal,
        PatternArg::Prefixed => PatternType::Prefixed,
    };
    let mut acls = BTreeSet::new();
    for Side { permission, principals, hosts } in &sides {
        let hosts = if hosts.is_empty() { &[Host::Any][..] } else { hosts };
        for principal in principals {
            for host in hosts {
                for (resource_type, name) in &resources {
                    acls.extend(operations.iter().map(|operation| Acl {
                        resource_type: *resource_type,
                        resource_name: name.clone(),
                        pattern_type: if is_single(*resource_type) { PatternType::Literal } else { pattern },
                        principal: principal.clone(),
                        host: *host,
                        operation: *operation,
                        permission: *permission,
                    }));
                }
            }
        }
    }
    Ok(acls)
}

/// The filters of those that are there: one for each combination; what is not named takes any.
pub(super) fn filters(args: &FilterArgs) -> Result<Vec<AclFilter>, Failure> {
    let (resources, operations, sides) =
        (resources(&args.acls.resources)?, operations(&args.acls)?, Side::both(&args.acls)?);
    let pattern = match args.resource_pattern_type {
        PatternFilterArg::Any => PatternFilter::Any,
        PatternFilterArg::Match => PatternFilter::Match,
        PatternFilterArg::Literal => PatternFilter::Exactly(PatternType::Literal),
        PatternFilterArg::Prefixed => PatternFilter::Exactly(PatternType::Prefixed),
    };
    let mut asked: Vec<AclFilter> = sides
        .iter()
        .filter(|side| side.is_named())
        .flat_map(|side| {
            any(&side.principals).into_iter().flat_map(move |principal| {
                any(&side.hosts).into_iter().map(move |host| AclFilter {
                    principal: principal.clone(),
                    host,
                    permission: Some(side.permission),
                    pattern,
                    ..AclFilter::default()
                })
            })
        })
        .collect();
    if asked.is_empty() {
        asked.push(AclFilter { pattern, ..AclFilter::default() });
    }
    let mut all = Vec::new();
    for filter in &asked {
        for resource in any(&resources) {
            for operation in any(&operations) {
                let (resource_type, name) = resource.clone().unzip();
                let resource_name = name.filter(|_| !resource_type.is_some_and(is_single));
                all.push(AclFilter { resource_type, resource_name, operation, ..filter.clone() });
            }
        }
    }
    Ok(all)
}

/// Each of those that are named, or one that takes any.
fn any<T: Clone>(named: &[T]) -> Vec<Option<T>> {
    if named.is_empty() { vec![None] } else { named.iter().cloned().map(Some).collect() }
}

/// As [`filters`], but something has to be named: nobody deletes every ACL by leaving flags out.
pub(super) fn narrow(args: &FilterArgs) -> Result<Vec<AclFilter>, Failure> {
    let filters = filters(args)?;
    let everything = AclFilter::default();
    if filters.iter().any(|filter| AclFilter { pattern: everything.pattern, ..filter.clone() } == everything) {
        return Err(Failure::usage("say which ACLs: name a principal, a host, a resource or an operation"));
    }
    Ok(filters)
}
