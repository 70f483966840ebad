//! `gbac policy import`: a policy document from what an existing cluster says of itself.

use std::path::{Path, PathBuf};

use gbac_api::import::{Import, Kind, Read};
use gbac_engine::policy::Policy;
use gbac_engine::wire::policy_to_text;
use serde_json::{Value, json};

use crate::args::Format;
use crate::args::policy::ImportPolicyArgs;
use crate::input;
use crate::output::{self, Failure, plain};

pub(super) fn run(args: &ImportPolicyArgs, format: Format) -> Result<bool, Failure> {
    let mut sources: Vec<(Option<&str>, PathBuf)> = args.files.iter().map(|file| (None, file.clone())).collect();
    for pair in &args.role {
        let (name, file) = pair
            .split_once('=')
            .filter(|(name, file)| !name.is_empty() && !file.is_empty())
            .ok_or_else(|| Failure::usage(format!("--role: `{pair}` is not NAME=FILE")))?;
        sources.push((Some(name), file.into()));
    }
    if sources.iter().filter(|(_, file)| file == Path::new("-")).count() > 1 {
        return Err(Failure::usage("one text can come from standard input"));
    }
    let mut taken = Taken::default();
    for (role, file) in sources {
        let name = file.display().to_string();
        let read = taken.import.read(&input::text(&file)?, role);
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
                output::note(&format!("{source}: {kind}, {acls} ACLs{again} and {roles} roles"));
            }
            for fault in &read.unread {
                output::note(&format!("{source}: {fault}"));
            }
        }
        if !self.import.has_settings() {
            output::note("note: nothing that was read has settings; the document has the defaults");
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
                output::note(&format!("{count} entries are left out"));
                Ok(true)
            }
            (count, false) => {
                output::note(&format!(
                    "error: {count} entries could not be read, and nothing was written; mend them, or leave them out with --skip-unreadable"
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
            let (acls, roles) = (policy.acl_count(), policy.role_count());
            return output::text(&format!("Wrote {}: {acls} ACLs and {roles} roles.\n", plain(&file)));
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
                "unread": unread(read) })
        });
        json!({ "file": file, "acls": policy.acl_count(), "roles": policy.role_count(), "sources": sources.collect::<Vec<_>>() })
    }
}
