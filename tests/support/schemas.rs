//! The JSON Schema of the command line, docs/command-line.schema.json: every output of a test is
//! compared with it.

use std::collections::BTreeMap;
use std::fs;
use std::sync::LazyLock;

use boon::{Compiler, Draft, SchemaIndex, Schemas};
use serde_json::Value;

use gbac_tests::vectors::root;

/// The schemas of the outputs, by the names in `$defs`.
pub(crate) struct OutputSchemas {
    schemas: Schemas,
    results: BTreeMap<String, Vec<SchemaIndex>>,
}

/// The outputs of the command line.
pub(crate) static OUTPUTS: LazyLock<OutputSchemas> = LazyLock::new(OutputSchemas::read);

/// The document.
///
/// # Panics
/// If it cannot be read.
#[must_use]
pub(crate) fn document() -> Value {
    read("command-line.schema.json")
}

fn read(name: &str) -> Value {
    let text = fs::read_to_string(root().join("docs").join(name)).expect("a schema");
    serde_json::from_str(&text).expect("JSON")
}

/// The `$defs` that are outputs.
///
/// # Panics
/// If the document has none.
#[must_use]
pub(crate) fn names(document: &Value) -> Vec<String> {
    let outputs = document["anyOf"].as_array().expect("outputs");
    let name = |output: &Value| {
        output["$ref"]
            .as_str()?
            .strip_prefix("#/$defs/")
            .map(str::to_owned)
    };
    outputs
        .iter()
        .map(|output| name(output).expect("an output is in $defs"))
        .collect()
}

impl OutputSchemas {
    fn read() -> Self {
        let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
        compiler.set_default_draft(Draft::V2020_12);
        let url = |name: &str| format!("file:///{name}");
        let document = document();
        for (name, schema) in [
            ("command-line.schema.json", document.clone()),
            ("policy.schema.json", read("policy.schema.json")),
        ] {
            compiler.add_resource(&url(name), schema).expect("a schema");
        }
        let results = names(&document).into_iter().map(|name| {
            let place = format!("{}#/$defs/{name}", url("command-line.schema.json"));
            let places: Vec<String> = match document["$defs"][&name]["anyOf"].as_array() {
                Some(several) => (0..several.len())
                    .map(|index| format!("{place}/anyOf/{index}"))
                    .collect(),
                None => vec![place],
            };
            let compiled = places.iter().map(|place| {
                compiler
                    .compile(place, &mut schemas)
                    .unwrap_or_else(|error| panic!("{place}: {error:#}"))
            });
            (name, compiled.collect())
        });
        let results = results.collect();
        Self { schemas, results }
    }

    /// Which results of an output a value is.
    ///
    /// # Errors
    /// It is none of them: the reasons.
    ///
    /// # Panics
    /// If there is no such output.
    pub(crate) fn results_of(&self, name: &str, value: &Value) -> Result<Vec<usize>, String> {
        let results = self
            .results
            .get(name)
            .unwrap_or_else(|| panic!("no output has the name `{name}`"));
        let (mut found, mut reasons) = (Vec::new(), String::new());
        for (index, schema) in results.iter().enumerate() {
            match self.schemas.validate(value, *schema) {
                Ok(()) => found.push(index),
                Err(error) => reasons.push_str(&format!("\n{error:#}")),
            }
        }
        if found.is_empty() {
            Err(reasons)
        } else {
            Ok(found)
        }
    }

    /// The number of different results of each output.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = (&str, usize)> {
        self.results
            .iter()
            .map(|(name, results)| (name.as_str(), results.len()))
    }

    /// The name of the output of a command line: its command, whatever flags are between the words.
    fn name(&self, args: &[&str]) -> Option<&str> {
        if args.contains(&"--checks") {
            return Some("check-checks");
        }
        let mut name = String::new();
        for word in args {
            let longer = if name.is_empty() {
                (*word).to_owned()
            } else {
                format!("{name}-{word}")
            };
            let below = format!("{longer}-");
            if self
                .results
                .keys()
                .any(|known| *known == longer || known.starts_with(&below))
            {
                name = longer;
            }
        }
        self.results
            .get_key_value(&name)
            .map(|(name, _)| name.as_str())
    }
}

/// Whether a command line asks for JSON; `check --checks` always writes it.
fn is_json(args: &[&str]) -> bool {
    let after = |flag: &str| {
        args.windows(2)
            .find(|pair| pair[0] == flag)
            .map(|pair| pair[1])
    };
    let joined = args.iter().find_map(|arg| arg.strip_prefix("--format="));
    match after("--format").or_else(|| after("-o")).or(joined) {
        Some(format) => format == "json",
        None => args.contains(&"--checks"),
    }
}

/// The values that a call wrote, each with the name of its output; none if it did not have to write
/// JSON.
///
/// # Panics
/// If the output is not JSON, or not as the schema of the command describes it.
#[must_use]
pub(crate) fn checked(args: &[&str], exit: i32, out: &str) -> Vec<(String, Value)> {
    let is_about = |flag: &str| args.contains(&flag);
    if !is_json(args) || is_about("--help") || is_about("-h") || is_about("--version") {
        return Vec::new();
    }
    let Some(name) = OUTPUTS.name(args) else {
        return Vec::new();
    };
    let values: Result<Vec<Value>, _> = serde_json::Deserializer::from_str(out)
        .into_iter()
        .collect();
    let values =
        values.unwrap_or_else(|error| panic!("gbac {args:?} did not write JSON: {error}\n{out}"));
    let is_failure = |value: &Value| exit != 0 && OUTPUTS.results_of("error", value).is_ok();
    let named = values.into_iter().map(|value| match OUTPUTS.results_of(name, &value) {
        Ok(_) => (name.to_owned(), value),
        Err(_) if is_failure(&value) => ("error".to_owned(), value),
        Err(reasons) => panic!(
            "gbac {args:?} wrote what $defs/{name} of docs/command-line.schema.json does not describe:\n{value}\n{reasons}"
        ),
    });
    named.collect()
}
