//! The audit file: appended to, rotated by size and age, and bounded in total (D-52).

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::private_file::{self, PrivateTo};

/// The limits of the audit files. A limit of 0 does not apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditFileLimits {
    /// A file of this size in bytes is rotated.
    pub file_bytes: u64,
    /// A file whose first event is this old in seconds is rotated.
    pub file_seconds: u64,
    /// The oldest rotated files are deleted when all files together have more bytes than this.
    pub total_bytes: u64,
    /// No event is written if the disk has fewer free bytes than this.
    pub reserve_bytes: u64,
}

impl Default for AuditFileLimits {
    fn default() -> Self {
        Self { file_bytes: 64 << 20, file_seconds: 24 * 3600, total_bytes: 1 << 30, reserve_bytes: 64 << 20 }
    }
}

/// A file of JSON Lines that stays open. If it is renamed or removed, the next write creates a new one.
pub(super) struct AuditFile {
    path: PathBuf,
    limits: AuditFileLimits,
    open: Option<OpenFile>,
    deleted: u64,
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
    /// Whether its last line is incomplete.
    torn: bool,
}

impl AuditFile {
    /// Opens the file for appending.
    ///
    /// # Errors
    /// It cannot be opened.
    pub(super) fn open(path: PathBuf, limits: AuditFileLimits, now_ms: i64) -> io::Result<Self> {
        let mut file = Self { path, limits, open: None, deleted: 0, rotation_failed: false, group_reads: false };
        file.current(now_ms)?;
        file.delete_surplus();
        Ok(file)
    }

    /// The number of rotated files that were deleted.
    pub(super) const fn deleted(&self) -> u64 {
        self.deleted
    }

    /// Appends whole lines, all of them or none. When this returns, the operating system has them. Without lines, it checks that
    /// some could be appended.
    ///
    /// # Errors
    /// They cannot be written.
    pub(super) fn append(&mut self, lines: &str, now_ms: i64) -> io::Result<()> {
        let mut length = self.current(now_ms)?;
        if length.is_some_and(|length| self.is_due(length, lines.len(), now_ms)) {
            self.rotate();
            length = self.current(now_ms)?;
        }
        if length.is_some() {
            self.check_space(lines.len())?;
        }
        let Some(open) = self.open.as_mut().filter(|_| !lines.is_empty()) else { return Ok(()) };
        if length == Some(0) {
            open.started_ms = now_ms;
        }
        let text = if open.torn { format!("\n{lines}") } else { lines.to_owned() };
        let written = open.file.write_all(text.as_bytes());
        open.torn = false;
        if written.is_err() {
            // A partial line would be the event of a rejected request. If it cannot be removed, the next write ends it.
            open.torn = length.is_none_or(|length| open.file.set_len(length).is_err());
        }
        written
    }

    /// Opens the file if it is not open or another one has its name. Returns its length; `None` if it is not a regular file, whose
    /// size and disk are unknown.
    fn current(&mut self, now_ms: i64) -> io::Result<Option<u64>> {
        let named = fs::symlink_metadata(&self.path).ok();
        if let (Some(open), Some(named)) = (&self.open, &named)
            && open.identity.is_some()
            && open.identity == identity(named)
        {
            return Ok(named.is_file().then_some(named.len()));
        }
        self.open = None;
        let options = &mut OpenOptions::new();
        options.read(true).append(true).create(true);
        let mut file = private_file::open(&self.path, options, PrivateTo::OwnerAndGroup)?;
        let metadata = file.metadata()?;
        let length = metadata.is_file().then_some(metadata.len());
        if self.group_reads && length == Some(0) {
            private_file::let_group_read(&file)?;
        }
        self.group_reads = private_file::group_reads(&file.metadata()?);
        let has_events = length.is_some_and(|length| length > 0);
        let torn = has_events && is_torn(&mut file)?;
        let started_ms = if has_events { first_time(&self.path).unwrap_or(now_ms) } else { now_ms };
        self.open = Some(OpenFile { file, identity: identity(&metadata), started_ms, torn });
        Ok(length)
    }

    fn is_due(&self, length: u64, more: usize, now_ms: i64) -> bool {
        let AuditFileLimits { file_bytes, file_seconds, .. } = self.limits;
        let more = u64::try_from(more).unwrap_or(u64::MAX);
        let age_ms = self.open.as_ref().map_or(0, |open| now_ms.saturating_sub(open.started_ms));
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
                self.delete_surplus();
            }
            Err(error) => {
                if !std::mem::replace(&mut self.rotation_failed, true) {
                    tracing::warn!(target: "audit", %error, "the audit file cannot be rotated");
                }
            }
        }
    }

    /// Deletes the oldest rotated files until a full file fits into the total.
    fn delete_surplus(&mut self) {
        if self.limits.total_bytes == 0 {
            return;
        }
        let rotated = self.rotated();
        let mut total = rotated.iter().map(|(_, size)| size).sum::<u64>().saturating_add(self.limits.file_bytes);
        for (number, size) in rotated {
            if total <= self.limits.total_bytes {
                return;
            }
            let path = self.rotated_path(number);
            match fs::remove_file(&path) {
                Ok(()) => {
                    self.deleted += 1;
                    total = total.saturating_sub(size);
                    let file = path.file_name().unwrap_or_default().to_string_lossy();
                    tracing::info!(target: "audit", %file, "deleted the oldest audit file; the total size is limited");
                }
                Err(error) => return tracing::warn!(target: "audit", %error, "an old audit file cannot be deleted"),
            }
        }
    }

    /// The numbers and sizes of the rotated files, the oldest first.
    fn rotated(&self) -> Vec<(u64, u64)> {
        let (stem, extension) = self.name_parts();
        let number = |name: &str| -> Option<u64> {
            let digits = name.strip_prefix(&stem)?.strip_prefix('-')?.strip_suffix(&extension)?;
            digits.bytes().all(|digit| digit.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
        };
        let entries = fs::read_dir(self.folder()).into_iter().flatten().flatten();
        let mut rotated: Vec<(u64, u64)> = entries
            .filter_map(|entry| Some((number(entry.file_name().to_str()?)?, entry.metadata().ok()?.len())))
            .collect();
        rotated.sort_unstable();
        rotated
    }

    fn rotated_path(&self, number: u64) -> PathBuf {
        let (stem, extension) = self.name_parts();
        self.folder().join(format!("{stem}-{number:08}{extension}"))
    }

    /// `audit` and `.jsonl`.
    fn name_parts(&self) -> (String, String) {
        let text = |part: Option<&std::ffi::OsStr>| part.map(|part| part.to_string_lossy().into_owned());
        let extension = text(self.path.extension()).map(|extension| format!(".{extension}")).unwrap_or_default();
        (text(self.path.file_stem()).unwrap_or_default(), extension)
    }

    fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        }
    }

    /// The space that is kept free lets the store commit, so that auditing can be turned off when the disk is full of events.
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

/// Whether the last line is incomplete because the machine stopped during a write.
fn is_torn(file: &mut File) -> io::Result<bool> {
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

/// The time of the first event of a file.
fn first_time(path: &Path) -> Option<i64> {
    let mut line = String::new();
    BufReader::new(File::open(path).ok()?.take(1 << 20)).read_line(&mut line).ok()?;
    serde_json::from_str::<Value>(&line).ok()?.get("time")?.as_i64()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: AuditFileLimits =
        AuditFileLimits { file_bytes: 100, file_seconds: 60, total_bytes: 300, reserve_bytes: 0 };

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn line(time_ms: i64) -> String {
        format!("{{\"time\":{time_ms},\"x\":\"{}\"}}\n", "y".repeat(40))
    }

    #[test]
    fn a_file_is_rotated_by_size_and_the_total_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = AuditFile::open(folder.path().join("audit.jsonl"), LIMITS, 0).unwrap();
        for _ in 0..2 {
            file.append(&line(1), 1).unwrap();
        }
        assert_eq!(names(folder.path()), ["audit-00000001.jsonl", "audit.jsonl"]);
        for _ in 0..8 {
            file.append(&line(1), 1).unwrap();
        }
        assert_eq!(
            names(folder.path()),
            ["audit-00000007.jsonl", "audit-00000008.jsonl", "audit-00000009.jsonl", "audit.jsonl"]
        );
        assert_eq!(file.deleted(), 6);
        let total: u64 =
            names(folder.path()).iter().map(|name| fs::metadata(folder.path().join(name)).unwrap().len()).sum();
        assert!(total <= LIMITS.total_bytes, "{total}");
        file.append(&"x".repeat(200), 1).unwrap();
        assert!(fs::metadata(folder.path().join("audit.jsonl")).unwrap().len() >= 200, "a long line stays whole");
    }

    #[test]
    fn a_file_is_rotated_by_the_age_of_its_first_event() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let limits = AuditFileLimits { file_bytes: 0, ..LIMITS };
        let mut file = AuditFile::open(path.clone(), limits, 0).unwrap();
        file.append(&line(1000), 1000).unwrap();
        file.append(&line(60_999), 60_999).unwrap();
        assert_eq!(names(folder.path()), ["audit.jsonl"]);
        drop(file);
        let mut file = AuditFile::open(path, limits, 61_000).unwrap();
        file.append(&line(61_000), 61_000).unwrap();
        assert_eq!(names(folder.path()), ["audit-00000001.jsonl", "audit.jsonl"], "the age outlives a restart");
    }

    #[cfg(unix)]
    #[test]
    fn only_a_group_may_read_a_file_besides_its_owner() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let open = || AuditFile::open(path.clone(), LIMITS, 0);
        for (before, after) in [(0o644, 0o640), (0o664, 0o640), (0o640, 0o640), (0o600, 0o600)] {
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(before)).unwrap();
            open().unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, after, "{before:o}");
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let mut file = open().unwrap();
        for _ in 0..3 {
            file.append(&line(1), 1).unwrap();
        }
        assert_eq!(names(folder.path()).len(), 3);
        for name in names(folder.path()) {
            let mode = fs::metadata(folder.path().join(&name)).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o640, "{name}: after a rotation, too");
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(open().map(drop).unwrap_err().to_string().ends_with("can be changed by other users"));
        fs::remove_file(&path).unwrap();
        let mut file = open().unwrap();
        let other = folder.path().join("other");
        fs::write(&other, "x").unwrap();
        fs::remove_file(&path).unwrap();
        symlink(&other, &path).unwrap();
        assert!(file.append(&line(1), 1).unwrap_err().to_string().ends_with("is a link to another file"));
        assert!(open().is_err());
        assert_eq!(fs::read_to_string(other).unwrap(), "x");
    }

    #[test]
    fn the_reserve_is_kept_free() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let limits = AuditFileLimits { reserve_bytes: u64::MAX, ..LIMITS };
        let mut file = AuditFile::open(path.clone(), limits, 0).unwrap();
        let error = file.append(&line(1), 1).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert_eq!(file.append("", 1).unwrap_err().kind(), io::ErrorKind::StorageFull, "a check finds it too");
        assert_eq!(fs::metadata(&path).unwrap().len(), 0);
    }
}
