//! What a cluster says about itself: its brokers, its version, and whether it matches ACLs of
//! groups.

use std::collections::BTreeMap;

use gbac_analysis::brokers::{BrokerSetting, BrokerSettings};
use gbac_api::service::GroupAclMatching;
use gbac_engine::model::{KafkaVersion, Role};
use kafka_protocol::messages::describe_configs_request::{
    DescribeConfigsRequest, DescribeConfigsResource,
};
use kafka_protocol::messages::describe_configs_response::DescribeConfigsResult;
use kafka_protocol::messages::{DescribeClusterRequest, MetadataRequest};
use kafka_protocol::protocol::StrBytes;

use crate::address::BrokerAddress;
use crate::calls::Call;
use crate::cluster::KafkaCluster;
use crate::error::KafkaError;
use crate::roles::RolesRequest;

/// The type of a broker in `DescribeConfigs`.
const BROKER: i8 = 4;
/// INVALID_REQUEST: a broker describes only itself.
const ANOTHER_BROKER: i16 = 42;
/// How many brokers are asked for one that describes itself on this connection.
const MAX_ASKED: usize = 64;
const AUTHORIZER: &str = "authorizer.class.name";
const PRINCIPAL_BUILDER: &str = "principal.builder.class";
/// The authorizer of this project, which does not start without its principal builder.
const PLUGIN: &str = "gbac.kafka.GroupAuthorizer";
/// Kafka's own authorizers; the last one goes with ZooKeeper.
const OF_KAFKA: [&str; 2] = [
    "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "kafka.security.authorizer.AclAuthorizer",
];
/// The last level of `metadata.version` in each release (`MetadataVersion.java`).
const LEVELS: [(i16, KafkaVersion); 12] = [
    (7, KafkaVersion::new(3, 3)),
    (8, KafkaVersion::new(3, 4)),
    (11, KafkaVersion::new(3, 5)),
    (14, KafkaVersion::new(3, 6)),
    (19, KafkaVersion::new(3, 7)),
    (20, KafkaVersion::new(3, 8)),
    (21, KafkaVersion::new(3, 9)),
    (25, KafkaVersion::new(4, 0)),
    (27, KafkaVersion::new(4, 1)),
    (29, KafkaVersion::new(4, 2)),
    (30, KafkaVersion::new(4, 3)),
    (33, KafkaVersion::new(4, 4)),
];

/// A broker of a cluster.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClusterBroker {
    /// Its number.
    pub id: i32,
    /// The address that it gives to clients: the text before the port is its own.
    pub host: String,
    /// The port.
    pub port: i32,
}

/// What a cluster says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterInfo {
    /// The ID of the cluster.
    pub id: Option<String>,
    /// The broker that answers for the controller, if there is one.
    pub controller: Option<i32>,
    /// The brokers, by number.
    pub brokers: Vec<ClusterBroker>,
    /// The version that all nodes of the cluster have at least (`metadata.version`); brokers can
    /// be newer. `None` if the cluster does not say it.
    pub version: Option<KafkaVersion>,
    /// `authorizer.class.name` of the broker that answers, empty if it has none; `None` if the
    /// account may not see it.
    pub authorizer: Option<String>,
    /// `principal.builder.class` of the broker that answers.
    pub principal_builder: Option<String>,
    /// Why the account does not see them; it is no error of [`KafkaCluster::describe`].
    pub unseen: Option<KafkaError>,
    /// Whether ACLs of groups count.
    pub group_acls: GroupAclMatching,
    /// What decides access besides ACLs, as far as the broker that answers says it.
    pub settings: BrokerSettings,
}

impl KafkaCluster {
    /// What the cluster says about itself. The authorizer is that of the broker that answers.
    ///
    /// # Errors
    /// The broker does not answer, or does not say which brokers there are.
    pub async fn describe(&mut self) -> Result<ClusterInfo, KafkaError> {
        let mut info = self.describe_brokers().await?;
        info.brokers.sort();
        info.version = self.feature("metadata.version").and_then(version_of);
        let mut shown = None;
        match self.describe_configuration(&info.brokers).await {
            Ok(Some(configuration)) => {
                shown = Some(values(&configuration));
                info.authorizer = value(&configuration, AUTHORIZER);
                info.principal_builder = value(&configuration, PRINCIPAL_BUILDER);
            }
            Ok(None) => {}
            Err(error @ (KafkaError::Refused(_) | KafkaError::Unsupported { .. })) => {
                info.unseen = Some(error);
            }
            Err(error) => return Err(error),
        }
        info.group_acls = match info.authorizer.as_deref() {
            _ if self.is_platform() => GroupAclMatching::Platform,
            Some(PLUGIN) => GroupAclMatching::Plugin,
            Some("") => GroupAclMatching::NoAuthorizer,
            Some(class) if OF_KAFKA.contains(&class) => GroupAclMatching::Ignored,
            _ => GroupAclMatching::Unknown,
        };
        // Only of these it is known that they name every property that is set.
        if let (Some(shown), GroupAclMatching::Plugin | GroupAclMatching::Ignored) =
            (shown, info.group_acls)
        {
            let has_plugin = info.group_acls == GroupAclMatching::Plugin;
            info.settings = BrokerSettings::from_shown(&shown, has_plugin);
        }
        Ok(info)
    }

    /// Whether the brokers match ACLs of groups, and what else decides access; unknown where they do
    /// not say it.
    pub async fn rules(&mut self) -> (GroupAclMatching, BrokerSettings) {
        match self.describe().await {
            Ok(info) => (info.group_acls, info.settings),
            Err(_) if self.is_platform() => (GroupAclMatching::Platform, BrokerSettings::default()),
            Err(_) => (GroupAclMatching::Unknown, BrokerSettings::default()),
        }
    }

    /// The roles of the platform with their members; `None` for Apache Kafka, which has no roles.
    ///
    /// # Errors
    /// The broker does not answer, or refuses; the account needs `DESCRIBE` on the cluster.
    pub async fn platform_roles(&mut self) -> Result<Option<Vec<Role>>, KafkaError> {
        if !self.is_platform() {
            return Ok(None);
        }
        let answer = self.read(&RolesRequest).await?;
        let message = answer.error_message.as_ref();
        self.check(RolesRequest::NAME, answer.error_code, message)?;
        match answer.roles() {
            Ok(roles) => Ok(Some(roles)),
            Err(reason) => Err(self.malformed(RolesRequest::NAME, reason)),
        }
    }

    async fn describe_brokers(&mut self) -> Result<ClusterInfo, KafkaError> {
        if !self.has_call(DescribeClusterRequest::KEY).await? {
            return self.describe_brokers_of_old().await;
        }
        let request = DescribeClusterRequest::default();
        let answer = self.read(&request).await?;
        self.check(
            DescribeClusterRequest::NAME,
            answer.error_code,
            answer.error_message.as_ref(),
        )?;
        let mut brokers = Vec::with_capacity(answer.brokers.len());
        for broker in &answer.brokers {
            brokers.push(ClusterBroker {
                id: broker.broker_id.0,
                host: broker.host.to_string(),
                port: broker.port,
            });
        }
        let id = Some(answer.cluster_id.to_string());
        Ok(info(id, answer.controller_id.0, brokers))
    }

    /// Before Kafka 2.8, and in what has not followed.
    async fn describe_brokers_of_old(&mut self) -> Result<ClusterInfo, KafkaError> {
        let request = MetadataRequest::default().with_topics(Some(Vec::new()));
        let answer = self.read(&request).await?;
        let mut brokers = Vec::with_capacity(answer.brokers.len());
        for broker in &answer.brokers {
            brokers.push(ClusterBroker {
                id: broker.node_id.0,
                host: broker.host.to_string(),
                port: broker.port,
            });
        }
        let id = answer.cluster_id.as_ref().map(ToString::to_string);
        Ok(info(id, answer.controller_id.0, brokers))
    }

    /// The configuration of the broker on the other side: a broker does not describe another one,
    /// and only the addresses tell which one this is.
    async fn describe_configuration(
        &mut self,
        brokers: &[ClusterBroker],
    ) -> Result<Option<DescribeConfigsResult>, KafkaError> {
        let here = self.address();
        let (mut likely, others): (Vec<_>, Vec<_>) = brokers.iter().partition(|broker| {
            let port = u16::try_from(broker.port).unwrap_or(0);
            let host = broker.host.clone();
            BrokerAddress { host, port }.to_string() == here
        });
        likely.extend(others);
        for broker in likely.into_iter().take(MAX_ASKED) {
            let mut keys = vec![AUTHORIZER, PRINCIPAL_BUILDER];
            keys.extend(BrokerSetting::ALL.map(BrokerSetting::name));
            let keys = keys.into_iter().map(StrBytes::from_static_str).collect();
            let resource = DescribeConfigsResource::default()
                .with_resource_type(BROKER)
                .with_resource_name(StrBytes::from_string(broker.id.to_string()))
                .with_configuration_keys(Some(keys));
            let request = DescribeConfigsRequest::default().with_resources(vec![resource]);
            let answer = self.read(&request).await?;
            let Some(result) = answer.results.into_iter().next() else {
                return Ok(None);
            };
            match result.error_code {
                0 => return Ok(Some(result)),
                ANOTHER_BROKER => {}
                number => {
                    self.check(
                        DescribeConfigsRequest::NAME,
                        number,
                        result.error_message.as_ref(),
                    )?;
                }
            }
        }
        Ok(None)
    }
}

fn info(id: Option<String>, controller: i32, brokers: Vec<ClusterBroker>) -> ClusterInfo {
    ClusterInfo {
        id,
        controller: Some(controller).filter(|id| *id >= 0),
        brokers,
        version: None,
        authorizer: None,
        principal_builder: None,
        unseen: None,
        group_acls: GroupAclMatching::Unknown,
        settings: BrokerSettings::default(),
    }
}

/// The newest release that the level promises.
fn version_of(level: i16) -> Option<KafkaVersion> {
    let mut version = None;
    for (last, release) in LEVELS {
        if level >= last {
            version = Some(release);
        }
    }
    version
}

fn value(configuration: &DescribeConfigsResult, name: &str) -> Option<String> {
    let found = configuration
        .configs
        .iter()
        .find(|config| &*config.name == name)?;
    found.value.as_ref().map(ToString::to_string)
}

/// The properties that the broker names, with the values that it shows.
fn values(configuration: &DescribeConfigsResult) -> BTreeMap<String, Option<String>> {
    let mut values = BTreeMap::new();
    for config in &configuration.configs {
        let value = config.value.as_ref().map(ToString::to_string);
        values.insert(config.name.to_string(), value);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_of_the_metadata_mean_versions() {
        let shown = |level| version_of(level).map(|version| version.to_string());
        assert_eq!(shown(1), None);
        assert_eq!(shown(21).as_deref(), Some("3.9"));
        // In the middle of an upgrade to 4.4.
        assert_eq!(shown(32).as_deref(), Some("4.3"));
        assert_eq!(shown(33).as_deref(), Some("4.4"));
        assert_eq!(shown(99).as_deref(), Some("4.4"));
    }
}
