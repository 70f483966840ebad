//! Inputs of commands: files, standard input, the environment, policies, tokens and keys.

use gbac_engine::ClaimSet;
use gbac_engine::ResolveError;
use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use gbac_engine::policy::Policy;
use gbac_engine::token::{self, Claims};
use gbac_engine::verify::{KeySet, Validation, VerificationStep, verification_steps, verify};
use gbac_formats::encoding::decode;
use gbac_json::policy_from_json;
use gbac_server::private_file::secret_notice;
use serde_json::Value;

use crate::args::KeyArgs;
use crate::output::{self, Failure, plain};
use crate::process::Process;
use crate::yaml;

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
        Ok(Value::Object(members)) => Ok(gbac_json::claims_from_object(members)),
        Ok(_) => Err(Failure::new(
            "wrong_type",
            format!("{what}: not a JSON object; write one"),
        )),
        Err(error) => Err(Failure::new(error.code(), format!("{what}: {error}"))),
    }
}

/// Reads a token from a file, standard input or, without a path, `GBAC_CHECK_TOKEN`. Removes text
/// that is often pasted with it.
pub(crate) fn token(process: &Process, path: Option<&Path>) -> Result<String, Failure> {
    let pasted = match path {
        Some(path) => small_text(process, path)?,
        None => process.variable("GBAC_CHECK_TOKEN").ok_or_else(|| {
            let callers = process
                .variable_os("GBAC_TOKEN")
                .map_or("", |_| "; GBAC_TOKEN signs in to a service and is never examined");
            Failure::usage(format!(
                "no token to examine; name a file, use `-` for standard input, or set GBAC_CHECK_TOKEN{callers}"
            ))
        })?,
    };
    Ok(token::normalize_pasted(&pasted).token)
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
}
