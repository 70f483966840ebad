//! Decisions, their reasons and the ACLs considered, in a few words.

use gbac_analysis::brokers::opens_resource;
use gbac_engine::decide::{CandidateStatus, Decision, NearMiss, Outcome, Reason, Request};
use gbac_engine::identity::Identity;
use gbac_engine::{Assumption, Assumptions};

use crate::common::ACLS_NOT_EVALUATED;
use crate::settings_effect::OPEN_RESOURCE;

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

/// What was decided and why, also where brokers allow what no ACL is for.
pub fn verdict_of(decision: &Decision) -> &'static str {
    match opens_resource(decision) {
        true => verdict(Reason::AllowRule),
        false => verdict(decision.reason),
    }
}

/// What was decided, with what it takes for granted: an allow that depends on something that was
/// not checked says so. It names at most two assumptions; an issuer and an audience that were not
/// checked go without saying where the signature was not.
///
/// ```
/// use gbac_engine::identity::IdentityRules;
/// use gbac_engine::token::UnverifiedClaims;
/// use gbac_engine::{At, ClaimSet, Identity, Outcome};
/// use gbac_words::decision::assuming;
///
/// let claims = UnverifiedClaims::from(ClaimSet::parse(r#"{ "sub": "ana", "exp": 1 }"#)?);
/// let (ana, _) = Identity::from_unverified(&claims, None, &IdentityRules::default()).unwrap();
/// let now = ana.assumed(At::seconds(0.0));
/// assert_eq!(assuming("Allowed", Outcome::Allow, now), "Allowed, if the signature is valid");
/// assert_eq!(
///     assuming("Allowed", Outcome::Allow, ana.assumed(At::IgnoringExpiry)),
///     "Allowed, if the signature is valid and the token has not expired",
/// );
/// assert_eq!(assuming("Denied", Outcome::Deny, now), "Denied");
/// # Ok::<(), gbac_engine::ClaimSetError>(())
/// ```
pub fn assuming(verdict: &str, outcome: Outcome, assumed: Assumptions) -> String {
    if outcome == Outcome::Deny || assumed.is_empty() {
        return verdict.to_owned();
    }
    let about_token = match (
        assumed.contains(Assumption::Signature),
        assumed.contains(Assumption::Issuer),
        assumed.contains(Assumption::Audience),
    ) {
        (true, _, _) => condition(Assumption::Signature),
        (false, true, true) => "issuer and audience are right",
        (false, true, false) => condition(Assumption::Issuer),
        (false, false, true) => condition(Assumption::Audience),
        (false, false, false) => "",
    };
    let about_expiry = match assumed.contains(Assumption::Expiry) {
        true => condition(Assumption::Expiry),
        false => "",
    };
    let and = match (about_token, about_expiry) {
        ("", _) | (_, "") => "",
        _ => " and ",
    };
    format!("{verdict}, if {about_token}{and}{about_expiry}")
}

/// An assumption as the condition of a verdict.
pub const fn condition(assumption: Assumption) -> &'static str {
    match assumption {
        Assumption::Signature => "the signature is valid",
        Assumption::Issuer => "the issuer is right",
        Assumption::Audience => "the audience is right",
        Assumption::Expiry => "the token has not expired",
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
pub fn without_acl(decision: &Decision, identity: &Identity) -> String {
    if opens_resource(decision) {
        return OPEN_RESOURCE.to_owned();
    }
    match (decision.reason, identity.groups()) {
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
