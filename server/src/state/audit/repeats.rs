//! Events that repeat are recorded together: the first at once, and the others of the same minute
//! as one event with their number (D-51). Beyond the budget of a network or user, events are only
//! counted (D-124).

use std::collections::BTreeMap;

use gbac_analysis::audit::Event;

use super::budgets::{BeyondBudget, Budgets, Payer};
use super::repeat_key::RepeatKey;
use super::streams::{Entry, Stream};

/// The seconds for which repetitions of an event are counted.
const WINDOW: f64 = 60.0;
/// The number of events of requests without valid credentials whose repetitions are counted, and of
/// others; further ones are written one by one.
const MAX_WINDOWS: usize = 4096;
/// The number of paths that an event of repeated reads names, and their length in bytes altogether.
const MAX_PATHS: usize = 100;
const MAX_PATH_BYTES: usize = 8 << 10;

/// An event that may repeat another one.
pub(super) struct Repeatable<'a> {
    /// What its repetitions have in common with it.
    pub(super) key: RepeatKey,
    /// Whose budget it takes.
    pub(super) payer: Payer<'a>,
    /// What its repetitions have in common if the budget is used up.
    pub(super) beyond: RepeatKey,
    /// The path and query of a read, which an event of repetitions names.
    pub(super) path: Option<&'a str>,
    /// The file that it belongs to.
    pub(super) stream: Stream,
}

/// What an event tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Telling {
    /// One request.
    One,
    /// The requests that repeat it.
    Repetitions,
    /// Different requests beyond a budget.
    Beyond(BeyondBudget),
}

/// An event that was written, and how often it was repeated since.
struct Window {
    event: Event,
    stream: Stream,
    started_at: f64,
    count: u64,
    first_ms: i64,
    last_ms: i64,
    paths: Vec<String>,
    path_bytes: usize,
    /// The number of repetitions whose paths are not among these.
    omitted_paths: u64,
}

impl Window {
    const fn new(event: Event, stream: Stream, started_at: f64) -> Self {
        let (first_ms, last_ms) = (0, 0);
        Self {
            event,
            stream,
            started_at,
            count: 0,
            first_ms,
            last_ms,
            paths: Vec::new(),
            path_bytes: 0,
            omitted_paths: 0,
        }
    }

    /// Whether its minute is not over. If the clock was set back behind its start, it is, because
    /// it might come again much later.
    fn is_open(&self, now: f64) -> bool {
        (0.0..WINDOW).contains(&(now - self.started_at))
    }

    fn add(&mut self, time_ms: i64, path: Option<&str>) {
        self.first_ms = if self.count == 0 {
            time_ms
        } else {
            self.first_ms.min(time_ms)
        };
        self.last_ms = if self.count == 0 {
            time_ms
        } else {
            self.last_ms.max(time_ms)
        };
        self.count += 1;
        if let Some(path) = path
            && !self.paths.iter().any(|known| known == path)
        {
            if self.paths.len() < MAX_PATHS && self.path_bytes + path.len() <= MAX_PATH_BYTES {
                self.path_bytes += path.len();
                self.paths.push(path.to_owned());
            } else {
                self.omitted_paths += 1;
            }
        }
    }

    /// The event of the repetitions with the file that it belongs to, if there are any.
    fn entry(&self) -> Option<Entry> {
        Some(Entry {
            stream: self.stream,
            text: self.event()?.to_text(),
        })
    }

    /// The event of the repetitions, if there are any.
    fn event(&self) -> Option<Event> {
        if self.count == 0 {
            return None;
        }
        let event = self
            .event
            .clone()
            .repeated(self.count, self.first_ms, self.last_ms);
        let names_paths = !self.paths.is_empty() || self.omitted_paths > 0;
        Some(if names_paths {
            event.naming_requests(&self.paths, self.omitted_paths)
        } else {
            event
        })
    }
}

/// What happens to an event.
pub(super) enum Admission {
    /// It and what was counted before it must be written.
    Write(Vec<Event>),
    /// It was counted, because the same was written before.
    Repeated,
    /// It was counted without its details, because a budget is used up.
    BeyondBudget,
}

/// The events whose repetitions are counted.
#[derive(Default)]
pub(super) struct Repeats {
    /// Those of requests without valid credentials, which take no room of others.
    of_networks: BTreeMap<RepeatKey, Window>,
    others: BTreeMap<RepeatKey, Window>,
    budgets: Budgets,
}

impl Repeats {
    /// Counts an event, or says that it must be written.
    pub(super) fn admit(
        &mut self,
        event: &Repeatable<'_>,
        now: f64,
        make: impl Fn(Telling) -> Event,
    ) -> Admission {
        let Repeatable {
            key,
            payer,
            beyond,
            path,
            stream,
        } = event;
        let windows = match payer {
            Payer::Network(_) => &mut self.of_networks,
            Payer::Unlimited | Payer::User(_) => &mut self.others,
        };
        if let Some(window) = windows.get_mut(key)
            && window.is_open(now)
        {
            window.add(milliseconds(now), *path);
            return Admission::Repeated;
        }
        if let Err(budget) = self.budgets.take(*payer, now) {
            let beyond = if budget.is_own {
                *beyond
            } else {
                RepeatKey::new([])
            };
            // The number of these is bounded by that of the budgets.
            let window = windows
                .entry(beyond)
                .or_insert_with(|| Window::new(make(Telling::Beyond(budget)), *stream, now));
            window.add(milliseconds(now), None);
            return Admission::BeyondBudget;
        }
        let mut events = Vec::new();
        if let Some(window) = windows.remove(key) {
            events.extend(window.event());
        }
        if windows.len() < MAX_WINDOWS {
            windows.insert(*key, Window::new(make(Telling::Repetitions), *stream, now));
        }
        events.push(make(Telling::One));
        Admission::Write(events)
    }

    /// Forgets an event that could not be written, so that its repetition is written.
    pub(super) fn forget(&mut self, key: RepeatKey) {
        self.of_networks.remove(&key);
        self.others.remove(&key);
    }

    /// The events of the repetitions whose minute is over.
    pub(super) fn take_due(&mut self, now: f64) -> Vec<Entry> {
        let mut due = Vec::new();
        for windows in [&mut self.of_networks, &mut self.others] {
            due.extend(
                windows
                    .extract_if(.., |_, window| !window.is_open(now))
                    .filter_map(|(_, window)| window.entry()),
            );
        }
        due
    }

    /// All events of repetitions.
    pub(super) fn take_all(&mut self) -> Vec<Entry> {
        let windows = [&mut self.of_networks, &mut self.others].map(std::mem::take);
        windows
            .iter()
            .flatten()
            .filter_map(|(_, window)| window.entry())
            .collect()
    }

    /// The events of the repetitions so far, which will still be written.
    pub(super) fn pending(&self) -> Vec<Event> {
        self.of_networks
            .values()
            .chain(self.others.values())
            .filter_map(Window::event)
            .collect()
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
        AuthProtocol, Authentication, Context, Endpoint, Product, SignInResult, User,
        authentication, service,
    };
    use serde_json::{Value, json};

    use super::*;
    use crate::client_address::ClientNetwork;

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
            user: User {
                name,
                ..User::default()
            },
            protocol: AuthProtocol::Oauth2,
            cleartext: false,
            result: SignInResult::Success { groups: &[] },
        })
    }

    fn written(admission: Admission) -> Vec<Value> {
        match admission {
            Admission::Write(events) => events.iter().map(gbac_json::event_to_value).collect(),
            Admission::Repeated | Admission::BeyondBudget => Vec::new(),
        }
    }

    fn superuser(name: &str) -> Repeatable<'static> {
        Repeatable {
            key: RepeatKey::new([name]),
            payer: Payer::Unlimited,
            beyond: RepeatKey::new(["beyond"]),
            path: None,
            stream: Stream::Decisions,
        }
    }

    fn stranger(name: &str, network: &str) -> Repeatable<'static> {
        Repeatable {
            key: RepeatKey::new([name, network]),
            payer: Payer::Network(Some(ClientNetwork::from_address(network.parse().unwrap()))),
            beyond: RepeatKey::new(["beyond", network]),
            path: None,
            stream: Stream::Decisions,
        }
    }

    /// Its user is what it tells.
    fn telling(telling: Telling) -> Event {
        let name = match telling {
            Telling::One => "one",
            Telling::Repetitions => "repetitions",
            Telling::Beyond(BeyondBudget { is_own: true }) => "beyond",
            Telling::Beyond(BeyondBudget { is_own: false }) => "beyond a shared budget",
        };
        event(name, 1)
    }

    fn value(entry: &Entry) -> Value {
        serde_json::from_str(entry.text.as_str()).unwrap()
    }

    fn counts(events: &[Entry]) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for event in events.iter().map(value) {
            *counts
                .entry(event["user"]["name"].as_str().unwrap().to_owned())
                .or_default() += event["count"].as_u64().unwrap_or(1);
        }
        counts
    }

    #[test]
    fn repetitions_within_a_minute_are_one_event() {
        let mut repeats = Repeats::default();
        let mut admit = |now: f64| {
            written(repeats.admit(&superuser("a"), now, |_| event("a", milliseconds(now))))
        };
        assert_eq!(admit(100.0).len(), 1, "the first is written at once");
        assert_eq!(
            (admit(110.0).len(), admit(159.0).len(), admit(101.0).len()),
            (0, 0, 0)
        );
        let later = admit(160.0);
        assert_eq!(later.len(), 2);
        let [counted, new] = [&later[0], &later[1]];
        assert_eq!(
            (
                &counted["count"],
                &counted["start_time"],
                &counted["end_time"]
            ),
            (&json!(3), &json!(101_000), &json!(159_000))
        );
        assert_eq!(
            counted["metadata"].get("correlation_uid"),
            None,
            "it belongs to no single request"
        );
        assert_eq!(
            (
                new.get("count"),
                &new["time"],
                &new["metadata"]["correlation_uid"]
            ),
            (None, &json!(160_000), &json!("c"))
        );
        assert_eq!(repeats.take_due(219.0).len(), 0);
        assert_eq!(repeats.take_due(220.0).len(), 0, "nothing was repeated");
        assert!(RepeatKey::new(["a", "b"]) != RepeatKey::new(["ab"]));
    }

    #[test]
    fn nothing_waits_for_a_minute_that_comes_again() {
        let mut repeats = Repeats::default();
        for now in [5000.0, 5001.0, 5002.0] {
            repeats.admit(&superuser("a"), now, telling);
        }
        assert_eq!(repeats.take_due(4000.0).len(), 1, "the clock was set back");
        assert_eq!(
            written(repeats.admit(&superuser("a"), 4000.0, telling)).len(),
            1
        );
        repeats.admit(&superuser("a"), 4001.0, telling);
        assert_eq!(
            written(repeats.admit(&superuser("a"), 3000.0, telling)).len(),
            2,
            "and again"
        );
    }

    #[test]
    fn repeated_reads_name_their_paths() {
        let mut repeats = Repeats::default();
        let paths: Vec<String> = (0..MAX_PATHS + 20)
            .map(|n| format!("/v1/roles/r{n}"))
            .collect();
        for path in paths.iter().chain(&paths[..5]) {
            repeats.admit(
                &Repeatable {
                    path: Some(path),
                    ..superuser("a")
                },
                1.0,
                telling,
            );
        }
        let all = repeats.take_all();
        assert_eq!(all.len(), 1);
        let counted = value(&all[0]);
        assert_eq!(counted["count"], 124);
        let named: Vec<&str> = counted["resources"]
            .as_array()
            .unwrap()
            .iter()
            .map(|path| path["name"].as_str().unwrap())
            .collect();
        assert_eq!(
            (named.len(), named[0], named[99]),
            (MAX_PATHS, "/v1/roles/r1", "/v1/roles/r100")
        );
        let long = "x".repeat(MAX_PATH_BYTES);
        for path in ["/first", "/second", &long] {
            repeats.admit(
                &Repeatable {
                    path: Some(path),
                    ..superuser("b")
                },
                1.0,
                telling,
            );
        }
        let counted = value(&repeats.take_all()[0]);
        assert_eq!(
            counted["resources"],
            json!([{ "name": "/second", "type": "request" }])
        );
    }

    #[test]
    fn what_could_not_be_written_is_not_counted() {
        let mut repeats = Repeats::default();
        assert_eq!(
            written(repeats.admit(&superuser("a"), 1.0, telling)).len(),
            1
        );
        repeats.forget(RepeatKey::new(["a"]));
        assert_eq!(
            written(repeats.admit(&superuser("a"), 2.0, telling)).len(),
            1
        );
        assert_eq!(repeats.pending().len(), 0);
    }

    #[test]
    fn events_beyond_a_budget_are_only_counted_and_hide_no_others() {
        let mut repeats = Repeats::default();
        let mut refuse = |n: usize, network: &str, now: f64| {
            repeats.admit(&stranger(&n.to_string(), network), now, telling)
        };
        let written = (0..1000)
            .filter(|n| matches!(refuse(*n, "10.0.0.1", 100.0), Admission::Write(_)))
            .count();
        assert_eq!(written, 20);
        assert!(
            matches!(refuse(3, "10.0.0.1", 100.0), Admission::Repeated),
            "what was written is counted by itself"
        );
        assert!(
            matches!(refuse(1, "10.0.0.2", 100.0), Admission::Write(_)),
            "another network"
        );
        assert!(
            matches!(refuse(5000, "10.0.0.1", 100.6), Admission::Write(_)),
            "one more after half a second"
        );
        assert!(matches!(
            repeats.admit(&superuser("a"), 100.0, telling),
            Admission::Write(_)
        ));
        let counts = counts(&repeats.take_all());
        assert_eq!(
            counts,
            BTreeMap::from([("beyond".to_owned(), 980), ("repetitions".to_owned(), 1)])
        );
    }

    #[test]
    fn the_number_of_counted_events_is_bounded_and_strangers_take_no_room_of_others() {
        let mut repeats = Repeats::default();
        for n in 0..2 * u32::try_from(MAX_WINDOWS).unwrap() {
            let network = std::net::Ipv4Addr::from_bits(n).to_string();
            repeats.admit(&stranger("x", &network), 1.0, telling);
        }
        // Those that share a budget, and the event that counts them.
        assert!(
            repeats.of_networks.len() <= MAX_WINDOWS + 1,
            "{}",
            repeats.of_networks.len()
        );
        for n in 0..2 * MAX_WINDOWS {
            assert_eq!(
                written(repeats.admit(&superuser(&n.to_string()), 1.0, telling)).len(),
                1
            );
        }
        assert_eq!(repeats.others.len(), MAX_WINDOWS);
    }
}
