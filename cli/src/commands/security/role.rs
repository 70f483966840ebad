//! `gbac security role`: roles, their members and their ACLs.

use std::fmt::Write;

use gbac_api::acls::AclFilter;
use gbac_api::paging::Page;
use gbac_api::paths;
use gbac_api::roles::{
    CreatedRole, GetRole, ListRoles, Member, RoleName, RoleQuery, UpdateRole, UpdatedRole,
};
use gbac_api::target::TargetNeed;
use gbac_engine::model::{Principal, PrincipalType};
use gbac_formats::quote::shell;
use gbac_words::commands::security as words;
use gbac_words::phrases::thousands;
use reqwest::Method;

use super::acl::matching;
use super::rows::{rows, table};
use crate::args::Format;
use crate::args::online::{ConnectArgs, MembersArgs, RoleCommand};
use crate::client::{CallError, Client};
use crate::commands::target;
use crate::confirm::confirm;
use crate::lists;
use crate::output::{self, Failure, plain};
use crate::process::Process;
use crate::results::{AclRow, RoleDetails, RoleMemberRow, RoleNames};
use crate::suggest;
use crate::table;

pub(super) fn run(
    process: &Process,
    connect: &ConnectArgs,
    command: &RoleCommand,
    format: Format,
) -> Result<u8, Failure> {
    let client = || Client::open(process, connect);
    match command {
        RoleCommand::Create { role } => create(process, &client()?, role, format)?,
        RoleCommand::Assign(args) => {
            let add = members(args)?;
            let update = UpdateRole {
                add,
                ..UpdateRole::default()
            };
            change(process, &client()?, &args.role, &update, format)?;
        }
        RoleCommand::Unassign(args) => {
            let remove = members(args)?;
            let update = UpdateRole {
                remove,
                ..UpdateRole::default()
            };
            change(process, &client()?, &args.role, &update, format)?;
        }
        RoleCommand::Describe {
            role,
            print_members,
            print_permissions,
            print_all,
        } => {
            let all = *print_all || print_members == print_permissions;
            let details = DescribedRole::read(&client()?, role)?;
            details.show(
                process,
                all || *print_permissions,
                all || *print_members,
                format,
            )?;
        }
        RoleCommand::List { prefix, principal } => {
            let principal = principal
                .as_deref()
                .map(|text| lists::principal("--principal", text))
                .transpose()?;
            let name_prefix = prefix.clone().unwrap_or_default();
            let query = RoleQuery {
                name_prefix,
                principal,
                page: Page::all(),
                ..RoleQuery::default()
            };
            list(process, &client()?, &query, format)?;
        }
        RoleCommand::Delete {
            role,
            keep_acls,
            no_confirm,
        } => {
            delete(process, &client()?, role, *keep_acls, *no_confirm, format)?;
        }
    }
    Ok(output::SUCCESS)
}

fn create(process: &Process, client: &Client, role: &str, format: Format) -> Result<(), Failure> {
    target::require(client, &[TargetNeed::DataPlane, TargetNeed::License])?;
    let created: CreatedRole =
        client.change(Method::POST, paths::ROLES, &RoleName { name: role.into() })?;
    let name = created.role.name;
    match format {
        Format::Json | Format::Yaml => {
            output::value(process, format, &RoleNames { roles: &[name] })
        }
        Format::Text => output::text(
            process,
            &format!(
                "Successfully created role {}\n\nAdd ACLs with `gbac security acl create --allow-role {} ...` and members with \
             `gbac security role assign {} --principal ...`.\n",
                quoted(&name),
                shell(&name),
                shell(&name),
            ),
        ),
    }
}

/// The error about a role; if the role does not exist, with the nearest one that does.
fn with_nearest_role(client: &Client, role: &str, error: &CallError) -> Failure {
    let is_unknown = matches!(error, CallError::Refused(refusal) if refusal.status == 404);
    let query = RoleQuery {
        page: Page::all(),
        ..RoleQuery::default()
    };
    // Without the list, the error is complete, too.
    let listed = is_unknown
        .then(|| client.get::<ListRoles>(&paths::roles(&query)).ok())
        .flatten();
    let names = listed.map(|listed| listed.roles).unwrap_or_default();
    let near = suggest::hint(role, names.iter().map(|known| known.name.as_str()));
    Failure::new(error.code(), format!("{error}{}", plain(&near)))
}

/// A quoted name, like in the platform's command line.
fn quoted(name: &str) -> String {
    format!("\"{}\"", plain(name))
}

fn members(args: &MembersArgs) -> Result<Vec<Member>, Failure> {
    Ok(lists::principals("--principal", &args.principal)?
        .iter()
        .map(Member::from)
        .collect())
}

fn change(
    process: &Process,
    client: &Client,
    role: &str,
    update: &UpdateRole,
    format: Format,
) -> Result<(), Failure> {
    let mut needs = vec![TargetNeed::DataPlane, TargetNeed::License];
    let named = principals(&[update.add.as_slice(), &update.remove].concat())?;
    if named
        .iter()
        .any(|member| member.kind() == PrincipalType::Group)
    {
        needs.push(TargetNeed::GroupMembers);
    }
    target::require(client, &needs)?;
    let done: UpdatedRole = client
        .change(Method::PUT, &paths::role(role), update)
        .map_err(|error| with_nearest_role(client, role, &error))?;
    let adds = update.remove.is_empty();
    let changed = principals(if adds { &done.added } else { &done.removed })?;
    let summary = words::members_changed(&quoted(role), adds, !changed.is_empty());
    match format {
        Format::Json | Format::Yaml => output::value(process, format, &member_rows(&changed)),
        Format::Text if changed.is_empty() => output::text(process, &format!("{summary}\n")),
        Format::Text => {
            let table = table::table(process, &["NAME", "PRINCIPAL-TYPE"], cells(&changed));
            output::text(process, &format!("{summary}\n{table}"))
        }
    }
}

fn principals(members: &[Member]) -> Result<Vec<Principal>, CallError> {
    let read = |member: &Member| Principal::parse(&member.principal);
    members
        .iter()
        .map(read)
        .collect::<Result<_, _>>()
        .map_err(|_| CallError::NotJson(paths::ROLES.into()))
}

fn member_rows(members: &[Principal]) -> Vec<RoleMemberRow<'_>> {
    members
        .iter()
        .map(|one| RoleMemberRow {
            name: one.name(),
            principal_type: one.kind().prefix(),
        })
        .collect()
}

/// Members with their type as prefix (specification 4.4).
fn cells(members: &[Principal]) -> Vec<Vec<String>> {
    members
        .iter()
        .map(|member| vec![member.to_string(), member.kind().prefix().into()])
        .collect()
}

/// The members and ACLs of a role.
struct DescribedRole {
    members: Vec<Principal>,
    permissions: Vec<AclRow>,
}

impl DescribedRole {
    fn read(client: &Client, role: &str) -> Result<Self, Failure> {
        let response: GetRole = client
            .get(&paths::role(role))
            .map_err(|error| with_nearest_role(client, role, &error))?;
        let filter = AclFilter {
            principal: Some(Principal::role(role)),
            ..AclFilter::default()
        };
        let permissions = rows(&matching(client, &[filter])?, client.roles());
        Ok(Self {
            members: principals(&response.members)?,
            permissions,
        })
    }

    fn show(
        &self,
        process: &Process,
        permissions: bool,
        members: bool,
        format: Format,
    ) -> Result<(), Failure> {
        if format != Format::Text {
            let details = RoleDetails {
                permissions: permissions.then_some(self.permissions.as_slice()),
                members: members.then(|| member_rows(&self.members)),
            };
            return output::value(process, format, &details);
        }
        let mut text = String::new();
        if permissions {
            let _ = write!(text, "PERMISSIONS\n{}", table(process, &self.permissions));
        }
        if members {
            let gap = if permissions { "\n" } else { "" };
            let names = table::table(process, &["NAME", "TYPE"], cells(&self.members));
            let _ = write!(
                text,
                "{gap}PRINCIPALS ({})\n{names}",
                thousands(self.members.len())
            );
        }
        output::text(process, &text)
    }
}

/// Prints the names in descending order, like the platform.
fn list(
    process: &Process,
    client: &Client,
    query: &RoleQuery,
    format: Format,
) -> Result<(), Failure> {
    let listed: ListRoles = client.get(&paths::roles(query))?;
    let mut names: Vec<String> = listed.roles.into_iter().map(|role| role.name).collect();
    names.sort_unstable_by(|a, b| b.cmp(a));
    match format {
        Format::Json | Format::Yaml => output::value(process, format, &RoleNames { roles: &names }),
        Format::Text => output::text(
            process,
            &table::table(
                process,
                &["NAME"],
                names.into_iter().map(|name| vec![name]).collect::<Vec<_>>(),
            ),
        ),
    }
}

fn delete(
    process: &Process,
    client: &Client,
    role: &str,
    keep_acls: bool,
    no_confirm: bool,
    format: Format,
) -> Result<(), Failure> {
    target::require(client, &[TargetNeed::DataPlane])?;
    let details = DescribedRole::read(client, role)?;
    if format == Format::Text {
        details.show(process, true, true, format)?;
        output::text(process, "\n")?;
    }
    if !no_confirm {
        confirm(process, &words::confirm_role(&quoted(role), keep_acls))?;
    }
    client.remove(&paths::delete_role(role, !keep_acls))?;
    match format {
        Format::Json | Format::Yaml => output::value(
            process,
            format,
            &RoleNames {
                roles: &[role.to_owned()],
            },
        ),
        Format::Text => output::text(
            process,
            &format!("{}\n", words::role_deleted(&quoted(role))),
        ),
    }
}
