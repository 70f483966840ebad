//! Analysis of whole policies (feature `analyze`).

use gbac_analysis::check::{Answer, Check};
use gbac_analysis::{Finding, Scope};
use gbac_engine::decide::{At, PreparedIdentity};
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::model::Principal;
use gbac_engine::policy as policies;
use gbac_json::{
    AnswerJson, CollisionReportJson, DiffJson, FaultCode, FindingJson, IdentityComparisonJson,
    LeastGrantJson, PermissionsJson, RevocationJson, WhatIfJson, WhoCanJson,
};
use wasm_bindgen::prelude::*;

use crate::fault::{Fault, ok_or_store, text};
use crate::identity::question_from;
use crate::{Identity, Policy, parsed, value};

#[wasm_bindgen]
impl Policy {
    /// Who can do one operation on one resource.
    #[wasm_bindgen(js_name = whoCan)]
    #[must_use]
    pub fn who_can(&self, question: &str) -> Option<JsValue> {
        let check = question_from(question)?;
        let request = check.access(At::IgnoringExpiry).ok_or_else(|| {
            Fault::new(
                FaultCode::RequestUnsupported,
                &"ask about one operation on one resource",
            )
        });
        Some(value(&WhoCanJson::from(&gbac_analysis::who_can(
            &self.policy(),
            &ok_or_store(request)?,
        ))))
    }

    /// The permissions of a principal, as `Type:name`; `User:*` is everyone.
    #[wasm_bindgen(js_name = permissionsOf)]
    #[must_use]
    pub fn permissions_of(&self, principal: &str) -> Option<JsValue> {
        let principal = Principal::parse(principal);
        let principal = principal.map_err(|error| Fault::with_hint(&error, &error.hint()));
        let scope = Scope::from_principal(&ok_or_store(principal)?);
        Some(value(&PermissionsJson::from(
            &gbac_analysis::permissions_of(&self.policy(), &scope),
        )))
    }

    /// The decisions that differ in a later policy.
    #[must_use]
    pub fn diff(&self, later: &Self) -> JsValue {
        value(&DiffJson::from(&gbac_analysis::diff(
            &self.policy(),
            &later.policy(),
        )))
    }

    /// Names that become the same group, among `names` (a JSON array of names in a token) and all
    /// known groups. Nested names are treated as in the settings, unless `nested` is given.
    #[must_use]
    pub fn collisions(&self, names: &str, nested: Option<String>, limit: usize) -> Option<JsValue> {
        let names: Vec<String> =
            ok_or_store(serde_json::from_str(names).map_err(|_| {
                Fault::new(FaultCode::WrongType, &"the names are an array of texts")
            }))?;
        let policy = self.policy();
        let nested = match nested {
            Some(nested) => ok_or_store(
                nested
                    .parse::<NestedGroupBehavior>()
                    .map_err(|error| Fault::with_hint(&error, error.hint())),
            )?,
            None => policy.settings().identity_rules().extraction.nested,
        };
        Some(value(&CollisionReportJson::from(
            &gbac_analysis::collision_gains(&policy, nested, &names, limit),
        )))
    }

    /// The effect of changes on an identity, and on the decision of a check if one is given.
    #[wasm_bindgen(js_name = whatIf)]
    #[must_use]
    pub fn what_if(
        &self,
        who: &str,
        changes: &str,
        question: Option<String>,
        now: f64,
    ) -> Option<JsValue> {
        let subject = ok_or_store(
            gbac_json::subject_from_json(who)
                .map_err(|problems| Fault::problems(FaultCode::IdentityInvalid, &problems)),
        )?;
        let changes = gbac_json::hypothetical_changes_from_json(changes);
        let changes = ok_or_store(
            changes.map_err(|problems| Fault::problems(FaultCode::ChangeInvalid, &problems)),
        )?;
        let question = match question {
            Some(question) => Some(question_from(&question)?),
            None => None,
        };
        let at = At::seconds(now);
        let effect = gbac_analysis::what_if(
            &self.policy(),
            &subject,
            &changes,
            question.as_ref(),
            None,
            at,
        );
        let effect = ok_or_store(effect.map_err(|error| Fault::from(&error)))?;
        // As text, because the result can contain settings, whose attributes have arbitrary names.
        Some(parsed(&text(&WhatIfJson::from(&effect))))
    }

    /// The findings of the policy.
    #[must_use]
    pub fn lint(&self) -> JsValue {
        findings(&gbac_analysis::lint(&self.policy()))
    }
}

/// The findings of a policy document, including duplicate entries.
#[wasm_bindgen(js_name = lintDocument)]
#[must_use]
pub fn lint_document(document: &str) -> Option<JsValue> {
    let list = gbac_json::lint_from_json(document);
    Some(findings(&ok_or_store(list.map_err(|problems| {
        Fault::problems(FaultCode::PolicyInvalid, &problems)
    }))?))
}

fn findings(list: &[Finding]) -> JsValue {
    value(&list.iter().map(FindingJson::from).collect::<Vec<_>>())
}

#[wasm_bindgen]
impl Identity {
    /// Its permissions until it expires, and whether it has expired at `now`, in seconds since
    /// 1970, if given.
    #[must_use]
    pub fn permissions(&self, now: Option<f64>) -> JsValue {
        let policy = self.state.policy.borrow();
        let identity = self.open.identity();
        let expired = now.is_some_and(|now| identity.is_expired(At::seconds(now)));
        value(&PermissionsJson {
            expired,
            ..(&gbac_analysis::permissions(&policy, identity)).into()
        })
    }

    /// The smallest change that would allow a request; `None` for an API request for which one of
    /// several permissions suffices.
    #[wasm_bindgen(js_name = leastGrant)]
    #[must_use]
    pub fn least_grant(&mut self, question: &str, now: f64) -> Option<JsValue> {
        let at = At::seconds(now);
        let check = question_from(question)?;
        let policy = self.state.policy.borrow();
        let answer = evaluate(&policy, &mut self.open, &check, at)?;
        let requests = check.requests(&answer, at).ok_or_else(|| {
            Fault::new(
                FaultCode::RequestHasChoice,
                &"one of several permissions is enough; ask about one of them",
            )
        });
        let least =
            gbac_analysis::least_grant(&policy, self.open.identity(), &ok_or_store(requests)?);
        Some(value(&LeastGrantJson::from(&least)))
    }

    /// The smallest removal after which a request for one operation on one resource is denied.
    #[must_use]
    pub fn revoke(&self, question: &str, now: f64) -> Option<JsValue> {
        let check = question_from(question)?;
        let request = check.access(At::seconds(now)).ok_or_else(|| {
            Fault::new(
                FaultCode::RequestUnsupported,
                &"ask about one operation on one resource",
            )
        });
        let policy = self.state.policy.borrow();
        Some(value(&RevocationJson::from(&gbac_analysis::revoke(
            &policy,
            self.open.identity(),
            &ok_or_store(request)?,
        ))))
    }

    /// How the permissions of this identity and another one of the same policy differ, and the
    /// decisions of both on a check, if one is given.
    #[must_use]
    pub fn compare(
        &mut self,
        other: &mut Self,
        question: Option<String>,
        now: f64,
    ) -> Option<JsValue> {
        let at = At::seconds(now);
        let policy = self.state.policy.borrow();
        let mut comparison = IdentityComparisonJson::from(&gbac_analysis::compare_identities(
            &policy,
            self.open.identity(),
            other.open.identity(),
        ));
        if let Some(question) = question {
            let check = question_from(&question)?;
            let [first, second] = [
                evaluate(&policy, &mut self.open, &check, at)?,
                evaluate(&policy, &mut other.open, &check, at)?,
            ];
            comparison.decisions = Some([AnswerJson::from(&first), AnswerJson::from(&second)]);
        }
        Some(value(&comparison))
    }
}

fn evaluate(
    policy: &policies::Policy,
    open: &mut PreparedIdentity,
    check: &Check,
    default_at: At,
) -> Option<Answer> {
    ok_or_store(
        gbac_analysis::check::evaluate_with(policy, open, check, default_at)
            .map_err(|error| Fault::from(&error)),
    )
}
