//! `gbac security role`: roles, their members and their ACLs.

use std::fmt::Write;

use clap::{Args, Subcommand};
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
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::acl::matching;
use super::acl_rows::{AclRow, rows, table};
use crate::client::connection::{ConnectArgs, ReasonArgs};
use crate::client::{CallError, Client, platform};
use crate::confirm::confirm;
use crate::input;
use crate::output::{self, Failure, Format, plain};
use crate::process::Process;
use crate::render::table;
use crate::suggest;

#[derive(Debug, Subcommand)]
pub(crate) enum RoleCommand {
    /// Create a role without members.
    Create {
        /// Role name.
        #[arg(value_name = "ROLE")]
        role: String,
        #[command(flatten)]
        reason: ReasonArgs,
    },
    /// Add users and groups to a role.
    #[command(visible_alias = "add")]
    Assign(MembersArgs),
    /// Remove users and groups from a role.
    #[command(visible_alias = "remove")]
    Unassign(MembersArgs),
    /// Show the ACLs and members of a role; both unless a flag selects one.
    #[command(visible_alias = "info")]
    Describe {
        /// Role name.
        #[arg(value_name = "ROLE")]
        role: String,
        /// Show the members.
        #[arg(short = 'm', long)]
        print_members: bool,
        /// Show the ACLs.
        #[arg(short = 'p', long)]
        print_permissions: bool,
        /// Show both.
        #[arg(short = 'a', long)]
        print_all: bool,
    },
    /// List roles.
    #[command(visible_alias = "ls")]
    List {
        /// List only roles whose name starts with this text.
        #[arg(long, value_name = "TEXT")]
        prefix: Option<String>,
        /// List only roles with this member: User:NAME or Group:NAME; without a type, a user.
        #[arg(long, value_name = "PRINCIPAL")]
        principal: Option<String>,
    },
    /// Delete a role and its ACLs, after showing them and asking for confirmation.
    Delete {
        /// Role name.
        #[arg(value_name = "ROLE")]
        role: String,
        /// Keep the role's ACLs. They take effect again if a role with this name is created.
        #[arg(long)]
        keep_acls: bool,
        /// Do not ask for confirmation.
        #[arg(long)]
        no_confirm: bool,
        #[command(flatten)]
        reason: ReasonArgs,
    },
}

#[derive(Debug, Args)]
pub(crate) struct MembersArgs {
    /// Role name.
    #[arg(value_name = "ROLE")]
    role: String,
    /// Members, comma-separated: User:NAME or Group:NAME; without a type, a user. Quote an entry
    /// that contains a comma: '"User:CN=a,OU=b"'.
    #[arg(long, value_name = "PRINCIPALS", required = true)]
    principal: Vec<String>,
    #[command(flatten)]
    reason: ReasonArgs,
}

/// The names of roles.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct RoleNames<'a> {
    /// The bare names.
    roles: &'a [String],
}

/// A member of a role.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Clone, Serialize)]
pub(crate) struct RoleMemberRow<'a> {
    /// Its bare name.
    name: &'a str,
    /// `User` or `Group`.
    principal_type: &'a str,
}

/// The ACLs and the members of a role.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct RoleDetails<'a> {
    /// The ACLs of the role; absent with `--print-members` alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    permissions: Option<&'a [AclRow]>,
    /// Its members; absent with `--print-permissions` alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    members: Option<Vec<RoleMemberRow<'a>>>,
}

pub(super) fn run(
    process: &Process,
    connect: &ConnectArgs,
    command: &RoleCommand,
    format: Format,
) -> Result<u8, Failure> {
    let client = || Client::open(process, connect);
    match command {
        RoleCommand::Create { role, reason } => {
            let client = client()?.with_reason(reason.reason.clone());
            create(process, &client, role, format)?;
        }
        RoleCommand::Assign(args) => {
            let add = members(args)?;
            let update = UpdateRole {
                add,
                ..UpdateRole::default()
            };
            let client = client()?.with_reason(args.reason.reason.clone());
            change(process, &client, &args.role, &update, format)?;
        }
        RoleCommand::Unassign(args) => {
            let remove = members(args)?;
            let update = UpdateRole {
                remove,
                ..UpdateRole::default()
            };
            let client = client()?.with_reason(args.reason.reason.clone());
            change(process, &client, &args.role, &update, format)?;
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
            let principal = match principal {
                Some(text) => Some(input::principal("--principal", text)?),
                None => None,
            };
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
            reason,
        } => {
            let client = client()?.with_reason(reason.reason.clone());
            delete(process, &client, role, *keep_acls, *no_confirm, format)?;
        }
    }
    Ok(output::SUCCESS)
}

fn create(process: &Process, client: &Client, role: &str, format: Format) -> Result<(), Failure> {
    platform::require(client, &[TargetNeed::DataPlane, TargetNeed::License])?;
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
    let mut near = String::new();
    if let CallError::Refused(refusal) = error
        && refusal.status == 404
    {
        let query = RoleQuery {
            page: Page::all(),
            ..RoleQuery::default()
        };
        // Without the list, the error is complete, too.
        if let Ok(listed) = client.get::<ListRoles>(&paths::roles(&query)) {
            near = suggest::hint(role, listed.roles.iter().map(|known| known.name.as_str()));
        }
    }
    Failure::new(error.code(), format!("{error}{}", plain(&near)))
}

/// A quoted name, like in the platform's command line.
fn quoted(name: &str) -> String {
    format!("\"{}\"", plain(name))
}

fn members(args: &MembersArgs) -> Result<Vec<Member>, Failure> {
    let principals = input::principals("--principal", &args.principal)?;
    Ok(principals.iter().map(Member::from).collect())
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
    platform::require(client, &needs)?;
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
    let mut principals = Vec::new();
    for member in members {
        match Principal::parse(&member.principal) {
            Ok(principal) => principals.push(principal),
            Err(_) => return Err(CallError::NotJson(paths::ROLES.into())),
        }
    }
    Ok(principals)
}

fn member_rows(members: &[Principal]) -> Vec<RoleMemberRow<'_>> {
    let mut rows = Vec::new();
    for member in members {
        rows.push(RoleMemberRow {
            name: member.name(),
            principal_type: member.kind().prefix(),
        });
    }
    rows
}

/// Members with their type as prefix (specification 4.4).
fn cells(members: &[Principal]) -> Vec<Vec<String>> {
    let mut cells = Vec::new();
    for member in members {
        cells.push(vec![member.to_string(), member.kind().prefix().into()]);
    }
    cells
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
        Format::Text => {
            let rows = names.into_iter().map(|name| vec![name]).collect();
            output::text(process, &table::table(process, &["NAME"], rows))
        }
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
    platform::require(client, &[TargetNeed::DataPlane])?;
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
        Format::Json | Format::Yaml => {
            let roles = &[role.to_owned()];
            output::value(process, format, &RoleNames { roles })
        }
        Format::Text => {
            let deleted = words::role_deleted(&quoted(role));
            output::text(process, &format!("{deleted}\n"))
        }
    }
}
