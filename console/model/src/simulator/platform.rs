//! The extraction rules of the platform, where they are narrower than those of GBAC (D-29).

use gbac_words::rich_text::RichText;

use crate::simulator::SimulatedIdentity;

/// Every point where the platform does something else with this token and these settings; none by
/// hand.
pub fn differences(who: &SimulatedIdentity) -> Vec<RichText> {
    let Some(taken) = &who.taken else {
        return Vec::new();
    };
    let of_header = taken
        .read
        .header
        .as_ref()
        .map(gbac_engine::token::Header::warnings)
        .unwrap_or_default();
    let all = of_header.iter().chain(&taken.extraction.warnings);
    all.filter(|warning| warning.code.is_of_platform())
        .map(|warning| RichText::with_hint(&warning.message, ""))
        .collect()
}

#[cfg(test)]
mod tests {
    use gbac_analysis::provider::AcceptedTokens;
    use serde_json::json;

    use super::*;
    use crate::simulator::evaluate;
    use crate::simulator::inputs::{Inputs, SettingsSource, WhatIfSettings};
    use crate::simulator::tests::{compact, policy};
    use crate::simulator::verdict::VerdictKind;

    fn kind(header: &serde_json::Value, platform: bool) -> (VerdictKind, usize) {
        let claims = json!({ "sub": "a", "exp": 9e9, "groups": ["analysts"] });
        let what_if = WhatIfSettings {
            claim_path: "$['groups']".into(),
            ..WhatIfSettings::default()
        };
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
        assert_eq!(kind(&usual, false), (VerdictKind::Allowed, 1), "the path");
        assert_eq!(kind(&usual, true), (VerdictKind::Allowed, 1));
        assert_eq!(kind(&wider, false), (VerdictKind::Allowed, 3));
        assert_eq!(kind(&wider, true), (VerdictKind::SignInFails, 3));
    }
}
