//! The error of the last failed call. `www/` takes it from here and throws it. The module itself
//! never throws for invalid arguments, so an exception of a call always means that the module
//! failed and must not be called again.

use std::cell::Cell;
use std::fmt::Display;

use gbac_analysis::audit::without_credentials;
use gbac_json::{Code, FaultCode, FaultJson, Problems};
use serde::Serialize;
use wasm_bindgen::prelude::*;

thread_local! {
    static FAULT: Cell<String> = const { Cell::new(String::new()) };
}

/// The error of a call, as JSON text.
pub(crate) struct Fault(String);

impl Fault {
    /// Creates an error. Removes credentials from the message, because a token may be pasted as any
    /// argument.
    pub(crate) fn new(code: impl Into<Code<FaultCode>>, message: &dyn Display) -> Self {
        let message = without_credentials(&message.to_string());
        Self(text(&FaultJson {
            code: code.into(),
            message,
            problems: &[],
        }))
    }

    /// Creates an error from an error of the engine and its hint.
    pub(crate) fn with_hint<'e, E: Display>(error: &'e E, hint: &str) -> Self
    where
        Code<FaultCode>: From<&'e E>,
    {
        Self::new(error, &format_args!("{error}; {hint}"))
    }

    pub(crate) fn problems(code: FaultCode, problems: &Problems) -> Self {
        Self(text(&FaultJson {
            code: code.into(),
            message: problems.to_string(),
            problems: &problems.0,
        }))
    }
}

impl<'e, E: Display> From<&'e E> for Fault
where
    Code<FaultCode>: From<&'e E>,
{
    fn from(error: &'e E) -> Self {
        Self::new(error, error)
    }
}

/// The value; for an error, stores it for `takeFault` and returns `None`.
pub(crate) fn ok_or_store<T>(result: Result<T, Fault>) -> Option<T> {
    result.map_err(|fault| FAULT.set(fault.0)).ok()
}

/// Takes the error of the last failed call, as JSON text with `code`, `message` and `problems`;
/// empty if there is none.
#[wasm_bindgen(js_name = takeFault)]
#[must_use]
pub fn take_fault() -> String {
    FAULT.take()
}

/// A value as JSON text. Writing never fails for the types of `gbac-json`.
pub(crate) fn text<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
