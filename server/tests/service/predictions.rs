//! The law of sign-in predictions: the simulator and `gbac doctor` accept a token exactly if the
//! service does (D-19, D-57).

use axum::http::Method;
use gbac_analysis::doctor::{DiagnosticInput, StepStatus, TokenInput, diagnose};
use gbac_analysis::provider::AcceptedTokens;
use gbac_api::service::ServiceInfo;
use gbac_api::service::accepted_tokens;
use gbac_console_model::simulator::inputs::Inputs;
use gbac_console_model::simulator::pipeline::evaluate;
use gbac_console_model::simulator::token_checks::Verifier;
use gbac_console_model::simulator::verdict::VerdictKind;
use gbac_engine::policy::{Policy, Settings};
use gbac_server::OidcRules;
use serde_json::{Map, Value, json};

use crate::harness::{NOW, Own, Service, admin, data_options};
use crate::identity_provider::{AUDIENCE, DISCOVERY, KEYS, Provider, Says};

const RESOLVE: &str = "/service.core.admin.v2.SecurityService/ResolveOidcIdentity";

/// Changes of a usual access token that matter to some rule, with its type.
fn tokens(issuer: &str) -> Vec<(&'static str, Value)> {
    let slashed = format!("{issuer}/");
    vec![
        ("at+jwt", json!({})),
        ("application/at+jwt", json!({})),
        ("JWT", json!({})),
        ("", json!({})),
        ("id+jwt", json!({})),
        ("at+jwt", json!({ "iat": null })),
        ("JWT", json!({ "iat": "now" })),
        ("at+jwt", json!({ "exp": NOW + 599.0 })),
        ("at+jwt", json!({ "exp": NOW + 601.0 })),
        ("JWT", json!({ "iat": NOW - 86_400.0 })),
        ("at+jwt", json!({ "iat": NOW + 20.0 })),
        ("at+jwt", json!({ "iat": NOW + 40.0 })),
        ("at+jwt", json!({ "nbf": NOW + 20.0 })),
        ("at+jwt", json!({ "nbf": NOW + 40.0 })),
        ("at+jwt", json!({ "exp": NOW - 40.0 })),
        ("at+jwt", json!({ "exp": null })),
        ("at+jwt", json!({ "iss": slashed })),
        ("at+jwt", json!({ "iss": issuer.trim_end_matches('/') })),
        ("at+jwt", json!({ "iss": "https://other.example" })),
        ("at+jwt", json!({ "iss": null })),
        ("at+jwt", json!({ "aud": "other" })),
        ("at+jwt", json!({ "aud": ["other", AUDIENCE] })),
        ("at+jwt", json!({ "aud": null })),
        ("at+jwt", json!({ "sub": "" })),
    ]
}

async fn status(service: &Service, token: &str) -> u16 {
    service
        .send_as(
            Method::POST,
            RESOLVE,
            &json!({}),
            &format!("Bearer {token}"),
        )
        .await
        .status
}

/// What the service says about the tokens that it accepts, as the simulator and `gbac doctor` read
/// it.
async fn accepted(service: &Service) -> AcceptedTokens {
    let properties: Map<String, Value> =
        serde_json::from_slice(&service.get_as("/v1/cluster_config", &admin()).await.body).unwrap();
    let info: ServiceInfo =
        serde_json::from_slice(&service.get("/gbac/v1/service").await.body).unwrap();
    accepted_tokens(&properties, Some(&info))
}

fn simulator_accepts(token: &str, keys: &str, accepted: &AcceptedTokens) -> bool {
    let inputs = Inputs {
        token: token.into(),
        keys: keys.into(),
        resource_name: "orders".into(),
        ..Inputs::default()
    };
    let (policy, verifier) = (Policy::default(), Some(Verifier::new()));
    let verdict = evaluate(&inputs, Some(&policy), accepted, NOW, verifier).verdict;
    verdict.is_some_and(|verdict| verdict.kind != VerdictKind::SignInFails)
}

fn doctor_accepts(token: &str, accepted: &AcceptedTokens) -> bool {
    let settings = Settings::default();
    let input = DiagnosticInput {
        accepted: Some(accepted),
        now: Some(NOW.into()),
        ..DiagnosticInput::new(TokenInput::Token(token), &settings)
    };
    diagnose(&input)
        .iter()
        .all(|step| step.state != StepStatus::Failed)
}

#[tokio::test]
async fn simulator_and_doctor_accept_exactly_the_tokens_that_the_service_accepts() {
    let rules = |access_tokens_only, max_lifetime| OidcRules {
        issuer: None,
        access_tokens_only,
        max_lifetime,
    };
    for (rules, skew) in [
        (rules(false, None), 30),
        (rules(false, None), 10),
        (rules(true, None), 30),
        (rules(false, Some(600)), 30),
        (rules(true, Some(600)), 10),
        (
            OidcRules {
                issuer: Some(String::new()),
                ..rules(false, None)
            },
            30,
        ),
    ] {
        let provider = Provider::start().await;
        let stated = rules.issuer.is_some();
        let issuer = if stated {
            "https://sts.example/t/".to_owned()
        } else {
            provider.origin.clone()
        };
        if stated {
            let document =
                json!({ "issuer": issuer, "jwks_uri": format!("{}{KEYS}", provider.origin) });
            provider.say(DISCOVERY, Says::Body(document.to_string().into_bytes()));
        }
        let rules = OidcRules {
            issuer: stated.then(|| issuer.clone()),
            ..rules
        };
        let service = Own::with(|options| data_options(options).oidc_rules = rules.clone());
        let change = json!({ "upsert": { "oidc_discovery_url": provider.discovery(), "oidc_token_audience": AUDIENCE,
            "oidc_clock_skew_tolerance": skew }, "remove": [] });
        assert_eq!(
            service
                .send(Method::PUT, "/v1/cluster_config", &change)
                .await
                .status,
            200
        );
        let keys = provider.document(KEYS);
        let mut of_rules = 0;
        for (typ, change) in tokens(&issuer) {
            let mut claims = json!({ "iss": issuer, "aud": AUDIENCE, "sub": "a", "iat": NOW, "exp": NOW + 600.0,
                "groups": ["eng"] });
            claims
                .as_object_mut()
                .unwrap()
                .extend(change.as_object().unwrap().clone());
            claims
                .as_object_mut()
                .unwrap()
                .retain(|_, value| !value.is_null());
            let token = provider.sign_as(typ, "a", &claims);
            let answer = status(&service, &token).await;
            assert!(answer == 200 || answer == 401, "{answer}");
            let known = accepted(&service).await;
            let predicted = [
                simulator_accepts(&token, "", &known),
                simulator_accepts(&token, &keys, &known),
                doctor_accepts(&token, &known),
            ];
            assert_eq!(
                predicted,
                [answer == 200; 3],
                "{rules:?}, {skew} s: {typ} {change}"
            );
            of_rules += usize::from(answer == 200);
        }
        assert!(
            of_rules > 3 && of_rules < tokens(&issuer).len() - 3,
            "{rules:?} accept some and refuse some: {of_rules}"
        );
    }
}
