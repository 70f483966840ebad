//! The sentences that several pages share: parts that are loaded later, the draft, sign-in.

pub const RELOAD_CONSOLE: &str = "The service may be unreachable, or was updated after you opened this tab. Reloading the console keeps the draft and clears other input.";
pub const CLUSTER_GAPS: &str = "What this cluster does not have";
pub const DRAFT_NOT_APPLIED: &str = "Not applied yet.";
pub const SERVICE_UNCHANGED: &str = "The service is not changed.";
pub const PAGE_MISSING: &str = "This page does not exist in this version.";
pub const OPENS_PROVIDER: &str = "Opens the identity provider of this service in this window.";
pub const OR_LOCAL_ACCOUNT: &str = "or with a local account";
pub const SUPERUSER_READS_POLICY: &str = "Sign in as a superuser to read roles and ACLs.";
pub const SHOWN_WHEN_REACHABLE: &str = "This page is shown when the service is reachable.";

#[must_use]
pub fn not_loaded(part: &str) -> String {
    format!("{part} could not be loaded")
}
