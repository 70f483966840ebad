//! API requests and the checks that each requires: one table for the Kafka API, Schema Registry and
//! HTTP Proxy.

mod fault;
mod recipe;
mod required_operations;
mod requirement;
mod resources;

use gbac_engine::Coded;
use gbac_engine::model::{CLUSTER_NAME, Dialect, Operation, ResourceType};
use strum::{IntoStaticStr, VariantArray, VariantNames};

pub use fault::{RequestError, RequestFault};
pub use recipe::{RECIPES, Recipe, RecipeParameter, RecipeStep, recipe};
pub use requirement::{RequiredCheck, Requirement};
pub use resources::ResourceNames;

use required_operations::CATALOG;

/// The APIs with group-based access control (specification 1.4).
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    IntoStaticStr,
    VariantArray,
    VariantNames,
)]
#[strum(serialize_all = "snake_case")]
pub enum Api {
    /// The Kafka API.
    Kafka,
    /// Schema Registry.
    SchemaRegistry,
    /// HTTP Proxy.
    HttpProxy,
}

impl Api {
    /// Every API, in the table's order.
    pub const ALL: &'static [Self] = <Self as VariantArray>::VARIANTS;

    /// The display name.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Kafka => "Kafka API",
            Self::SchemaRegistry => "Schema Registry",
            Self::HttpProxy => "HTTP Proxy",
        }
    }

    /// Parses the name in any letter case, with `_` or `-`.
    #[must_use]
    pub fn from_name(text: &str) -> Option<Self> {
        let folded = text.replace('-', "_");
        Self::ALL
            .iter()
            .copied()
            .find(|api| api.code().eq_ignore_ascii_case(&folded))
    }
}

/// Whether a request must name resources of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Presence {
    /// At least one name.
    Required,
    /// Any number of names.
    Optional,
    /// At least one name of one of the types with this presence.
    OneOf,
}

/// A resource type that a request accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParameterSpec {
    /// The type; its short name is [`kind_name`].
    pub kind: ResourceType,
    /// Whether it is required.
    pub presence: Presence,
}

/// The checks of a request, without the names of resources. The cluster and the registry have
/// exactly one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// The operation on every named resource of the type; no check if none is named.
    Each(Operation, ResourceType),
    /// The operation on at least one named resource of the type; no check if none is named.
    OneOf(Operation, ResourceType),
    /// The operation on at least one named resource of the type, or on any of the type if none is
    /// named (D-73).
    AnyOf(Operation, ResourceType),
    /// All of these; an empty list requires nothing.
    All(&'static [Rule]),
    /// At least one of these. Rules without named resources do not count; if none remains, the
    /// request is denied.
    Any(&'static [Rule]),
    /// The first rule if a resource of the type is named, else the second.
    IfNamed(ResourceType, &'static Rule, &'static Rule),
    /// The checks of these Kafka API requests, by their IDs, which HTTP Proxy sends as the caller.
    AsKafka(&'static [&'static str]),
}

/// A request: one row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestSpec {
    /// Its API.
    pub api: Api,
    /// A stable short name, unique within the API, such as `offset-commit` or
    /// `get-subject-versions`.
    pub id: &'static str,
    /// The name in the API's terms, such as `OffsetCommit` or `GET /subjects/{subject}/versions`.
    pub name: &'static str,
    /// Other names in clients and tools.
    pub aliases: &'static [&'static str],
    /// A short description.
    pub description: &'static str,
    /// The resource types that it accepts, in order.
    pub parameters: &'static [ParameterSpec],
    /// The checks that it requires.
    pub rule: Rule,
    /// Additional notes; may be empty.
    pub notes: &'static str,
    /// The ID of the request of which this row is a variant; otherwise its own ID.
    pub base: &'static str,
}

/// The short name of a resource type, such as `topic` or `transactional_id`; `group` is a consumer
/// group.
#[must_use]
pub fn kind_name(kind: ResourceType) -> &'static str {
    kind.spelling().audit
}

/// Parses the exact short name of a resource type.
#[must_use]
pub fn kind_from_name(text: &str) -> Option<ResourceType> {
    Dialect::Platform
        .resource_types()
        .iter()
        .copied()
        .find(|kind| kind_name(*kind) == text)
}

/// Whether requests never name this type because there is exactly one resource: the cluster and the
/// registry.
#[must_use]
pub const fn is_implied(kind: ResourceType) -> bool {
    matches!(kind, ResourceType::Cluster | ResourceType::Registry)
}

/// The whole table, by API, common requests first.
#[must_use]
pub const fn catalog() -> &'static [RequestSpec] {
    CATALOG
}

/// Finds a request by its ID, name or alias, in any letter case; path parameters may have any name.
///
/// ```
/// use gbac_analysis::requests::{Api, find};
/// assert_eq!(find(Api::Kafka, "offsetcommit").map(|r| r.id), Some("offset-commit"));
/// let list = find(Api::SchemaRegistry, "get /subjects/{s}/versions");
/// assert_eq!(list.map(|r| r.name), Some("GET /subjects/{subject}/versions"));
/// ```
#[must_use]
pub fn find(api: Api, name: &str) -> Option<&'static RequestSpec> {
    let mut rows = CATALOG.iter().filter(|row| row.api == api);
    // Tries the exact spelling first, which is much cheaper.
    rows.clone()
        .find(|row| row.id == name || row.name == name)
        .or_else(|| {
            let folded = fold(name);
            rows.find(|row| row.spellings().any(|spelling| fold(spelling) == folded))
        })
}

/// The requests of an API, or of all, whose ID, name or an alias contains this text; only that one
/// whose ID, name or alias it is, if there is one.
///
/// ```
/// use gbac_analysis::requests::{Api, search};
/// let ids = |text| search(Some(Api::Kafka), text).iter().map(|row| row.id).collect::<Vec<_>>();
/// assert_eq!(ids("offset-commit"), ["offset-commit"]);
/// assert!(ids("offset").len() > 3);
/// ```
#[must_use]
pub fn search(api: Option<Api>, text: &str) -> Vec<&'static RequestSpec> {
    let text = fold(text);
    let mut found = Vec::new();
    for row in CATALOG {
        if api.is_some_and(|api| api != row.api) {
            continue;
        }
        let spellings: Vec<String> = row.spellings().map(fold).collect();
        if spellings.contains(&text) {
            return vec![row];
        }
        if spellings.iter().any(|spelling| spelling.contains(&text)) {
            found.push(row);
        }
    }
    found
}

/// Expands a request to its checks.
///
/// The keys of `resources` are the short names of types ([`kind_name`]); a name may be any text,
/// including the empty one (D-27). The result is in normal form: no `All` directly in an `All`, no
/// `Any` in an `Any`, no list of one element, no duplicate checks.
///
/// # Errors
/// All errors at once: an unknown API or request; missing, unknown, implied or unaccepted types;
/// and empty lists.
///
/// ```
/// use gbac_analysis::requests::{ResourceNames, expand};
/// let names = |list: &[&str]| list.iter().map(|name| name.to_string()).collect::<Vec<_>>();
/// let resources = ResourceNames::from([
///     ("topic".to_string(), names(&["orders"])),
///     ("transactional_id".to_string(), names(&["payments-1"])),
/// ]);
/// let need = expand("kafka", "Produce", &resources)?;
/// assert_eq!(need.to_string(), "write on topic `orders` and write on transactional ID `payments-1`");
/// # Ok::<(), gbac_analysis::requests::RequestError>(())
/// ```
pub fn expand(
    api: &str,
    name: &str,
    resources: &ResourceNames,
) -> Result<Requirement, RequestError> {
    let mut faults = Vec::new();
    let row = match Api::from_name(api) {
        None => {
            faults.push(RequestFault::UnknownApi(api.into()));
            None
        }
        Some(api) => {
            let row = find(api, name);
            if row.is_none() {
                faults.push(fault::unknown_request(api, name));
            }
            row
        }
    };
    match row {
        Some(row) => row.expand(resources),
        None => {
            faults.extend(fault::of_kinds(resources));
            Err(RequestError::new(faults))
        }
    }
}

impl RequestSpec {
    const fn new(
        api: Api,
        id: &'static str,
        name: &'static str,
        description: &'static str,
        parameters: &'static [ParameterSpec],
        rule: Rule,
    ) -> Self {
        Self {
            api,
            id,
            name,
            aliases: &[],
            description,
            parameters,
            rule,
            notes: "",
            base: id,
        }
    }

    const fn with_aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    const fn note(mut self, notes: &'static str) -> Self {
        self.notes = notes;
        self
    }

    const fn variant_of(mut self, base: &'static str) -> Self {
        self.base = base;
        self
    }

    fn spellings(&self) -> impl Iterator<Item = &'static str> + use<> {
        [self.id, self.name]
            .into_iter()
            .chain(self.aliases.iter().copied())
    }

    /// The operation in audit events, such as `offset_commit`; a variant has that of its base.
    #[must_use]
    pub fn audit_operation(&self) -> String {
        self.base.replace('-', "_")
    }

    /// The required checks as text, without names.
    #[must_use]
    pub fn needs(&self) -> String {
        requirement::rule_text(&self.rule, self.parameters)
    }

    /// Expands this request to its checks, like [`expand`].
    ///
    /// # Errors
    /// All errors of `resources` at once.
    pub fn expand(&self, resources: &ResourceNames) -> Result<Requirement, RequestError> {
        let faults = fault::of_resources(self, resources);
        if !faults.is_empty() {
            return Err(RequestError::new(faults));
        }
        Ok(self
            .rule
            .fill(&Names(resources))
            .unwrap_or(Requirement::All(Vec::new())))
    }
}

/// The named resources of a request, by type.
struct Names<'a>(&'a ResourceNames);

impl Names<'_> {
    fn of_type(&self, kind: ResourceType) -> impl Iterator<Item = &str> {
        let implied = match kind {
            ResourceType::Cluster => Some(CLUSTER_NAME),
            ResourceType::Registry => Some(""),
            _ => None,
        };
        let names = if implied.is_some() {
            None
        } else {
            self.0.get(kind_name(kind))
        };
        implied
            .into_iter()
            .chain(names.into_iter().flatten().map(String::as_str))
    }

    fn checks(&self, operation: Operation, kind: ResourceType) -> Vec<Requirement> {
        self.of_type(kind)
            .map(|name| {
                Requirement::Check(RequiredCheck {
                    operation,
                    resource_type: kind,
                    resource_name: Some(name.into()),
                })
            })
            .collect()
    }
}

impl Rule {
    /// Inserts the names; `None` if the request names no resource of the rule.
    fn fill(&self, names: &Names<'_>) -> Option<Requirement> {
        match self {
            Self::Each(operation, kind) => {
                let checks = names.checks(*operation, *kind);
                (!checks.is_empty()).then(|| Requirement::all(checks))
            }
            Self::OneOf(operation, kind) => {
                let checks = names.checks(*operation, *kind);
                (!checks.is_empty()).then(|| Requirement::any(checks))
            }
            Self::AnyOf(operation, kind) => {
                let mut checks = names.checks(*operation, *kind);
                if checks.is_empty() {
                    checks.push(Requirement::Check(RequiredCheck {
                        operation: *operation,
                        resource_type: *kind,
                        resource_name: None,
                    }));
                }
                Some(Requirement::any(checks))
            }
            Self::All(rules) => {
                let parts: Vec<Requirement> =
                    rules.iter().filter_map(|rule| rule.fill(names)).collect();
                (rules.is_empty() || !parts.is_empty()).then(|| Requirement::all(parts))
            }
            // Without alternatives, an empty `Any` denies the request.
            Self::Any(rules) => Some(Requirement::any(
                rules.iter().filter_map(|rule| rule.fill(names)).collect(),
            )),
            Self::IfNamed(kind, then, otherwise) => {
                if names.of_type(*kind).next().is_some() {
                    then.fill(names)
                } else {
                    otherwise.fill(names)
                }
            }
            Self::AsKafka(ids) => {
                let parts: Vec<Requirement> = ids
                    .iter()
                    .filter_map(|id| match find(Api::Kafka, id) {
                        Some(row) => row.rule.fill(names),
                        None => Some(Requirement::Any(Vec::new())),
                    })
                    .collect();
                (!parts.is_empty()).then(|| Requirement::all(parts))
            }
        }
    }
}

/// Normalizes a name: letter case, surrounding whitespace, `_` for `-`, the names of path
/// parameters.
fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut in_parameter = false;
    for c in text.trim().chars() {
        match c {
            '{' => {
                in_parameter = true;
                folded.push(c);
            }
            '}' => {
                in_parameter = false;
                folded.push(c);
            }
            _ if in_parameter => {}
            '_' => folded.push('-'),
            _ => folded.push(c.to_ascii_lowercase()),
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_names_and_aliases_are_unique_within_an_api() {
        for api in Api::ALL {
            let mut seen = std::collections::BTreeMap::new();
            for row in catalog().iter().filter(|row| row.api == *api) {
                for spelling in row.spellings() {
                    let before = seen.insert(fold(spelling), row.id);
                    assert!(
                        before.is_none_or(|id| id == row.id),
                        "`{spelling}` of {} and {before:?}",
                        row.id
                    );
                    assert_eq!(find(*api, spelling), Some(row));
                    assert_eq!(find(*api, &spelling.to_ascii_uppercase()), Some(row));
                }
                assert!(
                    row.id.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'),
                    "{}",
                    row.id
                );
            }
        }
    }

    #[test]
    fn every_row_is_complete() {
        for row in catalog() {
            assert!(
                !row.description.is_empty() && !row.description.ends_with('.'),
                "{}",
                row.id
            );
            assert!(
                find(row.api, row.base).is_some_and(|base| base.base == base.id),
                "{}",
                row.id
            );
            let mut used = Vec::new();
            kinds_of(&row.rule, &mut used);
            let missing = |kind: ResourceType| {
                !is_implied(kind)
                    && !row
                        .parameters
                        .iter()
                        .any(|parameter| parameter.kind == kind)
            };
            for kind in used.iter().filter(|kind| missing(**kind)) {
                // An endpoint of HTTP Proxy need not accept the optional types of a Kafka API
                // request.
                assert!(
                    row.api == Api::HttpProxy && optional(&row.rule, *kind),
                    "{} uses {}",
                    row.id,
                    kind_name(*kind)
                );
            }
            for parameter in row.parameters {
                assert!(!is_implied(parameter.kind), "{}", row.id);
                let checked = used.contains(&parameter.kind);
                assert!(
                    checked || !row.notes.is_empty(),
                    "{} accepts an unused {}",
                    row.id,
                    kind_name(parameter.kind)
                );
            }
        }
    }

    fn optional(rule: &Rule, kind: ResourceType) -> bool {
        let Rule::AsKafka(ids) = rule else {
            return false;
        };
        let mut rows = ids.iter().map(|id| find(Api::Kafka, id).unwrap());
        rows.all(|row| {
            row.parameters
                .iter()
                .all(|parameter| parameter.kind != kind || parameter.presence != Presence::Required)
        })
    }

    fn kinds_of(rule: &Rule, used: &mut Vec<ResourceType>) {
        match rule {
            Rule::Each(_, kind) | Rule::OneOf(_, kind) | Rule::AnyOf(_, kind) => used.push(*kind),
            Rule::All(rules) | Rule::Any(rules) => {
                rules.iter().for_each(|rule| kinds_of(rule, used));
            }
            Rule::IfNamed(kind, then, otherwise) => {
                used.push(*kind);
                kinds_of(then, used);
                kinds_of(otherwise, used);
            }
            Rule::AsKafka(ids) => {
                for id in *ids {
                    kinds_of(&find(Api::Kafka, id).unwrap().rule, used);
                }
            }
        }
    }

    #[test]
    fn normalizes_spellings() {
        assert_eq!(fold(" GET /a/{x_y}/B_c "), "get /a/{}/b-c");
        assert_eq!(fold("{unclosed"), "{");
        assert_eq!(find(Api::Kafka, ""), None);
        assert_eq!(Api::from_name("Schema-Registry"), Some(Api::SchemaRegistry));
        assert_eq!(Api::from_name("kafka "), None);
    }
}
