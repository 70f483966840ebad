//! Decisions and near misses in one line each, for the log of denials.

use gbac_engine::escape::escaped;
use gbac_engine::model::Permission;
use gbac_engine::{CandidateStatus, Coded, Decision, Explanation, Reason};

/// Says how a request is decided, and by which ACL. Names are escaped, so that the text is one line
/// whatever they hold.
pub(crate) fn explanation(decision: &Decision) -> String {
    let outcome = decision.outcome.code();
    let reason = match (decision.reason, &decision.acl) {
        (Reason::Superuser, _) => "the user is a superuser".to_owned(),
        (Reason::Expired, _) => "the identity has expired".to_owned(),
        (Reason::DenyRule | Reason::AllowRule, Some(acl)) => {
            format!("{acl}{}", path(decision))
        }
        (Reason::NoMatch | Reason::DenyRule | Reason::AllowRule, _) => {
            "no ACL allows it".to_owned()
        }
    };
    let unknown = if decision.host_unknown {
        "; the host is unknown"
    } else {
        ""
    };
    format!("{outcome}: {reason}{unknown}")
}

fn path(decision: &Decision) -> String {
    match (&decision.group, &decision.role) {
        (Some(group), Some(_)) => format!(", through group `{}`", escaped(group)),
        _ => String::new(),
    }
}

/// The first ACL that would allow the request but for one field, after the code of that field;
/// empty if there is none.
pub(crate) fn near_miss(explanation: &Explanation) -> String {
    for candidate in &explanation.candidates {
        if let (CandidateStatus::Near(field), Permission::Allow) =
            (candidate.status, candidate.acl.permission)
        {
            return format!("{}: {}", field.code(), candidate.acl);
        }
    }
    String::new()
}
