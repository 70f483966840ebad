//! Reads binary records: numbers with the lowest byte first, and texts after their length.

use gbac_engine::model::check_role_name;
use gbac_engine::policy::Settings;
use gbac_engine::{Acl, Dialect, Host, KafkaVersion, Principal, PrincipalType};

use crate::AbiError;
use crate::hosts::{KafkaHost, kafka_host};
use crate::values;

/// The bytes of a call, read from the front.
pub(crate) struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    pub(crate) const fn new(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn take(&mut self, count: usize) -> Result<&'b [u8], AbiError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(AbiError::Length)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], AbiError> {
        self.take(N)?.try_into().map_err(|_| AbiError::Length)
    }

    /// What is not read.
    pub(crate) const fn rest(&self) -> &'b [u8] {
        self.0
    }

    pub(crate) fn byte(&mut self) -> Result<u8, AbiError> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(crate) fn count(&mut self) -> Result<usize, AbiError> {
        self.array().map(|bytes| u32::from_le_bytes(bytes) as usize)
    }

    pub(crate) fn number(&mut self) -> Result<u64, AbiError> {
        self.array().map(u64::from_le_bytes)
    }

    /// Milliseconds since 1970.
    pub(crate) fn time(&mut self) -> Result<i64, AbiError> {
        i64::try_from(self.number()?).map_err(|_| AbiError::Value)
    }

    pub(crate) fn text(&mut self) -> Result<&'b str, AbiError> {
        let length = self.count()?;
        text(self.take(length)?)
    }

    /// As many texts as their number says, and nothing behind them.
    pub(crate) fn texts(mut self) -> Result<Vec<&'b str>, AbiError> {
        let count = self.count()?;
        // Each is at least its length, so that a wrong number asks for no memory.
        let mut texts = Vec::with_capacity(count.min(self.0.len() / 4));
        for _ in 0..count {
            texts.push(self.text()?);
        }
        self.end().map(|()| texts)
    }

    pub(crate) const fn end(&self) -> Result<(), AbiError> {
        if self.is_empty() {
            Ok(())
        } else {
            Err(AbiError::Length)
        }
    }
}

/// Bytes as text.
pub(crate) fn text(bytes: &[u8]) -> Result<&str, AbiError> {
    std::str::from_utf8(bytes).map_err(|_| AbiError::Text)
}

/// Reads a principal: its type, a colon, its name. Unlike in a document the name may be empty, as
/// in Kafka's log.
#[inline(never)]
pub(crate) fn principal(text: &str, dialect: Dialect) -> Result<Principal, AbiError> {
    Principal::parse_in(dialect, text).or_else(|_| {
        let is_kafka = dialect == Dialect::Kafka;
        match text.split_once(':') {
            Some((prefix, "")) if is_kafka => Ok(match PrincipalType::from_prefix(prefix) {
                Some(kind) => Principal::new(kind, ""),
                None => Principal::new(PrincipalType::Other, text),
            }),
            _ => Err(AbiError::Principal),
        }
    })
}

/// An ACL with the text of its host, which tells apart what Kafka tells apart.
#[derive(Debug, Clone)]
pub(crate) struct AclRecord {
    pub(crate) acl: Acl,
    pub(crate) host: HostRecord,
}

/// What a policy makes of the host of an ACL.
#[derive(Debug, Clone)]
pub(crate) enum HostRecord {
    /// It is the host of the ACL, and no other text is.
    Plain,
    /// It is one of several texts for the host of the ACL.
    Spelled(String),
    /// It matches nobody; the ACL is for any host and for a principal that nobody is.
    Never,
}

/// One change.
#[derive(Debug, Clone)]
pub(crate) enum Record {
    AddAcl(AclRecord),
    RemoveAcl(AclRecord),
    AddMember(String, Principal),
    RemoveMember(String, Principal),
    Settings(Dialect, KafkaVersion),
    AddSuperuser(String),
    RemoveSuperuser(String),
    HashSeed(u64),
}

/// Reads all records of a call. Once they are read, each of them can be made.
pub(crate) fn read_records(
    bytes: &[u8],
    mut dialect: Dialect,
    mut is_empty: bool,
) -> Result<Vec<Record>, AbiError> {
    let mut reader = Reader::new(bytes);
    let mut records = Vec::new();
    while !reader.is_empty() {
        let record = record(&mut reader, dialect, is_empty)?;
        match record {
            Record::AddAcl(_) | Record::AddMember(..) => is_empty = false,
            Record::Settings(new, _) => dialect = new,
            _ => {}
        }
        records.push(record);
    }
    Ok(records)
}

/// Reads one record for a policy of this dialect, which may have no ACLs and members yet.
#[inline(never)]
fn record(reader: &mut Reader<'_>, dialect: Dialect, is_empty: bool) -> Result<Record, AbiError> {
    Ok(match reader.byte()? {
        1 => Record::AddAcl(acl(reader, dialect)?),
        2 => Record::RemoveAcl(acl(reader, dialect)?),
        3 => member(reader).map(|(role, member)| Record::AddMember(role, member))?,
        4 => member(reader).map(|(role, member)| Record::RemoveMember(role, member))?,
        5 => {
            let (new, version) = settings(reader)?;
            if new != dialect && !is_empty {
                return Err(AbiError::State);
            }
            Record::Settings(new, version)
        }
        6 => Record::AddSuperuser(superuser(reader)?),
        7 => Record::RemoveSuperuser(superuser(reader)?),
        8 if is_empty => Record::HashSeed(reader.number()?),
        8 => return Err(AbiError::State),
        _ => return Err(AbiError::Kind),
    })
}

/// Reads the name of a role, and a user or a group.
#[inline(never)]
fn member(reader: &mut Reader<'_>) -> Result<(String, Principal), AbiError> {
    let role = reader.text()?;
    check_role_name(role).map_err(|_| AbiError::Name)?;
    let member = principal(reader.text()?, Dialect::Platform)?;
    if member.kind() == PrincipalType::Role {
        return Err(AbiError::Principal);
    }
    Ok((role.to_owned(), member))
}

fn settings(reader: &mut Reader<'_>) -> Result<(Dialect, KafkaVersion), AbiError> {
    let dialect = *Dialect::ALL
        .get(usize::from(reader.byte()?))
        .ok_or(AbiError::Value)?;
    let [major, minor] = [reader.array()?, reader.array()?].map(u16::from_le_bytes);
    Ok((dialect, KafkaVersion::new(major, minor)))
}

#[inline(never)]
fn superuser(reader: &mut Reader<'_>) -> Result<String, AbiError> {
    let name = reader.text()?;
    Settings::check_superuser(name).map_err(|_| AbiError::Name)?;
    Ok(name.to_owned())
}

#[inline(never)]
fn acl(reader: &mut Reader<'_>, dialect: Dialect) -> Result<AclRecord, AbiError> {
    let resource_type = values::resource_type(reader.byte()?.into(), dialect)?;
    let pattern_type = values::pattern_type(reader.byte()?.into())?;
    let operation = values::operation(reader.byte()?.into(), dialect)?;
    let permission = values::permission(reader.byte()?.into())?;
    let principal_text = reader.text()?;
    let mut principal = principal(principal_text, dialect)?;
    let host_text = reader.text()?;
    let (host, record) = match dialect {
        Dialect::Platform => (
            Host::parse(host_text).map_err(|_| AbiError::Host)?,
            HostRecord::Plain,
        ),
        Dialect::Kafka => match kafka_host(host_text) {
            KafkaHost::Matches(host, true) => (host, HostRecord::Plain),
            KafkaHost::Matches(host, false) => (host, HostRecord::Spelled(host_text.to_owned())),
            KafkaHost::Never => {
                principal = Principal::new(
                    PrincipalType::Other,
                    format!("{host_text}\0{principal_text}"),
                );
                (Host::Any, HostRecord::Never)
            }
        },
    };
    let resource_name = reader.text()?.to_owned();
    let acl = Acl {
        resource_type,
        resource_name,
        pattern_type,
        principal,
        host,
        operation,
        permission,
    };
    Ok(AclRecord {
        acl: acl.normalized(),
        host: record,
    })
}
