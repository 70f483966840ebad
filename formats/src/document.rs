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
