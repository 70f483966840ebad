//! The flags of `gbac compare`, `gbac what-if` and `gbac collisions`.

use std::path::PathBuf;

use clap::Args;

use super::policy::{CHANGES_HELP, PolicySourceArgs};
use super::{QueryArgs, SubjectArgs};

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    pub(crate) policy: PolicySourceArgs,
    #[command(flatten)]
    pub(crate) subject: SubjectArgs,
    #[command(flatten)]
    pub(crate) other: OtherSubjectArgs,
    #[command(flatten)]
    pub(crate) query: QueryArgs,
}

/// The second of two users.
#[derive(Debug, Args)]
pub(crate) struct OtherSubjectArgs {
    /// File with the other user's access token, `-` for standard input.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "other_user",
        required_unless_present = "other_user"
    )]
    pub(crate) other_token_file: Option<PathBuf>,
    /// Name of the other user, instead of a token.
    #[arg(long, value_name = "NAME")]
    pub(crate) other_user: Option<String>,
    /// Groups of --other-user, comma-separated like --group.
    #[arg(
        long = "other-group",
        alias = "other-member-of",
        value_name = "GROUPS",
        requires = "other_user"
    )]
    pub(crate) other_groups: Vec<String>,
    /// User-info document of the other user, if the policy's SSO mapping reads groups or the user
    /// from it.
    #[arg(long, value_name = "FILE", conflicts_with = "other_user")]
    pub(crate) other_userinfo: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct WhatIfArgs {
    #[command(flatten)]
    pub(crate) policy: PolicySourceArgs,
    /// File with the changes, a JSON array, `-` for standard input.
    #[arg(long, value_name = "FILE", long_help = CHANGES_HELP)]
    pub(crate) changes: Option<PathBuf>,
    /// Groups to add the user to in the identity provider, comma-separated like --group.
    #[arg(long, value_name = "GROUPS")]
    pub(crate) join: Vec<String>,
    /// Groups to remove the user from in the identity provider, comma-separated like --group.
    #[arg(long, value_name = "GROUPS")]
    pub(crate) leave: Vec<String>,
    /// Also write the changes of the policy to this file, for `gbac policy apply`. Those in the
    /// identity provider are not in it.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) subject: SubjectArgs,
    #[command(flatten)]
    pub(crate) query: QueryArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CollisionsArgs {
    /// Policy document whose group names are compared.
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: PathBuf,
    /// File with an access token whose group names are compared too, `-` for standard input.
    #[arg(long = "token-file", value_name = "FILE", conflicts_with = "name")]
    pub(crate) names_of_token: Option<PathBuf>,
    /// User-info document, if the policy's SSO mapping reads groups or the user from it.
    #[arg(long, value_name = "FILE", requires = "names_of_token")]
    pub(crate) userinfo: Option<PathBuf>,
    /// Group names as in a token, instead of a token, comma-separated; quote a name that contains a
    /// comma: '"a,b"'.
    #[arg(long, value_name = "NAMES")]
    pub(crate) name: Vec<String>,
    /// Handling of path-style group names, none or suffix [default: as in the policy].
    #[arg(long, value_name = "BEHAVIOR")]
    pub(crate) nested: Option<String>,
    /// Maximum number of collisions to show.
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    pub(crate) limit: usize,
}
