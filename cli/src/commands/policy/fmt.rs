//! `gbac policy fmt`: the canonical form of policy documents.

use std::path::{Path, PathBuf};

use gbac_json::{policy_from_json, policy_to_text};
use gbac_words::commands::policy as words;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::input;
use crate::output::{self, Failure, Format, plain};
use crate::process::Process;
use crate::yaml;

/// The policy documents that are not in the canonical form.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct FormattedFiles<'a> {
    /// The files that differ, or differed, from the canonical form.
    differing: &'a [String],
    /// Whether the canonical form was written.
    written: bool,
}

/// Writes documents in the canonical form: standard input to standard output, and files in place.
/// With `check`, only reports the files that differ; returns whether none does.
pub(super) fn run(
    process: &Process,
    files: &[PathBuf],
    check: bool,
    format: Format,
) -> Result<bool, Failure> {
    let (mut differing, mut canonical) = (Vec::new(), true);
    for path in files {
        let file = path.display().to_string();
        let original = input::text(process, path)?;
        let formatted = formatted(&original, path, &file)?;
        let differs = formatted != original;
        if differs {
            differing.push(file.clone());
        }
        if check {
            canonical &= !differs;
        } else if path.as_os_str() == "-" {
            output::document(process, &formatted)?;
        } else if differs {
            output::file(process, path, &formatted)?;
        }
    }
    let of_output = !check && files.iter().any(|path| path.as_os_str() == "-");
    match format {
        _ if of_output => {}
        Format::Json | Format::Yaml => {
            let result = FormattedFiles {
                differing: &differing,
                written: !check,
            };
            output::value(process, format, &result)?;
        }
        Format::Text => {
            let verb = if check {
                words::NOT_CANONICAL
            } else {
                "Formatted"
            };
            let mut lines = String::new();
            for file in &differing {
                lines += &format!("{verb}: {}\n", plain(file));
            }
            output::text(process, &lines)?;
        }
    }
    Ok(canonical)
}

fn formatted(original: &str, path: &Path, file: &str) -> Result<String, Failure> {
    let is_json = original.trim_start().starts_with('{');
    if !is_json && path.as_os_str() != "-" {
        let message = words::only_json_in_place(&plain(file));
        return Err(Failure::new("not_json", message));
    }
    let text = yaml::to_json(original.to_owned(), file)?;
    let policy = policy_from_json(&text).map_err(|problems| Failure::problems(file, problems))?;
    Ok(policy_to_text(&policy))
}
