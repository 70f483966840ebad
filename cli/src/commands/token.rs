//! `gbac token inspect`: the user and groups that a token produces, step by step.

use std::fmt::Write;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use gbac_analysis::doctor::describe_claim;
use gbac_engine::decide::At;
use gbac_engine::groups::{ClaimFinding, ElementOutcome, Extraction, extract, suggest_paths};
use gbac_engine::identity::{Identity, IdentityError};
use gbac_engine::policy::{GroupSource, Settings};
use gbac_engine::token::{Header, UnverifiedClaims, UnverifiedToken};
use gbac_engine::verify::{VerificationOutcome, VerificationStep};
use gbac_engine::warning::Warning;
use gbac_engine::{ClaimSet, Coded, Timestamp};
use gbac_formats::quote::shell;
use gbac_json::{Code, ElementJson, ExtractionJson, GroupJson, WarningJson};
use gbac_words::commands::files;
use gbac_words::extraction;
use gbac_words::phrases::count;
use gbac_words::sign_in;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::args::settings::{self, SettingsArgs};
use crate::input::{self, KeyArgs, Verifier};
use crate::output::{self, Failure, Format, plain, sentence};
use crate::process::Process;
use crate::render::table::table;

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Show which user and groups a token produces, step by step.
    Inspect(Box<InspectArgs>),
}

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// File with the access token to examine, `-` for standard input [env: GBAC_CHECK_TOKEN].
    #[arg(value_name = "FILE", conflicts_with = "claims")]
    token: Option<PathBuf>,
    /// File with the claims as a JSON object, instead of a token.
    #[arg(long, value_name = "FILE")]
    claims: Option<PathBuf>,
    #[command(flatten)]
    settings: SettingsArgs,
    #[command(flatten)]
    keys: KeyArgs,
}

/// The user and the groups that a token or claims produce.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct InspectedToken<'a> {
    /// The user; null if none can be read, which `user_error` explains.
    user: Option<&'a str>,
    /// Why there is no user.
    #[serde(skip_serializing_if = "Option::is_none")]
    user_error: Option<UserError>,
    /// When the token expires (`exp`), in seconds since 1970; absent if it never does, or if that
    /// cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<f64>,
    /// Whether the token has expired, or its times cannot be read.
    expired: bool,
    /// The groups in the order of the token, without duplicates.
    groups: Vec<GroupJson>,
    /// Warnings about the token and its groups.
    warnings: Vec<WarningJson>,
    /// Whether keys were given and the token passed every check.
    verified: bool,
    /// The groups claim, or why there is none.
    claim: Code<ClaimFinding>,
    /// The elements of the groups claim with their outcomes.
    elements: Vec<ElementJson>,
    /// The claims.
    claims: &'a Map<String, Value>,
    /// The checks of the token, in order; empty if no keys were given.
    checks: Vec<TokenCheck<'a>>,
    /// The header; absent if claims were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<&'a Map<String, Value>>,
}

/// Why a token names no user.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct UserError {
    /// The stable code.
    code: &'static str,
    /// The error.
    message: String,
}

/// One check of a token.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct TokenCheck<'a> {
    /// What was checked.
    name: &'static str,
    /// `passed`, `failed` or `not_checked`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["passed", "failed", "not_checked"])))]
    outcome: &'static str,
    /// The stable code of a failed check.
    code: Option<&'static str>,
    /// The details.
    detail: &'a str,
}

/// The result of inspecting a token or claims.
struct Inspection {
    header: Option<Header>,
    claims: ClaimSet,
    lines: Vec<VerificationStep>,
    verified: bool,
    now: f64,
    user: Result<Identity, IdentityError>,
    extraction: Extraction,
    settings: Settings,
}

impl Inspection {
    /// The warnings about the header, then those about the user and the groups.
    fn warnings(&self) -> Vec<Warning> {
        let mut warnings = match &self.header {
            Some(header) => header.warnings(),
            None => Vec::new(),
        };
        warnings.extend(self.settings.principal_mapping.platform_warning());
        warnings.extend_from_slice(&self.extraction.warnings);
        warnings
    }
}

pub(crate) fn run(
    process: &Process,
    command: &TokenCommand,
    format: Format,
) -> Result<u8, Failure> {
    let TokenCommand::Inspect(args) = command;
    let inspection = inspect(process, args)?;
    match format {
        Format::Json | Format::Yaml => output::value(process, format, &result(&inspection))?,
        Format::Text => output::text(process, &render(process, &inspection))?,
    }
    // If keys are given, an unverified token is an error.
    let refused = !inspection.lines.is_empty() && !inspection.verified;
    Ok(output::exit_code(!refused))
}

fn inspect(process: &Process, args: &InspectArgs) -> Result<Inspection, Failure> {
    let settings = settings::settings(process, &args.settings)?;
    let userinfo = input::optional_object(process, args.settings.userinfo.as_deref())?;
    let now = input::now();
    let verifier = Verifier::from_args(process, &args.keys, now)?;
    let (header, claims, lines) = match &args.claims {
        Some(path) => (
            None,
            UnverifiedClaims::from(input::object(process, path)?),
            Vec::new(),
        ),
        None => {
            let text = input::token(process, args.token.as_deref())?;
            let token = UnverifiedToken::decode(&text).map_err(|error| {
                Failure::new(error.code(), format!("{error}; {}", error.hint()))
            })?;
            let lines = match &verifier {
                Some(verifier) => verifier.report(&text),
                None => Vec::new(),
            };
            (Some(token.header), token.claims, lines)
        }
    };
    if args.claims.is_some() && verifier.is_some() {
        return Err(Failure::usage(
            "--jwks verifies tokens, and --claims have no signature; pass a token instead",
        ));
    }
    let verified = !lines.is_empty()
        && lines
            .iter()
            .all(|line| line.outcome != VerificationOutcome::Failed);
    let rules = settings.identity_rules();
    let extraction = extract(&rules.extraction, claims.members(), userinfo.as_ref());
    let user =
        Identity::from_unverified(&claims, userinfo.as_ref(), &rules).map(|(identity, _)| identity);
    settings::note_unread_userinfo(process, &args.settings, &settings);
    Ok(Inspection {
        header,
        claims: claims.members().clone(),
        lines,
        verified,
        now,
        user,
        extraction,
        settings,
    })
}

fn result<'a>(inspection: &'a Inspection) -> InspectedToken<'a> {
    let ExtractionJson {
        groups,
        claim,
        elements,
        ..
    } = (&inspection.extraction).into();
    let (mut user, mut user_error, mut expires_at, mut expired) = (None, None, None, false);
    match &inspection.user {
        Ok(identity) => {
            user = Some(identity.user());
            expires_at = identity.expires_at().map(Timestamp::as_seconds);
            expired = identity.is_expired(At::seconds(inspection.now));
        }
        Err(error) => {
            let (code, message) = (error.code(), error.to_string());
            user_error = Some(UserError { code, message });
        }
    }
    let mut checks = Vec::new();
    for line in &inspection.lines {
        checks.push(TokenCheck {
            name: line.name.code(),
            outcome: outcome(line.outcome),
            code: line.code,
            detail: &line.detail,
        });
    }
    let header = inspection.header.as_ref();
    InspectedToken {
        user,
        user_error,
        expires_at,
        expired,
        groups,
        warnings: inspection
            .warnings()
            .iter()
            .map(WarningJson::from)
            .collect(),
        verified: inspection.verified,
        claim,
        elements,
        claims: inspection.claims.members(),
        checks,
        header: header.map(|header| header.members().members()),
    }
}

fn render(process: &Process, inspection: &Inspection) -> String {
    let mut text = String::new();
    let decoded = files::decoded(inspection.header.as_ref(), inspection.claims.len());
    let _ = writeln!(text, "1. Decode     {}", sentence(&decoded));
    for line in &inspection.lines {
        let _ = writeln!(
            text,
            "   {:<10} {}: {}",
            line.name.code(),
            outcome(line.outcome).replace('_', " "),
            plain(&line.detail)
        );
    }
    if inspection.lines.is_empty() {
        let _ = writeln!(text, "   signature  not verified (pass --jwks to verify)");
    }
    match &inspection.user {
        Ok(identity) => {
            let (label, when) = expiry(identity, inspection.now);
            let _ = writeln!(text, "   {label}    {when}");
            let mapping = inspection.settings.principal_mapping.as_str();
            let user = files::user_from(identity.user(), mapping);
            let _ = writeln!(text, "2. User       {}", sentence(&user));
        }
        Err(error) => {
            let _ = writeln!(text, "2. User       none: {}", plain(&error.to_string()));
        }
    }
    let (place, nested) = match &inspection.settings.groups {
        GroupSource::Properties { claim_path, nested } => (claim_path.as_str(), nested.code()),
        GroupSource::Sso { attributes, .. } => match attributes.get("federated_groups") {
            Some(place) => (place.as_str(), "none"),
            None => ("", "none"),
        },
    };
    let _ = writeln!(
        text,
        "3. Group claim  {}: {}",
        plain(place),
        plain(&describe_claim(&inspection.extraction.claim))
    );
    let _ = writeln!(text, "4. Nested group behavior  {nested}");
    let _ = writeln!(
        text,
        "5. Principals  {}",
        inspection.extraction.groups.len()
    );
    let mut rows = Vec::new();
    for element in &inspection.extraction.elements {
        let principal = match &element.outcome {
            ElementOutcome::Kept { group } => format!("Group:{group}"),
            ElementOutcome::Duplicate { group } => format!("Group:{group} (duplicate)"),
            ElementOutcome::Dropped { code } => extraction::dropped(*code).to_owned(),
        };
        rows.push(vec![
            element.location.clone(),
            element.raw.clone(),
            principal,
        ]);
    }
    if !rows.is_empty() {
        let _ = write!(
            text,
            "\n{}",
            table(process, &["ELEMENT", "VALUE", "PRINCIPAL"], rows)
        );
    }
    for warning in inspection.warnings() {
        let _ = writeln!(
            text,
            "warning: {} ({})",
            plain(&warning.message),
            warning.code.code()
        );
    }
    if inspection.extraction.groups.is_empty() {
        for found in suggest_paths(&inspection.claims) {
            let _ = writeln!(
                text,
                "hint: --claim-path {} finds {}",
                shell(&found.path),
                count(found.count, "name")
            );
        }
    }
    text
}

/// Whether a token has expired, and when it does or did.
fn expiry(identity: &Identity, now: f64) -> (&'static str, String) {
    match identity.expires_at() {
        Some(at) if identity.is_expired(At::seconds(now)) => {
            ("expired", sign_in::expired_since(at.as_seconds(), now))
        }
        Some(at) => ("expires", sign_in::expires_in(at.as_seconds(), now)),
        None if identity.has_unreadable_expiry() => {
            ("expired", files::EXPIRY_UNREADABLE.to_owned())
        }
        None => ("expires", files::NEVER_EXPIRES.to_owned()),
    }
}

const fn outcome(outcome: VerificationOutcome) -> &'static str {
    match outcome {
        VerificationOutcome::Passed => "passed",
        VerificationOutcome::Failed => "failed",
        VerificationOutcome::NotChecked => "not_checked",
    }
}
