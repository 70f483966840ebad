//! The users whom audit events show with groups, for the effect of a fix.

use std::collections::{BTreeMap, BTreeSet};

use gbac_words::fix;
use gbac_words::rich_text::RichText;

use crate::review::AffectedGroups;

/// An event that may show a user with groups.
pub trait SeenEvent {
    /// The user's name; empty if it is unknown.
    fn user(&self) -> &str;
    /// The groups.
    fn groups(&self) -> &[String];
    /// When, in milliseconds since 1970.
    fn since_ms(&self) -> f64;
}

/// Who was seen with which group, and since when events were read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SeenUsers {
    by_group: BTreeMap<String, BTreeSet<String>>,
    /// When the oldest of the events was, in seconds since 1970.
    since: f64,
}

impl SeenUsers {
    /// What events say; none where there are no events.
    pub fn from_events<E: SeenEvent>(events: &[E]) -> Option<Self> {
        let since = events
            .iter()
            .map(|event| event.since_ms() / 1000.0)
            .reduce(f64::min)?;
        let mut seen = Self {
            by_group: BTreeMap::new(),
            since,
        };
        for event in events.iter().filter(|event| !event.user().is_empty()) {
            for group in event.groups() {
                seen.by_group
                    .entry(group.clone())
                    .or_default()
                    .insert(event.user().to_owned());
            }
        }
        Some(seen)
    }

    /// How many users were seen with a group.
    pub fn number(&self, group: &str) -> usize {
        self.by_group.get(group).map_or(0, BTreeSet::len)
    }

    /// Who was seen with a group, as a sentence; `now` is in seconds since 1970.
    pub fn who(&self, group: &str, now: f64) -> RichText {
        let users = self.by_group.get(group).into_iter().flatten();
        let users: Vec<&str> = users.map(String::as_str).collect();
        fix::seen_with(group, &users, self.since, now)
    }

    /// How many users were seen with one of these groups, as a sentence; `now` is in seconds since
    /// 1970.
    pub fn sentence(&self, groups: &AffectedGroups, now: f64) -> String {
        let users: BTreeSet<&String> = groups
            .0
            .iter()
            .filter_map(|group| self.by_group.get(group))
            .flatten()
            .collect();
        fix::seen_with_groups(users.len(), groups.0.len(), self.since, now)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::audit::EventRow;

    fn sign_in(user: &str, groups: &[&str], time: f64) -> EventRow {
        let groups: Vec<_> = groups
            .iter()
            .map(|name| json!({ "type": "idp_group", "name": name }))
            .collect();
        let event = json!({ "class_uid": 3002, "time": time, "status_id": 1, "user": { "name": user, "groups": groups } });
        EventRow::read(&event).unwrap()
    }

    #[test]
    fn each_user_counts_once() {
        let now = 1_795_243_000.0;
        let at = (now - 20.0 * 86_400.0) * 1000.0;
        let rows = [
            sign_in("maya", &["eng", "data"], at),
            sign_in("maya", &["eng"], at + 5.0),
            sign_in("jonas", &["ops"], at + 9.0),
            sign_in("", &["eng"], at + 9.0),
        ];
        let seen = SeenUsers::from_events(&rows).unwrap();
        let sentence = |groups: &[&str]| {
            seen.sentence(
                &AffectedGroups(groups.iter().map(|group| (*group).to_owned()).collect()),
                now,
            )
        };
        assert_eq!(
            sentence(&["eng"]),
            "1 user was seen with this group since 06:36 UTC on 1 Nov."
        );
        assert_eq!(
            sentence(&["eng", "ops"]),
            "2 users were seen with one of these groups since 06:36 UTC on 1 Nov."
        );
        assert_eq!(
            sentence(&["x"]),
            "No user was seen with this group since 06:36 UTC on 1 Nov."
        );
        assert_eq!(
            ["eng", "ops", "x"].map(|group| seen.number(group)),
            [1, 1, 0]
        );
        let who = |group: &str| seen.who(group, now).plain();
        assert_eq!(
            who("eng"),
            "User:maya was seen with Group:eng since 06:36 UTC on 1 Nov."
        );
        assert_eq!(
            who("x"),
            "No user was seen with Group:x since 06:36 UTC on 1 Nov."
        );
        assert_eq!(SeenUsers::from_events::<EventRow>(&[]), None);
    }
}
