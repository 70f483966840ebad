//! What GBAC says in English, once for every page, terminal and plain text.
//!
//! A sentence with names in it is a [`rich_text::RichText`]: the console shows it as elements, the
//! command line and files as plain text. Its building blocks are counts, lists, durations and
//! instants ([`phrases`]) and names in which hidden characters are visible ([`escape`]).

pub mod acl;
pub mod audit_event;
pub mod audit_message;
pub mod breadth;
pub mod change;
pub mod collision;
pub mod commands;
pub mod common;
pub mod convergence;
pub mod decision;
pub mod difference;
pub mod effect;
pub mod escape;
pub mod explanation;
pub mod extraction;
pub mod finding;
pub mod fix;
pub mod group_change;
pub mod hosts;
pub mod hypothesis;
pub mod pages;
pub mod phrases;
pub mod request;
pub mod rich_text;
pub mod settings_effect;
pub mod sign_in;
pub mod smallest_change;
pub mod token_fix;
pub mod trace;
pub mod warning;
