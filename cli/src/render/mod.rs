//! What several commands show in the same way: verdicts, changes, tables, reports.

pub(crate) mod adds_and_removes;
pub(crate) mod gains_and_losses;
pub(crate) mod pipeline_report;
pub(crate) mod policy_transfer;
pub(crate) mod proposed_changes;
pub(crate) mod table;
pub(crate) mod verdicts;
