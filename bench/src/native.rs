//! Measurements of the engine in Rust: checks, decisions, opening, changing, loading.

use crate::Result;
use crate::analysis;
use crate::checks::{compare, new_acl, translate};
use crate::document::{Acl, Document};
use crate::engine::{Engine, Entry, Hot, Opened, Question};
use crate::files::{Folder, Part, RecordedQueries};
use crate::measure::{Clock, Row, of_turns, singly};
use crate::shapes;
use crate::workload::GROUPS;

/// The number of rounds over all checks, so that other load of the machine affects all of them.
const TURNS: usize = 40;
/// The number of ACLs that are added and removed.
const CHANGES: usize = 500;

/// Measures the policies of these sizes.
///
/// # Errors
/// A file is missing, or a result differs from that of the plain loop.
pub fn run(folder: &Folder, sizes: &[usize], quick: bool) -> Result<()> {
    let mut clock = Clock::new(folder.criterion(), quick);
    let mut rows = Vec::new();
    let mut engines = Vec::new();
    for size in sizes {
        let text = folder.policy(*size)?;
        // Loading is measured directly before parsing, with which it is compared.
        rows.push(clock.runs(Row::new("native_load", *size, 0), || Engine::load(&text)));
        rows.push(clock.runs(Row::new("serde_json_parse", *size, 0), || {
            serde_json::from_str::<Document>(&text)
        }));
        engines.push((*size, Engine::load(&text)?));
    }
    let mut subjects = Vec::new();
    for groups in GROUPS {
        for (size, engine) in &engines {
            subjects.push(Subject::new(
                engine,
                *size,
                folder.recorded(*size, groups)?,
            )?);
        }
    }
    let mut turns = Vec::new();
    for turn in 0..TURNS {
        let mut rows = Vec::new();
        for subject in &mut subjects {
            rows.extend(subject.measure(&mut clock, turn)?);
        }
        turns.push(rows);
    }
    drop(subjects);
    rows.extend(of_turns(&turns));
    for (size, engine) in &mut engines {
        rows.extend(changes(engine, *size)?);
    }
    drop(engines);
    if sizes.contains(&analysis::SIZE) {
        rows.extend(analysis::run(folder, &clock)?);
    }
    rows.extend(shapes::run(
        sizes.iter().copied().max().unwrap_or_default(),
        quick,
    )?);
    folder.write_part(
        "native",
        &Part {
            results: rows,
            versions: Vec::new(),
        },
    )
}

/// A policy with its identities.
struct Subject<'e> {
    engine: &'e Engine,
    size: usize,
    recorded: RecordedQueries,
    opened: Vec<Opened>,
    questions: Vec<Question>,
    resources: Vec<Hot>,
}

impl<'e> Subject<'e> {
    /// Opens the identities, and compares every result.
    fn new(engine: &'e Engine, size: usize, recorded: RecordedQueries) -> Result<Self> {
        let (mut opened, questions) = translate(engine, &recorded)?;
        compare(engine, &recorded, &mut opened, &questions)?;
        let resources = questions
            .iter()
            .map(|question| engine.resource(question))
            .collect();
        Ok(Self {
            engine,
            size,
            recorded,
            opened,
            questions,
            resources,
        })
    }

    /// Measures checks, decisions and the opening of identities.
    fn measure(&mut self, clock: &mut Clock, turn: usize) -> Result<Vec<Row>> {
        let Self {
            engine,
            size,
            recorded:
                RecordedQueries {
                    groups,
                    identities,
                    queries,
                },
            opened,
            questions,
            resources,
        } = self;
        let row = |name| Row {
            checked: Some(queries.len()),
            ..Row::new(name, *size, *groups)
        };
        let check = clock.calls(turn, row("native_check"), queries.len(), |place| {
            opened[queries[place].identity].allows(engine, &questions[place])
        })?;
        let handle = clock.calls(turn, row("native_resource"), queries.len(), |place| {
            opened[queries[place].identity].allows_on(engine, &questions[place], &resources[place])
        })?;
        let decide = clock.calls(turn, row("native_decide"), queries.len(), |place| {
            opened[queries[place].identity].decide(engine, &questions[place])
        })?;
        let row = Row::new("native_open", *size, *groups);
        let open = clock.calls(turn, row, identities.len(), |place| {
            engine.open(&identities[place])
        })?;
        Ok(vec![check, handle, decide, open])
    }
}

/// Measures adding and removing single ACLs, and one broad prefix that covers nearly everything.
fn changes(engine: &mut Engine, size: usize) -> Result<Vec<Row>> {
    let entries = (0..CHANGES)
        .map(|n| Entry::new(&new_acl(n)))
        .collect::<Result<Vec<_>>>()?;
    let mut wrong = 0;
    // One pass adds all of them, and the next one removes them.
    let row = singly(Row::new("native_apply", size, 0), 2 * CHANGES, 3, |place| {
        let done = match place.checked_sub(CHANGES) {
            None => engine.add(entries[place].clone()),
            Some(place) => engine.remove(entries[place].clone()),
        };
        wrong += usize::from(!done.is_ok_and(|changed| changed));
    });
    let broad = Entry::new(&Acl {
        resource_name: "o".to_owned(),
        ..new_acl(0)
    })?;
    let worst = singly(Row::new("native_apply_worst", size, 0), 2, 11, |place| {
        let done = if place == 0 {
            engine.add(broad.clone())
        } else {
            engine.remove(broad.clone())
        };
        wrong += usize::from(!done.is_ok_and(|changed| changed));
    });
    if wrong > 0 {
        Err(format!("{wrong} changes did not change anything").into())
    } else {
        Ok(vec![row, worst])
    }
}
