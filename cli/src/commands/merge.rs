//! `gbac import --merge`: what a service lacks of a policy, added call by call; what is there already is left out, so that an
//! interrupted run is taken up again.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::process::ExitCode;

use gbac_api::acls::{AclBody, ListAcls};
use gbac_api::paths;
use gbac_api::roles::{GetRole, Member, UpdateRole};
use gbac_engine::model::{Acl, Permission, Principal, check_member};
use gbac_engine::policy::{Change, Policy, apply_each};
use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::args::Format;
use crate::client::{Call, CallError, Client};
use crate::output::{self, Failure, counted, plain};
use crate::progress::Progress;

/// How many members one call takes.
const MEMBERS: usize = 500;

pub(super) fn run(client: &Client, policy: &Policy, dry: bool, format: Format) -> Result<ExitCode, Failure> {
    let (held, roles) = (held_acls(client)?, roles(client, policy)?);
    let missing: Vec<Acl> = policy.acls().filter(|acl| !held.contains(acl)).collect();
    let there = policy.acl_count() - missing.len();
    // Denies first, and roles with their members before what they allow.
    let (denies, allows): (Vec<Acl>, Vec<Acl>) =
        missing.into_iter().partition(|acl| acl.permission == Permission::Deny);
    let mut work = Work { refused: Vec::new(), broken: None, done: 0 };
    let total = denies.len() + allows.len() + roles.len();
    if dry {
        work.refused = rehearse(client, denies.iter().chain(&allows), &roles)?;
    } else {
        let mut progress = Progress::of(total, "calls");
        for calls in [acl_calls(client, &denies), role_calls(&roles), acl_calls(client, &allows)] {
            work.make(client, calls, &mut progress);
        }
    }
    let (acls, members) = (denies.len() + allows.len(), roles.iter().map(|(_, members)| members.len()).sum::<usize>());
    match format {
        Format::Json | Format::Yaml => {
            let refused: Vec<_> =
                work.refused.iter().map(|(what, why)| json!({ "what": what, "message": why })).collect();
            let value = json!({ "dry": dry, "missing_acls": acls, "missing_members": members, "there_already": there,
                "calls": total, "done": work.done, "refused": refused });
            output::value(format, &value)?;
        }
        Format::Text => {
            let calls = if dry {
                "Nothing was changed.".to_owned()
            } else {
                format!("{} of {total} calls were made.", work.done)
            };
            output::text(&format!(
                "{} and {} were missing, {} were there already. {calls}\n",
                counted(acls, "ACL"),
                counted(members, "member"),
                counted(there, "ACL"),
            ))?;
            for (what, why) in &work.refused {
                output::note(&format!("error: {what}: {why}"));
            }
        }
    }
    match work.broken {
        Some(error) => {
            let failure = Failure::from(error);
            output::note("Run it again to take it up where it stopped.");
            Err(failure)
        }
        None if work.refused.is_empty() => Ok(ExitCode::SUCCESS),
        None => Ok(ExitCode::from(output::ERROR)),
    }
}

/// What the service would refuse: what cannot be created, and everything where the caller may not change it.
fn rehearse<'a>(
    client: &Client,
    acls: impl Iterator<Item = &'a Acl>,
    roles: &[(String, Vec<Principal>)],
) -> Result<Vec<(String, String)>, Failure> {
    let (mut refused, mut changes) = (Vec::new(), Vec::new());
    for acl in acls {
        let faults: Vec<String> = acl.check_create().iter().map(|fault| format!("{fault}; {}", fault.hint())).collect();
        if faults.is_empty() {
            changes.push(Change::AddAcl(acl.clone()));
        } else {
            refused.push((acl_words(&AclBody::spelled(acl, client.roles())), faults.join("; ")));
        }
    }
    for (role, members) in roles {
        let faults = members.iter().filter_map(|member| check_member(member).err());
        let faults: Vec<String> = faults.map(|fault| format!("{fault}; {}", fault.hint())).collect();
        match client.can_ask(&paths::role(role)) {
            Err(error) => refused.push((role_words(role), error.to_string())),
            Ok(()) if !faults.is_empty() => refused.push((role_words(role), faults.join("; "))),
            Ok(()) => {
                changes.push(Change::CreateRole(role.clone()));
                let join = |member: &Principal| Change::AddMember { role: role.clone(), member: member.clone() };
                changes.extend(members.iter().map(join));
            }
        }
    }
    if changes.is_empty() {
        return Ok(refused);
    }
    let (mut after, tag) = match client.policy() {
        Ok(held) => held,
        Err(CallError::Refused(refusal)) if refusal.status == StatusCode::NOT_FOUND.as_u16() => {
            output::note("note: this service has no dry run; your permission to make these changes was not checked");
            return Ok(refused);
        }
        Err(error) => return Err(error.into()),
    };
    // A role that is there is none to create.
    apply_each(&mut after, &changes);
    client.rehearse_policy(&after, &tag)?;
    Ok(refused)
}

fn acl_words(body: &AclBody) -> String {
    let AclBody { principal, operation, resource_type, resource_name, .. } = body;
    format!("{principal} {operation} on {resource_type} `{resource_name}`")
}

fn role_words(role: &str) -> String {
    format!("role `{role}`")
}

/// What the calls came to.
struct Work {
    done: usize,
    refused: Vec<(String, String)>,
    broken: Option<CallError>,
}

impl Work {
    /// Makes calls; one that is refused does not keep the others from being made, anything else would happen to all.
    fn make(&mut self, client: &Client, calls: Vec<(String, Call)>, progress: &mut Progress) {
        if self.broken.is_some() {
            return;
        }
        let (names, calls): (Vec<String>, Vec<Call>) = calls.into_iter().unzip();
        client.make_all(calls, |place, answer| {
            progress.step();
            match answer {
                Ok(()) => self.done += 1,
                Err(error @ (CallError::Refused(_) | CallError::Path(_))) => {
                    let what = names.get(place).cloned().unwrap_or_default();
                    self.refused.push((plain(&what), error.to_string().replace("\n  ", " ")));
                }
                Err(error) => {
                    self.broken = Some(error);
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
    }
}

fn acl_calls(client: &Client, acls: &[Acl]) -> Vec<(String, Call)> {
    let call = |acl: &Acl| {
        let body = AclBody::spelled(acl, client.roles());
        (acl_words(&body), Call { method: Method::POST, path: paths::ACLS.into(), body: json!(body).to_string() })
    };
    acls.iter().map(call).collect()
}

fn role_calls(roles: &[(String, Vec<Principal>)]) -> Vec<(String, Call)> {
    let call = |(role, members): &(String, Vec<Principal>)| {
        let update =
            UpdateRole { create: true, add: members.iter().map(Member::from).collect(), ..UpdateRole::default() };
        (role_words(role), Call { method: Method::PUT, path: paths::role(role), body: json!(update).to_string() })
    };
    roles.iter().map(call).collect()
}

fn held_acls(client: &Client) -> Result<BTreeSet<Acl>, Failure> {
    let listed: ListAcls = client.get(paths::ACLS)?;
    // What cannot be read here is none of ours, and so is not there already.
    Ok(listed.into_acls().iter().filter_map(|body| body.to_acl().ok()).collect())
}

/// The roles that are missing or lack members, each with those that it lacks, as many at a time as one call takes.
fn roles(client: &Client, policy: &Policy) -> Result<Vec<(String, Vec<Principal>)>, Failure> {
    let mut progress = Progress::of(policy.role_count(), "roles looked at");
    let mut lacking = Vec::new();
    for role in policy.roles() {
        let held = match client.get::<GetRole>(&paths::role(&role.name)) {
            Ok(held) => Some(held.members.into_iter().map(|member| member.principal).collect::<BTreeSet<_>>()),
            Err(CallError::Refused(refusal)) if refusal.status == StatusCode::NOT_FOUND.as_u16() => None,
            // A name that no address can hold is told when it is to be made.
            Err(CallError::Path(_)) => None,
            Err(error) => return Err(error.into()),
        };
        progress.step();
        let is_new = held.is_none();
        let held = held.unwrap_or_default();
        let members: Vec<Principal> =
            role.members.into_iter().filter(|member| !held.contains(&member.to_string())).collect();
        if is_new && members.is_empty() {
            lacking.push((role.name.clone(), Vec::new()));
        }
        lacking.extend(members.chunks(MEMBERS).map(|members| (role.name.clone(), members.to_vec())));
    }
    Ok(lacking)
}
