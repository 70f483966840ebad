//! Events that repeat are recorded together: the first at once, and the others of the same minute as one event with their number
//! (D-51). Events of requests without valid credentials also have a rate limit.

use std::collections::BTreeMap;

use gbac_analysis::audit::Event;
use sha2::{Digest, Sha256};

use crate::rate_limit::{RateLimit, TokenBucket};

/// The seconds for which repetitions of an event are counted.
const WINDOW: f64 = 60.0;
/// The number of events whose repetitions are counted; others are written one by one.
const MAX_WINDOWS: usize = 4096;
/// How many different events of requests without valid credentials are written: 20 at once, then one in half a second.
const REFUSAL_LIMIT: RateLimit = RateLimit { burst: 20.0, interval: 0.5 };

/// What two events must have in common to be recorded together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RepeatKey([u8; 32]);

impl RepeatKey {
    pub(super) fn new<'p>(parts: impl IntoIterator<Item = &'p str>) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update(part.len().to_le_bytes());
            hash.update(part.as_bytes());
        }
        Self(hash.finalize().into())
    }

    /// That of the refusals beyond the rate limit.
    fn beyond_limit() -> Self {
        Self::new(["beyond the rate limit"])
    }
}

/// An event that was written, and how often it was repeated since.
struct Window {
    event: Event,
    started_at: f64,
    count: u64,
    first_ms: i64,
    last_ms: i64,
}

impl Window {
    fn add(&mut self, time_ms: i64) {
        self.first_ms = if self.count == 0 { time_ms } else { self.first_ms.min(time_ms) };
        self.last_ms = if self.count == 0 { time_ms } else { self.last_ms.max(time_ms) };
        self.count += 1;
    }

    /// The event of the repetitions, if there are any.
    fn into_event(self) -> Option<Event> {
        (self.count > 0).then(|| self.event.repeated(self.count, self.first_ms, self.last_ms))
    }
}

/// What happens to an event.
pub(super) enum Admission {
    /// It and what was counted before it must be written.
    Write(Vec<Event>),
    /// It was counted, because the same was written before.
    Repeated,
    /// It was counted without its details, because too many requests are refused.
    BeyondLimit,
}

/// The events whose repetitions are counted.
pub(super) struct Repeats {
    windows: BTreeMap<RepeatKey, Window>,
    refusals: TokenBucket,
}

impl Default for Repeats {
    fn default() -> Self {
        Self { windows: BTreeMap::new(), refusals: TokenBucket::full(REFUSAL_LIMIT) }
    }
}

impl Repeats {
    /// Counts an event of a request with valid credentials, or says that it must be written.
    pub(super) fn admit(&mut self, key: RepeatKey, now: f64, make: impl FnOnce() -> Event) -> Admission {
        let mut events = Vec::new();
        if let Some(window) = self.windows.get_mut(&key) {
            if now - window.started_at < WINDOW {
                window.add(milliseconds(now));
                return Admission::Repeated;
            }
            events.extend(self.windows.remove(&key).and_then(Window::into_event));
        }
        let event = make();
        if self.windows.len() < MAX_WINDOWS {
            let window = Window { event: event.clone(), started_at: now, count: 0, first_ms: 0, last_ms: 0 };
            self.windows.insert(key, window);
        }
        events.push(event);
        Admission::Write(events)
    }

    /// The same for a request without valid credentials; `anonymous` makes the event of those beyond the rate limit.
    pub(super) fn admit_refusal(
        &mut self,
        key: RepeatKey,
        now: f64,
        make: impl FnOnce() -> Event,
        anonymous: impl FnOnce() -> Event,
    ) -> Admission {
        let is_known = self.windows.get(&key).is_some_and(|window| now - window.started_at < WINDOW);
        if is_known || self.refusals.try_acquire(REFUSAL_LIMIT, now).is_ok() {
            return self.admit(key, now, make);
        }
        let key = RepeatKey::beyond_limit();
        let window = self.windows.entry(key).or_insert_with(|| Window {
            event: anonymous(),
            started_at: now,
            count: 0,
            first_ms: 0,
            last_ms: 0,
        });
        window.add(milliseconds(now));
        Admission::BeyondLimit
    }

    /// Forgets an event that could not be written, so that its repetition is written.
    pub(super) fn forget(&mut self, key: RepeatKey) {
        self.windows.remove(&key);
    }

    /// The events of the repetitions whose minute is over.
    pub(super) fn take_due(&mut self, now: f64) -> Vec<Event> {
        let is_due = |window: &Window| now - window.started_at >= WINDOW;
        let due: Vec<RepeatKey> =
            self.windows.iter().filter(|(_, window)| is_due(window)).map(|(key, _)| *key).collect();
        due.into_iter().filter_map(|key| self.windows.remove(&key)?.into_event()).collect()
    }

    /// All events of repetitions.
    pub(super) fn take_all(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.windows).into_values().filter_map(Window::into_event).collect()
    }

    /// The events of the repetitions so far, which will still be written.
    pub(super) fn pending(&self) -> Vec<Event> {
        let windows = self.windows.values().filter(|window| window.count > 0);
        windows.map(|window| window.event.clone().repeated(window.count, window.first_ms, window.last_ms)).collect()
    }
}

/// Seconds as whole milliseconds.
pub(super) fn milliseconds(seconds: f64) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "saturates, as intended")]
    let milliseconds = (seconds * 1000.0) as i64;
    milliseconds
}

#[cfg(test)]
mod tests {
    use gbac_analysis::audit::{
        AuthProtocol, Authentication, Context, Endpoint, Product, SignInResult, User, authentication, service,
    };
    use serde_json::{Value, json};

    use super::*;

    fn event(name: &str, time_ms: i64) -> Event {
        authentication(&Authentication {
            context: Context {
                time_ms,
                product: &Product::default(),
                service: service::ADMIN,
                server: Endpoint::default(),
                client: Endpoint::default(),
                correlation_uid: Some("c"),
                invoked_by: None,
            },
            user: User { name, ..User::default() },
            protocol: AuthProtocol::Oauth2,
            cleartext: false,
            result: SignInResult::Success { groups: &[] },
        })
    }

    fn written(admission: Admission) -> Vec<Value> {
        match admission {
            Admission::Write(events) => events.iter().map(gbac_json::event_to_value).collect(),
            Admission::Repeated | Admission::BeyondLimit => Vec::new(),
        }
    }

    #[test]
    fn repetitions_within_a_minute_are_one_event() {
        let (mut repeats, key) = (Repeats::default(), RepeatKey::new(["a", "b"]));
        let mut admit = |now: f64| written(repeats.admit(key, now, || event("a", milliseconds(now))));
        assert_eq!(admit(100.0).len(), 1, "the first is written at once");
        assert_eq!((admit(110.0).len(), admit(159.0).len(), admit(99.0).len()), (0, 0, 0));
        let later = admit(160.0);
        assert_eq!(later.len(), 2);
        let [counted, new] = [&later[0], &later[1]];
        assert_eq!(
            (&counted["count"], &counted["start_time"], &counted["end_time"]),
            (&json!(3), &json!(99_000), &json!(159_000))
        );
        assert_eq!(counted["metadata"].get("correlation_uid"), None, "it belongs to no single request");
        assert_eq!(
            (new.get("count"), &new["time"], &new["metadata"]["correlation_uid"]),
            (None, &json!(160_000), &json!("c"))
        );
        assert_eq!(repeats.take_due(219.0).len(), 0);
        assert_eq!(repeats.take_due(220.0).len(), 0, "nothing was repeated");
        assert!(RepeatKey::new(["a", "b"]) != RepeatKey::new(["ab"]));
    }

    #[test]
    fn what_could_not_be_written_is_not_counted() {
        let (mut repeats, key) = (Repeats::default(), RepeatKey::new(["a"]));
        assert_eq!(written(repeats.admit(key, 1.0, || event("a", 1))).len(), 1);
        repeats.forget(key);
        assert_eq!(written(repeats.admit(key, 2.0, || event("a", 2))).len(), 1);
        assert_eq!(repeats.pending().len(), 0);
    }

    #[test]
    fn refusals_beyond_the_limit_are_only_counted() {
        let mut repeats = Repeats::default();
        let mut refuse = |from: usize, now: f64| {
            let key = RepeatKey::new([from.to_string().as_str()]);
            repeats.admit_refusal(key, now, || event("", 1), || event("", 1))
        };
        let written = (0..1000).filter(|from| matches!(refuse(*from, 100.0), Admission::Write(_))).count();
        assert_eq!(written, 20);
        assert!(matches!(refuse(3, 100.0), Admission::Repeated), "what was written before is counted by itself");
        assert!(matches!(refuse(5000, 100.6), Admission::Write(_)), "one more after half a second");
        let counts: Vec<Value> =
            repeats.take_all().iter().map(|event| gbac_json::event_to_value(event)["count"].clone()).collect();
        assert!(counts.contains(&json!(980)), "{counts:?}");
    }

    #[test]
    fn the_number_of_counted_events_is_bounded() {
        let mut repeats = Repeats::default();
        for n in 0..2 * MAX_WINDOWS {
            assert_eq!(
                written(repeats.admit(RepeatKey::new([n.to_string().as_str()]), 1.0, || event("a", 1))).len(),
                1
            );
        }
        assert_eq!(repeats.windows.len(), MAX_WINDOWS);
    }
}
