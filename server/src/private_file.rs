//! Files and folders of our own: created private, and refused if others may have written or
//! replaced them (D-132).

#[cfg(unix)]
use std::fs::{self, Permissions};
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use gbac_engine::escape::escaped;
use thiserror::Error;

/// Who can read a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrivateTo {
    /// Its owner.
    Owner,
    /// Its owner, and its group if it has that right. A log collector reads audit files like this.
    OwnerAndGroup,
}

/// Why a file or folder is not private.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Exposure {
    /// Its name is a link to another file.
    #[error("is a link to another file")]
    Link,
    /// The file has another name, too.
    #[error("has another name, too (a hard link)")]
    HardLink,
    /// It is a folder, a pipe or a device.
    #[error("is not a regular file")]
    NotRegular,
    /// Another user owns it.
    #[error("belongs to another user")]
    Owner,
    /// Other users can write to it.
    #[error("can be changed by other users")]
    Writable,
    /// Other users can read it.
    #[error("can be read by other users")]
    Readable,
}

impl Exposure {
    /// What to do about it.
    #[must_use]
    pub const fn hint(self) -> &'static str {
        match self {
            Self::Link | Self::HardLink => "replace it with a copy of the file",
            Self::NotRegular => "remove it",
            Self::Owner => {
                "check its content, and give it to the user of this process with `chown`, or run as its owner"
            }
            Self::Writable => "check its content, and run `chmod go-w` on it",
            Self::Readable => "run `chmod 600` on it",
        }
    }
}

/// The file or folder that is not used.
#[derive(Debug, Error)]
#[error("`{}` {exposure}", escaped(&path.display().to_string()))]
struct ExposedFile {
    path: PathBuf,
    exposure: Exposure,
}

/// What to do about an error of this module; `None` for other errors.
#[must_use]
pub fn hint(error: &io::Error) -> Option<&'static str> {
    let exposed: &ExposedFile = error.get_ref()?.downcast_ref()?;
    Some(exposed.exposure.hint())
}

/// Opens a file of our own. A new one is private to its owner. Of an existing one, rights that it
/// should not have are removed.
///
/// # Errors
/// It cannot be opened, or others may have written or replaced it.
pub fn open(path: &Path, options: &mut OpenOptions, private_to: PrivateTo) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let no_link = (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits();
        options.mode(0o600).custom_flags(no_link.cast_signed());
    }
    #[cfg(not(unix))]
    let _ = private_to;
    let opened = options.open(path);
    #[cfg(unix)]
    if opened.is_err() && fs::symlink_metadata(path).is_ok_and(|named| named.is_symlink()) {
        return Err(exposed(path, Exposure::Link));
    }
    let file = opened?;
    #[cfg(unix)]
    claim(path, &file, private_to)?;
    Ok(file)
}

/// Whether the group of a file can read it.
pub(crate) fn group_reads(file: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        file.mode() & 0o040 != 0
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        false
    }
}

/// Lets the group of a file of our own read it.
///
/// # Errors
/// Its permissions cannot be changed.
pub(crate) fn let_group_read(file: &File) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.set_permissions(Permissions::from_mode(0o640))?;
    }
    let _ = file;
    Ok(())
}

/// Refuses a folder in which others could replace files of ours. Its group can: who runs the
/// service in a container shares the folder with it by a group.
///
/// # Errors
/// It cannot be read, or it is such a folder.
pub(crate) fn check_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let folder = fs::metadata(path)?;
        if !is_trusted(folder.uid()) {
            return Err(exposed(path, Exposure::Owner));
        }
        if folder.mode() & 0o002 != 0 {
            return Err(exposed(path, Exposure::Writable));
        }
    }
    Ok(())
}

/// Restricts a folder to its owner, if this is the user of the process.
///
/// # Errors
/// Its permissions cannot be changed.
pub(crate) fn restrict_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        if fs::metadata(path)?.uid() == user() {
            fs::set_permissions(path, Permissions::from_mode(0o700))?;
        }
    }
    Ok(())
}

/// What others can do with a file whose content is a secret or decides where secrets are sent.
/// Links are followed: Kubernetes mounts secrets as links. `None` if the file cannot be read, which
/// is the error of reading it.
#[must_use]
pub fn exposure(path: &Path, private_to: PrivateTo) -> Option<Exposure> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let file = fs::metadata(path).ok().filter(Metadata::is_file)?;
        exposure_of(file.mode(), is_trusted(file.uid()), private_to)
    }
    #[cfg(not(unix))]
    {
        let _ = (path, private_to);
        None
    }
}

/// What others can do with a file with a secret, and what to do about it, as a sentence; `None` if
/// it is private. Its group can read it, because programs that manage secrets often pass them to a
/// group.
#[must_use]
pub fn secret_notice(path: &Path) -> Option<String> {
    let exposure = exposure(path, PrivateTo::OwnerAndGroup)?;
    Some(format!(
        "the secret in `{}` {exposure}; {}",
        escaped(&path.display().to_string()),
        exposure.hint()
    ))
}

#[cfg(unix)]
fn exposure_of(mode: u32, has_trusted_owner: bool, private_to: PrivateTo) -> Option<Exposure> {
    let readers = match private_to {
        PrivateTo::Owner => 0o044,
        PrivateTo::OwnerAndGroup => 0o004,
    };
    if !has_trusted_owner {
        Some(Exposure::Owner)
    } else if mode & 0o022 != 0 {
        Some(Exposure::Writable)
    } else if mode & readers != 0 {
        Some(Exposure::Readable)
    } else {
        None
    }
}

/// Refuses an open file that others may have written, and removes the rights that they should not
/// have. Group write alone is removed: Kubernetes adds it to every file of a volume with an
/// `fsGroup`.
#[cfg(unix)]
fn claim(path: &Path, file: &File, private_to: PrivateTo) -> io::Result<()> {
    use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
    let metadata = file.metadata()?;
    // Only root can make a device.
    if metadata.file_type().is_char_device() && private_to == PrivateTo::OwnerAndGroup {
        return Ok(());
    }
    let problem = if !metadata.is_file() {
        Some(Exposure::NotRegular)
    } else if metadata.uid() != user() {
        Some(Exposure::Owner)
    } else if metadata.mode() & 0o002 != 0 {
        Some(Exposure::Writable)
    } else if metadata.nlink() > 1 {
        Some(Exposure::HardLink)
    } else {
        None
    };
    if let Some(exposure) = problem {
        return Err(exposed(path, exposure));
    }
    let mode = metadata.mode() & 0o777;
    let private = match private_to {
        PrivateTo::Owner => mode & 0o600,
        PrivateTo::OwnerAndGroup => mode & 0o640,
    };
    if mode == private {
        Ok(())
    } else {
        file.set_permissions(Permissions::from_mode(private))
    }
}

#[cfg(unix)]
fn exposed(path: &Path, exposure: Exposure) -> io::Error {
    io::Error::new(
        io::ErrorKind::PermissionDenied,
        ExposedFile {
            path: path.into(),
            exposure,
        },
    )
}

/// The user of this process.
#[cfg(unix)]
fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Whether a user can change everything of ours anyway.
#[cfg(unix)]
fn is_trusted(owner: u32) -> bool {
    owner == user() || owner == 0
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};

    use super::*;

    fn with_mode(path: &Path, mode: u32) -> PathBuf {
        fs::write(path, "content").unwrap();
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        path.into()
    }

    fn open_own(path: &Path) -> io::Result<File> {
        open(
            path,
            OpenOptions::new().read(true).write(true).create(true),
            PrivateTo::Owner,
        )
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn a_file_of_our_own_is_private_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own");
        open_own(&path).unwrap();
        assert_eq!(mode(&path), 0o600);
        for too_many in [0o644, 0o640, 0o660, 0o604] {
            open_own(&with_mode(&path, too_many)).unwrap();
            assert_eq!(mode(&path), 0o600, "{too_many:o}");
        }
        let refused = |path: &Path, exposure: Exposure| {
            let error = open_own(path).unwrap_err();
            assert!(
                error.to_string().ends_with(&format!("` {exposure}")),
                "{error}"
            );
            assert_eq!(hint(&error), Some(exposure.hint()));
        };
        refused(&with_mode(&path, 0o666), Exposure::Writable);
        refused(&with_mode(&path, 0o602), Exposure::Writable);
        with_mode(&path, 0o644);
        let other = folder.path().join("other");
        symlink(&path, &other).unwrap();
        refused(&other, Exposure::Link);
        symlink("nothing", folder.path().join("dangling")).unwrap();
        refused(&folder.path().join("dangling"), Exposure::Link);
        assert!(!folder.path().join("nothing").exists());
        fs::remove_file(&other).unwrap();
        fs::hard_link(&path, &other).unwrap();
        refused(&other, Exposure::HardLink);
        assert_eq!(mode(&path), 0o644, "the other file keeps its permissions");
        fs::remove_file(&other).unwrap();
        if chown(&path, Some(65_534), None).is_ok() {
            refused(&path, Exposure::Owner);
        }
    }

    #[test]
    fn a_folder_is_shared_with_its_group_at_most() {
        let folder = tempfile::tempdir().unwrap();
        for (mode, is_accepted) in [
            (0o700, true),
            (0o2770, true),
            (0o755, true),
            (0o777, false),
            (0o1777, false),
        ] {
            fs::set_permissions(folder.path(), Permissions::from_mode(mode)).unwrap();
            assert_eq!(check_folder(folder.path()).is_ok(), is_accepted, "{mode:o}");
        }
        fs::set_permissions(folder.path(), Permissions::from_mode(0o700)).unwrap();
        if chown(folder.path(), Some(65_534), None).is_ok() {
            assert!(
                check_folder(folder.path())
                    .unwrap_err()
                    .to_string()
                    .ends_with("belongs to another user")
            );
        }
    }

    #[test]
    fn a_secret_of_others_is_exposed() {
        for (mode, has_trusted_owner, to_owner, to_group) in [
            (0o600, true, None, None),
            (0o400, true, None, None),
            (0o440, true, Some(Exposure::Readable), None),
            (
                0o604,
                true,
                Some(Exposure::Readable),
                Some(Exposure::Readable),
            ),
            (
                0o620,
                true,
                Some(Exposure::Writable),
                Some(Exposure::Writable),
            ),
            (
                0o602,
                true,
                Some(Exposure::Writable),
                Some(Exposure::Writable),
            ),
            (0o600, false, Some(Exposure::Owner), Some(Exposure::Owner)),
        ] {
            let found = [PrivateTo::Owner, PrivateTo::OwnerAndGroup]
                .map(|private_to| exposure_of(0o100_000 | mode, has_trusted_owner, private_to));
            assert_eq!(found, [to_owner, to_group], "{mode:o}");
        }
    }
}
