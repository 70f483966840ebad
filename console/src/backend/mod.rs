//! The only file that fetches: the service's own origin, through the bodies and paths of
//! `gbac-api`.

mod cluster;
mod facts;
mod probe;
mod resolve;
mod send;
mod session;

use gbac_api::changes::{self, PolicyChanges};
use gbac_api::paths;
use gbac_api::problem::Refusal;
use gbac_api::reason::{ChangeReason, REASON};
use gbac_api::service::{ClusterList, ListedCluster, Person, ServiceInfo};
use gbac_console_model::connection::{ConnectionTarget, RequestCredentials};
use gbac_console_model::failure::Failure;
use gbac_engine::policy::{Change, ChangeOutcome, Policy, apply_each};
use gbac_json::{policy_from_json, policy_to_text};
use gloo_net::http::{Method, RequestBuilder};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::dom;

pub use cluster::{ReadCluster, read_cluster};
pub use facts::{
    change_properties, cluster_of, events, license, log_level, loggers, properties, put_tests,
    schema, set_log_level, tests, what_if,
};
pub use probe::{features, probe};
pub use resolve::resolve;
pub use send::send;
pub use session::{current_session, end_session};

/// The policy as it was read, with the tag by which the service knows whether it changed since.
pub struct ReadPolicy {
    /// The policy.
    pub policy: Policy,
    /// The `ETag`.
    pub tag: Option<String>,
}

/// An answer that was a success, or says that nothing is new.
struct Answer {
    status: u16,
    tag: Option<String>,
    text: String,
}

/// A request that is being made.
struct Call<'a> {
    method: Method,
    path: String,
    credentials: RequestCredentials<'a>,
    headers: Vec<(&'static str, String)>,
    body: Option<String>,
}

impl<'a> Call<'a> {
    fn new(
        method: Method,
        path: impl Into<String>,
        credentials: impl Into<RequestCredentials<'a>>,
    ) -> Self {
        Self {
            method,
            path: path.into(),
            credentials: credentials.into(),
            headers: Vec::new(),
            body: None,
        }
    }

    fn get(path: impl Into<String>, credentials: impl Into<RequestCredentials<'a>>) -> Self {
        Self::new(Method::GET, path, credentials)
    }

    fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Changes only the state that a tag names, and says why.
    fn over(self, tag: &str, reason: Option<&ChangeReason>) -> Self {
        let call = self.header("If-Match", tag);
        match reason {
            Some(reason) => call.header(REASON, reason.to_header()),
            None => call,
        }
    }

    fn text(self, body: String) -> Self {
        Self {
            body: Some(body),
            ..self
        }
    }

    fn json(self, body: &impl Serialize) -> Result<Self, Failure> {
        let text =
            serde_json::to_string(body).map_err(|error| Failure::NoAnswer(error.to_string()))?;
        Ok(self.text(text))
    }

    /// Sends it. The browser's own credentials are left out, so that it never asks for a password
    /// by itself, unless they are the cookie of a session.
    async fn send(self) -> Result<Answer, Failure> {
        let no_answer = |error: gloo_net::Error| Failure::NoAnswer(error.to_string());
        let own = if self.credentials.uses_session() {
            dom::OWN_CREDENTIALS
        } else {
            dom::NO_CREDENTIALS
        };
        let mut request = RequestBuilder::new(&self.path)
            .method(self.method)
            .credentials(own);
        for (name, value) in self.credentials.headers() {
            request = request.header(name, &value);
        }
        for (name, value) in self.headers {
            request = request.header(name, &value);
        }
        let request = match self.body {
            Some(body) => request
                .header("Content-Type", "application/json")
                .body(body),
            None => request.build(),
        };
        let response = request
            .map_err(no_answer)?
            .send()
            .await
            .map_err(no_answer)?;
        let (status, tag) = (response.status(), response.headers().get("etag"));
        let text = response.text().await.map_err(no_answer)?;
        if response.ok() || status == 304 {
            Ok(Answer { status, tag, text })
        } else {
            Err(Failure::Refused(Refusal::read(status, &text)))
        }
    }

    /// Sends it and reads the body of the answer.
    async fn read<T: DeserializeOwned>(self) -> Result<T, Failure> {
        let answer = self.send().await?;
        serde_json::from_str(&answer.text).map_err(|error| Failure::Unreadable(error.to_string()))
    }
}

/// What the service is, with the cluster that is open; needs no credentials.
///
/// # Errors
/// No answer, a refusal, or an answer of another shape.
pub async fn service_info(target: &ConnectionTarget) -> Result<ServiceInfo, Failure> {
    Call::get(target.own_path(paths::SERVICE), None)
        .read()
        .await
}

/// The Kafka clusters of the service.
///
/// # Errors
/// No answer, a refusal, or an answer of another shape.
pub async fn clusters(target: &ConnectionTarget) -> Result<Vec<ListedCluster>, Failure> {
    let list: ClusterList = Call::get(paths::KAFKA_CLUSTERS, target).read().await?;
    Ok(list.clusters)
}

/// The people of the demo identity provider.
///
/// # Errors
/// No answer, a refusal, or an answer of another shape.
pub async fn people(path: &str) -> Result<Vec<Person>, Failure> {
    Call::get(path, None).read().await
}

/// The keys of the service's identity provider, a JWKS as text. None where the service has no
/// provider, and where it does not say its keys: tokens are not verified then.
pub async fn provider_keys(info: &ServiceInfo) -> Option<String> {
    info.tokens.issuer.as_ref()?;
    let answer = Call::get(paths::PROVIDER_KEYS, None).send().await.ok()?;
    Some(answer.text)
}

/// The policy, or none when it is what `tag` says.
///
/// # Errors
/// No answer, a refusal, or a document that the engine does not take.
pub async fn policy(
    tag: Option<&str>,
    target: &ConnectionTarget,
) -> Result<Option<ReadPolicy>, Failure> {
    let mut call = Call::get(target.own_path(paths::POLICY), target);
    if let Some(tag) = tag {
        call = call.header("If-None-Match", tag);
    }
    let answer = call.send().await?;
    if answer.status == 304 {
        return Ok(None);
    }
    let policy = policy_from_json(&answer.text)
        .map_err(|problems| Failure::Unreadable(problems.to_string()))?;
    Ok(Some(ReadPolicy {
        policy,
        tag: answer.tag,
    }))
}

/// Makes changes of the policy that `tag` names: all of them or none.
///
/// What a cluster holds and nobody can create (D-27) comes with an imported document. It can only
/// be sent as one, so the whole policy with the changes takes the place of the held one then.
///
/// # Errors
/// No answer, or a refusal; a 412 when the service has another policy by now.
pub async fn apply(
    changes: &[Change],
    reason: Option<&ChangeReason>,
    held: &Policy,
    tag: &str,
    target: &ConnectionTarget,
) -> Result<(), Failure> {
    let unsent = |error: serde_json::Error| Failure::Unreadable(error.to_string());
    let body = serde_json::to_string(&PolicyChanges::from_changes(changes)).map_err(unsent)?;
    if changes::read(&body).is_ok() {
        let call = Call::new(Method::POST, target.own_path(paths::POLICY_CHANGES), target);
        return call.over(tag, reason).text(body).send().await.map(drop);
    }
    let mut wanted = held.clone();
    let refused = apply_each(&mut wanted, changes)
        .into_iter()
        .find_map(|effect| match effect {
            ChangeOutcome::Refused(error) => {
                Some(Failure::impossible(error.code(), error.to_string()))
            }
            ChangeOutcome::Changed | ChangeOutcome::Unchanged => None,
        });
    match refused {
        Some(failure) => Err(failure),
        None => {
            let call = Call::new(Method::PUT, target.own_path(paths::POLICY), target);
            call.over(tag, reason)
                .text(policy_to_text(&wanted))
                .send()
                .await
                .map(drop)
        }
    }
}
