//! Explanations: why a request is allowed or denied, and what would change that.

use gbac_engine::decide::{
    Candidate, CandidateStatus, Explanation, OperationMatch, Outcome, Request,
};
use gbac_engine::identity::Identity;
use gbac_engine::model::{Operation, Permission, Principal};

use crate::common::ACLS_NOT_EVALUATED;
use crate::phrases::{count, duration, instant, thousands};
use crate::request;
use crate::rich_text::RichText;

/// A verdict on a token as if it had not expired.
pub const EXPIRY_IGNORED: &str = "The token has expired. The verdict ignores the expiry.";

/// Who can or can't do what.
pub fn can(user: &Principal, outcome: Outcome, request: &Request<'_>) -> RichText {
    let can = match outcome {
        Outcome::Allow => " can ",
        Outcome::Deny => " can't ",
    };
    RichText::new()
        .principal(user)
        .text(can)
        .then(request::deed(request))
}

/// A request of a superuser.
pub fn superuser(user: &Principal) -> RichText {
    RichText::new().principal(user).text(format!(
        " is a superuser: every request is allowed. {ACLS_NOT_EVALUATED}."
    ))
}

/// A request with an expired token. Times are in seconds since 1970.
pub fn expired(at: f64, now: f64) -> String {
    format!(
        "The token expired {} ago, at {}. {ACLS_NOT_EVALUATED}.",
        duration(now - at),
        instant(at, now)
    )
}

/// The operation of the deciding ACL, if it is another than the requested one.
pub fn implied(
    by: Operation,
    deciding: &Candidate,
    requested: Operation,
    explanation: &Explanation,
) -> String {
    let is_named = explanation.candidates.iter().any(|candidate| {
        candidate.acl.permission == deciding.acl.permission
            && candidate.operation == OperationMatch::Exact
            && matches!(
                candidate.status,
                CandidateStatus::Decides | CandidateStatus::Agrees
            )
    });
    let (by, requested) = (by.spelling().label, requested.spelling().label);
    match (deciding.operation, deciding.acl.permission) {
        (OperationMatch::All, Permission::Deny) => format!("{by} also denies {requested}."),
        (OperationMatch::All, Permission::Allow) => format!("{by} also allows {requested}."),
        _ if is_named => format!("{by} also allows {requested}."),
        _ => format!("{by} also allows {requested}. No ACL names {requested} itself."),
    }
}

/// Further ACLs that say the same as the deciding one.
pub fn agreeing(acls: usize, permission: Permission) -> String {
    let verb = match permission {
        Permission::Allow => "allow",
        Permission::Deny => "deny",
    };
    format!("{} would {verb} it too.", count(acls, "more ACL"))
}

/// Overridden allows beyond those that are named.
pub fn more_in_trace(acls: usize) -> String {
    format!("{} more, in the trace", thousands(acls))
}

/// The ACLs that could have allowed a request that nothing allows.
pub fn considered(explanation: &Explanation, request: &Request<'_>) -> String {
    let own = explanation
        .candidates
        .iter()
        .filter(|candidate| !candidate.paths.is_empty());
    let (mut all, mut here) = (0, 0);
    for candidate in own {
        all += 1;
        here += usize::from(candidate.is_on_resource());
    }
    let resource = request.resource_type.noun();
    let of_user = format!(
        "{} of the user, the groups or their roles",
        count(all, "ACL")
    );
    match (all, here) {
        (0, _) => format!(
            "{}, none for this user, the user’s groups or their roles",
            count(explanation.acls, "ACL")
        ),
        (_, 0) => format!("{of_user}, none on this {resource}"),
        (_, here) => format!(
            "{of_user}, {} on this {resource}, none of them allows {}",
            thousands(here),
            request.operation.spelling().label
        ),
    }
}

/// What a request comes to without the denies that block it.
pub fn without_denies(denies: usize, has_allow: bool) -> String {
    let without = match denies {
        1 => "Without this deny".into(),
        denies => format!("Without these {} denies", thousands(denies)),
    };
    match has_allow {
        true => format!("{without}, the overridden ACL allows it."),
        false => format!("{without}, no ACL allows it either."),
    }
}

/// The ACL that would allow a request that nothing allows.
pub fn would_allow(identity: &Identity, request: &Request<'_>) -> RichText {
    let operation = request.operation.spelling().label;
    let words = RichText::from(format!("One ACL that allows {operation} on "))
        .then(request::resource(request))
        .text(", for ")
        .principal(&identity.principal());
    let words = match identity.groups() {
        [] => words,
        [only] => words.text(" or ").principal(&Principal::group(only)),
        groups => words.text(format!(" or one of the {} groups", thousands(groups.len()))),
    };
    words.text(", or for a role with such a member.")
}
