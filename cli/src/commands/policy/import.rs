//! `gbac policy import`: a policy document from what an existing cluster says of itself.

use std::path::{Path, PathBuf};

use gbac_api::import::{Import, Kind, Read};
use gbac_engine::policy::Policy;
use gbac_json::policy_to_text;
use serde_json::{Value, json};

use crate::args::Format;
use crate::args::policy::ImportPolicyArgs;
use crate::input;
use crate::lists;
use crate::output::{self, Failure, counted, plain};

pub(super) fn run(args: &ImportPolicyArgs, format: Format) -> Result<bool, Failure> {
    let mut sources: Vec<(Option<&str>, PathBuf)> = args.files.iter().map(|file| (None, file.clone())).collect();
    let roles = lists::entries("--role", &args.role)?;
    for pair in &roles {
        let (name, file) =
            pair.split_once('=').filter(|(name, file)| !name.is_empty() && !file.is_empty()).ok_or_else(|| {
                Failure::usage(format!("--role: `{pair}` is not NAME=FILE; quote an entry that contains a comma"))
            })?;
        sources.push((Some(name), file.into()));
    }
    let mut taken = Taken::default();
    for (role, file) in sources {
        let name = file.display().to_string();
        let read = taken.import.read(&input::document(&file)?, role);
        taken.reads.push((name, read));
    }
    taken.finish(args.out.as_deref(), args.skip_unreadable, format)
}

/// What was taken so far, and from where.
#[derive(Default)]
pub(super) struct Taken {
    pub(super) import: Import,
    pub(super) reads: Vec<(String, Read)>,
}

impl Taken {
    /// Tells what was read and what was not, and writes the document; says whether all is well.
    pub(super) fn finish(&self, out: Option<&Path>, skip: bool, format: Format) -> Result<bool, Failure> {
        let unread: usize = self.reads.iter().map(|(_, read)| read.unread.len()).sum();
        for (source, read) in &self.reads {
            if read.kind != Kind::Unknown {
                let again = if read.again > 0 { format!(" ({} of them again)", read.again) } else { String::new() };
                let (kind, acls, roles) = (read.kind.words(), read.acls, read.roles);
                let (acls, roles) = (counted(acls, "ACL"), counted(roles, "role"));
                output::note(&format!("{source}: {kind}, {acls}{again} and {roles}"));
            }
            if read.skipped > 0 {
                let lines = counted(read.skipped, "line");
                output::note(&format!("note: {source}: {lines} before the list of ACLs skipped"));
            }
            for fault in &read.unread {
                output::note(&format!("{source}: {fault}"));
            }
        }
        if !self.import.has_settings() {
            output::note(
                "note: no input states settings, so the document states none; a service that imports it keeps its own",
            );
        }
        let policy = self.import.policy();
        let writes = unread == 0 || skip;
        if writes {
            self.write(&policy, out, format)?;
        } else if format != Format::Text {
            output::value(format, &self.report(&policy, None))?;
        }
        match (unread, skip) {
            (0, _) => Ok(true),
            (count, true) => {
                output::note(&format!("{} skipped", counted(count, "entry")));
                Ok(true)
            }
            (count, false) => {
                output::note(&format!(
                    "error: {} could not be read, and nothing was written; fix it in the source, or leave it out with --skip-unreadable",
                    counted(count, "entry")
                ));
                Ok(false)
            }
        }
    }

    fn write(&self, policy: &Policy, out: Option<&Path>, format: Format) -> Result<(), Failure> {
        let document = policy_to_text(policy);
        let Some(path) = out else { return output::document(&document) };
        let file = path.display().to_string();
        std::fs::write(path, document).map_err(|error| Failure::io(&file, &error))?;
        if format == Format::Text {
            let (acls, roles) = (counted(policy.acl_count(), "ACL"), counted(policy.role_count(), "role"));
            return output::text(&format!("Wrote {}: {acls} and {roles}.\n", plain(&file)));
        }
        output::value(format, &self.report(policy, Some(&file)))
    }

    fn report(&self, policy: &Policy, file: Option<&str>) -> Value {
        let unread = |read: &Read| -> Vec<Value> {
            let told = read.unread.iter();
            told.map(|it| json!({ "place": it.place, "code": it.code, "message": it.message })).collect()
        };
        let sources = self.reads.iter().map(|(source, read)| {
            json!({ "source": source, "kind": read.kind.words(), "acls": read.acls, "again": read.again, "roles": read.roles,
                "skipped_lines": read.skipped, "unread": unread(read) })
        });
        json!({ "file": file, "acls": policy.acl_count(), "roles": policy.role_count(), "sources": sources.collect::<Vec<_>>() })
    }
}
