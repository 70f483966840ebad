//! Signs in to a broker.

mod scram;
mod token;

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use bytes::Bytes;
use kafka_protocol::messages::{SaslAuthenticateRequest, SaslHandshakeRequest};
use kafka_protocol::protocol::StrBytes;
use ring::rand::{SecureRandom, SystemRandom};

use crate::connection::Connection;
use crate::error::{BrokerRefusal, KafkaError, said};
use crate::options::{Login, Mechanism, SaslOptions};
use crate::secret::Secret;
use scram::{Exchange, Hash};

const UNSUPPORTED_SASL_MECHANISM: i16 = 33;
const ILLEGAL_SASL_STATE: i16 = 34;

/// Signs in; the broker may ask for another sign-in after some time.
pub(crate) async fn authenticate(
    connection: &mut Connection,
    options: &SaslOptions,
    without_sasl: &'static str,
) -> Result<(), KafkaError> {
    // Before the broker waits for it.
    let token = match &options.login {
        Login::Token { source, .. } => Some(token::get(source, connection.timeout()).await?),
        Login::Password { .. } => None,
    };
    handshake(connection, options.mechanism, without_sasl).await?;
    let mut steps = Steps {
        connection,
        mechanism: options.mechanism,
        lifetime: Duration::ZERO,
    };
    match (&options.login, token) {
        (
            Login::Password {
                user,
                password,
                is_delegation_token,
            },
            _,
        ) => match options.mechanism {
            Mechanism::ScramSha256 => {
                let exchange = exchange(Hash::Sha256, user, password, *is_delegation_token)?;
                steps.scram(exchange).await?;
            }
            Mechanism::ScramSha512 => {
                let exchange = exchange(Hash::Sha512, user, password, *is_delegation_token)?;
                steps.scram(exchange).await?;
            }
            Mechanism::Plain | Mechanism::OauthBearer => {
                let message = format!("\0{user}\0{}", password.expose());
                steps.step(message).await?;
            }
        },
        (Login::Token { extensions, .. }, Some(token)) => {
            steps.bearer(&token, extensions).await?;
        }
        (Login::Token { .. }, None) => {}
    }
    let lifetime = steps.lifetime;
    connection.expires_in(lifetime);
    Ok(())
}

async fn handshake(
    connection: &mut Connection,
    mechanism: Mechanism,
    without_sasl: &'static str,
) -> Result<(), KafkaError> {
    let request =
        SaslHandshakeRequest::default().with_mechanism(StrBytes::from_static_str(mechanism.name()));
    let answer = connection.call(&request).await?;
    let address = connection.address().to_owned();
    match answer.error_code {
        0 => Ok(()),
        UNSUPPORTED_SASL_MECHANISM => Err(KafkaError::Mechanism {
            address,
            asked: mechanism.name(),
            offered: answer.mechanisms.iter().map(ToString::to_string).collect(),
        }),
        ILLEGAL_SASL_STATE => Err(KafkaError::NoSasl {
            address,
            without_sasl,
        }),
        number => Err(KafkaError::Refused(BrokerRefusal {
            call: "SaslHandshake",
            number,
            message: None,
            account: String::new(),
            topic: None,
        })),
    }
}

/// An exchange with a nonce of its own.
fn exchange<'a>(
    hash: Hash,
    user: &'a str,
    password: &'a Secret,
    is_delegation_token: bool,
) -> Result<Exchange<'a>, KafkaError> {
    let mut bytes = [0; 24];
    SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| KafkaError::Token("the system gives no random numbers".into()))?;
    Ok(Exchange {
        hash,
        user,
        password: password.expose(),
        nonce: BASE64.encode(bytes),
        is_delegation_token,
    })
}

/// The messages of a mechanism.
struct Steps<'a> {
    connection: &'a mut Connection,
    mechanism: Mechanism,
    lifetime: Duration,
}

impl Steps<'_> {
    /// Sends a message of the mechanism; returns the broker's.
    async fn step(&mut self, message: String) -> Result<Bytes, KafkaError> {
        let request = SaslAuthenticateRequest::default().with_auth_bytes(Bytes::from(message));
        let answer = self.connection.call(&request).await?;
        if answer.error_code != 0 {
            let reason = match answer.error_message {
                Some(message) if !message.is_empty() => said(&message),
                _ => format!("error {}", answer.error_code),
            };
            return Err(self.refused(reason));
        }
        let milliseconds = u64::try_from(answer.session_lifetime_ms).unwrap_or(0);
        self.lifetime = Duration::from_millis(milliseconds);
        Ok(answer.auth_bytes)
    }

    fn refused(&self, reason: String) -> KafkaError {
        KafkaError::Authentication {
            address: self.connection.address().to_owned(),
            mechanism: self.mechanism.name(),
            reason,
        }
    }

    async fn scram(&mut self, exchange: Exchange<'_>) -> Result<(), KafkaError> {
        let challenge = self.step(exchange.first()).await?;
        let (last, proof) = match exchange.last(&challenge) {
            Ok(last) => last,
            Err(reason) => return Err(self.untrusted(reason)),
        };
        let end = self.step(last).await?;
        proof.check(&end).map_err(|reason| self.untrusted(reason))
    }

    fn untrusted(&self, reason: &'static str) -> KafkaError {
        KafkaError::Untrusted {
            address: self.connection.address().to_owned(),
            reason,
        }
    }

    /// RFC 7628: a refusal is a message in JSON, which the client has to confirm.
    async fn bearer(
        &mut self,
        token: &Secret,
        extensions: &[(String, Secret)],
    ) -> Result<(), KafkaError> {
        let mut message = format!("n,,\u{1}auth=Bearer {}\u{1}", token.expose());
        for (name, value) in extensions {
            message.push_str(&format!("{name}={}\u{1}", value.expose()));
        }
        message.push('\u{1}');
        let answer = self.step(message).await?;
        if answer.is_empty() {
            return Ok(());
        }
        self.step("\u{1}".into()).await?;
        Err(self.refused(said(&String::from_utf8_lossy(&answer))))
    }
}
