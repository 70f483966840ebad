//! Tests of the effect of changed settings on groups, compared with the extraction and the oracle.

use std::collections::{BTreeMap, BTreeSet};

use gbac_analysis::{
    AccessEffect, Diff, GroupChange, GroupEffect, Relation, diff, diff_with_tokens,
};
use gbac_engine::Coded;
use gbac_engine::groups::{ElementOutcome, extract};
use gbac_engine::model::{
    Acl, Host, Operation, PatternType, Permission, Principal, ResourceType, Role,
};
use gbac_engine::policy::{Change, Policy};
use gbac_json::{DiffJson, policy_from_value};
use gbac_tests::oracle::Facts;
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::world::{NOBODY, config, policy};

/// Names in tokens, and of groups in policies.
const NAMES: &[&str] = &["a", "b", "/a", "/x/a", "/x/b", "/y/b/", "a/", "/", "B"];
const TOPICS: &[&str] = &["t", "u"];

/// The settings of an SSO connection.
fn sso(path: &str) -> Value {
    json!({ "sso": { "mode": "use_map", "attributes": { "federated_groups": path } } })
}

/// Settings of a document.
fn settings() -> impl Strategy<Value = Value> {
    let properties = (select(&["$.groups", "$.roles"][..]), select(&["none", "suffix"][..]))
        .prop_map(|(path, nested)| json!({ "oidc_group_claim_path": path, "nested_group_behavior": nested }));
    let sso = select(&["$.groups", "$.roles", "${context.userinfo.groups}"][..]).prop_map(sso);
    prop_oneof![4 => properties, 1 => sso]
}

fn acl() -> impl Strategy<Value = Acl> {
    let principal = prop_oneof![
        6 => select(NAMES).prop_map(Principal::group),
        1 => Just(Principal::role("r")),
        1 => Just(Principal::user("*")),
    ];
    (principal, select(TOPICS), select(Permission::ALL)).prop_map(
        |(principal, name, permission)| Acl {
            resource_type: ResourceType::Topic,
            resource_name: name.into(),
            pattern_type: PatternType::Literal,
            principal,
            host: Host::Any,
            operation: Operation::Read,
            permission,
        },
    )
}

fn world() -> impl Strategy<Value = Facts> {
    (vec(acl(), 0..6), btree_set(select(NAMES), 0..3)).prop_map(|(acls, members)| Facts {
        acls: super::world::once(acls),
        roles: vec![Role {
            name: "r".into(),
            members: members.into_iter().map(Principal::group).collect(),
        }],
        superusers: Vec::new(),
    })
}

/// A policy of these facts and settings.
fn with(facts: &Facts, settings: &Value) -> Policy {
    let document = policy_from_value(&json!({ "version": 1, "settings": settings })).unwrap();
    let mut made = policy(facts);
    made.apply(Change::Settings(Box::new(document.settings().clone())))
        .unwrap();
    made
}

/// The claims of a JSON object.
fn claim_set(value: &Value) -> gbac_engine::ClaimSet {
    gbac_engine::ClaimSet::parse(&value.to_string()).unwrap()
}

/// The result of each name of a token with a policy's settings.
fn groups(
    policy: &Policy,
    claims: &gbac_engine::ClaimSet,
    userinfo: &gbac_engine::ClaimSet,
) -> BTreeMap<String, Option<String>> {
    let extraction = extract(
        &policy.settings().identity_rules().extraction,
        claims,
        Some(userinfo),
    );
    let group = |outcome| match outcome {
        ElementOutcome::Kept { group } | ElementOutcome::Duplicate { group } => Some(group),
        ElementOutcome::Dropped { .. } => None,
    };
    extraction
        .elements
        .into_iter()
        .map(|element| (element.raw, group(element.outcome)))
        .collect()
}

/// The claims and the user-info document of a token.
#[derive(Debug)]
struct Token {
    claims: gbac_engine::ClaimSet,
    userinfo: gbac_engine::ClaimSet,
}

/// Two tokens with these names.
fn two_tokens() -> impl Strategy<Value = Vec<Token>> {
    let token = vec(vec(select(NAMES), 0..4), 3).prop_map(|names| Token {
        claims: claim_set(&json!({ "sub": "someone", "groups": names[0], "roles": names[1] })),
        userinfo: claim_set(&json!({ "groups": names[2] })),
    });
    vec(token, 2)
}

fn diff_with(before: &Policy, after: &Policy, tokens: &[Token]) -> Diff {
    let claims: Vec<_> = tokens
        .iter()
        .map(|token| (&token.claims, Some(&token.userinfo)))
        .collect();
    diff_with_tokens(before, after, &claims)
}

fn find<'a>(diff: &'a Diff, name: &str) -> Option<&'a GroupChange> {
    diff.groups.iter().find(|change| change.name == name)
}

/// Whether a user with these names in the token is allowed to read a topic.
fn may_read(facts: &Facts, groups: &[String], topic: &str) -> bool {
    let question = oracle_question(topic);
    super::world::allows(facts, NOBODY, groups, &question)
}

fn oracle_question(topic: &str) -> super::world::Question {
    super::world::Question {
        operation: Operation::Read,
        resource_type: ResourceType::Topic,
        name: topic.into(),
        host: None,
    }
}

proptest! {
    #![proptest_config(config(8))]

    /// The result for each name of each token equals the extraction with both settings; the result for
    /// a known name, without a token, holds for every token; and no group that a name gains or
    /// loses is missing.
    #[test]
    fn the_effect_of_settings_is_what_extraction_does(
        facts in world(),
        (old, new) in (settings(), settings()),
        tokens in two_tokens(),
    ) {
        let (before, after) = (with(&facts, &old), with(&facts, &new));
        let blind = diff(&before, &after);
        let told = diff_with(&before, &after, &tokens);
        let same_rule = before.settings().identity_rules() == after.settings().identity_rules();
        if same_rule {
            prop_assert!(blind.groups.is_empty());
        }
        prop_assert_eq!(blind.relation == Relation::SettingsDiffer, before.settings() != after.settings());
        prop_assert_eq!(blind.acl_relation, Relation::Equal);
        let known: BTreeSet<&str> = before.known_principals().filter(|known| known.to_string().starts_with("Group:")).map(Principal::name).collect();

        for (place, token) in tokens.iter().enumerate() {
            let read = [&before, &after].map(|policy| groups(policy, &token.claims, &token.userinfo));
            let names: BTreeSet<&String> = read.iter().flat_map(BTreeMap::keys).collect();
            let of_token = |change: &&GroupChange| change.tokens.contains(&place);
            prop_assert_eq!(told.groups.iter().filter(of_token).count(), names.len());
            for raw in names {
                let [was, is] = read.each_ref().map(|side| side.get(raw).cloned().flatten());
                let change = told.groups.iter().filter(of_token).find(|change| change.name == *raw);
                prop_assert!(change.is_some(), "{raw} is in the token");
                let change = change.unwrap();
                prop_assert!(change.in_token() && change.raw() == Some(raw));
                prop_assert_eq!((&change.before, &change.after), (&was, &is), "{} {:?}", raw, change);
                // Without the token, each known group that this name produces on only one side is
                // reported.
                if was != is {
                    for group in [&was, &is].into_iter().flatten().filter(|group| known.contains(group.as_str())) {
                        let by_name = find(&blind, raw).is_some_and(|change| change.raw().is_some());
                        let by_group = find(&blind, group);
                        let covers = |change: &GroupChange| matches!(
                            (change.effect, Some(group) == is.as_ref()),
                            (GroupEffect::Unknown, _) | (GroupEffect::MoreNames, true) | (GroupEffect::FewerNames, false)
                        );
                        prop_assert!(by_name || by_group.is_some_and(covers), "{raw} {group} {:?}", blind.groups);
                    }
                }
            }
        }
        // The result without a token, for a name of the same claim, holds for any token with the
        // name.
        for change in &blind.groups {
            let Some(raw) = change.raw() else {
                prop_assert!(change.after.is_none() && change.effects.is_empty());
                continue;
            };
            let token = json!({ "groups": [raw], "roles": [raw] });
            let (token, info) = (&claim_set(&token), &claim_set(&json!({ "groups": [raw] })));
            let [was, is] = [&before, &after].map(|policy| groups(policy, token, info).remove(raw).flatten());
            prop_assert_eq!((&change.before, &change.after), (&was, &is));
        }
    }

    /// The gains and losses of a user with one name equal the oracle's different decisions about
    /// the extracted groups, even if ACLs change, too.
    #[test]
    fn the_effects_of_a_name_are_what_is_decided_differently(
        (facts, later) in (world(), world()),
        (old, new) in (settings(), settings()),
        tokens in two_tokens(),
        same in any::<bool>(),
    ) {
        let later = if same { facts.clone() } else { later };
        let (before, after) = (with(&facts, &old), with(&later, &new));
        let everyone: BTreeSet<(&str, bool)> = TOPICS.iter().filter_map(|topic| {
            let [was, is] = [&facts, &later].map(|facts| may_read(facts, &[], topic));
            (was != is).then_some((*topic, is))
        }).collect();
        for change in diff_with(&before, &after, &tokens).groups {
            if change.before == change.after || change.raw().is_none() {
                prop_assert!(change.effects.is_empty(), "{change:?}");
                continue;
            }
            for topic in TOPICS {
                let was = may_read(&facts, change.before.as_slice(), topic);
                let is = may_read(&later, change.after.as_slice(), topic);
                let has = |wanted: AccessEffect| {
                    let of = change.effects.iter().filter(|effect| effect.effect == wanted);
                    of.flat_map(|effect| &effect.regions).any(|extent| {
                        extent.operations.contains(&Operation::Read) && extent.pattern.covers(topic)
                            && !extent.except.iter().any(|except| except.covers(topic))
                    })
                };
                // Gains and losses of everyone are reported only for everyone.
                let told_of_all = |gain| everyone.contains(&(*topic, gain));
                prop_assert_eq!(has(AccessEffect::Gains), is && !was && !told_of_all(true), "{} {:?}", topic, change);
                prop_assert_eq!(has(AccessEffect::Loses), was && !is && !told_of_all(false), "{} {:?}", topic, change);
            }
        }
    }
}

fn document(settings: &Value) -> Policy {
    let member = |name: &str| json!({ "principal": name });
    let acl = |principal: &str, name: &str, permission: &str| {
        json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": name, "principal": principal, "host": "*",
            "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED", "operation": "OPERATION_READ", "permission_type": permission })
    };
    let allow = "PERMISSION_TYPE_ALLOW";
    policy_from_value(&json!({ "version": 1, "settings": settings,
        "roles": [
            { "name": "Incident", "members": [member("Group:/eng/legacy/"), member("User:ada")] },
            { "name": "Refunds", "members": [member("Group:payments")] },
            { "name": "Writers", "members": [member("Group:/eng/payments")] },
        ],
        "acls": [
            acl("Role:Incident", "logs-", allow), acl("Role:Refunds", "refunds-", allow), acl("Role:Writers", "payments-", allow),
            acl("Group:/eng/interns", "logs-", "PERMISSION_TYPE_DENY"),
        ] }))
    .unwrap()
}

fn in_short(change: &GroupChange) -> String {
    let effects: Vec<&str> = change
        .effects
        .iter()
        .map(|effect| effect.effect.code())
        .collect();
    let or = |name: &Option<String>| name.clone().unwrap_or_else(|| "-".into());
    format!(
        "{} {} {} {} {}",
        change.name,
        change.effect.code(),
        or(&change.before),
        or(&change.after),
        effects.join("+")
    )
    .trim_end()
    .to_owned()
}

#[test]
fn suffix_says_which_names_become_which_groups_and_back() {
    let (before, after) = (
        document(&json!({})),
        document(&json!({ "nested_group_behavior": "suffix" })),
    );
    let found = diff(&before, &after);
    assert_eq!(
        (found.relation, found.acl_relation),
        (Relation::SettingsDiffer, Relation::Equal)
    );
    assert_eq!(found.settings, ["nested_group_behavior"]);
    let short: Vec<String> = found.groups.iter().map(in_short).collect();
    assert_eq!(
        short,
        [
            // A removed deny is reported, even if the group alone is not allowed anything.
            "/eng/interns renamed /eng/interns interns can_gain",
            "/eng/legacy/ dropped /eng/legacy/ - loses",
            "/eng/payments renamed /eng/payments payments gains+loses",
            "payments more_names payments payments",
        ]
    );
    let payments = &found.groups[2];
    assert_eq!(
        (
            payments.collides_with.as_slice(),
            &payments.roles_gained[..],
            &payments.roles_lost[..]
        ),
        (
            &["payments".to_owned()][..],
            &["Refunds".to_owned()][..],
            &["Writers".to_owned()][..]
        )
    );
    let back: Vec<String> = diff(&after, &before).groups.iter().map(in_short).collect();
    assert_eq!(
        back,
        [
            "/eng/interns renamed interns /eng/interns can_lose",
            "/eng/legacy/ added - /eng/legacy/ gains",
            "/eng/payments renamed payments /eng/payments gains+loses",
            "payments fewer_names payments payments",
        ]
    );
}

#[test]
fn access_to_the_service_is_a_difference_of_its_own() {
    let before = document(&json!({}));
    let after = document(&json!({ "access": { "read_only": ["Group:auditors"] } }));
    for (before, after) in [(&before, &after), (&after, &before)] {
        let found = diff(before, after);
        assert_eq!(
            (
                found.relation,
                found.acl_relation,
                found.settings.as_slice()
            ),
            (Relation::SettingsDiffer, Relation::Equal, &["access"][..])
        );
        assert!(found.groups.is_empty() && found.users.is_empty() && found.differences.is_empty());
        assert!(!found.reads_tokens_differently());
    }
    assert!(
        diff(
            &before,
            &document(&json!({ "oidc_principal_mapping": "$.email" }))
        )
        .reads_tokens_differently()
    );
    assert_eq!(diff(&after, &after.clone()).relation, Relation::Equal);
}

#[test]
fn what_cannot_be_known_is_not_invented() {
    let before = document(&json!({}));
    for settings in [
        json!({ "oidc_group_claim_path": "$.roles" }),
        sso("$.roles"),
        sso("${context.userinfo.groups}"),
    ] {
        let found = diff(&before, &document(&settings));
        assert_eq!(found.relation, Relation::SettingsDiffer, "{settings}");
        let json = serde_json::to_value(DiffJson::from(&found)).unwrap();
        assert_eq!(json["relation"], "settings_differ");
        assert_eq!(json["acl_relation"], "equal");
        let groups = json["groups"].as_array().unwrap();
        assert_eq!(groups.len(), 4);
        for group in groups {
            assert_eq!(group["before"], group["name"]);
            assert_eq!(
                (group.get("raw"), &group["after"], &group["effect"]),
                (None, &Value::Null, &json!("unknown"))
            );
        }
    }
    // The same claim in another spelling: the settings differ, and no group is affected.
    let found = diff(&before, &document(&sso("$.groups")));
    assert_eq!(
        (
            found.relation,
            found.settings.as_slice(),
            found.groups.len()
        ),
        (Relation::SettingsDiffer, &["sso"][..], 0)
    );
    // User names are unknown, too; groups are unchanged.
    let found = diff(
        &before,
        &document(&json!({ "oidc_principal_mapping": "$.email" })),
    );
    assert_eq!(
        (found.relation, found.groups.len()),
        (Relation::SettingsDiffer, 0)
    );
    assert_eq!(
        (found.settings.as_slice(), found.users.as_slice()),
        (&["oidc_principal_mapping"][..], &["ada".to_owned()][..])
    );
}

#[test]
fn superusers_are_a_part_of_what_acls_say() {
    let (before, after) = (
        document(&json!({})),
        document(&json!({ "superusers": ["nobody-else-knows"] })),
    );
    let found = diff(&before, &after);
    assert_eq!(
        (
            found.relation,
            found.acl_relation,
            found.settings.as_slice()
        ),
        (Relation::Wider, Relation::Wider, &["superusers"][..])
    );
    assert_eq!(diff(&after, &before).relation, Relation::Narrower);
    assert!(found.users.is_empty() && found.groups.is_empty());
    // With another changed setting, gains of superusers are still reported.
    let both = document(&json!({ "superusers": ["root"], "oidc_principal_mapping": "$.email" }));
    let found = diff(&before, &both);
    assert_eq!(
        (found.relation, found.acl_relation),
        (Relation::SettingsDiffer, Relation::Wider)
    );
    assert_eq!(found.users, ["ada", "root"]);
}

#[test]
fn the_names_of_a_token_are_told_with_the_known_ones() {
    let (before, after) = (
        document(&json!({})),
        document(&json!({ "oidc_group_claim_path": "$.roles" })),
    );
    let claims = json!({ "groups": ["payments", "both"], "roles": ["/eng/payments", "both"] });
    let found = diff_with_tokens(
        &before,
        &after,
        &[(&claims.as_object().unwrap().clone().into(), None)],
    );
    let short: Vec<String> = found.groups.iter().map(in_short).collect();
    assert_eq!(
        short,
        [
            "/eng/interns unknown /eng/interns -",
            "/eng/legacy/ unknown /eng/legacy/ -",
            "/eng/payments added - /eng/payments gains",
            "both unchanged both both",
            "payments not_read payments - loses",
        ]
    );
}
