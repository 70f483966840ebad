//! A file of the audit log: appended to, rotated by size and age, and bounded in total (D-52).

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use gbac_analysis::audit::EventText;
use serde_json::Value;

use super::chain::ChainEnd;
use crate::private_file::{self, PrivateTo};

/// The limits of the audit files. A limit of 0 does not apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditFileLimits {
    /// A file of this size in bytes is rotated.
    pub file_bytes: u64,
    /// A file whose first event is this old in seconds is rotated.
    pub file_seconds: u64,
    /// The oldest rotated files of decisions are deleted when all of them together have more bytes
    /// than this.
    pub total_bytes: u64,
    /// The same for the files of changes.
    pub changes_total_bytes: u64,
    /// No event is written if the disk has fewer free bytes than this.
    pub reserve_bytes: u64,
}

impl Default for AuditFileLimits {
    fn default() -> Self {
        Self {
            file_bytes: 64 << 20,
            file_seconds: 24 * 3600,
            total_bytes: 1 << 30,
            changes_total_bytes: 0,
            reserve_bytes: 64 << 20,
        }
    }
}

/// A file of JSON Lines that stays open, and its chain of events. If it is renamed or removed, the
/// next write creates a new one.
pub(super) struct AuditFile {
    path: PathBuf,
    /// Of these, `total_bytes` is the limit of this file and its rotated ones.
    limits: AuditFileLimits,
    open: Option<OpenFile>,
    end: ChainEnd,
    /// Whether there may be too many rotated files.
    may_have_surplus: bool,
    /// Whether the last rotation failed, so that only the first failure is logged.
    rotation_failed: bool,
    /// Whether its group can read the file, and so the next one.
    group_reads: bool,
}

struct OpenFile {
    file: File,
    identity: Option<(u64, u64)>,
    /// The time of its first event in milliseconds since 1970.
    started_ms: i64,
    /// The length to which it must be cut, because lines were written in part.
    cut_to: Option<u64>,
}

/// A rotated file that is too many.
pub(super) struct Surplus {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
    /// The end of its part of the chain.
    pub(super) end: ChainEnd,
}

impl Surplus {
    pub(super) fn name(&self) -> String {
        self.path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    }
}

impl AuditFile {
    /// Opens the file for appending. The next event continues the chain of the last one in it, or
    /// in the newest rotated file.
    ///
    /// # Errors
    /// It cannot be opened or read.
    pub(super) fn open(path: PathBuf, limits: AuditFileLimits, now_ms: i64) -> io::Result<Self> {
        let end = ChainEnd::default();
        let mut file = Self {
            path,
            limits,
            open: None,
            end,
            may_have_surplus: true,
            rotation_failed: false,
            group_reads: false,
        };
        let length = file.current(now_ms)?;
        let last_rotated = file.open_rotated()?;
        file.end = match (&mut file.open, length, last_rotated) {
            (Some(open), Some(1..), _) => tail(&mut open.file)?.end,
            (_, _, Some(mut last)) => tail(&mut last)?.end,
            (_, _, None) => end,
        };
        Ok(file)
    }

    /// Opens the newest rotated file, if there is one. Like the current file, none of them may be
    /// readable by others.
    fn open_rotated(&self) -> io::Result<Option<File>> {
        let mut last = None;
        for (number, _) in self.rotated() {
            last = Some(private_file::open(
                &self.rotated_path(number),
                OpenOptions::new().read(true),
                PrivateTo::OwnerAndGroup,
            )?);
        }
        Ok(last)
    }

    /// The end of the chain.
    pub(super) const fn end(&self) -> ChainEnd {
        self.end
    }

    /// Appends events, all of them or none, and returns their lines. When this returns, the
    /// operating system has them. Without events, it checks that some could be appended.
    ///
    /// # Errors
    /// They cannot be written.
    pub(super) fn append(&mut self, events: &[&EventText], now_ms: i64) -> io::Result<Vec<String>> {
        let (mut end, mut lines, mut text) = (self.end, Vec::new(), String::new());
        for event in events {
            let line = end.push(event);
            text.push_str(&line);
            text.push('\n');
            lines.push(line);
        }
        let mut length = self.current(now_ms)?;
        if let Some(bytes) = length
            && self.is_due(bytes, text.len(), now_ms)
        {
            self.rotate();
            length = self.current(now_ms)?;
        }
        if length.is_some() {
            self.check_space(text.len())?;
        }
        let Some(open) = &mut self.open else {
            return Ok(lines);
        };
        if text.is_empty() {
            return Ok(lines);
        }
        if length == Some(0) {
            open.started_ms = now_ms;
        }
        let written = open.file.write_all(text.as_bytes());
        if written.is_err() {
            // A line would be the event of a rejected request. If it cannot be removed now, it is
            // before the next write.
            open.cut_to = match length {
                Some(length) if open.file.set_len(length).is_err() => Some(length),
                _ => None,
            };
        }
        written?;
        self.end = end;
        Ok(lines)
    }

    /// Opens the file if it is not open or another one has its name. Returns its length; `None` if
    /// it is not a regular file, whose size and disk are unknown.
    fn current(&mut self, now_ms: i64) -> io::Result<Option<u64>> {
        let named = fs::symlink_metadata(&self.path).ok();
        if let (Some(open), Some(named)) = (&mut self.open, &named)
            && open.identity.is_some()
            && open.identity == identity(named)
        {
            if let Some(length) = open.cut_to {
                open.file.set_len(length)?;
                open.cut_to = None;
                return Ok(Some(length));
            }
            return Ok(named.is_file().then_some(named.len()));
        }
        self.open = None;
        let options = &mut OpenOptions::new();
        options.read(true).append(true).create(true);
        let mut file = private_file::open(&self.path, options, PrivateTo::OwnerAndGroup)?;
        let metadata = file.metadata()?;
        let mut length = metadata.is_file().then_some(metadata.len());
        if self.group_reads && length == Some(0) {
            private_file::let_group_read(&file)?;
        }
        self.group_reads = private_file::group_reads(&file.metadata()?);
        if let Some(1..) = length {
            length = Some(self.cut_torn_line(&mut file, metadata.len())?);
        }
        let started_ms = match length {
            Some(1..) => first_time(&self.path).unwrap_or(now_ms),
            _ => now_ms,
        };
        self.open = Some(OpenFile {
            file,
            identity: identity(&metadata),
            started_ms,
            cut_to: None,
        });
        Ok(length)
    }

    /// Removes an incomplete line at the end: that of a request without response, because the
    /// process was killed during a write. It belongs to no chain. Returns the new length.
    fn cut_torn_line(&self, file: &mut File, length: u64) -> io::Result<u64> {
        let whole = tail(file)?.whole;
        if whole < length {
            file.set_len(whole)?;
            let (file, bytes) = (
                self.path.file_name().unwrap_or_default().to_string_lossy(),
                length - whole,
            );
            tracing::warn!(target: "audit", %file, bytes, "removed an incomplete line at the end of an audit file");
        }
        Ok(whole)
    }

    fn is_due(&mut self, length: u64, more: usize, now_ms: i64) -> bool {
        let AuditFileLimits {
            file_bytes,
            file_seconds,
            ..
        } = self.limits;
        let more = u64::try_from(more).unwrap_or(u64::MAX);
        // If the clock was set back behind the first event, its age begins again.
        let age_ms = match &mut self.open {
            Some(open) => {
                open.started_ms = open.started_ms.min(now_ms);
                now_ms.saturating_sub(open.started_ms)
            }
            None => 0,
        };
        let age = u64::try_from(age_ms / 1000).unwrap_or(0);
        length > 0
            && ((file_bytes > 0 && length.saturating_add(more) > file_bytes)
                || (file_seconds > 0 && age >= file_seconds))
    }

    /// Renames the file; the next write creates a new one. If that fails, the file only grows.
    fn rotate(&mut self) {
        let number = self.rotated().last().map_or(0, |(number, _)| *number) + 1;
        match fs::rename(&self.path, self.rotated_path(number)) {
            Ok(()) => {
                self.rotation_failed = false;
                self.open = None;
                self.may_have_surplus = true;
            }
            Err(error) => {
                if !std::mem::replace(&mut self.rotation_failed, true) {
                    tracing::warn!(target: "audit", %error, "the audit file cannot be rotated");
                }
            }
        }
    }

    /// The oldest rotated file, if a full file does not fit into the total otherwise.
    pub(super) fn surplus(&mut self) -> Option<Surplus> {
        let limit = self.limits.total_bytes;
        if limit == 0 || !std::mem::take(&mut self.may_have_surplus) {
            return None;
        }
        let rotated = self.rotated();
        let sizes: u64 = rotated.iter().map(|(_, size)| size).sum();
        if sizes.saturating_add(self.limits.file_bytes) <= limit {
            return None;
        }
        let (number, bytes) = rotated.first()?;
        let path = self.rotated_path(*number);
        match File::open(&path).and_then(|mut file| tail(&mut file)) {
            Ok(Tail { end, .. }) => Some(Surplus {
                path,
                bytes: *bytes,
                end,
            }),
            Err(error) => {
                tracing::warn!(target: "audit", %error, "an old audit file cannot be read, and is not deleted");
                None
            }
        }
    }

    /// Deletes a rotated file whose deletion is recorded; there may be more.
    pub(super) fn delete(&mut self, surplus: &Surplus) -> bool {
        let (result, file) = (fs::remove_file(&surplus.path), surplus.name());
        self.may_have_surplus = result.is_ok();
        match result {
            Ok(()) => {
                tracing::info!(target: "audit", %file, "deleted the oldest audit file; the total size is limited");
            }
            Err(error) => {
                tracing::warn!(target: "audit", %error, %file, "an old audit file cannot be deleted");
            }
        }
        self.may_have_surplus
    }

    /// The numbers and sizes of the rotated files, the oldest first.
    fn rotated(&self) -> Vec<(u64, u64)> {
        let (stem, extension) = self.name_parts();
        let mut rotated = Vec::new();
        for entry in fs::read_dir(self.folder()).into_iter().flatten().flatten() {
            if let Some(name) = entry.file_name().to_str()
                && let Some(number) = rotated_number(name, &stem, &extension)
                && let Ok(metadata) = entry.metadata()
            {
                rotated.push((number, metadata.len()));
            }
        }
        rotated.sort_unstable();
        rotated
    }

    fn rotated_path(&self, number: u64) -> PathBuf {
        let (stem, extension) = self.name_parts();
        self.folder().join(format!("{stem}-{number:08}{extension}"))
    }

    /// `audit` and `.jsonl`.
    fn name_parts(&self) -> (String, String) {
        let stem = self.path.file_stem().unwrap_or_default();
        let extension = match self.path.extension() {
            Some(extension) => format!(".{}", extension.to_string_lossy()),
            None => String::new(),
        };
        (stem.to_string_lossy().into_owned(), extension)
    }

    fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        }
    }

    /// The space that is kept free lets the store commit, so that auditing can be turned off when
    /// the disk is full of events.
    fn check_space(&self, more: usize) -> io::Result<()> {
        let reserve = self.limits.reserve_bytes;
        let needed = reserve.saturating_add(u64::try_from(more).unwrap_or(u64::MAX));
        match fs4::available_space(self.folder()) {
            Ok(free) if reserve > 0 && free < needed => {
                let message = format!("the disk has less than {} MiB of free space", reserve >> 20);
                Err(io::Error::new(io::ErrorKind::StorageFull, message))
            }
            // A disk that does not say how much is free is written until it refuses.
            Ok(_) | Err(_) => Ok(()),
        }
    }
}

/// The number of a rotated file; `None` if the file is none.
fn rotated_number(name: &str, stem: &str, extension: &str) -> Option<u64> {
    let digits = name
        .strip_prefix(stem)?
        .strip_prefix('-')?
        .strip_suffix(extension)?;
    if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

/// Without an identity, the file is opened for each write.
#[cfg(not(unix))]
fn identity(_: &Metadata) -> Option<(u64, u64)> {
    None
}

/// The last whole line of a file.
struct Tail {
    /// The length of the file up to its end.
    whole: u64,
    end: ChainEnd,
}

/// Reads a file backward until its last whole line.
fn tail(file: &mut File) -> io::Result<Tail> {
    const BLOCK: u64 = 64 << 10;
    let length = file.metadata()?.len();
    let (mut start, mut text) = (length, Vec::new());
    loop {
        let last = text.iter().rposition(|byte| *byte == b'\n');
        let before =
            last.and_then(|last| text.get(..last)?.iter().rposition(|byte| *byte == b'\n'));
        if let Some(last) = last
            && (before.is_some() || start == 0)
        {
            let line = text
                .get(before.map_or(0, |before| before + 1)..last)
                .unwrap_or_default();
            let rest = text.len() - last - 1;
            return Ok(Tail {
                whole: length - u64::try_from(rest).unwrap_or(0),
                end: ChainEnd::after(line),
            });
        }
        if start == 0 {
            return Ok(Tail {
                whole: 0,
                end: ChainEnd::default(),
            });
        }
        // Twice as much each time, because a line can be long.
        let size = start.min(BLOCK.max(length - start));
        start -= size;
        file.seek(SeekFrom::Start(start))?;
        let mut block = Vec::new();
        file.take(size).read_to_end(&mut block)?;
        block.append(&mut text);
        text = block;
    }
}

/// The time of the first event of a file.
fn first_time(path: &Path) -> Option<i64> {
    let mut line = String::new();
    BufReader::new(File::open(path).ok()?.take(1 << 20))
        .read_line(&mut line)
        .ok()?;
    serde_json::from_str::<Value>(&line)
        .ok()?
        .get("time")?
        .as_i64()
}

#[cfg(test)]
mod tests {
    use gbac_analysis::audit::{
        AuthProtocol, Authentication, Context, Endpoint, EventLink, Product, SignInResult, User,
        authentication, service,
    };

    use super::*;

    const LIMITS: AuditFileLimits = AuditFileLimits {
        file_bytes: 1000,
        file_seconds: 60,
        total_bytes: 3000,
        changes_total_bytes: 0,
        reserve_bytes: 0,
    };

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// An event of more than 500 bytes with its link.
    fn event(time_ms: i64) -> EventText {
        let product = Product {
            name: "y".repeat(400),
            ..Product::default()
        };
        let context = Context {
            time_ms,
            product: &product,
            service: service::ADMIN,
            server: Endpoint::default(),
            client: Endpoint::default(),
            correlation_uid: None,
            invoked_by: None,
        };
        let (user, protocol, result) = (
            User::default(),
            AuthProtocol::Oauth2,
            SignInResult::Success { groups: &[] },
        );
        authentication(&Authentication {
            context,
            user,
            protocol,
            cleartext: false,
            result,
        })
        .to_text()
    }

    fn append(file: &mut AuditFile, time_ms: i64) -> String {
        let [line] = file
            .append(&[&event(time_ms)], time_ms)
            .unwrap()
            .try_into()
            .unwrap();
        assert!((500..1000).contains(&line.len()), "{line}");
        while let Some(surplus) = file.surplus() {
            assert!(file.delete(&surplus));
        }
        line
    }

    fn sequences(path: &Path) -> Vec<u64> {
        let text = fs::read_to_string(path).unwrap();
        text.lines()
            .map(|line| {
                EventLink::from_event(&serde_json::from_str(line).unwrap())
                    .unwrap()
                    .sequence
            })
            .collect()
    }

    #[test]
    fn a_file_is_rotated_by_size_and_the_total_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = AuditFile::open(folder.path().join("audit.jsonl"), LIMITS, 0).unwrap();
        for _ in 0..2 {
            append(&mut file, 1);
        }
        assert_eq!(
            names(folder.path()),
            ["audit-00000001.jsonl", "audit.jsonl"]
        );
        for _ in 0..8 {
            append(&mut file, 1);
        }
        let total: u64 = names(folder.path())
            .iter()
            .map(|name| fs::metadata(folder.path().join(name)).unwrap().len())
            .sum();
        assert!(total <= LIMITS.total_bytes, "{total}");
        assert_eq!(
            names(folder.path()).last_chunk::<2>().unwrap(),
            &["audit-00000009.jsonl", "audit.jsonl"]
        );
        assert!(!names(folder.path()).contains(&"audit-00000001.jsonl".to_owned()));
        let many = [&event(1), &event(1), &event(1)];
        file.append(&many, 1).unwrap();
        assert_eq!(
            sequences(&folder.path().join("audit.jsonl")),
            [11, 12, 13],
            "what is written at once stays whole"
        );
    }

    #[test]
    fn a_file_is_rotated_by_the_age_of_its_first_event() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let limits = AuditFileLimits {
            file_bytes: 0,
            total_bytes: 0,
            ..LIMITS
        };
        let mut file = AuditFile::open(path.clone(), limits, 0).unwrap();
        append(&mut file, 1000);
        append(&mut file, 60_999);
        assert_eq!(names(folder.path()), ["audit.jsonl"]);
        drop(file);
        let mut file = AuditFile::open(path, limits, 61_000).unwrap();
        append(&mut file, 61_000);
        assert_eq!(
            names(folder.path()),
            ["audit-00000001.jsonl", "audit.jsonl"],
            "the age outlives a restart"
        );
        append(&mut file, 1000);
        append(&mut file, 61_000);
        assert_eq!(
            names(folder.path()).len(),
            3,
            "the age begins again when the clock is set back"
        );
    }

    #[test]
    fn the_chain_goes_on_across_rotations_restarts_and_torn_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let mut last = ChainEnd::default();
        for round in 0..12 {
            let mut file = AuditFile::open(path.clone(), LIMITS, 1).unwrap();
            assert_eq!(file.end(), last, "round {round}");
            let line = append(&mut file, 1);
            let link = EventLink::from_event(&serde_json::from_str(&line).unwrap()).unwrap();
            assert_eq!(
                (link.sequence, &link.previous_sha256),
                (round + 1, &last.sha256())
            );
            last = file.end();
            drop(file);
            match round % 3 {
                // Killed after the first bytes of a line, after most of a long one, and after a
                // rotation.
                0 => OpenOptions::new()
                    .append(true)
                    .open(&path)
                    .unwrap()
                    .write_all(b"{\"ti")
                    .unwrap(),
                1 => OpenOptions::new()
                    .append(true)
                    .open(&path)
                    .unwrap()
                    .write_all(&[b'x'; 300_000])
                    .unwrap(),
                _ => fs::rename(
                    &path,
                    folder.path().join(format!("audit-{round:05}000.jsonl")),
                )
                .unwrap(),
            }
        }
    }

    #[test]
    fn a_chain_continues_after_events_without_links() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        fs::write(&path, "{\"time\":1}\n{\"time\":2}\n").unwrap();
        let mut file = AuditFile::open(path, LIMITS, 1).unwrap();
        let link =
            EventLink::from_event(&serde_json::from_str(&append(&mut file, 1)).unwrap()).unwrap();
        assert_eq!(
            link,
            EventLink {
                sequence: 1,
                previous_sha256: ChainEnd::after(b"{\"time\":2}").sha256()
            }
        );
    }

    #[cfg(unix)]
    #[test]
    fn only_a_group_may_read_a_file_besides_its_owner() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let open = || AuditFile::open(path.clone(), LIMITS, 0);
        for (before, after) in [
            (0o644, 0o640),
            (0o664, 0o640),
            (0o640, 0o640),
            (0o600, 0o600),
        ] {
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(before)).unwrap();
            open().unwrap();
            assert_eq!(
                fs::metadata(&path).unwrap().permissions().mode() & 0o777,
                after,
                "{before:o}"
            );
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let mut file = open().unwrap();
        for _ in 0..3 {
            file.append(&[&event(1)], 1).unwrap();
        }
        assert_eq!(names(folder.path()).len(), 3);
        for name in names(folder.path()) {
            let mode = fs::metadata(folder.path().join(&name))
                .unwrap()
                .permissions()
                .mode()
                & 0o777;
            assert_eq!(mode, 0o640, "{name}: after a rotation, too");
        }
        let rotated = folder.path().join("audit-00000001.jsonl");
        for (before, after) in [(0o644, 0o640), (0o604, 0o600)] {
            fs::set_permissions(&rotated, fs::Permissions::from_mode(before)).unwrap();
            open().unwrap();
            let mode = fs::metadata(&rotated).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, after, "{before:o}: an existing rotated file");
        }
        fs::set_permissions(&rotated, fs::Permissions::from_mode(0o646)).unwrap();
        assert!(
            open()
                .map(drop)
                .unwrap_err()
                .to_string()
                .ends_with("can be changed by other users")
        );
        fs::set_permissions(&rotated, fs::Permissions::from_mode(0o600)).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(
            open()
                .map(drop)
                .unwrap_err()
                .to_string()
                .ends_with("can be changed by other users")
        );
        fs::remove_file(&path).unwrap();
        let mut file = open().unwrap();
        let other = folder.path().join("other");
        fs::write(&other, "x").unwrap();
        fs::remove_file(&path).unwrap();
        symlink(&other, &path).unwrap();
        assert!(
            file.append(&[&event(1)], 1)
                .unwrap_err()
                .to_string()
                .ends_with("is a link to another file")
        );
        assert!(open().is_err());
        assert_eq!(fs::read_to_string(other).unwrap(), "x");
    }

    #[test]
    fn the_reserve_is_kept_free() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let limits = AuditFileLimits {
            reserve_bytes: u64::MAX,
            ..LIMITS
        };
        let mut file = AuditFile::open(path.clone(), limits, 0).unwrap();
        let error = file.append(&[&event(1)], 1).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert_eq!(
            file.append(&[], 1).unwrap_err().kind(),
            io::ErrorKind::StorageFull,
            "a check finds it too"
        );
        assert_eq!(
            (fs::metadata(&path).unwrap().len(), file.end()),
            (0, ChainEnd::default())
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error() {
        let mut file = AuditFile::open("/dev/full".into(), LIMITS, 0).unwrap();
        assert_eq!(
            file.append(&[&event(1)], 1).unwrap_err().kind(),
            io::ErrorKind::StorageFull
        );
        assert_eq!(file.end(), ChainEnd::default());
    }
}
