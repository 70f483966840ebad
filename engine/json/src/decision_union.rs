//! The TypeScript types of a decision, as a union by outcome, reason and source.
//! [`crate::DecisionJson`] is the type that is serialized; a test compares both.

use std::path::PathBuf;

use gbac_engine::Assumption;
use gbac_engine::model::Operation;
use ts_rs::{Config, TS, TypeVisitor};

use super::acl::AclJson;
use super::code::Code;
use super::decision::DecisionJson;
use super::literal::Present;

/// A decision: a union by `outcome`, `reason` and `source`. Members that do not apply are absent.
#[derive(Debug, Clone, TS)]
#[ts(rename = "Decision", optional_fields)]
pub struct DecisionUnion {
    /// The outcome with its reason.
    #[ts(flatten)]
    pub case: DecisionCase,
    /// Present and true if the decision could differ if the host were known.
    pub host_unknown: Option<Present>,
    /// Whether the identity came from a verified token.
    pub verified: bool,
    /// What is taken for granted about the token; absent if nothing is.
    #[ts(optional)]
    pub assumed: Option<Vec<Code<Assumption>>>,
}

/// Declares [`DecisionJson`] as [`DecisionUnion`].
impl TS for DecisionJson {
    type WithoutGenerics = Self;
    type OptionInnerType = Self;

    fn name(config: &Config) -> String {
        DecisionUnion::name(config)
    }

    fn ident(config: &Config) -> String {
        DecisionUnion::ident(config)
    }

    fn inline(config: &Config) -> String {
        DecisionUnion::inline(config)
    }

    fn inline_flattened(config: &Config) -> String {
        DecisionUnion::inline_flattened(config)
    }

    fn docs() -> Option<String> {
        DecisionUnion::docs()
    }

    fn decl(config: &Config) -> String {
        DecisionUnion::decl(config)
    }

    fn visit_dependencies(visitor: &mut impl TypeVisitor)
    where
        Self: 'static,
    {
        DecisionUnion::visit_dependencies(visitor);
    }

    fn output_path() -> Option<PathBuf> {
        DecisionUnion::output_path()
    }
}

/// The outcome of a decision, its reason, and the deciding ACL, if there is one.
#[derive(Debug, Clone, TS)]
#[ts(tag = "reason", rename = "DecisionCase", rename_all = "snake_case")]
pub enum DecisionCase {
    /// An ACL allows the request, and none denies it.
    AllowRule {
        /// It is allowed.
        #[ts(type = "'allow'")]
        outcome: (),
        /// The deciding ACL.
        #[ts(flatten)]
        by: DecidingAcl,
    },
    /// An ACL denies the request.
    DenyRule {
        /// It is denied.
        #[ts(type = "'deny'")]
        outcome: (),
        /// The deciding ACL.
        #[ts(flatten)]
        by: DecidingAcl,
    },
    /// A superuser is allowed everything.
    Superuser {
        /// It is allowed.
        #[ts(type = "'allow'")]
        outcome: (),
        /// No ACL decides.
        #[ts(flatten)]
        by: NoAcl,
    },
    /// No ACL allows the request.
    NoMatch {
        /// It is denied.
        #[ts(type = "'deny'")]
        outcome: (),
        /// No ACL decides.
        #[ts(flatten)]
        by: NoAcl,
    },
    /// The identity has expired.
    Expired {
        /// It is denied.
        #[ts(type = "'deny'")]
        outcome: (),
        /// No ACL decides.
        #[ts(flatten)]
        by: NoAcl,
    },
}

/// The deciding ACL, and the path to its principal.
#[derive(Debug, Clone, TS)]
#[ts(tag = "source")]
pub enum DecidingAcl {
    /// An ACL of the user.
    #[ts(rename = "user_acl")]
    User {
        /// The ACL.
        acl: AclJson,
        /// Its operation, if it differs from the request's.
        #[ts(optional)]
        implied_by: Option<Code<Operation>>,
        /// No group is on the path.
        #[ts(optional, type = "undefined")]
        group: Option<()>,
        /// No role is on the path.
        #[ts(optional, type = "undefined")]
        role: Option<()>,
    },
    /// An ACL of a role of the user.
    #[ts(rename = "role_acl")]
    Role {
        /// The ACL.
        acl: AclJson,
        /// Its operation, if it differs from the request's.
        #[ts(optional)]
        implied_by: Option<Code<Operation>>,
        /// The role on the path.
        role: String,
        /// No group is on the path.
        #[ts(optional, type = "undefined")]
        group: Option<()>,
    },
    /// An ACL of a group of the user.
    #[ts(rename = "group_acl")]
    Group {
        /// The ACL.
        acl: AclJson,
        /// Its operation, if it differs from the request's.
        #[ts(optional)]
        implied_by: Option<Code<Operation>>,
        /// The group on the path.
        group: String,
        /// No role is on the path.
        #[ts(optional, type = "undefined")]
        role: Option<()>,
    },
    /// An ACL of a role of a group of the user.
    #[ts(rename = "group_role_acl")]
    GroupRole {
        /// The ACL.
        acl: AclJson,
        /// Its operation, if it differs from the request's.
        #[ts(optional)]
        implied_by: Option<Code<Operation>>,
        /// The group on the path.
        group: String,
        /// The role on the path.
        role: String,
    },
}

/// The members that a decision without an ACL does not have.
#[derive(Debug, Clone, TS)]
pub struct NoAcl {
    /// No ACL decides.
    #[ts(optional, type = "undefined")]
    pub source: Option<()>,
    /// No ACL decides.
    #[ts(optional, type = "undefined")]
    pub acl: Option<()>,
    /// No ACL decides.
    #[ts(optional, type = "undefined")]
    pub implied_by: Option<()>,
    /// No ACL decides.
    #[ts(optional, type = "undefined")]
    pub group: Option<()>,
    /// No ACL decides.
    #[ts(optional, type = "undefined")]
    pub role: Option<()>,
}
