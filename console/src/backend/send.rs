//! Sends changes one by one through the APIs of a cluster behind the service (specification 4.2,
//! 4.3, 2.2).

use gbac_api::acls::{AclBody, AclFilter};
use gbac_api::paths;
use gbac_api::roles::{Member, RoleName, UpdateRole};
use gbac_api::security::{DeleteRole, RoleMember, RoleMembers, SecurityRole, WithRole};
use gbac_console_model::address;
use gbac_console_model::connection::ConnectionTarget;
use gbac_console_model::failure::Failure;
use gbac_console_model::properties;
use gbac_engine::model::Principal;
use gbac_engine::policy::{Change, Settings};
use gbac_words::pages::backend as words;
use gloo_net::http::Method;
use serde::Serialize;

use super::{Call, change_properties};

/// Sends one change. `held` are the settings that were read, so that only properties that differ
/// are sent.
///
/// # Errors
/// No answer, a refusal, or a change that none of the cluster's APIs can make.
pub async fn send(
    change: &Change,
    held: &Settings,
    target: &ConnectionTarget,
) -> Result<(), Failure> {
    match change {
        Change::AddAcl(acl) => {
            let path = data_plane(target, paths::ACLS)?;
            Call::new(Method::POST, path, target)
                .json(&AclBody::in_request(acl))?
                .send()
                .await
                .map(drop)
        }
        Change::RemoveAcl(acl) => {
            let path = data_plane(target, &paths::delete_acls(&AclFilter::exactly(acl)))?;
            Call::new(Method::DELETE, path, target)
                .send()
                .await
                .map(drop)
        }
        Change::Settings(settings) => {
            let change = properties::difference(held, settings)?;
            change_properties(&change, target).await
        }
        Change::CreateRole(_)
        | Change::AddMember { .. }
        | Change::RemoveMember { .. }
        | Change::DeleteRole { .. } => change_role(change, target).await,
    }
}

async fn change_role(change: &Change, target: &ConnectionTarget) -> Result<(), Failure> {
    // The Data Plane has the role's name in its path, where `.` and `..` cannot be; the
    // SecurityService has it in the body.
    if let Some(admin) = &target.admin {
        return by_security_service(change, admin, target).await;
    }
    match change {
        Change::AddMember { role: name, .. }
        | Change::RemoveMember { role: name, .. }
        | Change::DeleteRole { name, .. }
            if !address::is_in_path(name) =>
        {
            Err(Failure::impossible(
                "path_invalid",
                words::ROLE_NAME_NOT_IN_PATH,
            ))
        }
        Change::AddMember { role, member } => {
            let body = UpdateRole {
                add: vec![Member::from(member)],
                ..UpdateRole::default()
            };
            update(role, &body, target).await
        }
        Change::RemoveMember { role, member } => {
            let body = UpdateRole {
                remove: vec![Member::from(member)],
                ..UpdateRole::default()
            };
            update(role, &body, target).await
        }
        Change::DeleteRole { name, delete_acls } => {
            let path = data_plane(target, &paths::delete_role(name, *delete_acls))?;
            Call::new(Method::DELETE, path, target)
                .send()
                .await
                .map(drop)
        }
        Change::CreateRole(name) => {
            let path = data_plane(target, paths::ROLES)?;
            let body = RoleName { name: name.clone() };
            Call::new(Method::POST, path, target)
                .json(&body)?
                .send()
                .await
                .map(drop)
        }
        Change::AddAcl(_) | Change::RemoveAcl(_) | Change::Settings(_) => Ok(()),
    }
}

async fn update(role: &str, body: &UpdateRole, target: &ConnectionTarget) -> Result<(), Failure> {
    let path = data_plane(target, &paths::role(role))?;
    Call::new(Method::PUT, path, target)
        .json(body)?
        .send()
        .await
        .map(drop)
}

async fn by_security_service(
    change: &Change,
    admin: &str,
    target: &ConnectionTarget,
) -> Result<(), Failure> {
    let members = |role: &str, member: &Principal| RoleMembers {
        role_name: role.into(),
        members: vec![RoleMember::from(member)],
    };
    match change {
        Change::CreateRole(name) => {
            let body = WithRole {
                role: SecurityRole {
                    name: name.clone(),
                    members: Vec::new(),
                },
            };
            operate("CreateRole", &body, admin, target).await
        }
        Change::AddMember { role, member } => {
            operate("AddRoleMembers", &members(role, member), admin, target).await
        }
        Change::RemoveMember { role, member } => {
            operate("RemoveRoleMembers", &members(role, member), admin, target).await
        }
        Change::DeleteRole { name, delete_acls } => {
            let body = DeleteRole {
                name: name.clone(),
                delete_acls: *delete_acls,
            };
            operate("DeleteRole", &body, admin, target).await
        }
        Change::AddAcl(_) | Change::RemoveAcl(_) | Change::Settings(_) => Ok(()),
    }
}

async fn operate(
    operation: &str,
    body: &impl Serialize,
    admin: &str,
    target: &ConnectionTarget,
) -> Result<(), Failure> {
    let path = format!("{admin}{}", paths::security(operation));
    Call::new(Method::POST, path, target)
        .json(body)?
        .send()
        .await
        .map(drop)
}

fn data_plane(target: &ConnectionTarget, path: &str) -> Result<String, Failure> {
    match &target.data_plane {
        Some(base) => Ok(format!("{base}{path}")),
        None => Err(Failure::impossible("no_data_plane", words::NO_DATA_PLANE)),
    }
}
