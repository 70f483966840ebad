//! The demo: a small policy, and an identity provider that signs tokens for three users.

mod identity_provider;
mod users;

use gbac_engine::policy::Policy;
use gbac_json::{Problems, policy_from_json};

pub use identity_provider::DemoKey;
pub(crate) use identity_provider::{AUDIENCE, IdentityProvider};

/// The name of the superuser.
pub(crate) const ADMIN: &str = "admin";
/// The default password of the demo; it is not a secret.
pub(crate) const PASSWORD: &str = "demo";

/// The initial policy of the demo.
///
/// # Errors
/// The embedded document is not valid, which tests rule out.
pub(crate) fn policy() -> Result<Policy, Problems> {
    policy_from_json(include_str!("../../demo/policy.json"))
}
