//! Lint for policy documents: the findings of the policy, and duplicate entries.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
#[cfg(feature = "typescript")]
use ts_rs::TS;

use super::acl::AclJson;
use super::analysis::strings;
use super::code::Code;
use super::document::policy_from_value;
use super::duplicates::duplicate_entries;
use super::reader::{self, Problems};
use gbac_analysis::{
    Breadth, Finding, FindingCode, Severity, lint, migration_findings, sort_findings,
};
use gbac_engine::Coded;
use gbac_engine::model::Dialect;

/// A rule or setting that probably does not do what was intended.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "Finding", optional_fields)
)]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(rename = "Finding"))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FindingJson {
    /// The stable code.
    pub code: Code<FindingCode>,
    /// `error`, `warning` or `notice`.
    pub severity: Code<Severity>,
    /// The problem.
    pub message: String,
    /// What to do about it.
    pub hint: String,
    /// How much the ACLs of the finding open, if it is about too much access.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breadth: Option<Code<Breadth>>,
    /// The ACL that the finding is about, then the ACLs that cause the problem.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>"))]
    pub acls: Vec<AclJson>,
    /// The principals that the finding is about, each as `Type:name`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(
        feature = "typescript",
        ts(as = "Option<Vec<crate::literal::AclPrincipal>>")
    )]
    pub principals: Vec<String>,
    /// The locations in the document, as JSON Pointers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>"))]
    pub places: Vec<String>,
}

impl From<&Finding> for FindingJson {
    fn from(finding: &Finding) -> Self {
        Self {
            code: finding.code.into(),
            severity: finding.severity.into(),
            message: finding.message.clone(),
            hint: finding.hint.clone(),
            breadth: finding.opening().breadth().map(Code::from),
            acls: finding.acls.iter().map(AclJson::from).collect(),
            principals: strings(&finding.principals),
            places: finding.places.clone(),
        }
    }
}

/// The findings of a policy document, including duplicate entries, which are lost when the policy
/// is read (D-17).
///
/// # Errors
/// The document is not valid: all problems at once.
///
/// ```
/// use gbac_engine::Coded;
/// use gbac_json::lint_from_json;
/// let document = r#"{ "version": 1, "settings": { "superusers": ["admin", "admin"] } }"#;
/// let findings = lint_from_json(document)?;
/// assert_eq!((findings[0].code.code(), findings[0].places[1].as_str()), ("duplicate_superuser", "/settings/superusers/1"));
/// # Ok::<(), gbac_json::Problems>(())
/// ```
pub fn lint_from_json(text: &str) -> Result<Vec<Finding>, Problems> {
    lint_from_value(&reader::parse(text)?)
}

/// The findings of a policy document as one of this dialect, whatever it states. For Kafka, they
/// include the ACLs that begin to match when GBAC decides in the brokers (D-78).
///
/// # Errors
/// The document is not valid, or has something that the dialect lacks: all problems at once.
pub fn lint_in_dialect(text: &str, dialect: Dialect) -> Result<Vec<Finding>, Problems> {
    let mut document = reader::parse(text)?;
    set_dialect(&mut document, dialect);
    let mut findings = lint_from_value(&document)?;
    if dialect == Dialect::Kafka {
        findings.extend(migration_findings(&policy_from_value(&document)?));
        sort_findings(&mut findings);
    }
    Ok(findings)
}

/// States the dialect in a document. Reading it reports a document, or settings, that are not an
/// object.
fn set_dialect(document: &mut Value, dialect: Dialect) {
    let Some(document) = document.as_object_mut() else {
        return;
    };
    if let Some(settings) = document
        .entry("settings")
        .or_insert_with(|| json!({}))
        .as_object_mut()
    {
        settings.insert("dialect".to_owned(), dialect.code().into());
        if dialect != Dialect::Kafka {
            settings.remove("kafka_version");
        }
    }
}

/// The findings of a policy document as a JSON value; see [`lint_from_json`].
///
/// # Errors
/// The document is not valid: all problems at once.
pub fn lint_from_value(document: &Value) -> Result<Vec<Finding>, Problems> {
    let mut findings = lint(&policy_from_value(document)?);
    findings.extend(duplicate_entries(document));
    sort_findings(&mut findings);
    Ok(findings)
}
