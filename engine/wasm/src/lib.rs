//! The engine for JavaScript: classes and conversions, without rules of its own.
//!
//! Arguments are strings, bytes and numbers. `www/` converts objects to JSON text before it calls
//! this module, and reports cycles, throwing getters and lone surrogates. Results are values from
//! serde-wasm-bindgen. A call that fails returns nothing, and `takeFault` returns the error.

#[cfg(feature = "analyze")]
mod analysis;
mod fault;
mod identity;
mod resource_cache;
#[cfg(feature = "verify")]
mod verified;

use std::cell::{Ref, RefCell};
use std::rc::Rc;

use gbac_analysis::check::Check;
use gbac_engine::decide::{At, PreparedIdentity};
use gbac_engine::policy;
use gbac_engine::{ResolvedIdentity, Subject, TokenVerifier};
use gbac_json::{AnswerJson, ExplanationJson, FaultCode};
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

use fault::{Fault, ok_or_store, text};
use resource_cache::ResourceCache;

#[cfg(feature = "analyze")]
pub use analysis::lint_document;
pub use fault::take_fault;
pub use identity::{Identity, instant, operation_number, resource_type_number};
#[cfg(feature = "verify")]
pub use verified::{KeySet, VerifiedClaims};

/// Allocates in constant time, and needs a fifth of the wasm of the standard library's allocator.
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

/// A policy.
#[wasm_bindgen]
pub struct Policy(Rc<State>);

/// The state that a policy shares with its identities.
struct State {
    policy: RefCell<policy::Policy>,
    resources: RefCell<ResourceCache>,
}

#[wasm_bindgen]
impl Policy {
    /// Loads a policy document in UTF-8. A string would be copied character by character, in
    /// JavaScript that is not yet optimized at startup. The error has `problems`, each with `path`,
    /// `code` and `message`.
    #[must_use]
    pub fn load(document: &[u8]) -> Option<Self> {
        // Invalid UTF-8 is read as an empty text, which is an error.
        let policy = gbac_json::policy_from_json(std::str::from_utf8(document).unwrap_or_default());
        let policy = ok_or_store(
            policy.map_err(|problems| Fault::problems(FaultCode::PolicyInvalid, &problems)),
        )?;
        Some(Self(Rc::new(State {
            policy: RefCell::new(policy),
            resources: RefCell::default(),
        })))
    }

    /// Evaluates a check, and explains it with at most `explain` candidates if that is given; API
    /// requests cannot be explained. `now` is in seconds since 1970 and is used if the check has no
    /// time.
    #[must_use]
    pub fn ask(&self, check: &str, explain: Option<usize>, now: f64) -> Option<JsValue> {
        let check = ok_or_store(
            gbac_json::check_from_json(check)
                .map_err(|problems| Fault::problems(FaultCode::CheckInvalid, &problems)),
        )?;
        let resolved = self.resolve(&check.subject, None)?;
        let policy = self.policy();
        answer(
            &policy,
            &mut PreparedIdentity::new(&policy, resolved.identity),
            &check,
            explain,
            At::seconds(now),
        )
    }

    /// Applies one change in place; returns whether it changed the policy.
    #[must_use]
    pub fn apply(&self, change: &str) -> Option<bool> {
        let change = gbac_json::change_from_json(change);
        let change = ok_or_store(
            change.map_err(|problems| Fault::problems(FaultCode::ChangeInvalid, &problems)),
        )?;
        ok_or_store(
            self.0
                .policy
                .borrow_mut()
                .apply(change)
                .map_err(|error| Fault::from(&error)),
        )
    }

    /// The policy document of this policy.
    #[must_use]
    pub fn export(&self) -> JsValue {
        parsed(&text(&gbac_json::DocumentJson::from(&*self.policy())))
    }

    fn policy(&self) -> Ref<'_, policy::Policy> {
        self.0.policy.borrow()
    }

    fn resolve(&self, subject: &Subject, verify: TokenVerifier<'_>) -> Option<ResolvedIdentity> {
        ok_or_store(
            gbac_engine::resolve(&self.policy(), subject, verify)
                .map_err(|error| Fault::from(&error)),
        )
    }
}

fn answer(
    policy: &policy::Policy,
    open: &mut PreparedIdentity,
    check: &Check,
    explain: Option<usize>,
    default_at: At,
) -> Option<JsValue> {
    if let Some(limit) = explain {
        let explanation =
            gbac_analysis::check::explain(policy, open.identity(), check, default_at, limit)
                .ok_or_else(|| {
                    Fault::new(
                        FaultCode::RequestHasNoExplanation,
                        &"explain one operation on one resource",
                    )
                });
        return Some(value(&ExplanationJson::from(&ok_or_store(explanation)?)));
    }
    let answer = gbac_analysis::check::evaluate_with(policy, open, check, default_at)
        .map_err(|error| Fault::from(&error));
    Some(value(&AnswerJson::from(&ok_or_store(answer)?)))
}

/// A value as a JavaScript value, equal to its parsed JSON text. The conversion never fails for the
/// types of `gbac-json`.
fn value<T: Serialize>(value: &T) -> JsValue {
    value
        .serialize(&Serializer::json_compatible())
        .unwrap_or(JsValue::UNDEFINED)
}

/// A JavaScript value from JSON text, for values with arbitrary member names or large numbers: a
/// member `__proto__` could not be assigned otherwise.
fn parsed(text: &str) -> JsValue {
    js_sys::JSON::parse(text).unwrap_or(JsValue::UNDEFINED)
}
