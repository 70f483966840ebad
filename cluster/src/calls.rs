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
    // Brokers that describe the cluster only here have one of these.
    const VERSIONS: (i16, i16) = (2, 7);
    const SHAPE: Shape = Shape {
        parts: &[
            Part::Since(3, &[Part::Fixed(4)]),
            Part::Array(&[Part::Fixed(4), Part::Text, Part::Fixed(4), Part::Text]),
            Part::Text,
            Part::Fixed(4),
            Part::Array(&[
                Part::Fixed(2),
                Part::Text,
                Part::Fixed(1),
                Part::Array(&[
                    Part::Fixed(10),
                    Part::Since(7, &[Part::Fixed(4)]),
                    Part::Array(&[Part::Fixed(4)]),
                    Part::Array(&[Part::Fixed(4)]),
                    Part::Since(5, &[Part::Array(&[Part::Fixed(4)])]),
                ]),
            ]),
        ],
        flexible: i16::MAX,
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
