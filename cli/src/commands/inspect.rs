//! `gbac token inspect`: the user and groups that a token produces, step by step.

use gbac_engine::{ClaimSet, Coded};
use std::fmt::Write;

use gbac_analysis::doctor::describe_claim;
use gbac_engine::claim_path::ClaimPath;
use gbac_engine::groups::{ElementOutcome, Extraction, NestedGroupBehavior, suggest_paths};
use gbac_engine::identity::{Identity, IdentityError};
use gbac_engine::mapping::PrincipalMapping;
use gbac_engine::policy::{GroupSource, Settings};
use gbac_engine::token::{Header, UnverifiedClaims, UnverifiedToken};
use gbac_engine::verify::{VerificationOutcome, VerificationStep};
use gbac_engine::warning::Warning;
use gbac_formats::quote::shell;
use gbac_json::{ExtractionJson, WarningJson};
use gbac_words::commands::files;
use gbac_words::extraction;
use gbac_words::phrases::count;
use serde_json::Value;

use crate::args::{Format, InspectArgs, SettingsArgs};
use crate::input::{self, Verifier};
use crate::output::{self, Failure, plain, sentence};
use crate::process::Process;
use crate::results::{InspectedToken, TokenCheck, UserError};
use crate::table::table;

/// The result of inspecting a token or claims.
struct Inspection {
    header: Option<Header>,
    claims: ClaimSet,
    lines: Vec<VerificationStep>,
    verified: bool,
    user: Result<String, IdentityError>,
    extraction: Extraction,
    settings: Settings,
}

impl Inspection {
    /// The warnings about the header, then those about the groups.
    fn warnings(&self) -> Vec<Warning> {
        let header = self
            .header
            .as_ref()
            .map(Header::warnings)
            .unwrap_or_default();
        header
            .into_iter()
            .chain(self.extraction.warnings.iter().cloned())
            .collect()
    }
}

pub(crate) fn run(process: &Process, args: &InspectArgs, format: Format) -> Result<u8, Failure> {
    let inspection = inspect(process, args)?;
    match format {
        Format::Json | Format::Yaml => output::value(process, format, &result(&inspection))?,
        Format::Text => output::text(process, &render(process, &inspection))?,
    }
    // If keys are given, an unverified token is an error.
    let refused = !inspection.lines.is_empty() && !inspection.verified;
    Ok(if refused {
        output::ERROR
    } else {
        output::SUCCESS
    })
}

fn inspect(process: &Process, args: &InspectArgs) -> Result<Inspection, Failure> {
    let settings = settings(process, &args.settings)?;
    let userinfo = args
        .settings
        .userinfo
        .as_deref()
        .map(|path| input::object(process, path))
        .transpose()?;
    let verifier = Verifier::from_args(process, &args.keys, input::now())?;
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
            let lines = verifier
                .as_ref()
                .map(|verifier| verifier.report(&text))
                .unwrap_or_default();
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
    let extraction =
        gbac_engine::groups::extract(&rules.extraction, claims.members(), userinfo.as_ref());
    let user = Identity::from_unverified(&claims, userinfo.as_ref(), &rules)
        .map(|(identity, _)| identity.user().to_owned());
    Ok(Inspection {
        header,
        claims: claims.members().clone(),
        lines,
        verified,
        user,
        extraction,
        settings,
    })
}

/// Reads the value of `--nested`.
pub(super) fn nested(text: &str) -> Result<NestedGroupBehavior, Failure> {
    text.parse::<NestedGroupBehavior>().map_err(|error| {
        Failure::value(error.code(), format!("--nested: {error}; {}", error.hint()))
    })
}

/// The settings that the flags name.
pub(super) fn settings(process: &Process, args: &SettingsArgs) -> Result<Settings, Failure> {
    if let Some(path) = &args.policy {
        return Ok(input::policy(process, path)?.settings().clone());
    }
    let mut settings = Settings::default();
    if let Some(path) = &args.sso {
        let mut attributes = std::collections::BTreeMap::new();
        for (name, value) in gbac_json::claims_to_object(&input::object(process, path)?).clone() {
            let Value::String(text) = value else {
                return Err(Failure::new(
                    "wrong_type",
                    files::not_a_string(&path.display().to_string(), &name),
                ));
            };
            attributes.insert(name, text);
        }
        settings.groups = GroupSource::from_attributes(attributes).map_err(|error| {
            Failure::new(
                error.code(),
                format!("{}: {error}; {}", path.display(), error.hint()),
            )
        })?;
    } else if let GroupSource::Properties { claim_path, nested } = &mut settings.groups {
        if let Some(text) = &args.claim_path {
            *claim_path = ClaimPath::parse(text).map_err(|error| {
                let hint = error
                    .hint()
                    .map(|hint| format!("; {hint}"))
                    .unwrap_or_default();
                Failure::value(error.code(), format!("--claim-path: {error}{hint}"))
            })?;
        }
        if let Some(text) = &args.nested {
            *nested = self::nested(text)?;
        }
    }
    if let Some(text) = &args.principal_mapping {
        settings.principal_mapping = PrincipalMapping::parse(text).map_err(|error| {
            Failure::value(error.code(), format!("--principal-mapping: {error}"))
        })?;
    }
    Ok(settings)
}

fn result<'a>(inspection: &'a Inspection) -> InspectedToken<'a> {
    let ExtractionJson {
        groups,
        claim,
        elements,
        ..
    } = (&inspection.extraction).into();
    let check = |line: &'a VerificationStep| TokenCheck {
        name: line.name.code(),
        outcome: outcome(line.outcome),
        code: line.code,
        detail: &line.detail,
    };
    let user_error = |error: &IdentityError| UserError {
        code: error.code(),
        message: error.to_string(),
    };
    InspectedToken {
        user: inspection.user.as_deref().ok(),
        user_error: inspection.user.as_ref().err().map(user_error),
        groups,
        warnings: inspection
            .warnings()
            .iter()
            .map(WarningJson::from)
            .collect(),
        verified: inspection.verified,
        claim,
        elements,
        claims: gbac_json::claims_to_object(&inspection.claims),
        checks: inspection.lines.iter().map(check).collect(),
        header: inspection
            .header
            .as_ref()
            .map(|header| gbac_json::claims_to_object(header.members())),
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
        Ok(user) => {
            let user = files::user_from(user, inspection.settings.principal_mapping.as_str());
            let _ = writeln!(text, "2. User       {}", sentence(&user));
        }
        Err(error) => {
            let _ = writeln!(text, "2. User       none: {}", plain(&error.to_string()));
        }
    }
    let (place, nested) = match &inspection.settings.groups {
        GroupSource::Properties { claim_path, nested } => (claim_path.as_str(), nested.code()),
        GroupSource::Sso { attributes, .. } => (
            attributes
                .get("federated_groups")
                .map_or("", String::as_str),
            "none",
        ),
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
    let rows: Vec<Vec<String>> = inspection
        .extraction
        .elements
        .iter()
        .map(|element| {
            let principal = match &element.outcome {
                ElementOutcome::Kept { group } => format!("Group:{group}"),
                ElementOutcome::Duplicate { group } => format!("Group:{group} (duplicate)"),
                ElementOutcome::Dropped { code } => extraction::dropped(*code).to_owned(),
            };
            vec![element.location.clone(), element.raw.clone(), principal]
        })
        .collect();
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

const fn outcome(outcome: VerificationOutcome) -> &'static str {
    match outcome {
        VerificationOutcome::Passed => "passed",
        VerificationOutcome::Failed => "failed",
        VerificationOutcome::NotChecked => "not_checked",
    }
}
