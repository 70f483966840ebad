//! Checks and how they combine: all of them, or any of them.

use std::fmt;

use super::{ParameterSpec, Presence, Rule, is_implied};
use gbac_engine::decide::Outcome;
use gbac_engine::escape::escaped;
use gbac_engine::internal::firsts;
use gbac_engine::model::{Operation, ResourceType};

/// One question to the engine: this operation on this resource.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequiredCheck {
    /// The operation.
    pub operation: Operation,
    /// The resource's type.
    pub resource_type: ResourceType,
    /// The resource's name; empty for the registry, which has none.
    pub resource_name: String,
}

/// `write on topic `x``.
impl fmt::Display for RequiredCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on ", self.operation.spelling().audit)?;
        if is_implied(self.resource_type) {
            write!(f, "the {}", in_words(self.resource_type))
        } else {
            write!(f, "{} `{}`", in_words(self.resource_type), escaped(&self.resource_name))
        }
    }
}

/// What a request needs: one check, all of several needs, or any of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Requirement {
    /// One check.
    Check(RequiredCheck),
    /// Every one of these has to be allowed; an empty list is allowed.
    All(Vec<Requirement>),
    /// At least one of these has to be allowed; an empty list is denied.
    Any(Vec<Requirement>),
}

impl Requirement {
    /// All of these in normal form: nested lists opened, repetitions dropped, a list of one reduced to it.
    #[must_use]
    pub fn all(parts: Vec<Requirement>) -> Self {
        let mut open = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Self::All(inner) => open.extend(inner),
                other @ (Self::Check(_) | Self::Any(_)) => open.push(other),
            }
        }
        single(distinct(open)).unwrap_or_else(Self::All)
    }

    /// Whether one of several permissions is enough somewhere.
    #[must_use]
    pub fn has_choice(&self) -> bool {
        match self {
            Self::Check(_) => false,
            Self::All(parts) => parts.iter().any(Self::has_choice),
            Self::Any(_) => true,
        }
    }

    /// Any of these in normal form, as [`Requirement::all`].
    #[must_use]
    pub fn any(parts: Vec<Requirement>) -> Self {
        let mut open = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Self::Any(inner) => open.extend(inner),
                other @ (Self::Check(_) | Self::All(_)) => open.push(other),
            }
        }
        single(distinct(open)).unwrap_or_else(Self::Any)
    }

    /// The checks, each once, in the order in which they are met.
    #[must_use]
    pub fn checks(&self) -> Vec<&RequiredCheck> {
        let mut found = Vec::new();
        self.collect(&mut found);
        distinct(found)
    }

    fn collect<'a>(&'a self, found: &mut Vec<&'a RequiredCheck>) {
        match self {
            Self::Check(check) => found.push(check),
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.collect(found)),
        }
    }

    /// The outcome of the whole from the outcomes of the checks.
    ///
    /// Every check is asked for, also where the outcome is settled before, so that the caller sees each decision.
    pub fn outcome<F: FnMut(&RequiredCheck) -> Outcome>(&self, mut decide: F) -> Outcome {
        self.combine(&mut decide)
    }

    fn combine(&self, decide: &mut dyn FnMut(&RequiredCheck) -> Outcome) -> Outcome {
        match self {
            Self::Check(check) => decide(check),
            Self::All(parts) => parts.iter().fold(Outcome::Allow, |whole, part| match part.combine(decide) {
                Outcome::Allow => whole,
                Outcome::Deny => Outcome::Deny,
            }),
            Self::Any(parts) => parts.iter().fold(Outcome::Deny, |whole, part| match part.combine(decide) {
                Outcome::Allow => Outcome::Allow,
                Outcome::Deny => whole,
            }),
        }
    }
}

/// The checks in words; an inner list is in parentheses.
impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (parts, between, none) = match self {
            Self::Check(check) => return check.fmt(f),
            Self::All(parts) => (parts, " and ", "nothing"),
            Self::Any(parts) => (parts, " or ", "what nothing allows"),
        };
        if parts.is_empty() {
            return f.write_str(none);
        }
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                f.write_str(between)?;
            }
            match part {
                Self::Check(check) => check.fmt(f)?,
                Self::All(_) | Self::Any(_) => write!(f, "({part})")?,
            }
        }
        Ok(())
    }
}

/// The items without repetitions, each where it was first.
fn distinct<T: Ord>(items: Vec<T>) -> Vec<T> {
    let firsts = firsts(&items);
    items
        .into_iter()
        .zip(firsts)
        .enumerate()
        .filter(|(place, (_, first))| place == first)
        .map(|(_, (item, _))| item)
        .collect()
}

/// The only element, or the list itself where there are none or several.
fn single(mut parts: Vec<Requirement>) -> Result<Requirement, Vec<Requirement>> {
    match parts.pop() {
        Some(only) if parts.is_empty() => Ok(only),
        Some(last) => {
            parts.push(last);
            Err(parts)
        }
        None => Err(parts),
    }
}

/// A kind of resource inside a sentence.
pub(super) const fn in_words(kind: ResourceType) -> &'static str {
    match kind {
        ResourceType::Topic => "topic",
        ResourceType::Group => "consumer group",
        ResourceType::Cluster => "cluster",
        ResourceType::TransactionalId => "transactional ID",
        ResourceType::Registry => "Schema Registry",
        ResourceType::Subject => "subject",
        ResourceType::DelegationToken => "delegation token",
        ResourceType::User => "user",
    }
}

/// A rule in words, without names.
pub(super) fn rule_in_words(rule: &Rule, takes: &[ParameterSpec]) -> String {
    let optional =
        |kind: &ResourceType| takes.iter().any(|takes| takes.kind == *kind && takes.presence != Presence::Required);
    let named = |kind: &ResourceType| if optional(kind) { " named" } else { "" };
    match rule {
        Rule::Each(operation, kind) if is_implied(*kind) => {
            format!("{} on the {}", operation.spelling().audit, in_words(*kind))
        }
        Rule::Each(operation, kind) => {
            format!("{} on each {}{}", operation.spelling().audit, in_words(*kind), named(kind))
        }
        Rule::OneOf(operation, kind) => {
            format!("{} on at least one {}{}", operation.spelling().audit, in_words(*kind), named(kind))
        }
        Rule::All([]) => "nothing".into(),
        Rule::All(rules) => join(rules, takes, " and "),
        Rule::Any(rules) => join(rules, takes, " or "),
        Rule::IfNamed(kind, then, otherwise) => format!(
            "{}; without a {}: {}",
            rule_in_words(then, takes),
            in_words(*kind),
            rule_in_words(otherwise, takes)
        ),
        Rule::AsKafka(ids) => {
            let names: Vec<&str> =
                ids.iter().map(|id| super::find(super::Api::Kafka, id).map_or(*id, |row| row.name)).collect();
            format!("what the Kafka API needs for {}", names.join(", "))
        }
    }
}

fn join(rules: &[Rule], takes: &[ParameterSpec], between: &str) -> String {
    let parts: Vec<String> = rules
        .iter()
        .map(|rule| match rule {
            Rule::All(_) | Rule::Any(_) => format!("({})", rule_in_words(rule, takes)),
            Rule::Each(..) | Rule::OneOf(..) | Rule::IfNamed(..) | Rule::AsKafka(_) => rule_in_words(rule, takes),
        })
        .collect();
    parts.join(between)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str) -> Requirement {
        Requirement::Check(RequiredCheck {
            operation: Operation::Read,
            resource_type: ResourceType::Topic,
            resource_name: name.into(),
        })
    }

    #[test]
    fn combines_as_logic_does() {
        let allow_a = |check: &RequiredCheck| if check.resource_name == "a" { Outcome::Allow } else { Outcome::Deny };
        assert_eq!(Requirement::All(vec![]).outcome(allow_a), Outcome::Allow);
        assert_eq!(Requirement::Any(vec![]).outcome(allow_a), Outcome::Deny);
        assert_eq!(Requirement::All(vec![check("a"), check("b")]).outcome(allow_a), Outcome::Deny);
        assert_eq!(Requirement::Any(vec![check("b"), check("a")]).outcome(allow_a), Outcome::Allow);
        assert_eq!(Requirement::Any(vec![check("b"), Requirement::All(vec![])]).outcome(allow_a), Outcome::Allow);
        assert_eq!(Requirement::All(vec![check("a"), Requirement::Any(vec![])]).outcome(allow_a), Outcome::Deny);
    }

    #[test]
    fn asks_for_every_check_in_order() {
        let mut evaluated = Vec::new();
        let need = Requirement::All(vec![check("b"), Requirement::Any(vec![check("a"), check("b")])]);
        let outcome = need.outcome(|check| {
            evaluated.push(check.resource_name.clone());
            Outcome::Deny
        });
        assert_eq!((outcome, evaluated), (Outcome::Deny, vec!["b".to_string(), "a".into(), "b".into()]));
        assert_eq!(need.checks().len(), 2);
    }

    #[test]
    fn normal_form() {
        assert_eq!(Requirement::all(vec![check("a")]), check("a"));
        assert_eq!(Requirement::all(vec![Requirement::all(vec![]), check("a"), check("a")]), check("a"));
        assert_eq!(
            Requirement::all(vec![check("a"), Requirement::all(vec![check("b"), check("c")])]),
            Requirement::All(vec![check("a"), check("b"), check("c")])
        );
        assert_eq!(Requirement::any(vec![]), Requirement::Any(vec![]));
        assert_eq!(Requirement::any(vec![Requirement::All(vec![])]), Requirement::All(vec![]));
    }

    #[test]
    fn words_escape_what_a_terminal_would_obey() {
        assert_eq!(check("a\u{1b}[31m").to_string(), "read on topic `a\\u{1b}[31m`");
        assert_eq!(Requirement::All(vec![]).to_string(), "nothing");
        let nested = Requirement::Any(vec![check("a"), Requirement::All(vec![check("b"), check("c")])]);
        assert_eq!(nested.to_string(), "read on topic `a` or (read on topic `b` and read on topic `c`)");
    }
}
