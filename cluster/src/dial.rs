//! Opens connections: TCP, TLS, sign-in.

use std::io;

use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::address::BrokerAddress;
use crate::connection::{Connection, Stream};
use crate::error::KafkaError;
use crate::options::TlsOptions;
use crate::properties::{ClientProperties, protocol_name};
use crate::sasl;
use crate::tls::{self, TlsFailure};

/// A connection to the first broker that answers. The next one is tried only if there is no
/// connection: another error would be the same everywhere.
pub(crate) async fn dial(properties: &ClientProperties) -> Result<Connection, KafkaError> {
    let mut failure = KafkaError::NoAddress;
    for address in &properties.servers {
        match dial_one(properties, address).await {
            Ok(connection) => return Ok(connection),
            Err(error @ KafkaError::Unreachable { .. }) => failure = error,
            Err(error) => return Err(error),
        }
    }
    Err(failure)
}

/// A connection to this broker.
pub(crate) async fn dial_one(
    properties: &ClientProperties,
    address: &BrokerAddress,
) -> Result<Connection, KafkaError> {
    let end = Instant::now() + properties.timeout;
    let tcp = connect(address, end).await?;
    let stream: Box<dyn Stream> = match &properties.tls {
        Some(options) => Box::new(secure(properties, options, tcp, address, end).await?),
        None => Box::new(tcp),
    };
    let mut connection = Connection::open(stream, address.to_string(), properties.manner()).await?;
    if let Some(options) = &properties.sasl {
        let without_sasl = protocol_name(properties.tls.is_some(), false);
        sasl::authenticate(&mut connection, options, without_sasl).await?;
    }
    Ok(connection)
}

async fn connect(address: &BrokerAddress, end: Instant) -> Result<TcpStream, KafkaError> {
    let unreachable = |reason: String| KafkaError::Unreachable {
        address: address.to_string(),
        reason,
    };
    let tcp = TcpStream::connect((address.host.as_str(), address.port));
    let stream = match timeout_at(end, tcp).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return Err(unreachable(reason(&error))),
        Err(_) => return Err(unreachable("no answer in time".into())),
    };
    match stream.set_nodelay(true) {
        Ok(()) => Ok(stream),
        Err(error) => Err(unreachable(reason(&error))),
    }
}

async fn secure(
    properties: &ClientProperties,
    options: &TlsOptions,
    tcp: TcpStream,
    address: &BrokerAddress,
    end: Instant,
) -> Result<TlsStream<TcpStream>, KafkaError> {
    let shown = address.to_string();
    let Ok(name) = ServerName::try_from(address.host.clone()) else {
        let reason = "its name cannot be in a certificate".into();
        return Err(KafkaError::Tls {
            address: shown,
            reason,
        });
    };
    let configuration = tls::configuration(options, &shown)?;
    let handshake = TlsConnector::from(configuration).connect(name, tcp);
    let error = match timeout_at(end, handshake).await {
        Ok(Ok(stream)) => return Ok(stream),
        Ok(Err(error)) => error,
        Err(_) => {
            return Err(KafkaError::Silent {
                address: shown,
                call: "the handshake of TLS",
                seconds: properties.timeout.as_secs(),
            });
        }
    };
    Err(match tls::failure(&error) {
        Some(TlsFailure::Reason(reason)) => KafkaError::Tls {
            address: shown,
            reason,
        },
        // A broker without TLS reads the handshake as a request, and closes the connection.
        Some(TlsFailure::NotSpoken) | None => KafkaError::NoTls {
            address: shown,
            without_tls: protocol_name(false, properties.sasl.is_some()),
        },
    })
}

/// What the system says, in few words.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => "connection refused".into(),
        io::ErrorKind::TimedOut => "no answer in time".into(),
        _ => error.to_string(),
    }
}
