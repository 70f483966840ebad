//! `gbac security acl` with a Kafka cluster in place of a service.

use std::collections::BTreeSet;

use gbac_analysis::diff;
use gbac_api::acls::AclFilter;
use gbac_engine::model::{Acl, RoleSpelling};
use gbac_engine::policy::{Change, apply_each};
use gbac_words::commands::{cluster as cluster_words, security as words};

use super::acl::{
    AclCommand, AclDeletions, AclMatches, DeleteAclsArgs, checked, filter_rows, outcome, show,
    show_creations, show_deletions, show_effect, show_list, show_matches,
};
use super::acl_flags;
use super::acl_rows::{AclRow, rows};
use crate::client::brokers::{Brokers, Cluster, ClusterPolicy};
use crate::client::cluster_changes::{Outcomes, note_reason, send};
use crate::confirm::confirm;
use crate::output::{self, Failure, Format};
use crate::process::Process;

pub(super) fn run(
    process: &Process,
    brokers: &Brokers,
    command: &AclCommand,
    format: Format,
) -> Result<u8, Failure> {
    match command {
        AclCommand::Create(args) => {
            let acls = acl_flags::acls_to_create(args)?;
            note_reason(process, &args.reason);
            let cluster = Cluster::open(process, brokers)?;
            create(process, cluster, acls, args.dry_run, format)
        }
        AclCommand::List(args) => {
            let filters = acl_flags::filters(&args.filter)?;
            let mut cluster = Cluster::open(process, brokers)?;
            let of_cluster = cluster.policy(process)?;
            of_cluster.warn_of_unknown(process);
            let found = matching(&of_cluster, &filters);
            show_list(process, args, &filters, found, cluster.roles(), format)
        }
        AclCommand::Delete(args) => {
            let filters = acl_flags::narrow(&args.filter)?;
            note_reason(process, &args.reason);
            let cluster = Cluster::open(process, brokers)?;
            delete(process, cluster, args, &filters, format)
        }
    }
}

/// Every ACL that matches one of the filters.
fn matching(of_cluster: &ClusterPolicy, filters: &[AclFilter]) -> BTreeSet<Acl> {
    let mut matching = BTreeSet::new();
    for acl in &of_cluster.stored.known {
        if filters.iter().any(|filter| filter.matches(acl)) {
            matching.insert(acl.clone());
        }
    }
    matching
}

/// What became of each ACL, as rows.
fn rows_of(outcomes: Outcomes, roles: RoleSpelling) -> Vec<AclRow> {
    let mut rows = Vec::new();
    for (change, problem) in outcomes {
        if let Change::AddAcl(acl) | Change::RemoveAcl(acl) = change {
            rows.push(AclRow::with_message(
                &acl,
                roles,
                problem.unwrap_or_default(),
            ));
        }
    }
    rows
}

fn create(
    process: &Process,
    mut cluster: Cluster,
    acls: BTreeSet<Acl>,
    dry_run: bool,
    format: Format,
) -> Result<u8, Failure> {
    let before = cluster.policy(process)?;
    let roles = cluster.roles();
    let (rows, changes) = checked(acls, roles);
    if dry_run {
        output::note(process, cluster_words::PERMISSION_NOT_CHECKED);
        let mut after = before.policy.clone();
        apply_each(&mut after, &changes);
        return show_creations(process, rows, &diff(&before.policy, &after), format);
    }
    let mut done = rows_of(send(process, &mut cluster, &before, &changes)?, roles);
    for row in rows {
        if row.has_failed() {
            done.push(row);
        }
    }
    show(process, &done, format)?;
    Ok(outcome(&done))
}

fn delete(
    process: &Process,
    mut cluster: Cluster,
    args: &DeleteAclsArgs,
    filters: &[AclFilter],
    format: Format,
) -> Result<u8, Failure> {
    let before = cluster.policy(process)?;
    let roles = cluster.roles();
    let found = matching(&before, filters);
    let (filter_table, matches) = (filter_rows(filters, roles), rows(&found, roles));
    show_matches(process, args, &filter_table, &matches, format)?;
    let mut result = AclDeletions {
        matching: AclMatches {
            filters: &filter_table,
            matches: &matches,
        },
        difference: None,
        deletions: None,
    };
    let removals: Vec<Change> = found.into_iter().map(Change::RemoveAcl).collect();
    let mut exit = output::SUCCESS;
    if args.dry_run {
        output::note(process, cluster_words::PERMISSION_NOT_CHECKED);
        let mut after = before.policy.clone();
        apply_each(&mut after, &removals);
        let difference = diff(&before.policy, &after);
        result.difference = Some(show_effect(process, &difference, format)?);
    } else if !removals.is_empty() {
        if !args.no_confirm {
            confirm(process, words::CONFIRM_ACLS)?;
        }
        let deletions = rows_of(send(process, &mut cluster, &before, &removals)?, roles);
        exit = outcome(&deletions);
        result.deletions = Some(show_deletions(process, deletions, format)?);
    }
    if format != Format::Text {
        output::value(process, format, &result)?;
    }
    Ok(exit)
}
