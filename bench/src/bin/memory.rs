//! `gbac-bench-memory FOLDER SIZE..`: measures the memory of a loaded policy. A separate program,
//! so that counting allocations does not slow down other measurements.

use std::alloc::System;
use std::hint::black_box;
use std::process::ExitCode;

use cap::Cap;
use gbac_bench::Result;
use gbac_bench::document::Document;
use gbac_bench::engine::Engine;
use gbac_bench::files::{Folder, Part};
use gbac_bench::measure::Row;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

fn main() -> ExitCode {
    gbac_bench::ended(run())
}

fn run() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let folder = Folder::new(args.next().ok_or("name a folder")?);
    let mut results = Vec::new();
    for size in args {
        let size = size.parse()?;
        let text = folder.policy(size)?;
        let names = serde_json::from_str::<Document>(&text)?.bytes_of_names();
        let before = ALLOCATOR.allocated();
        let engine = Engine::load(&text)?;
        let held = ALLOCATOR.allocated() - before;
        black_box(&engine);
        results.push(Row {
            bytes: Some(held as u64),
            ..Row::new("memory", size, 0)
        });
        results.push(Row {
            bytes: Some(names as u64),
            ..Row::new("memory_of_names", size, 0)
        });
    }
    folder.write_part(
        "memory",
        &Part {
            results,
            versions: Vec::new(),
        },
    )
}
