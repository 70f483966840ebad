//! Combinations of checks: all of them, or any of them.

use std::fmt;
use std::net::IpAddr;

use super::{ParameterSpec, Presence, Rule, is_implied};
use gbac_engine::decide::{At, Decision, Outcome, PreparedIdentity, Request};
use gbac_engine::escape::escaped;
use gbac_engine::model::{Operation, ResourceType};
use gbac_engine::order::first_equals;
use gbac_engine::policy::Policy;

/// One check for the engine: an operation on a resource, or on any resource of a type.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequiredCheck {
    /// The operation.
    pub operation: Operation,
    /// The resource's type.
    pub resource_type: ResourceType,
    /// The resource's name, empty for the registry, which has none; `None` for any resource of the
    /// type (D-73).
    pub resource_name: Option<String>,
}

impl RequiredCheck {
    /// Decides it for an identity.
    #[must_use]
    pub fn decide(
        &self,
        policy: &Policy,
        prepared: &mut PreparedIdentity,
        host: Option<IpAddr>,
        at: At,
    ) -> Decision {
        let (operation, kind) = (self.operation, self.resource_type);
        match &self.resource_name {
            Some(name) => {
                let request = Request::new(operation, kind, name, at).with_host(host);
                prepared.decide(policy, &request)
            }
            None => prepared.decide_on_any(policy, operation, kind, host, at),
        }
    }
}

/// For example, `write on topic `x``, or `write on any topic`.
impl fmt::Display for RequiredCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = self.resource_type.noun();
        write!(f, "{} on ", self.operation.spelling().audit)?;
        match &self.resource_name {
            _ if is_implied(self.resource_type) => write!(f, "the {noun}"),
            Some(name) => write!(f, "{noun} `{}`", escaped(name)),
            None => write!(f, "any {noun}"),
        }
    }
}

/// The requirement of a request: one check, all of several requirements, or any of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Requirement {
    /// One check.
    Check(RequiredCheck),
    /// All of these must be allowed; an empty list is allowed.
    All(Vec<Requirement>),
    /// At least one of these must be allowed; an empty list is denied.
    Any(Vec<Requirement>),
}

impl Requirement {
    /// All of these in normal form: nested lists are flattened, duplicates removed, and a list of
    /// one element becomes that element.
    #[must_use]
    pub fn all(parts: Vec<Requirement>) -> Self {
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Self::All(inner) => flat.extend(inner),
                other @ (Self::Check(_) | Self::Any(_)) => flat.push(other),
            }
        }
        single(distinct(flat)).unwrap_or_else(Self::All)
    }

    /// Whether it contains alternatives: several requirements, or several names.
    #[must_use]
    pub fn has_choice(&self) -> bool {
        match self {
            Self::Check(check) => check.resource_name.is_none(),
            Self::All(parts) => parts.iter().any(Self::has_choice),
            Self::Any(_) => true,
        }
    }

    /// Any of these in normal form, like [`Requirement::all`].
    #[must_use]
    pub fn any(parts: Vec<Requirement>) -> Self {
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Self::Any(inner) => flat.extend(inner),
                other @ (Self::Check(_) | Self::All(_)) => flat.push(other),
            }
        }
        single(distinct(flat)).unwrap_or_else(Self::Any)
    }

    /// The checks in order, without duplicates.
    #[must_use]
    pub fn checks(&self) -> Vec<&RequiredCheck> {
        let mut checks = Vec::new();
        self.collect(&mut checks);
        distinct(checks)
    }

    fn collect<'a>(&'a self, checks: &mut Vec<&'a RequiredCheck>) {
        match self {
            Self::Check(check) => checks.push(check),
            Self::All(parts) | Self::Any(parts) => {
                parts.iter().for_each(|part| part.collect(checks));
            }
        }
    }

    /// The overall outcome, from the outcomes of the checks.
    ///
    /// Every check is evaluated, even if the overall outcome is already known, so that the caller
    /// gets each decision.
    pub fn outcome<F: FnMut(&RequiredCheck) -> Outcome>(&self, mut decide: F) -> Outcome {
        self.combine(&mut decide)
    }

    fn combine(&self, decide: &mut dyn FnMut(&RequiredCheck) -> Outcome) -> Outcome {
        match self {
            Self::Check(check) => decide(check),
            Self::All(parts) => parts.iter().fold(Outcome::Allow, |combined, part| {
                match part.combine(decide) {
                    Outcome::Allow => combined,
                    Outcome::Deny => Outcome::Deny,
                }
            }),
            Self::Any(parts) => {
                parts
                    .iter()
                    .fold(Outcome::Deny, |combined, part| match part.combine(decide) {
                        Outcome::Allow => Outcome::Allow,
                        Outcome::Deny => combined,
                    })
            }
        }
    }
}

/// The checks as text; nested lists are in parentheses.
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

/// The items without duplicates, in order of their first occurrence.
fn distinct<T: Ord>(items: Vec<T>) -> Vec<T> {
    let first_equals = first_equals(&items);
    items
        .into_iter()
        .zip(first_equals)
        .enumerate()
        .filter(|(place, (_, first))| place == first)
        .map(|(_, (item, _))| item)
        .collect()
}

/// The only element; the list itself unless it has exactly one element.
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

/// A rule as text, without names.
pub(super) fn rule_text(rule: &Rule, parameters: &[ParameterSpec]) -> String {
    let optional = |kind: &ResourceType| {
        parameters
            .iter()
            .any(|parameter| parameter.kind == *kind && parameter.presence != Presence::Required)
    };
    let named = |kind: &ResourceType| if optional(kind) { " named" } else { "" };
    match rule {
        Rule::Each(operation, kind) if is_implied(*kind) => {
            format!("{} on the {}", operation.spelling().audit, kind.noun())
        }
        Rule::Each(operation, kind) => {
            format!(
                "{} on each {}{}",
                operation.spelling().audit,
                kind.noun(),
                named(kind)
            )
        }
        Rule::OneOf(operation, kind) => {
            format!(
                "{} on at least one {}{}",
                operation.spelling().audit,
                kind.noun(),
                named(kind)
            )
        }
        Rule::AnyOf(operation, kind) => {
            format!(
                "{} on at least one {}, any if none is named",
                operation.spelling().audit,
                kind.noun()
            )
        }
        Rule::All([]) => "nothing".into(),
        Rule::All(rules) => join(rules, parameters, " and "),
        Rule::Any(rules) => join(rules, parameters, " or "),
        Rule::IfNamed(kind, then, otherwise) => {
            format!(
                "{}; without a {}: {}",
                rule_text(then, parameters),
                kind.noun(),
                rule_text(otherwise, parameters)
            )
        }
        Rule::AsKafka(ids) => {
            let names: Vec<&str> = ids
                .iter()
                .map(|id| super::find(super::Api::Kafka, id).map_or(*id, |row| row.name))
                .collect();
            format!("what the Kafka API needs for {}", names.join(", "))
        }
    }
}

fn join(rules: &[Rule], parameters: &[ParameterSpec], between: &str) -> String {
    let parts: Vec<String> = rules
        .iter()
        .map(|rule| match rule {
            Rule::All(_) | Rule::Any(_) => format!("({})", rule_text(rule, parameters)),
            Rule::Each(..)
            | Rule::OneOf(..)
            | Rule::AnyOf(..)
            | Rule::IfNamed(..)
            | Rule::AsKafka(_) => rule_text(rule, parameters),
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
            resource_name: Some(name.into()),
        })
    }

    #[test]
    fn combines_like_boolean_logic() {
        let allow_a = |check: &RequiredCheck| {
            if check.resource_name.as_deref() == Some("a") {
                Outcome::Allow
            } else {
                Outcome::Deny
            }
        };
        assert_eq!(Requirement::All(vec![]).outcome(allow_a), Outcome::Allow);
        assert_eq!(Requirement::Any(vec![]).outcome(allow_a), Outcome::Deny);
        assert_eq!(
            Requirement::All(vec![check("a"), check("b")]).outcome(allow_a),
            Outcome::Deny
        );
        assert_eq!(
            Requirement::Any(vec![check("b"), check("a")]).outcome(allow_a),
            Outcome::Allow
        );
        assert_eq!(
            Requirement::Any(vec![check("b"), Requirement::All(vec![])]).outcome(allow_a),
            Outcome::Allow
        );
        assert_eq!(
            Requirement::All(vec![check("a"), Requirement::Any(vec![])]).outcome(allow_a),
            Outcome::Deny
        );
    }

    #[test]
    fn evaluates_every_check_in_order() {
        let mut evaluated = Vec::new();
        let need = Requirement::All(vec![
            check("b"),
            Requirement::Any(vec![check("a"), check("b")]),
        ]);
        let outcome = need.outcome(|check| {
            evaluated.extend(check.resource_name.clone());
            Outcome::Deny
        });
        assert_eq!(
            (outcome, evaluated),
            (Outcome::Deny, vec!["b".to_string(), "a".into(), "b".into()])
        );
        assert_eq!(need.checks().len(), 2);
    }

    #[test]
    fn normal_form() {
        assert_eq!(Requirement::all(vec![check("a")]), check("a"));
        assert_eq!(
            Requirement::all(vec![Requirement::all(vec![]), check("a"), check("a")]),
            check("a")
        );
        assert_eq!(
            Requirement::all(vec![
                check("a"),
                Requirement::all(vec![check("b"), check("c")])
            ]),
            Requirement::All(vec![check("a"), check("b"), check("c")])
        );
        assert_eq!(Requirement::any(vec![]), Requirement::Any(vec![]));
        assert_eq!(
            Requirement::any(vec![Requirement::All(vec![])]),
            Requirement::All(vec![])
        );
    }

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(
            check("a\u{1b}[31m").to_string(),
            "read on topic `a\\u{1b}[31m`"
        );
        assert_eq!(Requirement::All(vec![]).to_string(), "nothing");
        let nested = Requirement::Any(vec![
            check("a"),
            Requirement::All(vec![check("b"), check("c")]),
        ]);
        assert_eq!(
            nested.to_string(),
            "read on topic `a` or (read on topic `b` and read on topic `c`)"
        );
    }
}
