//! URLs from users: those to fetch from, and the base URL of an API.

use std::fmt;
use std::net::IpAddr;

use gbac_engine::escape::escaped;
use url::{Host, Url};

/// The error of a URL to fetch from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddressError {
    /// It is not a URL.
    NotAUrl(String),
    /// Neither https, nor http to loopback.
    NotSafe(String),
    /// It contains a user name or a password.
    Credentials,
}

impl AddressError {
    /// The stable code of the error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotAUrl(_) => "address_invalid",
            Self::NotSafe(_) => "address_not_safe",
            Self::Credentials => "address_with_credentials",
        }
    }

    /// The recommended correction.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::NotAUrl(_) => {
                "write the full URL, such as `https://idp.example/.well-known/openid-configuration`"
            }
            Self::NotSafe(_) => {
                "use https, or http to this machine, such as `http://127.0.0.1:8080/`"
            }
            Self::Credentials => "remove them; the document is public",
        }
    }
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAUrl(text) => write!(f, "`{}` is not a URL", escaped(text)),
            Self::NotSafe(text)
                if text
                    .trim_start()
                    .get(..5)
                    .is_some_and(|scheme| scheme.eq_ignore_ascii_case("http:")) =>
            {
                write!(
                    f,
                    "`{}`: plain HTTP to a remote host is not trusted",
                    escaped(text)
                )
            }
            Self::NotSafe(text) => write!(f, "`{}` is neither https nor http", escaped(text)),
            Self::Credentials => f.write_str("the URL contains a user name or a password"),
        }
    }
}

impl std::error::Error for AddressError {}

/// Parses a URL to fetch from: https, or http to loopback.
///
/// # Errors
/// See [`AddressError`].
pub fn address(text: &str) -> Result<Url, AddressError> {
    let url = Url::parse(text).map_err(|_| AddressError::NotAUrl(text.into()))?;
    let host = url
        .host_str()
        .ok_or_else(|| AddressError::NotAUrl(text.into()))?;
    let name = host.trim_start_matches('[').trim_end_matches(']');
    let is_loopback = name == "localhost"
        || name
            .parse::<IpAddr>()
            .is_ok_and(|ip| ip.to_canonical().is_loopback());
    if !url.username().is_empty() || url.password().is_some() {
        return Err(AddressError::Credentials);
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_loopback => Ok(url),
        _ => Err(AddressError::NotSafe(text.into())),
    }
}

/// A base URL: http or https, with an optional path, and nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl(String);

/// The error of a base URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BaseUrlError {
    /// It is not an http or https URL.
    NotAUrl(String),
    /// It contains a user name, a password, a query or a fragment.
    Surplus,
}

impl BaseUrlError {
    /// The stable code of the error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotAUrl(_) => "base_url_invalid",
            Self::Surplus => "base_url_extra_parts",
        }
    }

    /// The recommended correction.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::NotAUrl(_) => "write the full URL, such as `https://cluster.example:9644`",
            Self::Surplus => "remove the user name, password, query and fragment",
        }
    }
}

impl fmt::Display for BaseUrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAUrl(text) => write!(f, "`{}` is not the base URL of an API", escaped(text)),
            // The text is not repeated, because it can contain a password.
            Self::Surplus => {
                f.write_str("the URL contains more than a scheme, a host, a port and a path")
            }
        }
    }
}

impl std::error::Error for BaseUrlError {}

impl BaseUrl {
    /// Parses a base URL.
    ///
    /// # Errors
    /// See [`BaseUrlError`].
    pub fn parse(text: &str) -> Result<Self, BaseUrlError> {
        let url = Url::parse(text).map_err(|_| BaseUrlError::NotAUrl(text.into()))?;
        let surplus = !url.username().is_empty() || url.password().is_some();
        if surplus || url.query().is_some() || url.fragment().is_some() {
            return Err(BaseUrlError::Surplus);
        }
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(BaseUrlError::NotAUrl(text.into()));
        }
        Ok(Self(url.as_str().trim_end_matches('/').to_owned()))
    }

    /// Whether it is the machine of the program that uses it: by name, a loopback address, or the
    /// unspecified address, which systems treat as their own.
    #[must_use]
    pub fn is_this_machine(&self) -> bool {
        let Ok(url) = Url::parse(&self.0) else {
            return false;
        };
        match url.host() {
            Some(Host::Domain(name)) => {
                let name = name.trim_end_matches('.');
                name == "localhost" || name.ends_with(".localhost")
            }
            Some(Host::Ipv4(address)) => address.is_loopback() || address.is_unspecified(),
            Some(Host::Ipv6(address)) => {
                let address = IpAddr::V6(address).to_canonical();
                address.is_loopback() || address.is_unspecified()
            }
            None => false,
        }
    }

    /// The URL of a path and query; `None` if a URL parser would change the path.
    #[must_use]
    pub fn with(&self, path: &str, query: &str) -> Option<Url> {
        let url = Url::parse(&format!("{}{path}{query}", self.0)).ok()?;
        url.path().ends_with(path).then_some(url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_is_where_paths_are_put_behind() {
        for (text, base) in [
            ("https://api.example", "https://api.example"),
            ("HTTP://10.0.0.1:9644/", "http://10.0.0.1:9644"),
            ("https://api.example/a/b/", "https://api.example/a/b"),
        ] {
            let found = BaseUrl::parse(text).unwrap();
            assert_eq!(found.0, base);
            assert_eq!(
                found.with("/v1/acls", "?x=1").unwrap().as_str(),
                format!("{base}/v1/acls?x=1")
            );
        }
        for path in [
            "/v1/../secret",
            "/v1/%2e%2E/secret",
            "/v1/a?b",
            "/v1/a#b",
            "/v1/a\\..\\b",
        ] {
            assert_eq!(
                BaseUrl::parse("http://h").unwrap().with(path, ""),
                None,
                "{path}"
            );
        }
    }

    #[test]
    fn anything_more_is_refused_without_being_repeated() {
        for text in [
            "",
            "x",
            "api.example:9644",
            "ftp://x",
            "file:///etc",
            "http://",
            "mailto:a@b",
        ] {
            assert_eq!(
                BaseUrl::parse(text).unwrap_err().code(),
                "base_url_invalid",
                "{text}"
            );
        }
        for text in [
            "https://me:secret@x",
            "https://me@x",
            "https://x?secret",
            "https://x#secret",
        ] {
            let error = BaseUrl::parse(text).unwrap_err();
            assert_eq!(error.code(), "base_url_extra_parts");
            assert!(!error.to_string().contains("secret"));
        }
    }

    #[test]
    fn only_safe_addresses_are_fetched_from() {
        for text in [
            "https://idp.example/.well-known/openid-configuration",
            "https://10.0.0.1:8443/x",
            "http://127.0.0.1:8080/x",
            "http://localhost/x",
            "HTTP://LOCALHOST/x",
            "http://[::1]:1/",
            "http://127.1/",
        ] {
            assert!(address(text).is_ok(), "{text}");
        }
        for (text, code) in [
            ("", "address_invalid"),
            ("idp.example", "address_invalid"),
            ("http://idp.example/", "address_not_safe"),
            ("http://localhost.idp.example/", "address_not_safe"),
            ("http://127.0.0.1.nip.io/", "address_not_safe"),
            ("http://10.0.0.1/", "address_not_safe"),
            ("ftp://127.0.0.1/", "address_not_safe"),
            ("file:///etc/passwd", "address_invalid"),
            ("data:application/json,{}", "address_invalid"),
            ("https://u:p@idp.example/", "address_with_credentials"),
            ("http://127.0.0.1@idp.example/", "address_with_credentials"),
        ] {
            assert_eq!(address(text).unwrap_err().code(), code, "{text}");
        }
    }

    #[test]
    fn addresses_of_this_machine_are_recognized() {
        let is_this_machine = |text: &str| BaseUrl::parse(text).unwrap().is_this_machine();
        for text in [
            "http://localhost:1",
            "https://LOCALHOST./x",
            "https://a.localhost",
            "http://127.9.9.9",
            "http://0x7f000001",
            "https://[::1]:1",
            "https://[::ffff:127.0.0.1]",
            "http://0.0.0.0",
            "http://[::]",
        ] {
            assert!(is_this_machine(text), "{text}");
        }
        for text in [
            "https://10.0.0.1",
            "https://localhost.example",
            "https://xlocalhost",
            "https://[2001:db8::1]",
        ] {
            assert!(!is_this_machine(text), "{text}");
        }
    }
}
