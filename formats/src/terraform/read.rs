//! Reads the state or plan of Terraform, as `terraform show -json` prints it.

use gbac_engine::escape::escaped;
use serde_json::Value;

use crate::entry::{Entry, Object};
use crate::import::{Reading, is_named_like_access};

/// The members of a state or a plan.
const MEMBERS: &[&str] = &[
    "format_version",
    "terraform_version",
    "values",
    "planned_values",
    "action_invocations",
    "applyable",
    "checks",
    "complete",
    "configuration",
    "deferred_action_invocations",
    "deferred_changes",
    "errored",
    "output_changes",
    "prior_state",
    "proposed_unknown",
    "relevant_attributes",
    "resource_changes",
    "resource_drift",
    "timestamp",
    "variables",
];

/// Whether a JSON object is a state or a plan, or the file in which Terraform stores a state.
pub(super) fn is_of_terraform(object: &Object) -> bool {
    object.contains_key("format_version") || is_state_file(object)
}

/// Whether a JSON object is the file in which Terraform stores a state, whose form is not stable.
fn is_state_file(object: &Object) -> bool {
    ["version", "terraform_version", "lineage"]
        .iter()
        .all(|name| object.contains_key(*name))
}

pub(super) fn read(object: &Object, reading: &mut Reading<'_>) {
    if is_state_file(object) {
        let message = "the file of a Terraform state is not read; import the output of `terraform show -json`";
        return reading.refuse("", "form_unknown", message);
    }
    let mut root = Entry::new(object, MEMBERS, "", reading);
    if root.flag("errored", reading) || root.value("complete") == Some(&Value::Bool(false)) {
        let message = "the plan is incomplete; import one without errors and targets";
        reading.refuse("", "list_incomplete", message);
    }
    if !root.list("deferred_changes", reading).is_empty() {
        let message = "the plan defers changes";
        root.refuse("deferred_changes", "list_incomplete", message, reading);
    }
    // The state of a configuration without resources has neither.
    let is_empty_state = object
        .keys()
        .all(|name| matches!(name.as_str(), "format_version" | "terraform_version"));
    if !root.has("values") && !root.has("planned_values") && !is_empty_state {
        let message = "expected the values of a state or a plan";
        root.refuse("values", "missing_member", message, reading);
    }
    for name in ["values", "planned_values"] {
        let Some(values) = root.object(name, &["outputs", "root_module"], reading) else {
            continue;
        };
        match values.value("root_module") {
            Some(module) => read_module(module, &values.place_of("root_module"), reading),
            None => {
                let message = "`root_module` is missing";
                reading.refuse(format!("/{name}"), "missing_member", message);
            }
        }
    }
}

fn read_module(module: &Value, at: &str, reading: &mut Reading<'_>) {
    let members = ["address", "resources", "child_modules"];
    let Some(mut module) = Entry::from_value(module, &members, at, "a module", reading) else {
        return;
    };
    for (place, resource) in module.elements("resources", reading) {
        read_resource(resource, &place, reading);
    }
    for (place, child) in module.elements("child_modules", reading) {
        read_module(child, &place, reading);
    }
}

/// One resource. Data sources only show what is managed elsewhere.
fn read_resource(resource: &Value, at: &str, reading: &mut Reading<'_>) {
    let text = |name: &str| resource.get(name).and_then(Value::as_str);
    let Some(kind) = text("type").filter(|kind| !kind.is_empty()) else {
        reading.refuse(at, "missing_member", "expected a resource with its `type`");
        return;
    };
    if text("mode") == Some("data") {
        return reading.ignore(format!("data source `{}`", escaped(kind)));
    }
    let names: &[&str] = match kind {
        "redpanda_acl" => &[
            "resource_type",
            "resource_name",
            "resource_pattern_type",
            "principal",
            "host",
            "operation",
            "permission_type",
        ],
        "redpanda_schema_registry_acl" => &[
            "resource_type",
            "resource_name",
            "pattern_type",
            "principal",
            "host",
            "operation",
            "permission",
        ],
        "redpanda_role" => &["name"],
        "redpanda_role_assignment" => &["role_name", "principal"],
        // The sign-in of a user, without permissions.
        "redpanda_user" => return reading.ignore(format!("`{kind}`")),
        _ if is_named_like_access(kind) => {
            let name = escaped(text("address").unwrap_or(kind));
            let message = format!(
                "`{name}` is of the type `{}`, which is not read and can be about access",
                escaped(kind)
            );
            return reading.refuse(at, "kind_unknown", message);
        }
        _ => return reading.ignore(format!("`{}`", escaped(kind))),
    };
    let at = format!("{at}/values");
    let values = resource.get("values");
    let mut words = Vec::new();
    for name in names {
        match values
            .and_then(|values| values.get(name))
            .and_then(Value::as_str)
        {
            Some(word) => words.push(word),
            None => {
                let message = "expected a string; Terraform may know it only after `apply`";
                reading.refuse(format!("{at}/{name}"), "missing_member", message);
            }
        }
    }
    if words.len() < names.len() {
        return;
    }
    match *words.as_slice() {
        [kind, name, pattern, principal, host, operation, permission] => {
            let is_registry = kind == "REGISTRY" && name == "*";
            let name = if is_registry { "" } else { name };
            reading.acl(
                [kind, name, pattern, principal, host, operation, permission],
                at,
            );
        }
        [role] => {
            reading.role(role, &at);
        }
        [role, member] => reading.member(role, member, &at),
        _ => {}
    }
}
