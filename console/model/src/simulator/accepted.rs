//! What a token is compared with, and the reason for which it refuses the entered one.

use gbac_analysis::provider::AcceptedTokens;
use gbac_analysis::sign_in::{SignInCheck, first_failure};
use gbac_engine::Coded;
use gbac_engine::token::{CheckName, VerifyError};
use gbac_words::rich_text::RichText;
use gbac_words::sign_in;

use crate::simulator::inputs::{Action, InputEdit, Inputs};
use crate::simulator::token::DecodedToken;
use crate::simulator::verification::Report;

/// What a token is compared with: an issuer and an audience that were entered count in place of the
/// service's.
pub fn in_force(inputs: &Inputs, of_service: &AcceptedTokens) -> AcceptedTokens {
    let entered = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let mut accepted = of_service.clone();
    accepted.issuer = entered(&inputs.issuer).or(accepted.issuer);
    accepted.audience = entered(&inputs.audience).or(accepted.audience);
    accepted
}

/// Why sign-in fails, and the first thing to fix.
#[derive(Debug, Clone, PartialEq)]
pub struct SignInRefusal {
    /// The stable code of the first reason, as `gbac check` states it (D-119).
    pub code: &'static str,
    /// What was found and what to do.
    pub words: RichText,
    /// What else fails, by the names of the checks.
    pub more: Vec<&'static str>,
    /// What can be tried at once.
    pub actions: Vec<Action>,
}

impl SignInRefusal {
    /// A refusal for one reason.
    #[must_use]
    pub const fn new(code: &'static str, words: RichText) -> Self {
        Self {
            code,
            words,
            more: Vec::new(),
            actions: Vec::new(),
        }
    }
}

/// Why the service refuses a token, in the order of its checks: form, signature where keys were
/// given, header and claims. None where nothing that is known speaks against it.
pub fn refusal(
    read: &DecodedToken,
    report: Option<&Report>,
    checks: &[SignInCheck],
    ignore_expiry: bool,
) -> Option<SignInRefusal> {
    let of_form = read
        .refused
        .as_ref()
        .map(|problem| (problem.code, problem.words.clone()));
    let of_signature = report.and_then(|report| report.signature_fault.clone());
    // The user chose to ignore the expiry.
    let kept: Vec<SignInCheck> = checks
        .iter()
        .filter(|check| !(ignore_expiry && is_expired(check)))
        .cloned()
        .collect();
    let of_claims = first_failure(&kept);
    let mut names: Vec<&'static str> = Vec::new();
    names.extend(of_form.as_ref().map(|_| sign_in::check(CheckName::Form)));
    names.extend(
        of_signature
            .as_ref()
            .map(|_| sign_in::check(CheckName::Signature)),
    );
    let failed = kept.iter().filter(|check| check.error.is_some());
    names.extend(failed.map(|check| sign_in::check(check.about)));
    let first_is_of_claims = of_form.is_none() && of_signature.is_none();
    let of_check =
        |check: &SignInCheck| Some((check.error.as_ref()?.code(), sign_in::finding(check)));
    let (code, words) = of_form
        .or(of_signature)
        .or_else(|| of_claims.and_then(of_check))?;
    let actions = of_claims
        .filter(|_| first_is_of_claims)
        .map(|check| actions(check, read))
        .unwrap_or_default();
    Some(SignInRefusal {
        code,
        words,
        more: names.into_iter().skip(1).collect(),
        actions,
    })
}

/// Why the platform of today refuses the token at sign-in, although it is read here.
pub fn platform_refusal(read: &DecodedToken) -> Option<SignInRefusal> {
    let warning = read.header.as_ref()?.platform_refusal()?;
    Some(SignInRefusal::new(
        warning.code.code(),
        RichText::with_hint(&warning.message, ""),
    ))
}

fn actions(check: &SignInCheck, read: &DecodedToken) -> Vec<Action> {
    let action = |label: &str, change| {
        vec![Action {
            label: label.into(),
            change,
        }]
    };
    match check.about {
        _ if is_expired(check) => action("Ignore the expiry", InputEdit::IgnoreExpiry(true)),
        CheckName::Issuer | CheckName::Audience => {
            let issuer = read.claims.issuer().map(str::to_owned);
            let audience = read
                .claims
                .audiences()
                .and_then(|all| all.first().map(|first| (*first).to_owned()));
            match (issuer, audience) {
                (None, None) => Vec::new(),
                (issuer, audience) => {
                    let change =
                        InputEdit::Expect(issuer.unwrap_or_default(), audience.unwrap_or_default());
                    action(
                        "Assume that the service accepts its issuer and audience",
                        change,
                    )
                }
            }
        }
        CheckName::Form
        | CheckName::Signature
        | CheckName::Key
        | CheckName::Expires
        | CheckName::NotBefore
        | CheckName::IssuedAt
        | CheckName::Type => Vec::new(),
    }
}

const fn is_expired(check: &SignInCheck) -> bool {
    matches!(check.error, Some(VerifyError::Expired { .. }))
}

#[cfg(test)]
mod tests {
    use gbac_api::service::accepted_tokens;
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::simulator::inputs::WhatIfSettings;
    use crate::simulator::tests::policy;
    use crate::simulator::token::FactMark;
    use crate::simulator::verdict::VerdictKind;
    use crate::simulator::{View, evaluate};

    const NOW: f64 = 1_795_243_000.0;

    fn access(claims: &Value) -> Inputs {
        Inputs {
            token: claims.to_string(),
            as_claims: true,
            resource_name: "x".into(),
            ..Inputs::default()
        }
    }

    fn service() -> AcceptedTokens {
        let properties = json!({
            "oidc_discovery_url": "https://idp.example/.well-known/openid-configuration", "oidc_token_audience": "orders",
        });
        accepted_tokens(properties.as_object().unwrap(), None)
    }

    fn facts(view: &View, about: CheckName) -> Vec<(FactMark, String)> {
        let facts = view.facts.iter().filter(|fact| fact.about == about);
        facts.map(|fact| (fact.mark, fact.words.plain())).collect()
    }

    #[test]
    fn what_the_service_accepts_is_compared_unless_something_else_is_entered() {
        let claims = json!({ "sub": "maya", "iss": "https://idp.example", "aud": "billing", "exp": NOW, "groups": [] });
        let mut inputs = access(&claims);
        let view = evaluate(&inputs, Some(&policy()), &service(), NOW);
        let issuer = (
            FactMark::Good,
            "The issuer is https://idp.example, as the service requires.".to_owned(),
        );
        assert_eq!(facts(&view, CheckName::Issuer), [issuer]);
        let audience = facts(&view, CheckName::Audience);
        assert_eq!(audience.len(), 1);
        assert!(
            audience[0].0 == FactMark::Bad
                && audience[0].1.contains("the service accepts only orders"),
            "{audience:?}"
        );
        assert_eq!(
            view.verdict.as_ref().unwrap().kind,
            VerdictKind::SignInFails
        );
        inputs.audience = "billing".into();
        let view = evaluate(&inputs, Some(&policy()), &service(), NOW);
        assert_eq!(
            facts(&view, CheckName::Audience),
            [(FactMark::Good, "Audience billing is accepted".to_owned())]
        );
        assert_eq!(
            view.verdict.as_ref().unwrap().kind,
            VerdictKind::NothingAllows
        );
        // Of a service that says nothing, nothing is held against the token.
        inputs.audience.clear();
        let silent = accepted_tokens(&Map::new(), None);
        let view = evaluate(&inputs, Some(&policy()), &silent, NOW);
        assert_eq!(
            (facts(&view, CheckName::Issuer), view.refusal),
            (vec![], None)
        );
    }

    #[test]
    fn the_first_fault_is_told_with_the_others_and_a_way_to_try_it() {
        let claims = json!({ "sub": "maya", "iss": "https://idp.example", "aud": "billing", "exp": 1, "nbf": 9e9 });
        let mut inputs = access(&claims);
        let view = evaluate(&inputs, Some(&policy()), &service(), NOW);
        let refusal = view.refusal.unwrap();
        assert!(
            refusal
                .words
                .plain()
                .starts_with("The token is for billing, and"),
            "{}",
            refusal.words.plain()
        );
        assert_eq!(refusal.more, ["Expiry", "Not before"]);
        refusal.actions[0]
            .change
            .clone()
            .apply(&mut inputs, &WhatIfSettings::default());
        let view = evaluate(&inputs, Some(&policy()), &service(), NOW);
        let refusal = view.refusal.unwrap();
        assert_eq!(
            (refusal.more.as_slice(), refusal.actions.len()),
            (["Not before"].as_slice(), 1)
        );
        refusal.actions[0]
            .change
            .clone()
            .apply(&mut inputs, &WhatIfSettings::default());
        let view = evaluate(&inputs, Some(&policy()), &service(), NOW);
        let words = view.refusal.unwrap().words.plain();
        assert!(words.starts_with("The token is not valid yet"), "{words}");
    }
}
