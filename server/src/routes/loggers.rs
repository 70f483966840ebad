//! `/v1/loggers` and `/v1/config/log_level`: the log levels, and when they revert (specification
//! 4.4, 8, D-24).

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::routing::get;
use gbac_api::encode::first_value;
use gbac_api::loggers::{ChangedLogLevel, LogLevel, Logger};
use gbac_api::paths;
use gbac_engine::escape::escaped;
use serde_json::json;
use tracing::Level;

use super::registration::Routes;
use crate::http::access::Access;
use crate::http::problem::Problem;
use crate::http::query::{flag, pairs};
use crate::http::surface::Surface;
use crate::logging::{self, LEVEL_NAMES};
use crate::state::service::Service;

/// The default time in seconds after which a level reverts.
const DEFAULT_EXPIRY: u32 = 300;

pub(crate) fn routes() -> Routes {
    Routes::new(Surface::Admin)
        .prefix(paths::LOGGERS, Access::SUPERUSER)
        .prefix("/v1/config", Access::SUPERUSER)
        .route(paths::LOGGERS, Access::SUPERUSER, get(list))
        .route(
            &format!("{}/{{name}}", paths::LOG_LEVEL),
            Access::SUPERUSER,
            get(read).put(write),
        )
}

fn level_name(level: Level) -> String {
    match LEVEL_NAMES.iter().find(|(_, known)| *known == level) {
        Some((name, _)) => (*name).to_owned(),
        None => String::new(),
    }
}

async fn list(RawQuery(query): RawQuery) -> Result<Json<Vec<Logger>>, Problem> {
    let with_levels = flag(&pairs(query)?, "include-levels")?.unwrap_or(false);
    let mut loggers = Vec::new();
    for name in logging::names() {
        let level = logging::level(name).filter(|_| with_levels);
        loggers.push(Logger {
            name: name.into(),
            level: level.map(level_name),
        });
    }
    Ok(Json(loggers))
}

fn logger(name: Result<Path<String>, PathRejection>) -> Result<(String, Level), Problem> {
    let Ok(Path(name)) = name else {
        let message = "the logger name in the path is not percent-encoded UTF-8";
        return Err(Problem::invalid(message));
    };
    match logging::level(&name) {
        Some(level) => Ok((name, level)),
        None => {
            let known: Vec<&str> = logging::names().collect();
            let message = format!(
                "Cannot set log level: unknown logger {{{}}}; the loggers are {}",
                escaped(&name),
                known.join(", ")
            );
            Err(Problem::invalid(message))
        }
    }
}

async fn read(
    State(service): State<Service>,
    name: Result<Path<String>, PathRejection>,
) -> Result<Json<LogLevel>, Problem> {
    let (name, level) = logger(name)?;
    let expiration = service.log_levels().expiration(&name);
    Ok(Json(LogLevel {
        name,
        level: level_name(level),
        expiration,
    }))
}

async fn write(
    State(service): State<Service>,
    name: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
) -> Result<Json<ChangedLogLevel>, Problem> {
    let (name, before) = logger(name)?;
    let pairs = pairs(query)?;
    // On the platform, `force` permits expiry times that it would shorten. Here, none is shortened.
    flag(&pairs, "force")?;
    let level = wanted_level(&name, first_value(&pairs, "level").unwrap_or_default())?;
    let expires = match first_value(&pairs, "expires") {
        Some(text) => expiry(text)?,
        None => DEFAULT_EXPIRY,
    };
    let before = json!({ "level": level_name(before) });
    let after = json!({ "level": level_name(level), "expires": expires });
    service
        .record_value("logger", &name, &before, &after)
        .await?;
    let previous = service
        .log_levels()
        .set(&name, level, expires)
        .unwrap_or(level);
    let (previous_level, new_level) = (level_name(previous), level_name(level));
    tracing::info!(target: "main", logger = name, from = previous_level, to = new_level, expires, "log level changed");
    Ok(Json(ChangedLogLevel {
        name,
        previous_level,
        new_level,
        expiration: expires.into(),
    }))
}

/// The level with this name, for a logger.
fn wanted_level(logger: &str, wanted: &str) -> Result<Level, Problem> {
    match LEVEL_NAMES.iter().find(|(known, _)| *known == wanted) {
        Some((_, level)) => Ok(*level),
        None => {
            let levels = LEVEL_NAMES.map(|(known, _)| known).join(", ");
            let wanted = escaped(wanted);
            let message = format!(
                "Cannot set log level for {{{logger}}}: unknown level {{{wanted}}}; the levels are {levels}"
            );
            Err(Problem::invalid(message))
        }
    }
}

/// The seconds after which a level reverts.
fn expiry(text: &str) -> Result<u32, Problem> {
    match text.parse() {
        Ok(seconds) => Ok(seconds),
        Err(_) => {
            let message = format!(
                "`expires` is `{}`; it must be a number of seconds; 0 never reverts",
                escaped(text)
            );
            Err(Problem::invalid(message))
        }
    }
}
