//! The benchmark: a fixed workload, the plain loop, the native engine's measurements, and the
//! resulting tables.
//!
//! `cargo xtask bench` runs it together with `bench/js`. No published program depends on it.

pub mod analysis;
mod checks;
pub mod document;
pub mod engine;
pub mod files;
pub mod machine;
pub mod measure;
pub mod native;
pub mod reference;
pub mod report;
pub mod service;
pub mod shapes;
pub mod workload;

/// The error of a run.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;
/// The result of every step.
pub type Result<T> = std::result::Result<T, Failure>;

/// Prints an error and returns the exit code of a benchmark program.
#[must_use]
pub fn ended(result: Result<()>) -> std::process::ExitCode {
    match result {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}
