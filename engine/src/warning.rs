//! Warnings about tokens, groups and names.

code_table! {
    /// The stable code of a warning; docs/policy-document.md describes each.
    WarningCode {
        EXPIRY_UNREADABLE = "expiry_unreadable",
        CLAIM_MISSING = "claim_missing",
        NEAR_CLAIM = "near_claim",
        GROUP_OVERAGE = "group_overage",
        ID_TOKEN = "id_token",
        CLAIM_WRONG_TYPE = "claim_wrong_type",
        ELEMENT_NOT_STRING = "element_not_string",
        TOO_MANY_NODES = "too_many_nodes",
        EMPTY_NAME = "empty_name",
        EMPTY_PART = "empty_part",
        EDGE_WHITESPACE = "edge_whitespace",
        DUPLICATE_GROUP = "duplicate_group",
        SUFFIX_EMPTY = "suffix_empty",
        SUFFIX_COLLISION = "suffix_collision",
        PLATFORM_PATH = "platform_path",
        PLATFORM_EMPTY_PART = "platform_empty_part",
        PLATFORM_ALG = "platform_alg",
        PLATFORM_TYP = "platform_typ",
        KID_MISSING = "kid_missing",
        TYP_REFUSED = "typ_refused",
        INVISIBLE_REMOVED = "invisible_removed",
        TOKEN_RESPONSE = "token_response",
        SURROUNDINGS_REMOVED = "surroundings_removed",
        BLANKS_REMOVED = "blanks_removed",
    }
}

/// A warning. Warnings never change what is decoded, extracted or decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The stable code.
    pub code: WarningCode,
    /// A sentence in lower case without a final period. Values from the token are in backticks.
    pub message: String,
    /// The location of the element or claim; the first one if the warning is about several.
    pub location: Option<String>,
}

impl Warning {
    pub(crate) fn new(
        code: WarningCode,
        message: impl Into<String>,
        location: Option<String>,
    ) -> Self {
        Self {
            code,
            message: message.into(),
            location,
        }
    }
}

/// Adds a warning.
pub(crate) fn warn(
    warnings: &mut Vec<Warning>,
    code: WarningCode,
    message: String,
    location: Option<String>,
) {
    warnings.push(Warning::new(code, message, location));
}
