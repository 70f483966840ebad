//! What a run of the checks depends on other than files: the tools that are there.

use crate::browser;
use crate::build_kafka::Java;
use crate::clients::Go;
use crate::tools;
use crate::trunk::Trunk;
use crate::workspace::Workspace;
use crate::{deny, glewlwyd, shells};

/// The inputs of a run other than files.
pub(crate) fn inputs(workspace: &Workspace) -> Vec<String> {
    let node = tools::node(&workspace.root)
        .ok()
        .and_then(|node| node.args(["--version"]).first_line());
    // Without these tools, a check tests less and passes.
    let trunk = Trunk::find(workspace).is_ok().to_string();
    let provider = glewlwyd::is_there().to_string();
    let deny = deny::is_there().to_string();
    let java = Java::find().is_ok().to_string();
    let go = Go::find(workspace).is_ok().to_string();
    vec![
        node.unwrap_or_default(),
        browser::version().unwrap_or_default(),
        trunk,
        provider,
        deny,
        java,
        go,
        shells::installed(),
    ]
}
