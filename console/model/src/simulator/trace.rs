//! The trace: every candidate ACL in evaluation order, with the parts that match and those that do
//! not.

use gbac_engine::decide::{
    AccessPath, At, Candidate, CandidateStatus, HostMatch, NameMatch, OperationMatch,
    PrincipalMatch,
};
use gbac_engine::model::{Permission, Principal, ResourceType};
use gbac_words::rich_text::RichText;
use gbac_words::trace;

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
    pub result: CandidateStatus,
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

/// The rows that a filter shows, at most `limit` of them; the deciding row is always the first of
/// its pass.
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
    let passes = trace::passes(judged.explanation.decision.reason).map(|(title, words)| {
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

/// The roles of the user, for the foot of the trace.
pub fn user_roles(judged: &Judged) -> RichText {
    let roles: Vec<&str> = judged
        .explanation
        .paths
        .iter()
        .filter(|path| path.group.is_none())
        .filter_map(|path| path.role.as_deref())
        .collect();
    trace::roles(&Principal::user(judged.identity.user()), &roles)
}

fn row(candidate: &Candidate, judged: &Judged) -> TraceRow {
    TraceRow {
        permission: candidate.acl.permission,
        principal: principal(candidate, judged),
        resource: resource(candidate, judged),
        operation: operation(candidate, judged),
        host: host(candidate, judged),
        result: candidate.status,
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
        PrincipalMatch::LetterCase(known) | PrincipalMatch::Slashes(known) => {
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
        PrincipalMatch::MemberLetterCase(near) | PrincipalMatch::MemberSlashes(near) => {
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
        PrincipalMatch::Everyone => Facet {
            matches: true,
            words: words.principal(own),
            small: Some("every user".into()),
        },
        PrincipalMatch::Matches => {
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

/// How the identity comes to a principal.
fn access_paths(paths: &[AccessPath], judged: &Judged) -> RichText {
    let places: Vec<&str> = paths
        .iter()
        .filter_map(|path| path.group.as_ref())
        .flat_map(|group| judged.origins.places(group))
        .map(String::as_str)
        .collect();
    trace::paths(paths, &places)
}

fn resource(candidate: &Candidate, judged: &Judged) -> Facet {
    let acl = &candidate.acl;
    let kind = acl.resource_type.spelling().label;
    let requested = &judged.access.resource_name;
    let words = match acl.resource_type {
        ResourceType::Cluster | ResourceType::Registry => RichText::new().text(kind),
        _ if matches!(candidate.name, NameMatch::LetterCase | NameMatch::Slashes) => {
            let words =
                RichText::new()
                    .quiet(kind)
                    .text(" ")
                    .differs("", &acl.resource_name, requested);
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
        NameMatch::Literal | NameMatch::Prefixed | NameMatch::AllNames
    );
    let request = judged.access.request(At::IgnoringExpiry);
    let small = trace::resource_remark(candidate, &request);
    Facet {
        matches,
        words,
        small: small.map(RichText::from),
    }
}

fn operation(candidate: &Candidate, judged: &Judged) -> Facet {
    let small = trace::operation_remark(candidate.operation, judged.access.operation);
    Facet {
        matches: matches!(
            candidate.operation,
            OperationMatch::Exact | OperationMatch::All | OperationMatch::Implied
        ),
        words: candidate.acl.operation.spelling().label.into(),
        small: small.map(RichText::from),
    }
}

fn host(candidate: &Candidate, judged: &Judged) -> Facet {
    let acl = &candidate.acl;
    let small = trace::host_remark(candidate.host, acl.permission, judged.access.host);
    Facet {
        matches: match candidate.host {
            HostMatch::Any | HostMatch::Exact | HostMatch::InRange => true,
            HostMatch::Unknown => acl.permission == Permission::Deny,
            HostMatch::No => false,
        },
        words: RichText::new().resource(acl.host.to_string()),
        small: small.map(RichText::from),
    }
}
