//! The files of the console: embedded in the binary or from a folder.

mod content;
mod content_security_policy;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use axum::body::Bytes;
use gbac_api::paths::is_service;
use sha2::{Digest, Sha256};

use crate::random;
pub(crate) use content::{Coding, Content};

/// Files in a program: path from the root, content in brotli.
pub type EmbeddedFiles = &'static [(&'static str, &'static [u8])];

/// The page for every route of the console.
pub(crate) const INDEX: &str = "index.html";
/// The maximum total size of a console folder in bytes.
const MAX_FOLDER_BYTES: u64 = 256 << 20;

/// The first segments of paths that belong to APIs and not to the console. Names of services and
/// segments with a leading dot (`.well-known`) do not belong to the console either.
const API_SEGMENTS: [&str; 7] = [
    "v1", "gbac", "demo", "access", "healthz", "readyz", "metrics",
];

/// The files of the console.
pub(crate) struct Console {
    files: BTreeMap<String, Asset>,
    /// The content security policy of the page.
    pub(crate) content_security_policy: String,
}

/// A file.
pub(crate) struct Asset {
    /// The content.
    pub(crate) content: Arc<Content>,
    /// The content type.
    pub(crate) content_type: &'static str,
    /// The entity tag.
    pub(crate) etag: String,
    /// Whether the content for this name never changes.
    pub(crate) is_immutable: bool,
}

impl Console {
    /// The embedded files, or without any a page that says how to build them.
    pub(crate) fn embedded(files: EmbeddedFiles) -> Self {
        if files.is_empty() {
            let page = include_str!("../../demo/no-console.html");
            return Self::new([(
                INDEX.into(),
                Content::plain(Bytes::from_static(page.as_bytes())),
            )]);
        }
        Self::new(
            files
                .iter()
                .map(|(name, content)| ((*name).to_owned(), Content::brotli(content))),
        )
    }

    /// The current files of a folder.
    ///
    /// # Errors
    /// The folder cannot be read, has no `index.html`, or is much larger than a console.
    pub(crate) fn from_folder(folder: &Path) -> io::Result<Self> {
        let mut files = Vec::new();
        let mut remaining = MAX_FOLDER_BYTES;
        if !folder.join(INDEX).is_file() {
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                "`index.html` is missing",
            ));
        }
        collect(folder, "", &mut files, &mut remaining)?;
        Ok(Self::new(
            files
                .into_iter()
                .map(|(name, content)| (name, Content::plain(content))),
        ))
    }

    fn new(files: impl IntoIterator<Item = (String, Content)>) -> Self {
        let files: BTreeMap<String, Asset> = files
            .into_iter()
            .map(|(name, content)| (name.clone(), Asset::new(&name, content)))
            .collect();
        let page = match files.get(INDEX) {
            Some(file) => file.content.decoded(),
            None => Bytes::new(),
        };
        let page = String::from_utf8_lossy(&page);
        let content_security_policy = content_security_policy::policy(&page);
        Self {
            files,
            content_security_policy,
        }
    }

    /// The file for a path, or the page if the path can be a route of the console. `accepts_page`
    /// says whether the client accepts HTML.
    pub(crate) fn find(&self, path: &str, accepts_page: bool) -> Option<(&str, &Asset)> {
        let path = path.trim_start_matches('/');
        if let Some((name, file)) = self.files.get_key_value(path) {
            return Some((name, file));
        }
        let first = path.split('/').next().unwrap_or_default();
        let is_file = content_type(path) != BINARY && !accepts_page;
        if API_SEGMENTS.contains(&first) || is_service(first) || first.starts_with('.') || is_file {
            return None;
        }
        let (name, page) = self.files.get_key_value(INDEX)?;
        Some((name, page))
    }
}

impl Asset {
    fn new(name: &str, content: Content) -> Self {
        let digest = Sha256::digest(content.stored());
        let etag = format!("\"{}\"", random::hex(digest.get(..16).unwrap_or_default()));
        Self {
            content_type: content_type(name),
            etag,
            is_immutable: is_hashed(name),
            content: Arc::new(content),
        }
    }
}

fn collect(
    folder: &Path,
    prefix: &str,
    files: &mut Vec<(String, Bytes)>,
    remaining: &mut u64,
) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let kind = entry.file_type()?;
        if name.starts_with('.') || kind.is_symlink() {
            continue;
        }
        let name = format!("{prefix}{name}");
        if kind.is_dir() {
            collect(&entry.path(), &format!("{name}/"), files, remaining)?;
        } else {
            let Some(rest) = remaining.checked_sub(entry.metadata()?.len()) else {
                let message = "the folder is larger than 256 MiB, so it is not a console";
                return Err(io::Error::other(message));
            };
            *remaining = rest;
            files.push((name, fs::read(entry.path())?.into()));
        }
    }
    Ok(())
}

const BINARY: &str = "application/octet-stream";

/// The content type for a file name.
fn content_type(name: &str) -> &'static str {
    let file = name.rsplit('/').next().unwrap_or_default();
    let (_, extension) = file.rsplit_once('.').unwrap_or_default();
    match extension {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "wasm" => "application/wasm",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => BINARY,
    }
}

/// Whether a file name contains a hash of the content: a part of at least eight hexadecimal digits,
/// as builds write it.
fn is_hashed(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or_default();
    let stem = file.split('.').next().unwrap_or_default();
    stem.split(['-', '_']).skip(1).any(|part| {
        part.len() >= 8
            && part.bytes().all(|byte| byte.is_ascii_hexdigit())
            && part.bytes().any(|byte| byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashed_names_are_recognized() {
        for name in [
            "gbac-console-1a2b3c4d5e6f7a8b.js",
            "gbac-console-1a2b3c4d5e6f7a8b_bg.wasm",
            "style/look-0123456789abcdef.css",
        ] {
            assert!(is_hashed(name), "{name}");
        }
        for name in [
            "index.html",
            "look.css",
            "deadbeef.js",
            "a-facade.js",
            "favicon-32.png",
            "gbac-console.js",
        ] {
            assert!(!is_hashed(name), "{name}");
        }
    }

    #[test]
    fn routes_get_the_page_and_apis_do_not() {
        let console = Console::new([
            (INDEX.into(), Content::plain(Bytes::new())),
            ("a-12345678.js".into(), Content::plain(Bytes::new())),
        ]);
        let find = |path, accepts_page| console.find(path, accepts_page).map(|(name, _)| name);
        for path in [
            "/",
            "/security/roles",
            "/security/roles/a.b/details",
            "/simulator",
            "/security/roles/team.analytics",
        ] {
            assert_eq!(find(path, false), Some(INDEX), "{path}");
        }
        assert_eq!(find("/a-12345678.js", false), Some("a-12345678.js"));
        assert_eq!(
            find("/a-87654321.js", false),
            None,
            "a file of another build is not a page"
        );
        assert_eq!(
            find("/security/roles/x.js", true),
            Some(INDEX),
            "a role can have this name"
        );
        for path in [
            "/v1/none",
            "/gbac/v1/none",
            "/demo/idp",
            "/service.core.admin.v2.SecurityService/X",
            "/a.v1.B/C",
            "/healthz",
        ] {
            assert_eq!(find(path, true), None, "{path}");
        }
    }
}
