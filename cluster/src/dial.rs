//! Opens connections: TCP, TLS, sign-in.

use std::io;

use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};

use crate::address::BrokerAddress;
use crate::connection::Connection;
use crate::error::KafkaError;
use crate::properties::ClientProperties;

/// A connection to the first broker that answers. If none does, the first error is returned that is
/// more than an unreachable broker.
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

async fn dial_one(
    properties: &ClientProperties,
    address: &BrokerAddress,
) -> Result<Connection, KafkaError> {
    let shown = address.to_string();
    let unreachable = |reason: String| KafkaError::Unreachable {
        address: shown.clone(),
        reason,
    };
    let end = Instant::now() + properties.timeout;
    let tcp = TcpStream::connect((address.host.as_str(), address.port));
    let stream = match timeout_at(end, tcp).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return Err(unreachable(reason(&error))),
        Err(_) => return Err(unreachable("no answer in time".into())),
    };
    stream
        .set_nodelay(true)
        .map_err(|error| unreachable(reason(&error)))?;
    Connection::open(Box::new(stream), shown, properties.manner()).await
}

/// What the system says, in few words.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => "connection refused".into(),
        io::ErrorKind::TimedOut => "no answer in time".into(),
        _ => error.to_string(),
    }
}
