//! The base address of an API: where its paths are put behind.

use std::fmt;

use url::Url;

/// A base address: http or https, perhaps with a path, and nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BaseUrl(String);

/// Why a text is no base address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BaseUrlError {
    /// It is no URL of http or https.
    NotAUrl(String),
    /// There is a user name, a password, a query or a fragment in it.
    Surplus,
}

impl BaseUrlError {
    /// A stable name of the fault.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotAUrl(_) => "base_url_invalid",
            Self::Surplus => "base_url_surplus",
        }
    }

    /// What to do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::NotAUrl(_) => "write it in full, such as `https://cluster.example:9644`",
            Self::Surplus => "leave out user name, password, query and fragment",
        }
    }
}

impl fmt::Display for BaseUrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAUrl(text) => write!(f, "`{}` is not the base address of an API", text.escape_debug()),
            // The text is not repeated: it may hold a password.
            Self::Surplus => f.write_str("the address holds more than a scheme, a host, a port and a path"),
        }
    }
}

impl std::error::Error for BaseUrlError {}

impl BaseUrl {
    /// Reads a base address.
    ///
    /// # Errors
    /// See [`BaseUrlError`].
    pub(crate) fn parse(text: &str) -> Result<Self, BaseUrlError> {
        let not = || BaseUrlError::NotAUrl(text.into());
        let url = Url::parse(text).map_err(|_| not())?;
        let surplus = !url.username().is_empty() || url.password().is_some();
        if surplus || url.query().is_some() || url.fragment().is_some() {
            return Err(BaseUrlError::Surplus);
        }
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(not());
        }
        Ok(Self(url.as_str().trim_end_matches('/').to_owned()))
    }

    /// The address of a path and query; `None` where reading it as a URL would change the path.
    pub(crate) fn with(&self, path: &str, query: &str) -> Option<Url> {
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
            assert_eq!(found.with("/v1/acls", "?x=1").unwrap().as_str(), format!("{base}/v1/acls?x=1"));
        }
        for path in ["/v1/../secret", "/v1/%2e%2E/secret", "/v1/a?b", "/v1/a#b", "/v1/a\\..\\b"] {
            assert_eq!(BaseUrl::parse("http://h").unwrap().with(path, ""), None, "{path}");
        }
    }

    #[test]
    fn anything_more_is_refused_without_being_repeated() {
        for text in ["", "x", "api.example:9644", "ftp://x", "file:///etc", "http://", "mailto:a@b"] {
            assert_eq!(BaseUrl::parse(text).unwrap_err().code(), "base_url_invalid", "{text}");
        }
        for text in ["https://me:secret@x", "https://me@x", "https://x?secret", "https://x#secret"] {
            let error = BaseUrl::parse(text).unwrap_err();
            assert_eq!(error.code(), "base_url_surplus");
            assert!(!error.to_string().contains("secret"));
        }
    }
}
