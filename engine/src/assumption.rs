//! What a decision takes for granted, because nobody has checked it.

use strum::{IntoStaticStr, VariantArray, VariantNames};

/// A fact about a token that was not checked, on which a decision depends.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    IntoStaticStr,
    VariantArray,
    VariantNames,
)]
#[strum(serialize_all = "snake_case")]
pub enum Assumption {
    /// The signature is valid.
    Signature,
    /// The token is from the right issuer.
    Issuer,
    /// The token is for the right audience.
    Audience,
    /// The token has not expired.
    Expiry,
}

/// Assumptions, in the order of [`Assumption`]; none for users and groups that were given by name.
///
/// ```
/// use gbac_engine::identity::IdentityRules;
/// use gbac_engine::token::UnverifiedClaims;
/// use gbac_engine::{Assumption, At, ClaimSet, Identity};
///
/// let claims = UnverifiedClaims::from(ClaimSet::parse(r#"{ "sub": "ana", "exp": 1900000000 }"#)?);
/// let (ana, _) = Identity::from_unverified(&claims, None, &IdentityRules::default()).unwrap();
/// assert!(ana.assumed(At::seconds(1_800_000_000.0)).iter().eq([
///     Assumption::Signature, Assumption::Issuer, Assumption::Audience,
/// ]));
/// assert!(ana.assumed(At::IgnoringExpiry).contains(Assumption::Expiry));
/// # Ok::<(), gbac_engine::ClaimSetError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Assumptions(u8);

impl Assumptions {
    /// Those of a token of which nothing was checked but its time.
    pub(crate) const UNVERIFIED: Self = Self(0b0111);

    /// These, and one more if the condition holds.
    #[must_use]
    pub(crate) const fn with_if(self, condition: bool, assumption: Assumption) -> Self {
        if condition {
            Self(self.0 | 1 << assumption as u8)
        } else {
            self
        }
    }

    /// Whether nothing is assumed.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether this is assumed.
    #[must_use]
    pub const fn contains(self, assumption: Assumption) -> bool {
        self.0 & 1 << assumption as u8 != 0
    }

    /// Each of them.
    pub fn iter(self) -> impl Iterator<Item = Assumption> {
        <Assumption as VariantArray>::VARIANTS
            .iter()
            .copied()
            .filter(move |assumption| self.contains(*assumption))
    }
}
