//! The parts that answers share: marks, choices, and the names and prefixes that a question is about.

use gbac_analysis::NamePattern;
use gbac_engine::model::{CLUSTER_NAME, PatternType, ResourceType};
use gbac_words::pages::search as words;
use gbac_words::phrases::{count, thousands};
use gbac_words::request::verb;
use gbac_words::rich_text::RichText;

use crate::search::index::{NamedResources, SHOWN, SearchIndex};
use crate::search::question::TypedRequest;
use crate::search::target::SearchTarget;
use crate::simulator::question::AccessRequest;

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
    /// A list of those who can: no verdict about anyone who asks.
    Listed,
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
    pub(super) fn new(
        mark: AnswerMark,
        title: impl Into<String>,
        reason: impl Into<String>,
    ) -> Self {
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

/// The names and prefixes that a question is about.
pub(super) fn patterns_of(request: &TypedRequest, index: &SearchIndex) -> NamedResources {
    match request.resource_type {
        ResourceType::Cluster => NamedResources::one(PatternType::Literal, CLUSTER_NAME),
        ResourceType::Registry => NamedResources::one(PatternType::Literal, ""),
        of => index.resources_named(of, &request.name, EVALUATED),
    }
}

/// The names and prefixes in ACLs that contain the typed name, which are answered below it.
pub(super) fn containing(request: &TypedRequest, index: &SearchIndex) -> NamedResources {
    match request.resource_type {
        ResourceType::Cluster | ResourceType::Registry => NamedResources::default(),
        _ if request.name.ends_with('*') => NamedResources::default(),
        of => index.resources_containing(of, &request.name, EVALUATED),
    }
}

/// Adds the answers for the names and prefixes that contain the typed name.
pub(super) fn add_containing(
    answer: &mut SearchAnswer,
    request: &TypedRequest,
    found: &NamedResources,
) {
    if found.number > 0 {
        answer.lines.push(words::also_containing(&request.name));
        limit(answer, found);
        answer.more = found.number.saturating_sub(SHOWN);
    }
}

/// How many of several names and prefixes a sentence is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    All,
    Some(usize),
    Any,
}

/// The access in a sentence. The typed text stands for several names.
pub(super) fn deed(request: &TypedRequest, of: &NamedResources, extent: Extent) -> RichText {
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

/// Says that only some of many names were evaluated.
pub(super) fn limit(answer: &mut SearchAnswer, resources: &NamedResources) {
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
