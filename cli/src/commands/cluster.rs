//! `gbac cluster`: properties, loggers and license of a running service.

use std::collections::BTreeMap;
use std::fmt::Write;

use gbac_api::cluster_config::{ConfigChange, ConfigSchema, ConfigVersion};
use gbac_api::license::{LicenseBody, LicenseStatus};
use gbac_api::loggers::{ChangedLogLevel, Logger};
use gbac_api::paths;
use gbac_api::target::TargetNeed;
use gbac_words::commands::service;
use gbac_words::phrases::duration;
use reqwest::Method;
use serde_json::{Value, json};

use super::target;
use crate::args::online::{
    AdminCommand, AdminConfigCommand, ClusterCommand, ConfigCommand, ConnectArgs, LicenseCommand,
    LogLevelCommand, LoggersCommand, SetLevelArgs,
};
use crate::args::{Format, LicenseArg};
use crate::client::{CallError, Client};
use crate::lists;
use crate::output::{self, Failure, plain};
use crate::process::Process;
use crate::results::{ChangedLogLevels, FailedLogLevel};
use crate::table::table;

pub(crate) fn run(
    process: &Process,
    connect: &ConnectArgs,
    command: &ClusterCommand,
    format: Format,
) -> Result<u8, Failure> {
    let client = || Client::open(process, connect);
    match command {
        ClusterCommand::Config {
            command: ConfigCommand::Get { name },
        } => get(process, &client()?, name, format)?,
        ClusterCommand::Config {
            command: ConfigCommand::Set { assignments },
        } => {
            let assigned = parse_assignments(assignments)?;
            set(process, &client()?, assigned, format)?;
        }
        ClusterCommand::Config {
            command: ConfigCommand::List,
        } => list(process, &client()?, format)?,
        ClusterCommand::Loggers {
            command: LoggersCommand::Set(args),
        } => {
            return set_level(process, &client()?, args, format);
        }
        ClusterCommand::Loggers {
            command: LoggersCommand::List,
        } => list_loggers(process, &client()?, format)?,
        ClusterCommand::License { command } => {
            let state = command.as_ref().map(|LicenseCommand::Set { state }| *state);
            license(process, &client()?, state, format)?;
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
        Value::Array(items) if !items.is_empty() => items
            .iter()
            .map(|item| format!("- {}", yaml(item)))
            .collect::<Vec<_>>()
            .join("\n"),
        other => plain(&other.to_string()),
    }
}

fn list(process: &Process, client: &Client, format: Format) -> Result<(), Failure> {
    let values: Properties = client.get(paths::CLUSTER_CONFIG)?;
    match format {
        Format::Json | Format::Yaml => output::value(process, format, &values),
        Format::Text => {
            let bare = |value: &Value| {
                value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned)
            };
            let rows: Vec<_> = values
                .iter()
                .map(|(name, value)| vec![name.clone(), bare(value)])
                .collect();
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
        let (name, value) = word.split_once('=').ok_or_else(|| {
            Failure::usage(format!(
                "`{word}` has no value; write NAME VALUE or NAME=VALUE"
            ))
        })?;
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
    let value = |name: &str| assigned.get(name).map(String::as_str);
    if GROUP_PROPERTIES
        .iter()
        .any(|(name, _)| value(name).is_some())
    {
        needs.push(TargetNeed::Groups);
    }
    let of_groups = GROUP_PROPERTIES.iter().any(|(name, default)| {
        value(name).is_some_and(|value| !value.is_empty() && value != *default)
    });
    if of_groups
        || LICENSED
            .iter()
            .any(|(name, part)| value(name).is_some_and(|value| value.contains(part)))
    {
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
    target::require(client, &needs(&assigned))?;
    let schema: ConfigSchema = client.get(paths::CLUSTER_CONFIG_SCHEMA)?;
    let mut change = ConfigChange::default();
    for (name, text) in assigned {
        // An unknown property is sent unchanged, and the service reports it by name.
        let kind = schema
            .properties
            .get(&name)
            .map_or("string", |property| property.kind.as_str());
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
    let json = || serde_json::from_str::<Value>(&text).ok();
    Ok(match kind {
        "integer" | "boolean" => json().filter(|value| value.is_number() || value.is_boolean()),
        "array" if text.starts_with('[') => json().filter(Value::is_array),
        "array" => Some(lists::bare_names(name, std::slice::from_ref(&text))?.into()),
        _ => None,
    }
    .unwrap_or(Value::String(text)))
}

fn list_loggers(process: &Process, client: &Client, format: Format) -> Result<(), Failure> {
    let loggers: Vec<Logger> = client.get(&paths::loggers())?;
    match format {
        Format::Json | Format::Yaml => output::value(process, format, &loggers),
        Format::Text => {
            let row = |logger: Logger| vec![logger.name, logger.level.unwrap_or_default()];
            output::text(
                process,
                &table(
                    process,
                    &["NAME", "LEVEL"],
                    loggers.into_iter().map(row).collect::<Vec<_>>(),
                ),
            )
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
    target::require(client, &[TargetNeed::AdminApi])?;
    let names = if args.loggers.iter().any(|name| name == "all") {
        client
            .get::<Vec<Logger>>(paths::LOGGERS)?
            .into_iter()
            .map(|logger| logger.name)
            .collect()
    } else {
        args.loggers.clone()
    };
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
            let failed = failures
                .iter()
                .map(|(name, message)| FailedLogLevel { name, message });
            output::value(
                process,
                format,
                &ChangedLogLevels {
                    successes: &successes,
                    failures: failed.collect(),
                },
            )?;
        }
        Format::Text => output::text(process, &levels(process, &successes, &failures))?,
    }
    Ok(if failures.is_empty() {
        output::SUCCESS
    } else {
        output::ERROR
    })
}

fn levels(
    process: &Process,
    successes: &[ChangedLogLevel],
    failures: &[(String, String)],
) -> String {
    let mut text = String::new();
    if !successes.is_empty() {
        let reverts = |seconds: u64| {
            if seconds == 0 {
                "never".into()
            } else {
                format!("in {}", duration(seconds as f64))
            }
        };
        let row = |changed: &ChangedLogLevel| {
            let ChangedLogLevel {
                name,
                previous_level,
                new_level,
                expiration,
            } = changed.clone();
            vec![name, new_level, previous_level, reverts(expiration)]
        };
        let rows: Vec<_> = successes.iter().map(row).collect();
        let _ = write!(
            text,
            "SUCCESSES\n{}",
            table(process, &["NAME", "LEVEL", "BEFORE", "REVERTS"], rows)
        );
    }
    if !failures.is_empty() {
        let gap = if text.is_empty() { "" } else { "\n" };
        let rows: Vec<_> = failures
            .iter()
            .map(|(name, error)| vec![name.clone(), error.clone()])
            .collect();
        let _ = write!(
            text,
            "{gap}FAILURES\n{}",
            table(process, &["NAME", "ERROR"], rows)
        );
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
            let license = match state {
                LicenseArg::Valid => LicenseStatus::Valid,
                LicenseArg::Expired => LicenseStatus::Expired,
                LicenseArg::Missing => LicenseStatus::Missing,
            };
            client.change(
                Method::PUT,
                paths::LICENSE,
                &LicenseBody {
                    license,
                    pinned: false,
                },
            )
        }
    };
    let held = held.map_err(|error| target::without_license_call(client, error))?;
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
