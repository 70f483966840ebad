//! `gbac doctor`: the troubleshooting procedure of specification 8, step by step.

use std::fmt::Write;
use std::process::ExitCode;

use gbac_analysis::doctor::{DiagnosticInput, DiagnosticStep, ServiceResolution, StepStatus, TokenInput, diagnose};
use gbac_analysis::provider::AcceptedTokens;
use gbac_api::loggers::LogLevel;
use gbac_api::paths;
use gbac_engine::policy::{Policy, Settings};
use serde_json::{Map, Value, json};

use super::inspect;
use super::policy::settings_of;
use crate::args::{DoctorArgs, Format};
use crate::client::{CallError, Client};
use crate::input;
use crate::output::{self, BAD, Failure, GOOD, paint, plain};
use crate::question;

pub(crate) fn run(args: &DoctorArgs, format: Format) -> Result<ExitCode, Failure> {
    let claims = args.claims.as_deref().map(input::object).transpose()?;
    let token = if claims.is_some() { String::new() } else { input::token(args.token.as_deref())? };
    let expected = question::group_names("--expect-group", &args.expect_group)?;
    let userinfo = args.settings.userinfo.as_deref().map(input::object).transpose()?;
    let mut settings = inspect::settings(&args.settings)?;
    let mut policy = args.settings.policy.as_deref().map(input::policy).transpose()?;
    let (mut resolved, mut log_level, mut accepted) = (None, None, None);
    if args.online {
        let asked = Asked::of(&Client::open(&args.connect)?, &token)?;
        resolved = asked.resolved;
        log_level = asked.log_level;
        accepted = asked.accepted;
        settings = asked.settings.unwrap_or(settings);
        policy = policy.or(asked.policy);
    }
    let steps = diagnose(&DiagnosticInput {
        token: claims.as_ref().map_or(TokenInput::Token(&token), TokenInput::Claims),
        userinfo: userinfo.as_ref(),
        settings: &settings,
        policy: policy.as_ref(),
        expected: &expected,
        resolved: resolved.as_ref(),
        log_level: log_level.as_deref(),
        accepted: accepted.as_ref(),
        now: Some(input::now().into()),
    });
    match format {
        Format::Json | Format::Yaml => {
            output::value(format, &json!({ "steps": steps.iter().map(as_json).collect::<Vec<_>>() }))?;
        }
        Format::Text => output::text(&words(&steps))?,
    }
    let failed = steps.iter().any(|step| step.state == StepStatus::Failed);
    Ok(if failed { ExitCode::from(output::ERROR) } else { ExitCode::SUCCESS })
}

/// What a service says; what it keeps to itself is a note, and the procedure goes on without.
struct Asked {
    resolved: Option<ServiceResolution>,
    settings: Option<Settings>,
    policy: Option<Policy>,
    log_level: Option<String>,
    accepted: Option<AcceptedTokens>,
}

impl Asked {
    fn of(client: &Client, token: &str) -> Result<Self, Failure> {
        let resolved = match client.resolve(token) {
            Ok(seen) => Some(ServiceResolution::Identity(seen.principal, seen.groups)),
            Err(error @ (CallError::Refused(_) | CallError::Credentials(_))) => {
                Some(ServiceResolution::Refused(error.words()))
            }
            Err(error) => return Err(error.into()),
        };
        let told = |what: &str, failure: &dyn std::fmt::Display| output::note(&format!("note: {what}: {failure}"));
        let settings = settings_of(client).map_err(|failure| told("the properties could not be read", &failure)).ok();
        // That they could not be read was told.
        let properties: Option<Map<String, Value>> = client.get(paths::CLUSTER_CONFIG).ok();
        let accepted = properties.map(|properties| gbac_json::accepted_from_properties(|name| properties.get(name)));
        let policy = client.policy().map_err(|error| told("the policy could not be read", &error)).ok();
        let level: Result<LogLevel, _> = client.get(&paths::log_level("security", None));
        let level = level.map_err(|error| told("the log level could not be read", &error)).ok();
        Ok(Self {
            resolved,
            settings,
            policy: policy.map(|(policy, _)| policy),
            log_level: level.map(|level| level.level),
            accepted,
        })
    }
}

fn as_json(step: &DiagnosticStep) -> Value {
    json!({ "code": step.code, "title": step.title, "state": step.state.code(), "findings": step.findings, "next": step.next })
}

fn words(steps: &[DiagnosticStep]) -> String {
    let mut text = String::new();
    for (number, step) in steps.iter().enumerate() {
        let state = match step.state {
            StepStatus::Passed => paint(GOOD, "passed"),
            StepStatus::Attention => "look at this".into(),
            StepStatus::Failed => paint(BAD, "failed"),
            StepStatus::NotDone => "not done".into(),
        };
        let _ = writeln!(text, "{}. {}: {state}", number + 1, step.title);
        for finding in &step.findings {
            let _ = writeln!(text, "   {}", plain(finding));
        }
        for next in &step.next {
            let _ = writeln!(text, "   next: {}", plain(next));
        }
    }
    text
}
