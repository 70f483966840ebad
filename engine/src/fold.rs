//! Letter case, for those who ask what was nearly meant.

/// A text in lower case, letter by letter, for comparing: a final sigma is a sigma.
///
/// Not `str::to_lowercase`, which brings 4 KB of wasm for where a sigma is final.
pub(crate) fn lower(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).map(|c| if c == 'ς' { 'σ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::lower;

    #[test]
    fn every_spelling_of_a_name_is_one() {
        assert_eq!(lower("/Équipe/STRASSE-İ"), "/équipe/strasse-i̇");
        assert_eq!(lower("ΟΔΟΣ"), lower("οδος"));
    }
}
