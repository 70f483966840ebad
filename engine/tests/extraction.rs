//! Tests of group extraction: the platform's cases, tokens of real identity providers, limits and
//! properties.

mod support;

use gbac_engine::claim_path::ClaimPath;
use gbac_engine::groups::{
    ClaimFinding, ClaimSource, DropCode, ElementOutcome, Extraction, ExtractionRule, MAX_ELEMENTS,
    MissingReason, NestedGroupBehavior, Readability, extract, suggest_paths,
};
use gbac_engine::{ClaimSet, Coded, WarningCode};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::{follow, path_text};

const NONE: NestedGroupBehavior = NestedGroupBehavior::None;
const SUFFIX: NestedGroupBehavior = NestedGroupBehavior::Suffix;

fn object(value: &Value) -> ClaimSet {
    ClaimSet::parse(&value.to_string()).expect("an object")
}

fn rule(path: &str, nested: NestedGroupBehavior) -> ExtractionRule {
    ExtractionRule {
        source: ClaimSource::parse_sso(path).expect(path),
        nested,
    }
}

fn run(path: &str, nested: NestedGroupBehavior, claims: &Value) -> Extraction {
    extract(&rule(path, nested), &object(claims), None)
}

fn names(extraction: &Extraction) -> Vec<&str> {
    extraction.names().collect()
}

fn codes(extraction: &Extraction) -> Vec<&str> {
    extraction
        .warnings
        .iter()
        .map(|warning| warning.code.code())
        .collect()
}

/// The finding in a few words.
fn found(extraction: &Extraction) -> String {
    match &extraction.claim {
        ClaimFinding::Array { location, len } => format!("array {location} {len}"),
        ClaimFinding::CommaList { location, parts } => format!("list {location} {parts}"),
        ClaimFinding::Union { nodes } => format!("union {nodes}"),
        ClaimFinding::Missing {
            reason: MissingReason::Absent,
        } => "absent".to_owned(),
        ClaimFinding::Missing {
            reason: MissingReason::Overage,
        } => "overage".to_owned(),
        ClaimFinding::Missing {
            reason: MissingReason::IdToken,
        } => "id token".to_owned(),
        ClaimFinding::WrongType { location, found } => format!("type {location} {found}"),
        ClaimFinding::NotString { location, found } => format!("not string {location} {found}"),
        ClaimFinding::TooMany => "too many".to_owned(),
        ClaimFinding::NoUserInfo => "no user-info".to_owned(),
    }
}

/// Runs a table of: path, behaviour, claims, groups, finding, warnings.
type Row<'a> = (
    &'a str,
    NestedGroupBehavior,
    Value,
    &'a [&'a str],
    &'a str,
    &'a [&'a str],
);

fn check(rows: &[Row<'_>]) {
    for (path, nested, claims, groups, claim, warnings) in rows {
        let extraction = run(path, *nested, claims);
        let what = format!("{path} {nested} on {claims}: {:?}", extraction.warnings);
        assert_eq!(names(&extraction), *groups, "groups of {what}");
        assert_eq!(found(&extraction), *claim, "finding of {what}");
        assert_eq!(codes(&extraction), *warnings, "warnings of {what}");
    }
}

/// D-12: what a caller that denies groups must not treat as none.
#[test]
fn groups_that_cannot_be_read_are_not_missing() {
    use Readability::{Missing, Readable, Unreadable};
    let linked = json!({"_claim_names": {"groups": "src1"}, "_claim_sources": {"src1": {"endpoint": "https://x"}}});
    for (path, claims, expected) in [
        ("$.groups", json!({"groups": []}), Readable),
        ("$.groups", json!({"groups": ""}), Readable),
        (
            "$.groups",
            json!({"groups": ["a"], "hasgroups": true}),
            Readable,
        ),
        ("$.groups", json!({}), Missing),
        ("$.groups", json!({"at_hash": "x"}), Missing),
        ("$.groups", json!({"hasgroups": false}), Missing),
        ("$.realm.roles", json!({"realm": {}}), Missing),
        ("$.a[0]", json!({"a": []}), Missing),
        ("$.groups[*]", json!({"groups": []}), Missing),
        ("$.groups[*]", json!({}), Missing),
        ("$.groups", json!({"groups": 7}), Unreadable),
        ("$.groups", json!({"groups": null}), Unreadable),
        ("$.groups", json!({"groups": {"a": 1}}), Unreadable),
        ("$.groups", json!({"groups": ["a", 7]}), Unreadable),
        (
            "$.groups",
            json!({"groups": vec!["a"; MAX_ELEMENTS + 1]}),
            Unreadable,
        ),
        ("$.groups", json!({"hasgroups": true}), Unreadable),
        ("$.groups", json!({"hasgroups": "true"}), Unreadable),
        ("$.groups", linked.clone(), Unreadable),
        (
            "$.groups",
            json!({"_claim_sources": {"src1": {}}}),
            Unreadable,
        ),
        ("$.groups", json!({"_claim_names": "groups"}), Unreadable),
        ("$.realm.roles", json!({"realm": "x"}), Unreadable),
        ("$.realm.roles", json!({"realm": null}), Unreadable),
        ("$.realm.roles", json!({"realm": ["x"]}), Unreadable),
        ("$.a[0]", json!({"a": {"0": ["x"]}}), Unreadable),
        ("$.groups[*]", json!({"groups": 7}), Unreadable),
        ("$.groups[*]", linked.clone(), Unreadable),
        (
            "$['groups','roles']",
            json!({"roles": ["a"], "_claim_names": {"groups": "src1"}}),
            Unreadable,
        ),
        // An overage of another claim.
        ("$.none", linked.clone(), Missing),
        ("$.roles", linked, Missing),
        ("$.none", json!({"hasgroups": true}), Missing),
        (
            "$.roles",
            json!({"_claim_names": {"roles": "src1"}}),
            Unreadable,
        ),
    ] {
        assert_eq!(
            run(path, NONE, &claims).readability,
            expected,
            "{path} on {claims}"
        );
    }
}

#[test]
fn every_shape_of_a_claim_as_decided() {
    let g = "$.groups";
    let empty_part: &[&str] = &["empty_part", "platform_empty_part"];
    let empty_name: &[&str] = &["empty_name", "platform_empty_part"];
    check(&[
        // Arrays (specification 2.2, D-09).
        (
            g,
            NONE,
            json!({"groups": ["b", "a"]}),
            &["b", "a"],
            "array groups 2",
            &[],
        ),
        (g, NONE, json!({"groups": []}), &[], "array groups 0", &[]),
        (
            g,
            NONE,
            json!({"groups": ["a,b"]}),
            &["a,b"],
            "array groups 1",
            &["list_in_name"],
        ),
        (
            g,
            NONE,
            json!({"groups": [" a "]}),
            &[" a "],
            "array groups 1",
            &["edge_whitespace"],
        ),
        (
            g,
            NONE,
            json!({"groups": ["\u{a0}a"]}),
            &["\u{a0}a"],
            "array groups 1",
            &["edge_whitespace"],
        ),
        (
            g,
            NONE,
            json!({"groups": ["", "a"]}),
            &["a"],
            "array groups 2",
            empty_name,
        ),
        (
            g,
            NONE,
            json!({"groups": ["a", "b", "a"]}),
            &["a", "b"],
            "array groups 3",
            &["duplicate_group"],
        ),
        (
            g,
            NONE,
            json!({"groups": ["A", "a"]}),
            &["A", "a"],
            "array groups 2",
            &[],
        ),
        (
            g,
            NONE,
            json!({"groups": ["a@b", "#c", "d\ne", "f\tg", "héé", "組", "🦀"]}),
            &["a@b", "#c", "d\ne", "f\tg", "héé", "組", "🦀"],
            "array groups 7",
            &["hidden_character"],
        ),
        // One element that is no string discards all.
        (
            g,
            NONE,
            json!({"groups": ["a", 42, null]}),
            &[],
            "not string groups[1] number",
            &["element_not_string"],
        ),
        (
            g,
            NONE,
            json!({"groups": ["a", null]}),
            &[],
            "not string groups[1] null",
            &["element_not_string"],
        ),
        (
            g,
            NONE,
            json!({"groups": [["a"]]}),
            &[],
            "not string groups[0] array",
            &["element_not_string"],
        ),
        (
            g,
            NONE,
            json!({"groups": [{"name": "a"}]}),
            &[],
            "not string groups[0] object",
            &["element_not_string", "near_claim"],
        ),
        // Comma-separated strings (D-08).
        (
            g,
            NONE,
            json!({"groups": "a,b,c"}),
            &["a", "b", "c"],
            "list groups 3",
            &[],
        ),
        (
            g,
            NONE,
            json!({"groups": "a , b"}),
            &["a", "b"],
            "list groups 2",
            &[],
        ),
        (
            g,
            NONE,
            json!({"groups": "\t a \u{b}\u{c}\r\n,b"}),
            &["a", "b"],
            "list groups 2",
            &[],
        ),
        (
            g,
            NONE,
            json!({"groups": "a"}),
            &["a"],
            "list groups 1",
            &[],
        ),
        (
            g,
            NONE,
            json!({"groups": "a,,,b"}),
            &["a", "b"],
            "list groups 4",
            empty_part,
        ),
        (
            g,
            NONE,
            json!({"groups": ", a ,"}),
            &["a"],
            "list groups 3",
            empty_part,
        ),
        (
            g,
            NONE,
            json!({"groups": ""}),
            &[],
            "list groups 1",
            empty_part,
        ),
        (
            g,
            NONE,
            json!({"groups": "a;b"}),
            &["a;b"],
            "list groups 1",
            &["list_in_name"],
        ),
        (
            g,
            NONE,
            json!({"groups": "a b"}),
            &["a b"],
            "list groups 1",
            &["list_in_name"],
        ),
        (
            g,
            NONE,
            json!({"groups": "a,a"}),
            &["a"],
            "list groups 2",
            &["duplicate_group"],
        ),
        // Other types and nothing (D-12).
        (
            g,
            NONE,
            json!({"groups": 7}),
            &[],
            "type groups number",
            &["claim_wrong_type"],
        ),
        (
            g,
            NONE,
            json!({"groups": true}),
            &[],
            "type groups boolean",
            &["claim_wrong_type"],
        ),
        (
            g,
            NONE,
            json!({"groups": null}),
            &[],
            "type groups null",
            &["claim_wrong_type"],
        ),
        (
            g,
            NONE,
            json!({"groups": {"a": 1}}),
            &[],
            "type groups object",
            &["claim_wrong_type"],
        ),
        (g, NONE, json!({}), &[], "absent", &["claim_missing"]),
        (
            "$",
            NONE,
            json!({"a": 1}),
            &[],
            "type $ object",
            &["platform_path", "claim_wrong_type"],
        ),
        // Nested paths.
        (
            "$.realm_access.roles",
            NONE,
            json!({"realm_access": {"roles": ["r"]}}),
            &["r"],
            "array realm_access.roles 1",
            &[],
        ),
        (
            "$.realm_access.roles",
            NONE,
            json!({"realm_access": "x"}),
            &[],
            "absent",
            &["claim_missing"],
        ),
        (
            "$.realm_access.roles",
            NONE,
            json!({"realm_access": {"Roles": ["r"]}}),
            &[],
            "absent",
            &["claim_missing", "near_claim"],
        ),
        // none and suffix (D-10).
        (
            g,
            NONE,
            json!({"groups": ["/a/b/c", "a/b/"]}),
            &["/a/b/c", "a/b/"],
            "array groups 2",
            &[],
        ),
        (
            g,
            SUFFIX,
            json!({"groups": ["/a/b/c", "a/b/c/d", "/admin", "plain", "DOM\\grp"]}),
            &["c", "d", "admin", "plain", "DOM\\grp"],
            "array groups 5",
            &[],
        ),
        (
            g,
            SUFFIX,
            json!({"groups": "/a/x, b/y"}),
            &["x", "y"],
            "list groups 2",
            &[],
        ),
        (
            g,
            SUFFIX,
            json!({"groups": ["a/b/"]}),
            &[],
            "array groups 1",
            &["suffix_empty", "platform_empty_part"],
        ),
        (
            g,
            SUFFIX,
            json!({"groups": ["/", ""]}),
            &[],
            "array groups 2",
            &["empty_name", "suffix_empty", "platform_empty_part"],
        ),
        (
            g,
            SUFFIX,
            json!({"groups": ["/a/x", "/b/x", "x"]}),
            &["x"],
            "array groups 3",
            &["suffix_collision"],
        ),
        (
            g,
            SUFFIX,
            json!({"groups": ["/a/x", "/a/x"]}),
            &["x"],
            "array groups 2",
            &["duplicate_group"],
        ),
        (
            g,
            SUFFIX,
            json!({"groups": ["/a/x", "/b/x", "/b/x"]}),
            &["x"],
            "array groups 3",
            &["duplicate_group", "suffix_collision"],
        ),
    ]);
}

#[test]
fn paths_that_are_not_singular_give_a_union() {
    let claims = json!({
        "groups": ["a,b", "c"], "roles": "d,e", "n": 1,
        "apps": [{"name": "x", "groups": ["c", "f"]}, {"name": "y", "groups": []}]
    });
    check(&[
        (
            "$.groups[*]",
            NONE,
            claims.clone(),
            &["a,b", "c"],
            "union 2",
            &["platform_path"],
        ),
        (
            "$['groups','roles']",
            NONE,
            claims.clone(),
            &["a,b", "c", "d,e"],
            "union 2",
            &["platform_path"],
        ),
        (
            "$.apps[*].groups",
            NONE,
            claims.clone(),
            &["c", "f"],
            "union 2",
            &["platform_path"],
        ),
        (
            "$.apps[?@.name=='x'].groups[1:]",
            NONE,
            claims.clone(),
            &["f"],
            "union 1",
            &["platform_path"],
        ),
        (
            "$['groups','n']",
            NONE,
            claims.clone(),
            &[],
            "type n number",
            &["platform_path", "claim_wrong_type"],
        ),
        (
            "$.apps[*]",
            NONE,
            claims.clone(),
            &[],
            "type apps[0] object",
            &["platform_path", "claim_wrong_type"],
        ),
        (
            "$.apps[*].teams",
            NONE,
            claims.clone(),
            &[],
            "absent",
            &["platform_path", "claim_missing", "near_claim"],
        ),
        // Singular in RFC 9535's sense, so a string is split and the type is checked.
        (
            "$['roles']",
            NONE,
            claims.clone(),
            &["d", "e"],
            "list roles 2",
            &["platform_path"],
        ),
        (
            "$.apps[-1].groups",
            NONE,
            claims.clone(),
            &[],
            "array apps[1].groups 0",
            &["platform_path"],
        ),
        (
            "$.groups[0]",
            NONE,
            claims,
            &["a", "b"],
            "list groups[0] 2",
            &["platform_path"],
        ),
    ]);
}

#[test]
fn tokens_of_real_providers() {
    let overage = json!({
        "_claim_names": {"groups": "src1"},
        "_claim_sources": {"src1": {"endpoint": "https://graph.example/users/1/getMemberObjects"}}
    });
    let keycloak_client = json!({"resource_access": {"account": {"roles": ["manage"]}, "my-client": {"roles": ["viewer"]}}});
    let keycloak_realm = json!({"realm_access": {"roles": ["schedule-user", "offline_access"]}});
    let auth0 =
        json!({"https://example.com/groups": ["eng", "ops"], "iss": "https://x.auth0.com/"});
    let zitadel =
        json!({"urn:zitadel:iam:org:project:roles": {"admin": {"179": "acme.zitadel.cloud"}}});
    let okta_id = json!({"at_hash": "x", "nonce": "n", "sub": "u"});
    check(&[
        (
            "$.groups",
            NONE,
            json!({"groups": ["/company/eng/backend", "/company/ops"]}),
            &["/company/eng/backend", "/company/ops"],
            "array groups 2",
            &[],
        ),
        (
            "$.groups",
            SUFFIX,
            json!({"groups": ["/company/eng/backend", "/company/ops"]}),
            &["backend", "ops"],
            "array groups 2",
            &[],
        ),
        (
            "$.realm_access.roles",
            NONE,
            keycloak_realm.clone(),
            &["schedule-user", "offline_access"],
            "array realm_access.roles 2",
            &[],
        ),
        (
            "$.groups",
            NONE,
            keycloak_realm,
            &[],
            "absent",
            &["claim_missing", "near_claim"],
        ),
        (
            "$.resource_access['my-client'].roles",
            NONE,
            keycloak_client.clone(),
            &["viewer"],
            "array resource_access.my-client.roles 1",
            &["platform_path"],
        ),
        (
            "$.resource_access.my-client.roles",
            NONE,
            keycloak_client,
            &["viewer"],
            "array resource_access.my-client.roles 1",
            &[],
        ),
        (
            "$.groups",
            NONE,
            json!({"groups": ["Everyone", "IT"], "scp": ["kafka"]}),
            &["Everyone", "IT"],
            "array groups 2",
            &[],
        ),
        (
            "$.groups",
            NONE,
            okta_id,
            &[],
            "id token",
            &["id_token", "claim_missing"],
        ),
        // Access tokens, although they contain claims of ID tokens.
        (
            "$.groups",
            NONE,
            json!({"typ": "Bearer", "at_hash": "x", "groups": ["eng"]}),
            &["eng"],
            "array groups 1",
            &[],
        ),
        (
            "$.groups",
            NONE,
            json!({"token_use": "access", "nonce": "n"}),
            &[],
            "absent",
            &["claim_missing"],
        ),
        (
            "$['https://example.com/groups']",
            NONE,
            auth0.clone(),
            &["eng", "ops"],
            "array ['https://example.com/groups'] 2",
            &["platform_path"],
        ),
        (
            "$.groups",
            NONE,
            auth0,
            &[],
            "absent",
            &["claim_missing", "near_claim"],
        ),
        (
            "$.groups",
            NONE,
            json!({"ver": "2.0", "groups": ["0b2c4a7e-1111-4d0f-9f0a-000000000001"]}),
            &["0b2c4a7e-1111-4d0f-9f0a-000000000001"],
            "array groups 1",
            &[],
        ),
        (
            "$.groups",
            SUFFIX,
            json!({"groups": ["CONTOSO\\Engineering", "contoso.com\\ops"]}),
            &["CONTOSO\\Engineering", "contoso.com\\ops"],
            "array groups 2",
            &[],
        ),
        (
            "$.groups",
            NONE,
            overage.clone(),
            &[],
            "overage",
            &["claim_missing", "group_overage"],
        ),
        (
            "$['groups','roles']",
            NONE,
            json!({"hasgroups": true}),
            &[],
            "overage",
            &["platform_path", "claim_missing", "group_overage"],
        ),
        (
            "$.groups",
            NONE,
            json!({"hasgroups": true}),
            &[],
            "overage",
            &["claim_missing", "group_overage"],
        ),
        (
            "$.groups",
            NONE,
            json!({"hasgroups": false}),
            &[],
            "absent",
            &["claim_missing"],
        ),
        (
            "$.roles",
            NONE,
            json!({"roles": ["Task.Read"], "_claim_names": {"groups": "src1"}}),
            &["Task.Read"],
            "array roles 1",
            &[],
        ),
        (
            "$.memberOfGroupNames",
            NONE,
            json!({"memberOfGroupIDs": ["u1"], "memberOfGroupNames": ["eng", "ops"]}),
            &["eng", "ops"],
            "array memberOfGroupNames 2",
            &[],
        ),
        (
            "$['cognito:groups']",
            NONE,
            json!({"token_use": "access", "cognito:groups": ["Admin"]}),
            &["Admin"],
            "array cognito:groups 1",
            &["platform_path"],
        ),
        (
            "$.cognito:groups",
            NONE,
            json!({"token_use": "id", "cognito:groups": ["Admin"]}),
            &["Admin"],
            "array cognito:groups 1",
            &["id_token"],
        ),
        (
            "$.groups_direct",
            SUFFIX,
            json!({"groups_direct": ["gitlab-org", "gitlab-org/charts"]}),
            &["gitlab-org", "charts"],
            "array groups_direct 2",
            &[],
        ),
        (
            "$.groups",
            NONE,
            json!({"groups": ["acme", "acme:owners"]}),
            &["acme", "acme:owners"],
            "array groups 2",
            &[],
        ),
        (
            "$.groups",
            NONE,
            json!({"groups": ["authentik Admins", "eng"]}),
            &["authentik Admins", "eng"],
            "array groups 2",
            &[],
        ),
        (
            "$['urn:zitadel:iam:org:project:roles']",
            NONE,
            zitadel.clone(),
            &[],
            "type urn:zitadel:iam:org:project:roles object",
            &["platform_path", "claim_wrong_type"],
        ),
        (
            "$.urn:zitadel:iam:org:project:roles.*",
            NONE,
            zitadel,
            &[],
            "type urn:zitadel:iam:org:project:roles.admin object",
            &["platform_path", "claim_wrong_type"],
        ),
        (
            "$.groups",
            NONE,
            json!({"hd": "example.com"}),
            &[],
            "absent",
            &["claim_missing"],
        ),
        (
            "$.groups",
            SUFFIX,
            json!({"groups": "engineering,/a/b/c,ops"}),
            &["engineering", "c", "ops"],
            "list groups 3",
            &[],
        ),
        (
            "$.groups",
            NONE,
            json!({"aud": [], "groups": ["engineering", "/a/b/c"]}),
            &["engineering", "/a/b/c"],
            "array groups 2",
            &[],
        ),
        (
            "$.customClaims.groups",
            NONE,
            json!({"customClaims": {"groups": ["a"]}}),
            &["a"],
            "array customClaims.groups 1",
            &[],
        ),
    ]);
    let words = run("$.groups", NONE, &overage);
    assert!(
        words.warnings[1]
            .message
            .contains("https://graph.example/users/1/getMemberObjects"),
        "{words:?}"
    );
    assert_eq!(
        words.warnings[1].location.as_deref(),
        Some("_claim_names.groups")
    );
}

#[test]
fn the_trace_names_every_element() {
    let extraction = run(
        "$.groups",
        SUFFIX,
        &json!({"groups": "/a/x, /b/x,, /c/, y"}),
    );
    let trace: Vec<_> = extraction
        .elements
        .iter()
        .map(|e| (e.location.as_str(), e.raw.as_str(), e.outcome.clone()))
        .collect();
    assert_eq!(
        trace,
        [
            (
                "groups[0]",
                "/a/x",
                ElementOutcome::Kept { group: "x".into() }
            ),
            (
                "groups[1]",
                "/b/x",
                ElementOutcome::Duplicate { group: "x".into() }
            ),
            (
                "groups[2]",
                "",
                ElementOutcome::Dropped {
                    code: DropCode::EmptyPart
                }
            ),
            (
                "groups[3]",
                "/c/",
                ElementOutcome::Dropped {
                    code: DropCode::SuffixEmpty
                }
            ),
            ("groups[4]", "y", ElementOutcome::Kept { group: "y".into() }),
        ]
    );
    let group = &extraction.groups[0];
    assert_eq!(
        (group.raw.as_str(), group.location.as_str()),
        ("/a/x", "groups[0]")
    );
    assert_eq!(
        group.duplicates,
        [("/b/x".to_owned(), "groups[1]".to_owned())]
    );
    let collision = extraction
        .warnings
        .iter()
        .find(|w| w.code == WarningCode::SuffixCollision)
        .expect("a collision");
    assert!(
        collision.message.contains("`/a/x` and `/b/x`"),
        "{}",
        collision.message
    );
    assert_eq!(collision.location.as_deref(), Some("groups[1]"));

    let discarded = run(
        "$['https://x/groups']",
        NONE,
        &json!({"https://x/groups": ["a", 4, {"b": 1}]}),
    );
    let trace: Vec<_> = discarded
        .elements
        .iter()
        .map(|e| (e.location.as_str(), e.raw.as_str(), e.outcome.clone()))
        .collect();
    assert_eq!(
        trace,
        [
            (
                "['https://x/groups'][0]",
                "a",
                ElementOutcome::Dropped {
                    code: DropCode::ClaimDiscarded
                }
            ),
            (
                "['https://x/groups'][1]",
                "4",
                ElementOutcome::Dropped {
                    code: DropCode::ElementNotString
                }
            ),
            (
                "['https://x/groups'][2]",
                "{…}",
                ElementOutcome::Dropped {
                    code: DropCode::ElementNotString
                }
            ),
        ]
    );
}

#[test]
fn user_info_is_read_where_the_mapping_says_so() {
    let claims = object(&json!({"groups": ["token"]}));
    let userinfo = object(&json!({"groups": ["info"], "https://x/g": "a,b"}));
    let read = |text: &str, info| extract(&rule(text, NONE), &claims, info);
    assert_eq!(names(&read("$.groups", Some(&userinfo))), ["token"]);
    assert_eq!(
        names(&read("${context.userinfo.groups}", Some(&userinfo))),
        ["info"]
    );
    assert_eq!(
        names(&read("${context.userinfo['https://x/g']}", Some(&userinfo))),
        ["a", "b"]
    );
    let without = read("${context.userinfo.groups}", None);
    assert_eq!(
        (names(&without).len(), found(&without), codes(&without)),
        (0, "no user-info".to_owned(), vec!["claim_missing"])
    );

    for text in [
        "$.groups",
        "$['a b']",
        "${context.userinfo.groups}",
        "${context.userinfo['a b'].c}",
    ] {
        assert_eq!(ClaimSource::parse_sso(text).expect(text).to_string(), text);
    }
    for (text, offset, code) in [
        ("${context.claims.groups}", 0, "sso_unknown"),
        ("${context.userinfogroups}", 0, "sso_unknown"),
        ("${context.userinfo.groups", 25, "sso_unclosed"),
        ("${context.userinfo.groups} ", 26, "surrounding_blanks"),
        ("${context.userinfo.a b}", 20, "needs_brackets"),
        ("${context.userinfo.}", 18, "trailing_dot"),
        ("groups", 0, "missing_root"),
    ] {
        let error = ClaimSource::parse_sso(text).expect_err(text);
        assert_eq!(
            (error.offset(), error.code()),
            (offset, code),
            "{text}: {error}"
        );
    }
}

#[test]
fn suggestions_are_paths_that_find_the_names() {
    let claims = object(&json!({
        "aud": ["kafka"], "scope": "openid,email", "name": "Doe, Jane", "n": [1, 2], "empty": [],
        "realm_access": {"roles": ["a", "b", "c", "d"]}, "https://x/y.z": ["e"], "labels": "f, g", "role": "admin",
        "members": [{"value": "1", "display": "h"}, {"value": "2", "display": "i"}],
        "user_groups": "j,k"
    }));
    let found: Vec<_> = suggest_paths(&claims)
        .into_iter()
        .map(|s| (s.path, s.sample, s.count))
        .collect();
    let row = |path: &str, sample: &[&str], count| {
        (
            path.to_owned(),
            sample.iter().map(|s| (*s).to_owned()).collect(),
            count,
        )
    };
    let expected: Vec<(String, Vec<String>, usize)> = vec![
        row("$.user_groups", &["j", "k"], 2),
        row("$.members[*].display", &["h", "i"], 2),
        row("$.realm_access.roles", &["a", "b", "c"], 4),
        row("$.role", &["admin"], 1),
        row("$['https://x/y.z']", &["e"], 1),
        row("$.labels", &["f", "g"], 2),
    ];
    assert_eq!(found, expected);
    for (path, sample, count) in found {
        let extraction = extract(&rule(&path, NONE), &claims, None);
        assert_eq!(extraction.groups.len(), count, "{path}");
        assert!(
            names(&extraction)
                .iter()
                .zip(&sample)
                .all(|(name, expected)| name == expected),
            "{path}"
        );
    }
}

#[test]
fn large_claims_come_out_whole_or_not_at_all() {
    let long = "x".repeat(1_000);
    let names_of = |count: usize| (0..count).map(|i| format!("{long}{i}")).collect::<Vec<_>>();
    let many = names_of(1_050);
    let extraction = run("$.groups", NONE, &json!({"groups": many}));
    assert_eq!(names(&extraction), many);

    let many: Vec<String> = (0..MAX_ELEMENTS).map(|i| i.to_string()).collect();
    for claims in [json!({"groups": many}), json!({"groups": many.join(",")})] {
        assert_eq!(names(&run("$.groups", NONE, &claims)), many);
    }
    let objects: Vec<Value> = (0..10_000)
        .map(|i| json!({"id": i, "kind": "group", "name": format!("g{i}")}))
        .collect();
    for path in ["$.groups[*].name", "$.groups[?@.kind=='group'].name"] {
        assert_eq!(
            run(path, NONE, &json!({"groups": objects})).groups.len(),
            10_000,
            "{path}"
        );
    }

    let over: Vec<String> = (0..=MAX_ELEMENTS).map(|i| i.to_string()).collect();
    for claims in [
        json!({"groups": over}),
        json!({"groups": over.join(",")}),
        json!({"groups": vec!["x".repeat(1 << 20); 5]}),
    ] {
        let extraction = run("$.groups", NONE, &claims);
        assert_eq!(
            (found(&extraction).as_str(), codes(&extraction)),
            ("too many", vec!["too_many_nodes"])
        );
        assert!(extraction.groups.is_empty() && extraction.elements.is_empty());
    }
    assert_eq!(
        found(&run("$.groups[*]", NONE, &json!({"groups": over}))),
        "too many"
    );
    // A million empty parts make a warning, not a million.
    let extraction = run("$.groups", NONE, &json!({"groups": ",".repeat(50_000)}));
    assert_eq!(
        (extraction.warnings.len(), extraction.elements.len()),
        (2, 50_001)
    );
}

#[test]
fn no_path_hangs_or_eats_memory_on_a_deep_token() {
    let mut token =
        json!({"groups": (0..250).map(|i| format!("/company/team/{i}")).collect::<Vec<_>>()});
    for level in 0..60 {
        token = json!({"k": token, "level": level, "names": ["a", "b"], "text": "t".repeat(64)});
    }
    for path in [
        "$.*[?$.*[?$.*[?$.*[?$.*[?$.*]]]]]",
        "$[*,*,*,*,*,*,*,*][*,*,*,*,*,*,*,*][*,*,*,*,*,*,*,*][*,*,*,*,*,*,*,*][*,*,*,*,*,*,*,*][*,*,*,*,*,*,*,*]",
    ] {
        let extraction = run(path, NONE, &token);
        assert_eq!(found(&extraction), "too many", "{path}");
        assert_eq!(
            codes(&extraction),
            ["platform_path", "too_many_nodes"],
            "{path}"
        );
    }
    // A comparison of two long texts, once for each of many elements.
    let text = "x".repeat(400_000);
    let claims = json!({"a": text, "b": text, "list": vec![0; 50_000]});
    assert_eq!(found(&run("$.list[?$.a==$.b]", NONE, &claims)), "too many");
}

fn json_value() -> impl Strategy<Value = Value> {
    let name = || {
        prop_oneof![
            Just("groups".to_owned()),
            Just("a".to_owned()),
            Just("roles".to_owned()),
            "[ -~é]{0,4}"
        ]
    };
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i32>().prop_map(Value::from),
        "[a-c/, ]{0,6}".prop_map(Value::String),
    ];
    leaf.prop_recursive(4, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::btree_map(name(), inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn claims() -> impl Strategy<Value = Value> {
    prop::collection::btree_map(
        prop_oneof![Just("groups".to_owned()), "[ab_:./']{1,3}"],
        json_value(),
        0..5,
    )
    .prop_map(|members| Value::Object(members.into_iter().collect()))
}

fn nested() -> impl Strategy<Value = NestedGroupBehavior> {
    prop::sample::select(NestedGroupBehavior::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn a_comma_list_is_the_array_of_its_trimmed_parts(text in "[a-c/ ,\t]{0,24}", nested in nested()) {
        let parts: Vec<&str> = text.split(',').map(|part| part.trim_matches([' ', '\t'])).collect();
        let list = run("$.groups", nested, &json!({"groups": text}));
        let array = run("$.groups", nested, &json!({"groups": parts}));
        prop_assert_eq!(&list.groups, &array.groups);
        prop_assert_eq!(list.elements.len(), array.elements.len());
    }

    #[test]
    fn suffix_twice_is_suffix_once(name in any::<String>()) {
        let once = SUFFIX.apply(&name);
        prop_assert_eq!(SUFFIX.apply(once), once);
        prop_assert!(!once.contains('/') && name.ends_with(once));
    }

    #[test]
    fn groups_keep_the_order_of_their_elements(list in prop::collection::vec("[ab/]{0,4}", 0..12), nested in nested()) {
        let extraction = run("$.groups", nested, &json!({"groups": list}));
        let mut expected: Vec<&str> = Vec::new();
        for name in list.iter().map(|raw| nested.apply(raw)).filter(|name| !name.is_empty()) {
            if !expected.contains(&name) {
                expected.push(name);
            }
        }
        prop_assert_eq!(names(&extraction), expected);
        prop_assert_eq!(extraction.elements.len(), list.len());
        let counted: usize = extraction.groups.iter().map(|group| 1 + group.duplicates.len()).sum();
        let dropped = extraction.elements.iter().filter(|e| matches!(e.outcome, ElementOutcome::Dropped { .. })).count();
        prop_assert_eq!(counted + dropped, list.len());
    }

    #[test]
    fn nothing_panics_and_every_location_finds_its_element(text in path_text(), claims in claims(), nested in nested()) {
        for suggestion in suggest_paths(&object(&claims)) {
            prop_assert!(ClaimPath::parse(&suggestion.path).is_ok(), "{}", suggestion.path);
        }
        let Ok(source) = ClaimSource::parse_sso(&text) else { return Ok(()) };
        let extraction = extract(&ExtractionRule { source, nested }, &object(&claims), None);
        let root = claims;
        let comma = matches!(extraction.claim, ClaimFinding::CommaList { .. });
        for element in extraction.elements.iter().filter(|_| !comma) {
            if let Value::String(name) = follow(&element.location, &root) {
                prop_assert_eq!(name, &element.raw);
            }
        }
        let mut seen = Vec::new();
        for group in &extraction.groups {
            prop_assert!(!group.name.is_empty() && !seen.contains(&&group.name));
            prop_assert_eq!(nested.apply(&group.raw), group.name.as_str());
            seen.push(&group.name);
        }
    }
}
