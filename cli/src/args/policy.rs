//! The flags of `gbac policy`.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use gbac_engine::model::Dialect;
use gbac_formats::table::{InputFormat, OutputFormat};

use super::online::{ConnectArgs, TlsArgs};

/// The long help of `--changes`.
pub(super) const CHANGES_HELP: &str = r#"File with the changes, a JSON array, `-` for standard input, as `least-grant --out`, `revoke --out`, `what-if --out` and `policy lint --fix` write it. An array with two changes:
[{ "change": "add_member", "role": "PaymentsWriters", "principal": "Group:analytics" },
 { "change": "remove_acl", "acl": { "principal": "Group:engineering",
   "permission_type": "PERMISSION_TYPE_ALLOW", "operation": "OPERATION_READ", "host": "*",
   "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders-",
   "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED" } }]"#;

/// The policy of a question: a document, or that of a running service.
#[derive(Debug, Args)]
pub(crate) struct PolicySourceArgs {
    /// Policy document, `-` for standard input [env: GBAC_POLICY].
    #[arg(
        id = "policy_file",
        long = "policy",
        value_name = "FILE",
        conflicts_with = "online"
    )]
    pub(crate) policy_file: Option<PathBuf>,
    /// Use the policy of a running service instead of a document. The caller signs in with the
    /// variables below, or the user of the profile.
    #[arg(long)]
    pub(crate) online: bool,
    /// URL of the service: https, or http to this machine [env: GBAC_URL] [default:
    /// http://127.0.0.1:8420].
    #[arg(
        long,
        value_name = "URL",
        requires = "online",
        help_heading = "Service"
    )]
    pub(crate) url: Option<String>,
    /// Connection profile to use, see `gbac profile` [env: GBAC_PROFILE].
    #[arg(
        long,
        value_name = "NAME",
        requires = "online",
        help_heading = "Service"
    )]
    pub(crate) profile: Option<String>,
    /// Request timeout, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, requires = "online", help_heading = "Service",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) timeout: u32,
    #[command(flatten)]
    pub(crate) tls: TlsArgs,
}

impl PolicySourceArgs {
    /// The document of a file, or the policy of a service, for completions.
    pub(crate) fn for_completion(
        file: Option<&Path>,
        url: Option<String>,
        profile: Option<String>,
        timeout: u32,
    ) -> Self {
        let tls = TlsArgs {
            tls_ca: None,
            tls_cert: None,
            tls_key: None,
            insecure: false,
        };
        Self {
            policy_file: file.map(Path::to_owned),
            online: file.is_none(),
            url,
            profile,
            timeout,
            tls,
        }
    }

    /// The connection to the service. In these commands, `--user` and `--token-file` name the user
    /// of the question.
    pub(crate) fn connection(&self) -> ConnectArgs {
        ConnectArgs {
            url: self.url.clone(),
            connect_user: None,
            password_file: None,
            connect_token: None,
            profile: self.profile.clone(),
            role_spelling: None,
            timeout: self.timeout,
            tls: self.tls.clone(),
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Validate policy documents and report every problem; exits with 1 if there is one.
    Validate {
        /// Policy documents, `-` for standard input.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Find rules that probably don't do what you intended.
    ///
    /// Exits with 1 if a finding has the severity of --fail-on or a higher one. For pipelines,
    /// --format also accepts `sarif`, `junit` and `github` (annotations).
    Lint(Box<LintArgs>),
    /// Make the changes of a file in a running service: all of them or none.
    ///
    /// Shows what is added and removed and who gains and loses access, then asks for confirmation.
    /// If someone else changes the policy in the meantime, nothing is changed. `least-grant`,
    /// `revoke`, `what-if` and `policy lint --fix` write such files.
    Apply(Box<ApplyArgs>),
    /// Create a policy document from the output of an existing cluster's tools.
    #[command(long_about = import_about())]
    Import(ImportPolicyArgs),
    /// Create a policy document from a running service or platform, with its documented calls.
    ///
    /// Reads ACLs, roles and members from the Data Plane API, and the settings from the cluster
    /// properties of the Admin API.
    Pull(Box<PullArgs>),
    /// Convert a policy document to a shell script that creates it, or to resources of Terraform or
    /// Kubernetes.
    ///
    /// A script expects an empty cluster, or one with the policy of --from. If the target cannot
    /// express part of the policy, the result has a comment that says so, standard error has a
    /// note, and the exit code is 1.
    Convert(ConvertArgs),
    /// Write policy documents in the canonical form, which makes changes easy to compare.
    ///
    /// Files are changed in place, and standard input is written to standard output.
    Fmt {
        /// Policy documents in JSON, `-` for standard input.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Change nothing, and exit with 1 if a document is not in the canonical form.
        #[arg(long)]
        check: bool,
    },
    /// Compare two policy documents, or the policy of a service with a document: who gains and who
    /// loses access.
    ///
    /// Lists what is added and removed, and the effect on access, which can be none.
    ///
    /// For pipelines, --format also accepts `sarif`, `junit`, `github` (annotations) and `markdown`
    /// (for a pull request).
    Diff(Box<DiffArgs>),
}

#[derive(Debug, Args)]
#[command(
    override_usage = "gbac policy diff [OPTIONS] <BEFORE> <AFTER>\n       gbac policy diff [OPTIONS] --online <AFTER>"
)]
pub(crate) struct DiffArgs {
    /// Old policy document. With --online or --policy, the old one is that, and this one is the new
    /// one.
    #[arg(value_name = "BEFORE")]
    pub(crate) first: PathBuf,
    /// New policy document.
    #[arg(value_name = "AFTER")]
    pub(crate) second: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) source: PolicySourceArgs,
    /// Exit with 1 if effective access or the settings differ.
    #[arg(long)]
    pub(crate) exit_code: bool,
}

/// Lowest severity that makes the command exit with 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// A rule can give access that nobody intended.
    Error,
    /// A rule has no effect, or not the intended one.
    Warning,
    /// A rule is redundant or incomplete.
    Notice,
    /// Findings never change the exit code.
    Never,
}

/// System that a policy is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DialectArg {
    /// The platform.
    Platform,
    /// Apache Kafka.
    Kafka,
}

impl From<DialectArg> for Dialect {
    fn from(argument: DialectArg) -> Self {
        match argument {
            DialectArg::Platform => Self::Platform,
            DialectArg::Kafka => Self::Kafka,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct LintArgs {
    /// Policy document, `-` for standard input.
    #[arg(value_name = "FILE", conflicts_with_all = ["policy_file", "online"])]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) source: PolicySourceArgs,
    /// Lowest severity that makes the command exit with 1.
    #[arg(long, value_enum, default_value_t = FailOn::Error)]
    pub(crate) fail_on: FailOn,
    /// System that the policy is for, whatever the document says. With `kafka`, also list the ACLs
    /// that begin to match when the GBAC plugin is installed.
    #[arg(long, value_enum)]
    pub(crate) dialect: Option<DialectArg>,
    /// Write the fixes without a change in effective access to this file, for `gbac policy apply`.
    #[arg(long, value_name = "FILE")]
    pub(crate) fix: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ApplyArgs {
    #[command(flatten)]
    pub(crate) connect: ConnectArgs,
    /// File with the changes, a JSON array, `-` for standard input.
    #[arg(long, value_name = "FILE", long_help = CHANGES_HELP)]
    pub(crate) changes: PathBuf,
    /// Change nothing. Run every check, and show who would gain or lose access.
    #[arg(short, long, alias = "dry")]
    pub(crate) dry_run: bool,
    /// Do not ask for confirmation.
    #[arg(long)]
    pub(crate) no_confirm: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ImportPolicyArgs {
    /// Files to read, `-` for standard input.
    #[arg(value_name = "FILE", required_unless_present = "role")]
    pub(crate) files: Vec<PathBuf>,
    /// Role name and the file with the output of `security role describe NAME --format json`,
    /// comma-separated; quote an entry that contains a comma.
    #[arg(long, value_name = "NAME=FILE")]
    pub(crate) role: Vec<String>,
    /// Write the document to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Skip entries that cannot be read, write the rest, and exit with 0.
    #[arg(long)]
    pub(crate) skip_unreadable: bool,
    /// System that the cluster runs. A policy document among the files can state it, too.
    #[arg(long, value_enum)]
    pub(crate) dialect: Option<DialectArg>,
}

#[derive(Debug, Args)]
pub(crate) struct PullArgs {
    #[command(flatten)]
    pub(crate) connect: ConnectArgs,
    /// URL of the Admin API, if it differs from the URL of the Data Plane API.
    #[arg(long, value_name = "URL")]
    pub(crate) admin_url: Option<String>,
    /// Cluster ID. With it, --url is the Control Plane API, which returns the URL of the Data Plane
    /// API.
    #[arg(long, value_name = "ID")]
    pub(crate) cluster_id: Option<String>,
    /// Omit the settings; managed clouds have no cluster properties.
    #[arg(long, conflicts_with = "admin_url")]
    pub(crate) no_settings: bool,
    /// Write the document to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Skip entries that cannot be read, write the rest, and exit with 0.
    #[arg(long)]
    pub(crate) skip_unreadable: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// Policy document, `-` for standard input.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Format of the result.
    #[arg(long, value_name = "FORMAT", value_parser = output_format(), default_value = "gbac")]
    pub(crate) to: &'static OutputFormat,
    /// Policy document of the cluster today. A script then makes only the changes, and Terraform
    /// imports what is there.
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
    #[arg(long, value_name = "NAME", help = cluster_name_help())]
    pub(crate) cluster_name: Option<String>,
    /// Write the result to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// The help of `policy import`, with every format that it reads.
fn import_about() -> String {
    let mut text = String::from(
        "Create a policy document from the output of an existing cluster's tools.\n\nReads any mix of these formats:\n",
    );
    for InputFormat { label, content, .. } in InputFormat::all() {
        text += &format!("- {label}: {content}\n");
    }
    text + "\nIf an entry cannot be read, it is reported on standard error, nothing is written, and the exit code is 1; \
            see --skip-unreadable. It changes no service; `gbac import` does that."
}

/// The values of `--to`.
fn output_format() -> impl TypedValueParser<Value = &'static OutputFormat> {
    let values = OutputFormat::converted().map(|format| {
        let about = format.about.trim_end_matches('.');
        PossibleValue::new(format.word).help(about)
    });
    PossibleValuesParser::new(values).try_map(|word| OutputFormat::find(&word).ok_or("unknown"))
}

fn cluster_name_help() -> String {
    let defaults: Vec<String> = OutputFormat::all()
        .filter_map(|format| Some(format!("{} for `--to {}`", format.cluster?, format.word)))
        .collect();
    let defaults = defaults.join(", ");
    format!("Name of the cluster's resource in Kubernetes [default: {defaults}]")
}
