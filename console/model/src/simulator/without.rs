//! The answer that counts while nothing is assumed and nothing is tried.

use gbac_analysis::HypotheticalChanges;
use gbac_analysis::provider::AcceptedTokens;
use gbac_engine::policy::Policy;
use gbac_words::hypothesis as words;
use gbac_words::rich_text::RichText;

use crate::simulator::hypothesis::{Hypothesis, Removal, conditions};
use crate::simulator::identity::of_service;
use crate::simulator::inputs::Inputs;
use crate::simulator::pipeline;
use crate::simulator::token_checks::Verifier;
use crate::simulator::verdict::VerdictKind;

/// A verdict without its reasons.
#[derive(Debug, Clone, PartialEq)]
pub struct RealAnswer {
    /// The verdict.
    pub kind: VerdictKind,
    /// Why sign-in fails, or what it still rests on: a signature that only keys can verify.
    pub words: Option<RichText>,
}

/// The answer where everything that a verdict rests on is taken back; none where nothing of it can
/// be, or where what is entered is not complete. `now` is in seconds since 1970.
pub fn real_answer(
    hypotheses: &[Hypothesis],
    inputs: &Inputs,
    policy: &Policy,
    accepted: &AcceptedTokens,
    now: f64,
    verifier: Option<Verifier>,
) -> Option<RealAnswer> {
    let (mut inputs, service) = (inputs.clone(), of_service(policy.settings()));
    let (mut trials, mut is_other) = (HypotheticalChanges::default(), false);
    for hypothesis in hypotheses {
        is_other |= hypothesis.removal(&service) != Removal::Verify;
        hypothesis.remove(&mut inputs, &mut trials, &service);
    }
    if !is_other {
        return None;
    }
    let view = pipeline::evaluate(&inputs, Some(policy), accepted, now, verifier);
    let kind = view.verdict?.kind;
    let words = match (kind, view.refusal) {
        (VerdictKind::SignInFails, Some(refusal)) => Some(refusal.words),
        (VerdictKind::AllowedIf, _) => Some(words::if_they_hold(conditions(&view.hypotheses))),
        _ => None,
    };
    Some(RealAnswer { kind, words })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gbac_analysis::HypotheticalChange;
    use serde_json::{Value, json};

    use super::*;
    use crate::simulator::hypothesis::with_changes;
    use crate::simulator::inputs::{IdentityMode, SettingsSource, WhatIfSettings};
    use crate::simulator::tests::{compact, evaluate, inputs, policy};

    const NOW: f64 = 1_795_243_000.0;

    fn service() -> AcceptedTokens {
        AcceptedTokens {
            issuer: Some("https://idp.example".into()),
            ..AcceptedTokens::default()
        }
    }

    fn answer(inputs: &Inputs, trials: &[HypotheticalChange]) -> Option<(VerdictKind, String)> {
        let policy: Arc<Policy> = policy();
        let of_token = evaluate(inputs, Some(&policy), &service(), NOW).hypotheses;
        let all = with_changes(&of_token, &trials.iter().cloned().collect());
        let real = real_answer(&all, inputs, &policy, &service(), NOW, None)?;
        let words = real.words.map(|words| words.plain());
        Some((real.kind, words.unwrap_or_default()))
    }

    fn token(claims: &Value) -> String {
        let header = json!({ "alg": "RS256", "kid": "k", "typ": "JWT" });
        compact(&header, claims)
    }

    #[test]
    fn a_refused_token_is_refused_whatever_is_assumed() {
        let claims = json!({ "sub": "a", "iss": "https://acme.okta.com", "exp": NOW + 60.0, "groups": ["payments"] });
        let assumed = Inputs {
            issuer: "https://acme.okta.com".into(),
            ..inputs(&token(&claims))
        };
        let (kind, words) = answer(&assumed, &[]).unwrap();
        assert_eq!(kind, VerdictKind::SignInFails);
        assert!(words.contains("https://acme.okta.com"), "{words}");
    }

    #[test]
    fn what_only_keys_verify_is_said_to_remain() {
        let claims = json!({ "sub": "a", "iss": "https://idp.example", "exp": NOW + 60.0, "groups": ["payments"] });
        let unverified = inputs(&token(&claims));
        assert_eq!(answer(&unverified, &[]), None);
        let joined = [HypotheticalChange::Join("ops".into())];
        let rest = "If the signature is valid.".to_owned();
        assert_eq!(
            answer(&unverified, &joined),
            Some((VerdictKind::AllowedIf, rest))
        );
    }

    #[test]
    fn the_settings_of_the_service_and_the_expiry_count() {
        let claims = json!({ "sub": "a", "iss": "https://idp.example", "exp": NOW - 60.0, "roles": ["payments"] });
        let mut tried = Inputs {
            ignore_expiry: true,
            source: SettingsSource::WhatIf,
            what_if: WhatIfSettings {
                claim_path: "$.roles".into(),
                ..of_service(policy().settings())
            },
            tried: true,
            ..inputs(&token(&claims))
        };
        let expired = answer(&tried, &[]).unwrap();
        assert!(!expired.0.is_allowed(), "{expired:?}");
        // By hand, only what is tried is taken back.
        tried.mode = IdentityMode::ByHand;
        tried.user = "a".into();
        assert_eq!(answer(&tried, &[]), None);
        let joined = [HypotheticalChange::Join("payments".into())];
        let nothing = (VerdictKind::NothingAllows, String::new());
        assert_eq!(answer(&tried, &joined), Some(nothing));
    }
}
