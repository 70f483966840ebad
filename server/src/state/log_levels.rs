//! Log levels that were changed for a limited time (D-24).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use tracing::Level;

use crate::lock::Lock;
use crate::logging;

/// The log levels that will revert.
#[derive(Clone, Default)]
pub(crate) struct LogLevels(Arc<Lock<BTreeMap<String, PendingRevert>>>);

/// The level to which a logger reverts, and when.
struct PendingRevert {
    level: Level,
    at: Instant,
}

impl LogLevels {
    /// Sets the level of a logger for `expires` seconds, or permanently if that is 0. Returns its
    /// previous level, or `None` if there is no such logger. After several changes, it reverts to
    /// the level that it had before the first of them.
    pub(crate) fn set(&self, name: &str, level: Level, expires: u32) -> Option<Level> {
        let (previous, until) = self.0.with(|pending| {
            let previous = logging::level(name)?;
            logging::set_level(name, level);
            let original = pending.remove(name).map_or(previous, |revert| revert.level);
            let until = (expires > 0).then(|| Instant::now() + Duration::from_secs(expires.into()));
            if let Some(at) = until {
                pending.insert(
                    name.to_owned(),
                    PendingRevert {
                        level: original,
                        at,
                    },
                );
            }
            Some((previous, until))
        })?;
        if let Some(at) = until {
            let (this, name) = (self.clone(), name.to_owned());
            tokio::spawn(async move {
                sleep_until(at).await;
                this.revert(&name, at);
            });
        }
        Some(previous)
    }

    /// Reverts a level, unless it was changed again since.
    fn revert(&self, name: &str, at: Instant) {
        self.0.with(|pending| {
            if let Some(revert) = pending.get(name)
                && revert.at == at
            {
                logging::set_level(name, revert.level);
                pending.remove(name);
            }
        });
    }

    /// The seconds until a logger's level reverts, rounded up; 0 if it does not revert.
    pub(crate) fn expiration(&self, name: &str) -> u64 {
        let at = self.0.with(|pending| Some(pending.get(name)?.at));
        let Some(at) = at else {
            return 0;
        };
        let left = at.duration_since(Instant::now());
        left.as_secs() + u64::from(left.subsec_nanos() > 0)
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::sleep;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_level_reverts_to_what_it_was_before_the_first_change() {
        let (levels, name) = (LogLevels::default(), "store");
        assert_eq!(levels.set("nothing", Level::DEBUG, 1), None);
        assert_eq!(levels.set(name, Level::DEBUG, 300), Some(Level::INFO));
        sleep(Duration::from_millis(100_500)).await;
        assert_eq!(
            (logging::level(name), levels.expiration(name)),
            (Some(Level::DEBUG), 200)
        );
        assert_eq!(levels.set(name, Level::TRACE, 300), Some(Level::DEBUG));
        sleep(Duration::from_secs(250)).await;
        assert_eq!(
            logging::level(name),
            Some(Level::TRACE),
            "the first change no longer reverts"
        );
        sleep(Duration::from_secs(51)).await;
        assert_eq!(
            (logging::level(name), levels.expiration(name)),
            (Some(Level::INFO), 0)
        );

        levels.set(name, Level::WARN, 10);
        levels.set(name, Level::ERROR, 0);
        sleep(Duration::from_secs(1000)).await;
        assert_eq!(
            (logging::level(name), levels.expiration(name)),
            (Some(Level::ERROR), 0),
            "0 never reverts"
        );
        levels.set(name, Level::INFO, 0);
    }
}
