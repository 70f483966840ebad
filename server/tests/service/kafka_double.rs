//! A double of a Kafka broker: it speaks the protocol's calls of ACLs on loopback, and notes what it
//! is told.

use std::future::pending;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::{Buf, BufMut, Bytes, BytesMut};
use kafka_protocol::messages::api_versions_response::{ApiVersion, ApiVersionsResponse};
use kafka_protocol::messages::create_acls_response::{AclCreationResult, CreateAclsResponse};
use kafka_protocol::messages::delete_acls_response::{
    DeleteAclsFilterResult, DeleteAclsMatchingAcl, DeleteAclsResponse,
};
use kafka_protocol::messages::describe_acls_response::{
    AclDescription, DescribeAclsResource, DescribeAclsResponse,
};
use kafka_protocol::messages::describe_configs_response::{
    DescribeConfigsResourceResult, DescribeConfigsResponse, DescribeConfigsResult,
};
use kafka_protocol::messages::metadata_response::{MetadataResponse, MetadataResponseBroker};
use kafka_protocol::messages::{
    CreateAclsRequest, DeleteAclsRequest, SaslAuthenticateRequest, SaslAuthenticateResponse,
    SaslHandshakeResponse,
};
use kafka_protocol::protocol::{Decodable, Encodable, StrBytes};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// The numbers of the calls.
const SASL_HANDSHAKE: i16 = 17;
const API_VERSIONS: i16 = 18;
const SASL_AUTHENTICATE: i16 = 36;
const METADATA: i16 = 3;
const CONFIGS: i16 = 32;
const DESCRIBE: i16 = 29;
const CREATE: i16 = 30;
const DELETE: i16 = 31;
/// CLUSTER_AUTHORIZATION_FAILED.
const REFUSED: i16 = 31;
/// SASL_AUTHENTICATION_FAILED.
const NOT_SIGNED_IN: i16 = 58;

/// An ACL in the protocol's numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DoubleAcl {
    pub(crate) resource_type: i8,
    pub(crate) name: String,
    pub(crate) pattern: i8,
    pub(crate) principal: String,
    pub(crate) host: String,
    pub(crate) operation: i8,
    pub(crate) permission: i8,
}

/// A literal ACL of a topic, for reads from everywhere; 2 is a deny, 3 an allow.
pub(crate) fn topic(permission: i8, name: &str, principal: &str) -> DoubleAcl {
    DoubleAcl {
        resource_type: 2,
        name: name.into(),
        pattern: 3,
        principal: principal.into(),
        host: "*".into(),
        operation: 3,
        permission,
    }
}

/// How the broker answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Mood {
    #[default]
    Works,
    /// It closes connections.
    Away,
    /// It never answers.
    Silent,
    /// It answers bytes that are not of the protocol.
    Garbage,
    /// It makes changes, and closes the connection instead of answering them.
    ClosesAfterChanges,
}

#[derive(Default)]
pub(crate) struct Broker {
    pub(crate) acls: Vec<DoubleAcl>,
    pub(crate) mood: Mood,
    /// What it refuses to change, by name.
    pub(crate) refuses: Vec<String>,
    /// What it was told: `+ deny orders`, `- allow orders`.
    pub(crate) log: Vec<String>,
    /// The tokens that its listener takes, each with whether it may change ACLs; without any, the
    /// listener has no SASL.
    pub(crate) tokens: Vec<(String, bool)>,
    /// The tokens with which it was told to change ACLs.
    pub(crate) senders: Vec<String>,
    /// How often its ACLs were read.
    pub(crate) reads: usize,
    /// What it answers instead of its ACLs, as if it had not heard of the last changes.
    pub(crate) stale: Option<Vec<DoubleAcl>>,
    /// The properties that it names, with the values that it shows.
    pub(crate) properties: Vec<(&'static str, Option<&'static str>)>,
}

pub(crate) struct KafkaDouble {
    pub(crate) address: SocketAddr,
    broker: Arc<Mutex<Broker>>,
    task: JoinHandle<()>,
}

impl KafkaDouble {
    pub(crate) async fn start(acls: &[DoubleAcl]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let broker = Broker {
            acls: acls.to_vec(),
            ..Broker::default()
        };
        let broker = Arc::new(Mutex::new(broker));
        let of_task = Arc::clone(&broker);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let broker = Arc::clone(&of_task);
                tokio::spawn(async move { drop(serve(stream, &broker).await) });
            }
        });
        Self {
            address,
            broker,
            task,
        }
    }

    pub(crate) fn broker(&self) -> MutexGuard<'_, Broker> {
        lock(&self.broker)
    }
}

impl Drop for KafkaDouble {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn lock(broker: &Mutex<Broker>) -> MutexGuard<'_, Broker> {
    broker.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(mut stream: TcpStream, broker: &Mutex<Broker>) -> std::io::Result<()> {
    let mut user = None;
    loop {
        let size = stream.read_u32().await?;
        let mut request = vec![0; size as usize];
        stream.read_exact(&mut request).await?;
        if lock(broker).mood == Mood::Silent {
            pending::<()>().await;
        }
        let Some(answer) = answer(Bytes::from(request), &mut user, &mut lock(broker)) else {
            return Ok(());
        };
        stream.write_all(&answer).await?;
    }
}

/// The bytes of an answer; `None` closes the connection.
fn answer(mut request: Bytes, user: &mut Option<String>, broker: &mut Broker) -> Option<Bytes> {
    let (key, version, correlation) = (request.get_i16(), request.get_i16(), request.get_i32());
    let client = request.get_i16();
    request.advance(usize::try_from(client).unwrap_or(0));
    match broker.mood {
        Mood::Works | Mood::ClosesAfterChanges => {}
        Mood::Away | Mood::Silent => return None,
        Mood::Garbage if key == API_VERSIONS => {}
        Mood::Garbage => {
            let mut bytes = BytesMut::new();
            bytes.put_u32(9);
            bytes.put_i32(correlation);
            bytes.put_slice(&[255, 255, 255, 255, 255]);
            return Some(bytes.freeze());
        }
    }
    let mut body = BytesMut::new();
    match key {
        SASL_HANDSHAKE => SaslHandshakeResponse::default()
            .with_mechanisms(vec![text("OAUTHBEARER")])
            .encode(&mut body, version)
            .unwrap(),
        SASL_AUTHENTICATE => {
            let asked = SaslAuthenticateRequest::decode(&mut request, version).unwrap();
            *user = signed_in(broker, &asked.auth_bytes);
            SaslAuthenticateResponse::default()
                .with_error_code(if user.is_some() { 0 } else { NOT_SIGNED_IN })
                .with_error_message(Some(text("the token is not known")))
                .encode(&mut body, version)
                .unwrap();
        }
        API_VERSIONS => versions(broker).encode(&mut body, version).unwrap(),
        METADATA => metadata().encode(&mut body, version).unwrap(),
        CONFIGS => configs(broker).encode(&mut body, version).unwrap(),
        DESCRIBE => describe(broker).encode(&mut body, version).unwrap(),
        CREATE => {
            let asked = CreateAclsRequest::decode(&mut request, version).unwrap();
            create(broker, user.as_deref(), &asked)
                .encode(&mut body, version)
                .unwrap();
        }
        DELETE => {
            let asked = DeleteAclsRequest::decode(&mut request, version).unwrap();
            delete(broker, user.as_deref(), &asked)
                .encode(&mut body, version)
                .unwrap();
        }
        _ => return None,
    }
    if broker.mood == Mood::ClosesAfterChanges && matches!(key, CREATE | DELETE) {
        return None;
    }
    let mut bytes = BytesMut::new();
    bytes.put_u32(4 + u32::try_from(body.len()).unwrap());
    bytes.put_i32(correlation);
    bytes.put_slice(&body);
    Some(bytes.freeze())
}

/// The calls in versions that have no tagged fields, so that all headers are alike.
fn versions(broker: &Broker) -> ApiVersionsResponse {
    let mut keys = Vec::new();
    let mut calls = vec![
        (SASL_HANDSHAKE, 1),
        (API_VERSIONS, 3),
        (DESCRIBE, 1),
        (CREATE, 1),
        (DELETE, 1),
        (SASL_AUTHENTICATE, 1),
    ];
    if !broker.properties.is_empty() {
        calls.extend([(METADATA, 2), (CONFIGS, 1)]);
    }
    for (key, max) in calls {
        keys.push(
            ApiVersion::default()
                .with_api_key(key)
                .with_min_version(0)
                .with_max_version(max),
        );
    }
    ApiVersionsResponse::default().with_api_keys(keys)
}

fn text(text: &str) -> StrBytes {
    StrBytes::from_string(text.to_owned())
}

/// The token of RFC 7628 in the first message of a client, if the listener takes it.
fn signed_in(broker: &Broker, message: &[u8]) -> Option<String> {
    let message = String::from_utf8(message.to_vec()).ok()?;
    let (_, rest) = message.split_once("auth=Bearer ")?;
    let token = rest.split('\x01').next()?;
    let is_known = broker.tokens.iter().any(|(known, _)| known == token);
    is_known.then(|| token.to_owned())
}

fn metadata() -> MetadataResponse {
    let broker = MetadataResponseBroker::default()
        .with_node_id(1.into())
        .with_host(text("127.0.0.1"))
        .with_port(9092)
        .with_rack(None);
    MetadataResponse::default()
        .with_cluster_id(None)
        .with_controller_id(1.into())
        .with_brokers(vec![broker])
}

fn configs(broker: &Broker) -> DescribeConfigsResponse {
    let mut configs = Vec::new();
    for (name, value) in &broker.properties {
        configs.push(
            DescribeConfigsResourceResult::default()
                .with_name(text(name))
                .with_value(value.map(text)),
        );
    }
    let result = DescribeConfigsResult::default()
        .with_error_message(None)
        .with_configs(configs);
    DescribeConfigsResponse::default().with_results(vec![result])
}

fn describe(broker: &mut Broker) -> DescribeAclsResponse {
    broker.reads += 1;
    let mut resources = Vec::new();
    for acl in broker.stale.as_ref().unwrap_or(&broker.acls) {
        let description = AclDescription::default()
            .with_principal(text(&acl.principal))
            .with_host(text(&acl.host))
            .with_operation(acl.operation)
            .with_permission_type(acl.permission);
        resources.push(
            DescribeAclsResource::default()
                .with_resource_type(acl.resource_type)
                .with_resource_name(text(&acl.name))
                .with_pattern_type(acl.pattern)
                .with_acls(vec![description]),
        );
    }
    DescribeAclsResponse::default()
        .with_error_message(None)
        .with_resources(resources)
}

/// Notes a change, and whose it is. Gives its error.
fn note(broker: &mut Broker, user: Option<&str>, sign: char, acl: &DoubleAcl) -> i16 {
    if !broker.tokens.is_empty() {
        let user = user.unwrap_or_default().to_owned();
        let may_change = broker.tokens.contains(&(user.clone(), true));
        broker.senders.push(user);
        if !may_change {
            return REFUSED;
        }
    }
    let permission = if acl.permission == 2 { "deny" } else { "allow" };
    broker.log.push(format!("{sign} {permission} {}", acl.name));
    if broker.refuses.contains(&acl.name) {
        REFUSED
    } else {
        0
    }
}

fn create(
    broker: &mut Broker,
    user: Option<&str>,
    asked: &CreateAclsRequest,
) -> CreateAclsResponse {
    let mut results = Vec::new();
    for creation in &asked.creations {
        let acl = DoubleAcl {
            resource_type: creation.resource_type,
            name: creation.resource_name.to_string(),
            pattern: creation.resource_pattern_type,
            principal: creation.principal.to_string(),
            host: creation.host.to_string(),
            operation: creation.operation,
            permission: creation.permission_type,
        };
        let error = note(broker, user, '+', &acl);
        if error == 0 && !broker.acls.contains(&acl) {
            broker.acls.push(acl);
        }
        results.push(
            AclCreationResult::default()
                .with_error_code(error)
                .with_error_message(None),
        );
    }
    CreateAclsResponse::default().with_results(results)
}

fn delete(
    broker: &mut Broker,
    user: Option<&str>,
    asked: &DeleteAclsRequest,
) -> DeleteAclsResponse {
    let mut results = Vec::new();
    for filter in &asked.filters {
        let given = |text: &Option<StrBytes>| text.as_ref().unwrap().to_string();
        let acl = DoubleAcl {
            resource_type: filter.resource_type_filter,
            name: given(&filter.resource_name_filter),
            pattern: filter.pattern_type_filter,
            principal: given(&filter.principal_filter),
            host: given(&filter.host_filter),
            operation: filter.operation,
            permission: filter.permission_type,
        };
        let error = note(broker, user, '-', &acl);
        let mut matching = Vec::new();
        if error == 0 && broker.acls.contains(&acl) {
            broker.acls.retain(|there| *there != acl);
            matching.push(
                DeleteAclsMatchingAcl::default()
                    .with_error_message(None)
                    .with_resource_type(acl.resource_type)
                    .with_resource_name(text(&acl.name))
                    .with_pattern_type(acl.pattern)
                    .with_principal(text(&acl.principal))
                    .with_host(text(&acl.host))
                    .with_operation(acl.operation)
                    .with_permission_type(acl.permission),
            );
        }
        results.push(
            DeleteAclsFilterResult::default()
                .with_error_code(error)
                .with_error_message(None)
                .with_matching_acls(matching),
        );
    }
    DeleteAclsResponse::default().with_filter_results(results)
}
