//! What the pages know: no markup, tested natively.

pub mod acl_form;
pub mod address;
pub mod attempts;
pub mod escape;
pub mod member;
pub mod near;
pub mod role;
pub mod roles;
pub mod service;
pub mod simulator;
pub mod words;
