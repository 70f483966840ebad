//! The calls of both command lines, which differ only in a few flags.

use gbac_engine::model::{
    Acl, CLUSTER_NAME, Host, Operation, PatternType, Principal, PrincipalType, ResourceType,
    RoleSpelling,
};
use serde_json::{Value, json};

use super::{Call, ScriptTarget, curl, properties, words};
use crate::quote::{is_argument, list};
use gbac_api::security::{RoleMember, RoleMembers};

/// The beginning of a script of `gbac`.
pub(super) const HEAD_GBAC: &str = "\
#!/bin/sh
# Calls of gbac. GBAC_URL, GBAC_USER and GBAC_PASSWORD, or GBAC_TOKEN, say where and who. Can be run again.
failed=0
try() { \"$@\" || failed=1; }
";

/// The beginning of a script of the platform's command line.
pub(super) const HEAD_PLATFORM: &str = "\
#!/bin/sh
# Calls of rpk. Its profile says where and who. Can be run again. It ends with 0 over refused rows: read the column ERROR.
failed=0
try() { \"$@\" || failed=1; }
";

/// What a script of the platform's command line needs to assign groups (D-89).
pub(super) const HEAD_GROUPS: &str = r#"# rpk assigns groups to roles with the Admin API v1, which self-managed clusters up to 26.2.1 refuse (code 40001): it knows only
# users. If GBAC_ADMIN_URL is the address of the Admin API, groups are assigned with its v2 instead; GBAC_TOKEN, or GBAC_USER and
# GBAC_PASSWORD, say who asks. Without it, rpk assigns them, which works in the managed cloud.
groups() {
  operation=$1 body=$2
  shift 2
  if [ -z "${GBAC_ADMIN_URL-}" ]; then "$@"; return; fi
  auth | curl -fsS -X POST -H 'Content-Type: application/json' --data-raw "$body" -H @- -o /dev/null \
    "$GBAC_ADMIN_URL/redpanda.core.admin.v2.SecurityService/$operation"
}
"#;

/// The flags of one command, in order.
#[derive(Clone)]
struct Line {
    words: Vec<String>,
    last: Option<String>,
}

impl Line {
    fn new(target: ScriptTarget, command: &str) -> Self {
        let words = std::iter::once(target.program())
            .chain(command.split(' '))
            .map(str::to_owned)
            .collect();
        Self { words, last: None }
    }

    fn flag(mut self, name: &str, value: &str) -> Self {
        // A value that looks like a flag is joined to its flag with `=`.
        if value.starts_with('-') {
            self.words.push(format!("--{name}={value}"));
        } else {
            self.words.extend([format!("--{name}"), value.to_owned()]);
        }
        self
    }

    fn members(self, members: &[&Principal], target: ScriptTarget) -> Self {
        let mut names = Vec::with_capacity(members.len());
        for member in members {
            names.push(principal(member, target));
        }
        self.flag("principal", &list(names.iter().map(String::as_str)))
    }

    fn switch(mut self, name: &str) -> Self {
        self.words.push(format!("--{name}"));
        self
    }

    /// The only positional argument; at the end if it looks like a flag.
    fn name(mut self, name: &str) -> Self {
        if name.starts_with('-') {
            self.last = Some(name.to_owned());
        } else {
            self.words.push(name.to_owned());
        }
        self
    }

    fn write(&self, run: &str) -> String {
        let last = self.last.iter().flat_map(|last| ["--", last.as_str()]);
        format!(
            "{run}{}",
            words(self.words.iter().map(String::as_str).chain(last))
        )
    }
}

/// The commands of a call, or the reason that there are none.
pub(super) fn commands(
    call: &Call<'_>,
    target: ScriptTarget,
    run: &str,
) -> Result<Vec<String>, String> {
    if !names(call).iter().all(|name| is_argument(name)) {
        return Err("a name holds a NUL, which no argument can".into());
    }
    let line = match call {
        Call::CreateAcls(acl, operations) => {
            let line = acls(
                Line::new(target, "security acl create"),
                acl,
                operations,
                target,
            )?;
            if acl.pattern_type == PatternType::Prefixed {
                line.flag("resource-pattern-type", "prefixed")
            } else {
                line
            }
        }
        Call::DeleteAcls(acl, operations) => {
            let line = acls(
                Line::new(target, "security acl delete"),
                acl,
                operations,
                target,
            )?;
            line.flag("resource-pattern-type", acl.pattern_type.spelling().cli)
                .switch("no-confirm")
        }
        Call::CreateRole(name) => {
            let create = Line::new(target, "security role create")
                .name(name)
                .write(run);
            if run.is_empty() {
                return Ok(vec![create]);
            }
            // An existing role is not an error, so that the script can be run again.
            let describe = Line::new(target, "security role describe")
                .name(name)
                .write("");
            return Ok(vec![format!("{describe} >/dev/null 2>&1 || {create}")]);
        }
        Call::Join(role, who) | Call::Leave(role, who) => {
            let (command, operation) = match call {
                Call::Join(..) => ("security role assign", "AddRoleMembers"),
                _ => ("security role unassign", "RemoveRoleMembers"),
            };
            let update = Line::new(target, command).name(role);
            if target != ScriptTarget::Platform {
                return Ok(vec![update.members(who, target).write(run)]);
            }
            let (groups, users): (Vec<&Principal>, Vec<&Principal>) = who
                .iter()
                .partition(|member| member.kind() == PrincipalType::Group);
            let mut commands = Vec::new();
            if !users.is_empty() {
                commands.push(update.clone().members(&users, target).write(run));
            }
            if !groups.is_empty() {
                let members = groups
                    .iter()
                    .map(|group| RoleMember::from(*group))
                    .collect();
                let body = json!(RoleMembers {
                    role_name: (*role).to_owned(),
                    members
                });
                commands.push(if run.is_empty() {
                    curl::security(operation, &body)
                } else {
                    let call = words(["groups", operation, &body.to_string()]);
                    format!("{run}{call} {}", update.members(&groups, target).write(""))
                });
            }
            return Ok(commands);
        }
        Call::DeleteRole(_, false) if target == ScriptTarget::Platform => {
            return Err("rpk also deletes the ACLs of the role; use gbac or curl".into());
        }
        Call::DeleteRole(name, delete_acls) => {
            let line = Line::new(target, "security role delete")
                .name(name)
                .switch("no-confirm");
            if *delete_acls {
                line
            } else {
                line.switch("keep-acls")
            }
        }
        Call::Set(settings) => {
            let properties = properties(settings);
            if properties.is_empty() {
                return Ok(Vec::new());
            }
            let mut line = Line::new(target, "cluster config set");
            for (name, value) in properties {
                let value = if let Value::String(text) = value {
                    text
                } else {
                    value.to_string()
                };
                line.words.push(format!("{name}={value}"));
            }
            line
        }
    };
    Ok(vec![line.write(run)])
}

/// The flags of an ACL.
fn acls(
    line: Line,
    acl: &Acl,
    operations: &[Operation],
    target: ScriptTarget,
) -> Result<Line, String> {
    let side = acl.permission.spelling().cli;
    let mut line = line.flag(
        &format!("{side}-principal"),
        &list([principal(&acl.principal, target).as_str()]),
    );
    // A filter without a host would match any host.
    let is_filter = line.words.iter().any(|word| word == "delete");
    if is_filter || acl.host != Host::Any {
        line = line.flag(&format!("{side}-host"), &acl.host.to_string());
    }
    let operations: Vec<&str> = operations
        .iter()
        .map(|operation| operation.spelling().cli)
        .collect();
    let line = line.flag("operation", &operations.join(","));
    let kind = acl.resource_type.spelling().cli;
    let only = match acl.resource_type {
        ResourceType::Cluster => CLUSTER_NAME,
        ResourceType::Registry => "",
        ResourceType::Topic
        | ResourceType::Group
        | ResourceType::TransactionalId
        | ResourceType::Subject
        | ResourceType::DelegationToken
        | ResourceType::User => {
            return Ok(line.flag(kind, &list([acl.resource_name.as_str()])));
        }
    };
    if acl.resource_name == only && acl.pattern_type == PatternType::Literal {
        Ok(line.switch(kind))
    } else {
        Err(format!(
            "--{kind} has neither a name nor a pattern; use curl"
        ))
    }
}

/// A principal in the target's spelling (D-06).
fn principal(principal: &Principal, target: ScriptTarget) -> String {
    let roles = if target == ScriptTarget::Platform {
        RoleSpelling::IN_REQUESTS
    } else {
        RoleSpelling::Role
    };
    roles.principal(principal)
}

/// Whether a call assigns or unassigns groups.
pub(super) fn has_groups(call: &Call<'_>) -> bool {
    match call {
        Call::Join(_, members) | Call::Leave(_, members) => members
            .iter()
            .any(|member| member.kind() == PrincipalType::Group),
        _ => false,
    }
}

/// Every name in the arguments of a call.
fn names<'a>(call: &Call<'a>) -> Vec<&'a str> {
    match call {
        Call::CreateAcls(acl, _) | Call::DeleteAcls(acl, _) => {
            vec![&acl.resource_name, acl.principal.name()]
        }
        Call::CreateRole(name) | Call::DeleteRole(name, _) => vec![name],
        Call::Join(role, members) | Call::Leave(role, members) => {
            let mut names = vec![*role];
            for member in members {
                names.push(member.name());
            }
            names
        }
        Call::Set(settings) => settings
            .superusers
            .as_slice()
            .iter()
            .map(String::as_str)
            .collect(),
    }
}
