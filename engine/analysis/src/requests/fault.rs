//! The errors of API requests, all reported at once.

use std::fmt;

use super::{
    Api, CATALOG, Presence, RequestSpec, ResourceNames, find, fold, is_implied, kind_from_name,
    kind_name,
};
use gbac_engine::Coded;
use gbac_engine::code::merged;
use gbac_engine::escape::escaped;
use gbac_engine::model::{Dialect, ResourceType};

/// The most characters of a text that are compared with the table's names.
const MAX_COMPARED: usize = 96;
/// The most similar names in an error.
const MAX_NEAREST: usize = 3;

/// One error of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestFault {
    /// No API has this name.
    UnknownApi(String),
    /// The API has no request of this name.
    UnknownRequest {
        /// The API of the request.
        api: Api,
        /// The unknown name.
        name: String,
        /// The most similar names of this API, best first.
        nearest: Vec<&'static str>,
        /// Another API that has this request.
        elsewhere: Option<Api>,
    },
    /// A key of the resources that is not a resource type.
    UnknownKind(String),
    /// The cluster or the registry, which have no name in requests.
    Implied(&'static str),
    /// A type that this request does not accept.
    NotAccepted {
        /// The request's name.
        request: &'static str,
        /// The type.
        kind: String,
        /// The types that it accepts.
        accepts: Vec<&'static str>,
    },
    /// A type with an empty list of names.
    EmptyList(String),
    /// A required type is missing.
    Missing {
        /// The request's name.
        request: &'static str,
        /// The missing type.
        kind: &'static str,
    },
    /// All types are missing of which one is required.
    MissingOneOf {
        /// The request's name.
        request: &'static str,
        /// The types.
        kinds: Vec<&'static str>,
    },
}

gbac_engine::codes! {
    pub RequestFault {
        Self::UnknownApi(_) => "unknown_api",
        Self::UnknownRequest { .. } => "unknown_request",
        Self::UnknownKind(_) => "unknown_resource",
        Self::Implied(_) => "resource_implied",
        Self::NotAccepted { .. } => "resource_unsupported",
        Self::EmptyList(_) => "resource_list_empty",
        Self::Missing { .. } | Self::MissingOneOf { .. } => "resource_missing",
    }
}

impl RequestFault {
    /// The invalid member of the request: `api`, `name`, `resources` or `resources.<kind>`.
    #[must_use]
    pub fn path(&self) -> String {
        match self {
            Self::UnknownApi(_) => "api".into(),
            Self::UnknownRequest { .. } => "name".into(),
            Self::UnknownKind(kind) | Self::EmptyList(kind) | Self::NotAccepted { kind, .. } => {
                format!("resources.{kind}")
            }
            Self::Implied(kind) | Self::Missing { kind, .. } => format!("resources.{kind}"),
            Self::MissingOneOf { .. } => "resources".into(),
        }
    }

    /// The recommended correction.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::UnknownApi(_) => {
                format!(
                    "write {}",
                    or_list(&Api::ALL.iter().map(|api| api.code()).collect::<Vec<_>>())
                )
            }
            Self::UnknownRequest {
                elsewhere: Some(api),
                ..
            } => format!("it is a request of `{}`", api.code()),
            Self::UnknownRequest { nearest, .. } if !nearest.is_empty() => {
                format!("did you mean {}?", or_list(nearest))
            }
            Self::UnknownRequest { api, .. } => {
                format!("see the requests of `{}` in the catalog", api.code())
            }
            Self::UnknownKind(_) => {
                let kinds = Dialect::Platform
                    .resource_types()
                    .iter()
                    .filter(|kind| !is_implied(**kind));
                format!(
                    "resources are {}",
                    or_list(&kinds.map(|kind| kind_name(*kind)).collect::<Vec<_>>())
                )
            }
            Self::Implied(_) => "remove it; there is only one".into(),
            Self::NotAccepted { accepts, .. } if accepts.is_empty() => {
                "remove it; this request has no resources".into()
            }
            Self::NotAccepted { accepts, .. } => format!("it accepts {}", or_list(accepts)),
            Self::EmptyList(_) => "add at least one name, or remove the list".into(),
            Self::Missing { kind, .. } => format!("add `{kind}` with at least one name"),
            Self::MissingOneOf { kinds, .. } => format!("add {}", or_list(kinds)),
        }
    }
}

impl fmt::Display for RequestFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownApi(text) => write!(f, "`{}` is not an API", escaped(text)),
            Self::UnknownRequest { api, name, .. } => {
                write!(
                    f,
                    "`{}` is not a request of `{}`",
                    escaped(name),
                    api.code()
                )
            }
            Self::UnknownKind(text) => write!(f, "`{}` is not a kind of resource", escaped(text)),
            Self::Implied(kind) => {
                write!(f, "the resource `{kind}` is implied and cannot be named")
            }
            Self::NotAccepted { request, kind, .. } => {
                write!(
                    f,
                    "`{request}` does not accept the resource `{}`",
                    escaped(kind)
                )
            }
            Self::EmptyList(kind) => write!(f, "the list of `{}` is empty", escaped(kind)),
            Self::Missing { request, kind } => write!(f, "`{request}` needs the resource `{kind}`"),
            Self::MissingOneOf { request, kinds } => {
                write!(f, "`{request}` needs the resource {}", or_list(kinds))
            }
        }
    }
}

/// All errors of one request; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestError {
    faults: Vec<RequestFault>,
}

impl RequestError {
    pub(super) const fn new(faults: Vec<RequestFault>) -> Self {
        Self { faults }
    }

    /// The errors: of the API, of the request, of its resources by key, then missing resources.
    #[must_use]
    pub fn faults(&self) -> &[RequestFault] {
        &self.faults
    }

    /// The stable code of the first error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self.faults.as_slice().first() {
            Some(fault) => fault.code(),
            None => INVALID,
        }
    }
}

/// The code of an error without details, which never occurs.
const INVALID: &str = "request_invalid";

impl Coded for RequestError {
    fn code(&self) -> &'static str {
        Self::code(self)
    }

    fn codes() -> Vec<&'static str> {
        merged(&[INVALID], &[RequestFault::codes])
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.faults.iter().enumerate() {
            if index > 0 {
                f.write_str("; ")?;
            }
            fault.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for RequestError {}

/// The error of an unknown name, with similar names.
pub(super) fn unknown_request(api: Api, name: &str) -> RequestFault {
    let elsewhere = Api::ALL
        .iter()
        .copied()
        .find(|other| *other != api && find(*other, name).is_some());
    RequestFault::UnknownRequest {
        api,
        name: name.into(),
        nearest: nearest(api, name),
        elsewhere,
    }
}

/// Errors of the resources that are independent of the request.
pub(super) fn of_kinds(resources: &ResourceNames) -> Vec<RequestFault> {
    let mut faults = Vec::new();
    for (key, names) in resources.iter() {
        match kind_from_name(key) {
            None => faults.push(RequestFault::UnknownKind(key.into())),
            Some(kind) if is_implied(kind) => faults.push(RequestFault::Implied(kind_name(kind))),
            Some(_) if names.is_empty() => faults.push(RequestFault::EmptyList(key.into())),
            Some(_) => {}
        }
    }
    faults
}

/// All errors of the resources of a known request.
pub(super) fn of_resources(row: &RequestSpec, resources: &ResourceNames) -> Vec<RequestFault> {
    let mut faults = of_kinds(resources);
    for (key, _) in resources.iter() {
        if let Some(kind) = kind_from_name(key)
            && !is_implied(kind)
            && !row
                .parameters
                .iter()
                .any(|parameter| parameter.kind == kind)
        {
            let accepts = row
                .parameters
                .iter()
                .map(|parameter| kind_name(parameter.kind))
                .collect();
            // An unaccepted type has one error, even if its list is empty.
            faults.retain(|fault| *fault != RequestFault::EmptyList(key.into()));
            faults.push(RequestFault::NotAccepted {
                request: row.name,
                kind: key.into(),
                accepts,
            });
        }
    }
    let absent = |kind: ResourceType| resources.get(kind_name(kind)).is_none();
    for parameter in row
        .parameters
        .iter()
        .filter(|parameter| parameter.presence == Presence::Required)
    {
        if absent(parameter.kind) {
            faults.push(RequestFault::Missing {
                request: row.name,
                kind: kind_name(parameter.kind),
            });
        }
    }
    let choices: Vec<ResourceType> = row
        .parameters
        .iter()
        .filter(|parameter| parameter.presence == Presence::OneOf)
        .map(|parameter| parameter.kind)
        .collect();
    if !choices.is_empty() && choices.iter().all(|kind| absent(*kind)) {
        let kinds = choices.into_iter().map(kind_name).collect();
        faults.push(RequestFault::MissingOneOf {
            request: row.name,
            kinds,
        });
    }
    faults
}

/// The names of an API that are most similar to a text: those that contain it, then those within a
/// few edits.
fn nearest(api: Api, name: &str) -> Vec<&'static str> {
    let characters: Vec<char> = fold(name).chars().take(MAX_COMPARED).collect();
    if characters.is_empty() {
        return Vec::new();
    }
    let text: String = characters.iter().collect();
    let mut ranked: Vec<(usize, &'static str)> = Vec::new();
    for row in CATALOG.iter().filter(|row| row.api == api) {
        let distances = row.spellings().map(fold).map(|spelling| {
            match characters.len() >= 4 && spelling.contains(&text) {
                true => 1,
                false => distance(&characters, &spelling.chars().collect::<Vec<_>>()),
            }
        });
        if let Some(best) = distances.min()
            && best <= (characters.len() / 3).max(2)
        {
            let place = ranked.partition_point(|(rank, _)| *rank <= best);
            ranked.insert(place, (best, row.name));
            ranked.truncate(MAX_NEAREST);
        }
    }
    ranked.into_iter().map(|(_, name)| name).collect()
}

/// The number of single-character edits that turn one text into the other (Levenshtein distance).
fn distance(from: &[char], to: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut left = i + 1;
        let mut next = Vec::with_capacity(row.len());
        next.push(left);
        for (b, pair) in to.iter().zip(row.windows(2)) {
            let (diagonal, above) = match pair {
                [diagonal, above] => (*diagonal, *above),
                _ => break,
            };
            left = (diagonal + usize::from(a != b))
                .min(above + 1)
                .min(left + 1);
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or(from.len())
}

/// `` `a`, `b` or `c` ``.
fn or_list(items: &[&str]) -> String {
    let quoted: Vec<String> = items.iter().map(|item| format!("`{item}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} or {last}", before.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_edits() {
        let d = |a: &str, b: &str| {
            distance(
                &a.chars().collect::<Vec<_>>(),
                &b.chars().collect::<Vec<_>>(),
            )
        };
        assert_eq!(
            (d("", ""), d("", "ab"), d("ab", ""), d("kitten", "sitting")),
            (0, 2, 2, 3)
        );
        assert_eq!((d("produce", "produce"), d("prodcue", "produce")), (0, 2));
    }

    #[test]
    fn lists_are_joined_with_or() {
        assert_eq!(or_list(&["a"]), "`a`");
        assert_eq!(or_list(&["a", "b", "c"]), "`a`, `b` or `c`");
        assert_eq!(or_list(&[]), "");
    }

    #[test]
    fn nearest_is_bounded_and_ordered() {
        assert_eq!(nearest(Api::Kafka, "Prodcue"), ["Produce"]);
        assert_eq!(nearest(Api::Kafka, "OffsetComit"), ["OffsetCommit"]);
        assert_eq!(nearest(Api::Kafka, &"x".repeat(100_000)), [""; 0]);
        assert_eq!(nearest(Api::Kafka, ""), [""; 0]);
        let subjects = [
            "GET /subjects",
            "GET /subjects/{subject}/versions",
            "GET /subjects/{subject}/versions/{version}",
        ];
        assert_eq!(nearest(Api::SchemaRegistry, "GET /subject"), subjects);
    }
}
