//! What a verdict rests on that nobody checked, or that is only tried.

use gbac_analysis::{HypotheticalChange, HypotheticalChanges};
use gbac_engine::decide::At;
use gbac_engine::policy::{Change, Settings};
use gbac_engine::{Assumption, Assumptions};
use gbac_words::hypothesis::{self as words, HypothesisWords};
use gbac_words::rich_text::RichText;

use crate::draft::normalized;
use crate::simulator::identity::{SimulatedIdentity, of_service};
use crate::simulator::inputs::TokenAssumption::{
    self, ClaimPath, NestedNames, Unchecked, UserClaim,
};
use crate::simulator::inputs::{InputEdit, Inputs, WhatIfSettings};
use crate::simulator::token::Expected;
use crate::simulator::token_checks::Signature;

/// Something that a verdict rests on, and that may not be so.
#[derive(Debug, Clone, PartialEq)]
pub enum Hypothesis {
    /// An assumption about the token that is entered.
    Token(TokenAssumption),
    /// What the names of a link rest on.
    Carried(TokenAssumption),
    /// A change that is tried.
    Change(HypotheticalChange),
}

/// How a hypothesis is taken back.
#[derive(Clone, PartialEq)]
pub enum Removal {
    /// By a change of the inputs.
    Edit(InputEdit),
    /// By taking this change out of those that are tried.
    Change(HypotheticalChange),
    /// By verifying the token.
    Verify,
}

impl Hypothesis {
    /// It in words.
    pub fn words(&self) -> HypothesisWords {
        match self {
            Self::Token(assumption) | Self::Carried(assumption) => words_of_token(assumption),
            Self::Change(change) => words::tried(change),
        }
    }

    /// How it is taken back. `service` are the settings of the service.
    pub fn removal(&self, service: &WhatIfSettings) -> Removal {
        let edit = match self {
            Self::Token(assumption) => match assumption {
                Unchecked(Assumption::Issuer, Some(_)) => InputEdit::Issuer(String::new()),
                Unchecked(Assumption::Audience, Some(_)) => InputEdit::Audience(String::new()),
                Unchecked(Assumption::Expiry, _) => InputEdit::IgnoreExpiry(false),
                Unchecked(..) => return Removal::Verify,
                ClaimPath(_) => InputEdit::TryClaimPath(service.claim_path.clone()),
                NestedNames(_) => InputEdit::NestedNames(service.nested),
                UserClaim(_) => InputEdit::Mapping(service.mapping.clone()),
            },
            Self::Carried(assumption) => InputEdit::Carry(assumption.clone(), false),
            Self::Change(change) => return Removal::Change(change.clone()),
        };
        Removal::Edit(edit)
    }

    /// Takes it back in what is entered and tried; what only keys can verify stays.
    pub fn remove(
        &self,
        inputs: &mut Inputs,
        trials: &mut HypotheticalChanges,
        service: &WhatIfSettings,
    ) {
        match self.removal(service) {
            Removal::Edit(edit) => edit.apply(inputs, service),
            Removal::Change(change) => {
                let place = trials.as_slice().iter().position(|known| *known == change);
                if let Some(place) = place {
                    trials.remove(place);
                }
            }
            Removal::Verify => {}
        }
    }

    /// Assumes it again.
    pub fn restore(
        &self,
        inputs: &mut Inputs,
        trials: &mut HypotheticalChanges,
        service: &WhatIfSettings,
    ) {
        let edit = match self {
            Self::Token(assumption) => match assumption {
                Unchecked(Assumption::Issuer, Some(issuer)) => InputEdit::Issuer(issuer.clone()),
                Unchecked(Assumption::Audience, Some(audience)) => {
                    InputEdit::Audience(audience.clone())
                }
                Unchecked(Assumption::Expiry, _) => InputEdit::IgnoreExpiry(true),
                Unchecked(..) => return,
                ClaimPath(path) => InputEdit::TryClaimPath(path.clone()),
                NestedNames(nested) => InputEdit::NestedNames(*nested),
                UserClaim(mapping) => InputEdit::Mapping(mapping.clone()),
            },
            Self::Carried(assumption) => InputEdit::Carry(assumption.clone(), true),
            Self::Change(change) => {
                trials.add(change.clone());
                return;
            }
        };
        edit.apply(inputs, service);
    }

    /// What becomes of it in a test.
    pub const fn in_test(&self) -> InTest {
        match self {
            Self::Token(Unchecked(..)) | Self::Carried(Unchecked(..)) => InTest::Unchecked,
            Self::Change(HypotheticalChange::Policy(change)) => match change {
                Change::Settings(_) => InTest::Names,
                _ => InTest::Policy,
            },
            Self::Token(_) | Self::Carried(_) | Self::Change(_) => InTest::Names,
        }
    }

    /// What makes it so, beside its words.
    pub fn remedy(&self) -> Remedy {
        match self {
            Self::Carried(Unchecked(_, None))
            | Self::Token(Unchecked(Assumption::Expiry, _))
            | Self::Change(HypotheticalChange::Join(_) | HypotheticalChange::Leave(_)) => {
                Remedy::Outside
            }
            Self::Token(Unchecked(_, None)) => Remedy::Verify,
            Self::Carried(_)
            | Self::Token(_)
            | Self::Change(HypotheticalChange::Policy(Change::Settings(_))) => Remedy::Settings,
            Self::Change(HypotheticalChange::Policy(change)) => {
                Remedy::Draft(normalized(change.clone()))
            }
        }
    }
}

fn words_of_token(assumption: &TokenAssumption) -> HypothesisWords {
    match assumption {
        Unchecked(fact, entered) => words::of_token(*fact, entered.as_deref()),
        ClaimPath(path) => words::claim_path(path),
        NestedNames(nested) => words::nested_names(*nested),
        UserClaim(mapping) => words::user_claim(mapping),
    }
}

/// What becomes of a hypothesis in a test, which has a user, groups and a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InTest {
    /// It is in the names of the test.
    Names,
    /// The policy has to have it.
    Policy,
    /// The test does not check it.
    Unchecked,
}

/// Where a hypothesis is made so.
#[derive(Debug, Clone, PartialEq)]
pub enum Remedy {
    /// In the settings, which affects everyone.
    Settings,
    /// By verifying the token.
    Verify,
    /// In the draft.
    Draft(Change),
    /// At the identity provider.
    Outside,
}

/// What a decision on a token rests on: issuer and audience, expiry, signature, and the settings
/// that are tried. Names by hand rest on what they came with. `signature` is what keys say of it,
/// where there are any.
pub fn of_token(
    who: Option<&SimulatedIdentity>,
    carried: &[TokenAssumption],
    expected: &Expected,
    signature: Option<Signature>,
    ignore_expiry: bool,
    tried: Option<&WhatIfSettings>,
    service: &Settings,
) -> Vec<Hypothesis> {
    let Some(who) = who else {
        return Vec::new();
    };
    if who.rules().is_none() {
        return carried.iter().cloned().map(Hypothesis::Carried).collect();
    }
    let at = match ignore_expiry {
        true => At::IgnoringExpiry,
        false => At::seconds(0.0),
    };
    let assumed = match &who.identity {
        Ok(identity) => identity.assumed(at),
        Err(_) => Assumptions::default(),
    };
    let is_verified = matches!(&who.identity, Ok(identity) if identity.is_verified());
    let mut all = Vec::new();
    for (assumption, entered) in [
        (Assumption::Issuer, &expected.issuer),
        (Assumption::Audience, &expected.audience),
    ] {
        // Without a valid signature, nothing in the token says who issued it for whom.
        if entered.is_some() || is_verified && assumed.contains(assumption) {
            all.push(Unchecked(assumption, entered.clone()));
        }
    }
    if assumed.contains(Assumption::Expiry) {
        all.push(Unchecked(Assumption::Expiry, None));
    }
    // A valid one needs no assumption, and a forged one is refused.
    let is_known = matches!(signature, Some(Signature::Good | Signature::Forged));
    if assumed.contains(Assumption::Signature) && !is_known {
        all.push(Unchecked(Assumption::Signature, None));
    }
    if let Some(tried) = tried {
        all.extend(of_settings(tried, &of_service(service)));
    }
    all.into_iter().map(Hypothesis::Token).collect()
}

fn of_settings(tried: &WhatIfSettings, service: &WhatIfSettings) -> Vec<TokenAssumption> {
    let mut all = Vec::new();
    if tried.claim_path.trim() != service.claim_path {
        let path = tried.claim_path.trim().to_owned();
        all.push(ClaimPath(path));
    }
    if tried.nested != service.nested {
        all.push(NestedNames(tried.nested));
    }
    if tried.mapping.trim() != service.mapping {
        let mapping = tried.mapping.trim().to_owned();
        all.push(UserClaim(mapping));
    }
    all
}

/// The hypotheses about a token, then the changes that are tried: first what is taken away.
pub fn with_changes(of_token: &[Hypothesis], trials: &HypotheticalChanges) -> Vec<Hypothesis> {
    let mut all = of_token.to_vec();
    let (removed, added): (Vec<_>, Vec<_>) = trials.as_slice().iter().partition(takes_away);
    for change in removed.into_iter().chain(added) {
        all.push(Hypothesis::Change(change.clone()));
    }
    all
}

fn takes_away(change: &&HypotheticalChange) -> bool {
    matches!(
        change,
        HypotheticalChange::Leave(_)
            | HypotheticalChange::Policy(
                Change::RemoveAcl(_) | Change::RemoveMember { .. } | Change::DeleteRole { .. }
            )
    )
}

/// Hypotheses as the conditions of a verdict.
pub fn conditions(all: &[Hypothesis]) -> Vec<RichText> {
    let mut conditions = Vec::new();
    for hypothesis in all {
        conditions.push(hypothesis.words().condition);
    }
    conditions
}

#[cfg(test)]
mod tests {
    use gbac_analysis::provider::AcceptedTokens;
    use gbac_engine::groups::NestedGroupBehavior;
    use gbac_engine::model::Principal;
    use serde_json::{Value, json};

    use super::*;
    use crate::simulator::inputs::{IdentityMode, SettingsSource};
    use crate::simulator::pipeline::View;
    use crate::simulator::tests::{compact, evaluate, inputs, policy, said, why};
    use crate::simulator::verdict::VerdictKind;

    const NOW: f64 = 1_795_243_000.0;
    const OTHER: &str = "https://acme.okta.com";

    fn service() -> AcceptedTokens {
        AcceptedTokens {
            issuer: Some("https://idp.example".into()),
            audience: Some("streams".into()),
            ..AcceptedTokens::default()
        }
    }

    /// A token of somebody who is allowed, with more claims.
    fn token(more: &Value) -> String {
        let mut claims = json!({
            "sub": "a", "iss": "https://idp.example", "aud": "streams", "exp": NOW + 60.0,
            "groups": ["payments"],
        });
        for (name, value) in more.as_object().unwrap() {
            claims[name] = value.clone();
        }
        compact(
            &json!({ "alg": "RS256", "kid": "k", "typ": "JWT" }),
            &claims,
        )
    }

    fn view(inputs: &Inputs) -> View {
        evaluate(inputs, Some(&policy()), &service(), NOW)
    }

    fn shorts(all: &[Hypothesis]) -> Vec<String> {
        let words = all.iter().map(|one| one.words().short.plain());
        words.collect()
    }

    /// What rests on everything that a token and its settings can rest on.
    fn all_of_token() -> Inputs {
        let claims = json!({
            "iss": OTHER, "aud": "billing", "exp": NOW - 7200.0, "email": "a", "roles": ["payments"],
        });
        Inputs {
            issuer: OTHER.into(),
            audience: "billing".into(),
            ignore_expiry: true,
            source: SettingsSource::WhatIf,
            what_if: WhatIfSettings {
                claim_path: " $.roles".into(),
                nested: NestedGroupBehavior::None,
                mapping: "$.email".into(),
            },
            tried: true,
            ..inputs(&token(&claims))
        }
    }

    #[test]
    fn everything_that_nobody_checked_is_named_in_order() {
        let view = view(&all_of_token());
        assert_eq!(
            shorts(&view.hypotheses),
            [
                "Assuming issuer https://acme.okta.com",
                "Assuming audience billing",
                "Ignoring expiry",
                "Signature not verified",
                "Claim path $.roles",
                "Nested names none",
                "User claim $.email",
            ]
        );
        let verdict = view.verdict.unwrap();
        assert_eq!(
            (verdict.kind, verdict.kind.title()),
            (VerdictKind::AllowedIf, "Allowed, if…")
        );
        assert_eq!(
            verdict.sentence.plain(),
            "User:a can write to topic payments-settled, if the service accepts the issuer \
             https://acme.okta.com, the service accepts the audience billing and 5 more"
        );
        assert_eq!(verdict.hypotheses, view.hypotheses);
    }

    #[test]
    fn each_is_taken_back_alone() {
        let (all, service) = (all_of_token(), of_service(policy().settings()));
        let before = view(&all).hypotheses;
        for hypothesis in &before {
            let (mut inputs, mut trials) = (all.clone(), HypotheticalChanges::default());
            hypothesis.remove(&mut inputs, &mut trials, &service);
            if hypothesis.removal(&service) == Removal::Verify {
                let is_signature =
                    *hypothesis == Hypothesis::Token(Unchecked(Assumption::Signature, None));
                assert!(is_signature && inputs == all, "{hypothesis:?}");
                assert_eq!(hypothesis.remedy(), Remedy::Verify);
                continue;
            }
            let mut expected = before.clone();
            expected.retain(|other| other != hypothesis);
            let after = view(&inputs);
            assert_eq!(after.hypotheses, expected, "without {hypothesis:?}");
            // The token, or the claim that it rested on, is another one's: nothing is allowed then.
            let is_denied = !after.verdict.unwrap().kind.is_allowed();
            hypothesis.restore(&mut inputs, &mut trials, &service);
            assert_eq!(
                view(&inputs).hypotheses,
                before,
                "with {hypothesis:?} again"
            );
            let is_of_names = matches!(
                hypothesis,
                Hypothesis::Token(NestedNames(_) | UserClaim(_) | ClaimPath(_))
            );
            assert!(is_denied || is_of_names, "without {hypothesis:?}");
        }
    }

    #[test]
    fn an_unverified_token_allows_nothing_outright() {
        let mut inputs = inputs(&token(&json!({})));
        let unverified = view(&inputs);
        assert_eq!(shorts(&unverified.hypotheses), ["Signature not verified"]);
        let verdict = unverified.verdict.unwrap();
        assert_eq!(verdict.kind, VerdictKind::AllowedIf);
        assert_eq!(
            verdict.sentence.plain(),
            "User:a can write to topic payments-settled, if the signature is valid"
        );
        // A denial says what it rests on, and claims alone are no better than such a token.
        inputs.resource_name = "other".into();
        let denied = view(&inputs);
        assert_eq!(said(why(&denied, "Assumed")), "the signature is valid");
        let claims = json!({
            "sub": "a", "iss": "https://idp.example", "aud": "streams", "exp": NOW + 60.0,
            "groups": ["payments"],
        });
        inputs = Inputs {
            as_claims: true,
            ..super::super::tests::inputs(&claims.to_string())
        };
        assert_eq!(view(&inputs).verdict.unwrap().kind, VerdictKind::AllowedIf);
        // Settings that are tried as the service has them are no assumption.
        inputs.source = SettingsSource::WhatIf;
        inputs.what_if = of_service(policy().settings());
        assert_eq!(
            shorts(&view(&inputs).hypotheses),
            ["Signature not verified"]
        );
    }

    #[test]
    fn names_by_hand_rest_on_nothing() {
        let by_hand = Inputs {
            mode: IdentityMode::ByHand,
            user: "a".into(),
            groups: "payments".into(),
            issuer: OTHER.into(),
            ignore_expiry: true,
            ..all_of_token()
        };
        let view = view(&by_hand);
        assert_eq!(view.hypotheses, []);
        assert_eq!(view.verdict.unwrap().kind, VerdictKind::Allowed);
    }

    #[test]
    fn names_rest_on_what_they_came_with() {
        let carried = [
            Unchecked(Assumption::Signature, None),
            Unchecked(Assumption::Issuer, Some(OTHER.into())),
            ClaimPath("$.roles".into()),
            NestedNames(NestedGroupBehavior::Suffix),
            UserClaim("$.email".into()),
        ];
        let mut by_hand = Inputs {
            mode: IdentityMode::ByHand,
            user: "a".into(),
            groups: "payments".into(),
            carried: carried.to_vec(),
            ..inputs("")
        };
        let before = view(&by_hand);
        assert_eq!(
            shorts(&before.hypotheses),
            [
                "Signature not verified",
                "Assuming issuer https://acme.okta.com",
                "Claim path $.roles",
                "Nested names suffix",
                "User claim $.email",
            ]
        );
        assert_eq!(before.verdict.unwrap().kind, VerdictKind::AllowedIf);
        let (mut trials, service) = (HypotheticalChanges::default(), WhatIfSettings::default());
        for hypothesis in &before.hypotheses {
            hypothesis.remove(&mut by_hand, &mut trials, &service);
        }
        assert_eq!(view(&by_hand).verdict.unwrap().kind, VerdictKind::Allowed);
        before.hypotheses[0].restore(&mut by_hand, &mut trials, &service);
        assert_eq!(by_hand.carried, carried[..1]);
    }

    #[test]
    fn changes_follow_and_what_is_taken_away_comes_first() {
        let mut trials = HypotheticalChanges::default();
        let member = Principal::group("eng");
        for change in [
            HypotheticalChange::Join("ops".into()),
            HypotheticalChange::Leave("staff".into()),
            HypotheticalChange::Policy(Change::AddMember {
                role: "R".into(),
                member: member.clone(),
            }),
            HypotheticalChange::Policy(Change::RemoveMember {
                role: "Freeze".into(),
                member,
            }),
        ] {
            trials.add(change);
        }
        let of_token = [Hypothesis::Token(Unchecked(Assumption::Signature, None))];
        let all = with_changes(&of_token, &trials);
        assert_eq!(
            shorts(&all),
            [
                "Signature not verified",
                "Without Group:staff",
                "Without Group:eng → Role:Freeze",
                "With Group:ops",
                "With Group:eng → Role:R",
            ]
        );
        let plain: Vec<String> = conditions(&all).iter().map(RichText::plain).collect();
        assert_eq!(
            plain,
            [
                "the signature is valid",
                "the user is not in Group:staff",
                "Group:eng is not in Role:Freeze",
                "the user is in Group:ops",
                "Group:eng is in Role:R",
            ]
        );
        for (hypothesis, change) in all[1..].iter().zip([1, 3, 0, 2]) {
            let change = trials.as_slice()[change].clone();
            let removal = hypothesis.removal(&WhatIfSettings::default());
            assert!(removal == Removal::Change(change), "{hypothesis:?}");
        }
    }
}
