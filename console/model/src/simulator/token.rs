//! The token field: the kind of input, and the facts that the token states about itself.

use std::sync::Arc;

use gbac_analysis::doctor::StepStatus;
use gbac_analysis::provider::AcceptedTokens;
use gbac_analysis::sign_in::SignInCheck;

use gbac_engine::token::{
    self, CheckName, Header, InputKind, TokenError, TokenPart, UnverifiedClaims, UnverifiedToken,
};
use gbac_engine::{ClaimSet, Timestamp};
use gbac_words::extraction::{JSON_LIST, JSON_LIST_HINT};
use gbac_words::phrases::count;
use gbac_words::rich_text::RichText;
use gbac_words::sign_in;
use serde_json::Value;

use crate::simulator::inputs::{InputEdit, InputField, InputProblem};

/// A text that was read as a token or as claims.
#[derive(Debug, Clone, PartialEq)]
pub struct DecodedToken {
    /// The compact form without what stood around it; none for claims.
    pub token: Option<String>,
    /// The header; none for claims.
    pub header: Option<Header>,
    /// The claims.
    pub claims: UnverifiedClaims,
    /// What was left out of the text.
    pub left_out: Vec<RichText>,
    /// Why every service refuses it, although its claims can be read: its header, or a missing
    /// signature.
    pub refused: Option<InputProblem>,
}

/// What the token field holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum TokenReading {
    /// Nothing.
    #[default]
    Empty,
    /// Something that can be used.
    Read(Arc<DecodedToken>),
    /// Something else.
    Wrong(InputProblem),
}

impl TokenReading {
    /// What is wrong with it, also where its claims can be read.
    pub fn problem(&self) -> Option<&InputProblem> {
        match self {
            Self::Empty => None,
            Self::Read(read) => read.refused.as_ref(),
            Self::Wrong(problem) => Some(problem),
        }
    }

    /// The claims, where it can be used.
    pub fn claims(&self) -> Option<&ClaimSet> {
        match self {
            Self::Read(read) => Some(read.claims.members()),
            Self::Empty | Self::Wrong(_) => None,
        }
    }
}

/// A header and a signature that read well, to look at the payload of a token that does not.
const READABLE_HEADER: &str = "eyJhbGciOiJSUzI1NiJ9";
const READABLE_SIGNATURE: &str = "c2ln";

/// Reads the token field.
pub fn read(text: &str, as_claims: bool) -> TokenReading {
    if text.trim().is_empty() {
        return TokenReading::Empty;
    }
    if as_claims {
        return read_claims(text);
    }
    let pasted = token::normalize_pasted(text);
    let error = match UnverifiedToken::decode(&pasted.token) {
        Ok(UnverifiedToken { header, claims }) => {
            let left_out = pasted
                .warnings
                .iter()
                .map(|note| RichText::with_hint(&note.message, ""))
                .collect();
            let (token, header) = (Some(pasted.token), Some(header));
            return TokenReading::Read(Arc::new(DecodedToken {
                token,
                header,
                claims,
                left_out,
                refused: None,
            }));
        }
        Err(TokenError::Empty) => return TokenReading::Empty,
        Err(error) => error,
    };
    let problem = wrong(text, &error);
    match claims_of_refused(&pasted.token, &error) {
        Some(claims) => {
            let refused = Some(problem);
            let token = Some(pasted.token);
            TokenReading::Read(Arc::new(DecodedToken {
                token,
                header: None,
                claims,
                left_out: Vec::new(),
                refused,
            }))
        }
        None => TokenReading::Wrong(problem),
    }
}

fn read_claims(text: &str) -> TokenReading {
    match UnverifiedClaims::parse(text.trim()) {
        Ok(claims) => {
            let (token, header, left_out, refused) = Default::default();
            TokenReading::Read(Arc::new(DecodedToken {
                token,
                header,
                claims,
                left_out,
                refused,
            }))
        }
        Err(TokenError::Json(TokenPart::Payload, error)) => {
            TokenReading::Wrong(InputProblem::fault(
                InputField::Token,
                error.code(),
                &error.to_string(),
                error.hint(),
            ))
        }
        Err(error) => TokenReading::Wrong(InputProblem::fault(
            InputField::Token,
            error.code(),
            "claims are one JSON object",
            "start with `{` and end with `}`",
        )),
    }
}

/// A text that is no token, in words, with what can be done about it.
fn wrong(text: &str, error: &TokenError) -> InputProblem {
    let problem = |message: &str, hint: &str| {
        InputProblem::fault(InputField::Token, error.code(), message, hint)
    };
    match error {
        TokenError::NotAToken(InputKind::Claims, _) => json_text(text),
        TokenError::NotAToken(InputKind::Unknown | InputKind::Untidy, _)
            if matches!(gbac_json::parse(text.trim()), Ok(Value::Array(_))) =>
        {
            InputProblem::fault(
                InputField::Token,
                "not_an_object",
                JSON_LIST,
                JSON_LIST_HINT,
            )
        }
        TokenError::NotAToken(look, _) => {
            // The byte is of use for a stray character only; the other looks are about the whole.
            let message = match look {
                InputKind::Unknown => error.to_string(),
                look => TokenError::NotAToken(*look, None).to_string(),
            };
            problem(&message, error.hint())
        }
        TokenError::Parts(parts @ (1 | 2)) => problem(
            &format!(
                "this is {}, and a signed token has 3",
                count(*parts, "part")
            ),
            "it is probably incomplete; copy all of it",
        ),
        _ => problem(&error.to_string(), error.hint()),
    }
}

/// A JSON text in the token field.
fn json_text(text: &str) -> InputProblem {
    match gbac_json::parse(text.trim()) {
        Ok(Value::Object(members)) if members.contains_key("keys") => InputProblem::fault(
            InputField::Token,
            "keys_in_token_field",
            "these are keys, not a token",
            "they go under `Verify`; the token starts with `eyJ`",
        ),
        Ok(Value::Object(_)) => InputProblem::fault(
            InputField::Token,
            "claims_in_token_field",
            "this is JSON: the claims of a token, not the token",
            "you can use them without a signature",
        )
        .with("Read it as claims", InputEdit::ReadAsClaims),
        Ok(_) => InputProblem::fault(
            InputField::Token,
            "not_an_object",
            "this is JSON, but not an object",
            "paste an access token; it starts with `eyJ`",
        ),
        Err(error) => {
            let message = format!("invalid JSON: {error}");
            InputProblem::fault(InputField::Token, error.code(), &message, error.hint())
        }
    }
}

/// The claims of a token that is refused for its header, or has no signature.
fn claims_of_refused(token: &str, error: &TokenError) -> Option<UnverifiedClaims> {
    let is_complete = matches!(
        error,
        TokenError::AlgRefused(_)
            | TokenError::AlgMissing
            | TokenError::HeaderType(_)
            | TokenError::Crit
            | TokenError::B64
            | TokenError::Unsigned
    );
    let payload = token.split('.').nth(1).filter(|_| is_complete)?;
    let read =
        UnverifiedToken::decode(&format!("{READABLE_HEADER}.{payload}.{READABLE_SIGNATURE}"))
            .ok()?;
    Some(read.claims)
}

/// What a token is compared with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expected {
    /// What the service accepts, with the issuer and the audience that were entered in place of its
    /// own.
    pub accepted: AcceptedTokens,
    /// The issuer that was entered, where it is not known to be the service's.
    pub issuer: Option<String>,
    /// The audience that was entered, where it is not known to be the service's.
    pub audience: Option<String>,
}

impl Expected {
    /// What was entered counts in place of the service's.
    #[must_use]
    pub fn read(issuer: &str, audience: &str, of_service: &AcceptedTokens) -> Self {
        let mut accepted = of_service.clone();
        Self {
            issuer: replace(&mut accepted.issuer, issuer.trim()),
            audience: replace(&mut accepted.audience, audience.trim()),
            accepted,
        }
    }
}

/// Puts what was entered in the place of the service's, and returns it where it differs.
fn replace(of_service: &mut Option<String>, entered: &str) -> Option<String> {
    if entered.is_empty() || of_service.as_deref() == Some(entered) {
        return None;
    }
    *of_service = Some(entered.to_owned());
    of_service.clone()
}

/// How a fact about a token is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactMark {
    /// In order.
    Good,
    /// Not checked, and taken for granted.
    Assumed,
    /// A warning.
    Warn,
    /// Not in order.
    Bad,
    /// Neither.
    Plain,
}

/// A fact about a token.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenFact {
    /// What it is about.
    pub about: CheckName,
    /// Whether it is in order.
    pub mark: FactMark,
    /// The fact.
    pub words: RichText,
}

impl TokenFact {
    fn new(about: CheckName, mark: FactMark, words: impl Into<RichText>) -> Self {
        Self {
            about,
            mark,
            words: words.into(),
        }
    }
}

/// What the claims and the header say about times, issuer, audience and type, marked as the
/// service's checks found them. What passes only since it was entered here, or is ignored, is
/// assumed.
pub fn facts(
    read: &DecodedToken,
    expected: &Expected,
    ignore_expiry: bool,
    checks: &[SignInCheck],
    now: f64,
) -> Vec<TokenFact> {
    let mut facts = Vec::new();
    // The expiry comes first: it is what most tokens fail by.
    let place = |check: &&SignInCheck| match check.about {
        CheckName::Expires => 0,
        CheckName::NotBefore => 1,
        CheckName::IssuedAt => 2,
        CheckName::Issuer => 3,
        CheckName::Audience => 4,
        CheckName::Key => 5,
        CheckName::Type | CheckName::Form | CheckName::Signature => 6,
    };
    let mut checks: Vec<&SignInCheck> = checks.iter().collect();
    checks.sort_by_key(place);
    for check in checks {
        let has_failed = check.state == StepStatus::Failed;
        let fact = match check.about {
            CheckName::Expires => {
                facts.push(expiry(read, check, ignore_expiry, now));
                kept_groups(read, check, now)
            }
            CheckName::NotBefore => not_before(read, check, now),
            CheckName::Audience => {
                assumed(check, expected.audience.as_deref()).or_else(|| Some(audience(read, check)))
            }
            CheckName::Type => type_fact(read),
            CheckName::Issuer => assumed(check, expected.issuer.as_deref())
                .or_else(|| (check.state != StepStatus::NotDone).then(|| of_check(check))),
            CheckName::Form | CheckName::Signature | CheckName::Key | CheckName::IssuedAt => {
                has_failed.then(|| of_check(check))
            }
        };
        facts.extend(fact);
    }
    facts
}

/// A check in the engine's words.
fn of_check(check: &SignInCheck) -> TokenFact {
    let mark = match check.state {
        StepStatus::Passed => FactMark::Good,
        StepStatus::Attention => FactMark::Warn,
        StepStatus::Failed => FactMark::Bad,
        StepStatus::NotDone => FactMark::Plain,
    };
    TokenFact {
        about: check.about,
        mark,
        words: sign_in::finding(check),
    }
}

/// A check that passes only since this was entered in place of the service's.
fn assumed(check: &SignInCheck, entered: Option<&str>) -> Option<TokenFact> {
    let entered = entered.filter(|_| check.state == StepStatus::Passed)?;
    let words = sign_in::assumed(check.about, entered);
    Some(TokenFact::new(check.about, FactMark::Assumed, words))
}

fn expiry(read: &DecodedToken, check: &SignInCheck, ignore_expiry: bool, now: f64) -> TokenFact {
    let fact = |mark, words: RichText| TokenFact::new(CheckName::Expires, mark, words);
    let has_failed = check.state == StepStatus::Failed;
    match expires_at(read) {
        Some(at) if at < now && ignore_expiry => {
            fact(FactMark::Assumed, sign_in::expiry_ignored(at, now).into())
        }
        // Sign-in forgives some seconds, and no decision does.
        Some(at) if at < now => {
            let mark = if has_failed {
                FactMark::Bad
            } else {
                FactMark::Warn
            };
            fact(mark, sign_in::expired(at, now).into())
        }
        Some(at) if !has_failed => fact(FactMark::Good, sign_in::expires(at, now).into()),
        Some(_) => of_check(check),
        None if read.claims.members().contains("exp") => fact(
            FactMark::Bad,
            RichText::message(sign_in::EXPIRY_NOT_A_NUMBER),
        ),
        None => fact(FactMark::Bad, RichText::message(sign_in::NO_EXPIRY)),
    }
}

fn expires_at(read: &DecodedToken) -> Option<f64> {
    read.claims.expires_at().map(Timestamp::as_seconds)
}

/// Until when the groups of a token count, whatever the identity provider changes meanwhile
/// (specification 1.3).
fn kept_groups(read: &DecodedToken, check: &SignInCheck, now: f64) -> Option<TokenFact> {
    let is_accepted = check.state != StepStatus::Failed;
    expires_at(read)
        .filter(|at| *at >= now && is_accepted)
        .map(|_| TokenFact::new(CheckName::Expires, FactMark::Plain, sign_in::GROUPS_KEPT))
}

fn not_before(read: &DecodedToken, check: &SignInCheck, now: f64) -> Option<TokenFact> {
    let has_failed = check.state == StepStatus::Failed;
    match read.claims.not_before().map(Timestamp::as_seconds) {
        Some(from) if from > now => {
            let mark = if has_failed {
                FactMark::Bad
            } else {
                FactMark::Warn
            };
            let words = sign_in::not_valid_yet(from, now);
            Some(TokenFact::new(CheckName::NotBefore, mark, words))
        }
        Some(_) | None => has_failed.then(|| of_check(check)),
    }
}

fn audience(read: &DecodedToken, check: &SignInCheck) -> TokenFact {
    let fact = |mark, words: RichText| TokenFact::new(CheckName::Audience, mark, words);
    if check.state != StepStatus::NotDone {
        return of_check(check);
    }
    match read.claims.audiences() {
        Some(audiences) if !audiences.is_empty() => {
            fact(FactMark::Plain, sign_in::audiences_not_checked(&audiences))
        }
        Some(_) => fact(FactMark::Warn, sign_in::NO_AUDIENCES.into()),
        None if read.claims.members().contains("aud") => fact(
            FactMark::Warn,
            RichText::message(sign_in::AUDIENCE_NOT_TEXT),
        ),
        None => fact(FactMark::Warn, RichText::message(sign_in::NO_AUDIENCE)),
    }
}

fn type_fact(read: &DecodedToken) -> Option<TokenFact> {
    let header = read.header.as_ref()?;
    let claims = read.claims.members();
    let says = |name: &str, value: &str| {
        claims
            .text(name)
            .is_some_and(|found| found.eq_ignore_ascii_case(value))
    };
    let is_id_token = ["at_hash", "c_hash"]
        .iter()
        .any(|name| claims.contains(name))
        || says("typ", "ID")
        || says("token_use", "id");
    let mark = match (header.is_access_token_type(), is_id_token) {
        (false, _) => FactMark::Bad,
        (true, true) => FactMark::Warn,
        (true, false) => FactMark::Good,
    };
    let words = sign_in::token_type(header, is_id_token);
    Some(TokenFact::new(CheckName::Type, mark, words))
}

#[cfg(test)]
mod tests {
    use gbac_analysis::sign_in::check_sign_in;
    use serde_json::json;

    use super::*;
    use crate::simulator::tests::compact;

    fn problem(text: &str) -> InputProblem {
        match read(text, false) {
            TokenReading::Wrong(problem) => problem,
            TokenReading::Empty => panic!("{text} is empty"),
            TokenReading::Read(read) => read
                .refused
                .clone()
                .unwrap_or_else(|| panic!("{text} was read")),
        }
    }

    fn ok(text: &str, as_claims: bool) -> Arc<DecodedToken> {
        match read(text, as_claims) {
            TokenReading::Read(read) => read,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn reads_what_people_paste() {
        let token = compact(
            &json!({ "alg": "RS256", "kid": "k" }),
            &json!({ "sub": "alice" }),
        );
        let (first, rest) = token.split_at(20);
        for text in [
            token.clone(),
            format!("  {token}\n"),
            format!("Bearer {token}"),
            format!("Authorization: Bearer {token}\n"),
            format!("\"{token}\""),
            format!("'{token}'"),
            format!("{first}\n  {rest}"),
            format!("{{\"access_token\":\"{token}\",\"token_type\":\"Bearer\"}}"),
            format!("curl -H 'Authorization: Bearer {token}' https://example.com/topics"),
        ] {
            let read = ok(&text, false);
            assert_eq!(read.token.as_deref(), Some(token.as_str()), "{text}");
            assert_eq!(read.claims.subject(), Some("alice"));
            assert_eq!(read.left_out.is_empty(), text.trim() == token, "{text}");
        }
        assert_eq!(read(" \n", false), TokenReading::Empty);
    }

    #[test]
    fn refuses_the_rest_with_words() {
        let token = compact(&json!({ "alg": "RS256" }), &json!({ "sub": "alice" }));
        let mut parts = token.split('.');
        let (header, payload) = (parts.next().unwrap(), parts.next().unwrap());
        for (text, code) in [
            ("2YotnFZFEjr1zCsicMWpAA".to_owned(), "opaque_token"),
            (format!("{token} {token}"), "two_tokens"),
            (header.to_owned(), "token_parts"),
            (format!("{token}.{header}.{payload}"), "token_encrypted"),
            (
                "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----".to_owned(),
                "not_a_token",
            ),
            ("<html>".to_owned(), "not_a_token"),
            ("[1]".to_owned(), "not_an_object"),
            ("[\"eng\", \"ops\"]".to_owned(), "not_an_object"),
            ("[eng]".to_owned(), "not_a_token"),
            ("{\"keys\":[]}".to_owned(), "keys_in_token_field"),
            ("{\"sub\":\"a\",}".to_owned(), "json_syntax"),
            (
                "{\"sub\":\"a\",\"sub\":\"b\"}".to_owned(),
                "duplicate_member",
            ),
        ] {
            let problem = problem(&text);
            assert_eq!(problem.code, code, "{text}");
            let words = problem.words.plain();
            assert!(
                words.ends_with('.') && words.starts_with(char::is_uppercase),
                "{words}"
            );
        }
    }

    #[test]
    fn claims_are_read_when_asked() {
        let text = "{ \"sub\": \"alice\", \"groups\": [\"a\"] }";
        let problem = problem(text);
        assert_eq!(problem.actions.len(), 1);
        assert!(problem.actions[0].change == InputEdit::ReadAsClaims);
        let read = ok(text, true);
        assert!(read.token.is_none() && read.header.is_none());
        assert_eq!(read.claims.subject(), Some("alice"));
        assert!(matches!(super::read("[1]", true), TokenReading::Wrong(_)));
        assert!(matches!(super::read("{", true), TokenReading::Wrong(_)));
    }

    #[test]
    fn a_token_that_every_service_refuses_still_shows_its_claims() {
        let of = |header: serde_json::Value| compact(&header, &json!({ "sub": "alice" }));
        let unsigned = of(json!({ "alg": "RS256" }))
            .rsplit_once('.')
            .unwrap()
            .0
            .to_owned();
        for (token, code) in [
            (of(json!({ "alg": "HS256" })), "alg_refused"),
            (of(json!({ "alg": "none" })), "alg_refused"),
            (of(json!({})), "alg_missing"),
            (of(json!({ "alg": "RS256", "crit": ["x"] })), "crit_refused"),
            (of(json!({ "alg": "RS256", "b64": false })), "b64_refused"),
            (of(json!({ "alg": "RS256", "kid": 7 })), "header_type"),
            (format!("{unsigned}."), "token_unsigned"),
            (unsigned, "token_unsigned"),
        ] {
            let read = ok(&token, false);
            assert_eq!(
                read.refused.as_ref().map(|problem| problem.code),
                Some(code),
                "{token}"
            );
            assert_eq!(
                (read.claims.subject(), read.header.is_none()),
                (Some("alice"), true)
            );
        }
    }

    #[test]
    fn facts_are_in_words() {
        let now = 1_795_243_000.0;
        let facts = |mut header: serde_json::Value, claims: serde_json::Value, audience: &str| {
            header["kid"] = json!("k");
            let read = ok(&compact(&header, &claims), false);
            let expected = Expected::read("", audience, &AcceptedTokens::default());
            let checks = check_sign_in(
                read.header.as_ref(),
                &read.claims,
                &expected.accepted,
                Some(now.into()),
            );
            let facts = super::facts(&read, &expected, false, &checks, now);
            facts
                .iter()
                .map(|fact| (fact.mark, fact.words.plain()))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            facts(
                json!({ "alg": "RS256", "typ": "at+jwt" }),
                json!({ "exp": 1_795_245_470, "aud": "streams" }),
                "streams"
            ),
            [
                (FactMark::Good, "Expires in 41 min, at 07:17 UTC".into()),
                (
                    FactMark::Plain,
                    "The token keeps its groups until then, even those that the identity provider removes".into()
                ),
                (FactMark::Assumed, "Audience streams, assumed".into()),
                (FactMark::Good, "Access token, typ at+jwt".into()),
            ]
        );
        assert_eq!(
            facts(
                json!({ "alg": "RS256" }),
                json!({ "exp": 1, "nbf": 1_795_243_031, "aud": ["a", "b"], "at_hash": "x" }),
                ""
            ),
            [
                (
                    FactMark::Bad,
                    "Expired 20778 days ago, at 00:00 UTC on 1 Jan 1970".into()
                ),
                (
                    FactMark::Bad,
                    "Not valid for another 31 s, before 06:37 UTC".into()
                ),
                (
                    FactMark::Plain,
                    "Audience a and b, which the service does not check".into()
                ),
                (FactMark::Warn, "Looks like an ID token, no typ".into()),
            ]
        );
        assert_eq!(
            facts(
                json!({ "alg": "RS256", "typ": "logout+jwt" }),
                json!({ "exp": "soon", "aud": 7 }),
                ""
            ),
            [
                (
                    FactMark::Bad,
                    "The expiry exp is not a number, so the service refuses this token".into()
                ),
                (
                    FactMark::Warn,
                    "The audience aud is neither a string nor a list of strings".into()
                ),
                (FactMark::Bad, "Not an access token, typ logout+jwt".into()),
            ]
        );
        assert_eq!(
            facts(json!({ "alg": "RS256" }), json!({ "aud": [] }), "x")[1],
            (
                FactMark::Bad,
                "The token has no audience (aud), and the service accepts only x. Configure the provider to issue the token for \
                 x, or set oidc_token_audience to an audience of the token."
                    .into()
            )
        );
        assert_eq!(
            facts(json!({ "alg": "RS256" }), json!({ "aud": [] }), "")[1],
            (FactMark::Warn, "The list of audiences is empty".into())
        );
        // What sign-in forgives is not in order either.
        let early = facts(
            json!({ "alg": "RS256" }),
            json!({ "exp": now - 10.0, "nbf": now + 10.0, "aud": "x" }),
            "",
        );
        assert_eq!(
            early.iter().map(|(mark, _)| *mark).collect::<Vec<_>>()[..2],
            [FactMark::Warn, FactMark::Warn]
        );
    }
}
