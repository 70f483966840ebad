//! Analysis of whole policies: who can, permissions, diff, lint.

use crate::Result;
use crate::checks::new_acl;
use crate::engine::{Engine, Entry, differences, findings};
use crate::files::Folder;
use crate::measure::{Clock, Row};
use crate::workload::GROUPS;

/// The number of ACLs of the analyzed policy.
pub const SIZE: usize = 100_000;
/// The number of ACLs in which the two policies of a diff differ.
const CHANGED: usize = 100;
/// The number of analyzed resources and identities.
const SAMPLES: usize = 50;

/// Measures the analysis of one policy.
///
/// # Errors
/// A file is missing.
pub fn run(folder: &Folder, clock: &Clock) -> Result<Vec<Row>> {
    let engine = Engine::load(&folder.policy(SIZE)?)?;
    let mut rows = Vec::new();
    for groups in GROUPS {
        let recorded = folder.recorded(SIZE, groups)?;
        let identities = recorded.identities.iter().take(SAMPLES);
        let permissions: Vec<Row> = identities
            .map(|who| {
                clock.runs(Row::new("permissions", SIZE, groups), || {
                    engine.permissions(who)
                })
            })
            .collect();
        rows.extend(median(permissions));
        if groups == 10 {
            let questions = recorded
                .queries
                .iter()
                .take(SAMPLES)
                .map(crate::engine::Question::new);
            let questions = questions.collect::<Result<Vec<_>>>()?;
            let who_can = questions.iter().map(|question| {
                clock.runs(Row::new("who_can", SIZE, 0), || engine.who_can(question))
            });
            rows.extend(median(who_can.collect()));
        }
    }
    let mut after = engine.clone();
    for number in 0..CHANGED {
        after.add(Entry::new(&new_acl(number))?)?;
    }
    rows.push(clock.runs(Row::new("diff", SIZE, 0), || differences(&engine, &after)));
    rows.push(clock.runs(Row::new("lint", SIZE, 0), || findings(&engine)));
    Ok(rows)
}

/// The median row.
fn median(mut rows: Vec<Row>) -> Option<Row> {
    rows.sort_by(|a, b| {
        a.ns_median
            .unwrap_or_default()
            .total_cmp(&b.ns_median.unwrap_or_default())
    });
    let middle = rows.len() / 2;
    rows.into_iter().nth(middle)
}
