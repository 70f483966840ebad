//! Inputs of commands: lists in flags, files, standard input, the environment, policies, tokens and
//! keys.

use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use clap::Args;
use gbac_engine::model::{Principal, PrincipalError, PrincipalType};
use gbac_engine::policy::Policy;
use gbac_engine::token::{self, Claims};
use gbac_engine::verify::{KeySet, Validation, VerificationStep, verification_steps, verify};
use gbac_engine::{ClaimSet, ResolveError};
use gbac_formats::encoding::decode;
use gbac_formats::name_list::cut_entry;
use gbac_json::policy_from_json;
use gbac_server::private_file::secret_notice;
use gbac_words::extraction::{JSON_LIST, JSON_LIST_HINT};
use serde_json::Value;

use crate::output::{self, Failure, plain};
use crate::process::Process;
use crate::suggest;
use crate::yaml;

/// The keys that verify a token, and what it must state.
#[derive(Debug, Args)]
pub(crate) struct KeyArgs {
    /// JSON Web Key Set that verifies the token (RFC 7517).
    #[arg(long, value_name = "FILE")]
    pub(crate) jwks: Option<PathBuf>,
    /// Required issuer of the token (`iss`).
    #[arg(long, requires = "jwks", value_name = "URL")]
    pub(crate) issuer: Option<String>,
    /// Required audience of the token (`aud`).
    #[arg(long, requires = "jwks", value_name = "NAME")]
    pub(crate) audience: Option<String>,
}

/// The error if two inputs are standard input.
pub(crate) fn shared_standard_input() -> Failure {
    Failure::usage(
        "`-` is used for two inputs; standard input can only be one of them, so name a file for the other",
    )
}

/// The most bytes of a document, so that a stream without an end does not fill the memory.
const MAX_DOCUMENT: u64 = 512 << 20;
/// The most bytes of a token, a password, keys, certificates and settings.
const MAX_SMALL: u64 = 1 << 20;
/// The most bytes of a line of a file that is read line by line.
const MAX_LINE: u64 = 16 << 20;

/// Opens a file line by line; `-` is standard input.
pub(crate) fn lines(process: &Process, path: &Path) -> Result<BufReader<Box<dyn Read>>, Failure> {
    open(process, path).map(BufReader::new)
}

fn open(process: &Process, path: &Path) -> Result<Box<dyn Read>, Failure> {
    if path == Path::new("-") {
        return Ok(Box::new(
            process.only_input().ok_or_else(shared_standard_input)?,
        ));
    }
    let file = fs::File::open(process.path(path))
        .map_err(|error| Failure::io(&path.display().to_string(), &error))?;
    Ok(Box::new(file))
}

/// The next line without its end; `None` at the end of the file.
pub(crate) fn next_line(lines: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    lines.take(MAX_LINE + 1).read_until(b'\n', &mut line)?;
    if line.len() as u64 > MAX_LINE {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let is_end = line.is_empty();
    if line.last() == Some(&b'\n') {
        line.pop();
    }
    Ok((!is_end).then_some(line))
}

/// Reads the rest of a file that was read line by line.
pub(crate) fn rest(lines: &mut impl BufRead) -> io::Result<Vec<u8>> {
    limited(lines, MAX_DOCUMENT)
}

/// Reads a document as text, in UTF-8 or UTF-16; `-` is standard input.
pub(crate) fn text(process: &Process, path: &Path) -> Result<String, Failure> {
    text_within(process, path, MAX_DOCUMENT)
}

/// Reads a token, a password, keys, a certificate or settings as text; `-` is standard input.
pub(crate) fn small_text(process: &Process, path: &Path) -> Result<String, Failure> {
    text_within(process, path, MAX_SMALL)
}

/// Reads a password, a token to sign in with or a private key as text; `-` is standard input. Warns
/// if other users can read or change the file (D-132).
pub(crate) fn secret(process: &Process, path: &Path) -> Result<String, Failure> {
    if path != Path::new("-") {
        warn_of_others(process, path);
    }
    small_text(process, path)
}

/// Warns if other users can read or change a file with a secret.
pub(crate) fn warn_of_others(process: &Process, path: &Path) {
    if let Some(notice) = secret_notice(&process.path(path)) {
        output::note(process, &format!("warning: {notice}"));
    }
}

fn text_within(process: &Process, path: &Path, limit: u64) -> Result<String, Failure> {
    let name = if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    };
    let bytes =
        limited(&mut open(process, path)?, limit).map_err(|error| Failure::io(&name, &error))?;
    decode(bytes).map_err(|error| Failure::new("not_text", format!("{}: {error}", plain(&name))))
}

/// The bytes of a reader, if there are not more than a limit.
fn limited(reader: &mut impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 <= limit {
        Ok(bytes)
    } else {
        Err(io::ErrorKind::FileTooLarge.into())
    }
}

/// Reads a document as JSON text; one in YAML is converted.
pub(crate) fn document(process: &Process, path: &Path) -> Result<String, Failure> {
    yaml::to_json(text(process, path)?, &path.display().to_string())
}

/// Reads a policy document.
pub(crate) fn policy(process: &Process, path: &Path) -> Result<Policy, Failure> {
    policy_from_json(&document(process, path)?)
        .map_err(|problems| Failure::problems(&path.display().to_string(), problems))
}

/// Reads an object, such as claims or a user-info document.
pub(crate) fn object(process: &Process, path: &Path) -> Result<ClaimSet, Failure> {
    let what = plain(&path.display().to_string());
    match gbac_json::parse(&document(process, path)?) {
        Ok(Value::Object(members)) => Ok(members.into()),
        Ok(_) => Err(Failure::new(
            "wrong_type",
            format!("{what}: not a JSON object; write one"),
        )),
        Err(error) => Err(Failure::new(error.code(), format!("{what}: {error}"))),
    }
}

/// Reads an object, if a file is named.
pub(crate) fn optional_object(
    process: &Process,
    path: Option<&Path>,
) -> Result<Option<ClaimSet>, Failure> {
    match path {
        Some(path) => Ok(Some(object(process, path)?)),
        None => Ok(None),
    }
}

/// Reads a token from a file, standard input or, without a path, `GBAC_CHECK_TOKEN`. Removes text
/// that is often pasted with it.
pub(crate) fn token(process: &Process, path: Option<&Path>) -> Result<String, Failure> {
    let pasted = match (path, process.variable("GBAC_CHECK_TOKEN")) {
        (Some(path), _) => small_text(process, path)?,
        (None, Some(token)) => token,
        (None, None) => {
            let callers = match process.variable_os("GBAC_TOKEN") {
                Some(_) => "; GBAC_TOKEN signs in to a service and is never examined",
                None => "",
            };
            return Err(Failure::usage(format!(
                "no token to examine; name a file, use `-` for standard input, or set GBAC_CHECK_TOKEN{callers}"
            )));
        }
    };
    let token = token::normalize_pasted(&pasted).token;
    if let Ok(Value::Array(_)) = gbac_json::parse(&token) {
        let message = format!("{JSON_LIST}; {JSON_LIST_HINT}");
        return Err(Failure::new("not_an_object", message));
    }
    Ok(token)
}

/// Verifies tokens with a key set, issuer and audience.
pub(crate) struct Verifier {
    keys: KeySet,
    issuer: Option<String>,
    audience: Option<String>,
    now: f64,
}

impl Verifier {
    /// Reads the keys, if the flags contain any. Tokens are verified at this time.
    pub(crate) fn from_args(
        process: &Process,
        args: &KeyArgs,
        now: f64,
    ) -> Result<Option<Self>, Failure> {
        let Some(path) = &args.jwks else {
            return Ok(None);
        };
        let keys = KeySet::parse(&small_text(process, path)?).map_err(|error| {
            Failure::new(
                error.code(),
                format!("{}: {error}", plain(&path.display().to_string())),
            )
        })?;
        Ok(Some(Self {
            keys,
            issuer: args.issuer.clone(),
            audience: args.audience.clone(),
            now,
        }))
    }

    fn expect(&self) -> Validation<'_> {
        Validation {
            issuer: self.issuer.as_deref(),
            audience: self.audience.as_deref(),
            now: self.now.into(),
        }
    }

    /// Each step of verifying one token.
    pub(crate) fn report(&self, token: &str) -> Vec<VerificationStep> {
        verification_steps(token, &self.keys, self.expect())
    }

    /// Verifies one token.
    pub(crate) fn verify(&self, token: &str) -> Result<Claims, ResolveError> {
        verify(token, &self.keys, self.expect())
            .map(|verified| verified.claims)
            .map_err(|error| ResolveError::Refused(error.code(), error.to_string()))
    }
}

/// The clock, in seconds since 1970.
pub(crate) fn now() -> f64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64())
}

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
    match suggest::nearest(word, PrincipalType::ALL.iter().map(|kind| kind.prefix())) {
        Some(kind) => format!(", so did you mean `{kind}:{name}`?"),
        None => String::new(),
    }
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

    #[test]
    fn an_input_without_an_end_is_refused() {
        let refused = |read: io::Result<Vec<u8>>| {
            assert_eq!(read.unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        };
        refused(limited(&mut io::repeat(b'x'), 1000));
        refused(limited(&mut &b"abc"[..], 2));
        assert_eq!(limited(&mut &b"abc"[..], 3).unwrap(), b"abc");
        let mut endless = BufReader::new(io::repeat(b'x'));
        assert_eq!(
            next_line(&mut endless).unwrap_err().kind(),
            io::ErrorKind::FileTooLarge
        );
        let mut lines = &b"a\n\nb"[..];
        let read: Vec<_> = std::iter::from_fn(|| next_line(&mut lines).unwrap()).collect();
        assert_eq!(read, [&b"a"[..], b"", b"b"]);
    }

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
