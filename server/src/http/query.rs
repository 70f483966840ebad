//! Reading query parameters.

use gbac_api::encode::{self, first_value};
use gbac_api::problem::FieldViolation;
use gbac_api::wire;
use gbac_engine::escape::escaped;
use serde_json::{Map, Value};

use super::problem::Problem;

/// The name-value pairs of a query.
pub(crate) fn pairs(query: Option<String>) -> Result<Vec<(String, String)>, Problem> {
    Ok(encode::parse_query(&query.unwrap_or_default())?)
}

/// Parses a query with one of the parsers of `gbac-api`.
pub(crate) fn parse<T>(
    query: Option<String>,
    parser: impl FnOnce(&[(String, String)]) -> Result<T, Vec<FieldViolation>>,
) -> Result<T, Problem> {
    Ok(parser(&pairs(query)?)?)
}

/// Parses a query of the Data Plane API, whose parameters can also be written in lowerCamelCase
/// (D-94).
pub(crate) fn parse_data_plane<T>(
    query: Option<String>,
    parser: impl FnOnce(&[(String, String)]) -> Result<T, Vec<FieldViolation>>,
) -> Result<T, Problem> {
    Ok(parser(&wire::snake_case(pairs(query)?))?)
}

/// The parameters with which a REST call says the same as a message: `filter.<field>` and the
/// fields outside the filter.
pub(crate) fn parameters(message: Map<String, Value>) -> Vec<(String, String)> {
    let mut parameters = Vec::new();
    for (name, value) in message {
        match value {
            Value::Object(fields) => {
                for (field, value) in fields {
                    parameters.push((format!("{name}.{field}"), scalar(value)));
                }
            }
            value => parameters.push((name, scalar(value))),
        }
    }
    parameters
}

fn scalar(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// A parameter that is `true` or `false`; `None` if it is omitted.
pub(crate) fn flag(pairs: &[(String, String)], name: &str) -> Result<Option<bool>, Problem> {
    match first_value(pairs, name) {
        None => Ok(None),
        Some("" | "true") => Ok(Some(true)),
        Some("false") => Ok(Some(false)),
        Some(other) => {
            let message = format!(
                "`{name}` is `{}`; it must be `true` or `false`",
                escaped(other)
            );
            Err(Problem::invalid(message))
        }
    }
}
