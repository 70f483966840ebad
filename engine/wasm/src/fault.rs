//! Why a call gives nothing. The text waits here until `www/` throws it, so that wasm itself throws only when it fails, and
//! every exception of a call means that its module is never called again.

use std::cell::Cell;
use std::fmt::Display;

use gbac_analysis::audit::without_credentials;
use gbac_json::{FaultCode, FaultJson, Problems};
use serde::Serialize;
use wasm_bindgen::prelude::*;

thread_local! {
    static FAULT: Cell<String> = const { Cell::new(String::new()) };
}

/// Why a call gives nothing, as JSON text.
pub(crate) struct Fault(String);

impl Fault {
    /// What was found may be a token in a place where something else belongs, and no message repeats one.
    pub(crate) fn new(code: FaultCode, message: &dyn Display) -> Self {
        let message = without_credentials(&message.to_string());
        Self(text(&FaultJson { code: code.into(), message, problems: &[] }))
    }

    /// An error, and what to do about it.
    pub(crate) fn with_hint<'e, E: Display>(error: &'e E, hint: &str) -> Self
    where
        FaultCode: From<&'e E>,
    {
        Self::new(error.into(), &format_args!("{error}; {hint}"))
    }

    pub(crate) fn problems(code: FaultCode, problems: &Problems) -> Self {
        Self(text(&FaultJson { code: code.into(), message: problems.to_string(), problems: &problems.0 }))
    }
}

impl<'e, E: Display> From<&'e E> for Fault
where
    FaultCode: From<&'e E>,
{
    fn from(error: &'e E) -> Self {
        Self::new(error.into(), error)
    }
}

/// The value; without one `takeFault` says why.
pub(crate) fn given<T>(result: Result<T, Fault>) -> Option<T> {
    result.map_err(|fault| FAULT.set(fault.0)).ok()
}

/// Why the last call gave nothing, as the JSON text of `code`, `message` and `problems`; given away once.
#[wasm_bindgen(js_name = takeFault)]
#[must_use]
pub fn take_fault() -> String {
    FAULT.take()
}

/// A value as JSON text; none of ours fails to be written.
pub(crate) fn text<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
