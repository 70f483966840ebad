//! The rule of the log: which entry is applied.

use crate::entry::{EntryFault, LogEntry};
use crate::position::LogPosition;

/// Where a reader of a log is. All readers that were given the same records are at the same
/// position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogState {
    store: String,
    position: LogPosition,
    /// The format of the entry that this version could not read, if there was one.
    stopped: Option<u64>,
}

/// What a record of the log means for the state.
#[derive(Debug, Clone, PartialEq)]
pub enum Admitted {
    /// Apply its changes.
    Applied(Box<LogEntry>),
    /// It was planned on another state, or repeats an entry; it changes nothing.
    Void(Box<LogEntry>),
    /// It is no entry of this store; it changes nothing, and is to be told.
    Ignored(EntryFault),
    /// A newer version wrote this entry or an earlier one, in this format. No entry is applied from
    /// here on: whether it is void only a newer version knows.
    Stopped(u64),
}

impl LogState {
    /// The state of a store at a position.
    #[must_use]
    pub fn new(store: &str, position: LogPosition) -> Self {
        Self {
            store: store.to_owned(),
            position,
            stopped: None,
        }
    }

    /// The ID of the data.
    #[must_use]
    pub fn store(&self) -> &str {
        &self.store
    }

    /// The position after the last applied entry.
    #[must_use]
    pub const fn position(&self) -> LogPosition {
        self.position
    }

    /// The format of the newer version's entry at which this stopped.
    #[must_use]
    pub const fn stopped(&self) -> Option<u64> {
        self.stopped
    }

    /// Reads the next record. An entry is applied if it was planned on exactly this state. A
    /// repeated entry is void by the same rule, because the digest counts every entry before it.
    pub fn admit(&mut self, record: &[u8]) -> Admitted {
        if let Some(format) = self.stopped {
            return Admitted::Stopped(format);
        }
        match LogEntry::read(&self.store, record) {
            Ok(entry) if entry.expected == self.position => {
                self.position = self.position.after(record);
                Admitted::Applied(Box::new(entry))
            }
            Ok(entry) => Admitted::Void(Box::new(entry)),
            Err(EntryFault::Newer(format)) => {
                self.stopped = Some(format);
                Admitted::Stopped(format)
            }
            Err(fault) => Admitted::Ignored(fault),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::entry;

    #[test]
    fn an_entry_is_applied_once_and_only_to_its_state() {
        let mut state = LogState::new("s", LogPosition::default());
        let first = entry("s", state.position(), "1");
        let other = entry("s", state.position(), "2");
        assert!(matches!(state.admit(first.bytes()), Admitted::Applied(_)));
        assert_eq!(state.position(), first.after());
        for void in [&first, &other] {
            assert!(matches!(state.admit(void.bytes()), Admitted::Void(_)));
        }
        let mut wrong_digest = state.position();
        wrong_digest.digest = LogPosition::default().digest;
        assert!(matches!(
            state.admit(entry("s", wrong_digest, "3").bytes()),
            Admitted::Void(_)
        ));
        assert_eq!(state.position(), first.after());
        let next = entry("s", state.position(), "4");
        assert!(matches!(state.admit(next.bytes()), Admitted::Applied(_)));
    }

    #[test]
    fn what_is_no_entry_is_ignored_and_a_newer_one_stops() {
        let mut state = LogState::new("s", LogPosition::default());
        let own = entry("s", state.position(), "1");
        let text = String::from_utf8(own.bytes().to_vec()).unwrap();
        for foreign in [
            "",
            "{",
            "[]",
            "\u{0}",
            r#"{"format":1}"#,
            r#"{"format":2,"store":"t"}"#,
            r#"{"format":1,"store":"s"}"#,
            &text[1..],
            &text.replace(r#""via""#, r#""more":1,"via""#),
            &text.replace(r#""id":"1""#, r#""id":"""#),
            &"[".repeat(1_000_000),
        ] {
            let admitted = state.admit(foreign.as_bytes());
            assert!(matches!(admitted, Admitted::Ignored(_)), "{admitted:?}");
        }
        let other = entry("t", state.position(), "1");
        assert_eq!(
            state.admit(other.bytes()),
            Admitted::Ignored(EntryFault::OtherStore("t".into()))
        );
        assert_eq!(state.position(), LogPosition::default());
        let newer = br#"{"format":2,"store":"s","sealed":true}"#;
        assert_eq!(state.admit(newer), Admitted::Stopped(2));
        assert_eq!(state.admit(own.bytes()), Admitted::Stopped(2));
        assert_eq!(state.stopped(), Some(2));
        assert_eq!(state.position(), LogPosition::default());
    }
}
