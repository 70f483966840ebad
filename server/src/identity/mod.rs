//! Who is calling: tokens of the identity provider, passwords, and sign-in.

pub(crate) mod failed_sign_ins;
pub(crate) mod oidc;
pub(crate) mod password;
pub(crate) mod relayed_sign_in;
pub(crate) mod sign_in;
