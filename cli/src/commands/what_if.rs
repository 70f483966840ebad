//! `gbac what-if`: a user's access before and after hypothetical changes.

use std::fmt::Write;
use std::process::ExitCode;

use gbac_engine::analyze::{Trial, Trials};
use gbac_engine::check::WhatIf;
use gbac_engine::decide::At;
use gbac_engine::wire::{WhatIfJson, trials_from_json};
use serde_json::json;

use super::differences::regions;
use super::verdicts;
use crate::args::Format;
use crate::args::simulate::WhatIfArgs;
use crate::input;
use crate::output::{self, Failure, plain};
use crate::query;

pub(crate) fn run(args: &WhatIfArgs, format: Format) -> Result<ExitCode, Failure> {
    let policy = input::policy(&args.policy)?;
    let changes = changes(args)?;
    let (verifier, at) = query::verifier(&args.subject)?;
    let subject = query::subject(&args.subject, verifier.is_some())?;
    let check = query::optional_check(&subject, &args.query)?;
    let verify = verifier.as_ref().map(|verifier| |token: &str| verifier.verify(token));
    let verify = verify.as_ref().map(|verify| verify as &dyn Fn(&str) -> _);
    let found = gbac_engine::check::what_if(&policy, &subject, &changes, check.as_ref(), verify, at)
        .map_err(|error| query::failure(&error))?;
    match format {
        Format::Json | Format::Yaml => output::value(format, &json!(WhatIfJson::from(&found)))?,
        Format::Text => output::text(&render(&changes, &found, at))?,
    }
    let is_refused = found.idle.iter().any(|idle| idle.error.is_some());
    Ok(if is_refused { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn changes(args: &WhatIfArgs) -> Result<Trials, Failure> {
    let mut changes = match &args.changes {
        None => Trials::default(),
        Some(path) => trials_from_json(&input::document(path)?)
            .map_err(|problems| Failure::problems(&path.display().to_string(), problems))?,
    };
    for (flag, names, change) in
        [("--join", &args.join, Trial::Join as fn(String) -> Trial), ("--leave", &args.leave, Trial::Leave)]
    {
        for name in query::group_names(flag, names)? {
            changes.add(change(name));
        }
    }
    if changes.as_slice().is_empty() {
        return Err(Failure::usage("no changes given; pass --changes, --join or --leave"));
    }
    Ok(changes)
}

fn render(changes: &Trials, found: &WhatIf, at: At) -> String {
    let user = format!("User:{}", plain(found.before.identity.user()));
    let user_after = format!("User:{}", plain(found.after.user()));
    let mut text = format!("{user}\n{}\nChanges:\n", verdicts::token(&found.before));
    for change in changes.as_slice() {
        let _ = writeln!(text, "  {}", change_label(change));
    }
    for no_op in &found.idle {
        let _ = writeln!(text, "note: {}: {}", change_label(&no_op.trial), plain(&no_op.to_string()));
    }
    if user_after != user {
        let _ = writeln!(text, "The token then names another user: {user_after}");
    }
    let (gained, lost) = &found.groups;
    if !gained.is_empty() || !lost.is_empty() {
        let (gained, lost) = (verdicts::groups(gained), verdicts::groups(lost));
        let _ = writeln!(text, "Groups gained: {gained}\nGroups lost: {lost}");
    }
    if let Some(answers) = &found.answers {
        // Of the token, a reason shows only the location of a group, which the changes do not move.
        let sides = [("before", &found.before), ("after", &found.before)];
        let _ = write!(text, "\n{}", verdicts::two_sides("WHEN", sides, answers));
    }
    text.push_str(&verdicts::expired(&found.before, at));
    if found.comparison.is_equal() {
        text.push_str("\nNo change in effective access.\n");
    }
    for (what, list) in [("gains", &found.comparison.gains), ("loses", &found.comparison.loses)] {
        if !list.is_empty() {
            let _ = write!(text, "\n{user} {what}:\n{}", regions(list, "  "));
        }
    }
    text
}

fn change_label(change: &Trial) -> String {
    match change {
        Trial::Join(group) => format!("add the user to Group:{} in the identity provider", plain(group)),
        Trial::Leave(group) => format!("remove the user from Group:{} in the identity provider", plain(group)),
        Trial::Policy(change) => verdicts::change(change),
    }
}
