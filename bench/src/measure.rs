//! Measures times: with criterion for nanoseconds, with single runs for seconds.

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
    /// The name of the measurement.
    pub name: String,
    /// The number of ACLs of the policy.
    pub acls: usize,
    /// The number of groups of the identity; 0 if irrelevant.
    pub groups: usize,
    /// The median.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ns_median: Option<f64>,
    /// The 99th percentile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ns_p99: Option<f64>,
    /// The slowest call, each call measured as the median of its repetitions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ns_max: Option<f64>,
    /// A size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// A count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<f64>,
    /// The number of results that were compared with the plain loop first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked: Option<usize>,
}

/// The median of values; zero if there are none.
#[must_use]
pub fn median(values: &[f64]) -> f64 {
    quantile(&mut values.to_vec(), 0.5)
}

impl Row {
    /// A row without values.
    #[must_use]
    pub fn new(name: &str, acls: usize, groups: usize) -> Self {
        Self {
            name: name.to_owned(),
            acls,
            groups,
            ..Self::default()
        }
    }
}

/// The number of calls that are timed together for a percentile, because a single call is as short
/// as reading the clock.
const BATCH: usize = 20;

/// Measures times.
pub struct Clock {
    criterion: Criterion,
    folder: PathBuf,
    /// The number of repetitions of long operations.
    pub repetitions: usize,
}

/// The used part of criterion's `estimates.json`.
#[derive(Deserialize)]
struct Estimates {
    median: Estimate,
}

#[derive(Deserialize)]
struct Estimate {
    point_estimate: f64,
}

impl Clock {
    /// Creates a clock that stores criterion's files in `folder`.
    #[must_use]
    pub fn new(folder: PathBuf, quick: bool) -> Self {
        // Short, because there are many rounds, so that compared programs run under the same
        // conditions.
        let (warm_up, measure, samples) = if quick { (10, 40, 10) } else { (20, 100, 20) };
        let criterion = Criterion::default()
            .output_directory(&folder)
            .without_plots()
            .warm_up_time(Duration::from_millis(warm_up))
            .measurement_time(Duration::from_millis(measure))
            .sample_size(samples)
            // Only the median is used, so this is the minimum without a warning of criterion.
            .nresamples(1_001);
        Self {
            criterion,
            folder,
            repetitions: if quick { 3 } else { 7 },
        }
    }

    /// Measures `call` with the arguments 0, 1, .. `calls` - 1 in a loop: the median by criterion,
    /// and the 99th percentile of batches of 20 calls. Every round of a row needs another `turn`,
    /// because criterion stores repeated measurements in other folders.
    ///
    /// # Errors
    /// Criterion's files cannot be read.
    pub fn calls<T>(
        &mut self,
        turn: usize,
        row: Row,
        calls: usize,
        mut call: impl FnMut(usize) -> T,
    ) -> Result<Row> {
        let id = format!("g{}-{}", row.groups, turn);
        let mut group = self.criterion.benchmark_group(&row.name);
        group.sampling_mode(SamplingMode::Flat);
        // Continues across samples, because one sample may be shorter than a loop over all calls.
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
        let file = self
            .folder
            .join(&row.name)
            .join(&id)
            .join(row.acls.to_string())
            .join("new/estimates.json");
        let text = fs::read_to_string(&file)
            .map_err(|error| format!("cannot read `{}`: {error}", file.display()))?;
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

    /// Measures a long operation several times.
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
        Row {
            ns_median: Some(quantile(&mut times, 0.5)),
            ..row
        }
    }
}

/// Measures each of `calls` calls separately in several passes, to exclude interruptions by the
/// operating system: the median, the 99th percentile and the slowest of the calls, each as the
/// median of its passes.
pub fn singly<T>(row: Row, calls: usize, passes: usize, mut call: impl FnMut(usize) -> T) -> Row {
    let mut reading: Vec<f64> = (0..1_000)
        .map(|_| nanoseconds(Instant::now().elapsed()))
        .collect();
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

/// Combines the rows of several rounds to rows with their medians.
#[must_use]
pub fn of_turns(turns: &[Vec<Row>]) -> Vec<Row> {
    let Some(first) = turns.first() else {
        return Vec::new();
    };
    let of = |place: usize, value: fn(&Row) -> Option<f64>| {
        let values: Vec<f64> = turns
            .iter()
            .filter_map(|turn| value(turn.get(place)?))
            .collect();
        (!values.is_empty()).then(|| median(&values))
    };
    let merged = first.iter().enumerate().map(|(place, row)| Row {
        ns_median: of(place, |row| row.ns_median),
        ns_p99: of(place, |row| row.ns_p99),
        ..row.clone()
    });
    merged.collect()
}

/// A row from the passes of all calls.
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

/// The quantile `at` of the values, which it sorts; 0 without values.
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
        assert_eq!(
            [0.0, 0.5, 0.99, 1.0].map(|at| quantile(&mut values, at)),
            [1.0, 3.0, 5.0, 5.0]
        );
        assert_eq!(quantile(&mut [], 0.5), 0.0);
    }

    #[test]
    fn a_row_of_turns_has_their_medians() {
        let turn = |ns| {
            vec![
                Row {
                    ns_median: Some(ns),
                    checked: Some(1),
                    ..Row::new("a", 1, 0)
                },
                Row::new("b", 1, 0),
            ]
        };
        let rows = of_turns(&[turn(9.0), turn(1.0), turn(3.0)]);
        assert_eq!(rows, turn(3.0));
    }

    #[test]
    fn slowest_calls_are_found_despite_interruptions() {
        let mut times = vec![vec![10.0, 11.0, 12.0]; 200];
        times[7] = vec![10.0, 9_000.0, 11.0];
        times[30] = vec![200.0, 210.0, 190.0];
        let row = of_passes(Row::new("x", 1, 1), &mut times);
        assert_eq!(
            (row.ns_median, row.ns_p99, row.ns_max),
            (Some(11.0), Some(11.0), Some(200.0))
        );
    }
}
