//! Answers to `who can`.

use std::collections::BTreeMap;

use gbac_analysis::NamePattern;
use gbac_engine::model::{Principal, PrincipalType};
use gbac_words::phrases::{capitalized, thousands};
use gbac_words::rich_text::{RichText, listed};

use crate::permissions::who_can::{self, Tally, WhoCanGroup, WhoCanQuery};
use crate::search::answer_context::AnswerContext;
use crate::search::answer_parts::{
    AnswerChoice, AnswerMark, Extent, SearchAnswer, add_containing, containing, deed, limit,
    patterns_of,
};
use crate::search::index::SHOWN;
use crate::search::question::TypedRequest;
use crate::search::target::SearchTarget;

/// Who can do something.
pub(super) fn who(request: &TypedRequest, context: &AnswerContext<'_>) -> SearchAnswer {
    let resources = patterns_of(request, context.index);
    let evaluated = resources.patterns.as_slice();
    let mut can: BTreeMap<Principal, usize> = BTreeMap::new();
    let mut blocked = 0;
    let mut rows = Vec::new();
    for pattern in evaluated {
        let query = who_can_query(request, pattern);
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
        AnswerMark::Listed
    };
    let title = if can.is_empty() {
        "No one".to_owned()
    } else {
        capitalized(&words_of(&can.keys().collect::<Vec<_>>()))
    };
    let reason = match blocked {
        0 if can.is_empty() => "Nothing allows it".to_owned(),
        0 => "can do this".to_owned(),
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
    let others = containing(request, context.index);
    if evaluated.len() > 1 {
        answer.more = resources.number.saturating_sub(SHOWN);
    } else {
        rows.clear();
        for pattern in others.patterns.iter().take(SHOWN) {
            let query = who_can_query(request, pattern);
            let found = who_can::answer(context.policy, &query, None);
            rows.push((pattern, found.tally(WhoCanGroup::Can), query.address()));
        }
        add_containing(&mut answer, request, &others);
    }
    for (pattern, tally, address) in rows.into_iter().take(SHOWN) {
        let mark = match tally.total() {
            0 => AnswerMark::NoRule,
            _ => AnswerMark::Listed,
        };
        answer.choices.push(AnswerChoice {
            words: RichText::new().pattern(&pattern.name, pattern.pattern_type),
            mark: Some(mark),
            detail: tally.text(),
            target: SearchTarget::Address(address),
        });
    }
    answer
}

/// Who can do this on a name or prefix, as its page is asked.
fn who_can_query(request: &TypedRequest, pattern: &NamePattern) -> WhoCanQuery {
    WhoCanQuery {
        operation: request.operation,
        resource_type: request.resource_type,
        pattern: pattern.pattern_type,
        name: pattern.name.clone(),
        ..WhoCanQuery::default()
    }
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
