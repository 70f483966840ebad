//! Inputs of commands: files, standard input, the environment, policies, tokens and keys.

use gbac_engine::ClaimSet;
use gbac_engine::ResolveError;
use std::fs;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use gbac_api::import::decode;
use gbac_engine::policy::Policy;
use gbac_engine::token::{self, Claims};
use gbac_engine::verify::{KeySet, Validation, VerificationStep, verification_steps, verify};
use gbac_json::policy_from_json;
use serde_json::Value;

use crate::args::KeyArgs;
use crate::output::{Failure, plain};
use crate::yaml;

/// Whether standard input has a reader already; a second one would read nothing.
static STANDARD_INPUT: AtomicBool = AtomicBool::new(false);

/// Standard input, for one reader.
fn standard_input() -> Result<io::Stdin, Failure> {
    if STANDARD_INPUT.swap(true, Ordering::Relaxed) {
        return Err(shared_standard_input());
    }
    Ok(io::stdin())
}

/// The error if two inputs are standard input.
pub(crate) fn shared_standard_input() -> Failure {
    Failure::usage("`-` is used for two inputs; standard input can only be one of them, so name a file for the other")
}

/// The most bytes of an input that is read as a whole, so that a stream without an end does not fill the memory.
const MAX_INPUT: u64 = 1 << 30;

/// Opens a file line by line; `-` is standard input.
pub(crate) fn lines(path: &Path) -> Result<BufReader<Box<dyn Read>>, Failure> {
    open(path).map(BufReader::new)
}

fn open(path: &Path) -> Result<Box<dyn Read>, Failure> {
    if path == Path::new("-") {
        return Ok(Box::new(standard_input()?));
    }
    let file = fs::File::open(path).map_err(|error| Failure::io(&path.display().to_string(), &error))?;
    Ok(Box::new(file))
}

/// Reads a file as text, in UTF-8 or UTF-16; `-` is standard input.
pub(crate) fn text(path: &Path) -> Result<String, Failure> {
    let name = if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() };
    let Some(bytes) = limited(&mut open(path)?, MAX_INPUT).map_err(|error| Failure::io(&name, &error))? else {
        let message = format!("{}: more than 1 GiB; check that it ends", plain(&name));
        return Err(Failure::new("input_too_long", message));
    };
    decode(bytes).map_err(|error| Failure::new("not_text", format!("{}: {error}", plain(&name))))
}

/// The bytes of a reader; `None` if there are more than a limit.
fn limited(reader: &mut dyn Read, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    reader.take(limit + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

/// Reads a document as JSON text; one in YAML is converted.
pub(crate) fn document(path: &Path) -> Result<String, Failure> {
    yaml::to_json(text(path)?, &path.display().to_string())
}

/// Reads a policy document.
pub(crate) fn policy(path: &Path) -> Result<Policy, Failure> {
    policy_from_json(&document(path)?).map_err(|problems| Failure::problems(&path.display().to_string(), problems))
}

/// Reads an object, such as claims or a user-info document.
pub(crate) fn object(path: &Path) -> Result<ClaimSet, Failure> {
    let what = plain(&path.display().to_string());
    match gbac_json::parse(&document(path)?) {
        Ok(Value::Object(members)) => Ok(gbac_json::claims_from_object(members)),
        Ok(_) => Err(Failure::new("wrong_type", format!("{what}: not a JSON object; write one"))),
        Err(error) => Err(Failure::new(error.code(), format!("{what}: {error}"))),
    }
}

/// Reads a token from a file, standard input or, without a path, `GBAC_CHECK_TOKEN`. Removes text that is often pasted with it.
pub(crate) fn token(path: Option<&Path>) -> Result<String, Failure> {
    let pasted = match path {
        Some(path) => text(path)?,
        None => std::env::var("GBAC_CHECK_TOKEN").map_err(|_| {
            let callers = std::env::var_os("GBAC_TOKEN")
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
    pub(crate) fn from_args(args: &KeyArgs, now: f64) -> Result<Option<Self>, Failure> {
        let Some(path) = &args.jwks else { return Ok(None) };
        let keys = KeySet::parse(&text(path)?)
            .map_err(|error| Failure::new(error.code(), format!("{}: {error}", plain(&path.display().to_string()))))?;
        Ok(Some(Self { keys, issuer: args.issuer.clone(), audience: args.audience.clone(), now }))
    }

    fn expect(&self) -> Validation<'_> {
        Validation { issuer: self.issuer.as_deref(), audience: self.audience.as_deref(), now: self.now.into() }
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
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_without_an_end_is_refused() {
        assert_eq!(limited(&mut io::repeat(b'x'), 1000).unwrap(), None);
        assert_eq!(limited(&mut &b"abc"[..], 3).unwrap().as_deref(), Some(&b"abc"[..]));
        assert_eq!(limited(&mut &b"abc"[..], 2).unwrap(), None);
    }
}
