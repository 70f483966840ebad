//! The trace: every candidate ACL in evaluation order, with the parts that match and those that do
//! not.

use gbac_engine::decide::{
    AccessPath, Candidate, CandidateStatus, Explanation, HostFacet, NameFacet, OperationFacet,
    PrincipalFacet, Reason,
};
use gbac_engine::model::{Permission, Principal, ResourceType};
use gbac_words::phrases::{agree, count, thousands};
use gbac_words::rich_text::{RichText, listed};

use crate::simulator::verdict::Judged;

/// Which candidates are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TraceFilter {
    /// Those that match.
    Deciding,
    /// Those whose resource is the requested one.
    #[default]
    OnResource,
    /// All.
    All,
}

impl TraceFilter {
    /// Every value.
    pub const ALL: &'static [Self] = &[Self::Deciding, Self::OnResource, Self::All];

    /// A name for the control.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Deciding => "deciding",
            Self::OnResource => "resource",
            Self::All => "all",
        }
    }

    /// The filter of a name; the default for any other.
    #[must_use]
    pub fn from_code(code: &str) -> Self {
        Self::ALL
            .iter()
            .copied()
            .find(|filter| filter.code() == code)
            .unwrap_or_default()
    }

    fn shows(self, candidate: &Candidate) -> bool {
        match self {
            Self::Deciding => !matches!(
                candidate.status,
                CandidateStatus::Near(_) | CandidateStatus::NoMatch
            ),
            // A near miss of the name is about this resource too.
            Self::OnResource => candidate.is_on_resource(),
            Self::All => true,
        }
    }
}

/// One comparison: what the ACL says, whether it matches, and what was asked when it does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facet {
    /// Whether it matches.
    pub matches: bool,
    /// What the ACL says.
    pub words: RichText,
    /// How it came to match, or what was asked.
    pub small: Option<RichText>,
}

/// What became of a row, for its mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceRowStatus {
    /// It decides.
    Decides,
    /// It says the same as the one that decides.
    Agrees,
    /// It allows, and a deny overrode it.
    Overridden,
    /// It matches, and no ACL was asked.
    NotReached,
    /// It is a near miss.
    Near,
    /// It does not match.
    NoMatch,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceRow {
    /// Deny or allow.
    pub permission: Permission,
    /// Whose ACL it is, and the way there.
    pub principal: Facet,
    /// On what.
    pub resource: Facet,
    /// For what.
    pub operation: Facet,
    /// From where.
    pub host: Facet,
    /// What became of it.
    pub result: TraceRowStatus,
}

/// One of the three passes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvaluationStep {
    /// What it looks for.
    pub title: &'static str,
    /// What it came to.
    pub words: &'static str,
    /// Its rows, of those that the filter shows.
    pub rows: Vec<TraceRow>,
}

/// The trace as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisibleRows {
    /// The three passes.
    pub passes: [EvaluationStep; 3],
    /// How many rows the filter shows, of which at most the limit are made.
    pub rows: usize,
    /// How many candidates the filter hides.
    pub hidden: usize,
}

/// How many paths to a principal a row names.
const NAMED_WAYS: usize = 3;
/// How many roles the foot names.
const NAMED_ROLES: usize = 5;

/// The rows that a filter shows, at most `limit` of them; the deciding row is always the first of
/// its pass.
#[must_use]
pub fn visible_rows(judged: &Judged, filter: TraceFilter, limit: usize) -> VisibleRows {
    let candidates = &judged.explanation.candidates;
    let (mut denies, mut allows): (Vec<&Candidate>, Vec<&Candidate>) = candidates
        .iter()
        .filter(|candidate| filter.shows(candidate))
        .partition(|candidate| candidate.acl.permission == Permission::Deny);
    let rows = denies.len() + allows.len();
    // Both passes show something, however long the other one is.
    let half = limit / 2;
    let first = denies
        .len()
        .min(half.max(limit.saturating_sub(allows.len())));
    denies.truncate(first);
    allows.truncate(limit - first);
    let mut found = [denies, allows, Vec::new()].into_iter();
    let passes = texts(judged.explanation.decision.reason).map(|(title, words)| {
        let rows = found.next().unwrap_or_default();
        EvaluationStep {
            title,
            words,
            rows: rows
                .into_iter()
                .map(|candidate| row(candidate, judged))
                .collect(),
        }
    });
    VisibleRows {
        passes,
        rows,
        hidden: candidates.len() - rows,
    }
}

/// What each pass looks for and what it came to.
const fn texts(reason: Reason) -> [(&'static str, &'static str); 3] {
    const DENY: &str = "1. Look for a deny in all four sources";
    const ALLOW: &str = "2. Look for an allow";
    const NOTHING: &str = "3. Nothing allows, so deny";
    const SOURCES: &str = "User, the user’s roles, groups, roles of groups. One is enough.";
    match reason {
        Reason::DenyRule => [
            (DENY, SOURCES),
            (
                ALLOW,
                "Not evaluated. These ACLs would apply without the deny.",
            ),
            (NOTHING, "Not evaluated."),
        ],
        Reason::AllowRule => [
            (DENY, "None matches."),
            (ALLOW, SOURCES),
            (NOTHING, "Not evaluated."),
        ],
        Reason::NoMatch => [
            (DENY, "None matches."),
            (ALLOW, "None matches."),
            (NOTHING, "This decides."),
        ],
        Reason::Superuser => [
            (DENY, "Not evaluated. The user is a superuser."),
            (ALLOW, "Not evaluated. The user is a superuser."),
            (NOTHING, "Not evaluated."),
        ],
        Reason::Expired => [
            (DENY, "Not evaluated. The token has expired."),
            (ALLOW, "Not evaluated. The token has expired."),
            (NOTHING, "Not evaluated."),
        ],
    }
}

/// The count line: `214 ACLs, 14 candidates: 1 deny, 1 allow overridden, 2 near misses, 10 do not
/// match`.
#[must_use]
pub fn summary(explanation: &Explanation) -> String {
    let candidates = &explanation.candidates;
    let number = |is: &dyn Fn(&Candidate) -> bool| {
        candidates.iter().filter(|candidate| is(candidate)).count()
    };
    let matching = |candidate: &Candidate, permission| {
        matches!(
            candidate.status,
            CandidateStatus::Decides | CandidateStatus::Agrees
        ) && candidate.acl.permission == permission
    };
    let parts = [
        (number(&|c| matching(c, Permission::Deny)), "deny", "denies"),
        (
            number(&|c| matching(c, Permission::Allow)),
            "allow",
            "allows",
        ),
        (
            number(&|c| c.status == CandidateStatus::Overridden),
            "allow overridden",
            "allows overridden",
        ),
        (
            number(&|c| c.status == CandidateStatus::NotReached),
            "not evaluated",
            "not evaluated",
        ),
        (
            number(&|c| matches!(c.status, CandidateStatus::Near(_))),
            "near miss",
            "near misses",
        ),
        (
            number(&|c| c.status == CandidateStatus::NoMatch),
            "does not match",
            "do not match",
        ),
    ];
    let acls = count(explanation.acls, "ACL");
    let said: Vec<String> = parts
        .iter()
        .filter(|(number, ..)| *number > 0)
        .map(|(number, one, many)| format!("{} {}", thousands(*number), agree(*number, one, many)))
        .collect();
    match candidates.len() {
        0 => format!("{acls}, no candidates"),
        all => format!("{acls}, {}: {}", count(all, "candidate"), said.join(", ")),
    }
}

/// The roles of the user, for the foot of the trace.
#[must_use]
pub fn user_roles(judged: &Judged) -> RichText {
    let user = Principal::user(judged.identity.user());
    let roles: Vec<RichText> = judged
        .explanation
        .paths
        .iter()
        .filter(|path| path.group.is_none())
        .filter_map(|path| path.role.as_ref())
        .map(|role| RichText::new().principal(&Principal::role(role)))
        .collect();
    let words = RichText::new().principal(&user);
    match roles.len() {
        0 => words.text(" is not a member of a role."),
        _ => words
            .text(" is a member of ")
            .then(listed(roles, NAMED_ROLES))
            .text("."),
    }
}

fn row(candidate: &Candidate, judged: &Judged) -> TraceRow {
    TraceRow {
        permission: candidate.acl.permission,
        principal: principal(candidate, judged),
        resource: resource(candidate, judged),
        operation: operation(candidate, judged),
        host: host(candidate, judged),
        result: status(candidate),
    }
}

/// The result of a row.
pub(super) const fn status(candidate: &Candidate) -> TraceRowStatus {
    match candidate.status {
        CandidateStatus::Decides => TraceRowStatus::Decides,
        CandidateStatus::Agrees => TraceRowStatus::Agrees,
        CandidateStatus::Overridden => TraceRowStatus::Overridden,
        CandidateStatus::NotReached => TraceRowStatus::NotReached,
        CandidateStatus::Near(_) => TraceRowStatus::Near,
        CandidateStatus::NoMatch => TraceRowStatus::NoMatch,
    }
}

/// The first part of the request that an ACL does not match, in words: `requested: Write`.
pub(super) fn mismatch(candidate: &Candidate, judged: &Judged) -> Option<RichText> {
    let facets = [
        resource(candidate, judged),
        operation(candidate, judged),
        host(candidate, judged),
    ];
    facets
        .into_iter()
        .find(|facet| !facet.matches)
        .and_then(|facet| facet.small)
}

fn principal(candidate: &Candidate, judged: &Judged) -> Facet {
    let own = &candidate.acl.principal;
    let words = RichText::new();
    match &candidate.principal {
        PrincipalFacet::LetterCase(known) | PrincipalFacet::Slashes(known) => {
            let small = RichText::new().text(if judged.origins.is_empty() {
                "requested: "
            } else {
                "token gives "
            });
            let words = words.differs(
                &format!("{}:", own.kind().prefix()),
                own.name(),
                known.name(),
            );
            Facet {
                matches: false,
                words,
                small: Some(small.text(known.to_string())),
            }
        }
        PrincipalFacet::MemberLetterCase(near) | PrincipalFacet::MemberSlashes(near) => {
            let small = RichText::new().text(if judged.origins.is_empty() {
                "requested: "
            } else {
                "token gives "
            });
            let kind = format!("{}:", near.member.kind().prefix());
            let words = words
                .differs(&kind, near.member.name(), near.own.name())
                .text(" → ")
                .principal(own);
            Facet {
                matches: false,
                words,
                small: Some(small.text(near.own.to_string())),
            }
        }
        PrincipalFacet::Everyone => Facet {
            matches: true,
            words: words.principal(own),
            small: Some("every user".into()),
        },
        PrincipalFacet::Matches => {
            let first = candidate.paths.first();
            let words = match first.map(|path| (&path.group, &path.role)) {
                Some((Some(group), Some(_))) => words
                    .principal(&Principal::group(group))
                    .text(" → ")
                    .principal(own),
                Some((None, Some(_))) => words
                    .principal(&Principal::user(judged.identity.user()))
                    .text(" → ")
                    .principal(own),
                _ => words.principal(own),
            };
            Facet {
                matches: true,
                words,
                small: Some(access_paths(&candidate.paths, judged)),
            }
        }
    }
}

/// How the identity comes to a principal: `from groups[1] and groups[2], member of the role`.
fn access_paths(paths: &[AccessPath], judged: &Judged) -> RichText {
    let Some(first) = paths.first() else {
        return RichText::new();
    };
    let places: Vec<RichText> = paths
        .iter()
        .filter_map(|path| path.group.as_ref())
        .flat_map(|group| judged.origins.places(group))
        .map(|place| RichText::new().text(place))
        .collect();
    let others = paths.len() - 1;
    let words = if places.is_empty() {
        RichText::new()
    } else {
        RichText::new()
            .text("from ")
            .then(listed(places, NAMED_WAYS))
            .text(", ")
    };
    let words = words.text(if first.role.is_some() {
        "member of the role"
    } else {
        "direct ACL"
    });
    match others {
        0 => words,
        1 => words.text(", also through another path"),
        others => words.text(format!(", also through {others} other paths")),
    }
}

fn resource(candidate: &Candidate, judged: &Judged) -> Facet {
    let acl = &candidate.acl;
    let kind = acl.resource_type.spelling().label;
    let access = &judged.access.resource_name;
    let words = match acl.resource_type {
        ResourceType::Cluster | ResourceType::Registry => RichText::new().text(kind),
        _ if matches!(candidate.name, NameFacet::LetterCase | NameFacet::Slashes) => {
            let words =
                RichText::new()
                    .quiet(kind)
                    .text(" ")
                    .differs("", &acl.resource_name, access);
            words.text(format!(
                " {}",
                acl.pattern_type.label_for(&acl.resource_name)
            ))
        }
        _ => RichText::new()
            .quiet(kind)
            .text(" ")
            .pattern(&acl.resource_name, acl.pattern_type),
    };
    let matches = matches!(
        candidate.name,
        NameFacet::Literal | NameFacet::Prefixed | NameFacet::AllNames
    );
    let small = match candidate.name {
        _ if matches => None,
        NameFacet::LetterCase => Some(format!("requested: {access}, in another letter case")),
        NameFacet::Slashes => Some(format!("requested: {access}, a slash is different")),
        _ if candidate.resource_type => Some(format!("requested: {access}")),
        _ => Some(format!("requested: {}", judged.access.resource().plain())),
    };
    Facet {
        matches,
        words,
        small: small.map(RichText::from),
    }
}

fn operation(candidate: &Candidate, judged: &Judged) -> Facet {
    let access = judged.access.operation.spelling().label;
    let words = RichText::new().text(candidate.acl.operation.spelling().label);
    let (matches, small) = match candidate.operation {
        OperationFacet::Exact | OperationFacet::All => (true, None),
        OperationFacet::Implied => (true, Some(format!("also allows {access}"))),
        OperationFacet::DenyImpliesNothing => (
            false,
            Some(format!(
                "requested: {access}; a deny denies its own operation only"
            )),
        ),
        OperationFacet::No => (false, Some(format!("requested: {access}"))),
    };
    Facet {
        matches,
        words,
        small: small.map(RichText::from),
    }
}

fn host(candidate: &Candidate, judged: &Judged) -> Facet {
    let words = RichText::new().resource(candidate.acl.host.to_string());
    let deny = candidate.acl.permission == Permission::Deny;
    let (matches, small) = match candidate.host {
        HostFacet::Any | HostFacet::Exact | HostFacet::InRange => (true, None),
        HostFacet::Unknown if deny => (true, Some("no host given: applies".to_owned())),
        HostFacet::Unknown => (false, Some("no host given: does not apply".to_owned())),
        HostFacet::No => (
            false,
            judged.access.host.map(|host| format!("requested: {host}")),
        ),
    };
    Facet {
        matches,
        words,
        small: small.map(RichText::from),
    }
}
