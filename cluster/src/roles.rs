//! The roles of the platform, with their members: a call of its own, which Kafka's schemas do not
//! have (`describe_redpanda_roles_request.json` and `..._response.json` of the platform).

use std::collections::BTreeSet;

use anyhow::{Result as Coded, anyhow};
use gbac_engine::model::{Principal, Role};
use kafka_protocol::protocol::buf::{ByteBuf, ByteBufMut};
use kafka_protocol::protocol::{Decodable, Encodable, HeaderVersion, StrBytes};

use crate::calls::Call;
use crate::error::Malformed;
use crate::guard::{Part, Reader, Shape};

/// The members that a role can have.
const USER: u8 = 0;
const GROUP: u8 = 1;

/// The request, for all roles.
pub(crate) struct RolesRequest;

/// The answer.
#[derive(Debug)]
pub(crate) struct RolesAnswer {
    pub(crate) error_code: i16,
    pub(crate) error_message: Option<StrBytes>,
    /// Names, each with the kinds and the names of the members.
    roles: Vec<(String, Vec<(u8, String)>)>,
}

impl Call for RolesRequest {
    const KEY: i16 = 15_000;
    const NAME: &'static str = "DescribeRedpandaRoles";
    const VERSIONS: (i16, i16) = (0, 0);
    const SHAPE: Shape = Shape {
        parts: &[
            Part::Fixed(6),
            Part::Text,
            Part::Array(&[Part::Text, Part::Array(&[Part::Fixed(1), Part::Text])]),
        ],
        flexible: 0,
    };
    const LIMIT: usize = 64 * 1024 * 1024;
    type Answer = RolesAnswer;
}

impl HeaderVersion for RolesRequest {
    fn header_version(_: i16) -> i16 {
        2
    }
}

impl HeaderVersion for RolesAnswer {
    fn header_version(_: i16) -> i16 {
        1
    }
}

impl Encodable for RolesRequest {
    fn encode<B: ByteBufMut>(&self, buf: &mut B, _: i16) -> Coded<()> {
        // No array of names, which means all roles, and no tagged fields.
        buf.put_slice(&[0, 0]);
        Ok(())
    }

    fn compute_size(&self, _: i16) -> Coded<usize> {
        Ok(2)
    }
}

impl Decodable for RolesAnswer {
    fn decode<B: ByteBuf>(buf: &mut B, _: i16) -> Coded<Self> {
        let bytes = buf.copy_to_bytes(buf.remaining());
        Self::read(&mut Reader::new(&bytes, true)).map_err(|error| anyhow!("{error}"))
    }
}

impl RolesAnswer {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let _throttle = reader.int()?;
        let error_code = reader.short()?;
        let error_message = reader.text()?.map(|text| StrBytes::from(text.to_owned()));
        let mut roles = Vec::new();
        for _ in 0..reader.length()?.unwrap_or(0) {
            let name = reader.text()?.unwrap_or_default().to_owned();
            let mut members = Vec::new();
            for _ in 0..reader.length()?.unwrap_or(0) {
                let kind = reader.byte()?;
                members.push((kind, reader.text()?.unwrap_or_default().to_owned()));
                reader.skip_tags()?;
            }
            reader.skip_tags()?;
            roles.push((name, members));
        }
        reader.skip_tags()?;
        Ok(Self {
            error_code,
            error_message,
            roles,
        })
    }

    /// The roles. A kind of members that this version does not know is an error: without them, a
    /// deny of their role would be missing.
    pub(crate) fn roles(&self) -> Result<Vec<Role>, Malformed> {
        let mut roles = Vec::with_capacity(self.roles.len());
        for (name, described) in &self.roles {
            let mut members = BTreeSet::new();
            for (kind, member) in described {
                members.insert(match *kind {
                    USER => Principal::user(member),
                    GROUP => Principal::group(member),
                    _ => return Err(Malformed::UnknownMember),
                });
            }
            roles.push(Role {
                name: name.clone(),
                members,
            });
        }
        Ok(roles)
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    /// Two roles: one with a user and a group, and one with a tagged field.
    const ANSWER: [u8; 32] = [
        0, 0, 0, 9, 0, 0, 0, 3, 3, b'a', b'b', 3, 0, 2, b'u', 0, 1, 4, b'/', b'g', b'h', 0, 0, 2,
        b'c', 1, 1, 7, 2, 0, 0, 0,
    ];

    fn decoded(bytes: &[u8]) -> Option<RolesAnswer> {
        RolesRequest::SHAPE.check(0, bytes).ok()?;
        let mut bytes = Bytes::copy_from_slice(bytes);
        let answer = RolesAnswer::decode(&mut bytes, 0).ok()?;
        assert!(bytes.is_empty());
        Some(answer)
    }

    #[test]
    fn an_answer_is_guarded_and_decoded() {
        let answer = decoded(&ANSWER).expect("an answer");
        let members = vec![(USER, "u".to_owned()), (GROUP, "/gh".to_owned())];
        let expected = [("ab".to_owned(), members), ("c".to_owned(), Vec::new())];
        assert_eq!((answer.error_code, answer.roles), (0, expected.to_vec()));
        for end in 0..ANSWER.len() {
            assert!(decoded(&ANSWER[..end]).is_none(), "{end}");
        }
        for place in 0..ANSWER.len() {
            for value in 0..=u8::MAX {
                let mut mutant = ANSWER;
                mutant[place] = value;
                // It neither panics nor reserves much memory.
                decoded(&mutant);
            }
        }
    }
}
