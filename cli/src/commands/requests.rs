//! `gbac requests`: the API requests that `check --request` knows, and what each requires.

use std::fmt::Write;

use clap::Args;
use gbac_analysis::check::CheckError;
use gbac_analysis::requests::{self, Api, Presence, RequestSpec, ResourceNames, kind_name};
use gbac_engine::Coded;
use gbac_words::commands::access;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::output::{self, Failure, Format};
use crate::process::Process;
use crate::render::table::table;

#[derive(Debug, Args)]
pub(crate) struct RequestsArgs {
    /// Name of a request such as OffsetCommit, or a part of names [default: all requests].
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Only requests of this API: kafka, schema_registry or http_proxy.
    #[arg(long, value_name = "API")]
    api: Option<String>,
}

/// An API request, and what it requires.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ListedRequest {
    /// `kafka`, `schema_registry` or `http_proxy`.
    api: &'static str,
    /// The short name, unique within the API.
    id: &'static str,
    /// The name in the API.
    name: &'static str,
    /// Other names in clients and tools.
    aliases: &'static [&'static str],
    /// What it does.
    description: &'static str,
    /// The resources that it names.
    resources: Vec<ListedResource>,
    /// The permissions that it requires.
    requires: String,
    /// Notes about it.
    #[serde(skip_serializing_if = "str::is_empty")]
    notes: &'static str,
}

/// A resource type that a request names.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ListedResource {
    /// The type, such as `topic`.
    r#type: &'static str,
    /// `required`, `optional`, or `one_of` if one of the types with this value is required.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["required", "optional", "one_of"])))]
    presence: &'static str,
}

impl From<&RequestSpec> for ListedRequest {
    fn from(spec: &RequestSpec) -> Self {
        let mut resources = Vec::with_capacity(spec.parameters.len());
        for parameter in spec.parameters {
            resources.push(ListedResource {
                r#type: kind_name(parameter.kind),
                presence: match parameter.presence {
                    Presence::Required => "required",
                    Presence::Optional => "optional",
                    Presence::OneOf => "one_of",
                },
            });
        }
        Self {
            api: spec.api.code(),
            id: spec.id,
            name: spec.name,
            aliases: spec.aliases,
            description: spec.description,
            resources,
            requires: spec.needs(),
            notes: spec.notes,
        }
    }
}

pub(crate) fn run(process: &Process, args: &RequestsArgs, format: Format) -> Result<u8, Failure> {
    let found = find(args)?;
    match format {
        Format::Json | Format::Yaml => {
            let list: Vec<ListedRequest> = found.into_iter().map(ListedRequest::from).collect();
            output::value(process, format, &list)?;
        }
        Format::Text => output::text(process, &render(process, &found))?,
    }
    Ok(output::SUCCESS)
}

fn find(args: &RequestsArgs) -> Result<Vec<&'static RequestSpec>, Failure> {
    let name = args.name.as_deref().unwrap_or_default();
    let api = match &args.api {
        Some(text) => Some(Api::from_name(text).ok_or_else(|| unknown(text, name))?),
        None => None,
    };
    let found = requests::search(api, name);
    if found.is_empty() {
        return Err(unknown(api.unwrap_or(Api::Kafka).code(), name));
    }
    Ok(found)
}

/// The error about an API or a request that does not exist, with the nearest names.
fn unknown(api: &str, name: &str) -> Failure {
    match requests::expand(api, name, &ResourceNames::default()) {
        Err(error) => CheckError::Request(error).into(),
        Ok(_) => Failure::usage(access::NO_SUCH_REQUEST),
    }
}

fn render(process: &Process, found: &[&RequestSpec]) -> String {
    if let [spec] = found {
        return details(spec);
    }
    let mut rows = Vec::new();
    for spec in found {
        rows.push(vec![
            spec.api.title().to_owned(),
            spec.name.to_owned(),
            spec.needs(),
        ]);
    }
    table(process, &["API", "REQUEST", "REQUIRES"], rows)
}

fn details(spec: &RequestSpec) -> String {
    let mut text = format!(
        "{}, {}: {}\n",
        spec.name,
        spec.api.title(),
        spec.description
    );
    let _ = writeln!(text, "requires {}", spec.needs());
    if !spec.notes.is_empty() {
        let _ = writeln!(text, "note: {}", spec.notes);
    }
    if !spec.aliases.is_empty() {
        let _ = writeln!(text, "also called {}", spec.aliases.join(", "));
    }
    let _ = writeln!(text, "{}", access::how_to_check(spec.api.code(), spec.id));
    text
}
