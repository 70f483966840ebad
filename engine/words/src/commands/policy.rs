//! Policies and documents: `policy`, `export`, `import`, and changes in files.

use crate::common::acls_and_roles;
use crate::difference::PolicyPair;
use crate::phrases::{agree, count, thousands};
use crate::rich_text::RichText;

pub const MAKE_CHANGES: &str = "Make these changes?";
pub const REPLACE_POLICY: &str = "Replace the policy of the service?";
pub const DRY_RUN: &str = "Dry run: nothing was changed.";
pub const RUN_AGAIN: &str = "Run the command again to continue.";
pub const IDENTICAL: &str = "The policies are identical.";
pub const NOT_CANONICAL: &str = "Not in the canonical form";
pub const DATAPLANE_API: &str = "the Control Plane's dataplane_api";
pub const NO_SETTINGS: &str = "no input states settings, so the document states none; a service that imports it keeps its own";

/// A policy that was read, written or applied: `Imported policy.json: 2 ACLs and 1 role.`
pub fn transferred(done: &str, place: &str, acls: usize, roles: usize) -> RichText {
    RichText::from(format!("{done} "))
        .code(place)
        .text(format!(": {}.", acls_and_roles(acls, roles)))
}

pub fn state(state: &str) -> RichText {
    RichText::from("The service's state is ")
        .code(state)
        .text(".")
}

pub fn backup_digest(sha256: &str) -> String {
    format!("SHA-256 of the backup: {sha256}")
}

/// What a file has, and the command that applies it where the policy is from.
pub fn changes_written(file: &str, what: &str, flags: &str) -> RichText {
    RichText::new()
        .code(file)
        .text(format!(
            " has {what}; the next command is `gbac policy apply --changes "
        ))
        .code(file)
        .text(format!("{flags} --dry-run`"))
}

pub fn not_a_list_of_changes(file: &str) -> RichText {
    RichText::new()
        .code(file)
        .text(" exists and is not a list of changes, so it is not replaced; name another file")
}

pub fn no_changes_written(file: &str) -> RichText {
    RichText::new()
        .code(file)
        .text(" has no changes of the policy")
}

pub fn findings_fixed(fixed: usize, findings: usize, file: &str, flags: &str) -> RichText {
    let findings = count(findings, "finding");
    match fixed {
        0 => format!("none of {findings} has a fix without a change in effective access").into(),
        _ => RichText::from(format!("{fixed} of {findings} fixed in "))
            .code(file)
            .text("; the next command is `gbac policy apply --changes ")
            .code(file)
            .text(format!("{flags} --dry-run`")),
    }
}

/// What was read from a file of another format.
pub fn read(source: &str, format: &str, acls: usize, duplicates: usize, roles: usize) -> RichText {
    let duplicates = match duplicates {
        0 => String::new(),
        duplicates => format!(" ({duplicates} of them duplicates)"),
    };
    let (acls, roles) = (count(acls, "ACL"), count(roles, "role"));
    RichText::new()
        .code(source)
        .text(format!(": {format}, {acls}{duplicates} and {roles}"))
}

pub fn missing(acls: usize, members: usize, present: usize) -> String {
    format!(
        "Missing: {} and {}. Already present: {}.",
        count(acls, "ACL"),
        count(members, "member"),
        count(present, "ACL")
    )
}

pub fn calls_succeeded(done: usize, all: usize) -> String {
    format!("{} of {} succeeded", thousands(done), count(all, "call"))
}

/// Calls that were interrupted, some of which may have succeeded.
pub fn calls_interrupted(done: usize, all: usize, open: usize) -> String {
    format!(
        "interrupted: {}, and up to {open} more without a response may have; run the command again to continue",
        calls_succeeded(done, all)
    )
}

pub fn direction(url: &str, file: &str) -> RichText {
    RichText::from("From the service at ")
        .code(url)
        .text(" to ")
        .code(file)
        .text(":")
}

/// A side of a comparison: a profile or a document.
pub fn side(label: &str, name: &str, is_profile: bool) -> RichText {
    let what = match is_profile {
        true => "the profile ",
        false => "the document ",
    };
    RichText::from(format!("{label} is {what}"))
        .code(name)
        .text(".")
}

pub fn profile_and_file(name: &str) -> RichText {
    RichText::new()
        .code(name)
        .text(" is a profile, and a file of that name exists too; write ")
        .code(format!("./{name}"))
        .text(" for the file")
}

/// What a file has, and the command that makes a cluster decide as another.
pub fn converges(file: &str, changes: usize, profile: Option<&str>) -> RichText {
    let makes = format!(
        " has {} that {} TO decide as FROM; the next command is `gbac policy apply --changes ",
        count(changes, "change"),
        agree(changes, "makes", "make")
    );
    let mut text = RichText::new().code(file).text(makes).code(file);
    if let Some(profile) = profile {
        text = text.text(" --profile ").code(profile);
    }
    text.text(" --dry-run`")
}

/// What the numbers of a comparison count: access in the second policy alone, in the first alone,
/// and the principals that only the second names, and only the first.
pub const fn counted(pair: PolicyPair) -> [&'static str; 4] {
    match pair {
        PolicyPair::BeforeAfter => [
            "gain access",
            "lose access",
            "are new",
            "are no longer named",
        ],
        PolicyPair::FromTo => [
            "have access only in TO",
            "have access only in FROM",
            "are named only in TO",
            "are named only in FROM",
        ],
    }
}

pub fn counted_over(all: usize, users: usize, groups: usize, roles: usize) -> String {
    format!(
        "Counted over the {} that the policies name: {}, {} and {}.",
        count(all, "principal"),
        count(users, "user"),
        count(groups, "group"),
        count(roles, "role")
    )
}

pub const POLICY_CHANGED: &str =
    "the policy changed since that state; export it again and repeat your change";
pub const NO_DRY_RUN: &str =
    "note: this service has no dry run; your permission to make these changes was not checked";

pub fn change_kinds(kinds: &[&str]) -> String {
    format!("; `change` is one of {}", kinds.join(", "))
}

pub fn default_compared(file: &str, settings: &str) -> String {
    format!(
        "note: {file} does not state `{settings}`, so the comparison uses the default; a service that imports it keeps its own"
    )
}

pub fn only_json_in_place(file: &str) -> String {
    format!(
        "{file}: only JSON is formatted in place, because the comments of YAML would be lost; write JSON with `gbac policy fmt -`"
    )
}

/// The help of `policy import`; each format has a line of its own.
pub fn import_about(formats: &str) -> String {
    format!(
        "Create a policy document from the output of an existing cluster's tools.\n\nReads any mix of these formats:\n\
         {formats}\nIf an entry cannot be read, it is reported on standard error, nothing is written, and the exit code is 1; \
         see --skip-unreadable. It changes no service; `gbac import` does that."
    )
}

/// The help of `policy convert --cluster-name`.
pub fn cluster_name(defaults: &str) -> String {
    format!("Name of the cluster's resource in Kubernetes [default: {defaults}]")
}
