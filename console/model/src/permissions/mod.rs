//! What the permissions pages know: every principal, what reaches it, who can do what, and what is odd.

pub mod card;
pub mod findings;
pub mod list;
pub mod matrix;
pub mod who_can;
