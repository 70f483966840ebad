//! Generates malformed HTTP requests from a seed: valid requests with up to three faults.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

/// A pseudorandom number generator with a seed (xorshift64*).
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// Creates a generator with a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(if seed == 0 { 1 } else { seed })
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below a bound.
    ///
    /// # Panics
    /// Never, because a number below a `usize` is a `usize`.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound.max(1) as u64).expect("a number below a usize")
    }

    /// A random element.
    ///
    /// # Panics
    /// If it is empty.
    pub fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }
}

/// The credentials of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Credentials {
    /// None.
    None,
    /// The superuser's credentials.
    Right,
    /// Invalid or ambiguous ones.
    Wrong,
}

/// A raw request.
#[derive(Debug, Clone)]
pub struct BadRequest {
    /// The method.
    pub method: String,
    /// Path and query.
    pub target: Vec<u8>,
    /// The headers, in order.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body.
    pub body: Vec<u8>,
    /// Whether it has credentials.
    pub credentials: Credentials,
    /// Whether it is invalid HTTP, so that the HTTP library responds.
    pub breaks_http: bool,
    /// Raw lines instead of the request's first line and headers.
    pub head: Option<Vec<u8>>,
    /// Texts that no response and no log line may repeat, except in the body of a success.
    pub secrets: Vec<String>,
}

/// The service of generated requests.
#[derive(Debug, Clone)]
pub struct Target {
    /// Its address.
    pub address: String,
    /// The superuser's password.
    pub password: String,
    /// A valid token; if absent, tokens are invented.
    pub token: Option<String>,
    /// Whether requests may contain valid credentials.
    pub may_be_right: bool,
}

const ACL: &str = r#"{"resource_type":"RESOURCE_TYPE_TOPIC","resource_name":"orders","resource_pattern_type":"RESOURCE_PATTERN_TYPE_LITERAL","principal":"Group:eng","host":"*","operation":"OPERATION_READ","permission_type":"PERMISSION_TYPE_ALLOW"}"#;
const QUESTION: &str = r#"{"subject":{"type":"user","id":"alice","properties":{"groups":["engineering","analytics"]}},"action":{"name":"write"},"resource":{"type":"topic","id":"orders-new"},"context":{"host":"10.0.0.7"}}"#;

/// Every route with a valid body.
const ROUTES: &[(&str, &str, &str)] = &[
    ("GET", "/v1/acls?filter.principal=Group:eng", ""),
    ("POST", "/v1/acls", ACL),
    (
        "DELETE",
        "/v1/acls?filter.resource_type=RESOURCE_TYPE_TOPIC&filter.resource_pattern_type=RESOURCE_PATTERN_TYPE_ANY&filter.operation=OPERATION_ANY&filter.permission_type=PERMISSION_TYPE_ANY&filter.resource_name=none",
        "",
    ),
    (
        "GET",
        "/v1/roles?page_size=2&filter.principal=Group:eng",
        "",
    ),
    ("POST", "/v1/roles", r#"{"name":"fresh"}"#),
    ("GET", "/v1/roles/PaymentsWriters", ""),
    (
        "PUT",
        "/v1/roles/PaymentsWriters",
        r#"{"create":true,"add":[{"principal":"Group:eng"}],"remove":[{"principal":"User:a"}]}"#,
    ),
    ("DELETE", "/v1/roles/none?delete_acls=true", ""),
    ("GET", "/v1/roles/PaymentsWriters/members?page_size=1", ""),
    ("GET", "/v1/clusters/demo", ""),
    ("GET", "/v1/cluster_config?key=superusers", ""),
    (
        "PUT",
        "/v1/cluster_config?dry_run=true",
        r#"{"upsert":{"nested_group_behavior":"suffix","superusers":["admin"]},"remove":["oidc_principal_mapping"]}"#,
    ),
    ("GET", "/v1/cluster_config/schema", ""),
    ("GET", "/v1/cluster_config/status", ""),
    ("GET", "/v1/loggers?include-levels=true", ""),
    ("GET", "/v1/config/log_level/security", ""),
    (
        "PUT",
        "/v1/config/log_level/security?level=trace&expires=0",
        "",
    ),
    ("GET", "/gbac/v1/service", ""),
    ("GET", "/gbac/v1/policy", ""),
    (
        "PUT",
        "/gbac/v1/policy",
        r#"{"version":1,"settings":{"superusers":["admin"]},"roles":[{"name":"r","members":[{"principal":"User:a"}]}],"acls":[]}"#,
    ),
    (
        "POST",
        "/gbac/v1/policy/changes",
        r#"{"changes":[{"change":"create_role","role":"x"},{"change":"delete_role","role":"x"}]}"#,
    ),
    ("GET", "/gbac/v1/tests", ""),
    (
        "PUT",
        "/gbac/v1/tests",
        r#"{"version":1,"tests":[{"name":"t","check":{"identity":{"user":"a"},"operation":"read","resource_type":"topic","resource_name":"o"},"expect":{"outcome":"deny"}}]}"#,
    ),
    ("GET", "/gbac/v1/audit?limit=3", ""),
    ("GET", "/gbac/v1/license", ""),
    ("PUT", "/gbac/v1/license", r#"{"license":"valid"}"#),
    ("GET", "/gbac/v1/upstream/admin/v1/cluster_config", ""),
    ("POST", "/gbac/v1/upstream/dataplane/v1/acls", ACL),
    ("POST", "/access/v1/evaluation", QUESTION),
    (
        "POST",
        "/access/v1/evaluation",
        r#"{"subject":{"type":"token","id":"TOKEN"},"action":{"name":"read"},"resource":{"type":"topic","id":"clickstream"}}"#,
    ),
    (
        "POST",
        "/access/v1/evaluations",
        r#"{"subject":{"type":"user","id":"bob","properties":{"groups":["engineering"]}},"action":{"name":"read"},"evaluations":[{"resource":{"type":"topic","id":"orders-new"}},{"resource":{"type":"cluster","id":""},"action":{"name":"describe"}}],"options":{"evaluations_semantic":"execute_all"}}"#,
    ),
    ("GET", "/.well-known/authzen-configuration", ""),
    ("GET", "/healthz", ""),
    ("GET", "/readyz", ""),
    ("GET", "/metrics", ""),
    ("GET", "/", ""),
    ("GET", "/security/roles", ""),
    ("GET", "/demo/idp/jwks", ""),
    (
        "POST",
        "/service.core.admin.v2.SecurityService/CreateRole",
        r#"{"role":{"name":"fresh","members":[{"group":{"name":"eng"}}]}}"#,
    ),
    (
        "POST",
        "/service.core.admin.v2.SecurityService/GetRole",
        r#"{"name":"PaymentsWriters"}"#,
    ),
    (
        "POST",
        "/service.core.admin.v2.SecurityService/ListRoles",
        "{}",
    ),
    (
        "POST",
        "/service.core.admin.v2.SecurityService/AddRoleMembers",
        r#"{"roleName":"PaymentsWriters","members":[{"user":{"name":"a"}}]}"#,
    ),
    (
        "POST",
        "/redpanda.core.admin.v2.SecurityService/RemoveRoleMembers",
        r#"{"role_name":"PaymentsWriters","members":[{"group":{"name":"a"}}]}"#,
    ),
    (
        "POST",
        "/service.core.admin.v2.SecurityService/DeleteRole",
        r#"{"name":"none","deleteAcls":true}"#,
    ),
    (
        "POST",
        "/service.core.admin.v2.SecurityService/ListCurrentUserRoles",
        "{}",
    ),
    (
        "POST",
        "/redpanda.core.admin.v2.SecurityService/ResolveOidcIdentity",
        "{}",
    ),
    (
        "POST",
        "/service.core.admin.v2.SecurityService/ForgetEverything",
        "{}",
    ),
];

impl BadRequest {
    /// Generates a request for a service.
    #[must_use]
    pub fn new(random: &mut Random, target: &Target) -> Self {
        let (method, path, body) = *random.pick(ROUTES);
        let mut secrets = Vec::new();
        let body = if body.contains("TOKEN") {
            let token = broken_token(random, target.token.as_deref(), &mut secrets);
            body.replace("TOKEN", &token)
        } else {
            body.to_owned()
        };
        let mut request = Self {
            method: method.into(),
            target: path.into(),
            headers: vec![("host".into(), target.address.clone().into())],
            body: body.into_bytes(),
            credentials: Credentials::None,
            breaks_http: false,
            head: None,
            secrets,
        };
        if !request.body.is_empty() {
            request
                .headers
                .push(("content-type".into(), b"application/json".to_vec()));
        }
        if path.starts_with("/gbac/v1/policy") && random.below(4) > 0 {
            request.headers.push(("if-match".into(), b"*".to_vec()));
        }
        request.sign_in(random, target);
        for _ in 0..=random.below(3) {
            request.break_something(random, target);
        }
        if random.below(20) == 0 {
            request.break_framing(random);
        }
        request
    }

    /// The raw bytes.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = match &self.head {
            Some(head) => head.clone(),
            None => [self.method.as_bytes(), b" ", &self.target, b" HTTP/1.1\r\n"].concat(),
        };
        for (name, value) in &self.headers {
            bytes.extend([name.as_bytes(), b": ", value, b"\r\n"].concat());
        }
        let is_framed = self
            .headers
            .iter()
            .any(|(name, _)| name == "transfer-encoding");
        if !self.body.is_empty() && !is_framed {
            bytes.extend(format!("content-length: {}\r\n", self.body.len()).into_bytes());
        }
        bytes.extend(b"connection: close\r\n\r\n");
        bytes.extend(&self.body);
        bytes
    }

    /// The path without the query.
    #[must_use]
    pub fn path(&self) -> String {
        let target = String::from_utf8_lossy(&self.target).into_owned();
        target
            .split(['?', '#'])
            .next()
            .unwrap_or_default()
            .to_owned()
    }

    fn authorize(&mut self, value: &str, credentials: Credentials) {
        let again = self.headers.iter().any(|(name, _)| name == "authorization");
        self.headers
            .push(("authorization".into(), value.as_bytes().to_vec()));
        self.credentials = if again {
            Credentials::Wrong
        } else {
            credentials
        };
        self.secrets.extend(
            value
                .split_whitespace()
                .nth(1)
                .filter(|value| value.len() > 12)
                .map(str::to_owned),
        );
    }

    fn sign_in(&mut self, random: &mut Random, target: &Target) {
        let basic = |text: &str| format!("Basic {}", STANDARD.encode(text));
        let wrong = format!("wrong-password-{}", random.below(1_000_000_000));
        match random.below(if target.may_be_right { 12 } else { 8 }) {
            0 | 1 => {}
            2 => {
                self.secrets.push(wrong.clone());
                self.authorize(&basic(&format!("admin:{wrong}")), Credentials::Wrong);
            }
            3 => self.authorize(
                &basic(&format!("{wrong}-without-a-colon")),
                Credentials::Wrong,
            ),
            4 => self.authorize(&format!("Basic {wrong}=?="), Credentials::Wrong),
            5 | 6 => {
                let token = broken_token(random, target.token.as_deref(), &mut self.secrets);
                self.authorize(&format!("Bearer {token}"), Credentials::Wrong);
            }
            7 => self.authorize(&format!("Digest {wrong}"), Credentials::Wrong),
            _ => self.authorize(
                &basic(&format!("admin:{}", target.password)),
                Credentials::Right,
            ),
        }
    }

    fn break_something(&mut self, random: &mut Random, target: &Target) {
        match random.below(21) {
            0 => self.body.truncate(random.below(self.body.len() + 1)),
            1 => {
                let place = random.below(self.body.len() + 1);
                self.body.splice(
                    place..place,
                    *random.pick(&[[0xff, 0xfe], [0, 0], *b"{[", *b"\\u", *b",,", *b"\r\n"]),
                );
            }
            2 => self.repeat_member(),
            3..=6 => self.replace_value(random, target),
            7 => {
                let (open, depth) = (
                    *random.pick(&["[", "{\"a\":", "{\"changes\":[", "[["]),
                    20_000,
                );
                self.body = open.repeat(depth).into_bytes();
            }
            8 => self.body = vec![b' '; (1 << 20) + random.below(3 << 20)],
            9 => {
                let kinds: [&[u8]; 8] = [
                    b"text/plain",
                    b"",
                    b"application/json; charset=utf-16",
                    b"application/xml",
                    b"\xff\xfe",
                    b"json",
                    b"application/json; charset",
                    b"multipart/form-data; boundary=x",
                ];
                let kind = (*random.pick(&kinds)).to_vec();
                self.headers.retain(|(name, _)| name != "content-type");
                self.headers.push(("content-type".into(), kind));
            }
            10 => {
                let name = random.pick(&[
                    "content-encoding",
                    "accept",
                    "if-match",
                    "if-none-match",
                    "origin",
                    "sec-fetch-site",
                    "sec-fetch-mode",
                    "x-request-id",
                    "user-agent",
                    "expect",
                    "range",
                    "cookie",
                    "forwarded",
                    "x-forwarded-for",
                    "grpc-timeout",
                    "connect-protocol-version",
                ]);
                let value = random.pick(&[
                    "",
                    "gzip",
                    "*",
                    "\"",
                    "null",
                    "https://evil.example",
                    "cross-site",
                    "navigate",
                    "100-continue",
                    "bytes=0-",
                    "Mozilla/5.0",
                    "a\tb",
                    "\u{fc}\u{202e}",
                ]);
                self.headers.push(((*name).into(), (*value).into()));
            }
            11 => {
                self.method = (*random.pick(&[
                    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get",
                    "FETCH", "PROPFIND",
                ]))
                .into();
            }
            12 | 13 => self.break_target(random, target),
            14 => {
                self.headers.retain(|(name, _)| name != "host");
                let hosts: [&[u8]; 6] = [
                    b"evil.example",
                    b"",
                    b"localhost:port",
                    b"\xff",
                    b"127.0.0.1:x@evil.example",
                    b"[::1",
                ];
                let count = random.below(3);
                for _ in 0..count {
                    let host = *random.pick(&hosts);
                    self.headers.push(("host".into(), host.to_vec()));
                }
            }
            15 => {
                let secret = format!(
                    "Basic {}",
                    STANDARD.encode(format!("someone:pw-{}", random.below(1_000_000_000)))
                );
                self.authorize(&secret, Credentials::Wrong);
            }
            16 => {
                let token = broken_token(random, target.token.as_deref(), &mut self.secrets);
                let name = random.pick(&["x-token", "cookie", "referer", "proxy-authorization"]);
                self.headers.push(((*name).into(), token.into()));
            }
            17 => {
                let heads: [&[u8]; 7] = [
                    b"GET / HTTP/9.9\r\n",
                    b"\r\n\r\n",
                    b"GET\r\n",
                    b"GET  / HTTP/1.1\r\n",
                    b"GET / HTTP/1.1\r\nno colon\r\n",
                    b"GET / HTTP/1.1\r\na: \0\r\n",
                    b"GET / HTTP/1.1\r\n folded: x\r\n",
                ];
                self.head = Some((*random.pick(&heads)).to_vec());
                self.breaks_http = true;
            }
            18 => {
                self.headers
                    .extend((0..150).map(|at| (format!("x-{at}"), b"x".to_vec())));
                self.breaks_http = true;
            }
            19 => self.body = b"\xef\xbb\xbf{}".to_vec(),
            _ => {
                let all: [&[u8]; 8] = [
                    b"null",
                    b"7",
                    b"\"x\"",
                    b"[]",
                    b"true",
                    b"{}",
                    b"{\"\":{\"\":[]}}",
                    b"1e999999",
                ];
                self.body = (*random.pick(&all)).to_vec();
            }
        }
    }

    /// Converts the body to valid and invalid chunks. This must be the last fault, because the
    /// meaning of later bytes is undefined.
    fn break_framing(&mut self, random: &mut Random) {
        self.headers.push((
            "transfer-encoding".into(),
            (*random.pick(&["chunked", "gzip, chunked"])).into(),
        ));
        let frames: [&[u8]; 4] = [
            b"zz\r\n",
            b"5\r\nhello\r\n0\r\n\r\n",
            b"0\r\n\r\n",
            b"-1\r\n\r\n",
        ];
        self.body = (*random.pick(&frames)).to_vec();
        self.breaks_http = true;
    }

    /// Repeats a member, which different parsers would read differently.
    fn repeat_member(&mut self) {
        let Ok(Value::Object(members)) = serde_json::from_slice(&self.body) else {
            return;
        };
        if let Some((name, value)) = members.iter().next() {
            let member = format!("{{{}:{value},", json!(name));
            self.body.splice(0..1, member.into_bytes());
        }
    }

    /// Replaces a value of the body: with another type, a large value, or a token.
    fn replace_value(&mut self, random: &mut Random, target: &Target) {
        let Ok(mut value) = serde_json::from_slice::<Value>(&self.body) else {
            return;
        };
        let new = match random.below(9) {
            0 => Value::Null,
            1 => json!(true),
            2 => json!(-7.5),
            3 => json!([]),
            4 => json!({ "unknown": [1] }),
            5 => "x".repeat(*random.pick(&[300, 5_000, 200_000])).into(),
            6 => broken_token(random, target.token.as_deref(), &mut self.secrets).into(),
            7 => (*random.pick(&[
                "",
                "*",
                "Group:*",
                "User:Group:x",
                "Group:",
                "\u{0}",
                "\u{202e}x",
                "a,b=c",
                "$[",
                "OPERATION_ANY",
                "999",
            ]))
            .into(),
            _ => json!([[["deep"]]]),
        };
        let (mut place, mut pointer) = (&value, String::new());
        for _ in 0..=random.below(4) {
            let (name, next) = match place {
                Value::Object(members) if !members.is_empty() => {
                    let (name, next) = members
                        .iter()
                        .nth(random.below(members.len()))
                        .expect("a member");
                    (name.clone(), next)
                }
                Value::Array(all) if !all.is_empty() => {
                    let at = random.below(all.len());
                    (at.to_string(), &all[at])
                }
                _ => break,
            };
            pointer = format!("{pointer}/{name}");
            place = next;
        }
        *value.pointer_mut(&pointer).expect("a place") = new;
        self.body = value.to_string().into_bytes();
    }

    fn break_target(&mut self, random: &mut Random, target: &Target) {
        match random.below(12) {
            0 => self.target.extend(b"/"),
            1 => self.target.extend(b"%2F..%2f.."),
            2 => self.target.extend(b"%zz"),
            3 => self.target.extend(b"?unknown=1&unknown=1"),
            4 => self.target.extend(b"?a=%ff&filter.principal=%00"),
            5 => self.target.splice(0..0, *b"//").for_each(drop),
            6 => {
                let token = broken_token(random, target.token.as_deref(), &mut self.secrets);
                self.target = format!("/v1/roles/{token}").into();
            }
            7 => {
                let token = broken_token(random, target.token.as_deref(), &mut self.secrets);
                self.target
                    .extend(format!("?access_token={token}").into_bytes());
            }
            8 => self
                .target
                .extend(vec![b'a'; *random.pick(&[300, 33_000, 60_000])]),
            9 => {
                // An escape in the host of an absolute URL is invalid.
                self.breaks_http |= self.target.starts_with(b"http");
                self.target = self
                    .target
                    .iter()
                    .flat_map(|byte| {
                        if *byte == b'a' {
                            b"%61".to_vec()
                        } else {
                            vec![*byte]
                        }
                    })
                    .collect();
            }
            10 => {
                self.target.extend(b"\xff\xfe");
                self.breaks_http = true;
            }
            _ => {
                self.target = [b"http://evil.example".as_slice(), &self.target].concat();
            }
        }
    }
}

/// An invalid token. Its parts are secrets nevertheless, because it may be valid for another
/// service.
fn broken_token(random: &mut Random, valid: Option<&str>, secrets: &mut Vec<String>) -> String {
    let number = random.below(1_000_000_000);
    let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let header = encode(
        &json!({ "alg": *random.pick(&["RS256", "none", "HS256", "ES256"]), "typ": "JWT", "kid": "k" }),
    );
    let claims = json!({ "sub": "admin", "aud": "streams", "exp": 1e10, "jti": format!("secret-claim-{number}"), "groups": ["engineering"] });
    let signature = URL_SAFE_NO_PAD.encode(format!("a-signature-that-is-secret-{number}"));
    let token = match (random.below(6), valid) {
        (0, Some(valid)) => {
            // Signed for other claims.
            let parts: Vec<&str> = valid.split('.').collect();
            format!("{}.{}.{}", parts[0], encode(&claims), parts[2])
        }
        (1, Some(valid)) => format!("{valid}A"),
        (2, _) => format!("{header}.{}.", encode(&claims)),
        (3, _) => format!("{header}.{}.{signature}.{signature}", encode(&claims)),
        _ => format!("{header}.{}.{signature}", encode(&claims)),
    };
    secrets.extend(
        token
            .split('.')
            .skip(1)
            .filter(|part| part.len() > 12)
            .map(str::to_owned),
    );
    token
}
