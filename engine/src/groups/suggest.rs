//! Suggests claim paths that select names in a document.

use serde_json::{Map, Value};

use crate::claim_path::{MAX_PATH_BYTES, push_name};
use crate::claims::ClaimSet;
use crate::order::sort;
use crate::text::holds;

/// A suggested claim path.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Suggestion {
    /// The path, in the syntax of [`crate::claim_path::ClaimPath::parse`].
    pub path: String,
    /// The first names that it selects, at most three.
    pub sample: Vec<String>,
    /// The number of names that it selects.
    pub count: usize,
}

/// The maximum number of suggestions.
const MAX_SUGGESTIONS: usize = 20;
/// The maximum number of names in a sample.
const SAMPLE: usize = 3;
/// The limits of the search.
const MAX_DEPTH: usize = 32;
const MAX_MEMBERS: usize = 10_000;

/// Claims of RFC 7519 and OpenID Connect that may have lists or commas, but never groups, and the
/// links of an overage.
const NEVER: &[&str] = &[
    "aud",
    "iss",
    "sub",
    "jti",
    "azp",
    "amr",
    "acr",
    "scp",
    "scope",
    "name",
    "given_name",
    "family_name",
    "middle_name",
    "nickname",
    "preferred_username",
    "email",
    "address",
    "birthdate",
    "zoneinfo",
    "locale",
    "picture",
    "profile",
    "website",
    "allowed-origins",
    "x5c",
    "cnf",
    "_claim_names",
    "_claim_sources",
];
/// Members with the name of an object in a list of groups.
const NAMES: &[&str] = &["name", "displayName", "display", "value"];
/// Claims that may contain a single group as a string without commas.
const SINGLE: &[&str] = &[
    "group", "groups", "role", "roles", "team", "teams", "memberof",
];
/// Parts of the names of claims with groups, the most likely first.
const NAME_PARTS: &[&str] = &["group", "member", "role", "team"];

/// Suggests paths to arrays of strings, comma-separated strings, and arrays of objects with a name.
/// Claims whose names suggest groups come first. At most 20 paths, each within the limits of claim
/// paths.
///
/// ```
/// use gbac_engine::ClaimSet;
/// use gbac_engine::groups::suggest_paths;
///
/// let claims = ClaimSet::parse(r#"{ "sub": "alice", "realm_access": { "roles": ["ops", "dev"] } }"#)?;
/// let suggestions = suggest_paths(&claims);
/// assert_eq!((suggestions[0].path.as_str(), suggestions[0].count), ("$.realm_access.roles", 2));
/// # Ok::<(), gbac_engine::ClaimSetError>(())
/// ```
#[must_use]
pub fn suggest_paths(document: &ClaimSet) -> Vec<Suggestion> {
    suggest_in(document.members())
}

pub(super) fn suggest_in(document: &Map<String, Value>) -> Vec<Suggestion> {
    let mut search = Search {
        path: String::from("$"),
        suggestions: Vec::new(),
        members: 0,
    };
    search.object(document, 0);
    sort(&mut search.suggestions, |a, b| a.0.cmp(&b.0));
    search
        .suggestions
        .into_iter()
        .map(|(_, suggestion)| suggestion)
        .take(MAX_SUGGESTIONS)
        .collect()
}

struct Search {
    path: String,
    /// The suggestions, with sort keys: the likelihood of the claim's name, then the form of the
    /// value.
    suggestions: Vec<((usize, u8), Suggestion)>,
    members: usize,
}

impl Search {
    fn object(&mut self, members: &Map<String, Value>, depth: usize) {
        for (name, value) in members {
            self.members += 1;
            if depth > MAX_DEPTH || self.members > MAX_MEMBERS {
                return;
            }
            if NEVER.contains(&name.as_str()) {
                continue;
            }
            let before = self.path.len();
            push_name(&mut self.path, name);
            if self.path.len() <= MAX_PATH_BYTES {
                self.value(name, value, depth);
            }
            self.path.truncate(before);
        }
    }

    fn value(&mut self, name: &str, value: &Value, depth: usize) {
        match value {
            Value::Object(members) => self.object(members, depth + 1),
            Value::Array(elements) => {
                if let Some(names) = strings(elements, None) {
                    self.push(name, 1, &names, "");
                    return;
                }
                let named = NAMES
                    .iter()
                    .find_map(|member| Some((member, strings(elements, Some(member))?)));
                if let Some((member, names)) = named {
                    self.push(name, 2, &names, &format!("[*].{member}"));
                }
            }
            Value::String(text) => {
                let names: Vec<&str> = text
                    .split(',')
                    .map(str::trim)
                    .filter(|part| !part.is_empty())
                    .collect();
                let single =
                    SINGLE.contains(&name.to_ascii_lowercase().as_str()) && names.len() == 1;
                if single || (names.len() > 1 && !text.starts_with(['{', '['])) {
                    self.push(name, 3, &names, "");
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn push(&mut self, name: &str, form: u8, names: &[&str], steps: &str) {
        let path = format!("{}{steps}", self.path);
        if path.len() > MAX_PATH_BYTES {
            return;
        }
        let lower = name.to_ascii_lowercase();
        let rank = NAME_PARTS
            .iter()
            .position(|part| holds(&lower, part))
            .unwrap_or(NAME_PARTS.len());
        let sample = names
            .iter()
            .take(SAMPLE)
            .map(|name| (*name).to_owned())
            .collect();
        self.suggestions.push((
            (rank, form),
            Suggestion {
                path,
                sample,
                count: names.len(),
            },
        ));
    }
}

/// The elements, or this member of each; `None` if any of them is not a string, or if there are
/// none.
fn strings<'a>(elements: &'a [Value], member: Option<&str>) -> Option<Vec<&'a str>> {
    let mut names = Vec::new();
    for element in elements {
        let value = match member {
            Some(member) => element.get(member)?,
            None => element,
        };
        names.push(value.as_str()?);
    }
    (!names.is_empty()).then_some(names)
}
