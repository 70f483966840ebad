//! `gbac version`: the build, the engine and the features of this program.

use std::env::consts::{ARCH, OS};

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::output::{self, Failure, Format};
use crate::process::Process;

/// The version, the build and the features of this program.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ProgramVersion<'a> {
    /// The version.
    version: &'a str,
    /// `debug` or `release`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["debug", "release"])))]
    build: &'a str,
    /// The operating system and the architecture, such as `linux-x86_64`.
    platform: &'a str,
    /// The version of the engine.
    engine: &'a str,
    /// The features.
    features: &'a [&'a str],
}

pub(crate) fn run(process: &Process, format: Format) -> Result<u8, Failure> {
    // The crates of the workspace have one version.
    let version = env!("CARGO_PKG_VERSION");
    let build = if cfg!(debug_assertions) {
        "debug"
    } else {
        "release"
    };
    let platform = format!("{OS}-{ARCH}");
    // Nothing of this program is optional: it always verifies tokens, and contains the service.
    let features = ["verify", "serve"];
    match format {
        Format::Json | Format::Yaml => output::value(
            process,
            format,
            &ProgramVersion {
                version,
                build,
                platform: &platform,
                engine: version,
                features: &features,
            },
        )?,
        Format::Text => {
            let lines = [
                format!("gbac {version}"),
                format!("Build: {build}, {platform}"),
                format!("Engine: gbac-engine {version}"),
                format!("Features: {}\n", features.join(", ")),
            ];
            output::text(process, &lines.join("\n"))?;
        }
    }
    Ok(output::SUCCESS)
}
