//! The hosts of clients, in words.

use gbac_analysis::{Addresses, HostSet};
use gbac_engine::model::Host;

use crate::rich_text::{RichText, listed};

/// From where access is limited to; nothing if it is from every client.
#[must_use]
pub fn limit(hosts: &HostSet) -> Option<RichText> {
    let words = match (&hosts.addresses, hosts.unknown) {
        _ if hosts.is_any() => return None,
        (Addresses::Only(only), true) if only.is_empty() => "when the host is unknown".into(),
        (Addresses::Only(only), true) => {
            RichText::from("when the host is unknown, and from host ").then(names(only))
        }
        (Addresses::Only(only), false) => RichText::from("from host ").then(names(only)),
        (Addresses::AllBut(but), _) if but.is_empty() => "when the host is known".into(),
        (Addresses::AllBut(but), _) => RichText::from("from every host but ").then(names(but)),
    };
    Some(words)
}

/// The one host that something is limited to.
#[must_use]
pub fn only(host: Host) -> RichText {
    RichText::from("only from host ").resource(host.to_string())
}

fn names(hosts: &[Host]) -> RichText {
    let name = |host: &Host| RichText::new().resource(host.to_string());
    listed(hosts.iter().map(name).collect(), usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_says_whether_unknown_hosts_count() {
        let said = |addresses: Addresses, unknown: bool| {
            limit(&HostSet { unknown, addresses }).map(|words| words.plain())
        };
        let hosts = || vec![Host::Address([10, 0, 0, 7].into())];
        assert_eq!(said(Addresses::AllBut(Vec::new()), true), None);
        for (addresses, unknown, words) in [
            (Addresses::Only(hosts()), false, "from host 10.0.0.7"),
            (
                Addresses::Only(Vec::new()),
                true,
                "when the host is unknown",
            ),
            (
                Addresses::Only(hosts()),
                true,
                "when the host is unknown, and from host 10.0.0.7",
            ),
            (
                Addresses::AllBut(Vec::new()),
                false,
                "when the host is known",
            ),
            (
                Addresses::AllBut(hosts()),
                true,
                "from every host but 10.0.0.7",
            ),
        ] {
            assert_eq!(said(addresses, unknown).as_deref(), Some(words));
        }
    }
}
