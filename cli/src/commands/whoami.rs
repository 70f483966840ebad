//! `gbac whoami`: the service, the caller, how the caller signs in, and what the caller may do.

use std::fmt::Write;

use gbac_api::paths;
use gbac_api::service::ServiceInfo;
use gbac_api::target::{ApiPresence, TargetAnswer, TargetApi, TargetGap, TargetReport};
use gbac_engine::policy::AccessLevel;
use gbac_words::commands::service;
use gbac_words::phrases::list;
use reqwest::Method;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::client::connection::ConnectArgs;
use crate::client::{CallError, Client, platform};
use crate::output::{self, Failure, Format, plain, sentence};
use crate::process::Process;

/// A service, the caller, and what the caller may do.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ServiceCaller<'a> {
    /// The URL of the service.
    url: &'a str,
    /// The name of the service.
    service: &'a str,
    /// Its version.
    version: &'a str,
    /// Whether it is a demo.
    demo: bool,
    /// The user of the password; null without one.
    user: Option<&'a str>,
    /// The identity of the caller's token; null without one.
    token: Option<CallerIdentity<'a>>,
    /// What the caller may do: `superuser` everything; `read_only` read the policy, the properties
    /// and the audit log; `evaluate` evaluate requests; `none` nothing.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["superuser", "read_only", "evaluate", "none"])))]
    access: &'static str,
}

/// The identity of the caller's token.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct CallerIdentity<'a> {
    /// The bare user name.
    user: &'a str,
    /// The bare names of the groups.
    groups: &'a [String],
}

/// A cluster of the platform, and what it lacks.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ClusterTarget<'a> {
    /// The URL.
    url: &'a str,
    /// What the cluster has.
    cluster: &'a TargetReport,
    /// What it does not have.
    gaps: &'a [TargetGap],
    /// The user of the password; null without one.
    user: Option<&'a str>,
}

/// What a caller may do, from the most to the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Superuser,
    ReadOnly,
    Evaluate,
    Nothing,
}

impl Level {
    const fn code(self) -> &'static str {
        match self {
            Self::Superuser => "superuser",
            Self::ReadOnly => "read_only",
            Self::Evaluate => "evaluate",
            Self::Nothing => "none",
        }
    }

    const fn sentence(self) -> &'static str {
        match self {
            Self::Superuser => "everything (superuser)",
            Self::ReadOnly => service::access(AccessLevel::ReadOnly),
            Self::Evaluate => service::access(AccessLevel::Evaluate),
            Self::Nothing => "nothing",
        }
    }

    /// Asks the service with requests that change nothing.
    fn of_caller(client: &Client) -> Result<Self, Failure> {
        // Only a superuser learns that the document of a dry run is invalid.
        if may(client.change::<Value>(Method::PUT, &paths::policy_dry_run(), &json!({})))? {
            return Ok(Self::Superuser);
        }
        if may(client.get::<Value>(paths::LOGGERS))? {
            return Ok(Self::ReadOnly);
        }
        let evaluates =
            may(client.change::<Value>(Method::POST, paths::ACCESS_EVALUATION, &json!({})))?;
        Ok(if evaluates {
            Self::Evaluate
        } else {
            Self::Nothing
        })
    }
}

/// Whether the service handled a request, even if it refused its content.
fn may(answer: Result<Value, CallError>) -> Result<bool, Failure> {
    match answer {
        Ok(_) | Err(CallError::NotJson(_)) => Ok(true),
        Err(CallError::Refused(refusal)) if refusal.status < 500 => Ok(refusal.status != 403),
        // A demo can be read by everyone.
        Err(CallError::Credentials(None)) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

pub(crate) fn run(process: &Process, connect: &ConnectArgs, format: Format) -> Result<u8, Failure> {
    let client = Client::open(process, connect)?;
    let service: ServiceInfo = match client.get(paths::SERVICE) {
        Err(CallError::Refused(refusal)) if refusal.status == 404 => {
            return of_cluster(process, &client, format);
        }
        answer => answer?,
    };
    let level = Level::of_caller(&client)?;
    let identity = client.caller();
    let token = match client.caller_token() {
        Some(token) => Some(client.resolve(token)?),
        None => None,
    };
    match format {
        Format::Json | Format::Yaml => {
            let caller = ServiceCaller {
                url: client.url(),
                service: &service.name,
                version: &service.version,
                demo: service.demo,
                user: client.caller_user(),
                token: token.as_ref().map(|token| CallerIdentity {
                    user: &token.principal,
                    groups: &token.groups,
                }),
                access: level.code(),
            };
            output::value(process, format, &caller)?;
        }
        Format::Text => {
            let url = client.url();
            let service = service::service(&service.name, url, &service.version, service.demo);
            let mut text = sentence(&service) + "\n";
            let signed_in = identity.unwrap_or_else(|| service::NOBODY.into());
            let _ = writeln!(text, "Signed in with: {signed_in}");
            if let Some(token) = &token {
                let groups: Vec<String> = token.groups.iter().map(|group| plain(group)).collect();
                let groups = if groups.is_empty() {
                    "no groups".into()
                } else {
                    format!("groups {}", list(&groups))
                };
                let _ = writeln!(text, "Token: User:{}, {groups}", plain(&token.principal));
            }
            let _ = writeln!(text, "May: {}", level.sentence());
            output::text(process, &text)?;
        }
    }
    Ok(output::SUCCESS)
}

/// A cluster of the platform: its APIs at this URL, and what it lacks.
fn of_cluster(process: &Process, client: &Client, format: Format) -> Result<u8, Failure> {
    let mut report = TargetReport::default();
    platform::discover(client, TargetApi::DataPlane, &mut report)?;
    platform::discover(client, TargetApi::Admin, &mut report)?;
    let answer = TargetAnswer::from(report);
    let TargetAnswer { target, gaps } = &answer;
    if format != Format::Text {
        let (url, user) = (client.url(), client.caller_user());
        let cluster = ClusterTarget {
            url,
            cluster: target,
            gaps,
            user,
        };
        output::value(process, format, &cluster)?;
        return Ok(output::SUCCESS);
    }
    let version = target.version.as_deref().unwrap_or("unknown");
    let mut text = sentence(&service::cluster(client.url(), version)) + "\n";
    let signed_in = client.caller().unwrap_or_else(|| service::NOBODY.into());
    let _ = writeln!(text, "Signed in with: {signed_in}");
    let apis = [
        ("Admin API v1", target.admin_v1),
        ("Admin API v2", target.admin_v2),
        ("Data Plane API", target.data_plane),
        (service::REGISTRY_ACLS, target.registry_acls),
    ];
    let mut present = Vec::new();
    for (name, presence) in apis {
        if presence == ApiPresence::Present {
            present.push(name);
        }
    }
    let present = if present.is_empty() {
        "nothing that is known".into()
    } else {
        list(&present)
    };
    let _ = writeln!(text, "Has: {present}");
    if let Some(license) = &target.license {
        let _ = writeln!(text, "License: {}", plain(license));
    }
    for gap in gaps {
        let _ = writeln!(
            text,
            "Missing: {}: {}",
            plain(&gap.missing),
            gap.consequence
        );
    }
    output::text(process, &text)?;
    Ok(output::SUCCESS)
}
