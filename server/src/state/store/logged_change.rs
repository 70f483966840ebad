//! What a write changes, as the log says it: rows before and after, and changes of a policy as
//! clients send them.

use std::collections::BTreeMap;
use std::mem;

use gbac_engine::model::{Dialect, Principal};
use gbac_engine::policy::Change;
use gbac_json::{ChangeJson, acl_from_value, acl_in_dialect};
use serde_json::{Map, Value, json};

use super::rows::{Table, acl_key, member_key, read_acl, read_member};

/// An entry names at most this number of changed rows.
const MAX_LOGGED_ROWS: usize = 50_000;
/// And at most this number of bytes of them, so that its JSON, with every byte escaped, stays below
/// the limit of an entry.
const MAX_LOGGED_BYTES: usize = 6 << 20;

/// A row before and after; `None` where there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LoggedRow {
    pub(super) table: Table,
    pub(super) key: Vec<u8>,
    pub(super) before: Option<Vec<u8>>,
    pub(super) after: Option<Vec<u8>>,
}

/// The value of a row; `None` if there is no such row.
type RowValue = Option<Vec<u8>>;

/// The changed rows of a write.
#[derive(Debug, Default)]
pub(super) struct LoggedChanges {
    rows: BTreeMap<(Table, Vec<u8>), (RowValue, RowValue)>,
    /// How many were written, and their bytes.
    count: usize,
    bytes: usize,
}

impl LoggedChanges {
    /// Notes that a row was written.
    pub(super) fn add(
        &mut self,
        table: Table,
        key: &[u8],
        before: Option<Vec<u8>>,
        after: Option<Vec<u8>>,
    ) {
        self.count += 1;
        self.bytes += key.len();
        for value in [&before, &after] {
            self.bytes += value.as_ref().map_or(0, Vec::len);
        }
        if self.is_too_much() {
            self.rows = BTreeMap::new();
            return;
        }
        match self.rows.entry((table, key.to_vec())) {
            std::collections::btree_map::Entry::Occupied(mut row) => row.get_mut().1 = after,
            std::collections::btree_map::Entry::Vacant(place) => {
                place.insert((before, after));
            }
        }
    }

    const fn is_too_much(&self) -> bool {
        self.count > MAX_LOGGED_ROWS || self.bytes > MAX_LOGGED_BYTES
    }

    /// The changes of an entry, in an order in which each can be made; `None` if a row cannot be
    /// read. Of too many, only their number is said.
    pub(super) fn into_json(mut self) -> Option<Vec<Value>> {
        if self.is_too_much() {
            return Some(vec![json!({ "change": "many", "count": self.count })]);
        }
        let mut rows = Vec::with_capacity(self.rows.len());
        for ((table, key), (before, after)) in mem::take(&mut self.rows) {
            if before != after {
                rows.push(LoggedRow {
                    table,
                    key,
                    before,
                    after,
                });
            }
        }
        rows.sort_by_key(LoggedRow::rank);
        rows.iter().map(LoggedRow::to_json).collect()
    }
}

impl LoggedRow {
    /// What refers to a role goes before the role, and comes after it.
    const fn rank(&self) -> u8 {
        match (self.table, self.after.is_some()) {
            (Table::Acls, false) => 0,
            (Table::Members, false) => 1,
            (Table::Roles, false) => 2,
            (Table::Roles, true) => 4,
            (Table::Members, true) => 5,
            (Table::Acls, true) => 6,
            (Table::Settings | Table::Config | Table::Meta | Table::Passwords | Table::Log, _) => 3,
        }
    }

    fn to_json(&self) -> Option<Value> {
        let is_there = self.after.is_some();
        let change = match self.table {
            Table::Acls => match (read_acl(&self.key)?, is_there) {
                (acl, true) => Change::AddAcl(acl),
                (acl, false) => Change::RemoveAcl(acl),
            },
            Table::Members => match (read_member(&self.key)?, is_there) {
                ((role, member), true) => Change::AddMember { role, member },
                ((role, member), false) => Change::RemoveMember { role, member },
            },
            Table::Roles => {
                let name = String::from_utf8(self.key.clone()).ok()?;
                if is_there {
                    Change::CreateRole(name)
                } else {
                    let delete_acls = false;
                    Change::DeleteRole { name, delete_acls }
                }
            }
            Table::Settings => return self.value_json("set_setting"),
            Table::Config => return self.value_json("set_config"),
            Table::Meta | Table::Passwords | Table::Log => return None,
        };
        serde_json::to_value(ChangeJson::from(&change)).ok()
    }

    fn value_json(&self, change: &str) -> Option<Value> {
        let mut json = Map::new();
        json.insert("change".to_owned(), change.into());
        let name = std::str::from_utf8(&self.key).ok()?;
        json.insert("name".to_owned(), name.into());
        for (side, value) in [("before", &self.before), ("after", &self.after)] {
            if let Some(value) = value {
                json.insert(side.to_owned(), serde_json::from_slice(value).ok()?);
            }
        }
        Some(Value::Object(json))
    }

    /// The row of a change of an entry; `None` if it names none.
    pub(super) fn from_json(change: &Value) -> Option<Self> {
        let text = |name: &str| change.get(name).and_then(Value::as_str);
        let kind = text("change")?;
        let (table, key) = match kind {
            "add_acl" | "remove_acl" => {
                let value = change.get("acl")?;
                let acl = acl_from_value(value)
                    .or_else(|_| acl_in_dialect(value, Dialect::Kafka))
                    .ok()?;
                (Table::Acls, acl_key(&acl))
            }
            "add_member" | "remove_member" => {
                let member = Principal::parse_in(Dialect::Kafka, text("principal")?).ok()?;
                (Table::Members, member_key(text("role")?, &member))
            }
            "create_role" | "delete_role" => (Table::Roles, text("role")?.as_bytes().to_vec()),
            "set_setting" => (Table::Settings, text("name")?.as_bytes().to_vec()),
            "set_config" => (Table::Config, text("name")?.as_bytes().to_vec()),
            _ => return None,
        };
        let value = |side: &str| change.get(side).map(|value| value.to_string().into_bytes());
        let (before, after) = match kind {
            "add_acl" | "add_member" | "create_role" => (None, Some(Vec::new())),
            "set_setting" | "set_config" => (value("before"), value("after")),
            _ => (Some(Vec::new()), None),
        };
        Some(Self {
            table,
            key,
            before,
            after,
        })
    }
}
