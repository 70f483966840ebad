//! The benchmark: a fixed workload, the plain loop, the native engine's measurements, and the tables made of them.
//!
//! `cargo xtask bench` runs it together with `bench/js`; nothing that ships depends on it.

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

/// Why a run fails.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;
/// What every step returns.
pub type Result<T> = std::result::Result<T, Failure>;

/// The exit code of a benchmark program; an error is printed.
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
