//! `gbac policy diff`: who gains and who loses access, as text, JSON, a report, or Markdown for a
//! pull request.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use gbac_analysis::{AccessEffect, Diff, Difference, Relation, diff};
use gbac_engine::Coded;
use gbac_engine::model::{Principal, PrincipalType};
use gbac_engine::policy::{Policy, StatedSettings};
use gbac_json::DiffJson;
use gbac_words::commands::policy as words;
use gbac_words::difference;

use crate::args::Format;
use crate::args::output::ReportFormat;
use crate::args::policy::DiffArgs;
use crate::commands::change_list::ChangeList;
use crate::commands::{differences, principals};
use crate::input;
use crate::output::{self, Failure, plain, sentence};
use crate::policy_source::{self, LoadedPolicy};
use crate::process::Process;
use crate::report::{self, Entry, Level};

/// The settings that differ only because the new policy does not state them (D-43).
fn unstated(changed: &Diff, stated: StatedSettings) -> Vec<&'static str> {
    let is_stated = |name: &str| match name {
        "oidc_group_claim_path" => stated.claim_path,
        "nested_group_behavior" => stated.nested,
        "oidc_principal_mapping" => stated.principal_mapping,
        "superusers" => stated.superusers,
        "access" => stated.access,
        _ => true,
    };
    changed
        .settings
        .iter()
        .copied()
        .filter(|name| !is_stated(name))
        .collect()
}

/// The old policy: of the first of two files, or of --online or --policy; and the file of the new
/// one.
fn before<'a>(process: &Process, args: &'a DiffArgs) -> Result<(LoadedPolicy, &'a Path), Failure> {
    let has_flag = args.source.online || args.source.policy_file.is_some();
    match (&args.first, &args.second) {
        (_, Some(_)) if has_flag => Err(Failure::usage(
            "--online and --policy take the place of the old document; name only the new one",
        )),
        (before, Some(after)) => Ok((
            LoadedPolicy {
                policy: input::policy(process, before)?,
                state: None,
            },
            after,
        )),
        (after, None) if has_flag || policy_source::is_in_environment(process) => {
            Ok((policy_source::load(process, &args.source)?, after))
        }
        (_, None) => Err(Failure::usage(
            "only one document was named; name the old and the new one, or compare the policy of a service with it: \
             `gbac policy diff --online FILE`",
        )),
    }
}

/// Reports who gains and loses access; returns whether nothing changes.
pub(super) fn run(
    process: &Process,
    args: &DiffArgs,
    format: Format,
    report: Option<ReportFormat>,
) -> Result<bool, Failure> {
    let (
        LoadedPolicy {
            policy: earlier,
            state,
        },
        after,
    ) = before(process, args)?;
    let later = input::policy(process, after)?;
    let changed = diff(&earlier, &later);
    let changes = ChangeList::between(&earlier, &later);
    let unstated = unstated(&changed, later.settings().states());
    if !unstated.is_empty() {
        let (file, names) = (after.display(), unstated.join("`, `"));
        output::note(process, &words::default_compared(&file.to_string(), &names));
    }
    match (report, format) {
        (Some(ReportFormat::Markdown), _) => {
            output::document(process, &markdown(&earlier, &later, &changed))?;
        }
        (Some(report), _) => {
            let file = after.display().to_string();
            report::write(
                process,
                report,
                "policy diff",
                &file,
                &entries(&changed, &file),
            )?;
        }
        (None, Format::Json | Format::Yaml) => {
            let value = changes.counted(DiffJson::from(&changed));
            policy_source::write_value(process, state.as_ref(), format, value)?;
        }
        (None, Format::Text) => {
            let text = if earlier == later {
                format!("{}\n", words::IDENTICAL)
            } else {
                // Adds and removes say what the document would do to the service.
                let direction = state.as_ref().map_or_else(String::new, |state| {
                    let file = after.display().to_string();
                    let direction = words::direction(state.client().url(), &file);
                    format!("{}\n", sentence(&direction))
                });
                format!(
                    "{direction}{}{}",
                    changes.render(),
                    differences::render(process, &changed)
                )
            };
            policy_source::write_text(process, state.as_ref(), &text)?;
        }
    }
    Ok(changed.relation == Relation::Equal)
}

/// Each difference as a result: a gain is a warning, everything else a notice.
fn entries(changed: &Diff, file: &str) -> Vec<Entry> {
    let settings = changed.settings.iter().map(|name| Entry {
        level: Level::Warning,
        rule: "setting_differs".into(),
        title: (*name).into(),
        message: format!("the setting `{name}` differs"),
        file: file.to_owned(),
        line: 1,
    });
    let all = changed.differences.iter().chain(&changed.roles);
    let differences = all.flat_map(|difference| {
        let level = match difference.effect {
            AccessEffect::Gains | AccessEffect::GainsWithOthers => Level::Warning,
            AccessEffect::Loses | AccessEffect::LosesWithOthers | AccessEffect::StillBlocked => {
                Level::Notice
            }
        };
        differences::rows(difference)
            .into_iter()
            .map(move |row| Entry {
                level,
                rule: difference.effect.code().into(),
                title: difference.scope.to_string(),
                message: row.join(", "),
                file: file.to_owned(),
                line: 1,
            })
    });
    settings.chain(differences).collect()
}

/// Who gains, who loses and what is new, for a pull request.
fn markdown(before: &Policy, after: &Policy, changed: &Diff) -> String {
    let (earlier, later) = (principals(before), principals(after));
    let all = earlier.union(&later).count();
    let mut text = String::from("### Access changes\n\n");
    let _ = writeln!(text, "{}", difference::sentence(changed));
    let having = |effects: [AccessEffect; 2]| -> BTreeSet<String> {
        let differences = changed.differences.iter().chain(&changed.roles);
        differences
            .filter(|one| effects.contains(&one.effect))
            .map(|one| one.scope.to_string())
            .collect()
    };
    let gains = having([AccessEffect::Gains, AccessEffect::GainsWithOthers]);
    let loses = having([AccessEffect::Loses, AccessEffect::LosesWithOthers]);
    let names = |names: BTreeSet<String>| {
        names
            .iter()
            .map(|name| code(name))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let of = |one: &BTreeSet<Principal>, other: &BTreeSet<Principal>| -> BTreeSet<String> {
        one.difference(other).map(ToString::to_string).collect()
    };
    text.push_str("\n| | number | who |\n|---|---|---|\n");
    for (label, who) in [
        ("gain access", gains),
        ("lose access", loses),
        ("are new", of(&later, &earlier)),
        ("are no longer named", of(&earlier, &later)),
    ] {
        let everyone = if who.contains("User:*") {
            " and everyone"
        } else {
            ""
        };
        let number = who.iter().filter(|name| *name != "User:*").count();
        let _ = writeln!(text, "| {label} | {number}{everyone} | {} |", names(who));
    }
    let kinds = [
        PrincipalType::User,
        PrincipalType::Group,
        PrincipalType::Role,
    ];
    let number = |kind| {
        earlier
            .union(&later)
            .filter(|principal| principal.kind() == kind)
            .count()
    };
    let [users, groups, roles] = kinds.map(number);
    let counted_over = words::counted_over(all, users, groups, roles);
    let _ = writeln!(text, "\n{counted_over}");
    for (title, list) in [
        ("Users and groups", &changed.differences),
        ("Members of roles", &changed.roles),
    ] {
        text.push_str(&section(title, list));
    }
    if !changed.settings.is_empty() {
        let names: Vec<String> = changed.settings.iter().map(|name| code(name)).collect();
        let _ = writeln!(text, "\nSettings that differ: {}", names.join(", "));
    }
    text
}

fn section(title: &str, list: &[Difference]) -> String {
    if list.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\n#### {title}\n\n| principal | effect | operations | resource | host |\n|---|---|---|---|---|\n"
    );
    for row in list.iter().flat_map(differences::rows) {
        let cells: Vec<String> = row.iter().map(|cell| code(cell)).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text
}

/// A text as code in a cell of a table, so that no name is read as Markdown.
fn code(text: &str) -> String {
    let text = plain(text);
    // The fence is longer than each run of backticks in the text.
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let blank = if longest > 0 { " " } else { "" };
    format!("{fence}{blank}{}{blank}{fence}", text.replace('|', "\\|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_read_as_markdown() {
        assert_eq!(code("Group:a"), "`Group:a`");
        assert_eq!(code("a`b``c|d\ne"), "``` a`b``c\\|d\\ne ```");
    }
}
