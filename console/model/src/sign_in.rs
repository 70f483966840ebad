//! The sign-in page: its texts, and the page that follows.

use gbac_api::encode::parse_query;
use gbac_api::service::{ServiceInfo, SignInOffer};
use gbac_api::session::{
    PROBLEM_PARAMETER, RETURN_PARAMETER, SignInProblem, return_path, start_address,
};
use gbac_words::phrases::count;

use crate::address;

/// The message above the form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInNote {
    /// The title.
    pub title: &'static str,
    /// What happened, and what to do, in sentences.
    pub text: String,
    /// Whether something failed; otherwise it is a remark.
    pub is_warning: bool,
}

/// The parameters in the address of the sign-in page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInTarget {
    /// The path and query of the page to which a sign-in returns.
    pub return_to: String,
    /// Why a sign-in with the identity provider failed.
    pub problem: Option<SignInProblem>,
}

impl SignInTarget {
    /// The target of a sign-in at this address: its own page, or the one that the address of the
    /// sign-in page names.
    #[must_use]
    pub fn from_address(path: &str, query: &str) -> Self {
        let query = query.trim_start_matches('?');
        if path != address::SIGN_IN {
            let here = if query.is_empty() {
                path.to_owned()
            } else {
                format!("{path}?{query}")
            };
            return Self {
                return_to: return_path(Some(&here)).to_owned(),
                problem: None,
            };
        }
        let pairs = parse_query(query).unwrap_or_default();
        let value = |name: &str| {
            pairs
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, value)| value.as_str())
        };
        Self {
            return_to: return_path(value(RETURN_PARAMETER)).to_owned(),
            problem: value(PROBLEM_PARAMETER).and_then(SignInProblem::parse),
        }
    }

    /// The name of the page to which a sign-in returns.
    pub fn page(&self) -> &'static str {
        address::page_name(self.return_to.split('?').next().unwrap_or_default())
    }

    /// The address that starts the sign-in with the identity provider.
    pub fn start(&self, provider: &SignInOffer) -> String {
        start_address(&provider.url, &self.return_to)
    }

    /// The message above the form: the reason why a sign-in failed, or the expired session with the
    /// number of changes in the draft.
    pub fn note(&self, host: Option<&str>, has_expired: bool, draft: usize) -> Option<SignInNote> {
        if has_expired {
            let kept = match draft {
                0 => String::new(),
                number => format!(
                    " Your draft of {} is kept in this tab.",
                    count(number, "change")
                ),
            };
            let text = format!("After you sign in, you return to {}.{kept}", self.page());
            return Some(SignInNote {
                title: "Your session expired",
                text,
                is_warning: false,
            });
        }
        let (title, text) = problem_words(self.problem?);
        let text = text.replace("{provider}", host.unwrap_or("The identity provider"));
        Some(SignInNote {
            title,
            text,
            is_warning: true,
        })
    }
}

const fn problem_words(problem: SignInProblem) -> (&'static str, &'static str) {
    match problem {
        SignInProblem::ProviderUnavailable => (
            "Can't reach the identity provider",
            "{provider} did not respond as expected. Try again later, or sign in with the local account.",
        ),
        SignInProblem::Declined => (
            "Sign-in canceled",
            "{provider} did not sign you in. Try again, or use another account there.",
        ),
        SignInProblem::ProviderRefused => (
            "The identity provider refused the sign-in",
            "{provider} does not accept the request of this service. The log of the service says why.",
        ),
        SignInProblem::Interrupted => (
            "The sign-in was not completed",
            "It took longer than 10 minutes, or another one was started in this browser. Try again.",
        ),
        SignInProblem::TokenRefused => (
            "Your token was refused",
            "This service does not accept the token that {provider} issued for you. The log of the service says why.",
        ),
        SignInProblem::TooManyAttempts => {
            ("Too many failed sign-ins", "Wait a minute, then try again.")
        }
        SignInProblem::NotRecorded => (
            "You can't sign in now",
            "The service cannot write its audit log. Check that the audit file is writable and the disk is not full.",
        ),
    }
}

/// The provider with which users sign in to this service, if they can.
pub fn provider(info: Option<&ServiceInfo>) -> Option<SignInOffer> {
    info?.provider_sign_in.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_in_returns_to_the_page_where_it_was_needed() {
        let of = |path: &str, query: &str| SignInTarget::from_address(path, query).return_to;
        assert_eq!(
            of("/security/roles", "search=a%20b"),
            "/security/roles?search=a%20b"
        );
        assert_eq!(of("/security/review", ""), "/security/review");
        assert_eq!(of("/no/such/page", ""), "/");
        let named = SignInTarget::from_address(
            "/sign-in",
            "?problem=declined&return=%2Fsecurity%2Froles%3Fpage%3D2",
        );
        assert_eq!(
            (named.return_to.as_str(), named.problem),
            ("/security/roles?page=2", Some(SignInProblem::Declined))
        );
        for query in [
            "",
            "return=%2F%2Fevil.example",
            "return=https%3A%2F%2Fevil.example",
            "return=%zz",
            "problem=x",
        ] {
            let target = SignInTarget::from_address("/sign-in", query);
            assert_eq!(
                (target.return_to.as_str(), target.problem),
                ("/", None),
                "{query}"
            );
        }
        let provider = SignInOffer {
            host: "id.example".into(),
            url: "https://gbac.example/gbac/v1/sign-in".into(),
        };
        let start = "https://gbac.example/gbac/v1/sign-in?return=%2Fsecurity%2Freview";
        assert_eq!(
            SignInTarget::from_address("/security/review", "").start(&provider),
            start
        );
    }

    #[test]
    fn an_expired_session_says_where_it_continues_and_what_becomes_of_the_draft() {
        let note = |path: &str, draft| {
            SignInTarget::from_address(path, "")
                .note(None, true, draft)
                .unwrap()
        };
        let review = note("/security/review", 20);
        assert_eq!(
            (review.title, review.is_warning),
            ("Your session expired", false)
        );
        assert_eq!(
            review.text,
            "After you sign in, you return to Review. Your draft of 20 changes is kept in this tab."
        );
        assert_eq!(
            note("/security/roles/a/details", 0).text,
            "After you sign in, you return to the role."
        );
        assert_eq!(
            note("/security/permissions/who-can", 0).text,
            "After you sign in, you return to Permissions."
        );
        assert_eq!(
            note("/", 0).text,
            "After you sign in, you return to the simulator."
        );
    }

    #[test]
    fn every_problem_says_what_to_do_and_names_the_provider() {
        let mut titles = std::collections::BTreeSet::new();
        for problem in SignInProblem::ALL {
            let target = SignInTarget {
                return_to: "/".to_owned(),
                problem: Some(problem),
            };
            let note = target.note(Some("id.example"), false, 3).unwrap();
            assert!(
                note.is_warning && note.text.ends_with('.') && !note.text.contains('{'),
                "{note:?}"
            );
            assert!(titles.insert(note.title), "{note:?}");
        }
        let target = SignInTarget::from_address("/sign-in", "problem=provider_unavailable");
        assert!(
            target
                .note(Some("id.example"), false, 0)
                .unwrap()
                .text
                .starts_with("id.example did not respond")
        );
        assert!(
            target
                .note(None, false, 0)
                .unwrap()
                .text
                .starts_with("The identity provider did not")
        );
        assert_eq!(
            SignInTarget::from_address("/security/roles", "").note(None, false, 5),
            None
        );
    }
}
