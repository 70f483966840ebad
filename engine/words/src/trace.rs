//! The trace of a decision: its passes, and how each part of an ACL compares with the request.

use std::net::IpAddr;

use gbac_engine::decide::{
    AccessPath, Candidate, CandidateStatus, Explanation, HostMatch, NameMatch, OperationMatch,
    Reason, Request,
};
use gbac_engine::model::{Operation, Permission, Principal};

use crate::phrases::{agree, count, thousands};
use crate::request;
use crate::rich_text::{RichText, listed};

/// How many paths to a principal are named.
const NAMED_PATHS: usize = 3;
/// How many roles are named.
const NAMED_ROLES: usize = 5;

/// What each pass looks for, and what it came to.
pub const fn passes(reason: Reason) -> [(&'static str, &'static str); 3] {
    const DENY: &str = "1. Look for a deny in all four sources";
    const ALLOW: &str = "2. Look for an allow";
    const NOTHING: &str = "3. Nothing allows, so deny";
    const SOURCES: &str = "User, the user’s roles, groups, roles of groups. One is enough.";
    const NONE_MATCHES: &str = "None matches.";
    const NOT_EVALUATED: &str = "Not evaluated.";
    const SUPERUSER: &str = "Not evaluated. The user is a superuser.";
    const EXPIRED: &str = "Not evaluated. The token has expired.";
    let [deny, allow, nothing] = match reason {
        Reason::DenyRule => [
            SOURCES,
            "Not evaluated. These ACLs would apply without the deny.",
            NOT_EVALUATED,
        ],
        Reason::AllowRule => [NONE_MATCHES, SOURCES, NOT_EVALUATED],
        Reason::NoMatch => [NONE_MATCHES, NONE_MATCHES, "This decides."],
        Reason::Superuser => [SUPERUSER, SUPERUSER, NOT_EVALUATED],
        Reason::Expired => [EXPIRED, EXPIRED, NOT_EVALUATED],
    };
    [(DENY, deny), (ALLOW, allow), (NOTHING, nothing)]
}

/// The ACLs of a trace in numbers: `14 of 214 ACLs listed: 1 deny, 1 allow overridden, 2 near
/// misses, 10 do not match`.
pub fn summary(explanation: &Explanation) -> String {
    const KINDS: usize = 6;
    let mut numbers = [0_usize; KINDS];
    for candidate in &explanation.candidates {
        let kind = match (candidate.status, candidate.acl.permission) {
            (CandidateStatus::Decides | CandidateStatus::Agrees, Permission::Deny) => 0,
            (CandidateStatus::Decides | CandidateStatus::Agrees, Permission::Allow) => 1,
            (CandidateStatus::Overridden, _) => 2,
            (CandidateStatus::NotReached, _) => 3,
            (CandidateStatus::Near(_), _) => 4,
            (CandidateStatus::NoMatch, _) => 5,
        };
        numbers[kind] += 1;
    }
    let nouns: [(&str, &str); KINDS] = [
        ("deny", "denies"),
        ("allow", "allows"),
        ("allow overridden", "allows overridden"),
        ("not evaluated", "not evaluated"),
        ("near miss", "near misses"),
        ("does not match", "do not match"),
    ];
    let parts: Vec<String> = numbers
        .into_iter()
        .zip(nouns)
        .filter(|(number, _)| *number > 0)
        .map(|(number, (one, many))| format!("{} {}", thousands(number), agree(number, one, many)))
        .collect();
    let acls = count(explanation.acls, "ACL");
    match explanation.candidates.len() {
        0 => format!("none of {acls} listed"),
        listed => format!(
            "{} of {acls} listed: {}",
            thousands(listed),
            parts.join(", ")
        ),
    }
}

/// The roles that a user is a direct member of.
pub fn roles(user: &Principal, roles: &[&str]) -> RichText {
    let words = RichText::new().principal(user);
    let names = roles
        .iter()
        .map(|role| RichText::new().principal(&Principal::role(*role)));
    match roles {
        [] => words.text(" is not a member of a role."),
        _ => words
            .text(" is a member of ")
            .then(listed(names.collect(), NAMED_ROLES))
            .text("."),
    }
}

/// How an identity comes to the principal of an ACL: `from groups[1] and groups[2], member of the
/// role`. `places` are those of the groups in the token.
pub fn paths(paths: &[AccessPath], places: &[&str]) -> RichText {
    let Some(first) = paths.first() else {
        return RichText::new();
    };
    let words = match places {
        [] => RichText::new(),
        _ => RichText::from("from ")
            .then(listed(
                places.iter().map(|place| RichText::from(*place)).collect(),
                NAMED_PATHS,
            ))
            .text(", "),
    };
    let words = words.text(match first.role {
        Some(_) => "member of the role",
        None => "direct ACL",
    });
    match paths.len() {
        1 => words,
        2 => words.text(", also through another path"),
        paths => words.text(format!(", also through {} other paths", paths - 1)),
    }
}

/// How the resource of a request differs from that of an ACL; none if it does not.
pub fn resource_remark(candidate: &Candidate, request: &Request<'_>) -> Option<String> {
    let name = request.resource_name;
    match candidate.name {
        NameMatch::Literal | NameMatch::Prefixed | NameMatch::AllNames => None,
        NameMatch::LetterCase => Some(format!("requested: {name}, in another letter case")),
        NameMatch::Slashes => Some(format!("requested: {name}, a slash is different")),
        NameMatch::No if candidate.resource_type => Some(format!("requested: {name}")),
        NameMatch::No => Some(format!("requested: {}", request::resource(request).plain())),
    }
}

/// How the operation of a request compares with that of an ACL, unless it is the same.
pub fn operation_remark(facet: OperationMatch, requested: Operation) -> Option<String> {
    let requested = requested.spelling().label;
    match facet {
        OperationMatch::Exact | OperationMatch::All => None,
        OperationMatch::Implied => Some(format!("also allows {requested}")),
        OperationMatch::DenyImpliesNothing => Some(format!(
            "requested: {requested}; a deny denies its own operation only"
        )),
        OperationMatch::No => Some(format!("requested: {requested}")),
    }
}

/// How the host of a request compares with that of an ACL, unless it matches.
pub fn host_remark(
    facet: HostMatch,
    permission: Permission,
    requested: Option<IpAddr>,
) -> Option<String> {
    match (facet, permission) {
        (HostMatch::Any | HostMatch::Exact | HostMatch::InRange, _) => None,
        (HostMatch::Unknown, Permission::Deny) => Some("no host given: applies".into()),
        (HostMatch::Unknown, Permission::Allow) => Some("no host given: does not apply".into()),
        (HostMatch::No, _) => requested.map(|host| format!("requested: {host}")),
    }
}
