//! The properties of SASL.

use std::path::PathBuf;

use super::fault::{NoteReason, PropertyError, PropertyFault, PropertyNote};
use super::jaas::LoginModule;
use super::protocol::Protocol;
use super::values::{Value, Values};
use crate::options::{Login, Mechanism, SaslOptions, TokenEndpoint, TokenSource};
use crate::secret::Secret;

const JAAS: &str = "sasl.jaas.config";
const URL: &str = "sasl.oauthbearer.token.endpoint.url";
const CLIENT_ID: &str = "sasl.oauthbearer.client.credentials.client.id";
const CLIENT_SECRET: &str = "sasl.oauthbearer.client.credentials.client.secret";
/// Classes that change how a client signs in.
const CLASSES: [&str; 4] = [
    "sasl.login.callback.handler.class",
    "sasl.client.callback.handler.class",
    "sasl.login.class",
    "sasl.oauthbearer.jwt.retriever.class",
];
/// The classes of Kafka that do what this program does, without their packages.
const KNOWN_CLASSES: [&str; 4] = [
    "OAuthBearerLoginCallbackHandler",
    "DefaultJwtRetriever",
    "ClientCredentialsJwtRetriever",
    "FileJwtRetriever",
];
const KAFKA: &str = "org.apache.kafka.common.security.";
/// What has no effect without a token of an endpoint.
const OF_TOKENS: [&str; 6] = [
    URL,
    CLIENT_ID,
    CLIENT_SECRET,
    "sasl.oauthbearer.scope",
    "sasl.oauthbearer.header.urlencode",
    "sasl.oauthbearer.jwt.retriever.class",
];

pub(super) fn read(
    values: &mut Values,
    protocol: Protocol,
) -> Result<Option<SaslOptions>, PropertyError> {
    if !protocol.has_sasl {
        for key in ["sasl.mechanism", JAAS] {
            if let Some(value) = values.take(key)? {
                return Err(value.fault(PropertyFault::Contradiction {
                    protocol: protocol.name,
                    instead: match protocol.has_tls {
                        true => "SASL_SSL",
                        false => "SASL_PLAINTEXT or SASL_SSL",
                    },
                }));
            }
        }
        values.ignore(&CLASSES);
        values.ignore(&OF_TOKENS);
        return Ok(None);
    }
    let mechanism = mechanism(values)?;
    check_classes(values)?;
    let module = module(values, mechanism)?;
    let login = match mechanism {
        Mechanism::OauthBearer => token(values, module.as_ref())?,
        Mechanism::Plain | Mechanism::ScramSha256 | Mechanism::ScramSha512 => {
            values.ignore(&OF_TOKENS);
            password(module)?
        }
    };
    Ok(Some(SaslOptions { mechanism, login }))
}

fn mechanism(values: &mut Values) -> Result<Mechanism, PropertyError> {
    const EXPECTED: &str = "PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER";
    let Some(value) = values.take("sasl.mechanism")? else {
        let fault = PropertyFault::Content(
            "it is missing, and means GSSAPI then, which this program does not have: set PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER",
        );
        return Err(Values::missing("sasl.mechanism", fault));
    };
    for mechanism in Mechanism::ALL {
        if value.text == mechanism.name() {
            return Ok(mechanism);
        }
    }
    Err(match value.text.as_str() {
        "GSSAPI" | "AWS_MSK_IAM" => value.unsupported(
            "use an account with PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER, or a certificate of the client",
        ),
        _ => value.expected(EXPECTED),
    })
}

fn check_classes(values: &mut Values) -> Result<(), PropertyError> {
    for key in CLASSES {
        if let Some(value) = values.take(key)? {
            let name = value.text.rsplit('.').next().unwrap_or_default();
            if !value.text.starts_with(KAFKA) || !KNOWN_CLASSES.contains(&name) {
                return Err(value.unsupported("remove it, and name a token or its file instead"));
            }
        }
    }
    for key in [
        "sasl.oauthbearer.assertion.file",
        "sasl.oauthbearer.assertion.private.key.file",
    ] {
        if let Some(value) = values.take(key)? {
            return Err(value.fault(PropertyFault::Content(
                "this program signs no assertions: use a secret of the client, or name a token or its file",
            )));
        }
    }
    Ok(())
}

/// The login module with the place of its property.
struct Module {
    value: Value,
    inner: LoginModule,
}

impl Module {
    fn fault(&self, problem: &'static str) -> PropertyError {
        self.value.fault(PropertyFault::Jaas(problem))
    }
}

fn module(values: &mut Values, mechanism: Mechanism) -> Result<Option<Module>, PropertyError> {
    let Some(value) = values.take(JAAS)? else {
        return match mechanism {
            Mechanism::OauthBearer => Ok(None),
            _ => Err(Values::missing(
                JAAS,
                PropertyFault::Content(
                    "it is missing: set it to the login module with `username` and `password`",
                ),
            )),
        };
    };
    let inner = match LoginModule::parse(&value.text) {
        Ok(inner) => inner,
        Err(problem) => return Err(value.fault(PropertyFault::Jaas(problem))),
    };
    let expected = match mechanism {
        Mechanism::Plain => "plain.PlainLoginModule",
        Mechanism::ScramSha256 | Mechanism::ScramSha512 => "scram.ScramLoginModule",
        Mechanism::OauthBearer => "oauthbearer.OAuthBearerLoginModule",
    };
    if inner.class.strip_prefix(KAFKA) == Some(expected) {
        return Ok(Some(Module { value, inner }));
    }
    Err(value.fault(PropertyFault::Jaas(match mechanism {
        Mechanism::Plain => {
            "with `sasl.mechanism=PLAIN`, it begins with `org.apache.kafka.common.security.plain.PlainLoginModule`"
        }
        Mechanism::ScramSha256 | Mechanism::ScramSha512 => {
            "with a SCRAM mechanism, it begins with `org.apache.kafka.common.security.scram.ScramLoginModule`"
        }
        Mechanism::OauthBearer => {
            "with `sasl.mechanism=OAUTHBEARER`, it begins with `org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule`"
        }
    })))
}

fn password(module: Option<Module>) -> Result<Login, PropertyError> {
    let Some(module) = module else {
        return Err(Values::missing(
            JAAS,
            PropertyFault::Content("it is missing"),
        ));
    };
    let user = module.inner.option("username").unwrap_or_default();
    let password = module.inner.option("password").unwrap_or_default();
    if user.is_empty() || password.is_empty() {
        return Err(module.fault("it needs `username=\"...\"` and `password=\"...\"`"));
    }
    if user.contains('\0') || password.contains('\0') {
        return Err(module.fault("a NUL character is not valid in a name or a password"));
    }
    let token = module.inner.option("tokenauth").unwrap_or_default();
    Ok(Login::Password {
        user: user.to_owned(),
        password: Secret::new(password.to_owned()),
        is_delegation_token: token.eq_ignore_ascii_case("true"),
    })
}

fn token(values: &mut Values, module: Option<&Module>) -> Result<Login, PropertyError> {
    let extensions = match module {
        Some(module) => options(values, module)?,
        None => Vec::new(),
    };
    Ok(Login::Token {
        source: source(values, module)?,
        extensions,
    })
}

/// The extensions of a login module; what else it has is not used.
fn options(values: &mut Values, module: &Module) -> Result<Vec<(String, Secret)>, PropertyError> {
    let mut extensions = Vec::new();
    for (name, value) in &module.inner.options {
        if name.starts_with("unsecuredLogin") {
            return Err(module.fault(
                "this program makes no unsecured tokens: write one into a file, and name the file in `sasl.oauthbearer.token.endpoint.url`",
            ));
        }
        if let Some(extension) = name.strip_prefix("extension_") {
            let is_name = !extension.is_empty()
                && extension.chars().all(|c| c.is_ascii_alphabetic())
                && extension != "auth";
            let is_value = value
                .chars()
                .all(|c| matches!(c, ' '..='~' | '\t' | '\r' | '\n'));
            if !is_name || !is_value {
                return Err(
                    module.fault("the name or the value of an extension is not valid (RFC 7628)")
                );
            }
            extensions.push((extension.to_owned(), Secret::new(value.clone())));
        } else if !["clientId", "clientSecret", "scope"].contains(&name.as_str()) {
            let PropertyNote { line, key, reason } = module.value.note(NoteReason::NotUsed);
            let key = format!("{key} {name}");
            values.notes.push(PropertyNote { line, key, reason });
        }
    }
    Ok(extensions)
}

fn source(values: &mut Values, module: Option<&Module>) -> Result<TokenSource, PropertyError> {
    let id = values.take(CLIENT_ID)?;
    let secret = values.take(CLIENT_SECRET)?;
    let scope = values.take("sasl.oauthbearer.scope")?;
    let is_encoded = values.take("sasl.oauthbearer.header.urlencode")?;
    let Some(url) = values.take(URL)? else {
        return Ok(TokenSource::Missing);
    };
    if let Some(path) = url.text.strip_prefix("file:") {
        return file(&url, path);
    }
    check_endpoint(&url)?;
    let option = |name| {
        module
            .and_then(|module| module.inner.option(name))
            .map(str::to_owned)
    };
    let text = |value: Option<Value>| value.map(|value| value.text);
    let (Some(client_id), Some(client_secret)) = (
        text(id).or_else(|| option("clientId")),
        text(secret).or_else(|| option("clientSecret")),
    ) else {
        return Err(url.fault(PropertyFault::Content(
            "the client has no credentials: set `sasl.oauthbearer.client.credentials.client.id` and `sasl.oauthbearer.client.credentials.client.secret`, or `clientId` and `clientSecret` in `sasl.jaas.config`",
        )));
    };
    Ok(TokenSource::Endpoint(TokenEndpoint {
        url: url.text,
        client_id,
        client_secret: Secret::new(client_secret),
        scope: text(scope).or_else(|| option("scope")),
        is_encoded: is_encoded.is_some_and(|value| value.text.eq_ignore_ascii_case("true")),
    }))
}

/// `file:/path` and `file:///path`.
fn file(url: &Value, path: &str) -> Result<TokenSource, PropertyError> {
    let path = match path.strip_prefix("//") {
        Some(path) => path.strip_prefix("localhost").unwrap_or(path),
        None => path,
    };
    match path.starts_with('/') && !path.contains('%') {
        true => Ok(TokenSource::File(PathBuf::from(path))),
        false => Err(url.expected("`file:///path/of/the/token`")),
    }
}

/// A secret goes over the network only with TLS.
fn check_endpoint(url: &Value) -> Result<(), PropertyError> {
    let parsed = reqwest::Url::parse(&url.text);
    let parsed = parsed
        .as_ref()
        .map(|of| (of.scheme(), of.host_str().unwrap_or_default()));
    match parsed {
        Ok(("https", _)) | Ok(("http", "localhost" | "127.0.0.1" | "[::1]")) => Ok(()),
        Ok(("http", _)) => Err(url.fault(PropertyFault::Content(
            "the secret of the client would cross the network unencrypted: use `https://`",
        ))),
        _ => Err(url.fault(PropertyFault::Content(
            "it is not an address that begins with `https://` or `file:`",
        ))),
    }
}
