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
use strum::{IntoStaticStr, VariantArray};

use super::code::Code;

/// The stable code of a problem that no error of the engine describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
#[expect(missing_docs, reason = "docs/policy-document.md describes each code")]
pub enum ProblemCode {
    EmptyName,
    ExclusiveMembers,
    OneIdentityRequired,
    NowMissing,
    KafkaVersionUnused,
    MissingMember,
    UnknownMember,
    UnknownValue,
    UnsupportedVersion,
    UserinfoUnused,
    WrongType,
}

gbac_engine::codes! {
    ProblemCode as Code<ProblemCode> {
        AclError,
        ChangeError,
        ClaimPathError,
        DialectError,
        GrantError,
        HostError,
        InstantError,
        JsonError,
        KafkaVersionError,
        MappingError,
        NestedGroupBehaviorError,
        PrincipalError,
        RoleError,
        SettingsError,
    }
}

/// The stable code of a failed call that no error of the engine describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
#[expect(missing_docs, reason = "docs/policy-document.md describes each code")]
pub enum FaultCode {
    ChangeInvalid,
    CheckInvalid,
    IdentityInvalid,
    PolicyInvalid,
    RequestHasChoice,
    RequestHasNoExplanation,
    RequestUnsupported,
    WrongType,
}

gbac_engine::codes! {
    FaultCode as Code<FaultCode> {
        ChangeError,
        CheckError,
        HostError,
        InstantError,
        NestedGroupBehaviorError,
        PrincipalError,
        ResolveError,
        #[cfg(feature = "verify")] KeySetError,
        #[cfg(feature = "verify")] VerifyError,
    }
}
