//! `/`: the console's files, built in or from a folder, and the routes that the page itself knows.

mod csp;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

use crate::app::{App, nothing};
use crate::fault::Fault;
use crate::{body, random};
use gbac_api::problem::RpcCode;

mod embedded {
    include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
}

/// The page that every route of the console begins with.
const INDEX: &str = "index.html";
/// What a browser may ask for once and keep.
const KEEP: &str = "public, max-age=31536000, immutable";
/// What a browser asks for each time, with the tag of what it has.
const ASK: &str = "no-cache";
/// How much a folder of console files may hold, in bytes.
const FOLDER_LIMIT: u64 = 256 << 20;

/// The first parts of paths that belong to an API; nothing there is a route of the console, nor where one begins with a
/// dot (`.well-known`).
const APIS: [&str; 9] = [
    "v1",
    "gbac",
    "demo",
    "access",
    "healthz",
    "readyz",
    "metrics",
    "service.core.admin.v2.SecurityService",
    "redpanda.core.admin.v2.SecurityService",
];

/// The console.
pub(crate) struct Console {
    files: BTreeMap<String, File>,
    policy: HeaderValue,
}

struct File {
    content: Bytes,
    kind: &'static str,
    tag: String,
    keep: bool,
}

impl Console {
    /// The files that were built in, or one page that says how to build them.
    pub(crate) fn embedded() -> Self {
        if embedded::EMBEDDED.is_empty() {
            let page = include_str!("../../demo/no-console.html");
            return Self::of([(INDEX.into(), Bytes::from_static(page.as_bytes()))]);
        }
        Self::of(embedded::EMBEDDED.iter().map(|(name, content)| ((*name).to_owned(), Bytes::from_static(content))))
    }

    /// The files of a folder, as they are now.
    ///
    /// # Errors
    /// The folder cannot be read, has no `index.html`, or holds far more than a console.
    pub(crate) fn from_folder(folder: &Path) -> io::Result<Self> {
        let mut files = Vec::new();
        let mut room = FOLDER_LIMIT;
        if !folder.join(INDEX).is_file() {
            return Err(io::Error::new(io::ErrorKind::NotFound, "there is no `index.html`"));
        }
        collect(folder, "", &mut files, &mut room)?;
        Ok(Self::of(files))
    }

    fn of(files: impl IntoIterator<Item = (String, Bytes)>) -> Self {
        let files: BTreeMap<String, File> =
            files.into_iter().map(|(name, content)| (name.clone(), File::of(&name, content))).collect();
        let page = files.get(INDEX).map(|file| String::from_utf8_lossy(&file.content)).unwrap_or_default();
        let policy = HeaderValue::from_str(&csp::policy(&page)).unwrap_or(HeaderValue::from_static(csp::NOTHING));
        Self { files, policy }
    }

    /// The file for a path, or the page for a route that the console knows.
    fn find(&self, path: &str, wants_page: bool) -> Option<(&str, &File)> {
        let path = path.trim_start_matches('/');
        if let Some((name, file)) = self.files.get_key_value(path) {
            return Some((name, file));
        }
        let first = path.split('/').next().unwrap_or_default();
        let is_file = kind_of(path) != UNKNOWN && !wants_page;
        if APIS.contains(&first) || first.starts_with('.') || is_file {
            return None;
        }
        self.files.get_key_value(INDEX).map(|(name, file)| (name.as_str(), file))
    }
}

impl File {
    fn of(name: &str, content: Bytes) -> Self {
        let digest = Sha256::digest(&content);
        let tag = format!("\"{}\"", random::hex(digest.get(..16).unwrap_or_default()));
        Self { kind: kind_of(name), tag, keep: is_hashed(name), content }
    }
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<(String, Bytes)>, room: &mut u64) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let kind = entry.file_type()?;
        if name.starts_with('.') || kind.is_symlink() {
            continue;
        }
        let name = format!("{prefix}{name}");
        if kind.is_dir() {
            collect(&entry.path(), &format!("{name}/"), files, room)?;
        } else {
            *room = room
                .checked_sub(entry.metadata()?.len())
                .ok_or_else(|| io::Error::other("the folder holds more than 256 MiB; it is no console"))?;
            files.push((name, fs::read(entry.path())?.into()));
        }
    }
    Ok(())
}

const UNKNOWN: &str = "application/octet-stream";

/// The content type of a file by its name.
fn kind_of(name: &str) -> &'static str {
    match name.rsplit('/').next().and_then(|file| file.rsplit_once('.')).map_or("", |(_, extension)| extension) {
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
        _ => UNKNOWN,
    }
}

/// Whether a file's name changes with its content: a part of at least eight hexadecimal digits, as Trunk writes it.
fn is_hashed(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or_default();
    let stem = file.split('.').next().unwrap_or_default();
    stem.split(['-', '_']).skip(1).any(|part| {
        part.len() >= 8
            && part.bytes().all(|byte| byte.is_ascii_hexdigit())
            && part.bytes().any(|byte| byte.is_ascii_digit())
    })
}

/// Answers whatever no other route takes.
pub(crate) async fn answer(State(app): State<App>, request: Request) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return nothing(request).await;
    }
    let wants_page = text(&request, header::ACCEPT).split(',').any(|kind| kind.trim_start().starts_with("text/html"));
    let console = app.console();
    let path = match gbac_api::encode::decode(request.uri().path()) {
        Ok(path) => path,
        Err(error) => {
            let message = format!("{error}; {}", error.hint());
            return body::refuse(request, Fault::new(RpcCode::InvalidArgument, message)).await;
        }
    };
    let Some((name, file)) = console.find(&path, wants_page) else { return nothing(request).await };
    let known = text(&request, header::IF_NONE_MATCH);
    let fresh = known.split(',').any(|one| one.trim().trim_start_matches("W/") == file.tag);
    let mut response =
        if fresh { StatusCode::NOT_MODIFIED.into_response() } else { Response::new(Body::from(file.content.clone())) };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(if file.keep { KEEP } else { ASK }));
    if let Ok(tag) = HeaderValue::from_str(&file.tag) {
        headers.insert(header::ETAG, tag);
    }
    if name == INDEX {
        headers.insert(header::CONTENT_SECURITY_POLICY, console.policy.clone());
    }
    response
}

fn text(request: &Request, name: HeaderName) -> &str {
    request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashed_names_are_kept() {
        for name in [
            "gbac-console-1a2b3c4d5e6f7a8b.js",
            "gbac-console-1a2b3c4d5e6f7a8b_bg.wasm",
            "style/look-0123456789abcdef.css",
        ] {
            assert!(is_hashed(name), "{name}");
        }
        for name in ["index.html", "look.css", "deadbeef.js", "a-facade.js", "favicon-32.png", "gbac-console.js"] {
            assert!(!is_hashed(name), "{name}");
        }
    }

    #[test]
    fn routes_get_the_page_and_apis_do_not() {
        let console = Console::of([(INDEX.into(), Bytes::new()), ("a-12345678.js".into(), Bytes::new())]);
        let find = |path, wants_page| console.find(path, wants_page).map(|(name, _)| name);
        for path in
            ["/", "/security/roles", "/security/roles/a.b/details", "/simulator", "/security/roles/team.analytics"]
        {
            assert_eq!(find(path, false), Some(INDEX), "{path}");
        }
        assert_eq!(find("/a-12345678.js", false), Some("a-12345678.js"));
        assert_eq!(find("/a-87654321.js", false), None, "an old name of a file is no page");
        assert_eq!(find("/security/roles/x.js", true), Some(INDEX), "a role may be called so");
        for path in ["/v1/none", "/gbac/v1/none", "/demo/idp", "/service.core.admin.v2.SecurityService/X", "/healthz"] {
            assert_eq!(find(path, true), None, "{path}");
        }
    }
}
