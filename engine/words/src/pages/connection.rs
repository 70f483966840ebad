//! The sentences of the connection page.

use crate::phrases::{agree, count};
use crate::rich_text::RichText;

pub const PURPOSE: &str = "The cluster that these pages show. Passwords and tokens stay in this tab's memory until you close it.";
pub const TOKEN_USER: &str = "the user of the access token";
pub const ABILITIES: &str = "What can be read and changed";
pub const DISCARDS_DRAFT: &str = "Connecting to another cluster discards the draft";
pub const CLOUD_TOKEN: &str = "Control Plane token of a cluster admin";
pub const SIGN_IN_FIRST: &str = "Sign in to this service first";
pub const SIGN_IN_HERE: &str = "Sign in to this service";

// What a connection cannot read.
pub const NO_ACLS: &str = "The Admin API has no ACLs. Start the service with --upstream-dataplane to read those of the cluster, too.";
pub const NO_ROLES: &str = "Start the service with --upstream-admin or --upstream-dataplane to read the roles of the cluster.";
pub const NO_SETTINGS: &str = "The Data Plane has no cluster properties. Start the service with --upstream-admin to read those of the cluster.";
pub const CLOUD_SETTINGS: &str = "The managed cloud keeps its group mapping in the organization's SSO connection. No API returns it.";
pub const NO_AUDIT: &str = "A cluster writes its audit events to a topic. No API returns them.";
pub const NO_LOGGERS: &str = "The Data Plane has no loggers. Start the service with --upstream-admin to read those of the cluster.";
pub const CLOUD_LOGGERS: &str = "The managed cloud has no API for loggers.";
pub const NO_LICENSE: &str = "The documented APIs don't return the cluster's license.";
pub const CLOUD_LICENSE: &str = "The managed cloud needs no license.";

/// The state of a connection that answers: whether there is only an example policy, and whether
/// somebody is signed in.
pub const fn answering(is_example: bool, is_signed_in: bool) -> &'static str {
    match (is_example, is_signed_in) {
        (true, _) => "No service: an example policy in this page",
        (false, true) => "Connected",
        (false, false) => "Connected, not signed in",
    }
}

pub fn unsaved(changes: usize) -> String {
    let verb = agree(changes, "is", "are");
    format!("{} of it {verb} not saved.", count(changes, "change"))
}

pub fn not_available(what: &str, reason: &str) -> RichText {
    RichText::from(what).quiet(format!(": no. {reason}"))
}
