//! `cargo xtask pages`: measures the published console in a browser with large policies.
//!
//! Two browser tests define the measurements and limits; this module gives them a published console
//! and service.

use crate::browser;
use crate::problem::Result;
use crate::process::cargo;
use crate::progress::{Progress, say};
use crate::sizes;
use crate::tools;
use crate::workspace::Workspace;
use std::env::consts::EXE_SUFFIX;

/// The folder of the browser tests.
const FOLDER: &str = "tests/e2e";
const MEASURE: [&str; 2] = ["long/scale.test.mjs", "long/scale-simulator.test.mjs"];
/// The prefix of a test's messages in the output of node's reporter.
const TOLD: &str = "# ";

/// Builds, measures and prints the results.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let progress = Progress::new();
    let browser = browser::browser(workspace, &progress)?;
    tools::npm_ci(workspace, &progress, FOLDER)?;
    sizes::build_console(workspace)?;
    cargo(&workspace.root)
        .args(["build", "--release", "--package", "gbac"])
        .step(&progress, "service", "compiling", "built")?;
    let dist = workspace.root.join("dist");
    for file in MEASURE {
        let step = progress.slow("pages", file);
        let call = tools::node(&workspace.root)?
            .args(["--test", "--test-reporter=tap"])
            .args([workspace.root.join(FOLDER).join(file)])
            .env(
                "GBAC_BIN",
                workspace
                    .target
                    .join("release")
                    .join(format!("gbac{EXE_SUFFIX}")),
            )
            .env("GBAC_CONSOLE", &dist)
            .env("GBAC_CHROMIUM", &browser.chromium)
            .env("NO_COLOR", "1");
        let lines = call.succeed(Some(&step))?;
        step.done("measured");
        for line in lines {
            if let Some(told) = line.trim_start().strip_prefix(TOLD)
                && told.contains("(limit ")
            {
                say(told);
            }
        }
    }
    Ok(())
}
