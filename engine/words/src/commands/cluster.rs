//! Kafka clusters in place of a service.

use std::fmt::Write;

use gbac_api::service::GroupAclMatching;

use crate::phrases::{agree, count, plural, thousands};
use crate::rich_text::RichText;

/// How many ACLs a sentence lists.
const LISTED: usize = 5;

pub const ONE_TARGET: &str = "--bootstrap-servers names a Kafka cluster, and --url and --profile a service; pass one of them";
pub const ROLES_OF_SERVICE: &str = "--role-file is for a Kafka cluster, and a service has its own roles; pass --bootstrap-servers, or omit it";
pub const PROPERTIES_OF_SERVICE: &str =
    "--broker-properties is for a Kafka cluster; pass --bootstrap-servers, or omit it";
pub const PASS_PROPERTIES: &str = "pass the properties of a broker with --broker-properties FILE";
pub const REPLACE_ACLS: &str = "Replace the ACLs of the cluster?";
pub const READING: &str = "Reading the ACLs of the cluster";
pub const POLICY_AND_CLUSTER: &str =
    "--policy names a document, and --bootstrap-servers a Kafka cluster; pass one of them";
pub const NO_ADMIN_API: &str = "--admin-url and --cluster-id are of the platform's APIs, which a Kafka cluster does not have; omit them";
pub const NO_TESTS: &str = "a Kafka cluster stores no tests; name assertion files";
pub const NO_STATES: &str = "--if-match: a Kafka cluster has no states; its ACLs are read again just before changes are sent, so omit the flag";
pub const NO_ROLES: &str =
    "a Kafka cluster has no roles of its own; its plugin reads them from a document or a service";
pub const CHANGED_MEANWHILE: &str =
    "the ACLs of the cluster changed meanwhile, and nothing was sent; run the command again";
pub const NOT_ATOMIC: &str = "note: Kafka has no transactions for ACLs: they are read again just before, new denies are sent first and old ones removed last, and someone else can change them meanwhile";
pub const PERMISSION_NOT_CHECKED: &str =
    "note: Kafka has no dry run; your permission to make these changes was not checked";
pub const NO_REASON: &str =
    "note: a Kafka cluster has no place for the reason of a change, so --reason has no effect";
pub const SEND_AGAIN: &str = "Run the command again to make the others.";
pub const NOT_SENT: &str = "not sent, because an earlier change failed";
pub const NOT_IN_PROTOCOL: &str = "Kafka's protocol does not have this resource";

pub fn invalid_server(server: &str) -> String {
    format!("--bootstrap-servers: `{server}` is not HOST:PORT, such as `broker-1.example.com:9092`")
}

/// A command that calls a service, with a profile of a Kafka cluster.
pub fn needs_service(servers: &str) -> RichText {
    RichText::from("this command calls a service, and the profile is the Kafka cluster ")
        .code(servers)
        .text("; pass --url or the --profile of a service")
}

/// ACLs that this version cannot read.
pub fn unknown_acls(acls: &[String]) -> String {
    let number = acls.len();
    let mut text = format!(
        "warning: {} of the cluster {} not known to this version and left out; a deny among them is missing in every verdict:",
        count(number, "ACL"),
        agree(number, "is", "are")
    );
    for acl in acls.iter().take(LISTED) {
        let _ = write!(text, "\n  {acl}");
    }
    if number > LISTED {
        let _ = write!(text, "\n  and {} more", number - LISTED);
    }
    text
}

/// Whether the ACLs of groups and roles count in the cluster that a command reads.
pub fn group_acls(acls: usize, matching: GroupAclMatching) -> String {
    let acls = format!("{} of groups and roles", count(acls, "ACL"));
    match matching {
        GroupAclMatching::Platform => format!("the platform matches the {acls} of this cluster"),
        GroupAclMatching::Plugin => {
            format!("the GBAC plugin matches the {acls} of this cluster")
        }
        GroupAclMatching::Ignored => format!(
            "this cluster ignores its {acls}, because the broker that answered has no GBAC plugin; verdicts here count them, as the plugin does"
        ),
        GroupAclMatching::NoAuthorizer => format!(
            "the broker that answered has no authorizer, so that this cluster allows everything; verdicts here count its {acls}"
        ),
        GroupAclMatching::Unknown => format!(
            "the cluster has {acls}: verdicts here count them, as the GBAC plugin does; Kafka's own authorizer ignores them"
        ),
    }
}

/// ACLs of roles that nobody is a member of; `source` is what has the roles.
pub fn roles_without_members(acls: usize, source: Option<&str>) -> String {
    let why = match source {
        Some(source) => format!("{source} does not have these roles"),
        None => {
            "Kafka does not have the members; name a document with them: --role-file FILE".into()
        }
    };
    format!(
        "{} of roles {} nobody: {why}",
        count(acls, "ACL"),
        agree(acls, "matches", "match")
    )
}

/// A change that only a service can make.
pub fn not_of_kafka(number: usize) -> String {
    format!(
        "{} in the file {} about roles or settings, which a Kafka cluster does not have; nothing was sent. Apply these to the service with the roles (--url), and the others to the cluster",
        count(number, "change"),
        agree(number, "is", "are")
    )
}

/// The changes that were not made and are not listed.
pub fn more_not_applied(number: usize) -> String {
    format!(
        "{} more {} {} not applied; `--format json` lists all.",
        thousands(number),
        plural(number, "change"),
        agree(number, "was", "were")
    )
}

pub fn applied(done: usize, all: usize) -> String {
    format!("{done} of {} applied.", count(all, "change"))
}

pub fn roles_not_sent(roles: usize) -> String {
    format!(
        "note: {} of the document {} not sent, because {NO_ROLES}",
        count(roles, "role"),
        agree(roles, "is", "are")
    )
}
