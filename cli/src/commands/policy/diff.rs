//! `gbac policy diff`: who gains and who loses access, as text, JSON, a report, or Markdown for a
//! pull request.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use gbac_analysis::{AccessEffect, Diff, Difference, Relation, diff};
use gbac_engine::Coded;
use gbac_engine::model::{Principal, PrincipalType};
use gbac_engine::policy::{Policy, StatedSettings};
use gbac_json::DiffJson;
use gbac_words::commands::policy as words;
use gbac_words::difference;

use crate::args::format::ReportFormat;
use crate::args::policy_source::{self, LoadedPolicy, PolicySourceArgs};
use crate::input;
use crate::output::{self, Failure, Format, plain, sentence};
use crate::process::Process;
use crate::render::adds_and_removes::AddsAndRemoves;
use crate::render::gains_and_losses;
use crate::render::pipeline_report::{self, Entry, Level};

#[derive(Debug, Args)]
#[command(
    override_usage = "gbac policy diff [OPTIONS] <BEFORE> <AFTER>\n       gbac policy diff [OPTIONS] --online <AFTER>"
)]
pub(crate) struct DiffArgs {
    /// Old policy document. With --online or --policy, the old one is that, and this one is the new
    /// one.
    #[arg(value_name = "BEFORE")]
    first: PathBuf,
    /// New policy document.
    #[arg(value_name = "AFTER")]
    second: Option<PathBuf>,
    #[command(flatten)]
    source: PolicySourceArgs,
    /// Exit with 1 if effective access or the settings differ.
    #[arg(long)]
    exit_code: bool,
}

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
    let mut unstated = changed.settings.clone();
    unstated.retain(|name| !is_stated(name));
    unstated
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

/// Reports who gains and loses access; returns whether nothing changes, if the flags ask for that.
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
    let changes = AddsAndRemoves::between(&earlier, &later);
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
            let entries = entries(&changed, &file);
            pipeline_report::write(process, report, "policy diff", &file, &entries)?;
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
                let direction = match &state {
                    Some(state) => {
                        let file = after.display().to_string();
                        let direction = words::direction(state.client().url(), &file);
                        sentence(&direction) + "\n"
                    }
                    None => String::new(),
                };
                let effect = gains_and_losses::render(process, &changed);
                format!("{direction}{}{effect}", changes.render())
            };
            policy_source::write_text(process, state.as_ref(), &text)?;
        }
    }
    Ok(changed.relation == Relation::Equal || !args.exit_code)
}

/// Each difference as a result: a gain is a warning, everything else a notice.
fn entries(changed: &Diff, file: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    for name in &changed.settings {
        entries.push(Entry {
            level: Level::Warning,
            rule: "setting_differs".into(),
            title: (*name).into(),
            message: format!("the setting `{name}` differs"),
            file: file.to_owned(),
            line: 1,
        });
    }
    for difference in changed.differences.iter().chain(&changed.roles) {
        let level = match difference.effect {
            AccessEffect::Gains | AccessEffect::CanGain => Level::Warning,
            AccessEffect::Loses | AccessEffect::CanLose | AccessEffect::StillDenied => {
                Level::Notice
            }
        };
        for row in gains_and_losses::rows(difference) {
            entries.push(Entry {
                level,
                rule: difference.effect.code().into(),
                title: difference.scope.to_string(),
                message: row.join(", "),
                file: file.to_owned(),
                line: 1,
            });
        }
    }
    entries
}

/// Who gains, who loses and what is new, for a pull request.
fn markdown(before: &Policy, after: &Policy, changed: &Diff) -> String {
    let (earlier, later) = (
        policy_source::principals(before),
        policy_source::principals(after),
    );
    let mut text = String::from("### Access changes\n\n");
    let _ = writeln!(text, "{}", difference::sentence(changed));
    text.push_str("\n| | number | who |\n|---|---|---|\n");
    let gains = [AccessEffect::Gains, AccessEffect::CanGain];
    let loses = [AccessEffect::Loses, AccessEffect::CanLose];
    for (label, who) in [
        ("gain access", having(changed, gains)),
        ("lose access", having(changed, loses)),
        ("are new", only_in_first(&later, &earlier)),
        ("are no longer named", only_in_first(&earlier, &later)),
    ] {
        let everyone = if who.contains("User:*") {
            " and everyone"
        } else {
            ""
        };
        let number = who.iter().filter(|name| *name != "User:*").count();
        let names: Vec<String> = who.iter().map(|name| code(name)).collect();
        let names = names.join(", ");
        let _ = writeln!(text, "| {label} | {number}{everyone} | {names} |");
    }
    let (mut all, mut users, mut groups, mut roles) = (0, 0, 0, 0);
    for principal in earlier.union(&later) {
        all += 1;
        match principal.kind() {
            PrincipalType::User => users += 1,
            PrincipalType::Group => groups += 1,
            PrincipalType::Role => roles += 1,
            PrincipalType::Other => {}
        }
    }
    let counted_over = words::counted_over(all, users, groups, roles);
    let _ = writeln!(text, "\n{counted_over}");
    text.push_str(&section("Users and groups", &changed.differences));
    text.push_str(&section("Members of roles", &changed.roles));
    if !changed.settings.is_empty() {
        let names: Vec<String> = changed.settings.iter().map(|name| code(name)).collect();
        let _ = writeln!(text, "\nSettings that differ: {}", names.join(", "));
    }
    text
}

/// Those whose access differs with one of two effects.
fn having(changed: &Diff, effects: [AccessEffect; 2]) -> BTreeSet<String> {
    let mut having = BTreeSet::new();
    for one in changed.differences.iter().chain(&changed.roles) {
        if effects.contains(&one.effect) {
            having.insert(one.scope.to_string());
        }
    }
    having
}

fn only_in_first(first: &BTreeSet<Principal>, second: &BTreeSet<Principal>) -> BTreeSet<String> {
    first.difference(second).map(ToString::to_string).collect()
}

fn section(title: &str, list: &[Difference]) -> String {
    if list.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\n#### {title}\n\n| principal | effect | operations | resource | host |\n|---|---|---|---|---|\n"
    );
    for row in list.iter().flat_map(gains_and_losses::rows) {
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
