//! A persistent connection and its requests.

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Method, Request, header};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;

use super::credentials;
use super::process::Service;
use crate::Result;

/// A request.
#[derive(Debug, Clone)]
pub(super) struct Ask {
    method: Method,
    path: String,
    authorization: Option<String>,
    body: Bytes,
}

impl Ask {
    fn new(method: Method, path: &str, body: impl Into<Bytes>) -> Self {
        Self {
            method,
            path: path.to_owned(),
            authorization: Some(credentials()),
            body: body.into(),
        }
    }

    /// Turns the audit log on or off.
    pub(super) fn audit(enabled: bool) -> Self {
        let properties = json!({ "upsert": { "audit_enabled": enabled }, "remove": [] });
        Self::put("/v1/cluster_config", &properties)
    }

    pub(super) fn get(path: &str) -> Self {
        Self::new(Method::GET, path, Bytes::new())
    }

    pub(super) fn post(path: &str, body: &Value) -> Self {
        Self::new(Method::POST, path, body.to_string())
    }

    pub(super) fn put(path: &str, body: &Value) -> Self {
        Self::new(Method::PUT, path, body.to_string())
    }

    pub(super) fn put_text(path: &str, body: String) -> Self {
        Self::new(Method::PUT, path, body)
    }

    pub(super) fn without_credentials(self) -> Self {
        Self {
            authorization: None,
            ..self
        }
    }

    pub(super) fn with_token(self, token: &str) -> Self {
        Self {
            authorization: Some(format!("Bearer {token}")),
            ..self
        }
    }
}

/// A connection to a service.
pub(super) struct Client {
    host: String,
    sender: SendRequest<Full<Bytes>>,
}

impl Client {
    pub(super) async fn connect(service: &Service) -> Result<Self> {
        let host = service.address().to_owned();
        let stream = TcpStream::connect(&host).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(Self { host, sender })
    }

    /// Connects, and turns off the audit log, whose cost is measured separately.
    pub(super) async fn unaudited(service: &Service) -> Result<Self> {
        let mut client = Self::connect(service).await?;
        client.done(&Ask::audit(false)).await?;
        Ok(client)
    }

    /// Sends a request that must succeed, and returns the body.
    pub(super) async fn bytes(&mut self, ask: &Ask) -> Result<Bytes> {
        let mut request = Request::builder()
            .method(&ask.method)
            .uri(&ask.path)
            .header(header::HOST, &self.host);
        if let Some(authorization) = &ask.authorization {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        if !ask.body.is_empty() {
            request = request
                .header(header::CONTENT_TYPE, "application/json")
                .header(header::IF_MATCH, "*");
        }
        self.sender.ready().await?;
        let answer = self
            .sender
            .send_request(request.body(Full::new(ask.body.clone()))?)
            .await?;
        let status = answer.status();
        let body = answer.into_body().collect().await?.to_bytes();
        if status.is_success() {
            return Ok(body);
        }
        let text = String::from_utf8_lossy(&body).into_owned();
        Err(format!("{} {} answered {status}: {text}", ask.method, ask.path).into())
    }

    pub(super) async fn done(&mut self, ask: &Ask) -> Result<()> {
        self.bytes(ask).await.map(drop)
    }

    pub(super) async fn text(&mut self, ask: &Ask) -> Result<String> {
        Ok(String::from_utf8(self.bytes(ask).await?.to_vec())?)
    }

    pub(super) async fn json(&mut self, ask: &Ask) -> Result<Value> {
        Ok(serde_json::from_slice(&self.bytes(ask).await?)?)
    }
}
