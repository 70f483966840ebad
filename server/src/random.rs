//! Random bytes from the operating system.

use std::io;

use rand_core::{OsRng, RngCore};

/// An array of random bytes.
///
/// # Errors
/// The operating system provides none.
pub(crate) fn bytes<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    OsRng
        .try_fill_bytes(&mut bytes)
        .map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes)
}

/// Lowercase hexadecimal digits of bytes.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
    digits
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect()
}
