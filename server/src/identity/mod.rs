//! Who is calling: tokens of the identity provider, passwords, sessions, and sign-in.

pub(crate) mod failed_sign_ins;
pub(crate) mod oidc;
pub(crate) mod password;
pub(crate) mod provider_sign_in;
pub(crate) mod relayed_sign_in;
pub(crate) mod sessions;
pub(crate) mod sign_in;
