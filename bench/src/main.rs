//! The Rust steps of `cargo xtask bench`: `generate`, `native`, `report`.

use std::fs;
use std::process::ExitCode;

use gbac_bench::files::Folder;
use gbac_bench::machine::Machine;
use gbac_bench::report::Report;
use gbac_bench::{Result, native};

/// The engine is measured with the allocator of the command line.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    gbac_bench::ended(run(&std::env::args().skip(1).collect::<Vec<_>>()))
}

fn run(args: &[String]) -> Result<()> {
    let quick = args.iter().any(|arg| arg == "--quick");
    let words: Vec<&str> = args
        .iter()
        .map(String::as_str)
        .filter(|arg| *arg != "--quick")
        .collect();
    match words.as_slice() {
        ["generate", folder, sizes @ ..] => {
            numbers(sizes)?.into_iter().try_for_each(|size| Folder::new(*folder).generate(size))
        }
        ["native", folder, sizes @ ..] => native::run(&Folder::new(*folder), &numbers(sizes)?, quick),
        [name @ ("report" | "report-part"), folder, json, markdown, rust, node] => {
            let machine = Machine::look((*rust).to_owned(), (*node).to_owned());
            let report = Report::new(machine, quick, Folder::new(*folder).parts()?);
            let report = if *name == "report-part" { report.of_a_part() } else { report };
            fs::write(json, serde_json::to_vec_pretty(&report)?)?;
            fs::write(markdown, report.markdown())?;
            let (holding, failing, missing) = report.counts();
            println!("{holding} of the limits hold, {failing} do not, {missing} were not measured");
            Ok(())
        }
        _ => Err("generate FOLDER SIZE.. | native FOLDER SIZE.. [--quick] | \
                  report | report-part FOLDER JSON MARKDOWN RUST NODE [--quick]; `cargo xtask bench` runs them all"
            .into()),
    }
}

fn numbers(words: &[&str]) -> Result<Vec<usize>> {
    words
        .iter()
        .map(|word| {
            word.parse()
                .map_err(|_| format!("`{word}` is not a number of ACLs").into())
        })
        .collect()
}
