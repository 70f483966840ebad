//! Decisions, their reasons and the ACLs considered, in a few words.

use gbac_engine::decide::{CandidateStatus, NearMiss, Outcome, Reason, Request};
use gbac_engine::identity::Identity;

use crate::common::ACLS_NOT_EVALUATED;

/// What was decided and why.
///
/// ```
/// use gbac_engine::decide::Reason;
/// assert_eq!(gbac_words::decision::verdict(Reason::NoMatch), "Denied, nothing allows it");
/// ```
pub const fn verdict(reason: Reason) -> &'static str {
    match reason {
        Reason::AllowRule | Reason::Superuser => "Allowed",
        Reason::DenyRule => "Denied by rule",
        Reason::NoMatch => "Denied, nothing allows it",
        Reason::Expired => "Denied, the token has expired",
    }
}

/// An outcome as a word.
pub const fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Allow => "Allowed",
        Outcome::Deny => "Denied",
    }
}

/// Why an identity is allowed or denied where no ACL decided; the verdict says the rest.
pub fn without_acl(reason: Reason, identity: &Identity) -> String {
    match (reason, identity.groups()) {
        (Reason::Superuser, _) => format!("a superuser; {ACLS_NOT_EVALUATED}"),
        (Reason::Expired, _) => ACLS_NOT_EVALUATED.to_owned(),
        (Reason::AllowRule | Reason::DenyRule | Reason::NoMatch, [_])
            if identity.user().is_empty() =>
        {
            "no ACL of the group or its roles allows it".to_owned()
        }
        (Reason::AllowRule | Reason::DenyRule | Reason::NoMatch, _) => {
            "no ACL of the user, its roles, its groups or their roles allows it".to_owned()
        }
    }
}

/// A decision that may depend on a host that is not known; none if the host does not matter.
pub const fn host_unknown(reason: Reason, request: &Request<'_>) -> Option<&'static str> {
    match reason {
        Reason::DenyRule => Some(
            "No host was given, so denies for one host apply. The verdict may depend on the host.",
        ),
        Reason::AllowRule | Reason::NoMatch | Reason::Superuser | Reason::Expired => {
            match request.host {
                None => Some(
                    "No host was given, so allows for one host do not apply. The verdict may depend on the host.",
                ),
                Some(_) => None,
            }
        }
    }
}

/// What a candidate ACL contributes to the decision.
pub const fn candidate_status(status: CandidateStatus) -> &'static str {
    match status {
        CandidateStatus::Decides => "decides",
        CandidateStatus::Agrees => "would decide the same",
        CandidateStatus::Overridden => "overridden by a deny",
        CandidateStatus::NotReached => "not evaluated",
        CandidateStatus::Near(_) => "near miss",
        CandidateStatus::NoMatch => "no match",
    }
}

/// In what a near miss differs from the request.
pub const fn near_miss(near: NearMiss) -> &'static str {
    match near {
        NearMiss::Host => "host",
        NearMiss::PrincipalLetterCase => "letter case of the principal",
        NearMiss::PrincipalSlashes => "leading or trailing slashes of the principal",
        NearMiss::MemberLetterCase => "letter case of a role member",
        NearMiss::MemberSlashes => "leading or trailing slashes of a role member",
        NearMiss::NameLetterCase => "letter case of the resource name",
        NearMiss::NameSlashes => "leading or trailing slashes of the resource name",
    }
}
