//! A decision in one line, for the log of denials.

use gbac_engine::escape::escaped;
use gbac_engine::{Coded, Decision, Reason};

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
