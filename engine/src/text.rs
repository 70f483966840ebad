//! String functions that are smaller in wasm than those of the standard library.

/// Whether two texts are equal. Compares eight bytes at a time, because the comparison of wasm goes
/// byte by byte.
#[inline]
pub(crate) fn equal(a: &[u8], b: &[u8]) -> bool {
    let ((a, rest_of_a), (b, rest_of_b)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
    a.len() == b.len()
        && rest_of_a.len() == rest_of_b.len()
        && a.iter().zip(b).all(|(a, b)| word(a) == word(b))
        && rest_of_a.iter().zip(rest_of_b).all(|(a, b)| a == b)
}

/// As `str::contains`, without its 2 KB of wasm.
pub(crate) fn holds(text: &str, part: &str) -> bool {
    part.is_empty()
        || text
            .as_bytes()
            .windows(part.len())
            .any(|window| window == part.as_bytes())
}

/// As `str::split_once` for an ASCII character, with less wasm.
pub(crate) fn split_first(text: &str, character: u8) -> Option<(&str, &str)> {
    let index = text.bytes().position(|byte| byte == character)?;
    Some((text.get(..index)?, text.get(index + 1..)?))
}

/// As `str::rsplit_once` for an ASCII character, without its 1 KB of wasm.
pub(crate) fn split_last(text: &str, character: u8) -> Option<(&str, &str)> {
    let index = text.bytes().rposition(|byte| byte == character)?;
    Some((text.get(..index)?, text.get(index + 1..)?))
}

/// A text in lower case, for comparison. Converts each letter on its own, and a final sigma to a
/// sigma.
pub(crate) fn lower(text: &str) -> String {
    lower_letters(text).collect()
}

/// The letters of [`lower`].
pub(crate) fn lower_letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().map(|c| match c {
        c if c.is_ascii() => c.to_ascii_lowercase(),
        'ς' => 'σ',
        c => lower_letter(c),
    })
}

fn lower_letter(c: char) -> char {
    let code = u32::from(c);
    let after = LOWER.partition_point(|(first, ..)| *first <= code);
    match after.checked_sub(1).and_then(|index| LOWER.get(index)) {
        Some((first, span, step, shift))
            if code - first <= u32::from(*span) && (code - first) % u32::from(*step) == 0 =>
        {
            char::from_u32(code.wrapping_add_signed(*shift)).unwrap_or(c)
        }
        _ => c,
    }
}

/// Series of letters with a lower case: the first letter, the distance to the last, the step
/// between letters, and the distance to the lower case. This needs a fifth of the 11 KB of wasm of
/// `char::to_lowercase`; a test compares the two.
#[rustfmt::skip]
const LOWER: &[(u32, u16, u16, i32)] = &[
    (0x41, 25, 1, 32), (0xc0, 22, 1, 32), (0xd8, 6, 1, 32), (0x100, 46, 2, 1), (0x132, 4, 2, 1), (0x139, 14, 2, 1),
    (0x14a, 44, 2, 1), (0x178, 0, 1, -121), (0x179, 4, 2, 1), (0x181, 0, 1, 210), (0x182, 2, 2, 1),
    (0x186, 0, 1, 206), (0x187, 0, 1, 1), (0x189, 1, 1, 205), (0x18b, 0, 1, 1), (0x18e, 0, 1, 79),
    (0x18f, 0, 1, 202), (0x190, 0, 1, 203), (0x191, 0, 1, 1), (0x193, 0, 1, 205), (0x194, 0, 1, 207),
    (0x196, 0, 1, 211), (0x197, 0, 1, 209), (0x198, 0, 1, 1), (0x19c, 0, 1, 211), (0x19d, 0, 1, 213),
    (0x19f, 0, 1, 214), (0x1a0, 4, 2, 1), (0x1a6, 0, 1, 218), (0x1a7, 0, 1, 1), (0x1a9, 0, 1, 218),
    (0x1ac, 0, 1, 1), (0x1ae, 0, 1, 218), (0x1af, 0, 1, 1), (0x1b1, 1, 1, 217), (0x1b3, 2, 2, 1),
    (0x1b7, 0, 1, 219), (0x1b8, 0, 1, 1), (0x1bc, 0, 1, 1), (0x1c4, 0, 1, 2), (0x1c5, 0, 1, 1), (0x1c7, 0, 1, 2),
    (0x1c8, 0, 1, 1), (0x1ca, 0, 1, 2), (0x1cb, 16, 2, 1), (0x1de, 16, 2, 1), (0x1f1, 0, 1, 2), (0x1f2, 2, 2, 1),
    (0x1f6, 0, 1, -97), (0x1f7, 0, 1, -56), (0x1f8, 38, 2, 1), (0x220, 0, 1, -130), (0x222, 16, 2, 1),
    (0x23a, 0, 1, 10795), (0x23b, 0, 1, 1), (0x23d, 0, 1, -163), (0x23e, 0, 1, 10792), (0x241, 0, 1, 1),
    (0x243, 0, 1, -195), (0x244, 0, 1, 69), (0x245, 0, 1, 71), (0x246, 8, 2, 1), (0x370, 2, 2, 1),
    (0x376, 0, 1, 1), (0x37f, 0, 1, 116), (0x386, 0, 1, 38), (0x388, 2, 1, 37), (0x38c, 0, 1, 64),
    (0x38e, 1, 1, 63), (0x391, 16, 1, 32), (0x3a3, 8, 1, 32), (0x3cf, 0, 1, 8), (0x3d8, 22, 2, 1),
    (0x3f4, 0, 1, -60), (0x3f7, 0, 1, 1), (0x3f9, 0, 1, -7), (0x3fa, 0, 1, 1), (0x3fd, 2, 1, -130),
    (0x400, 15, 1, 80), (0x410, 31, 1, 32), (0x460, 32, 2, 1), (0x48a, 52, 2, 1), (0x4c0, 0, 1, 15),
    (0x4c1, 12, 2, 1), (0x4d0, 94, 2, 1), (0x531, 37, 1, 48), (0x10a0, 37, 1, 7264), (0x10c7, 0, 1, 7264),
    (0x10cd, 0, 1, 7264), (0x13a0, 79, 1, 38864), (0x13f0, 5, 1, 8), (0x1c89, 0, 1, 1), (0x1c90, 42, 1, -3008),
    (0x1cbd, 2, 1, -3008), (0x1e00, 148, 2, 1), (0x1e9e, 0, 1, -7615), (0x1ea0, 94, 2, 1), (0x1f08, 7, 1, -8),
    (0x1f18, 5, 1, -8), (0x1f28, 7, 1, -8), (0x1f38, 7, 1, -8), (0x1f48, 5, 1, -8), (0x1f59, 6, 2, -8),
    (0x1f68, 7, 1, -8), (0x1f88, 7, 1, -8), (0x1f98, 7, 1, -8), (0x1fa8, 7, 1, -8), (0x1fb8, 1, 1, -8),
    (0x1fba, 1, 1, -74), (0x1fbc, 0, 1, -9), (0x1fc8, 3, 1, -86), (0x1fcc, 0, 1, -9), (0x1fd8, 1, 1, -8),
    (0x1fda, 1, 1, -100), (0x1fe8, 1, 1, -8), (0x1fea, 1, 1, -112), (0x1fec, 0, 1, -7), (0x1ff8, 1, 1, -128),
    (0x1ffa, 1, 1, -126), (0x1ffc, 0, 1, -9), (0x2126, 0, 1, -7517), (0x212a, 0, 1, -8383), (0x212b, 0, 1, -8262),
    (0x2132, 0, 1, 28), (0x2160, 15, 1, 16), (0x2183, 0, 1, 1), (0x24b6, 25, 1, 26), (0x2c00, 47, 1, 48),
    (0x2c60, 0, 1, 1), (0x2c62, 0, 1, -10743), (0x2c63, 0, 1, -3814), (0x2c64, 0, 1, -10727), (0x2c67, 4, 2, 1),
    (0x2c6d, 0, 1, -10780), (0x2c6e, 0, 1, -10749), (0x2c6f, 0, 1, -10783), (0x2c70, 0, 1, -10782),
    (0x2c72, 0, 1, 1), (0x2c75, 0, 1, 1), (0x2c7e, 1, 1, -10815), (0x2c80, 98, 2, 1), (0x2ceb, 2, 2, 1),
    (0x2cf2, 0, 1, 1), (0xa640, 44, 2, 1), (0xa680, 26, 2, 1), (0xa722, 12, 2, 1), (0xa732, 60, 2, 1),
    (0xa779, 2, 2, 1), (0xa77d, 0, 1, -35332), (0xa77e, 8, 2, 1), (0xa78b, 0, 1, 1), (0xa78d, 0, 1, -42280),
    (0xa790, 2, 2, 1), (0xa796, 18, 2, 1), (0xa7aa, 0, 1, -42308), (0xa7ab, 0, 1, -42319), (0xa7ac, 0, 1, -42315),
    (0xa7ad, 0, 1, -42305), (0xa7ae, 0, 1, -42308), (0xa7b0, 0, 1, -42258), (0xa7b1, 0, 1, -42282),
    (0xa7b2, 0, 1, -42261), (0xa7b3, 0, 1, 928), (0xa7b4, 14, 2, 1), (0xa7c4, 0, 1, -48), (0xa7c5, 0, 1, -42307),
    (0xa7c6, 0, 1, -35384), (0xa7c7, 2, 2, 1), (0xa7cb, 0, 1, -42343), (0xa7cc, 14, 2, 1), (0xa7dc, 0, 1, -42561),
    (0xa7f5, 0, 1, 1), (0xff21, 25, 1, 32), (0x10400, 39, 1, 40), (0x104b0, 35, 1, 40), (0x10570, 10, 1, 39),
    (0x1057c, 14, 1, 39), (0x1058c, 6, 1, 39), (0x10594, 1, 1, 39), (0x10c80, 50, 1, 64), (0x10d50, 21, 1, 32),
    (0x118a0, 31, 1, 32), (0x16e40, 31, 1, 32), (0x16ea0, 24, 1, 27), (0x1e900, 33, 1, 34),
];

/// A number of up to five digits, without a sign and without leading zeros.
pub(crate) fn plain_number(text: &str) -> Option<u32> {
    let is_plain = matches!(text.len(), 1..=5) && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = is_plain.then(|| text.parse().ok())??;
    (text == "0" || !text.starts_with('0')).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::{holds, lower, lower_letter};

    #[test]
    fn a_text_contains_its_parts() {
        for (text, part) in [
            ("", ""),
            ("abc", ""),
            ("abc", "c"),
            ("abc", "abc"),
            ("aab", "ab"),
        ] {
            assert!(holds(text, part), "{text} {part}");
        }
        for (text, part) in [("", "a"), ("ab", "abc"), ("abc", "ac")] {
            assert!(!holds(text, part), "{text} {part}");
        }
    }

    #[test]
    fn names_are_equal_in_lower_case() {
        assert_eq!(lower("/Équipe/STRASSE"), "/équipe/strasse");
        assert_eq!(lower("ΟΔΟΣ"), lower("οδος"));
    }

    #[test]
    fn the_table_equals_the_standard_library() {
        for c in '\0'..=char::MAX {
            let mut letters = c.to_lowercase();
            match (letters.next(), letters.next()) {
                (Some(lower), None) => assert_eq!(lower_letter(c), lower, "{c}"),
                // A letter and a mark.
                _ => assert_eq!(c, 'İ'),
            }
        }
    }
}
