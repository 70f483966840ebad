//! `/v1/loggers` and `/v1/config/log_level`: what each logger writes, and when that reverts (specification 4.4, 8, D-24).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gbac_api::loggers::{ChangedLogLevel, LogLevel, Logger};
use gbac_api::paths;
use gbac_api::problem::RpcCode;
use gbac_engine::escape::escaped;
use tokio::time::{Instant, sleep_until};
use tracing::Level;

use crate::access::{Access, Routes};
use crate::app::App;
use crate::cluster_config::{flag, pairs};
use crate::fault::{Fault, Surface};
use crate::lock::Lock;
use crate::log;

const SURFACE: Surface = Surface::Admin;
/// After how many seconds a level reverts when nobody says.
const EXPIRES: u32 = 300;

/// The levels that will revert.
#[derive(Clone, Default)]
pub(crate) struct Levels(Arc<Lock<BTreeMap<String, Reverting>>>);

struct Reverting {
    to: Level,
    at: Instant,
}

impl Levels {
    /// Gives a logger a level, for so many seconds unless that is 0; says which one it had. Whatever it is changed to
    /// meanwhile, it reverts to the level that it had before the first of these changes.
    fn set(&self, name: &str, level: Level, expires: u32) -> Option<Level> {
        let (previous, until) = self.0.with(|reverting| {
            let previous = log::level(name)?;
            log::set_level(name, level);
            let to = reverting.remove(name).map_or(previous, |known| known.to);
            let until = (expires > 0).then(|| Instant::now() + Duration::from_secs(expires.into()));
            if let Some(at) = until {
                reverting.insert(name.to_owned(), Reverting { to, at });
            }
            Some((previous, until))
        })?;
        if let Some(at) = until {
            let (this, name) = (self.clone(), name.to_owned());
            tokio::spawn(async move {
                sleep_until(at).await;
                this.revert(&name, at);
            });
        }
        Some(previous)
    }

    /// Reverts a level, unless it was changed again in the meantime.
    fn revert(&self, name: &str, at: Instant) {
        self.0.with(|reverting| {
            if reverting.get(name).is_some_and(|known| known.at == at)
                && let Some(known) = reverting.remove(name)
            {
                log::set_level(name, known.to);
            }
        });
    }

    /// In how many seconds, rounded up, a logger's level reverts; 0 when it does not.
    fn expiration(&self, name: &str) -> u64 {
        let left = self.0.with(|reverting| reverting.get(name).map(|known| known.at.duration_since(Instant::now())));
        left.map_or(0, |left| left.as_secs() + u64::from(left.subsec_nanos() > 0))
    }
}

pub(crate) fn routes() -> Routes {
    Routes::new().route(paths::LOGGERS, Access::SUPERUSER, get(list)).route(
        &format!("{}/{{name}}", paths::LOG_LEVEL),
        Access::SUPERUSER,
        get(read).put(write),
    )
}

/// The levels' names, the gravest first.
const LEVELS: [(&str, Level); 5] = [
    ("error", Level::ERROR),
    ("warn", Level::WARN),
    ("info", Level::INFO),
    ("debug", Level::DEBUG),
    ("trace", Level::TRACE),
];

fn written(level: Level) -> String {
    LEVELS.iter().find(|(_, known)| *known == level).map(|(name, _)| (*name).to_owned()).unwrap_or_default()
}

async fn list(RawQuery(query): RawQuery) -> Response {
    match pairs(query).and_then(|pairs| flag(&pairs, "include-levels")) {
        Ok(levels) => {
            let level = |name| levels.unwrap_or(false).then(|| log::level(name).map(written)).flatten();
            let all: Vec<Logger> = log::names().map(|name| Logger { name: name.into(), level: level(name) }).collect();
            Json(all).into_response()
        }
        Err(fault) => fault.answer(SURFACE),
    }
}

fn named(name: Result<Path<String>, PathRejection>) -> Result<(String, Level), Fault> {
    let bad = "the logger's name in the path is not percent-encoded UTF-8";
    let Path(name) = name.map_err(|_| Fault::new(RpcCode::InvalidArgument, bad))?;
    match log::level(&name) {
        Some(level) => Ok((name, level)),
        None => {
            let known: Vec<&str> = log::names().collect();
            let message = format!(
                "Cannot set log level: unknown logger {{{}}}; the loggers are {}",
                escaped(&name),
                known.join(", ")
            );
            Err(Fault::new(RpcCode::InvalidArgument, message))
        }
    }
}

async fn read(State(app): State<App>, name: Result<Path<String>, PathRejection>) -> Response {
    match named(name) {
        Ok((name, level)) => {
            let expiration = app.levels().expiration(&name);
            Json(LogLevel { name, level: written(level), expiration }).into_response()
        }
        Err(fault) => fault.answer(SURFACE),
    }
}

async fn write(
    State(app): State<App>,
    name: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
) -> Response {
    let set = || {
        let (name, _) = named(name)?;
        let pairs = pairs(query)?;
        // The platform's word for levels that it would shorten; nothing is shortened here.
        flag(&pairs, "force")?;
        let text = |wanted| pairs.iter().find(|(known, _)| known == wanted).map(|(_, value)| value.as_str());
        let wanted = text("level").unwrap_or_default();
        let bad = |message: String| Fault::new(RpcCode::InvalidArgument, message);
        let level = LEVELS.iter().find(|(known, _)| *known == wanted).map(|(_, level)| *level).ok_or_else(|| {
            let levels = LEVELS.map(|(known, _)| known).join(", ");
            let wanted = escaped(wanted);
            bad(format!("Cannot set log level for {{{name}}}: unknown level {{{wanted}}}; the levels are {levels}"))
        })?;
        let expires = text("expires").map_or(Ok(EXPIRES), |text| {
            let message = format!("`expires` is `{}`; it must be a number of seconds, 0 for never", escaped(text));
            text.parse::<u32>().map_err(|_| bad(message))
        })?;
        let previous = app.levels().set(&name, level, expires).unwrap_or(level);
        let (previous_level, new_level) = (written(previous), written(level));
        tracing::info!(target: "main", logger = name, from = previous_level, to = new_level, expires, "log level changed");
        Ok::<_, Fault>(
            Json(ChangedLogLevel { name, previous_level, new_level, expiration: expires.into() }).into_response(),
        )
    };
    set().unwrap_or_else(|fault| fault.answer(SURFACE))
}

#[cfg(test)]
mod tests {
    use tokio::time::sleep;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_level_reverts_to_what_it_was_before_the_first_change() {
        let (levels, name) = (Levels::default(), "store");
        assert_eq!(levels.set("nothing", Level::DEBUG, 1), None);
        assert_eq!(levels.set(name, Level::DEBUG, 300), Some(Level::INFO));
        sleep(Duration::from_millis(100_500)).await;
        assert_eq!((log::level(name), levels.expiration(name)), (Some(Level::DEBUG), 200));
        assert_eq!(levels.set(name, Level::TRACE, 300), Some(Level::DEBUG));
        sleep(Duration::from_secs(250)).await;
        assert_eq!(log::level(name), Some(Level::TRACE), "the first change no longer reverts");
        sleep(Duration::from_secs(51)).await;
        assert_eq!((log::level(name), levels.expiration(name)), (Some(Level::INFO), 0));

        levels.set(name, Level::WARN, 10);
        levels.set(name, Level::ERROR, 0);
        sleep(Duration::from_secs(1000)).await;
        assert_eq!((log::level(name), levels.expiration(name)), (Some(Level::ERROR), 0), "0 is for ever");
        levels.set(name, Level::INFO, 0);
    }
}
