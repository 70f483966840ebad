//! Tests of claim paths: errors with their offsets, and the RFC 9535 compliance suite.

mod support;

use std::path::PathBuf;
use std::process::Command;

use gbac_engine::claim_path::ClaimPath;
use gbac_engine::groups::NestedGroupBehavior;
use proptest::prelude::*;
use serde_json::Value;
use support::{follow, path_text};

#[test]
fn faults_of_a_path_are_pointed_at() {
    for (text, offset, code, hint) in [
        ("", 0, "empty", "`$.groups`"),
        ("groups", 0, "missing_root", "`$.groups`"),
        (".groups", 0, "missing_root", "`$.groups`"),
        (
            "/realm_access/roles",
            0,
            "missing_root",
            "`$.realm_access.roles`",
        ),
        (
            "https://x.io/groups",
            0,
            "missing_root",
            "`$['https://x.io/groups']`",
        ),
        ("$groups", 1, "missing_dot", "`$.groups`"),
        (" $.groups", 0, "surrounding_blanks", "blanks"),
        ("$.groups\n", 8, "surrounding_blanks", "blanks"),
        ("'$.groups'", 0, "quoted_path", "quotation marks"),
        ("${context.userinfo.groups}", 1, "sso_form", "SSO"),
        ("$.groups.", 8, "trailing_dot", "remove the dot"),
        ("$..", 1, "descendants_unsupported", "step by step"),
        ("$.a. b", 4, "empty_name", "a name"),
        ("$.2", 2, "dotted_digits", "`[2]`"),
        ("$.a.-b", 4, "needs_brackets", "`$.a['-b']`"),
        ("$.2fa.x", 2, "needs_brackets", "`$['2fa'].x`"),
        (
            "$.https://x.io/groups",
            8,
            "needs_brackets",
            "`$['https://x.io/groups']`",
        ),
        ("$.my groups", 4, "needs_brackets", "`$['my groups']`"),
        ("$.a@b.c", 3, "needs_brackets", "`$['a@b'].c`"),
        ("$.['a']", 2, "dot_before_bracket", "remove the dot"),
        ("$['a'", 1, "unclosed_bracket", "`]`"),
        ("$[invalid", 2, "unquoted_name", "`['invalid']`"),
        ("$[my-claim]", 2, "unquoted_name", "`['my-claim']`"),
        ("$['a]", 2, "unclosed_quote", "`'`"),
        ("$[\u{2018}groups\u{2019}]", 2, "curly_quote", "straight"),
        ("$.\u{201c}groups\u{201d}", 2, "curly_quote", "straight"),
        ("$['a\\x']", 2, "bad_escape", "escapes"),
        ("$[]", 2, "empty_selector", "quoted name"),
        ("$.a[01]", 4, "bad_index", "leading zeros"),
        ("$.a[(@.length-1)]", 4, "script", "`[-1]`"),
        ("$.g[?match(@, 'a.*')]", 5, "function_unsupported", "=="),
        ("$.g[?@ =~ 'a']", 7, "function_unsupported", "=="),
        ("$.g[?length(@.n)==1]", 5, "function_unsupported", "=="),
        ("$.g[?@.a='b']", 8, "bad_operator", "`==`"),
        ("$.g[?@.a and @.b]", 9, "bad_operator", "`&&`"),
        ("$.g[?@.a==b]", 10, "unquoted_name", "`'b'`"),
        ("$.g[?@.a==]", 5, "bad_filter", "compares"),
        ("$.my-claim[?@.x[?@.y==]]", 17, "bad_filter", "compares"),
        ("$.g[?(@.a]", 5, "unclosed_parenthesis", "`)`"),
        ("$.a..b", 3, "descendants_unsupported", "step by step"),
        ("$.g[?@..b]", 6, "descendants_unsupported", "step by step"),
        ("$.é.2", 5, "dotted_digits", "`[2]`"),
    ] {
        let error = ClaimPath::parse(text).expect_err(text);
        assert_eq!(
            (error.offset(), error.code()),
            (offset, code),
            "{text}: {error}"
        );
        let said = error.hint().unwrap_or_default();
        assert!(said.contains(hint), "{text}: {said}");
        let words = error.to_string();
        assert!(!words.ends_with('.') && !words.is_empty(), "{words}");
    }
    let long = format!("$.{}", "a".repeat(511));
    assert_eq!(
        ClaimPath::parse(&long).expect_err("513 bytes").code(),
        "too_long"
    );
    assert!(ClaimPath::parse(&long[..512]).is_ok());
    for (deep, code) in [
        (format!("${}", "[?@".repeat(100)), "too_deep"),
        (
            format!("$[?{}@.a{}]", "(".repeat(60), ")".repeat(60)),
            "too_deep",
        ),
    ] {
        assert_eq!(ClaimPath::parse(&deep).expect_err("deep").code(), code);
    }
}

#[test]
fn dotted_names_and_the_platform() {
    for (text, platform) in [
        ("$.groups", true),
        ("$.realm_access.roles", true),
        ("$.cognito:groups", true),
        ("$.resource_access.my-client.roles", true),
        ("$['groups']", false),
        ("$.groups[0]", false),
        ("$.*", false),
        ("$ .groups", false),
        ("$", false),
    ] {
        assert_eq!(
            ClaimPath::parse(text).expect(text).is_platform(),
            platform,
            "{text}"
        );
    }
    for (text, singular) in [
        ("$", true),
        ("$['a'][0].b", true),
        ("$.a[0:1]", false),
        ("$['a','b']", false),
    ] {
        assert_eq!(
            ClaimPath::parse(text).expect(text).is_singular(),
            singular,
            "{text}"
        );
    }
    assert_eq!("suffix".parse(), Ok(NestedGroupBehavior::Suffix));
    for text in ["Suffix", "NONE", "", " none", "full"] {
        assert!(text.parse::<NestedGroupBehavior>().is_err(), "{text}");
    }
}

/// The compliance suite, in the package of the crate that reads paths, wherever cargo keeps it.
fn compliance_suite() -> Vec<Value> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let output = Command::new(cargo)
        .args([
            "metadata",
            "--format-version",
            "1",
            "--manifest-path",
            manifest,
        ])
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "cargo metadata failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value =
        serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    let package = metadata["packages"]
        .as_array()
        .and_then(|packages| {
            packages
                .iter()
                .find(|package| package["name"] == "jsonpath-rfc9535")
        })
        .expect("the crate jsonpath-rfc9535 is among the packages of `cargo metadata`");
    let manifest = PathBuf::from(
        package["manifest_path"]
            .as_str()
            .expect("a package has a manifest"),
    );
    let suite = manifest
        .with_file_name("tests")
        .join("data/compliance_test_suite.json");
    let text = std::fs::read_to_string(&suite).unwrap_or_else(|error| {
        panic!(
            "the package of jsonpath-rfc9535 has no compliance suite at {}: {error}",
            suite.display()
        )
    });
    let suite: Value = serde_json::from_str(&text).expect("the suite is JSON");
    suite["tests"]
        .as_array()
        .expect("the suite has tests")
        .clone()
}

/// Cases whose selector RFC 9535 refuses and we take (D-11: `-` and `:` in dotted names).
const WIDER: &[&str] = &[];
/// What RFC 9535 takes and we refuse (D-11).
const UNSUPPORTED: [&str; 2] = ["descendants_unsupported", "function_unsupported"];

#[test]
fn the_compliance_suite_of_rfc_9535() {
    let (mut refused, mut evaluated, mut unsupported) = (0, 0, 0);
    let suite = compliance_suite();
    for case in &suite {
        let (name, selector) = (
            case["name"].as_str().expect("a name"),
            case["selector"].as_str().expect("a selector"),
        );
        let valid = case["invalid_selector"] != true;
        let path = match ClaimPath::parse(selector) {
            Ok(path) => path,
            Err(error) => {
                assert!(
                    error.offset() <= selector.len() && selector.is_char_boundary(error.offset()),
                    "{name}"
                );
                if !valid {
                    refused += 1;
                } else {
                    assert!(
                        UNSUPPORTED.contains(&error.code()),
                        "{name}: {selector} is refused: {error}"
                    );
                    unsupported += 1;
                }
                continue;
            }
        };
        assert!(
            valid || WIDER.contains(&name),
            "{name}: {selector} is taken"
        );
        let document = &case["document"];
        let nodes = path
            .select(document)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let values: Value = nodes.iter().map(|node| node.value.clone()).collect();
        let right = case["result"] == values
            || case["results"]
                .as_array()
                .is_some_and(|all| all.contains(&values));
        assert!(right, "{name}: {selector} selects {values}");
        // A location is a path to the node.
        for node in &nodes {
            assert!(
                std::ptr::eq(follow(&node.location, document), node.value),
                "{name}: {}",
                node.location
            );
        }
        evaluated += 1;
    }
    assert_eq!(
        (suite.len(), refused, evaluated, unsupported),
        (703, 247, 363, 93)
    );
}

#[test]
fn a_location_is_a_path_whatever_the_name() {
    for character in ('\0'..='\u{300}').chain([
        '\u{2019}',
        '\u{2028}',
        '\u{feff}',
        '\u{e0041}',
        '\u{10ffff}',
    ]) {
        for name in [format!("{character}"), format!("a{character}b")] {
            let document = serde_json::json!({ "outer": { name.as_str(): [1] } });
            let nodes = ClaimPath::parse("$.outer.*[0]")
                .expect("a path")
                .select(&document)
                .expect("one node");
            assert!(
                std::ptr::eq(follow(&nodes[0].location, &document), nodes[0].value),
                "{name:?}: {}",
                nodes[0].location
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn a_path_is_taken_exactly_where_rfc_9535_or_the_extension_takes_it(text in path_text()) {
        let ours = ClaimPath::parse(&text);
        let theirs = jsonpath_rfc9535::JsonPath::parse(&text).is_ok();
        match ours {
            Ok(_) => prop_assert!(theirs || text.contains(['-', ':']), "{text}"),
            Err(error) => {
                prop_assert!(error.offset() <= text.len() && text.is_char_boundary(error.offset()), "{text}");
                prop_assert!(!error.to_string().is_empty());
                let limit = matches!(error.code(), "curly_quote" | "too_deep" | "too_long");
                let narrower = limit || UNSUPPORTED.contains(&error.code());
                prop_assert!(!theirs || narrower, "{text}: {error}");
            }
        }
    }
}
