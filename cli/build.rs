//! Embeds the console: of a packed crate, the compressed files in it; else, where the feature asks
//! for it, those of the workspace.

#[cfg(feature = "embed-console")]
mod embed_console;
mod packed_console;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    if let Some(files) = packed_console::files()? {
        return packed_console::write(&files);
    }
    #[cfg(feature = "embed-console")]
    return embed_console::write();
    #[cfg(not(feature = "embed-console"))]
    packed_console::write(&[])
}
