//! The client behind trusted proxies: `X-Forwarded-For` and `X-Forwarded-Proto`, or `Forwarded`
//! (RFC 7239).

use std::net::{IpAddr, SocketAddr};

use axum::http::header::FORWARDED;
use axum::http::{HeaderMap, HeaderName};

use super::trusted_proxies::TrustedProxies;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// What proxies say about the client of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ForwardedClient {
    /// Its address; the port is 0 if it is not known.
    pub(crate) address: SocketAddr,
    /// Whether it encrypted the request; `None` if the proxies do not say.
    pub(crate) is_encrypted: Option<bool>,
}

/// The two headers name different clients, so that a client has written one of them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ambiguous;

/// An entry of a header, by one proxy.
struct Hop {
    /// Who sent the request to the proxy; `None` if this cannot be read.
    from: Option<SocketAddr>,
    is_encrypted: Option<bool>,
}

/// The client of a request that a peer has sent. Only a trusted proxy says who that is: the last
/// one in the headers that is not a trusted proxy. Everything before it was written by others. An
/// entry that cannot be read ends the search, and the proxy that wrote it counts as the client.
///
/// # Errors
/// See [`Ambiguous`].
pub(crate) fn find_client(
    peer: SocketAddr,
    headers: &HeaderMap,
    proxies: &TrustedProxies,
) -> Result<ForwardedClient, Ambiguous> {
    if !proxies.contains(peer.ip()) {
        return Ok(ForwardedClient {
            address: peer,
            is_encrypted: None,
        });
    }
    let by_list = named_client(peer, headers, &X_FORWARDED_FOR, list_hop, proxies);
    let by_element = named_client(peer, headers, &FORWARDED, hop, proxies);
    let scheme = entries(headers, &X_FORWARDED_PROTO)
        .next()
        .and_then(is_encrypted);
    match (by_list, by_element) {
        (Some(list), Some(element)) if list.address.ip() != element.address.ip() => Err(Ambiguous),
        (Some(list), Some(element)) => {
            // The client may have written the element, so only what it says against encryption
            // counts.
            let is_encrypted = match element.is_encrypted {
                Some(false) => of_both(scheme, Some(false)),
                Some(true) | None => scheme,
            };
            Ok(ForwardedClient {
                is_encrypted,
                ..list
            })
        }
        (Some(one), None) | (None, Some(one)) => Ok(ForwardedClient {
            is_encrypted: of_both(scheme, one.is_encrypted),
            ..one
        }),
        (None, None) => Ok(ForwardedClient {
            address: peer,
            is_encrypted: scheme,
        }),
    }
}

/// Whether the client encrypted the request, by the two headers that say so: it may have written
/// the one that the proxies do not.
fn of_both(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one && other),
        (one, other) => one.or(other),
    }
}

/// The client that a header names, if there is the header.
fn named_client(
    proxy: SocketAddr,
    headers: &HeaderMap,
    name: &HeaderName,
    read: fn(&str) -> Hop,
    proxies: &TrustedProxies,
) -> Option<ForwardedClient> {
    if !headers.contains_key(name) {
        return None;
    }
    let mut found = ForwardedClient {
        address: proxy,
        is_encrypted: None,
    };
    for entry in entries(headers, name) {
        let hop = read(entry);
        let Some(from) = hop.from else { break };
        found = ForwardedClient {
            address: from,
            is_encrypted: hop.is_encrypted,
        };
        if !proxies.contains(from.ip()) {
            break;
        }
    }
    Some(found)
}

/// The entries of a header in all of its lines, the last one first. An entry is read by itself, so
/// that an open quote or another byte in one that a client has written does not change the ones
/// after it.
fn entries<'h>(
    headers: &'h HeaderMap,
    name: &HeaderName,
) -> impl Iterator<Item = &'h str> + use<'h> {
    let lines: Vec<_> = headers.get_all(name).iter().collect();
    let entries = lines
        .into_iter()
        .rev()
        .flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b','));
    entries.map(|entry| std::str::from_utf8(entry).unwrap_or("?").trim())
}

fn is_encrypted(scheme: &str) -> Option<bool> {
    if scheme.is_empty() {
        return None;
    }
    Some(scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("wss"))
}

/// An entry of `X-Forwarded-For`.
fn list_hop(entry: &str) -> Hop {
    Hop {
        from: node(entry),
        is_encrypted: None,
    }
}

/// An element of `Forwarded`, such as `for="[2001:db8::1]:4711";proto=https`.
fn hop(element: &str) -> Hop {
    let is_whole = element.matches('"').count().is_multiple_of(2);
    let from = match parameter(element, "for") {
        Some(text) if is_whole => node(text),
        _ => None,
    };
    Hop {
        from,
        is_encrypted: parameter(element, "proto").and_then(is_encrypted),
    }
}

/// The value of a parameter that occurs once.
fn parameter<'e>(element: &'e str, name: &str) -> Option<&'e str> {
    let mut found = None;
    for pair in element.split(';') {
        if let Some((known, value)) = pair.split_once('=')
            && known.trim().eq_ignore_ascii_case(name)
        {
            if found.is_some() {
                return None;
            }
            found = Some(value.trim());
        }
    }
    let value = match found?.strip_prefix('"') {
        Some(quoted) => quoted.strip_suffix('"')?,
        None => found?,
    };
    (!value.contains(['"', '\\'])).then_some(value)
}

/// An address with or without a port.
fn node(text: &str) -> Option<SocketAddr> {
    if let Ok(address) = text.parse::<SocketAddr>() {
        return Some(address);
    }
    let address = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'))
        .unwrap_or(text);
    Some(SocketAddr::new(
        address.parse::<IpAddr>().ok()?.to_canonical(),
        0,
    ))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn read(headers: &[(&str, &str)]) -> Result<(String, Option<bool>), Ambiguous> {
        let proxies =
            TrustedProxies::parse(&["10.0.0.0/8".to_owned(), "2001:db8::/64".to_owned()]).unwrap();
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
            map.append(HeaderName::from_bytes(name.as_bytes()).unwrap(), value);
        }
        let client = find_client("10.0.0.1:9".parse().unwrap(), &map, &proxies)?;
        Ok((client.address.to_string(), client.is_encrypted))
    }

    fn address(headers: &[(&str, &str)]) -> String {
        read(headers).unwrap().0
    }

    #[test]
    fn the_last_address_that_is_not_a_proxy_is_the_client() {
        for (list, client) in [
            ("192.0.2.1", "192.0.2.1:0"),
            ("6.6.6.6, 192.0.2.1", "192.0.2.1:0"),
            ("6.6.6.6,192.0.2.1,10.0.0.2 , 10.0.0.3", "192.0.2.1:0"),
            ("192.0.2.1:4711", "192.0.2.1:4711"),
            ("2001:db9::1", "[2001:db9::1]:0"),
            ("[2001:db9::1]:4711, 2001:db8::2", "[2001:db9::1]:4711"),
            ("::ffff:192.0.2.1", "192.0.2.1:0"),
            ("10.0.0.3, 10.0.0.2", "10.0.0.3:0"),
            ("6.6.6.6, unknown, 10.0.0.2", "10.0.0.2:0"),
            ("6.6.6.6, ", "10.0.0.1:9"),
            ("\u{d8}, 192.0.2.1", "192.0.2.1:0"),
            ("6.6.6.6, x", "10.0.0.1:9"),
        ] {
            assert_eq!(address(&[("x-forwarded-for", list)]), client, "{list}");
        }
        assert_eq!(address(&[]), "10.0.0.1:9");
        assert_eq!(
            address(&[
                ("x-forwarded-for", "6.6.6.6"),
                ("x-forwarded-for", "192.0.2.1")
            ]),
            "192.0.2.1:0"
        );
    }

    #[test]
    fn elements_of_the_standard_header_are_read() {
        for (elements, client, is_encrypted) in [
            (
                "for=192.0.2.1;proto=https;by=10.0.0.1",
                "192.0.2.1:0",
                Some(true),
            ),
            (
                "For=\"[2001:db9::1]:4711\"; Proto=http",
                "[2001:db9::1]:4711",
                Some(false),
            ),
            (
                "for=6.6.6.6, for=192.0.2.1, for=10.0.0.2;proto=https",
                "192.0.2.1:0",
                None,
            ),
            ("for=\"6.6.6.6, for=192.0.2.1", "192.0.2.1:0", None),
            ("for=192.0.2.1;host=\"x,for=6.6.6.6\"", "10.0.0.1:9", None),
            ("for=192.0.2.1;for=6.6.6.6", "10.0.0.1:9", None),
            ("for=_hidden, for=10.0.0.2", "10.0.0.2:0", None),
            ("proto=https", "10.0.0.1:9", None),
        ] {
            assert_eq!(
                read(&[("forwarded", elements)]),
                Ok((client.to_owned(), is_encrypted)),
                "{elements}"
            );
        }
    }

    #[test]
    fn two_headers_must_name_the_same_client() {
        let both = |element| read(&[("x-forwarded-for", "192.0.2.1"), ("forwarded", element)]);
        assert_eq!(both("for=6.6.6.6"), Err(Ambiguous));
        assert_eq!(
            both("for=\"192.0.2.1:4711\";proto=https"),
            Ok(("192.0.2.1:0".to_owned(), None))
        );
        assert_eq!(both(""), Err(Ambiguous));
        let denied = [
            ("x-forwarded-for", "192.0.2.1"),
            ("x-forwarded-proto", "https"),
            ("forwarded", "for=192.0.2.1;proto=http"),
        ];
        assert_eq!(
            read(&denied).unwrap().1,
            Some(false),
            "a client wrote the other two"
        );
    }

    #[test]
    fn the_scheme_is_that_of_the_last_proxy() {
        let scheme = |text| {
            read(&[
                ("x-forwarded-for", "192.0.2.1"),
                ("x-forwarded-proto", text),
            ])
            .unwrap()
            .1
        };
        assert_eq!(
            (
                scheme("https"),
                scheme("HTTP"),
                scheme("http, https"),
                scheme("")
            ),
            (Some(true), Some(false), Some(true), None)
        );
        assert_eq!(
            scheme("https, http"),
            Some(false),
            "the first one may be the client's own"
        );
        let both = |element, proto| {
            read(&[("forwarded", element), ("x-forwarded-proto", proto)])
                .unwrap()
                .1
        };
        assert_eq!(
            both("for=192.0.2.1;proto=http", "https"),
            Some(false),
            "a client wrote the other header"
        );
        assert_eq!(
            (
                both("for=192.0.2.1;proto=https", "https"),
                both("for=192.0.2.1", "https")
            ),
            (Some(true), Some(true))
        );
    }
}
