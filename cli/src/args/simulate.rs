//! The flags of the commands that try something: what differs, what if, what collides.

use std::path::PathBuf;

use clap::Args;

use super::{QuestionArgs, WhoArgs};

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// The policy document.
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: PathBuf,
    #[command(flatten)]
    pub(crate) who: WhoArgs,
    #[command(flatten)]
    pub(crate) other: OtherArgs,
    #[command(flatten)]
    pub(crate) question: QuestionArgs,
}

/// The second of two people.
#[derive(Debug, Args)]
pub(crate) struct OtherArgs {
    /// A file with the other person's access token, `-` for standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "other_user", required_unless_present = "other_user")]
    pub(crate) other_token_file: Option<PathBuf>,
    /// The other user by name, in place of a token.
    #[arg(long, value_name = "NAME")]
    pub(crate) other_user: Option<String>,
    /// Groups of --other-user, comma-separated like --member-of.
    #[arg(long, value_name = "GROUPS", requires = "other_user")]
    pub(crate) other_member_of: Vec<String>,
    /// The other person's user-info document, where the policy's SSO mapping asks for it.
    #[arg(long, value_name = "FILE", conflicts_with = "other_user")]
    pub(crate) other_userinfo: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct WhatIfArgs {
    /// The policy document.
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: PathBuf,
    /// Changes to try, a JSON array (docs/policy-document.md), `-` for standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) changes: Option<PathBuf>,
    /// Groups to add the user to in the identity provider, comma-separated like --member-of.
    #[arg(long, value_name = "GROUPS")]
    pub(crate) join: Vec<String>,
    /// Groups to remove the user from in the identity provider, comma-separated like --member-of.
    #[arg(long, value_name = "GROUPS")]
    pub(crate) leave: Vec<String>,
    #[command(flatten)]
    pub(crate) who: WhoArgs,
    #[command(flatten)]
    pub(crate) question: QuestionArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CollisionsArgs {
    /// The policy document, whose known groups are looked at.
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: PathBuf,
    /// A file with an access token whose names are looked at as well, `-` for standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "name")]
    pub(crate) token_file: Option<PathBuf>,
    /// The user-info document, where the policy's SSO mapping asks for it.
    #[arg(long, value_name = "FILE", requires = "token_file")]
    pub(crate) userinfo: Option<PathBuf>,
    /// Group names as in a token, to use instead of a token: comma-separated; quote a name that contains a comma:
    /// '"a,b"'.
    #[arg(long, value_name = "NAMES")]
    pub(crate) name: Vec<String>,
    /// What becomes of path-style names, none or suffix, in place of what the policy says.
    #[arg(long, value_name = "BEHAVIOR")]
    pub(crate) nested: Option<String>,
    /// How many collisions are told at most.
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    pub(crate) limit: usize,
}
