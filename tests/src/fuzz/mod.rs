//! The bodies and initial inputs of the fuzz targets in `fuzz/`, which the regular tests also run.

mod importers;

use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gbac_analysis::check::{Answer, Check, Query, answer};
use gbac_engine::claim_path::ClaimPath;
use gbac_engine::decide::At;
use gbac_engine::groups::{ClaimSource, ExtractionRule, NestedGroupBehavior, extract};
use gbac_engine::identity::{Identity, IdentityRules};
use gbac_engine::mapping::PrincipalMapping;
use gbac_engine::model::{Dialect, PrincipalType};
use gbac_engine::policy::{Change, Policy, Settings};
use gbac_engine::token::{MAX_TOKEN_BYTES, UnverifiedClaims, UnverifiedToken, normalize_pasted};
use gbac_engine::{Coded, resolve};
use gbac_json::{check_from_json, policy_from_json, policy_to_text};
use serde_json::Value;

use crate::bytes::{Bytes, Next};
use crate::changes;
use crate::oracle::{self, Facts, OracleQuestion};
use crate::session::Session;
use crate::vectors::root;
use crate::world::identity;

pub use importers::{importers, importers_starts};

/// The header of the tokens: `{"alg":"RS256"}`.
const HEADER: &str = "eyJhbGciOiJSUzI1NiJ9";

/// Fuzzes decoding of tokens and extraction. Bytes that begin with `$` are three texts: a claim
/// path, a principal mapping and, from the third line on, a token or its payload. [`Bytes`]
/// converts other bytes to such texts, valid or nearly valid.
///
/// # Panics
/// If the engine panics or violates a property.
pub fn token(bytes: &[u8]) {
    if bytes.first() != Some(&b'$') {
        let (path, mapping, claims) = Bytes::new(bytes).claims();
        return token_texts(&path, &mapping, &Value::Object(claims).to_string());
    }
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.splitn(3, '\n');
    if let (Some(path), Some(mapping), Some(rest)) = (lines.next(), lines.next(), lines.next()) {
        token_texts(path, mapping, rest);
    }
}

fn token_texts(path: &str, mapping: &str, rest: &str) {
    for pasted in [normalize_pasted(rest).token.as_str(), rest] {
        if let Err(error) = UnverifiedToken::decode(pasted) {
            says_what(error.code(), &error.to_string());
        }
    }
    let text = format!("{HEADER}.{}.c2ln", URL_SAFE_NO_PAD.encode(rest));
    let decoded = UnverifiedToken::decode(&text).map(|token| token.claims);
    match UnverifiedClaims::parse(rest) {
        Ok(claims) if text.len() <= MAX_TOKEN_BYTES => assert_eq!(decoded.as_ref(), Ok(&claims)),
        Ok(_) | Err(_) => assert!(decoded.is_err()),
    }
    let path = ClaimPath::parse(path);
    if let Err(error) = &path {
        says_what(error.code(), &error.to_string());
    }
    let mapping = PrincipalMapping::parse(mapping);
    if let Err(error) = &mapping {
        says_what(error.code(), &error.to_string());
    }
    if let (Ok(path), Ok(claims)) = (path, decoded) {
        extraction(&path, &mapping.unwrap_or_default(), &claims);
    }
}

fn extraction(path: &ClaimPath, mapping: &PrincipalMapping, claims: &UnverifiedClaims) {
    let mut names = Vec::new();
    for nested in NestedGroupBehavior::ALL {
        let extraction = ExtractionRule {
            source: ClaimSource::Token(path.clone()),
            nested: *nested,
        };
        let rules = IdentityRules {
            mapping: mapping.clone(),
            extraction,
        };
        let found = extract(&rules.extraction, claims.members(), None);
        let groups: Vec<String> = found.names().map(String::from).collect();
        for (place, group) in groups.iter().enumerate() {
            assert!(
                !group.is_empty() && !groups[..place].contains(group),
                "{groups:?}"
            );
        }
        for warning in &found.warnings {
            says_what(warning.code.code(), &warning.message);
        }
        match Identity::from_unverified(claims, None, &rules) {
            Ok((identity, _)) => {
                assert!(!identity.user().is_empty() && !identity.is_verified());
                assert_eq!(identity.groups(), groups);
            }
            Err(error) => says_what(error.code(), &error.to_string()),
        }
        names.push(groups);
    }
    // `suffix` is exactly the part after the last slash (D-10).
    let mut suffixes: Vec<&str> = Vec::new();
    for name in &names[0] {
        let suffix = name.rsplit('/').next().unwrap_or_default();
        if !suffix.is_empty() && !suffixes.contains(&suffix) {
            suffixes.push(suffix);
        }
    }
    assert_eq!(names[1], suffixes);
}

/// Fuzzes policy documents and checks. Bytes that begin with `{` are two texts: the document and,
/// after the first line break, the check. [`Bytes`] converts other bytes to changes and queries of
/// a policy.
///
/// # Panics
/// If the engine panics, violates a property, or differs from the oracle.
pub fn policy(bytes: &[u8]) {
    if bytes.first() == Some(&b'{') {
        texts(&String::from_utf8_lossy(bytes));
    } else {
        steps(bytes);
    }
}

fn steps(bytes: &[u8]) {
    let (mut facts, mut settings) = (Facts::default(), Settings::default());
    let mut policy = Policy::new(settings.clone());
    let mut open: Vec<(OracleQuestion, Session)> = Vec::new();
    let mut bytes = Bytes::new(bytes);
    while let Some(next) = bytes.next(&facts) {
        match next {
            Next::Change(change) => {
                let expected = changes::apply(&mut facts, &mut settings, &change);
                assert_eq!(policy.apply(change).map_err(|error| error.code()), expected);
            }
            Next::Ask(asked) => {
                let identity = identity(&asked);
                open.push((asked, Session::open(&policy, identity)));
            }
        }
        if let Some((asked, session)) = open.last_mut() {
            assert_eq!(
                session.difference(&policy, asked, &oracle::decide(&facts, asked)),
                None
            );
        }
    }
    let read = policy_from_json(&policy_to_text(&policy)).expect("what is written can be read");
    assert_eq!(read, policy);
    for (asked, session) in &mut open {
        let expected = oracle::decide(&facts, asked);
        assert_eq!(session.difference(&policy, asked, &expected), None);
        assert_eq!(session.difference(&read, asked, &expected), None);
        assert_eq!(
            session.explained_difference(&policy, asked, &expected),
            None
        );
    }
}

fn texts(text: &str) {
    let Some((document, check)) = text.split_once('\n') else {
        return;
    };
    let policy = match policy_from_json(document) {
        Ok(policy) => policy,
        Err(problems) => {
            assert!(!problems.0.is_empty());
            return problems
                .0
                .iter()
                .for_each(|problem| says_what(problem.code.as_str(), &problem.message));
        }
    };
    let written = policy_to_text(&policy);
    let read = policy_from_json(&written).expect("what is written can be read");
    assert_eq!(read, policy);
    assert_eq!(policy_to_text(&read), written);
    changed_and_changed_back(&policy);
    match check_from_json(check) {
        Ok(check) => checked(&policy, &check),
        Err(problems) => problems
            .0
            .iter()
            .for_each(|problem| says_what(problem.code.as_str(), &problem.message)),
    }
}

/// Removes and adds each ACL, which must not change the policy.
fn changed_and_changed_back(policy: &Policy) {
    let mut changed = policy.clone();
    for acl in policy.acls() {
        assert_eq!(changed.apply(Change::RemoveAcl(acl.clone())), Ok(true));
        assert!(!changed.has_acl(&acl));
        assert_eq!(changed.apply(Change::AddAcl(acl.clone())), Ok(true));
    }
    assert_eq!(&changed, policy);
}

fn checked(policy: &Policy, check: &Check) {
    let answered = answer(policy, check, None, At::IgnoringExpiry);
    let opened = match resolve(policy, &check.subject, None) {
        Ok(opened) => opened,
        Err(error) => {
            says_what(error.code(), &error.to_string());
            return assert_eq!(answered, Err(error.into()));
        }
    };
    let identity = opened.identity;
    let Query::Access {
        operation,
        resource_type,
        resource_name,
    } = &check.query
    else {
        return;
    };
    let Ok(Answer::Access(decision)) = answered else {
        panic!("no answer: {answered:?}")
    };
    // The oracle ignores the time.
    if identity.is_expired(check.instant(At::IgnoringExpiry)) {
        return assert_eq!(decision.reason.code(), "expired");
    }
    let asked = OracleQuestion {
        user: identity.user().into(),
        groups: identity.groups().to_vec(),
        operation: *operation,
        resource_type: *resource_type,
        name: resource_name.clone(),
        host: check.host,
    };
    let facts = Facts {
        acls: policy.acls().collect(),
        roles: policy.roles().collect(),
        superusers: policy.settings().superusers.iter().cloned().collect(),
    };
    let settings = policy.settings();
    let kafka = (settings.dialect == Dialect::Kafka).then_some(settings.kafka_version);
    // The oracle recognizes principals of other types by their prefix only.
    let is_service = kafka.is_some() && asked.user.starts_with(oracle::SERVICE);
    if is_service != (identity.principal_type() == PrincipalType::Other) {
        return;
    }
    let expected = oracle::decide_in(kafka, &facts, &asked);
    let mut session = Session::open(policy, identity);
    for difference in [
        session.difference(policy, &asked, &expected),
        session.explained_difference(policy, &asked, &expected),
    ] {
        assert_eq!(difference, None);
    }
    assert_eq!(decision.outcome.code(), expected.outcome);
}

/// Checks that a code is in snake case, and that there is a message. Printing escapes the quoted
/// input.
fn says_what(code: &str, message: &str) {
    assert!(
        !code.is_empty()
            && code
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'),
        "{code}"
    );
    assert!(!message.is_empty(), "{code}");
}

/// Initial inputs for [`token`]: the tokens and claims of the vectors, each with its file's claim
/// path and mapping; and only these two, with small claims.
#[must_use]
pub fn token_starts() -> Vec<Vec<u8>> {
    let mut starts = Vec::new();
    for (policy, check) in vectors() {
        let settings = policy.get("settings");
        let setting = |name, default| {
            settings
                .and_then(|all| all.get(name))
                .and_then(Value::as_str)
                .unwrap_or(default)
        };
        let path = setting("oidc_group_claim_path", "$.groups");
        let mapping = setting("oidc_principal_mapping", "$.sub");
        starts.push(format!("{path}\n{mapping}\n{{\"sub\":\"u\"}}").into_bytes());
        match (
            check.get("claims"),
            check.get("unverified_token").and_then(Value::as_str),
        ) {
            (Some(claims), _) => starts.push(format!("{path}\n{mapping}\n{claims}").into_bytes()),
            (_, Some(token)) => starts.push(format!("$\n\n{token}").into_bytes()),
            _ => {}
        }
    }
    starts.sort();
    starts.dedup();
    starts.extend(random());
    starts
}

/// Initial inputs for [`policy()`]: each vector's check with its policy, if it has few ACLs, and
/// random changes and queries.
#[must_use]
pub fn policy_starts() -> Vec<Vec<u8>> {
    let mut starts = Vec::new();
    for (number, (mut policy, check)) in vectors().into_iter().enumerate() {
        if let Some(acls) = policy.get_mut("acls").and_then(Value::as_array_mut) {
            let first = number % acls.len().max(1);
            *acls = acls.iter().skip(first).take(2).cloned().collect();
        }
        starts.push(format!("{policy}\n{check}").into_bytes());
    }
    starts.extend(random());
    starts
}

/// Pseudorandom bytes, always the same.
fn random() -> Vec<Vec<u8>> {
    let mut state = 1_u32;
    let mut byte = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..200)
        .map(|_| (0..200).map(|_| byte()).collect())
        .collect()
}

/// Each vector's policy and check, as JSON.
fn vectors() -> Vec<(Value, Value)> {
    let mut paths: Vec<_> = fs::read_dir(root().join("tests/vectors"))
        .expect("the vectors are there")
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let text =
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let file: Value = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for test in file["tests"].as_array().into_iter().flatten() {
            found.push((file["policy"].clone(), test["check"].clone()));
        }
    }
    found
}

/// Writes the initial inputs of a target into its folder, before the fuzzer reads it.
///
/// # Panics
/// If the folder or a file cannot be written.
pub fn write(target: &str, starts: &[Vec<u8>]) {
    let folder = root().join("target/fuzz/corpus").join(target);
    fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for (place, start) in starts.iter().enumerate() {
        let file = folder.join(format!("start-{place:03}"));
        fs::write(&file, start).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
}
