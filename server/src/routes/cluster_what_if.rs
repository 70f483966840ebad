//! `/gbac/v1/cluster/what-if`: what decides access besides ACLs, and what other values would change
//! for who was seen (D-139). It changes nothing.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use gbac_analysis::brokers::{
    BrokerRules, BrokerSetting, BrokerSettingError, BrokerSettings, SeenCallers, settings_effect,
};
use gbac_api::paths;
use gbac_api::what_if::{SeenIn, SettingsReport, SettingsWhatIf};
use gbac_engine::model::Dialect;
use gbac_engine::policy::{Change, Policy, Superusers};
use gbac_words::settings_effect as words;
use serde_json::Value;

use super::registration::Routes;
use crate::http::access::{Access, ReadMethods};
use crate::http::body;
use crate::http::long_read::LongRead;
use crate::http::problem::Problem;
use crate::http::surface::Surface;
use crate::state::service::Service;

/// The largest body, because of its lines.
const MAX_BYTES: usize = 8 << 20;
/// How many of the last audit events are read.
const EVENTS: usize = 1_000;
/// How many callers, and requests of each, the response has.
const LISTED: usize = 100;

pub(crate) fn routes() -> Routes {
    let access = Access::Superuser(ReadMethods::All);
    Routes::new(Surface::Gbac).route(paths::CLUSTER_WHAT_IF, access, post(answer))
}

async fn answer(
    State(service): State<Service>,
    read: LongRead,
    request: Request,
) -> Result<Response, Problem> {
    let text = body::text(request, MAX_BYTES, body::TIMEOUT).await?;
    let policy = Arc::clone(&service.read().policy);
    let brokers = service.cluster().map(|link| link.status().settings());
    let answer = move || {
        let asked: SettingsWhatIf = body::parse(&text)?;
        let mut events = service.audit_log().recent(EVENTS);
        events.retain(|event| is_of_cluster(event, service.cluster_name()));
        let report = report(&policy, brokers, &asked, &events)?;
        Ok(Json(report).into_response())
    };
    read.respond(false, answer).await
}

/// Whether an event is about a cluster, or, like a sign-in, about all of them.
fn is_of_cluster(event: &str, name: Option<&str>) -> bool {
    let event: Value = serde_json::from_str(event).unwrap_or_default();
    let of = event.pointer("/unmapped/cluster");
    match of.and_then(Value::as_str) {
        Some(of) => Some(of) == name,
        None => true,
    }
}

fn report(
    policy: &Policy,
    brokers: Option<BrokerSettings>,
    asked: &SettingsWhatIf,
    events: &[String],
) -> Result<SettingsReport, Problem> {
    let has_brokers = brokers.is_some();
    let mut present = brokers.unwrap_or_default();
    for (name, value) in &asked.known {
        present
            .state_by_name(name, value)
            .map_err(|error| refused(&error))?;
    }
    present.fill(policy.settings(), has_brokers);
    let (mut after, mut tried) = (present.clone(), Vec::new());
    for (name, value) in &asked.set {
        let setting = after
            .state_by_name(name, value)
            .map_err(|error| refused(&error))?;
        let is_kafka = policy.settings().dialect == Dialect::Kafka;
        if setting == BrokerSetting::AllowEveryone && !is_kafka {
            return Err(Problem::invalid(words::ONLY_KAFKA));
        }
        if has_brokers && !present.value(setting).is_known() {
            let how = "add it to `known`";
            return Err(Problem::invalid(words::present_unknown(setting, how)));
        }
        tried.push((setting, value.trim().to_owned()));
    }
    let mut now = policy.clone();
    if has_brokers {
        // Superusers of the service are no super users of the brokers.
        let mut settings = policy.settings().clone();
        settings.superusers = Superusers::default();
        let cleared = now.apply(Change::Settings(Box::new(settings)));
        cleared.map_err(|error| Problem::invalid(error.to_string()))?;
    }
    let mut changed = now.clone();
    let rules = BrokerRules::new(&mut now, &present);
    let tried_rules = BrokerRules::new(&mut changed, &after);
    let (seen_in, seen) = seen(policy, &asked.log, events);
    let effect = settings_effect((&now, &rules), (&changed, &tried_rules), &seen);
    let mut report = words::report(&present, &tried, seen_in, &effect, LISTED);
    report.notes = words::notes(&present, &tried, &seen, has_brokers);
    Ok(report)
}

fn refused(error: &BrokerSettingError) -> Problem {
    Problem::invalid(error.to_string())
}

/// Who was seen: in the lines, in the events, or in the policy.
fn seen(policy: &Policy, log: &str, events: &[String]) -> (SeenIn, SeenCallers) {
    let mut seen = SeenCallers::default();
    let (seen_in, lines): (_, Vec<&str>) = match log.trim() {
        "" => (SeenIn::Events, events.iter().map(String::as_str).collect()),
        log => (SeenIn::Lines, log.lines().collect()),
    };
    for line in lines {
        seen.note_line(line.as_bytes());
    }
    if seen_in == SeenIn::Events {
        seen.retain_with_requests();
        if seen.is_empty() {
            seen = SeenCallers::default();
            seen.add_policy(policy);
            return (SeenIn::Policy, seen);
        }
    }
    (seen_in, seen)
}
