//! How much access opens: names by their type, and everyone.

use gbac_analysis::{Breadth, NamePattern, Opening};
use gbac_engine::model::{Acl, PatternType, ResourceType};

use crate::escape::plain;
use crate::hypothesis::AFFECTS_EVERYONE;
use crate::phrases::{list, plural};
use crate::rich_text::{RichText, listed};

/// Whom the settings affect.
pub const EVERYONE: &str = "everyone who signs in";

/// A step of breadth beyond names.
pub const STEP_OF_EVERYONE: &str = "Everyone";

/// How many patterns a sentence names.
const NAMED: usize = 3;

/// What opens, from the widest: `one topic, orders`, `topics that begin with orders-`, `every topic
/// and the cluster`.
///
/// ```
/// use gbac_analysis::Opening;
/// use gbac_engine::model::{Acl, Operation, Principal, ResourceType};
/// use gbac_words::breadth;
/// let read = |of, name| Acl::allow(Principal::group("eng"), Operation::Read, of, name);
/// let words = |acls: Vec<Acl>| breadth::opening(&Opening::of_acls(acls)).plain();
/// let (topic, group) = (ResourceType::Topic, ResourceType::Group);
/// assert_eq!(words(vec![read(topic, "orders")]), "one topic, orders");
/// assert_eq!(words(vec![read(topic, "orders-").prefixed()]), "topics that begin with orders-");
/// assert_eq!(words(vec![read(group, "*"), read(topic, "orders")]), "every consumer group and topic orders");
/// assert_eq!(words(vec![read(ResourceType::Cluster, "kafka-cluster")]), "the cluster");
/// ```
pub fn opening(opening: &Opening) -> RichText {
    if opening.is_for_everyone {
        return EVERYONE.into();
    }
    if let [(of_type, pattern)] = opening.patterns.as_slice() {
        return names(*of_type, pattern);
    }
    let mut all = Vec::new();
    for (of_type, pattern) in &opening.patterns {
        all.push(names_in_list(*of_type, pattern));
    }
    listed(all, NAMED)
}

/// That something opens; nothing where it does not: `Opens every topic`, `Affects everyone who signs in`.
pub fn opens(opened: &Opening) -> Option<RichText> {
    match (opened.is_empty(), opened.is_for_everyone) {
        (true, _) => None,
        (_, true) => Some(AFFECTS_EVERYONE.into()),
        (_, false) => Some(RichText::from("Opens ").then(opening(opened))),
    }
}

/// A step of breadth, of one type or of several: `One topic`, `A prefix`, `Every topic`.
pub fn step(breadth: Breadth, of_type: Option<ResourceType>) -> String {
    let noun = match of_type {
        Some(of_type) => of_type.noun(),
        None => "name of a type",
    };
    match breadth {
        Breadth::OneName => format!("One {noun}"),
        Breadth::Prefix => "A prefix".to_owned(),
        Breadth::EveryName => format!("Every {noun}"),
        Breadth::Cluster => match of_type {
            Some(of_type) if !of_type.has_names() => format!("The {noun}"),
            _ => "The cluster".to_owned(),
        },
    }
}

/// Whether another fix opens less, by its number.
///
/// ```
/// use gbac_words::breadth::compared;
/// assert_eq!(compared(None), "No fix opens less.");
/// assert_eq!(compared(Some(2)), "Fix 2 opens less.");
/// ```
pub fn compared(less: Option<usize>) -> String {
    match less {
        Some(fix) => format!("Fix {fix} opens less."),
        None => "No fix opens less.".to_owned(),
    }
}

/// Why a draft needs a reason: what it opens that is wide, and whom it affects.
///
/// ```
/// use gbac_analysis::Opening;
/// use gbac_engine::model::{Acl, Operation, Principal, ResourceType};
/// use gbac_words::breadth;
/// let acl = Acl::allow(Principal::group("eng"), Operation::Read, ResourceType::Topic, "*");
/// let mut opening = Opening::of_acls([acl]);
/// assert_eq!(breadth::reason_needed(&opening), "Say why: this draft opens every topic.");
/// opening.is_for_everyone = true;
/// assert_eq!(
///     breadth::reason_needed(&opening),
///     "Say why: this draft opens every topic and affects everyone who signs in.",
/// );
/// ```
pub fn reason_needed(opened: &Opening) -> String {
    let mut what = Vec::new();
    if !opened.patterns.is_empty() {
        let names = Opening {
            patterns: opened.patterns.clone(),
            is_for_everyone: false,
        };
        what.push(format!("opens {}", opening(&names).plain()));
    }
    if opened.is_for_everyone {
        what.push(format!("affects {EVERYONE}"));
    }
    format!("Say why: this draft {}.", list(&what))
}

/// The names of an ACL, alone.
pub(crate) fn names_of_acl(acl: &Acl) -> RichText {
    let pattern = NamePattern {
        pattern_type: acl.pattern_type,
        name: acl.resource_name.clone(),
    };
    names(acl.resource_type, &pattern)
}

/// Names that an ACL can be narrowed to, on a control: `orders-1`, `orders- prefix`, `every topic`.
///
/// ```
/// use gbac_analysis::NamePattern;
/// use gbac_engine::model::{PatternType, ResourceType};
/// use gbac_words::breadth;
/// let label = |pattern_type, name: &str| {
///     breadth::choice(ResourceType::Topic, &NamePattern { pattern_type, name: name.to_owned() })
/// };
/// assert_eq!(label(PatternType::Literal, "orders-1"), "orders-1");
/// assert_eq!(label(PatternType::Prefixed, "orders-"), "orders- prefix");
/// assert_eq!(label(PatternType::Literal, "*"), "every topic");
/// ```
pub fn choice(of_type: ResourceType, pattern: &NamePattern) -> String {
    if NamePattern::is_all_names(pattern.pattern_type, &pattern.name) {
        return format!("every {}", of_type.noun());
    }
    let name = plain(&pattern.name);
    match pattern.pattern_type {
        PatternType::Literal => name,
        PatternType::Prefixed => format!("{name} prefix"),
    }
}

/// The names of a pattern, alone.
fn names(of_type: ResourceType, pattern: &NamePattern) -> RichText {
    let is_one = of_type.has_names()
        && pattern.pattern_type == PatternType::Literal
        && !NamePattern::is_all_names(pattern.pattern_type, &pattern.name);
    match is_one {
        true => RichText::from(format!("one {}, ", of_type.noun())).resource(&pattern.name),
        false => names_in_list(of_type, pattern),
    }
}

fn names_in_list(of_type: ResourceType, pattern: &NamePattern) -> RichText {
    let noun = of_type.noun();
    if !of_type.has_names() {
        return format!("the {noun}").into();
    }
    if NamePattern::is_all_names(pattern.pattern_type, &pattern.name) {
        return format!("every {noun}").into();
    }
    let words = match pattern.pattern_type {
        PatternType::Prefixed => format!("{} that begin with ", plural(2, noun)),
        PatternType::Literal => format!("{noun} "),
    };
    RichText::from(words).resource(&pattern.name)
}
