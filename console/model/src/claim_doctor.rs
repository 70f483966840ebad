//! The claim doctor: which groups a token has under each claim path, what is wrong with them, and
//! which identity provider it is from. It is the simulator's way from a token to groups, without a
//! policy.

use std::sync::Arc;

use gbac_engine::Timestamp;
use gbac_engine::claim_path::ClaimPath;
use gbac_engine::groups::{
    ClaimSource, Extraction, ExtractionRule, NestedGroupBehavior, extract, suggest_paths,
};
use gbac_engine::identity::IdentityRules;
use gbac_engine::policy::Policy;
use gbac_engine::token::{MAX_TOKEN_BYTES, TokenError};
use gbac_engine::warning::WarningCode;
use gbac_words::extraction::claim;
use gbac_words::pages::claim_doctor::{self as words, PROVIDERS, ProviderGuide};
use gbac_words::rich_text::RichText;

use crate::simulator::claims::{DecodedClaim, decoded};
use crate::simulator::extraction::{ExtractionInput, ExtractionNote, of_token};
use crate::simulator::identity::SimulatedIdentity;
use crate::simulator::inputs::{InputEdit, Weight};
use crate::simulator::token::{DecodedToken, TokenReading, read};

/// How many paths are shown beside the default.
const PATHS: usize = 6;
/// How many groups of a path are shown.
const GROUPS: usize = 100;
/// How many notes are shown.
const NOTES: usize = 6;

/// What a token is examined for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DoctorSettings {
    /// How clusters read names that are paths.
    pub nested: NestedGroupBehavior,
    /// Whether brokers read the token, which accept fewer claim paths (D-29).
    pub has_brokers: bool,
    /// The current time.
    pub now: Timestamp,
}

/// How a token did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DoctorMark {
    /// It has groups where clusters read them.
    Good,
    /// It has none there, or there is a warning about them.
    Warn,
    /// It cannot be read, or every service refuses it.
    Bad,
}

/// The groups of one claim path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathGroups {
    /// The path.
    pub path: String,
    /// Whether clusters read it unless they are told otherwise.
    pub is_default: bool,
    /// What was found there.
    pub found: RichText,
    /// That the cluster refuses the path, and what to do.
    pub refused: Option<RichText>,
    /// The first groups.
    pub groups: Vec<String>,
    /// How many more there are.
    pub more: usize,
}

/// What there is to say about a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Examination {
    /// How it went.
    pub mark: DoctorMark,
    /// The result in a few words.
    pub title: String,
    /// The result.
    pub words: RichText,
    /// What else to know: a title, which may be empty, and the sentence.
    pub notes: Vec<(String, RichText)>,
    /// The default path, then others that hold names.
    pub paths: Vec<PathGroups>,
    /// The claims, cut short.
    pub claims: Vec<DecodedClaim>,
    /// What the claims are: `header and 12 claims`.
    pub summary: String,
    /// The provider, as far as its issuer tells.
    pub provider: Option<&'static ProviderGuide>,
    /// Whether a change at the provider could help: another token comes first where this is an ID token.
    pub advises: bool,
}

/// Examines a text that somebody pasted; none if it is empty.
pub fn examine(text: &str, settings: &DoctorSettings) -> Option<Examination> {
    if text.len() > 2 * MAX_TOKEN_BYTES {
        let error = TokenError::TooLong(text.len());
        return Some(unreadable(RichText::with_hint(
            &error.to_string(),
            error.hint(),
        )));
    }
    let mut reading = read(text, false);
    if let TokenReading::Wrong(problem) = &reading
        && (problem.actions.iter()).any(|action| action.change == InputEdit::ReadAsClaims)
    {
        reading = read(text, true);
    }
    match reading {
        TokenReading::Empty => None,
        TokenReading::Wrong(problem) => Some(unreadable(problem.words)),
        TokenReading::Read(token) => Some(of_claims(&token, settings)),
    }
}

fn unreadable(words: RichText) -> Examination {
    Examination {
        mark: DoctorMark::Bad,
        title: words::UNREADABLE.into(),
        words,
        notes: Vec::new(),
        paths: Vec::new(),
        claims: Vec::new(),
        summary: String::new(),
        provider: None,
        advises: false,
    }
}

fn of_claims(token: &Arc<DecodedToken>, settings: &DoctorSettings) -> Examination {
    let mut rules = IdentityRules::default();
    rules.extraction.nested = settings.nested;
    let members = token.claims.members();
    let extraction = extract(&rules.extraction, members, None);
    let default = rules.extraction.source.to_string();
    let mut suggestions = suggest_paths(members);
    suggestions.retain(|suggestion| suggestion.path != default);
    let policy = Policy::default();
    let who = SimulatedIdentity::from_token(token, &rules, None, None);
    let steps = of_token(&ExtractionInput {
        read: token,
        rules: &rules,
        extraction: &extraction,
        user: who.identity.as_ref().map(|identity| identity.user()),
        suggestions: &suggestions,
        policy: &policy,
    });
    let mut paths = vec![path_groups(&rules.extraction.source, &extraction, true)];
    for suggestion in suggestions.iter().take(PATHS) {
        let Ok(path) = ClaimPath::parse(&suggestion.path) else {
            continue;
        };
        let rule = ExtractionRule {
            source: ClaimSource::Token(path.clone()),
            nested: settings.nested,
        };
        let found = extract(&rule, members, None);
        let mut row = path_groups(&rule.source, &found, false);
        if settings.has_brokers && !path.is_platform() {
            row.refused = Some(words::refused_path(!path.is_singular()));
        }
        paths.push(row);
    }
    let decoded = decoded(&who);
    let provider = token.claims.issuer().and_then(provider);
    let is_id_token = (steps.notes.iter()).any(|note| note.code == Some(WarningCode::IdToken));
    let mark = mark(&extraction, &steps.notes);
    let (title, words, notes) = result(&rules, &extraction, &paths[1..], steps.notes);
    let mut examination = Examination {
        mark,
        title,
        words,
        notes,
        paths,
        summary: (decoded.as_ref()).map_or_else(String::new, |decoded| decoded.summary.clone()),
        claims: decoded.map_or_else(Vec::new, |decoded| decoded.claims),
        provider,
        // An ID token is all there is where no setting helps.
        advises: !is_id_token || provider.is_some_and(|guide| guide.path.is_none()),
    };
    if let Some(words) = expiry(token, settings.now) {
        if examination.mark == DoctorMark::Good {
            examination.mark = DoctorMark::Warn;
        }
        examination.notes.insert(0, (String::new(), words));
    }
    if !examination.advises {
        let words = RichText::from(words::PASTE_ACCESS_TOKEN);
        examination.notes.insert(0, (String::new(), words));
    }
    for words in &token.left_out {
        examination.notes.push((String::new(), words.clone()));
    }
    if let Some(refused) = &token.refused {
        examination.mark = DoctorMark::Bad;
        let title = gbac_words::sign_in::TOKEN_REFUSED.to_owned();
        examination.notes.insert(0, (title, refused.words.clone()));
    }
    examination
}

/// How the groups did: good only without a warning.
fn mark(extraction: &Extraction, notes: &[ExtractionNote]) -> DoctorMark {
    let refusals = [WarningCode::KidMissing, WarningCode::TypRefused];
    if (notes.iter()).any(|note| note.code.is_some_and(|code| refusals.contains(&code))) {
        DoctorMark::Bad
    } else if extraction.groups.is_empty() || notes.iter().any(|note| note.weight != Weight::Info) {
        DoctorMark::Warn
    } else {
        DoctorMark::Good
    }
}

/// What is wrong with the time of a token; claims that somebody wrote need none.
fn expiry(token: &DecodedToken, now: Timestamp) -> Option<RichText> {
    match token.claims.expires_at() {
        Some(at) if at < now => Some(words::expired(at.as_seconds()).into()),
        Some(_) => None,
        None if token.claims.members().contains("exp") => Some(sentence(RichText::message(
            gbac_words::sign_in::EXPIRY_NOT_A_NUMBER,
        ))),
        None if token.token.is_some() => {
            Some(sentence(RichText::message(gbac_words::sign_in::NO_EXPIRY)))
        }
        None => None,
    }
}

/// The result, and what is left to say: an overage, an ID token and broken names are the result.
fn result(
    rules: &IdentityRules,
    extraction: &Extraction,
    elsewhere: &[PathGroups],
    notes: Vec<ExtractionNote>,
) -> (String, RichText, Vec<(String, RichText)>) {
    let decides = [
        WarningCode::GroupOverage,
        WarningCode::IdToken,
        WarningCode::EncodedList,
        WarningCode::NameSplit,
    ];
    let mut head = None;
    let mut rest = Vec::new();
    for note in notes {
        let is_head = note.code.is_some_and(|code| decides.contains(&code));
        if is_head && head.is_none() {
            let is_form = note.code.is_some_and(WarningCode::is_of_form);
            let title = if is_form {
                words::broken(extraction.groups.len())
            } else {
                note.title
            };
            head = Some((title, sentence(note.words)));
        } else if rest.len() < NOTES && (note.weight != Weight::Info || !note.title.is_empty()) {
            rest.push((note.title, note.words));
        }
    }
    if let Some((title, words)) = head {
        return (title, words, rest);
    }
    let found = sentence(claim(&rules.extraction.source, extraction));
    match (extraction.groups.len(), elsewhere.len()) {
        (0, 0) => (words::NO_GROUPS.into(), found, rest),
        (0, paths) => {
            let words = if elsewhere.iter().all(|row| row.refused.is_some()) {
                RichText::from(words::elsewhere_refused(paths))
            } else {
                words::elsewhere(paths)
            };
            let words = found.text(" ").then(words);
            (words::NO_GROUPS.into(), words, rest)
        }
        (groups, _) => (words::found(groups), found, rest),
    }
}

/// The words with a period at their end.
fn sentence(words: RichText) -> RichText {
    if words.plain().ends_with('.') {
        words
    } else {
        words.text(".")
    }
}

fn path_groups(source: &ClaimSource, extraction: &Extraction, is_default: bool) -> PathGroups {
    let names = extraction.groups.iter().take(GROUPS);
    PathGroups {
        path: source.to_string(),
        is_default,
        found: sentence(claim(source, extraction)),
        refused: None,
        groups: names.map(|group| group.name.clone()).collect(),
        more: extraction.groups.len().saturating_sub(GROUPS),
    }
}

/// The provider whose issuers look like this.
fn provider(issuer: &str) -> Option<&'static ProviderGuide> {
    let address = issuer.strip_prefix("https://").unwrap_or(issuer);
    let (host, path) = address.split_once('/').unwrap_or((address, ""));
    let host = host.to_ascii_lowercase();
    let is_of = |domain: &str| {
        host.strip_suffix(domain)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    let code = if is_of("login.microsoftonline.com") || is_of("sts.windows.net") {
        "entra"
    } else if is_of("okta.com") || is_of("oktapreview.com") || is_of("okta-emea.com") {
        "okta"
    } else if is_of("auth0.com") {
        "auth0"
    } else if is_of("accounts.google.com") {
        "google"
    } else if host.starts_with("cognito-idp.") && is_of("amazonaws.com") {
        "cognito"
    } else if path.starts_with("realms/") || path.contains("/realms/") {
        "keycloak"
    } else {
        return None;
    };
    PROVIDERS.iter().find(|guide| guide.code == code)
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use gbac_engine::groups::NestedGroupBehavior::{None as Full, Suffix};
    use serde_json::json;

    use super::*;

    const SETTINGS: DoctorSettings = DoctorSettings {
        nested: Full,
        has_brokers: true,
        now: Timestamp::from_seconds(1_700_000_000.0),
    };

    fn examined(claims: &serde_json::Value) -> Examination {
        examine(&claims.to_string(), &SETTINGS).unwrap()
    }

    /// A token, whose signature nobody checks.
    fn token(header: &serde_json::Value, claims: &serde_json::Value) -> Examination {
        let part = |value: &serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let text = format!("{}.{}.c2ln", part(header), part(claims));
        examine(&text, &SETTINGS).unwrap()
    }

    #[test]
    fn groups_where_clusters_read_them_are_good() {
        let claims = json!({ "sub": "a", "groups": ["/eng/pay", "/eng/ops"] });
        let found = examined(&claims);
        assert_eq!(
            (found.mark, found.title.as_str()),
            (DoctorMark::Good, "2 groups with the default setting")
        );
        assert_eq!(found.paths[0].groups, ["/eng/pay", "/eng/ops"]);
        let settings = DoctorSettings {
            nested: Suffix,
            ..SETTINGS
        };
        let last = examine(&claims.to_string(), &settings).unwrap();
        assert_eq!(last.paths[0].groups, ["pay", "ops"]);
    }

    #[test]
    fn names_elsewhere_are_shown_beside_the_default() {
        let found = examined(
            &json!({ "sub": "a", "iss": "https://id.example/realms/prod", "realm_access": { "roles": ["x", "y"] } }),
        );
        assert_eq!(found.title, words::NO_GROUPS);
        let words = found.words.plain();
        assert!(words.contains("Names are in another claim.") && !words.contains(".."));
        let paths: Vec<&str> = found.paths.iter().map(|row| row.path.as_str()).collect();
        assert_eq!(paths, ["$.groups", "$.realm_access.roles"]);
        assert_eq!(found.paths[1].groups, ["x", "y"]);
        assert_eq!(found.provider.unwrap().code, "keycloak");
    }

    #[test]
    fn an_overage_and_an_id_token_are_the_result() {
        let found = examined(
            &json!({ "sub": "a", "iss": "https://login.microsoftonline.com/t/v2.0", "_claim_names": { "groups": "src1" },
                "_claim_sources": { "src1": { "endpoint": "https://graph.example/x" } } }),
        );
        assert_eq!(found.title, "The groups of this user are unknown");
        assert_eq!(found.provider.unwrap().code, "entra");
        let found = examined(&json!({ "sub": "a", "nonce": "n", "at_hash": "h" }));
        assert_eq!(found.title, "This looks like an ID token");
    }

    #[test]
    fn an_id_token_has_no_advice_unless_it_is_all_there_is() {
        let claims = json!({ "sub": "a", "nonce": "n", "at_hash": "h", "groups": ["x"], "iss": "https://id.example/realms/prod" });
        let found = examined(&claims);
        assert_eq!((found.mark, found.advises), (DoctorMark::Warn, false));
        assert_eq!(found.notes[0].1.plain(), words::PASTE_ACCESS_TOKEN);
        let google = json!({ "sub": "a", "nonce": "n", "at_hash": "h", "iss": "https://accounts.google.com" });
        assert!(examined(&google).advises);
    }

    #[test]
    fn paths_that_brokers_refuse_are_said() {
        let cognito = examined(&json!({ "sub": "a", "cognito:groups": ["x"] }));
        assert_eq!(cognito.paths[1].path, "$.cognito:groups");
        assert_eq!(cognito.paths[1].refused, None);
        let claims = json!({ "sub": "a", "https://acme.example/groups": ["x"] });
        let found = examined(&claims);
        assert_eq!(found.paths[1].path, "$['https://acme.example/groups']");
        let refused = found.paths[1].refused.clone().unwrap().plain();
        assert!(
            refused.contains("refuse this path") && refused.contains("$.kafka_groups"),
            "{refused}"
        );
        assert!(!found.words.plain().contains("set the claim path"));
        let settings = DoctorSettings {
            has_brokers: false,
            ..SETTINGS
        };
        let elsewhere = examine(&claims.to_string(), &settings).unwrap();
        assert_eq!(elsewhere.paths[1].refused, None);
    }

    #[test]
    fn an_old_token_and_one_without_expiry_are_amber() {
        let header = json!({ "alg": "RS256", "typ": "JWT", "kid": "k" });
        for (claims, words) in [
            (
                json!({ "sub": "a", "exp": 1_600_000_000, "groups": ["x"] }),
                "This token expired on 2020-09-13 12:26:40 UTC: its groups are those of an old sign-in.",
            ),
            (
                json!({ "sub": "a", "groups": ["x"] }),
                "No expiry (exp), so the service refuses this token.",
            ),
        ] {
            let found = token(&header, &claims);
            assert_eq!(found.mark, DoctorMark::Warn, "{words}");
            assert_eq!(found.notes[0].1.plain(), words);
        }
        let claims = json!({ "sub": "a", "exp": 4_102_444_800_u64, "groups": ["x"] });
        assert_eq!(token(&header, &claims).mark, DoctorMark::Good);
        let refused = token(&json!({ "alg": "RS256", "typ": "dpop+jwt" }), &claims);
        assert_eq!(refused.mark, DoctorMark::Bad);
    }

    #[test]
    fn broken_names_are_never_good() {
        for (groups, title) in [
            (json!("[\"a\",\"b\"]"), "The 2 group names are broken"),
            (json!("[a]"), "The group name is broken"),
            (json!("CN=eng,DC=acme"), "The 2 group names are broken"),
            (json!(["a;b"]), "1 group with the default setting"),
        ] {
            let found = examined(&json!({ "sub": "a", "groups": groups }));
            assert_eq!(
                (found.mark, found.title.as_str()),
                (DoctorMark::Warn, title)
            );
        }
    }

    #[test]
    fn hostile_texts_are_refused_with_words() {
        assert_eq!(examine(" \n", &SETTINGS), None);
        let huge = "x".repeat(2 * MAX_TOKEN_BYTES + 1);
        let deep = format!("{}1{}", "[".repeat(500), "]".repeat(500));
        let encrypted = "eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.a.b.c.d";
        for text in [
            &huge,
            &deep,
            encrypted,
            "<html>",
            "2YotnFZFEjr1zCsicMWpAA",
            "{\"sub\":",
        ] {
            let found = examine(text, &SETTINGS).unwrap();
            assert_eq!(found.mark, DoctorMark::Bad);
            assert!(!found.words.plain().is_empty() && found.paths.is_empty());
        }
        let many: Vec<String> = (0..5000).map(|number| format!("g{number}")).collect();
        let found = examined(&json!({ "sub": "a", "groups": many }));
        assert_eq!(
            (found.paths[0].groups.len(), found.paths[0].more),
            (100, 4900)
        );
    }

    #[test]
    fn issuers_tell_the_provider() {
        for (issuer, code) in [
            ("https://acme.okta.com/oauth2/default", Some("okta")),
            ("https://acme.eu.auth0.com/", Some("auth0")),
            ("https://accounts.google.com", Some("google")),
            (
                "https://cognito-idp.eu-west-1.amazonaws.com/p",
                Some("cognito"),
            ),
            ("https://sts.windows.net/t/", Some("entra")),
            ("https://evilokta.com/", None),
            ("https://okta.com.evil.example/", None),
        ] {
            let found = provider(issuer).map(|guide| guide.code);
            assert_eq!(found, code, "{issuer}");
        }
    }
}
