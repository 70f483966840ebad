//! The local account: the one user with a password, apart from the users of tokens (D-14, D-30).

use std::io;

use gbac_analysis::audit::Modification;
use gbac_engine::escape::escaped;
use gbac_engine::policy::Change;

use super::error::ServeError;
use crate::identity::password::Password;
use crate::random;
use crate::state::audit::{Audit, ChangeRecorder, WrittenEvents};
use crate::state::change::make_change;
use crate::state::error::{AuditError, WriteError};
use crate::state::store::{Snapshot, StateChange, Store, StoreError};

/// The local account of a start.
pub(super) struct LocalAccount {
    /// Its password.
    pub(super) password: Password,
    /// The password as text if it was generated.
    pub(super) generated: Option<String>,
    /// What the start changed about accounts, in sentences.
    pub(super) notices: Vec<String>,
}

impl LocalAccount {
    /// The account with this name, which becomes the only local account: with the given password,
    /// the stored one, or a generated one. If auditing is enabled, every change has its event
    /// before it is made.
    ///
    /// # Errors
    /// The data cannot be read or written, a change cannot be recorded, or the operating system
    /// provides no random numbers.
    pub(super) fn open(
        store: &Store,
        audit: &Audit<'_>,
        name: &str,
        given: Option<&str>,
    ) -> Result<Self, ServeError> {
        AccountChanges { store, audit }.open(name, given)
    }
}

/// What a start changes about accounts.
struct AccountChanges<'a> {
    store: &'a Store,
    audit: &'a Audit<'a>,
}

/// Where a password comes from.
enum PasswordSource {
    /// It is the stored one.
    Stored,
    /// It was given, and another one is stored, if any.
    Given,
    /// It was generated, because none is stored.
    Generated(String),
}

impl AccountChanges<'_> {
    fn open(&self, name: &str, given: Option<&str>) -> Result<LocalAccount, ServeError> {
        let stored = self.store.password_users()?;
        let (password, source) = password(self.store, name, given)?;
        if !matches!(source, PasswordSource::Stored) {
            let is_known = stored.iter().any(|user| user == name);
            let change = if is_known {
                Modification::PasswordReset(name)
            } else {
                Modification::AccountCreated(name)
            };
            let event = self.record(change)?;
            self.store.set_password(name, password.hash())?;
            event.stored();
        }
        let mut notices = self.record_name(name, &stored)?;
        for old in stored.iter().filter(|old| *old != name) {
            let event = self.record(Modification::AccountDeleted(old))?;
            self.store.remove_password(old)?;
            event.stored();
            let (old, name) = (escaped(old), escaped(name));
            notices.push(format!(
                "the local account `{old}` is replaced by `{name}`, and its password is deleted"
            ));
        }
        let generated = match source {
            PasswordSource::Generated(text) => Some(text),
            PasswordSource::Stored | PasswordSource::Given => None,
        };
        Ok(LocalAccount {
            password,
            generated,
            notices,
        })
    }

    /// Writes the event of a change of an account, before the change is made.
    fn record(&self, modification: Modification<'_>) -> Result<WrittenEvents, ServeError> {
        if !self.audit.is_enabled() {
            return Ok(WrittenEvents::none());
        }
        let recorder = ChangeRecorder::new(self.audit);
        let event = recorder.event(modification, None);
        recorder
            .write(vec![event], false)
            .map_err(|AuditError| ServeError::NotRecorded)
    }

    /// Records the name of the local account, which makes it a superuser. Earlier versions had it
    /// in `superusers`, where it would make a superuser of the token user of the same name, so the
    /// first start removes it from there. `stored` are the names with a password.
    fn record_name(&self, name: &str, stored: &[String]) -> Result<Vec<String>, ServeError> {
        let (name, stored) = (name.to_owned(), stored.to_vec());
        let plan = move |current: &Snapshot| {
            let (mut settings, mut config) =
                (current.policy.settings().clone(), (*current.config).clone());
            let is_first = config.local_account.is_empty();
            let (moved, kept): (Vec<String>, Vec<String>) = settings
                .superusers
                .iter()
                .cloned()
                .partition(|user| is_first && (stored.contains(user) || *user == name));
            config.local_account = name;
            let mut changes = Vec::new();
            if !moved.is_empty() {
                settings.superusers = kept.into_iter().collect();
                settings.stated.superusers = true;
                changes.push(Change::Settings(Box::new(settings)));
            }
            Ok::<_, WriteError>((StateChange::Configure(changes, config), moved))
        };
        let recorder = ChangeRecorder::new(self.audit);
        let stored = self
            .store
            .change_now(move |batch| make_change(batch, &recorder, plan))
            .map_err(|error| match error {
                WriteError::NotRecorded => ServeError::NotRecorded,
                error => ServeError::Start(io::Error::other(error.to_string())),
            })?;
        let removed = stored.answer.iter();
        Ok(removed.map(|user| removal_notice(user)).collect())
    }
}

fn removal_notice(user: &str) -> String {
    format!(
        "`{user}` is removed from the superusers: it is a local account, which is a superuser by itself, and a token user \
         of the same name is none any more; add `{user}` to the superusers again if the identity provider has this user",
        user = escaped(user)
    )
}

/// The given password, the stored one, or a generated one. Nothing is stored yet.
fn password(
    store: &Store,
    user: &str,
    given: Option<&str>,
) -> Result<(Password, PasswordSource), ServeError> {
    let stored = match store.password(user) {
        Ok(Some(hash)) => Password::from_hash(&hash).map(Some),
        Ok(None) => Ok(None),
        Err(StoreError::Damaged(_)) => Err(io::ErrorKind::InvalidData.into()),
        Err(error) => return Err(error.into()),
    };
    match (given, stored) {
        // A start with the same password again changes nothing.
        (Some(text), Ok(Some(stored))) if stored.verify(text) => {
            Ok((stored, PasswordSource::Stored))
        }
        // A given password also replaces a damaged hash.
        (Some(text), _) => Ok((Password::new(text)?, PasswordSource::Given)),
        (None, Ok(Some(stored))) => Ok((stored, PasswordSource::Stored)),
        (None, Ok(None)) => {
            let text = random::hex(&random::bytes::<16>()?);
            Ok((Password::new(&text)?, PasswordSource::Generated(text)))
        }
        (None, Err(error)) if error.kind() == io::ErrorKind::InvalidData => {
            Err(ServeError::StoredPassword(user.to_owned()))
        }
        (None, Err(error)) => Err(ServeError::Start(error)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::Relaxed;
    use std::time::Duration;

    use gbac_engine::policy::{Policy, Settings};

    use super::*;
    use crate::state::audit::{AuditFileLimits, AuditLog};
    use crate::state::config::Config;

    /// A store as an earlier version left it: the local accounts are among the superusers, and none
    /// is recorded.
    fn earlier(superusers: &[&str], passwords: &[&str]) -> Store {
        let superusers = superusers.iter().map(|name| (*name).to_owned()).collect();
        let policy = Policy::new(Settings {
            superusers,
            ..Settings::default()
        });
        let store = Store::memory(policy, Config::default()).unwrap();
        for user in passwords {
            store
                .set_password(user, Password::new("old").unwrap().hash())
                .unwrap();
        }
        store
    }

    fn audit_log() -> AuditLog {
        let limits = AuditFileLimits {
            file_bytes: 0,
            file_seconds: 0,
            total_bytes: 0,
            changes_total_bytes: 0,
            reserve_bytes: 0,
        };
        AuditLog::new(None, limits, || 1.0).unwrap()
    }

    fn open(store: &Store, name: &str, given: Option<&str>) -> Result<LocalAccount, ServeError> {
        let log = audit_log();
        let account = LocalAccount::open(store, &audit(&log, store), name, given);
        assert!(log.recent(1).is_empty(), "auditing is off");
        account
    }

    fn audit<'a>(log: &'a AuditLog, store: &Store) -> Audit<'a> {
        Audit::new(
            log,
            store.read().config.audit_enabled,
            1.0,
            ([127, 0, 0, 1], 8420).into(),
        )
    }

    /// The messages of the events of a start, oldest first.
    fn recorded(
        store: &Store,
        name: &str,
        given: Option<&str>,
    ) -> (Result<(), &'static str>, Vec<String>) {
        let log = audit_log();
        let result = LocalAccount::open(store, &audit(&log, store), name, given).map(drop);
        let message = |line: &String| {
            let event: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(
                event.pointer("/metadata/product/name"),
                Some(&"GBAC".into())
            );
            event["message"].as_str().unwrap().to_owned()
        };
        let messages = log.recent(99).iter().rev().map(message).collect();
        (result.map_err(|error| error.code()), messages)
    }

    fn superusers(store: &Store) -> Vec<String> {
        store
            .read()
            .policy
            .settings()
            .superusers
            .iter()
            .cloned()
            .collect()
    }

    #[test]
    fn the_first_start_takes_local_accounts_out_of_the_superusers_and_says_so() {
        let store = earlier(&["admin", "alice"], &["admin"]);
        let account = open(&store, "admin", None).unwrap();
        assert!(account.password.verify("old") && account.generated.is_none());
        assert_eq!(superusers(&store), ["alice"]);
        assert_eq!(store.read().config.local_account, "admin");
        assert_eq!(account.notices.len(), 1);
        assert!(
            account.notices[0].starts_with("`admin` is removed from the superusers: "),
            "{}",
            account.notices[0]
        );
        // A name that is added again is that of the token user. Later starts keep it.
        let mut settings = store.read().policy.settings().clone();
        settings.superusers.insert("admin".into());
        let add = Change::Settings(Box::new(settings));
        store
            .change_unrecorded(StateChange::Changes(vec![add]))
            .unwrap();
        assert!(open(&store, "admin", None).unwrap().notices.is_empty());
        assert_eq!(superusers(&store), ["admin", "alice"]);
    }

    #[test]
    fn a_hash_that_cannot_be_read_is_reported_and_can_be_replaced() {
        let store = Store::memory(Policy::default(), Config::default()).unwrap();
        store.set_password("admin", "not a hash").unwrap();
        let error = open(&store, "admin", None).map(drop).unwrap_err();
        assert_eq!(error.code(), "data_damaged");
        assert!(error.hint().contains("GBAC_ADMIN_PASSWORD"));
        assert!(
            open(&store, "admin", Some("new"))
                .unwrap()
                .password
                .verify("new")
        );
        assert!(open(&store, "admin", None).unwrap().password.verify("new"));
    }

    #[test]
    fn accounts_that_earlier_renames_left_behind_go_too() {
        let store = earlier(&["admin", "ops", "root"], &["admin", "root"]);
        let account = open(&store, "root", Some("new")).unwrap();
        assert!(account.password.verify("new"));
        assert_eq!(superusers(&store), ["ops"]);
        assert_eq!(store.password_users().unwrap(), ["root"]);
        assert_eq!(account.notices.len(), 3, "{:?}", account.notices);
        assert!(account.notices[2].starts_with("the local account `admin` is replaced by `root`"));
    }

    #[test]
    fn a_new_store_has_no_notice() {
        let store = earlier(&[], &[]);
        let account = open(&store, "admin", None).unwrap();
        assert!(account.notices.is_empty() && account.generated.is_some());
        assert_eq!(
            (
                superusers(&store),
                store.read().config.local_account.as_str()
            ),
            (Vec::new(), "admin")
        );
    }

    #[test]
    fn every_change_of_an_account_has_its_event() {
        let superusers = ["admin", "ops"].map(str::to_owned).into_iter().collect();
        let policy = Policy::new(Settings {
            superusers,
            ..Settings::default()
        });
        let store = Store::memory(
            policy,
            Config {
                audit_enabled: true,
                ..Config::default()
            },
        )
        .unwrap();
        let created = "gbac created the local account admin";
        let moved = "gbac removed admin from the superusers";
        assert_eq!(
            recorded(&store, "admin", Some("one")),
            (Ok(()), vec![created.into(), moved.into()])
        );
        assert_eq!(
            recorded(&store, "admin", Some("one")),
            (Ok(()), Vec::new()),
            "the same password"
        );
        assert_eq!(recorded(&store, "admin", None), (Ok(()), Vec::new()));
        let reset = "gbac set another password for the local account admin";
        assert_eq!(
            recorded(&store, "admin", Some("two")),
            (Ok(()), vec![reset.into()])
        );
        let renamed = [
            "gbac created the local account root",
            "gbac deleted the local account admin",
        ];
        assert_eq!(
            recorded(&store, "root", None),
            (Ok(()), renamed.map(str::to_owned).to_vec())
        );
    }

    #[test]
    fn a_change_of_an_account_that_cannot_be_recorded_is_not_made() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let limits = AuditFileLimits {
            file_bytes: 0,
            file_seconds: 0,
            total_bytes: 0,
            changes_total_bytes: 0,
            reserve_bytes: u64::MAX,
        };
        let store = Store::memory(
            Policy::default(),
            Config {
                audit_enabled: true,
                ..Config::default()
            },
        )
        .unwrap();
        store
            .set_password("admin", Password::new("old").unwrap().hash())
            .unwrap();
        let log = AuditLog::new(Some(path), limits, || 1.0).unwrap();
        let start = |given| LocalAccount::open(&store, &audit(&log, &store), "admin", given);
        assert_eq!(
            start(Some("new")).map(drop).unwrap_err().code(),
            "not_recorded"
        );
        assert!(
            start(Some("old")).unwrap().password.verify("old"),
            "nothing to record"
        );
    }

    #[test]
    fn a_change_of_an_account_that_cannot_be_stored_is_recorded_as_failed() {
        let folder = tempfile::tempdir().unwrap();
        let (store, faults) = Store::with_faults(folder.path(), Duration::ZERO);
        let config = Config {
            audit_enabled: true,
            local_account: "admin".into(),
            ..(*store.read().config).clone()
        };
        store
            .change_unrecorded(StateChange::Configure(Vec::new(), config))
            .unwrap();
        faults.room.store(0, Relaxed);
        let created = "gbac created the local account admin";
        let (result, messages) = recorded(&store, "admin", Some("new"));
        assert!(result.is_err());
        assert_eq!(
            messages,
            [created.to_owned(), format!("not done: {created}")]
        );
    }
}
