//! Names of patterns, kept where the pattern is.

use std::str::from_utf8;

/// The longest name that needs no allocation: with it a pattern fills one cache line.
const SHORT: usize = 30;

/// A text that is mostly short.
#[derive(Debug, Clone)]
pub(super) enum Name {
    Short { length: u8, bytes: [u8; SHORT] },
    Long(Box<str>),
}

impl Name {
    #[inline(always)]
    pub(super) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Short { length, bytes } => bytes.get(..usize::from(*length)).unwrap_or_default(),
            Self::Long(text) => text.as_bytes(),
        }
    }

    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Short { .. } => from_utf8(self.as_bytes()).unwrap_or_default(),
            Self::Long(text) => text,
        }
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        let mut bytes = [0; SHORT];
        match bytes.get_mut(..text.len()) {
            Some(short) => {
                short.copy_from_slice(text.as_bytes());
                Self::Short { length: text.len() as u8, bytes }
            }
            None => Self::Long(text.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Name;

    #[test]
    fn a_name_of_any_length_comes_back() {
        for length in 0..100 {
            let text = "é".repeat(length / 2) + &"a".repeat(length % 2);
            let name = Name::from(text.as_str());
            assert_eq!((name.as_str(), name.as_bytes()), (text.as_str(), text.as_bytes()));
        }
        assert_eq!(size_of::<Name>(), 32);
    }
}
