//! `gbac collisions`: different names that become the same group.

use gbac_words::common;
use std::fmt::Write;

use gbac_analysis::{Collision, CollisionReport, Gain, collision_gains};
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::{Coded, Subject};
use gbac_json::CollisionReportJson;
use gbac_words::collision;
use gbac_words::commands::access;

use super::differences::regions;
use super::inspect;
use crate::args::Format;
use crate::args::simulate::CollisionsArgs;
use crate::input;
use crate::lists;
use crate::output::{self, Failure, plain, sentence};
use crate::process::Process;
use crate::query;

pub(crate) fn run(process: &Process, args: &CollisionsArgs, format: Format) -> Result<u8, Failure> {
    let policy = input::policy(process, &args.policy)?;
    let nested = match &args.nested {
        None => policy.settings().identity_rules().extraction.nested,
        Some(text) => inspect::nested(text)?,
    };
    let names = match &args.names_of_token {
        None => lists::bare_names("--name", &args.name)?,
        Some(path) => {
            let userinfo = args
                .userinfo
                .as_deref()
                .map(|path| input::object(process, path))
                .transpose()?;
            let who = Subject::UnverifiedToken {
                token: input::token(process, Some(path))?,
                userinfo,
            };
            let opened =
                query::resolve(&policy, &who, None).map_err(|error| query::failure(&error))?;
            opened.names().map(str::to_owned).collect()
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
