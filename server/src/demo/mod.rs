//! The demo: a small, telling policy, and an identity provider that signs for three people.

mod people;
mod provider;

use gbac_engine::policy::Policy;
use gbac_json::{Problems, policy_from_json};

pub use provider::DemoKey;
pub(crate) use provider::{AUDIENCE, Provider};

/// The name of the one superuser.
pub(crate) const ADMIN: &str = "admin";
/// The password that the demo has unless another is given; it is no secret.
pub(crate) const PASSWORD: &str = "demo";

/// The policy that a demo begins with.
///
/// # Errors
/// The document that was built in is faulty; a test says that it is not.
pub(crate) fn policy() -> Result<Policy, Problems> {
    policy_from_json(include_str!("../../demo/policy.json"))
}
