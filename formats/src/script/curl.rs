//! The calls of the documented APIs with `curl`: the Data Plane API for ACLs and roles, the Admin
//! API for the cluster properties.

use gbac_engine::model::{Acl, Operation, Principal};
use serde_json::{Value, json};

use super::{Call, properties, words};
use gbac_api::acls::{AclBody, AclFilter};
use gbac_api::paths;
use gbac_api::roles::Member;

/// The beginning of a script.
pub(super) const HEAD: &str = r#"#!/bin/sh
# Calls of the APIs with curl. GBAC_URL is the Data Plane's address, GBAC_ADMIN_URL the Admin API's where that is another one.
# GBAC_TOKEN, or GBAC_USER and GBAC_PASSWORD, say who asks. Can be run again.
failed=0
: "${GBAC_URL:?says where}"
GBAC_ADMIN_URL=${GBAC_ADMIN_URL:-$GBAC_URL}
try() { auth | "$@" -H @- -o /dev/null || failed=1; }
"#;

/// Writes the credentials to standard output, because process lists show arguments.
pub(super) const AUTH: &str = r#"auth() {
  if [ -n "${GBAC_TOKEN-}" ]; then printf 'Authorization: Bearer %s\n' "$GBAC_TOKEN"
  else printf 'Authorization: Basic %s\n' "$(printf '%s:%s' "$GBAC_USER" "$GBAC_PASSWORD" | base64 | tr -d '\n')"; fi
}
"#;

/// The commands of a call. JSON can express every call.
pub(super) fn commands(call: &Call<'_>, run: &str) -> Result<Vec<String>, String> {
    let put = |path: &str, body: Value| vec![line(run, "PUT", DATA_PLANE, path, Some(&body))];
    Ok(match call {
        Call::CreateAcls(acl, operations) => each(acl, operations)
            .map(|acl| {
                let body = json!(AclBody::in_request(&acl));
                line(run, "POST", DATA_PLANE, paths::ACLS, Some(&body))
            })
            .collect(),
        Call::DeleteAcls(acl, operations) => each(acl, operations)
            .map(|acl| {
                let path = paths::delete_acls(&AclFilter::exactly(&acl));
                line(run, "DELETE", DATA_PLANE, &path, None)
            })
            .collect(),
        Call::CreateRole(name) => put(&paths::role(name), json!({ "create": true })),
        Call::Join(role, who) => put(&paths::role(role), json!({ "add": members(who) })),
        Call::Leave(role, who) => put(&paths::role(role), json!({ "remove": members(who) })),
        Call::DeleteRole(name, delete_acls) => {
            let path = paths::delete_role(name, *delete_acls);
            vec![line(run, "DELETE", DATA_PLANE, &path, None)]
        }
        Call::Set(settings) => {
            let properties = properties(settings);
            if properties.is_empty() {
                return Ok(Vec::new());
            }
            let body = json!({ "upsert": properties, "remove": [] });
            vec![line(run, "PUT", ADMIN, paths::CLUSTER_CONFIG, Some(&body))]
        }
    })
}

/// An ACL for each of the operations.
fn each(acl: &Acl, operations: &[Operation]) -> impl Iterator<Item = Acl> {
    operations.iter().map(|operation| Acl {
        operation: *operation,
        ..acl.clone()
    })
}

fn members(principals: &[&Principal]) -> Vec<Member> {
    principals.iter().copied().map(Member::from).collect()
}

/// A call of the SecurityService of the Admin API.
pub(super) fn security(operation: &str, body: &Value) -> String {
    line(
        "",
        "POST",
        ADMIN,
        &paths::platform_security(operation),
        Some(body),
    )
}

const DATA_PLANE: &str = "GBAC_URL";
const ADMIN: &str = "GBAC_ADMIN_URL";

fn line(run: &str, method: &str, at: &str, path: &str, body: Option<&Value>) -> String {
    let text = body.map(ToString::to_string);
    let body = text.iter().flat_map(|text| {
        [
            "-H",
            "Content-Type: application/json",
            "--data-raw",
            text.as_str(),
        ]
    });
    // A role can be named `..`.
    let literally = path.contains("/.").then_some("--path-as-is");
    let call = words(
        ["curl", "-fsS", "-X", method]
            .into_iter()
            .chain(literally)
            .chain(body),
    );
    // A single command contains the credentials as in the specification.
    let auth = if run.is_empty() {
        " -H \"Authorization: Bearer $GBAC_TOKEN\""
    } else {
        ""
    };
    format!("{run}{call}{auth} \"${at}\"{}", words([path]))
}
