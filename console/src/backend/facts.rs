//! Reads properties, loggers, license, audit events and address of a cluster.

use gbac_api::audit::{AuditEvents, AuditQuery};
use gbac_api::cluster_config::{ConfigChange, ConfigSchema, ConfigVersion};
use gbac_api::license::LicenseBody;
use gbac_api::loggers::{ChangedLogLevel, LogLevel, Logger};
use gbac_api::paths;
use gbac_api::what_if::{SettingsReport, SettingsWhatIf};
use gbac_console_model::connection::ConnectionTarget;
use gbac_console_model::failure::Failure;
use gbac_console_model::saved_tests::ServiceTests;
use gbac_words::pages::backend as words;
use gloo_net::http::Method;
use serde_json::{Map, Value};

use super::Call;

/// The cluster properties by name.
///
/// # Errors
/// No answer, a refusal, or an answer of another shape.
pub async fn properties(target: &ConnectionTarget) -> Result<Map<String, Value>, Failure> {
    Call::get(admin(target, &paths::cluster_config(None))?, target)
        .read()
        .await
}

/// What the cluster properties are; which of them the command line has set.
///
/// # Errors
/// No answer, a refusal, or an answer of another shape.
pub async fn schema(target: &ConnectionTarget) -> Result<ConfigSchema, Failure> {
    Call::get(admin(target, paths::CLUSTER_CONFIG_SCHEMA)?, target)
        .read()
        .await
}

/// Changes cluster properties: all of it or nothing.
///
/// # Errors
/// No answer, or a refusal, which names each property with what is wrong.
pub async fn change_properties(
    change: &ConfigChange,
    target: &ConnectionTarget,
) -> Result<(), Failure> {
    let path = admin(target, paths::CLUSTER_CONFIG)?;
    let call = Call::new(Method::PUT, path, target).json(change)?;
    call.read::<ConfigVersion>().await.map(drop)
}

/// The loggers with their levels.
///
/// # Errors
/// No answer, a refusal, or an answer of another shape.
pub async fn loggers(target: &ConnectionTarget) -> Result<Vec<Logger>, Failure> {
    Call::get(admin(target, &paths::loggers())?, target)
        .read()
        .await
}

/// The level of one logger, and in how many seconds it reverts.
///
/// # Errors
/// No answer, a refusal, or an answer of another shape.
pub async fn log_level(name: &str, target: &ConnectionTarget) -> Result<LogLevel, Failure> {
    Call::get(admin(target, &paths::log_level(name, None))?, target)
        .read()
        .await
}

/// Sets the level of a logger for so many seconds; 0 never reverts.
///
/// # Errors
/// No answer, a refusal, or an answer of another shape.
pub async fn set_log_level(
    name: &str,
    level: &str,
    seconds: u32,
    target: &ConnectionTarget,
) -> Result<ChangedLogLevel, Failure> {
    let path = admin(
        target,
        &paths::log_level(name, Some((level, Some(seconds)))),
    )?;
    Call::new(Method::PUT, path, target).read().await
}

/// What the service's license is.
///
/// # Errors
/// No answer, a refusal, or an answer of another shape.
pub async fn license(target: &ConnectionTarget) -> Result<LicenseBody, Failure> {
    Call::get(target.own_path(paths::LICENSE), target)
        .read()
        .await
}

/// The tests that are stored with the service.
///
/// # Errors
/// No answer, a refusal, or an answer of another shape.
pub async fn tests(target: &ConnectionTarget) -> Result<ServiceTests, Failure> {
    let answer = Call::get(target.own_path(paths::TESTS), target)
        .send()
        .await?;
    ServiceTests::read(&answer.text, answer.tag.unwrap_or_default())
}

/// Replaces the tests of the service that were read in this state.
///
/// # Errors
/// No answer, or a refusal; a 412 when the service has other tests by now.
pub async fn put_tests(body: String, etag: &str, target: &ConnectionTarget) -> Result<(), Failure> {
    let call = Call::new(Method::PUT, target.own_path(paths::TESTS), target);
    call.over(etag, None).text(body).send().await.map(drop)
}

/// The last audit events of the service, newest first.
///
/// # Errors
/// No answer, a refusal, or an answer of another shape.
pub async fn events(limit: usize, target: &ConnectionTarget) -> Result<Vec<Value>, Failure> {
    let path = target.own_path(&paths::audit(AuditQuery { limit }));
    let events: AuditEvents = Call::get(path, target).read().await?;
    Ok(events.events)
}

/// What other settings of the brokers would change.
///
/// # Errors
/// No answer, a refusal, or an answer of another shape.
pub async fn what_if(
    request: &SettingsWhatIf,
    target: &ConnectionTarget,
) -> Result<SettingsReport, Failure> {
    let path = target.own_path(paths::CLUSTER_WHAT_IF);
    Call::new(Method::POST, path, target)
        .json(request)?
        .read()
        .await
}

/// What the Control Plane behind `control_plane` says about a cluster.
///
/// # Errors
/// No answer, a refusal, or an answer that is no JSON.
pub async fn cluster_of(
    control_plane: &str,
    id: &str,
    target: &ConnectionTarget,
) -> Result<Value, Failure> {
    Call::get(format!("{control_plane}{}", paths::cluster(id)), target)
        .read()
        .await
}

pub(super) fn admin(target: &ConnectionTarget, path: &str) -> Result<String, Failure> {
    match &target.admin {
        Some(base) => Ok(format!("{base}{path}")),
        None => Err(Failure::impossible("no_admin", words::NO_ADMIN_API)),
    }
}
