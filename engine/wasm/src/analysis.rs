//! Questions about a whole policy (feature `analyze`).

use gbac_analysis::check::{Answer, Check};
use gbac_analysis::{Finding, Scope};
use gbac_engine::decide::{At, PreparedIdentity};
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::model::Principal;
use gbac_engine::policy as policies;
use gbac_json::{
    AnswerJson, CollisionReportJson, DiffJson, FaultCode, FindingJson, IdentityComparisonJson, LeastGrantJson,
    PermissionsJson, RevocationJson, WhatIfJson, WhoCanJson,
};
use wasm_bindgen::prelude::*;

use crate::fault::{Fault, given, text};
use crate::identity::question_from;
use crate::{Identity, Policy, parsed, value};

#[wasm_bindgen]
impl Policy {
    /// Who may do what a question asks: one operation on one resource.
    #[wasm_bindgen(js_name = whoCan)]
    #[must_use]
    pub fn who_can(&self, question: &str) -> Option<JsValue> {
        let check = question_from(question)?;
        let request = check
            .access(At::IgnoringExpiry)
            .ok_or_else(|| Fault::new(FaultCode::REQUEST_NOT_TAKEN, &"ask about one operation on one resource"));
        Some(value(&WhoCanJson::from(&gbac_analysis::who_can(&self.policy(), &given(request)?))))
    }

    /// What a principal may do, as `Type:name`; `User:*` is everyone.
    #[wasm_bindgen(js_name = permissionsOf)]
    #[must_use]
    pub fn permissions_of(&self, principal: &str) -> Option<JsValue> {
        let principal = Principal::parse(principal);
        let principal = principal.map_err(|error| Fault::with_hint(&error, &error.hint()));
        let holder = Scope::of(&given(principal)?);
        Some(value(&PermissionsJson::from(&gbac_analysis::permissions_of(&self.policy(), &holder))))
    }

    /// What a later policy decides differently.
    #[must_use]
    pub fn diff(&self, later: &Self) -> JsValue {
        value(&DiffJson::from(&gbac_analysis::diff(&self.policy(), &later.policy())))
    }

    /// Names that become one group: of these, a JSON array, as a token has them, and of all known groups; under what the
    /// settings say of nested names unless another behaviour is named.
    #[must_use]
    pub fn collisions(&self, names: &str, nested: Option<String>, limit: usize) -> Option<JsValue> {
        let names: Vec<String> = given(
            serde_json::from_str(names)
                .map_err(|_| Fault::new(FaultCode::WRONG_TYPE, &"the names are an array of texts")),
        )?;
        let policy = self.policy();
        let nested = match nested {
            Some(nested) => {
                given(nested.parse::<NestedGroupBehavior>().map_err(|error| Fault::with_hint(&error, error.hint())))?
            }
            None => policy.settings().identity_rules().extraction.nested,
        };
        Some(value(&CollisionReportJson::from(&gbac_analysis::collision_gains(&policy, nested, &names, limit))))
    }

    /// What changes would do to somebody, and to the answer to a question of theirs where there is one.
    #[wasm_bindgen(js_name = whatIf)]
    #[must_use]
    pub fn what_if(&self, who: &str, changes: &str, question: Option<String>, now: f64) -> Option<JsValue> {
        let who = given(
            gbac_json::subject_from_json(who)
                .map_err(|problems| Fault::problems(FaultCode::IDENTITY_INVALID, &problems)),
        )?;
        let trials = gbac_json::hypothetical_changes_from_json(changes);
        let trials = given(trials.map_err(|problems| Fault::problems(FaultCode::CHANGE_INVALID, &problems)))?;
        let question = match question {
            Some(question) => Some(question_from(&question)?),
            None => None,
        };
        let found = gbac_analysis::what_if(&self.policy(), &who, &trials, question.as_ref(), None, At::seconds(now));
        let found = given(found.map_err(|error| Fault::from(&error)))?;
        // It may repeat settings, whose attributes have any names.
        Some(parsed(&text(&WhatIfJson::from(&found))))
    }

    /// What is odd in it.
    #[must_use]
    pub fn lint(&self) -> JsValue {
        findings(&gbac_analysis::lint(&self.policy()))
    }
}

/// What is odd in a policy document, what it holds twice too.
#[wasm_bindgen(js_name = lintDocument)]
#[must_use]
pub fn lint_document(document: &str) -> Option<JsValue> {
    let found = gbac_json::lint_from_json(document);
    Some(findings(&given(found.map_err(|problems| Fault::problems(FaultCode::POLICY_INVALID, &problems)))?))
}

fn findings(found: &[Finding]) -> JsValue {
    value(&found.iter().map(FindingJson::from).collect::<Vec<_>>())
}

#[wasm_bindgen]
impl Identity {
    /// What it may do until it expires; at `now`, in seconds since 1970, also whether it has expired.
    #[must_use]
    pub fn permissions(&self, now: Option<f64>) -> JsValue {
        let policy = self.state.policy.borrow();
        let identity = self.open.identity();
        let expired = now.is_some_and(|now| identity.is_expired(At::seconds(now)));
        value(&PermissionsJson { expired, ..(&gbac_analysis::permissions(&policy, identity)).into() })
    }

    /// What is the least that would allow what a question asks; none when one of several permissions is enough for that.
    #[wasm_bindgen(js_name = leastGrant)]
    #[must_use]
    pub fn least_grant(&mut self, question: &str, now: f64) -> Option<JsValue> {
        let at = At::seconds(now);
        let check = question_from(question)?;
        let policy = self.state.policy.borrow();
        let answer = evaluate(&policy, &mut self.open, &check, at)?;
        let requests = match &answer {
            Answer::Access(_) => Ok(check.access(at).into_iter().collect::<Vec<_>>()),
            Answer::Api { need, .. } if need.has_choice() => Err(Fault::new(
                FaultCode::REQUEST_HAS_CHOICE,
                &"one of several permissions is enough; ask about one of them",
            )),
            Answer::Api { decisions, .. } => Ok(decisions
                .iter()
                .map(|(needed, _)| check.request(needed.operation, needed.resource_type, &needed.resource_name, at))
                .collect()),
        };
        let least = gbac_analysis::least_grant(&policy, self.open.identity(), &given(requests)?);
        Some(value(&LeastGrantJson::from(&least)))
    }

    /// What has to go for one operation on one resource to be denied.
    #[must_use]
    pub fn revoke(&self, question: &str, now: f64) -> Option<JsValue> {
        let check = question_from(question)?;
        let request = check
            .access(At::seconds(now))
            .ok_or_else(|| Fault::new(FaultCode::REQUEST_NOT_TAKEN, &"ask about one operation on one resource"));
        let policy = self.state.policy.borrow();
        Some(value(&RevocationJson::from(&gbac_analysis::revoke(&policy, self.open.identity(), &given(request)?))))
    }

    /// How this one and another of the same policy differ, and how a question is answered to both where there is one.
    #[must_use]
    pub fn compare(&mut self, other: &mut Self, question: Option<String>, now: f64) -> Option<JsValue> {
        let at = At::seconds(now);
        let policy = self.state.policy.borrow();
        let mut found = IdentityComparisonJson::from(&gbac_analysis::compare_identities(
            &policy,
            self.open.identity(),
            other.open.identity(),
        ));
        if let Some(question) = question {
            let check = question_from(&question)?;
            let [first, second] =
                [evaluate(&policy, &mut self.open, &check, at)?, evaluate(&policy, &mut other.open, &check, at)?];
            found.answers = Some([AnswerJson::from(&first), AnswerJson::from(&second)]);
        }
        Some(value(&found))
    }
}

fn evaluate(policy: &policies::Policy, open: &mut PreparedIdentity, check: &Check, otherwise: At) -> Option<Answer> {
    given(gbac_analysis::check::evaluate_with(policy, open, check, otherwise).map_err(|error| Fault::from(&error)))
}
