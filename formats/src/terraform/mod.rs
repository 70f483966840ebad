//! Resources of the platform's Terraform provider.

mod read;
mod write;

use serde_json::Value;

use crate::export::{Export, Exported, Notes, PROPERTIES, Replaces, Writer};
use crate::import::{Input, Reader, Reading};

pub(crate) struct Terraform;

impl Reader for Terraform {
    fn recognizes(&self, input: &Input<'_>) -> bool {
        matches!(input, Input::Value(Value::Object(object)) if read::is_of_terraform(object))
    }

    fn read(&self, input: &Input<'_>, reading: &mut Reading<'_>) {
        if let Input::Value(Value::Object(object)) = input {
            read::read(object, reading);
        }
    }
}

impl Writer for Terraform {
    fn write(&self, export: &Export<'_>) -> Exported {
        let mut notes = Notes::default();
        let body = write::resources(export.policy, export.current, &mut notes);
        notes.of_settings(export.policy, PROPERTIES);
        notes.of_leftovers(export, Replaces::Nothing);
        notes.within(write::HEAD, &body)
    }
}
