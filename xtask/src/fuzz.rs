//! The fuzz targets in `fuzz/`, and how they are run.

use crate::process::{Call, cargo};
use crate::workspace::Workspace;

/// The targets.
pub(crate) const TARGETS: [&str; 7] = [
    "token",
    "policy",
    "importers",
    "messages",
    "forwarding",
    "relay",
    "backup",
];
/// The time of each in seconds.
pub(crate) const SECONDS: u32 = 300;

/// The call of a target on its inputs.
pub(crate) fn call(workspace: &Workspace, target: &str) -> Call {
    let folder = format!("../target/fuzz/corpus/{target}");
    // The flags are in the folder of the targets; flags from the environment would replace them.
    cargo(&workspace.root.join("fuzz"))
        .without_env("RUSTFLAGS")
        .without_env("CARGO_ENCODED_RUSTFLAGS")
        .args([
            "run",
            "--release",
            "--quiet",
            "--bin",
            target,
            "--",
            &folder,
        ])
        .args([
            "-timeout=10",
            "-rss_limit_mb=2048",
            "-print_final_stats=1",
            "-verbosity=0",
            "-seed=1",
            "-use_value_profile=1",
        ])
        .args([
            format!("-max_total_time={SECONDS}"),
            format!("-artifact_prefix=../target/fuzz/{target}-"),
        ])
}
