//! The names and numbers of the store's format.

/// The format that this version writes, and the newest that it reads. Format 1 has no digest of its
/// rows and no number of its last commit, format 2 has no log of changes; both are added when it is
/// opened.
pub(super) const FORMAT: u64 = 3;

/// The file of the store.
pub(super) const FILE: &str = "gbac.redb";
/// A store that is being created.
pub(super) const NEW_FILE: &str = "gbac.redb.new";
/// Locked while the folder is in use.
pub(super) const LOCK_FILE: &str = "gbac.lock";

/// The last commit that was refused although it may be in the file.
pub(super) const REFUSED_FILE: &str = "gbac.refused";

/// Space on the disk for one small change when the disk is full.
pub(super) const RESERVE_FILE: &str = "gbac.reserve";
/// Its size in bytes: a commit of a few rows writes less than a tenth of it.
pub(super) const RESERVE_BYTES: usize = 1 << 20;

/// No counter in the table `meta` gets there.
pub(super) const COUNTER_LIMIT: u64 = 1 << 62;

/// The keys of the table `meta`.
pub(super) const FORMAT_KEY: &[u8] = b"format";
/// The number of changes of the policy.
pub(super) const VERSION: &[u8] = b"version";
/// The number of changes of its settings and of the configuration.
pub(super) const CONFIG_VERSION: &[u8] = b"config_version";
/// The number of the last commit.
pub(super) const COMMIT: &[u8] = b"commit";
/// The ID of the data, which restarts and backups keep. A store without one gets it when it is
/// opened.
pub(super) const DATA_ID: &[u8] = b"data_id";
/// The name of the Kafka cluster that the data is of, if it is of one.
pub(super) const CLUSTER: &[u8] = b"cluster";
/// Where the log of changes ends.
pub(super) const LOG_HEAD: &[u8] = b"log_head";
/// The digest of all rows but itself and the entries of the log, which have digests of their own.
pub(super) const DIGEST: &[u8] = b"digest";
