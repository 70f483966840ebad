//! `gbac what-if`: a user's access before and after hypothetical changes.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use gbac_analysis::{HypotheticalChange, HypotheticalChanges, WhatIf, what_if};
use gbac_engine::decide::At;
use gbac_engine::policy::Policy;
use gbac_json::{POLICY_CHANGES, PROVIDER_CHANGES, WhatIfJson, hypothetical_changes_from_json};
use gbac_words::change;
use gbac_words::commands::access;
use gbac_words::common::NO_CHANGE_IN_ACCESS;

use crate::args::policy_source::{self, LoadedPolicy, PolicySourceArgs};
use crate::args::question;
use crate::args::question::{QueryArgs, SubjectArgs};
use crate::input;
use crate::output::{self, Failure, Format, plain, sentence};
use crate::process::Process;
use crate::render::gains_and_losses::regions;
use crate::render::proposed_changes::{self, CHANGES_HELP};
use crate::render::verdicts;

#[derive(Debug, Args)]
pub(crate) struct WhatIfArgs {
    #[command(flatten)]
    policy: PolicySourceArgs,
    /// File with the changes, a JSON array, `-` for standard input.
    #[arg(long, value_name = "FILE", long_help = CHANGES_HELP)]
    changes: Option<PathBuf>,
    /// Groups to add the user to in the identity provider, comma-separated like --group.
    #[arg(long, value_name = "GROUPS")]
    add_to_group: Vec<String>,
    /// Groups to remove the user from in the identity provider, comma-separated like --group.
    #[arg(long, value_name = "GROUPS")]
    remove_from_group: Vec<String>,
    /// Also write the changes of the policy to this file, for `gbac policy apply`. Those in the
    /// identity provider are not in it.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    subject: SubjectArgs,
    #[command(flatten)]
    query: QueryArgs,
}

pub(crate) fn run(process: &Process, args: &WhatIfArgs, format: Format) -> Result<u8, Failure> {
    let LoadedPolicy { policy, state, .. } = policy_source::load(process, &args.policy)?;
    let changes = hypothetical(process, args)?;
    let (verifier, at) = question::verifier(process, &args.subject)?;
    let subject = question::subject(process, &args.subject, verifier.is_some())?;
    let check = question::optional_check(&subject, &args.query)?;
    let check = check.as_ref();
    let result = match &verifier {
        Some(verifier) => {
            let verify = |token: &str| verifier.verify(token);
            what_if(&policy, &subject, &changes, check, Some(&verify), at)?
        }
        None => what_if(&policy, &subject, &changes, check, None, at)?,
    };
    match format {
        Format::Json | Format::Yaml => {
            policy_source::write_value(process, state.as_ref(), format, WhatIfJson::from(&result))?;
        }
        Format::Text => {
            let text = render(process, &policy, &changes, &result, at);
            policy_source::write_text(process, state.as_ref(), &text)?;
        }
    }
    if let Some(path) = &args.out {
        let mut of_policy = Vec::new();
        for change in changes.as_slice() {
            if let HypotheticalChange::Policy(change) = change {
                of_policy.push(change.clone());
            }
        }
        proposed_changes::write(process, path, &of_policy)?;
        let omits = of_policy.len() < changes.as_slice().len();
        let what = access::policy_changes(of_policy.len(), omits);
        proposed_changes::announce(process, path, &of_policy, &what, &args.policy);
    }
    let is_refused = result.no_ops.iter().any(|idle| idle.error.is_some());
    Ok(output::exit_code(!is_refused))
}

fn hypothetical(process: &Process, args: &WhatIfArgs) -> Result<HypotheticalChanges, Failure> {
    let mut hypothetical = HypotheticalChanges::default();
    if let Some(path) = &args.changes {
        let document = input::document(process, path)?;
        hypothetical = hypothetical_changes_from_json(&document).map_err(|problems| {
            let kinds = [&POLICY_CHANGES[..], &PROVIDER_CHANGES].concat();
            let problems = proposed_changes::with_kinds(problems, &kinds);
            Failure::problems(&path.display().to_string(), problems)
        })?;
    }
    for name in question::group_names("--add-to-group", &args.add_to_group)? {
        hypothetical.add(HypotheticalChange::Join(name));
    }
    for name in question::group_names("--remove-from-group", &args.remove_from_group)? {
        hypothetical.add(HypotheticalChange::Leave(name));
    }
    if hypothetical.as_slice().is_empty() {
        return Err(Failure::usage(
            "no changes given; pass --changes, --add-to-group or --remove-from-group",
        ));
    }
    Ok(hypothetical)
}

fn render(
    process: &Process,
    policy: &Policy,
    changes: &HypotheticalChanges,
    result: &WhatIf,
    at: At,
) -> String {
    let user = format!("User:{}", plain(result.before.identity.user()));
    let dialect = policy.settings().dialect;
    let token = verdicts::token(&result.before, dialect);
    let mut text = format!("{user}\n{token}\nChanges:\n");
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
