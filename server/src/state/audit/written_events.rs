//! The audit events of a change that is not stored yet.

use gbac_analysis::audit::Event;

use super::audit_log::AuditLog;
use super::streams::Stream;

/// The audit events of a change, which are written before it is stored. Unless it is said to be
/// stored, they are recorded as failed when this is dropped, whatever the reason is. That can block.
#[must_use]
pub(crate) struct WrittenEvents(Option<(AuditLog, Vec<Event>)>);

impl WrittenEvents {
    /// No events, of a change that is not recorded.
    pub(crate) const fn none() -> Self {
        Self(None)
    }

    pub(super) fn new(log: &AuditLog, events: Vec<Event>) -> Self {
        Self(Some((log.clone(), events)))
    }

    /// Takes note that the change is stored.
    pub(crate) fn stored(mut self) {
        self.0 = None;
    }
}

impl Drop for WrittenEvents {
    fn drop(&mut self) {
        let Some((log, events)) = self.0.take() else {
            return;
        };
        let detail = "the change could not be stored; nothing was changed";
        let failed: Vec<Event> = events
            .into_iter()
            .map(|event| event.failed("not_stored", detail))
            .collect();
        if log.write_now(Stream::Changes, &failed).is_err() {
            log.owe(Stream::Changes, &failed);
        }
    }
}
