//! `/v1/loggers` and `/v1/config/log_level`: the log levels, and when they revert (specification
//! 4.4, 8, D-24).

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gbac_api::loggers::{ChangedLogLevel, LogLevel, Logger};
use gbac_api::paths;
use gbac_api::problem::RpcCode;
use gbac_engine::escape::escaped;
use serde_json::json;
use tracing::Level;

use super::registration::Routes;
use crate::http::access::Access;
use crate::http::problem::Problem;
use crate::http::query::{flag, pairs, value};
use crate::http::surface::Surface;
use crate::logging::{self, LEVEL_NAMES};
use crate::state::service::Service;

const SURFACE: Surface = Surface::Admin;
/// The default time in seconds after which a level reverts.
const DEFAULT_EXPIRY: u32 = 300;

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route(paths::LOGGERS, Access::SUPERUSER, get(list))
        .route(
            &format!("{}/{{name}}", paths::LOG_LEVEL),
            Access::SUPERUSER,
            get(read).put(write),
        )
}

fn level_name(level: Level) -> String {
    LEVEL_NAMES
        .iter()
        .find(|(_, known)| *known == level)
        .map(|(name, _)| (*name).to_owned())
        .unwrap_or_default()
}

async fn list(RawQuery(query): RawQuery) -> Response {
    match pairs(query).and_then(|pairs| flag(&pairs, "include-levels")) {
        Ok(levels) => {
            let level = |name| {
                levels
                    .unwrap_or(false)
                    .then(|| logging::level(name).map(level_name))
                    .flatten()
            };
            let all: Vec<Logger> = logging::names()
                .map(|name| Logger {
                    name: name.into(),
                    level: level(name),
                })
                .collect();
            Json(all).into_response()
        }
        Err(problem) => problem.into_response(SURFACE),
    }
}

fn logger(name: Result<Path<String>, PathRejection>) -> Result<(String, Level), Problem> {
    let bad = "the logger name in the path is not percent-encoded UTF-8";
    let Path(name) = name.map_err(|_| Problem::new(RpcCode::InvalidArgument, bad))?;
    match logging::level(&name) {
        Some(level) => Ok((name, level)),
        None => {
            let known: Vec<&str> = logging::names().collect();
            let message = format!(
                "Cannot set log level: unknown logger {{{}}}; the loggers are {}",
                escaped(&name),
                known.join(", ")
            );
            Err(Problem::new(RpcCode::InvalidArgument, message))
        }
    }
}

async fn read(
    State(service): State<Service>,
    name: Result<Path<String>, PathRejection>,
) -> Response {
    match logger(name) {
        Ok((name, level)) => {
            let expiration = service.log_levels().expiration(&name);
            Json(LogLevel {
                name,
                level: level_name(level),
                expiration,
            })
            .into_response()
        }
        Err(problem) => problem.into_response(SURFACE),
    }
}

async fn write(
    State(service): State<Service>,
    name: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
) -> Response {
    let set = async {
        let (name, before) = logger(name)?;
        let pairs = pairs(query)?;
        // On the platform, `force` permits expiry times that it would shorten. Here, none is
        // shortened.
        flag(&pairs, "force")?;
        let wanted = value(&pairs, "level").unwrap_or_default();
        let invalid = |message: String| Problem::new(RpcCode::InvalidArgument, message);
        let level =
            LEVEL_NAMES.iter().find(|(known, _)| *known == wanted).map(|(_, level)| *level).ok_or_else(|| {
                let levels = LEVEL_NAMES.map(|(known, _)| known).join(", ");
                let wanted = escaped(wanted);
                invalid(format!(
                    "Cannot set log level for {{{name}}}: unknown level {{{wanted}}}; the levels are {levels}"
                ))
            })?;
        let expires = value(&pairs, "expires").map_or(Ok(DEFAULT_EXPIRY), |text| {
            let message = format!(
                "`expires` is `{}`; it must be a number of seconds; 0 never reverts",
                escaped(text)
            );
            text.parse::<u32>().map_err(|_| invalid(message))
        })?;
        let after = json!({ "level": level_name(level), "expires": expires });
        service
            .record_value(
                "logger",
                &name,
                &json!({ "level": level_name(before) }),
                &after,
            )
            .await?;
        let previous = service
            .log_levels()
            .set(&name, level, expires)
            .unwrap_or(level);
        let (previous_level, new_level) = (level_name(previous), level_name(level));
        tracing::info!(target: "main", logger = name, from = previous_level, to = new_level, expires, "log level changed");
        Ok::<_, Problem>(
            Json(ChangedLogLevel {
                name,
                previous_level,
                new_level,
                expiration: expires.into(),
            })
            .into_response(),
        )
    };
    set.await
        .unwrap_or_else(|problem| problem.into_response(SURFACE))
}
