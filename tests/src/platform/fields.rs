//! Messages in JSON, and their errors over REST and Connect.

use serde_json::{Map, Value, json};

use super::state::Binding;
use super::wire::HttpAnswer;

/// The words of an enumeration, by number.
pub(super) struct Words(&'static str, &'static [&'static str]);

pub(super) const RESOURCE_TYPES: Words = Words(
    "RESOURCE_TYPE_",
    &[
        "UNSPECIFIED",
        "ANY",
        "TOPIC",
        "GROUP",
        "CLUSTER",
        "TRANSACTIONAL_ID",
        "DELEGATION_TOKEN",
        "USER",
        "REGISTRY",
        "SUBJECT",
    ],
);
pub(super) const PATTERN_TYPES: Words = Words(
    "RESOURCE_PATTERN_TYPE_",
    &["UNSPECIFIED", "ANY", "MATCH", "LITERAL", "PREFIXED"],
);
pub(super) const OPERATIONS: Words = Words(
    "OPERATION_",
    &[
        "UNSPECIFIED",
        "ANY",
        "ALL",
        "READ",
        "WRITE",
        "CREATE",
        "DELETE",
        "ALTER",
        "DESCRIBE",
        "CLUSTER_ACTION",
        "DESCRIBE_CONFIGS",
        "ALTER_CONFIGS",
        "IDEMPOTENT_WRITE",
        "CREATE_TOKENS",
        "DESCRIBE_TOKENS",
    ],
);
pub(super) const PERMISSIONS: Words =
    Words("PERMISSION_TYPE_", &["UNSPECIFIED", "ANY", "DENY", "ALLOW"]);

impl Words {
    /// The word of a member, by name or number; an absent one is the first.
    pub(super) fn read(&self, message: &Value, field: &str) -> Result<&'static str, Fault> {
        let Self(prefix, words) = self;
        let invalid = || {
            Fault::invalid(
                field,
                &format!("invalid value for enum field {field}: {}", message[field]),
            )
        };
        let number = match &message[field] {
            Value::Null => 0,
            Value::Number(number) => number
                .as_u64()
                .and_then(|number| usize::try_from(number).ok())
                .ok_or_else(invalid)?,
            Value::String(text) => text
                .strip_prefix(prefix)
                .and_then(|word| words.iter().position(|known| *known == word))
                .ok_or_else(invalid)?,
            _ => return Err(invalid()),
        };
        words.get(number).copied().ok_or_else(invalid)
    }

    /// A word as the platform writes it.
    pub(super) fn written(&self, word: &str) -> String {
        format!("{}{word}", self.0)
    }
}

/// The text of a member; an absent one is empty.
pub(super) fn text<'a>(message: &'a Value, field: &str) -> &'a str {
    message[field].as_str().unwrap_or_default()
}

/// Changes the names of all members.
pub(super) fn renamed(value: &Value, rename: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (rename(name), renamed(value, rename)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(items) => items.iter().map(|item| renamed(item, rename)).collect(),
        value => value.clone(),
    }
}

/// A name in `snake_case`.
pub(super) fn snake(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

/// A name in `lowerCamelCase`.
pub(super) fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |text, word| {
        let (start, rest) = word.split_at(word.len().min(1));
        format!("{text}{}{rest}", start.to_ascii_uppercase())
    })
}

/// Why a call is refused.
#[derive(Debug)]
pub(super) struct Fault {
    code: &'static str,
    reason: &'static str,
    message: String,
    fields: Vec<(String, String)>,
}

impl Fault {
    pub(super) fn new(
        code: &'static str,
        reason: &'static str,
        message: impl Into<String>,
    ) -> Self {
        Self {
            code,
            reason,
            message: message.into(),
            fields: Vec::new(),
        }
    }

    pub(super) fn invalid(field: &str, why: &str) -> Self {
        let fields = vec![(field.to_owned(), why.to_owned())];
        let message = "provided parameters are invalid".into();
        Self {
            code: "INVALID_ARGUMENT",
            reason: "REASON_INVALID_INPUT",
            message,
            fields,
        }
    }

    const fn status(code: &str) -> u16 {
        match code.as_bytes() {
            b"INVALID_ARGUMENT" | b"FAILED_PRECONDITION" => 400,
            b"UNAUTHENTICATED" => 401,
            b"PERMISSION_DENIED" => 403,
            b"NOT_FOUND" => 404,
            b"ABORTED" | b"ALREADY_EXISTS" => 409,
            b"UNIMPLEMENTED" => 501,
            _ => 500,
        }
    }

    /// The answer over REST.
    pub(super) fn rest(&self) -> HttpAnswer {
        let info = json!({ "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": self.reason,
            "domain": "redpanda.com/dataplane", "metadata": {} });
        let violation = |(field, description): &(String, String)| json!({ "field": field, "description": description });
        let mut details = vec![info];
        if !self.fields.is_empty() {
            details.push(
                json!({ "@type": "type.googleapis.com/google.rpc.BadRequest",
                "field_violations": self.fields.iter().map(violation).collect::<Vec<_>>() }),
            );
        }
        let body = json!({ "code": self.code, "message": self.message, "details": details });
        HttpAnswer::json(Self::status(self.code), &body)
    }

    /// The answer over Connect.
    pub(super) fn connect(&self) -> HttpAnswer {
        let status = Self::status(self.code);
        HttpAnswer::json(
            status,
            &json!({ "code": self.code.to_ascii_lowercase(), "message": self.message }),
        )
    }
}

/// Which ACLs a list or a deletion is about.
pub(super) struct Filter {
    pub(super) resource_type: &'static str,
    pub(super) name: Option<String>,
    pub(super) pattern: &'static str,
    pub(super) principal: Option<String>,
    pub(super) host: Option<String>,
    pub(super) operation: &'static str,
    pub(super) permission: &'static str,
}

impl Filter {
    pub(super) fn read(message: &Value) -> Result<Self, Fault> {
        let optional = |field: &str| message[field].as_str().map(str::to_owned);
        Ok(Self {
            resource_type: RESOURCE_TYPES.read(message, "resource_type")?,
            name: optional("resource_name"),
            pattern: PATTERN_TYPES.read(message, "resource_pattern_type")?,
            principal: optional("principal"),
            host: optional("host"),
            operation: OPERATIONS.read(message, "operation")?,
            permission: PERMISSIONS.read(message, "permission_type")?,
        })
    }

    /// Names are exact, and a principal never expands a wildcard.
    pub(super) fn matches(&self, acl: &Binding) -> bool {
        let word =
            |wanted: &str, found: &str| matches!(wanted, "ANY" | "UNSPECIFIED") || wanted == found;
        let exact = |wanted: &Option<String>, found: &str| {
            wanted.as_deref().is_none_or(|wanted| wanted == found)
        };
        let pattern = match (self.pattern, &self.name) {
            ("MATCH", Some(name)) => {
                let literal = acl.pattern == "LITERAL" && (acl.name == *name || acl.name == "*");
                literal || acl.pattern == "PREFIXED" && name.starts_with(&acl.name)
            }
            ("MATCH", None) => true,
            (pattern, name) => word(pattern, &acl.pattern) && exact(name, &acl.name),
        };
        pattern
            && word(self.resource_type, &acl.resource_type)
            && word(self.operation, &acl.operation)
            && word(self.permission, &acl.permission)
            && exact(&self.principal, &acl.principal)
            && exact(&self.host, &acl.host)
    }
}
