//! The calls of Kafka's protocol that this client makes: the versions that it speaks, and the
//! shapes of their answers.

use kafka_protocol::messages::{
    ApiVersionsRequest, ApiVersionsResponse, CreateAclsRequest, CreateAclsResponse,
    DeleteAclsRequest, DeleteAclsResponse, DescribeAclsRequest, DescribeAclsResponse,
    DescribeClusterRequest, DescribeClusterResponse, DescribeConfigsRequest,
    DescribeConfigsResponse, MetadataRequest, MetadataResponse, SaslAuthenticateRequest,
    SaslAuthenticateResponse, SaslHandshakeRequest, SaslHandshakeResponse,
};
use kafka_protocol::protocol::{Decodable, Encodable, HeaderVersion};

use crate::guard::{Part, Shape};

mod topic;

const MIB: usize = 1024 * 1024;

/// A call of the protocol.
pub(crate) trait Call: Encodable + HeaderVersion {
    /// Its number.
    const KEY: i16;
    /// Its name.
    const NAME: &'static str;
    /// The first and the last version that this client speaks.
    const VERSIONS: (i16, i16);
    /// The shape of its answer.
    const SHAPE: Shape;
    /// The maximum size of an answer, in bytes.
    const LIMIT: usize = MIB;
    /// Its answer.
    type Answer: Decodable + HeaderVersion;
}

impl Call for ApiVersionsRequest {
    const KEY: i16 = 18;
    const NAME: &'static str = "ApiVersions";
    const VERSIONS: (i16, i16) = (0, 3);
    const SHAPE: Shape = Shape {
        parts: &[
            Part::Fixed(2),
            Part::Array(&[Part::Fixed(6)]),
            Part::Since(1, &[Part::Fixed(4)]),
            Part::Tagged(0, &[Part::Array(&[Part::Text, Part::Fixed(4)])]),
            Part::Tagged(1, &[Part::Fixed(8)]),
            Part::Tagged(2, &[Part::Array(&[Part::Text, Part::Fixed(4)])]),
            Part::Tagged(3, &[Part::Fixed(1)]),
        ],
        flexible: 3,
    };
    type Answer = ApiVersionsResponse;
}

impl Call for SaslHandshakeRequest {
    const KEY: i16 = 17;
    const NAME: &'static str = "SaslHandshake";
    const VERSIONS: (i16, i16) = (1, 1);
    const SHAPE: Shape = Shape {
        parts: &[Part::Fixed(2), Part::Array(&[Part::Text])],
        flexible: i16::MAX,
    };
    type Answer = SaslHandshakeResponse;
}

impl Call for SaslAuthenticateRequest {
    const KEY: i16 = 36;
    const NAME: &'static str = "SaslAuthenticate";
    const VERSIONS: (i16, i16) = (0, 2);
    const SHAPE: Shape = Shape {
        parts: &[
            Part::Fixed(2),
            Part::Text,
            Part::Bytes,
            Part::Since(1, &[Part::Fixed(8)]),
        ],
        flexible: 2,
    };
    type Answer = SaslAuthenticateResponse;
}

impl Call for MetadataRequest {
    const KEY: i16 = 3;
    const NAME: &'static str = "Metadata";
    // The last one has the IDs of topics.
    const VERSIONS: (i16, i16) = (2, 10);
    const SHAPE: Shape = Shape {
        parts: &[
            Part::Since(3, &[Part::Fixed(4)]),
            Part::Array(&[Part::Fixed(4), Part::Text, Part::Fixed(4), Part::Text]),
            Part::Text,
            Part::Fixed(4),
            Part::Array(&[
                Part::Fixed(2),
                Part::Text,
                Part::Since(10, &[Part::Fixed(16)]),
                Part::Fixed(1),
                Part::Array(&[
                    Part::Fixed(10),
                    Part::Since(7, &[Part::Fixed(4)]),
                    Part::Numbers,
                    Part::Numbers,
                    Part::Since(5, &[Part::Numbers]),
                ]),
                Part::Since(8, &[Part::Fixed(4)]),
            ]),
            Part::Since(8, &[Part::Fixed(4)]),
        ],
        flexible: 9,
    };
    type Answer = MetadataResponse;
}

impl Call for DescribeClusterRequest {
    const KEY: i16 = 60;
    const NAME: &'static str = "DescribeCluster";
    const VERSIONS: (i16, i16) = (0, 1);
    const SHAPE: Shape = Shape {
        parts: &[
            Part::Fixed(6),
            Part::Text,
            Part::Since(1, &[Part::Fixed(1)]),
            Part::Text,
            Part::Fixed(4),
            Part::Array(&[Part::Fixed(4), Part::Text, Part::Fixed(4), Part::Text]),
            Part::Fixed(4),
        ],
        flexible: 0,
    };
    type Answer = DescribeClusterResponse;
}

impl Call for DescribeConfigsRequest {
    const KEY: i16 = 32;
    const NAME: &'static str = "DescribeConfigs";
    const VERSIONS: (i16, i16) = (1, 4);
    const SHAPE: Shape = Shape {
        parts: &[
            Part::Fixed(4),
            Part::Array(&[
                Part::Fixed(2),
                Part::Text,
                Part::Fixed(1),
                Part::Text,
                Part::Array(&[
                    Part::Text,
                    Part::Text,
                    Part::Fixed(3),
                    Part::Array(&[Part::Text, Part::Text, Part::Fixed(1)]),
                    Part::Since(3, &[Part::Fixed(1), Part::Text]),
                ]),
            ]),
        ],
        flexible: 4,
    };
    const LIMIT: usize = 8 * MIB;
    type Answer = DescribeConfigsResponse;
}

impl Call for DescribeAclsRequest {
    const KEY: i16 = 29;
    const NAME: &'static str = "DescribeAcls";
    const VERSIONS: (i16, i16) = (1, 3);
    const SHAPE: Shape = Shape {
        parts: &[
            Part::Fixed(6),
            Part::Text,
            Part::Array(&[
                Part::Fixed(1),
                Part::Text,
                Part::Fixed(1),
                Part::Array(&[Part::Text, Part::Text, Part::Fixed(2)]),
            ]),
        ],
        flexible: 2,
    };
    const LIMIT: usize = 256 * MIB;
    type Answer = DescribeAclsResponse;
}

impl Call for CreateAclsRequest {
    const KEY: i16 = 30;
    const NAME: &'static str = "CreateAcls";
    const VERSIONS: (i16, i16) = (1, 3);
    const SHAPE: Shape = Shape {
        parts: &[Part::Fixed(4), Part::Array(&[Part::Fixed(2), Part::Text])],
        flexible: 2,
    };
    type Answer = CreateAclsResponse;
}

impl Call for DeleteAclsRequest {
    const KEY: i16 = 31;
    const NAME: &'static str = "DeleteAcls";
    const VERSIONS: (i16, i16) = (1, 3);
    const SHAPE: Shape = Shape {
        parts: &[
            Part::Fixed(4),
            Part::Array(&[
                Part::Fixed(2),
                Part::Text,
                Part::Array(&[
                    Part::Fixed(2),
                    Part::Text,
                    Part::Fixed(1),
                    Part::Text,
                    Part::Fixed(1),
                    Part::Text,
                    Part::Text,
                    Part::Fixed(2),
                ]),
            ]),
        ],
        flexible: 2,
    };
    // It repeats every ACL.
    const LIMIT: usize = 32 * MIB;
    type Answer = DeleteAclsResponse;
}

#[cfg(test)]
mod tests {
    use bytes::{Bytes, BytesMut};
    use kafka_protocol::messages::api_versions_response::{
        ApiVersion, FinalizedFeatureKey, SupportedFeatureKey,
    };
    use kafka_protocol::messages::create_acls_response::AclCreationResult;
    use kafka_protocol::messages::delete_acls_response::{
        DeleteAclsFilterResult, DeleteAclsMatchingAcl,
    };
    use kafka_protocol::messages::describe_acls_response::{AclDescription, DescribeAclsResource};
    use kafka_protocol::messages::describe_cluster_response::DescribeClusterBroker;
    use kafka_protocol::messages::describe_configs_response::{
        DescribeConfigsResourceResult, DescribeConfigsResult, DescribeConfigsSynonym,
    };
    use kafka_protocol::messages::metadata_response::{
        MetadataResponseBroker, MetadataResponsePartition, MetadataResponseTopic,
    };
    use kafka_protocol::protocol::StrBytes;

    use super::*;

    /// Random numbers that are the same in every run (splitmix64).
    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: usize) -> usize {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (mixed ^ (mixed >> 31)) as usize % limit
        }
    }

    /// What passes the guard is decoded without a panic and without much memory, and every
    /// answer of a broker passes.
    pub(super) fn check<C: Call<Answer: Encodable>>(answer: &C::Answer) {
        let mut random = Random(7);
        let (first, last) = C::VERSIONS;
        for version in first..=last {
            let mut bytes = BytesMut::new();
            answer.encode(&mut bytes, version).expect("an answer");
            C::SHAPE
                .check(version, &bytes)
                .expect("the shape of an answer");
            for end in 0..bytes.len() {
                assert!(
                    C::SHAPE.check(version, &bytes[..end]).is_err(),
                    "{} {version} {end}",
                    C::NAME
                );
            }
            for _ in 0..20_000 {
                let mut mutant = bytes.to_vec();
                for _ in 0..=random.below(3) {
                    let at = random.below(mutant.len());
                    mutant[at] = [
                        0,
                        1,
                        2,
                        0x7f,
                        0x80,
                        0xff,
                        mutant[at] ^ 1,
                        mutant[at].wrapping_add(1),
                    ][random.below(8)];
                }
                if C::SHAPE.check(version, &mutant).is_ok() {
                    let mut mutant = Bytes::from(mutant);
                    if C::Answer::decode(&mut mutant, version).is_ok() {
                        assert!(mutant.is_empty(), "{} {version}", C::NAME);
                    }
                }
            }
        }
    }

    pub(super) fn text() -> StrBytes {
        StrBytes::from_static_str("text")
    }

    #[test]
    fn answers_about_acls_are_guarded() {
        let acl = AclDescription::default()
            .with_principal(text())
            .with_host(text());
        let resource = DescribeAclsResource::default()
            .with_resource_name(text())
            .with_acls(vec![acl.clone(), acl]);
        check::<DescribeAclsRequest>(
            &DescribeAclsResponse::default()
                .with_error_message(Some(text()))
                .with_resources(vec![resource.clone(), resource]),
        );
        let result = AclCreationResult::default().with_error_message(Some(text()));
        check::<CreateAclsRequest>(&CreateAclsResponse::default().with_results(vec![result; 3]));
        let acl = DeleteAclsMatchingAcl::default()
            .with_resource_name(text())
            .with_principal(text())
            .with_host(text());
        let result = DeleteAclsFilterResult::default().with_matching_acls(vec![acl; 2]);
        check::<DeleteAclsRequest>(
            &DeleteAclsResponse::default().with_filter_results(vec![result; 2]),
        );
    }

    #[test]
    fn answers_about_the_cluster_are_guarded() {
        let broker = DescribeClusterBroker::default()
            .with_host(text())
            .with_rack(Some(text()));
        check::<DescribeClusterRequest>(
            &DescribeClusterResponse::default()
                .with_cluster_id(text())
                .with_brokers(vec![broker; 2]),
        );
        let broker = MetadataResponseBroker::default().with_host(text());
        let partition = MetadataResponsePartition::default()
            .with_replica_nodes(vec![1.into()])
            .with_isr_nodes(vec![1.into()]);
        let topic = MetadataResponseTopic::default()
            .with_name(Some(text().into()))
            .with_partitions(vec![partition]);
        check::<MetadataRequest>(
            &MetadataResponse::default()
                .with_cluster_id(Some(text()))
                .with_brokers(vec![broker; 2])
                .with_topics(vec![topic]),
        );
        let synonym = DescribeConfigsSynonym::default().with_name(text());
        let config = DescribeConfigsResourceResult::default()
            .with_name(text())
            .with_value(Some(text()))
            .with_synonyms(vec![synonym]);
        let result = DescribeConfigsResult::default()
            .with_resource_name(text())
            .with_configs(vec![config; 2]);
        check::<DescribeConfigsRequest>(
            &DescribeConfigsResponse::default().with_results(vec![result]),
        );
    }

    #[test]
    fn answers_before_the_sign_in_are_guarded() {
        let supported = SupportedFeatureKey::default().with_name(text());
        let finalized = FinalizedFeatureKey::default().with_name(text());
        let versions = ApiVersionsResponse::default().with_api_keys(vec![ApiVersion::default(); 3]);
        check::<ApiVersionsRequest>(&versions);
        let mut bytes = BytesMut::new();
        versions
            .with_supported_features(vec![supported])
            .with_finalized_features(vec![finalized; 2])
            .with_finalized_features_epoch(7)
            .encode(&mut bytes, 3)
            .expect("an answer");
        assert_eq!(ApiVersionsRequest::SHAPE.check(3, &bytes), Ok(()));
        check::<SaslHandshakeRequest>(&SaslHandshakeResponse::default().with_mechanisms(vec![
            text(
            );
            2
        ]));
        check::<SaslAuthenticateRequest>(
            &SaslAuthenticateResponse::default().with_auth_bytes(Bytes::from_static(b"bytes")),
        );
    }
}
