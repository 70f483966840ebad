//! Lists in flags: comma-separated entries, and principals with an optional type.

use gbac_engine::model::{Principal, PrincipalError, PrincipalType};
use gbac_formats::name_list::cut_entry;

use crate::output::Failure;
use crate::suggest;

/// The entries of a repeatable list flag; an entry with a comma is in double quotes (RFC 4180).
pub(crate) fn entries(flag: &str, values: &[String]) -> Result<Vec<String>, Failure> {
    let mut entries = Vec::new();
    for value in values {
        if !value.is_empty() && !value.contains([',', '"']) {
            entries.push(value.clone());
            continue;
        }
        if value.contains(['\n', '\r']) && !value.contains('"') {
            return Err(Failure::usage(format!(
                "{flag}: a list cannot contain line breaks; quote the entry, or repeat the flag"
            )));
        }
        // The CSV reader would accept an unclosed quote and ignore the commas after it.
        if !value.matches('"').count().is_multiple_of(2) {
            return Err(Failure::usage(format!(
                "{flag}: a double quote in `{value}` is not closed; quote the whole entry, and double each quote inside it"
            )));
        }
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(value.as_bytes());
        let mut records = reader.records();
        match (records.next(), records.next()) {
            (Some(Ok(record)), None) if record.iter().all(|entry| !entry.is_empty()) => {
                entries.extend(record.iter().map(str::to_owned));
            }
            (_, Some(_)) => {
                return Err(Failure::usage(format!(
                    "{flag}: a list cannot contain line breaks; quote the entry, or repeat the flag"
                )));
            }
            _ => {
                return Err(Failure::usage(format!(
                    "{flag}: an entry of `{value}` is empty; remove it, or quote a name that contains a comma"
                )));
            }
        }
    }
    Ok(entries)
}

/// The entries of a flag for bare names, such as groups. A value that looks like one unquoted
/// distinguished name is refused, because it would be split into unintended groups.
pub(crate) fn bare_names(flag: &str, values: &[String]) -> Result<Vec<String>, Failure> {
    let mut names = Vec::new();
    for value in values {
        let entries = entries(flag, std::slice::from_ref(value))?;
        let is_spaced =
            !value.contains('"') && entries.iter().skip(1).any(|entry| entry.starts_with(' '));
        if is_spaced || cut_entry(value, &entries).is_some() {
            return Err(Failure::usage(format!(
                "{flag}: `{value}` is read as {} names; for one name, quote it: {}; for several, remove the spaces after the commas, quote \
                 each name, or repeat the flag",
                entries.len(),
                quoted(value)
            )));
        }
        names.extend(entries);
    }
    Ok(names)
}

/// A whole list as one name, as a shell needs it.
fn quoted(list: &str) -> String {
    format!("'\"{}\"'", list.replace('"', ""))
}

/// Parses a principal; without a type, it is a user (D-41). A prefix that looks like a misspelled
/// type is refused: one in another letter case, or a capitalized word such as `Groups`.
pub(crate) fn principal(flag: &str, text: &str) -> Result<Principal, Failure> {
    match Principal::parse(text) {
        Ok(principal) => Ok(principal),
        Err(PrincipalError::NoType(_)) => Ok(Principal::user(text)),
        Err(error @ PrincipalError::UnknownType(_)) if looks_like_a_type(text) => {
            Err(Failure::usage(format!(
                "{flag}: {error}; {}{}; for a user of that name write `User:{text}`",
                error.hint(),
                nearest_type(text)
            )))
        }
        Err(PrincipalError::UnknownType(word)) if !is_nearly_a_type(&word) => {
            Ok(Principal::user(text))
        }
        Err(error) => Err(Failure::usage(format!("{flag}: {error}; {}", error.hint()))),
    }
}

/// The nearest type of principal, with the name after it.
fn nearest_type(text: &str) -> String {
    let (word, name) = text.split_once(':').unwrap_or((text, ""));
    let near = suggest::nearest(word, PrincipalType::ALL.iter().map(|kind| kind.prefix()));
    near.map_or_else(String::new, |kind| {
        format!(", so did you mean `{kind}:{name}`?")
    })
}

fn looks_like_a_type(text: &str) -> bool {
    let word = text.split(':').next().unwrap_or_default();
    word.starts_with(|first: char| first.is_ascii_uppercase())
        && word.chars().all(|letter| letter.is_ascii_alphabetic())
}

fn is_nearly_a_type(word: &str) -> bool {
    PrincipalType::PREFIXES
        .iter()
        .any(|prefix| prefix.eq_ignore_ascii_case(word))
}

/// Parses a list of principals.
pub(crate) fn principals(flag: &str, values: &[String]) -> Result<Vec<Principal>, Failure> {
    let mut principals = Vec::new();
    for value in values {
        let entries = entries(flag, std::slice::from_ref(value))?;
        let is_typed = |text: &str| Principal::parse(text).is_ok();
        // `User:CN=a, OU=b` is intended as one name, but would be two users.
        let is_plain = !value.contains('"');
        let cut = entries.iter().skip(1).find(|text| {
            is_plain
                && !is_typed(text)
                && (entries.first().is_some_and(|first| is_typed(first)) || text.starts_with(' '))
        });
        if let Some(entry) = cut_entry(value, &entries).or(cut.map(String::as_str)) {
            return Err(Failure::usage(format!(
                "{flag}: the entry `{entry}` has no type; if it is part of a name with commas, quote the whole name: {}; if it is a user, \
                 write `User:{}`",
                quoted(value),
                entry.trim_start(),
            )));
        }
        for text in &entries {
            principals.push(principal(flag, text)?);
        }
    }
    Ok(principals)
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
        assert_eq!(
            read(&[r#""Group:eng,fin",alice"#]).unwrap(),
            ["Group:eng,fin", "alice"]
        );
        assert_eq!(read(&[r#""say ""hi""""#]).unwrap(), [r#"say "hi""#]);
        assert_eq!(
            read(&["a b, c"]).unwrap(),
            ["a b", " c"],
            "blanks belong to names"
        );
        assert_eq!(read(&["a\nb", "\"c,\nd\""]).unwrap(), ["a\nb", "c,\nd"]);
        for bad in ["", "a,,b", ",", "\"\"", "\"a,b", "a,\nb", "a,b\n"] {
            assert!(read(&[bad]).unwrap_err().starts_with("--x: "), "{bad:?}");
        }
    }

    #[test]
    fn a_name_that_is_cut_at_its_comma_is_refused() {
        let read = |value: &str| {
            principals("--x", &[value.to_owned()])
                .map(|all| all.len())
                .map_err(|e| e.to_string())
        };
        assert_eq!(
            (
                read("alice,bob"),
                read("User:a,Group:b"),
                read("alice,User:b")
            ),
            (Ok(2), Ok(2), Ok(2))
        );
        assert_eq!(read(r#""User:CN=foo, OU=bar",Group:b"#), Ok(2));
        assert_eq!(
            (
                read("CN=foo"),
                read(r#""CN=foo,OU=bar""#),
                read(r#""CN=foo",Group:b"#)
            ),
            (Ok(1), Ok(1), Ok(2))
        );
        for value in [
            "User:CN=foo, OU=bar",
            "User:CN=foo,OU=bar",
            "Group:a,b",
            "CN=foo, OU=bar",
            "C=UK,ST=London,O=acme,CN=svc",
            "alice,CN=svc",
            "CN=svc,User:alice",
            "1.2.840=x,uid=y",
        ] {
            let refused = read(value).unwrap_err();
            assert!(
                refused.contains(&format!("quote the whole name: '\"{value}\"'")),
                "{refused}"
            );
        }
        let bare = |value: &str| {
            bare_names("--x", &[value.to_owned()])
                .map(|all| all.len())
                .map_err(|e| e.to_string())
        };
        assert_eq!(
            (
                bare("a,b"),
                bare(r#""CN=a,OU=b",c"#),
                bare("CN=a"),
                bare(r#""a=1","b=2""#)
            ),
            (Ok(2), Ok(2), Ok(1), Ok(2))
        );
        for value in [
            "CN=a,OU=b",
            "cn=a, ou=b",
            "eng, ops",
            "eng,team=b",
            "SERIALNUMBER=1,2.5.4.3=x",
        ] {
            assert!(
                bare(value).unwrap_err().contains("for one name, quote it"),
                "{value}"
            );
        }
    }

    #[test]
    fn a_principal_without_a_type_is_a_user() {
        let read = |text| {
            principal("--x", text)
                .map(|principal| principal.to_string())
                .map_err(|e| e.to_string())
        };
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
        for text in [
            "group:eng",
            "GROUP:eng",
            "Group:",
            "redpandarole:x",
            "Groups:eng",
            "Foo:bar",
        ] {
            assert!(read(text).unwrap_err().starts_with("--x: "), "{text}");
        }
        assert!(
            read("Groups:eng")
                .unwrap_err()
                .ends_with("for a user of that name write `User:Groups:eng`")
        );
    }
}
