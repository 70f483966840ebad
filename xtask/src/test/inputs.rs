//! The files and folders that affect the results of checks.

/// The inputs of the lints. A page is part of a crate's documentation.
pub(super) const RUST: &[&str] = &[
    "api",
    "bench",
    "cli",
    "cluster",
    "console",
    "engine",
    "formats",
    "log",
    "fuzz",
    "server",
    "tests",
    "docs/how-to/embed-rust.md",
];
/// The inputs of the plugin for Apache Kafka.
pub(super) const KAFKA: &[&str] = &[
    "engine",
    "kafka",
    "tests",
    "cli",
    "cluster",
    "server",
    "api",
    "formats",
    "log",
    "console",
    "docs/kafka.md",
];
/// The inputs of the clients of the platform's services.
pub(super) const CLIENTS: &[&str] = &[
    "engine",
    "tests/clients",
    "tests/e2e",
    "cli",
    "cluster",
    "server",
    "api",
    "formats",
    "log",
    "console/model",
];
/// The inputs of the requests from `docs/openapi.json`.
pub(super) const OPENAPI: &[&str] = &[
    "api",
    "cli",
    "cluster",
    "docs/openapi.json",
    "engine",
    "formats",
    "log",
    "server",
    "tests/e2e/support",
    "tests/openapi",
];
/// The inputs of the console.
pub(super) const CONSOLE: &[&str] = &["api", "console", "engine", "formats", "tests"];
/// The inputs of the JavaScript package and its tests.
pub(super) const PACKAGE: &[&str] = &[
    "api",
    "cli",
    "cluster",
    "console/model",
    "engine",
    "formats",
    "log",
    "server",
    "tests",
    "www",
    "docs",
    "README.md",
];
/// The inputs of the packages with the program.
pub(super) const PROGRAM: &[&str] = &[
    "api",
    "cli",
    "cluster",
    "engine",
    "examples",
    "formats",
    "log",
    "npm",
    "packaging",
    "server",
];
/// The inputs of tests that read documents, examples and everything else.
pub(super) const ALL: &[&str] = &["."];
