//! Schemathesis, which makes requests from `docs/openapi.json` (`tests/openapi`).

use crate::build_abi;
use crate::problem::{Problem, Result};
use crate::process::find;
use crate::progress::Progress;
use crate::workspace::Workspace;
use std::env;
use std::path::PathBuf;

/// The package, in the version that `tests/openapi/schemathesis.toml` was written for.
const SCHEMATHESIS: &str = "schemathesis==4.32.5";

/// The Python of an environment with it. Where Python is missing, one line says so; hosted workflows
/// have it.
pub(crate) fn python(workspace: &Workspace, progress: &Progress) -> Result<Option<PathBuf>> {
    let Some(python) = find("python3") else {
        let missing = "HTTP API not compared with its document: python3 is not installed";
        if env::var_os("CI").is_some() {
            return Err(Problem::new(missing));
        }
        progress.print(missing);
        return Ok(None);
    };
    build_abi::environment(workspace, progress, &python, SCHEMATHESIS, "schemathesis").map(Some)
}
