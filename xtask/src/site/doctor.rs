//! Builds the claim doctor's WebAssembly module, as scripts that pages can load from a file.

use super::stage::write;
use crate::bind::{Binder, NO_ADDRESS, NO_MODULES, Speed};
use crate::problem::{Problem, Result};
use crate::process::cargo;
use crate::progress::Progress;
use crate::remap;
use crate::tools::{self, WASM_TARGET};
use crate::workspace::Workspace;
use std::fs;
use std::path::Path;

/// The crate.
const PACKAGE: &str = "gbac-claim-doctor";
/// The name of its bound files.
const NAME: &str = "claim-doctor";
/// The letters of base64.
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Builds it, and writes its two scripts into a folder: the binding and the module.
pub(super) fn build(workspace: &Workspace, progress: &Progress, folder: &Path) -> Result<()> {
    let binder = Binder::build(workspace, progress, Speed::Compile)?;
    let wasm_opt = tools::wasm_opt(workspace, progress)?;
    let step = progress.slow(NAME, "the module of the first page");
    cargo(&workspace.root)
        .env(remap::VARIABLE, remap::flags(&[]))
        .args(["build", "--package", PACKAGE])
        .args(["--target", WASM_TARGET, "--profile", "wasm"])
        .succeed(Some(&step))?;
    let compiled = (workspace.target.join(WASM_TARGET)).join("wasm/gbac_claim_doctor.wasm");
    let bound = workspace.notes().join(NAME);
    binder.bind(
        workspace,
        (&compiled, &bound, NAME),
        &[NO_MODULES, NO_ADDRESS],
        &step,
    )?;
    let module = bound.join(format!("{NAME}_bg.wasm"));
    wasm_opt.shrink(workspace, &module, &step)?;
    let read = |file: &Path| {
        fs::read(file)
            .map_err(|error| Problem::new(format!("cannot read `{}`: {error}", file.display())))
    };
    let bytes = read(&module)?;
    let script = format!("globalThis.claimDoctorModule = '{}';\n", base64(&bytes));
    let binding = read(&bound.join(format!("{NAME}.js")))?;
    write(&folder.join(format!("{NAME}.js")), &binding)?;
    write(&folder.join(format!("{NAME}-module.js")), script.as_bytes())?;
    step.done(&format!("{} bytes", bytes.len()));
    Ok(())
}

/// Base64 with padding (RFC 4648), which browsers decode.
fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let byte = |place: usize| u32::from(group.get(place).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= group.len() {
                char::from(letter)
            } else {
                '='
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn encodes_the_examples_of_the_rfc() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
