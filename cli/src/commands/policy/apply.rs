//! `gbac policy apply`: makes changes of a file in a running service.

use gbac_engine::policy::{Change, Policy};
use gbac_json::{POLICY_CHANGES, Problem, Problems, changes_from_json};
use gbac_words::commands::policy as words;
use gbac_words::common;

use crate::args::Format;
use crate::args::policy::ApplyArgs;
use crate::client::Client;
use crate::commands::change_list::ChangeList;
use crate::commands::{changes, import};
use crate::confirm::confirm;
use crate::input;
use crate::output::{self, Failure};
use crate::process::Process;

/// Reads an array of changes, or an object with the member `changes`, as the service accepts it.
fn read(text: &str) -> Result<Vec<Change>, Problems> {
    if !text.trim_start().starts_with('[') {
        return changes_from_json(text);
    }
    changes_from_json(&format!("{{\"changes\":{text}}}")).map_err(|Problems(problems)| {
        let place = |path: &str| path.strip_prefix("/changes").unwrap_or(path).to_owned();
        Problems(
            problems
                .into_iter()
                .map(|problem| Problem {
                    path: place(&problem.path),
                    ..problem
                })
                .collect(),
        )
    })
}

/// Says that the service has every change already.
fn nothing_to_change(
    process: &Process,
    file: &str,
    policy: &Policy,
    tag: &str,
    format: Format,
) -> Result<bool, Failure> {
    match format {
        Format::Text => output::text(process, &format!("{}\n", common::NOTHING_TO_CHANGE))?,
        Format::Json | Format::Yaml => {
            import::report(process, "", file, policy, Some(tag), format)?;
        }
    }
    Ok(true)
}

/// Shows the effect of the changes, and makes all of them or none.
pub(super) fn run(process: &Process, args: &ApplyArgs, format: Format) -> Result<bool, Failure> {
    let file = args.changes.display().to_string();
    let changes = read(&input::document(process, &args.changes)?).map_err(|problems| {
        Failure::problems(&file, changes::with_kinds(problems, &POLICY_CHANGES))
    })?;
    let client = Client::open(process, &args.connect)?;
    let (before, tag) = client.policy()?;
    let mut after = before.clone();
    for (place, change) in changes.into_iter().enumerate() {
        // Settings that a change omits stay as they are.
        let change = match change {
            Change::Settings(settings) => {
                Change::Settings(Box::new(settings.filled_from(after.settings())))
            }
            change => change,
        };
        after.apply(change).map_err(|error| {
            Failure::new(
                error.code(),
                format!("{file}: /{place}: {error}; the policy of the service was not changed"),
            )
        })?;
    }
    if args.dry_run {
        client.validate_policy(&after, &tag)?;
        import::show_dry_run(process, &before, &after, format)?;
        return Ok(true);
    }
    if ChangeList::between(&before, &after).is_empty() {
        return nothing_to_change(process, &file, &after, &tag, format);
    }
    import::show_effect(process, &before, &after, format)?;
    if !args.no_confirm {
        confirm(process, words::MAKE_CHANGES)?;
    }
    let tag = client.replace_policy(&after, &tag)?;
    import::report(process, "Applied", &file, &after, tag.as_deref(), format)?;
    Ok(true)
}
