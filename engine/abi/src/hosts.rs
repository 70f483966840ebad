//! The hosts of Kafka's ACLs. Kafka compares them as texts; this module converts them to the
//! engine's hosts.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use gbac_engine::{Host, HostRange};

/// A host of an ACL as Kafka interprets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KafkaHost {
    /// It matches like this host. The flag is true if no other text means the same host.
    Matches(Host, bool),
    /// It matches no client, because it is neither the text of an address in Java nor a range.
    Never,
}

/// Parses the host of an ACL like Kafka: `*`, the text of an address, or a range (D-72).
pub(crate) fn kafka_host(text: &str) -> KafkaHost {
    if text == "*" {
        return KafkaHost::Matches(Host::Any, true);
    }
    if let Some((address, prefix)) = text.split_once('/') {
        return match range(address, prefix) {
            Some(range) => KafkaHost::Matches(Host::Range(range), range.to_string() == text),
            None => KafkaHost::Never,
        };
    }
    match text.parse::<IpAddr>() {
        Ok(address) if java_text(address) == text => {
            KafkaHost::Matches(Host::Address(address), true)
        }
        _ => KafkaHost::Never,
    }
}

/// Parses the address of a client, without its zone.
pub(crate) fn client(text: &str) -> Option<IpAddr> {
    let address = match text.split_once('%') {
        Some((address, _)) => address,
        None => text,
    };
    Host::parse_address(address).ok()
}

/// The text of an address in Java: IPv6 with all eight groups.
fn java_text(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => address
            .segments()
            .map(|group| format!("{group:x}"))
            .join(":"),
    }
}

/// Parses a range like Kafka, which allows leading zeros, and brackets and numbers of zones with
/// IPv6 addresses.
fn range(address: &str, prefix: &str) -> Option<HostRange> {
    let is_ipv6 = address.contains(':');
    if !is_number(prefix, if is_ipv6 { 4 } else { 2 }) {
        return None;
    }
    let address = if is_ipv6 {
        let bare = address
            .strip_prefix('[')
            .and_then(|bare| bare.strip_suffix(']'))
            .unwrap_or(address);
        // A zone that is a number has no effect. One that is a name would have to be an interface
        // of the broker.
        let bare = match bare.split_once('%') {
            Some((bare, zone)) if is_number(zone, 9) => bare,
            _ => bare,
        };
        IpAddr::V6(bare.parse::<Ipv6Addr>().ok()?)
    } else {
        let mut octets = Vec::new();
        for octet in address.split('.') {
            if !is_number(octet, 3) {
                return None;
            }
            octets.push(octet.parse::<u8>().ok()?);
        }
        IpAddr::V4(Ipv4Addr::from(<[u8; 4]>::try_from(octets).ok()?))
    };
    HostRange::new(address, prefix.parse().ok()?)
}

fn is_number(text: &str, most: usize) -> bool {
    (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Kafka 4.4.0 answers.
    #[test]
    fn hosts_mean_what_they_do_in_kafka() {
        let includes = |host: &str, client_text: &str| match kafka_host(host) {
            KafkaHost::Matches(host, _) => host.includes(client(client_text).unwrap()),
            KafkaHost::Never => false,
        };
        for (host, client) in [
            ("*", "10.1.2.3"),
            ("10.1.2.3", "10.1.2.3"),
            ("0:0:0:0:0:0:0:1", "0:0:0:0:0:0:0:1"),
            ("10.0.0.0/8", "10.1.2.3"),
            ("010.0.0.0/08", "10.1.2.3"),
            ("0.0.0.0/0", "1.2.3.4"),
            ("2001:0db8::/032", "2001:db8:0:0:0:0:0:1"),
            ("[2001:db8::]/32", "2001:db8:0:0:0:0:0:1"),
            ("2001:db8::1.2.3.4/32", "2001:db8:0:0:0:0:0:1"),
            ("fe80::/10", "fe80:0:0:0:0:0:0:1%eth0"),
            ("fe80::%1/10", "fe80:0:0:0:0:0:0:1"),
            ("[fe80::%01]/10", "fe80:0:0:0:0:0:0:1%eth0"),
            ("0.0.0.0", "0.0.0.0"),
            ("0.0.0.0/31", "0.0.0.1"),
        ] {
            assert!(includes(host, client), "{client} is {host}");
        }
        for host in [
            "::1",
            "0:0:0:0:0:0:0:01",
            "::ffff:10.1.2.3",
            "010.1.2.3",
            "broker",
            "",
            "10.0.0.0/+8",
            "10.0.0.0/33",
            "10.0.0.0/8 ",
            "10.0/8",
            "10.0.0.0/255.0.0.0",
            "::ffff:10.0.0.0/104",
            "2001:db8::/129",
            "fe80::%lo/10",
            "fe80::%/10",
            "fe80::%1x/10",
            "%1/10",
            "10.0.0.0%1/8",
            "10.0.0.0/8/8",
            "/8",
            "10.0.0.0/",
        ] {
            assert_eq!(kafka_host(host), KafkaHost::Never, "{host}");
        }
        for host in ["0.0.0.0/0", "0.0.0.0/32"] {
            assert!(!includes(host, "0.0.0.0"), "{host}");
        }
        assert!(matches!(
            kafka_host("10.0.0.0/8"),
            KafkaHost::Matches(_, true)
        ));
        assert!(matches!(
            kafka_host("10.0.0.0/08"),
            KafkaHost::Matches(_, false)
        ));
        assert_eq!(client("localhost"), None);
    }
}
