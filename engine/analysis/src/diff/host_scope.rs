//! The clients that the rules of two policies treat alike.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use gbac_engine::HostRange;
use gbac_engine::model::Host;
use gbac_engine::policy::index::Operations;

/// The clients that rules treat alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HostScope {
    Unknown,
    Other,
    Address(IpAddr),
    /// The addresses of a range that are in no narrower host of a rule.
    Range(HostRange),
}

impl HostScope {
    /// The scopes that these hosts distinguish; a single one without hosts.
    pub(crate) fn all(hosts: &[Host]) -> Vec<Self> {
        if hosts.is_empty() {
            return vec![Self::Other];
        }
        let mut scopes = vec![Self::Unknown, Self::Other];
        for host in hosts {
            let scope = match host {
                // No client has a name.
                Host::Any | Host::Name(_) => continue,
                Host::Address(address) => Self::Address(*address),
                Host::Range(range) => Self::Range(range.normalized()),
            };
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
        let all = scopes.clone();
        scopes.retain(|scope| *scope == Self::Unknown || scope.address(&all).is_some());
        scopes
    }

    /// The addresses that it is about, and may be narrower scopes too; none of one that has none.
    pub(super) const fn host(self) -> Option<Host> {
        match self {
            Self::Unknown => None,
            Self::Other => Some(Host::Any),
            Self::Address(address) => Some(Host::Address(address)),
            Self::Range(range) => Some(Host::Range(range)),
        }
    }

    /// An address of it that is in no narrower one of all scopes.
    pub(super) fn address(self, scopes: &[Self]) -> Option<IpAddr> {
        let own = self.host()?;
        // Addresses of RFC 5737 and RFC 3849, the first client of a range, and those right after
        // the narrower ones.
        let start = match self {
            Self::Address(address) => return Some(address),
            // No range includes this address.
            Self::Range(range) if range.ends().0 == IpAddr::V4(Ipv4Addr::UNSPECIFIED) => {
                Ipv4Addr::new(0, 0, 0, 1).into()
            }
            Self::Range(range) => range.ends().0,
            Self::Unknown | Self::Other => Ipv4Addr::new(192, 0, 2, 1).into(),
        };
        let mut narrower = Vec::new();
        for scope in scopes {
            if let Some(host) = scope.host()
                && is_narrower(&host, &own)
            {
                narrower.push(host);
            }
        }
        let mut candidates = vec![start, Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1).into()];
        candidates.extend(narrower.iter().filter_map(after));
        candidates.push(Ipv4Addr::UNSPECIFIED.into());
        candidates.push(Ipv6Addr::UNSPECIFIED.into());
        candidates.into_iter().find(|address| {
            own.includes(*address) && !narrower.iter().any(|host| host.includes(*address))
        })
    }

    /// The operations of a rule that apply. For an unknown client, rules for an address deny but do
    /// not allow (D-04).
    pub(crate) fn apply(
        self,
        host: &Host,
        allow: Operations,
        deny: Operations,
    ) -> (Operations, Operations) {
        let nothing = Operations::default();
        match (host, self) {
            (Host::Any, _) => (allow, deny),
            (_, Self::Unknown) => (nothing, deny),
            (_, Self::Other) => (nothing, nothing),
            (host, Self::Address(address)) if host.includes(address) => (allow, deny),
            (host, Self::Range(range)) if host.covers(&Host::Range(range)) => (allow, deny),
            (_, Self::Address(_) | Self::Range(_)) => (nothing, nothing),
        }
    }
}

/// The hosts that cover the scopes of a set and none of the others, each address once.
pub(super) fn cover(set: &[Host], others: &[Host]) -> Vec<Host> {
    let mut hosts: Vec<Host> = Vec::new();
    for host in set {
        let Host::Range(range) = host else {
            hosts.push(host.clone());
            continue;
        };
        let holes: Vec<Host> = others
            .iter()
            .filter(|other| is_narrower(other, host))
            .cloned()
            .collect();
        without(*range, &holes, &mut hosts);
    }
    let all = hosts.clone();
    hosts.retain(|host| !all.iter().any(|other| is_narrower(host, other)));
    hosts
}

/// The ranges that a range is without some holes.
fn without(range: HostRange, holes: &[Host], hosts: &mut Vec<Host>) {
    let whole = Host::Range(range);
    if holes.iter().any(|hole| hole.covers(&whole)) {
        return;
    }
    if let Some(halves) = range.halves()
        && holes.iter().any(|hole| whole.covers(hole))
    {
        for half in halves {
            without(half, holes, hosts);
        }
    } else {
        hosts.push(whole);
    }
}

fn is_narrower(host: &Host, than: &Host) -> bool {
    host.breadth() < than.breadth() && than.covers(host)
}

/// The address after those of a host.
fn after(host: &Host) -> Option<IpAddr> {
    let last = match host {
        Host::Any | Host::Name(_) => return None,
        Host::Address(address) => *address,
        Host::Range(range) => range.ends().1,
    };
    Some(match last {
        IpAddr::V4(last) => IpAddr::V4(u32::from(last).checked_add(1)?.into()),
        IpAddr::V6(last) => IpAddr::V6(u128::from(last).checked_add(1)?.into()),
    })
}

/// The element of a pair for a policy: 0 is the earlier one, 1 the later one.
pub(super) const fn on_side<T>(pair: &[T; 2], side: usize) -> &T {
    let [before, after] = pair;
    if side == 0 { before } else { after }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gbac_engine::Dialect;

    fn hosts(texts: &[&str]) -> Vec<Host> {
        texts
            .iter()
            .map(|text| Host::parse_in(Dialect::Kafka, text).unwrap())
            .collect()
    }

    fn texts(hosts: &[Host]) -> Vec<String> {
        hosts.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn each_scope_has_an_address_of_its_own() {
        let all = hosts(&[
            "10.0.0.0/8",
            "10.0.0.0/9",
            "10.128.0.0/9",
            "10.0.0.0/24",
            "10.0.0.0",
            "10.0.0.0/32",
            "192.0.2.1",
            "::/0",
        ]);
        let scopes = HostScope::all(&all);
        // Two halves leave nothing of their whole, and an address nothing of the range of one.
        assert_eq!(scopes.len(), 2 + all.len() - 2);
        for scope in &scopes {
            let Some(address) = scope.address(&scopes) else {
                continue;
            };
            let includes = |host: &&Host| host.includes(address);
            let narrowest = all
                .iter()
                .filter(includes)
                .min_by_key(|host| host.breadth());
            assert_eq!(
                narrowest.cloned().unwrap_or(Host::Any),
                scope.host().unwrap()
            );
        }
        assert_eq!(
            HostScope::all(&hosts(&["0.0.0.0/0", "::/0"])).len(),
            4,
            "`0.0.0.0` is in no range"
        );
    }

    #[test]
    fn sets_are_covered_without_the_others() {
        let covered = |set: &[&str], others: &[&str]| texts(&cover(&hosts(set), &hosts(others)));
        assert_eq!(covered(&["10.0.0.0/30", "10.0.0.1"], &[]), ["10.0.0.0/30"]);
        assert_eq!(
            covered(&["10.0.0.0/30"], &["10.0.0.1"]),
            ["10.0.0.0/32", "10.0.0.2/31"]
        );
        assert_eq!(
            covered(&["10.0.0.0/30", "10.0.0.2"], &["10.0.0.2/31", "10.0.0.9"]),
            ["10.0.0.0/31", "10.0.0.2"]
        );
        assert_eq!(covered(&["10.0.0.1"], &["10.0.0.0/8"]), ["10.0.0.1"]);
    }
}
