//! The errors of calls, which are negative results.

/// Why a call was refused. It changed nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AbiError {
    /// The bytes are not in a buffer of `gbac_alloc`.
    Address = -1,
    /// A record ends too early, or bytes follow the last one.
    Length = -2,
    /// There is no record of this kind.
    Kind = -3,
    /// A number has no value, or a value that the dialect does not have.
    Value = -4,
    /// A text is not UTF-8.
    Text = -5,
    /// A text is not a principal, or not one that is possible there.
    Principal = -6,
    /// A text is not a host.
    Host = -7,
    /// A text cannot be the name of a role, or of a superuser.
    Name = -8,
    /// No open identity has this handle.
    Handle = -9,
    /// The setting can only be changed before the first ACL or member is added.
    State = -10,
    /// A limit was reached.
    Limit = -11,
    /// A claim path or a principal mapping cannot be used.
    Path = -12,
    /// The claims are not a JSON object.
    Claims = -13,
    /// The claims do not name a user.
    User = -14,
}

impl AbiError {
    /// Every error.
    pub const ALL: &'static [Self] = &[
        Self::Address,
        Self::Length,
        Self::Kind,
        Self::Value,
        Self::Text,
        Self::Principal,
        Self::Host,
        Self::Name,
        Self::Handle,
        Self::State,
        Self::Limit,
        Self::Path,
        Self::Claims,
        Self::User,
    ];

    /// The number that a function returns.
    #[must_use]
    pub const fn code(self) -> i32 {
        self as i32
    }
}
