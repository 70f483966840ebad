//! Collects group names from the value at the claim path: a list, a comma-separated string or a
//! union (D-08 to D-11).

use serde_json::Value;

use super::{
    ClaimFinding, DropCode, Element, ElementOutcome, Group, MAX_ELEMENTS, MAX_NAME_BYTES,
    NestedGroupBehavior, quoted, type_name,
};
use crate::claim_path::{Node, element_location};
use crate::escape::is_hidden;
use crate::hash::first_equals;
use crate::json;
use crate::warning::{Warning, WarningCode, warn};

/// An element of the claim.
struct Item<'a> {
    location: String,
    value: ItemValue<'a>,
}

enum ItemValue<'a> {
    /// A string, or a part of a comma-separated one.
    Name(&'a str),
    /// Anything else.
    Other(&'a Value),
}

impl<'a> From<&'a Value> for ItemValue<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::String(name) => Self::Name(name),
            other => Self::Other(other),
        }
    }
}

impl<'a> ItemValue<'a> {
    const fn name(&self) -> Option<&'a str> {
        match self {
            Self::Name(name) => Some(name),
            Self::Other(_) => None,
        }
    }
}

/// The elements of a claim, to be converted to groups.
pub(super) struct Names<'a> {
    nested: NestedGroupBehavior,
    items: Vec<Item<'a>>,
    /// The comma-separated string whose parts are the items.
    text: Option<(String, &'a str)>,
    bytes: usize,
}

impl<'a> Names<'a> {
    pub(super) const fn new(nested: NestedGroupBehavior) -> Self {
        Self {
            nested,
            items: Vec::new(),
            text: None,
            bytes: 0,
        }
    }

    /// Reads the value of a singular path: an array of strings, or a comma-separated string.
    pub(super) fn read_singular(&mut self, location: String, value: &'a Value) -> ClaimFinding {
        match value {
            Value::Array(elements) => {
                self.list(&location, elements)
                    .err()
                    .unwrap_or(ClaimFinding::Array {
                        location,
                        len: elements.len(),
                    })
            }
            Value::String(text) => {
                self.text = Some((location.clone(), text));
                for (index, part) in comma_parts(text).enumerate() {
                    if let Err(fault) =
                        self.push(element_location(&location, index), ItemValue::Name(part))
                    {
                        return fault;
                    }
                }
                ClaimFinding::CommaList {
                    location,
                    parts: self.items.len(),
                }
            }
            other => ClaimFinding::WrongType {
                location,
                found: type_name(other),
            },
        }
    }

    /// Reads the nodes of a non-singular path: arrays of strings, and strings, which are not split.
    pub(super) fn read_union(&mut self, nodes: Vec<Node<'a>>) -> ClaimFinding {
        let count = nodes.len();
        let mut first_fault = None;
        for Node { location, value } in nodes {
            let fault = match value {
                Value::Array(elements) => self.list(&location, elements).err(),
                Value::String(_) => self.push(location, ItemValue::from(value)).err(),
                other => {
                    let fault = ClaimFinding::WrongType {
                        location: location.clone(),
                        found: type_name(other),
                    };
                    Some(
                        self.push(location, ItemValue::from(other))
                            .err()
                            .unwrap_or(fault),
                    )
                }
            };
            if matches!(fault, Some(ClaimFinding::TooMany)) {
                return ClaimFinding::TooMany;
            }
            first_fault = first_fault.or(fault);
        }
        first_fault.unwrap_or(ClaimFinding::Union { nodes: count })
    }

    /// Adds the elements of an array. The error is about the first element that is not a string.
    fn list(&mut self, location: &str, elements: &'a [Value]) -> Result<(), ClaimFinding> {
        let mut fault = None;
        for (index, element) in elements.iter().enumerate() {
            let location = element_location(location, index);
            if fault.is_none() && !element.is_string() {
                fault = Some(ClaimFinding::NotString {
                    location: location.clone(),
                    found: type_name(element),
                });
            }
            self.push(location, ItemValue::from(element))?;
        }
        fault.map_or(Ok(()), Err)
    }

    /// Adds one element, within the limits.
    fn push(&mut self, location: String, value: ItemValue<'a>) -> Result<(), ClaimFinding> {
        if let ItemValue::Name(name) = value {
            self.bytes = self.bytes.saturating_add(name.len());
        }
        if self.items.len() >= MAX_ELEMENTS || self.bytes > MAX_NAME_BYTES {
            return Err(ClaimFinding::TooMany);
        }
        self.items.push(Item { location, value });
        Ok(())
    }

    /// The elements of a claim that is discarded because of elements that are not strings.
    pub(super) fn discarded(self, fault: DropCode) -> Vec<Element> {
        let element = |item: Item<'_>| {
            let (raw, code) = match item.value {
                ItemValue::Name(name) => (name.to_owned(), DropCode::ClaimDiscarded),
                ItemValue::Other(value) => (json::brief(value), fault),
            };
            Element {
                location: item.location,
                raw,
                outcome: ElementOutcome::Dropped { code },
            }
        };
        self.items.into_iter().map(element).collect()
    }

    /// The groups and the outcome of each element. Adds warnings about the names.
    pub(super) fn finish(self, warnings: &mut Vec<Warning>) -> (Vec<Group>, Vec<Element>) {
        let nested = self.nested;
        let empty = if self.text.is_some() {
            (DropCode::EmptyPart, WarningCode::EmptyPart)
        } else {
            (DropCode::EmptyName, WarningCode::EmptyName)
        };
        // The caller checked that all elements are strings.
        let raws: Vec<&str> = self
            .items
            .iter()
            .filter_map(|item| item.value.name())
            .collect();
        let names: Vec<&str> = raws.iter().map(|raw| nested.apply(raw)).collect();
        let (first_raws, first_names) = (first_equals(&raws), first_equals(&names));
        let mut groups: Vec<Group> = Vec::new();
        // The index of each element's group.
        let mut group_indexes: Vec<usize> = Vec::with_capacity(names.len());
        let mut elements = Vec::with_capacity(names.len());
        let mut tally = Tally::default();
        for (index, ((Item { location, .. }, raw), name)) in
            self.items.iter().zip(raws).zip(names).enumerate()
        {
            let earlier = |first_equals: &[usize]| {
                first_equals
                    .get(index)
                    .copied()
                    .filter(|first| *first < index)
            };
            let group = earlier(&first_names).and_then(|first| group_indexes.get(first).copied());
            let outcome = if name.is_empty() {
                let suffix_empty = (DropCode::SuffixEmpty, WarningCode::SuffixEmpty);
                let (code, warning) = if raw.is_empty() { empty } else { suffix_empty };
                tally.add(warning, raw, location);
                ElementOutcome::Dropped { code }
            } else if let Some(group) = group.and_then(|group| groups.get_mut(group)) {
                if earlier(&first_raws).is_some() {
                    tally.add(WarningCode::DuplicateGroup, raw, location);
                }
                group.duplicates.push((raw.to_owned(), location.clone()));
                ElementOutcome::Duplicate {
                    group: name.to_owned(),
                }
            } else {
                if name.trim() != name {
                    tally.add(WarningCode::EdgeWhitespace, name, location);
                } else if name.chars().any(is_hidden) {
                    tally.add(WarningCode::HiddenCharacter, name, location);
                }
                if has_group_prefix(name) {
                    tally.add(WarningCode::GroupPrefix, name, location);
                }
                groups.push(Group {
                    name: name.to_owned(),
                    raw: raw.to_owned(),
                    location: location.clone(),
                    duplicates: Vec::new(),
                });
                ElementOutcome::Kept {
                    group: name.to_owned(),
                }
            };
            group_indexes.push(group.unwrap_or(groups.len().saturating_sub(1)));
            elements.push(Element {
                location: location.clone(),
                raw: raw.to_owned(),
                outcome,
            });
        }
        tally.report(warnings);
        warnings.extend(self.form());
        warnings.extend(groups.iter().filter_map(collision));
        (groups, elements)
    }

    /// The warning that the claim looks like a list in another form. Only a single value is read
    /// for that: names in an array may contain commas and blanks.
    fn form(&self) -> Option<Warning> {
        let (location, text) = match (&self.text, self.items.as_slice()) {
            (Some((location, text)), _) => (location, *text),
            (None, [item]) => (&item.location, item.value.name()?),
            (None, _) => return None,
        };
        let (code, what) = list_form(text, self.text.is_some())?;
        let message = format!(
            "`{location}` {what}; configure the identity provider to send an array of names"
        );
        Some(Warning::new(code, message, Some(location.clone())))
    }
}

/// The names after the first one.
const fn others(count: usize) -> &'static str {
    match count {
        1 => "",
        _ => " and others",
    }
}

/// Whether a name has the type that only its principal has, as in `Group:eng`.
fn has_group_prefix(name: &str) -> bool {
    name.get(..6)
        .is_some_and(|prefix| prefix.eq_ignore_ascii_case("group:"))
}

/// What a text is that may be a list of names in another form than an array or a comma-separated
/// string. `is_split` says whether the text was split at its commas.
fn list_form(text: &str, is_split: bool) -> Option<(WarningCode, &'static str)> {
    let text = text.trim().as_bytes();
    if text.first() == Some(&b'[') && text.last() == Some(&b']') {
        let what =
            "is a list written in one string, so brackets and quotation marks are in the names";
        return Some((WarningCode::EncodedList, what));
    }
    if text.contains(&b',') && text.split(|byte| *byte == b',').all(is_attribute) {
        let what = "is one distinguished name, which is split at its commas";
        return is_split.then_some((WarningCode::NameSplit, what));
    }
    let separators: &[u8] = if is_split { b";| " } else { b";|," };
    let is_list = text.iter().any(|byte| separators.contains(byte));
    let is_one = !is_split || !text.contains(&b',');
    (is_list && is_one).then_some((WarningCode::ListInName, "is one name that may be a list"))
}

/// Whether a text is one attribute of a distinguished name, such as `CN=eng` (RFC 4514 section 3).
fn is_attribute(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    let kind = text.iter().take_while(|byte| byte.is_ascii_alphanumeric());
    let length = kind.count();
    length > 0 && text.get(length) == Some(&b'=') && text.len() > length + 1
}

/// The names in a comma-separated string. They are trimmed as the platform does, of ASCII blanks
/// including vertical tab.
///
/// ```
/// use gbac_engine::groups::comma_parts;
/// assert!(comma_parts("eng, ops,").eq(["eng", "ops", ""]));
/// ```
pub fn comma_parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(',')
        .map(|part| part.trim_matches(|c| matches!(c, ' ' | '\t'..='\r')))
}

/// Counts problems of names by code, so that a claim with a million commas causes one warning, not
/// a million.
#[derive(Default)]
struct Tally<'a> {
    /// Sorted by code.
    problems: Vec<NameProblem<'a>>,
}

struct NameProblem<'a> {
    code: WarningCode,
    count: usize,
    /// The first name with the problem, and its location.
    name: &'a str,
    location: &'a str,
}

impl<'a> Tally<'a> {
    fn add(&mut self, code: WarningCode, name: &'a str, location: &'a str) {
        match self
            .problems
            .binary_search_by(|problem| problem.code.cmp(&code))
        {
            Ok(index) => {
                if let Some(problem) = self.problems.get_mut(index) {
                    problem.count += 1;
                }
            }
            Err(index) => self.problems.insert(
                index,
                NameProblem {
                    code,
                    count: 1,
                    name,
                    location,
                },
            ),
        }
    }

    fn report(&self, warnings: &mut Vec<Warning>) {
        let mut empty = None;
        for NameProblem {
            code,
            count,
            name,
            location,
        } in &self.problems
        {
            let name = quoted(name);
            let message = match (*code, *count) {
                (WarningCode::EmptyPart, 1) => {
                    "an empty part between the commas is dropped".to_owned()
                }
                (WarningCode::EmptyPart, count) => {
                    format!("{count} empty parts between the commas are dropped")
                }
                (WarningCode::EmptyName, 1) => "an empty name is dropped".to_owned(),
                (WarningCode::EmptyName, count) => format!("{count} empty names are dropped"),
                (WarningCode::SuffixEmpty, 1) => {
                    format!("nothing follows the last slash of {name}, so it is dropped")
                }
                (WarningCode::SuffixEmpty, count) => {
                    format!(
                        "nothing follows the last slash of {count} names, so they are dropped; {name} is the first"
                    )
                }
                (WarningCode::EdgeWhitespace, 1) => {
                    format!("{name} starts or ends with a space, which is part of the group's name")
                }
                (WarningCode::EdgeWhitespace, count) => {
                    format!(
                        "{count} names start or end with a space, which is part of the name; {name} is the first"
                    )
                }
                (WarningCode::GroupPrefix, count) => format!(
                    "in {name}{}, `Group:` is part of the name; configure the identity provider to send names without it",
                    others(count)
                ),
                (WarningCode::HiddenCharacter, count) => format!(
                    "in {name}{}, an invisible character is part of the name; remove it in the identity provider",
                    others(count)
                ),
                (_, 1) => format!("{name} is in the claim more than once"),
                (_, count) => {
                    format!("{count} elements repeat an earlier name; {name} is the first")
                }
            };
            if matches!(
                *code,
                WarningCode::EmptyPart | WarningCode::EmptyName | WarningCode::SuffixEmpty
            ) && empty.is_none()
            {
                empty = Some(*location);
            }
            warn(warnings, *code, message, Some((*location).to_owned()));
        }
        if let Some(location) = empty {
            let message = "brokers managed with `rpk` keep the empty group name: no role there may have an empty group member";
            warn(
                warnings,
                WarningCode::PlatformEmptyPart,
                message.to_owned(),
                Some(location.to_owned()),
            );
        }
    }
}

/// The warning about different names in the token that become the same group (D-10).
fn collision(group: &Group) -> Option<Warning> {
    let mut names = vec![group.raw.as_str()];
    let mut location = None;
    for (raw, raw_location) in &group.duplicates {
        if !names.contains(&raw.as_str()) {
            location = location.or(Some(raw_location));
            names.push(raw);
        }
        if names.len() > MAX_COLLISION_NAMES {
            break;
        }
    }
    let name = crate::claim_path::shortened(&group.name, 80);
    let (subject, rest) = match names.as_slice() {
        [] | [_] => return None,
        [first, second] => (
            format!("{} and {} both", quoted(first), quoted(second)),
            "other",
        ),
        names => {
            let others = if names.len() > MAX_COLLISION_NAMES {
                " and others"
            } else {
                ""
            };
            let quoted_names: Vec<String> = names
                .iter()
                .take(MAX_COLLISION_NAMES)
                .map(|name| quoted(name))
                .collect();
            (format!("{}{others} all", quoted_names.join(", ")), "others")
        }
    };
    let message =
        format!("{subject} become `Group:{name}`, and each gets the access of the {rest}");
    Some(Warning::new(
        WarningCode::SuffixCollision,
        message,
        location.cloned(),
    ))
}

/// The maximum number of names in a collision warning.
const MAX_COLLISION_NAMES: usize = 5;
