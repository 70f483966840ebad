//! Claim paths: the JSON path that says where in a token the groups are (specification 2.2, 2.3, D-11).
//!
//! The language is RFC 9535 without `match` and `search`; a dotted name may also hold `-` and `:`, which is read as its
//! bracket form. Parsing is linear in the text, evaluation is bounded: neither a path nor a document can make it hang.

mod fault;
mod filter;
mod scan;
mod select;
mod spell;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde_json::{Map, Value};

pub use fault::ClaimPathError;
use filter::{Segment, Selector};
use spell::{Element, is_dotted_name, spell};
pub(crate) use spell::{element_location, push_name, shortened};

/// The longest path, in bytes (D-11).
pub const MAX_PATH_BYTES: usize = 512;
/// How many descendant segments (`..`) a path may have, those in filters included (D-11).
pub const MAX_DESCENDANT_SEGMENTS: usize = 4;
/// How many brackets and parentheses may be open at once.
pub const MAX_NESTING: usize = 32;
/// How many function calls may be open at once.
pub const MAX_FUNCTION_NESTING: usize = 4;
/// How many nodes a path that is not singular may select, in its last step and in each before: ten times what the
/// largest token that we promise to read (10,000 groups) holds.
pub const MAX_NODES: usize = 100_000;
/// How many nodes the evaluation of a path that is not singular may visit. A token of 1 MiB has at most 400,000.
pub const MAX_VISITS: usize = 1_000_000;
/// The longest spelling of a location, in bytes; what is longer (a claim's name of hundreds of characters) is shortened
/// in the middle, so that the trace of a hostile token stays small.
pub const MAX_LOCATION_BYTES: usize = 400;
/// How deep a document may be for a path that is not singular. Documents that were parsed have at most 128 levels.
const MAX_DOCUMENT_DEPTH: usize = 192;

/// A claim path: parsed once, used for any number of tokens, cheap to copy. Two paths are equal when their texts are.
#[derive(Debug, Clone)]
pub struct ClaimPath(Arc<Parsed>);

#[derive(Debug)]
struct Parsed {
    text: String,
    segments: Vec<Segment>,
}

/// A value that a path selected, and where it is: `groups`, `realm_access.roles[0]`, `['https://x/groups'][2]`; `$` is
/// the document itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Node<'a> {
    /// Where, spelled for people: the path from the document, without the leading `$` or `$.`.
    pub location: String,
    /// What.
    pub value: &'a Value,
}

/// The path selects or visits more than [`MAX_NODES`] or [`MAX_VISITS`] nodes of this document; nothing was selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyNodes(());

error_codes! {
    pub TooManyNodes {
        _ => "too_many_nodes",
    }
}

impl TooManyNodes {
    /// What to do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        "name the claim step by step, as in `$.realm_access.roles`"
    }
}

impl fmt::Display for TooManyNodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the claim path selects more than {MAX_NODES} or visits more than {MAX_VISITS} nodes of this document"
        )
    }
}

impl std::error::Error for TooManyNodes {}

/// How far a singular path leads into a document.
pub(crate) enum Reached<'a> {
    /// To its end.
    Found(Node<'a>),
    /// To a value that does not have the next step.
    Stopped {
        /// The last value that is there; `None` is the document itself.
        at: Option<Node<'a>>,
        /// The step that it does not have, spelled as in a location.
        step: String,
        /// The step's name, when it is one.
        name: Option<String>,
    },
}

impl ClaimPath {
    /// The text of the path that leads through members of these names, from the document inwards.
    ///
    /// ```
    /// use gbac_engine::claim_path::ClaimPath;
    ///
    /// assert_eq!(ClaimPath::text_to(["realm_access", "roles"]), "$.realm_access.roles");
    /// assert_eq!(ClaimPath::text_to(["https://x/groups"]), "$['https://x/groups']");
    /// ```
    #[must_use]
    pub fn text_to<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
        names.into_iter().fold("$".to_owned(), |mut text, name| {
            push_name(&mut text, name);
            text
        })
    }

    /// Reads a path.
    ///
    /// # Errors
    /// Says where the text stops being a claim path and what to do: anything that RFC 9535 refuses, `match` and
    /// `search`, a text over [`MAX_PATH_BYTES`], more than [`MAX_DESCENDANT_SEGMENTS`] `..`, more nesting than
    /// [`MAX_NESTING`] or [`MAX_FUNCTION_NESTING`], and a dotted name that begins with a typographic quotation mark.
    pub fn parse(text: &str) -> Result<Self, ClaimPathError> {
        let segments = scan::scan(text)?;
        Ok(Self(Arc::new(Parsed { text: text.to_owned(), segments })))
    }

    /// The path as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0.text
    }

    /// Whether the path is singular in the sense of RFC 9535: names and single indexes only, so one node at most.
    #[must_use]
    pub fn is_singular(&self) -> bool {
        filter::singular(&self.0.segments).is_some()
    }

    /// Whether the platform of today reads the path too: `$.` and dotted names, nothing else (D-29).
    #[must_use]
    pub fn is_platform(&self) -> bool {
        self.0.text.strip_prefix("$.").is_some_and(|names| names.split('.').all(is_dotted_name))
    }

    /// The nodes that the path selects in a document, in the order of RFC 9535; none when there is nothing there.
    ///
    /// # Errors
    /// A path that is not singular is refused where it would select or visit too much; see [`MAX_NODES`] and
    /// [`MAX_VISITS`].
    #[doc(hidden)]
    pub fn select<'a>(&self, root: &'a Value) -> Result<Vec<Node<'a>>, TooManyNodes> {
        select::select(&self.0.segments, root)
    }

    /// Follows a singular path with at least one step; `None` for any other.
    pub(crate) fn follow<'a>(&self, document: &'a Map<String, Value>) -> Option<Reached<'a>> {
        let mut location = Vec::new();
        let mut value: Option<&'a Value> = None;
        for step in filter::singular(&self.0.segments)? {
            let next = match (step, value) {
                (Selector::Name(name), None) => document.get_key_value(name).map(named),
                (Selector::Name(name), Some(Value::Object(members))) => members.get_key_value(name).map(named),
                (Selector::Index(index), Some(Value::Array(elements))) => {
                    element(elements, *index).map(|(at, value)| (Element::Index(at), value))
                }
                _ => None,
            };
            let Some((element, found)) = next else {
                let at = value.map(|value| Node { location: spell(&location), value });
                let (step, name) = match step {
                    Selector::Name(name) => (spell(&[Element::Name(name)]), Some(name.clone())),
                    Selector::Index(index) => (format!("[{index}]"), None),
                    Selector::Wildcard | Selector::Slice(_) | Selector::Filter(_) => return None,
                };
                return Some(Reached::Stopped { at, step, name });
            };
            location.push(element);
            value = Some(found);
        }
        value.map(|value| Reached::Found(Node { location: spell(&location), value }))
    }

    /// The first name in the path: the claim that it is about, when it says so.
    pub(crate) fn first_name(&self) -> Option<&str> {
        match self.0.segments.first()?.selectors.as_slice() {
            [Selector::Name(name)] => Some(name),
            _ => None,
        }
    }
}

fn named<'a>((name, value): (&'a String, &'a Value)) -> (Element<'a>, &'a Value) {
    (Element::Name(name), value)
}

/// The element at an index, which counts from the end when it is negative.
fn element(elements: &[Value], index: i64) -> Option<(usize, &Value)> {
    let at = match usize::try_from(index) {
        Ok(at) => at,
        Err(_) => elements.len().checked_sub(usize::try_from(index.unsigned_abs()).ok()?)?,
    };
    elements.get(at).map(|value| (at, value))
}

impl Default for ClaimPath {
    /// `$.groups` (specification 2.2).
    fn default() -> Self {
        // Not parsed: a program that starts would compile the parser for it. A test parses it.
        let groups = Segment { descendant: false, selectors: vec![Selector::Name("groups".to_owned())] };
        Self(Arc::new(Parsed { text: "$.groups".to_owned(), segments: vec![groups] }))
    }
}

impl PartialEq for ClaimPath {
    fn eq(&self, other: &Self) -> bool {
        self.0.text == other.0.text
    }
}

impl Eq for ClaimPath {}

impl fmt::Display for ClaimPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)
    }
}

impl FromStr for ClaimPath {
    type Err = ClaimPathError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_default_is_the_platforms() {
        let parsed = ClaimPath::parse("$.groups").expect("a path");
        assert_eq!(format!("{:?}", ClaimPath::default()), format!("{parsed:?}"));
    }

    #[test]
    fn locations_are_spelled_for_people_and_stay_short() {
        let document = json!({"a": {"b-c": [{"x y": 1}]}, "it's": [2], "n".repeat(1_000): {"n".repeat(1_000): 3}});
        let path = ClaimPath::parse("$..*").expect("a path");
        let nodes = path.select(&document).expect("a small document");
        let locations: Vec<String> = nodes.into_iter().map(|node| node.location).collect();
        assert_eq!(locations[..3], ["a", "['it\\'s']", &*shortened(&"n".repeat(1_000), 200)]);
        assert_eq!(locations[3..6], ["a.b-c", "a.b-c[0]", "a.b-c[0]['x y']"]);
        assert!(locations.iter().all(|location| location.len() <= MAX_LOCATION_BYTES));
    }

    fn document() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![Just(json!(1)), Just(json!("x")), Just(json!(null))];
        leaf.prop_recursive(4, 30, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
                prop::collection::btree_map("[abc]", inner, 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    fn steps(all: &'static [&'static str]) -> impl Strategy<Value = String> {
        prop::collection::vec(prop::sample::select(all), 1..5).prop_map(|steps| format!("${}", steps.concat()))
    }

    proptest! {
        #[test]
        fn following_a_path_is_selecting(
            text in steps(&[".a", "['b']", "[0]", "[-1]", "[2]", ".c"]),
            document in document(),
        ) {
            let path = ClaimPath::parse(&text).expect("a path");
            prop_assert!(path.is_singular());
            let selected = path.select(&document).expect("a singular path");
            if let Value::Object(members) = &document {
                let reached = match path.follow(members).expect("a singular path") {
                    Reached::Found(node) => vec![node],
                    Reached::Stopped { .. } => vec![],
                };
                prop_assert_eq!(reached, selected);
            }
        }

        /// The crate is another reading of RFC 9535.
        #[test]
        fn selects_what_another_implementation_selects(
            text in steps(&[
                ".a", "[*]", "..b", "..*", "[0,'a']", "[1:]", "[::-1]", "[-1]", "[-2:5:2]", "[?@.a]", "[?@.b!=$.a]",
                "[?count(@.*)>1]", "[?length(@.a)<=length(@.b)]", "[?!@.a&&(@.b||@.c==1)]", "[?value(@..c)==null]",
            ]),
            document in document(),
        ) {
            let Ok(path) = ClaimPath::parse(&text) else { return Ok(()) };
            let theirs = jsonpath_rfc9535::JsonPath::parse(&text).expect("a path").query(&document);
            let theirs: Vec<*const Value> = theirs.iter().map(|node| std::ptr::from_ref(node.value())).collect();
            let ours = path.select(&document).expect("a small document");
            let ours: Vec<*const Value> = ours.iter().map(|node| std::ptr::from_ref(node.value)).collect();
            prop_assert_eq!(ours, theirs, "{}", text);
        }
    }
}
