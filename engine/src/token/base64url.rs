//! base64url without padding (RFC 7515 section 2).

/// Decoded base64url.
pub(crate) struct Decoded {
    pub(crate) bytes: Vec<u8>,
    /// Whether the bits after the last byte are not all zero, as encoders write them.
    pub(crate) spare_bits: bool,
}

/// Decodes a text.
///
/// # Errors
/// The offset of the first byte that is not base64url; the length of the text if it ends in the
/// middle of a byte.
pub(crate) fn decode(text: &str) -> Result<Decoded, usize> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    // The bits that do not fill a byte yet, and their number.
    let (mut rest, mut count) = (0_u32, 0_u32);
    for (offset, character) in text.bytes().enumerate() {
        let value = match character {
            b'A'..=b'Z' => character - b'A',
            b'a'..=b'z' => character - b'a' + 26,
            b'0'..=b'9' => character - b'0' + 52,
            b'-' => 62,
            b'_' => 63,
            _ => return Err(offset),
        };
        rest = rest << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            let [.., byte] = (rest >> count).to_be_bytes();
            bytes.push(byte);
            rest &= (1 << count) - 1;
        }
    }
    // A single character has only six bits.
    if count == 6 {
        Err(text.len())
    } else {
        Ok(Decoded {
            bytes,
            spare_bits: rest != 0,
        })
    }
}

/// Decodes a text and refuses spare bits, so that each value has only one spelling.
///
/// # Errors
/// As for [`decode`], and the offset of the last byte if spare bits are not zero.
pub(crate) fn decode_strict(text: &str) -> Result<Vec<u8>, usize> {
    let decoded = decode(text)?;
    if decoded.spare_bits {
        Err(text.len() - 1)
    } else {
        Ok(decoded.bytes)
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use proptest::prelude::*;

    use super::{decode, decode_strict};

    #[test]
    fn errors_have_an_offset() {
        for (text, fault) in [
            ("a", 1),
            ("aaaaa", 5),
            ("aa=", 2),
            ("a+aa", 1),
            ("aaa ", 3),
            ("aaé", 2),
            ("ab", 1),
        ] {
            assert_eq!(decode_strict(text), Err(fault), "{text}");
        }
        assert!(decode("ab").is_ok_and(|decoded| decoded.bytes == [0x69] && decoded.spare_bits));
    }

    proptest! {
        #[test]
        fn agrees_with_the_crate(text in "[A-Za-z0-9_=+-]{0,12}", bytes in any::<Vec<u8>>()) {
            prop_assert_eq!(decode_strict(&text).ok(), URL_SAFE_NO_PAD.decode(&text).ok());
            prop_assert_eq!(decode_strict(&URL_SAFE_NO_PAD.encode(&bytes)), Ok(bytes));
        }
    }
}
