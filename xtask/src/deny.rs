//! cargo-deny: licenses, sources and bans of dependencies, if it is installed. It always is in the
//! hosted workflow.

use crate::process::{Call, cargo, find};
use crate::workspace::Workspace;

/// The call that checks the rules of `deny.toml`, without those that change every day; if it is
/// missing, a sentence that says so.
pub(crate) fn call(workspace: &Workspace) -> std::result::Result<Call, String> {
    if !is_there() {
        return Err(
            "dependencies not checked: cargo-deny is not installed (cargo install cargo-deny --locked)".to_owned()
        );
    }
    let call = cargo(&workspace.root).args([
        "deny",
        "--color",
        "never",
        "check",
        "--hide-inclusion-graph",
    ]);
    Ok(call.args(["bans", "licenses", "sources"]))
}

/// Whether it is installed.
pub(crate) fn is_there() -> bool {
    find("cargo-deny").is_some()
}
