//! The codes of problems and of failed calls.

use gbac_analysis::check::CheckError;
use gbac_engine::claim_path::ClaimPathError;
use gbac_engine::groups::NestedGroupBehaviorError;
use gbac_engine::json::JsonError;
use gbac_engine::mapping::MappingError;
use gbac_engine::model::{
    AclError, DialectError, HostError, KafkaVersionError, PrincipalError, RoleError,
};
use gbac_engine::policy::{ChangeError, GrantError, SettingsError};
#[cfg(feature = "verify")]
use gbac_engine::verify::{KeySetError, VerifyError};
use gbac_engine::{InstantError, ResolveError};

gbac_engine::code_table! {
    /// The stable code of a problem; docs/policy-document.md describes each.
    ProblemCode {
        EMPTY_NAME = "empty_name",
        EXCLUSIVE_MEMBERS = "exclusive_members",
        IDENTITY_WAYS = "identity_ways",
        INSTANT_MISSING = "instant_missing",
        KAFKA_VERSION_UNUSED = "kafka_version_unused",
        MISSING_MEMBER = "missing_member",
        UNKNOWN_MEMBER = "unknown_member",
        UNKNOWN_VALUE = "unknown_value",
        UNSUPPORTED_VERSION = "unsupported_version",
        USERINFO_UNUSED = "userinfo_unused",
        WRONG_TYPE = "wrong_type",
    } of {
        AclError, ChangeError, ClaimPathError, DialectError, GrantError, HostError, InstantError, JsonError, KafkaVersionError, MappingError, NestedGroupBehaviorError,
        PrincipalError, RoleError, SettingsError,
    }
}

gbac_engine::code_table! {
    /// The stable code of a failed call.
    FaultCode {
        POLICY_INVALID = "policy_invalid",
        CHECK_INVALID = "check_invalid",
        IDENTITY_INVALID = "identity_invalid",
        CHANGE_INVALID = "change_invalid",
        REQUEST_HAS_NO_EXPLANATION = "request_has_no_explanation",
        REQUEST_NOT_TAKEN = "request_not_taken",
        REQUEST_HAS_CHOICE = "request_has_choice",
        WRONG_TYPE = "wrong_type",
    } of {
        ChangeError, CheckError, HostError, InstantError, NestedGroupBehaviorError, PrincipalError, ResolveError,
        #[cfg(feature = "verify")] KeySetError,
        #[cfg(feature = "verify")] VerifyError,
    }
}
