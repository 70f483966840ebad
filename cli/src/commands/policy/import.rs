//! `gbac policy import`: a policy document from the output of an existing cluster's tools.

use std::path::{Path, PathBuf};

use clap::Args;
use gbac_engine::policy::Policy;
use gbac_formats::import::{Import, ImportedText};
use gbac_formats::table::InputFormat;
use gbac_json::policy_to_text;
use gbac_words::commands::policy as words;
use gbac_words::phrases::count;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::DialectArg;
use crate::input;
use crate::output::{self, Failure, Format, contents, plain, sentence};
use crate::process::Process;

#[derive(Debug, Args)]
pub(crate) struct ImportPolicyArgs {
    /// Files to read, `-` for standard input.
    #[arg(value_name = "FILE", required_unless_present = "role")]
    files: Vec<PathBuf>,
    /// Role name and the file with the output of `security role describe NAME --format json`,
    /// comma-separated; quote an entry that contains a comma.
    #[arg(long, value_name = "NAME=FILE")]
    role: Vec<String>,
    /// Write the document to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Skip entries that cannot be read, write the rest, and exit with 0.
    #[arg(long)]
    skip_unreadable: bool,
    /// System that the cluster runs. A policy document among the files can state it, too.
    #[arg(long, value_enum)]
    dialect: Option<DialectArg>,
}

/// What was read from the sources of a policy, and the document that was written.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ImportedPolicy<'a> {
    /// The file that was written; null if entries could not be read, so that nothing was written.
    file: Option<&'a str>,
    /// The number of ACLs of the policy.
    acls: usize,
    /// The number of roles of the policy.
    roles: usize,
    /// The sources, in order.
    sources: Vec<ImportedSource<'a>>,
}

/// What was read from one source.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ImportedSource<'a> {
    /// The file, or the path of the service's API.
    source: &'a str,
    /// The format, in words.
    kind: &'a str,
    /// The number of ACLs, including duplicates.
    acls: usize,
    /// The number of ACLs that an earlier entry already has.
    again: usize,
    /// The number of roles.
    roles: usize,
    /// The number of lines before the list that were skipped, such as log lines.
    skipped_lines: usize,
    /// The number of objects that were left out because they are not about access, such as a
    /// `ConfigMap`.
    ignored: usize,
    /// The entries that could not be read.
    unread: Vec<UnreadEntry<'a>>,
}

/// An entry that could not be read.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct UnreadEntry<'a> {
    /// The place: a line such as `line 12`, a JSON Pointer such as `/matches/3`, or empty for the
    /// whole text.
    place: &'a str,
    /// The stable code.
    code: &'a str,
    /// The error.
    message: &'a str,
}

pub(super) fn run(
    process: &Process,
    args: &ImportPolicyArgs,
    format: Format,
) -> Result<bool, Failure> {
    let mut sources: Vec<(Option<&str>, PathBuf)> =
        args.files.iter().map(|file| (None, file.clone())).collect();
    let roles = input::entries("--role", &args.role)?;
    for pair in &roles {
        match pair.split_once('=') {
            Some((name, file)) if !name.is_empty() && !file.is_empty() => {
                sources.push((Some(name), file.into()));
            }
            _ => {
                return Err(Failure::usage(format!(
                    "--role: `{pair}` is not NAME=FILE; quote an entry that contains a comma"
                )));
            }
        }
    }
    let import = match args.dialect {
        Some(dialect) => Import::in_dialect(dialect.into()),
        None => Import::default(),
    };
    let mut imported = Imported {
        import,
        reads: Vec::new(),
    };
    for (role, file) in sources {
        let name = file.display().to_string();
        let read = imported.import.read(&input::text(process, &file)?, role);
        imported.reads.push((name, read));
    }
    imported.finish(process, args.out.as_deref(), args.skip_unreadable, format)
}

/// The entries that were read, and their sources.
#[derive(Default)]
pub(super) struct Imported {
    pub(super) import: Import,
    pub(super) reads: Vec<(String, ImportedText)>,
}

impl Imported {
    /// Reports what was read and what could not be, and writes the document; returns whether that
    /// succeeded.
    pub(super) fn finish(
        &self,
        process: &Process,
        out: Option<&Path>,
        skip: bool,
        format: Format,
    ) -> Result<bool, Failure> {
        let unread: usize = self.reads.iter().map(|(_, read)| read.unread.len()).sum();
        for (source, read) in &self.reads {
            if read.format.is_some() {
                let (acls, roles) = (read.acls, read.roles);
                let label = read.label();
                let read = words::read(source, label, acls, read.again, roles);
                output::note(process, &sentence(&read));
            }
            for note in read.notes() {
                output::note(process, &format!("note: {source}: {note}"));
            }
            for fault in &read.unread {
                output::problem(process, &format!("{source}: {fault}"));
            }
        }
        let policy = self.import.policy();
        let writes = unread == 0 || skip;
        if writes {
            if !self.import.has_settings() {
                output::note(process, &format!("note: {}", words::NO_SETTINGS));
            }
            self.write(process, &policy, out, format)?;
        } else if format != Format::Text {
            output::value(process, format, &self.report(&policy, None))?;
        }
        match (unread, skip) {
            (0, _) => Ok(true),
            (entries, true) => {
                output::note(process, &format!("{} skipped", count(entries, "entry")));
                Ok(true)
            }
            (entries, false) => {
                output::problem(
                    process,
                    &format!(
                        "error: {} could not be read, and nothing was written; fix the source, or pass --skip-unreadable",
                        count(entries, "entry")
                    ),
                );
                Ok(false)
            }
        }
    }

    fn write(
        &self,
        process: &Process,
        policy: &Policy,
        out: Option<&Path>,
        format: Format,
    ) -> Result<(), Failure> {
        let document = policy_to_text(policy);
        let Some(path) = out else {
            return output::document(process, &document);
        };
        output::file(process, path, &document)?;
        let file = path.display().to_string();
        if format == Format::Text {
            return output::text(
                process,
                &format!("Wrote {}: {}.\n", plain(&file), contents(policy)),
            );
        }
        output::value(process, format, &self.report(policy, Some(&file)))
    }

    fn report<'a>(&'a self, policy: &Policy, file: Option<&'a str>) -> ImportedPolicy<'a> {
        let mut sources = Vec::new();
        for (source, read) in &self.reads {
            let mut unread = Vec::new();
            for entry in &read.unread {
                unread.push(UnreadEntry {
                    place: &entry.place,
                    code: entry.code,
                    message: &entry.message,
                });
            }
            sources.push(ImportedSource {
                source,
                kind: read.label(),
                acls: read.acls,
                again: read.again,
                roles: read.roles,
                skipped_lines: read.skipped,
                ignored: read.ignored.values().sum(),
                unread,
            });
        }
        ImportedPolicy {
            file,
            acls: policy.acl_count(),
            roles: policy.role_count(),
            sources,
        }
    }
}

/// The help of `policy import`, with every format that it reads.
pub(super) fn import_about() -> String {
    let mut formats = String::new();
    for InputFormat { label, content, .. } in InputFormat::all() {
        formats += &format!("- {label}: {content}\n");
    }
    words::import_about(&formats)
}
