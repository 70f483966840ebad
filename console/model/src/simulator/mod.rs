//! The simulator: what its panes and panels show.

pub mod accepted;
pub mod assertion;
mod by_hand;
pub mod claim_sources;
pub mod decoded;
mod evaluation;
pub mod evaluator;
pub mod extraction;
mod extraction_steps;
pub mod fixes;
pub mod inputs;
pub mod least_change;
pub mod panel;
pub mod path;
pub mod platform;
pub mod presets;
pub mod question;
pub mod request;
pub mod saved;
pub mod seen_users;
pub mod settings;
pub mod share;
mod shared;
pub mod suggestions;
pub mod token;
pub mod trace;
pub mod trial;
pub mod trial_form;
pub mod troubleshoot;
pub mod verdict;
pub mod verification;

#[cfg(test)]
mod refused_tokens;
#[cfg(test)]
pub(crate) mod tests;

pub use evaluation::{SimulatedIdentity, Simulation, View, Waiting, evaluate};
pub use shared::Shared;
