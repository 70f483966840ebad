//! The four steps of the troubleshooting procedure for the entered token, each in the extraction
//! step that it diagnoses.

use gbac_analysis::doctor::{
    DiagnosticInput, DiagnosticStep, ServiceResolution, StepStatus, TokenInput, diagnose,
};
use gbac_analysis::provider::AcceptedTokens;
use gbac_engine::groups::ClaimSource;
use gbac_engine::identity::IdentityRules;

use gbac_engine::policy::{GroupSource, Policy, Settings};

use crate::simulator::extraction::ExtractionStage;
use crate::simulator::identity::SimulatedIdentity;
use crate::simulator::token::FactMark;

/// The steps of who asks; none by hand, where there is no token to look at. `missed` has a group a
/// line, `userinfo` is the text of its field, `resolved` is what the service answered, where it was
/// asked, and `accepted` whose tokens it takes.
pub fn steps(
    who: &SimulatedIdentity,
    policy: &Policy,
    userinfo: &str,
    missed: &str,
    resolved: Option<&ServiceResolution>,
    accepted: &AcceptedTokens,
    now: f64,
) -> Option<[DiagnosticStep; 4]> {
    let taken = who.taken.as_ref()?;
    let userinfo = members(userinfo);
    let expected: Vec<String> = missed
        .lines()
        .map(|line| line.strip_prefix("Group:").unwrap_or(line).to_owned())
        .filter(|line| !line.is_empty())
        .collect();
    let token = match &taken.read.token {
        Some(token) => TokenInput::Token(token),
        None => TokenInput::Claims(taken.read.claims.members()),
    };
    Some(diagnose(&DiagnosticInput {
        token,
        userinfo: userinfo.as_ref(),
        settings: &settings(&taken.rules, policy.settings()),
        policy: Some(policy),
        expected: &expected,
        resolved,
        log_level: None,
        accepted: Some(accepted),
        now: Some(now.into()),
    }))
}

fn members(text: &str) -> Option<gbac_engine::ClaimSet> {
    gbac_engine::ClaimSet::parse(text.trim()).ok()
}

/// The settings that say these rules: the service's, unless others are tried.
fn settings(rules: &IdentityRules, held: &Settings) -> Settings {
    if *rules == held.identity_rules() {
        return held.clone();
    }
    let groups = match &rules.extraction.source {
        ClaimSource::Token(path) => GroupSource::Properties {
            claim_path: path.clone(),
            nested: rules.extraction.nested,
        },
        source @ ClaimSource::UserInfo(_) => GroupSource::Sso {
            attributes: std::collections::BTreeMap::new(),
            groups: source.clone(),
        },
    };
    Settings {
        groups,
        principal_mapping: rules.mapping.clone(),
        ..held.clone()
    }
}

/// The token as it would be sent to the service; none for claims, and by hand.
pub fn token(who: &SimulatedIdentity) -> Option<&str> {
    who.taken.as_ref()?.read.token.as_deref()
}

/// The diagnostic steps of an extraction step, by their codes; [`steps`] has their content.
pub const fn diagnosed_by(stage: ExtractionStage) -> &'static [&'static str] {
    match stage {
        ExtractionStage::GroupClaim => &["claim"],
        ExtractionStage::NestedNames => &["settings"],
        ExtractionStage::Principals => &["groups", "log"],
        ExtractionStage::Decode | ExtractionStage::User => &[],
    }
}

/// How a step is marked, and the word for it.
pub const fn mark(state: StepStatus) -> (FactMark, &'static str) {
    match state {
        StepStatus::Passed => (FactMark::Good, "OK"),
        StepStatus::Attention => (FactMark::Warn, "warning"),
        StepStatus::Failed => (FactMark::Bad, "failed"),
        StepStatus::NotDone => (FactMark::Plain, "for you to check"),
    }
}

/// The steps in few words, each counted once: `1 failed, 2 OK, 1 for you to check`.
pub fn summary(steps: &[DiagnosticStep; 4]) -> String {
    let number = |state| steps.iter().filter(|step| step.state == state).count();
    let warnings = number(StepStatus::Attention);
    let numbers = [
        (number(StepStatus::Failed), mark(StepStatus::Failed).1),
        (
            number(StepStatus::Attention),
            if warnings == 1 { "warning" } else { "warnings" },
        ),
        (number(StepStatus::Passed), mark(StepStatus::Passed).1),
        (number(StepStatus::NotDone), mark(StepStatus::NotDone).1),
    ];
    let numbers = numbers
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, word)| format!("{number} {word}"));
    numbers.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::simulator::inputs::{IdentityMode, Inputs, SettingsSource, WhatIfSettings};
    use crate::simulator::tests::{evaluate, policy};

    const NOW: f64 = 1_795_243_000.0;

    fn diagnosed(
        inputs: &Inputs,
        missed: &str,
        resolved: Option<&ServiceResolution>,
    ) -> Option<[DiagnosticStep; 4]> {
        let policy = policy();
        let who = evaluate(inputs, Some(&policy), &AcceptedTokens::default(), NOW)
            .who
            .unwrap();
        steps(
            &who,
            &policy,
            &inputs.userinfo,
            missed,
            resolved,
            &AcceptedTokens::default(),
            NOW,
        )
    }

    fn claims(value: &Value) -> Inputs {
        Inputs {
            token: value.to_string(),
            as_claims: true,
            ..Inputs::default()
        }
    }

    #[test]
    fn an_overage_fails_with_the_next_action() {
        let overage = json!({
            "sub": "priya", "exp": NOW + 60.0, "_claim_names": { "groups": "src1" },
            "_claim_sources": { "src1": { "endpoint": "https://graph.example/x" } },
        });
        let found = diagnosed(&claims(&overage), "", None).unwrap();
        assert_eq!(found[0].state, StepStatus::Failed);
        assert!(
            found[0]
                .findings
                .iter()
                .any(|text| text.contains("is not followed")),
            "{:?}",
            found[0]
        );
        assert!(
            found
                .iter()
                .all(|step| step.state == StepStatus::Passed || !step.next.is_empty()),
            "{found:?}"
        );
        assert_eq!(summary(&found), "3 failed, 1 for you to check");
        let good = json!({ "sub": "maya", "exp": NOW + 60.0, "groups": ["payments", " payments"] });
        assert_eq!(
            summary(&diagnosed(&claims(&good), "", None).unwrap()),
            "1 warning, 2 OK, 1 for you to check"
        );
    }

    #[test]
    fn the_settings_that_are_tried_count_and_missing_groups_are_named() {
        let token = json!({ "sub": "maya", "exp": NOW + 60.0, "roles": ["payments"] });
        let mut inputs = claims(&token);
        assert_eq!(
            diagnosed(&inputs, "", None).unwrap()[0].state,
            StepStatus::Failed
        );
        inputs.source = SettingsSource::WhatIf;
        inputs.what_if = WhatIfSettings {
            claim_path: "$.roles".into(),
            ..WhatIfSettings::default()
        };
        let found = diagnosed(&inputs, "Group:payments\nPayments", None).unwrap();
        assert_eq!(found[0].state, StepStatus::Passed);
        let said = found[1].findings.join("; ");
        assert!(
            said.contains("`Group:payments` is among them")
                && said.contains("`Group:Payments` is not"),
            "{said}"
        );
    }

    #[test]
    fn what_the_service_sees_is_compared() {
        let inputs = claims(&json!({ "sub": "maya", "exp": NOW + 60.0, "groups": ["payments"] }));
        let same = ServiceResolution::Identity("maya".into(), vec!["payments".into()]);
        let other = ServiceResolution::Identity("maya".into(), vec!["/eng/payments".into()]);
        assert!(
            diagnosed(&inputs, "", Some(&same)).unwrap()[1]
                .findings
                .iter()
                .any(|text| text.contains("the same groups"))
        );
        assert_eq!(
            diagnosed(&inputs, "", Some(&other)).unwrap()[1].state,
            StepStatus::Attention
        );
        let refused = ServiceResolution::Refused("401".into());
        assert_eq!(
            diagnosed(&inputs, "", Some(&refused)).unwrap()[1].state,
            StepStatus::Failed
        );
    }

    #[test]
    fn every_diagnostic_step_stands_in_a_step_of_the_extraction() {
        let inputs = claims(&json!({ "sub": "maya", "exp": NOW + 60.0, "groups": ["payments"] }));
        let mut codes: Vec<&str> = diagnosed(&inputs, "", None)
            .unwrap()
            .iter()
            .map(|step| step.code)
            .collect();
        let outline = crate::simulator::extraction::outline();
        let mut placed: Vec<&str> = outline
            .iter()
            .flat_map(|(stage, _)| diagnosed_by(*stage))
            .copied()
            .collect();
        codes.sort_unstable();
        placed.sort_unstable();
        assert_eq!(placed, codes);
    }

    #[test]
    fn by_hand_there_is_no_token_to_look_at() {
        let inputs = Inputs {
            mode: IdentityMode::ByHand,
            user: "maya".into(),
            ..Inputs::default()
        };
        assert_eq!(diagnosed(&inputs, "", None), None);
    }
}
