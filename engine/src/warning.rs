//! What a person should know about a token, its groups or a name, as a value.

/// Something that a person should know. It never changes what is decoded, extracted or decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// A stable name; docs/policy-document.md lists them all.
    pub code: &'static str,
    /// One sentence, lower case, without a final period; what comes from the token is in backticks.
    pub message: String,
    /// The element or claim that it is about; the first, when it is about several.
    pub location: Option<String>,
}

impl Warning {
    pub(crate) fn new(code: &'static str, message: impl Into<String>, location: Option<String>) -> Self {
        Self { code, message: message.into(), location }
    }
}

/// One more warning.
pub(crate) fn warn(warnings: &mut Vec<Warning>, code: &'static str, message: String, location: Option<String>) {
    warnings.push(Warning::new(code, message, location));
}
