//! Warnings in the service's responses to changes.

use gbac_analysis::Finding;
use gbac_engine::Coded;
use serde::{Deserialize, Serialize};

/// The response header of a warning, if the body has no place for it: [`ChangeWarning::to_header`].
pub const HEADER: &str = "gbac-warning";

/// One warning: a name that a change added probably does not match what its author intended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeWarning {
    /// A stable code, as in `gbac policy lint`.
    pub code: String,
    /// The problem.
    pub message: String,
    /// The recommended correction.
    #[serde(default)]
    pub hint: String,
    /// The `Type:name` of each affected principal.
    #[serde(default)]
    pub principals: Vec<String>,
}

impl From<&Finding> for ChangeWarning {
    fn from(finding: &Finding) -> Self {
        Self {
            code: finding.code.code().into(),
            message: finding.message.clone(),
            hint: finding.hint.clone(),
            principals: finding.principals.iter().map(ToString::to_string).collect(),
        }
    }
}

impl ChangeWarning {
    /// The header value: the warning as JSON, with every non-ASCII character escaped.
    ///
    /// ```
    /// use gbac_api::warning::ChangeWarning;
    ///
    /// let warning = ChangeWarning { code: "x".into(), message: "ü𝄞".into(), hint: String::new(), principals: Vec::new() };
    /// let header = warning.to_header();
    /// assert_eq!(header, r#"{"code":"x","message":"\u00fc\ud834\udd1e","hint":"","principals":[]}"#);
    /// assert_eq!(serde_json::from_str::<ChangeWarning>(&header).unwrap(), warning);
    /// ```
    #[must_use]
    pub fn to_header(&self) -> String {
        let mut ascii = String::new();
        // Serializing strings never fails.
        for c in serde_json::to_string(self).unwrap_or_default().chars() {
            if c.is_ascii() && !c.is_control() {
                ascii.push(c);
            } else {
                let mut units = [0; 2];
                c.encode_utf16(&mut units)
                    .iter()
                    .for_each(|unit| ascii.push_str(&format!("\\u{unit:04x}")));
            }
        }
        ascii
    }
}
