//! The proxy that the environment names. Only https passes through it: with plain http, it would
//! read the credentials.

use reqwest::{NoProxy, Url};

use crate::output::Failure;
use crate::process::Process;

/// The variables that name a proxy; the first one that is set counts.
const VARIABLES: [&str; 4] = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
/// The variables that list the hosts without proxy.
const EXCEPTIONS: [&str; 2] = ["NO_PROXY", "no_proxy"];
/// This machine, which no proxy reaches.
const THIS_MACHINE: &str = "localhost,127.0.0.0/8,::1";

/// A proxy.
#[derive(Debug, Clone)]
pub(super) struct Proxy {
    url: Url,
    /// The hosts without proxy, as reqwest reads them.
    exceptions: String,
}

impl Proxy {
    /// The proxy in the environment.
    pub(super) fn of_environment(process: &Process) -> Result<Option<Self>, Failure> {
        let Some((variable, value)) = first_of(process, &VARIABLES) else {
            return Ok(None);
        };
        let exceptions =
            first_of(process, &EXCEPTIONS).map_or_else(String::new, |(_, hosts)| hosts);
        // A value that cannot be read is not passed over: the connection would go around the proxy.
        let url = parse(&value).ok_or_else(|| {
            // The value can contain a password.
            Failure::usage(format!(
                "{variable}: it is not the URL of a proxy; write http://HOST:PORT or https://HOST:PORT"
            ))
        })?;
        Ok(Some(Self {
            url,
            exceptions: format!("{THIS_MACHINE},{exceptions}"),
        }))
    }

    /// The proxy for https.
    pub(super) fn for_https(&self) -> reqwest::Result<reqwest::Proxy> {
        Ok(reqwest::Proxy::https(self.url.clone())?
            .no_proxy(NoProxy::from_string(&self.exceptions)))
    }

    /// Its address without credentials.
    pub(super) fn address(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        self.url
            .port_or_known_default()
            .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }
}

/// The first of these variables that is set, and its value.
fn first_of(process: &Process, names: &[&'static str]) -> Option<(&'static str, String)> {
    // What is not UTF-8 is no URL, and is refused as one.
    let value = |name: &str| {
        process
            .variable_os(name)
            .map(|value| value.to_string_lossy().into_owned())
    };
    names.iter().find_map(|name| {
        value(name)
            .filter(|value| !value.is_empty())
            .map(|value| (*name, value))
    })
}

/// Reads the URL of a proxy, which may lack `http://`.
fn parse(text: &str) -> Option<Url> {
    let text = if text.contains("://") {
        text.to_owned()
    } else {
        format!("http://{text}")
    };
    let url = Url::parse(&text).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_is_a_url_of_http_or_https_and_its_address_has_no_credentials() {
        for (text, address) in [
            ("http://proxy.example:3128", Some("proxy.example:3128")),
            ("https://proxy.example", Some("proxy.example:443")),
            ("proxy.example:3128", Some("proxy.example:3128")),
            (
                "http://user:p%40ss@proxy.example:3128/",
                Some("proxy.example:3128"),
            ),
            ("user:password@proxy.example", Some("proxy.example:80")),
            ("[::1]:3128", Some("[::1]:3128")),
            ("socks5://proxy.example", None),
            ("file:///proxy", None),
            ("http://", None),
            ("a b", None),
        ] {
            let proxy = parse(text).map(|url| Proxy {
                url,
                exceptions: String::new(),
            });
            assert_eq!(
                proxy.map(|proxy| proxy.address()).as_deref(),
                address,
                "{text}"
            );
        }
    }
}
