//! The policy document of this product.

use gbac_engine::escape::visible_json;
use gbac_json::{policy_from_value, policy_to_text};
use serde_json::Value;

use crate::export::{Export, Exported, Writer};
use crate::import::{Input, Reader, Reading};

pub(crate) struct Document;

/// A document is imported completely or not at all.
impl Reader for Document {
    fn recognizes(&self, input: &Input<'_>) -> bool {
        // Terraform's own file of a state has a version, too.
        matches!(input, Input::Value(Value::Object(object))
            if object.contains_key("version") && !object.contains_key("terraform_version"))
    }

    fn read(&self, input: &Input<'_>, reading: &mut Reading<'_>) {
        let Input::Value(value) = input else { return };
        if is_zookeeper_node(value) {
            return reading.refuse("", "form_unknown", ZOOKEEPER);
        }
        match policy_from_value(value) {
            Ok(policy) => reading.policy(&policy),
            Err(problems) => {
                for problem in problems.0 {
                    reading.refuse(problem.path, problem.code.as_str(), problem.message);
                }
            }
        }
    }
}

/// Why the content of a node of ZooKeeper is not imported.
const ZOOKEEPER: &str = "this is a node of ZooKeeper with ACLs of Kafka, and their resource is the name of the node; \
                         import the output of `kafka-acls --list`, which names the resources";

/// Whether ACLs are those of one resource, as Kafka stored them in ZooKeeper.
fn is_zookeeper_node(value: &Value) -> bool {
    let Some(Value::Array(acls)) = value.get("acls") else {
        return false;
    };
    let of_zookeeper = |acl: &Value| {
        acl.get("permissionType").is_some()
            && acl.get("resource_name").is_none()
            && acl.get("resourceName").is_none()
    };
    !acls.is_empty() && acls.iter().all(of_zookeeper)
}

/// Equal to the document of other commands, with hidden characters escaped.
impl Writer for Document {
    fn write(&self, export: &Export<'_>) -> Exported {
        let document = policy_to_text(export.policy);
        let lines: Vec<String> = document.lines().map(visible_json).collect();
        Exported {
            text: lines.join("\n") + "\n",
            notes: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::import::Import;

    #[test]
    fn a_node_of_zookeeper_is_called_by_its_name() {
        let acl = json!({ "principal": "User:m", "permissionType": "Allow", "operation": "Write", "host": "*" });
        let text = json!({ "version": 1, "acls": [acl] }).to_string();
        let read = Import::default().read(&text, None);
        let [unread] = read.unread.as_slice() else {
            panic!("{read:?}")
        };
        assert_eq!(unread.code, "form_unknown");
        assert!(unread.message.contains("ZooKeeper"), "{unread}");
    }
}
