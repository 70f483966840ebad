//! The permissions pages: principals, matrix, who can, findings.

pub mod card;
pub mod findings;
pub mod grant_call;
pub mod list;
pub mod matrix;
pub mod title;
pub mod who_can;
