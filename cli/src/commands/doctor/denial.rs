//! `gbac doctor denial`: why a broker denied a request, from a line of its log.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use gbac_analysis::check::{Check, Query, explain};
use gbac_analysis::denial::{LineFault, LogLine, LoggedDenial, LoggedQuestion, read_bytes};
use gbac_analysis::{AccessFix, access_fixes};
use gbac_engine::decide::{At, Explanation, Outcome, PreparedIdentity, Reason, Request, decide};
use gbac_engine::identity::Identity;
use gbac_engine::model::{Operation, ResourceType};
use gbac_engine::policy::{Change, Policy};
use gbac_engine::{ResolvedIdentity, Subject};
use gbac_json::{Code, ExplanationJson, HypotheticalChangeJson};
use gbac_words::commands::denial as words;
use gbac_words::{breadth, decision, fix};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::policy_source::{self, LoadedPolicy, PolicySourceArgs};
use crate::args::question::{self, SignIn};
use crate::input;
use crate::output::{self, Failure, Format, paint, sentence};
use crate::process::Process;
use crate::render::proposed_changes;
use crate::render::verdicts::because;

#[derive(Debug, Args)]
pub(crate) struct DenialArgs {
    /// File with lines of the log, `-` for standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    source: PolicySourceArgs,
    /// Groups of the user in the lines, comma-separated, instead of those in the lines; quote a
    /// name that contains a comma: '"a,b"'.
    #[arg(
        id = "line_groups",
        long = "group",
        value_name = "GROUPS",
        conflicts_with = "user_token"
    )]
    user_groups: Vec<String>,
    /// File with an access token of the user in the lines, whose groups are used instead of those
    /// in the lines; `-` for standard input.
    #[arg(id = "user_token", long = "token-file", value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Write the changes that allow the denied requests to this file, for `gbac policy apply`. A
    /// request that a deny blocks is not among them, and nothing that opens every name.
    #[arg(long, alias = "changes", value_name = "FILE")]
    out: Option<PathBuf>,
}

/// The most different denials that are answered.
const MAX_ANSWERED: usize = 100;
/// The most lines that are named because they are not understood.
const MAX_UNREAD: usize = 20;
/// The most characters of a line or a value that are repeated.
const MAX_REPEATED: usize = 200;
/// The most ACLs of an explanation.
const MAX_CANDIDATES: usize = 10;

/// The denials in a log.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct DenialReport<'a> {
    /// The different denials, in the order of their first lines: at most 100.
    denials: Vec<AnsweredDenial<'a>>,
    /// The number of lines with further denials.
    not_answered: u64,
    /// The number of lines of allowed requests.
    allowed: u64,
    /// The number of lines that are not understood.
    not_understood: u64,
    /// The first of these lines: at most 20.
    unread: Vec<UnreadLine<'a>>,
}

/// A denied request, and why.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct AnsweredDenial<'a> {
    /// Who asked.
    principal: String,
    /// The groups of the decision; absent if they are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<String>>,
    /// The operation.
    operation: Code<Operation>,
    /// The resource's type.
    resource_type: Code<ResourceType>,
    /// The resource's name.
    resource_name: &'a str,
    /// The client's address; absent if the line has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<String>,
    /// The API request, such as `Fetch`, if the line names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    api: Option<&'a str>,
    /// Why the broker denied it, as its log says.
    #[serde(skip_serializing_if = "Option::is_none")]
    logged_reason: Option<&'a str>,
    /// The ACL in the log that denies it, or nearly allows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    logged_acl: Option<&'a str>,
    /// The number of lines.
    lines: u64,
    /// The number of the first line, from 1.
    first_line: u64,
    /// The number of denials that the log counts and does not list.
    left_out: u64,
    /// What the line does not say, each as a sentence.
    missing: &'a [String],
    /// The decision of the policy; absent without a policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<ExplanationJson>,
    /// The fixes, the best one first; each alone allows the request.
    fixes: Vec<ProposedFix>,
}

/// A fix of a denied request.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ProposedFix {
    /// What it does.
    title: String,
    /// Its changes.
    changes: Vec<HypotheticalChangeJson>,
}

/// A line that is not understood.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct UnreadLine<'a> {
    /// Its number, from 1.
    line: u64,
    /// Why it is not understood.
    problem: String,
    /// Its beginning.
    text: &'a str,
}

/// A denial, and the lines that have it.
struct Seen {
    denial: LoggedDenial,
    lines: u64,
    first: u64,
    left_out: u64,
}

/// What the lines of a log say.
#[derive(Default)]
struct Log {
    denials: Vec<Seen>,
    places: BTreeMap<LoggedQuestion, usize>,
    not_answered: u64,
    allowed: u64,
    not_understood: u64,
    unread: Vec<(u64, LineFault, String)>,
}

impl Log {
    fn read(process: &Process, file: &Path) -> Result<Self, Failure> {
        let name = file.display().to_string();
        let mut lines = input::lines(process, file)?;
        let (mut log, mut number) = (Self::default(), 0);
        loop {
            let next = input::next_line(&mut lines).map_err(|error| Failure::io(&name, &error))?;
            let Some(line) = next else { return Ok(log) };
            number += 1;
            match read_bytes(&line) {
                Ok(LogLine::Denied(denial)) => log.add(*denial, number),
                Ok(LogLine::Allowed) => log.allowed += 1,
                Ok(LogLine::Empty) => {}
                Err(fault) => {
                    log.not_understood += 1;
                    if log.unread.len() < MAX_UNREAD {
                        log.unread.push((number, fault, beginning(&line)));
                    }
                }
            }
        }
    }

    fn add(&mut self, denial: LoggedDenial, number: u64) {
        if let Some(place) = self.places.get(&denial.question) {
            if let Some(seen) = self.denials.get_mut(*place) {
                seen.lines += 1;
                seen.left_out = seen.left_out.saturating_add(denial.left_out);
            }
            return;
        }
        if self.denials.len() == MAX_ANSWERED {
            self.not_answered += 1;
            return;
        }
        self.places
            .insert(denial.question.clone(), self.denials.len());
        self.denials.push(Seen {
            lines: 1,
            first: number,
            left_out: denial.left_out,
            denial,
        });
    }
}

/// The beginning of a line.
fn beginning(line: &[u8]) -> String {
    let start = line.get(..4 * MAX_REPEATED).unwrap_or(line);
    shortened(&String::from_utf8_lossy(start))
}

/// A text of limited length.
fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(MAX_REPEATED).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// Where the groups of the flags come from.
enum KnownGroups {
    None,
    Named(Vec<String>),
    OfToken(Box<ResolvedIdentity>),
}

/// Where the changes of a fix are made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In a service or a document.
    Policy,
    /// In a Kafka cluster, which has ACLs and no roles.
    Cluster,
}

/// What a policy says about a denial.
struct Explained {
    who: ResolvedIdentity,
    check: Check,
    explanation: Explanation,
    fixes: Vec<AccessFix>,
}

/// A denial with what is known about it.
struct Answered<'a> {
    seen: &'a Seen,
    groups: Option<Vec<String>>,
    missing: Vec<String>,
    explained: Option<Explained>,
}

pub(super) fn run(process: &Process, args: &DenialArgs, format: Format) -> Result<u8, Failure> {
    if args.file == Path::new("-") && args.token_file.as_deref() == Some(Path::new("-")) {
        return Err(input::shared_standard_input());
    }
    let log = Log::read(process, &args.file)?;
    let loaded = loaded(process, args)?;
    let known = known_groups(process, args, &log, loaded.as_ref())?;
    let place = match args.source.cluster(process)? {
        Some(_) => Place::Cluster,
        None => Place::Policy,
    };
    let mut answers = Vec::new();
    for seen in &log.denials {
        answers.push(answer(loaded.as_ref(), place, seen, &known)?);
    }
    let state = loaded.as_ref().and_then(|loaded| loaded.state.as_ref());
    let left = match (&args.out, &loaded) {
        (Some(path), Some(loaded)) => write_changes(
            process,
            (path, &args.source),
            &loaded.policy,
            place,
            &answers,
        )?,
        _ => Vec::new(),
    };
    match format {
        Format::Json | Format::Yaml => {
            policy_source::write_value(process, state, format, report(&log, &answers))?;
        }
        Format::Text => {
            let text = render(&log, &answers, loaded.as_ref(), &left);
            policy_source::write_text(process, state, &text)?;
        }
    }
    Ok(output::exit_code(log.not_understood == 0))
}

/// The policy of the flags, if they name one.
fn loaded(process: &Process, args: &DenialArgs) -> Result<Option<LoadedPolicy>, Failure> {
    let source = &args.source;
    if source.is_named() || policy_source::is_in_environment(process) {
        return policy_source::load(process, source).map(Some);
    }
    for (flag, given) in [
        ("--out", args.out.is_some()),
        ("--token-file", args.token_file.is_some()),
    ] {
        if given {
            return Err(Failure::usage(format!(
                "{flag} needs a policy; pass --policy FILE or --online"
            )));
        }
    }
    Ok(None)
}

/// The groups of the flags, which are those of one user.
fn known_groups(
    process: &Process,
    args: &DenialArgs,
    log: &Log,
    loaded: Option<&LoadedPolicy>,
) -> Result<KnownGroups, Failure> {
    if !args.user_groups.is_empty() {
        let names = question::group_names("--group", &args.user_groups)?;
        let mut principals = BTreeSet::new();
        for seen in &log.denials {
            principals.insert(&seen.denial.question.principal);
        }
        if principals.len() > 1 {
            let principals: Vec<_> = principals.into_iter().collect();
            return Err(Failure::usage(words::groups_of_several(&principals)));
        }
        return Ok(KnownGroups::Named(names));
    }
    let (Some(path), Some(loaded)) = (&args.token_file, loaded) else {
        return Ok(KnownGroups::None);
    };
    let subject = question::by_token(process, Some(path), None, false)?;
    let sign_in = SignIn::new(None, loaded.state.as_ref());
    let resolved = sign_in.accepted(&loaded.policy, &subject)?;
    Ok(KnownGroups::OfToken(Box::new(resolved)))
}

/// What the policy says about a denial, and what the line does not say.
fn answer<'a>(
    loaded: Option<&LoadedPolicy>,
    place: Place,
    seen: &'a Seen,
    known: &KnownGroups,
) -> Result<Answered<'a>, Failure> {
    let asked = &seen.denial.question;
    let mut missing = Vec::new();
    let groups = groups(asked, known, &mut missing);
    if asked.host.is_none() {
        missing.push(words::HOST_UNKNOWN.to_owned());
    }
    if asked.is_inexact {
        missing.push(words::NAME_INEXACT.to_owned());
    }
    let explained = match loaded {
        Some(loaded) => {
            let subject = Subject::Principal {
                principal: asked.principal.clone(),
                groups: groups.clone().unwrap_or_default(),
            };
            Some(explained(loaded, place, asked, subject)?)
        }
        None => None,
    };
    Ok(Answered {
        seen,
        groups,
        missing,
        explained,
    })
}

/// The groups of a denial; `None` if they are not known.
fn groups(
    asked: &LoggedQuestion,
    known: &KnownGroups,
    missing: &mut Vec<String>,
) -> Option<Vec<String>> {
    match known {
        KnownGroups::Named(names) => return Some(names.clone()),
        KnownGroups::OfToken(token) if token.identity.principal() == asked.principal => {
            return Some(token.identity.groups().to_vec());
        }
        KnownGroups::OfToken(_) => missing.push(words::TOKEN_OF_OTHER.to_owned()),
        KnownGroups::None => {}
    }
    let Some(groups) = &asked.groups else {
        missing.push(words::GROUPS_UNKNOWN.to_owned());
        return None;
    };
    if groups.omitted > 0 {
        missing.push(words::groups_omitted(groups.omitted));
    }
    Some(groups.names.clone())
}

fn explained(
    LoadedPolicy { policy, rules, .. }: &LoadedPolicy,
    place: Place,
    asked: &LoggedQuestion,
    subject: Subject,
) -> Result<Explained, Failure> {
    let who = question::resolve(policy, &subject, None)?;
    let check = Check {
        id: None,
        subject,
        query: Query::Access {
            operation: asked.operation,
            resource_type: asked.resource_type,
            resource_name: asked.resource_name.clone(),
        },
        host: asked.host,
        at: None,
    };
    let at = At::IgnoringExpiry;
    let explanation = explain(policy, &who.identity, &check, at, MAX_CANDIDATES);
    let (Some(mut explanation), Some(request)) = (explanation, check.access(at)) else {
        return Err(Failure::usage(words::NO_DENIAL));
    };
    let mut prepared = PreparedIdentity::new(policy, who.identity.clone());
    explanation.decision = rules.decide(policy, &mut prepared, &request);
    let fixes = fixes(policy, place, &who.identity, &request);
    Ok(Explained {
        who,
        explanation,
        fixes,
        check,
    })
}

/// The fixes of a denied request; in a Kafka cluster, a group gets an ACL in place of a new role.
fn fixes(
    policy: &Policy,
    place: Place,
    identity: &Identity,
    request: &Request<'_>,
) -> Vec<AccessFix> {
    let mut found = access_fixes(policy, identity, request, |_, _| true).fixes;
    if place == Place::Cluster {
        for fix in &mut found {
            fix.grant_without_role();
        }
    }
    found
}

/// The fix that is written: the first one that the place alone makes, without opening every name.
fn written<'a>(policy: &Policy, place: Place, fixes: &'a [AccessFix]) -> Option<&'a AccessFix> {
    fixes.iter().find(|fix| {
        let changes = fix.policy_changes();
        let is_made = place == Place::Policy || changes.iter().all(is_of_acl);
        let is_complete = !changes.is_empty() && changes.len() == fix.changes().count();
        is_made && is_complete && !fix.opening(policy).is_wide()
    })
}

const fn is_of_acl(change: &Change) -> bool {
    matches!(change, Change::AddAcl(_) | Change::RemoveAcl(_))
}

/// Writes changes that allow what nothing allows; returns the denials that they leave.
fn write_changes<'a>(
    process: &Process,
    (path, source): (&Path, &PolicySourceArgs),
    policy: &Policy,
    place: Place,
    answers: &'a [Answered<'a>],
) -> Result<Vec<&'a Answered<'a>>, Failure> {
    let mut after = policy.clone();
    let (mut changes, mut left): (Vec<Change>, Vec<_>) = (Vec::new(), Vec::new());
    let mut denied = 0;
    for answered in answers {
        let Some(explained) = &answered.explained else {
            continue;
        };
        let Some(request) = explained.check.access(At::IgnoringExpiry) else {
            continue;
        };
        if explained.explanation.decision.outcome == Outcome::Allow {
            continue;
        }
        denied += 1;
        let identity = &explained.who.identity;
        let now = decide(&after, identity, &request);
        if now.outcome == Outcome::Allow {
            continue;
        }
        let found = match now.reason {
            Reason::NoMatch => fixes(&after, place, identity, &request),
            _ => Vec::new(),
        };
        let Some(fix) = written(&after, place, &found) else {
            left.push(answered);
            continue;
        };
        for change in fix.policy_changes() {
            // It was tried on this policy.
            if after.apply(change.clone()).is_ok() {
                changes.push(change);
            }
        }
    }
    proposed_changes::write(process, path, &changes)?;
    let what = words::allowed_by_file(denied - left.len(), denied);
    proposed_changes::announce(process, path, &changes, &what, source);
    Ok(left)
}

fn report<'a>(log: &'a Log, answers: &'a [Answered<'a>]) -> DenialReport<'a> {
    let mut denials = Vec::new();
    for Answered {
        seen,
        groups,
        missing,
        explained,
    } in answers
    {
        let LoggedDenial {
            question,
            api,
            reason,
            acl,
            ..
        } = &seen.denial;
        let (mut explanation, mut fixes) = (None, Vec::new());
        if let Some(explained) = explained {
            explanation = Some(ExplanationJson::from(&explained.explanation));
            for fix in &explained.fixes {
                let title = sentence(&fix::title(&fix.steps, question.resource_type));
                let changes = fix.changes().map(HypotheticalChangeJson::from).collect();
                fixes.push(ProposedFix { title, changes });
            }
        }
        denials.push(AnsweredDenial {
            principal: question.principal.to_string(),
            groups: groups.clone(),
            operation: question.operation.into(),
            resource_type: question.resource_type.into(),
            resource_name: &question.resource_name,
            host: question.host.map(|host| host.to_string()),
            api: api.as_deref(),
            logged_reason: reason.as_deref(),
            logged_acl: acl.as_deref(),
            lines: seen.lines,
            first_line: seen.first,
            left_out: seen.left_out,
            missing,
            explanation,
            fixes,
        });
    }
    let mut unread = Vec::new();
    for (line, fault, text) in &log.unread {
        let problem = shortened(&sentence(&words::fault_words(fault)));
        unread.push(UnreadLine {
            line: *line,
            problem,
            text,
        });
    }
    DenialReport {
        denials,
        not_answered: log.not_answered,
        allowed: log.allowed,
        not_understood: log.not_understood,
        unread,
    }
}

/// A denial in a line.
fn headline(seen: &Seen) -> String {
    let denied = words::denied(&seen.denial, seen.lines, seen.first, seen.left_out);
    sentence(&denied)
}

fn render(
    log: &Log,
    answers: &[Answered<'_>],
    loaded: Option<&LoadedPolicy>,
    left: &[&Answered<'_>],
) -> String {
    let mut text = String::new();
    for (place, answered) in answers.iter().enumerate() {
        let _ = writeln!(text, "{}. {}", place + 1, headline(answered.seen));
        let denial = &answered.seen.denial;
        let acl = denial.acl.as_deref().map(shortened);
        let reason = denial.reason.as_deref().map(shortened);
        if let Some(reason) = words::logged_reason(reason.as_deref(), acl.as_deref()) {
            let _ = writeln!(text, "   {}", sentence(&reason));
        }
        for missing in &answered.missing {
            let _ = writeln!(text, "   {missing}");
        }
        if let (Some(explained), Some(loaded)) = (&answered.explained, loaded) {
            text.push_str(&render_explained(explained, &loaded.policy));
        }
    }
    if answers.is_empty() {
        let _ = writeln!(text, "{}", words::NO_DENIAL);
    } else if loaded.is_none() {
        let _ = writeln!(text, "{}", words::NO_POLICY);
    }
    if !left.is_empty() {
        let _ = writeln!(text, "{}", words::NOT_IN_FILE);
        for answered in left {
            let _ = writeln!(text, "  {}", headline(answered.seen));
        }
    }
    if log.not_answered > 0 {
        let _ = writeln!(text, "{}", words::not_answered(log.not_answered));
    }
    if log.allowed > 0 {
        let _ = writeln!(text, "{}", words::allowed_lines(log.allowed));
    }
    if log.not_understood > 0 {
        let _ = writeln!(text, "{}", words::not_understood(log.not_understood));
    }
    for (line, fault, start) in &log.unread {
        let unread = words::unread_line(*line, fault, start);
        let _ = writeln!(text, "  {}", sentence(&unread));
    }
    text
}

/// The verdict of the policy, its reason, and the fixes.
fn render_explained(explained: &Explained, policy: &Policy) -> String {
    let Explained {
        who,
        check,
        explanation,
        fixes,
    } = explained;
    let decision = &explanation.decision;
    let mut text = String::new();
    let verdict = decision::verdict_of(decision);
    let _ = writeln!(
        text,
        "   {}: {}",
        paint(output::outcome_style(decision.outcome), verdict),
        because(who, decision)
    );
    if decision.outcome == Outcome::Allow {
        let _ = writeln!(text, "   {}", words::ALLOWED_NOW);
        return text;
    }
    if decision.reason == Reason::DenyRule {
        let _ = writeln!(text, "   {}", fix::DENY_ON_PURPOSE);
    }
    let Some(Request { resource_type, .. }) = check.access(At::IgnoringExpiry) else {
        return text;
    };
    if fixes.is_empty() {
        let _ = writeln!(text, "   {}", fix::NO_FIX);
        return text;
    }
    let _ = writeln!(text, "   {}", words::FIXES);
    for one in fixes {
        let title = sentence(&fix::title(&one.steps, resource_type));
        let opens = match breadth::opens(&one.opening(policy)) {
            Some(opens) => format!(". {}", sentence(&opens)),
            None => String::new(),
        };
        let _ = writeln!(text, "     {title}{opens}");
    }
    text
}
