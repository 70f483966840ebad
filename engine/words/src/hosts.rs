//! The hosts of clients, in words.

use gbac_analysis::{Addresses, HostSet};
use gbac_engine::model::Host;

use crate::rich_text::{RichText, listed};

/// The hosts of clients: `10.0.0.1`, `all hosts except 10.0.0.1`; none if it is any host.
pub fn set(hosts: &HostSet) -> Option<RichText> {
    let known = match &hosts.addresses {
        _ if hosts.is_any() => return None,
        Addresses::Only(only) if only.is_empty() => return Some("unknown hosts".into()),
        Addresses::Only(only) => names(only),
        Addresses::AllBut(but) if but.is_empty() => "any known host".into(),
        Addresses::AllBut(but) => RichText::from("all hosts except ").then(names(but)),
    };
    Some(match hosts.unknown {
        true => known.text(", and unknown hosts"),
        false => known,
    })
}

/// From where access is limited to; none if it is from every client.
pub fn limit(hosts: &HostSet) -> Option<RichText> {
    set(hosts).map(|hosts| RichText::from("from ").then(hosts))
}

/// The one host that something is limited to.
pub fn only(host: &Host) -> RichText {
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
            (Addresses::Only(hosts()), false, "from 10.0.0.7"),
            (Addresses::Only(Vec::new()), true, "from unknown hosts"),
            (
                Addresses::Only(hosts()),
                true,
                "from 10.0.0.7, and unknown hosts",
            ),
            (Addresses::AllBut(Vec::new()), false, "from any known host"),
            (
                Addresses::AllBut(hosts()),
                true,
                "from all hosts except 10.0.0.7, and unknown hosts",
            ),
        ] {
            assert_eq!(said(addresses, unknown).as_deref(), Some(words));
        }
    }
}
