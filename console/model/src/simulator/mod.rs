//! The simulator: what its panes and panels show.

pub mod chips;
pub mod claims;
pub mod extraction;
pub mod fixes;
pub mod hypothesis;
pub mod identity;
pub mod inputs;
pub mod link;
pub mod path;
pub mod pipeline;
pub mod question;
pub mod request;
pub mod sharing;
pub mod smallest_change;
pub mod suggestions;
pub mod token;
pub mod token_checks;
pub mod trace;
pub mod trial;
pub mod trial_form;
pub mod troubleshoot;
pub mod unknown_groups;
pub mod verdict;
pub mod without;

#[cfg(test)]
mod refused_tokens;
#[cfg(test)]
pub(crate) mod tests;
