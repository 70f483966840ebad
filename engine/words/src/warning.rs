//! Warnings about tokens, groups and names, beside their messages.

use gbac_engine::groups::ClaimSource;
use gbac_engine::warning::WarningCode;

use crate::sign_in::TOKEN_REFUSED;

/// What a kind of warning is called, and the hint beside its message. A remark has no title.
pub const fn meaning(code: WarningCode, source: &ClaimSource) -> (&'static str, &'static str) {
    match code {
        WarningCode::GroupOverage => (
            "The groups of this user are unknown",
            "In Entra ID, this happens above 200 groups",
        ),
        WarningCode::IdToken => (
            "This looks like an ID token",
            "Copy the access token of the same sign-in. Both are in the token response, as `id_token` and `access_token`",
        ),
        WarningCode::ClaimMissing => ("No claim contains group names", ""),
        WarningCode::ClaimWrongType => ("The claim is not a list of names", ""),
        WarningCode::ElementNotString => ("The list contains values that are not names", ""),
        WarningCode::TooManyNodes => ("The claim is too large", ""),
        WarningCode::NearClaim => match source {
            ClaimSource::Token(_) => ("Another claim contains names", ""),
            ClaimSource::UserInfo(_) => (
                "Another member of the user-info document contains names",
                "",
            ),
        },
        WarningCode::EncodedList => ("The list is written in one string", ""),
        WarningCode::GroupPrefix => ("`Group:` is part of a name", ""),
        WarningCode::HiddenCharacter => ("An invisible character is part of a name", ""),
        WarningCode::ListInName => ("This may be a list", ""),
        WarningCode::NameSplit => ("A distinguished name is split", ""),
        WarningCode::SuffixEmpty => ("Nothing follows the last slash", ""),
        WarningCode::EdgeWhitespace => ("A space is part of a name", ""),
        WarningCode::KidMissing | WarningCode::TypRefused => (TOKEN_REFUSED, ""),
        WarningCode::DuplicateGroup
        | WarningCode::EmptyName
        | WarningCode::EmptyPart
        | WarningCode::PlatformAlg
        | WarningCode::PlatformEmptyPart
        | WarningCode::PlatformMapping
        | WarningCode::PlatformPath
        | WarningCode::PlatformTyp => ("", ""),
        WarningCode::BlanksRemoved
        | WarningCode::ExpiryUnreadable
        | WarningCode::InvisibleRemoved
        | WarningCode::SuffixCollision
        | WarningCode::SurroundingTextRemoved
        | WarningCode::TokenResponse => ("Check this", ""),
    }
}
