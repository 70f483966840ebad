//! `gbac policy convert`: a policy document as a script, or as resources of another tool.

use gbac_engine::policy::StatedSettings;
use gbac_formats::manifest::{ManifestTarget, manifest};
use gbac_formats::script::{ScriptTarget, changes, changes_between, only_differing, script};

use crate::args::policy::{ConvertArgs, TargetArg};
use crate::input;
use crate::output::{self, Failure, plain};
use crate::process::Process;

/// What the result is, and the next command.
const fn contents(target: TargetArg) -> &'static str {
    match target {
        TargetArg::Gbac => "a script for `gbac`; read it, and run it with `sh`",
        TargetArg::Rpk => "a script for `rpk`; read it, and run it with `sh`",
        TargetArg::Curl => "a script for `curl`; read it, and run it with `sh`",
        TargetArg::KafkaAcls => "a script for `kafka-acls`; read it, and run it with `sh`",
        TargetArg::Terraform => "resources of Terraform; the next command is `terraform plan`",
        TargetArg::Operator | TargetArg::Strimzi => {
            "resources of Kubernetes; the next command is `kubectl apply --dry-run=server -f` with this file"
        }
        TargetArg::Csv => "a line for each ACL",
    }
}

/// Returns whether the result expresses the whole policy.
pub(super) fn run(process: &Process, args: &ConvertArgs) -> Result<bool, Failure> {
    let after = input::policy(process, &args.file)?;
    let before = args
        .from
        .as_ref()
        .map(|before| input::policy(process, before))
        .transpose()?;
    let scripted = |target| {
        let changes = match &before {
            None => changes(&after),
            // What the cluster's document omits may have any value in the cluster.
            Some(before) if before.settings().states() == StatedSettings::ALL => {
                only_differing(&changes_between(before, &after), before.settings())
            }
            Some(before) => changes_between(before, &after),
        };
        let script = script(&changes, target);
        (script.text, script.notes)
    };
    let manifested = |target: ManifestTarget<'_>| {
        let manifest = manifest(&after, before.as_ref(), target);
        (manifest.text, manifest.notes)
    };
    let [terraform, operator, strimzi, csv] = ManifestTarget::ALL;
    let named = |target: ManifestTarget<'static>| match &args.cluster_name {
        Some(name) => manifested(target.with_cluster(name)),
        None => manifested(target),
    };
    let (text, notes) = match args.to {
        TargetArg::Gbac => scripted(ScriptTarget::Gbac),
        TargetArg::Rpk => scripted(ScriptTarget::Platform),
        TargetArg::Curl => scripted(ScriptTarget::Curl),
        TargetArg::KafkaAcls => scripted(ScriptTarget::Kafka),
        TargetArg::Terraform => named(terraform),
        TargetArg::Operator => named(operator),
        TargetArg::Strimzi => named(strimzi),
        TargetArg::Csv => named(csv),
    };
    match &args.out {
        Some(path) => {
            output::file(process, path, &text)?;
            let (file, what) = (plain(&path.display().to_string()), contents(args.to));
            output::note(process, &format!("note: {file} has {what}"));
        }
        None => output::document(process, &text)?,
    }
    // What is missing makes the exit code, so even --quiet shows it.
    let (missing, other): (Vec<_>, Vec<_>) =
        notes.iter().partition(|note| note.code == "not_written");
    for note in &missing {
        output::problem(process, &format!("warning: {note}"));
    }
    for note in other {
        output::note(process, &format!("note: {note}"));
    }
    Ok(missing.is_empty())
}
