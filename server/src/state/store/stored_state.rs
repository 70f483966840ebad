//! The state that the rows of a store are, checked while they are read.

use gbac_engine::escape::escaped;
use gbac_engine::policy::{Change, Policy};
use gbac_json::settings_from_value;
use serde_json::{Map, Value};

use super::error::StoreError;
use super::format::{
    CLUSTER, COMMIT, CONFIG_VERSION, COUNTER_LIMIT, DATA_ID, FORMAT_KEY, LOG_HEAD, VERSION,
};
use super::history::HistoryCheck;
use super::log_head::LogHead;
use super::rows::{self, Table};
use super::rows_digest::{DigestCheck, RowsDigest};
use crate::state::config::Config;

/// The state in a store.
pub(super) struct StoredState {
    pub(super) policy: Policy,
    pub(super) config: Config,
    pub(super) version: u64,
    pub(super) config_version: u64,
    /// None in a store that was last opened by a version without it.
    pub(super) data_id: Option<String>,
    /// The name of its Kafka cluster, if it has one.
    pub(super) cluster: Option<String>,
}

/// Reads all rows of a store, table by table in the order of [`Table::ALL`].
#[derive(Default)]
pub(super) struct StateReader {
    format: Option<u64>,
    version: Option<u64>,
    config_version: Option<u64>,
    commit: Option<u64>,
    data_id: Option<String>,
    cluster: Option<String>,
    head: Option<LogHead>,
    settings: Map<String, Value>,
    config: Map<String, Value>,
    policy: Option<Policy>,
    digest: DigestCheck,
    history: HistoryCheck,
    /// The digest of the content of a past state, of which nothing else is known.
    past: Option<RowsDigest>,
}

impl StateReader {
    /// A reader of a past state, whose content has this digest.
    pub(super) fn of_past(content: RowsDigest) -> Self {
        Self {
            past: Some(content),
            ..Self::default()
        }
    }

    /// Reads the next row.
    pub(super) fn read(
        &mut self,
        table: Table,
        key: &[u8],
        value: &[u8],
    ) -> Result<(), StoreError> {
        if !self.digest.read(table, key, value)? {
            return Ok(());
        }
        if matches!(table, Table::Roles | Table::Members | Table::Acls) && !value.is_empty() {
            return Err(StoreError::damaged(
                "a row of",
                format!("`{}`, which has a value", table.name()),
            ));
        }
        match table {
            Table::Meta => self.read_meta(key, value)?,
            Table::Passwords => {}
            Table::Log => drop(self.history.read(key, value)?),
            Table::Settings => drop(self.settings.insert(name(key), json(key, value)?)),
            Table::Config => drop(self.config.insert(name(key), json(key, value)?)),
            Table::Roles => {
                let name = String::from_utf8(key.to_vec());
                self.change(Change::CreateRole(
                    name.map_err(|error| StoreError::damaged("a role's name:", error))?,
                ))?;
            }
            Table::Members => {
                let (role, member) = rows::read_member(key)
                    .ok_or_else(|| StoreError::damaged("a role's", "member"))?;
                self.change(Change::AddMember { role, member })?;
            }
            Table::Acls => {
                let acl = rows::read_acl(key).ok_or_else(|| StoreError::damaged("an", "ACL"))?;
                self.change(Change::AddAcl(acl))?;
            }
        }
        Ok(())
    }

    fn read_meta(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        if key == DATA_ID {
            self.data_id = Some(name(value));
            return Ok(());
        }
        if key == CLUSTER {
            self.cluster = Some(name(value));
            return Ok(());
        }
        if key == LOG_HEAD {
            self.head = Some(LogHead::from_bytes(value).ok_or_else(LogHead::damaged)?);
            return Ok(());
        }
        let counter = match key {
            FORMAT_KEY => &mut self.format,
            VERSION => &mut self.version,
            CONFIG_VERSION => &mut self.config_version,
            COMMIT => &mut self.commit,
            _ => return Ok(()),
        };
        *counter = Some(number(key, Some(value))?);
        Ok(())
    }

    /// The settings come before the first role, and the policy is made of them.
    fn policy(&mut self) -> Result<&mut Policy, StoreError> {
        let policy = match self.policy.take() {
            Some(policy) => policy,
            None => {
                let settings = Value::Object(std::mem::take(&mut self.settings));
                let settings = settings_from_value(&settings)
                    .map_err(|problems| StoreError::damaged("the settings:", problems))?;
                Policy::new(settings)
            }
        };
        Ok(self.policy.insert(policy))
    }

    fn change(&mut self, change: Change) -> Result<(), StoreError> {
        match self.policy()?.apply(change) {
            Ok(_) => Ok(()),
            Err(error) => Err(StoreError::damaged("the policy:", error)),
        }
    }

    /// The number of the last commit.
    pub(super) fn commit(&self) -> u64 {
        self.commit.unwrap_or_default()
    }

    /// The state after the last row, if no row is missing, added or different.
    pub(super) fn finish(mut self) -> Result<StoredState, StoreError> {
        self.policy()?.shrink();
        let content = self.digest.content;
        if let Some(past) = self.past {
            if past != content {
                return Err(StoreError::damaged(
                    "the state before",
                    "a change of the log differs from what it was",
                ));
            }
        } else {
            self.history.finish(self.head)?;
        }
        if self.past.is_none() && self.head.is_some_and(|head| head.content != content) {
            let rows = "the rows differ from those that";
            return Err(StoreError::damaged(rows, "the log of changes results in"));
        }
        if self.past.is_none() {
            self.digest.finish()?;
        }
        let config = serde_json::from_value(Value::Object(std::mem::take(&mut self.config)))
            .map_err(|error| StoreError::damaged("the config:", error))?;
        // A service could not open a store without them.
        counter(self.format, FORMAT_KEY)?;
        counter(self.commit, COMMIT)?;
        Ok(StoredState {
            version: counter(self.version, VERSION)?,
            config_version: counter(self.config_version, CONFIG_VERSION)?,
            policy: self.policy.unwrap_or_default(),
            config,
            data_id: self.data_id,
            cluster: self.cluster,
        })
    }
}

/// The number in a row of the table `meta`, as it was written. Only numbers from which a service
/// can go on counting are read.
pub(super) fn number(key: &[u8], value: Option<&[u8]>) -> Result<u64, StoreError> {
    counter(value.and_then(canonical_number), key)
}

/// The number of a counter, below its limit and in its shortest form.
fn canonical_number(value: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(value).ok()?;
    let number = text.parse::<u64>().ok()?;
    (number.to_string() == text && number < COUNTER_LIMIT).then_some(number)
}

fn counter(number: Option<u64>, key: &[u8]) -> Result<u64, StoreError> {
    number.ok_or_else(|| no_counter(key))
}

fn no_counter(key: &[u8]) -> StoreError {
    StoreError::damaged("the counter", String::from_utf8_lossy(key))
}

fn name(key: &[u8]) -> String {
    String::from_utf8_lossy(key).into_owned()
}

fn json(key: &[u8], value: &[u8]) -> Result<Value, StoreError> {
    serde_json::from_slice(value).map_err(|error| {
        StoreError::damaged("the value of", format!("{}: {error}", escaped(&name(key))))
    })
}
