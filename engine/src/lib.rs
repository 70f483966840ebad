//! Decides group-based access for streaming platforms: from a token to its groups to a decision, with the reasons.
//!
//! The engine is pure: values in, values out, no clock, disk, network, thread or random numbers.
//!
//! ```text
//! token text ─▶ claims ─▶ groups ─▶ identity ─┐
//!                                             ├─▶ decide ─▶ decision + explanation
//! ACLs, roles, settings ─▶ policy ─▶ index ───┘
//! ```

#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)
)]

pub mod claim_path;
mod claims;
pub mod decide;
pub mod escape;
pub mod groups;
mod hash;
pub mod identity;
pub mod json;
pub mod mapping;
pub mod model;
mod name;
pub mod near;
mod order;
pub mod policy;
mod resolve;
mod text;
pub mod token;
#[cfg(feature = "verify")]
pub mod verify;
pub mod warning;

pub use claims::{ClaimSet, ClaimSetError};
pub use resolve::{ResolveError, ResolvedIdentity, Subject, TokenVerifier, resolve};

/// What `gbac-analysis` and `gbac-json` share with this crate: the index of a policy, sorting, strict JSON.
///
/// It is not part of the public API and may change in any release.
#[doc(hidden)]
pub mod internal {
    use serde_json::{Map, Value};

    pub use crate::claim_path::Node;
    pub use crate::escape::visible;
    pub use crate::groups::comma_parts;
    pub use crate::identity::Expiry;
    pub use crate::json::{brief, parse, quote};
    pub use crate::model::normalized_name;
    pub use crate::order::{firsts, run, sort};
    pub use crate::policy::{AclParts, HostId, Operations, Pattern, PatternId, PrincipalId, Row, rows_of};
    pub use crate::text::equal;
    pub use crate::token::{Fact, claim_checks};

    /// The members of a JSON object as a set of claims.
    #[must_use]
    pub const fn claim_set(members: Map<String, Value>) -> crate::ClaimSet {
        crate::ClaimSet(members)
    }

    /// A set of claims as the members of a JSON object.
    #[must_use]
    pub const fn members(claims: &crate::ClaimSet) -> &Map<String, Value> {
        claims.members()
    }
}
