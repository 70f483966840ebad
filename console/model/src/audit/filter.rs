//! The filter of the audit events, which is part of the address.

use gbac_api::encode::{component, parse_query};

use super::{EventKind, EventRow};
use crate::address;

/// The possible numbers of events in a list.
pub const LIMITS: [usize; 3] = [100, 300, 1000];

/// The filter of the events, which is part of the address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditFilter {
    /// Of one kind only.
    pub kind: Option<EventKind>,
    /// Allowed or denied only.
    pub allowed: Option<bool>,
    /// What the user's name holds.
    pub user: String,
    /// What the name of a group or of the role holds.
    pub group: String,
    /// The number of events to read.
    pub limit: usize,
}

impl Default for AuditFilter {
    fn default() -> Self {
        let [limit, ..] = LIMITS;
        Self {
            kind: None,
            allowed: None,
            user: String::new(),
            group: String::new(),
            limit,
        }
    }
}

impl AuditFilter {
    /// The filter of an address's query, without the `?`; what is not known there filters nothing.
    #[must_use]
    pub fn at(query: &str) -> Self {
        let mut filter = Self::default();
        for (name, value) in query
            .split('&')
            .filter_map(|pair| parse_query(pair).ok())
            .flatten()
        {
            match name.as_str() {
                "kind" => filter.kind = EventKind::ALL.into_iter().find(|kind| kind.id() == value),
                "outcome" => {
                    filter.allowed = match value.as_str() {
                        "allow" => Some(true),
                        "deny" => Some(false),
                        _ => None,
                    }
                }
                "user" => filter.user = value,
                "group" => filter.group = value,
                "limit" => {
                    let limit = value.parse().ok().filter(|limit| LIMITS.contains(limit));
                    filter.limit = limit.unwrap_or(filter.limit);
                }
                _ => {}
            }
        }
        filter
    }

    /// The address of the page with this filter.
    pub fn address(&self) -> String {
        let outcome = self
            .allowed
            .map(|allowed| if allowed { "allow" } else { "deny" });
        let limit = (self.limit != Self::default().limit).then(|| self.limit.to_string());
        let pairs = [
            ("kind", self.kind.map(|kind| kind.id().to_owned())),
            ("outcome", outcome.map(str::to_owned)),
            ("user", Some(self.user.clone())),
            ("group", Some(self.group.clone())),
            ("limit", limit),
        ];
        let pairs = pairs
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.filter(|value| !value.is_empty())?)));
        let query: Vec<String> = pairs
            .map(|(name, value)| format!("{name}={}", component(&value)))
            .collect();
        if query.is_empty() {
            address::AUDIT.into()
        } else {
            format!("{}?{}", address::AUDIT, query.join("&"))
        }
    }

    /// Whether it leaves anything out.
    pub fn is_set(&self) -> bool {
        *self
            != Self {
                limit: self.limit,
                ..Self::default()
            }
    }

    /// The number of events that are shown if `kind` is chosen and the rest of the filter stays.
    pub fn count(&self, rows: &[EventRow], kind: Option<EventKind>) -> usize {
        let chosen = Self {
            kind,
            ..self.clone()
        };
        rows.iter().filter(|row| chosen.shows(row)).count()
    }

    /// Whether an event is shown.
    pub fn shows(&self, row: &EventRow) -> bool {
        let holds = |text: &str, part: &str| {
            part.is_empty() || text.to_lowercase().contains(&part.to_lowercase())
        };
        self.kind.is_none_or(|kind| kind == row.event.kind)
            && self
                .allowed
                .is_none_or(|allowed| allowed == row.event.is_allowed)
            && holds(&row.event.user, self.user.trim())
            && (self.group.trim().is_empty()
                || row
                    .event
                    .groups
                    .iter()
                    .chain(&row.event.role)
                    .any(|name| holds(name, self.group.trim())))
    }
}
