//! One file per command.

pub(crate) mod check;
pub(crate) mod explain;
pub(crate) mod inspect;
pub(crate) mod serve;
pub(crate) mod test;
