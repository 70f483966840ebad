//! `gbac what-if`: a user's access before and after hypothetical changes.

use std::fmt::Write;

use gbac_analysis::WhatIf;
use gbac_analysis::{HypotheticalChange, HypotheticalChanges};
use gbac_engine::decide::At;
use gbac_engine::policy::Change;
use gbac_json::{POLICY_CHANGES, PROVIDER_CHANGES, WhatIfJson, hypothetical_changes_from_json};
use gbac_words::change;
use gbac_words::commands::access;
use gbac_words::common::NO_CHANGE_IN_ACCESS;

use super::changes;
use super::differences::regions;
use super::verdicts;
use crate::args::Format;
use crate::args::simulate::WhatIfArgs;
use crate::input;
use crate::output::{self, Failure, plain, sentence};
use crate::policy_source::{self, LoadedPolicy};
use crate::process::Process;
use crate::query;

pub(crate) fn run(process: &Process, args: &WhatIfArgs, format: Format) -> Result<u8, Failure> {
    let LoadedPolicy { policy, state } = policy_source::load(process, &args.policy)?;
    let changes = hypothetical(process, args)?;
    let (verifier, at) = query::verifier(process, &args.subject)?;
    let subject = query::subject(process, &args.subject, verifier.is_some())?;
    let check = query::optional_check(&subject, &args.query)?;
    let verify = verifier
        .as_ref()
        .map(|verifier| |token: &str| verifier.verify(token));
    let verify = verify.as_ref().map(|verify| verify as &dyn Fn(&str) -> _);
    let result = gbac_analysis::what_if(&policy, &subject, &changes, check.as_ref(), verify, at)
        .map_err(|error| query::failure(&error))?;
    match format {
        Format::Json | Format::Yaml => {
            policy_source::write_value(process, state.as_ref(), format, WhatIfJson::from(&result))?;
        }
        Format::Text => policy_source::write_text(
            process,
            state.as_ref(),
            &render(process, &changes, &result, at),
        )?,
    }
    if let Some(path) = &args.out {
        let of_policy = changes.as_slice().iter().filter_map(|change| match change {
            HypotheticalChange::Policy(change) => Some(change.clone()),
            HypotheticalChange::Join(_) | HypotheticalChange::Leave(_) => None,
        });
        let of_policy: Vec<Change> = of_policy.collect();
        changes::write(process, path, &of_policy)?;
        let omits = of_policy.len() < changes.as_slice().len();
        let what = access::policy_changes(of_policy.len(), omits);
        changes::announce(process, path, &of_policy, &what);
    }
    let is_refused = result.no_ops.iter().any(|idle| idle.error.is_some());
    Ok(if is_refused {
        output::ERROR
    } else {
        output::SUCCESS
    })
}

fn hypothetical(process: &Process, args: &WhatIfArgs) -> Result<HypotheticalChanges, Failure> {
    let mut hypothetical = match &args.changes {
        None => HypotheticalChanges::default(),
        Some(path) => hypothetical_changes_from_json(&input::document(process, path)?).map_err(
            |problems| {
                let kinds = [&POLICY_CHANGES[..], &PROVIDER_CHANGES].concat();
                Failure::problems(
                    &path.display().to_string(),
                    changes::with_kinds(problems, &kinds),
                )
            },
        )?,
    };
    for (flag, names, change) in [
        (
            "--join",
            &args.join,
            HypotheticalChange::Join as fn(String) -> HypotheticalChange,
        ),
        ("--leave", &args.leave, HypotheticalChange::Leave),
    ] {
        for name in query::group_names(flag, names)? {
            hypothetical.add(change(name));
        }
    }
    if hypothetical.as_slice().is_empty() {
        return Err(Failure::usage(
            "no changes given; pass --changes, --join or --leave",
        ));
    }
    Ok(hypothetical)
}

fn render(process: &Process, changes: &HypotheticalChanges, result: &WhatIf, at: At) -> String {
    let user = format!("User:{}", plain(result.before.identity.user()));
    let mut text = format!("{user}\n{}\nChanges:\n", verdicts::token(&result.before));
    for change in changes.as_slice() {
        let _ = writeln!(text, "  {}", sentence(&change::hypothetical(change)));
    }
    for no_op in &result.no_ops {
        let _ = writeln!(text, "note: {}", sentence(&change::no_op(no_op)));
    }
    if result.after.user() != result.before.identity.user() {
        let renamed = access::user_after(&result.after.principal());
        let _ = writeln!(text, "{}", sentence(&renamed));
    }
    let (gained, lost) = &result.groups;
    if !gained.is_empty() || !lost.is_empty() {
        let _ = writeln!(text, "Groups gained: {}", verdicts::groups(gained));
        let _ = writeln!(text, "Groups lost: {}", verdicts::groups(lost));
    }
    if let Some(decisions) = &result.decisions {
        // `before` on both sides: reasons use only the location of groups in the token, which the
        // changes keep.
        let sides = [("before", &result.before), ("after", &result.before)];
        let _ = write!(
            text,
            "\n{}",
            verdicts::two_sides(process, "WHEN", sides, decisions)
        );
    }
    text.push_str(&verdicts::expired(&result.before, at));
    if result.comparison.is_equal() {
        let _ = writeln!(text, "\n{NO_CHANGE_IN_ACCESS}");
    }
    for (what, list) in [
        ("gains", &result.comparison.gains),
        ("loses", &result.comparison.loses),
    ] {
        if !list.is_empty() {
            let _ = write!(text, "\n{user} {what}:\n{}", regions(process, list, "  "));
        }
    }
    text
}
