//! `gbac policy import`: a policy document from the output of an existing cluster's tools.

use std::path::{Path, PathBuf};

use gbac_engine::policy::Policy;
use gbac_formats::import::{Import, ImportedText};
use gbac_json::policy_to_text;
use gbac_words::commands::policy as words;
use gbac_words::phrases::count;

use crate::args::Format;
use crate::args::policy::ImportPolicyArgs;
use crate::input;
use crate::lists;
use crate::output::{self, Failure, contents, plain, sentence};
use crate::process::Process;
use crate::results::{ImportedPolicy, ImportedSource, UnreadEntry};

pub(super) fn run(
    process: &Process,
    args: &ImportPolicyArgs,
    format: Format,
) -> Result<bool, Failure> {
    let mut sources: Vec<(Option<&str>, PathBuf)> =
        args.files.iter().map(|file| (None, file.clone())).collect();
    let roles = lists::entries("--role", &args.role)?;
    for pair in &roles {
        let (name, file) = pair
            .split_once('=')
            .filter(|(name, file)| !name.is_empty() && !file.is_empty())
            .ok_or_else(|| {
                Failure::usage(format!(
                    "--role: `{pair}` is not NAME=FILE; quote an entry that contains a comma"
                ))
            })?;
        sources.push((Some(name), file.into()));
    }
    let import = args.dialect.map_or_else(Import::default, |dialect| {
        Import::in_dialect(dialect.into())
    });
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
        let sources = self.reads.iter().map(|(source, read)| ImportedSource {
            source,
            kind: read.label(),
            acls: read.acls,
            again: read.again,
            roles: read.roles,
            skipped_lines: read.skipped,
            ignored: read.ignored.values().sum(),
            unread: read
                .unread
                .iter()
                .map(|entry| UnreadEntry {
                    place: &entry.place,
                    code: entry.code,
                    message: &entry.message,
                })
                .collect(),
        });
        ImportedPolicy {
            file,
            acls: policy.acl_count(),
            roles: policy.role_count(),
            sources: sources.collect(),
        }
    }
}
