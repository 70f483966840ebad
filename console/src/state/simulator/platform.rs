//! The platform's own rules in the place of ours, where ours are wider (D-29).

use gbac_engine::warning::Warning;

use super::Opened;
use super::inputs::sentence;
use super::words::Words;

/// Why the platform of today refuses the token at sign-in, although it is read here.
#[must_use]
pub fn refusal(who: &Opened) -> Option<Words> {
    let header = who.taken.as_ref()?.read.header.as_ref()?;
    header.platform_refusal().map(|warning| sentence(&warning.message, ""))
}

/// Every point where the platform does something else with this token and these settings; none by hand.
#[must_use]
pub fn differences(who: &Opened) -> Vec<Words> {
    let Some(taken) = &who.taken else { return Vec::new() };
    let of_header = taken.read.header.as_ref().map(gbac_engine::token::Header::warnings).unwrap_or_default();
    let all = of_header.iter().chain(&taken.extraction.warnings);
    let is_of_platform = |warning: &&Warning| warning.code.starts_with("platform_");
    all.filter(is_of_platform).map(|warning| sentence(&warning.message, "")).collect()
}

#[cfg(test)]
mod tests {
    use gbac_analysis::provider::AcceptedTokens;
    use serde_json::json;

    use super::super::evaluate;
    use super::super::inputs::{Inputs, SettingsSource, WhatIf};
    use super::super::tests::{compact, policy};
    use super::super::verdict::Kind;
    use super::*;

    fn kind(header: &serde_json::Value, platform: bool) -> (Kind, usize) {
        let claims = json!({ "sub": "a", "exp": 9e9, "groups": ["analysts"] });
        let what_if = WhatIf { claim_path: "$['groups']".into(), ..WhatIf::default() };
        let inputs = Inputs {
            token: compact(header, &claims),
            resource_name: "payments-x".into(),
            source: SettingsSource::WhatIf,
            what_if,
            platform,
            ..Inputs::default()
        };
        let view = evaluate(&inputs, Some(&policy()), &AcceptedTokens::default(), 0.0);
        let differences = differences(view.who.as_deref().unwrap());
        (view.verdict.unwrap().kind, differences.len())
    }

    #[test]
    fn the_platform_refuses_what_it_does_not_read() {
        let usual = json!({ "alg": "RS256", "typ": "JWT", "kid": "k" });
        let wider = json!({ "alg": "ES256", "typ": "at+jwt", "kid": "k" });
        assert_eq!(kind(&usual, false), (Kind::Allowed, 1), "the path");
        assert_eq!(kind(&usual, true), (Kind::Allowed, 1));
        assert_eq!(kind(&wider, false), (Kind::Allowed, 3));
        assert_eq!(kind(&wider, true), (Kind::SignInFails, 3));
    }
}
