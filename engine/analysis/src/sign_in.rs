//! Whether a service would accept a token at sign-in, judged by its header and claims (D-19).
//!
//! The verifier makes the same checks with the same function. The signature is not checked, because
//! only a service knows its keys. A check is skipped if its expected value, such as the accepted
//! issuer, is unknown.

use super::provider::{AcceptedTokens, Compared};
use super::status::StepStatus;
use gbac_engine::Timestamp;
use gbac_engine::token::claim_checks::{self, CHECKS, ClaimCheck, Requirements, TokenContent};
use gbac_engine::token::{CheckName, Header, MessageWithoutSkew, UnverifiedClaims, VerifyError};

/// The result of one check of a token.
#[derive(Debug, Clone, PartialEq)]
pub struct SignInCheck {
    /// What was checked.
    pub about: CheckName,
    /// Passed, failed, attention if the result is uncertain, or not done if there is nothing to
    /// compare with.
    pub state: StepStatus,
    /// The error, if the check failed.
    pub error: Option<VerifyError>,
    /// The finding.
    pub finding: String,
    /// The next action, if any.
    pub next: Option<String>,
}

/// Runs a service's checks of a token's header and claims, in the service's order. Pass no header
/// if only the claims are known, and no time if there is no clock.
///
/// ```
/// use gbac_analysis::provider::AcceptedTokens;
/// use gbac_analysis::sign_in::{check_sign_in, first_failure};
/// use gbac_engine::Timestamp;
/// use gbac_engine::token::{CheckName, UnverifiedClaims};
///
/// let accepted = AcceptedTokens { audience: Some("orders".into()), ..AcceptedTokens::default() };
/// let claims = UnverifiedClaims::parse(r#"{ "sub": "alice", "aud": "billing", "exp": 100 }"#)?;
/// let checks = check_sign_in(None, &claims, &accepted, Some(Timestamp::from_seconds(99.0)));
/// assert_eq!(first_failure(&checks).map(|check| check.about), Some(CheckName::Audience));
/// # Ok::<(), gbac_engine::token::TokenError>(())
/// ```
#[must_use]
pub fn check_sign_in(
    header: Option<&Header>,
    claims: &UnverifiedClaims,
    accepted: &AcceptedTokens,
    now: Option<Timestamp>,
) -> Vec<SignInCheck> {
    let content = TokenContent { header, claims };
    let required = Requirements {
        issuer: accepted.exact_issuer(),
        audience: accepted.expected_audience(),
        now: now.map(Timestamp::as_seconds),
        rules: accepted.rules(),
    };
    let mut checks = vec![key(header)];
    for (about, check) in CHECKS {
        let compared = match about {
            CheckName::Issuer => accepted.issuer(claims),
            CheckName::Audience => accepted.audience(claims),
            _ => None,
        };
        checks.push(result_of(about, check(content, required), compared));
    }
    checks
}

/// The first failed check, which is the service's reason to refuse the token.
#[must_use]
pub fn first_failure(checks: &[SignInCheck]) -> Option<&SignInCheck> {
    checks
        .iter()
        .find(|check| check.state == StepStatus::Failed)
}

fn key(header: Option<&Header>) -> SignInCheck {
    let result = match header.map(claim_checks::key_id) {
        None => Ok(ClaimCheck::NotChecked("the header is not known".to_owned())),
        Some(Ok(_)) => Ok(ClaimCheck::Passed("the header names a key".to_owned())),
        Some(Err(error)) => Err(error),
    };
    result_of(CheckName::Key, result, None)
}

/// Creates the result of a check. The comparison with the service's properties is more specific
/// than the check itself.
fn result_of(
    about: CheckName,
    result: Result<ClaimCheck, VerifyError>,
    compared: Option<Compared>,
) -> SignInCheck {
    let (state, error, finding, next) = match result {
        Ok(ClaimCheck::Passed(finding)) => (StepStatus::Passed, None, finding, None),
        Ok(ClaimCheck::NotChecked(finding)) => (StepStatus::NotDone, None, finding, None),
        Err(error) => {
            let finding = MessageWithoutSkew(&error).to_string();
            let next = error.hint().to_owned();
            (StepStatus::Failed, Some(error), finding, Some(next))
        }
    };
    match compared {
        // If only the URL of the discovery document is known, the comparison is more specific about
        // the issuer.
        Some(compared) => {
            let state = if state == StepStatus::Failed {
                state
            } else {
                compared.state
            };
            let missing = (state == StepStatus::Failed).then_some(VerifyError::IssuerMissing);
            SignInCheck {
                about,
                state,
                error: error.or(missing),
                finding: compared.finding,
                next: compared.next,
            }
        }
        None => SignInCheck {
            about,
            state,
            error,
            finding,
            next,
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use gbac_engine::ClaimSet;
    use gbac_engine::token::UnverifiedToken;

    const NOW: f64 = 1_700_000_000.0;
    const AT: Timestamp = Timestamp::from_seconds(NOW);

    fn claims(value: Value) -> UnverifiedClaims {
        let Value::Object(members) = value else {
            panic!("an object")
        };
        ClaimSet::from(members).into()
    }

    fn refused(
        value: Value,
        accepted: &AcceptedTokens,
        now: Option<Timestamp>,
    ) -> Option<(CheckName, &'static str)> {
        let checks = check_sign_in(None, &claims(value), accepted, now);
        first_failure(&checks).map(|check| (check.about, code(check)))
    }

    fn code(check: &SignInCheck) -> &'static str {
        check.error.as_ref().map_or("", VerifyError::code)
    }

    #[test]
    fn unknown_expectations_refuse_no_token() {
        let unknown = AcceptedTokens::default();
        assert_eq!(
            refused(json!({ "exp": NOW + 1.0 }), &unknown, Some(AT)),
            None
        );
        assert_eq!(
            refused(json!({ "exp": 1, "nbf": 9e9, "iat": 9e9 }), &unknown, None),
            None
        );
        assert_eq!(
            refused(json!({ "exp": "1" }), &unknown, None),
            Some((CheckName::Expires, "time_invalid"))
        );
        assert_eq!(
            refused(json!({}), &unknown, None),
            Some((CheckName::Expires, "exp_missing"))
        );
    }

    #[test]
    fn first_failure_is_in_the_order_of_the_service() {
        let accepted = AcceptedTokens {
            issuer: Some("i".into()),
            audience: Some("a".into()),
            ..AcceptedTokens::default()
        };
        let mut token = json!({ "iss": "x", "aud": "x", "exp": 1, "nbf": 9e9, "iat": 9e9 });
        for (claim, value, about, code) in [
            ("iss", json!("i"), CheckName::Issuer, "issuer_mismatch"),
            (
                "aud",
                json!(["b", "a"]),
                CheckName::Audience,
                "audience_mismatch",
            ),
            (
                "exp",
                json!(NOW + 60.0),
                CheckName::Expires,
                "token_expired",
            ),
            (
                "nbf",
                json!(NOW - 60.0),
                CheckName::NotBefore,
                "token_not_yet_valid",
            ),
            (
                "iat",
                json!(NOW - 60.0),
                CheckName::IssuedAt,
                "token_issued_in_future",
            ),
        ] {
            assert_eq!(
                refused(token.clone(), &accepted, Some(AT)),
                Some((about, code))
            );
            token[claim] = value;
        }
        assert_eq!(refused(token, &accepted, Some(AT)), None);
    }

    #[test]
    fn clock_skew_is_the_configured_one() {
        let token = json!({ "exp": NOW - 10.0 });
        assert_eq!(
            refused(token.clone(), &AcceptedTokens::default(), Some(AT)),
            None
        );
        let strict = AcceptedTokens {
            clock_skew: Some(5),
            ..AcceptedTokens::default()
        };
        let checks = check_sign_in(None, &claims(token), &strict, Some(AT));
        let refusal = first_failure(&checks).unwrap();
        assert_eq!(refusal.finding, "the token expired 10 s ago");
        assert!(refusal.next.is_some());
    }

    #[test]
    fn unknown_issuers_under_a_discovery_url_are_uncertain() {
        let accepted = AcceptedTokens {
            discovery_url: Some("https://idp.example/x/.well-known/openid-configuration".into()),
            ..AcceptedTokens::default()
        };
        let of = |value: Value| {
            let checks = check_sign_in(None, &claims(value), &accepted, Some(AT));
            (
                checks[1].state,
                code(&checks[1]),
                first_failure(&checks).is_some(),
            )
        };
        assert_eq!(
            of(json!({ "iss": "https://idp.example/x/", "exp": NOW })),
            (StepStatus::Passed, "", false)
        );
        assert_eq!(
            of(json!({ "iss": "https://other.example", "exp": NOW })),
            (StepStatus::Attention, "", false)
        );
        assert_eq!(
            of(json!({ "exp": NOW })),
            (StepStatus::Failed, "issuer_missing", true)
        );
    }

    #[test]
    fn key_and_type_come_from_the_header() {
        let of = |token: &str| {
            let token = UnverifiedToken::decode(token).unwrap();
            let checks = check_sign_in(
                Some(&token.header),
                &token.claims,
                &AcceptedTokens::default(),
                Some(Timestamp::from_seconds(0.0)),
            );
            first_failure(&checks).map(code)
        };
        let payload = "eyJleHAiOjF9"; // {"exp":1}
        assert_eq!(
            of(&format!("eyJhbGciOiJSUzI1NiJ9.{payload}.c2ln")),
            Some("kid_missing")
        );
        // {"alg":"RS256","kid":"k","typ":"logout+jwt"}
        let header = "eyJhbGciOiJSUzI1NiIsImtpZCI6ImsiLCJ0eXAiOiJsb2dvdXQrand0In0";
        assert_eq!(of(&format!("{header}.{payload}.c2ln")), Some("typ_refused"));
        // {"alg":"RS256","kid":"k"}
        assert_eq!(
            of(&format!(
                "eyJhbGciOiJSUzI1NiIsImtpZCI6ImsifQ.{payload}.c2ln"
            )),
            None
        );
    }
}
