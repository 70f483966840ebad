//! A client of Kafka's protocol for the ACLs of a cluster, and for the log of changes in a topic: of
//! Apache Kafka, and of the platform, whose brokers speak the same calls.
//!
//! A connection makes one request at a time, and every answer has a limit in time and in size. What
//! a broker says is untrusted: `guard.rs` checks it before it is decoded, and `topic/records.rs` the
//! records in it.

mod acl;
mod address;
mod calls;
mod cluster;
mod connection;
mod describe;
mod dial;
mod error;
mod files;
mod guard;
mod options;
mod phases;
mod properties;
mod roles;
mod sasl;
mod secret;
mod tls;
mod topic;

pub use acl::{RawAcl, StoredAcls};
pub use address::BrokerAddress;
pub use cluster::{AclOutcome, BATCH, KafkaCluster, MAX_ACLS};
pub use describe::{ClusterBroker, ClusterInfo};
pub use error::{BrokerRefusal, KafkaError, Malformed, Stranger};
pub use phases::{AclPhase, phases};
pub use properties::{
    ClientProperties, MAX_PROPERTIES_BYTES, NoteReason, PropertyError, PropertyFault, PropertyNote,
    read_properties,
};
pub use topic::{SkippedRecords, TopicFault, TopicLog, TopicLogOptions, TopicName, WrongSetting};
