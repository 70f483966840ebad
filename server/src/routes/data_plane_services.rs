//! The ACLs and roles of the Data Plane API as services over Connect and gRPC, which the platform's
//! generated clients call. Each method does what the REST call does; the console of the platform
//! wraps the messages of roles (D-95).

use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::post;
use gbac_api::acls::{AclBody, AclFilter};
use gbac_api::roles::{CreatedRole, MemberQuery, RoleQuery, UpdateRole};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::acls::{create_acl, delete_acls, list_acls};
use super::registration::Routes;
use super::roles::{
    create_role, delete_role, get_role, is_page, list_members, list_roles, update_members,
};
use super::security_service::{CHANGES, READS, unknown};
use crate::http::access::Access;
use crate::http::body;
use crate::http::long_read::{LongRead, is_small, json_member, json_response};
use crate::http::placement::incomplete;
use crate::http::problem::{Problem, valid_body};
use crate::http::query::parameters;
use crate::http::read_target::ReadTarget;
use crate::http::surface::Surface;
use crate::http::warning_headers::with_warnings;
use crate::state::service::Service;

const ACL_SERVICE: &str = "redpanda.api.dataplane.v1.ACLService";
const ROLE_SERVICE: &str = "redpanda.api.dataplane.v1.SecurityService";
const WRAPPED_ROLE_SERVICE: &str = "redpanda.api.console.v1alpha1.SecurityService";

/// A method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    ListAcls,
    CreateAcl,
    DeleteAcls,
    ListRoles,
    CreateRole,
    GetRole,
    DeleteRole,
    ListRoleMembers,
    UpdateRoleMembership,
}

const ACL_OPERATIONS: [(&str, Access, Operation); 3] = [
    ("ListACLs", READS, Operation::ListAcls),
    ("CreateACL", CHANGES, Operation::CreateAcl),
    ("DeleteACLs", CHANGES, Operation::DeleteAcls),
];

const ROLE_OPERATIONS: [(&str, Access, Operation); 6] = [
    ("ListRoles", READS, Operation::ListRoles),
    ("CreateRole", CHANGES, Operation::CreateRole),
    ("GetRole", READS, Operation::GetRole),
    ("DeleteRole", CHANGES, Operation::DeleteRole),
    ("ListRoleMembers", READS, Operation::ListRoleMembers),
    (
        "UpdateRoleMembership",
        CHANGES,
        Operation::UpdateRoleMembership,
    ),
];

pub(crate) fn routes() -> Routes {
    service_routes(ACL_SERVICE, &ACL_OPERATIONS, false)
        .merge(service_routes(ROLE_SERVICE, &ROLE_OPERATIONS, false))
        .merge(service_routes(WRAPPED_ROLE_SERVICE, &ROLE_OPERATIONS, true))
}

fn service_routes(
    name: &str,
    operations: &[(&str, Access, Operation)],
    is_wrapped: bool,
) -> Routes {
    let mut routes = Routes::new(Surface::DataPlaneRpc)
        .prefix(&format!("/{name}/"), CHANGES)
        .route(&format!("/{name}/{{operation}}"), CHANGES, post(unknown));
    for &(operation, access, work) in operations {
        let handler =
            async move |State(service): State<Service>, read: LongRead, request: Request| {
                call(&service, read, request, work, is_wrapped).await
            };
        routes = routes.route(&format!("/{name}/{operation}"), access, post(handler));
    }
    routes
}

/// Reads the message of a request, runs the method, and responds with its message.
async fn call(
    service: &Service,
    read: LongRead,
    request: Request,
    operation: Operation,
    is_wrapped: bool,
) -> Result<Response, Problem> {
    let target = ReadTarget::from_request(&request);
    let mut message = body::message(request).await?;
    if is_wrapped {
        message = object(message, "request");
    }
    if let Some(target) = target {
        let parameters = parameters(message.clone());
        target.set(
            parameters
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str())),
        );
    }
    run(service, read, operation, message, is_wrapped).await
}

async fn run(
    service: &Service,
    read: LongRead,
    operation: Operation,
    message: Map<String, Value>,
    is_wrapped: bool,
) -> Result<Response, Problem> {
    let name = text(&message, "role_name");
    let this = service.clone();
    match operation {
        Operation::ListAcls => {
            let filter = AclFilter::from_query(&parameters(message))?;
            list_acls(service, read, filter).await
        }
        Operation::CreateAcl => {
            let warnings = create_acl(service, parsed::<AclBody>(message)?).await?;
            Ok(with_warnings(written(&json!({}), is_wrapped)?, &warnings))
        }
        Operation::DeleteAcls => {
            let filter = AclFilter::from_delete_query(&parameters(message))?;
            written(&delete_acls(service, filter).await?, is_wrapped)
        }
        Operation::ListRoles => {
            let query = RoleQuery::from_query(&parameters(message))?;
            let is_small = is_page(service, &query);
            read.respond(is_small, move || {
                written(&list_roles(&this, &query), is_wrapped)
            })
            .await
        }
        Operation::CreateRole => {
            let name = text(&object(message, "role"), "name");
            let (role, warnings) = create_role(service, name).await?;
            Ok(with_warnings(
                written(&CreatedRole { role }, is_wrapped)?,
                &warnings,
            ))
        }
        Operation::GetRole => {
            let is_small = is_small(&service.read().policy);
            read.respond(is_small, move || {
                written(&get_role(&this, name)?, is_wrapped)
            })
            .await
        }
        Operation::DeleteRole => {
            let with_acls = message.get("delete_acls") == Some(&Value::Bool(true));
            delete_role(service, name, with_acls).await?;
            written(&json!({}), is_wrapped)
        }
        Operation::ListRoleMembers => {
            let query = MemberQuery::from_query(&parameters(message))?;
            let is_small = is_small(&service.read().policy);
            read.respond(is_small, move || {
                written(&list_members(&this, name, &query)?, is_wrapped)
            })
            .await
        }
        Operation::UpdateRoleMembership => {
            let (updated, warnings) =
                update_members(service, name, &parsed::<UpdateRole>(message)?).await?;
            Ok(with_warnings(written(&updated, is_wrapped)?, &warnings))
        }
    }
}

/// The response with an answer, which the console of the platform reads in `response`.
fn written(answer: &impl Serialize, is_wrapped: bool) -> Result<Response, Problem> {
    let text = serde_json::to_vec(answer).map_err(|_| incomplete())?;
    Ok(json_response(if is_wrapped {
        json_member("response", text)
    } else {
        text
    }))
}

fn parsed<T: DeserializeOwned>(message: Map<String, Value>) -> Result<T, Problem> {
    valid_body(serde_json::from_value(message.into()))
}

/// A field that is a text; empty if it is absent.
fn text(message: &Map<String, Value>, name: &str) -> String {
    match message.get(name) {
        Some(Value::String(text)) => text.clone(),
        _ => String::new(),
    }
}

/// A field that is a message; empty if it is absent.
fn object(mut message: Map<String, Value>, name: &str) -> Map<String, Value> {
    match message.remove(name) {
        Some(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}
