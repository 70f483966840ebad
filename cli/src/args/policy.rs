//! The flags of `gbac policy`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::online::ConnectArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Read policy documents and name every problem; exit 1 when one has any.
    Validate {
        /// Policy documents, `-` for standard input.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Find what is odd in a policy document; exit 1 from --fail-on upwards.
    Lint {
        /// The policy document, `-` for standard input.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// The least severity that makes the exit code 1.
        #[arg(long, value_enum, default_value_t = FailOn::Error)]
        fail_on: FailOn,
    },
    /// Make a policy document of what an existing cluster says of itself.
    ///
    /// Reads, in any mix: `rpk security acl list` and `rpk security role describe`, both with `--format json`, the text of
    /// `kafka-acls --list`, answers of the Data Plane and the Admin API, and policy documents. What cannot be read is named
    /// line by line on standard error; then nothing is written and the exit code is 1, unless there is --skip-unreadable.
    Import(ImportPolicyArgs),
    /// Make a policy document of what a running service or platform answers to the documented calls.
    ///
    /// ACLs, roles and members come from the Data Plane, the settings from the Admin API's cluster properties.
    Pull(Box<PullArgs>),
    /// Write a policy document as a script of calls, every name quoted for its target.
    ///
    /// The script makes the policy in an empty cluster, or what is missing in one that has --from. What the target cannot say
    /// is a comment in the script, is named on standard error, and makes the exit code 1.
    Convert(ConvertArgs),
    /// Say who gains and loses what between two policy documents.
    Diff {
        /// The earlier policy document.
        #[arg(value_name = "BEFORE")]
        before: PathBuf,
        /// The later one.
        #[arg(value_name = "AFTER")]
        after: PathBuf,
        /// Exit 1 when they do not decide alike.
        #[arg(long)]
        exit_code: bool,
    },
}

/// From which severity on a finding is an error of the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Somebody may get what nobody meant to give.
    Error,
    /// Something does nothing, or not what it says.
    Warning,
    /// Something could be left out.
    Notice,
    /// Nothing.
    Never,
}

#[derive(Debug, Args)]
pub(crate) struct ImportPolicyArgs {
    /// What was written down, `-` for standard input.
    #[arg(value_name = "FILE", required_unless_present = "role")]
    pub(crate) files: Vec<PathBuf>,
    /// A role's name and the file with the output of `security role describe NAME --format json`: comma-separated;
    /// quote an entry that contains a comma.
    #[arg(long, value_name = "NAME=FILE")]
    pub(crate) role: Vec<String>,
    /// Write the document to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write what could be read, and exit with 0, though something could not.
    #[arg(long)]
    pub(crate) skip_unreadable: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PullArgs {
    #[command(flatten)]
    pub(crate) connect: ConnectArgs,
    /// The Admin API's address, where it is another than the Data Plane's.
    #[arg(long, value_name = "URL")]
    pub(crate) admin_url: Option<String>,
    /// The cluster's id: --url is the Control Plane then, which says where the Data Plane is.
    #[arg(long, value_name = "ID")]
    pub(crate) cluster_id: Option<String>,
    /// Omit the settings from the document; the managed cloud has no cluster properties.
    #[arg(long, conflicts_with = "admin_url")]
    pub(crate) no_settings: bool,
    /// Write the document to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write what could be read, and exit with 0, though something could not.
    #[arg(long)]
    pub(crate) skip_unreadable: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// The policy document, `-` for standard input.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// What the script calls.
    #[arg(long, value_enum, default_value_t = TargetArg::Gbac)]
    pub(crate) to: TargetArg,
    /// The policy document that is there already: write the changes only.
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
    /// Write the script to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// What a script calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TargetArg {
    /// This command line.
    Gbac,
    /// The platform's own command line.
    Rpk,
    /// The documented APIs, with curl.
    Curl,
}
