//! `gbac audit verify`: whether audit files were changed.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use gbac_server::{AuditVerifyError, VerifiedChain, verify_audit_files, verify_audit_folder};
use gbac_words::commands::files;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::output::{self, Failure, Format};
use crate::process::Process;

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Verify the chains of audit events; exits with 1 at the first break, and says where it is.
    ///
    /// Every event has its number and the SHA-256 of the line before it, so an event that was
    /// changed, removed, inserted or moved breaks the chain. Events that were removed from the end,
    /// and chains that were written anew, only show in comparison with a hash that is kept
    /// elsewhere: the service shows the newest ones in its metrics, and every hour in its log.
    Verify(AuditVerifyArgs),
}

#[derive(Debug, Args)]
pub(crate) struct AuditVerifyArgs {
    /// Audit files, in any order.
    #[arg(
        value_name = "FILE",
        required_unless_present = "data",
        conflicts_with = "data"
    )]
    files: Vec<PathBuf>,
    /// Data folder of a service, which may be running: all of its audit files.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

/// The audit files whose chains of events are intact.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct VerifiedAudit {
    /// The logs.
    logs: Vec<VerifiedAuditLog>,
}

/// One log whose chain is intact.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct VerifiedAuditLog {
    /// `changes` or `audit`.
    log: &'static str,
    /// The files, in the order of their events.
    files: Vec<String>,
    /// The number of events in the chain.
    events: u64,
    /// The number of older events without a link.
    unlinked_events: u64,
    /// The number of the first event; 0 if there is none.
    first_sequence: u64,
    /// The number of the last event.
    last_sequence: u64,
    /// The SHA-256 of the last line, in hexadecimal digits.
    sha256: String,
    /// Whether the first event continues events that are not in these files.
    is_excerpt: bool,
    /// Whether the last line is incomplete, because it is being written or the service was killed.
    ends_incomplete: bool,
}

pub(crate) fn run(
    process: &Process,
    command: &AuditCommand,
    format: Format,
) -> Result<u8, Failure> {
    let AuditCommand::Verify(AuditVerifyArgs { files, data }) = command;
    let chains = match data {
        Some(folder) => verify_audit_folder(&process.path(folder)),
        None => {
            let files: Vec<PathBuf> = files.iter().map(|file| process.path(file)).collect();
            verify_audit_files(&files)
        }
    };
    let chains = chains.map_err(|error| failure(&error))?;
    match format {
        Format::Json | Format::Yaml => output::value(process, format, &result(&chains))?,
        Format::Text => output::text(process, &chains.iter().map(text).collect::<String>())?,
    }
    Ok(output::SUCCESS)
}

fn failure(error: &AuditVerifyError) -> Failure {
    match error {
        AuditVerifyError::Unreadable { path, source } => {
            Failure::io(&path.display().to_string(), source)
        }
        AuditVerifyError::Broken { .. } => {
            let advice = files::COMPARE_WITH_COPIES;
            Failure::new("audit_broken", format!("{error}; {advice}"))
        }
    }
}

/// `changes: intact, 12 events (1 to 12) in 1 file`, and the newest hash below it.
fn text(chain: &VerifiedChain) -> String {
    let number = chain.files.len();
    let (first, last) = (chain.first_sequence, chain.last_sequence);
    let mut lines = vec![
        files::log_intact(chain.log, number, chain.events, first, last),
        format!("  newest SHA-256: {}", chain.sha256),
    ];
    if chain.unlinked > 0 {
        lines.push(format!("  {}", files::events_without_link(chain.unlinked)));
    }
    if chain.is_excerpt {
        lines.push(format!("  {}", files::log_excerpt(first)));
    }
    if chain.ends_incomplete {
        lines.push(format!("  {}", files::LAST_LINE_INCOMPLETE));
    }
    lines.join("\n") + "\n"
}

fn result(chains: &[VerifiedChain]) -> VerifiedAudit {
    let mut logs = Vec::new();
    for chain in chains {
        let files = chain.files.iter();
        logs.push(VerifiedAuditLog {
            log: chain.log,
            files: files.map(|file| file.display().to_string()).collect(),
            events: chain.events,
            unlinked_events: chain.unlinked,
            first_sequence: chain.first_sequence,
            last_sequence: chain.last_sequence,
            sha256: chain.sha256.clone(),
            is_excerpt: chain.is_excerpt,
            ends_incomplete: chain.ends_incomplete,
        });
    }
    VerifiedAudit { logs }
}
