//! `gbac security acl`: create, list and delete ACLs.

use std::collections::BTreeSet;

use clap::{Args, Subcommand, ValueEnum};
use gbac_analysis::{Diff, diff};
use gbac_api::acls::{AclBody, AclFilter, DeletedAcls, ListAcls};
use gbac_api::paths;
use gbac_api::target::TargetNeed;
use gbac_engine::model::{Acl, Principal, PrincipalType, ResourceType, RoleSpelling};
use gbac_engine::policy::{Change, Policy};
use gbac_json::DiffJson;
use gbac_words::commands::security as words;
use reqwest::Method;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::IgnoredAny;

use super::acl_flags::{self, CreateAclsArgs, FilterArgs};
use super::acl_rows::{AclRow, rows, table};
use crate::client::connection::{ConnectArgs, ReasonArgs};
use crate::client::{CallError, Client, platform};
use crate::confirm::confirm;
use crate::output::{self, Failure, Format, plain};
use crate::process::Process;
use crate::progress::Progress;
use crate::render::gains_and_losses;

#[derive(Debug, Subcommand)]
pub(crate) enum AclCommand {
    /// Create ACLs, one for each combination of principal, host, resource and operation.
    ///
    /// Flags can be repeated and accept comma-separated lists; quote an entry that contains a
    /// comma, as in '"Group:eng,fin"'. A principal without a type is a user; if the first entry of
    /// a list has a type, every entry needs one. Exits with 1 if an ACL could not be created.
    Create(Box<CreateAclsArgs>),
    /// List ACLs. Omitted filters match everything.
    #[command(visible_aliases = ["ls", "describe"])]
    List(Box<ListAclsArgs>),
    /// Delete ACLs, after listing them and asking for confirmation. Omitted filters match
    /// everything.
    Delete(Box<DeleteAclsArgs>),
}

#[derive(Debug, Args)]
pub(crate) struct ListAclsArgs {
    #[command(flatten)]
    pub(super) filter: FilterArgs,
    /// List only ACLs of Kafka resources, or of the Schema Registry.
    #[arg(long, value_name = "SUBSYSTEM", value_enum, value_delimiter = ',')]
    subsystem: Vec<SubsystemArg>,
}

#[derive(Debug, Args)]
pub(crate) struct DeleteAclsArgs {
    #[command(flatten)]
    pub(super) filter: FilterArgs,
    /// Delete nothing. Run every check, and show the matching ACLs and who would gain or lose
    /// access.
    #[arg(short, long, alias = "dry")]
    pub(super) dry_run: bool,
    /// Do not ask for confirmation.
    #[arg(long)]
    pub(super) no_confirm: bool,
    #[command(flatten)]
    pub(super) reason: ReasonArgs,
}

/// The resources of one subsystem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SubsystemArg {
    /// Topics, consumer groups, transactional IDs and the cluster.
    Kafka,
    /// Subjects, and the Schema Registry as a whole.
    Registry,
}

/// The effect of creating ACLs, with `--dry-run`.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct AclCreations {
    /// The ACLs, each with the error that the service would report.
    creations: Vec<AclRow>,
    /// The difference of effective access.
    difference: DiffJson,
}

/// The ACLs that match filters.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct AclMatches<'a> {
    /// The filters.
    pub(super) filters: &'a [AclRow],
    /// The ACLs.
    pub(super) matches: &'a [AclRow],
}

/// The ACLs that match filters, and those that were deleted.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct AclDeletions<'a> {
    /// The filters and the ACLs that match.
    #[serde(flatten)]
    pub(super) matching: AclMatches<'a>,
    /// With `--dry-run`, the difference of effective access.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) difference: Option<DiffJson>,
    /// The ACLs that were deleted; absent if none matches, and with `--dry-run`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) deletions: Option<Vec<AclRow>>,
}

pub(super) fn run(
    process: &Process,
    connect: &ConnectArgs,
    command: &AclCommand,
    format: Format,
) -> Result<u8, Failure> {
    let client = || Client::open(process, connect);
    match command {
        AclCommand::Create(args) => {
            let acls = acl_flags::acls_to_create(args)?;
            let client = client()?.with_reason(args.reason.reason.clone());
            create(process, &client, acls, args.dry_run, format)
        }
        AclCommand::List(args) => {
            let filters = acl_flags::filters(&args.filter)?;
            list(process, &client()?, args, &filters, format)
        }
        AclCommand::Delete(args) => {
            let filters = acl_flags::narrow(&args.filter)?;
            let client = client()?.with_reason(args.reason.reason.clone());
            delete(process, &client, args, &filters, format)
        }
    }
}

/// Creates the ACLs; a refused one does not stop the others.
fn create(
    process: &Process,
    client: &Client,
    new_acls: BTreeSet<Acl>,
    dry_run: bool,
    format: Format,
) -> Result<u8, Failure> {
    if dry_run {
        return dry_run_of_create(process, client, new_acls, format);
    }
    platform::require(client, &needs_of_creation(&new_acls))?;
    let (mut done, mut fatal, roles) = (Vec::new(), None, client.roles());
    let mut progress = Progress::new(process, new_acls.len(), "ACL");
    for acl in &new_acls {
        let created: Result<IgnoredAny, _> =
            client.change(Method::POST, paths::ACLS, &AclBody::in_request(acl));
        progress.step();
        match created {
            Ok(_) => done.push(AclRow::with_message(acl, roles, String::new())),
            Err(error @ CallError::Refused(_)) => {
                done.push(AclRow::with_message(acl, roles, error.to_string()));
            }
            // This error would also affect all other calls.
            Err(error) => {
                fatal = Some(error);
                break;
            }
        }
    }
    show(process, &done, format)?;
    match fatal {
        Some(error) => Err(error.into()),
        None => Ok(outcome(&done)),
    }
}

/// Whether an ACL is the Schema Registry's.
fn is_of_registry(resource_type: ResourceType) -> bool {
    subsystem(resource_type) == SubsystemArg::Registry
}

/// What creating these ACLs needs of a cluster.
fn needs_of_creation(acls: &BTreeSet<Acl>) -> Vec<TargetNeed> {
    let (mut of_groups, mut of_roles, mut of_registry) = (false, false, false);
    for acl in acls {
        of_groups |= acl.principal.kind() == PrincipalType::Group;
        of_roles |= acl.principal.kind() == PrincipalType::Role;
        of_registry |= is_of_registry(acl.resource_type);
    }
    let mut needs = vec![TargetNeed::DataPlane];
    if of_groups {
        needs.push(TargetNeed::Groups);
    }
    if of_registry {
        needs.push(TargetNeed::RegistryAcls);
    }
    if of_registry || of_groups || of_roles {
        needs.push(TargetNeed::License);
    }
    needs
}

/// What deleting ACLs needs of a cluster.
fn needs_of_deletion(of_registry: bool) -> &'static [TargetNeed] {
    const OF_REGISTRY: [TargetNeed; 3] = [
        TargetNeed::DataPlane,
        TargetNeed::RegistryAcls,
        TargetNeed::License,
    ];
    if of_registry {
        &OF_REGISTRY
    } else {
        &[TargetNeed::DataPlane]
    }
}

/// Shows the results, if there are any.
pub(super) fn show(process: &Process, done: &[AclRow], format: Format) -> Result<(), Failure> {
    match format {
        _ if done.is_empty() => Ok(()),
        Format::Json | Format::Yaml => output::value(process, format, &done),
        Format::Text => output::text(process, &table(process, done)),
    }
}

pub(super) fn outcome(rows: &[AclRow]) -> u8 {
    output::exit_code(!rows.iter().any(AclRow::has_failed))
}

/// How creating the ACLs would change effective access.
fn dry_run_of_create(
    process: &Process,
    client: &Client,
    new_acls: BTreeSet<Acl>,
    format: Format,
) -> Result<u8, Failure> {
    let (done, changes) = checked(new_acls, client.roles());
    let (before, after) = validated(process, client, changes)?;
    show_creations(process, done, &diff(&before, &after), format)
}

/// New ACLs with what is wrong with each, and the changes that create the others.
pub(super) fn checked(new_acls: BTreeSet<Acl>, roles: RoleSpelling) -> (Vec<AclRow>, Vec<Change>) {
    let (mut done, mut changes) = (Vec::new(), Vec::new());
    for acl in new_acls {
        let mut faults = Vec::new();
        for fault in acl.check_create() {
            faults.push(format!("{fault}; {}", fault.hint()));
        }
        let message = faults.join("; ");
        done.push(AclRow::with_message(&acl, roles, message));
        if faults.is_empty() {
            changes.push(Change::AddAcl(acl));
        }
    }
    (done, changes)
}

/// Shows ACLs that would be created, and the effect of that.
pub(super) fn show_creations(
    process: &Process,
    done: Vec<AclRow>,
    difference: &Diff,
    format: Format,
) -> Result<u8, Failure> {
    let exit = outcome(&done);
    match format {
        Format::Json | Format::Yaml => {
            let result = AclCreations {
                creations: done,
                difference: DiffJson::from(difference),
            };
            output::value(process, format, &result)?;
        }
        Format::Text => {
            let acls = table(process, &done);
            let effect = gains_and_losses::render(process, difference);
            let text = format!("{acls}\n{} {effect}", words::NOTHING_CREATED);
            output::text(process, &text)?;
        }
    }
    Ok(exit)
}

/// The service's policy before and after changes that the service validated.
fn validated(
    process: &Process,
    client: &Client,
    changes: Vec<Change>,
) -> Result<(Policy, Policy), Failure> {
    let (before, tag) = client
        .policy()
        .map_err(|error| platform::explained(process, client, error))?;
    let mut after = before.clone();
    let has_changes = !changes.is_empty();
    for change in changes {
        after
            .apply(change)
            .map_err(|error| Failure::new(error.code(), error.to_string()))?;
    }
    // Without changes, the real run makes no call either.
    if has_changes {
        client.validate_policy(&after, &tag)?;
    }
    Ok((before, after))
}

/// Every ACL that matches one of the filters, sorted.
pub(super) fn matching(client: &Client, filters: &[AclFilter]) -> Result<BTreeSet<Acl>, Failure> {
    let mut matching_acls = BTreeSet::new();
    for filter in filters {
        let listed: ListAcls = client.get(&paths::acls(filter))?;
        matching_acls.extend(read(&listed.into_acls())?);
    }
    Ok(matching_acls)
}

/// If no ACL matches a user, says which groups and roles of the same name have matching ACLs.
fn suggest_type(
    process: &Process,
    client: &Client,
    filters: &[AclFilter],
    found: &BTreeSet<Acl>,
) -> Result<(), Failure> {
    if !found.is_empty() {
        return Ok(());
    }
    let mut named = BTreeSet::new();
    for filter in filters {
        let Some(user) = &filter.principal else {
            continue;
        };
        if user.kind() != PrincipalType::User {
            continue;
        }
        for other in [Principal::group(user.name()), Principal::role(user.name())] {
            let other = AclFilter {
                principal: Some(other),
                ..filter.clone()
            };
            for acl in matching(client, &[other])? {
                named.insert(acl.principal);
            }
        }
    }
    for principal in named {
        let (name, principal) = (plain(principal.name()), plain(&principal.to_string()));
        output::note(
            process,
            &words::name_without_type(&name, &principal.to_string()),
        );
    }
    Ok(())
}

fn read(bodies: &[AclBody]) -> Result<Vec<Acl>, CallError> {
    let mut acls = Vec::new();
    for body in bodies {
        match body.to_acl() {
            Ok(acl) => acls.push(acl),
            Err(_) => return Err(CallError::NotJson(paths::ACLS.into())),
        }
    }
    Ok(acls)
}

fn list(
    process: &Process,
    client: &Client,
    args: &ListAclsArgs,
    filters: &[AclFilter],
    format: Format,
) -> Result<u8, Failure> {
    let matching_acls = matching(client, filters)?;
    suggest_type(process, client, filters, &matching_acls)?;
    show_list(
        process,
        args,
        filters,
        matching_acls,
        client.roles(),
        format,
    )
}

/// Shows the ACLs that match, with the given prefix of roles.
pub(super) fn show_list(
    process: &Process,
    args: &ListAclsArgs,
    filters: &[AclFilter],
    mut matching_acls: BTreeSet<Acl>,
    roles: RoleSpelling,
    format: Format,
) -> Result<u8, Failure> {
    matching_acls.retain(|acl| {
        args.subsystem.is_empty() || args.subsystem.contains(&subsystem(acl.resource_type))
    });
    let (filters, matching_acls) = (filter_rows(filters, roles), rows(&matching_acls, roles));
    match format {
        Format::Json | Format::Yaml => {
            let result = AclMatches {
                filters: &filters,
                matches: &matching_acls,
            };
            output::value(process, format, &result)?;
        }
        Format::Text if args.filter.print_filters => {
            let text = sections(process, &filters, "MATCHES", &matching_acls);
            output::text(process, &text)?;
        }
        Format::Text => output::text(process, &table(process, &matching_acls))?,
    }
    Ok(output::SUCCESS)
}

pub(super) fn filter_rows(filters: &[AclFilter], roles: RoleSpelling) -> Vec<AclRow> {
    let mut rows = Vec::new();
    for filter in filters {
        rows.push(AclRow::from_filter(filter, roles));
    }
    rows
}

fn sections(process: &Process, filters: &[AclRow], name: &str, rows: &[AclRow]) -> String {
    format!(
        "FILTERS\n{}\n{name}\n{}",
        table(process, filters),
        table(process, rows)
    )
}

const fn subsystem(of: ResourceType) -> SubsystemArg {
    match of {
        ResourceType::Topic
        | ResourceType::Group
        | ResourceType::Cluster
        | ResourceType::TransactionalId
        | ResourceType::DelegationToken
        | ResourceType::User => SubsystemArg::Kafka,
        ResourceType::Registry | ResourceType::Subject => SubsystemArg::Registry,
    }
}

/// Lists the matching ACLs, asks for confirmation and deletes them; a dry run shows the change of
/// effective access instead.
fn delete(
    process: &Process,
    client: &Client,
    args: &DeleteAclsArgs,
    filters: &[AclFilter],
    format: Format,
) -> Result<u8, Failure> {
    // A cluster without ACLs of the Schema Registry already refuses to list them.
    let names_registry = filters
        .iter()
        .any(|filter| filter.resource_type.is_some_and(is_of_registry));
    if names_registry && !args.dry_run {
        platform::require(client, needs_of_deletion(true))?;
    }
    let matching_acls = matching(client, filters)?;
    suggest_type(process, client, filters, &matching_acls)?;
    if !names_registry && !args.dry_run && !matching_acls.is_empty() {
        let of_registry = matching_acls
            .iter()
            .any(|acl| is_of_registry(acl.resource_type));
        platform::require(client, needs_of_deletion(of_registry))?;
    }
    let roles = client.roles();
    let (filter_table, matches) = (filter_rows(filters, roles), rows(&matching_acls, roles));
    show_matches(process, args, &filter_table, &matches, format)?;
    let matching = AclMatches {
        filters: &filter_table,
        matches: &matches,
    };
    let mut result = AclDeletions {
        matching,
        difference: None,
        deletions: None,
    };
    let mut fatal = None;
    if args.dry_run {
        let removals = matching_acls.into_iter().map(Change::RemoveAcl).collect();
        let (before, after) = validated(process, client, removals)?;
        let difference = diff(&before, &after);
        result.difference = Some(show_effect(process, &difference, format)?);
    } else if !matching_acls.is_empty() {
        if !args.no_confirm {
            confirm(process, words::CONFIRM_ACLS)?;
        }
        let (deleted, error) = remove(client, filters);
        fatal = error;
        let mut deletions = Vec::new();
        for acl in &deleted {
            deletions.push(AclRow::with_message(acl, roles, String::new()));
        }
        result.deletions = Some(show_deletions(process, deletions, format)?);
    }
    if format != Format::Text {
        output::value(process, format, &result)?;
    }
    match fatal {
        Some(error) => Err(error.into()),
        None => Ok(output::SUCCESS),
    }
}

/// Shows, as text, the ACLs that match the filters of a deletion.
pub(super) fn show_matches(
    process: &Process,
    args: &DeleteAclsArgs,
    filters: &[AclRow],
    matches: &[AclRow],
    format: Format,
) -> Result<(), Failure> {
    if format != Format::Text {
        return Ok(());
    }
    let text = match args.filter.print_filters {
        true => sections(process, filters, "MATCHES", matches),
        false if matches.is_empty() => format!("{}\n", words::NO_MATCHES),
        false => table(process, matches),
    };
    output::text(process, &text)
}

/// Shows, as text, the effect of a deletion that is not made; returns it for the result.
pub(super) fn show_effect(
    process: &Process,
    difference: &Diff,
    format: Format,
) -> Result<DiffJson, Failure> {
    if format == Format::Text {
        let effect = gains_and_losses::render(process, difference);
        output::text(process, &format!("\n{} {effect}", words::NOTHING_DELETED))?;
    }
    Ok(DiffJson::from(difference))
}

/// Shows, as text, what became of the ACLs; returns it for the result.
pub(super) fn show_deletions(
    process: &Process,
    deletions: Vec<AclRow>,
    format: Format,
) -> Result<Vec<AclRow>, Failure> {
    if format == Format::Text {
        let deletions = table(process, &deletions);
        output::text(process, &format!("\nDELETIONS\n{deletions}"))?;
    }
    Ok(deletions)
}

/// Deletes filter by filter; returns the deleted ACLs, and the error that stopped it.
fn remove(client: &Client, filters: &[AclFilter]) -> (BTreeSet<Acl>, Option<CallError>) {
    let mut deleted = BTreeSet::new();
    for filter in filters {
        let removed = client
            .delete::<DeletedAcls>(&paths::delete_acls(filter))
            .and_then(|deleted| read(&deleted.matching_acls));
        match removed {
            Ok(acls) => deleted.extend(acls),
            Err(error) => return (deleted, Some(error)),
        }
    }
    (deleted, None)
}
