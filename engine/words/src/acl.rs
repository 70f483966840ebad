//! ACLs and what they are about, in a sentence.

use gbac_analysis::NamePattern;
use gbac_engine::model::{Acl, Host, Operation, PatternType, ResourceType};

use crate::rich_text::{RichText, listed};

/// An ACL without its principal: `Allow Write, topic payments- prefixed`. The host follows where it
/// is not any.
///
/// ```
/// use gbac_engine::model::{Acl, Operation, Principal, ResourceType};
/// use gbac_words::acl;
///
/// let write = Acl::allow(Principal::group("eng"), Operation::Write, ResourceType::Topic, "payments-").prefixed();
/// assert_eq!(acl::rule(&write).plain(), "Allow Write, topic payments- prefixed");
/// let local = write.with_host([10, 0, 0, 1].into());
/// assert_eq!(acl::rule(&local).plain(), "Allow Write, topic payments- prefixed, host 10.0.0.1");
/// ```
pub fn rule(acl: &Acl) -> RichText {
    after_permission(RichText::new().permission(acl.permission), acl, "")
}

/// An allow that a deny overrode, as in [`rule`].
pub fn overridden_rule(acl: &Acl) -> RichText {
    after_permission(RichText::new().overridden(), acl, "")
}

/// The ACL that decided a request, as in [`rule`]. `implied_by` is its operation, if it is another
/// than that of the request.
pub fn deciding_rule(acl: &Acl, implied_by: Option<Operation>) -> RichText {
    let remark = match implied_by {
        Some(_) => " (implies it)",
        None => "",
    };
    after_permission(RichText::new().permission(acl.permission), acl, remark)
}

/// An ACL with its principal, with the words of its [`Display`](std::fmt::Display), which also puts
/// some names in quotation marks:
/// `Allow Write, topic payments- prefixed, of Group:eng`.
pub fn sentence(acl: &Acl) -> RichText {
    rule(acl).text(", of ").principal(&acl.principal)
}

fn after_permission(words: RichText, acl: &Acl, remark: &str) -> RichText {
    let operation = acl.operation.spelling().label;
    let words = words
        .text(format!(" {operation}{remark}, "))
        .then(pattern(acl));
    match &acl.host {
        Host::Any => words,
        host => words.text(", host ").resource(host.to_string()),
    }
}

/// What an ACL is about: `topic payments- prefixed`, `topic * all names`, `cluster`.
pub fn pattern(acl: &Acl) -> RichText {
    named_pattern(acl.resource_type, &acl.resource_name, acl.pattern_type)
}

/// A resource pattern, as in [`pattern`].
pub fn named_pattern(kind: ResourceType, name: &str, pattern: PatternType) -> RichText {
    let words = RichText::new().text(kind.noun());
    match kind.has_names() {
        true => words.text(" ").pattern(name, pattern),
        false => words,
    }
}

/// A resource: `topic payments-settled`, `cluster`.
pub fn resource(kind: ResourceType, name: &str) -> RichText {
    let words = RichText::new().text(kind.noun());
    match kind.has_names() && !name.is_empty() {
        true => words.text(" ").resource(name),
        false => words,
    }
}

/// The number of names that a sentence lists.
const NAMES: usize = 4;

/// The names on which a decision about a prefix holds: `only on orders-eu, orders-us prefixed`,
/// `not on orders-secret`; none if on all.
pub fn coverage(only_on: &[NamePattern], not_on: &[NamePattern]) -> Option<RichText> {
    let names = |patterns: &[NamePattern]| {
        let words = patterns.iter().map(|names| match names.pattern_type {
            PatternType::Literal => RichText::new().resource(&names.name),
            PatternType::Prefixed => RichText::new().pattern(&names.name, names.pattern_type),
        });
        listed(words.collect(), NAMES)
    };
    match (only_on, not_on) {
        ([], []) => None,
        ([], _) => Some(RichText::from("not on ").then(names(not_on))),
        (_, []) => Some(RichText::from("only on ").then(names(only_on))),
        _ => Some(
            RichText::from("only on ")
                .then(names(only_on))
                .text(", and not on ")
                .then(names(not_on)),
        ),
    }
}

/// A resource, or `any topic` without a name.
pub fn resource_or_any(kind: ResourceType, name: Option<&str>) -> RichText {
    match name {
        Some(name) => resource(kind, name),
        None => format!("any {}", kind.noun()).into(),
    }
}

#[cfg(test)]
mod tests {
    use gbac_engine::model::{Permission, Principal};

    use super::*;

    #[test]
    fn the_words_are_those_of_plain_text() {
        for kind in ResourceType::ALL {
            for pattern_type in PatternType::ALL {
                for host in [Host::Any, Host::Address([10, 0, 0, 1].into())] {
                    for (permission, name) in [(Permission::Allow, "*"), (Permission::Deny, "a-b")]
                    {
                        let acl = Acl {
                            principal: Principal::role("r"),
                            host: host.clone(),
                            operation: Operation::All,
                            permission,
                            resource_type: *kind,
                            resource_name: name.into(),
                            pattern_type: *pattern_type,
                        };
                        assert_eq!(sentence(&acl).plain(), acl.to_string());
                    }
                }
            }
        }
    }
}
