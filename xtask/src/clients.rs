//! Go, which builds the generated clients of `tests/clients`.

use crate::problem::{Problem, Result};
use crate::process::{Call, find};
use crate::workspace::Workspace;
use std::path::PathBuf;

/// The Go module.
const MODULE: &str = "tests/clients/go";
/// The folder of the clients for Node.
pub(crate) const NODE: &str = "tests/clients/node";

/// The installed Go.
pub(crate) struct Go {
    go: PathBuf,
    module: PathBuf,
}

impl Go {
    /// Finds it in `PATH`.
    ///
    /// # Errors
    /// It is not installed, or older than the module requires and set not to fetch another version.
    /// One line says so.
    pub(crate) fn find(workspace: &Workspace) -> Result<Self> {
        let module = workspace.root.join(MODULE);
        let go = find("go")
            .ok_or_else(|| Problem::new("generated clients not tested: Go is not installed"))?;
        let found = Self { go, module };
        // In the folder of the module, which names the version.
        match found.call().args(["version"]).succeed(None) {
            Ok(_) => Ok(found),
            Err(_) => Err(Problem::new(format!(
                "generated clients not tested: Go is older than `{MODULE}/go.mod` requires"
            ))),
        }
    }

    /// The call that builds the clients and runs their tests.
    pub(crate) fn tests(&self) -> Call {
        self.call().args(["test", "-count=1", "-v", "./..."])
    }

    fn call(&self) -> Call {
        Call::new(&self.go, &self.module)
    }
}
