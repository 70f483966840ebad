//! `xtask-bind`: binds a compiled wasm module to JavaScript, like the command line of wasm-bindgen
//! with `--target web`, or `no-modules` for pages that also open from a file.
//!
//! A separate program, so that `cargo xtask` compiles in seconds and this one only if it is needed.

use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;

/// The usage message.
const USAGE: &str = "xtask-bind INPUT.wasm FOLDER NAME [--types] [--debug] [--no-start] [--reset-state] [--keep-lld-exports] [--no-address] [--no-modules]";

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: Vec<String>) -> Result<(), String> {
    let (flags, places): (Vec<String>, Vec<String>) =
        args.into_iter().partition(|arg| arg.starts_with("--"));
    let [input, folder, name] = &places[..] else {
        return Err(USAGE.to_owned());
    };
    let has = |flag: &str| flags.iter().any(|given| given == flag);
    let mut bindgen = Bindgen::new();
    let target = if has("--no-modules") {
        bindgen.no_modules(true)
    } else {
        bindgen.web(true)
    };
    target
        .map(|bindgen| {
            bindgen
                .input_path(input)
                .out_name(name)
                .typescript(has("--types"))
                .debug(has("--debug"))
                .keep_lld_exports(has("--keep-lld-exports"))
                .emit_start(!has("--no-start"))
                .reset_state_function(has("--reset-state"))
                // With the URL of the wasm file, bundlers would copy the file even if it is unused.
                .omit_default_module_path(has("--no-address"))
        })
        .and_then(|bindgen| bindgen.generate(folder))
        .map_err(|error| format!("cannot bind `{input}`: {error:?}"))
}
