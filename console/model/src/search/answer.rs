//! Answers to typed questions: decided by the simulator's evaluation, the matrix and who can
//! (D-67).

use gbac_analysis::{MatrixCell, NamePattern, ReachSubject, Scope, matrix_cell};
use gbac_engine::decide::{At, Outcome, Reason};
use gbac_engine::identity::Identity;
use gbac_engine::model::{PatternType, Principal, PrincipalType, ResourceType};
use gbac_words::decision;
use gbac_words::hypothesis::ALLOWED_IF;
use gbac_words::pages::search as words;
use gbac_words::pages::simulator::assumed;
use gbac_words::phrases::{agree, capitalized, count, thousands};
use gbac_words::rich_text::{RichText, listed};

use crate::permissions::matrix::MatrixQuery;
use crate::search::answer_context::{AnswerContext, KnownIdentity};
use crate::search::answer_parts::{
    AnswerChoice, AnswerMark, Extent, SearchAnswer, add_containing, containing, deed, limit,
    patterns_of,
};
use crate::search::index::{NamedResources, SHOWN};
use crate::search::question::{TypedQuestion, TypedRequest};
use crate::search::target::SearchTarget;
use crate::search::who_answer::who;
use crate::simulator::hypothesis::{Hypothesis, conditions};
use crate::simulator::inputs::{IdentityMode, Inputs};
use crate::simulator::pipeline::{View, evaluate};
use crate::simulator::verdict::{Verdict, VerdictKind, Why};

/// The answer where something is allowed if hypotheses hold.
const YES_IF: &str = "Yes, if…";

/// Answers a question. `asked_about` is what [`principal_of`] found for its text.
pub(super) fn answer(
    question: &TypedQuestion,
    asked_about: Option<&Result<Principal, Vec<Principal>>>,
    context: &AnswerContext<'_>,
) -> SearchAnswer {
    let mut answer = match question {
        TypedQuestion::Incomplete(example) => return incomplete(example),
        TypedQuestion::Unknown => return not_understood(),
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

fn incomplete(example: &str) -> SearchAnswer {
    let reason = "Name an operation and a resource";
    let mut answer = SearchAnswer::new(AnswerMark::Unclear, "Ask a question", reason);
    let example = RichText::new().text("For example: ").code(example);
    answer.lines = vec![example, words::operations()];
    answer
}

/// What can be asked, where nothing was understood.
fn not_understood() -> SearchAnswer {
    let mut answer =
        SearchAnswer::new(AnswerMark::Unclear, "Not understood", words::NOT_A_QUESTION);
    for (purpose, example) in words::EXAMPLES {
        let line = RichText::new().text(format!("{purpose}: ")).code(*example);
        answer.lines.push(line);
    }
    answer.lines.push(words::operations());
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
    if let Some(principal) = typed_principal(text) {
        return Ok(principal);
    }
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

/// `group engineering` as the group of this name, and the same for users and roles.
fn typed_principal(text: &str) -> Option<Principal> {
    let (kind, name) = text.split_once(' ')?;
    match kind.to_lowercase().as_str() {
        "group" => Some(Principal::group(name.trim())),
        "user" => Some(Principal::user(name.trim())),
        "role" => Some(Principal::role(name.trim())),
        _ => None,
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
        answer_containing(&mut answer, request, &subject, &[], context, &|_| {
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
        context.verifier.clone(),
    );
    let mut answer = match (&view.verdict, identity_of(&view)) {
        (Some(verdict), _) => of_verdict(verdict),
        (None, Some(identity)) => {
            let subject = ReachSubject::Identity(identity.clone());
            let answer = of_cells(principal, request, &resources, &subject, context, &|on| {
                to_cell(known, &identity, principal, request, on)
            });
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
    if let Some(identity) = identity_of(&view) {
        let subject = ReachSubject::Identity(identity.clone());
        let hypotheses = &view.hypotheses;
        answer_containing(&mut answer, request, &subject, hypotheses, context, &|on| {
            to_cell(known, &identity, principal, request, on)
        });
    }
    answer
}

/// Answers for the names and prefixes that contain the typed name, below it.
fn answer_containing(
    answer: &mut SearchAnswer,
    request: &TypedRequest,
    subject: &ReachSubject,
    hypotheses: &[Hypothesis],
    context: &AnswerContext<'_>,
    target: &dyn Fn(&NamePattern) -> SearchTarget,
) {
    let others = containing(request, context.index);
    let cells = cells_of(request, &others, subject, context);
    let mut choices = choices_of(&cells, target);
    if !hypotheses.is_empty() {
        allow_if(&mut choices);
    }
    answer.choices.extend(choices);
    add_containing(answer, request, &others);
}

/// Where one name or prefix of a user is decided: the simulator for a name, the matrix otherwise.
fn to_cell(
    known: Option<&KnownIdentity>,
    identity: &Identity,
    principal: &Principal,
    request: &TypedRequest,
    on: &NamePattern,
) -> SearchTarget {
    match on.pattern_type {
        PatternType::Literal => {
            let inputs = inputs_of(known, principal, request, &on.name);
            SearchTarget::Simulate(Box::new(inputs))
        }
        PatternType::Prefixed => to_matrix(identity, principal),
    }
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
    allow_if(&mut answer.choices);
    answer.lines.push(assumed(conditions(hypotheses)));
    answer
}

/// What is allowed is allowed if hypotheses hold.
fn allow_if(choices: &mut [AnswerChoice]) {
    for choice in choices {
        if choice.mark == Some(AnswerMark::Allow) {
            choice.mark = Some(AnswerMark::AllowIf);
        }
    }
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
    let cells = cells_of(request, resources, subject, context);
    let (mut allowed, mut denied) = (0, 0);
    for (_, cell) in &cells {
        let mark = mark_of(cell);
        allowed += usize::from(mark == AnswerMark::Allow);
        denied += usize::from(mark == AnswerMark::Deny);
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
        answer.choices = choices_of(&cells, target);
        answer.more = resources.number.saturating_sub(SHOWN);
    }
    answer
}

/// The cell of the matrix for each name or prefix.
fn cells_of<'n>(
    request: &TypedRequest,
    resources: &'n NamedResources,
    subject: &ReachSubject,
    context: &AnswerContext<'_>,
) -> Vec<(&'n NamePattern, MatrixCell)> {
    let mut cells = Vec::new();
    for pattern in &resources.patterns {
        let cell = matrix_cell(
            context.policy,
            subject,
            (request.resource_type, pattern),
            request.operation,
            None,
            At::seconds(context.now),
        );
        cells.push((pattern, cell));
    }
    cells
}

/// The first cells, as what can be chosen.
fn choices_of(
    cells: &[(&NamePattern, MatrixCell)],
    target: &dyn Fn(&NamePattern) -> SearchTarget,
) -> Vec<AnswerChoice> {
    let mut choices = Vec::new();
    for (pattern, cell) in cells.iter().take(SHOWN) {
        choices.push(AnswerChoice {
            words: RichText::new().pattern(&pattern.name, pattern.pattern_type),
            mark: Some(mark_of(cell)),
            detail: decided_by(cell),
            target: target(pattern),
        });
    }
    choices
}
