//! Decides group-based access for streaming platforms such as Apache Kafka: extracts the groups
//! from a token, and decides requests with reasons.
//!
//! A [`Policy`] consists of ACLs, roles and settings. An [`Identity`] is a user with groups, named
//! directly or read from the claims of a token. [`decide()`] returns the [`Decision`] on a
//! [`Request`]; [`explain()`] adds the ACLs that matched and the near misses.
//!
//! ```text
//! token text ─▶ claims ─▶ groups ─▶ identity ─┐
//!                                             ├─▶ decide ─▶ decision + explanation
//! ACLs, roles, settings ─▶ policy ─▶ index ───┘
//! ```
//!
//! The engine is pure: it uses no clock, disk, network or threads, and no result depends on random
//! numbers. The time is an argument ([`At`]). Input that cannot be read is an error or is denied.
//!
//! # A decision in five minutes
//!
//! ```
//! use gbac_engine::{
//!     Acl, At, Identity, Operation, Outcome, Policy, PreparedIdentity, Principal, Request, ResourceType, Subject, decide,
//!     explain, resolve,
//! };
//!
//! // 1. A policy: analysts can read every topic whose name starts with `orders-`, but nobody can read `orders-secret`.
//! let policy = Policy::builder()
//!     .acl(Acl::allow(Principal::group("analysts"), Operation::Read, ResourceType::Topic, "orders-").prefixed())
//!     .acl(Acl::deny(Principal::user("*"), Operation::Read, ResourceType::Topic, "orders-secret"))
//!     .build()?;
//!
//! // 2. An identity, here with names; `Subject` also accepts claims and tokens.
//! let alice = Identity::new("alice", ["analysts"]);
//!
//! // 3. A decision at a point in time.
//! let now = At::seconds(1_800_000_000.0);
//! let request = Request::new(Operation::Read, ResourceType::Topic, "orders-eu", now);
//! assert_eq!(decide(&policy, &alice, &request).outcome, Outcome::Allow);
//!
//! // 4. The reasons.
//! let request = Request::new(Operation::Read, ResourceType::Topic, "orders-secret", now);
//! let explanation = explain(&policy, &alice, &request);
//! assert_eq!(explanation.decision.outcome, Outcome::Deny);
//! assert_eq!(explanation.candidates.len(), 2);
//!
//! // 5. Many requests of one identity: its principals are looked up once.
//! let mut alice = PreparedIdentity::new(&policy, alice);
//! let topics = ["orders-eu", "orders-us", "payments"];
//! assert_eq!(alice.filter(&policy, Operation::Read, ResourceType::Topic, topics, None, now), ["orders-eu", "orders-us"]);
//!
//! // Unverified claims, for trying out a policy: `exp` counts, and the decision is marked as unverified.
//! let subject = Subject::Claims {
//!     claims: gbac_engine::ClaimSet::parse(r#"{ "sub": "bob", "groups": ["analysts"], "exp": 1700000000 }"#)?,
//!     userinfo: None,
//! };
//! let bob = resolve(&policy, &subject, None)?;
//! assert!(bob.identity.is_expired(now));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The other crates
//!
//! - `gbac-json` reads and writes JSON: policy documents, checks and results.
//! - `gbac-analysis` analyzes whole policies: effective access, effects of changes, findings.
//!
//! Analyses of your own read the rows of a policy: module [`policy::index`].
//!
//! # Features
//!
//! - `verify`: verifies the signatures of tokens with a JSON Web Key Set (module `verify`).

#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]
#![cfg_attr(docsrs, feature(doc_cfg))]

// First, because the other modules use its macros.
#[macro_use]
#[doc(hidden)]
pub mod code;

pub mod assumption;
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
pub mod order;
pub mod policy;
mod resolve;
mod text;
mod time;
pub mod token;
#[cfg(feature = "verify")]
pub mod verify;
pub mod warning;

pub use assumption::{Assumption, Assumptions};
pub use claims::{ClaimSet, ClaimSetError};
pub use code::Coded;
pub use decide::{
    AccessPath, Candidate, CandidateStatus, Decision, Explanation, NearMiss, Outcome,
    PreparedIdentity, PreparedResource, Reason, Request, ResourceAccess, Source, decide, explain,
};
pub use identity::{Identity, IdentityError};
pub use model::{
    Acl, Dialect, Host, HostRange, KafkaVersion, Operation, PatternType, Permission, Principal,
    PrincipalType, ResourceType, Role,
};
pub use policy::{Change, ChangeError, Policy, PolicyBuilder, PolicyError, Settings};
pub use resolve::{ResolveError, ResolvedIdentity, Subject, TokenVerifier, resolve, resolve_with};
pub use time::{At, InstantError, Timestamp};
pub use token::{TokenError, UnverifiedToken};
#[cfg(feature = "verify")]
pub use verify::{KeySet, Validation, Verified, VerifyError};
pub use warning::{Warning, WarningCode};
