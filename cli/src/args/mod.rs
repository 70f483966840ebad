//! The groups of flags that several commands share, each with what reads it.

pub(crate) mod format;
pub(crate) mod license;
pub(crate) mod policy_question;
pub(crate) mod policy_source;
pub(crate) mod question;
pub(crate) mod settings;
