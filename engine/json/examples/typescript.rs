//! Writes the TypeScript declarations of the JavaScript package to the given file; see `cargo xtask
//! types`.

use std::{env, fs, io};

fn main() -> io::Result<()> {
    let Some(path) = env::args_os().nth(1) else {
        return Err(io::Error::other("name the file to write"));
    };
    fs::write(path, gbac_json::typescript::declarations())
}
