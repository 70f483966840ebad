//! An identity provider on loopback that does what a test tells it to.

use std::sync::{Arc, LazyLock, Mutex};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand_core::OsRng;
use rsa::RsaPrivateKey;
use rsa::pkcs1v15::SigningKey;
use rsa::signature::{SignatureEncoding, Signer};
use rsa::traits::PublicKeyParts;
use serde_json::{Value, json};
use sha2::Sha256;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use crate::harness::NOW;

/// One key for all names; what a provider publishes is under which names it is.
static KEY: LazyLock<RsaPrivateKey> =
    LazyLock::new(|| RsaPrivateKey::new(&mut OsRng, 2048).unwrap());

pub(crate) const AUDIENCE: &str = "streams";
pub(crate) const DISCOVERY: &str = "/.well-known/openid-configuration";
pub(crate) const KEYS: &str = "/keys";
pub(crate) const TOKEN: &str = "/token";

/// What is answered at a path.
#[derive(Debug, Clone)]
pub(crate) enum Says {
    /// What a provider says there.
    Right,
    /// A status, with a header line and a body.
    Status(u16, &'static str, &'static str),
    /// A body of status 200.
    Body(Vec<u8>),
    /// A body without an end; how long it is is not said.
    Endless,
    /// Nothing, ever.
    Nothing,
    /// What a provider says there at that moment, but not until a permit is there.
    When(Arc<Semaphore>),
    /// No connection: what was sent is thrown away.
    HangUp,
}

/// The provider.
#[derive(Clone)]
pub(crate) struct Provider {
    pub(crate) origin: String,
    state: Arc<Mutex<State>>,
}

struct State {
    discovery: Says,
    keys: Says,
    token: Says,
    /// The requests for tokens: the heads and the forms.
    exchanges: Vec<(String, String)>,
    kids: Vec<String>,
    asked: Vec<String>,
}

impl Provider {
    /// A provider that publishes a key of the name `a`.
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let state = State {
            discovery: Says::Right,
            keys: Says::Right,
            token: Says::Status(400, "", r#"{"error":"invalid_grant"}"#),
            exchanges: Vec::new(),
            kids: vec!["a".into()],
            asked: Vec::new(),
        };
        let this = Self {
            origin,
            state: Arc::new(Mutex::new(state)),
        };
        let provider = this.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(provider.clone().answer(stream));
            }
        });
        this
    }

    /// The address of the discovery document.
    pub(crate) fn discovery(&self) -> String {
        format!("{}{DISCOVERY}", self.origin)
    }

    /// Says something else at a path from now on.
    pub(crate) fn say(&self, path: &str, says: Says) {
        let mut state = self.state.lock().unwrap();
        match path {
            DISCOVERY => state.discovery = says,
            TOKEN => state.token = says,
            _ => state.keys = says,
        }
    }

    /// The last request for tokens: its head and its form.
    pub(crate) fn exchange(&self) -> (String, String) {
        self.state.lock().unwrap().exchanges.last().unwrap().clone()
    }

    /// Publishes keys of these names from now on.
    pub(crate) fn publish(&self, kids: &[&str]) {
        self.state.lock().unwrap().kids = kids.iter().map(|kid| (*kid).to_owned()).collect();
    }

    /// The number of requests for the keys.
    pub(crate) fn fetches(&self) -> usize {
        self.asked(KEYS)
    }

    /// The number of requests for a path.
    pub(crate) fn asked(&self, path: &str) -> usize {
        self.state
            .lock()
            .unwrap()
            .asked
            .iter()
            .filter(|asked| *asked == path)
            .count()
    }

    /// A token for a user, signed under the name of a key, an hour long.
    pub(crate) fn token(&self, kid: &str, user: &str) -> String {
        self.sign(
            kid,
            &json!({ "iss": self.origin, "aud": AUDIENCE, "sub": user, "iat": NOW, "exp": NOW + 3600.0,
            "groups": ["eng", "ops"] }),
        )
    }

    /// A token with these claims.
    pub(crate) fn sign(&self, kid: &str, claims: &Value) -> String {
        self.sign_as("JWT", kid, claims)
    }

    /// A token of this type with these claims.
    pub(crate) fn sign_as(&self, typ: &str, kid: &str, claims: &Value) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let input = format!(
            "{}.{}",
            part(&json!({ "alg": "RS256", "typ": typ, "kid": kid })),
            part(claims)
        );
        let signature = SigningKey::<Sha256>::new(KEY.clone()).sign(input.as_bytes());
        format!("{input}.{}", URL_SAFE_NO_PAD.encode(signature.to_bytes()))
    }

    /// What it serves under a path if nothing else was said.
    pub(crate) fn document(&self, path: &str) -> String {
        if path == DISCOVERY {
            return json!({ "issuer": self.origin, "jwks_uri": format!("{}{KEYS}", self.origin),
                "authorization_endpoint": format!("{}/authorize?tenant=1", self.origin),
                "token_endpoint": format!("{}{TOKEN}", self.origin) })
            .to_string();
        }
        let (n, e) = (KEY.n().to_bytes_be(), KEY.e().to_bytes_be());
        let key = |kid: &String| {
            json!({ "kty": "RSA", "use": "sig", "alg": "RS256", "kid": kid,
                "n": URL_SAFE_NO_PAD.encode(&n), "e": URL_SAFE_NO_PAD.encode(&e) })
        };
        let keys: Vec<Value> = self.state.lock().unwrap().kids.iter().map(key).collect();
        json!({ "keys": keys }).to_string()
    }

    async fn answer(self, mut stream: TcpStream) {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            match stream.read_u8().await {
                Ok(byte) => head.push(byte),
                Err(_) => return,
            }
        }
        let head = String::from_utf8(head).unwrap();
        let path = head.split(' ').nth(1).unwrap().to_owned();
        let length = head
            .to_lowercase()
            .split_once("content-length: ")
            .map_or(0, |(_, rest)| {
                rest.split('\r').next().unwrap().parse().unwrap()
            });
        let mut form = vec![0; length];
        if stream.read_exact(&mut form).await.is_err() {
            return;
        }
        let says = {
            let mut state = self.state.lock().unwrap();
            state.asked.push(path.clone());
            match path.as_str() {
                DISCOVERY => state.discovery.clone(),
                TOKEN => {
                    state
                        .exchanges
                        .push((head, String::from_utf8(form).unwrap()));
                    state.token.clone()
                }
                _ => state.keys.clone(),
            }
        };
        let document = self.document(&path);
        let whole = |status: u16, header: &str, body: &[u8]| {
            let length = body.len();
            let head = format!(
                "HTTP/1.1 {status} X\r\n{header}content-length: {length}\r\nconnection: close\r\n\r\n"
            );
            [head.as_bytes(), body].concat()
        };
        // Who asked may have gone away by now.
        let _ = match says {
            Says::Right => stream.write_all(&whole(200, "", document.as_bytes())).await,
            Says::Status(status, header, body) => {
                stream
                    .write_all(&whole(status, header, body.as_bytes()))
                    .await
            }
            Says::Body(body) => stream.write_all(&whole(200, "", &body)).await,
            Says::Endless => {
                let _ = stream
                    .write_all(b"HTTP/1.1 200 X\r\nconnection: close\r\n\r\n")
                    .await;
                let piece = [b' '; 64 << 10];
                while stream.write_all(&piece).await.is_ok() {}
                Ok(())
            }
            Says::Nothing => std::future::pending().await,
            Says::When(permits) => {
                permits.acquire().await.unwrap().forget();
                stream.write_all(&whole(200, "", document.as_bytes())).await
            }
            Says::HangUp => Ok(()),
        };
    }
}
