//! Tests of the simulator with realistic tokens and invalid input.

use std::sync::Arc;

use gbac_analysis::provider::AcceptedTokens;
use gbac_engine::Assumption;
use gbac_engine::decide::CandidateStatus;
use gbac_engine::policy::Policy;
use gbac_engine::warning::WarningCode;
use gbac_json::policy_from_json;
use serde_json::{Value, json};

use crate::settings::is_sso;
use crate::simulator::extraction::{RowOutcome, StepState};
use crate::simulator::hypothesis::Hypothesis;
use crate::simulator::identity::of_service;
use crate::simulator::inputs::{
    IdentityMode, InputEdit, InputField, Inputs, SettingsSource, TokenAssumption, Weight,
    WhatIfSettings,
};
use crate::simulator::pipeline::{Shown, View, Waiting, announcement, shown};
use crate::simulator::token_checks::Signature;
use crate::simulator::token_checks::Verifier;
use crate::simulator::trace::TraceFilter;
use crate::simulator::verdict::{VerdictKind, Why};
use crate::simulator::{pipeline, trace};
use gbac_engine::model::{Operation, ResourceType};

pub(super) const NOW: f64 = 1_795_243_000.0;

fn base64url(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let word = chunk
            .iter()
            .fold(0u32, |word, byte| word << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for place in 0..=chunk.len() {
            out.push(char::from(
                ALPHABET[(word >> (18 - 6 * place) & 63) as usize],
            ));
        }
    }
    out
}

/// A compact JWS whose signature is of no key.
pub(super) fn compact(header: &Value, claims: &Value) -> String {
    format!(
        "{}.{}.c2ln",
        base64url(header.to_string().as_bytes()),
        base64url(claims.to_string().as_bytes())
    )
}

fn token(claims: &Value) -> String {
    compact(
        &json!({ "alg": "RS256", "typ": "JWT", "kid": "k1" }),
        claims,
    )
}

fn acl(
    principal: &str,
    permission: &str,
    operation: &str,
    name: &str,
    pattern: &str,
    host: &str,
) -> Value {
    json!({
        "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": name,
        "resource_pattern_type": format!("RESOURCE_PATTERN_TYPE_{pattern}"), "principal": principal, "host": host,
        "operation": format!("OPERATION_{operation}"), "permission_type": format!("PERMISSION_TYPE_{permission}"),
    })
}

fn policy_with(settings: &Value) -> Arc<Policy> {
    let document = json!({
        "version": 1,
        "settings": settings,
        "roles": [
            { "name": "PaymentsWriters", "members": [{ "principal": "Group:payments" }] },
            { "name": "Auditors", "members": [{ "principal": "User:svc" }] },
        ],
        "acls": [
            acl("Group:read-only", "DENY", "WRITE", "payments-", "PREFIXED", "*"),
            acl("Role:PaymentsWriters", "ALLOW", "WRITE", "payments-", "PREFIXED", "*"),
            acl("Group:Payments", "ALLOW", "ALL", "payments-settled", "LITERAL", "*"),
            acl("User:maya", "ALLOW", "WRITE", "payments-settled", "LITERAL", "10.20.4.71"),
            acl("Group:analysts", "ALLOW", "READ", "payments-", "PREFIXED", "*"),
            acl("Role:Auditors", "ALLOW", "READ", "*", "LITERAL", "*"),
            acl("User:svc", "ALLOW", "READ", "orders", "LITERAL", "10.0.0.9"),
        ],
    });
    Arc::new(policy_from_json(&document.to_string()).unwrap())
}

pub(crate) fn policy() -> Arc<Policy> {
    policy_with(&json!({ "nested_group_behavior": "suffix", "superusers": ["root"] }))
}

fn maya() -> Value {
    json!({
        "sub": "maya", "exp": NOW + 2460.0, "aud": "streams",
        "groups": ["/eng/platform/on-call", "/eng/payments", "/contractors/payments", "/eng/data/analysts", "/audit/read-only"],
    })
}

pub(super) fn inputs(token: &str) -> Inputs {
    Inputs {
        token: token.into(),
        operation: Operation::Write,
        resource_name: "payments-settled".into(),
        host: "10.20.4.17".into(),
        ..Inputs::default()
    }
}

/// The whole way, with the code that checks signatures.
pub(crate) fn evaluate(
    inputs: &Inputs,
    policy: Option<&Arc<Policy>>,
    accepted: &AcceptedTokens,
    now: f64,
) -> View {
    let verifier = Some(Verifier::new());
    pipeline::evaluate(inputs, policy.map(AsRef::as_ref), accepted, now, verifier)
}

/// What is in sight, after what was.
pub(super) fn see(before: Option<&Shown>, inputs: &Inputs, view: &View) -> Shown {
    shown(
        before,
        inputs.entered(),
        view.steps.clone(),
        view.verdict.clone(),
        view.judged.clone(),
        &view.problems,
    )
}

fn view(claims: &Value) -> View {
    evaluate(
        &inputs(&token(claims)),
        Some(&policy()),
        &AcceptedTokens::default(),
        NOW,
    )
}

/// Inputs with a decision of every reason but an expiry, and one with that.
pub(super) fn judged_inputs() -> Vec<Inputs> {
    let claims = [
        maya(),
        // Sign-in forgives these seconds, and no decision does.
        json!({ "sub": "maya", "exp": NOW - 10.0, "groups": ["payments"] }),
        json!({ "sub": "root", "exp": NOW + 60.0, "groups": [] }),
        json!({ "sub": "nobody", "exp": NOW + 60.0 }),
        json!({ "sub": "a", "exp": NOW + 60.0, "groups": ["x/payments"] }),
    ];
    claims.iter().map(|claims| inputs(&token(claims))).collect()
}

pub(super) fn why<'v>(view: &'v View, label: &str) -> &'v Why {
    let verdict = view.verdict.as_ref().unwrap();
    &verdict
        .why
        .iter()
        .find(|(found, _)| *found == label)
        .unwrap_or_else(|| panic!("no {label} in {verdict:?}"))
        .1
}

pub(super) fn said(why: &Why) -> String {
    match why {
        Why::RichText(words) => words.plain(),
        Why::Paths(paths) => {
            let paths = paths.iter().map(|path| {
                path.iter()
                    .map(|hop| hop.plain())
                    .collect::<Vec<_>>()
                    .join(" > ")
            });
            paths.collect::<Vec<_>>().join(" | ")
        }
        Why::Near(count, words) => format!("{count} {}", words.plain()),
    }
}

fn bodies(view: &View) -> Vec<(StepState, String, String)> {
    let steps = view.steps.as_ref().unwrap();
    steps
        .steps
        .iter()
        .map(|step| {
            (
                step.state,
                step.count.clone(),
                step.body
                    .iter()
                    .map(|words| words.plain())
                    .collect::<Vec<_>>()
                    .join(" "),
            )
        })
        .collect()
}

fn codes(view: &View) -> Vec<WarningCode> {
    view.steps
        .as_ref()
        .unwrap()
        .notes
        .iter()
        .filter_map(|note| note.code)
        .collect()
}

#[test]
fn the_whole_way_from_a_token_to_a_verdict() {
    let view = view(&maya());
    assert_eq!(
        bodies(&view),
        [
            (
                StepState::Done,
                "4 claims".into(),
                "Compact JWS, RS256, key k1".into()
            ),
            (
                StepState::Done,
                String::new(),
                "$.sub is maya, so User:maya".into()
            ),
            (
                StepState::Done,
                "5 names".into(),
                "$.groups found: an array of strings".into()
            ),
            (
                StepState::Done,
                String::new(),
                "suffix keeps what follows the last /".into()
            ),
            (StepState::Warn, "4, one merged".into(), String::new()),
        ]
    );
    let steps = view.steps.as_ref().unwrap();
    assert_eq!(steps.summary, "5 names in the token, 4 groups of the user");
    let table = steps.table.as_ref().unwrap();
    assert_eq!(table.rows[1].raw, ("/eng/".into(), "payments".into()));
    assert!(
        matches!(&table.rows[2].outcome, RowOutcome::Merged(principal) if principal.to_string() == "Group:payments")
    );
    assert_eq!((table.rows[4].place.as_str(), table.numbered), ("4", true));
    assert_eq!(steps.notes[0].title, "Two groups become Group:payments");
    assert_eq!(
        steps.notes[0].words.plain(),
        "/eng/payments and /contractors/payments end in the same segment. Members of either one get 1 role with 1 ACL."
    );

    let verdict = view.verdict.as_ref().unwrap();
    assert_eq!(
        (verdict.kind, verdict.kind.title()),
        (VerdictKind::DeniedByRule, "Denied by rule")
    );
    assert_eq!(
        verdict.sentence.plain(),
        "User:maya can't write to topic payments-settled"
    );
    assert_eq!(
        said(why(&view, "Decided by")),
        "groups[4] > Group:read-only > Deny Write, topic payments- prefixed"
    );
    assert_eq!(
        said(why(&view, "Overridden")),
        "groups[1] and groups[2] > Group:payments > Role:PaymentsWriters > Allow Write, topic payments- prefixed"
    );
    assert_eq!(
        said(why(&view, "Near misses")),
        "2 ACLs almost match: for one only the host differs and for one only letter case differs"
    );
    assert_eq!(
        said(why(&view, "Would allow")),
        "Without this deny, the overridden ACL allows it."
    );
    let shown = see(None, &inputs(&token(&maya())), &view);
    assert_eq!(
        announcement(&view.problems, &shown),
        "Denied by rule: User:maya can't write to topic payments-settled"
    );
    assert!(shown.verdict_stale.is_none() && shown.steps_stale.is_none());
}

#[test]
fn the_trace_has_three_passes() {
    let view = view(&maya());
    let judged = view.judged.as_ref().unwrap();
    assert_eq!(
        gbac_words::trace::summary(&judged.explanation),
        "5 of 7 ACLs listed: 1 deny, 1 allow overridden, 2 near misses, 1 does not match"
    );
    let shown = trace::visible_rows(judged, TraceFilter::All, 200);
    let [deny, allow, nothing] = &shown.passes;
    assert_eq!(
        (
            deny.rows.len(),
            allow.rows.len(),
            nothing.rows.len(),
            shown.rows,
            shown.hidden
        ),
        (1, 4, 0, 5, 0)
    );
    let row = &deny.rows[0];
    assert_eq!(row.result, CandidateStatus::Decides);
    assert_eq!(
        row.principal.small.as_ref().unwrap().plain(),
        "from groups[4], direct ACL"
    );
    assert!(
        row.principal.matches && row.resource.matches && row.operation.matches && row.host.matches
    );
    let over = allow
        .rows
        .iter()
        .find(|row| row.result == CandidateStatus::Overridden)
        .unwrap();
    assert_eq!(
        over.principal.words.plain(),
        "Group:payments → Role:PaymentsWriters"
    );
    assert_eq!(
        over.principal.small.as_ref().unwrap().plain(),
        "from groups[1] and groups[2], member of the role"
    );
    let near: Vec<_> = allow
        .rows
        .iter()
        .filter(|row| matches!(row.result, CandidateStatus::Near(_)))
        .collect();
    assert_eq!(
        near[0].host.small.as_ref().unwrap().plain(),
        "requested: 10.20.4.17"
    );
    assert_eq!(near[1].principal.words.plain(), "Group:Payments");
    assert_eq!(
        near[1].principal.small.as_ref().unwrap().plain(),
        "token gives Group:payments"
    );
    let other = allow
        .rows
        .iter()
        .find(|row| row.result == CandidateStatus::NoMatch)
        .unwrap();
    assert_eq!(
        other.operation.small.as_ref().unwrap().plain(),
        "requested: Write"
    );
    let deciding = trace::visible_rows(judged, TraceFilter::Deciding, 200);
    assert_eq!((deciding.rows, deciding.hidden), (2, 3));
    assert_eq!(
        trace::user_roles(judged).plain(),
        "User:maya is not a member of a role."
    );
    // A limit leaves something of both passes.
    let few = trace::visible_rows(judged, TraceFilter::All, 2);
    assert_eq!(
        (few.passes[0].rows.len(), few.passes[1].rows.len(), few.rows),
        (1, 1, 5)
    );
}

#[test]
fn allowed_by_an_implied_operation_of_a_role() {
    let claims = json!({ "sub": "svc", "exp": NOW + 60.0, "groups": ["x"] });
    let access = Inputs {
        operation: Operation::Describe,
        resource_name: "orders".into(),
        host: String::new(),
        ..inputs(&token(&claims))
    };
    let view = evaluate(&access, Some(&policy()), &AcceptedTokens::default(), NOW);
    assert_eq!(view.verdict.as_ref().unwrap().kind, VerdictKind::AllowedIf);
    assert_eq!(
        said(why(&view, "Decided by")),
        "User:svc > Role:Auditors > Allow Read, topic * all names"
    );
    assert_eq!(
        said(why(&view, "Implied")),
        "Read also allows Describe. No ACL names Describe itself."
    );
    assert_eq!(
        trace::user_roles(view.judged.as_ref().unwrap()).plain(),
        "User:svc is a member of Role:Auditors."
    );
}

#[test]
fn nothing_allows_it_and_the_host_may_matter() {
    let claims = json!({ "sub": "maya", "exp": NOW + 60.0 });
    let view = evaluate(
        &Inputs {
            host: String::new(),
            ..inputs(&token(&claims))
        },
        Some(&policy()),
        &AcceptedTokens::default(),
        NOW,
    );
    assert_eq!(
        view.verdict.as_ref().unwrap().kind,
        VerdictKind::NothingAllows
    );
    assert_eq!(
        said(why(&view, "ACLs considered")),
        "1 ACL of the user, the groups or their roles, 1 on this topic, none of them allows Write"
    );
    assert!(
        said(why(&view, "Host"))
            .starts_with("No host was given, so allows for one host do not apply.")
    );
    assert!(
        said(why(&view, "Would allow"))
            .starts_with("One ACL that allows Write on topic payments-settled, for User:maya")
    );
}

#[test]
fn superusers_and_expiry_are_told() {
    let root = view(&json!({ "sub": "root", "exp": NOW + 60.0, "groups": ["/a/read-only"] }));
    assert_eq!(root.verdict.as_ref().unwrap().kind, VerdictKind::AllowedIf);
    assert!(said(why(&root, "Decided by")).contains("is a superuser"));

    // Sign-in forgives a few seconds, and no decision does.
    let mut claims = maya();
    claims["exp"] = json!(NOW - 20.0);
    let late = view(&claims);
    let verdict = late.verdict.as_ref().unwrap();
    assert_eq!(
        (verdict.kind, verdict.kind.title()),
        (VerdictKind::Expired, "Denied, the token has expired")
    );
    assert_eq!(
        said(why(&late, "Decided by")),
        "The token expired 20 s ago, at 06:36 UTC. ACLs are not evaluated."
    );
    claims["exp"] = json!(NOW - 7200.0);
    let old = view(&claims);
    let verdict = old.verdict.as_ref().unwrap();
    assert_eq!(verdict.kind, VerdictKind::SignInFails);
    assert_eq!(
        said(why(&old, "Fix first")),
        "The token expired 2 h ago. Get a new token."
    );
    let mut all_the_same = inputs(&token(&claims));
    verdict.actions[0]
        .change
        .clone()
        .apply(&mut all_the_same, &WhatIfSettings::default());
    let now = evaluate(
        &all_the_same,
        Some(&policy()),
        &AcceptedTokens::default(),
        NOW,
    );
    assert_eq!(
        now.verdict.as_ref().unwrap().kind,
        VerdictKind::DeniedByRule
    );
    assert!(said(why(&now, "Expired")).contains("ignores the expiry"));
}

#[test]
fn claims_without_a_user_fail_the_sign_in() {
    let view = view(&json!({ "groups": ["/a/read-only"], "exp": NOW + 60.0 }));
    assert_eq!(
        view.verdict.as_ref().unwrap().kind,
        VerdictKind::SignInFails
    );
    assert_eq!(bodies(&view)[1].0, StepState::Bad);
    assert_eq!(bodies(&view)[2].1, "1 name");
    assert!(view.judged.is_none());
}

#[test]
fn tokens_of_real_providers() {
    let exp = NOW + 60.0;
    // Keycloak: roles below realm_access, while the service looks at groups.
    let keycloak = view(
        &json!({ "sub": "a", "exp": exp, "realm_access": { "roles": ["offline_access", "payments"] } }),
    );
    assert_eq!(bodies(&keycloak)[2].0, StepState::Bad);
    let note = keycloak
        .steps
        .as_ref()
        .unwrap()
        .notes
        .iter()
        .find(|note| note.code == Some(WarningCode::NearClaim))
        .unwrap()
        .clone();
    assert_eq!(note.actions[0].label, "Try $.realm_access.roles");
    let mut tried = inputs("");
    note.actions[0]
        .change
        .clone()
        .apply(&mut tried, &of_service(policy().settings()));
    assert!(
        tried.source == SettingsSource::WhatIf
            && tried.what_if.claim_path == "$.realm_access.roles"
    );

    // Entra ID over its limit.
    let entra = view(&json!({
        "sub": "a", "exp": exp, "_claim_names": { "groups": "src1" },
        "_claim_sources": { "src1": { "endpoint": "https://graph.example.com/v1.0/users/1/getMemberObjects" } },
    }));
    assert!(
        codes(&entra).contains(&WarningCode::GroupOverage),
        "{:?}",
        codes(&entra)
    );
    assert_eq!(
        bodies(&entra)[4].2,
        "None. Only ACLs for the user and the user’s roles apply."
    );

    // Auth0: a namespaced claim needs brackets.
    let auth0 =
        view(&json!({ "sub": "a", "exp": exp, "https://example.com/groups": ["payments"] }));
    let offered: Vec<_> = auth0
        .steps
        .as_ref()
        .unwrap()
        .notes
        .iter()
        .flat_map(|note| &note.actions)
        .map(|action| action.label.as_str())
        .collect();
    assert_eq!(offered, ["Try $['https://example.com/groups']"]);

    // Cognito: a colon in the name; no audience.
    let cognito = view(
        &json!({ "sub": "a", "exp": exp, "token_use": "access", "cognito:groups": ["payments"] }),
    );
    let offered: Vec<_> = cognito
        .steps
        .as_ref()
        .unwrap()
        .notes
        .iter()
        .flat_map(|note| &note.actions)
        .collect();
    assert_eq!(offered.len(), 1);
    assert!(
        cognito
            .facts
            .iter()
            .any(|fact| fact.words.plain() == "No audience (aud)")
    );

    // Zitadel: an object keyed by role, which no path reads.
    let zitadel = Inputs {
        source: SettingsSource::WhatIf,
        what_if: WhatIfSettings {
            claim_path: "$['urn:zitadel:iam:org:project:roles']".into(),
            ..WhatIfSettings::default()
        },
        ..inputs(&token(
            &json!({ "sub": "a", "exp": exp, "urn:zitadel:iam:org:project:roles": { "admin": { "1": "x" } } }),
        ))
    };
    let zitadel = evaluate(&zitadel, Some(&policy()), &AcceptedTokens::default(), NOW);
    assert!(
        codes(&zitadel).contains(&WarningCode::ClaimWrongType),
        "{:?}",
        codes(&zitadel)
    );

    let zitadel = view(
        &json!({ "sub": "a", "exp": exp, "urn:zitadel:iam:org:project:roles": { "admin": { "1": "x" } } }),
    );
    assert!(
        zitadel.steps.as_ref().unwrap().notes[0]
            .words
            .plain()
            .contains("with names as its keys")
    );

    // A comma-separated claim, as glewlwyd makes it.
    let comma =
        view(&json!({ "sub": "a", "exp": exp, "groups": "engineering, /a/b/payments ,ops," }));
    assert_eq!(
        bodies(&comma)[2].2,
        "$.groups found: one string, split at its commas"
    );
    assert_eq!(
        comma.steps.as_ref().unwrap().summary,
        "4 names in the token, 3 groups of the user"
    );

    // Two hundred groups.
    let groups: Vec<String> = (0..200).map(|n| format!("/department/team-{n}")).collect();
    let many = view(&json!({ "sub": "a", "exp": exp, "groups": groups }));
    assert_eq!(
        many.steps.as_ref().unwrap().summary,
        "200 names in the token, 200 groups of the user"
    );

    // RFC 9068: no warning but that a cluster of today differs.
    let at_jwt = compact(
        &json!({ "alg": "RS256", "typ": "at+jwt", "kid": "k" }),
        &json!({ "sub": "a", "exp": exp, "groups": ["b"] }),
    );
    let at_jwt = evaluate(
        &inputs(&at_jwt),
        Some(&policy()),
        &AcceptedTokens::default(),
        NOW,
    );
    assert_eq!(codes(&at_jwt), [WarningCode::PlatformTyp]);

    // An ID token in the place of an access token.
    let id_token = view(&json!({ "sub": "a", "exp": exp, "at_hash": "x", "nonce": "n" }));
    assert!(codes(&id_token).contains(&WarningCode::IdToken));
}

#[test]
fn the_last_good_result_stays_while_the_input_is_wrong() {
    let policy = policy();
    let evaluated =
        |inputs: &Inputs| evaluate(inputs, Some(&policy), &AcceptedTokens::default(), NOW);
    let complete = inputs(&token(&maya()));
    let good = see(None, &complete, &evaluated(&complete));
    let cut = inputs(&token(&maya())[..80]);
    let view = evaluated(&cut);
    let wrong = see(Some(&good), &cut, &view);
    assert_eq!(wrong.verdict_stale, Some("the last readable token"));
    assert_eq!(wrong.steps_stale, Some("the last readable token"));
    assert!(
        wrong.steps == good.steps && wrong.verdict == good.verdict && wrong.judged == good.judged
    );
    assert_eq!(
        view.problem(InputField::Token).unwrap().weight,
        Weight::Error
    );
    assert!(view.facts.is_empty());

    let host = Inputs {
        host: "10.0.0.0/8".into(),
        ..inputs(&token(&maya()))
    };
    let view = evaluated(&host);
    let wrong = see(Some(&wrong), &host, &view);
    assert_eq!(
        (wrong.verdict_stale, wrong.steps_stale),
        (Some("the last complete check"), None)
    );
    assert_eq!(view.problem(InputField::Host).unwrap().code, "host_invalid");

    let path = Inputs {
        source: SettingsSource::WhatIf,
        what_if: WhatIfSettings {
            claim_path: "$.groups[".into(),
            ..WhatIfSettings::default()
        },
        ..inputs(&token(&maya()))
    };
    let wrong = see(Some(&wrong), &path, &evaluated(&path));
    assert_eq!(wrong.verdict_stale, Some("the last valid settings"));
    assert!(wrong.verdict == good.verdict && wrong.steps == good.steps);

    let blank = inputs("  ");
    let view = evaluated(&blank);
    let empty = see(Some(&wrong), &blank, &view);
    assert!(empty.verdict.is_none() && empty.steps.is_none() && empty.judged.is_none());
    assert_eq!(view.waiting, Waiting::Identity);
    // What was cleared does not come back.
    let wrong = see(Some(&empty), &cut, &evaluated(&cut));
    assert!(wrong.verdict.is_none() && wrong.steps.is_none());
}

#[test]
fn an_identity_that_is_entered_another_way_leaves_nothing_in_sight() {
    let policy = policy();
    let evaluated =
        |inputs: &Inputs| evaluate(inputs, Some(&policy), &AcceptedTokens::default(), NOW);
    let by_token = inputs(&token(&maya()));
    let good = see(None, &by_token, &evaluated(&by_token));
    let by_hand = Inputs {
        mode: IdentityMode::ByHand,
        groups: "payments".into(),
        ..by_token
    };
    let view = evaluated(&by_hand);
    assert_eq!(view.problem(InputField::User).unwrap().code, "user_empty");
    let shown = see(Some(&good), &by_hand, &view);
    assert!(shown.verdict.is_none() && shown.steps.is_none() && shown.judged.is_none());
    assert_eq!((shown.verdict_stale, shown.steps_stale), (None, None));
}

#[test]
fn what_did_not_change_comes_out_the_same() {
    let policy = policy();
    let at = |inputs: &Inputs, now: f64| {
        evaluate(inputs, Some(&policy), &AcceptedTokens::default(), now)
    };
    let first = at(&inputs(&token(&maya())), NOW);
    let later = at(&inputs(&token(&maya())), NOW + 5.0);
    assert!(first.steps == later.steps && first.judged == later.judged);
    assert!(first.who == later.who);
    let other = Inputs {
        resource_name: "orders".into(),
        ..inputs(&token(&maya()))
    };
    let other = at(&other, NOW + 5.0);
    assert!(first.steps == other.steps && first.judged != other.judged);
    assert!(first.who == other.who);
    // It expires while the page is open.
    let expired = at(&inputs(&token(&maya())), NOW + 3000.0);
    assert_eq!(expired.verdict.unwrap().kind, VerdictKind::SignInFails);
    assert!(first.steps == expired.steps);
}

#[test]
fn the_verdict_follows_the_policy() {
    let claims = token(&json!({ "sub": "a", "exp": NOW + 60.0, "groups": ["payments"] }));
    let under = |policy: Option<&Arc<Policy>>| {
        evaluate(&inputs(&claims), policy, &AcceptedTokens::default(), NOW)
    };
    let waiting = under(None);
    assert_eq!(waiting.waiting, Waiting::Policy);
    assert!(waiting.verdict.is_none() && waiting.steps.is_some());
    let empty = Arc::new(Policy::default());
    assert_eq!(
        under(Some(&empty)).verdict.unwrap().kind,
        VerdictKind::NothingAllows
    );
    assert_eq!(
        under(Some(&policy())).verdict.unwrap().kind,
        VerdictKind::AllowedIf
    );
}

#[test]
fn names_by_hand() {
    let mut access = Inputs {
        mode: IdentityMode::ByHand,
        ..inputs("")
    };
    let none = evaluate(&access, Some(&policy()), &AcceptedTokens::default(), NOW);
    assert!(none.problems.is_empty() && none.verdict.is_none());
    access.groups = "payments\nread-only\n".into();
    assert_eq!(
        evaluate(&access, Some(&policy()), &AcceptedTokens::default(), NOW)
            .problem(InputField::User)
            .unwrap()
            .code,
        "user_empty"
    );
    access.user = "maya".into();
    let view = evaluate(&access, Some(&policy()), &AcceptedTokens::default(), NOW);
    assert_eq!(
        said(why(&view, "Decided by")),
        "Group:read-only > Deny Write, topic payments- prefixed"
    );
    assert_eq!(view.steps.as_ref().unwrap().summary, "2 groups by hand");

    access.groups = "Group:payments\nops".into();
    let view = evaluate(&access, Some(&policy()), &AcceptedTokens::default(), NOW);
    let problem = view.problem(InputField::Groups).unwrap();
    assert_eq!(problem.code, "group_with_type");
    assert!(problem.actions[0].change == InputEdit::Groups("payments\nops".into()));
    access.groups = "payments, ops".into();
    let view = evaluate(&access, Some(&policy()), &AcceptedTokens::default(), NOW);
    assert!(
        view.problem(InputField::Groups).unwrap().actions[0].change
            == InputEdit::Groups("payments\nops".into())
    );
    access.groups = "CN=payments,OU=eng".into();
    let view = evaluate(&access, Some(&policy()), &AcceptedTokens::default(), NOW);
    assert!(
        view.problem(InputField::Groups).unwrap().actions.is_empty(),
        "a distinguished name is one name"
    );
    access.user = "User:maya".into();
    let view = evaluate(&access, Some(&policy()), &AcceptedTokens::default(), NOW);
    assert_eq!(
        view.problem(InputField::User).unwrap().code,
        "user_with_type"
    );
}

#[test]
fn the_sso_mapping_asks_for_the_userinfo() {
    let sso = policy_with(&json!({
        "sso": { "mode": "use_map", "attributes": { "federated_groups": "${context.userinfo.groups}" } },
    }));
    let mut access = inputs(&token(&json!({ "sub": "a", "exp": NOW + 60.0 })));
    let view = evaluate(&access, Some(&sso), &AcceptedTokens::default(), NOW);
    assert!(view.needs_userinfo && is_sso(sso.settings()));
    assert_eq!(bodies(&view)[2].0, StepState::Bad);
    access.userinfo = "[]".into();
    let view = evaluate(&access, Some(&sso), &AcceptedTokens::default(), NOW);
    assert_eq!(
        view.problem(InputField::UserInfo).unwrap().code,
        "not_an_object"
    );
    access.userinfo = "{ \"groups\": [\"payments\"] }".into();
    let view = evaluate(&access, Some(&sso), &AcceptedTokens::default(), NOW);
    assert_eq!(view.verdict.as_ref().unwrap().kind, VerdictKind::AllowedIf);
    assert_eq!(
        said(why(&view, "Decided by")),
        "groups[0] > Group:payments > Role:PaymentsWriters > Allow Write, topic payments- prefixed"
    );
}

/// RFC 7515 appendix A.2: a public key that did not sign any token of these tests.
const FOREIGN_KEY: &str = r#"{ "keys": [{
    "kty": "RSA", "kid": "k1", "e": "AQAB",
    "n": "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"
}] }"#;

#[test]
fn the_keys_of_the_provider_verify_only_tokens_of_its_issuer() {
    const ISSUER: &str = "https://idp.example";
    let accepted = AcceptedTokens {
        issuer: Some(ISSUER.into()),
        ..AcceptedTokens::default()
    };
    let with_keys = |inputs: &Inputs, keys: &str| {
        let verifier = Some(Verifier::new().with_provider_keys(keys));
        pipeline::evaluate(inputs, Some(&policy()), &accepted, NOW, verifier)
    };
    let of_issuer = |issuer: &str| {
        let mut claims = maya();
        claims["iss"] = json!(issuer);
        inputs(&token(&claims))
    };
    let its = of_issuer(ISSUER);
    let forged = with_keys(&its, FOREIGN_KEY);
    assert!(said(why(&forged, "Fix first")).starts_with("The signature is not valid."));
    // The service would fetch new keys for a key that it does not know.
    let rotated = FOREIGN_KEY.replace("k1", "k2");
    let mut foreign = of_issuer("https://acme.okta.com");
    foreign.issuer = "https://acme.okta.com".into();
    for (inputs, keys) in [
        (&its, rotated.as_str()),
        (&its, "not a key set"),
        (&foreign, FOREIGN_KEY),
    ] {
        let view = with_keys(inputs, keys);
        let signature = Hypothesis::Token(TokenAssumption::Unchecked(Assumption::Signature, None));
        assert!(
            view.report.is_none() && view.hypotheses.contains(&signature),
            "{keys}"
        );
        assert!(view.refusal.is_none() && view.problem(InputField::Keys).is_none());
        let lacks_key = view.facts[0]
            .words
            .plain()
            .contains("lack the key of this token");
        assert_eq!(lacks_key, keys == rotated, "{keys}");
    }
    // What is entered counts in their place.
    let entered = Inputs {
        keys: rotated.clone(),
        ..its
    };
    let view = with_keys(&entered, FOREIGN_KEY);
    assert_eq!(view.report.unwrap().signature, Signature::Unknown);
}

#[test]
fn keys_are_checked_and_never_in_the_way() {
    let mut access = inputs(&token(&maya()));
    assert_eq!(
        evaluate(&access, Some(&policy()), &AcceptedTokens::default(), NOW).facts[0]
            .words
            .plain(),
        "Signature not verified"
    );
    access.keys = "-----BEGIN PUBLIC KEY-----".into();
    let view = evaluate(&access, Some(&policy()), &AcceptedTokens::default(), NOW);
    assert_eq!(view.problem(InputField::Keys).unwrap().code, "key_set_pem");
    assert!(view.verdict.is_some());
    access.keys = FOREIGN_KEY.into();
    let view = evaluate(&access, Some(&policy()), &AcceptedTokens::default(), NOW);
    let report = view.report.as_ref().unwrap();
    assert!(report.claims.is_none() && report.signature == Signature::Forged);
    assert_eq!(
        report
            .lines
            .iter()
            .map(|line| line.name)
            .collect::<Vec<_>>()[..3],
        ["Form", "Signature", "Issuer"]
    );
    assert_eq!(view.facts[0].words.plain(), "The signature is not valid");
    let verdict = view.verdict.as_ref().unwrap();
    assert_eq!(
        (verdict.kind, view.judged.is_some()),
        (VerdictKind::SignInFails, false)
    );
    assert!(
        said(why(&view, "Fix first")).starts_with("The signature is not valid."),
        "{verdict:?}"
    );
    assert!(
        said(why(&view, "If accepted")).starts_with("Denied by rule. User:maya can't write"),
        "{verdict:?}"
    );
    access.keys = access.keys.replace("\"k1\"", "\"k2\"");
    let view = evaluate(&access, Some(&policy()), &AcceptedTokens::default(), NOW);
    assert_eq!(
        view.facts[0].words.plain(),
        "The signature could not be verified"
    );
    assert_eq!(view.verdict.unwrap().kind, VerdictKind::SignInFails);
}

#[test]
fn every_resource_and_operation_has_a_verdict() {
    for resource_type in ResourceType::ALL {
        for operation in Operation::ALL {
            let access = Inputs {
                operation: *operation,
                resource_type: *resource_type,
                ..inputs(&token(&maya()))
            };
            let view = evaluate(&access, Some(&policy()), &AcceptedTokens::default(), NOW);
            assert!(view.verdict.is_some(), "{operation:?} {resource_type:?}");
            for filter in TraceFilter::ALL {
                let _ = trace::visible_rows(view.judged.as_ref().unwrap(), *filter, 3);
            }
        }
    }
}

#[test]
fn keys_wait_for_the_code_that_checks_signatures() {
    let mut access = inputs(&token(&maya()));
    access.keys = "{}".into();
    let without = |inputs: &Inputs| {
        let policy = policy();
        let accepted = AcceptedTokens::default();
        pipeline::evaluate(inputs, Some(&policy), &accepted, NOW, None)
    };
    let view = without(&access);
    assert_eq!(
        view.problem(InputField::Keys).unwrap().code,
        "checks_not_loaded"
    );
    assert_eq!(view.facts[0].words.plain(), "Signature not verified");
    assert!(view.verdict.is_some() && view.report.is_none());
    // Claims have no signature, and without keys there is nothing to wait for.
    let claims = Inputs {
        as_claims: true,
        token: maya().to_string(),
        ..access.clone()
    };
    assert!(without(&claims).problem(InputField::Keys).is_none());
    access.keys.clear();
    assert!(without(&access).problem(InputField::Keys).is_none());
}

#[test]
fn a_page_without_an_identity_has_nothing_to_show() {
    let anonymous = Inputs {
        resource_name: "orders".into(),
        ..Inputs::default()
    };
    let view = evaluate(&anonymous, Some(&policy()), &AcceptedTokens::default(), NOW);
    assert_eq!(view, View::default());
    assert_eq!(see(None, &anonymous, &view), Shown::default());
}

#[test]
fn no_input_makes_it_fall_over() {
    let policy = policy();
    let token = token(&maya());
    let mut last = Shown::default();
    for end in (0..token.len()).step_by(7) {
        let cut = inputs(&token[..end]);
        let view = evaluate(&cut, Some(&policy), &AcceptedTokens::default(), NOW);
        last = see(Some(&last), &cut, &view);
    }
    for text in [
        "\u{202e}", "é.é.é", "....", "{", "[[[[", "eyJ.eyJ.", "\0\0\0", "Bearer", "Bearer ", "\"\"",
    ] {
        for as_claims in [false, true] {
            let access = Inputs {
                token: text.into(),
                as_claims,
                userinfo: text.into(),
                keys: text.into(),
                host: text.into(),
                what_if: WhatIfSettings {
                    claim_path: text.into(),
                    mapping: text.into(),
                    ..WhatIfSettings::default()
                },
                source: SettingsSource::WhatIf,
                ..Inputs::default()
            };
            let view = evaluate(&access, Some(&policy), &AcceptedTokens::default(), f64::NAN);
            last = see(Some(&last), &access, &view);
            let _ = announcement(&view.problems, &last);
        }
    }
}
