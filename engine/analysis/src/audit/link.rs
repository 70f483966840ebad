//! The text of an event, and the link that ties it to the event before it, so that a log shows
//! whether it was changed.

use serde_json::Value;

/// An event as one line of JSON without a line break at the end, to which a link can be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventText {
    pub(super) text: String,
    /// Where the members of `metadata` begin.
    pub(super) metadata_at: usize,
    /// Where the members of `unmapped` begin, if there is one.
    pub(super) unmapped_at: Option<usize>,
}

/// The link of an event to the one before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventLink {
    /// The number of the event in its log, from 1: `metadata.sequence`.
    pub sequence: u64,
    /// The SHA-256 of the line before it, in hexadecimal: `unmapped.previous_sha256`.
    pub previous_sha256: String,
}

impl EventText {
    /// The event without a link.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The event with a link.
    #[must_use]
    pub fn linked(&self, link: &EventLink) -> String {
        let EventLink {
            sequence,
            previous_sha256,
        } = link;
        let sequence = format!("\"sequence\":{sequence},");
        let member = format!("\"previous_sha256\":\"{previous_sha256}\"");
        let (at, member) = match self.unmapped_at {
            Some(at)
                if self
                    .text
                    .get(at..)
                    .is_some_and(|rest| rest.starts_with('}')) =>
            {
                (at, member)
            }
            Some(at) => (at, format!("{member},")),
            None => (
                self.text.len().saturating_sub(1),
                format!(",\"unmapped\":{{{member}}}"),
            ),
        };
        let mut line = self.text.clone();
        // The later place first, so that the other one stays where it is.
        line.insert_str(at, &member);
        line.insert_str(self.metadata_at, &sequence);
        line
    }
}

impl EventLink {
    /// The link of an event; `None` if it has none.
    #[must_use]
    pub fn from_event(event: &Value) -> Option<Self> {
        let sequence = event.pointer("/metadata/sequence")?.as_u64()?;
        let previous_sha256 = event
            .pointer("/unmapped/previous_sha256")?
            .as_str()?
            .to_owned();
        Some(Self {
            sequence,
            previous_sha256,
        })
    }
}
