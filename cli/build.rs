//! Embeds the console, where the feature asks for it.

#[cfg(feature = "embed-console")]
mod embed_console;

#[cfg(feature = "embed-console")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    embed_console::write()
}

#[cfg(not(feature = "embed-console"))]
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}
