//! Checks the bytes of an answer before they are decoded. The decoder reserves memory for as many
//! elements as an array claims to have, so that a few bytes would end the process; what passes here
//! contains every element that it claims.

use crate::error::Malformed;

/// The maximum number of elements in one answer: as many ACLs, and what contains them.
pub(crate) const MAX_ELEMENTS: usize = 4_000_000;

/// A part of a message.
pub(crate) enum Part {
    /// So many bytes.
    Fixed(usize),
    /// A text, or none.
    Text,
    /// Bytes that a length precedes.
    Bytes,
    /// An array of structures.
    Array(&'static [Part]),
    /// An array of numbers of four bytes.
    Numbers,
    /// A structure.
    Structure(&'static [Part]),
    /// Parts that exist since a version.
    Since(i16, &'static [Part]),
    /// Parts that exist up to a version.
    Until(i16, &'static [Part]),
    /// What a tagged field contains, before all other parts of the structure.
    Tagged(u32, &'static [Part]),
}

/// The shape of a message: its parts, and the version since which lengths are varints and
/// structures end with tagged fields.
pub(crate) struct Shape {
    pub(crate) parts: &'static [Part],
    pub(crate) flexible: i16,
}

impl Shape {
    /// Checks that the bytes are one message of this version, and nothing else.
    pub(crate) fn check(&self, version: i16, bytes: &[u8]) -> Result<(), Malformed> {
        let mut reader = Reader::new(bytes, version >= self.flexible);
        let mut walk = Walk {
            version,
            elements: 0,
        };
        walk.structure(self.parts, &mut reader)?;
        if reader.rest().is_empty() {
            Ok(())
        } else {
            Err(Malformed::Rest)
        }
    }
}

struct Walk {
    version: i16,
    elements: usize,
}

impl Walk {
    fn structure(&mut self, parts: &[Part], reader: &mut Reader<'_>) -> Result<(), Malformed> {
        for part in parts {
            self.part(part, reader)?;
        }
        if !reader.is_flexible() {
            return Ok(());
        }
        for _ in 0..reader.varint()? {
            let tag = reader.varint()?;
            let size = reader.varint()? as usize;
            self.count()?;
            let mut field = reader.within(size)?;
            for part in parts {
                if let Part::Tagged(of, inner) = part
                    && *of == tag
                {
                    self.field(inner, &mut field)?;
                }
            }
        }
        Ok(())
    }

    /// A tagged field that the decoder knows, too.
    fn field(&mut self, parts: &[Part], reader: &mut Reader<'_>) -> Result<(), Malformed> {
        for part in parts {
            self.part(part, reader)?;
        }
        if reader.rest().is_empty() {
            Ok(())
        } else {
            Err(Malformed::Rest)
        }
    }

    fn part(&mut self, part: &Part, reader: &mut Reader<'_>) -> Result<(), Malformed> {
        match part {
            Part::Fixed(size) => reader.take(*size).map(drop),
            Part::Text => reader.text().map(drop),
            Part::Bytes => reader.bytes().map(drop),
            Part::Array(parts) => {
                let length = reader.length()?.unwrap_or(0);
                if length > reader.rest().len() {
                    return Err(Malformed::Short);
                }
                for _ in 0..length {
                    self.count()?;
                    self.structure(parts, reader)?;
                }
                Ok(())
            }
            Part::Numbers => {
                let length = reader.length()?.unwrap_or(0);
                if length > MAX_ELEMENTS {
                    return Err(Malformed::TooMany);
                }
                reader.take(4 * length).map(drop)
            }
            Part::Structure(parts) => self.structure(parts, reader),
            Part::Since(version, _) if self.version < *version => Ok(()),
            Part::Until(version, _) if self.version > *version => Ok(()),
            Part::Since(_, parts) | Part::Until(_, parts) => {
                for part in *parts {
                    self.part(part, reader)?;
                }
                Ok(())
            }
            Part::Tagged(..) => Ok(()),
        }
    }

    fn count(&mut self) -> Result<(), Malformed> {
        self.elements += 1;
        if self.elements > MAX_ELEMENTS {
            Err(Malformed::TooMany)
        } else {
            Ok(())
        }
    }
}

/// Reads the types of Kafka's protocol.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    is_flexible: bool,
}

impl<'a> Reader<'a> {
    pub(crate) const fn new(bytes: &'a [u8], is_flexible: bool) -> Self {
        Self {
            rest: bytes,
            is_flexible,
        }
    }

    const fn is_flexible(&self) -> bool {
        self.is_flexible
    }

    /// What has not been read.
    pub(crate) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    fn take(&mut self, size: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.rest.split_at_checked(size).ok_or(Malformed::Short)?;
        self.rest = rest;
        Ok(taken)
    }

    fn within(&mut self, size: usize) -> Result<Self, Malformed> {
        Ok(Self::new(self.take(size)?, self.is_flexible))
    }

    fn fixed<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(Malformed::Short)?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, Malformed> {
        let [byte] = self.fixed()?;
        Ok(byte)
    }

    pub(crate) fn short(&mut self) -> Result<i16, Malformed> {
        Ok(i16::from_be_bytes(self.fixed()?))
    }

    pub(crate) fn int(&mut self) -> Result<i32, Malformed> {
        Ok(i32::from_be_bytes(self.fixed()?))
    }

    /// An unsigned number of at most 32 bits, seven in each byte.
    fn varint(&mut self) -> Result<u32, Malformed> {
        let mut value = 0_u64;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return u32::try_from(value).map_err(|_| Malformed::Length);
            }
        }
        Err(Malformed::Length)
    }

    /// The length of an array or of bytes; `None` for none at all.
    pub(crate) fn length(&mut self) -> Result<Option<usize>, Malformed> {
        if self.is_flexible {
            return Ok(self.varint()?.checked_sub(1).map(|length| length as usize));
        }
        match self.int()? {
            -1 => Ok(None),
            length => usize::try_from(length)
                .map(Some)
                .map_err(|_| Malformed::Length),
        }
    }

    fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let length = self.length()?.unwrap_or(0);
        self.take(length)
    }

    pub(crate) fn text(&mut self) -> Result<Option<&'a str>, Malformed> {
        let length = if self.is_flexible {
            self.varint()?.checked_sub(1).map(|length| length as usize)
        } else {
            match self.short()? {
                -1 => None,
                length => Some(usize::try_from(length).map_err(|_| Malformed::Length)?),
            }
        };
        let Some(length) = length else {
            return Ok(None);
        };
        str::from_utf8(self.take(length)?)
            .map(Some)
            .map_err(|_| Malformed::Utf8)
    }

    /// Steps over tagged fields.
    pub(crate) fn skip_tags(&mut self) -> Result<(), Malformed> {
        for _ in 0..self.varint()? {
            self.varint()?;
            let size = self.varint()? as usize;
            self.take(size)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape {
        parts: &[
            Part::Fixed(2),
            Part::Text,
            Part::Array(&[Part::Fixed(1), Part::Since(3, &[Part::Text])]),
            Part::Tagged(0, &[Part::Array(&[Part::Fixed(2)])]),
        ],
        flexible: 2,
    };

    #[test]
    fn accepts_what_has_its_shape_in_each_version() {
        let fixed = [0, 0, 0, 1, b'a', 0, 0, 0, 2, 7, 8];
        assert_eq!(SHAPE.check(1, &fixed), Ok(()));
        let flexible = [0, 0, 2, b'a', 3, 7, 0, 8, 0, 0];
        assert_eq!(SHAPE.check(2, &flexible), Ok(()));
        let tagged = [0, 0, 0, 1, 2, 0, 4, 2, 0, 1, 0, 5, 1, 9];
        assert_eq!(SHAPE.check(2, &tagged), Ok(()));
        let with_text = [0, 0, 0, 2, 7, 2, b'x', 0, 0];
        assert_eq!(SHAPE.check(3, &with_text), Ok(()));
    }

    #[test]
    fn refuses_lengths_beyond_the_end() {
        let check = |version, bytes: &[u8]| SHAPE.check(version, bytes);
        assert_eq!(
            check(1, &[0, 0, 255, 255, 127, 255, 255, 255]),
            Err(Malformed::Short)
        );
        assert_eq!(
            check(1, &[0, 0, 255, 255, 255, 255, 255, 254]),
            Err(Malformed::Length)
        );
        assert_eq!(
            check(2, &[0, 0, 0, 255, 255, 255, 255, 15, 0]),
            Err(Malformed::Short)
        );
        assert_eq!(
            check(2, &[0, 0, 0, 255, 255, 255, 255, 255, 1]),
            Err(Malformed::Length)
        );
        // An array inside of a tagged field.
        assert_eq!(
            check(2, &[0, 0, 0, 1, 1, 0, 5, 255, 255, 255, 255, 15]),
            Err(Malformed::Short)
        );
        assert_eq!(check(1, &[0, 0, 0, 1, 255]), Err(Malformed::Utf8));
        assert_eq!(
            check(1, &[0, 0, 255, 255, 255, 255, 255, 255, 1]),
            Err(Malformed::Rest)
        );
    }
}
