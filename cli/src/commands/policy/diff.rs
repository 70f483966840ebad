//! `gbac policy diff`: who gains and who loses access, as text, JSON, a report, or Markdown for a
//! pull request.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use gbac_analysis::{AccessEffect, Diff, Difference, Relation, diff};
use gbac_engine::Coded;
use gbac_engine::model::{Principal, PrincipalType};
use gbac_engine::policy::Policy;
use gbac_json::DiffJson;
use gbac_words::commands::policy as words;
use gbac_words::convergence;
use gbac_words::difference::{self, PolicyPair};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::converge::{self, WrittenConvergence};
use crate::args::format::ReportFormat;
use crate::args::policy_source::{self, NamedPolicy, PolicySourceArgs, PolicyState};
use crate::output::{self, Failure, Format, plain, sentence};
use crate::process::Process;
use crate::render::adds_and_removes::{AddsAndRemoves, PolicyDifference};
use crate::render::gains_and_losses;
use crate::render::pipeline_report::{self, Entry, Level};

#[derive(Debug, Args)]
#[command(
    override_usage = "gbac policy diff [OPTIONS] <BEFORE> <AFTER>\n       gbac policy diff [OPTIONS] --online <AFTER>\n       gbac policy diff [OPTIONS] --from <PROFILE|FILE> --to <PROFILE|FILE>"
)]
pub(crate) struct DiffArgs {
    /// Old policy document. With --online or --policy, the old one is that, and this one is the new
    /// one.
    #[arg(value_name = "BEFORE", required_unless_present = "from")]
    first: Option<PathBuf>,
    /// New policy document.
    #[arg(value_name = "AFTER")]
    second: Option<PathBuf>,
    /// Compare this cluster with the one of --to: a connection profile or a policy document. A
    /// profile takes precedence over a file of the same name.
    #[arg(
        long,
        value_name = "PROFILE|FILE",
        requires = "to",
        conflicts_with_all = ["first", "second", "policy_file", "online"]
    )]
    from: Option<PathBuf>,
    /// Compare the cluster of --from with this one: a connection profile or a policy document.
    #[arg(long, value_name = "PROFILE|FILE", requires = "from")]
    to: Option<PathBuf>,
    /// Write the changes that make TO decide as FROM to this file, for `gbac policy apply`. They
    /// delete what FROM does not have. Roles whose names begin with `__` belong to the platform and
    /// are never changed.
    #[arg(long, value_name = "FILE", requires = "from")]
    converge: Option<PathBuf>,
    #[command(flatten)]
    source: PolicySourceArgs,
    /// Exit with 1 if effective access or the settings differ.
    #[arg(long)]
    exit_code: bool,
}

/// Who can do what in only one of two clusters.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ComparedClusters<'a> {
    /// The cluster of `--from`.
    from: ComparedCluster<'a>,
    /// The cluster of `--to`. What it alone allows is a gain, and what it does not allow a loss.
    to: ComparedCluster<'a>,
    /// The difference.
    #[serde(flatten)]
    difference: PolicyDifference,
    /// The file of `--converge`; absent without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    converge: Option<&'a WrittenConvergence>,
}

/// One of two clusters.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ComparedCluster<'a> {
    /// The profile or the file.
    name: &'a str,
    /// Whether it is a profile.
    profile: bool,
    /// The state of the service's policy; absent for a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    policy_state: Option<&'a str>,
}

impl<'a> From<&'a NamedPolicy> for ComparedCluster<'a> {
    fn from(side: &'a NamedPolicy) -> Self {
        Self {
            name: &side.name,
            profile: side.is_profile,
            policy_state: side.state.as_ref().map(PolicyState::tag),
        }
    }
}

/// The two policies of the flags, and what they are to each other.
fn compared(process: &Process, args: &DiffArgs) -> Result<([NamedPolicy; 2], PolicyPair), Failure> {
    if let (Some(from), Some(to)) = (&args.from, &args.to) {
        let from = NamedPolicy::of_profile_or_file(process, &args.source, from)?;
        let to = NamedPolicy::of_profile_or_file(process, &args.source, to)?;
        return Ok(([from, to], PolicyPair::FromTo));
    }
    let has_flag = args.source.is_named();
    let pair = match (&args.first, &args.second) {
        (Some(_), Some(_)) if has_flag => {
            return Err(Failure::usage(
                "--online and --policy take the place of the old document; name only the new one",
            ));
        }
        (Some(before), Some(after)) => [
            NamedPolicy::of_file(process, before)?,
            NamedPolicy::of_file(process, after)?,
        ],
        (Some(after), None) if has_flag || policy_source::is_in_environment(process) => [
            NamedPolicy::of_flags(process, &args.source)?,
            NamedPolicy::of_file(process, after)?,
        ],
        _ => {
            return Err(Failure::usage(
                "only one document was named; name the old and the new one, or compare the policy of a service with it: \
                 `gbac policy diff --online FILE`",
            ));
        }
    };
    Ok((pair, PolicyPair::BeforeAfter))
}

/// Reports who has access in only one of two policies; returns whether it is nobody, if the flags
/// ask for that.
pub(super) fn run(
    process: &Process,
    args: &DiffArgs,
    format: Format,
    report: Option<ReportFormat>,
) -> Result<bool, Failure> {
    let ([earlier, later], pair) = compared(process, args)?;
    let changed = diff(&earlier.policy, &later.policy);
    if pair == PolicyPair::FromTo {
        note_unstated(process, &changed, &earlier);
    }
    note_unstated(process, &changed, &later);
    let converged = match &args.converge {
        Some(path) => Some(converge::write(
            process,
            path,
            &earlier.policy,
            &later.policy,
        )?),
        None => None,
    };
    match (report, format) {
        (Some(ReportFormat::Markdown), _) => {
            let text = markdown(&earlier.policy, &later.policy, &changed, pair);
            output::document(process, &text)?;
        }
        (Some(report), _) => {
            let entries = entries(&changed, &later.name, pair);
            pipeline_report::write(process, report, "policy diff", &later.name, &entries)?;
        }
        (None, Format::Json | Format::Yaml) => {
            let changes = AddsAndRemoves::between(&earlier.policy, &later.policy);
            let difference = changes.counted(DiffJson::from(&changed));
            match pair {
                PolicyPair::BeforeAfter => {
                    policy_source::write_value(
                        process,
                        earlier.state.as_ref(),
                        format,
                        difference,
                    )?;
                }
                PolicyPair::FromTo => {
                    let compared = ComparedClusters {
                        from: (&earlier).into(),
                        to: (&later).into(),
                        difference,
                        converge: converged.as_ref(),
                    };
                    output::value(process, format, &compared)?;
                }
            }
        }
        (None, Format::Text) => {
            let text = match pair {
                PolicyPair::BeforeAfter => before_and_after(process, &earlier, &later, &changed),
                PolicyPair::FromTo => {
                    from_and_to(process, &earlier, &later, &changed, converged.as_ref())
                }
            };
            output::text(process, &text)?;
        }
    }
    if let Some(converged) = &converged
        && converged.changes > 0
    {
        let profile = later.is_profile.then_some(later.name.as_str());
        let next = words::converges(&converged.file, converged.changes, profile);
        output::note(process, &format!("note: {}", sentence(&next)));
    }
    Ok(changed.relation == Relation::Equal || !args.exit_code)
}

/// Says which settings of a document are compared with their defaults.
fn note_unstated(process: &Process, changed: &Diff, side: &NamedPolicy) {
    let unstated = changed.unstated(side.policy.settings().states());
    if !unstated.is_empty() {
        let names = unstated.join("`, `");
        output::note(process, &words::default_compared(&side.name, &names));
    }
}

/// What a new policy adds and removes, and the effect of that.
fn before_and_after(
    process: &Process,
    earlier: &NamedPolicy,
    later: &NamedPolicy,
    changed: &Diff,
) -> String {
    let at = earlier.at();
    if earlier.policy == later.policy {
        return format!("{}\n{at}", words::IDENTICAL);
    }
    // Adds and removes say what the document would do to the service.
    let direction = match &earlier.state {
        Some(state) => {
            let direction = words::direction(state.client().url(), &later.name);
            sentence(&direction) + "\n"
        }
        None => String::new(),
    };
    let changes = AddsAndRemoves::between(&earlier.policy, &later.policy);
    let effect = gains_and_losses::render(process, changed);
    format!("{direction}{}{effect}{at}", changes.render())
}

/// Who has access in only one of two clusters, and what a convergence leaves as it is.
fn from_and_to(
    process: &Process,
    from: &NamedPolicy,
    to: &NamedPolicy,
    changed: &Diff,
    converged: Option<&WrittenConvergence>,
) -> String {
    let mut text = String::new();
    for (label, side) in [("FROM", from), ("TO", to)] {
        let is = words::side(label, &side.name, side.is_profile);
        let _ = writeln!(text, "{}", sentence(&is));
        text.push_str(&side.at());
    }
    let effect = gains_and_losses::render_pair(process, changed, PolicyPair::FromTo);
    let _ = write!(text, "\n{effect}");
    let left = converged.map_or(&[][..], |converged| &converged.left);
    if !left.is_empty() {
        let _ = writeln!(text, "\n{}", convergence::remain("TO"));
    }
    for one in left {
        let _ = writeln!(text, "  {one}");
    }
    text
}

/// Each difference as a result: a gain is a warning, everything else a notice.
fn entries(changed: &Diff, file: &str, pair: PolicyPair) -> Vec<Entry> {
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
        for row in gains_and_losses::rows(difference, pair) {
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
fn markdown(before: &Policy, after: &Policy, changed: &Diff, pair: PolicyPair) -> String {
    let (earlier, later) = (
        policy_source::principals(before),
        policy_source::principals(after),
    );
    let mut text = String::from("### Access changes\n\n");
    let _ = writeln!(text, "{}", difference::sentence(changed, pair));
    text.push_str("\n| | number | who |\n|---|---|---|\n");
    let gains = [AccessEffect::Gains, AccessEffect::CanGain];
    let loses = [AccessEffect::Loses, AccessEffect::CanLose];
    let labels = words::counted(pair);
    let counted = [
        having(changed, gains),
        having(changed, loses),
        only_in_first(&later, &earlier),
        only_in_first(&earlier, &later),
    ];
    for (label, who) in labels.into_iter().zip(counted) {
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
    text.push_str(&section("Users and groups", &changed.differences, pair));
    text.push_str(&section("Members of roles", &changed.roles, pair));
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

fn section(title: &str, list: &[Difference], pair: PolicyPair) -> String {
    if list.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\n#### {title}\n\n| principal | effect | operations | resource | host |\n|---|---|---|---|---|\n"
    );
    for one in list {
        for row in gains_and_losses::rows(one, pair) {
            let cells: Vec<String> = row.iter().map(|cell| code(cell)).collect();
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
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
