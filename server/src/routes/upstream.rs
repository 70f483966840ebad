//! `/gbac/v1/upstream`: relays the documented operations to a cluster, so that the console only
//! talks to its own origin. The cluster authorizes the caller: `Authorization` is sent to it and
//! nowhere else (D-40).

use std::sync::Arc;

use axum::Json;
use axum::body::{Body, HttpBody};
use axum::extract::{FromRef, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, Response as HttpResponse, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use gbac_analysis::audit::{CallEffect, CallResult};
use gbac_api::address::BaseUrl;
use gbac_api::encode::{decode, first_value, parse_query, query};
use gbac_api::problem::RpcCode;
use gbac_api::target::{PROBES, TargetAnswer, TargetApi, TargetReport};
use gbac_api::{encode, paths};
use gbac_engine::decide::Outcome;
use gbac_engine::escape::escaped;

use super::app::App;
use super::registration::Routes;
use crate::http::access::Access;
use crate::http::body;
use crate::http::credentials::{
    cluster_credentials, is_from_browser, relay_credentials, sign_in_problem,
};
use crate::http::problem::Problem;
use crate::http::reject::{method_not_allowed, not_found, reject};
use crate::http::request_head::{request_head, sanitized};
use crate::http::route_table::Declaration;
use crate::http::surface::{Surface, only_reads};
use crate::identity::relayed_sign_in::{RelayedSignIn, RelayedSignIns, Verdict};
use crate::identity::sign_in::{Authenticator, Credentials, SignInError};
use crate::state::audit::{RequestHead, SignInMethod};
use crate::state::error::AuditError;
use crate::state::service::Service;
use crate::upstream::client::{UpstreamClient, UpstreamError, UpstreamRequest, UpstreamResponse};
use crate::upstream::{self, NoRelayTarget, RelayTarget, Upstream};

pub(crate) fn routes() -> Routes {
    Routes::new(Surface::Gbac)
        .route(&format!("{}/{{*path}}", paths::UPSTREAM), Access::Cluster, any(relay))
        .route(paths::UPSTREAM_TARGET, Access::Cluster, get(discover))
        // This path has no target, which needs no credentials to find out, as below it.
        .route(&format!("{}/", paths::UPSTREAM), Access::Cluster, any(relay))
}

async fn relay(State(relay): State<Relay>, request: Request) -> Response {
    let upstream = &relay.upstream;
    let surface = Declaration::of(request.extensions()).surface;
    let uri = request.uri().clone();
    let RelayTarget {
        base,
        cluster,
        path,
    } = match upstream.target(request.method(), uri.path()) {
        Ok(target) => target,
        Err(NoRelayTarget::NotFound) => return not_found(request).await,
        Err(NoRelayTarget::NotConfigured(flag)) => {
            let message =
                format!("no cluster is configured; start the service with `--upstream-{flag}`");
            return reject(
                request,
                Problem::with_status(404, RpcCode::NotFound, "no_upstream", message),
            )
            .await;
        }
        Err(NoRelayTarget::NotRelayed(path)) => {
            let message = format!("`{}` is not an operation that is relayed", escaped(&path));
            return reject(request, Problem::new(RpcCode::NotFound, message)).await;
        }
        Err(NoRelayTarget::OtherMethods(methods)) => {
            let problem = method_not_allowed(request.method());
            let allowed: Vec<&str> = methods.iter().map(Method::as_str).collect();
            let problem = match HeaderValue::from_str(&allowed.join(", ")) {
                Ok(allowed) => problem.with_header(header::ALLOW, allowed),
                Err(_) => problem,
            };
            return reject(request, problem).await;
        }
    };
    if let Some(problem) = relay.without_credentials(&request).await {
        return reject(request, problem).await;
    }
    let pairs = match parse_query(uri.query().unwrap_or_default()) {
        Ok(pairs) => pairs,
        Err(error) => return reject(request, error.into()).await,
    };
    let query = query(
        pairs
            .iter()
            .map(|(name, value)| (name.as_str(), value.clone())),
    );
    let (caller, sign_in) = match relay.sign_in_of(&request).await {
        Ok(signed_in) => signed_in,
        Err(problem) => return reject(request, problem).await,
    };
    let (is_change, head) = (
        !only_reads(surface, request.method(), uri.path()),
        request_head(&request),
    );
    let request = match upstream_request(request).await {
        Ok(request) => request,
        Err(problem) => {
            relay.sign_ins.end(
                &relay.authenticator,
                sign_in,
                Verdict::Unknown,
                relay.service.now(),
            );
            return problem.response(surface);
        }
    };
    let operation = Operation {
        base: base.clone(),
        cluster,
        path,
        query,
        request,
        head,
        is_change,
    };
    match completed(relay.send(operation, sign_in, caller)).await {
        Ok(response) => relayed_response(response),
        Err(problem) => problem.response(surface),
    }
}

/// Works on a request to the cluster in a task of its own, so that its end is recorded even if the
/// client has gone.
async fn completed<T: Send + 'static>(
    work: impl Future<Output = Result<T, Problem>> + Send + 'static,
) -> Result<T, Problem> {
    match tokio::spawn(work).await {
        Ok(done) => done,
        Err(_) => Err(Problem::new(
            RpcCode::Internal,
            "the service stopped working on the request; the cluster may have made it",
        )),
    }
}

/// What the cluster has, and what follows from what it does not have (D-98).
async fn discover(State(relay): State<Relay>, request: Request) -> Response {
    if let Some(problem) = relay.without_credentials(&request).await {
        return reject(request, problem).await;
    }
    let pairs = parse_query(request.uri().query().unwrap_or_default()).unwrap_or_default();
    let cluster = first_value(&pairs, "cluster").map(str::to_owned);
    let [admin, data_plane, control_plane] = relay.upstream.bases();
    let is_configured = if cluster.is_some() {
        control_plane.is_some()
    } else {
        admin.or(data_plane).is_some()
    };
    if !is_configured {
        let message = "no cluster is configured; start the service with `--upstream-admin`, `--upstream-dataplane` or \
                       `--upstream-controlplane`";
        return reject(
            request,
            Problem::with_status(404, RpcCode::NotFound, "no_upstream", message),
        )
        .await;
    }
    let surface = Declaration::of(request.extensions()).surface;
    let (_, sign_in) = match relay.sign_in_of(&request).await {
        Ok(signed_in) => signed_in,
        Err(problem) => return reject(request, problem).await,
    };
    let (head, headers) = (request_head(&request), request.headers().clone());
    let discovered = completed(async move {
        relay
            .discover(sign_in, &head, cluster.as_deref(), &headers)
            .await
    });
    match discovered.await {
        Ok(Ok(report)) => Json(TargetAnswer::from(report)).into_response(),
        Ok(Err(response)) => relayed_response(response),
        Err(problem) => problem.response(surface),
    }
}

/// An operation for the cluster.
struct Operation {
    /// The base URL; with the ID of a cluster, that of the Control Plane.
    base: BaseUrl,
    cluster: Option<String>,
    path: String,
    query: String,
    request: UpstreamRequest,
    /// The request to this service.
    head: RequestHead,
    is_change: bool,
}

/// Why an operation has no response of the cluster that can be returned.
struct RelayError {
    /// The status of the cluster's response, if it has begun.
    status: Option<u16>,
    problem: Problem,
}

impl From<Problem> for RelayError {
    fn from(problem: Problem) -> Self {
        Self {
            status: None,
            problem,
        }
    }
}

impl From<UpstreamError> for RelayError {
    fn from(error: UpstreamError) -> Self {
        Self {
            status: error.status(),
            problem: problem(&error),
        }
    }
}

/// How a relayed change ended, by the status of the cluster's response.
const fn ending(http_status: u16, reason: &str) -> CallResult<'_> {
    let (authorized, effect) = if http_status < 400 {
        (Outcome::Allow, CallEffect::Done)
    } else {
        (Outcome::Deny, CallEffect::Refused)
    };
    CallResult {
        authorized,
        reason,
        effect,
        http_status,
        code: "cluster_refused",
        detail: reason,
    }
}

/// A relayed change without a usable response: the cluster may have made it.
fn unknown_ending<'a>(problem: &Problem, detail: &'a str) -> CallResult<'a> {
    let reason = "relayed to the cluster, whose response is not known";
    let (effect, http_status, code) = (CallEffect::Refused, problem.status(), problem.name());
    CallResult {
        authorized: Outcome::Allow,
        reason,
        effect,
        http_status,
        code,
        detail,
    }
}

/// What the relay uses.
struct Relay {
    service: Service,
    authenticator: Authenticator,
    upstream: Arc<Upstream>,
    sign_ins: Arc<RelayedSignIns>,
}

impl FromRef<App> for Relay {
    fn from_ref(app: &App) -> Self {
        Self {
            service: app.service.clone(),
            authenticator: app.authenticator.clone(),
            upstream: Arc::clone(&app.upstream),
            sign_ins: Arc::clone(&app.relayed_sign_ins),
        }
    }
}

impl Relay {
    /// Signs in to this service, if that is required, and to the cluster. The name of the caller
    /// here, if there is one, and the sign-in to the cluster.
    async fn sign_in(
        &self,
        own: Option<Credentials>,
        for_cluster: Credentials,
        operation: &str,
    ) -> Result<(String, RelayedSignIn), SignInError> {
        let caller = match own {
            Some(own) => self
                .authenticator
                .authenticate(&own)
                .await?
                .user()
                .to_owned(),
            None => String::new(),
        };
        let begun = self.sign_ins.begin(
            &self.authenticator,
            &for_cluster,
            operation,
            self.service.now(),
        );
        if let Err(error) = &begun {
            self.record_refusal(&for_cluster, error).await?;
        }
        Ok((caller, begun?))
    }

    /// Records that a sign-in to the cluster is refused here.
    async fn record_refusal(
        &self,
        credentials: &Credentials,
        error: &SignInError,
    ) -> Result<(), AuditError> {
        let head = &credentials.request;
        match error {
            SignInError::TooManyAttempts(_) => {
                let name = credentials.user_name().unwrap_or_default();
                self.authenticator
                    .record_too_many_attempts(head, &name)
                    .await
            }
            SignInError::InvalidCredentials(scheme) => {
                self.service.metrics().count_failed_sign_in(scheme.label());
                let detail = "the credentials are malformed";
                self.service
                    .audit()
                    .rejected_authentication(head, "", SignInMethod::Password, detail)
                    .await
            }
            SignInError::MissingCredentials | SignInError::Audit(_) => Ok(()),
        }
    }

    /// The sign-in of a request, or why there is none.
    fn sign_in_of<'a>(
        &'a self,
        request: &Request,
    ) -> impl Future<Output = Result<(String, RelayedSignIn), Problem>> + use<'a> {
        let own = self
            .upstream
            .requires_sign_in
            .then(|| relay_credentials(request, self.service.endpoint()));
        let for_cluster = cluster_credentials(request);
        let operation = format!("{} {}", request.method(), request.uri().path());
        let (surface, is_browser) = (
            Declaration::of(request.extensions()).surface,
            is_from_browser(request.headers()),
        );
        async move {
            let signed_in = self.sign_in(own, for_cluster, &operation).await;
            signed_in.map_err(|error| sign_in_problem(&error, surface, is_browser))
        }
    }

    /// Refuses a request without credentials for the cluster, which is recorded.
    fn without_credentials<'a>(
        &'a self,
        request: &Request,
    ) -> impl Future<Output = Option<Problem>> + use<'a> {
        let is_missing = !request.headers().contains_key(header::AUTHORIZATION);
        let head = is_missing.then(|| request_head(request));
        async move {
            let message = "authentication required; send credentials of the cluster";
            let refused = CallResult::denied(401, "credentials_required", "credentials required");
            let recorded = self.service.audit().denied(&head?, "", refused).await;
            Some(match recorded {
                Ok(()) => Problem::new(RpcCode::Unauthenticated, message),
                Err(error) => error.into(),
            })
        }
    }

    /// Asks a cluster what it has. The inner error is a response that refuses the credentials.
    async fn discover(
        &self,
        sign_in: RelayedSignIn,
        head: &RequestHead,
        cluster: Option<&str>,
        headers: &HeaderMap,
    ) -> Result<Result<TargetReport, UpstreamResponse>, Problem> {
        let client = head.client.map(|client| client.ip());
        let credentials = match headers.get(header::AUTHORIZATION) {
            Some(credentials) => credentials.as_bytes(),
            None => &[],
        };
        if let Err(wait) = self
            .sign_ins
            .begin_discovery(credentials, client, self.service.now())
        {
            self.sign_ins.end(
                &self.authenticator,
                sign_in,
                Verdict::Unknown,
                self.service.now(),
            );
            self.authenticator
                .record_too_many_attempts(head, "")
                .await?;
            return Err(sign_in_problem(
                &SignInError::TooManyAttempts(wait),
                Surface::Gbac,
                false,
            ));
        }
        let mut accepted = false;
        let read = self.report(cluster, headers, &mut accepted).await;
        let status = match &read {
            Ok(_) if accepted => Some(200),
            Err(Ok(response)) => Some(response.status),
            Err(Err(error)) if error.status == Some(401) => Some(401),
            Ok(_) | Err(Err(_)) => None,
        };
        if accepted {
            self.sign_ins.accept_discovery(credentials);
        }
        self.end_sign_in(head, sign_in, status).await?;
        match read {
            Ok(report) => Ok(Ok(report)),
            Err(Ok(response)) => Ok(Err(response)),
            Err(Err(error)) => Err(error.problem),
        }
    }

    /// Sends every probe to a cluster; with an ID, to one of the Control Plane. `accepted` is set
    /// if the cluster accepts the credentials. The inner error is a response that refuses them.
    async fn report(
        &self,
        cluster: Option<&str>,
        headers: &HeaderMap,
        accepted: &mut bool,
    ) -> Result<TargetReport, Result<UpstreamResponse, RelayError>> {
        let client = &self.upstream.client;
        let [admin, data_plane, control_plane] = self.upstream.bases().map(|base| base.cloned());
        let (admin, data_plane) = match (cluster, control_plane) {
            (Some(id), Some(control_plane)) => {
                let request = UpstreamRequest::probe(headers, None);
                let found =
                    find_data_plane(client, &control_plane, &encode::component(id), &request).await;
                (None, Some(found.map_err(Err)?.map_err(Ok)?))
            }
            _ => (admin, data_plane),
        };
        let mut report = TargetReport::default();
        for probe in PROBES {
            let base = match probe.api {
                TargetApi::Admin => &admin,
                TargetApi::DataPlane => &data_plane,
            };
            let Some(base) = base else { continue };
            let (path, query) = probe
                .path
                .split_at(probe.path.find('?').unwrap_or(probe.path.len()));
            match client
                .send(
                    base,
                    path,
                    query,
                    &UpstreamRequest::probe(headers, probe.body),
                )
                .await
            {
                Ok(response) if response.status == 401 => return Err(Ok(response)),
                Ok(response) => {
                    *accepted |= (200..300).contains(&response.status);
                    report.read(
                        &probe,
                        response.status,
                        &String::from_utf8_lossy(&response.body),
                    );
                }
                // A page of something else says nothing about the cluster.
                Err(UpstreamError::NotJson(status)) => report.read(&probe, status, ""),
                Err(error) => return Err(Err(error.into())),
            }
        }
        Ok(report)
    }

    /// Sends an operation to the cluster. A change is recorded before it is sent, and when it has
    /// ended; so are credentials that the cluster refuses.
    async fn send(
        self,
        operation: Operation,
        sign_in: RelayedSignIn,
        caller: String,
    ) -> Result<UpstreamResponse, Problem> {
        let head = &operation.head;
        // Before the cluster makes the change: what cannot be recorded is not relayed.
        if operation.is_change
            && let Err(error) = self.service.audit().relayed(head, &caller, None).await
        {
            self.sign_ins.end(
                &self.authenticator,
                sign_in,
                Verdict::Unknown,
                self.service.now(),
            );
            return Err(error.into());
        }
        let response = self.respond(&operation).await;
        // What is not usable may be a page of something else, which accepts every password; but a
        // 401 is a refusal in any case.
        let status = match &response {
            Ok(response) => Some(response.status),
            Err(error) if error.status == Some(401) => Some(401),
            Err(_) => None,
        };
        let user = self
            .end_sign_in(head, sign_in, status)
            .await?
            .unwrap_or(caller);
        if !operation.is_change {
            return response.map_err(|error| error.problem);
        }
        let audit = self.service.audit();
        match response {
            Ok(response) => {
                let reason = format!("the cluster responded with status {}", response.status);
                audit
                    .relayed(head, &user, Some(ending(response.status, &reason)))
                    .await?;
                Ok(response)
            }
            Err(RelayError { problem, .. }) => {
                let detail = sanitized(problem.message());
                audit
                    .relayed(head, &user, Some(unknown_ending(&problem, &detail)))
                    .await?;
                Err(problem)
            }
        }
    }

    async fn respond(&self, operation: &Operation) -> Result<UpstreamResponse, RelayError> {
        let Operation {
            base,
            cluster,
            path,
            query,
            request,
            ..
        } = operation;
        let client = &self.upstream.client;
        let base = match cluster {
            None => base.clone(),
            Some(id) => match find_data_plane(client, base, id, request).await? {
                Ok(base) => base,
                // The problem response of the Control Plane explains best what is wrong.
                Err(response) => return Ok(response),
            },
        };
        Ok(client.send(&base, path, query, request).await?)
    }

    /// Takes note of what the cluster says about the credentials by its status, and records that it
    /// refuses them; the user that it has accepted.
    async fn end_sign_in(
        &self,
        head: &RequestHead,
        sign_in: RelayedSignIn,
        status: Option<u16>,
    ) -> Result<Option<String>, AuditError> {
        let verdict = match status {
            Some(200..=299) => Verdict::Accepted,
            Some(401) => Verdict::Rejected,
            _ => Verdict::Unknown,
        };
        let (name, method) = (sign_in.user_name().to_owned(), sign_in.method());
        let user = self
            .sign_ins
            .end(&self.authenticator, sign_in, verdict, self.service.now());
        if verdict == Verdict::Rejected {
            self.service.metrics().count_failed_sign_in("cluster");
            let name = self.authenticator.known_name(&name);
            let detail = "the cluster refused the credentials";
            self.service
                .audit()
                .rejected_authentication(head, name, method, detail)
                .await?;
        }
        Ok(user)
    }
}

async fn upstream_request(request: Request) -> Result<UpstreamRequest, Problem> {
    let (method, headers) = (request.method().clone(), request.headers().clone());
    let body = match method {
        // Some operations have no body, such as the change of a log level.
        Method::POST | Method::PUT if !request.body().is_end_stream() => {
            Some(body::text(request, body::MAX_BYTES, body::TIMEOUT).await?)
        }
        _ => None,
    };
    Ok(UpstreamRequest::new(method, &headers, body))
}

fn relayed_response(response: UpstreamResponse) -> Response {
    let UpstreamResponse {
        status,
        body,
        headers,
    } = response;
    let mut response = HttpResponse::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    if status == 401 {
        // Not the challenge of the cluster: for `Basic`, a browser would open a password dialog.
        let challenge = HeaderValue::from_static("Bearer realm=\"gbac\"");
        response
            .headers_mut()
            .insert(header::WWW_AUTHENTICATE, challenge);
    }
    response.headers_mut().extend(headers);
    response
}

/// Asks the Control Plane for the base URL of a cluster's Data Plane. The inner error is the
/// response of the Control Plane if it is not successful.
async fn find_data_plane(
    client: &UpstreamClient,
    control_plane: &BaseUrl,
    id: &str,
    request: &UpstreamRequest,
) -> Result<Result<BaseUrl, UpstreamResponse>, RelayError> {
    let id = decode(id).map_err(Problem::from)?;
    let Some(path) = upstream::cluster_path(&id) else {
        let message = format!("`{}` is not a cluster ID", encode::component(&id));
        return Err(Problem::invalid(message).into());
    };
    let response = client
        .send(control_plane, &path, "", &request.as_get())
        .await?;
    if response.status != 200 {
        return Ok(Err(response));
    }
    match upstream::named_data_plane(control_plane, &response.body) {
        Ok(data_plane) => Ok(Ok(data_plane)),
        Err(cause) => {
            let message = format!("the response of the Control Plane is not usable: {cause}");
            Err(Problem::with_status(502, RpcCode::Unavailable, "upstream_answer", message).into())
        }
    }
}

fn problem(error: &UpstreamError) -> Problem {
    let (status, code) = match error {
        UpstreamError::Timeout => (504, RpcCode::DeadlineExceeded),
        _ => (502, RpcCode::Unavailable),
    };
    Problem::with_status(status, code, error.code(), error.to_string())
}
