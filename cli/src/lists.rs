//! Lists in flags: entries with commas between them, and principals whose type may be left out.

use gbac_engine::model::{Principal, PrincipalError, PrincipalType};

use crate::output::Failure;

/// The entries of a flag that may be repeated and takes lists; an entry with a comma is in double quotes (RFC 4180).
pub(crate) fn entries(flag: &str, values: &[String]) -> Result<Vec<String>, Failure> {
    let mut entries = Vec::new();
    for value in values {
        // The reader forgives a quote that is not closed, and would read on over the commas.
        if !value.matches('"').count().is_multiple_of(2) {
            return Err(Failure::usage(format!(
                "{flag}: a double quote in `{value}` is not closed; write two for one"
            )));
        }
        let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(value.as_bytes());
        let mut records = reader.records();
        match (records.next(), records.next()) {
            (Some(Ok(record)), None) if record.iter().all(|entry| !entry.is_empty()) => {
                entries.extend(record.iter().map(str::to_owned));
            }
            (_, Some(_)) => return Err(Failure::usage(format!("{flag}: a list has no line breaks"))),
            _ => return Err(Failure::usage(format!("{flag}: an entry of `{value}` is empty"))),
        }
    }
    Ok(entries)
}

/// Reads a principal; without a type it is a user (D-41). What looks like a type and is none is a slip: in another letter
/// case, or a capitalized word such as `Groups`.
pub(crate) fn principal(flag: &str, text: &str) -> Result<Principal, Failure> {
    match Principal::parse(text) {
        Ok(principal) => Ok(principal),
        Err(PrincipalError::NoType(_)) => Ok(Principal::user(text)),
        Err(error @ PrincipalError::UnknownType(_)) if looks_like_a_type(text) => Err(Failure::usage(format!(
            "{flag}: {error}; {}; for a user of that name write `User:{text}`",
            error.hint()
        ))),
        Err(PrincipalError::UnknownType(word)) if !is_nearly_a_type(&word) => Ok(Principal::user(text)),
        Err(error) => Err(Failure::usage(format!("{flag}: {error}; {}", error.hint()))),
    }
}

fn looks_like_a_type(text: &str) -> bool {
    let word = text.split(':').next().unwrap_or_default();
    word.starts_with(|first: char| first.is_ascii_uppercase())
        && word.chars().all(|letter| letter.is_ascii_alphabetic())
}

fn is_nearly_a_type(word: &str) -> bool {
    let types = PrincipalType::ALL.iter().map(|kind| kind.prefix()).chain(["RedpandaRole"]);
    types.into_iter().any(|kind| kind.eq_ignore_ascii_case(word))
}

/// Reads a list of principals.
pub(crate) fn principals(flag: &str, values: &[String]) -> Result<Vec<Principal>, Failure> {
    entries(flag, values)?.iter().map(|text| principal(flag, text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(values: &[&str]) -> Result<Vec<String>, String> {
        let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        entries("--x", &values).map_err(|failure| failure.to_string())
    }

    #[test]
    fn commas_separate_unless_they_are_quoted() {
        assert_eq!(read(&["a,b", "c"]).unwrap(), ["a", "b", "c"]);
        assert_eq!(read(&[r#""Group:eng,fin",alice"#]).unwrap(), ["Group:eng,fin", "alice"]);
        assert_eq!(read(&[r#""say ""hi""""#]).unwrap(), [r#"say "hi""#]);
        assert_eq!(read(&["a b, c"]).unwrap(), ["a b", " c"], "blanks belong to names");
        for bad in ["", "a,,b", ",", "\"\"", "\"a,b", "a\nb"] {
            assert!(read(&[bad]).unwrap_err().starts_with("--x: "), "{bad:?}");
        }
    }

    #[test]
    fn a_principal_without_a_type_is_a_user() {
        let read = |text| principal("--x", text).map(|principal| principal.to_string()).map_err(|e| e.to_string());
        for (text, principal) in [
            ("alice", "User:alice"),
            ("User:alice", "User:alice"),
            ("Group:/a:b", "Group:/a:b"),
            ("RedpandaRole:dev", "Role:dev"),
            ("urn:x", "User:urn:x"),
            ("*", "User:*"),
        ] {
            assert_eq!(read(text).unwrap(), principal);
        }
        for text in ["group:eng", "GROUP:eng", "Group:", "redpandarole:x", "Groups:eng", "Foo:bar"] {
            assert!(read(text).unwrap_err().starts_with("--x: "), "{text}");
        }
        assert!(read("Groups:eng").unwrap_err().ends_with("for a user of that name write `User:Groups:eng`"));
    }
}
