//! Where events go: a file of JSON Lines, and the last of them in memory.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gbac_analysis::audit::{Event, Product};

use crate::lock::Lock;

/// How many events are kept in memory.
pub(crate) const KEPT: usize = 1000;

/// A log; a handle that is cheap to clone.
#[derive(Clone)]
pub(crate) struct Log(Arc<Parts>);

struct Parts {
    product: Product,
    file: Option<PathBuf>,
    /// Held while the file is written, so that the file and the memory have the same order.
    turn: Lock<()>,
    recent: Lock<VecDeque<Event>>,
    written: AtomicU64,
    failed: AtomicU64,
}

impl Log {
    /// A log that appends to this file; without one it is in memory only.
    ///
    /// # Errors
    /// The file cannot be opened for writing.
    pub(crate) fn new(file: Option<PathBuf>) -> io::Result<Self> {
        if let Some(path) = &file {
            append(path, "")?;
        }
        Ok(Self(Arc::new(Parts {
            product: Product::default(),
            file,
            turn: Lock::new(()),
            recent: Lock::new(VecDeque::new()),
            written: AtomicU64::new(0),
            failed: AtomicU64::new(0),
        })))
    }

    pub(super) fn product(&self) -> &Product {
        &self.0.product
    }

    /// How many events were written since the start.
    pub(crate) fn written(&self) -> u64 {
        self.0.written.load(Ordering::Relaxed)
    }

    /// How many requests were refused since the start because their events could not be written.
    pub(crate) fn failed(&self) -> u64 {
        self.0.failed.load(Ordering::Relaxed)
    }

    /// The last events, newest first.
    pub(super) fn recent(&self, limit: usize) -> Vec<Event> {
        self.0.recent.with(|recent| recent.iter().rev().take(limit).cloned().collect())
    }

    /// Writes events, all or none; they have been given to the operating system when this returns.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) async fn write(&self, events: Vec<Event>) -> io::Result<()> {
        if events.is_empty() {
            return Ok(());
        }
        let done = if self.0.file.is_some() {
            let this = self.clone();
            // A disk may take its time; only threads that may wait take part.
            let written = tokio::task::spawn_blocking(move || this.record(events)).await;
            written.unwrap_or_else(|error| Err(io::Error::other(error)))
        } else {
            self.record(events)
        };
        if done.is_err() {
            self.0.failed.fetch_add(1, Ordering::Relaxed);
        }
        done
    }

    fn record(&self, events: Vec<Event>) -> io::Result<()> {
        let count = u64::try_from(events.len()).unwrap_or(u64::MAX);
        let lines: Option<(&Path, String)> = self.0.file.as_deref().map(|path| {
            let text = events.iter().fold(String::new(), |mut text, event| {
                text.push_str(&event.to_line());
                text.push('\n');
                text
            });
            (path, text)
        });
        self.0.turn.with(|()| {
            if let Some((path, text)) = lines {
                append(path, &text)?;
            }
            // Who reads the last events does not wait for the disk.
            self.0.recent.with(|recent| {
                recent.extend(events);
                let surplus = recent.len().saturating_sub(KEPT);
                recent.drain(..surplus);
            });
            Ok::<_, io::Error>(())
        })?;
        self.0.written.fetch_add(count, Ordering::Relaxed);
        Ok(())
    }
}

/// Appends whole lines to a file. It is opened by its name each time, so that it may be moved away at any moment and a
/// new one begins.
fn append(path: &Path, lines: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    let length = file.metadata()?.len();
    let text = if is_torn(&mut file, length)? && !lines.is_empty() { format!("\n{lines}") } else { lines.to_owned() };
    file.write_all(text.as_bytes()).inspect_err(|_| {
        // Half a line would be an event of a request that was refused. What cannot be cut off is ended by the next write.
        let _ = file.set_len(length);
    })
}

/// Whether the last line has no end, because the machine stopped in the middle of it.
fn is_torn(file: &mut File, length: u64) -> io::Result<bool> {
    if length == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use gbac_analysis::audit::{
        AuthProtocol, Authentication, Context, Endpoint, SignInResult, User, authentication, service,
    };
    use serde_json::Value;

    use super::*;

    fn event(log: &Log, name: &str) -> Event {
        authentication(&Authentication {
            context: Context {
                time_ms: 1,
                product: log.product(),
                service: service::ADMIN,
                server: Endpoint::default(),
                client: Endpoint::default(),
            },
            user: User { name, ..User::default() },
            protocol: AuthProtocol::Oauth2,
            cleartext: false,
            result: SignInResult::Success { groups: &[] },
        })
    }

    fn users(path: &Path) -> Vec<String> {
        let text = fs::read_to_string(path).unwrap();
        assert!(text.ends_with('\n'));
        let name = |line: &str| match serde_json::from_str::<Value>(line) {
            Ok(event) => event["user"]["name"].as_str().unwrap().to_owned(),
            Err(_) => "torn".to_owned(),
        };
        text.lines().map(name).collect()
    }

    #[tokio::test]
    async fn lines_are_appended_to_a_file_of_ones_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let log = Log::new(Some(path.clone())).unwrap();
        log.write(vec![event(&log, "a"), event(&log, "b")]).await.unwrap();
        log.write(vec![event(&log, "c")]).await.unwrap();
        assert_eq!(users(&path), ["a", "b", "c"]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        fs::rename(&path, folder.path().join("audit.1")).unwrap();
        log.write(vec![event(&log, "d")]).await.unwrap();
        assert_eq!(users(&path), ["d"], "a file that was moved away is begun anew");
        assert_eq!((log.written(), log.failed()), (4, 0));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn many_at_once_write_whole_lines_in_one_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let log = Log::new(Some(path.clone())).unwrap();
        let mut writers = tokio::task::JoinSet::new();
        for n in 0..50 {
            let (log, one, two) = (log.clone(), event(&log, &format!("{n}a")), event(&log, &format!("{n}b")));
            writers.spawn(async move { log.write(vec![one, two]).await });
        }
        for done in writers.join_all().await {
            done.unwrap();
        }
        let written = users(&path);
        let mut kept: Vec<String> = log
            .recent(KEPT)
            .iter()
            .map(|event| gbac_json::event_to_value(event)["user"]["name"].as_str().unwrap().into())
            .collect();
        kept.reverse();
        assert_eq!((written.len(), &written), (100, &kept));
        assert!(written.chunks(2).all(|pair| pair[0].trim_end_matches('a') == pair[1].trim_end_matches('b')));
    }

    #[tokio::test]
    async fn a_torn_line_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        fs::write(&path, "{\"half").unwrap();
        let log = Log::new(Some(path.clone())).unwrap();
        log.write(vec![event(&log, "a")]).await.unwrap();
        log.write(vec![event(&log, "b")]).await.unwrap();
        assert_eq!(users(&path), ["torn", "a", "b"]);
    }

    #[tokio::test]
    async fn what_cannot_be_written_is_not_kept_either() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let log = Log::new(Some(path.clone())).unwrap();
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        log.write(vec![event(&log, "a")]).await.unwrap_err();
        assert_eq!((log.recent(9).len(), log.written(), log.failed()), (0, 0, 1));
        assert!(Log::new(Some(folder.path().join("none/audit.jsonl"))).is_err());
    }

    #[tokio::test]
    async fn the_memory_is_bounded_and_newest_first() {
        let log = Log::new(None).unwrap();
        for n in 0..=KEPT {
            log.write(vec![event(&log, &n.to_string())]).await.unwrap();
        }
        let names: Vec<String> = log
            .recent(KEPT + 9)
            .iter()
            .map(|event| gbac_json::event_to_value(event)["user"]["name"].as_str().unwrap().into())
            .collect();
        assert_eq!((names.len(), names[0].as_str(), names[KEPT - 1].as_str()), (KEPT, "1000", "1"));
        assert_eq!(log.recent(2).len(), 2);
    }
}
