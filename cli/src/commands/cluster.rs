//! `gbac cluster`: properties, loggers and license of a running service.

use std::collections::BTreeMap;
use std::fmt::Write;

use clap::{Args, Subcommand};
use gbac_api::cluster_config::{ConfigChange, ConfigSchema, ConfigVersion};
use gbac_api::license::LicenseBody;
use gbac_api::loggers::{ChangedLogLevel, Logger};
use gbac_api::paths;
use gbac_api::target::TargetNeed;
use gbac_words::commands::service;
use gbac_words::phrases::duration;
use reqwest::Method;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::args::license::LicenseArg;
use crate::client::connection::{ConnectArgs, ReasonArgs};
use crate::client::{CallError, Client, platform};
use crate::input;
use crate::output::{self, Failure, Format, plain};
use crate::process::Process;
use crate::render::table::table;

#[derive(Debug, Subcommand)]
pub(crate) enum ClusterCommand {
    /// Get, set and list cluster properties.
    Config {
        #[command(subcommand)]
        command: ConfigCommand,
    },
    /// List loggers and set their levels.
    Loggers {
        #[command(subcommand)]
        command: LoggersCommand,
    },
    /// Show or set the enterprise license.
    License {
        #[command(subcommand)]
        command: Option<LicenseCommand>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show the value of a property.
    Get {
        /// Property name, such as oidc_group_claim_path.
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Set properties: NAME VALUE, or one or more NAME=VALUE.
    ///
    /// Either all properties are set or none. Write a list with commas or as a JSON array. An empty
    /// value resets a property to its default, unless it is a string property.
    Set {
        /// A name and a value, or one or more NAME=VALUE.
        #[arg(required = true, value_name = "NAME[=]VALUE")]
        assignments: Vec<String>,
        #[command(flatten)]
        reason: ReasonArgs,
    },
    /// List every property with its value.
    List,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LoggersCommand {
    /// Set the level of loggers, temporarily by default.
    Set(SetLevelArgs),
    /// List the loggers with their levels.
    List,
}

#[derive(Debug, Args)]
pub(crate) struct SetLevelArgs {
    /// Loggers, such as security; `all` selects every logger.
    #[arg(required = true, value_name = "LOGGER")]
    loggers: Vec<String>,
    /// Log level: error, warn, info, debug or trace.
    #[arg(short, long, value_name = "LEVEL", default_value = "debug")]
    level: String,
    /// Seconds until the level reverts; 0 never reverts [default: 300].
    #[arg(short, long, value_name = "SECONDS")]
    expiry_seconds: Option<u32>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LicenseCommand {
    /// Set the license.
    Set {
        /// License state.
        #[arg(value_enum, value_name = "STATE")]
        state: LicenseArg,
        #[command(flatten)]
        reason: ReasonArgs,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum AdminCommand {
    /// Deprecated: use `gbac cluster loggers`.
    Config {
        #[command(subcommand)]
        command: AdminConfigCommand,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum AdminConfigCommand {
    /// Deprecated: use `gbac cluster loggers`.
    LogLevel {
        #[command(subcommand)]
        command: LogLevelCommand,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum LogLevelCommand {
    /// Deprecated: use `gbac cluster loggers set`.
    Set(SetLevelArgs),
}

/// The loggers whose level was set, and those whose level was not.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ChangedLogLevels<'a> {
    /// The loggers whose level was set.
    successes: &'a [ChangedLogLevel],
    /// The loggers whose level was not set.
    failures: Vec<FailedLogLevel<'a>>,
}

/// A logger whose level was not set.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct FailedLogLevel<'a> {
    /// The logger's name.
    name: &'a str,
    /// The error.
    message: &'a str,
}

pub(crate) fn run(
    process: &Process,
    connect: &ConnectArgs,
    command: &ClusterCommand,
    format: Format,
) -> Result<u8, Failure> {
    let client = || Client::open(process, connect);
    match command {
        ClusterCommand::Config { command } => match command {
            ConfigCommand::Get { name } => get(process, &client()?, name, format)?,
            ConfigCommand::Set {
                assignments,
                reason,
            } => {
                let assigned = parse_assignments(assignments)?;
                let client = client()?.with_reason(reason.reason.clone());
                set(process, &client, assigned, format)?;
            }
            ConfigCommand::List => list(process, &client()?, format)?,
        },
        ClusterCommand::Loggers { command } => match command {
            LoggersCommand::Set(args) => return set_level(process, &client()?, args, format),
            LoggersCommand::List => list_loggers(process, &client()?, format)?,
        },
        ClusterCommand::License { command: None } => license(process, &client()?, None, format)?,
        ClusterCommand::License {
            command: Some(LicenseCommand::Set { state, reason }),
        } => {
            let client = client()?.with_reason(reason.reason.clone());
            license(process, &client, Some(*state), format)?;
        }
    }
    Ok(output::SUCCESS)
}

/// `gbac admin config log-level set`: a deprecated alias of `gbac cluster loggers set`.
pub(crate) fn admin(
    process: &Process,
    connect: &ConnectArgs,
    command: &AdminCommand,
    format: Format,
) -> Result<u8, Failure> {
    let AdminCommand::Config {
        command:
            AdminConfigCommand::LogLevel {
                command: LogLevelCommand::Set(args),
            },
    } = command;
    set_level(process, &Client::open(process, connect)?, args, format)
}

type Properties = BTreeMap<String, Value>;

fn get(process: &Process, client: &Client, name: &str, format: Format) -> Result<(), Failure> {
    let path = paths::cluster_config(Some(name));
    let mut values: Properties = client.get(&path)?;
    let value = values
        .remove(name)
        .ok_or_else(|| CallError::NotJson(paths::CLUSTER_CONFIG.into()))?;
    match format {
        Format::Json | Format::Yaml => output::value(process, format, &value),
        Format::Text => output::text(process, &format!("{}\n", yaml(&value))),
    }
}

/// A value as YAML; plain text is not quoted.
fn yaml(value: &Value) -> String {
    match value {
        Value::String(text) => plain(text),
        Value::Array(items) if !items.is_empty() => {
            let mut lines = Vec::new();
            for item in items {
                lines.push(format!("- {}", yaml(item)));
            }
            lines.join("\n")
        }
        other => plain(&other.to_string()),
    }
}

fn list(process: &Process, client: &Client, format: Format) -> Result<(), Failure> {
    let values: Properties = client.get(paths::CLUSTER_CONFIG)?;
    match format {
        Format::Json | Format::Yaml => output::value(process, format, &values),
        Format::Text => {
            let mut rows = Vec::new();
            for (name, value) in values {
                let bare = match value {
                    Value::String(text) => text,
                    value => value.to_string(),
                };
                rows.push(vec![name, bare]);
            }
            output::text(process, &table(process, &["PROPERTY", "VALUE"], rows))
        }
    }
}

/// `NAME VALUE`, or `NAME=VALUE` several times.
fn parse_assignments(words: &[String]) -> Result<BTreeMap<String, String>, Failure> {
    if let [name, value] = words
        && !name.contains('=')
    {
        return Ok(BTreeMap::from([(name.clone(), value.clone())]));
    }
    let mut assigned = BTreeMap::new();
    for word in words {
        let Some((name, value)) = word.split_once('=') else {
            return Err(Failure::usage(format!(
                "`{word}` has no value; write NAME VALUE or NAME=VALUE"
            )));
        };
        if assigned.insert(name.to_owned(), value.to_owned()).is_some() {
            return Err(Failure::usage(service::set_twice(name)));
        }
    }
    Ok(assigned)
}

/// The properties of groups, with their defaults, which take no license.
const GROUP_PROPERTIES: [(&str, &str); 2] = [
    ("oidc_group_claim_path", "$.groups"),
    ("nested_group_behavior", "none"),
];
/// Values of other properties that take a license.
const LICENSED: [(&str, &str); 4] = [
    ("audit_enabled", "true"),
    ("schema_registry_enable_authorization", "true"),
    ("http_authentication", "OIDC"),
    ("sasl_mechanisms", "OAUTHBEARER"),
];

/// What these properties need of a cluster.
fn needs(assigned: &BTreeMap<String, String>) -> Vec<TargetNeed> {
    let mut needs = vec![TargetNeed::AdminApi];
    let mut is_licensed = false;
    for (name, default) in GROUP_PROPERTIES {
        if let Some(value) = assigned.get(name) {
            needs.push(TargetNeed::Groups);
            is_licensed |= !value.is_empty() && value != default;
        }
    }
    needs.dedup();
    for (name, part) in LICENSED {
        if let Some(value) = assigned.get(name) {
            is_licensed |= value.contains(part);
        }
    }
    if is_licensed {
        needs.push(TargetNeed::License);
    }
    needs
}

fn set(
    process: &Process,
    client: &Client,
    assigned: BTreeMap<String, String>,
    format: Format,
) -> Result<(), Failure> {
    platform::require(client, &needs(&assigned))?;
    let schema: ConfigSchema = client.get(paths::CLUSTER_CONFIG_SCHEMA)?;
    let mut change = ConfigChange::default();
    for (name, text) in assigned {
        // An unknown property is sent unchanged, and the service reports it by name.
        let kind = match schema.properties.get(&name) {
            Some(property) => property.kind.as_str(),
            None => "string",
        };
        if text.is_empty() && kind != "string" {
            change.remove.push(name);
        } else {
            let value = typed(kind, &name, text)?;
            change.upsert.insert(name, value);
        }
    }
    let done: ConfigVersion = client.change(Method::PUT, paths::CLUSTER_CONFIG, &change)?;
    let version = done.config_version;
    match format {
        Format::Json | Format::Yaml => output::value(process, format, &done),
        Format::Text => output::text(
            process,
            &format!("{}\n", service::config_updated(&version.to_string())),
        ),
    }
}

/// Converts the value of a property to its type. Text that is not of this type is sent unchanged,
/// and the service reports the expected type.
fn typed(kind: &str, name: &str, text: String) -> Result<Value, Failure> {
    if kind == "array" && !text.starts_with('[') {
        return Ok(input::bare_names(name, &[text])?.into());
    }
    Ok(match (kind, serde_json::from_str(&text)) {
        ("integer" | "boolean", Ok(value @ (Value::Number(_) | Value::Bool(_)))) => value,
        ("array", Ok(value @ Value::Array(_))) => value,
        _ => Value::String(text),
    })
}

fn list_loggers(process: &Process, client: &Client, format: Format) -> Result<(), Failure> {
    let loggers: Vec<Logger> = client.get(&paths::loggers())?;
    match format {
        Format::Json | Format::Yaml => output::value(process, format, &loggers),
        Format::Text => {
            let mut rows = Vec::new();
            for logger in loggers {
                rows.push(vec![logger.name, logger.level.unwrap_or_default()]);
            }
            output::text(process, &table(process, &["NAME", "LEVEL"], rows))
        }
    }
}

/// Sets one logger after the other; a refused one does not stop the others.
fn set_level(
    process: &Process,
    client: &Client,
    args: &SetLevelArgs,
    format: Format,
) -> Result<u8, Failure> {
    platform::require(client, &[TargetNeed::AdminApi])?;
    let mut names = args.loggers.clone();
    if names.iter().any(|name| name == "all") {
        let loggers: Vec<Logger> = client.get(paths::LOGGERS)?;
        names = loggers.into_iter().map(|logger| logger.name).collect();
    }
    let (mut successes, mut failures) = (Vec::new(), Vec::new());
    for name in names {
        let path = paths::log_level(&name, Some((&args.level, args.expiry_seconds)));
        match client.put::<ChangedLogLevel>(&path) {
            Ok(changed) => successes.push(changed),
            Err(error @ CallError::Refused(_)) => failures.push((name, error.to_string())),
            Err(error) => return Err(error.into()),
        }
    }
    match format {
        Format::Json | Format::Yaml => {
            let mut failed = Vec::new();
            for (name, message) in &failures {
                failed.push(FailedLogLevel { name, message });
            }
            let result = ChangedLogLevels {
                successes: &successes,
                failures: failed,
            };
            output::value(process, format, &result)?;
        }
        Format::Text => output::text(process, &levels(process, &successes, &failures))?,
    }
    Ok(output::exit_code(failures.is_empty()))
}

fn levels(
    process: &Process,
    successes: &[ChangedLogLevel],
    failures: &[(String, String)],
) -> String {
    let mut text = String::new();
    if !successes.is_empty() {
        let mut rows = Vec::new();
        for changed in successes.iter().cloned() {
            let reverts = match changed.expiration {
                0 => "never".into(),
                seconds => format!("in {}", duration(seconds as f64)),
            };
            rows.push(vec![
                changed.name,
                changed.new_level,
                changed.previous_level,
                reverts,
            ]);
        }
        let head = ["NAME", "LEVEL", "BEFORE", "REVERTS"];
        let _ = write!(text, "SUCCESSES\n{}", table(process, &head, rows));
    }
    if !failures.is_empty() {
        let gap = if text.is_empty() { "" } else { "\n" };
        let mut rows = Vec::new();
        for (name, error) in failures {
            rows.push(vec![name.clone(), error.clone()]);
        }
        let failed = table(process, &["NAME", "ERROR"], rows);
        let _ = write!(text, "{gap}FAILURES\n{failed}");
    }
    text
}

fn license(
    process: &Process,
    client: &Client,
    assigned: Option<LicenseArg>,
    format: Format,
) -> Result<(), Failure> {
    let held: Result<LicenseBody, CallError> = match assigned {
        None => client.get(paths::LICENSE),
        Some(state) => {
            let body = LicenseBody {
                license: state.into(),
                pinned: false,
            };
            client.change(Method::PUT, paths::LICENSE, &body)
        }
    };
    let held = held.map_err(|error| platform::without_license_call(client, error))?;
    match format {
        Format::Json | Format::Yaml => output::value(process, format, &held),
        Format::Text => {
            let license = json!(held.license);
            let license = service::license(license.as_str().unwrap_or_default(), held.pinned);
            output::text(process, &format!("{license}\n"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_type_of_their_property() {
        let typed = |kind, text: &str| typed(kind, "x", text.into()).unwrap();
        assert_eq!(typed("string", "true"), json!("true"));
        assert_eq!(typed("boolean", "true"), json!(true));
        assert_eq!(typed("integer", "60"), json!(60));
        assert_eq!(typed("integer", "sixty"), json!("sixty"));
        assert_eq!(typed("array", "a,b"), json!(["a", "b"]));
        assert_eq!(typed("array", r#"["a,b"]"#), json!(["a,b"]));
        assert_eq!(typed("array", "[a"), json!("[a"));
    }

    #[test]
    fn assignments_are_a_pair_or_have_equals_signs() {
        let read = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            parse_assignments(&words).map_err(|failure| failure.to_string())
        };
        assert_eq!(read(&["a", "$.x=y"]).unwrap()["a"], "$.x=y");
        assert_eq!(
            read(&["a=b=c", "d="]).unwrap(),
            BTreeMap::from([("a".into(), "b=c".into()), ("d".into(), String::new())])
        );
        assert!(
            read(&["a"]).is_err() && read(&["a=b", "c"]).is_err() && read(&["a=b", "a=c"]).is_err()
        );
    }

    #[test]
    fn only_values_that_take_a_license_need_one() {
        let needs =
            |name: &str, value: &str| needs(&BTreeMap::from([(name.to_owned(), value.to_owned())]));
        use TargetNeed::{AdminApi, Groups, License};
        assert_eq!(needs("superusers", "admin"), [AdminApi]);
        assert_eq!(
            needs("oidc_group_claim_path", "$.roles"),
            [AdminApi, Groups, License]
        );
        assert_eq!(
            needs("oidc_group_claim_path", "$.groups"),
            [AdminApi, Groups]
        );
        assert_eq!(needs("nested_group_behavior", ""), [AdminApi, Groups]);
        assert_eq!(
            needs("sasl_mechanisms", "SCRAM,OAUTHBEARER"),
            [AdminApi, License]
        );
        assert_eq!(needs("audit_enabled", "false"), [AdminApi]);
    }

    #[test]
    fn values_are_printed_as_yaml() {
        assert_eq!(yaml(&json!("$.groups")), "$.groups");
        assert_eq!(yaml(&json!(["a", "b"])), "- a\n- b");
        assert_eq!(
            (yaml(&json!([])), yaml(&json!(30))),
            ("[]".into(), "30".into())
        );
    }
}
