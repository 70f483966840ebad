//! Tests of refused tokens: the verdict is that of sign-in, without advice about ACLs.

use gbac_analysis::provider::AcceptedTokens;
use serde_json::{Value, json};

use crate::simulator::inputs::{IdentityMode, Inputs};
use crate::simulator::pipeline::{Shown, View};
use crate::simulator::tests::{compact, evaluate, inputs, policy, said, see, why};
use crate::simulator::verdict::VerdictKind;

const NOW: f64 = 1_795_243_000.0;
/// Labels of what only makes sense once somebody can sign in.
const ADVICE: [&str; 4] = [
    "Would allow",
    "Near misses",
    "ACLs considered",
    "Decided by",
];

fn service() -> AcceptedTokens {
    AcceptedTokens {
        issuer: Some("https://idp.example".into()),
        audience: Some("streams".into()),
        ..AcceptedTokens::default()
    }
}

/// A token of somebody who is allowed, with one claim replaced, or left out for null.
fn token(header: &Value, name: &str, value: Value) -> String {
    let mut claims = json!({
        "sub": "a", "iss": "https://idp.example", "aud": "streams", "exp": NOW + 60.0, "groups": ["payments"],
    });
    claims[name] = value;
    if claims[name].is_null() {
        claims.as_object_mut().unwrap().remove(name);
    }
    compact(header, &claims)
}

fn view(token: &str) -> View {
    evaluate(&inputs(token), Some(&policy()), &service(), NOW)
}

#[test]
fn no_refused_token_is_shown_as_allowed() {
    let usual = json!({ "alg": "RS256", "kid": "k", "typ": "JWT" });
    let good = view(&token(&usual, "jti", json!("1")));
    assert_eq!(
        (good.verdict.as_ref().unwrap().kind, good.refusal),
        (VerdictKind::AllowedIf, None)
    );

    let of = |name: &str, value: Value| token(&usual, name, value);
    let headed = |header: Value| token(&header, "jti", json!("1"));
    let unsigned = of("jti", json!("1")).rsplit_once('.').unwrap().0.to_owned();
    for (text, first, code) in [
        (
            of("iss", json!("https://other.example")),
            "The issuer is https://other.example, and",
            "issuer_mismatch",
        ),
        (
            of("iss", Value::Null),
            "The token has no iss",
            "issuer_missing",
        ),
        (
            of("aud", json!(["billing"])),
            "The token is for billing, and the service accepts only streams",
            "audience_mismatch",
        ),
        (
            of("aud", Value::Null),
            "The token has no audience",
            "audience_missing",
        ),
        (
            of("nbf", json!(NOW + 600.0)),
            "The token is not valid yet",
            "token_not_yet_valid",
        ),
        (
            of("nbf", json!("now")),
            "The claim nbf is not a time in seconds since 1970",
            "time_invalid",
        ),
        (
            of("iat", json!(NOW + 600.0)),
            "The token was issued 10 min in the future",
            "token_issued_in_future",
        ),
        (
            of("exp", Value::Null),
            "The token has no expiry time",
            "exp_missing",
        ),
        (
            of("exp", json!("tomorrow")),
            "The claim exp is not a time in seconds since 1970",
            "time_invalid",
        ),
        (
            of("exp", json!((NOW + 600.0) * 1000.0)),
            "The claim exp is not a time in seconds since 1970",
            "time_invalid",
        ),
        (
            of("exp", json!(NOW - 31.0)),
            "The token expired 31 s ago",
            "token_expired",
        ),
        (
            headed(json!({ "alg": "HS256", "kid": "k" })),
            "The algorithm HS256 is not accepted",
            "alg_refused",
        ),
        (
            headed(json!({ "alg": "none" })),
            "The algorithm none is not accepted",
            "alg_refused",
        ),
        (
            headed(json!({ "kid": "k" })),
            "The header has no algorithm",
            "alg_missing",
        ),
        (
            headed(json!({ "alg": "RS256", "kid": "k", "crit": ["x"] })),
            "The header requires extensions",
            "crit_refused",
        ),
        (
            headed(json!({ "alg": "RS256", "kid": "k", "typ": "logout+jwt" })),
            "The type logout+jwt is not",
            "typ_refused",
        ),
        (
            headed(json!({ "alg": "RS256" })),
            "The header has no key ID",
            "kid_missing",
        ),
        (
            format!("{unsigned}."),
            "The token has no signature",
            "token_unsigned",
        ),
    ] {
        let view = view(&text);
        let verdict = view.verdict.as_ref().unwrap();
        assert_eq!(
            (verdict.kind, verdict.kind.title()),
            (VerdictKind::SignInFails, "Denied: sign-in fails"),
            "{first}"
        );
        assert!(
            said(why(&view, "Fix first")).starts_with(first),
            "{first}: {verdict:?}"
        );
        assert_eq!(
            said(why(&view, "Reason")),
            format!("token_refused, {code}"),
            "{first}"
        );
        assert_eq!(
            said(why(&view, "If accepted")),
            "Allowed. User:a can write to topic payments-settled."
        );
        assert!(
            verdict.why.iter().all(|(label, _)| !ADVICE.contains(label)),
            "{verdict:?}"
        );
        assert!(view.judged.is_none() && view.refusal.is_some(), "{first}");
        assert!(
            verdict
                .sentence
                .plain()
                .starts_with("The service refuses this token, so no one can write")
        );
        // What is refused is also marked where the token's checks are listed, or at the field.
        let is_marked = view
            .facts
            .iter()
            .any(|fact| fact.mark == super::token::FactMark::Bad);
        assert!(is_marked || !view.problems.is_empty(), "{first}");
    }
}

#[test]
fn a_refused_token_takes_the_place_of_the_last_good_verdict() {
    let usual = json!({ "alg": "RS256", "kid": "k", "typ": "JWT" });
    let shown_for = |before: Option<&Shown>, inputs: &Inputs| {
        see(
            before,
            inputs,
            &evaluate(inputs, Some(&policy()), &service(), NOW),
        )
    };
    let good = inputs(&token(&usual, "jti", json!("1")));
    let before = shown_for(None, &good);
    assert_eq!(
        before.verdict.as_ref().unwrap().kind,
        VerdictKind::AllowedIf
    );
    // Not even a question that is not complete, or settings that cannot be used, bring the other
    // token's verdict back.
    let mut refused = inputs(&token(&usual, "aud", json!("billing")));
    refused.resource_name.clear();
    let shown = shown_for(Some(&before), &refused);
    assert_eq!(
        (shown.verdict.as_ref().unwrap().kind, shown.verdict_stale),
        (VerdictKind::SignInFails, None)
    );
    refused.source = super::inputs::SettingsSource::WhatIf;
    refused.what_if.claim_path = "$.groups[".into();
    let shown = shown_for(Some(&shown), &refused);
    assert_eq!(
        (shown.verdict.unwrap().kind, shown.judged.is_some()),
        (VerdictKind::SignInFails, false)
    );
}

#[test]
fn claims_alone_are_judged_as_the_token_they_would_be() {
    let access = |claims: Value| Inputs {
        as_claims: true,
        ..inputs(&claims.to_string())
    };
    let kind = |claims: Value| {
        evaluate(
            &access(claims),
            Some(&policy()),
            &AcceptedTokens::default(),
            NOW,
        )
        .verdict
        .unwrap()
        .kind
    };
    assert_eq!(
        kind(json!({ "sub": "a", "groups": ["payments"], "exp": NOW + 60.0 })),
        VerdictKind::AllowedIf
    );
    assert_eq!(
        kind(json!({ "sub": "a", "groups": ["payments"], "exp": "soon" })),
        VerdictKind::SignInFails
    );
    assert_eq!(
        kind(json!({ "sub": "a", "groups": ["payments"] })),
        VerdictKind::SignInFails
    );
}

#[test]
fn an_identity_that_is_stated_by_hand_has_no_sign_in() {
    let hand = Inputs {
        mode: IdentityMode::ByHand,
        user: "a".into(),
        groups: "payments".into(),
        ..inputs("")
    };
    let view = evaluate(&hand, Some(&policy()), &service(), NOW);
    assert_eq!(
        (view.verdict.unwrap().kind, view.refusal),
        (VerdictKind::Allowed, None)
    );
}
