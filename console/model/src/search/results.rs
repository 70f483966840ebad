//! The results of a search: an answer, then principals, roles, topics, pages and actions.

use gbac_analysis::{NamedPattern, PrincipalSummary};
use gbac_engine::model::{Operation, PatternType, Principal, PrincipalType, ResourceType};
use gbac_words::phrases::count;
use gbac_words::request::verb;

use crate::address;
use crate::permissions::list::{self, ListQuery};
use crate::permissions::who_can::WhoCanQuery;
use crate::roles::name_error;
use crate::search::answer::{answer, principal_of};
use crate::search::answer_context::AnswerContext;
use crate::search::answer_parts::SearchAnswer;
use crate::search::fuzzy::{FoldedName, Words};
use crate::search::index::{Best, SHOWN};
use crate::search::label::Label;
use crate::search::question::{self, TypedQuestion};
use crate::search::target::SearchTarget;
/// What a result is, for its icon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchKind {
    /// A user.
    User,
    /// A group.
    Group,
    /// A role.
    Role,
    /// A topic, or a prefix of topics.
    Topic,
    /// A page.
    Page,
    /// Something to do.
    Action,
}

/// One result.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchItem {
    /// What it is.
    pub kind: SearchKind,
    /// Its name.
    pub label: Label,
    /// The description.
    pub detail: String,
    /// What choosing it does.
    pub target: SearchTarget,
}

/// The results of one kind, the best first.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchGroup {
    /// What they are.
    pub title: &'static str,
    /// Those that are shown.
    pub items: Vec<SearchItem>,
    /// How many more there are.
    pub more: usize,
}

/// Everything that was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchResults {
    /// The answer, where a question was typed.
    pub answer: Option<SearchAnswer>,
    /// The groups that have results.
    pub groups: Vec<SearchGroup>,
}

impl SearchResults {
    /// What can be chosen, in the order of the page.
    pub fn targets(&self) -> Vec<&SearchTarget> {
        let mut targets = Vec::new();
        if let Some(answer) = &self.answer {
            targets.extend(answer.target.iter().map(|(target, _)| target));
            targets.extend(answer.choices.iter().map(|choice| &choice.target));
        }
        for group in &self.groups {
            targets.extend(group.items.iter().map(|item| &item.target));
        }
        targets
    }

    /// The results in a few words, for assistive technology.
    pub fn summary(&self) -> String {
        let number: usize = self.groups.iter().map(|group| group.items.len()).sum();
        let found = if number == 0 {
            "No results".to_owned()
        } else {
            count(number, "result")
        };
        match &self.answer {
            Some(answer) => format!("{} {found}", answer.plain()),
            None => found,
        }
    }
}

/// The pages: title, other words for them, address.
const PAGES: &[(&str, &str, &str)] = &[
    ("Roles", "members groups acls", address::ROLES),
    (
        "Permissions",
        "principals users groups access",
        address::PERMISSIONS,
    ),
    ("Simulator", "token check verdict", address::SIMULATOR),
    ("Who can", "permissions access", address::WHO_CAN),
    (
        "Import and export",
        "backup terraform yaml policy document commands",
        address::EXCHANGE,
    ),
    (
        "Compare clusters",
        "difference converge migration policy document",
        address::COMPARE,
    ),
    ("Matrix", "permissions effective access", address::MATRIX),
    ("Findings", "permissions lint problems", address::FINDINGS),
    (
        "Settings",
        "properties claim path superusers",
        address::SETTINGS,
    ),
    ("Audit", "events log", address::AUDIT),
    ("Connection", "sign in cluster service", address::CONNECTION),
    ("Review", "draft apply changes", address::REVIEW),
    ("Users", "permissions accounts", address::USERS),
    ("IdP groups", "permissions", address::GROUPS),
];

/// The actions that take no name: words, other words for them, what they do.
const ACTIONS: &[(&str, &str, SearchTarget)] = &[
    (
        "Create role",
        "new add",
        SearchTarget::CreateRole(String::new()),
    ),
    ("Refresh", "reload read again", SearchTarget::Refresh),
    ("Switch theme", "dark light", SearchTarget::SwitchTheme),
    ("Keyboard shortcuts", "keys help", SearchTarget::Shortcuts),
];

/// What precedes the name of a new role.
const CREATE: [&str; 3] = ["create role ", "create ", "new role "];
/// What precedes a principal that joins a role.
const ASSIGN: [&str; 2] = ["assign ", "add "];

/// Whether a text begins with one of these, in any case.
fn starts_with_any(text: &str, starts: &[&str]) -> bool {
    starts
        .iter()
        .any(|start| strip_start(text, start).is_some())
}

/// Finds what was typed, and answers it where it is a question.
pub fn find(typed: &str, context: &AnswerContext<'_>) -> SearchResults {
    let text = typed.trim();
    let question = question::read(text);
    let (words, kind) = match &question {
        Some(TypedQuestion::Incomplete(_) | TypedQuestion::Unknown) => {
            (Words::any(question::telling(text)), None)
        }
        Some(question) => (
            Words::any(
                question::names(question)
                    .into_iter()
                    .flat_map(str::split_whitespace),
            ),
            None,
        ),
        None => {
            let (kind, rest) = typed_kind(text);
            (Words::all(rest), kind)
        }
    };
    let index = context.index;
    let asked_about = match &question {
        Some(TypedQuestion::Can { who, .. }) => Some(principal_of(who, context)),
        _ => None,
    };
    let mut ranked: Vec<(bool, SearchGroup)> = Vec::new();
    if kind != Some(PrincipalType::Role) {
        let found = index.principals(&words, kind);
        ranked.extend(group_of(
            "Principals",
            found.map(|of| principal_item(of, &words)),
        ));
    }
    if matches!(kind, None | Some(PrincipalType::Role)) {
        let found = index.roles(&words);
        ranked.extend(group_of(
            "Roles",
            found.map(|of| principal_item(of, &words)),
        ));
    }
    if kind.is_none() {
        let found = index.topics(&words);
        ranked.extend(group_of("Topics", found.map(|of| topic_item(of, &words))));
        let found = pages(question.as_ref(), asked_about.as_ref(), text, context);
        ranked.extend(group_of("Pages", found));
    }
    // What has the words as they were typed comes before what only has their letters.
    ranked.sort_by_key(|(is_run, _)| !is_run);
    let mut groups: Vec<SearchGroup> = ranked.into_iter().map(|(_, group)| group).collect();
    if kind.is_none() {
        let found = group_of("Actions", actions(question.as_ref(), text, context));
        groups.extend(found.map(|(_, group)| group));
    }
    // Several words that find nothing were probably asked, not searched for.
    let is_unknown = groups.is_empty()
        && kind.is_none()
        && question::has_several_words(text)
        && !starts_with_any(text, &CREATE)
        && !starts_with_any(text, &ASSIGN);
    let question = question.or_else(|| is_unknown.then_some(TypedQuestion::Unknown));
    let answer = question.map(|question| answer(&question, asked_about.as_ref(), context));
    SearchResults { answer, groups }
}

/// A group of results, with whether the best has the words as they were typed; none without any.
fn group_of(title: &'static str, found: Best<SearchItem>) -> Option<(bool, SearchGroup)> {
    let Best {
        items,
        number,
        is_run,
    } = found;
    if items.is_empty() {
        return None;
    }
    let more = number.saturating_sub(items.len());
    Some((is_run, SearchGroup { title, items, more }))
}

/// The type at the start of a search, such as `group:`, and the rest.
fn typed_kind(text: &str) -> (Option<PrincipalType>, &str) {
    for kind in PrincipalType::ALL.iter().copied() {
        if let Some(rest) = strip_start(text, kind.prefix())
            && let Some(rest) = rest.strip_prefix(':')
        {
            return (Some(kind), rest);
        }
    }
    (None, text)
}

fn principal_item(of: &PrincipalSummary, words: &Words) -> SearchItem {
    let principal = &of.principal;
    let (kind, label) = match principal.kind() {
        PrincipalType::User => (SearchKind::User, Label::default().kind("User")),
        PrincipalType::Other => (SearchKind::User, Label::default()),
        PrincipalType::Group => (SearchKind::Group, Label::default().kind("Group")),
        PrincipalType::Role => (SearchKind::Role, Label::default()),
    };
    let address = match principal.kind() {
        PrincipalType::Role if !of.is_missing => address::role(principal.name()),
        _ => ListQuery::one(principal).address(),
    };
    let label = label.name(principal.name(), words);
    SearchItem {
        kind,
        label,
        detail: list::summary(of),
        target: SearchTarget::Address(address),
    }
}

fn topic_item(of: &NamedPattern, words: &Words) -> SearchItem {
    let query = WhoCanQuery {
        operation: Operation::Read,
        resource_type: ResourceType::Topic,
        pattern: of.pattern_type,
        name: of.name.clone(),
        ..WhoCanQuery::default()
    };
    let holders = format!("ACLs of {}", count(of.scopes.len(), "principal"));
    let detail = match of.pattern_type {
        PatternType::Literal => holders,
        PatternType::Prefixed => format!("prefix, {holders}"),
    };
    let label = Label::default().name(&of.name, words);
    SearchItem {
        kind: SearchKind::Topic,
        label,
        detail,
        target: SearchTarget::Address(query.address()),
    }
}

/// Those of a list that fit, the best first; all of them while nothing was typed.
fn fitting<'a, T>(all: &'a [(&str, &str, T)], text: &str) -> Best<(&'a str, &'a T)> {
    let words = Words::all(text);
    let mut scored: Vec<(i64, &str, &T)> = Vec::new();
    for (title, more, target) in all {
        let name = format!("{title} {more}");
        let score = if words.is_empty() {
            Some(0)
        } else {
            words.score(&name, &FoldedName::new(&name))
        };
        if let Some(score) = score {
            scored.push((score, *title, target));
        }
    }
    scored.sort_by_key(|(score, ..)| std::cmp::Reverse(*score));
    let is_run = matches!(scored.first(), Some((score, ..)) if words.is_run(*score));
    let items: Vec<_> = scored
        .into_iter()
        .map(|(_, title, target)| (title, target))
        .collect();
    Best {
        number: items.len(),
        items,
        is_run,
    }
}

/// The pages that fit; those about the principal and the resource of a question.
fn pages(
    question: Option<&TypedQuestion>,
    asked_about: Option<&Result<Principal, Vec<Principal>>>,
    text: &str,
    context: &AnswerContext<'_>,
) -> Best<SearchItem> {
    let request = match question {
        Some(TypedQuestion::Can { request, .. } | TypedQuestion::WhoCan(request)) => Some(request),
        Some(TypedQuestion::Incomplete(_) | TypedQuestion::Unknown) | None => None,
    };
    if let Some(request) = request {
        let mut items = Vec::new();
        if let Some(TypedQuestion::Can { who, .. }) = question
            && let Some(Ok(principal)) = asked_about
        {
            let label = Label::default().text("Permissions of ");
            let label = label
                .kind(principal.kind().prefix())
                .name(principal.name(), &Words::all(who));
            items.push(page_item(
                label,
                "Permissions",
                ListQuery::one(principal).address(),
            ));
        }
        let prefix = request.name.strip_suffix('*');
        let query = WhoCanQuery {
            operation: request.operation,
            resource_type: request.resource_type,
            pattern: if prefix.is_some() {
                PatternType::Prefixed
            } else {
                PatternType::Literal
            },
            name: prefix.unwrap_or(&request.name).to_owned(),
            ..WhoCanQuery::default()
        };
        let label = Label::default().text(format!(
            "Who can {} ",
            verb(request.operation, request.resource_type)
        ));
        let label = match request.resource_type {
            ResourceType::Cluster => label.text("the cluster"),
            ResourceType::Registry => label.text("the Schema Registry"),
            _ => label.name(&request.name, &Words::all(&query.name)),
        };
        items.push(page_item(label, "Permissions, Who can", query.address()));
        return Best {
            number: items.len(),
            items,
            is_run: false,
        };
    }
    if question.is_some() {
        return Best {
            number: 0,
            items: Vec::new(),
            is_run: false,
        };
    }
    let words = Words::all(text);
    let Best {
        mut items, is_run, ..
    } = fitting(PAGES, text);
    items.retain(|(_, at)| **at != address::REVIEW || context.has_draft);
    let number = items.len();
    items.truncate(SHOWN);
    let items = items.into_iter().map(|(title, at)| {
        let label = Label::default().name(title, &words);
        page_item(label, "", (*at).to_owned())
    });
    Best {
        items: items.collect(),
        number,
        is_run,
    }
}

fn page_item(label: Label, detail: &str, address: String) -> SearchItem {
    SearchItem {
        kind: SearchKind::Page,
        label,
        detail: detail.to_owned(),
        target: SearchTarget::Address(address),
    }
}

fn action_item(label: Label, detail: &str, target: SearchTarget) -> SearchItem {
    SearchItem {
        kind: SearchKind::Action,
        label,
        detail: detail.to_owned(),
        target,
    }
}

/// The actions that fit: those without a name, a new role of this name, and a principal that joins
/// a role.
fn actions(
    question: Option<&TypedQuestion>,
    text: &str,
    context: &AnswerContext<'_>,
) -> Best<SearchItem> {
    if question.is_some() {
        return Best {
            number: 0,
            items: Vec::new(),
            is_run: false,
        };
    }
    let words = Words::all(text);
    let mut items: Vec<SearchItem> = assignments(text, context);
    for (title, target) in fitting(ACTIONS, text).items {
        let label = Label::default().name(title, &words);
        items.push(action_item(label, "", target.clone()));
    }
    let requested = CREATE.iter().find_map(|start| strip_start(text, start));
    // Several words may be a question, so they name a role only where one is asked for.
    let name = match requested {
        Some(name) => name.trim(),
        None if question::has_several_words(text) => "",
        None => text,
    };
    if !name.is_empty() && name_error(&context.index.policy, name).is_none() {
        let label = Label::default()
            .text("Create role ")
            .name(name, &Words::all(name));
        items.push(action_item(
            label,
            "Roles",
            SearchTarget::CreateRole(name.to_owned()),
        ));
    }
    let number = items.len();
    items.truncate(SHOWN);
    Best {
        items,
        number,
        is_run: true,
    }
}

/// A text without these letters at its start, in any case.
fn strip_start<'a>(text: &'a str, start: &str) -> Option<&'a str> {
    let (first, rest) = text.split_at_checked(start.len())?;
    first.eq_ignore_ascii_case(start).then_some(rest)
}

/// `assign Group:eng to Writers`: the roles that fit and that the principal is not in yet.
fn assignments(text: &str, context: &AnswerContext<'_>) -> Vec<SearchItem> {
    let assigned = ASSIGN.iter().find_map(|start| strip_start(text, start));
    let Some((who, role)) = assigned.and_then(|rest| rest.split_once(" to ")) else {
        return Vec::new();
    };
    let Ok(member) = principal_of(who.trim(), context) else {
        return Vec::new();
    };
    if member.kind() == PrincipalType::Role || member.is_everyone() {
        return Vec::new();
    }
    let words = Words::all(role.trim());
    let mut items = Vec::new();
    for found in context.index.roles(&words).items {
        let role = found.principal.name();
        let mut held = context.index.policy.roles_of(&member);
        if found.is_missing || held.any(|of| of == role) {
            continue;
        }
        let label = Label::default()
            .text("Assign ")
            .kind(member.kind().prefix())
            .name(member.name(), &Words::default());
        let label = label.text(" to ").name(role, &words);
        let target = SearchTarget::Assign {
            role: role.to_owned(),
            member: member.clone(),
        };
        items.push(action_item(label, "adds 1 change to the draft", target));
    }
    items
}
