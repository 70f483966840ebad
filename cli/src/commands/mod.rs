//! One file per command.

pub mod check;
pub mod explain;
pub mod inspect;
pub mod serve;
pub mod test;
