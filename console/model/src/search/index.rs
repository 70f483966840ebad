//! The names of a policy, prepared once so that each key press searches them quickly.

use std::sync::Arc;

use gbac_analysis::{NamePattern, NamedPattern, PolicySummary, PrincipalSummary, policy_summary};
use gbac_engine::model::{PatternType, Principal, PrincipalType, ResourceType};
use gbac_engine::policy::Policy;

use crate::search::fuzzy::{FoldedName, Score, Words, fold};

/// How many results of a group are shown.
pub(super) const SHOWN: usize = 5;

/// The names of a policy, prepared for a search; made once for each policy.
#[derive(Debug, Clone)]
pub struct SearchIndex {
    pub(super) policy: Arc<Policy>,
    summary: PolicySummary,
    /// Users and groups.
    principals: Vec<IndexedName>,
    roles: Vec<IndexedName>,
    topics: Vec<IndexedName>,
}

/// A name with its place in the summary.
#[derive(Debug, Clone)]
struct IndexedName {
    folded: FoldedName,
    place: usize,
}

impl IndexedName {
    fn new(name: &str, place: usize) -> Self {
        Self {
            folded: FoldedName::new(name),
            place,
        }
    }
}

/// The best results of a group, and the number of all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Best<T> {
    pub(super) items: Vec<T>,
    pub(super) number: usize,
    /// Whether the best has the words as they were typed, not as scattered letters.
    pub(super) is_run: bool,
}

impl<T> Best<T> {
    /// Converts the results.
    pub(super) fn map<U>(self, change: impl FnMut(T) -> U) -> Best<U> {
        let Self {
            items,
            number,
            is_run,
        } = self;
        Best {
            items: items.into_iter().map(change).collect(),
            number,
            is_run,
        }
    }
}

impl SearchIndex {
    /// Prepares the names of a policy.
    #[must_use]
    pub fn new(policy: &Arc<Policy>) -> Self {
        let summary = policy_summary(policy);
        let (mut principals, mut roles) = (Vec::new(), Vec::new());
        for (place, of) in summary.all.iter().enumerate() {
            let name = IndexedName::new(of.principal.name(), place);
            if of.principal.kind() == PrincipalType::Role {
                roles.push(name);
            } else {
                principals.push(name);
            }
        }
        let topics = indexed_patterns(&summary, ResourceType::Topic);
        Self {
            policy: Arc::clone(policy),
            summary,
            principals,
            roles,
            topics,
        }
    }

    /// Whether it is of this policy.
    pub fn is_of(&self, policy: &Arc<Policy>) -> bool {
        Arc::ptr_eq(&self.policy, policy)
    }

    /// The users and groups that fit best; of one type only, where it is given.
    pub(super) fn principals(
        &self,
        words: &Words,
        kind: Option<PrincipalType>,
    ) -> Best<&PrincipalSummary> {
        self.best(&self.principals, words, kind)
    }

    /// The roles that fit best.
    pub(super) fn roles(&self, words: &Words) -> Best<&PrincipalSummary> {
        self.best(&self.roles, words, None)
    }

    fn best(
        &self,
        of: &[IndexedName],
        words: &Words,
        kind: Option<PrincipalType>,
    ) -> Best<&PrincipalSummary> {
        let candidates = of.iter().filter_map(|name| {
            let found = self.summary.all.get(name.place)?;
            let fits = kind.is_none() || kind == Some(found.principal.kind());
            fits.then_some((found, name))
        });
        best(candidates, words, |of| of.principal.name())
    }

    /// The topics and prefixes of topics that fit best.
    pub(super) fn topics(&self, words: &Words) -> Best<&NamedPattern> {
        let named = self
            .topics
            .iter()
            .filter_map(|name| Some((self.summary.named.get(name.place)?, name)));
        best(named, words, |named| &named.name)
    }

    /// The principals that a text means: those of that name, else those with it at the start of a
    /// word, else those with it anywhere. Letter case makes no difference, unless several differ in
    /// nothing else.
    pub(super) fn principals_named(&self, text: &str) -> Vec<&Principal> {
        let all = self.summary.all.iter().map(|of| &of.principal);
        if let Ok((kind, name)) = Principal::split(text) {
            return all
                .filter(|of| of.kind() == kind && of.name() == name)
                .collect();
        }
        let exact: Vec<&Principal> = all.filter(|of| of.name() == text).collect();
        if !exact.is_empty() {
            return exact;
        }
        // A question about a role has to include the type, so that a question about a user does not
        // match roles.
        let words = Words::any([text]);
        let scored = self.principals.iter().filter_map(|name| {
            let of = &self.summary.all.get(name.place)?.principal;
            Some((words.score(of.name(), &name.folded)?.max(0) / 1_000, of))
        });
        let scored: Vec<(Score, &Principal)> = scored.collect();
        let best = scored.iter().map(|(score, _)| *score).max();
        scored
            .into_iter()
            .filter(|(score, _)| Some(*score) == best)
            .map(|(_, of)| of)
            .collect()
    }

    /// The names and prefixes of a type that a text means, the first `most` of them: the name itself.
    /// A `*` at its end stands for the rest of the name: that prefix, and all names and prefixes
    /// under it.
    pub(super) fn resources_named(
        &self,
        resource_type: ResourceType,
        text: &str,
        most: usize,
    ) -> NamedResources {
        let Some(prefix) = text.strip_suffix('*') else {
            return NamedResources::one(PatternType::Literal, text);
        };
        let mut found = NamedResources::one(PatternType::Prefixed, prefix);
        self.each_name(resource_type, |_, of| {
            let is_other = of.pattern_type == PatternType::Literal || of.name != prefix;
            if is_other && of.name.starts_with(prefix) {
                found.put(of, most);
            }
        });
        found
    }

    /// The names and prefixes of a type that contain a text and are not just that name, the first
    /// `most` of them.
    pub(super) fn resources_containing(
        &self,
        resource_type: ResourceType,
        text: &str,
        most: usize,
    ) -> NamedResources {
        let wanted = fold(text);
        let mut found = NamedResources::default();
        self.each_name(resource_type, |name, of| {
            let is_itself = of.pattern_type == PatternType::Literal && of.name == text;
            if !is_itself && name.folded.contains(&wanted) {
                found.put(of, most);
            }
        });
        found
    }

    /// Each name and prefix of a type, by name.
    fn each_name(
        &self,
        resource_type: ResourceType,
        mut take: impl FnMut(&IndexedName, &NamedPattern),
    ) {
        // Topics are prepared; other types have fewer names.
        let others;
        let names = match resource_type {
            ResourceType::Topic => &self.topics,
            other => {
                others = indexed_patterns(&self.summary, other);
                &others
            }
        };
        for name in names {
            if let Some(of) = self.summary.named.get(name.place) {
                take(name, of);
            }
        }
    }
}

/// The names and prefixes that a text means.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct NamedResources {
    /// The first of them, by name.
    pub(super) patterns: Vec<NamePattern>,
    /// How many there are.
    pub(super) number: usize,
}

impl NamedResources {
    /// One name or prefix.
    pub(super) fn one(pattern_type: PatternType, name: &str) -> Self {
        Self {
            patterns: vec![NamePattern {
                pattern_type,
                name: name.to_owned(),
            }],
            number: 1,
        }
    }

    fn put(&mut self, of: &NamedPattern, most: usize) {
        self.number += 1;
        if self.patterns.len() < most {
            self.patterns.push(NamePattern {
                pattern_type: of.pattern_type,
                name: of.name.clone(),
            });
        }
    }
}

/// The names and prefixes of a type, by name; not those for all names.
fn indexed_patterns(summary: &PolicySummary, resource_type: ResourceType) -> Vec<IndexedName> {
    let mut of: Vec<(usize, &NamedPattern)> = (summary.named.iter().enumerate())
        .filter(|(_, named)| named.resource_type == resource_type && !is_all_names(named))
        .collect();
    of.sort_by(|(_, a), (_, b)| (&a.name, a.pattern_type).cmp(&(&b.name, b.pattern_type)));
    of.into_iter()
        .map(|(place, named)| IndexedName::new(&named.name, place))
        .collect()
}

/// The best of these, and the number of all that fit.
fn best<'a, T: Copy>(
    candidates: impl Iterator<Item = (T, &'a IndexedName)>,
    words: &Words,
    name_of: impl Fn(&T) -> &str,
) -> Best<T> {
    let mut items: Vec<(Score, T)> = Vec::with_capacity(SHOWN + 1);
    let mut number = 0;
    if words.is_empty() {
        return Best {
            items: Vec::new(),
            number,
            is_run: false,
        };
    }
    for (candidate, name) in candidates {
        let Some(score) = words.score(name_of(&candidate), &name.folded) else {
            continue;
        };
        number += 1;
        // Of those that fit alike the first stays before the others.
        let at = items.partition_point(|(known, _)| *known >= score);
        if at < SHOWN {
            items.insert(at, (score, candidate));
            items.truncate(SHOWN);
        }
    }
    let is_run = matches!(items.first(), Some((score, _)) if words.is_run(*score));
    Best {
        items: items.into_iter().map(|(_, candidate)| candidate).collect(),
        number,
        is_run,
    }
}

fn is_all_names(named: &NamedPattern) -> bool {
    match named.pattern_type {
        PatternType::Literal => named.name == "*",
        PatternType::Prefixed => named.name.is_empty(),
    }
}
