//! The encoding of a file: UTF-8, or UTF-16 as some Windows programs write it.

use thiserror::Error;

/// Why bytes are no text.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EncodingError {
    /// The bytes are not UTF-8, and no byte-order mark says otherwise.
    #[error("not text in UTF-8 from byte {0} on; save the file as UTF-8")]
    Utf8(usize),
    /// After a byte-order mark of UTF-16, the bytes are not UTF-16.
    #[error("the file begins like UTF-16 and is not; save it as UTF-8")]
    Utf16,
    /// The bytes look like UTF-16 without a byte-order mark.
    #[error("the file looks like UTF-16 without a byte-order mark; save it as UTF-8")]
    NoMark,
}

/// Converts the bytes of a file to text, without its byte-order mark.
///
/// ```
/// use gbac_formats::encoding::{EncodingError, decode};
/// assert_eq!(decode(b"\xef\xbb\xbf{}".to_vec()), Ok("{}".to_owned()));
/// assert_eq!(decode(b"\xff\xfe{\0}\0".to_vec()), Ok("{}".to_owned()));
/// assert_eq!(decode(b"\xfe\xff\0{\0}".to_vec()), Ok("{}".to_owned()));
/// assert_eq!(decode(b"ab\xff".to_vec()), Err(EncodingError::Utf8(2)));
/// assert_eq!(decode(b"\xff\xfe{".to_vec()), Err(EncodingError::Utf16));
/// assert_eq!(decode(b"{\0}\0".to_vec()), Err(EncodingError::NoMark));
/// ```
///
/// # Errors
/// If the bytes are no text: see [`EncodingError`].
pub fn decode(bytes: Vec<u8>) -> Result<String, EncodingError> {
    let utf16 = |of: fn([u8; 2]) -> u16| {
        let (pairs, rest) = bytes.get(2..).unwrap_or_default().as_chunks::<2>();
        if !rest.is_empty() {
            return Err(EncodingError::Utf16);
        }
        let units: Vec<u16> = pairs.iter().map(|pair| of(*pair)).collect();
        String::from_utf16(&units).map_err(|_| EncodingError::Utf16)
    };
    match bytes.as_slice() {
        [0xff, 0xfe, ..] => return utf16(u16::from_le_bytes),
        [0xfe, 0xff, ..] => return utf16(u16::from_be_bytes),
        // No text of ours begins with a NUL or has one after its first character.
        [first, second, ..] if (*first == 0) != (*second == 0) => {
            return Err(EncodingError::NoMark);
        }
        _ => {}
    }
    let text = String::from_utf8(bytes)
        .map_err(|error| EncodingError::Utf8(error.utf8_error().valid_up_to()))?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}
