//! Sign-in with the identity provider, and the session that it opens (D-65, D-66).

use serde::{Deserialize, Serialize};

use crate::encode::query;
use crate::paths::SIGN_IN_PAGE;

/// The header that a request needs so that the cookie of a session counts. Pages of other origins
/// cannot send it (D-66).
pub const SESSION_HEADER: &str = "gbac-session";
/// The value of the header.
pub const SESSION_HEADER_VALUE: &str = "1";
/// The parameter with the page to which a sign-in returns.
pub const RETURN_PARAMETER: &str = "return";
/// The parameter with the code of a problem.
pub const PROBLEM_PARAMETER: &str = "problem";

/// The answer of `/gbac/v1/session`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CurrentSession {
    /// The session of the browser that asks, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<ProviderSession>,
}

/// A session that was opened with the identity provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderSession {
    /// The identity provider's issuer. Users of two issuers are different accounts, even under one
    /// name.
    pub issuer: String,
    /// The user's name.
    pub user: String,
    /// When it ends (RFC 3339).
    pub expires: String,
}

/// Why nobody is signed in after a sign-in with the identity provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignInProblem {
    /// The provider cannot be reached, or does not respond as a provider.
    ProviderUnavailable,
    /// The user, or the provider on behalf of the user, declined.
    Declined,
    /// The provider refused this service as a client, or its request.
    ProviderRefused,
    /// It took too long, was started in another window, or was not started here.
    Interrupted,
    /// The provider's token does not pass the checks of the service.
    TokenRefused,
    /// There were too many attempts from this address.
    TooManyAttempts,
    /// The audit event cannot be written.
    NotRecorded,
}

impl SignInProblem {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::ProviderUnavailable,
        Self::Declined,
        Self::ProviderRefused,
        Self::Interrupted,
        Self::TokenRefused,
        Self::TooManyAttempts,
        Self::NotRecorded,
    ];

    /// The stable code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::ProviderUnavailable => "provider_unavailable",
            Self::Declined => "declined",
            Self::ProviderRefused => "provider_refused",
            Self::Interrupted => "interrupted",
            Self::TokenRefused => "token_refused",
            Self::TooManyAttempts => "too_many_attempts",
            Self::NotRecorded => "audit_failed",
        }
    }

    /// The problem with this code.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|problem| problem.code() == code)
    }
}

/// The longest path to return to, in bytes.
const MAX_RETURN_BYTES: usize = 2048;
/// Where a sign-in returns if no page is named.
const START_PAGE: &str = "/";
/// The folder of the console's pages, and the pages beside it.
const PAGE_FOLDER: &str = "/security";
const PAGES: [&str; 2] = [START_PAGE, "/connection"];

/// The stated path, if it is that of a page of the console, with its query; otherwise the start
/// page. A sign-in never leads to another host.
#[must_use]
pub fn return_path(stated: Option<&str>) -> &str {
    stated.filter(|path| is_page(path)).unwrap_or(START_PAGE)
}

fn is_page(text: &str) -> bool {
    let path = text.split('?').next().unwrap_or_default();
    let is_below = path
        .strip_prefix(PAGE_FOLDER)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    text.len() <= MAX_RETURN_BYTES
        && (is_below || PAGES.contains(&path))
        && text.bytes().all(is_plain)
        && !path.split('/').any(is_step)
}

/// Not what a browser would read in another way: controls, blanks, backslashes and fragments.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\"#<>\\^`{|}".contains(&byte)
}

/// Whether a segment leads to another folder.
fn is_step(segment: &str) -> bool {
    let segment = segment.to_ascii_lowercase().replace("%2e", ".");
    matches!(segment.as_str(), "." | "..")
}

/// The address that starts a sign-in, after which the browser returns to this page.
#[must_use]
pub fn start_address(url: &str, return_to: &str) -> String {
    format!("{url}{}", query([(RETURN_PARAMETER, return_to.to_owned())]))
}

/// The page of the console that shows a problem and offers another attempt.
#[must_use]
pub fn problem_page(problem: SignInProblem, return_to: &str) -> String {
    let pairs = [
        (PROBLEM_PARAMETER, problem.code().to_owned()),
        (RETURN_PARAMETER, return_to.to_owned()),
    ];
    format!("{SIGN_IN_PAGE}{}", query(pairs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_has_a_code_of_its_own() {
        for problem in SignInProblem::ALL {
            assert_eq!(SignInProblem::parse(problem.code()), Some(problem));
        }
        assert_eq!(SignInProblem::parse("no_such_problem"), None);
    }

    #[test]
    fn only_pages_of_this_console_are_returned_to() {
        for path in [
            "/",
            "/connection",
            "/security/review",
            "/security/roles?search=a%20b&page=2",
            "/security/roles/a%2Fb/details",
            "/security/roles/a..b/details",
        ] {
            assert_eq!(return_path(Some(path)), path);
        }
        for path in [
            "",
            "x",
            "//evil.example",
            "///evil.example",
            "/\\evil.example",
            "/security\\..\\..\\evil.example",
            "https://evil.example/security/roles",
            "https:evil.example",
            "javascript:alert(1)",
            "/security/../gbac/v1/backup",
            "/security/%2e%2e//evil.example",
            "/security/.%2E/x",
            "/security/./roles",
            "/securityx",
            "/gbac/v1/backup",
            "/gbac/v1/sign-in?return=/",
            "/sign-in?return=/sign-in",
            "/security/roles#x",
            "/security/roles\r\nset-cookie: a=b",
            "/security/ü",
            " /security/roles",
            "/security/a b",
            "/\t/evil.example",
        ] {
            assert_eq!(return_path(Some(path)), "/", "{path:?}");
        }
        assert_eq!(return_path(None), "/");
        assert_eq!(
            return_path(Some(&format!("/security/{}", "a".repeat(MAX_RETURN_BYTES)))),
            "/"
        );
    }

    #[test]
    fn the_page_to_return_to_is_encoded() {
        let start = start_address(
            "https://gbac.example/gbac/v1/sign-in",
            "/security/roles?q=a b",
        );
        assert_eq!(
            start,
            "https://gbac.example/gbac/v1/sign-in?return=%2Fsecurity%2Froles%3Fq%3Da%20b"
        );
        let page = problem_page(SignInProblem::Declined, "/connection");
        assert_eq!(page, "/sign-in?problem=declined&return=%2Fconnection");
    }
}
