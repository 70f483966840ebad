//! `gbac doctor`: the troubleshooting procedure (specification 8), step by step.

mod denial;

use std::fmt::Write;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use gbac_analysis::doctor::{
    DiagnosticInput, DiagnosticStep, ServiceResolution, StepStatus, TokenInput, diagnose,
};
use gbac_analysis::provider::AcceptedTokens;
use gbac_api::loggers::LogLevel;
use gbac_api::paths;
use gbac_api::service::{ServiceInfo, accepted_tokens};
use gbac_engine::policy::{Policy, Settings};
use gbac_json::Code;
use gbac_words::commands::service;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use denial::DenialArgs;
#[cfg(all(test, feature = "schema"))]
pub(crate) use denial::DenialReport;

use super::policy::read_settings;
use crate::args::question;
use crate::args::settings::{self, SettingsArgs};
use crate::client::connection::ConnectArgs;
use crate::client::{CallError, Client};
use crate::input;
use crate::output::{self, BAD, Failure, Format, GOOD, paint, plain};
use crate::process::Process;

#[derive(Debug, Args)]
// The flags of a command below are its own.
#[command(
    args_conflicts_with_subcommands = true,
    mut_args(|argument| argument.global(false)),
    override_usage = "gbac doctor [OPTIONS] [FILE]\n       gbac doctor [COMMAND]"
)]
pub(crate) struct DoctorArgs {
    #[command(subcommand)]
    command: Option<DoctorCommand>,
    /// File with the access token to examine, `-` for standard input [env: GBAC_CHECK_TOKEN].
    #[arg(value_name = "FILE", conflicts_with = "claims")]
    token: Option<PathBuf>,
    /// File with the claims as a JSON object, instead of a token.
    #[arg(long, value_name = "FILE")]
    claims: Option<PathBuf>,
    /// Groups that the token should produce, comma-separated and without the prefix `Group:`; quote
    /// a name that contains a comma: '"a,b"'.
    #[arg(long, value_name = "GROUPS")]
    expect_group: Vec<String>,
    #[command(flatten)]
    settings: SettingsArgs,
    /// Also query the running service: how it resolves the token, its properties, its policy and
    /// its log level.
    #[arg(long, conflicts_with = "claims")]
    online: bool,
    #[command(flatten)]
    connect: ConnectArgs,
}

#[derive(Debug, Subcommand)]
enum DoctorCommand {
    /// Find out why a broker denied a request, from a line of its log.
    ///
    /// Reads lines of Kafka's kafka-authorizer.log, also with what the GBAC plugin adds, and its
    /// JSON lines. Answers each denial once, and proposes fixes. Exits with 1 if a line is not
    /// understood.
    Denial(Box<DenialArgs>),
}

/// The troubleshooting procedure, step by step.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct Diagnosis<'a> {
    /// The steps, in order.
    steps: Vec<DiagnosisStep<'a>>,
}

/// One step of the troubleshooting procedure.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct DiagnosisStep<'a> {
    /// The stable name.
    code: &'static str,
    /// What the step does.
    title: &'static str,
    /// Its status.
    state: Code<StepStatus>,
    /// The findings.
    findings: &'a [String],
    /// The next actions.
    next: &'a [String],
}

pub(crate) fn run(process: &Process, args: &DoctorArgs, format: Format) -> Result<u8, Failure> {
    if let Some(DoctorCommand::Denial(args)) = &args.command {
        return denial::run(process, args, format);
    }
    let claims = input::optional_object(process, args.claims.as_deref())?;
    if claims.is_none()
        && args.token.is_none()
        && args.connect.connect_token.is_some()
        && !args.online
    {
        let message = "--token-file is your own sign-in for --online; name the token to examine: `gbac doctor FILE`";
        return Err(Failure::usage(message));
    }
    let token = if claims.is_some() {
        String::new()
    } else {
        input::token(process, args.token.as_deref())?
    };
    let expected = question::group_names("--expect-group", &args.expect_group)?;
    let userinfo = input::optional_object(process, args.settings.userinfo.as_deref())?;
    let mut settings = settings::settings(process, &args.settings)?;
    let mut policy = match &args.settings.policy {
        Some(path) => Some(input::policy(process, path)?),
        None => None,
    };
    let (mut resolved, mut log_level, mut accepted) = (None, None, None);
    if args.online {
        let service = ServiceState::read(process, &Client::open(process, &args.connect)?, &token)?;
        resolved = service.resolved;
        log_level = service.log_level;
        accepted = Some(service.accepted);
        settings = service.settings.unwrap_or(settings);
        policy = policy.or(service.policy);
    }
    settings::note_unread_userinfo(process, &args.settings, &settings);
    let steps = diagnose(&DiagnosticInput {
        token: match &claims {
            Some(claims) => TokenInput::Claims(claims),
            None => TokenInput::Token(&token),
        },
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
            let steps = steps.iter().map(result).collect();
            output::value(process, format, &Diagnosis { steps })?;
        }
        Format::Text => output::text(process, &render(&steps))?,
    }
    let failed = steps.iter().any(|step| step.state == StepStatus::Failed);
    Ok(output::exit_code(!failed))
}

/// The state of a running service. A part that the service does not disclose becomes a note, and
/// the procedure continues without it.
struct ServiceState {
    resolved: Option<ServiceResolution>,
    settings: Option<Settings>,
    policy: Option<Policy>,
    log_level: Option<String>,
    accepted: AcceptedTokens,
}

impl ServiceState {
    fn read(process: &Process, client: &Client, token: &str) -> Result<Self, Failure> {
        let resolved = match client.resolve(token) {
            Ok(identity) => Some(ServiceResolution::Identity(
                identity.principal,
                identity.groups,
            )),
            Err(error @ (CallError::Refused(_) | CallError::Credentials(_))) => {
                Some(ServiceResolution::Refused(error.message()))
            }
            Err(error) => return Err(error.into()),
        };
        let report = |what: &str, failure: &dyn std::fmt::Display| {
            output::note(process, &format!("note: {what}: {failure}"));
        };
        let settings = read_settings(client)
            .map_err(|failure| report(service::PROPERTIES_NOT_READ, &failure))
            .ok();
        // A note about the properties was already written.
        let properties: Map<String, Value> = client.get(paths::CLUSTER_CONFIG).unwrap_or_default();
        // Resolving the token made the service load the provider's keys, and with them its issuer.
        let info = match client.get::<ServiceInfo>(paths::SERVICE) {
            Ok(info) => Some(info),
            // Other implementations of the API have no such rules.
            Err(CallError::Refused(refusal)) if refusal.status == 404 => None,
            Err(error) => {
                report(service::REQUIREMENTS_NOT_READ, &error);
                None
            }
        };
        let accepted = accepted_tokens(&properties, info.as_ref());
        let policy = client
            .policy()
            .map_err(|error| report(service::POLICY_NOT_READ, &error))
            .ok();
        let level: Result<LogLevel, _> = client.get(&paths::log_level("security", None));
        let level = level
            .map_err(|error| report(service::LOG_LEVEL_NOT_READ, &error))
            .ok();
        Ok(Self {
            resolved,
            settings,
            policy: policy.map(|(policy, _)| policy),
            log_level: level.map(|level| level.level),
            accepted,
        })
    }
}

fn result(step: &DiagnosticStep) -> DiagnosisStep<'_> {
    let DiagnosticStep {
        code,
        title,
        state,
        findings,
        next,
    } = step;
    DiagnosisStep {
        code,
        title,
        state: state.into(),
        findings,
        next,
    }
}

fn render(steps: &[DiagnosticStep]) -> String {
    let mut text = String::new();
    for (number, step) in steps.iter().enumerate() {
        let state = match step.state {
            StepStatus::Passed => paint(GOOD, "OK"),
            StepStatus::Attention => "Warning".into(),
            StepStatus::Failed => paint(BAD, "Failed"),
            StepStatus::NotDone => "Manual step".into(),
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
