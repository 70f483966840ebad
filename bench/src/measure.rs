//! How things are timed: criterion for what takes nanoseconds, single runs for what takes seconds.

use std::fs;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, SamplingMode};
use serde::{Deserialize, Serialize};

use crate::Result;

/// One measurement. Times are in nanoseconds for one call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What was measured.
    pub name: String,
    /// How many ACLs the policy has.
    pub acls: usize,
    /// How many groups the identity has; 0 where that plays no part.
    pub groups: usize,
    /// The median.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ns_median: Option<f64>,
    /// The 99th percentile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ns_p99: Option<f64>,
    /// The slowest of all calls, each taken as the median of its repetitions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ns_max: Option<f64>,
    /// A size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// How many there are of something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<f64>,
    /// How many answers were compared with the plain loop's first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked: Option<usize>,
}

/// The median of some figures; of none, zero.
#[must_use]
pub fn median(values: &[f64]) -> f64 {
    quantile(&mut values.to_vec(), 0.5)
}

impl Row {
    /// A row without figures.
    #[must_use]
    pub fn new(name: &str, acls: usize, groups: usize) -> Self {
        Self { name: name.to_owned(), acls, groups, ..Self::default() }
    }
}

/// How many calls are timed together for a percentile: one alone is as short as reading the clock.
const BATCH: usize = 20;

/// Times things.
pub struct Clock {
    criterion: Criterion,
    folder: PathBuf,
    /// How often what takes long is repeated.
    pub repetitions: usize,
}

/// The part of criterion's `estimates.json` that is read.
#[derive(Deserialize)]
struct Estimates {
    median: Estimate,
}

#[derive(Deserialize)]
struct Estimate {
    point_estimate: f64,
}

impl Clock {
    /// A clock that keeps criterion's files in `folder`.
    #[must_use]
    pub fn new(folder: PathBuf, quick: bool) -> Self {
        // Short, since there are many turns: what is compared meets the machine in the same state.
        let (warm_up, measure, samples) = if quick { (10, 40, 10) } else { (20, 100, 20) };
        let criterion = Criterion::default()
            .output_directory(&folder)
            .without_plots()
            .warm_up_time(Duration::from_millis(warm_up))
            .measurement_time(Duration::from_millis(measure))
            .sample_size(samples)
            // Only the median is read, so the least that criterion does not warn of.
            .nresamples(1_001);
        Self { criterion, folder, repetitions: if quick { 3 } else { 7 } }
    }

    /// Times `call`, which gets 0, 1, .. `calls` - 1 in turn: the median by criterion, and the 99th percentile of batches
    /// of 20 calls. Every `turn` of a row is another one: criterion puts what it has seen before into another folder.
    ///
    /// # Errors
    /// Criterion's files cannot be read.
    pub fn calls<T>(&mut self, turn: usize, row: Row, calls: usize, mut call: impl FnMut(usize) -> T) -> Result<Row> {
        let id = format!("g{}-{}", row.groups, turn);
        let mut group = self.criterion.benchmark_group(&row.name);
        group.sampling_mode(SamplingMode::Flat);
        // Goes on from sample to sample: one alone may be shorter than a round of all calls.
        let mut next = 0;
        group.bench_function(BenchmarkId::new(&id, row.acls), |bencher| {
            bencher.iter(|| {
                let result = call(next);
                next += 1;
                if next == calls {
                    next = 0;
                }
                result
            });
        });
        group.finish();
        let file = self.folder.join(&row.name).join(&id).join(row.acls.to_string()).join("new/estimates.json");
        let text = fs::read_to_string(&file).map_err(|error| format!("cannot read `{}`: {error}", file.display()))?;
        let estimates: Estimates = serde_json::from_str(&text)?;
        let mut batches: Vec<f64> = (0..calls / BATCH)
            .map(|batch| {
                let started = Instant::now();
                for place in batch * BATCH..(batch + 1) * BATCH {
                    black_box(call(place));
                }
                nanoseconds(started.elapsed()) / BATCH as f64
            })
            .collect();
        Ok(Row {
            ns_median: Some(estimates.median.point_estimate),
            ns_p99: (!batches.is_empty()).then(|| quantile(&mut batches, 0.99)),
            ..row
        })
    }

    /// Times something long a few times.
    pub fn runs<T>(&self, row: Row, mut run: impl FnMut() -> T) -> Row {
        let mut times: Vec<f64> = (0..self.repetitions)
            .map(|_| {
                let started = Instant::now();
                let result = black_box(run());
                let time = nanoseconds(started.elapsed());
                drop(result); // taking apart what was made is not part of making it
                time
            })
            .collect();
        Row { ns_median: Some(quantile(&mut times, 0.5)), ..row }
    }
}

/// Times each of `calls` calls by itself in several passes, so that what the operating system puts in between does not
/// count: the median, the 99th percentile and the slowest of the calls, each taken as the median of its passes.
pub fn singly<T>(row: Row, calls: usize, passes: usize, mut call: impl FnMut(usize) -> T) -> Row {
    let mut reading: Vec<f64> = (0..1_000).map(|_| nanoseconds(Instant::now().elapsed())).collect();
    let reading = quantile(&mut reading, 0.5);
    let mut times = vec![Vec::with_capacity(passes); calls];
    for _ in 0..passes {
        for (place, times) in times.iter_mut().enumerate() {
            let started = Instant::now();
            black_box(call(place));
            times.push(nanoseconds(started.elapsed()) - reading);
        }
    }
    of_passes(row, &mut times)
}

/// The rows of turns that measured the same: each with the medians of its turns.
#[must_use]
pub fn of_turns(turns: &[Vec<Row>]) -> Vec<Row> {
    let Some(first) = turns.first() else { return Vec::new() };
    let of = |place: usize, value: fn(&Row) -> Option<f64>| {
        let values: Vec<f64> = turns.iter().filter_map(|turn| value(turn.get(place)?)).collect();
        (!values.is_empty()).then(|| median(&values))
    };
    let merged = first.iter().enumerate().map(|(place, row)| Row {
        ns_median: of(place, |row| row.ns_median),
        ns_p99: of(place, |row| row.ns_p99),
        ..row.clone()
    });
    merged.collect()
}

/// A row of the passes of every call.
fn of_passes(row: Row, times: &mut [Vec<f64>]) -> Row {
    let mut medians: Vec<f64> = times.iter_mut().map(|times| quantile(times, 0.5)).collect();
    Row {
        ns_median: Some(quantile(&mut medians, 0.5)),
        ns_p99: Some(quantile(&mut medians, 0.99)),
        ns_max: Some(quantile(&mut medians, 1.0)),
        ..row
    }
}

/// A duration in nanoseconds.
#[must_use]
pub fn nanoseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e9
}

/// The value below which the share `at` of the values lies; sorts them. 0 without values.
pub fn quantile(values: &mut [f64], at: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let place = (values.len().saturating_sub(1) as f64 * at).round() as usize;
    values.get(place).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_values_that_were_measured() {
        let mut values = [5.0, 1.0, 3.0, 2.0, 4.0];
        assert_eq!([0.0, 0.5, 0.99, 1.0].map(|at| quantile(&mut values, at)), [1.0, 3.0, 5.0, 5.0]);
        assert_eq!(quantile(&mut [], 0.5), 0.0);
    }

    #[test]
    fn a_row_of_turns_has_their_medians() {
        let turn = |ns| vec![Row { ns_median: Some(ns), checked: Some(1), ..Row::new("a", 1, 0) }, Row::new("b", 1, 0)];
        let rows = of_turns(&[turn(9.0), turn(1.0), turn(3.0)]);
        assert_eq!(rows, turn(3.0));
    }

    #[test]
    fn the_slowest_call_is_found_and_one_hiccup_is_not() {
        let mut times = vec![vec![10.0, 11.0, 12.0]; 200];
        times[7] = vec![10.0, 9_000.0, 11.0];
        times[30] = vec![200.0, 210.0, 190.0];
        let row = of_passes(Row::new("x", 1, 1), &mut times);
        assert_eq!((row.ns_median, row.ns_p99, row.ns_max), (Some(11.0), Some(11.0), Some(200.0)));
    }
}
