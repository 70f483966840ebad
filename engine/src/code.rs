//! Stable codes: the texts that stand for values in JSON, in documents and in logs.

use std::collections::BTreeSet;

use strum::{VariantArray, VariantNames};

use crate::text::equal;

/// A type whose values have stable codes. The code of a value is the name of its variant, by
/// derives of strum, or it is in a table of [`codes`](crate::codes).
pub trait Coded {
    /// The stable code of the value.
    fn code(&self) -> &'static str;

    /// All codes, without duplicates.
    fn codes() -> Vec<&'static str>;

    /// The value with this code; `None` if there is none.
    fn from_code(text: &str) -> Option<Self>
    where
        Self: VariantArray + Copy,
    {
        let mut values = Self::VARIANTS.iter().copied();
        values.find(|value| equal(value.code().as_bytes(), text.as_bytes()))
    }
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

/// Merges own codes with those of other types, sorted and without duplicates.
#[doc(hidden)]
#[must_use]
pub fn merged(own: &[&'static str], of_others: &[fn() -> Vec<&'static str>]) -> Vec<&'static str> {
    let mut codes: BTreeSet<&'static str> = own.iter().copied().collect();
    codes.extend(of_others.iter().flat_map(|codes| codes()));
    codes.into_iter().collect()
}

/// Defines the codes of a type whose codes are not the names of its variants. There are two forms:
/// a table of an error's own codes and of the inner errors whose codes it has; and an enum of codes
/// with the errors whose codes its code in JSON can be, too.
#[doc(hidden)]
#[macro_export]
macro_rules! codes {
    ($vis:vis $type:ident { $($value:pat => $code:literal,)* } $(of { $($shared:pat => $inner:ident: $of:ty,)+ })?) => {
        impl $type {
            /// The stable code.
            #[must_use]
            $vis const fn code(&self) -> &'static str {
                match self {
                    $($value => $code,)*
                    $($($shared => $inner.code(),)+)?
                }
            }
        }

        impl $crate::Coded for $type {
            fn code(&self) -> &'static str {
                Self::code(self)
            }

            fn codes() -> Vec<&'static str> {
                $crate::code::merged(&[$($code),*], &[$($(<$of as $crate::Coded>::codes),+)?])
            }
        }
    };
    ($type:ident as $in_json:ty { $($(#[$cfg:meta])? $error:ty,)+ }) => {
        impl $crate::Coded for $type {
            fn code(&self) -> &'static str {
                self.into()
            }

            fn codes() -> Vec<&'static str> {
                let own: Vec<&str> = <$type as strum::VariantArray>::VARIANTS.iter().map(Into::into).collect();
                $crate::code::merged(&own, &[$($(#[$cfg])? <$error as $crate::Coded>::codes),+])
            }
        }

        $(
            $(#[$cfg])?
            impl From<&$error> for $in_json {
                fn from(error: &$error) -> Self {
                    Self::of_error(error)
                }
            }
        )+
    };
}
