//! What regular expressions of ECMAScript, which the platform compiles, do not have (D-29).

/// The first part of an expression that ECMAScript does not have: a quantifier after a quantifier or
/// an anchor, a group with flags or a name, an escaped letter without a meaning.
pub(super) fn foreign_syntax(pattern: &str) -> Option<&str> {
    let bytes = pattern.as_bytes();
    let (mut at, mut is_class) = (0, false);
    // Where the quantifier or the anchor begins that stands before `at`.
    let mut complete: Option<usize> = None;
    while let Some(byte) = bytes.get(at) {
        let next = bytes.get(at + 1).copied().unwrap_or_default();
        let mut length = 1;
        let mut ends = None;
        match byte {
            b'\\' => {
                let braces = matches!(next, b'x' | b'u') && bytes.get(at + 2) == Some(&b'{');
                if braces || next.is_ascii_alphabetic() && !b"bBcdDfnrstvwWSxu".contains(&next) {
                    return pattern.get(at..at + 2);
                }
                length = 2;
            }
            b']' => is_class = false,
            _ if is_class => {}
            b'[' => is_class = true,
            b'(' if next == b'?' && bytes.get(at + 2) != Some(&b':') => {
                return pattern.get(at..at + 3);
            }
            b'^' | b'$' => ends = Some(at),
            b'*' | b'+' | b'?' | b'{' => {
                if let Some(start) = complete {
                    return pattern.get(start..=at);
                }
                ends = Some(at);
                if *byte == b'{' {
                    length = pattern.get(at..)?.find('}')? + 1;
                }
                // A lazy quantifier.
                if bytes.get(at + length) == Some(&b'?') {
                    length += 1;
                }
            }
            _ => {}
        }
        complete = ends;
        at += length;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::foreign_syntax;
    use crate::mapping::PrincipalMapping;

    #[test]
    fn expressions_that_ecmascript_does_not_have_are_found() {
        for (pattern, foreign) in [
            ("([^@]+)@+*", Some("+*")),
            ("a**", Some("**")),
            ("a{2}{3}", Some("{2}{")),
            ("a+?+", Some("+?+")),
            ("^*a", Some("^*")),
            ("(?i)a", Some("(?i")),
            ("(?P<n>a)", Some("(?P")),
            (r"\Aa\z", Some(r"\A")),
            (r"\x{41}", Some(r"\x")),
            (r"([^@]+)@.*?", None),
            (r"(?:a|b){1,2}?c+?\d\/[*+?{^$(]*\\+", None),
            (r"^a$|\bb\x41", None),
        ] {
            let rule = format!("$.sub/{pattern}/x/");
            let mapping = PrincipalMapping::parse(&rule).expect(&rule);
            assert_eq!(foreign_syntax(pattern), foreign, "{pattern}");
            assert_eq!(
                mapping.platform_warning().is_some(),
                foreign.is_some(),
                "{pattern}"
            );
        }
    }
}
