//! `gbac collisions`: names that become one group.

use std::fmt::Write;
use std::process::ExitCode;

use gbac_analysis::{Collision, CollisionKind, CollisionReport, Gain, collision_gains};
use gbac_engine::Subject;
use gbac_engine::groups::NestedGroupBehavior;
use gbac_json::CollisionReportJson;
use serde_json::json;

use super::differences::extents;
use crate::args::Format;
use crate::args::simulate::CollisionsArgs;
use crate::input;
use crate::lists;
use crate::output::{self, Failure, plain};
use crate::question;

pub(crate) fn run(args: &CollisionsArgs, format: Format) -> Result<ExitCode, Failure> {
    let policy = input::policy(&args.policy)?;
    let nested = match &args.nested {
        None => policy.settings().identity_rules().extraction.nested,
        Some(text) => text
            .parse::<NestedGroupBehavior>()
            .map_err(|error| Failure::value(error.code(), format!("--nested: {error}; {}", error.hint())))?,
    };
    let names = match &args.token_file {
        None => lists::bare_names("--name", &args.name)?,
        Some(path) => {
            let userinfo = args.userinfo.as_deref().map(input::object).transpose()?;
            let who = Subject::UnverifiedToken { token: input::token(Some(path))?, userinfo };
            let opened = question::open(&policy, &who, None).map_err(|error| question::refused(&error))?;
            opened.names().map(str::to_owned).collect()
        }
    };
    let found = collision_gains(&policy, nested, &names, args.limit);
    match format {
        Format::Json | Format::Yaml => output::value(format, &json!(CollisionReportJson::from(&found)))?,
        Format::Text => output::text(&words(&found, nested))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn words(found: &CollisionReport, nested: NestedGroupBehavior) -> String {
    let mut text = format!("Nested names: {}\n", nested.as_str());
    if found.found.is_empty() {
        text.push_str("No two names become one group.\n");
    }
    for (collision, gains) in &found.found {
        text.push_str(&one(collision, gains));
    }
    if found.more > 0 {
        let _ = writeln!(text, "\nand {} more; --limit tells more of them", found.more);
    }
    text
}

fn one(collision: &Collision, gains: &[Gain]) -> String {
    let by = match collision.kind {
        CollisionKind::Suffix => "they keep their last segment only",
        CollisionKind::Comma => "they are taken apart at the comma, where the claim is one string",
    };
    let mut text = format!("\nGroup:{}: {by}\n", plain(&collision.group));
    for name in &collision.names {
        let origin = match (name.in_token, name.known) {
            (true, true) => "in the token, known",
            (true, false) => "in the token",
            (false, _) => "known",
        };
        let _ = writeln!(text, "  {} ({origin})", plain(&name.name));
    }
    for gain in gains {
        if gain.regions.is_empty() {
            let _ = writeln!(text, "  Somebody with {} alone gains nothing by it.", plain(&gain.name));
        } else {
            let _ =
                write!(text, "  Somebody with {} alone gains:\n{}", plain(&gain.name), extents(&gain.regions, "    "));
        }
    }
    text
}
