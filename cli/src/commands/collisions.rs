//! `gbac collisions`: different names that become the same group.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use gbac_analysis::{Collision, CollisionReport, Gain, collision_gains};
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::{Coded, Subject};
use gbac_json::CollisionReportJson;
use gbac_words::commands::access;
use gbac_words::{collision, common};

use crate::args::{question, settings};
use crate::input;
use crate::output::{self, Failure, Format, plain, sentence};
use crate::process::Process;
use crate::render::gains_and_losses::regions;

#[derive(Debug, Args)]
pub(crate) struct CollisionsArgs {
    /// Policy document whose group names are compared.
    #[arg(long, value_name = "FILE")]
    policy: PathBuf,
    /// File with an access token whose group names are compared too, `-` for standard input.
    #[arg(long = "token-file", value_name = "FILE", conflicts_with = "name")]
    names_of_token: Option<PathBuf>,
    /// User-info document, if the policy's SSO mapping reads groups or the user from it.
    #[arg(long, value_name = "FILE", requires = "names_of_token")]
    userinfo: Option<PathBuf>,
    /// Group names as in a token, instead of a token, comma-separated; quote a name that contains a
    /// comma: '"a,b"'.
    #[arg(long, value_name = "NAMES")]
    name: Vec<String>,
    /// Handling of path-style group names, none or suffix [default: as in the policy].
    #[arg(long, value_name = "BEHAVIOR")]
    nested: Option<String>,
    /// Maximum number of collisions to show.
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    limit: usize,
}

pub(crate) fn run(process: &Process, args: &CollisionsArgs, format: Format) -> Result<u8, Failure> {
    let policy = input::policy(process, &args.policy)?;
    let nested = match &args.nested {
        None => policy.settings().identity_rules().extraction.nested,
        Some(text) => settings::nested_behavior(text)?,
    };
    let names = match &args.names_of_token {
        None => input::bare_names("--name", &args.name)?,
        Some(path) => {
            let userinfo = input::optional_object(process, args.userinfo.as_deref())?;
            let token = input::token(process, Some(path))?;
            let who = Subject::UnverifiedToken { token, userinfo };
            let resolved = question::resolve(&policy, &who, None)?;
            resolved.names().map(str::to_owned).collect()
        }
    };
    let report = collision_gains(&policy, nested, &names, args.limit);
    match format {
        Format::Json | Format::Yaml => {
            output::value(process, format, &CollisionReportJson::from(&report))?;
        }
        Format::Text => output::text(process, &render(process, &report, nested))?,
    }
    Ok(output::SUCCESS)
}

fn render(process: &Process, report: &CollisionReport, nested: NestedGroupBehavior) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "Nested group behavior: {}", nested.code());
    if report.collisions.is_empty() {
        let _ = writeln!(text, "{}", common::NO_COLLISIONS);
    }
    for (collision, gains) in &report.collisions {
        text.push_str(&render_one(process, collision, gains));
    }
    if report.omitted > 0 {
        let _ = writeln!(text, "\n{}", access::more_collisions(report.omitted));
    }
    text
}

fn render_one(process: &Process, one: &Collision, gains: &[Gain]) -> String {
    let cause = collision::cause(one.reason);
    let mut text = format!("\nGroup:{}: {cause}\n", plain(&one.group));
    for name in &one.names {
        let origin = collision::origin(name);
        let _ = writeln!(text, "  {} ({origin})", plain(&name.name));
    }
    for gain in gains {
        let _ = writeln!(text, "  {}", sentence(&collision::gain(gain)));
        if !gain.regions.is_empty() {
            text.push_str(&regions(process, &gain.regions, "    "));
        }
    }
    text
}
