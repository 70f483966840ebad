//! A cluster, as an administrator of its ACLs sees it.

use std::time::Duration;

use gbac_engine::model::{Acl, RoleSpelling};
use kafka_protocol::messages::create_acls_request::{AclCreation, CreateAclsRequest};
use kafka_protocol::messages::delete_acls_request::{DeleteAclsFilter, DeleteAclsRequest};
use kafka_protocol::messages::describe_acls_request::DescribeAclsRequest;
use kafka_protocol::messages::describe_acls_response::DescribeAclsResource;
use kafka_protocol::protocol::StrBytes;
use tokio::time::sleep;

use crate::acl::{RawAcl, StoredAcls};
use crate::calls::Call;
use crate::connection::Connection;
use crate::dial::dial;
use crate::error::{BrokerRefusal, KafkaError, Malformed};
use crate::properties::ClientProperties;
use crate::roles::RolesRequest;

/// How many ACLs are changed in one request.
pub const BATCH: usize = 1_000;
/// A controller of Kafka compares each ACL that is to be deleted with all that it has, and does
/// nothing else meanwhile: this many comparisons take it less than a second.
const MAX_COMPARED: usize = 2_000_000;
/// The maximum number of ACLs that are read from a cluster.
pub const MAX_ACLS: usize = 2_000_000;
/// How often a call is repeated that the broker could not begin.
const MAX_TRIES: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_millis(200);
/// ANY in every enumeration of ACL filters.
const ANY: i8 = 1;

/// What became of one ACL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AclOutcome {
    /// It is created, or it is deleted.
    Applied,
    /// It was not there, so nothing was deleted.
    Absent,
    /// The broker refuses it.
    Refused(BrokerRefusal),
    /// It was sent, and the answer is missing: read the ACLs to see whether it is there.
    Unknown(KafkaError),
    /// Nothing was sent.
    NotSent(KafkaError),
}

/// A cluster of Kafka, or of what is compatible with it.
#[derive(Debug)]
pub struct KafkaCluster {
    properties: ClientProperties,
    connection: Option<Connection>,
    roles: RoleSpelling,
    /// How many ACLs there were when they were last read.
    stored: usize,
}

impl KafkaCluster {
    /// Connects to the first broker that answers, and signs in.
    ///
    /// # Errors
    /// No broker can be used.
    pub async fn connect(properties: ClientProperties) -> Result<Self, KafkaError> {
        let connection = dial(&properties).await?;
        let roles = match connection.has(RolesRequest::KEY) {
            true => RoleSpelling::RedpandaRole,
            false => RoleSpelling::Role,
        };
        Ok(Self {
            properties,
            connection: Some(connection),
            roles,
            stored: 0,
        })
    }

    /// Whether it is the platform, whose brokers have a call of their own.
    #[must_use]
    pub fn is_platform(&self) -> bool {
        self.roles == RoleSpelling::RedpandaRole
    }

    /// The level of a feature that the cluster has agreed on.
    pub(crate) fn feature(&self, name: &str) -> Option<i16> {
        self.connection.as_ref()?.features().get(name).copied()
    }

    /// Whether the broker has a call.
    pub(crate) async fn has_call(&mut self, key: i16) -> Result<bool, KafkaError> {
        Ok(self.connection().await?.has(key))
    }

    /// The broker on the other side.
    pub(crate) fn address(&self) -> String {
        match &self.connection {
            Some(connection) => connection.address().to_owned(),
            None => String::new(),
        }
    }

    /// How this cluster writes roles.
    #[must_use]
    pub const fn roles(&self) -> RoleSpelling {
        self.roles
    }

    /// An ACL as this cluster has it; `None` if the protocol does not know its resource.
    #[must_use]
    pub fn raw(&self, acl: &Acl) -> Option<RawAcl> {
        RawAcl::of(acl, self.roles)
    }

    /// A connection on which nothing is going on.
    async fn connection(&mut self) -> Result<&mut Connection, KafkaError> {
        let kept = self.connection.take();
        let connection = match kept {
            Some(connection) if connection.is_fresh() => connection,
            _ => dial(&self.properties).await?,
        };
        Ok(self.connection.insert(connection))
    }

    /// Makes a call that changes nothing: it is made again on a new connection if this one breaks.
    pub(crate) async fn read<C: Call>(&mut self, request: &C) -> Result<C::Answer, KafkaError> {
        match self.ask(request).await {
            Err(KafkaError::Closed { .. }) => self.ask(request).await,
            answer => answer,
        }
    }

    /// Makes a call once.
    pub(crate) async fn ask<C: Call>(&mut self, request: &C) -> Result<C::Answer, KafkaError> {
        let answer = self.connection().await?.call(request).await;
        if answer.is_err() {
            // What arrives next on it is not the answer to the next call.
            self.connection = None;
        }
        answer
    }

    /// All ACLs of the cluster.
    ///
    /// # Errors
    /// The broker does not answer, or refuses; the account needs `DESCRIBE` on the cluster.
    pub async fn acls(&mut self) -> Result<StoredAcls, KafkaError> {
        let request = DescribeAclsRequest::default()
            .with_resource_type_filter(ANY)
            .with_resource_name_filter(None)
            .with_pattern_type_filter(ANY)
            .with_principal_filter(None)
            .with_host_filter(None)
            .with_operation(ANY)
            .with_permission_type(ANY);
        let answer = self.read(&request).await?;
        self.check(
            DescribeAclsRequest::NAME,
            answer.error_code,
            answer.error_message.as_ref(),
        )?;
        let count: usize = answer.resources.iter().map(|of| of.acls.len()).sum();
        if count > MAX_ACLS {
            return Err(self.malformed(DescribeAclsRequest::NAME, Malformed::TooMany));
        }
        self.stored = count;
        Ok(StoredAcls::new(
            answer.resources.into_iter().flat_map(acls_of),
            self.roles,
        ))
    }

    /// Creates ACLs, in batches and in this order; those that are there already stay.
    pub async fn create(&mut self, acls: &[RawAcl]) -> Vec<AclOutcome> {
        self.change(acls, Change::Create).await
    }

    /// Deletes exactly these ACLs, in batches and in this order.
    pub async fn delete(&mut self, acls: &[RawAcl]) -> Vec<AclOutcome> {
        self.change(acls, Change::Delete).await
    }

    async fn change(&mut self, acls: &[RawAcl], change: Change) -> Vec<AclOutcome> {
        let mut outcomes = Vec::with_capacity(acls.len());
        let mut broken = None;
        let batch = match change {
            Change::Create => BATCH,
            Change::Delete => (MAX_COMPARED / self.stored.max(1)).clamp(1, BATCH),
        };
        for batch in acls.chunks(batch) {
            if let Some(error) = &broken {
                outcomes.extend(
                    batch
                        .iter()
                        .map(|_| AclOutcome::NotSent(KafkaError::clone(error))),
                );
                continue;
            }
            let of_batch = self.change_batch(batch, change).await;
            broken = of_batch.iter().find_map(broken_by);
            outcomes.extend(of_batch);
        }
        outcomes
    }

    async fn change_batch(&mut self, batch: &[RawAcl], change: Change) -> Vec<AclOutcome> {
        if change == Change::Create || batch.iter().all(RawAcl::is_exact) {
            return self.change_until_begun(batch, change).await;
        }
        let exact: Vec<RawAcl> = batch.iter().filter(|acl| acl.is_exact()).cloned().collect();
        let mut of_exact = self.change_until_begun(&exact, change).await.into_iter();
        let mut outcomes = Vec::with_capacity(batch.len());
        for acl in batch {
            let outcome = match acl.is_exact() {
                true => of_exact.next(),
                false => None,
            };
            outcomes.push(outcome.unwrap_or(AclOutcome::NotSent(KafkaError::NotOneAcl)));
        }
        outcomes
    }

    /// Changes ACLs in one request, and again those that the broker could not begin.
    async fn change_until_begun(&mut self, batch: &[RawAcl], change: Change) -> Vec<AclOutcome> {
        let mut outcomes = self.change_once(batch, change).await;
        let mut pause = FIRST_PAUSE;
        for _ in 1..MAX_TRIES {
            let again: Vec<usize> = (0..outcomes.len())
                .filter(|index| is_passing(&outcomes[*index]))
                .collect();
            if again.is_empty() {
                break;
            }
            sleep(pause).await;
            pause *= 2;
            let acls: Vec<RawAcl> = again.iter().map(|index| batch[*index].clone()).collect();
            let repeated = self.change_once(&acls, change).await;
            for (index, outcome) in again.into_iter().zip(repeated) {
                outcomes[index] = outcome;
            }
        }
        outcomes
    }

    async fn change_once(&mut self, batch: &[RawAcl], change: Change) -> Vec<AclOutcome> {
        let version = match self.connection().await {
            Ok(connection) => match change {
                Change::Create => connection.version::<CreateAclsRequest>(),
                Change::Delete => connection.version::<DeleteAclsRequest>(),
            },
            Err(error) => Err(error),
        };
        if let Err(error) = version {
            return vec![AclOutcome::NotSent(error); batch.len()];
        }
        let outcomes = match change {
            Change::Create => self.send_creations(batch).await,
            Change::Delete => self.send_deletions(batch).await,
        };
        match outcomes {
            Ok(outcomes) if outcomes.len() == batch.len() => outcomes,
            Ok(_) => {
                let error = self.malformed(change.call(), Malformed::Missing);
                vec![AclOutcome::Unknown(error); batch.len()]
            }
            Err(error @ KafkaError::TooLong { .. }) => {
                vec![AclOutcome::NotSent(error); batch.len()]
            }
            Err(error) => vec![AclOutcome::Unknown(error); batch.len()],
        }
    }

    async fn send_creations(&mut self, batch: &[RawAcl]) -> Result<Vec<AclOutcome>, KafkaError> {
        let creations = batch.iter().map(creation).collect();
        let answer = self
            .ask(&CreateAclsRequest::default().with_creations(creations))
            .await?;
        self.throttled(answer.throttle_time_ms);
        let mut outcomes = Vec::with_capacity(batch.len());
        for result in &answer.results {
            outcomes.push(self.outcome(
                Change::Create,
                result.error_code,
                result.error_message.as_ref(),
            ));
        }
        Ok(outcomes)
    }

    async fn send_deletions(&mut self, batch: &[RawAcl]) -> Result<Vec<AclOutcome>, KafkaError> {
        let filters = batch.iter().map(exactly).collect();
        let answer = self
            .ask(&DeleteAclsRequest::default().with_filters(filters))
            .await?;
        self.throttled(answer.throttle_time_ms);
        let mut outcomes = Vec::with_capacity(batch.len());
        for result in &answer.filter_results {
            let mut outcome = self.outcome(
                Change::Delete,
                result.error_code,
                result.error_message.as_ref(),
            );
            if outcome == AclOutcome::Applied && result.matching_acls.is_empty() {
                outcome = AclOutcome::Absent;
            }
            for matching in &result.matching_acls {
                if outcome == AclOutcome::Applied {
                    outcome = self.outcome(
                        Change::Delete,
                        matching.error_code,
                        matching.error_message.as_ref(),
                    );
                }
            }
            outcomes.push(outcome);
        }
        Ok(outcomes)
    }

    fn outcome(&self, change: Change, number: i16, message: Option<&StrBytes>) -> AclOutcome {
        if number == 0 {
            return AclOutcome::Applied;
        }
        let refusal = self.refusal(change.call(), number, message);
        match refusal.is_unclear() {
            true => AclOutcome::Unknown(KafkaError::Refused(refusal)),
            false => AclOutcome::Refused(refusal),
        }
    }

    /// Turns an error number of an answer into an error.
    pub(crate) fn check(
        &self,
        call: &'static str,
        number: i16,
        message: Option<&StrBytes>,
    ) -> Result<(), KafkaError> {
        match number {
            0 => Ok(()),
            _ => Err(KafkaError::Refused(self.refusal(call, number, message))),
        }
    }

    fn refusal(
        &self,
        call: &'static str,
        number: i16,
        message: Option<&StrBytes>,
    ) -> BrokerRefusal {
        self.properties.refusal(call, number, message)
    }

    /// Who this client is, and where it has connected.
    pub(crate) const fn properties(&self) -> &ClientProperties {
        &self.properties
    }

    fn throttled(&mut self, milliseconds: i32) {
        if let Some(connection) = &mut self.connection {
            connection.throttled(milliseconds);
        }
    }

    pub(crate) fn malformed(&self, call: &'static str, reason: Malformed) -> KafkaError {
        KafkaError::Malformed {
            address: self.address(),
            call,
            reason,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Create,
    Delete,
}

impl Change {
    const fn call(self) -> &'static str {
        match self {
            Self::Create => CreateAclsRequest::NAME,
            Self::Delete => DeleteAclsRequest::NAME,
        }
    }
}

/// The error after which nothing more is sent.
fn broken_by(outcome: &AclOutcome) -> Option<KafkaError> {
    match outcome {
        AclOutcome::NotSent(KafkaError::NotOneAcl) => None,
        AclOutcome::Unknown(error) | AclOutcome::NotSent(error) => Some(error.clone()),
        AclOutcome::Applied | AclOutcome::Absent | AclOutcome::Refused(_) => None,
    }
}

fn is_passing(outcome: &AclOutcome) -> bool {
    match outcome {
        AclOutcome::Refused(refusal) => refusal.is_passing(),
        _ => false,
    }
}

fn text(text: &str) -> StrBytes {
    StrBytes::from_string(text.to_owned())
}

fn creation(acl: &RawAcl) -> AclCreation {
    AclCreation::default()
        .with_resource_type(acl.resource_type)
        .with_resource_name(text(&acl.resource_name))
        .with_resource_pattern_type(acl.pattern_type)
        .with_principal(text(&acl.principal))
        .with_host(text(&acl.host))
        .with_operation(acl.operation)
        .with_permission_type(acl.permission)
}

/// The filter that only one ACL matches.
fn exactly(acl: &RawAcl) -> DeleteAclsFilter {
    DeleteAclsFilter::default()
        .with_resource_type_filter(acl.resource_type)
        .with_resource_name_filter(Some(text(&acl.resource_name)))
        .with_pattern_type_filter(acl.pattern_type)
        .with_principal_filter(Some(text(&acl.principal)))
        .with_host_filter(Some(text(&acl.host)))
        .with_operation(acl.operation)
        .with_permission_type(acl.permission)
}

fn acls_of(resource: DescribeAclsResource) -> impl Iterator<Item = RawAcl> {
    let (resource_type, pattern_type) = (resource.resource_type, resource.pattern_type);
    let resource_name = resource.resource_name.to_string();
    resource.acls.into_iter().map(move |acl| RawAcl {
        resource_type,
        resource_name: resource_name.clone(),
        pattern_type,
        principal: acl.principal.to_string(),
        host: acl.host.to_string(),
        operation: acl.operation,
        permission: acl.permission_type,
    })
}
