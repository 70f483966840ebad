//! Calls of services over Connect and gRPC, in JSON and binary (D-95). Handlers read and write
//! JSON; here it is converted, so that every encoding passes through the same checks.

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use gbac_api::encode::component;
use gbac_api::paths::is_service;
use gbac_api::problem::{ConnectDetail, ConnectProblem, RpcCode};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};

use super::descriptors::{
    FieldNames, MessageDescriptor, bytes_of_json, json_of_bytes, json_of_json, message, method,
};
use super::placement::{Work, run};
use super::problem::{Problem, valid_body};
use super::request_head::header_text;
use super::surface::Surface;
use super::transcode::{Codec, write_message};

/// The status of a response of gRPC, its message, and both with details.
const GRPC_STATUS: HeaderName = HeaderName::from_static("grpc-status");
const GRPC_MESSAGE: HeaderName = HeaderName::from_static("grpc-message");
const GRPC_DETAILS: HeaderName = HeaderName::from_static("grpc-status-details-bin");
/// The bytes before a message of gRPC: flags, and its length.
const PREFIX_BYTES: usize = 5;
/// The flag of trailers in a body of gRPC-Web.
const TRAILERS: u8 = 0x80;

/// The protocol of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Protocol {
    /// Connect: the body is the message, and errors are JSON.
    Connect,
    /// gRPC: each message has a prefix, and the status is in trailers.
    Grpc,
    /// gRPC-Web: the trailers are at the end of the body, so that HTTP/1.1 is enough.
    GrpcWeb,
}

/// The content types other than that of Connect in JSON, which is that of every other request.
const ENCODINGS: [(&str, Protocol, Codec); 7] = [
    ("application/proto", Protocol::Connect, Codec::Binary),
    ("application/grpc", Protocol::Grpc, Codec::Binary),
    ("application/grpc+proto", Protocol::Grpc, Codec::Binary),
    ("application/grpc+json", Protocol::Grpc, Codec::Json),
    ("application/grpc-web", Protocol::GrpcWeb, Codec::Binary),
    (
        "application/grpc-web+proto",
        Protocol::GrpcWeb,
        Codec::Binary,
    ),
    ("application/grpc-web+json", Protocol::GrpcWeb, Codec::Json),
];

/// A call of a service.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    content_type: &'static str,
    protocol: Protocol,
    codec: Codec,
    surface: Surface,
    /// The messages of the request and the response, if the method exists.
    messages: Option<(MessageDescriptor, MessageDescriptor)>,
}

impl Call {
    /// The call of a request; `None` if its path is not one of a service.
    pub(crate) fn from_request(request: &Request) -> Option<Self> {
        let path = request.uri().path();
        let (service, name) = path.strip_prefix('/')?.split_once('/')?;
        if *request.method() != Method::POST || !is_service(service) {
            return None;
        }
        let given = header_text(request.headers(), header::CONTENT_TYPE);
        let given = given.split(';').next().unwrap_or_default().trim();
        let (content_type, protocol, codec) = ENCODINGS
            .into_iter()
            .find(|(known, ..)| known.eq_ignore_ascii_case(given))
            .unwrap_or(("application/json", Protocol::Connect, Codec::Json));
        let messages = method(service, name).map(|method| (method.input(), method.output()));
        Some(Self {
            content_type,
            protocol,
            codec,
            surface: Surface::of_service(service),
            messages,
        })
    }

    /// Whether it is a call of Connect in JSON, whose body is that of a REST request.
    pub(crate) fn is_plain_json(&self) -> bool {
        self.protocol == Protocol::Connect && self.codec == Codec::Json
    }

    /// Reads the message of a request's body, as the JSON that its handler reads.
    ///
    /// # Errors
    /// It is not a message of the method.
    pub(crate) fn decode(&self, body: &[u8]) -> Result<Value, Problem> {
        let Some((kind, _)) = self.messages.clone() else {
            return Err(Problem::new(
                RpcCode::Unimplemented,
                "the method does not exist",
            ));
        };
        let message = if self.protocol == Protocol::Connect {
            body
        } else {
            unframed(body)?
        };
        let decoded = match self.codec {
            Codec::Json => match std::str::from_utf8(message) {
                Ok(text) => json_of_json(kind, valid_body(gbac_json::parse(text))?, self.names()),
                Err(_) => Err("it is not UTF-8".to_owned()),
            },
            Codec::Binary => json_of_bytes(kind, message, self.names()),
        };
        valid_body(decoded)
    }

    /// The names that the handler reads and writes.
    const fn names(&self) -> FieldNames {
        match self.surface {
            Surface::DataPlaneRpc => FieldNames::SnakeCase,
            _ => FieldNames::LowerCamelCase,
        }
    }

    /// Encodes the JSON of a response as this request expects it.
    pub(crate) async fn encode(self, response: Response) -> Response {
        if self.is_plain_json() && self.surface != Surface::DataPlaneRpc {
            return response;
        }
        let (mut parts, body) = response.into_parts();
        // Bodies of our own handlers are complete, so reading one cannot fail.
        let json = match body.collect().await {
            Ok(collected) => collected.to_bytes(),
            Err(_) => Bytes::new(),
        };
        parts.headers.remove(header::CONTENT_LENGTH);
        let (protocol, surface) = (self.protocol, self.surface);
        let content_type = HeaderValue::from_static(self.content_type);
        let result = if parts.status.is_success() {
            let encoded = run(Work::Other, json.len() <= SMALL_BYTES, move || {
                self.message(&json)
            })
            .await;
            encoded.ok().flatten().ok_or_else(|| ConnectProblem {
                code: RpcCode::Internal.word().into(),
                message: UNENCODABLE.into(),
                details: Vec::new(),
            })
        } else if protocol == Protocol::Connect {
            return Response::from_parts(parts, Body::from(json));
        } else {
            Err(serde_json::from_slice(&json).unwrap_or_default())
        };
        if protocol == Protocol::Connect {
            return match result {
                Ok(message) => {
                    parts.headers.insert(header::CONTENT_TYPE, content_type);
                    Response::from_parts(parts, Body::from(message))
                }
                Err(problem) => Problem::new(RpcCode::Internal, problem.message).response(surface),
            };
        }
        let (mut message, trailers) = match result {
            Ok(message) => (
                message,
                HeaderMap::from_iter([(GRPC_STATUS, HeaderValue::from_static("0"))]),
            ),
            Err(problem) => (Vec::new(), trailers(parts.status, problem)),
        };
        parts.status = StatusCode::OK;
        parts.headers.insert(header::CONTENT_TYPE, content_type);
        let body = if protocol == Protocol::GrpcWeb {
            message.extend(framed(TRAILERS, &lines(&trailers)));
            Body::from(message)
        } else if message.is_empty() {
            // A response with trailers only has them as headers.
            parts.headers.extend(trailers);
            Body::empty()
        } else {
            Body::new(
                Full::new(Bytes::from(message)).with_trailers(async move { Some(Ok(trailers)) }),
            )
        };
        Response::from_parts(parts, body)
    }

    /// A response's message in the encoding of the call, with the prefix that gRPC has.
    fn message(&self, json: &[u8]) -> Option<Vec<u8>> {
        let (_, kind) = self.messages.clone()?;
        let mut message = if self.protocol == Protocol::Connect {
            Vec::new()
        } else {
            vec![0; PREFIX_BYTES]
        };
        let begin = message.len();
        write_message(kind, json, self.codec, &mut message).ok()?;
        let length = u32::try_from(message.len() - begin).ok()?;
        if let Some(prefix) = message.get_mut(1..begin) {
            prefix.copy_from_slice(&length.to_be_bytes());
        }
        Some(message)
    }
}

/// The size in bytes up to which a message is converted on the thread that received the request.
const SMALL_BYTES: usize = 16 << 10;
const UNENCODABLE: &str = "the response cannot be encoded";

/// The trailers of a refused request.
fn trailers(status: StatusCode, problem: ConnectProblem) -> HeaderMap {
    let ConnectProblem {
        code,
        message: text,
        details,
    } = problem;
    let code = rpc_code(&code, status);
    let mut trailers = HeaderMap::new();
    trailers.insert(GRPC_STATUS, HeaderValue::from(code.number()));
    if let Ok(text) = HeaderValue::from_str(&component(&text)) {
        trailers.insert(GRPC_MESSAGE, text);
    }
    if !details.is_empty()
        && let Some(details) = status_with_details(code, &text, details)
        && let Ok(details) = HeaderValue::from_str(&STANDARD_NO_PAD.encode(details))
    {
        trailers.insert(GRPC_DETAILS, details);
    }
    trailers
}

/// The code with this word, or the first one with this status.
fn rpc_code(word: &str, status: StatusCode) -> RpcCode {
    let mut codes = RpcCode::ALL.iter();
    if let Some(code) = codes.clone().find(|code| code.word() == word) {
        return *code;
    }
    match codes.find(|code| code.status() == status.as_u16()) {
        Some(code) => *code,
        None => RpcCode::Internal,
    }
}

/// The bytes of a `google.rpc.Status`.
fn status_with_details(code: RpcCode, text: &str, details: Vec<ConnectDetail>) -> Option<Vec<u8>> {
    let mut messages = Vec::new();
    for ConnectDetail { kind, debug, .. } in details {
        if let Value::Object(mut fields) = debug {
            fields.insert("@type".into(), format!("type.googleapis.com/{kind}").into());
            messages.push(Value::Object(fields));
        }
    }
    let status = json!({ "code": code.number(), "message": text, "details": messages });
    bytes_of_json(message("google.rpc.Status")?, status)
}

/// Trailers as lines, as gRPC-Web writes them.
fn lines(trailers: &HeaderMap) -> Vec<u8> {
    let mut lines = Vec::new();
    for (name, value) in trailers {
        lines.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    lines
}

/// The only message of a body of gRPC.
fn unframed(body: &[u8]) -> Result<&[u8], Problem> {
    let Some(([flags, length @ ..], message)) = body.split_first_chunk::<PREFIX_BYTES>() else {
        return Err(Problem::invalid("the body has no message of gRPC"));
    };
    if *flags != 0 {
        return Err(Problem::new(
            RpcCode::Unimplemented,
            "the message is compressed; send it without compression",
        ));
    }
    if u32::try_from(message.len()).ok() == Some(u32::from_be_bytes(*length)) {
        Ok(message)
    } else {
        Err(Problem::invalid(
            "the body is not one complete message of gRPC",
        ))
    }
}

pub(super) fn framed(flags: u8, message: &[u8]) -> Bytes {
    let mut framed = Vec::with_capacity(PREFIX_BYTES + message.len());
    framed.push(flags);
    framed.extend(
        u32::try_from(message.len())
            .unwrap_or(u32::MAX)
            .to_be_bytes(),
    );
    framed.extend(message);
    framed.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_of_grpc_is_one_message() {
        assert_eq!(unframed(&framed(0, b"abc")).unwrap(), b"abc");
        assert_eq!(unframed(&framed(0, b"")).unwrap(), b"");
        for body in [
            &b""[..],
            b"\0\0\0\0",
            b"\0\0\0\0\x01",
            b"\0\0\0\0\0x",
            b"\0\0\0\0\x01ab",
            b"\0\xff\xff\xff\xffa",
        ] {
            assert!(unframed(body).is_err(), "{body:?}");
        }
        assert!(
            unframed(b"\x01\0\0\0\x01a")
                .unwrap_err()
                .message()
                .contains("compressed")
        );
    }
}
