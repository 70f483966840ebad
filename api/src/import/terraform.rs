//! Imports Terraform's state or plan, as `terraform show -json` prints it.

use gbac_engine::model::Principal;
use serde_json::{Map, Value};

use super::{Import, ImportedText, Kind, fields};

impl Import {
    pub(super) fn read_terraform(&mut self, object: &Map<String, Value>) -> ImportedText {
        let mut read = ImportedText::of(Kind::Terraform);
        let (name, values) = ["values", "planned_values"]
            .into_iter()
            .find_map(|name| Some((name, object.get(name)?)))
            .unwrap_or(("values", &Value::Null));
        match values.get("root_module") {
            Some(module) => self.module(module, &format!("/{name}/root_module"), &mut read),
            // The state of a configuration without resources.
            None if object.len() <= 2 => {}
            None => read.refuse(format!("/{name}"), "missing_member", "`root_module` is missing"),
        }
        read
    }

    fn module(&mut self, module: &Value, at: &str, read: &mut ImportedText) {
        let list = |name: &str| module.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for (place, resource) in list("resources").iter().enumerate() {
            self.terraform_resource(resource, &format!("{at}/resources/{place}"), read);
        }
        for (place, child) in list("child_modules").iter().enumerate() {
            self.module(child, &format!("{at}/child_modules/{place}"), read);
        }
    }

    /// One resource; those that say nothing about permissions are skipped.
    fn terraform_resource(&mut self, resource: &Value, at: &str, read: &mut ImportedText) {
        let kind = resource.get("type").and_then(Value::as_str).unwrap_or_default();
        let is_data = resource.get("mode").and_then(Value::as_str) == Some("data");
        let names: &[&str] = match kind {
            _ if is_data => return,
            "redpanda_acl" => &[
                "resource_type",
                "resource_name",
                "resource_pattern_type",
                "principal",
                "host",
                "operation",
                "permission_type",
            ],
            "redpanda_schema_registry_acl" => {
                &["resource_type", "resource_name", "pattern_type", "principal", "host", "operation", "permission"]
            }
            "redpanda_role" => &["name"],
            "redpanda_role_assignment" => &["role_name", "principal"],
            _ => return,
        };
        let at = format!("{at}/values");
        let values = resource.get("values");
        let mut words = Vec::new();
        for name in names {
            match values.and_then(|values| values.get(name)).and_then(Value::as_str) {
                Some(word) => words.push(word),
                None => {
                    let message = "expected a string; Terraform may know it only after `apply`";
                    read.refuse(format!("{at}/{name}"), "missing_member", message);
                }
            }
        }
        match words.as_slice() {
            [kind, name, pattern, principal, host, operation, permission] => {
                let name = if *kind == "REGISTRY" && *name == "*" { "" } else { name };
                self.take_acl(&fields([kind, name, pattern, principal, host, operation, permission]), at, read);
            }
            [role] => {
                self.take_role(role, &at, read);
            }
            [role, member] => self.take_named_member(role, member, &at, read),
            _ => {}
        }
    }

    /// A member of a role that need not have been read before.
    pub(super) fn take_named_member(&mut self, role: &str, member: &str, at: &str, read: &mut ImportedText) {
        match Principal::parse(member) {
            Ok(member) if self.take_role(role, at, read) => self.take_member(role, member, at.to_owned(), read),
            Ok(_) => {}
            Err(error) => read.refuse(at, error.code(), format!("{error}; {}", error.hint())),
        }
    }
}
