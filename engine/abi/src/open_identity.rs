//! An open identity: its bytes, and what of them the policy mentions.

use gbac_engine::policy::Version;
use gbac_engine::{Identity, Policy, PreparedIdentity, Principal, PrincipalType};

use crate::AbiError;
use crate::records::{Reader, principal};

/// An open identity. A token can have hundreds of groups of which the ACLs name a few; no ACL
/// matches the others, so that only those few are copied and looked up for decisions.
#[derive(Debug)]
pub(crate) struct OpenIdentity {
    principal: Principal,
    /// The texts of all groups.
    groups: Box<[u8]>,
    /// With the groups that the policy mentions in this version of its principals.
    prepared: PreparedIdentity,
    version: Version,
}

impl OpenIdentity {
    /// Reads a principal and its groups.
    pub(crate) fn new(policy: &Policy, bytes: &[u8]) -> Result<Self, AbiError> {
        let mut reader = Reader::new(bytes);
        let principal = principal(reader.text()?, policy.settings().dialect)?;
        let groups = reader.rest();
        Ok(Self {
            prepared: prepared(policy, &principal, groups)?,
            principal,
            groups: groups.into(),
            version: policy.principals_version(),
        })
    }

    /// The identity for decisions. Its other groups are looked up again if the policy may mention
    /// them now.
    pub(crate) fn prepared(&mut self, policy: &Policy) -> Result<&mut PreparedIdentity, AbiError> {
        if self.version != policy.principals_version() {
            self.prepared = prepared(policy, &self.principal, &self.groups)?;
            self.version = policy.principals_version();
        }
        Ok(&mut self.prepared)
    }

    /// The identity with all its groups.
    pub(crate) fn whole(&self) -> Result<Identity, AbiError> {
        identity(&self.principal, Reader::new(&self.groups).texts()?)
    }
}

#[inline(never)]
fn prepared(
    policy: &Policy,
    principal: &Principal,
    groups: &[u8],
) -> Result<PreparedIdentity, AbiError> {
    let mut groups = Reader::new(groups).texts()?;
    groups.retain(|group| policy.principal_id(PrincipalType::Group, group).is_some());
    let identity = identity(principal, groups)?;
    Ok(PreparedIdentity::new(policy, identity))
}

#[inline(never)]
fn identity(principal: &Principal, groups: Vec<&str>) -> Result<Identity, AbiError> {
    match Identity::of_principal(principal, groups) {
        Ok((identity, _)) => Ok(identity),
        Err(_) => Err(AbiError::Principal),
    }
}
