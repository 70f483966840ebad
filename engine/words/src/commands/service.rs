//! Services, clusters and their settings: `serve`, `watch`, `whoami`, `cluster`, `profile`,
//! `doctor`.

use gbac_engine::model::Principal;
use gbac_engine::policy::AccessLevel;

use crate::audit_event::AuditEvent;
use crate::rich_text::RichText;

pub const PROPERTIES_NOT_READ: &str = "the properties could not be read";
pub const REQUIREMENTS_NOT_READ: &str = "what the service requires of tokens could not be read";
pub const POLICY_NOT_READ: &str = "the policy could not be read";
pub const LOG_LEVEL_NOT_READ: &str = "the log level could not be read";
pub const INVALID_PROFILE_NAME: &str = "the profile name is empty or contains a control character";
pub const RESPONDS_AGAIN: &str = "The service responds again.";
pub const AUDIT_ON: &str = "Auditing was turned on: denied decisions are shown from now on.";
pub const AUDIT_OFF: &str =
    "Auditing was turned off: denied decisions are not shown until it is turned on again.";
pub const NO_AUDIT_ACCESS: &str =
    "only a superuser can read the audit log, so denied decisions are not shown";
pub const NO_AUDIT: &str = "the service records no decisions; `gbac cluster config set audit_enabled true` turns its audit log on";
pub const NOBODY: &str = "nobody; set GBAC_USER and GBAC_PASSWORD, or GBAC_TOKEN";
pub const REGISTRY_ACLS: &str = "ACLs of the Schema Registry";

/// Options of `serve` without a fault; a service without a data folder is a demo.
pub fn valid_options(data: Option<&str>, listen: &str) -> RichText {
    let words = RichText::from("The options are valid. ");
    let words = match data {
        Some(data) => words
            .text("The service keeps its data in `")
            .code(data)
            .text("` and listens on "),
        None => words.text("A demo listens on "),
    };
    words.code(listen).text(".")
}

pub fn ready(url: &str) -> RichText {
    RichText::new().code(url).text(" is ready.")
}

pub fn watching(url: &str, state: &str, has_audit: bool) -> RichText {
    let what = match has_audit {
        true => "changes of the policy, and denied decisions in the audit log",
        false => "changes of the policy",
    };
    RichText::from("Watching ")
        .code(url)
        .text(" from state ")
        .code(state)
        .text(format!(": {what}; Ctrl-C ends it"))
}

pub fn policy_changed(before: &str, after: &str) -> RichText {
    RichText::from("The policy changed from state ")
        .code(before)
        .text(" to ")
        .code(after)
        .text(":")
}

/// A denied decision: who, what, from where and why.
pub fn denied(event: &AuditEvent) -> RichText {
    let mut words = RichText::new()
        .principal(&Principal::user(&event.user))
        .text(" ")
        .code(&event.what);
    if let Some((kind, name)) = &event.resource {
        words = words.text(" on ").code(kind).text(" ").resource(name);
    }
    if !event.from.is_empty() {
        words = words.text(" from ").code(&event.from);
    }
    if event.times > 1 {
        words = words.text(format!(" ({} times)", event.times));
    }
    let Some(acl) = &event.matched else {
        return words.text(": ").code(&event.why);
    };
    words = words.text(": the ACL ");
    if let Some(principal) = &acl.principal {
        words = words.principal(principal);
    }
    words
        .text(format!(
            " > {} {} on {} ",
            acl.permission, acl.operation, acl.resource_type
        ))
        .resource(&acl.resource_name)
        .text(format!(" {}", acl.pattern))
}

/// What access to the service allows.
pub const fn access(level: AccessLevel) -> &'static str {
    match level {
        AccessLevel::ReadOnly => "read the policy, the properties and the audit log (`read_only`)",
        AccessLevel::Evaluate => "evaluate requests (`evaluate`)",
    }
}

pub fn service(name: &str, url: &str, version: &str, is_demo: bool) -> RichText {
    let demo = if is_demo { ", a demo)" } else { ")" };
    RichText::from("Service: ")
        .code(name)
        .text(" at ")
        .code(url)
        .text(" (version ")
        .code(version)
        .text(demo)
}

pub fn cluster(url: &str, version: &str) -> RichText {
    RichText::from("Cluster: at ")
        .code(url)
        .text(" (version ")
        .code(version)
        .text(")")
}

pub fn profile(name: &str, url: &str, user: Option<&str>, selected_by: &str) -> RichText {
    let words = RichText::new().code(name).text(": ").code(url);
    let words = match user {
        Some(user) => words.text(", user ").code(user),
        None => words,
    };
    words.text(format!(" (selected by {selected_by})"))
}

pub fn config_updated(version: &str) -> String {
    format!("Successfully updated configuration. New configuration version is {version}.")
}

pub fn license(license: &str, is_pinned: bool) -> String {
    match is_pinned {
        true => format!("{license}, set on the command line of the service"),
        false => license.to_owned(),
    }
}

/// What a cluster lacks for a change.
pub fn cannot_change(url: &str, gaps: &[String]) -> String {
    format!(
        "`{url}` cannot make this change, and nothing was sent: {}",
        gaps.join("; ")
    )
}

pub fn set_twice(property: &str) -> String {
    format!("`{property}` is set twice; set it once")
}

pub fn license_is_a_file(cluster: &str) -> String {
    format!(
        "`{cluster}` is a cluster managed with `rpk`, whose license is a file; `gbac whoami` shows its state, and `rpk cluster license set` loads one"
    )
}

pub fn trying_again(problem: &str) -> String {
    format!("{problem}; trying again every two seconds")
}
