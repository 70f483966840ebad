//! Converts YAML documents to JSON: those of `--format yaml`, and handwritten ones.

use gbac_formats::yaml::{documents, fault, looks_like_yaml, strict};
use serde_json::Value;

use crate::output::{Failure, plain};

/// Converts YAML to JSON text. Other text is returned unchanged, so that the JSON reader reports
/// its errors.
pub(crate) fn to_json(text: String, what: &str) -> Result<String, Failure> {
    if !looks_like_yaml(&text) {
        return Ok(text);
    }
    match serde_saphyr::from_str_with_options::<Value>(&text, strict()) {
        Ok(value @ (Value::Object(_) | Value::Array(_))) => Ok(value.to_string()),
        Ok(_) => Ok(text),
        Err(error) => Err(failure(what, &error)),
    }
}

/// The values of a stream of YAML documents, or of one that is a list.
pub(crate) fn stream(text: &str, what: &str) -> Result<Vec<Value>, Failure> {
    let values = documents(text).map_err(|error| failure(what, &error))?;
    Ok(values
        .into_iter()
        .flat_map(|value| match value {
            Value::Array(values) => values,
            value => vec![value],
        })
        .collect())
}

fn failure(what: &str, error: &serde_saphyr::Error) -> Failure {
    let (place, message) = fault(error);
    let place = if place.is_empty() {
        place
    } else {
        format!("{place}: ")
    };
    Failure::new("yaml_syntax", format!("{}: {place}{message}", plain(what)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn duplicate_members_and_merge_keys_are_refused() {
        let read = |text: &str| to_json(text.into(), "x.yaml");
        assert_eq!(
            read("version: 1\nacls: []\n").unwrap(),
            r#"{"acls":[],"version":1}"#
        );
        assert_eq!(
            read("a: no\nb: 010\nc: 1_0\nd: true\n").unwrap(),
            r#"{"a":"no","b":"010","c":"1_0","d":true}"#
        );
        for bad in [
            "a: 1\na: 2\n",
            "a: &x {b: 1}\nc: {<<: *x}\n",
            "a: [1\n",
            "a: 1\n---\nb: 2\n",
        ] {
            let message = read(bad).unwrap_err().to_string();
            assert!(
                message.starts_with("x.yaml: ") && message.contains("; correct the YAML"),
                "{message}"
            );
        }
        assert_eq!(
            stream("---\na: 1\n---\na: 2\n", "x").unwrap(),
            [json!({ "a": 1 }), json!({ "a": 2 })]
        );
        assert_eq!(
            stream("- a: 1\n- a: 2\n", "x").unwrap(),
            [json!({ "a": 1 }), json!({ "a": 2 })]
        );
    }
}
