//! The issuer and audience of a token, and groups that are object IDs instead of names.

use std::collections::BTreeSet;

use super::status::StepStatus;
use gbac_engine::escape::escaped;
use gbac_engine::model::PrincipalType;
use gbac_engine::policy::Policy;
use gbac_engine::token::claim_checks::TokenRules;
use gbac_engine::token::{CLOCK_SKEW_SECONDS, UnverifiedClaims};

/// The tokens that a service accepts, if known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AcceptedTokens {
    /// The `iss` that a token must have.
    pub issuer: Option<String>,
    /// The URL of the discovery document (`oidc_discovery_url`), which contains the `iss`. It is
    /// not fetched here.
    pub discovery_url: Option<String>,
    /// The value that `aud` must contain (`oidc_token_audience`).
    pub audience: Option<String>,
    /// The allowed clock skew in seconds (`oidc_clock_skew_tolerance`); absent if it is the
    /// default.
    pub clock_skew: Option<u32>,
    /// Whether only tokens that are typed as access tokens are accepted (D-57).
    pub access_tokens_only: bool,
    /// The longest accepted lifetime of a token in seconds, from `iat` to `exp` (D-57); absent if
    /// there is no limit.
    pub max_lifetime: Option<u32>,
}

/// The result for one claim.
pub(super) struct Compared {
    /// Passed, failed, or attention if that is unknown.
    pub(super) state: StepStatus,
    /// The finding.
    pub(super) finding: String,
    /// The next action.
    pub(super) next: Option<String>,
}

/// The end of a discovery document's URL (OpenID Connect Discovery 1.0).
const WELL_KNOWN: &str = "/.well-known/openid-configuration";

impl AcceptedTokens {
    /// The requirements other than issuer and audience, for the engine's checks.
    #[must_use]
    pub fn rules(&self) -> TokenRules {
        TokenRules {
            skew: self.clock_skew.map_or(CLOCK_SKEW_SECONDS, f64::from),
            access_tokens_only: self.access_tokens_only,
            max_lifetime: self.max_lifetime.map(f64::from),
        }
    }

    /// The issuer that a token must name exactly, if it is known.
    pub(super) fn exact_issuer(&self) -> Option<&str> {
        self.issuer.as_deref().filter(|issuer| !issuer.is_empty())
    }

    /// The audience that a token must be for, if it is known.
    pub(super) fn expected_audience(&self) -> Option<&str> {
        self.audience
            .as_deref()
            .filter(|audience| !audience.is_empty())
    }

    /// Compares the token's issuer; `None` if the accepted issuer is unknown.
    pub(super) fn issuer(&self, claims: &UnverifiedClaims) -> Option<Compared> {
        let found = claims.issuer();
        let base = self.discovery_url.as_deref().filter(|url| !url.is_empty());
        let base = base.and_then(|url| url.strip_suffix(WELL_KNOWN));
        let exact_issuer = self.exact_issuer();
        let expected = exact_issuer.or(base)?;
        let next = "use a token of the provider that the service is configured for, or set `oidc_discovery_url` to the \
                    discovery document of this issuer";
        let (state, finding) = match found {
            None => (
                StepStatus::Failed,
                format!(
                    "the token has no `iss`, and the service accepts only `{}`",
                    escaped(expected)
                ),
            ),
            Some(found)
                if found == expected
                    || exact_issuer.is_none()
                        && without_slash(found) == without_slash(expected) =>
            {
                (
                    StepStatus::Passed,
                    format!(
                        "the issuer is `{}`, as the service requires",
                        escaped(found)
                    ),
                )
            }
            Some(found) if exact_issuer.is_some() => {
                let finding = format!(
                    "the issuer is `{}`, and the service accepts only `{}`",
                    escaped(found),
                    escaped(expected)
                );
                (StepStatus::Failed, finding)
            }
            // Some providers' documents name an issuer other than their URL.
            Some(found) => {
                let finding = format!(
                    "the issuer is `{}`, and `oidc_discovery_url` is under `{}`: the service accepts the token only if \
                     that document names this issuer",
                    escaped(found),
                    escaped(expected)
                );
                (StepStatus::Attention, finding)
            }
        };
        let next = (state != StepStatus::Passed).then(|| next.to_owned());
        Some(Compared {
            state,
            finding,
            next,
        })
    }

    /// Compares the token's audience; `None` if the accepted audience is unknown.
    pub(super) fn audience(&self, claims: &UnverifiedClaims) -> Option<Compared> {
        let expected = self.expected_audience()?;
        let found = claims.audiences().unwrap_or_default();
        if found.contains(&expected) {
            let finding = format!(
                "the audience `{}` is the one that the service accepts",
                escaped(expected)
            );
            return Some(Compared {
                state: StepStatus::Passed,
                finding,
                next: None,
            });
        }
        let names: Vec<String> = found
            .iter()
            .map(|name| format!("`{}`", escaped(name)))
            .collect();
        let audience = match names.len() {
            0 => "the token has no audience (`aud`)".to_owned(),
            _ => format!("the token is for {}", names.join(", ")),
        };
        Some(Compared {
            state: StepStatus::Failed,
            finding: format!(
                "{audience}, and the service accepts only `{}`",
                escaped(expected)
            ),
            next: Some(format!(
                "configure the provider to issue the token for `{}`, or set `oidc_token_audience` to an audience of the token",
                escaped(expected)
            )),
        })
    }
}

fn without_slash(address: &str) -> &str {
    address.strip_suffix('/').unwrap_or(address)
}

/// The finding and the next action if groups are object IDs; `None` if there are none, or if the
/// policy names them.
///
/// ```
/// use gbac_analysis::provider::object_ids;
///
/// let (found, next) = object_ids(["0b2c4a7e-1111-4d0f-9f0a-000000000001"], None).expect("an id");
/// assert!(found.contains("object ID") && next.contains("cloud_displayname"));
/// assert_eq!(object_ids(["engineering"], None), None);
/// ```
#[must_use]
pub fn object_ids<'a>(
    groups: impl IntoIterator<Item = &'a str>,
    policy: Option<&Policy>,
) -> Option<(String, String)> {
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for principal in policy.into_iter().flat_map(Policy::known_principals) {
        if principal.kind() == PrincipalType::Group {
            known.insert(principal.name());
        }
    }
    let (mut all, mut ids, mut first) = (0_usize, 0_usize, None);
    for name in groups {
        all += 1;
        if is_guid(name) && !known.contains(name) {
            ids += 1;
            first = first.or(Some(name));
        }
    }
    let first = escaped(first?);
    let found = match (ids, all) {
        (1, 1) => format!("the group is an object ID, `Group:{first}`, and not a name"),
        (ids, all) => {
            format!("{ids} of {all} groups are object IDs, such as `Group:{first}`, and not names")
        }
    };
    let next = format!(
        "configure the identity provider to send names: in Entra ID, set `groupMembershipClaims` to `ApplicationGroup`, and the optional \
         claim `groups` of the access token to `sam_account_name`, or to `cloud_displayname` for cloud groups; or name \
         the groups by their IDs in ACLs and roles, such as `Group:{first}`"
    );
    Some((found, next))
}

/// Whether a name is a GUID in the providers' format: 8-4-4-4-12 hexadecimal digits.
fn is_guid(name: &str) -> bool {
    name.len() == 36
        && name.bytes().enumerate().all(|(place, byte)| match place {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use gbac_engine::{ClaimSet, Principal};

    fn states(accepted: &AcceptedTokens, claims: &Value) -> Vec<(&'static str, StepStatus)> {
        let claims = UnverifiedClaims::from(ClaimSet::from(claims.as_object().unwrap().clone()));
        let results = [
            ("issuer", accepted.issuer(&claims)),
            ("audience", accepted.audience(&claims)),
        ];
        results
            .into_iter()
            .filter_map(|(claim, result)| Some((claim, result?.state)))
            .collect()
    }

    #[test]
    fn known_issuers_and_audiences_are_compared() {
        let claims = json!({ "iss": "https://idp.example/realms/x/", "aud": "orders" });
        assert_eq!(states(&AcceptedTokens::default(), &claims), []);
        let url = |base: &str| AcceptedTokens {
            discovery_url: Some(format!("{base}{WELL_KNOWN}")),
            ..AcceptedTokens::default()
        };
        assert_eq!(
            states(&url("https://idp.example/realms/x"), &claims),
            [("issuer", StepStatus::Passed)]
        );
        assert_eq!(
            states(&url("https://idp.example/realms/y"), &claims),
            [("issuer", StepStatus::Attention)]
        );
        assert_eq!(
            states(&url("https://idp.example/realms/x"), &json!({})),
            [("issuer", StepStatus::Failed)]
        );
        let exact = |issuer: &str| AcceptedTokens {
            issuer: Some(issuer.into()),
            ..AcceptedTokens::default()
        };
        assert_eq!(
            states(&exact("https://idp.example/realms/x/"), &claims),
            [("issuer", StepStatus::Passed)]
        );
        assert_eq!(
            states(&exact("https://idp.example/realms/x"), &claims),
            [("issuer", StepStatus::Failed)]
        );
        let audience = AcceptedTokens {
            audience: Some("orders".into()),
            ..AcceptedTokens::default()
        };
        for (aud, state) in [
            (json!("orders"), StepStatus::Passed),
            (json!(["a", "orders"]), StepStatus::Passed),
            (json!("Orders"), StepStatus::Failed),
            (json!([]), StepStatus::Failed),
            (json!(7), StepStatus::Failed),
        ] {
            assert_eq!(
                states(&audience, &json!({ "aud": aud })),
                [("audience", state)],
                "{aud}"
            );
        }
        // Empty values count as unset.
        let empty = AcceptedTokens {
            issuer: Some(String::new()),
            discovery_url: Some(String::new()),
            audience: Some(String::new()),
            ..AcceptedTokens::default()
        };
        assert_eq!(states(&empty, &claims), []);
        let claims = UnverifiedClaims::parse(r#"{ "aud": "x\u202e" }"#).unwrap();
        let failed = audience.audience(&claims).unwrap().finding;
        assert!(
            failed.starts_with("the token is for `x\\u{202e}`, and"),
            "{failed}"
        );
    }

    /// Access tokens of well-known providers, with their groups and the expected diagnosis.
    const SHAPES: &str = include_str!("../../../tests/claim-shapes.json");

    #[test]
    fn every_known_provider_is_diagnosed() {
        use super::super::doctor::{DiagnosticInput, TokenInput, diagnose};
        use gbac_engine::policy::{GroupSource, Settings};

        let shapes: Value = serde_json::from_str(SHAPES).unwrap();
        let shapes = shapes.as_array().unwrap();
        assert!(shapes.len() >= 20);
        for shape in shapes {
            let text = |name: &str| shape[name].as_str();
            let provider = text("provider").unwrap();
            let mut claims = shape["claims"].as_object().unwrap().clone();
            claims.insert("sub".into(), json!("somebody"));
            let claims = ClaimSet::from(claims);
            let run = |path: &str| {
                let mut settings = Settings::default();
                if let GroupSource::Properties { claim_path, .. } = &mut settings.groups {
                    *claim_path = gbac_engine::claim_path::ClaimPath::parse(path).unwrap();
                }
                let input = DiagnosticInput::new(TokenInput::Claims(&claims), &settings);
                let extraction = gbac_engine::groups::extract(
                    &settings.identity_rules().extraction,
                    &claims,
                    None,
                );
                let groups: Vec<String> = extraction.names().map(str::to_owned).collect();
                (diagnose(&input), groups)
            };
            let path = text("path").unwrap_or("$.groups");
            let (steps, groups) = run(path);
            assert_eq!(json!(groups), shape["groups"], "{provider}");
            let texts: Vec<&String> = steps
                .iter()
                .flat_map(|step| step.findings.iter().chain(&step.next))
                .collect();
            for expected in shape["says"].as_array().into_iter().flatten() {
                let expected = expected.as_str().unwrap();
                assert!(
                    texts.iter().any(|text| text.contains(expected)),
                    "{provider}: `{expected}` is not in {texts:#?}"
                );
            }
            let is_claim_found = steps[0].state == StepStatus::Passed;
            assert_eq!(is_claim_found, !groups.is_empty(), "{provider}");
            // With the default path, the diagnosis suggests the right one.
            if !groups.is_empty() && path != "$.groups" {
                let (steps, _) = run("$.groups");
                let suggested = |next: &String| {
                    let path = next
                        .strip_prefix("set `oidc_group_claim_path` to `")?
                        .split('`')
                        .next()?;
                    Some(run(path).1)
                };
                let suggested: Vec<_> = steps[2].next.iter().filter_map(suggested).collect();
                assert!(suggested.contains(&groups), "{provider}: {:#?}", steps[2]);
            }
        }
    }

    #[test]
    fn object_ids_are_reported_unless_the_policy_names_them() {
        let ids = [
            "0b2c4a7e-1111-4d0f-9f0a-000000000001",
            "0B2C4A7E-1111-4D0F-9F0A-000000000002",
        ];
        let (found, _) = object_ids(ids, None).unwrap();
        assert!(found.starts_with("2 of 2 groups are object IDs"), "{found}");
        let mut policy = Policy::default();
        policy
            .apply(gbac_engine::policy::Change::CreateRole("r".into()))
            .unwrap();
        for id in ids {
            policy
                .apply(gbac_engine::policy::Change::AddMember {
                    role: "r".into(),
                    member: Principal::group(id),
                })
                .unwrap();
        }
        assert_eq!(object_ids(ids, Some(&policy)), None);
        for name in [
            "0b2c4a7e11114d0f9f0a000000000001",
            "0b2c4a7e-1111-4d0f-9f0a-00000000000g",
            "ünicode-1111-4d0f-9f0a-00000000000",
        ] {
            assert_eq!(object_ids([name], None), None, "{name}");
        }
    }
}
