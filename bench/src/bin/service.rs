//! `gbac-bench-service FOLDER GBAC SIZE.. [--quick]`: measures the built service over HTTP; with
//! `--cost` instead of sizes only the cost of an evaluation, and with `--attacks` only the effect
//! of attacks on other clients. A separate program, because the client and the service are
//! different processes.

use std::path::Path;
use std::process::ExitCode;

use gbac_bench::files::Folder;
use gbac_bench::{Result, service};

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
    let [folder, gbac, sizes @ ..] = words.as_slice() else {
        return Err("gbac-bench-service FOLDER GBAC SIZE.. | --cost | --attacks [--quick]".into());
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (folder, gbac) = (Folder::new(*folder), Path::new(gbac));
    match sizes {
        ["--cost"] => return runtime.block_on(service::run_cost(&folder, gbac, quick)),
        ["--attacks"] => return runtime.block_on(service::run_attacks(&folder, gbac, quick)),
        _ => {}
    }
    let sizes = sizes
        .iter()
        .map(|size| size.parse())
        .collect::<std::result::Result<Vec<usize>, _>>()?;
    runtime.block_on(service::run(&folder, gbac, &sizes, quick))
}
