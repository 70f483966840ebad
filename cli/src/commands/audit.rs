//! `gbac audit verify`: whether audit files were changed.

use gbac_server::{AuditVerifyError, VerifiedChain, verify_audit_files, verify_audit_folder};
use gbac_words::commands::files;

use crate::args::{AuditCommand, AuditVerifyArgs, Format};
use crate::output::{self, Failure};
use crate::process::Process;
use crate::results::{VerifiedAudit, VerifiedAuditLog};

pub(crate) fn run(
    process: &Process,
    command: &AuditCommand,
    format: Format,
) -> Result<u8, Failure> {
    let AuditCommand::Verify(AuditVerifyArgs { files, data }) = command;
    let chains = match data {
        Some(folder) => verify_audit_folder(&process.path(folder)),
        None => verify_audit_files(
            &files
                .iter()
                .map(|file| process.path(file))
                .collect::<Vec<_>>(),
        ),
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
    let log = |chain: &VerifiedChain| VerifiedAuditLog {
        log: chain.log,
        files: chain
            .files
            .iter()
            .map(|file| file.display().to_string())
            .collect(),
        events: chain.events,
        unlinked_events: chain.unlinked,
        first_sequence: chain.first_sequence,
        last_sequence: chain.last_sequence,
        sha256: chain.sha256.clone(),
        is_excerpt: chain.is_excerpt,
        ends_incomplete: chain.ends_incomplete,
    };
    VerifiedAudit {
        logs: chains.iter().map(log).collect(),
    }
}
