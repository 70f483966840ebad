//! Where audit events are kept: a file of JSON Lines, and the latest in memory.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gbac_analysis::audit::{Event, Product};

use crate::lock::Lock;

/// The number of events kept in memory.
const IN_MEMORY: usize = 1000;

/// The audit log; a handle that is cheap to clone.
#[derive(Clone)]
pub(crate) struct AuditLog(Arc<Parts>);

struct Parts {
    product: Product,
    file: Option<PathBuf>,
    /// Locked while the file is written, so that events have the same order in the file and in memory.
    write_lock: Lock<()>,
    recent: Lock<VecDeque<Event>>,
    written: AtomicU64,
    failed: AtomicU64,
}

impl AuditLog {
    /// A log that appends to this file, or only keeps events in memory.
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
            write_lock: Lock::new(()),
            recent: Lock::new(VecDeque::new()),
            written: AtomicU64::new(0),
            failed: AtomicU64::new(0),
        })))
    }

    pub(super) fn product(&self) -> &Product {
        &self.0.product
    }

    /// The number of events written since the start.
    pub(crate) fn written(&self) -> u64 {
        self.0.written.load(Ordering::Relaxed)
    }

    /// The number of requests rejected since the start because their events could not be written.
    pub(crate) fn failed(&self) -> u64 {
        self.0.failed.load(Ordering::Relaxed)
    }

    /// The latest events, newest first.
    pub(crate) fn recent(&self, limit: usize) -> Vec<Event> {
        self.0.recent.with(|recent| recent.iter().rev().take(limit).cloned().collect())
    }

    /// Writes all of the events or none. When this returns, the operating system has them.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) async fn write(&self, events: Vec<Event>) -> io::Result<()> {
        if events.is_empty() {
            return Ok(());
        }
        let done = if self.0.file.is_some() {
            let this = self.clone();
            // Writing to a disk may block.
            let written = tokio::task::spawn_blocking(move || this.append_events(events)).await;
            written.unwrap_or_else(|error| Err(io::Error::other(error)))
        } else {
            self.append_events(events)
        };
        if done.is_err() {
            self.0.failed.fetch_add(1, Ordering::Relaxed);
        }
        done
    }

    fn append_events(&self, events: Vec<Event>) -> io::Result<()> {
        let count = u64::try_from(events.len()).unwrap_or(u64::MAX);
        let lines: Option<(&Path, String)> = self.0.file.as_deref().map(|path| {
            let text = events.iter().fold(String::new(), |mut text, event| {
                text.push_str(&event.to_line());
                text.push('\n');
                text
            });
            (path, text)
        });
        self.0.write_lock.with(|()| {
            if let Some((path, text)) = lines {
                append(path, &text)?;
            }
            // Updated after the file, so that readers of the latest events do not wait for the disk.
            self.0.recent.with(|recent| {
                recent.extend(events);
                let surplus = recent.len().saturating_sub(IN_MEMORY);
                recent.drain(..surplus);
            });
            Ok::<_, io::Error>(())
        })?;
        self.0.written.fetch_add(count, Ordering::Relaxed);
        Ok(())
    }
}

/// Appends lines to a file. It is opened for each write, so that it can be rotated at any time.
fn append(path: &Path, lines: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    let length = file.metadata()?.len();
    let text = if is_torn(&mut file, length)? && !lines.is_empty() { format!("\n{lines}") } else { lines.to_owned() };
    file.write_all(text.as_bytes()).inspect_err(|_| {
        // A partial line would be the event of a rejected request. If it cannot be removed, the next write ends it.
        let _ = file.set_len(length);
    })
}

/// Whether the last line is incomplete because the machine stopped during a write.
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

    fn event(log: &AuditLog, name: &str) -> Event {
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
    async fn events_are_appended_to_a_private_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let log = AuditLog::new(Some(path.clone())).unwrap();
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
        assert_eq!(users(&path), ["d"], "a new file after a rotation");
        assert_eq!((log.written(), log.failed()), (4, 0));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn concurrent_writers_write_whole_lines_in_one_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let log = AuditLog::new(Some(path.clone())).unwrap();
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
            .recent(IN_MEMORY)
            .iter()
            .map(|event| gbac_json::event_to_value(event)["user"]["name"].as_str().unwrap().into())
            .collect();
        kept.reverse();
        assert_eq!((written.len(), &written), (100, &kept));
        assert!(written.chunks(2).all(|pair| pair[0].trim_end_matches('a') == pair[1].trim_end_matches('b')));
    }

    #[tokio::test]
    async fn an_incomplete_line_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        fs::write(&path, "{\"half").unwrap();
        let log = AuditLog::new(Some(path.clone())).unwrap();
        log.write(vec![event(&log, "a")]).await.unwrap();
        log.write(vec![event(&log, "b")]).await.unwrap();
        assert_eq!(users(&path), ["torn", "a", "b"]);
    }

    #[tokio::test]
    async fn an_event_that_cannot_be_written_is_not_kept_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let log = AuditLog::new(Some(path.clone())).unwrap();
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        log.write(vec![event(&log, "a")]).await.unwrap_err();
        assert_eq!((log.recent(9).len(), log.written(), log.failed()), (0, 0, 1));
        assert!(AuditLog::new(Some(folder.path().join("none/audit.jsonl"))).is_err());
    }

    #[tokio::test]
    async fn the_latest_events_are_bounded_and_newest_first() {
        let log = AuditLog::new(None).unwrap();
        for n in 0..=IN_MEMORY {
            log.write(vec![event(&log, &n.to_string())]).await.unwrap();
        }
        let names: Vec<String> = log
            .recent(IN_MEMORY + 9)
            .iter()
            .map(|event| gbac_json::event_to_value(event)["user"]["name"].as_str().unwrap().into())
            .collect();
        assert_eq!((names.len(), names[0].as_str(), names[IN_MEMORY - 1].as_str()), (IN_MEMORY, "1000", "1"));
        assert_eq!(log.recent(2).len(), 2);
    }
}
