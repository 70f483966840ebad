//! `gbac import --merge`: adds the missing roles and ACLs of a service, call by call. An
//! interrupted run can be repeated.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use gbac_api::acls::{AclBody, ListAcls};
use gbac_api::paths;
use gbac_api::roles::{GetRole, Member, UpdateRole};
use gbac_engine::model::{Acl, Permission, Principal, check_member};
use gbac_engine::policy::{Change, Policy, apply_each};
use gbac_words::commands::policy;
use gbac_words::common::NOTHING_CHANGED;
use reqwest::{Method, StatusCode};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::client::{AT_ONCE, Call, CallError, Client, platform};
use crate::output::{self, Failure, Format, plain};
use crate::process::Process;
use crate::progress::Progress;

/// What a merge adds to the policy of a service.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct MergedPolicy<'a> {
    /// Whether nothing was changed, because of `--dry-run`.
    dry: bool,
    /// The number of ACLs that the service does not have.
    missing_acls: usize,
    /// The number of members that roles of the service do not have.
    missing_members: usize,
    /// The number of ACLs that the service already has.
    there_already: usize,
    /// The number of calls that are needed.
    calls: usize,
    /// The number of calls that succeeded.
    done: usize,
    /// The calls that were refused, or would be.
    refused: Vec<RefusedCall<'a>>,
}

/// A call that was refused, or would be.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct RefusedCall<'a> {
    /// The ACL or the role.
    what: &'a str,
    /// The error.
    message: &'a str,
}

/// Maximum number of members in one call.
const MEMBERS_PER_CALL: usize = 500;

pub(super) fn run(
    process: &Process,
    client: &Client,
    policy: &Policy,
    dry_run: bool,
    format: Format,
) -> Result<u8, Failure> {
    platform::before_changes(process, client)?;
    let (held, roles) = (held_acls(client)?, roles(process, client, policy)?);
    let missing: Vec<Acl> = policy.acls().filter(|acl| !held.contains(acl)).collect();
    let present = policy.acl_count() - missing.len();
    // Denies first, and roles with their members before the ACLs that allow.
    let (denies, allows): (Vec<Acl>, Vec<Acl>) = missing
        .into_iter()
        .partition(|acl| acl.permission == Permission::Deny);
    let mut execution = Execution {
        refused: Vec::new(),
        fatal: None,
        done: 0,
    };
    let total = denies.len() + allows.len() + roles.len();
    if dry_run {
        execution.refused = dry_run_of(process, client, denies.iter().chain(&allows), &roles)?;
    } else {
        client.catch_interrupts();
        let mut progress = Progress::new(process, total, "call");
        for calls in [acl_calls(&denies), role_calls(&roles), acl_calls(&allows)] {
            execution.make(client, calls, &mut progress);
        }
    }
    let acls = denies.len() + allows.len();
    let members = roles.iter().map(|(_, members)| members.len()).sum();
    match format {
        Format::Json | Format::Yaml => {
            let mut refused = Vec::new();
            for (what, message) in &execution.refused {
                refused.push(RefusedCall { what, message });
            }
            let result = MergedPolicy {
                dry: dry_run,
                missing_acls: acls,
                missing_members: members,
                there_already: present,
                calls: total,
                done: execution.done,
                refused,
            };
            output::value(process, format, &result)?;
        }
        Format::Text => {
            let calls = if dry_run {
                NOTHING_CHANGED.to_owned()
            } else {
                policy::calls_succeeded(execution.done, total) + "."
            };
            let missing = policy::missing(acls, members, present);
            output::text(process, &format!("{missing} {calls}\n"))?;
            for (what, why) in &execution.refused {
                output::problem(process, &format!("error: {what}: {why}"));
            }
        }
    }
    match execution.fatal {
        Some(CallError::Interrupted) => Err(Failure::new(
            "interrupted",
            policy::calls_interrupted(
                execution.done,
                total,
                AT_ONCE.min(total - execution.done - execution.refused.len()),
            ),
        )),
        Some(error) => {
            let failure = Failure::from(error);
            output::problem(process, policy::RUN_AGAIN);
            Err(failure)
        }
        None if execution.refused.is_empty() => Ok(output::SUCCESS),
        None => Ok(output::ERROR),
    }
}

/// The errors that the service would report: for entries that cannot be created, and for everything
/// if the caller lacks permission.
fn dry_run_of<'a>(
    process: &Process,
    client: &Client,
    acls: impl Iterator<Item = &'a Acl>,
    roles: &[(String, Vec<Principal>)],
) -> Result<Vec<(String, String)>, Failure> {
    let (mut refused, mut changes) = (Vec::new(), Vec::new());
    for acl in acls {
        let mut faults = Vec::new();
        for fault in acl.check_create() {
            faults.push(format!("{fault}; {}", fault.hint()));
        }
        if faults.is_empty() {
            changes.push(Change::AddAcl(acl.clone()));
        } else {
            refused.push((format!("`{acl}`"), faults.join("; ")));
        }
    }
    for (role, members) in roles {
        let mut faults = Vec::new();
        for member in members {
            if let Err(fault) = check_member(member) {
                faults.push(format!("{fault}; {}", fault.hint()));
            }
        }
        match client.check_path(&paths::role(role)) {
            Err(error) => refused.push((role_label(role), error.to_string())),
            Ok(()) if !faults.is_empty() => refused.push((role_label(role), faults.join("; "))),
            Ok(()) => {
                changes.push(Change::CreateRole(role.clone()));
                for member in members {
                    changes.push(Change::AddMember {
                        role: role.clone(),
                        member: member.clone(),
                    });
                }
            }
        }
    }
    if changes.is_empty() {
        return Ok(refused);
    }
    let (mut after, tag) = match client.policy() {
        Ok(current) => current,
        Err(CallError::Refused(refusal)) if refusal.status == StatusCode::NOT_FOUND.as_u16() => {
            output::note(process, policy::NO_DRY_RUN);
            return Ok(refused);
        }
        Err(error) => return Err(error.into()),
    };
    // Creating a role that exists changes nothing.
    apply_each(&mut after, &changes);
    client.validate_policy(&after, &tag)?;
    Ok(refused)
}

fn role_label(role: &str) -> String {
    format!("role `{role}`")
}

/// The results of the calls.
struct Execution {
    done: usize,
    refused: Vec<(String, String)>,
    fatal: Option<CallError>,
}

impl Execution {
    /// Makes calls. A refused call does not stop the others; any other error would affect all of
    /// them.
    fn make(&mut self, client: &Client, calls: Vec<(String, Call)>, progress: &mut Progress) {
        if self.fatal.is_some() {
            return;
        }
        let (names, calls): (Vec<String>, Vec<Call>) = calls.into_iter().unzip();
        client.make_all(calls, |place, answer| {
            match answer {
                Ok(()) => {
                    progress.step();
                    self.done += 1;
                }
                Err(error @ (CallError::Refused(_) | CallError::Path(_))) => {
                    progress.step();
                    let what = names.get(place).cloned().unwrap_or_default();
                    self.refused
                        .push((plain(&what), error.to_string().replace("\n  ", " ")));
                }
                Err(error) => {
                    self.fatal = Some(error);
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
    }
}

fn acl_calls(acls: &[Acl]) -> Vec<(String, Call)> {
    let mut calls = Vec::new();
    for acl in acls {
        let call = Call {
            method: Method::POST,
            path: paths::ACLS.into(),
            body: json!(AclBody::in_request(acl)).to_string(),
        };
        calls.push((format!("`{acl}`"), call));
    }
    calls
}

fn role_calls(roles: &[(String, Vec<Principal>)]) -> Vec<(String, Call)> {
    let mut calls = Vec::new();
    for (role, members) in roles {
        let update = UpdateRole {
            create: true,
            add: members.iter().map(Member::from).collect(),
            ..UpdateRole::default()
        };
        let call = Call {
            method: Method::PUT,
            path: paths::role(role),
            body: json!(update).to_string(),
        };
        calls.push((role_label(role), call));
    }
    calls
}

fn held_acls(client: &Client) -> Result<BTreeSet<Acl>, Failure> {
    let listed: ListAcls = client.get(paths::ACLS)?;
    let mut held = BTreeSet::new();
    for body in listed.into_acls() {
        // An ACL that this version cannot read is not part of the policy.
        if let Ok(acl) = body.to_acl() {
            held.insert(acl);
        }
    }
    Ok(held)
}

/// The roles that are missing or lack members, with these members, in batches for one call each.
fn roles(
    process: &Process,
    client: &Client,
    policy: &Policy,
) -> Result<Vec<(String, Vec<Principal>)>, Failure> {
    let mut progress = Progress::new(process, policy.role_count(), "role");
    let mut lacking = Vec::new();
    for role in policy.roles() {
        let mut members: Vec<Principal> = role.members.into_iter().collect();
        let is_new = match client.get::<GetRole>(&paths::role(&role.name)) {
            Ok(held) => {
                let held: BTreeSet<String> =
                    held.members.into_iter().map(|one| one.principal).collect();
                members.retain(|member| !held.contains(&member.to_string()));
                false
            }
            Err(CallError::Refused(refusal))
                if refusal.status == StatusCode::NOT_FOUND.as_u16() =>
            {
                true
            }
            // The call that creates the role reports the invalid name.
            Err(CallError::Path(_)) => true,
            Err(error) => return Err(error.into()),
        };
        progress.step();
        if is_new && members.is_empty() {
            lacking.push((role.name.clone(), Vec::new()));
        }
        for members in members.chunks(MEMBERS_PER_CALL) {
            lacking.push((role.name.clone(), members.to_vec()));
        }
    }
    Ok(lacking)
}
