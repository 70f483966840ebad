//! The session of a sign-in with the identity provider: reading and ending it.

use gbac_api::paths;
use gbac_api::session::{CurrentSession, ProviderSession};
use gbac_console_model::connection::Credentials;
use gbac_console_model::failure::Failure;
use gloo_net::http::Method;

use super::Call;

/// The session of this browser, if it has one.
///
/// # Errors
/// No answer, a refusal, or an answer of another shape.
pub async fn current_session() -> Result<Option<ProviderSession>, Failure> {
    let session = unnamed();
    let current: CurrentSession = Call::get(paths::SESSION, Some(&session)).read().await?;
    Ok(current.session)
}

/// Ends the session of this browser.
///
/// # Errors
/// No answer, or a refusal.
pub async fn end_session() -> Result<(), Failure> {
    let session = unnamed();
    Call::new(Method::DELETE, paths::SESSION, Some(&session))
        .send()
        .await
        .map(drop)
}

/// A session whose user is not known yet.
fn unnamed() -> Credentials {
    Credentials::Session {
        issuer: String::new(),
        user: String::new(),
    }
}
