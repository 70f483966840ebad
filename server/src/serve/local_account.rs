//! The local account: the one user with a password, apart from the users of tokens (D-14, D-30).

use std::io;

use gbac_engine::escape::escaped;
use gbac_engine::policy::Change;

use super::error::ServeError;
use crate::identity::password::Password;
use crate::random;
use crate::state::error::WriteError;
use crate::state::store::{Plan, Store, StoreError};

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
    /// The account with this name, which becomes the only local account: with the given password, the stored one, or a generated
    /// one.
    ///
    /// # Errors
    /// The data cannot be read or written, or the operating system provides no random numbers.
    pub(super) fn open(store: &Store, name: &str, given: Option<&str>) -> Result<Self, ServeError> {
        let stored = store.password_users().map_err(ServeError::Store)?;
        let (password, generated) = password(store, name, given)?;
        let mut notices = record(store, name, &stored)?;
        for old in stored.iter().filter(|old| *old != name) {
            store.remove_password(old).map_err(ServeError::Store)?;
            let (old, name) = (escaped(old), escaped(name));
            notices.push(format!("the local account `{old}` is replaced by `{name}`, and its password is deleted"));
        }
        Ok(Self { password, generated, notices })
    }
}

/// Records the name of the local account, which makes it a superuser. Earlier versions had it in `superusers`, where it would make
/// a superuser of the token user of the same name, so the first start removes it from there. `stored` are the names with a password.
fn record(store: &Store, name: &str, stored: &[String]) -> Result<Vec<String>, ServeError> {
    let (name, stored) = (name.to_owned(), stored.to_vec());
    let recorded = store.change_now(move |current| {
        let (mut settings, mut config) = (current.policy.settings().clone(), (*current.config).clone());
        let is_local = |user: &String| stored.contains(user) || *user == name;
        let is_first = config.local_account.is_empty();
        let (moved, kept): (Vec<String>, Vec<String>) =
            settings.superusers.iter().cloned().partition(|user| is_first && is_local(user));
        config.local_account = name;
        let mut changes = Vec::new();
        if !moved.is_empty() {
            settings.superusers = kept.into_iter().collect();
            settings.stated.superusers = true;
            changes.push(Change::Settings(Box::new(settings)));
        }
        Ok::<_, WriteError>(Plan::Configure(changes, config, moved))
    });
    let (moved, _) = recorded.map_err(|error| ServeError::Start(io::Error::other(error.to_string())))?;
    let notice = |user: &String| {
        format!(
            "`{user}` is removed from the superusers: it is a local account, which is a superuser by itself, and a token user of \
             the same name is none any more; add `{user}` to the superusers again if the identity provider has this user",
            user = escaped(user)
        )
    };
    Ok(moved.iter().map(notice).collect())
}

/// The given password, the stored one, or a generated one, which is also returned as text.
fn password(store: &Store, user: &str, given: Option<&str>) -> Result<(Password, Option<String>), ServeError> {
    let store_password = |text: &str| {
        let password = Password::new(text).map_err(ServeError::Start)?;
        store.set_password(user, password.hash()).map_err(ServeError::Store)?;
        Ok(password)
    };
    // A given password also replaces a damaged hash, so the stored one is not read then.
    if let Some(text) = given {
        return Ok((store_password(text)?, None));
    }
    let stored = store.password(user).map_err(|error| match error {
        StoreError::Damaged(_) => ServeError::StoredPassword(user.to_owned()),
        error => ServeError::Store(error),
    })?;
    if let Some(hash) = stored {
        let password = Password::from_hash(&hash).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => ServeError::StoredPassword(user.to_owned()),
            _ => ServeError::Start(error),
        })?;
        return Ok((password, None));
    }
    let text = random::hex(&random::bytes::<16>().map_err(ServeError::Start)?);
    Ok((store_password(&text)?, Some(text)))
}

#[cfg(test)]
mod tests {
    use gbac_engine::policy::{Policy, Settings};

    use super::*;
    use crate::state::config::Config;

    /// A store as an earlier version left it: the local accounts are among the superusers, and none is recorded.
    fn earlier(superusers: &[&str], passwords: &[&str]) -> Store {
        let superusers = superusers.iter().map(|name| (*name).to_owned()).collect();
        let policy = Policy::new(Settings { superusers, ..Settings::default() });
        let store = Store::memory(policy, Config::default()).unwrap();
        for user in passwords {
            store.set_password(user, Password::new("old").unwrap().hash()).unwrap();
        }
        store
    }

    fn superusers(store: &Store) -> Vec<String> {
        store.read().policy.settings().superusers.iter().cloned().collect()
    }

    #[test]
    fn the_first_start_takes_local_accounts_out_of_the_superusers_and_says_so() {
        let store = earlier(&["admin", "alice"], &["admin"]);
        let account = LocalAccount::open(&store, "admin", None).unwrap();
        assert!(account.password.verify("old") && account.generated.is_none());
        assert_eq!(superusers(&store), ["alice"]);
        assert_eq!(store.read().config.local_account, "admin");
        assert_eq!(account.notices.len(), 1);
        assert!(account.notices[0].starts_with("`admin` is removed from the superusers: "), "{}", account.notices[0]);
        // A name that is added again is that of the token user. Later starts keep it.
        let add = |current: &crate::state::store::Snapshot| {
            let mut settings = current.policy.settings().clone();
            settings.superusers.insert("admin".into());
            Ok::<_, WriteError>(Plan::Changes(vec![Change::Settings(Box::new(settings))], ()))
        };
        store.change_now(add).unwrap();
        assert!(LocalAccount::open(&store, "admin", None).unwrap().notices.is_empty());
        assert_eq!(superusers(&store), ["admin", "alice"]);
    }

    #[test]
    fn a_hash_that_cannot_be_read_is_reported_and_can_be_replaced() {
        let store = Store::memory(Policy::default(), Config::default()).unwrap();
        store.set_password("admin", "not a hash").unwrap();
        let error = LocalAccount::open(&store, "admin", None).map(drop).unwrap_err();
        assert_eq!(error.code(), "data_damaged");
        assert!(error.hint().contains("GBAC_ADMIN_PASSWORD"));
        assert!(LocalAccount::open(&store, "admin", Some("new")).unwrap().password.verify("new"));
        assert!(LocalAccount::open(&store, "admin", None).unwrap().password.verify("new"));
    }

    #[test]
    fn accounts_that_earlier_renames_left_behind_go_too() {
        let store = earlier(&["admin", "ops", "root"], &["admin", "root"]);
        let account = LocalAccount::open(&store, "root", Some("new")).unwrap();
        assert!(account.password.verify("new"));
        assert_eq!(superusers(&store), ["ops"]);
        assert_eq!(store.password_users().unwrap(), ["root"]);
        assert_eq!(account.notices.len(), 3, "{:?}", account.notices);
        assert!(account.notices[2].starts_with("the local account `admin` is replaced by `root`"));
    }

    #[test]
    fn a_new_store_has_no_notice() {
        let store = earlier(&[], &[]);
        let account = LocalAccount::open(&store, "admin", None).unwrap();
        assert!(account.notices.is_empty() && account.generated.is_some());
        assert_eq!((superusers(&store), store.read().config.local_account.as_str()), (Vec::new(), "admin"));
    }
}
