//! Answers to typed questions: decided by the simulator's evaluation, the matrix and who can
//! (D-67).

use std::collections::BTreeMap;

use gbac_analysis::{MatrixCell, NamePattern, ReachSubject, Scope, matrix_cell};
use gbac_engine::decide::{At, Outcome, Reason};
use gbac_engine::identity::Identity;
use gbac_engine::model::{CLUSTER_NAME, PatternType, Principal, PrincipalType, ResourceType};
use gbac_words::decision;
use gbac_words::hypothesis::ALLOWED_IF;
use gbac_words::pages::simulator::assumed;
use gbac_words::phrases::{agree, capitalized, count, thousands};
use gbac_words::request::verb;
use gbac_words::rich_text::{RichText, listed};

use crate::permissions::matrix::MatrixQuery;
use crate::permissions::who_can::{self, Tally, WhoCanGroup, WhoCanQuery};
use crate::search::answer_context::{AnswerContext, KnownIdentity};
use crate::search::index::{NamedResources, SHOWN, SearchIndex};
use crate::search::question::{TypedQuestion, TypedRequest};
use crate::search::target::SearchTarget;
use crate::simulator::hypothesis::{Hypothesis, conditions};
use crate::simulator::inputs::{IdentityMode, Inputs};
use crate::simulator::pipeline::{View, evaluate};
use crate::simulator::question::AccessRequest;
use crate::simulator::verdict::{Verdict, VerdictKind, Why};

/// The answer where something is allowed if hypotheses hold.
const YES_IF: &str = "Yes, if…";

/// How many names and prefixes of one question are evaluated.
const EVALUATED: usize = 50;

/// The mark of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerMark {
    /// Allowed.
    Allow,
    /// Allowed if what nobody checked is so.
    AllowIf,
    /// Denied by a rule.
    Deny,
    /// Nothing allows it.
    NoRule,
    /// Allowed on some of the names.
    Partly,
    /// The question has no answer yet.
    Unclear,
}

/// One line below an answer that can be chosen: a match of an ambiguous name, or one of several
/// resources.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerChoice {
    /// What it is.
    pub words: RichText,
    /// What is decided for it.
    pub mark: Option<AnswerMark>,
    /// The sentences about it.
    pub detail: String,
    /// What choosing it does.
    pub target: SearchTarget,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchAnswer {
    /// The mark.
    pub mark: AnswerMark,
    /// The same in a word or two.
    pub title: String,
    /// The reason in a few words.
    pub reason: String,
    /// Sentences: the answer, what decides, what it does not include.
    pub lines: Vec<RichText>,
    /// What choosing the answer does, and the words for it.
    pub target: Option<(SearchTarget, &'static str)>,
    /// What can be chosen below it.
    pub choices: Vec<AnswerChoice>,
    /// How many more choices there are.
    pub more: usize,
}

impl SearchAnswer {
    fn new(mark: AnswerMark, title: impl Into<String>, reason: impl Into<String>) -> Self {
        let (lines, target, choices, more) = Default::default();
        Self {
            mark,
            title: title.into(),
            reason: reason.into(),
            lines,
            target,
            choices,
            more,
        }
    }

    /// The answer as plain text, for assistive technology.
    pub fn plain(&self) -> String {
        let lines: Vec<String> = self.lines.iter().map(RichText::plain).collect();
        format!("{}. {}. {}", self.title, self.reason, lines.join(" "))
    }
}

/// Answers a question. `asked_about` is what [`principal_of`] found for its text.
pub(super) fn answer(
    question: &TypedQuestion,
    asked_about: Option<&Result<Principal, Vec<Principal>>>,
    context: &AnswerContext<'_>,
) -> SearchAnswer {
    let mut answer = match question {
        TypedQuestion::Incomplete(example) => {
            let mut answer = SearchAnswer::new(
                AnswerMark::Unclear,
                "Ask a question",
                "Name an operation and a resource",
            );
            answer
                .lines
                .push(RichText::new().text("For example: ").code(*example));
            return answer;
        }
        TypedQuestion::WhoCan(request) => who(request, context),
        TypedQuestion::Can { who, request } => match asked_about {
            Some(Ok(principal)) => can(principal, request, context),
            Some(Err(candidates)) => return ambiguous(who, candidates, request),
            None => can(&Principal::user(who), request, context),
        },
    };
    if context.has_draft {
        answer.lines.push("Your draft is not included.".into());
    }
    answer
}

/// The one principal that a text means.
///
/// # Errors
/// Those that it could mean, two at least.
pub(super) fn principal_of(
    text: &str,
    context: &AnswerContext<'_>,
) -> Result<Principal, Vec<Principal>> {
    let mut found: Vec<Principal> = context
        .index
        .principals_named(text)
        .into_iter()
        .cloned()
        .collect();
    if found.is_empty() {
        let wanted = text.to_lowercase();
        for known in context.known.iter() {
            let user = known.identity.user();
            if user.to_lowercase().contains(&wanted) {
                found.push(Principal::user(user));
            }
        }
        found.dedup();
    }
    match found.as_slice() {
        [] => Ok(Principal::parse(text).unwrap_or_else(|_| Principal::user(text))),
        [only] => Ok(only.clone()),
        _ => Err(found),
    }
}

fn ambiguous(who: &str, candidates: &[Principal], request: &TypedRequest) -> SearchAnswer {
    let matches = format!("{} match", count(candidates.len(), "principal"));
    let mut answer = SearchAnswer::new(AnswerMark::Unclear, "Which one?", matches);
    answer.lines.push(
        RichText::new()
            .text("Choose who is meant by ")
            .code(who)
            .text("."),
    );
    answer.choices = (candidates.iter().take(SHOWN))
        .map(|principal| AnswerChoice {
            words: RichText::new().principal(principal),
            mark: None,
            detail: "Ask about this one".into(),
            target: SearchTarget::Ask(question_text(principal, request)),
        })
        .collect();
    answer.more = candidates.len().saturating_sub(SHOWN);
    answer
}

/// The question with this principal, as it is typed.
fn question_text(principal: &Principal, request: &TypedRequest) -> String {
    let resource = match request.resource_type {
        ResourceType::Topic => quoted(&request.name),
        ResourceType::Cluster => "cluster".into(),
        ResourceType::Registry => "registry".into(),
        other => format!("{} {}", other.noun().to_lowercase(), quoted(&request.name)),
    };
    format!(
        "can {} {} {resource}",
        quoted(&principal.to_string()),
        request.operation.spelling().cli
    )
}

fn quoted(text: &str) -> String {
    match text.contains(char::is_whitespace) {
        true => format!("\"{text}\""),
        false => text.to_owned(),
    }
}

/// The names and prefixes that a question is about.
fn patterns_of(request: &TypedRequest, index: &SearchIndex) -> NamedResources {
    match request.resource_type {
        ResourceType::Cluster => NamedResources::one(PatternType::Literal, CLUSTER_NAME),
        ResourceType::Registry => NamedResources::one(PatternType::Literal, ""),
        of => index.resources_named(of, &request.name, EVALUATED),
    }
}

/// How many of several names and prefixes a sentence is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    All,
    Some(usize),
    Any,
}

/// The access in a sentence. The typed text stands for several names.
fn deed(request: &TypedRequest, of: &NamedResources, extent: Extent) -> RichText {
    let TypedRequest {
        operation,
        resource_type,
        name,
    } = request;
    let verb = verb(*operation, *resource_type);
    match of.patterns.as_slice() {
        [
            NamePattern {
                pattern_type: PatternType::Literal,
                name,
            },
        ] => {
            let access = AccessRequest {
                operation: *operation,
                resource_type: *resource_type,
                resource_name: name.clone(),
                host: None,
            };
            access.deed()
        }
        [NamePattern { name, .. }] => RichText::new()
            .text(format!(
                "{verb} every {} that starts with ",
                resource_type.noun()
            ))
            .resource(name),
        _ => {
            let number = count(of.number, &format!("{} pattern", resource_type.noun()));
            let extent = match extent {
                Extent::All => "all".to_owned(),
                Extent::Some(some) => format!("{} of the", thousands(some)),
                Extent::Any => "any of the".to_owned(),
            };
            RichText::new()
                .text(format!("{verb} {extent} {number} that match "))
                .resource(name)
        }
    }
}

/// Answers whether a principal can perform an operation.
fn can(principal: &Principal, request: &TypedRequest, context: &AnswerContext<'_>) -> SearchAnswer {
    let resources = patterns_of(request, context.index);
    let patterns = resources.patterns.as_slice();
    if principal.kind() != PrincipalType::User || principal.is_everyone() {
        let subject = ReachSubject::Scope(Scope::from_principal(principal));
        let target = SearchTarget::Address(MatrixQuery::for_principal(principal).address());
        let mut answer = of_cells(principal, request, &resources, &subject, context, &|_| {
            target.clone()
        });
        if !patterns.is_empty() {
            answer.target = Some((target, "Open in matrix"));
        }
        return answer;
    }
    let known = context
        .known
        .iter()
        .find(|known| known.identity.user() == principal.name());
    let first = match patterns.first() {
        Some(first) => first.name.as_str(),
        None => "",
    };
    let is_one_name = matches!(
        patterns,
        [NamePattern {
            pattern_type: PatternType::Literal,
            ..
        }]
    );
    // Of several names each is a cell of the matrix, and only the identity is evaluated: for no
    // name.
    let of_name = if is_one_name { first } else { "" };
    let view = evaluate(
        &inputs_of(known, principal, request, of_name),
        Some(context.policy),
        context.accepted,
        context.now,
        context.verifier,
    );
    let mut answer = match (&view.verdict, identity_of(&view)) {
        (Some(verdict), _) => of_verdict(verdict),
        (None, Some(identity)) => {
            let subject = ReachSubject::Identity(identity.clone());
            let answer = of_cells(
                principal,
                request,
                &resources,
                &subject,
                context,
                &|on| match on.pattern_type {
                    PatternType::Literal => {
                        let inputs = inputs_of(known, principal, request, &on.name);
                        SearchTarget::Simulate(Box::new(inputs))
                    }
                    PatternType::Prefixed => to_matrix(&identity, principal),
                },
            );
            under(answer, &view.hypotheses)
        }
        (None, None) => {
            let reason = "The identity can't be read";
            let mut answer = SearchAnswer::new(AnswerMark::Unclear, "No result", reason);
            answer
                .lines
                .extend(view.problems.first().map(|problem| problem.words.clone()));
            answer
        }
    };
    answer.target = Some(match (&view.verdict, identity_of(&view)) {
        (None, Some(identity)) => (to_matrix(&identity, principal), "Open in matrix"),
        _ => {
            let inputs = inputs_of(known, principal, request, first);
            (
                SearchTarget::Simulate(Box::new(inputs)),
                "Open in simulator",
            )
        }
    });
    answer.lines.push(groups_line(known));
    answer
}

/// What the simulator is asked: about the known identity, or about the user without groups.
fn inputs_of(
    known: Option<&KnownIdentity>,
    principal: &Principal,
    request: &TypedRequest,
    name: &str,
) -> Inputs {
    let who = match known {
        Some(known) => known.inputs.clone(),
        None => Inputs {
            mode: IdentityMode::ByHand,
            user: principal.name().into(),
            ..Inputs::default()
        },
    };
    Inputs {
        operation: request.operation,
        resource_type: request.resource_type,
        resource_name: name.to_owned(),
        host: String::new(),
        ..who
    }
}

fn identity_of(view: &View) -> Option<Identity> {
    let identity = view.who.as_ref()?.identity.as_ref().ok()?;
    Some((**identity).clone())
}

/// The matrix of a user with the user's groups.
fn to_matrix(identity: &Identity, principal: &Principal) -> SearchTarget {
    let query = MatrixQuery {
        groups: identity.groups().join("\n"),
        ..MatrixQuery::for_principal(principal)
    };
    SearchTarget::Address(query.address())
}

/// Where the groups come from that an answer includes.
fn groups_line(known: Option<&KnownIdentity>) -> RichText {
    let Some(known) = known else {
        return "No token of this user is open in this tab, so the user’s groups are not included."
            .into();
    };
    let from = known.origin.label(known.inputs.mode);
    let groups = known.identity.groups();
    if groups.is_empty() {
        return format!("The user has no groups, {from}.").into();
    }
    let named = listed(
        groups
            .iter()
            .map(|group| RichText::new().principal(&Principal::group(group)))
            .collect(),
        3,
    );
    let noun = agree(groups.len(), "group ", "groups ");
    let verb = agree(groups.len(), " comes ", " come ");
    RichText::new()
        .text(format!("The {noun}"))
        .then(named)
        .text(format!("{verb}{from}."))
}

/// An answer under hypotheses: what is allowed is allowed if they hold.
fn under(mut answer: SearchAnswer, hypotheses: &[Hypothesis]) -> SearchAnswer {
    if hypotheses.is_empty() {
        return answer;
    }
    if answer.mark == AnswerMark::Allow {
        (answer.mark, answer.title) = (AnswerMark::AllowIf, YES_IF.to_owned());
        ALLOWED_IF.clone_into(&mut answer.reason);
    }
    for choice in &mut answer.choices {
        if choice.mark == Some(AnswerMark::Allow) {
            choice.mark = Some(AnswerMark::AllowIf);
        }
    }
    answer.lines.push(assumed(conditions(hypotheses)));
    answer
}

/// An answer that is the simulator's verdict.
fn of_verdict(verdict: &Verdict) -> SearchAnswer {
    let (mark, title) = match verdict.kind {
        VerdictKind::Allowed => (AnswerMark::Allow, "Yes"),
        VerdictKind::AllowedIf => (AnswerMark::AllowIf, YES_IF),
        VerdictKind::DeniedByRule | VerdictKind::SignInFails => (AnswerMark::Deny, "No"),
        VerdictKind::NothingAllows | VerdictKind::Expired => (AnswerMark::NoRule, "No"),
    };
    let mut answer = SearchAnswer::new(mark, title, verdict.kind.title());
    answer.lines.push(verdict.sentence.clone().text("."));
    let mut reasons = verdict.why.iter();
    if let Some((label, why)) = reasons.find(|(label, _)| *label != "Would allow") {
        let mut words = RichText::new().text(format!("{label}: "));
        match why {
            Why::RichText(reason) => words = words.then(reason.clone()),
            Why::Paths(paths) => {
                for (place, hop) in paths.iter().flatten().enumerate() {
                    if place > 0 {
                        words = words.text(" → ");
                    }
                    words = words.then(hop.clone());
                }
            }
            Why::Near(number, reason) => {
                words = words.text(format!("{number} ")).then(reason.clone());
            }
        }
        answer.lines.push(words);
    }
    answer
}

/// The verdict of a cell of the matrix.
fn mark_of(cell: &MatrixCell) -> AnswerMark {
    match (cell.outcome, cell.denied_by.is_empty()) {
        (Outcome::Allow, _) => AnswerMark::Allow,
        (Outcome::Deny, false) => AnswerMark::Deny,
        (Outcome::Deny, true) => AnswerMark::NoRule,
    }
}

/// What decides a cell: the role or the principal of its ACL.
fn decided_by(cell: &MatrixCell) -> String {
    let by = if cell.outcome == Outcome::Allow {
        cell.granted_by.as_ref()
    } else {
        cell.denied_by.first()
    };
    match (by, cell.outcome) {
        (Some(by), outcome) => {
            let verb = if outcome == Outcome::Allow {
                "allowed"
            } else {
                "denied"
            };
            format!(
                "{verb} by {}",
                gbac_words::escape::plain(&by.acl.principal.to_string())
            )
        }
        (None, Outcome::Allow) => "superuser".into(),
        (None, Outcome::Deny) => "nothing allows it".into(),
    }
}

/// An answer from the cells of the matrix, one for each name or prefix.
fn of_cells(
    principal: &Principal,
    request: &TypedRequest,
    resources: &NamedResources,
    subject: &ReachSubject,
    context: &AnswerContext<'_>,
    target: &dyn Fn(&NamePattern) -> SearchTarget,
) -> SearchAnswer {
    let mut cells: Vec<(&NamePattern, MatrixCell)> = Vec::new();
    let (mut allowed, mut denied) = (0, 0);
    for pattern in &resources.patterns {
        let cell = matrix_cell(
            context.policy,
            subject,
            (request.resource_type, pattern),
            request.operation,
            None,
            At::seconds(context.now),
        );
        let mark = mark_of(&cell);
        allowed += usize::from(mark == AnswerMark::Allow);
        denied += usize::from(mark == AnswerMark::Deny);
        cells.push((pattern, cell));
    }
    let all = cells.len();
    let (mark, title, reason) = match allowed {
        _ if allowed == all => (AnswerMark::Allow, "Yes", "Allowed".to_owned()),
        0 if denied == all => (AnswerMark::Deny, "No", "Denied by rule".to_owned()),
        0 => (
            AnswerMark::NoRule,
            "No",
            decision::verdict(Reason::NoMatch).to_owned(),
        ),
        _ => (
            AnswerMark::Partly,
            "Partly",
            format!("Allowed on {} of {}", thousands(allowed), thousands(all)),
        ),
    };
    let mut answer = SearchAnswer::new(mark, title, reason);
    let (verb, extent) = match allowed {
        0 => (" can't ", Extent::Any),
        _ if allowed == all => (" can ", Extent::All),
        _ => (" can ", Extent::Some(allowed)),
    };
    answer.lines.push(
        RichText::new()
            .principal(principal)
            .text(verb)
            .then(deed(request, resources, extent))
            .text("."),
    );
    limit(&mut answer, resources);
    if let [(_, cell)] = cells.as_slice() {
        answer
            .lines
            .push(format!("{}.", capitalized(&decided_by(cell))).into());
    } else {
        answer.choices = (cells.iter().take(SHOWN))
            .map(|(pattern, cell)| AnswerChoice {
                words: RichText::new().pattern(&pattern.name, pattern.pattern_type),
                mark: Some(mark_of(cell)),
                detail: decided_by(cell),
                target: target(pattern),
            })
            .collect();
        answer.more = resources.number.saturating_sub(SHOWN);
    }
    answer
}

/// Says that only some of many names were evaluated.
fn limit(answer: &mut SearchAnswer, resources: &NamedResources) {
    let evaluated = resources.patterns.len();
    if resources.number > evaluated {
        answer.lines.push(
            format!(
                "The first {evaluated} of {} were evaluated.",
                thousands(resources.number)
            )
            .into(),
        );
    }
}

/// Who can do something.
fn who(request: &TypedRequest, context: &AnswerContext<'_>) -> SearchAnswer {
    let resources = patterns_of(request, context.index);
    let evaluated = resources.patterns.as_slice();
    let mut can: BTreeMap<Principal, usize> = BTreeMap::new();
    let mut blocked = 0;
    let mut rows = Vec::new();
    for pattern in evaluated {
        let query = WhoCanQuery {
            operation: request.operation,
            resource_type: request.resource_type,
            pattern: pattern.pattern_type,
            name: pattern.name.clone(),
            ..WhoCanQuery::default()
        };
        let found = who_can::answer(context.policy, &query, None);
        blocked += found.tally(WhoCanGroup::Blocked).total();
        let tally = found.tally(WhoCanGroup::Can);
        for (group, principals) in &found.groups {
            if *group == WhoCanGroup::Can {
                for found in principals {
                    *can.entry(found.principal()).or_default() += 1;
                }
            }
        }
        rows.push((pattern, tally, query.address()));
    }
    let (mut every, mut some) = (Vec::new(), Vec::new());
    for (principal, number) in &can {
        if *number == evaluated.len() {
            every.push(principal);
        } else {
            some.push(principal);
        }
    }
    let mark = if can.is_empty() {
        AnswerMark::NoRule
    } else {
        AnswerMark::Allow
    };
    let title = if can.is_empty() {
        "No one".to_owned()
    } else {
        capitalized(&words_of(&can.keys().collect::<Vec<_>>()))
    };
    let reason = match blocked {
        0 if can.is_empty() => "Nothing allows it".to_owned(),
        0 => "Allowed".to_owned(),
        blocked => format!("{} blocked by a deny", thousands(blocked)),
    };
    let mut answer = SearchAnswer::new(mark, title, reason);
    if !every.is_empty() {
        answer.lines.push(
            names(&every)
                .text(" can ")
                .then(deed(request, &resources, Extent::All))
                .text("."),
        );
    }
    if !some.is_empty() {
        answer
            .lines
            .push(names(&some).text(" can on some of these names."));
    }
    if can.is_empty() {
        answer.lines.push(
            RichText::new()
                .text("No one can ")
                .then(deed(request, &resources, Extent::Any))
                .text("."),
        );
    }
    limit(&mut answer, &resources);
    answer.target = rows
        .first()
        .map(|(.., address)| (SearchTarget::Address(address.clone()), "Open in Who can"));
    if evaluated.len() > 1 {
        answer.choices = (rows.into_iter().take(SHOWN))
            .map(|(pattern, tally, address)| AnswerChoice {
                words: RichText::new().pattern(&pattern.name, pattern.pattern_type),
                mark: Some(if tally.total() > 0 {
                    AnswerMark::Allow
                } else {
                    AnswerMark::NoRule
                }),
                detail: tally.text(),
                target: SearchTarget::Address(address),
            })
            .collect();
        answer.more = resources.number.saturating_sub(SHOWN);
    }
    answer
}

fn names(principals: &[&Principal]) -> RichText {
    let names = principals
        .iter()
        .map(|name| RichText::new().principal(name));
    listed(names.collect(), SHOWN)
}

/// How many principals and roles these are.
fn words_of(principals: &[&Principal]) -> String {
    let roles = principals
        .iter()
        .filter(|principal| principal.kind() == PrincipalType::Role)
        .count();
    Tally {
        principals: principals.len() - roles,
        roles,
    }
    .text()
}
