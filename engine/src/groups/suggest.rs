//! Claim paths that would find names in a document: for the one who does not know where the groups are.

use serde_json::{Map, Value};

use crate::claim_path::{MAX_PATH_BYTES, push_name};
use crate::claims::ClaimSet;
use crate::order::sort;
use crate::text::holds;

/// A claim path that finds names.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Suggestion {
    /// The path, as [`crate::claim_path::ClaimPath::parse`] reads it.
    pub path: String,
    /// The first names that it finds, three at most.
    pub sample: Vec<String>,
    /// How many it finds.
    pub count: usize,
}

/// How many paths are proposed at most.
const MAX_SUGGESTIONS: usize = 20;
/// How many names a sample has.
const SAMPLE: usize = 3;
/// How deep and how far the search looks.
const MAX_DEPTH: usize = 32;
const MAX_MEMBERS: usize = 10_000;

/// Claims of RFC 7519 and OpenID Connect that hold lists or commas, and never groups; and the links of an overage.
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
/// Members by which an object in a list of groups is named.
const NAMES: &[&str] = &["name", "displayName", "display", "value"];
/// Names of claims that hold groups even when they hold one.
const SINGLE: &[&str] = &["group", "groups", "role", "roles", "team", "teams", "memberof"];
/// What the name of a claim with groups has in it, the likeliest first.
const SOUNDS: &[&str] = &["group", "member", "role", "team"];

/// Paths in a document that hold arrays of strings, comma-separated strings, or arrays of objects with a name. Those
/// whose name sounds like groups come first, the likeliest before the others. At most 20, each within the limits of a claim path.
#[must_use]
pub fn suggest_paths(document: &ClaimSet) -> Vec<Suggestion> {
    suggest_in(document.members())
}

pub(super) fn suggest_in(document: &Map<String, Value>) -> Vec<Suggestion> {
    let mut search = Search { path: String::from("$"), found: Vec::new(), members: 0 };
    search.object(document, 0);
    sort(&mut search.found, |a, b| a.0.cmp(&b.0));
    search.found.into_iter().map(|(_, suggestion)| suggestion).take(MAX_SUGGESTIONS).collect()
}

struct Search {
    path: String,
    /// With how much the name sounds like groups, and how its names are kept.
    found: Vec<((usize, u8), Suggestion)>,
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
                let named = NAMES.iter().find_map(|member| Some((member, strings(elements, Some(member))?)));
                if let Some((member, names)) = named {
                    self.push(name, 2, &names, &format!("[*].{member}"));
                }
            }
            Value::String(text) => {
                let names: Vec<&str> = text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
                let single = SINGLE.contains(&name.to_ascii_lowercase().as_str()) && names.len() == 1;
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
        let sound = SOUNDS.iter().position(|word| holds(&lower, word)).unwrap_or(SOUNDS.len());
        let sample = names.iter().take(SAMPLE).map(|name| (*name).to_owned()).collect();
        self.found.push(((sound, form), Suggestion { path, sample, count: names.len() }));
    }
}

/// The elements, or what each has as this member: when these are strings, and there is one at least.
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
