//! Stable codes: the texts that stand for values in JSON, in documents and in logs.

use std::collections::BTreeSet;

use strum::VariantNames;

/// A type whose values have stable codes. The code of an enum's value is the name of its variant,
/// by strum's derives; other types have a table.
pub trait Coded {
    /// The stable code of the value.
    fn code(&self) -> &'static str;

    /// All codes, without duplicates.
    fn codes() -> Vec<&'static str>;
}

impl<T: VariantNames> Coded for T
where
    for<'a> &'static str: From<&'a T>,
{
    fn code(&self) -> &'static str {
        self.into()
    }

    fn codes() -> Vec<&'static str> {
        T::VARIANTS.to_vec()
    }
}

/// Merges a table's own codes with those of other errors, sorted and without duplicates.
#[doc(hidden)]
#[must_use]
pub fn merged(own: &[&'static str], of_errors: &[fn() -> Vec<&'static str>]) -> Vec<&'static str> {
    let codes: BTreeSet<&'static str> = own
        .iter()
        .copied()
        .chain(of_errors.iter().flat_map(|codes| codes()))
        .collect();
    codes.into_iter().collect()
}

/// Defines the `code` method of an error from a table: its own codes, then the inner errors whose
/// codes it uses.
#[doc(hidden)]
#[macro_export]
macro_rules! error_codes {
    ($vis:vis $error:ident { $($variant:pat => $code:literal,)* } $(of { $($shared:pat => $inner:ident: $of:ty,)+ })?) => {
        impl $error {
            /// The stable code.
            #[must_use]
            $vis const fn code(&self) -> &'static str {
                match self {
                    $($variant => $code,)*
                    $($($shared => $inner.code(),)+)?
                }
            }
        }

        impl $crate::Coded for $error {
            fn code(&self) -> &'static str {
                Self::code(self)
            }

            fn codes() -> Vec<&'static str> {
                $crate::code::merged(&[$($code),*], &[$($(<$of as $crate::Coded>::codes),+)?])
            }
        }
    };
}

/// Defines a type of stable codes from a table: a constant for each of its own codes, then the
/// errors whose codes it includes.
#[doc(hidden)]
#[macro_export]
macro_rules! code_table {
    ($(#[$meta:meta])* $name:ident { $($code:ident = $text:expr,)* } $(of { $($(#[$cfg:meta])? $error:ty),+ $(,)? })?) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(&'static str);

        impl $name {
            $(
                #[doc = concat!("The code of the table's row `", stringify!($code), "`.")]
                pub const $code: Self = Self($text);
            )*

            /// The code as text.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                self.0
            }
        }

        impl $crate::Coded for $name {
            fn code(&self) -> &'static str {
                self.0
            }

            fn codes() -> Vec<&'static str> {
                $crate::code::merged(&[$($text),*], &[$($($(#[$cfg])? <$error as $crate::Coded>::codes),+)?])
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.0)
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                self.0 == *other
            }
        }

        impl From<$name> for &'static str {
            fn from(code: $name) -> Self {
                code.0
            }
        }

        impl From<$name> for String {
            fn from(code: $name) -> Self {
                code.0.to_owned()
            }
        }

        $($(
            $(#[$cfg])?
            impl From<&$error> for $name {
                fn from(error: &$error) -> Self {
                    Self(error.code())
                }
            }
        )+)?
    };
}
