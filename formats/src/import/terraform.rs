//! Imports Terraform's state or plan, as `terraform show -json` prints it.

use gbac_engine::escape::escaped;
use gbac_engine::model::Principal;
use serde_json::Value;

use super::entry::{Entry, Object};
use super::{Import, ImportedText, Kind, fields, is_named_like_access};

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

/// Whether a JSON object is the file in which Terraform stores a state, whose form is not stable.
pub(super) fn is_state_file(object: &Object) -> bool {
    ["version", "terraform_version", "lineage"]
        .iter()
        .all(|name| object.contains_key(*name))
}

impl Import {
    pub(super) fn read_terraform(&mut self, object: &Object) -> ImportedText {
        let mut read = ImportedText::new(Kind::Terraform);
        if is_state_file(object) {
            let message = "the file of a Terraform state is not read; import the output of `terraform show -json`";
            read.refuse("", "form_unknown", message);
            return read;
        }
        let mut root = Entry::new(object, MEMBERS, "", &mut read);
        if root.flag("errored", &mut read) || root.value("complete") == Some(&Value::Bool(false)) {
            read.refuse(
                "",
                "list_incomplete",
                "the plan is incomplete; import one without errors and targets",
            );
        }
        if !root.list("deferred_changes", &mut read).is_empty() {
            root.refuse(
                "deferred_changes",
                "list_incomplete",
                "the plan defers changes",
                &mut read,
            );
        }
        // The state of a configuration without resources has neither.
        let is_empty_state = object
            .keys()
            .all(|name| matches!(name.as_str(), "format_version" | "terraform_version"));
        if !root.has("values") && !root.has("planned_values") && !is_empty_state {
            root.refuse(
                "values",
                "missing_member",
                "expected the values of a state or a plan",
                &mut read,
            );
        }
        for name in ["values", "planned_values"] {
            let Some(values) = root.object(name, &["outputs", "root_module"], &mut read) else {
                continue;
            };
            match values.value("root_module") {
                Some(module) => self.module(module, &values.place_of("root_module"), &mut read),
                None => read.refuse(
                    format!("/{name}"),
                    "missing_member",
                    "`root_module` is missing",
                ),
            }
        }
        read
    }

    fn module(&mut self, module: &Value, at: &str, read: &mut ImportedText) {
        let Some(mut module) = Entry::from_value(
            module,
            &["address", "resources", "child_modules"],
            at,
            "a module",
            read,
        ) else {
            return;
        };
        for (place, resource) in module.list("resources", read).iter().enumerate() {
            self.terraform_resource(resource, &format!("{at}/resources/{place}"), read);
        }
        for (place, child) in module.list("child_modules", read).iter().enumerate() {
            self.module(child, &format!("{at}/child_modules/{place}"), read);
        }
    }

    /// One resource. Data sources only show what is managed elsewhere.
    fn terraform_resource(&mut self, resource: &Value, at: &str, read: &mut ImportedText) {
        let text = |name: &str| resource.get(name).and_then(Value::as_str);
        let Some(kind) = text("type").filter(|kind| !kind.is_empty()) else {
            read.refuse(at, "missing_member", "expected a resource with its `type`");
            return;
        };
        if text("mode") == Some("data") {
            return read.ignore(format!("data source `{}`", escaped(kind)));
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
            "redpanda_user" => return read.ignore(format!("`{kind}`")),
            _ if is_named_like_access(kind) => {
                let name = escaped(text("address").unwrap_or(kind));
                let message = format!(
                    "`{name}` is of the type `{}`, which is not read and can be about access",
                    escaped(kind)
                );
                return read.refuse(at, "kind_unknown", message);
            }
            _ => return read.ignore(format!("`{}`", escaped(kind))),
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
                    read.refuse(format!("{at}/{name}"), "missing_member", message);
                }
            }
        }
        match words.as_slice() {
            [kind, name, pattern, principal, host, operation, permission] => {
                let name = if *kind == "REGISTRY" && *name == "*" {
                    ""
                } else {
                    name
                };
                self.take_acl(
                    &fields([kind, name, pattern, principal, host, operation, permission]),
                    at,
                    read,
                );
            }
            [role] => {
                self.take_role(role, &at, read);
            }
            [role, member] => self.take_named_member(role, member, &at, read),
            _ => {}
        }
    }

    /// A member of a role that need not have been read before.
    pub(super) fn take_named_member(
        &mut self,
        role: &str,
        member: &str,
        at: &str,
        read: &mut ImportedText,
    ) {
        match Principal::parse(member) {
            Ok(member) if self.take_role(role, at, read) => {
                self.take_member(role, member, at.to_owned(), read)
            }
            Ok(_) => {}
            Err(error) => read.refuse(at, error.code(), format!("{error}; {}", error.hint())),
        }
    }
}
