//! The console's files (their content types, caching, compression and policy) and the page's own
//! routes.

use std::fs;
use std::path::PathBuf;

use axum::body::Body;
use axum::http::Request;

use crate::harness::{Answer, Service};

/// A folder with a console in it, gone with the value.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("gbac-console-{}-{name}", std::process::id()));
        fs::create_dir_all(folder.join("style")).unwrap();
        let page = "<!doctype html><title>t</title><script type=\"module\">let a = 1;</script><script src=/x.js></script>";
        for (name, content) in [
            ("index.html", page),
            ("gbac-console-0123456789abcdef.js", "export default 1;"),
            ("gbac-console-0123456789abcdef_bg.wasm", "\0asm\u{1}\0\0\0"),
            ("style/look.css", "a{}"),
            ("icon.svg", "<svg/>"),
            (".secret", "x"),
        ] {
            fs::write(folder.join(name), content).unwrap();
        }
        fs::write(folder.join("large.txt"), "gbac ".repeat(10_000)).unwrap();
        Self(folder)
    }

    fn service(&self) -> Service {
        Service::with(|options| options.console = Some(self.0.clone()))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

async fn get(service: &Service, path: &str, header: (&str, &str)) -> Answer {
    service
        .ask(
            Request::get(path)
                .header(header.0, header.1)
                .body(Body::empty())
                .unwrap(),
        )
        .await
}

#[tokio::test]
async fn files_have_their_types_and_caching() {
    let folder = Folder::new("types");
    let service = folder.service();
    let kept = "public, max-age=31536000, immutable";
    for (path, kind, caching) in [
        ("/", "text/html; charset=utf-8", "no-cache"),
        ("/index.html", "text/html; charset=utf-8", "no-cache"),
        (
            "/gbac-console-0123456789abcdef.js",
            "text/javascript; charset=utf-8",
            kept,
        ),
        (
            "/gbac-console-0123456789abcdef_bg.wasm",
            "application/wasm",
            kept,
        ),
        ("/style/look.css", "text/css; charset=utf-8", "no-cache"),
        ("/icon.svg", "image/svg+xml", "no-cache"),
    ] {
        let answer = service.get(path).await;
        assert_eq!(
            (
                answer.status,
                answer.header("content-type"),
                answer.header("cache-control")
            ),
            (200, kind, caching),
            "{path}"
        );
        let tag = answer.header("etag");
        assert!(tag.starts_with('"') && tag.len() == 34, "{tag}");
        let again = get(
            &service,
            path,
            ("if-none-match", &format!("W/{tag}, \"x\"")),
        )
        .await;
        assert_eq!(
            (again.status, again.body.len(), again.header("etag")),
            (304, 0, tag)
        );
        let head = service
            .ask(Request::head(path).body(Body::empty()).unwrap())
            .await;
        assert_eq!((head.status, head.body.len()), (200, 0));
    }
    for path in [
        "/.secret",
        "/gbac-console-ffffffffffffffff.js",
        "/style/none.css",
        "/../Cargo.toml",
        "/%2e%2e/x.json",
    ] {
        assert_eq!(service.get(path).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn routes_of_the_console_return_the_page() {
    let folder = Folder::new("routes");
    let service = folder.service();
    let index = service.get("/").await.body;
    for path in [
        "/security/roles",
        "/security/roles/a%20b%2Bc/details",
        "/security/simulator",
        "/simulator",
        "/no/such/page",
    ] {
        let answer = service.get(path).await;
        assert_eq!(
            (answer.status, &answer.body, answer.header("cache-control")),
            (200, &index, "no-cache"),
            "{path}"
        );
    }
    let named = get(
        &service,
        "/security/roles/x.js",
        ("accept", "text/html,*/*;q=0.8"),
    )
    .await;
    assert_eq!((named.status, named.body), (200, index));
}

#[tokio::test]
async fn the_content_security_policy_matches_the_page() {
    let folder = Folder::new("policy");
    let service = folder.service();
    let policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' \
        'sha256-xY6QKfH9PRsQnLz56nj6MBwiK5oHg+im1Jkpdp1x/Ck='; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
        form-action 'none'; base-uri 'none'; frame-ancestors 'none'";
    for path in ["/", "/security/roles"] {
        assert_eq!(
            service.get(path).await.header("content-security-policy"),
            policy
        );
    }
    let file = service.get("/icon.svg").await;
    assert_eq!(
        file.header("content-security-policy"),
        "default-src 'none'; frame-ancestors 'none'"
    );
}

#[tokio::test]
async fn files_are_compressed_on_request() {
    let folder = Folder::new("compression");
    let service = folder.service();
    let plain = service.get("/large.txt").await;
    assert_eq!(
        (plain.header("content-encoding"), plain.body.len()),
        ("", 50_000)
    );
    let packed = get(&service, "/large.txt", ("accept-encoding", "br, gzip")).await;
    assert_eq!(
        (packed.header("content-encoding"), packed.header("vary")),
        ("gzip", "accept-encoding")
    );
    assert!(packed.body.len() < 1000, "{}", packed.body.len());
    let refused = get(&service, "/large.txt", ("accept-encoding", "br, gzip;q=0")).await;
    assert_eq!(
        (refused.header("content-encoding"), refused.body.len()),
        ("", 50_000)
    );
}

/// Files as `gbac` has them built in.
const BUILT_IN: [(&str, &str); 3] = [
    ("index.html", "<!doctype html><title>t</title>"),
    ("gbac-console-0123456789abcdef.js", "export default 1;"),
    ("style/look.css", "a{}"),
];

fn embedded() -> gbac_server::EmbeddedFiles {
    let packed = BUILT_IN.map(|(name, content)| {
        let mut packed = Vec::new();
        brotli::BrotliCompress(&mut content.as_bytes(), &mut packed, &Default::default())
            .expect("brotli");
        (name, &*packed.leak())
    });
    Vec::from(packed).leak()
}

/// The console that is built in is stored in brotli; a client without brotli gets the same content.
#[tokio::test]
async fn built_in_files_have_the_same_content_with_and_without_brotli() {
    let service = Service::with(|options| options.embedded_console = embedded());
    for (name, content) in BUILT_IN {
        let path = format!("/{name}");
        let plain = service.get(&path).await;
        assert_eq!(plain.body, content.as_bytes(), "{name}");
        let packed = get(&service, &path, ("accept-encoding", "gzip, br;q=0.9")).await;
        assert_eq!(
            (
                plain.header("content-encoding"),
                packed.header("content-encoding")
            ),
            ("", "br"),
            "{name}"
        );
        assert_eq!(
            (packed.header("etag"), packed.header("vary")),
            (plain.header("etag"), "accept-encoding"),
            "{name}"
        );
        let mut unpacked = Vec::new();
        brotli::BrotliDecompress(&mut &packed.body[..], &mut unpacked).expect("brotli");
        assert_eq!(unpacked, plain.body, "{name}");
        let refused = get(&service, &path, ("accept-encoding", "br;q=0")).await;
        assert_eq!(
            (refused.header("content-encoding"), &refused.body),
            ("", &plain.body),
            "{name}"
        );
    }
    assert_eq!(
        service.get("/security/roles").await.body,
        service.get("/").await.body
    );
}

#[tokio::test]
async fn without_a_console_a_page_says_how_to_build_it() {
    let page = Service::start().get("/").await;
    assert_eq!(
        (
            page.status,
            String::from_utf8_lossy(&page.body).contains("<pre>cargo xtask up</pre>")
        ),
        (200, true)
    );
    let missing = gbac_server::open(&gbac_server::ServeOptions {
        console: Some("/no/such/folder".into()),
        ..gbac_server::ServeOptions::default()
    });
    let error = missing.map(drop).unwrap_err();
    assert_eq!(error.code(), "console_folder");
    assert_eq!(
        error.to_string(),
        "cannot use the console folder `/no/such/folder`: `index.html` is missing"
    );
}
