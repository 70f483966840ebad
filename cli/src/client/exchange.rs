//! One exchange with a service: limited in time and in what is held, and repeated if it is a read
//! that can succeed later.

use std::time::{Duration, Instant};

use gbac_words::phrases::count;
use reqwest::header::ETAG;
use reqwest::{Method, RequestBuilder, Response, StatusCode};
use tokio::time;

use crate::output;
use crate::process::{Notes, Process};

/// The most bytes of a successful response that are held; a policy of a million ACLs has about 300
/// MB.
const MAX_ANSWER: usize = 512 << 20;
/// The most bytes of an error that are held; a longer one is no error of a service.
const MAX_PROBLEM: usize = 1 << 20;
/// Pauses before a read is repeated. Writes are never repeated, because they can have happened.
const BACKOFF: [Duration; 2] = [Duration::from_millis(250), Duration::from_millis(750)];

/// What each of several responses counts in addition to its bytes, so that empty pages end, too.
const PAGE_COST: usize = 4096;

/// The bytes that several responses may still have together.
pub(crate) struct HeldBytes(usize);

impl Default for HeldBytes {
    fn default() -> Self {
        Self(MAX_ANSWER)
    }
}

impl HeldBytes {
    /// Takes the bytes of a response; `None` if they are too many.
    pub(super) fn take(&mut self, bytes: usize) -> Option<()> {
        self.0 = self.0.checked_sub(bytes.saturating_add(PAGE_COST))?;
        Some(())
    }
}

/// Status, state and body.
pub(super) type RawResponse = (StatusCode, Option<String>, Vec<u8>);

/// Why there is no complete response.
#[derive(Debug)]
pub(super) enum ExchangeError {
    /// It took longer than the whole exchange may.
    Timeout,
    /// The response is longer than [`MAX_ANSWER`].
    TooLong,
    Transport(reqwest::Error),
}

impl From<reqwest::Error> for ExchangeError {
    fn from(error: reqwest::Error) -> Self {
        if error.is_timeout() {
            Self::Timeout
        } else {
            Self::Transport(error)
        }
    }
}

/// Whether a later attempt can succeed: the service, or a proxy before it, is overloaded or
/// restarts.
fn is_transient(answer: &Result<RawResponse, ExchangeError>) -> bool {
    match answer {
        Ok((status, ..)) => matches!(status.as_u16(), 429 | 502 | 503 | 504),
        Err(ExchangeError::Transport(error)) => !error.is_connect(),
        Err(ExchangeError::Timeout | ExchangeError::TooLong) => false,
    }
}

/// Makes a call within this time; repeats a read that failed for a transient reason.
pub(super) async fn execute(
    process: &Process,
    request: RequestBuilder,
    limit: Duration,
) -> Result<RawResponse, ExchangeError> {
    let deadline = time::Instant::now() + limit;
    let is_read = |request: RequestBuilder| {
        request
            .build()
            .is_ok_and(|request| request.method() == Method::GET)
    };
    let repeated = request
        .try_clone()
        .filter(|request| request.try_clone().is_some_and(is_read));
    let mut answer = attempt_until(process, deadline, request).await;
    for pause in BACKOFF {
        let Some(again) = repeated.as_ref().and_then(RequestBuilder::try_clone) else {
            break;
        };
        if !is_transient(&answer) || time::Instant::now() + pause >= deadline {
            break;
        }
        time::sleep(pause).await;
        match (attempt_until(process, deadline, again).await, &answer) {
            // A response says more than a failed connection.
            (Err(_), Ok(_)) => break,
            (later, _) => answer = later,
        }
    }
    answer
}

async fn attempt_until(
    process: &Process,
    deadline: time::Instant,
    request: RequestBuilder,
) -> Result<RawResponse, ExchangeError> {
    time::timeout_at(deadline, attempt(process, request))
        .await
        .unwrap_or(Err(ExchangeError::Timeout))
}

async fn attempt(process: &Process, request: RequestBuilder) -> Result<RawResponse, ExchangeError> {
    let (client, request) = request.build_split();
    let request = request?;
    let line = (process.notes == Notes::Verbose)
        .then(|| format!("{} {}", request.method(), request.url()));
    let started = Instant::now();
    let response = client.execute(request).await?;
    let (status, tag) = (response.status(), tag(&response));
    let body = body(response).await?;
    if let Some(line) = line {
        let milliseconds = started.elapsed().as_millis();
        output::note(
            process,
            &format!(
                "{line}: {}, {} in {milliseconds} ms",
                status.as_u16(),
                count(body.len(), "byte")
            ),
        );
    }
    Ok((status, tag, body))
}

/// The body of a response. An error that is too long has none.
async fn body(mut response: Response) -> Result<Vec<u8>, ExchangeError> {
    let is_success = response.status().is_success();
    let limit = if is_success { MAX_ANSWER } else { MAX_PROBLEM };
    let stated = response.content_length().unwrap_or(0);
    let mut body = Vec::new();
    if stated > limit as u64 {
        return if is_success {
            Err(ExchangeError::TooLong)
        } else {
            Ok(body)
        };
    }
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > limit {
            return if is_success {
                Err(ExchangeError::TooLong)
            } else {
                Ok(Vec::new())
            };
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn tag(response: &Response) -> Option<String> {
    response
        .headers()
        .get(ETAG)?
        .to_str()
        .ok()
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_without_an_end_are_too_long() {
        for page in [0, 1 << 20, usize::MAX] {
            let mut held = HeldBytes::default();
            let pages = std::iter::repeat_with(|| held.take(page))
                .take_while(Option::is_some)
                .count();
            assert!(pages <= MAX_ANSWER / PAGE_COST, "{page}: {pages}");
        }
    }
}
