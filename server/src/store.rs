//! The state of the service, behind the only lock. No guard of it leaves this file, so none can be held across an await.

use std::io;
use std::sync::{Arc, PoisonError, RwLock};

use gbac_engine::policy::{Change, ChangeError, Policy};

use crate::random;

/// What the service holds now.
#[derive(Debug, Clone)]
pub(crate) struct Snapshot {
    /// Settings, roles and ACLs.
    pub(crate) policy: Arc<Policy>,
    /// Counts the changes of the policy.
    version: u64,
    /// Counts the changes of its settings.
    pub(crate) config_version: u64,
}

/// What is to be done, decided on the policy as it is, and what to answer once it is done.
pub(crate) enum Plan<T> {
    /// These changes, in order.
    Changes(Vec<Change>, T),
    /// Another policy in place of this one.
    Replace(Arc<Policy>, T),
}

/// The state: in memory, gone when the service stops.
pub(crate) struct Store {
    held: RwLock<Snapshot>,
    /// Makes the entity tags of this start unlike those of any other.
    start: String,
}

impl Store {
    /// A store that begins with this policy.
    ///
    /// # Errors
    /// There are no random numbers.
    pub(crate) fn new(policy: Policy) -> io::Result<Self> {
        let held = RwLock::new(Snapshot { policy: Arc::new(policy), version: 1, config_version: 1 });
        Ok(Self { held, start: random::hex(&random::bytes::<8>()?) })
    }

    /// What the service holds now; it stays as it is for whoever has it.
    pub(crate) fn read(&self) -> Snapshot {
        self.held.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The entity tag of a snapshot's policy (RFC 9110 8.8.3).
    pub(crate) fn tag(&self, snapshot: &Snapshot) -> String {
        format!("\"{}-{}\"", self.start, snapshot.version)
    }

    /// Lets `plan` decide on the policy as it is, and does what it says, with nobody in between. A plan checks what it
    /// wants before it answers, so that its changes cannot fail one by one.
    ///
    /// # Errors
    /// Those of the plan; nothing has changed then.
    pub(crate) fn change<T, E: From<ChangeError>>(
        &self,
        plan: impl FnOnce(&Snapshot) -> Result<Plan<T>, E>,
    ) -> Result<(T, Snapshot), E> {
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        let (mut changed, mut configured) = (false, false);
        let answer = match plan(&held)? {
            Plan::Changes(changes, answer) => {
                for change in changes {
                    let settings = matches!(change, Change::Settings(_));
                    let done = Arc::make_mut(&mut held.policy).apply(change)?;
                    changed |= done;
                    configured |= done && settings;
                }
                answer
            }
            Plan::Replace(policy, answer) => {
                changed = held.policy != policy;
                configured = held.policy.settings() != policy.settings();
                if changed {
                    held.policy = policy;
                }
                answer
            }
        };
        held.version += u64::from(changed);
        held.config_version += u64::from(configured);
        Ok((answer, held.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn role(name: &str) -> Plan<()> {
        Plan::Changes(vec![Change::CreateRole(name.into())], ())
    }

    #[test]
    fn a_change_makes_a_new_tag_and_leaves_old_snapshots() {
        let store = Store::new(Policy::default()).unwrap();
        let before = store.read();
        let ((), after) = store.change::<_, ChangeError>(|_| Ok(role("a"))).unwrap();
        assert_ne!(store.tag(&before), store.tag(&after));
        assert_eq!(store.tag(&store.read()), store.tag(&after));
        assert_eq!((before.policy.roles().len(), after.policy.roles().len()), (0, 1));
        assert_eq!(before.config_version, after.config_version);
    }

    #[test]
    fn no_change_keeps_the_tag() {
        let store = Store::new(Policy::default()).unwrap();
        let before = store.tag(&store.read());
        store.change::<_, ChangeError>(|held| Ok(Plan::Replace(Arc::new((*held.policy).clone()), ()))).unwrap();
        store.change::<(), _>(|_| Err(ChangeError::UnknownRole("x".into()))).unwrap_err();
        assert_eq!(store.tag(&store.read()), before);
        assert_ne!(Store::new(Policy::default()).unwrap().start, store.start);
    }
}
