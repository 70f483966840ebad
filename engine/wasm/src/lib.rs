//! The engine for JavaScript: classes and conversions, no rule of its own.
//!
//! Texts and numbers go in: `www/` turns objects into JSON text, so that cycles, throwing getters and lone surrogates are
//! ordinary errors before anything of ours has started. Values come out, made by serde-wasm-bindgen. What cannot be given is
//! nothing, and `takeFault` says why.

#[cfg(feature = "analyze")]
mod analysis;
mod fault;
mod found;
mod identity;
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

use fault::{Fault, given, text};
use found::Found;

#[cfg(feature = "analyze")]
pub use analysis::lint_document;
pub use fault::take_fault;
pub use identity::{Identity, instant, operation_number, resource_type_number};
#[cfg(feature = "verify")]
pub use verified::{KeySet, VerifiedClaims};

/// In constant time, and in a fifth of the wasm that the standard library's takes.
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

/// A policy, loaded once and asked many times.
#[wasm_bindgen]
pub struct Policy(Rc<State>);

/// What opened identities ask as well.
struct State {
    policy: RefCell<policy::Policy>,
    found: RefCell<Found>,
}

#[wasm_bindgen]
impl Policy {
    /// Loads a policy document, which crosses in UTF-8: a text would cross letter by letter, in code that is still slow at
    /// the start. The fault has `problems`, every one with `path`, `code` and `message`.
    #[must_use]
    pub fn load(document: &[u8]) -> Option<Self> {
        // What is no UTF-8 is no document.
        let policy = gbac_json::policy_from_json(std::str::from_utf8(document).unwrap_or_default());
        let policy = given(policy.map_err(|problems| Fault::problems(FaultCode::POLICY_INVALID, &problems)))?;
        Some(Self(Rc::new(State { policy: RefCell::new(policy), found: RefCell::default() })))
    }

    /// Answers a check, with all that led to the answer where it is to be explained; a whole request cannot be. It is asked at
    /// `now`, in seconds since 1970, unless the check itself says when.
    #[must_use]
    pub fn ask(&self, check: &str, explain: bool, now: f64) -> Option<JsValue> {
        let check = given(
            gbac_json::check_from_json(check).map_err(|problems| Fault::problems(FaultCode::CHECK_INVALID, &problems)),
        )?;
        let opened = self.open_who(&check.subject, None)?;
        let policy = self.policy();
        answer(&policy, &mut PreparedIdentity::new(&policy, opened.identity), &check, explain, At::seconds(now))
    }

    /// Makes one change in place; says whether anything is different now.
    #[must_use]
    pub fn apply(&self, change: &str) -> Option<bool> {
        let change = gbac_json::change_from_json(change);
        let change = given(change.map_err(|problems| Fault::problems(FaultCode::CHANGE_INVALID, &problems)))?;
        given(self.0.policy.borrow_mut().apply(change).map_err(|error| Fault::from(&error)))
    }

    /// The policy document of this policy.
    #[must_use]
    pub fn export(&self) -> JsValue {
        parsed(&text(&gbac_json::DocumentJson::from(&*self.policy())))
    }

    fn policy(&self) -> Ref<'_, policy::Policy> {
        self.0.policy.borrow()
    }

    fn open_who(&self, who: &Subject, verify: TokenVerifier<'_>) -> Option<ResolvedIdentity> {
        given(gbac_engine::resolve(&self.policy(), who, verify).map_err(|error| Fault::from(&error)))
    }
}

fn answer(
    policy: &policy::Policy,
    open: &mut PreparedIdentity,
    check: &Check,
    explain: bool,
    otherwise: At,
) -> Option<JsValue> {
    if explain {
        let explanation = gbac_analysis::check::explain(policy, open.identity(), check, otherwise)
            .ok_or_else(|| Fault::new(FaultCode::REQUEST_HAS_NO_EXPLANATION, &"explain one operation on one resource"));
        return Some(value(&ExplanationJson::from(&given(explanation)?)));
    }
    let answer =
        gbac_analysis::check::evaluate_with(policy, open, check, otherwise).map_err(|error| Fault::from(&error));
    Some(value(&AnswerJson::from(&given(answer)?)))
}

/// A value of JavaScript, the same that its JSON text would give; none of ours fails to be made.
fn value<T: Serialize>(value: &T) -> JsValue {
    value.serialize(&Serializer::json_compatible()).unwrap_or(JsValue::UNDEFINED)
}

/// The same from JSON text, for values with members of any name or numbers of any size: a member `__proto__` would not be
/// assigned.
fn parsed(text: &str) -> JsValue {
    js_sys::JSON::parse(text).unwrap_or(JsValue::UNDEFINED)
}
