//! The flags of `gbac security acl`: the ACLs to create, and the filters of existing ones.

use std::collections::BTreeSet;

use gbac_api::acls::{AclFilter, PatternFilter};
use gbac_engine::model::{
    Acl, Host, Operation, PatternType, Permission, Principal, PrincipalType, ResourceType,
};
use gbac_words::commands::security as words;

use crate::args::online::{AclArgs, CreateAclsArgs, FilterArgs, PatternArg, PatternFilterArg};
use crate::lists::{entries, principals};
use crate::output::Failure;
use crate::query::{parse_operation, resources};

/// The principals and hosts of one permission.
struct PermissionArgs {
    permission: Permission,
    principals: Vec<Principal>,
    hosts: Vec<Host>,
}

impl PermissionArgs {
    fn both(args: &AclArgs) -> Result<[Self; 2], Failure> {
        Ok([
            Self::new(
                Permission::Allow,
                [&args.allow_principal, &args.allow_role, &args.allow_host],
            )?,
            Self::new(
                Permission::Deny,
                [&args.deny_principal, &args.deny_role, &args.deny_host],
            )?,
        ])
    }

    fn new(permission: Permission, [who, roles, hosts]: [&[String]; 3]) -> Result<Self, Failure> {
        let flag = |name: &str| format!("--{}-{name}", permission.spelling().cli);
        let mut principals = principals(&flag("principal"), who)?;
        principals.extend(entries(&flag("role"), roles)?.iter().map(|name| role(name)));
        let hosts = entries(&flag("host"), hosts)?;
        let hosts = hosts.iter().map(|text| {
            Host::parse(text).map_err(|error| {
                Failure::usage(format!("{}: {error}; {}", flag("host"), error.hint()))
            })
        });
        Ok(Self {
            permission,
            principals,
            hosts: hosts.collect::<Result<_, _>>()?,
        })
    }

    const fn is_named(&self) -> bool {
        !self.principals.is_empty() || !self.hosts.is_empty()
    }
}

/// A role by its name or its principal.
fn role(text: &str) -> Principal {
    match Principal::parse(text) {
        Ok(principal) if principal.kind() == PrincipalType::Role => principal,
        _ => Principal::role(text),
    }
}

/// The operations that the flags name.
fn operations(args: &AclArgs) -> Result<Vec<Operation>, Failure> {
    entries("--operation", &args.operation)?
        .iter()
        .map(|text| parse_operation(text))
        .collect()
}

/// Whether there is only one resource of a type, so that it has no name.
const fn is_single(kind: ResourceType) -> bool {
    matches!(kind, ResourceType::Cluster | ResourceType::Registry)
}

/// The ACLs to create, one for each combination of the flags.
pub(super) fn acls_to_create(args: &CreateAclsArgs) -> Result<BTreeSet<Acl>, Failure> {
    let (resources, operations, sides) = (
        resources(&args.acls.resources)?,
        operations(&args.acls)?,
        PermissionArgs::both(&args.acls)?,
    );
    let none = |what: &str| Err(Failure::usage(format!("nothing to create: {what}")));
    if sides.iter().all(|side| side.principals.is_empty()) {
        return none(
            "name a principal with --allow-principal, --deny-principal, --allow-role or --deny-role",
        );
    }
    if resources.is_empty() {
        return none(
            "name a resource with --topic, --group, --cluster, --transactional-id, --registry-subject or --registry-global",
        );
    }
    if operations.is_empty() {
        return none("name an operation with --operation");
    }
    if let Some(side) = sides
        .iter()
        .find(|side| side.principals.is_empty() && !side.hosts.is_empty())
    {
        let word = side.permission.spelling().cli;
        return none(&format!(
            "--{word}-host has no principal; name one with --{word}-principal or --{word}-role"
        ));
    }
    let pattern = match args.resource_pattern_type {
        PatternArg::Literal => PatternType::Literal,
        PatternArg::Prefixed => PatternType::Prefixed,
    };
    let mut acls = BTreeSet::new();
    for PermissionArgs {
        permission,
        principals,
        hosts,
    } in &sides
    {
        let hosts = if hosts.is_empty() {
            &[Host::Any][..]
        } else {
            hosts
        };
        for principal in principals {
            for host in hosts {
                for (resource_type, name) in &resources {
                    acls.extend(operations.iter().map(|operation| Acl {
                        resource_type: *resource_type,
                        resource_name: name.clone(),
                        pattern_type: if is_single(*resource_type) {
                            PatternType::Literal
                        } else {
                            pattern
                        },
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

/// The filters of existing ACLs, one for each combination of the flags. Omitted flags match
/// everything.
pub(super) fn filters(args: &FilterArgs) -> Result<Vec<AclFilter>, Failure> {
    let (resources, operations, sides) = (
        resources(&args.acls.resources)?,
        operations(&args.acls)?,
        PermissionArgs::both(&args.acls)?,
    );
    let pattern = match args.resource_pattern_type {
        PatternFilterArg::Any => PatternFilter::Any,
        PatternFilterArg::Match => PatternFilter::Match,
        PatternFilterArg::Literal => PatternFilter::Exactly(PatternType::Literal),
        PatternFilterArg::Prefixed => PatternFilter::Exactly(PatternType::Prefixed),
    };
    let mut by_principal: Vec<AclFilter> = sides
        .iter()
        .filter(|side| side.is_named())
        .flat_map(|side| {
            any(&side.principals)
                .into_iter()
                .flat_map(move |principal| {
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
    if by_principal.is_empty() {
        by_principal.push(AclFilter {
            pattern,
            ..AclFilter::default()
        });
    }
    let mut all = Vec::new();
    for filter in &by_principal {
        for resource in any(&resources) {
            for operation in any(&operations) {
                let (resource_type, name) = resource.clone().unzip();
                let resource_name = name.filter(|_| !resource_type.is_some_and(is_single));
                all.push(AclFilter {
                    resource_type,
                    resource_name,
                    operation,
                    ..filter.clone()
                });
            }
        }
    }
    Ok(all)
}

/// The given values; `[None]` without values, which matches everything.
fn any<T: Clone>(named: &[T]) -> Vec<Option<T>> {
    if named.is_empty() {
        vec![None]
    } else {
        named.iter().cloned().map(Some).collect()
    }
}

/// Like [`filters`], but requires a flag, so that a command without flags does not delete every
/// ACL.
pub(super) fn narrow(args: &FilterArgs) -> Result<Vec<AclFilter>, Failure> {
    let filters = filters(args)?;
    let everything = AclFilter::default();
    if filters.iter().any(|filter| {
        AclFilter {
            pattern: everything.pattern,
            ..filter.clone()
        } == everything
    }) {
        return Err(Failure::usage(words::NO_FILTER));
    }
    Ok(filters)
}
