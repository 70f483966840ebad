//! The nearest known name to one that is unknown.

/// How similar two names have to be, as in the parser of the command line.
const LEAST_SIMILARITY: f64 = 0.7;

/// The nearest of several names, if one is similar enough. The letter case does not matter.
pub(crate) fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let rated = names
        .into_iter()
        .map(|name| (strsim::jaro(&word, &name.to_lowercase()), name));
    let near = rated.filter(|(similarity, _)| *similarity > LEAST_SIMILARITY);
    near.max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, name)| name)
}

/// The nearest name as the end of a message; empty if none is similar.
pub(crate) fn hint<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, names).map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested_and_a_distant_one_is_not() {
        let names = ["read", "write", "describe", "describe-configs"];
        for (word, near) in [
            ("wirte", Some("write")),
            ("READ", Some("read")),
            ("describe_config", Some("describe-configs")),
            ("xyz", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, names), near, "{word}");
        }
        assert_eq!(hint("wrte", names), "; did you mean `write`?");
        assert_eq!(hint("zzz", names), "");
    }
}
