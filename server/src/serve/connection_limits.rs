//! The limits on connections, which have to fit into the limit on open files of the process.

use std::io;

use thiserror::Error;

use super::options::ConnectionOptions;

/// The files that are not connections of clients: the store, the audit log, and connections to
/// other services.
const RESERVED_FILES: u64 = 256;
/// The number of connections, and of those from one address, unless others are given.
const TOTAL: usize = 4096;
const PER_ADDRESS: usize = 128;

/// The limits on connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ConnectionLimits {
    /// The number of open connections.
    pub(super) total: usize,
    /// The number of open connections from one address.
    pub(super) per_address: usize,
}

/// Why the limits on connections cannot be used.
#[derive(Debug, Error)]
pub enum ConnectionLimitError {
    /// A limit is 0.
    #[error("`{0}` is 0")]
    Zero(&'static str),
    /// One address could take all connections.
    #[error(
        "`--max-connections-per-address` is {per_address}, but must be less than the total of {total}"
    )]
    PerAddress {
        /// The limit for each address.
        per_address: usize,
        /// The limit in total.
        total: usize,
    },
    /// The process may not open enough files.
    #[error("the limit of {files} open files is too low for {connections} connections")]
    Files {
        /// The limit on files.
        files: u64,
        /// The number of connections.
        connections: usize,
    },
    /// The limit on files cannot be read.
    #[error("cannot read the limit on open files: {0}")]
    Unknown(#[source] io::Error),
}

impl ConnectionLimitError {
    /// The stable code of the error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Zero(_) | Self::PerAddress { .. } => "connection_limit",
            Self::Files { .. } | Self::Unknown(_) => "file_limit",
        }
    }

    /// What to do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Zero(_) => "use 1 or more",
            Self::PerAddress { .. } => {
                "use a smaller number, so that one address alone cannot take all connections"
            }
            Self::Files { .. } => {
                "raise the limit with `ulimit -n`, or use a smaller number for `--max-connections`"
            }
            Self::Unknown(_) => "check the system's resource limits and try again",
        }
    }
}

impl ConnectionLimits {
    /// The limits of these options. The limit on open files is raised as far as the process may.
    ///
    /// # Errors
    /// See [`ConnectionLimitError`].
    pub(super) fn new(options: ConnectionOptions) -> Result<Self, ConnectionLimitError> {
        match rlimit::increase_nofile_limit(u64::MAX) {
            Ok(files) => Self::within(options, files),
            Err(error) => Err(ConnectionLimitError::Unknown(error)),
        }
    }

    fn within(options: ConnectionOptions, files: u64) -> Result<Self, ConnectionLimitError> {
        let ConnectionOptions {
            total,
            per_address,
            requests_per_address,
        } = options;
        for (limit, flag) in [
            (total, "--max-connections"),
            (per_address, "--max-connections-per-address"),
            (Some(requests_per_address), "--max-requests-per-address"),
        ] {
            if limit == Some(0) {
                return Err(ConnectionLimitError::Zero(flag));
            }
        }
        let available = usize::try_from(files.saturating_sub(RESERVED_FILES)).unwrap_or(usize::MAX);
        let total = total.unwrap_or(TOTAL.min(available));
        if total == 0 || total > available {
            return Err(ConnectionLimitError::Files {
                files,
                connections: total.max(1),
            });
        }
        let per_address = match per_address {
            Some(per_address) if per_address >= total => {
                return Err(ConnectionLimitError::PerAddress { per_address, total });
            }
            Some(per_address) => per_address,
            None => PER_ADDRESS.min(total.div_ceil(2)),
        };
        Ok(Self { total, per_address })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(
        total: Option<usize>,
        per_address: Option<usize>,
        files: u64,
    ) -> Result<(usize, usize), String> {
        let options = ConnectionOptions {
            total,
            per_address,
            ..ConnectionOptions::default()
        };
        let limits = ConnectionLimits::within(options, files);
        limits
            .map(|limits| (limits.total, limits.per_address))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn the_total_stays_below_the_limit_on_files() {
        assert_eq!(limits(None, None, 1 << 20), Ok((4096, 128)));
        assert_eq!(limits(None, None, 1024), Ok((768, 128)));
        assert_eq!(limits(None, None, 300), Ok((44, 22)));
        assert_eq!(limits(Some(768), Some(767), 1024), Ok((768, 767)));
        let message = "the limit of 1024 open files is too low for 769 connections";
        assert_eq!(limits(Some(769), None, 1024), Err(message.into()));
        assert!(limits(None, None, 256).is_err());
    }

    #[test]
    fn one_address_never_gets_all_connections() {
        let message =
            "`--max-connections-per-address` is 10, but must be less than the total of 10";
        assert_eq!(limits(Some(10), Some(10), 1024), Err(message.into()));
        assert_eq!(
            limits(Some(0), None, 1024),
            Err("`--max-connections` is 0".into())
        );
        assert_eq!(
            limits(None, Some(0), 1024),
            Err("`--max-connections-per-address` is 0".into())
        );
        let none = ConnectionOptions {
            requests_per_address: 0,
            ..ConnectionOptions::default()
        };
        assert_eq!(
            ConnectionLimits::within(none, 1024).unwrap_err().code(),
            "connection_limit"
        );
    }
}
