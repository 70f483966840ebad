//! Diagnoses missing groups: the probable reason, alternatives in the token, and what to do (D-12,
//! specification limitation 1).

use serde_json::{Map, Value};

use super::suggest::{Suggestion, suggest_in};
use super::{ClaimSource, MissingReason, quoted};
use crate::claim_path::{Node, push_name};
use crate::text::{holds, lower, split_last};
use crate::warning::{Warning, WarningCode, warn};

/// The input of a diagnosis.
pub(super) struct Diagnosis<'a> {
    pub(super) source: &'a ClaimSource,
    pub(super) document: &'a Map<String, Value>,
}

/// The maximum number of paths that a warning suggests.
const MAX_PATHS: usize = 3;

impl Diagnosis<'_> {
    /// Warns that a singular path ends early, because `at` has no `step`.
    pub(super) fn stopped(
        &self,
        at: Option<&Node<'_>>,
        step: &str,
        name: Option<&str>,
        warnings: &mut Vec<Warning>,
    ) -> MissingReason {
        let mut message = format!(
            "the {} has no claim at `{}`",
            self.subject(),
            self.source.path()
        );
        let (parent, members) = match at {
            None => ("$", Some(self.document)),
            Some(Node {
                location,
                value: Value::Object(members),
            }) => {
                message.push_str(&format!(": `{location}` has no `{step}`"));
                (location.as_str(), Some(members))
            }
            Some(Node { location, value }) => {
                message.push_str(&format!(
                    ": `{location}` is {}, so it has no `{step}`",
                    described(super::type_name(value))
                ));
                (location.as_str(), None)
            }
        };
        warn(warnings, WarningCode::ClaimMissing, message, None);
        let near = name.and_then(|name| near_name(members?, name));
        if let (Some(near), Some(name)) = (near, name) {
            let mut path = root_path(parent);
            push_name(&mut path, near);
            let message = format!(
                "`{path}` is there: {} and {} differ by letter case, and names are compared letter by letter",
                quoted(near),
                quoted(name)
            );
            warn(
                warnings,
                WarningCode::NearClaim,
                message,
                Some(location_of(&path)),
            );
        }
        self.missing(near.is_none(), warnings)
    }

    /// Warns that a non-singular path selects nothing.
    pub(super) fn nothing_selected(&self, warnings: &mut Vec<Warning>) -> MissingReason {
        let message = format!(
            "`{}` selects nothing in the {}",
            self.source.path(),
            self.subject()
        );
        warn(warnings, WarningCode::ClaimMissing, message, None);
        self.missing(true, warnings)
    }

    /// Warns about the probable reasons for a missing claim.
    fn missing(&self, suggest: bool, warnings: &mut Vec<Warning>) -> MissingReason {
        if let Some(warning) = self.overage() {
            warnings.push(warning);
            return MissingReason::Overage;
        }
        if suggest {
            self.suggest("$", warnings);
        }
        if warnings
            .iter()
            .any(|warning| warning.code == WarningCode::IdToken)
            || self.id_token(true, warnings)
        {
            return MissingReason::IdToken;
        }
        MissingReason::Absent
    }

    /// Warns that the claim, or a node of a union, is neither an array nor a string.
    pub(super) fn wrong_type(&self, location: &str, found: &str, warnings: &mut Vec<Warning>) {
        let value_type = described(found);
        let mut message = if location == "$" {
            format!(
                "the claim path selects the whole {}, not a list of names",
                self.subject()
            )
        } else if self.source.path().is_singular() {
            format!("`{location}` is {value_type}, not a list of names")
        } else {
            format!(
                "`{location}` is {value_type}, neither a name nor a list, so the whole selection is discarded"
            )
        };
        let suggestions = if found == "object" {
            self.suggestions_below(&root_path(location))
        } else {
            Vec::new()
        };
        if found == "object" && suggestions.is_empty() {
            // For example, tokens of Zitadel have roles as the names of members.
            message.push_str("; a claim path selects values, never the names of members, so configure the identity provider to send an array of names");
        }
        warn(
            warnings,
            WarningCode::ClaimWrongType,
            message,
            Some(location.to_owned()),
        );
        near_paths(&suggestions, warnings);
    }

    /// Warns that an array has an element that is not a string.
    pub(super) fn not_string(&self, location: &str, found: &str, warnings: &mut Vec<Warning>) {
        let value_type = described(found);
        let message = format!(
            "`{location}` is {value_type}, and a list with anything but strings is discarded"
        );
        warn(
            warnings,
            WarningCode::ElementNotString,
            message,
            Some(location.to_owned()),
        );
        if found == "object" {
            let list = split_last(location, b'[').map_or(location, |(list, _)| list);
            let suggestions = self.suggestions_below(&format!("{}[*]", root_path(list)));
            near_paths(&suggestions, warnings);
        }
    }

    /// Warns if the token looks like an ID token. `nonce` alone is a sign only if the groups are
    /// missing, because some providers also put it into access tokens.
    pub(super) fn id_token(&self, missing: bool, warnings: &mut Vec<Warning>) -> bool {
        if matches!(self.source, ClaimSource::UserInfo(_)) {
            return false;
        }
        let has = |name: &str, value: &str| {
            self.document
                .get(name)
                .and_then(Value::as_str)
                .is_some_and(|claim| claim.eq_ignore_ascii_case(value))
        };
        if has("typ", "Bearer") || has("token_use", "access") {
            return false;
        }
        let mut signs: Vec<&str> = ["at_hash", "c_hash"]
            .into_iter()
            .filter(|name| self.document.contains_key(*name))
            .collect();
        signs.extend(has("typ", "ID").then_some("typ"));
        signs.extend(has("token_use", "id").then_some("token_use"));
        signs.extend((missing && self.document.contains_key("nonce")).then_some("nonce"));
        let Some(first) = signs.first().copied() else {
            return false;
        };
        let signs = signs
            .iter()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(", ");
        let message = format!(
            "this looks like an ID token ({signs}), but groups are read from the access token"
        );
        warn(
            warnings,
            WarningCode::IdToken,
            message,
            Some(first.to_owned()),
        );
        true
    }

    /// The warning that the token has a link instead of the list, or is marked as having more
    /// groups than fit.
    fn overage(&self) -> Option<Warning> {
        let claim = self.source.path().first_name().unwrap_or("groups");
        if matches!(self.source, ClaimSource::UserInfo(_)) || self.document.contains_key(claim) {
            return None;
        }
        let advice =
            "configure the identity provider to send only the groups assigned to the application";
        let names = self.document.get("_claim_names").and_then(Value::as_object);
        let linked = [claim, "groups"]
            .into_iter()
            .find_map(|name| Some((name, names?.get(name)?)));
        if let Some((name, source)) = linked {
            let sources = self.document.get("_claim_sources");
            let endpoint = source
                .as_str()
                .and_then(|source| sources?.get(source)?.get("endpoint")?.as_str());
            let link = endpoint.map_or_else(|| "`_claim_sources`".to_owned(), quoted);
            let message = format!(
                "too many groups: the token has a link instead of {}: {link}; {advice}",
                quoted(name)
            );
            let mut location = String::from("_claim_names");
            push_name(&mut location, name);
            return Some(Warning::new(
                WarningCode::GroupOverage,
                message,
                Some(location),
            ));
        }
        if names.is_none() && self.document.contains_key("_claim_sources") {
            let message =
                format!("the token has links instead of claims (`_claim_sources`); {advice}");
            return Some(Warning::new(
                WarningCode::GroupOverage,
                message,
                Some("_claim_sources".to_owned()),
            ));
        }
        self.has_more_groups().then(|| {
            let message = format!(
                "`hasgroups` means that the user has more groups than fit into the token; {advice}"
            );
            Warning::new(
                WarningCode::GroupOverage,
                message,
                Some("hasgroups".to_owned()),
            )
        })
    }

    /// Whether `hasgroups` says that the user has groups that are not in the token.
    fn has_more_groups(&self) -> bool {
        match self.document.get("hasgroups") {
            Some(Value::Bool(flag)) => *flag,
            Some(Value::String(flag)) => flag.eq_ignore_ascii_case("true"),
            _ => false,
        }
    }

    /// Whether the provider left out the claim that the path begins with, because it is too long.
    /// An overage of another claim says nothing about this one.
    pub(super) fn is_withheld(&self) -> bool {
        let claim = self.source.path().first_name();
        if matches!(self.source, ClaimSource::UserInfo(_))
            || claim.is_some_and(|name| self.document.contains_key(name))
        {
            return false;
        }
        let is_linked = match self.document.get("_claim_names") {
            Some(Value::Object(names)) => {
                claim.map_or(!names.is_empty(), |name| names.contains_key(name))
            }
            Some(_) => true,
            None => self.document.contains_key("_claim_sources"),
        };
        is_linked || self.has_more_groups() && claim.is_none_or(|name| name == "groups")
    }

    /// Warns about paths below `parent` that select names.
    fn suggest(&self, parent: &str, warnings: &mut Vec<Warning>) {
        near_paths(&self.suggestions_below(parent), warnings);
    }

    fn suggestions_below(&self, parent: &str) -> Vec<Suggestion> {
        let is_below = |path: &str| {
            path.strip_prefix(parent)
                .is_some_and(|rest| rest.starts_with(['.', '[']))
        };
        let mut suggestions = suggest_in(self.document);
        suggestions.retain(|suggestion| is_below(&suggestion.path));
        suggestions
    }

    const fn subject(&self) -> &'static str {
        match self.source {
            ClaimSource::Token(_) => "token",
            ClaimSource::UserInfo(_) => "user-info document",
        }
    }
}

/// Adds a warning that lists the suggested paths.
fn near_paths(suggestions: &[Suggestion], warnings: &mut Vec<Warning>) {
    let Some(first) = suggestions.first() else {
        return;
    };
    let paths: Vec<String> = suggestions
        .iter()
        .take(MAX_PATHS)
        .map(|suggestion| {
            let sample = suggestion
                .sample
                .first()
                .map_or(String::new(), |name| quoted(name));
            let more = if suggestion.count > 1 {
                format!(" and {} more", suggestion.count - 1)
            } else {
                String::new()
            };
            format!("`{}` ({sample}{more})", suggestion.path)
        })
        .collect();
    let more = if suggestions.len() > MAX_PATHS {
        " and others"
    } else {
        ""
    };
    let message = format!("names are at {}{more}", paths.join(", "));
    let location = Some(location_of(&first.path)).filter(|location| !holds(location, "[*]"));
    warn(warnings, WarningCode::NearClaim, message, location);
}

/// The name of a member that differs from `name` only in letter case.
fn near_name<'a>(members: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    let folded = lower(name);
    members
        .keys()
        .map(String::as_str)
        .find(|member| lower(member) == folded)
}

/// The claim path that selects a location.
fn root_path(location: &str) -> String {
    match location {
        "$" => "$".to_owned(),
        location if location.starts_with('[') => format!("${location}"),
        location => format!("$.{location}"),
    }
}

/// The location that a claim path selects.
fn location_of(path: &str) -> String {
    let path = path.strip_prefix('$').unwrap_or(path);
    path.strip_prefix('.').unwrap_or(path).to_owned()
}

const fn article(type_name: &str) -> &'static str {
    match type_name.as_bytes().first() {
        Some(b'o' | b'a') => "an",
        _ => "a",
    }
}

/// A JSON type with its article: `an object`, `null`.
#[must_use]
pub fn described(type_name: &str) -> String {
    if type_name == "null" {
        type_name.to_owned()
    } else {
        format!("{} {type_name}", article(type_name))
    }
}
