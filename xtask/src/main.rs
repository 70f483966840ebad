//! `cargo xtask`: builds, runs, tests and measures the project.
//!
//! This program installs tools. It compiles before everything else, so it uses only the standard
//! library and crates that compile in a tenth of a second.

mod apt;
mod args;
mod bench;
mod bench_cli;
mod bench_kafka;
mod bind;
mod browser;
mod build_abi;
mod build_js;
mod build_kafka;
mod clients;
mod commands;
mod console;
mod deny;
mod dev;
mod dev_server;
mod dist;
mod download_size;
mod fingerprint;
mod fuzz;
mod glewlwyd;
mod guard;
mod kafka;
mod mutants;
mod node_tests;
mod openapi;
mod page;
mod pages;
mod problem;
mod process;
mod progress;
mod remap;
mod sbom;
mod shells;
mod site;
mod sizes;
mod split;
mod test;
mod tools;
mod trunk;
mod up;
mod version;
mod workspace;

use std::process::ExitCode;

fn main() -> ExitCode {
    match args::parse(std::env::args().skip(1)).and_then(commands::run) {
        Ok(code) => code,
        Err(problem) => {
            eprintln!("\n{problem}");
            ExitCode::FAILURE
        }
    }
}
