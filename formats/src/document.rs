//! The policy document of this product.

use std::fmt::Write;

use gbac_engine::escape::is_hidden;
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
        let mut text = String::with_capacity(document.len());
        for c in document.chars() {
            // What is not ASCII stands in a string.
            if c.is_ascii() || !is_hidden(c) {
                text.push(c);
            } else {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(text, "\\u{unit:04x}");
                }
            }
        }
        Exported {
            text,
            notes: Vec::new(),
        }
    }
}
