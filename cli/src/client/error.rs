//! Why a call of a service failed, in plain words.

use std::fmt;

use gbac_api::problem::Refusal;
use gbac_engine::escape::escaped;
use gbac_words::phrases::duration;

use super::credentials::{Sent, SentKind};
use super::transport::Unreachable;
use crate::output::Failure;

/// Why a call failed.
#[derive(Debug)]
pub(crate) enum CallError {
    /// TLS is not available, for example because the machine has no root certificates.
    Tls(String),
    /// The name cannot be part of a URL path, such as `..`.
    Path(String),
    /// No connection to this URL, for this reason.
    Unreachable(String, Unreachable),
    /// No response from this URL within so many seconds.
    Timeout(String, u32),
    /// The response from this URL ended too early, for this reason.
    Incomplete(String, String),
    /// The response from this URL is longer than what is held.
    TooLong(String),
    /// Authentication failed. The credentials that were sent.
    Credentials(Option<Sent>),
    /// A redirect, with its status.
    Redirect(u16),
    /// The response to this path is not the expected JSON.
    NotJson(String),
    /// What responds at this URL is no service that is ready.
    NotReady(String),
    /// The service refused the call.
    Refused(Refusal),
    /// Somebody pressed Ctrl-C before the response.
    Interrupted,
}

impl CallError {
    /// Stable code of the error.
    pub(crate) fn code(&self) -> String {
        match self {
            Self::Tls(_) => "tls_unavailable".into(),
            Self::Path(_) => "path_invalid".into(),
            Self::Unreachable(..) => "unreachable".into(),
            Self::Timeout(..) => "too_slow".into(),
            Self::Incomplete(..) => "answer_incomplete".into(),
            Self::TooLong(_) => "answer_too_long".into(),
            Self::Credentials(_) => "unauthenticated".into(),
            Self::Redirect(_) => "redirected".into(),
            Self::NotJson(_) => "answer_not_json".into(),
            Self::NotReady(_) => "not_ready".into(),
            Self::Interrupted => "interrupted".into(),
            Self::Refused(refusal) if refusal.code.is_empty() => "refused".into(),
            Self::Refused(refusal) => refusal.code.to_ascii_lowercase(),
        }
    }

    /// The message without the hint.
    pub(crate) fn message(&self) -> String {
        let text = self.to_string();
        text.strip_suffix(self.hint()).unwrap_or(&text).to_owned()
    }

    /// The recommended action; empty if the message contains it.
    fn hint(&self) -> &'static str {
        match self {
            Self::Tls(_) => "; install the machine's root certificates",
            Self::Path(_) => "; rename it in an exported policy document",
            Self::Unreachable(_, reason) => reason.hint(),
            Self::Timeout(..) => "; set a longer --timeout",
            Self::Incomplete(..) => "; try again",
            Self::Credentials(None) => "; set GBAC_USER and GBAC_PASSWORD, or GBAC_TOKEN",
            Self::Credentials(Some(Sent { kind, .. })) => match kind {
                SentKind::Password => "; check GBAC_USER and GBAC_PASSWORD",
                SentKind::Token => "; check whether the token has expired, and get a new one",
                SentKind::TokenWithoutProvider => {
                    "; the service has no identity provider (`oidc_discovery_url`) or cannot reach it, so no token is accepted; sign \
                     in with GBAC_USER and GBAC_PASSWORD"
                }
            },
            Self::Redirect(_) => {
                ", and redirects are not followed; set the service's own URL with --url or GBAC_URL"
            }
            Self::NotJson(_) | Self::NotReady(_) | Self::TooLong(_) => {
                "; check that --url or GBAC_URL is the service"
            }
            Self::Refused(_) | Self::Interrupted => "",
        }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tls(text) => write!(f, "TLS is not available: {text}"),
            Self::Path(path) => write!(f, "`{}` contains a name that a URL path cannot contain", escaped(path)),
            Self::Unreachable(url, text) => write!(f, "cannot reach `{url}`: {text}"),
            Self::Timeout(url, seconds) => {
                write!(f, "`{url}` did not respond within {}", duration(f64::from(*seconds)))
            }
            Self::Incomplete(url, text) => write!(f, "the response of `{url}` is incomplete: {text}"),
            Self::TooLong(url) => write!(f, "the response of `{url}` is longer than 512 MiB"),
            Self::Credentials(None) => f.write_str("authentication required"),
            Self::Credentials(Some(identity)) => write!(f, "credentials rejected: {}", identity.identity),
            Self::Redirect(status) => write!(f, "the service responded with status {status}"),
            Self::NotJson(path) => write!(f, "the response to `{path}` is not the expected JSON"),
            Self::NotReady(url) => write!(f, "`{url}` does not respond as a service that is ready"),
            Self::Interrupted => f.write_str(
                "interrupted before the service responded: it makes all changes of a request or none; `gbac export` shows which",
            ),
            Self::Refused(Refusal { message, fields, .. }) => match fields.as_slice() {
                [] => f.write_str(message),
                [fault] => write!(f, "{message}: {}: {}", fault.field, fault.description),
                faults => {
                    write!(f, "{message}:")?;
                    faults.iter().try_for_each(|fault| write!(f, "\n  {}: {}", fault.field, fault.description))
                }
            },
        }?;
        f.write_str(self.hint())
    }
}

impl std::error::Error for CallError {}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use gbac_api::problem::FieldViolation;

    use super::*;

    #[test]
    fn a_refusal_is_one_line_unless_it_has_several_faults() {
        let refusal = |fields: &[&str]| {
            let fields = fields
                .iter()
                .map(|field| FieldViolation::new(*field, "bad"))
                .collect();
            CallError::Refused(Refusal {
                status: 400,
                code: "INVALID_ARGUMENT".into(),
                message: "no".into(),
                fields,
            })
        };
        assert_eq!(refusal(&[]).to_string(), "no");
        assert_eq!(refusal(&["host"]).to_string(), "no: host: bad");
        assert_eq!(
            refusal(&["host", "principal"]).to_string(),
            "no:\n  host: bad\n  principal: bad"
        );
        assert_eq!(refusal(&[]).code(), "invalid_argument");
    }
}
