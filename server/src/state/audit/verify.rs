//! Checking the chains of audit files (D-125): what was changed, removed, inserted or reordered
//! breaks one.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};

use gbac_analysis::audit::{EventLink, deleted_audit_file};
use serde_json::Value;
use thiserror::Error;

use super::chain::ChainEnd;
use super::streams::Stream;

/// The longest line in bytes. The longest events have 100 changes.
const MAX_LINE: u64 = 64 << 20;

/// A chain of audit events without a break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedChain {
    /// `changes` or `audit`.
    pub log: &'static str,
    /// Its files, in their order.
    pub files: Vec<PathBuf>,
    /// The number of its events.
    pub events: u64,
    /// The number of events before it that have no link, because an older version wrote them.
    pub unlinked: u64,
    /// The number of its first event; 0 if it has none, and more than 1 if older files were
    /// deleted, or are not among these.
    pub first_sequence: u64,
    /// The number of its last event.
    pub last_sequence: u64,
    /// The SHA-256 of its last line.
    pub sha256: String,
    /// Whether nothing tells where the events before the first one are.
    pub is_excerpt: bool,
    /// Whether the last file ends with an incomplete line: one that is being written, or that a
    /// killed process left.
    pub ends_incomplete: bool,
}

/// Why audit files are not verified.
#[derive(Debug, Error)]
pub enum AuditVerifyError {
    /// A file or the folder cannot be read.
    #[error("{}: {source}", .path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// A chain is broken.
    #[error("{}:{line}: {reason}", .file.display())]
    Broken {
        /// The file.
        file: PathBuf,
        /// The number of the line, from 1.
        line: u64,
        /// What does not fit.
        reason: String,
    },
}

/// Verifies the audit files in the data folder of a service. Files that are missing at the
/// beginning need an event that says that the service deleted them.
///
/// # Errors
/// A file cannot be read, or a chain is broken: the first break.
pub fn verify_audit_folder(folder: &Path) -> Result<Vec<VerifiedChain>, AuditVerifyError> {
    let (changes, decisions) = split(open_folder(folder)?);
    verify(changes, decisions, true)
}

/// Verifies audit files, wherever they are. They are put into order by their events.
///
/// # Errors
/// A file cannot be read, or a chain is broken: the first break.
pub fn verify_audit_files(paths: &[PathBuf]) -> Result<Vec<VerifiedChain>, AuditVerifyError> {
    let mut files = Vec::with_capacity(paths.len());
    for path in paths {
        files.push(AuditReader::open(path)?);
    }
    let (changes, decisions) = split(files);
    verify(in_order(changes)?, in_order(decisions)?, false)
}

/// An open audit file, which the service can rename meanwhile.
struct AuditReader {
    path: PathBuf,
    lines: BufReader<File>,
    /// The number of the last line that was read.
    line: u64,
}

/// A line without its line break.
struct Line {
    text: Vec<u8>,
    /// Whether it had a line break.
    is_whole: bool,
}

impl AuditReader {
    fn open(path: &Path) -> Result<Self, AuditVerifyError> {
        let file = readable(path, File::open(path))?;
        Ok(Self {
            path: path.to_owned(),
            lines: BufReader::new(file),
            line: 0,
        })
    }

    fn next_line(&mut self) -> Result<Option<Line>, AuditVerifyError> {
        let mut text = Vec::new();
        let read = (&mut self.lines)
            .take(MAX_LINE)
            .read_until(b'\n', &mut text);
        let count = readable(&self.path, read)?;
        self.line += 1;
        let is_whole = text.pop_if(|last| *last == b'\n').is_some();
        if count as u64 == MAX_LINE && !is_whole {
            return Err(self.broken("the line is too long for an event".to_owned()));
        }
        Ok((count > 0).then_some(Line { text, is_whole }))
    }

    fn rewind(&mut self) -> Result<(), AuditVerifyError> {
        self.line = 0;
        readable(&self.path, self.lines.rewind())
    }

    fn broken(&self, reason: String) -> AuditVerifyError {
        AuditVerifyError::Broken {
            file: self.path.clone(),
            line: self.line,
            reason,
        }
    }
}

/// Opens the audit files of a folder, from the oldest. A running service can rotate and delete
/// files at any time, so this is repeated until the names are the same before and after.
fn open_folder(folder: &Path) -> Result<Vec<AuditReader>, AuditVerifyError> {
    loop {
        let names = audit_names(folder)?;
        let opened = names
            .iter()
            .map(|name| AuditReader::open(&folder.join(name)))
            .collect();
        if audit_names(folder)? == names {
            return opened;
        }
    }
}

/// A result of the operating system, whose error names the file or folder.
fn readable<T>(path: &Path, result: io::Result<T>) -> Result<T, AuditVerifyError> {
    result.map_err(|source| AuditVerifyError::Unreadable {
        path: path.to_owned(),
        source,
    })
}

/// The names of a folder's audit files: of each log the rotated ones by their number, then the
/// current one, which a service always has.
fn audit_names(folder: &Path) -> Result<Vec<String>, AuditVerifyError> {
    let mut names = BTreeSet::new();
    for stream in Stream::ALL {
        let name = stream.name();
        names.insert((name, u64::MAX, format!("{name}.jsonl")));
    }
    for entry in readable(folder, fs::read_dir(folder))? {
        let entry = readable(folder, entry)?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        for stream in Stream::ALL {
            if let Some(number) = rotated_number(&name, stream) {
                names.insert((stream.name(), number, name.clone()));
            }
        }
    }
    Ok(names.into_iter().map(|(_, _, name)| name).collect())
}

/// The number of a rotated file of a log; `None` if the file is none.
fn rotated_number(name: &str, stream: Stream) -> Option<u64> {
    let stem = name.strip_suffix(".jsonl")?;
    let digits = stem.strip_prefix(stream.name())?.strip_prefix('-')?;
    digits.parse().ok()
}

/// The files of changes, by their names, and those of decisions.
fn split(files: Vec<AuditReader>) -> (Vec<AuditReader>, Vec<AuditReader>) {
    files.into_iter().partition(|file| {
        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(Stream::Changes.name())
    })
}

/// Files by the number of their first event that has one.
fn in_order(files: Vec<AuditReader>) -> Result<Vec<AuditReader>, AuditVerifyError> {
    let mut numbered = Vec::new();
    for mut file in files {
        let mut first = 0;
        while let Some(line) = file.next_line()? {
            if let Some(link) = link(&line.text) {
                first = link.sequence;
                break;
            }
        }
        file.rewind()?;
        numbered.push((first, file));
    }
    numbered.sort_by_key(|(first, _)| *first);
    Ok(numbered.into_iter().map(|(_, file)| file).collect())
}

fn event(line: &[u8]) -> Option<Value> {
    serde_json::from_slice(line).ok()
}

fn link(line: &[u8]) -> Option<EventLink> {
    EventLink::from_event(&event(line)?)
}

/// The ends of files that the service has deleted: the number of the last event, and the SHA-256 of
/// the last line.
type Deletions = BTreeSet<(u64, String)>;

fn verify(
    mut changes: Vec<AuditReader>,
    decisions: Vec<AuditReader>,
    is_complete: bool,
) -> Result<Vec<VerifiedChain>, AuditVerifyError> {
    let mut deletions = Deletions::new();
    for file in &mut changes {
        while let Some(line) = file.next_line()? {
            let event = event(&line.text).unwrap_or_default();
            if let Some((sequence, sha256)) = deleted_audit_file(&event) {
                deletions.insert((sequence, sha256.to_owned()));
            }
        }
        file.rewind()?;
    }
    let mut chains = Vec::new();
    for (stream, files) in [(Stream::Changes, changes), (Stream::Decisions, decisions)] {
        if !files.is_empty() {
            chains.push(verify_chain(stream, files, &deletions, is_complete)?);
        }
    }
    Ok(chains)
}

fn verify_chain(
    stream: Stream,
    files: Vec<AuditReader>,
    deletions: &Deletions,
    is_complete: bool,
) -> Result<VerifiedChain, AuditVerifyError> {
    let mut chain = VerifiedChain {
        log: stream.name(),
        files: files.iter().map(|file| file.path.clone()).collect(),
        events: 0,
        unlinked: 0,
        first_sequence: 0,
        last_sequence: 0,
        sha256: ChainEnd::default().sha256(),
        is_excerpt: false,
        ends_incomplete: false,
    };
    let count = files.len();
    for (place, mut file) in files.into_iter().enumerate() {
        while let Some(line) = file.next_line()? {
            if !line.is_whole {
                if place + 1 < count {
                    return Err(file.broken("the line is incomplete".to_owned()));
                }
                chain.ends_incomplete = true;
                break;
            }
            chain
                .add(&line.text, deletions, is_complete)
                .map_err(|reason| file.broken(reason))?;
        }
    }
    Ok(chain)
}

impl VerifiedChain {
    /// Adds a line.
    ///
    /// # Errors
    /// It does not follow the one before it; why.
    fn add(&mut self, line: &[u8], deletions: &Deletions, is_complete: bool) -> Result<(), String> {
        match link(line) {
            None if self.events == 0 => self.unlinked += 1,
            None => {
                return Err(
                    "the line is no event with a link; it was changed or inserted".to_owned(),
                );
            }
            Some(link) => {
                if self.events > 0 || self.unlinked > 0 {
                    self.check_follows(&link)?;
                } else {
                    self.check_first(&link, deletions, is_complete)?;
                }
                if self.events == 0 {
                    self.first_sequence = link.sequence;
                }
                self.events += 1;
                self.last_sequence = link.sequence;
            }
        }
        self.sha256 = ChainEnd::after(line).sha256();
        Ok(())
    }

    fn check_follows(&self, link: &EventLink) -> Result<(), String> {
        let EventLink {
            sequence,
            previous_sha256,
        } = link;
        let last = self.last_sequence;
        if *sequence != last + 1 {
            return Err(format!(
                "event {sequence} follows event {last}; events are missing, or in another order"
            ));
        }
        if *previous_sha256 != self.sha256 {
            return Err(format!(
                "event {sequence} does not continue the line before it, which was changed"
            ));
        }
        Ok(())
    }

    fn check_first(
        &mut self,
        link: &EventLink,
        deletions: &Deletions,
        is_complete: bool,
    ) -> Result<(), String> {
        let EventLink {
            sequence,
            previous_sha256,
        } = link;
        let is_beginning = *sequence == 1 && *previous_sha256 == self.sha256;
        let before = (sequence.saturating_sub(1), previous_sha256.clone());
        if is_beginning || deletions.contains(&before) {
            return Ok(());
        }
        if is_complete {
            return Err(format!(
                "what is before event {sequence} is missing, and no event says that the service deleted its file"
            ));
        }
        self.is_excerpt = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use gbac_analysis::audit::{
        Administration, Context, Endpoint, Event, Modification, Product, User, UserKind,
        administration, service,
    };

    use super::*;
    use crate::state::audit::AuditFileLimits;
    use crate::state::audit::AuditLog;

    const LIMITS: AuditFileLimits = AuditFileLimits {
        file_bytes: 4000,
        file_seconds: 0,
        total_bytes: 0,
        changes_total_bytes: 0,
        reserve_bytes: 0,
    };

    fn event(name: &str) -> Event {
        administration(&Administration {
            context: Context {
                time_ms: 1,
                product: &Product::default(),
                service: service::ADMIN,
                server: Endpoint::default(),
                client: Endpoint::default(),
                correlation_uid: None,
                invoked_by: None,
            },
            user: User {
                name: "root",
                kind: UserKind::Admin,
                ..User::default()
            },
            protocol: None,
            modification: Modification::RoleCreated(name),
            action: "created a role",
            reason: None,
            state: None,
        })
    }

    /// Writes 20 events to each file, which are rotated meanwhile.
    fn write(folder: &Path, limits: AuditFileLimits) {
        let log = AuditLog::new(Some(folder.join("audit.jsonl")), limits, || 1.0).unwrap();
        for n in 0..20 {
            for stream in Stream::ALL {
                log.write_now(stream, &[event(&format!("role {n}"))])
                    .unwrap();
            }
        }
    }

    fn told(
        result: Result<Vec<VerifiedChain>, AuditVerifyError>,
    ) -> Result<Vec<(u64, u64, u64)>, String> {
        let numbers =
            |chain: &VerifiedChain| (chain.events, chain.first_sequence, chain.last_sequence);
        match result {
            Ok(chains) => Ok(chains.iter().map(numbers).collect()),
            Err(error @ AuditVerifyError::Unreadable { .. }) => Err(error.to_string()),
            Err(AuditVerifyError::Broken { file, line, reason }) => Err(format!(
                "{}:{line}: {reason}",
                file.file_name().unwrap().display()
            )),
        }
    }

    /// Changes the lines of a file, and verifies the folder.
    fn after(file: &str, change: fn(&mut Vec<String>)) -> Result<Vec<(u64, u64, u64)>, String> {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), LIMITS);
        let path = folder.path().join(file);
        let mut lines: Vec<String> = fs::read_to_string(&path)
            .unwrap()
            .lines()
            .map(str::to_owned)
            .collect();
        change(&mut lines);
        fs::write(
            &path,
            lines
                .iter()
                .flat_map(|line| [line.as_str(), "\n"])
                .collect::<String>(),
        )
        .unwrap();
        told(verify_audit_folder(folder.path()))
    }

    #[test]
    fn every_change_of_a_file_breaks_its_chain() {
        let intact = Ok(vec![(20, 1, 20), (20, 1, 20)]);
        assert_eq!(after("changes.jsonl", |_| {}), intact);
        let broken = |file: &str, change: fn(&mut Vec<String>)| after(file, change).unwrap_err();
        let edit: fn(&mut Vec<String>) = |lines| lines[1] = lines[1].replace("root", "somebody");
        let expected = "changes-00000001.jsonl:3: event 3 does not continue the line before it, which was changed";
        assert_eq!(broken("changes-00000001.jsonl", edit), expected);
        assert_eq!(
            broken("audit-00000002.jsonl", |lines| drop(lines.remove(1))),
            "audit-00000002.jsonl:2: event 11 follows event 9; events are missing, or in another order"
        );
        assert_eq!(
            broken("audit-00000001.jsonl", |lines| lines.swap(1, 2)),
            "audit-00000001.jsonl:2: event 3 follows event 1; events are missing, or in another order"
        );
        let inserted = broken("audit-00000001.jsonl", |lines| {
            lines.insert(2, lines[1].clone());
        });
        assert_eq!(
            inserted,
            "audit-00000001.jsonl:3: event 2 follows event 2; events are missing, or in another order"
        );
        assert_eq!(
            broken("changes-00000002.jsonl", |lines| lines
                .insert(1, "{\"time\":1}".to_owned())),
            "changes-00000002.jsonl:2: the line is no event with a link; it was changed or inserted"
        );
        let cut = broken("changes-00000001.jsonl", |lines| lines.truncate(3));
        assert_eq!(
            cut,
            "changes-00000002.jsonl:1: event 9 follows event 3; events are missing, or in another order"
        );
        let head = broken("changes-00000001.jsonl", |lines| drop(lines.remove(0)));
        let reason = "what is before event 2 is missing, and no event says that the service deleted its file";
        assert_eq!(head, format!("changes-00000001.jsonl:1: {reason}"));
        // What comes last is only missed by who has kept a later hash.
        let end = after("audit.jsonl", |lines| drop(lines.pop())).unwrap();
        assert_eq!(end, [(20, 1, 20), (19, 1, 19)]);
    }

    #[test]
    fn a_missing_file_is_a_break_unless_the_service_has_deleted_it() {
        let folder = tempfile::tempdir().unwrap();
        write(
            folder.path(),
            AuditFileLimits {
                total_bytes: 9000,
                ..LIMITS
            },
        );
        assert!(!folder.path().join("audit-00000001.jsonl").exists());
        let [changes, decisions] = told(verify_audit_folder(folder.path()))
            .unwrap()
            .try_into()
            .unwrap();
        assert_eq!((changes.0, changes.1), (21, 1), "and a deletion");
        assert_eq!((decisions.1, decisions.2), (9, 20));
        fs::remove_file(folder.path().join("audit-00000002.jsonl")).unwrap();
        let error = told(verify_audit_folder(folder.path())).unwrap_err();
        assert!(
            error.starts_with("audit.jsonl:1: what is before event "),
            "{error}"
        );
        fs::remove_file(folder.path().join("audit.jsonl")).unwrap();
        assert!(
            told(verify_audit_folder(folder.path()))
                .unwrap_err()
                .contains("audit.jsonl: ")
        );
    }

    #[test]
    fn files_are_verified_wherever_they_are() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), LIMITS);
        let moved = folder.path().join("archive");
        fs::rename(folder.path().join("audit-00000001.jsonl"), &moved).unwrap();
        let files = [
            "audit.jsonl",
            "archive",
            "audit-00000002.jsonl",
            "changes-00000001.jsonl",
        ];
        let mut files = files.map(|name| folder.path().join(name));
        let chains = verify_audit_files(&files).unwrap();
        assert_eq!(told(Ok(chains)).unwrap(), [(8, 1, 8), (20, 1, 20)]);
        files[1] = folder.path().join("changes-00000002.jsonl");
        let chains = verify_audit_files(&files).unwrap();
        assert!(
            !chains[0].is_excerpt && chains[1].is_excerpt,
            "the first file is not there"
        );
    }

    #[test]
    fn a_line_that_is_being_written_is_no_break() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), LIMITS);
        let path = folder.path().join("audit.jsonl");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{text}{{\"half")).unwrap();
        let chains = verify_audit_folder(folder.path()).unwrap();
        assert!(!chains[0].ends_incomplete && chains[1].ends_incomplete);
        assert_eq!(chains[1].last_sequence, 20);
    }
}
