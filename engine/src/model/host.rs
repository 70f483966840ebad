//! Hosts of ACLs: any, one address, or in Kafka a range of addresses or a name (D-04, D-71, D-72).

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use super::Dialect;
use crate::escape::escaped;
use crate::text::plain_number;

/// From where a request may come (D-04).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Host {
    /// `*`.
    Any,
    /// One IPv4 or IPv6 address; an IPv4-mapped IPv6 address is kept as its IPv4 one.
    Address(IpAddr),
    /// The addresses of a range (dialect `kafka`).
    Range(HostRange),
    /// A name, which matches no request (dialect `kafka`).
    Name(HostName),
}

/// The addresses that share their first bits, as CIDR notation names them. The other bits of the
/// address are kept as they were written: `10.0.0.5/8` and `10.0.0.0/8` are two ACLs of Kafka for
/// the same addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostRange {
    address: IpAddr,
    prefix: u8,
}

/// The name of a host, kept as it is written. Kafka stores ACLs with names and compares them with
/// addresses, so that they never match (D-71).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostName(Arc<str>);

impl HostName {
    /// The maximum length of a name, in bytes.
    pub const MAX_BYTES: usize = 253;

    /// Reads a name such as `broker1.example.com`: letters, digits, `.`, `_` and `-`, which is not
    /// the first character, because tools would read it as an option.
    ///
    /// ```
    /// use gbac_engine::model::HostName;
    ///
    /// assert!(HostName::parse("broker1.example.com").is_some());
    /// assert!(HostName::parse("broker 1").is_none() && HostName::parse("").is_none());
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_short = (1..=Self::MAX_BYTES).contains(&text.len());
        let is_name = text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'));
        let is_option = text.as_bytes().first() == Some(&b'-');
        match is_short && is_name && !is_option {
            true => Some(Self(text.into())),
            false => None,
        }
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A text that names no host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostError {
    text: String,
    /// Whether it is the address of a request, which cannot be `*`.
    is_address: bool,
}

codes! {
    pub HostError {
        _ => "host_invalid",
    }
}

impl HostError {
    /// This text names no host.
    pub(super) fn new(text: &str) -> Self {
        Self {
            text: text.into(),
            is_address: false,
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match (self.is_address, self.text.as_str()) {
            (true, "*") => "omit the host if it is unknown; only ACLs have `*`",
            (_, text) if text.contains('%') => "remove the zone (`%...`)",
            (true, text) if text.contains('/') => "write one address, not a range",
            (false, text) if text.contains('/') => "write one address or `*`, not a range",
            (true, _) => {
                "write an IPv4 address such as `10.0.0.7`, or an IPv6 address without brackets"
            }
            (false, _) => {
                "write `*`, an IPv4 address such as `10.0.0.7`, or an IPv6 address without brackets"
            }
        }
    }
}

impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let problem = if self.is_address {
            "not an IP address"
        } else {
            "neither `*` nor an IP address"
        };
        write!(f, "`{}` is {problem}", escaped(&self.text))
    }
}

impl std::error::Error for HostError {}

impl HostRange {
    /// Reads a range such as `10.0.0.0/8`.
    ///
    /// ```
    /// use gbac_engine::model::HostRange;
    ///
    /// let range = HostRange::parse("10.0.0.0/8").expect("a range");
    /// assert!(range.contains([10, 1, 2, 3].into()) && !range.contains([11, 0, 0, 1].into()));
    /// assert!(HostRange::parse("10.0.0.0/33").is_none());
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (address, prefix) = text.split_once('/')?;
        Self::new(address.parse().ok()?, plain_number(prefix)?)
    }

    /// The addresses that share so many bits with this one. A range of IPv4-mapped addresses is
    /// none: Kafka knows the addresses in it as IPv4 ones only.
    #[must_use]
    pub fn new(address: IpAddr, prefix: u32) -> Option<Self> {
        let is_range = prefix <= bits(address) && address.to_canonical() == address;
        let prefix = u8::try_from(prefix).ok().filter(|_| is_range)?;
        Some(Self { address, prefix })
    }

    /// How many bits of the address differ within the range.
    #[must_use]
    pub fn free_bits(self) -> u8 {
        bits(self.address) as u8 - self.prefix
    }

    /// Whether an address is in it; it is in no IPv4 range if it is not an IPv4 address. As in
    /// Kafka, `0.0.0.0`, which no client has, is in no range.
    #[must_use]
    pub fn contains(self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        address != IpAddr::V4(Ipv4Addr::UNSPECIFIED) && self.shares_bits_with(address)
    }

    /// Whether this range contains all addresses of another range.
    #[must_use]
    pub fn covers(self, other: Self) -> bool {
        self.prefix <= other.prefix && self.shares_bits_with(other.address)
    }

    fn shares_bits_with(self, address: IpAddr) -> bool {
        address.is_ipv4() == self.address.is_ipv4()
            && self.start_of(address) == self.start_of(self.address)
    }

    /// The address as written.
    #[must_use]
    pub const fn address(self) -> IpAddr {
        self.address
    }

    /// The number of leading bits that all addresses of the range share.
    #[must_use]
    pub const fn prefix(self) -> u8 {
        self.prefix
    }

    /// The same range, written with its first address.
    #[must_use]
    pub fn normalized(self) -> Self {
        Self {
            address: self.ends().0,
            ..self
        }
    }

    /// The two halves; `None` if the range has one address.
    #[must_use]
    pub fn halves(self) -> Option<[Self; 2]> {
        let prefix = self.prefix + u8::from(self.free_bits() > 0);
        let (start, end) = self.ends();
        (prefix > self.prefix)
            .then(|| [start, end].map(|address| Self { address, prefix }.normalized()))
    }

    /// The first address and the last one.
    #[must_use]
    pub fn ends(self) -> (IpAddr, IpAddr) {
        let start = self.start_of(self.address);
        let end = start
            | 1_u128
                .checked_shl(self.free_bits().into())
                .map_or(u128::MAX, |size| size - 1);
        (
            address_of(start, self.address.is_ipv4()),
            address_of(end, self.address.is_ipv4()),
        )
    }

    fn start_of(self, address: IpAddr) -> u128 {
        let free = u32::from(self.free_bits());
        number(address)
            .checked_shr(free)
            .and_then(|kept| kept.checked_shl(free))
            .unwrap_or(0)
    }
}

/// The number of bits of an address.
const fn bits(address: IpAddr) -> u32 {
    if address.is_ipv4() { 32 } else { 128 }
}

/// An address as a number.
fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u32::from(address).into(),
        IpAddr::V6(address) => address.into(),
    }
}

fn address_of(number: u128, is_ipv4: bool) -> IpAddr {
    if is_ipv4 {
        IpAddr::V4((number as u32).into())
    } else {
        IpAddr::V6(number.into())
    }
}

impl fmt::Display for HostRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

impl Host {
    /// Parses `*` or one address.
    ///
    /// # Errors
    /// The text is anything else, such as a range, a name, or an address with a zone.
    ///
    /// ```
    /// use gbac_engine::model::Host;
    /// assert_eq!(Host::parse("::ffff:10.0.0.7")?, Host::parse("10.0.0.7")?);
    /// assert!(Host::parse("10.0.0.0/8").is_err());
    /// # Ok::<(), gbac_engine::model::HostError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, HostError> {
        match text {
            "*" => Ok(Self::Any),
            _ => Self::parse_address(text)
                .map(Self::Address)
                .map_err(|_| HostError::new(text)),
        }
    }

    /// Parses the host of an ACL in a dialect. In Kafka, it can be a range or a name.
    ///
    /// # Errors
    /// Those of [`Host::parse`].
    ///
    /// ```
    /// use gbac_engine::model::{Dialect, Host};
    /// let host = Host::parse_in(Dialect::Kafka, "10.0.0.0/8")?;
    /// assert!(host.includes("10.1.2.3".parse().unwrap()));
    /// let name = Host::parse_in(Dialect::Kafka, "broker1.example.com")?;
    /// assert!(!name.includes("10.1.2.3".parse().unwrap()));
    /// assert!(Host::parse_in(Dialect::Platform, "10.0.0.0/8").is_err());
    /// assert!(Host::parse_in(Dialect::Platform, "broker1.example.com").is_err());
    /// # Ok::<(), gbac_engine::model::HostError>(())
    /// ```
    pub fn parse_in(dialect: Dialect, text: &str) -> Result<Self, HostError> {
        if dialect != Dialect::Kafka {
            return Self::parse(text);
        }
        if let Some(range) = HostRange::parse(text) {
            return Ok(Self::Range(range));
        }
        match Self::parse(text) {
            Err(error) => HostName::parse(text).map(Self::Name).ok_or(error),
            host => host,
        }
    }

    /// Parses the address of a request.
    ///
    /// # Errors
    /// The text is not an address. `*` is not an address either.
    pub fn parse_address(text: &str) -> Result<IpAddr, HostError> {
        text.parse::<IpAddr>()
            .map(|address| address.to_canonical())
            .map_err(|_| HostError {
                text: text.into(),
                is_address: true,
            })
    }

    /// Whether the host matches a request from an address.
    #[must_use]
    pub fn includes(&self, address: IpAddr) -> bool {
        match self {
            Self::Any => true,
            Self::Address(own) => *own == address.to_canonical(),
            Self::Range(range) => range.contains(address),
            Self::Name(_) => false,
        }
    }

    /// Whether this host matches every request that another host matches. A name covers only
    /// itself, and only any host covers it.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Any, _) => true,
            (_, Self::Any) => false,
            (Self::Range(range), Self::Range(other)) => range.covers(*other),
            (Self::Address(own), Self::Range(other)) => {
                other.free_bits() == 0 && other.contains(*own)
            }
            (_, Self::Address(address)) => self.includes(*address),
            (Self::Name(_), _) | (_, Self::Name(_)) => self == other,
        }
    }

    /// Whether a request can match both hosts. Two ranges either have no address in common, or one
    /// covers the other.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Name(_), _) | (_, Self::Name(_)) => false,
            _ => self.covers(other) || other.covers(self),
        }
    }

    /// The rank by number of addresses: one address or a name first, then ranges, the smallest
    /// first, then any (D-20, D-72).
    #[must_use]
    pub fn breadth(&self) -> u8 {
        match self {
            Self::Address(_) | Self::Name(_) => 0,
            Self::Range(range) => 1 + range.free_bits(),
            Self::Any => u8::MAX,
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("*"),
            Self::Address(address) => address.fmt(f),
            Self::Range(range) => range.fmt(f),
            Self::Name(name) => f.write_str(name.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_compare_as_addresses() {
        let host = |text| Host::parse(text).unwrap();
        assert_eq!(host("::ffff:10.0.0.1"), host("10.0.0.1"));
        assert_eq!(host("0:0:0:0:0:0:0:1"), host("::1"));
        for text in [
            "10.0.0.0/8",
            "localhost",
            "fe80::1%eth0",
            "",
            " 10.0.0.1",
            "[::1]",
            "010.0.0.1",
            "**",
        ] {
            assert_eq!(
                Host::parse(text).unwrap_err().code(),
                "host_invalid",
                "{text}"
            );
        }
    }

    #[test]
    fn an_address_is_never_advised_to_be_every_host() {
        for text in ["*", "10.0.0.0/8", "localhost", "[::1]"] {
            let error = Host::parse_address(text).unwrap_err();
            let advice = error.hint().replace("only ACLs have `*`", "");
            assert!(
                !advice.contains('*') && !error.to_string().contains("neither"),
                "{error}; {advice}"
            );
        }
        assert!(
            Host::parse_address("*")
                .unwrap_err()
                .hint()
                .starts_with("omit the host")
        );
    }

    #[test]
    fn a_name_is_kept_in_kafka_and_is_nobodys_address() {
        let longest = "a".repeat(HostName::MAX_BYTES);
        for text in [
            "localhost",
            "Broker-1.Example.com.",
            "_kafka",
            "10.0.0",
            "010.0.0.1",
            "300.1.1.1",
            &longest,
        ] {
            let host = Host::parse_in(Dialect::Kafka, text).unwrap();
            assert!(matches!(host, Host::Name(_)), "{host:?}");
            assert_eq!(host.to_string(), text);
            for client in ["127.0.0.1", "::1", "10.0.0.1", "0.0.0.0"] {
                assert!(
                    !host.includes(client.parse().unwrap()),
                    "{client} is {text}"
                );
            }
            assert!(host.covers(&host) && Host::Any.covers(&host) && !host.covers(&Host::Any));
            assert!(!host.overlaps(&Host::Any) && !host.overlaps(&host));
            assert!(Host::parse_in(Dialect::Platform, text).is_err(), "{text}");
            assert!(Host::parse_address(text).is_err(), "{text}");
        }
        let too_long = "a".repeat(HostName::MAX_BYTES + 1);
        for text in [
            "",
            "-",
            "--help",
            "a b",
            "a,b",
            "b\u{fc}ro",
            "a\n",
            "a\0",
            "*.example.com",
            "a:9092",
            "http://a",
            "a/24",
            "10.0.0.0/33",
            "fe80::1%eth0",
            "[::1]",
            &too_long,
        ] {
            let error = Host::parse_in(Dialect::Kafka, text).unwrap_err();
            assert_eq!(error.code(), "host_invalid", "{text}");
        }
    }

    /// What Kafka 4.4 says to the same texts.
    #[test]
    fn ranges_contain_what_they_do_in_kafka() {
        let contains = |range: &str, address: &str| {
            HostRange::parse(range).is_some_and(|range| range.contains(address.parse().unwrap()))
        };
        for (range, address) in [
            ("10.0.0.0/8", "10.1.2.3"),
            ("10.9.9.9/8", "10.1.2.3"),
            ("10.0.0.0/8", "10.0.0.0"),
            ("10.0.0.0/8", "10.255.255.255"),
            ("0.0.0.0/0", "1.2.3.4"),
            ("0.0.0.0/31", "0.0.0.1"),
            ("10.1.2.3/32", "10.1.2.3"),
            ("10.1.2.3/31", "10.1.2.2"),
            ("::1/128", "::1"),
            ("::/0", "::1"),
            ("2001:db8::/32", "2001:db8::1"),
            ("2001:DB8::5/32", "2001:db8::1"),
            ("2001:db8:0:0::/33", "2001:db8::1"),
            ("10.0.0.0/8", "::ffff:10.1.2.3"),
        ] {
            assert!(contains(range, address), "{address} in {range}");
        }
        for (range, address) in [
            ("10.0.0.0/33", "10.1.2.3"),
            ("10.0.0.0/8 ", "10.1.2.3"),
            ("10.0.0.0/+8", "10.1.2.3"),
            ("10.0/8", "10.1.2.3"),
            ("::ffff:10.0.0.0/104", "10.1.2.3"),
            ("::/0", "10.1.2.3"),
            ("::1.2.3.4/96", "1.2.3.4"),
            ("2001:db8::/129", "2001:db8::1"),
            ("0.0.0.0/0", "2001:db8::1"),
            ("0.0.0.0/0", "0.0.0.0"),
            ("0.0.0.0/32", "0.0.0.0"),
            ("10.0.0.0/8", "11.0.0.0"),
            ("10.0.0.0/8", "9.255.255.255"),
        ] {
            assert!(!contains(range, address), "{address} in {range}");
        }
    }

    #[test]
    fn hosts_cover_and_overlap() {
        let host = |text| Host::parse_in(Dialect::Kafka, text).unwrap();
        let in_order = [
            "10.0.0.1",
            "10.0.0.1/32",
            "10.0.0.0/24",
            "10.0.0.0/8",
            "0.0.0.0/0",
            "*",
        ];
        for (place, narrow) in in_order.iter().enumerate() {
            for (other, broad) in in_order.iter().enumerate() {
                let (narrow, broad) = (host(narrow), host(broad));
                assert!(narrow.overlaps(&broad));
                // One address and the range of it are the same hosts.
                assert_eq!(
                    broad.covers(&narrow),
                    other >= place || other + place == 1,
                    "{broad} covers {narrow}"
                );
                assert_eq!(broad.breadth().cmp(&narrow.breadth()), other.cmp(&place));
            }
        }
        for (one, other) in [
            ("10.0.0.0/8", "11.0.0.0/8"),
            ("10.0.0.0/8", "::/0"),
            ("10.0.0.0/8", "11.0.0.1"),
        ] {
            assert!(!host(one).overlaps(&host(other)));
        }
        let ends = |text| HostRange::parse(text).unwrap().ends();
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        assert_eq!(
            ends("10.9.9.9/8"),
            (address("10.0.0.0"), address("10.255.255.255"))
        );
        assert_eq!(
            ends("::/0"),
            (
                address("::"),
                address("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")
            )
        );
        assert_eq!(ends("::1/128"), (address("::1"), address("::1")));
    }
}
