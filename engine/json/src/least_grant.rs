//! Writes the smallest changes that would allow denied requests.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
#[cfg(feature = "typescript")]
use ts_rs::TS;

use super::acl::AclJson;
use super::analysis::{AclMatchJson, strings};
use super::code::Code;
use super::decision::DecisionJson;
use gbac_analysis::{Breadth, LeastGrant};

/// The smallest changes that would allow denied requests.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "LeastGrant", optional_fields)
)]
#[cfg_attr(
    feature = "schema",
    derive(JsonSchema),
    schemars(rename = "LeastGrant")
)]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeastGrantJson {
    /// The current decision on each request.
    pub decisions: Vec<DecisionJson>,
    /// The denies, which grants cannot override.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>"))]
    pub denied_by: Vec<AclMatchJson>,
    /// The smallest sets of groups and roles that would allow the requests, each principal as
    /// `Type:name`.
    #[cfg_attr(
        feature = "typescript",
        ts(as = "Vec<Vec<crate::literal::AclPrincipal>>")
    )]
    pub memberships_to_add: Vec<Vec<String>>,
    /// How much each of `memberships_to_add` opens, in the same order.
    pub breadth: Vec<Code<Breadth>>,
    /// Whether `memberships_to_add` contains all of the smallest sets.
    pub memberships_complete: bool,
    /// The narrowest new ACLs that would allow the requests.
    pub acls_to_add: Vec<AclJson>,
}

impl From<&LeastGrant> for LeastGrantJson {
    fn from(least: &LeastGrant) -> Self {
        Self {
            decisions: least.decisions.iter().map(DecisionJson::from).collect(),
            denied_by: least.denied_by.iter().map(AclMatchJson::from).collect(),
            memberships_to_add: least
                .memberships_to_add
                .iter()
                .map(|set| strings(set))
                .collect(),
            breadth: least
                .openings
                .iter()
                .filter_map(|opening| opening.breadth().map(Code::from))
                .collect(),
            memberships_complete: least.complete,
            acls_to_add: least.acls.iter().map(AclJson::from).collect(),
        }
    }
}
