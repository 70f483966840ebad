//! The sentences of the settings page.

use gbac_api::what_if::SeenIn;
use gbac_engine::groups::{ClaimFinding, described};

use crate::phrases::{agree, count};
use crate::rich_text::{RichText, listed};

pub const PURPOSE: &str = "How groups are read from access tokens. Changes take effect at the next sign-in, without a restart.";
pub const LOG_LEVELS: &str = "Log levels of the service, for a limited time";
pub const SSO_MAPPING: &str =
    "The group mapping as text for the SSO connection of the organization";
pub const COPY_MAPPING: &str = "The mapping is part of the organization's SSO connection: mode `use_map`, and these attributes. Copy them there.";
pub const NO_SUFFIX_IN_CLOUD: &str =
    "The managed cloud has no suffix mode: groups keep their full names";
pub const GROUPS_FROM_MAPPING: &str = "Groups come from the managed cloud's SSO mapping";
pub const PROPERTIES_NOT_IN_USE: &str = "The policy takes groups from `federated_groups` of the SSO connection. The two cluster properties are not in use; import a policy document without `sso` to use them.";
pub const LOGS_CLAIMS: &str =
    "Logs all claims of accepted tokens, which are personal data. Tokens are never logged.";
pub const NOTHING_TO_PREVIEW: &str = "Change a property or paste tokens to preview its groups.";
pub const NO_GROUP_CHANGES: &str = "No known group changes.";
pub const KAFKA_WITHOUT_ACLS: &str = "ACLs may not apply to the Kafka API";
pub const PINNED: &str = "set on the command line";
pub const NO_PROVIDER: &str = "No identity provider is configured";
pub const NO_GROUP_COUNTS: &str = "The service accepts no token, so no group has an effect: ACLs of groups and groups in roles match nobody.";
pub const NOT_AUDITABLE: &str = "Decisions can't be audited later.";
pub const TURN_OFF_AUDIT: &str = "Turn off the audit log";
pub const AUDIT_STOPS: &str = "The service stops recording sign-ins, decisions and changes. This takes effect immediately and for everyone. Events that are not recorded can't be recovered later.";

pub fn unchanged_loggers(changed: usize, unchanged: usize, level: &str) -> String {
    match (changed, unchanged) {
        (0, _) => format!("All {unchanged} log at {level}."),
        (_, 0) => String::new(),
        (_, _) => format!("The other {unchanged} log at {level}."),
    }
}

/// What the claim path selects in the token.
pub fn claim_finding(finding: &ClaimFinding) -> String {
    let found = match finding {
        ClaimFinding::Array { len, .. } => format!("an array of {}", count(*len, "string")),
        ClaimFinding::CommaList { parts, .. } => {
            format!("one string of {}", count(*parts, "name"))
        }
        ClaimFinding::Union { nodes } => format!("{}, combined", count(*nodes, "value")),
        ClaimFinding::WrongType { found, .. } => {
            format!("{}, which is not a list of names", described(found))
        }
        ClaimFinding::NotString { found, .. } => {
            format!(
                "a list with {} in it, so all of it is discarded",
                described(found)
            )
        }
        ClaimFinding::TooMany => "too much, so all of it is discarded".into(),
        ClaimFinding::Missing { .. } | ClaimFinding::NoUserInfo => {
            return "Not found in the token: it gives no groups".into();
        }
    };
    format!("Found in the token: {found}")
}

/// What the preview is about.
pub fn previewed(in_token: usize, known: usize) -> String {
    let known = count(known, "known group");
    match in_token {
        0 => known,
        _ => format!("{} of tokens and {known}", count(in_token, "group")),
    }
}

/// Renames the members of roles that can be renamed.
pub fn rename_members(renamed: usize, members: usize) -> String {
    let all = count(members, "role member");
    match renamed == members {
        true => format!("Rename {all} in the draft"),
        false => format!("Rename {renamed} of {all} in the draft"),
    }
}

/// The properties without which no token is accepted.
pub fn properties_missing(names: &[&str]) -> RichText {
    let name = |name: &&str| RichText::new().code(*name);
    let verb = agree(names.len(), "is", "are");
    listed(names.iter().map(name).collect(), usize::MAX).text(format!(
        " {verb} not set, so no token is accepted and no group has any effect."
    ))
}

/// The command that sets these properties.
pub fn set_properties(names: &[&str]) -> String {
    let values = names.iter().map(|name| format!(" {name}=.."));
    format!("gbac cluster config set{}", values.collect::<String>())
}

pub fn confirm_with(property: &str) -> String {
    format!("Enter {property} to confirm")
}

/// The part about the settings of the brokers.
pub const BROKERS: &str = "What decides access besides ACLs, and what another value would change";
pub const EMPTY_IS_DEFAULT: &str = "Empty is the default.";
pub const BROKERS_HIDE: &str =
    "The brokers do not show this value. Enter it so that the effect counts it.";
pub const CHANGED_PRINCIPALS: &str = "Principals whose access changes, with what changes";

pub fn present_value(setting: &str) -> String {
    format!("Present value of {setting}")
}

/// Where the principals are from whose access is compared.
pub fn seen_in(seen_in: SeenIn, requests: usize) -> String {
    let requests = count(requests, "different request");
    match seen_in {
        SeenIn::Lines => format!("Seen: {requests} in the lines given."),
        SeenIn::Events => format!("Seen: {requests} in the last audit events of the service."),
        SeenIn::Policy => {
            "Seen: the users and groups in ACLs and roles, because nothing says who calls.".into()
        }
    }
}
