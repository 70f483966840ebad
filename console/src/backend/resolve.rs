//! Asks the service for the identity of a token: the only request that contains one, made on
//! demand.

use gbac_api::paths;
use gbac_api::security::OidcIdentity;
use gbac_console_model::connection::{ConnectionTarget, Credentials, RequestCredentials};
use gbac_console_model::failure::Failure;
use gloo_net::http::Method;

use super::Call;
use super::facts::admin;

/// Asks `ResolveOidcIdentity` with the token in the place of the credentials.
///
/// # Errors
/// No answer, a refusal, or an answer of another shape.
pub async fn resolve(token: String, target: &ConnectionTarget) -> Result<OidcIdentity, Failure> {
    let path = admin(target, &paths::security(paths::RESOLVE_OIDC_IDENTITY))?;
    let token = Credentials::Token(token);
    let credentials = RequestCredentials {
        api: Some(&token),
        own: target.own.as_ref(),
    };
    Call::new(Method::POST, path, credentials)
        .text("{}".into())
        .read()
        .await
}
