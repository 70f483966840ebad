//! One instance of the module: a policy, the open identities, and the last text result.

use std::collections::{BTreeMap, BTreeSet};

use gbac_engine::decide::{ResourceAccess, explain};
use gbac_engine::policy::{Change, Settings, index};
use gbac_engine::{Acl, Dialect, Operation, Policy};

use crate::identities::Identities;
use crate::open_identity::OpenIdentity;
use crate::records::{AclRecord, HostRecord, Record, read_records, text};
use crate::request::request;
use crate::{AbiError, HAS_ACLS, HAS_DENIES, document, event, extraction, values, words};

/// The state of the module.
#[derive(Debug, Default)]
pub struct Instance {
    policy: Policy,
    /// ACLs whose host matches no client. They do not affect decisions, but their resources count
    /// as having ACLs.
    unmatched: Policy,
    /// The host texts of ACLs that were added with different texts for the same host.
    spelled: BTreeMap<Acl, BTreeSet<String>>,
    identities: Identities,
    result: Vec<u8>,
}

impl Instance {
    /// Empties the policy, resets the settings and closes all identities.
    pub fn clear(&mut self) {
        let mut identities = std::mem::take(&mut self.identities);
        identities.clear();
        *self = Self {
            identities,
            ..Self::default()
        };
    }

    /// Applies records, all or none. Returns the number of records that changed something.
    ///
    /// # Errors
    /// A record is invalid. Nothing was changed.
    pub fn apply(&mut self, records: &[u8]) -> Result<i32, AbiError> {
        let records = read_records(records, self.policy.settings().dialect, self.is_empty())?;
        let mut changed = 0;
        for record in records {
            changed += i32::from(self.make(record)?);
        }
        Ok(changed)
    }

    fn is_empty(&self) -> bool {
        self.policy.acl_count() + self.policy.role_count() + self.unmatched.acl_count() == 0
    }

    /// Applies one record. Invalid records were already refused when they were read.
    #[inline(never)]
    fn make(&mut self, record: Record) -> Result<bool, AbiError> {
        match record {
            Record::AddAcl(record) => self.add(record),
            Record::RemoveAcl(record) => self.remove(record),
            Record::AddMember(role, member) => {
                if !self.policy.has_role(&role) {
                    self.change(Change::CreateRole(role.clone()))?;
                }
                self.change(Change::AddMember { role, member })
            }
            Record::RemoveMember(role, member) => {
                if !self.policy.has_role(&role) {
                    return Ok(false);
                }
                let removed = self.change(Change::RemoveMember {
                    role: role.clone(),
                    member,
                })?;
                // A role exists while it has members.
                if self
                    .policy
                    .role(&role)
                    .is_some_and(|role| role.members.is_empty())
                {
                    self.change(Change::DeleteRole {
                        name: role,
                        delete_acls: false,
                    })?;
                }
                Ok(removed)
            }
            Record::Settings(dialect, kafka_version) => self.set(|settings| {
                (settings.dialect, settings.kafka_version) = (dialect, kafka_version);
            }),
            Record::AddSuperuser(name) => self.set(|settings| settings.superusers.insert(name)),
            Record::RemoveSuperuser(name) => self.set(|settings| {
                settings.superusers = settings
                    .superusers
                    .iter()
                    .filter(|known| **known != name)
                    .cloned()
                    .collect();
            }),
            Record::HashSeed(seed) => {
                index::set_hash_seed(seed);
                let settings = self.policy.settings().clone();
                self.policy = Policy::new(settings.clone());
                self.unmatched = Policy::new(self.unmatched.settings().clone());
                self.set(|same| *same = settings)?;
                Ok(true)
            }
        }
    }

    #[inline(never)]
    fn change(&mut self, change: Change) -> Result<bool, AbiError> {
        self.policy.apply(change).map_err(|_| AbiError::State)
    }

    #[inline(never)]
    fn set(&mut self, change: impl FnOnce(&mut Settings)) -> Result<bool, AbiError> {
        let mut settings = self.policy.settings().clone();
        change(&mut settings);
        let skips = settings.dialect == Dialect::Kafka;
        self.policy.skip_asterisks(skips);
        self.unmatched.skip_asterisks(skips);
        let kafka = Settings {
            dialect: settings.dialect,
            ..Settings::default()
        };
        self.unmatched
            .apply(Change::Settings(Box::new(kafka)))
            .map_err(|_| AbiError::State)?;
        self.change(Change::Settings(Box::new(settings)))
    }

    #[inline(never)]
    fn add(&mut self, AclRecord { acl, host }: AclRecord) -> Result<bool, AbiError> {
        match host {
            HostRecord::Never => self
                .unmatched
                .apply(Change::AddAcl(acl))
                .map_err(|_| AbiError::State),
            HostRecord::Plain if !self.spelled.contains_key(&acl) => {
                self.change(Change::AddAcl(acl))
            }
            HostRecord::Plain => Ok(self.spell(&acl, acl.host.to_string())),
            HostRecord::Spelled(text) => {
                let is_new = self.spell(&acl, text);
                self.change(Change::AddAcl(acl)).map(|_| is_new)
            }
        }
    }

    /// Adds a host text of an ACL. Returns whether it is new.
    fn spell(&mut self, acl: &Acl, text: String) -> bool {
        let plain = self.policy.has_acl(acl).then(|| acl.host.to_string());
        self.spellings(acl, plain).insert(text)
    }

    /// The host texts of an ACL; at first the one that it was added with.
    #[inline(never)]
    fn spellings(&mut self, acl: &Acl, first: Option<String>) -> &mut BTreeSet<String> {
        self.spelled
            .entry(acl.clone())
            .or_insert_with(|| set_of(first))
    }

    #[inline(never)]
    fn remove(&mut self, AclRecord { acl, host }: AclRecord) -> Result<bool, AbiError> {
        let text = match host {
            HostRecord::Never => {
                return self
                    .unmatched
                    .apply(Change::RemoveAcl(acl))
                    .map_err(|_| AbiError::State);
            }
            HostRecord::Plain => acl.host.to_string(),
            HostRecord::Spelled(text) => text,
        };
        let Some(texts) = self.spelled.get_mut(&acl) else {
            return if text == acl.host.to_string() {
                self.change(Change::RemoveAcl(acl))
            } else {
                Ok(false)
            };
        };
        let removed = texts.remove(&text);
        if texts.is_empty() {
            self.spelled.remove(&acl);
            self.change(Change::RemoveAcl(acl))?;
        }
        Ok(removed)
    }

    /// Reads the user and the groups of a token's claims; returns the result.
    ///
    /// # Errors
    /// The rules or the claims are invalid, or the claims do not name a user.
    pub fn extract(&mut self, bytes: &[u8]) -> Result<&[u8], AbiError> {
        let found = extraction::extraction(bytes)?;
        Ok(self.keep(&found))
    }

    /// Opens an identity: a principal and its groups. Returns its handle.
    ///
    /// # Errors
    /// The bytes are invalid, or the principal cannot send requests.
    pub fn open(&mut self, bytes: &[u8]) -> Result<i32, AbiError> {
        let identity = OpenIdentity::new(&self.policy, bytes)?;
        self.identities.open(identity)
    }

    /// Closes an identity.
    ///
    /// # Errors
    /// No open identity has this handle.
    pub fn close(&mut self, handle: i32) -> Result<(), AbiError> {
        self.identities.close(handle)
    }

    /// The operations that an identity is allowed on a resource, one bit each, [`HAS_DENIES`] and
    /// [`HAS_ACLS`].
    /// The bytes are the client's host, with the length `host_length`, followed by the name of the
    /// resource; the length -1 means no host.
    ///
    /// # Errors
    /// No open identity has this handle, no resource type has this number, or the bytes are
    /// invalid.
    pub fn mask(
        &mut self,
        handle: i32,
        resource_type: i32,
        host_length: i32,
        bytes: &[u8],
    ) -> Result<i32, AbiError> {
        let Self {
            policy,
            unmatched,
            identities,
            ..
        } = self;
        let identity = identities.get(handle)?.prepared(policy)?;
        let request = request(policy, Operation::All, resource_type, host_length, bytes)?;
        let access = identity.access(policy, &request);
        let mask = mask(&access);
        let has_acls = access.has_acls()
            || unmatched.acl_count() > 0
                && unmatched
                    .covering(request.resource_type, request.resource_name)
                    .ids()
                    .next()
                    .is_some();
        let denies = if access.has_denies() { HAS_DENIES } else { 0 };
        let acls = if has_acls { HAS_ACLS } else { 0 };
        Ok(mask | denies | acls)
    }

    /// The operations that an identity is allowed on at least one resource of a type, one bit each
    /// (D-73). The bytes are the client's host, with the length `host_length`; the length -1 means
    /// no host.
    ///
    /// # Errors
    /// Those of [`Instance::mask`], or bytes follow the host.
    pub fn any(
        &mut self,
        handle: i32,
        resource_type: i32,
        host_length: i32,
        bytes: &[u8],
    ) -> Result<i32, AbiError> {
        let Self {
            policy, identities, ..
        } = self;
        let identity = identities.get(handle)?.prepared(policy)?;
        if host_length >= 0 && usize::try_from(host_length) != Ok(bytes.len())
            || host_length < 0 && !bytes.is_empty()
        {
            return Err(AbiError::Length);
        }
        let request = request(policy, Operation::All, resource_type, host_length, bytes)?;
        Ok(mask(&identity.access_to_any(
            policy,
            request.resource_type,
            request.host,
            request.at,
        )))
    }

    /// Reads a policy document; returns the members of its roles, or its problems.
    ///
    /// # Errors
    /// The bytes are not UTF-8.
    pub fn members(&mut self, bytes: &[u8]) -> Result<&[u8], AbiError> {
        let found = document::members(text(bytes)?);
        Ok(self.keep(&found))
    }

    /// Explains how a request is decided; returns the text.
    ///
    /// # Errors
    /// Those of [`Instance::mask`], or no operation has this number.
    pub fn explain(
        &mut self,
        handle: i32,
        operation: i32,
        resource_type: i32,
        host_length: i32,
        bytes: &[u8],
    ) -> Result<&[u8], AbiError> {
        let Self {
            policy, identities, ..
        } = self;
        let identity = identities.get(handle)?.prepared(policy)?;
        let operation = values::operation(operation, policy.settings().dialect)?;
        let request = request(policy, operation, resource_type, host_length, bytes)?;
        let words = words::explanation(&identity.decide(policy, &request));
        Ok(self.keep(words.as_bytes()))
    }

    /// Writes the audit event of a sign-in, or of a decision, as one line of JSON. The handle -1 is
    /// nobody whose ACLs decide.
    ///
    /// # Errors
    /// The bytes are no event, or no identity has this handle.
    pub fn event(&mut self, handle: i32, bytes: &[u8]) -> Result<&[u8], AbiError> {
        let Self {
            policy, identities, ..
        } = self;
        let (kind, bytes) = bytes.split_first().ok_or(AbiError::Length)?;
        let line = match kind {
            1 => event::sign_in(policy, &identities.get(handle)?.whole()?, bytes)?,
            2 if handle == -1 => event::decision(policy, None, bytes)?,
            2 => event::decision(
                policy,
                Some(identities.get(handle)?.prepared(policy)?),
                bytes,
            )?,
            _ => return Err(AbiError::Kind),
        };
        Ok(self.keep(line.as_bytes()))
    }

    /// Finds the ACL that would allow a request but for one field; returns that field and the ACL,
    /// or an empty text. Reads every ACL.
    ///
    /// # Errors
    /// Those of [`Instance::explain`].
    pub fn near_miss(
        &mut self,
        handle: i32,
        operation: i32,
        resource_type: i32,
        host_length: i32,
        bytes: &[u8],
    ) -> Result<&[u8], AbiError> {
        let Self {
            policy, identities, ..
        } = self;
        let identity = identities.get(handle)?.whole()?;
        let operation = values::operation(operation, policy.settings().dialect)?;
        let request = request(policy, operation, resource_type, host_length, bytes)?;
        let words = words::near_miss(&explain(policy, &identity, &request));
        Ok(self.keep(words.as_bytes()))
    }

    /// Stores a result until the next one: its length, then its bytes.
    fn keep(&mut self, found: &[u8]) -> &[u8] {
        self.result.clear();
        self.result.extend((found.len() as u32).to_le_bytes());
        self.result.extend(found);
        &self.result
    }
}

#[inline(never)]
fn set_of(text: Option<String>) -> BTreeSet<String> {
    text.into_iter().collect()
}

fn mask(access: &ResourceAccess) -> i32 {
    access.operations().fold(0, |mask, operation| {
        mask | 1 << values::operation_code(operation)
    })
}
