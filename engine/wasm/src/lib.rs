//! The engine for JavaScript: classes and conversions, no rule of its own.
//!
//! Objects come in through `JSON.stringify`, so that cycles, throwing getters and lone surrogates are ordinary errors
//! before anything of ours has started, and a bad argument never leaves the module in a bad state.

mod identity;
#[cfg(feature = "verify")]
mod verified;

use std::cell::{Ref, RefCell};
use std::rc::Rc;

use gbac_engine::check::{self, Check, Opened, Who};
use gbac_engine::decide::{Explanation, Resource};
use gbac_engine::policy;
use gbac_engine::wire::{self, AnswerJson, ExplanationJson, Problems};
use js_sys::{Error, JSON, Reflect};
use serde::Serialize;
use wasm_bindgen::prelude::*;

pub use identity::{Identity, operation_number, resource_type_number};

/// In constant time, and in a fifth of the wasm that the standard library's takes.
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

/// A policy, loaded once and asked many times.
#[wasm_bindgen]
pub struct Policy(Rc<State>);

/// What opened identities ask as well.
struct State {
    policy: RefCell<policy::Policy>,
    /// The resources whose names are known, by number.
    found: RefCell<Vec<Resource>>,
}

#[wasm_bindgen]
impl Policy {
    /// Loads a policy document, given as an object or as JSON text.
    ///
    /// # Errors
    /// An `Error` with `code` and `problems`, every one with `path`, `code` and `message`.
    #[wasm_bindgen(constructor)]
    pub fn new(document: &JsValue) -> Result<Self, JsValue> {
        let policy =
            wire::policy_from_json(&text_of(document)?).map_err(|problems| refused("policy_invalid", &problems))?;
        Ok(Self(Rc::new(State { policy: RefCell::new(policy), found: RefCell::default() })))
    }

    /// Answers a check, given as an object or as JSON text.
    ///
    /// # Errors
    /// An `Error` with `code`: the check is malformed, or its token or claims cannot be read.
    pub fn check(&self, check: &JsValue) -> Result<JsValue, JsValue> {
        let check = read_check(check)?;
        let answer =
            check::answer(&self.policy(), &check, None).map_err(|error| failed(error.code(), &error.to_string()))?;
        give(&AnswerJson::from(&answer))
    }

    /// Answers a check about one operation on one resource, with all that led to the answer.
    ///
    /// # Errors
    /// As `check`; a whole request has no explanation of its own (`request_has_no_explanation`).
    pub fn explain(&self, check: &JsValue) -> Result<JsValue, JsValue> {
        let check = read_check(check)?;
        let opened = self.open_who(&check.who)?;
        let explanation: Explanation = check::explain(&self.policy(), &opened.identity, &check)
            .ok_or_else(|| failed("request_has_no_explanation", "explain one operation on one resource"))?;
        give(&ExplanationJson::from(&explanation))
    }

    /// Opens an identity from `{ identity }`, `{ claims }` or `{ unverified_token }` and says what came out of it.
    ///
    /// # Errors
    /// As `check`.
    pub fn inspect(&self, who: &JsValue) -> Result<JsValue, JsValue> {
        give(&wire::OpenedJson::from(&self.open_who(&read_who(who)?)?))
    }

    /// The policy document of this policy.
    ///
    /// # Errors
    /// Never for a loaded policy.
    pub fn export(&self) -> Result<JsValue, JsValue> {
        give(&wire::DocumentJson::from(&*self.policy()))
    }

    fn policy(&self) -> Ref<'_, policy::Policy> {
        self.0.policy.borrow()
    }

    fn open_who(&self, who: &Who) -> Result<Opened, JsValue> {
        check::open(&self.policy(), who, None).map_err(|error| failed(error.code(), &error.to_string()))
    }
}

fn read_who(who: &JsValue) -> Result<Who, JsValue> {
    wire::who_from_json(&text_of(who)?).map_err(|problems| refused("identity_invalid", &problems))
}

fn read_check(check: &JsValue) -> Result<Check, JsValue> {
    wire::check_from_json(&text_of(check)?).map_err(|problems| refused("check_invalid", &problems))
}

/// The JSON text of an argument: text as it is, anything else as `JSON.stringify` writes it.
fn text_of(value: &JsValue) -> Result<String, JsValue> {
    if let Some(text) = value.as_string() {
        return Ok(text);
    }
    match JSON::stringify(value) {
        Ok(text) => text.as_string().ok_or_else(|| failed("not_json", "the argument is not a JSON value")),
        Err(error) => {
            let detail = error.dyn_ref::<Error>().map(|error| String::from(error.message())).unwrap_or_default();
            Err(failed("not_json", &format!("the argument is not a JSON value: {detail}")))
        }
    }
}

/// A value for JavaScript: out through `JSON.parse`, as objects come in through `JSON.stringify`.
fn give<T: Serialize>(value: &T) -> Result<JsValue, JsValue> {
    let text = serde_json::to_string(value).map_err(|error| failed("internal", &error.to_string()))?;
    JSON::parse(&text)
}

fn failed(code: &str, message: &str) -> JsValue {
    let error = Error::new(message);
    // Setting a property of a fresh object cannot fail.
    let _ = Reflect::set(&error, &"code".into(), &code.into());
    error.into()
}

fn refused(code: &str, problems: &Problems) -> JsValue {
    let error = failed(code, &problems.to_string());
    if let Ok(list) = give(problems) {
        let _ = Reflect::set(&error, &"problems".into(), &list);
    }
    error
}
