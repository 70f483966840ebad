//! `gbac security acl`: create, list and delete ACLs.

use std::collections::BTreeSet;
use std::process::ExitCode;

use gbac_analysis::diff;
use gbac_api::acls::{AclBody, AclFilter, DeletedAcls, ListAcls};
use gbac_api::paths;
use gbac_api::spelling::RoleSpelling;
use gbac_engine::model::{Acl, ResourceType};
use gbac_engine::policy::{Change, Policy};
use gbac_json::DiffJson;
use reqwest::Method;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::rows::{Row, rows, table};
use crate::args::Format;
use crate::args::online::{DeleteAclsArgs, ListAclsArgs, SubsystemArg};
use crate::client::{CallError, Client};
use crate::commands::differences;
use crate::confirm::confirm;
use crate::output::{self, Failure};
use crate::progress::Progress;

/// Creates each of them; one that is refused does not keep the others from being created.
pub(super) fn create(client: &Client, wanted: BTreeSet<Acl>, dry: bool, format: Format) -> Result<ExitCode, Failure> {
    if dry {
        return rehearse(client, wanted, format);
    }
    let (mut done, mut broken, roles) = (Vec::new(), None, client.roles());
    let mut progress = Progress::of(wanted.len(), "ACLs");
    for acl in &wanted {
        let created: Result<IgnoredAny, _> = client.change(Method::POST, paths::ACLS, &AclBody::spelled(acl, roles));
        progress.step();
        match created {
            Ok(_) => done.push(Row::with(acl, roles, String::new())),
            Err(error @ CallError::Refused(_)) => done.push(Row::with(acl, roles, error.to_string())),
            // The same would happen to all that are left.
            Err(error) => {
                broken = Some(error);
                break;
            }
        }
    }
    show(&done, format)?;
    match broken {
        Some(error) => Err(error.into()),
        None => Ok(outcome(&done)),
    }
}

/// Shows what was made; nothing where nothing was even tried.
fn show(done: &[Row], format: Format) -> Result<(), Failure> {
    match format {
        _ if done.is_empty() => Ok(()),
        Format::Json | Format::Yaml => output::value(format, &json!(done)),
        Format::Text => output::text(&table(done)),
    }
}

fn outcome(rows: &[Row]) -> ExitCode {
    if rows.iter().any(Row::is_faulty) { ExitCode::from(output::ERROR) } else { ExitCode::SUCCESS }
}

/// What creating them would do to people.
fn rehearse(client: &Client, wanted: BTreeSet<Acl>, format: Format) -> Result<ExitCode, Failure> {
    let (mut done, mut changes) = (Vec::new(), Vec::new());
    for acl in wanted {
        let faults: Vec<String> = acl.check_create().iter().map(|fault| format!("{fault}; {}", fault.hint())).collect();
        done.push(Row::with(&acl, client.roles(), faults.join("; ")));
        if faults.is_empty() {
            changes.push(Change::AddAcl(acl));
        }
    }
    let (before, after) = rehearsed(client, changes)?;
    let difference = diff(&before, &after);
    match format {
        Format::Json | Format::Yaml => {
            let value = json!({ "creations": done, "difference": DiffJson::from(&difference) });
            output::value(format, &value)?;
        }
        Format::Text => {
            output::text(&format!("{}\nNothing was created. {}", table(&done), differences::words(&difference)))?;
        }
    }
    Ok(outcome(&done))
}

/// The service's policy, and as it would be; the service has checked that the caller may make it so.
fn rehearsed(client: &Client, changes: Vec<Change>) -> Result<(Policy, Policy), Failure> {
    let (before, tag) = client.policy()?;
    let mut after = before.clone();
    let is_something = !changes.is_empty();
    for change in changes {
        after.apply(change).map_err(|error| Failure::new(error.code(), error.to_string()))?;
    }
    // The real run makes no call either where there is nothing to do.
    if is_something {
        client.rehearse_policy(&after, &tag)?;
    }
    Ok((before, after))
}

/// Every ACL that one of the filters finds, in order.
pub(super) fn matching(client: &Client, filters: &[AclFilter]) -> Result<BTreeSet<Acl>, Failure> {
    let mut found = BTreeSet::new();
    for filter in filters {
        let listed: ListAcls = client.get(&paths::acls_spelled(filter, client.roles()))?;
        found.extend(read(&listed.into_acls())?);
    }
    Ok(found)
}

fn read(bodies: &[AclBody]) -> Result<Vec<Acl>, CallError> {
    bodies.iter().map(|body| body.to_acl().map_err(|_| CallError::NotJson(paths::ACLS.into()))).collect()
}

pub(super) fn list(
    client: &Client,
    args: &ListAclsArgs,
    filters: &[AclFilter],
    format: Format,
) -> Result<ExitCode, Failure> {
    let mut found = matching(client, filters)?;
    found.retain(|acl| args.subsystem.is_empty() || args.subsystem.contains(&subsystem(acl.resource_type)));
    let (asked, found) = (filter_rows(filters, client.roles()), rows(&found, client.roles()));
    match format {
        Format::Json | Format::Yaml => output::value(format, &json!({ "filters": asked, "matches": found }))?,
        Format::Text if args.filter.print_filters => output::text(&sections(&asked, "MATCHES", &found))?,
        Format::Text => output::text(&table(&found))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn filter_rows(filters: &[AclFilter], roles: RoleSpelling) -> Vec<Row> {
    filters.iter().map(|filter| Row::of_filter(filter, roles)).collect()
}

fn sections(filters: &[Row], name: &str, rows: &[Row]) -> String {
    format!("FILTERS\n{}\n{name}\n{}", table(filters), table(rows))
}

const fn subsystem(of: ResourceType) -> SubsystemArg {
    match of {
        ResourceType::Topic | ResourceType::Group | ResourceType::Cluster | ResourceType::TransactionalId => {
            SubsystemArg::Kafka
        }
        ResourceType::Registry | ResourceType::Subject => SubsystemArg::Registry,
    }
}

/// Shows what matches, asks, and deletes it; or shows what deleting it would do to people.
pub(super) fn delete(
    client: &Client,
    args: &DeleteAclsArgs,
    filters: &[AclFilter],
    format: Format,
) -> Result<ExitCode, Failure> {
    let found = matching(client, filters)?;
    let roles = client.roles();
    let (asked, matches) = (filter_rows(filters, roles), rows(&found, roles));
    if format == Format::Text {
        output::text(&match args.filter.print_filters {
            true => sections(&asked, "MATCHES", &matches),
            false if found.is_empty() => "No ACL matches.\n".into(),
            false => table(&matches),
        })?;
    }
    let mut value = json!({ "filters": asked, "matches": matches });
    let mut add = |name: &str, more: Value| {
        if let Value::Object(members) = &mut value {
            members.insert(name.into(), more);
        }
    };
    let mut broken = None;
    if args.dry_run {
        let (before, after) = rehearsed(client, found.into_iter().map(Change::RemoveAcl).collect())?;
        let difference = diff(&before, &after);
        add("difference", json!(DiffJson::from(&difference)));
        if format == Format::Text {
            output::text(&format!("\nNothing was deleted. {}", differences::words(&difference)))?;
        }
    } else if !found.is_empty() {
        if !args.no_confirm {
            confirm("Confirm deletion of the above matching ACLs?")?;
        }
        let (deleted, error) = remove(client, filters);
        broken = error;
        let deletions: Vec<Row> = deleted.iter().map(|acl| Row::with(acl, roles, String::new())).collect();
        add("deletions", json!(deletions));
        if format == Format::Text {
            output::text(&format!("\nDELETIONS\n{}", table(&deletions)))?;
        }
    }
    if format != Format::Text {
        output::value(format, &value)?;
    }
    broken.map_or(Ok(ExitCode::SUCCESS), |error| Err(error.into()))
}

/// Deletes filter by filter; what is gone, and what kept the rest from going.
fn remove(client: &Client, filters: &[AclFilter]) -> (BTreeSet<Acl>, Option<CallError>) {
    let mut deleted = BTreeSet::new();
    for filter in filters {
        let gone = client
            .delete::<DeletedAcls>(&paths::delete_acls_spelled(filter, client.roles()))
            .and_then(|gone| read(&gone.matching_acls));
        match gone {
            Ok(gone) => deleted.extend(gone),
            Err(error) => return (deleted, Some(error)),
        }
    }
    (deleted, None)
}
