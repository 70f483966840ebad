//! YAML as it is read everywhere: as strict as JSON.

use serde_json::Value;
use serde_saphyr::options::{DuplicateKeyPolicy, MergeKeyPolicy};
use serde_saphyr::{Options, budget, options};

/// Whether the first line with content looks like YAML and not like JSON.
#[must_use]
pub fn looks_like_yaml(text: &str) -> bool {
    let mut lines = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.next().is_some_and(begins_yaml)
}

fn begins_yaml(line: &str) -> bool {
    let key = line
        .split(':')
        .next()
        .unwrap_or_default()
        .trim_matches(['"', '\'']);
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '-');
    let is_member = line
        .get(line.find(':').map_or(line.len(), |colon| colon + 1)..)
        .is_some_and(|rest| line.contains(':') && (rest.is_empty() || rest.starts_with(' ')));
    line == "---"
        || line.starts_with("--- ")
        || line.starts_with("- ")
        || line.starts_with("%YAML")
        || (is_member && !key.is_empty() && key.chars().all(is_name))
}

/// As strict as the JSON reader: no duplicate members, no merge keys, no implicit types. Large
/// documents are allowed.
#[must_use]
pub fn strict() -> Options {
    options! {
        budget: budget! {
            max_events: 200_000_000,
            max_nodes: 100_000_000,
            max_total_scalar_bytes: 4 << 30,
            max_documents: 100_000_000,
        },
        duplicate_keys: DuplicateKeyPolicy::Error,
        merge_keys: MergeKeyPolicy::Error,
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
    }
}

/// The values of a stream of YAML documents.
///
/// # Errors
/// The first fault.
pub fn documents(text: &str) -> Result<Vec<Value>, serde_saphyr::Error> {
    serde_saphyr::from_multiple_with_options(text, strict())
}

/// The place of a fault, such as `line 3, column 1`, and what is wrong.
#[must_use]
pub fn fault(error: &serde_saphyr::Error) -> (String, String) {
    let place = error
        .location()
        .map(|at| format!("line {}, column {}", at.line(), at.column()));
    let message = error.without_snippet().to_string();
    let first = message.lines().next().unwrap_or_default();
    (
        place.unwrap_or_default(),
        format!("{first}; correct the YAML, or write the document as JSON"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_is_distinguished_from_json_and_other_text() {
        for yaml in [
            "version: 1\n",
            "---\nversion: 1\n",
            "# a policy\n\nversion: 1",
            "- change: settings",
            "\"version\": 1",
            "acls:\n",
        ] {
            assert!(looks_like_yaml(yaml), "{yaml}");
        }
        for other in [
            "",
            "{\"version\": 1}",
            "[1]",
            "Current ACLs for resource `ResourcePattern(resourceType=TOPIC, name=a, patternType=LITERAL)`:",
            "hello",
            "eyJhbGciOiJub25lIn0.e30.x",
            "http://127.0.0.1",
        ] {
            assert!(!looks_like_yaml(other), "{other}");
        }
    }
}
