//! `gbac security acl`: create, list and delete ACLs.

use std::collections::BTreeSet;

use gbac_analysis::diff;
use gbac_api::acls::{AclBody, AclFilter, DeletedAcls, ListAcls};
use gbac_api::paths;
use gbac_api::target::TargetNeed;
use gbac_engine::model::{Acl, Principal, PrincipalType, ResourceType, RoleSpelling};
use gbac_engine::policy::{Change, Policy};
use gbac_json::DiffJson;
use gbac_words::commands::security as words;
use reqwest::Method;
use serde::de::IgnoredAny;

use super::rows::{rows, table};
use crate::args::Format;
use crate::args::online::{DeleteAclsArgs, ListAclsArgs, SubsystemArg};
use crate::client::{CallError, Client};
use crate::commands::{differences, target};
use crate::confirm::confirm;
use crate::output::{self, Failure, plain};
use crate::process::Process;
use crate::progress::Progress;
use crate::results::{AclCreations, AclDeletions, AclMatches, AclRow};

/// Creates the ACLs; a refused one does not stop the others.
pub(super) fn create(
    process: &Process,
    client: &Client,
    new_acls: BTreeSet<Acl>,
    dry_run: bool,
    format: Format,
) -> Result<u8, Failure> {
    if dry_run {
        return dry_run_of_create(process, client, new_acls, format);
    }
    target::require(client, &needs_of_creation(&new_acls))?;
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
    let has = |kind: PrincipalType| acls.iter().any(|acl| acl.principal.kind() == kind);
    let of_registry = acls.iter().any(|acl| is_of_registry(acl.resource_type));
    let licensed = of_registry || has(PrincipalType::Group) || has(PrincipalType::Role);
    let needs = [
        (true, TargetNeed::DataPlane),
        (has(PrincipalType::Group), TargetNeed::Groups),
        (of_registry, TargetNeed::RegistryAcls),
        (licensed, TargetNeed::License),
    ];
    needs
        .into_iter()
        .filter(|(is_needed, _)| *is_needed)
        .map(|(_, need)| need)
        .collect()
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
fn show(process: &Process, done: &[AclRow], format: Format) -> Result<(), Failure> {
    match format {
        _ if done.is_empty() => Ok(()),
        Format::Json | Format::Yaml => output::value(process, format, &done),
        Format::Text => output::text(process, &table(process, done)),
    }
}

fn outcome(rows: &[AclRow]) -> u8 {
    if rows.iter().any(AclRow::has_failed) {
        output::ERROR
    } else {
        output::SUCCESS
    }
}

/// How creating the ACLs would change effective access.
fn dry_run_of_create(
    process: &Process,
    client: &Client,
    new_acls: BTreeSet<Acl>,
    format: Format,
) -> Result<u8, Failure> {
    let (mut done, mut changes) = (Vec::new(), Vec::new());
    for acl in new_acls {
        let faults: Vec<String> = acl
            .check_create()
            .iter()
            .map(|fault| format!("{fault}; {}", fault.hint()))
            .collect();
        done.push(AclRow::with_message(
            &acl,
            client.roles(),
            faults.join("; "),
        ));
        if faults.is_empty() {
            changes.push(Change::AddAcl(acl));
        }
    }
    let (before, after) = validated(process, client, changes)?;
    let difference = diff(&before, &after);
    match format {
        Format::Json | Format::Yaml => {
            let difference = DiffJson::from(&difference);
            output::value(
                process,
                format,
                &AclCreations {
                    creations: done.clone(),
                    difference,
                },
            )?;
        }
        Format::Text => {
            output::text(
                process,
                &format!(
                    "{}\n{} {}",
                    table(process, &done),
                    words::NOTHING_CREATED,
                    differences::render(process, &difference)
                ),
            )?;
        }
    }
    Ok(outcome(&done))
}

/// The service's policy before and after changes that the service validated.
fn validated(
    process: &Process,
    client: &Client,
    changes: Vec<Change>,
) -> Result<(Policy, Policy), Failure> {
    let (before, tag) = client
        .policy()
        .map_err(|error| target::explained(process, client, error))?;
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
        let Some(user) = filter
            .principal
            .as_ref()
            .filter(|one| one.kind() == PrincipalType::User)
        else {
            continue;
        };
        let others = [Principal::group(user.name()), Principal::role(user.name())];
        let others = others.map(|other| AclFilter {
            principal: Some(other),
            ..filter.clone()
        });
        named.extend(
            matching(client, &others)?
                .into_iter()
                .map(|acl| acl.principal),
        );
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
    bodies
        .iter()
        .map(|body| {
            body.to_acl()
                .map_err(|_| CallError::NotJson(paths::ACLS.into()))
        })
        .collect()
}

pub(super) fn list(
    process: &Process,
    client: &Client,
    args: &ListAclsArgs,
    filters: &[AclFilter],
    format: Format,
) -> Result<u8, Failure> {
    let mut matching_acls = matching(client, filters)?;
    suggest_type(process, client, filters, &matching_acls)?;
    matching_acls.retain(|acl| {
        args.subsystem.is_empty() || args.subsystem.contains(&subsystem(acl.resource_type))
    });
    let (filters, matching_acls) = (
        filter_rows(filters, client.roles()),
        rows(&matching_acls, client.roles()),
    );
    match format {
        Format::Json | Format::Yaml => {
            output::value(
                process,
                format,
                &AclMatches {
                    filters: &filters,
                    matches: &matching_acls,
                },
            )?;
        }
        Format::Text if args.filter.print_filters => {
            output::text(
                process,
                &sections(process, &filters, "MATCHES", &matching_acls),
            )?;
        }
        Format::Text => output::text(process, &table(process, &matching_acls))?,
    }
    Ok(output::SUCCESS)
}

fn filter_rows(filters: &[AclFilter], roles: RoleSpelling) -> Vec<AclRow> {
    filters
        .iter()
        .map(|filter| AclRow::from_filter(filter, roles))
        .collect()
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
pub(super) fn delete(
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
        target::require(client, needs_of_deletion(true))?;
    }
    let matching_acls = matching(client, filters)?;
    suggest_type(process, client, filters, &matching_acls)?;
    if !names_registry && !args.dry_run && !matching_acls.is_empty() {
        let of_registry = matching_acls
            .iter()
            .any(|acl| is_of_registry(acl.resource_type));
        target::require(client, needs_of_deletion(of_registry))?;
    }
    let roles = client.roles();
    let (filter_table, matches) = (filter_rows(filters, roles), rows(&matching_acls, roles));
    if format == Format::Text {
        output::text(
            process,
            &match args.filter.print_filters {
                true => sections(process, &filter_table, "MATCHES", &matches),
                false if matching_acls.is_empty() => "No matching ACLs.\n".into(),
                false => table(process, &matches),
            },
        )?;
    }
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
        let (before, after) = validated(
            process,
            client,
            matching_acls.into_iter().map(Change::RemoveAcl).collect(),
        )?;
        let difference = diff(&before, &after);
        result.difference = Some(DiffJson::from(&difference));
        if format == Format::Text {
            output::text(
                process,
                &format!(
                    "\n{} {}",
                    words::NOTHING_DELETED,
                    differences::render(process, &difference)
                ),
            )?;
        }
    } else if !matching_acls.is_empty() {
        if !args.no_confirm {
            confirm(process, words::CONFIRM_ACLS)?;
        }
        let (deleted, error) = remove(client, filters);
        fatal = error;
        let deletions: Vec<AclRow> = deleted
            .iter()
            .map(|acl| AclRow::with_message(acl, roles, String::new()))
            .collect();
        if format == Format::Text {
            output::text(
                process,
                &format!("\nDELETIONS\n{}", table(process, &deletions)),
            )?;
        }
        result.deletions = Some(deletions);
    }
    if format != Format::Text {
        output::value(process, format, &result)?;
    }
    fatal.map_or(Ok(output::SUCCESS), |error| Err(error.into()))
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
