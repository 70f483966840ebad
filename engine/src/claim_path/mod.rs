//! Claim paths: JSON paths to the groups in a token (specification 2.2, 2.3, D-11).
//!
//! The language is RFC 9535 without functions and descendant segments (`..`). Dotted names may also
//! contain `-` and `:`, as quoted names may. Parsing takes time linear in the text, and evaluation
//! is limited, so that no path or document can make it hang.

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

/// The maximum length of a path, in bytes (D-11).
pub const MAX_PATH_BYTES: usize = 512;
/// The maximum nesting of brackets and parentheses.
pub const MAX_NESTING: usize = 32;
/// The maximum number of nodes that each step of a non-singular path may select: ten times the
/// 10,000 groups that a supported token may have.
pub const MAX_NODES: usize = 100_000;
/// The maximum number of nodes that the evaluation of a non-singular path may visit. A token of 1
/// MiB has at most 400,000.
pub const MAX_VISITS: usize = 1_000_000;
/// The maximum length of a location, in bytes. Longer ones are shortened in the middle, so that
/// tokens with very long claim names do not make the output large.
pub const MAX_LOCATION_BYTES: usize = 400;
/// The maximum depth of a value that a filter compares. Parsed documents have at most 128
/// levels.
const MAX_DOCUMENT_DEPTH: usize = 192;

/// A parsed claim path, cheap to clone. Paths are equal if their texts are.
#[derive(Debug, Clone)]
pub struct ClaimPath(Arc<Parsed>);

#[derive(Debug)]
struct Parsed {
    text: String,
    segments: Vec<Segment>,
}

/// A selected value with its location, such as `groups`, `realm_access.roles[0]` or
/// `['https://x/groups'][2]`; `$` is the document itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Node<'a> {
    /// The path from the document, without the leading `$` or `$.`.
    pub location: String,
    /// The value.
    pub value: &'a Value,
}

/// The path selects more than [`MAX_NODES`] or visits more than [`MAX_VISITS`] nodes of a document,
/// so nothing is selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyNodes(());

codes! {
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

/// The result of following a singular path.
pub(crate) enum FollowResult<'a> {
    /// The selected node.
    Found(Node<'a>),
    /// A step of the path does not exist.
    Stopped {
        /// The node before the missing step; `None` if it is the document itself.
        at: Option<Node<'a>>,
        /// The missing step, as in a location.
        step: String,
        /// The name of the missing step; `None` if it is an index.
        name: Option<String>,
    },
}

impl ClaimPath {
    /// Returns the path to a member: the names of the members on the way, from the document
    /// inwards.
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

    /// Parses a path.
    ///
    /// # Errors
    /// The text is not valid under RFC 9535, uses a function or `..`, has a dotted name that begins
    /// with a typographic quotation mark, or exceeds [`MAX_PATH_BYTES`] or [`MAX_NESTING`]. The
    /// error has the offset and says what to do.
    ///
    /// ```
    /// use gbac_engine::claim_path::ClaimPath;
    ///
    /// let path = ClaimPath::parse("$.realm_access.roles")?;
    /// assert!(path.is_singular());
    /// assert!(!ClaimPath::parse("$.teams[*].name")?.is_singular());
    /// assert!(ClaimPath::parse("realm_access.roles").is_err());
    /// # Ok::<(), gbac_engine::claim_path::ClaimPathError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, ClaimPathError> {
        let segments = scan::scan(text)?;
        Ok(Self(Arc::new(Parsed {
            text: text.to_owned(),
            segments,
        })))
    }

    /// The path's text, unchanged.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0.text
    }

    /// Whether the path is singular (RFC 9535): only names and single indexes, so that it selects
    /// at most one node.
    #[must_use]
    pub fn is_singular(&self) -> bool {
        filter::singular(&self.0.segments).is_some()
    }

    /// Whether version 26.1 of the platform accepts the path: only `$.` and dotted names (D-29).
    #[must_use]
    pub fn is_platform(&self) -> bool {
        self.0
            .text
            .strip_prefix("$.")
            .is_some_and(|names| names.split('.').all(is_dotted_name))
    }

    /// The nodes that the path selects in a document, in the order of RFC 9535.
    ///
    /// # Errors
    /// A non-singular path exceeds [`MAX_NODES`] or [`MAX_VISITS`].
    ///
    /// ```
    /// use gbac_engine::claim_path::ClaimPath;
    ///
    /// let claims = gbac_engine::json::parse(r#"{ "realms": [{ "roles": "ops" }, { "roles": "dev" }] }"#)?;
    /// let nodes = ClaimPath::parse("$.realms[*].roles")?.select(&claims)?;
    /// assert_eq!((nodes[1].location.as_str(), nodes[1].value.as_str()), ("realms[1].roles", Some("dev")));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn select<'a>(&self, root: &'a Value) -> Result<Vec<Node<'a>>, TooManyNodes> {
        select::select(&self.0.segments, root)
    }

    /// Follows a singular path with at least one step; `None` for other paths.
    pub(crate) fn follow<'a>(&self, document: &'a Map<String, Value>) -> Option<FollowResult<'a>> {
        let mut location = Vec::new();
        let mut value: Option<&'a Value> = None;
        for step in filter::singular(&self.0.segments)? {
            let next = match (step, value) {
                (Selector::Name(name), None) => document.get_key_value(name).map(named),
                (Selector::Name(name), Some(Value::Object(members))) => {
                    members.get_key_value(name).map(named)
                }
                (Selector::Index(index), Some(Value::Array(elements))) => {
                    element(elements, *index).map(|(at, value)| (Element::Index(at), value))
                }
                _ => None,
            };
            let Some((element, next_value)) = next else {
                let at = value.map(|value| Node {
                    location: spell(&location),
                    value,
                });
                let (step, name) = match step {
                    Selector::Name(name) => (spell(&[Element::Name(name)]), Some(name.clone())),
                    Selector::Index(index) => (format!("[{index}]"), None),
                    Selector::Wildcard | Selector::Slice(_) | Selector::Filter(_) => return None,
                };
                return Some(FollowResult::Stopped { at, step, name });
            };
            location.push(element);
            value = Some(next_value);
        }
        value.map(|value| {
            FollowResult::Found(Node {
                location: spell(&location),
                value,
            })
        })
    }

    /// Whether the path ends at a value without members or elements, where it names one. Only steps
    /// before the first one with several results count.
    pub(crate) fn ends_at_wrong_type(&self, document: &Map<String, Value>) -> bool {
        let mut at: Option<&Value> = None;
        for segment in &self.0.segments {
            at = match (segment.as_slice(), at) {
                ([Selector::Name(name)], None) => document.get(name),
                ([Selector::Name(name)], Some(Value::Object(members))) => members.get(name),
                ([Selector::Index(index)], Some(Value::Array(elements))) => {
                    element(elements, *index).map(|(_, value)| value)
                }
                ([Selector::Name(_) | Selector::Index(_)], Some(_)) => return true,
                (_, Some(value)) => return !value.is_object() && !value.is_array(),
                (_, None) => return false,
            };
            if at.is_none() {
                return false;
            }
        }
        false
    }

    /// The name of the first step: the top-level claim; `None` if the first step is not a single
    /// name.
    pub(crate) fn first_name(&self) -> Option<&str> {
        match self.0.segments.first()?.as_slice() {
            [Selector::Name(name)] => Some(name),
            _ => None,
        }
    }
}

fn named<'a>((name, value): (&'a String, &'a Value)) -> (Element<'a>, &'a Value) {
    (Element::Name(name), value)
}

/// The element at an index, with its index from the start. A negative index counts from the end.
fn element(elements: &[Value], index: i64) -> Option<(usize, &Value)> {
    let at = match usize::try_from(index) {
        Ok(at) => at,
        Err(_) => elements
            .len()
            .checked_sub(usize::try_from(index.unsigned_abs()).ok()?)?,
    };
    elements.get(at).map(|value| (at, value))
}

impl Default for ClaimPath {
    /// `$.groups` (specification 2.2).
    fn default() -> Self {
        // Not parsed, so that wasm engines do not compile the parser at startup. A test compares it
        // with the parsed path.
        Self(Arc::new(Parsed {
            text: "$.groups".to_owned(),
            segments: vec![vec![Selector::Name("groups".to_owned())]],
        }))
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
    fn locations_are_readable_and_short() {
        let document = json!({"a": {"b-c": [{"x y": 1}]}, "it's": [2], "n".repeat(1_000): {"n".repeat(1_000): 3}});
        let mut locations = Vec::new();
        for text in ["$.*", "$.a.*", "$.a['b-c'].*", "$.a['b-c'][0].*", "$.*.*"] {
            let path = ClaimPath::parse(text).expect("a path");
            let nodes = path.select(&document).expect("a small document");
            locations.extend(nodes.into_iter().map(|node| node.location));
        }
        assert_eq!(
            locations[..3],
            ["a", "['it\\'s']", &*shortened(&"n".repeat(1_000), 200)]
        );
        assert_eq!(locations[3..6], ["a.b-c", "a.b-c[0]", "a.b-c[0]['x y']"]);
        assert!(
            locations
                .iter()
                .all(|location| location.len() <= MAX_LOCATION_BYTES)
        );
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
        prop::collection::vec(prop::sample::select(all), 1..5)
            .prop_map(|steps| format!("${}", steps.concat()))
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
                    FollowResult::Found(node) => vec![node],
                    FollowResult::Stopped { .. } => vec![],
                };
                prop_assert_eq!(reached, selected);
            }
        }

        #[test]
        fn selects_what_another_implementation_selects(
            text in steps(&[
                ".a", "[*]", ".b", ".*", "[0,'a']", "[1:]", "[::-1]", "[-1]", "[-2:5:2]", "[?@.a]", "[?@.b!=$.a]",
                "[?@.*]", "[?@.a<=@.b]", "[?!@.a&&(@.b||@.c==1)]", "[?@.c==null]",
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
