//! The troubleshooting procedure of specification 8: four steps, each with findings and next
//! actions.

use std::collections::BTreeSet;

pub use super::status::StepStatus;

use super::provider::{AcceptedTokens, object_ids};
use super::sign_in::{SignInCheck, check_sign_in};
use gbac_engine::escape::{escaped, visible};
use gbac_engine::groups::{ClaimFinding, Extraction, NestedGroupBehavior, extract, suggest_paths};
use gbac_engine::identity::{At, Identity};
use gbac_engine::model::{Principal, PrincipalType};
use gbac_engine::near;
use gbac_engine::policy::{GroupSource, Policy, Settings};
use gbac_engine::token::{CheckName, Header, UnverifiedClaims, UnverifiedToken, VerifyError};
use gbac_engine::warning::{Warning, WarningCode};
use gbac_engine::{ClaimSet, Coded, Timestamp};

/// The input of the procedure.
#[derive(Debug, Clone, Copy)]
pub struct DiagnosticInput<'a> {
    /// The token or its claims.
    pub token: TokenInput<'a>,
    /// The user-info document, if the settings require it.
    pub userinfo: Option<&'a ClaimSet>,
    /// The settings of the service.
    pub settings: &'a Settings,
    /// The policy, to check whether it names the groups.
    pub policy: Option<&'a Policy>,
    /// The groups that the user should have, by their bare names.
    pub expected: &'a [String],
    /// The service's result for the same token (`ResolveOidcIdentity`).
    pub resolved: Option<&'a ServiceResolution>,
    /// The level of the logger `security`.
    pub log_level: Option<&'a str>,
    /// The tokens that the service accepts.
    pub accepted: Option<&'a AcceptedTokens>,
    /// The current time.
    pub now: Option<Timestamp>,
}

impl<'a> DiagnosticInput<'a> {
    /// Creates an input without optional parts.
    #[must_use]
    pub const fn new(token: TokenInput<'a>, settings: &'a Settings) -> Self {
        Self {
            token,
            userinfo: None,
            settings,
            policy: None,
            expected: &[],
            resolved: None,
            log_level: None,
            accepted: None,
            now: None,
        }
    }
}

/// The form of the token.
#[derive(Debug, Clone, Copy)]
pub enum TokenInput<'a> {
    /// A compact JWS. Its signature is not verified.
    Token(&'a str),
    /// Only its claims.
    Claims(&'a ClaimSet),
}

/// The identity that the service resolved from the token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServiceResolution {
    /// The user and the groups, by their bare names.
    Identity(String, Vec<String>),
    /// It refused the token or the request, for this reason.
    Refused(String),
}

/// One step of the procedure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiagnosticStep {
    /// A stable name: `claim`, `groups`, `settings` or `log`.
    pub code: &'static str,
    /// What the step does.
    pub title: &'static str,
    /// Its status.
    pub state: StepStatus,
    /// The findings.
    pub findings: Vec<String>,
    /// The next actions; may be empty.
    pub next: Vec<String>,
}

impl DiagnosticStep {
    const fn new(code: &'static str, title: &'static str) -> Self {
        Self {
            code,
            title,
            state: StepStatus::Passed,
            findings: Vec::new(),
            next: Vec::new(),
        }
    }

    fn pass(&mut self, text: impl Into<String>) {
        self.findings.push(text.into());
    }

    /// Adds a problem and sets the status, unless it is already a more serious one.
    fn fault(&mut self, state: StepStatus, text: impl Into<String>) {
        if self.state == StepStatus::Passed || state == StepStatus::Failed {
            self.state = state;
        }
        self.findings.push(text.into());
    }

    fn next(&mut self, text: impl Into<String>) {
        self.next.push(text.into());
    }
}

/// Runs the procedure. The result always has the four steps, in this order.
///
/// ```
/// use gbac_analysis::doctor::{DiagnosticInput, TokenInput, StepStatus, diagnose};
/// use gbac_engine::ClaimSet;
/// use gbac_engine::policy::Settings;
///
/// let claims = ClaimSet::parse(r#"{ "sub": "alice", "realm_access": { "roles": ["eng"] } }"#)?;
/// let settings = Settings::default();
/// let steps = diagnose(&DiagnosticInput::new(TokenInput::Claims(&claims), &settings));
/// assert_eq!(steps[0].state, StepStatus::Failed);
/// assert!(steps[2].next[0].contains("`$.realm_access.roles`"));
/// # Ok::<(), gbac_engine::ClaimSetError>(())
/// ```
#[must_use]
pub fn diagnose(input: &DiagnosticInput<'_>) -> [DiagnosticStep; 4] {
    let rules = input.settings.identity_rules();
    let decoded = match input.token {
        TokenInput::Claims(claims) => Ok((UnverifiedClaims::from(claims.clone()), None)),
        TokenInput::Token(text) => {
            UnverifiedToken::decode(text).map(|token| (token.claims, Some(token.header)))
        }
    };
    let mut claim = DiagnosticStep::new("claim", "Decode the token and look for the group claim");
    let (claims, header) = match decoded {
        Ok(decoded) => decoded,
        Err(error) => {
            claim.fault(StepStatus::Failed, error.to_string());
            claim.next(error.hint());
            let mut rest = [groups_step(), settings_step()];
            for step in &mut rest {
                step.state = StepStatus::NotDone;
                step.next("fix the previous step first");
            }
            let [groups, settings] = rest;
            return [claim, groups, settings, log(input)];
        }
    };
    let extraction = extract(&rules.extraction, claims.members(), input.userinfo);
    let warnings = header.as_ref().map(Header::warnings).unwrap_or_default();
    find_claim(&mut claim, &extraction, &warnings);
    let none = AcceptedTokens::default();
    let checks = check_sign_in(
        header.as_ref(),
        &claims,
        input.accepted.unwrap_or(&none),
        input.now,
    );
    let (settings_checks, token_checks): (Vec<_>, Vec<_>) = checks
        .into_iter()
        .partition(|check| matches!(check.about, CheckName::Issuer | CheckName::Audience));
    let groups = groups(input, &claims, &extraction, token_checks);
    let settings = settings(input, &claims, &extraction, &groups, settings_checks);
    [claim, groups, settings, log(input)]
}

const fn groups_step() -> DiagnosticStep {
    DiagnosticStep::new("groups", "See which groups the token produces")
}

const fn settings_step() -> DiagnosticStep {
    DiagnosticStep::new("settings", "Compare the two properties with the token")
}

/// Step 1: the claim at the path.
fn find_claim(step: &mut DiagnosticStep, extraction: &Extraction, header: &[Warning]) {
    let description = describe_claim(&extraction.claim);
    match extraction.claim {
        ClaimFinding::Array { len: 0, .. } | ClaimFinding::Union { nodes: 0 } => {
            step.fault(StepStatus::Attention, description);
        }
        ClaimFinding::Array { .. }
        | ClaimFinding::CommaList { .. }
        | ClaimFinding::Union { .. } => {
            step.pass(description);
        }
        ClaimFinding::NoUserInfo => {
            step.fault(StepStatus::Failed, description);
            step.next("add the user-info document of the same user");
        }
        _ => step.fault(StepStatus::Failed, description),
    }
    let claim_warnings = [
        WarningCode::ClaimMissing,
        WarningCode::NearClaim,
        WarningCode::GroupOverage,
        WarningCode::IdToken,
        WarningCode::ClaimWrongType,
        WarningCode::ElementNotString,
    ];
    for warning in header.iter().chain(&extraction.warnings) {
        if warning.code.is_of_form() {
            step.state = StepStatus::Attention;
            step.next(warning.message.clone());
        } else if claim_warnings.contains(&warning.code) {
            step.next(warning.message.clone());
        } else if header.contains(warning) {
            step.fault(StepStatus::Attention, warning.message.clone());
        }
    }
}

/// Step 2: the resulting groups, here and in the service.
fn groups(
    input: &DiagnosticInput<'_>,
    claims: &UnverifiedClaims,
    extraction: &Extraction,
    checks: Vec<SignInCheck>,
) -> DiagnosticStep {
    let mut step = groups_step();
    for check in checks
        .into_iter()
        .filter(|check| check.state == StepStatus::Failed)
        .filter(|check| !matches!(check.error, Some(VerifyError::Expired { .. })))
    {
        step.fault(
            StepStatus::Failed,
            format!("{}: the service refuses this token", check.finding),
        );
        step.next.extend(check.next);
    }
    match Identity::from_unverified(claims, input.userinfo, &input.settings.identity_rules()) {
        Ok((identity, _)) => {
            step.pass(format!("the user is `User:{}`", escaped(identity.user())));
            if input
                .now
                .is_some_and(|now| identity.is_expired(At::Instant(now)))
            {
                step.fault(
                    StepStatus::Failed,
                    "the token has expired, so everything is denied",
                );
                step.next("sign in again for a new token; groups are read at sign-in");
            }
        }
        Err(error) => {
            step.fault(StepStatus::Failed, error.to_string());
            step.next("set `oidc_principal_mapping` to a claim that the token has; without a user, sign-in fails");
        }
    }
    let names: Vec<String> = extraction
        .names()
        .map(|name| format!("`Group:{}`", escaped(name)))
        .collect();
    match names.len() {
        0 => step.fault(StepStatus::Failed, "the token produces no group"),
        1 => step.pass(format!(
            "the token produces one group: {}",
            names.join(", ")
        )),
        count => step.pass(format!(
            "the token produces {count} groups: {}",
            names.join(", ")
        )),
    }
    for warning in extraction
        .warnings
        .iter()
        .filter(|warning| NAME_WARNINGS.contains(&warning.code))
    {
        step.fault(StepStatus::Attention, warning.message.clone());
    }
    if let Some((found, next)) = object_ids(extraction.names(), input.policy) {
        step.fault(StepStatus::Attention, found);
        step.next(next);
    }
    let is_readable = is_readable(extraction);
    for name in input.expected {
        if extraction.names().any(|group| group == name) {
            step.pass(format!("`Group:{}` is among them", escaped(name)));
            continue;
        }
        step.fault(
            StepStatus::Failed,
            format!("`Group:{}` is not among them", escaped(name)),
        );
        let near: Vec<String> = extraction
            .names()
            .filter(|group| is_near(group, name))
            .map(quoted)
            .collect();
        if !near.is_empty() {
            step.next(format!(
                "names are compared letter by letter: write {} in ACLs and roles",
                near.join(" or ")
            ));
        } else if is_readable {
            step.next(format!(
                "check that the user is in `{}` in the identity provider, and sign in again",
                escaped(name)
            ));
        } else {
            step.next("correct the group claim first, as step 1 says");
        }
    }
    compare(&mut step, input, extraction);
    step
}

/// Whether the claim has the form of a list of names, so that a missing name is missing in the
/// identity provider.
fn is_readable(extraction: &Extraction) -> bool {
    matches!(
        extraction.claim,
        ClaimFinding::Array { .. } | ClaimFinding::CommaList { .. } | ClaimFinding::Union { .. }
    ) && !extraction
        .warnings
        .iter()
        .any(|warning| warning.code.is_of_form())
}

/// The warnings about single names.
const NAME_WARNINGS: &[WarningCode] = &[
    WarningCode::EmptyName,
    WarningCode::EmptyPart,
    WarningCode::SuffixEmpty,
    WarningCode::SuffixCollision,
    WarningCode::EdgeWhitespace,
    WarningCode::PlatformEmptyPart,
    WarningCode::TooManyNodes,
];

/// Compares the groups with those that the service reads from the token.
fn compare(step: &mut DiagnosticStep, input: &DiagnosticInput<'_>, extraction: &Extraction) {
    match input.resolved {
        None if extraction.groups.is_empty() => {
            step.next(
                "the group claim shows the reason, and the settings show where the token has names",
            );
        }
        None => {
            step.next(
                "ask the service: `ResolveOidcIdentity` with the token returns what it reads",
            );
        }
        Some(ServiceResolution::Refused(reason)) => {
            step.fault(
                StepStatus::Failed,
                format!("the service does not resolve the token: {reason}"),
            );
            step.next(
                "check issuer, audience, expiry and signature: `token inspect` with the provider's keys shows each check",
            );
        }
        Some(ServiceResolution::Identity(user, groups)) => {
            let own_groups: BTreeSet<&str> = extraction.names().collect();
            let service_groups: BTreeSet<&str> = groups.iter().map(String::as_str).collect();
            if own_groups == service_groups {
                step.pass(format!(
                    "the service sees `User:{}` with the same groups",
                    escaped(user)
                ));
                return;
            }
            let list = |names: Vec<&&str>| {
                names
                    .iter()
                    .map(|name| quoted(name))
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            let only_service: Vec<&&str> = service_groups.difference(&own_groups).collect();
            let only_own: Vec<&&str> = own_groups.difference(&service_groups).collect();
            if !only_service.is_empty() {
                step.fault(
                    StepStatus::Attention,
                    format!("only the service sees {}", list(only_service)),
                );
            }
            if !only_own.is_empty() {
                step.fault(
                    StepStatus::Attention,
                    format!("the service does not see {}", list(only_own)),
                );
            }
            step.next("the service reads the token with different settings; compare the settings");
        }
    }
}

/// Step 3: whether other settings would find more groups, and whether the policy names the groups.
fn settings(
    input: &DiagnosticInput<'_>,
    claims: &UnverifiedClaims,
    extraction: &Extraction,
    groups: &DiagnosticStep,
    checks: Vec<SignInCheck>,
) -> DiagnosticStep {
    let mut step = settings_step();
    let nested = match &input.settings.groups {
        GroupSource::Properties { claim_path, nested } => {
            step.pass(format!(
                "`oidc_group_claim_path` is `{}`",
                visible(claim_path.as_str())
            ));
            step.pass(format!("`nested_group_behavior` is `{}`", nested.code()));
            *nested
        }
        GroupSource::Sso { groups, .. } => {
            step.pass(format!(
                "`federated_groups` is `{}`",
                visible(groups.path().as_str())
            ));
            NestedGroupBehavior::None
        }
    };
    if let Some(warning) = input.settings.principal_mapping.platform_warning() {
        step.fault(StepStatus::Attention, warning.message);
    }
    for check in checks {
        match check.state {
            StepStatus::NotDone => {}
            StepStatus::Passed => step.pass(check.finding),
            state => step.fault(state, check.finding),
        }
        step.next.extend(check.next);
    }
    if extraction.groups.is_empty() {
        let suggestions = suggest_paths(claims.members());
        if suggestions.is_empty() {
            step.fault(
                StepStatus::Failed,
                "nothing in the token looks like a list of groups",
            );
            step.next("configure the identity provider to add the groups to the access token, and sign in again");
        } else {
            step.fault(StepStatus::Failed, "the token has names elsewhere");
        }
        for suggestion in suggestions.iter().take(3) {
            let sample: Vec<String> = suggestion.sample.iter().map(|name| quoted(name)).collect();
            let more = if suggestion.count > sample.len() {
                ", .."
            } else {
                ""
            };
            let path = visible(&suggestion.path);
            step.next(format!(
                "set `oidc_group_claim_path` to `{path}` if the groups are {}{more}",
                sample.join(", ")
            ));
        }
    }
    let paths = extraction
        .groups
        .iter()
        .filter(|group| group.raw.contains('/'))
        .count();
    if nested == NestedGroupBehavior::None && paths > 0 {
        step.pass(format!(
            "{paths} of the groups are paths, used in full with every slash"
        ));
        let first = extraction
            .groups
            .iter()
            .find(|group| group.raw.contains('/'));
        let first = first.map(|group| quoted(&group.name)).unwrap_or_default();
        step.next(format!(
            "use the full path in ACLs and roles, such as {first}, or set `nested_group_behavior` to `suffix`"
        ));
    }
    if let Some(policy) = input.policy {
        known(&mut step, policy, extraction);
    } else if groups.state == StepStatus::Passed || groups.state == StepStatus::Attention {
        step.next("add the policy, to check whether ACLs or roles name these groups");
    }
    step
}

/// The groups that ACLs and roles name.
fn known(step: &mut DiagnosticStep, policy: &Policy, extraction: &Extraction) {
    let named: BTreeSet<&str> = policy
        .known_principals()
        .filter(|principal| principal.kind() == PrincipalType::Group)
        .filter(|group| {
            !policy.acls_of(group).is_empty() || policy.roles_of(group).next().is_some()
        })
        .map(Principal::name)
        .collect();
    let (used, unused): (Vec<&str>, Vec<&str>) =
        extraction.names().partition(|name| named.contains(name));
    if !used.is_empty() {
        let used: Vec<String> = used.into_iter().map(quoted).collect();
        step.pass(format!("ACLs or roles name {}", used.join(", ")));
    }
    for name in unused {
        let near: Vec<String> = named
            .iter()
            .filter(|known| is_near(known, name))
            .map(|name| quoted(name))
            .collect();
        if near.is_empty() {
            step.pass(format!("no ACL and no role names {}", quoted(name)));
        } else {
            step.fault(
                StepStatus::Attention,
                format!("no ACL and no role names {}", quoted(name)),
            );
            step.next(format!(
                "{} is a different name; names are compared letter by letter",
                near.join(", ")
            ));
        }
    }
    if !extraction.groups.is_empty() && extraction.names().all(|name| !named.contains(name)) {
        step.fault(StepStatus::Failed, "the policy names none of these groups");
        step.next("grant one of them an ACL, or make it a member of a role");
    }
}

/// Step 4: the service's log, which shows the validated claims.
fn log(input: &DiagnosticInput<'_>) -> DiagnosticStep {
    let mut step = DiagnosticStep::new(
        "log",
        "See all claims of the token that the service validated",
    );
    match input.log_level {
        Some(level @ ("debug" | "trace")) => {
            step.pass(format!("the logger `security` is at `{level}`"));
            step.next(
                "sign in and read the claims in the service's log; the level reverts by itself",
            );
        }
        level => {
            step.state = StepStatus::NotDone;
            if let Some(level) = level {
                step.pass(format!("the logger `security` is at `{}`", escaped(level)));
            }
            step.next(
                "if the steps above do not explain it, run `gbac cluster loggers set security --level debug`, sign in, and read \
                 the claims in the service's log; they are personal data, and the level reverts after 300 seconds",
            );
        }
    }
    step
}

/// Describes the value at the claim path.
#[must_use]
pub fn describe_claim(claim: &ClaimFinding) -> String {
    use gbac_engine::groups::{MissingReason, described};
    match claim {
        ClaimFinding::Array { location, len } => format!("{location} is an array of {len}"),
        ClaimFinding::CommaList { location, parts } => {
            format!("{location} is one string, a comma-separated list of {parts}")
        }
        ClaimFinding::Union { nodes } => {
            format!("the path selects {nodes} nodes, which are combined")
        }
        ClaimFinding::Missing {
            reason: MissingReason::Absent,
        } => "not in the token".into(),
        ClaimFinding::Missing {
            reason: MissingReason::Overage,
        } => "not in the token: the identity provider sent a link instead, which is not followed"
            .into(),
        ClaimFinding::Missing {
            reason: MissingReason::IdToken,
        } => {
            "not in the token, which looks like an ID token; groups are read from the access token"
                .into()
        }
        ClaimFinding::WrongType { location, found } => {
            format!("{location} is {}, not a list", described(found))
        }
        ClaimFinding::NotString { location, found } => {
            format!(
                "{location} is {}, so the whole claim is discarded",
                described(found)
            )
        }
        ClaimFinding::TooMany => "too many names; the whole claim is discarded".into(),
        ClaimFinding::NoUserInfo => "read from the user-info document, but none was given".into(),
    }
}

fn quoted(name: &str) -> String {
    format!("`Group:{}`", escaped(name))
}

/// Whether one name could be a misspelling of the other: the names or the last segments of their
/// paths are equal or similar.
fn is_near(name: &str, other: &str) -> bool {
    fn last(name: &str) -> &str {
        let name = name.trim_end_matches('/');
        NestedGroupBehavior::Suffix.apply(name)
    }
    let is_same =
        |name: &str, other: &str| name == other || near::name_difference(name, other).is_some();
    is_same(name, other) || is_same(last(name), last(other))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use gbac_json::policy_from_value;

    fn object(value: Value) -> ClaimSet {
        let Value::Object(members) = value else {
            panic!("an object")
        };
        members.into()
    }

    fn diagnosis(claims: Value) -> [DiagnosticStep; 4] {
        let (claims, settings) = (object(claims), Settings::default());
        diagnose(&DiagnosticInput::new(
            TokenInput::Claims(&claims),
            &settings,
        ))
    }

    fn states(steps: &[DiagnosticStep; 4]) -> [&'static str; 4] {
        [0, 1, 2, 3].map(|place| steps[place].state.code())
    }

    #[test]
    fn good_tokens_pass_with_open_points() {
        let claims = json!({ "sub": "a", "groups": ["eng", "ops"], "exp": 100 });
        let policy = policy_from_value(
            &json!({ "version": 1, "roles": [{ "name": "r", "members": [{ "principal": "Group:eng" }] }] }),
        );
        let (policy, resolved) = (
            policy.unwrap(),
            ServiceResolution::Identity("a".into(), vec!["ops".into(), "eng".into()]),
        );
        let expected = ["eng".to_owned()];
        let settings = Settings::default();
        let claims = object(claims);
        let input = DiagnosticInput {
            policy: Some(&policy),
            expected: &expected,
            resolved: Some(&resolved),
            log_level: Some("debug"),
            now: Some(Timestamp::from_seconds(99.0)),
            ..DiagnosticInput::new(TokenInput::Claims(&claims), &settings)
        };
        let steps = diagnose(&input);
        assert_eq!(states(&steps), ["passed"; 4]);
        assert!(
            steps[1]
                .findings
                .iter()
                .any(|found| found == "`Group:eng` is among them"),
            "{steps:?}"
        );
        assert!(
            steps[2]
                .findings
                .iter()
                .any(|found| found == "no ACL and no role names `Group:ops`"),
            "{steps:?}"
        );
        let late = diagnose(&DiagnosticInput {
            now: Some(Timestamp::from_seconds(101.0)),
            ..input
        });
        assert!(
            late[1]
                .findings
                .contains(&"the token has expired, so everything is denied".to_owned())
        );
    }

    #[test]
    fn sign_in_failures_are_in_their_steps() {
        let claims = object(
            json!({ "sub": "a", "groups": ["eng"], "exp": "soon", "nbf": 200, "aud": "billing" }),
        );
        let accepted = AcceptedTokens {
            audience: Some("orders".into()),
            ..AcceptedTokens::default()
        };
        let settings = Settings::default();
        let input = DiagnosticInput {
            accepted: Some(&accepted),
            now: Some(Timestamp::from_seconds(100.0)),
            ..DiagnosticInput::new(TokenInput::Claims(&claims), &settings)
        };
        let steps = diagnose(&input);
        assert_eq!(states(&steps), ["passed", "failed", "failed", "not_done"]);
        let [exp, nbf, ..] = steps[1].findings.as_slice() else {
            panic!("{steps:?}")
        };
        assert_eq!(
            exp,
            "the claim `exp` is not a time in seconds since 1970: the service refuses this token"
        );
        assert!(nbf.starts_with("the token is not valid yet"), "{nbf}");
        assert!(
            steps[2]
                .findings
                .iter()
                .any(|found| found.starts_with("the token is for `billing`")),
            "{steps:?}"
        );
    }

    #[test]
    fn another_path_is_proposed() {
        let steps = diagnosis(json!({ "sub": "a", "realm_access": { "roles": ["eng"] } }));
        assert_eq!(states(&steps), ["failed", "failed", "failed", "not_done"]);
        assert!(
            steps[2].next[0].contains("`$.realm_access.roles` if the groups are `Group:eng`"),
            "{steps:?}"
        );
        let none = diagnosis(json!({ "sub": "a" }));
        assert!(none[2].next[0].contains("to the access token"), "{none:?}");
        let overage = diagnosis(json!({ "sub": "a", "_claim_names": { "groups": "src1" } }));
        assert!(
            overage[0].findings[0].contains("sent a link instead"),
            "{overage:?}"
        );
        let nameless = diagnosis(json!({ "groups": ["a"], "exp": 100 }));
        assert!(
            nameless[1].next[0].contains("oidc_principal_mapping"),
            "{nameless:?}"
        );
    }

    #[test]
    fn near_names_are_told_apart() {
        let policy = policy_from_value(
            &json!({ "version": 1, "roles": [{ "name": "r", "members": [{ "principal": "Group:eng" }] }] }),
        )
        .unwrap();
        let claims = object(json!({ "sub": "a", "exp": 100, "groups": ["/corp/Eng"] }));
        let (settings, expected) = (Settings::default(), ["eng".to_owned(), "ops".to_owned()]);
        let input = DiagnosticInput {
            policy: Some(&policy),
            expected: &expected,
            resolved: Some(&ServiceResolution::Identity("a".into(), vec!["Eng".into()])),
            log_level: Some("info"),
            ..DiagnosticInput::new(TokenInput::Claims(&claims), &settings)
        };
        let steps = diagnose(&input);
        assert_eq!(states(&steps), ["passed", "failed", "failed", "not_done"]);
        assert_eq!(
            steps[1].next,
            [
                "names are compared letter by letter: write `Group:/corp/Eng` in ACLs and roles",
                "check that the user is in `ops` in the identity provider, and sign in again",
                "the service reads the token with different settings; compare the settings",
            ]
        );
        assert!(
            steps[1]
                .findings
                .contains(&"only the service sees `Group:Eng`".to_owned()),
            "{steps:?}"
        );
        assert!(
            steps[2].next[0].contains("or set `nested_group_behavior` to `suffix`"),
            "{steps:?}"
        );
        assert!(
            steps[2].next[1].starts_with("`Group:eng` is a different name"),
            "{steps:?}"
        );
        let refused = ServiceResolution::Refused("invalid audience".into());
        let steps = diagnose(&DiagnosticInput {
            resolved: Some(&refused),
            ..input
        });
        assert!(
            steps[1]
                .findings
                .iter()
                .any(|found| found.ends_with("invalid audience")),
            "{steps:?}"
        );
    }

    #[test]
    fn a_claim_in_another_form_is_named_instead_of_the_membership() {
        for (groups, expected, found) in [
            (
                json!("[\"admin\", \"ops\"]"),
                "admin",
                "a list written in one string",
            ),
            (
                json!("[admin, ops]"),
                "admin",
                "a list written in one string",
            ),
            (
                json!(["[\"admin\"]"]),
                "admin",
                "a list written in one string",
            ),
            (json!("admin;ops"), "admin", "one name that may be a list"),
            (json!(["admin|ops"]), "admin", "one name that may be a list"),
            (json!(["admin,ops"]), "admin", "one name that may be a list"),
            (json!("admin ops"), "admin", "one name that may be a list"),
            (
                json!("CN=eng,OU=Groups,DC=acme"),
                "CN=eng,OU=Groups,DC=acme",
                "split at its commas",
            ),
            (
                json!(["eng\u{200b}"]),
                "eng",
                "in `eng\u{200b}`, an invisible character",
            ),
            (
                json!(["Group:eng"]),
                "eng",
                "in `Group:eng`, `Group:` is part of the name",
            ),
            (json!({ "admin": [] }), "admin", "`groups` is an object"),
        ] {
            let claims = object(json!({ "sub": "a", "exp": 100, "groups": groups }));
            let (settings, expected) = (Settings::default(), [expected.to_owned()]);
            let steps = diagnose(&DiagnosticInput {
                expected: &expected,
                ..DiagnosticInput::new(TokenInput::Claims(&claims), &settings)
            });
            assert!(
                steps[0].next.iter().any(|next| next.contains(found)),
                "{steps:?}"
            );
            assert_ne!(steps[0].state, StepStatus::Passed, "{steps:?}");
            let advice = steps[1].next.join("\n");
            assert!(!advice.contains("check that the user is in"), "{advice}");
        }
        // Names in an array have blanks and commas, also those of a directory.
        for groups in [
            json!(["Domain Admins"]),
            json!(["CN=eng,DC=acme"]),
            json!(["a;b", "c"]),
        ] {
            let steps = diagnosis(json!({ "sub": "a", "exp": 100, "groups": groups }));
            assert_eq!(steps[0].state, StepStatus::Passed, "{steps:?}");
        }
    }

    #[test]
    fn malformed_tokens_end_the_procedure() {
        let settings = Settings::default();
        let steps = diagnose(&DiagnosticInput::new(TokenInput::Token("hello"), &settings));
        assert_eq!(
            states(&steps),
            ["failed", "not_done", "not_done", "not_done"]
        );
        assert!(!steps[0].next.is_empty());
    }
}
