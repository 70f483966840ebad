//! Reads the policy of another cluster through the documented APIs.

use futures_util::stream::{self, StreamExt};
use gbac_api::acls::{AclFilter, ListAcls};
use gbac_api::paging::{MAX_PAGE_SIZE, Page};
use gbac_api::paths;
use gbac_api::roles::{ListMembers, ListRoles, MemberAction, MemberQuery, RoleQuery};
use gbac_api::security::{ListedRoles, SecurityRole, principals};
use gbac_console_model::address;
use gbac_console_model::connection::{ConnectionTarget, UnreadParts, UnreadRole};
use gbac_console_model::failure::Failure;
use gbac_console_model::properties::settings_of;
use gbac_engine::model::Principal;
use gbac_engine::policy::{Change, Policy, Settings};
use gbac_words::pages::backend as words;
use gloo_net::http::Method;

use super::{Call, properties};
use crate::chunk::{ChunkError, chunk_fn};

/// The number of roles that are read at once.
const AT_ONCE: usize = 6;

/// A policy as it was read, and what of it could not be.
pub struct ReadCluster {
    /// The policy.
    pub policy: Policy,
    /// What is missing in it.
    pub unread: UnreadParts,
}

/// A role and its members, or why they could not be read.
type Listed = (String, Result<Vec<Principal>, Failure>);

/// Reads settings, roles and ACLs, as far as the cluster's APIs have them.
///
/// # Errors
/// A whole list could not be read. Single unreadable roles and ACLs are in [`ReadCluster::unread`].
pub async fn read_cluster(target: ConnectionTarget) -> Result<ReadCluster, Failure> {
    match work(target).await {
        Ok(work) => work.await,
        Err(ChunkError) => Err(Failure::NoAnswer(words::CODE_NOT_LOADED.into())),
    }
}

// Most visits are about the service itself.
chunk_fn!(rest, work(target: ConnectionTarget) -> Result<ReadCluster, Failure> { async move { read(&target).await } });

async fn read(target: &ConnectionTarget) -> Result<ReadCluster, Failure> {
    let settings = match &target.admin {
        Some(_) => settings_of(
            &properties(target)
                .await
                .map_err(|failure| failure.in_part("the cluster properties"))?,
        )?,
        None => Settings::default(),
    };
    let roles = match (&target.admin, &target.data_plane) {
        (Some(admin), _) => by_security_service(admin, target).await,
        (None, Some(base)) => by_data_plane(base, target).await,
        (None, None) => Ok(Vec::new()),
    };
    let roles = roles.map_err(|failure| failure.in_part("the roles"))?;
    let mut policy = Policy::new(settings);
    let mut unread = UnreadParts {
        of_roles: roles.len(),
        ..UnreadParts::default()
    };
    for (name, members) in roles {
        let mut make = |change| {
            policy
                .apply(change)
                .map(drop)
                .map_err(|error| Failure::Unreadable(error.to_string()))
        };
        let made = make(Change::CreateRole(name.clone()));
        let read = made.and(members).and_then(|members| {
            members.into_iter().try_for_each(|member| {
                make(Change::AddMember {
                    role: name.clone(),
                    member,
                })
            })
        });
        if let Err(failure) = read {
            unread.roles.push(UnreadRole {
                name,
                reason: failure.to_string(),
            });
        }
    }
    if let Some(base) = &target.data_plane {
        let path = format!("{base}{}", paths::acls(&AclFilter::default()));
        let call = Call::get(path, target);
        let listed = call
            .read::<ListAcls>()
            .await
            .map_err(|failure| failure.in_part("the ACLs"))?;
        for body in listed.into_acls() {
            match body.to_acl() {
                Ok(acl) => drop(policy.apply(Change::AddAcl(acl))),
                Err(_) => unread.acls += 1,
            }
        }
    }
    policy.shrink();
    Ok(ReadCluster { policy, unread })
}

/// All roles with their members in one answer (specification 4.3).
async fn by_security_service(
    admin: &str,
    target: &ConnectionTarget,
) -> Result<Vec<Listed>, Failure> {
    let path = format!("{admin}{}", paths::security("ListRoles"));
    let call = Call::new(Method::POST, path, target).text("{}".into());
    let listed = call.read::<ListedRoles>().await?;
    let read = |role: SecurityRole| {
        let members = principals(&role.members, MemberAction::Remove).map_err(|faults| {
            let texts: Vec<String> = faults.into_iter().map(|fault| fault.description).collect();
            Failure::Unreadable(texts.join("; "))
        });
        (role.name, members)
    };
    Ok(listed.roles.into_iter().map(read).collect())
}

/// The names of the roles page by page, then the members of each (specification 4.2).
async fn by_data_plane(base: &str, target: &ConnectionTarget) -> Result<Vec<Listed>, Failure> {
    let mut names = Vec::new();
    let mut token = String::new();
    loop {
        let query = RoleQuery {
            page: page(token),
            ..RoleQuery::default()
        };
        let call = Call::get(format!("{base}{}", paths::roles(&query)), target);
        let listed = call.read::<ListRoles>().await?;
        names.extend(listed.roles.into_iter().map(|role| role.name));
        if listed.next_page_token.is_empty() || listed.next_page_token == query.page.token {
            break;
        }
        token = listed.next_page_token;
    }
    let asking = names.into_iter().map(|name| async move {
        let members = members(&name, base, target).await;
        (name, members)
    });
    Ok(stream::iter(asking).buffered(AT_ONCE).collect().await)
}

async fn members(
    name: &str,
    base: &str,
    target: &ConnectionTarget,
) -> Result<Vec<Principal>, Failure> {
    if !address::is_in_path(name) {
        return Err(Failure::impossible(
            "path_invalid",
            words::ROLE_NAME_NOT_IN_PATH,
        ));
    }
    let mut members = Vec::new();
    let mut token = String::new();
    loop {
        let query = MemberQuery {
            page: page(token),
            ..MemberQuery::default()
        };
        let call = Call::get(
            format!("{base}{}", paths::role_members(name, &query)),
            target,
        );
        let listed = call.read::<ListMembers>().await?;
        for member in listed.members {
            members.push(
                Principal::parse(&member.principal)
                    .map_err(|error| Failure::Unreadable(error.to_string()))?,
            );
        }
        if listed.next_page_token.is_empty() || listed.next_page_token == query.page.token {
            return Ok(members);
        }
        token = listed.next_page_token;
    }
}

fn page(token: String) -> Page {
    Page {
        size: i32::try_from(MAX_PAGE_SIZE).ok(),
        token,
    }
}
