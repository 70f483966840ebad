//! The server of `cargo xtask dev`: serves the console's files and forwards all other requests to
//! the service.
//!
//! Both have one origin, as in the product. Each connection carries one request. The service
//! determines which paths have the page, and its headers.

use std::fs;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::page::INDEX;

/// The script that reloads the page.
pub(crate) const RELOAD: &str = "dev/reload.js";
/// The path of the events that tell this script about builds.
const BUILDS: &str = "dev/builds";
/// The most bytes of the head of a request or response.
const HEAD_LIMIT: usize = 64 << 10;
/// The interval of keep-alive messages to waiting pages, so that closed pages are noticed.
const BEAT: Duration = Duration::from_secs(15);
/// Hop-by-hop headers, and headers that would make the service omit the page.
const DROPPED: [&str; 6] = [
    "connection",
    "keep-alive",
    "upgrade",
    "accept-encoding",
    "if-none-match",
    "if-modified-since",
];
/// Response headers that apply only to the service's own page.
const REPLACED: [&str; 4] = [
    "content-length",
    "transfer-encoding",
    "etag",
    "cache-control",
];

/// The served files and the service.
pub(crate) struct Site {
    /// The console's files.
    pub(crate) folder: PathBuf,
    /// The host and port of the service.
    pub(crate) service: String,
    pub(crate) builds: Builds,
}

/// The number of builds since the start.
pub(crate) struct Builds {
    start: u128,
    count: Mutex<u64>,
    more: Condvar,
}

impl Builds {
    /// Creates a counter at zero.
    pub(crate) fn new() -> Self {
        let start = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_millis());
        Self {
            start,
            count: Mutex::new(0),
            more: Condvar::new(),
        }
    }

    /// Counts a build.
    pub(crate) fn add(&self) {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.more.notify_all();
    }

    /// The ID of the newest build, which is unique across starts.
    fn newest(&self) -> String {
        format!(
            "{}-{}",
            self.start,
            self.count.lock().unwrap_or_else(PoisonError::into_inner)
        )
    }

    /// Waits until the newest build differs from `known`, or until a timeout; returns the newest.
    fn wait(&self, known: &str) -> String {
        let is_known = |count: &mut u64| known == format!("{}-{count}", self.start);
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        let count = self
            .more
            .wait_timeout_while(count, BEAT, is_known)
            .unwrap_or_else(PoisonError::into_inner)
            .0;
        format!("{}-{count}", self.start)
    }
}

/// The head of a request or response, and the bytes that were read after it.
struct Head {
    first: String,
    /// The headers, with lower-case names.
    headers: Vec<(String, String)>,
    rest: Vec<u8>,
}

impl Head {
    /// Reads until the empty line.
    fn read(stream: &mut impl Read) -> io::Result<Self> {
        const END: &[u8] = b"\r\n\r\n";
        let mut bytes = Vec::new();
        let mut buffer = [0; 4096];
        let end = loop {
            if let Some(end) = bytes.windows(END.len()).position(|window| window == END) {
                break end;
            }
            let count = stream.read(&mut buffer)?;
            if count == 0 || bytes.len() > HEAD_LIMIT {
                return Err(io::Error::other("no whole head came"));
            }
            bytes.extend_from_slice(&buffer[..count]);
        };
        let text = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut lines = text.split("\r\n");
        let first = lines.next().unwrap_or_default().to_owned();
        let headers = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        Ok(Self {
            first,
            headers,
            rest: bytes.split_off(end + END.len()),
        })
    }

    fn header(&self, name: &str) -> &str {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map_or("", |(_, value)| value)
    }

    /// The first line and the headers, without the dropped ones and with additional ones.
    fn with(&self, dropped: &[&str], added: &str) -> String {
        let mut text = format!("{}\r\n", self.first);
        for (name, value) in self
            .headers
            .iter()
            .filter(|(name, _)| !dropped.contains(&name.as_str()))
        {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text + added + "\r\n"
    }
}

/// Handles every connection in a thread of its own.
pub(crate) fn accept(listener: &TcpListener, site: &std::sync::Arc<Site>) {
    for stream in listener.incoming().flatten() {
        let site = std::sync::Arc::clone(site);
        // A closed browser is not an error.
        thread::spawn(move || answer(stream, &site).ok());
    }
}

fn answer(mut stream: TcpStream, site: &Site) -> io::Result<()> {
    let head = Head::read(&mut stream)?;
    let mut words = head.first.split(' ');
    let (method, target) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    );
    let path = target
        .split('?')
        .next()
        .unwrap_or_default()
        .trim_start_matches('/');
    let reads = matches!(method, "GET" | "HEAD");
    let with_body = method == "GET";
    match (reads, path) {
        (true, RELOAD) => {
            let script = include_str!("../tools/reload.js")
                .replace("BUILD", &format!("'{}'", site.builds.newest()));
            file(&mut stream, "js", script.as_bytes(), with_body)
        }
        (true, BUILDS) => builds(&mut stream, &site.builds),
        _ => match reads.then(|| read(&site.folder, path)).flatten() {
            Some(content) => file(
                &mut stream,
                path.rsplit('.').next().unwrap_or_default(),
                &content,
                with_body,
            ),
            None => forward(stream, &head, site, with_body),
        },
    }
}

/// Reads a file of the folder, except the page, whose paths the service determines.
fn read(folder: &Path, path: &str) -> Option<Vec<u8>> {
    let is_name =
        !path.is_empty() && !path.starts_with('.') && !path.contains(['/', '\\', ':', '%']);
    (is_name && path != INDEX)
        .then(|| fs::read(folder.join(path)).ok())
        .flatten()
}

fn file(stream: &mut TcpStream, ending: &str, content: &[u8], with_body: bool) -> io::Result<()> {
    let kind = match ending {
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        _ => "application/octet-stream",
    };
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        content.len()
    );
    stream.write_all(head.as_bytes())?;
    if with_body {
        stream.write_all(content)
    } else {
        Ok(())
    }
}

/// Sends the newest build now, and each later one.
fn builds(stream: &mut TcpStream, builds: &Builds) -> io::Result<()> {
    stream.write_all(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n",
    )?;
    let mut known = builds.newest();
    loop {
        stream.write_all(format!("data: {known}\n\n").as_bytes())?;
        known = builds.wait(&known);
    }
}

/// Forwards the request to the service; replaces a page of the console with the page of the folder.
fn forward(mut stream: TcpStream, head: &Head, site: &Site, with_body: bool) -> io::Result<()> {
    let Ok(mut service) = TcpStream::connect(&site.service) else {
        return stream.write_all(
            b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        );
    };
    let wants_page = head.header("accept").contains("text/html");
    let dropped = if wants_page {
        &DROPPED[..]
    } else {
        &DROPPED[..3]
    };
    service.write_all(head.with(dropped, "Connection: close\r\n").as_bytes())?;
    service.write_all(&head.rest)?;
    let (mut from, mut to) = (stream.try_clone()?, service.try_clone()?);
    thread::spawn(move || {
        io::copy(&mut from, &mut to).ok();
        // The browser has closed the connection, or the response is complete.
        to.shutdown(Shutdown::Write)
    });
    if wants_page {
        let answer = Head::read(&mut service)?;
        let page = fs::read(site.folder.join(INDEX));
        match page {
            Ok(page)
                if answer.first.contains(" 200 ")
                    && answer.header("content-type").starts_with("text/html") =>
            {
                let length = format!(
                    "Content-Length: {}\r\nCache-Control: no-store\r\n",
                    page.len()
                );
                stream.write_all(answer.with(&REPLACED, &length).as_bytes())?;
                if with_body {
                    stream.write_all(&page)?;
                }
                return stream.shutdown(Shutdown::Both);
            }
            _ => {
                stream.write_all(answer.with(&[], "").as_bytes())?;
                stream.write_all(&answer.rest)?;
            }
        }
    }
    io::copy(&mut service, &mut stream)?;
    stream.shutdown(Shutdown::Both)
}

#[cfg(test)]
mod tests {
    use super::{Builds, INDEX, Site, accept};
    use std::fs;
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::{SocketAddr, TcpListener, TcpStream};
    use std::sync::Arc;
    use std::thread;

    /// Starts a service that responds with the received request, as JSON or as a page, and a site
    /// in front of it.
    fn site(name: &str) -> (Arc<Site>, SocketAddr) {
        let service = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = service.local_addr().unwrap();
        thread::spawn(move || {
            for mut stream in service.incoming().flatten() {
                let mut head = Vec::new();
                let mut byte = [0];
                while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) == 1 {
                    head.push(byte[0]);
                }
                let text = String::from_utf8_lossy(&head).into_owned();
                let length = text
                    .split_once("content-length: ")
                    .and_then(|(_, rest)| rest.split("\r\n").next()?.parse().ok());
                let mut body = vec![0; length.unwrap_or(0)];
                stream.read_exact(&mut body).unwrap();
                let kind = if text.starts_with("GET /security") {
                    "text/html"
                } else {
                    "application/json"
                };
                let answer = format!("{text}{}", String::from_utf8_lossy(&body));
                let head = format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Security-Policy: strict\r\n"
                );
                write!(
                    stream,
                    "{head}ETag: \"old\"\r\nContent-Length: {}\r\n\r\n{answer}",
                    answer.len()
                )
                .ok();
            }
        });
        let folder = std::env::current_exe()
            .unwrap()
            .with_file_name(format!("dev-server-{name}"));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(INDEX), "the page").unwrap();
        fs::write(folder.join("look.css"), "old style").unwrap();
        let site = Arc::new(Site {
            folder,
            service: address.to_string(),
            builds: Builds::new(),
        });
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::clone(&site);
        thread::spawn(move || accept(&listener, &shared));
        (site, address)
    }

    fn ask(address: SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream
            .write_all(request.replace('\n', "\r\n").as_bytes())
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn files_come_from_the_folder_as_they_are_now() {
        let (site, address) = site("files");
        let style = || ask(address, "GET /look.css HTTP/1.1\nHost: x\n\n");
        assert!(style().contains("Content-Type: text/css"), "{}", style());
        assert!(style().ends_with("\r\n\r\nold style"));
        fs::write(site.folder.join("look.css"), "new style").unwrap();
        assert!(style().ends_with("\r\n\r\nnew style"));
        for path in ["/../dev-server-files/look.css", "/.hidden", "/none.css"] {
            assert!(
                ask(address, &format!("GET {path} HTTP/1.1\nHost: x\n\n"))
                    .contains("application/json"),
                "{path}"
            );
        }
    }

    #[test]
    fn everything_else_comes_from_the_service() {
        let (_, address) = site("service");
        let answer = ask(
            address,
            "POST /v1/acls HTTP/1.1\nHost: x:1\nConnection: keep-alive\nContent-Length: 4\n\nbody",
        );
        assert!(
            answer.contains("\r\n\r\nPOST /v1/acls HTTP/1.1\r\nhost: x:1\r\n"),
            "{answer}"
        );
        assert!(
            answer.contains("Connection: close\r\n") && !answer.contains("keep-alive"),
            "{answer}"
        );
        assert!(answer.ends_with("\r\n\r\nbody"), "{answer}");
    }

    #[test]
    fn the_page_has_the_headers_of_the_service() {
        let (_, address) = site("page");
        let answer = ask(
            address,
            "GET /security/roles HTTP/1.1\nHost: x\nAccept: text/html\nIf-None-Match: \"old\"\n\n",
        );
        assert!(
            answer.contains("content-security-policy: strict\r\n"),
            "{answer}"
        );
        assert!(
            answer.ends_with("Content-Length: 8\r\nCache-Control: no-store\r\n\r\nthe page"),
            "{answer}"
        );
        assert!(!answer.contains("old"), "{answer}");
        let answer = ask(
            address,
            "GET /v1/acls HTTP/1.1\nHost: x\nAccept: text/html\n\n",
        );
        assert!(answer.contains("\r\n\r\nGET /v1/acls"), "{answer}");
    }

    #[test]
    fn a_page_hears_of_builds_that_are_not_its_own() {
        let (site, address) = site("builds");
        let built = || {
            let script = ask(address, "GET /dev/reload.js HTTP/1.1\nHost: x\n\n");
            script.split('\'').nth(3).unwrap().to_owned()
        };
        let mut stream = TcpStream::connect(address).unwrap();
        stream
            .write_all(b"GET /dev/builds HTTP/1.1\r\nHost: x\r\n\r\n")
            .unwrap();
        let mut lines = BufReader::new(stream)
            .lines()
            .map(Result::unwrap)
            .filter(|line| line.starts_with("data: "));
        let first = built();
        assert_eq!(lines.next(), Some(format!("data: {first}")));
        site.builds.add();
        assert_ne!(first, built());
        assert_eq!(lines.next(), Some(format!("data: {}", built())));
    }
}
