//! The flags of `gbac security acl`: the ACLs to create, and the filters of existing ones.

use std::collections::BTreeSet;

use clap::{Args, ValueEnum};
use gbac_api::acls::{AclFilter, PatternFilter};
use gbac_engine::model::{
    Acl, Host, Operation, PatternType, Permission, Principal, PrincipalType, ResourceType,
};
use gbac_words::commands::security as words;

use crate::args::question::{NamedResourceArgs, Resources, parse_operation};
use crate::client::connection::ReasonArgs;
use crate::input::{entries, principals};
use crate::output::Failure;

/// The parts of ACLs. Every flag accepts a comma-separated list; quote an entry that contains a
/// comma.
#[derive(Debug, Args)]
pub(crate) struct AclArgs {
    #[command(flatten)]
    resources: NamedResourceArgs,
    /// Kafka consumer groups, comma-separated; these are not groups of users.
    #[arg(long, value_name = "NAMES")]
    group: Vec<String>,
    /// Operations, comma-separated, such as read,describe; `all` is every operation.
    #[arg(long, value_name = "OPERATIONS")]
    operation: Vec<String>,
    /// Allowed principals, comma-separated: User:NAME, Group:NAME or Role:NAME; without a type, a
    /// user. Quote an entry that contains a comma: '"User:CN=a,OU=b"'.
    #[arg(long, value_name = "PRINCIPALS")]
    allow_principal: Vec<String>,
    /// Denied principals, comma-separated.
    #[arg(long, value_name = "PRINCIPALS")]
    deny_principal: Vec<String>,
    /// Allowed roles, comma-separated.
    #[arg(long, value_name = "ROLES")]
    allow_role: Vec<String>,
    /// Denied roles, comma-separated.
    #[arg(long, value_name = "ROLES")]
    deny_role: Vec<String>,
    /// Allowed client IP addresses, comma-separated. A new ACL applies to any host by default.
    #[arg(long, value_name = "ADDRESSES")]
    allow_host: Vec<String>,
    /// Denied client IP addresses, comma-separated. A new ACL applies to any host by default.
    #[arg(long, value_name = "ADDRESSES")]
    deny_host: Vec<String>,
}

impl AclArgs {
    /// The resources, with the consumer groups of `rpk`'s flag.
    fn resources(&self) -> Resources<'_> {
        Resources {
            named: &self.resources,
            consumer_groups: &self.group,
            consumer_group_flag: "--group",
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct CreateAclsArgs {
    #[command(flatten)]
    acls: AclArgs,
    /// Whether a resource name is literal or a prefix.
    #[arg(long, value_name = "PATTERN", value_enum, default_value_t = PatternArg::Literal)]
    resource_pattern_type: PatternArg,
    /// Create nothing. Run every check, and show who would gain or lose access.
    #[arg(short, long, alias = "dry")]
    pub(super) dry_run: bool,
    #[command(flatten)]
    pub(super) reason: ReasonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct FilterArgs {
    #[command(flatten)]
    acls: AclArgs,
    /// Which patterns the resource name selects.
    #[arg(long, value_name = "PATTERN", value_enum, default_value_t = PatternFilterArg::Any)]
    resource_pattern_type: PatternFilterArg,
    /// Also show the filters.
    #[arg(short = 'f', long)]
    pub(super) print_filters: bool,
}

/// The pattern of a new ACL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PatternArg {
    /// Exactly this name; `*` matches every name.
    Literal,
    /// Every name that starts with this name.
    Prefixed,
}

/// The patterns of a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PatternFilterArg {
    /// Literal and prefixed patterns with exactly this name.
    Any,
    /// Every pattern that matches a resource with this name.
    Match,
    /// Literal patterns with exactly this name.
    Literal,
    /// Prefixed patterns with exactly this name.
    Prefixed,
}

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
        let mut parsed = Vec::new();
        for text in entries(&flag("host"), hosts)? {
            parsed.push(Host::parse(&text).map_err(|error| {
                Failure::usage(format!("{}: {error}; {}", flag("host"), error.hint()))
            })?);
        }
        Ok(Self {
            permission,
            principals,
            hosts: parsed,
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
    let mut operations = Vec::new();
    for text in entries("--operation", &args.operation)? {
        operations.push(parse_operation(&text)?);
    }
    Ok(operations)
}

/// Whether there is only one resource of a type, so that it has no name.
const fn is_single(kind: ResourceType) -> bool {
    matches!(kind, ResourceType::Cluster | ResourceType::Registry)
}

/// The ACLs to create, one for each combination of the flags.
pub(super) fn acls_to_create(args: &CreateAclsArgs) -> Result<BTreeSet<Acl>, Failure> {
    let (resources, operations, sides) = (
        args.acls.resources().all()?,
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
    for side in &sides {
        if side.principals.is_empty() && !side.hosts.is_empty() {
            let word = side.permission.spelling().cli;
            return none(&format!(
                "--{word}-host has no principal; name one with --{word}-principal or --{word}-role"
            ));
        }
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
                        host: host.clone(),
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
        args.acls.resources().all()?,
        operations(&args.acls)?,
        PermissionArgs::both(&args.acls)?,
    );
    let pattern = match args.resource_pattern_type {
        PatternFilterArg::Any => PatternFilter::Any,
        PatternFilterArg::Match => PatternFilter::Match,
        PatternFilterArg::Literal => PatternFilter::Exactly(PatternType::Literal),
        PatternFilterArg::Prefixed => PatternFilter::Exactly(PatternType::Prefixed),
    };
    let mut by_principal = Vec::new();
    for side in sides.iter().filter(|side| side.is_named()) {
        for principal in any(&side.principals) {
            for host in any(&side.hosts) {
                by_principal.push(AclFilter {
                    principal: principal.clone(),
                    host,
                    permission: Some(side.permission),
                    pattern,
                    ..AclFilter::default()
                });
            }
        }
    }
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
