//! The scopes and patterns that a change can affect: a view of each such scope and resource type.

use super::compared::{Compared, KnownPrincipal, RowDifference};
use super::host_scope::on_side;
use super::view::{SidedRule, View};
use crate::held::Rule;
use crate::role_counts::principal_bound;
use crate::scope::{Scope, every_operation_of, exists_in};
use crate::tree::{Place, Tree};
use gbac_engine::model::{PrincipalType, ResourceType};
use gbac_engine::order::{run, sort};
use gbac_engine::{
    policy::Policy,
    policy::index::{Pattern, PatternId, PrincipalId, rows_of},
};

/// The most changed places with which a row is compared. If there are more, all rows of the type
/// are used.
const COMPARED: usize = 64;

/// The affected places, with their resource type.
type Touched<'a> = Vec<(ResourceType, Place<'a>)>;

/// Patterns by principal.
struct ByPrincipal {
    /// For each principal, the index of its first pattern.
    starts: Vec<usize>,
    patterns: Vec<PatternId>,
}

impl ByPrincipal {
    fn new(policy: &Policy, ids: &[PatternId]) -> Self {
        let mut starts = vec![0; principal_bound(policy) + 1];
        for id in ids {
            for principal in principals(policy, *id) {
                if let Some(count) = starts.get_mut(principal.0 as usize) {
                    *count += 1;
                }
            }
        }
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut patterns = vec![PatternId(0); end];
        // This moves each start from the end of its range to the beginning.
        for id in ids {
            for principal in principals(policy, *id) {
                if let Some(start) = starts.get_mut(principal.0 as usize) {
                    *start -= 1;
                    if let Some(place) = patterns.get_mut(*start) {
                        *place = *id;
                    }
                }
            }
        }
        Self { starts, patterns }
    }

    fn patterns_of(&self, principal: PrincipalId) -> &[PatternId] {
        let principal = principal.0 as usize;
        match self.starts.get(principal..principal + 2) {
            Some([start, end]) => self.patterns.get(*start..*end).unwrap_or_default(),
            _ => &[],
        }
    }
}

/// The principals on a pattern, each once.
fn principals(policy: &Policy, id: PatternId) -> impl Iterator<Item = PrincipalId> {
    let rows = policy.pattern(id).map_or(&[][..], Pattern::rows);
    rows.chunk_by(|a, b| a.principal == b.principal)
        .filter_map(|rows| Some(rows.first()?.principal))
}

/// The principals and patterns that a change can affect.
pub(super) struct Changed<'a> {
    compared: Compared<'a>,
    /// For each policy, the patterns that the differences affect.
    pub(super) patterns: [Vec<PatternId>; 2],
    by_principal: [ByPrincipal; 2],
    everyone: [Option<PrincipalId>; 2],
}

impl<'a> Changed<'a> {
    pub(super) fn new(policies: [&'a Policy; 2]) -> Self {
        let compared = Compared::new(policies);
        let patterns = patterns(&compared);
        let by_principal = [0, 1].map(|side| {
            let policy = *on_side(&policies, side);
            ByPrincipal::new(policy, on_side(&patterns, side).as_slice())
        });
        let everyone = policies.map(|policy| policy.principal_id(PrincipalType::User, "*"));
        Self {
            compared,
            patterns,
            by_principal,
            everyone,
        }
    }

    /// A view of each scope and resource type that a change can affect.
    pub(super) fn views(&self) -> Vec<View<'a>> {
        let compared = &self.compared;
        let mut views = Vec::new();
        let mut everyone = Vec::new();
        let known_everyone =
            (0..2).find_map(|side| Some(compared.place(side, (*on_side(&self.everyone, side))?)));
        if let Some(known) = known_everyone {
            self.touch_rows(compared.rows_of(known), &mut everyone);
            self.view(
                &Scope::Everyone,
                [None; 2],
                [false; 2],
                everyone.clone(),
                &mut views,
            );
        }
        for (place, known) in compared.known.iter().enumerate() {
            let mut touched = everyone.clone();
            let is_role = [0, 1].map(|side| compared.is_role(known, side));
            if known.principal.is_everyone() {
                self.touch_roles(known, &mut touched);
                // The user with that name differs from everyone only through its roles and as a
                // superuser.
                let has_roles = (0..2).any(|side| compared.roles(known, side).next().is_some());
                if !has_roles && known.superuser == [false; 2] {
                    continue;
                }
            } else if known.principal.kind() != PrincipalType::Role {
                self.touch_rows(compared.rows_of(place), &mut touched);
                self.touch_roles(known, &mut touched);
            } else if is_role == [true; 2] {
                self.touch_rows(compared.rows_of(place), &mut touched);
            } else if is_role == [false; 2] {
                continue;
            } else {
                self.touch_all(known.ids, &mut touched);
            }
            let [was, is_now] = known.superuser;
            if was != is_now {
                for resource_type in ResourceType::ALL {
                    if exists_in(compared.policies, *resource_type) {
                        touched.push((*resource_type, Place::All));
                    }
                }
            }
            let is_empty_group =
                known.principal.kind() == PrincipalType::Group && known.principal.name().is_empty();
            if !touched.is_empty() && known.superuser != [true; 2] && !is_empty_group {
                let scope = Scope::One(known.principal.clone());
                self.view(&scope, known.ids, known.superuser, touched, &mut views);
            }
        }
        views
    }

    fn touch(&self, side: usize, id: PatternId, touched: &mut Touched<'a>) {
        if let Some(pattern) = on_side(&self.compared.policies, side).pattern(id) {
            touched.push((pattern.resource_type, Place::from_pattern(pattern)));
        }
    }

    fn touch_rows(&self, rows: &[RowDifference], touched: &mut Touched<'a>) {
        for (_, side, id) in rows {
            self.touch(*side, *id, touched);
        }
    }

    fn touch_all(&self, ids: [Option<PrincipalId>; 2], touched: &mut Touched<'a>) {
        for (side, id) in ids.into_iter().enumerate() {
            let Some(id) = id else {
                continue;
            };
            for pattern in on_side(&self.by_principal, side).patterns_of(id) {
                self.touch(side, *pattern, touched);
            }
        }
    }

    /// Adds the places that the roles of a user or group affect: the differing rows of roles in
    /// both policies, and all rows of other roles.
    fn touch_roles(&self, known: &KnownPrincipal, touched: &mut Touched<'a>) {
        let compared = &self.compared;
        let same = compared.roles(known, 0).eq(compared.roles(known, 1));
        for side in 0..2 {
            for role in compared.roles(known, side) {
                if !same && !compared.roles(known, 1 - side).any(|other| other == role) {
                    let id = compared
                        .known
                        .get(role)
                        .and_then(|role| *on_side(&role.ids, side));
                    self.touch_all(if side == 0 { [id, None] } else { [None, id] }, touched);
                } else if side == 0 {
                    self.touch_rows(compared.rows_of(role), touched);
                }
            }
        }
    }

    /// Adds a view of a scope for each affected resource type.
    fn view(
        &self,
        scope: &Scope,
        ids: [Option<PrincipalId>; 2],
        superuser: [bool; 2],
        mut touched: Touched<'a>,
        views: &mut Vec<View<'a>>,
    ) {
        sort(&mut touched, |a, b| {
            a.0.cmp(&b.0).then_with(|| a.1.order(b.1))
        });
        touched.dedup();
        let first = views.len();
        let every = every_operation_of(self.compared.policies);
        for of_type in touched.chunk_by(|a, b| a.0 == b.0) {
            if let [(resource_type, _), ..] = of_type {
                views.push(View::new(
                    scope.clone(),
                    ids,
                    *resource_type,
                    superuser,
                    every,
                ));
            }
        }
        let is_role = super::is_role(scope);
        for side in 0..2 {
            let policy = *on_side(&self.compared.policies, side);
            let everyone = *on_side(&self.everyone, side);
            let mut principals: Vec<PrincipalId> = everyone.into_iter().collect();
            if let Some(id) = *on_side(&ids, side) {
                if everyone != Some(id) && (!is_role || policy.is_role(id)) {
                    principals.push(id);
                }
                if !is_role {
                    principals.extend_from_slice(policy.links(id));
                }
            }
            for principal in principals {
                for id in on_side(&self.by_principal, side).patterns_of(principal) {
                    let Some(pattern) = policy.pattern(*id) else {
                        continue;
                    };
                    let place = Place::from_pattern(pattern);
                    let of_type = run(&touched, |(resource_type, _)| {
                        resource_type.cmp(&pattern.resource_type)
                    });
                    if of_type.len() <= COMPARED
                        && !of_type.iter().any(|(_, other)| other.overlaps(place))
                    {
                        continue;
                    }
                    let view = views
                        .iter_mut()
                        .skip(first)
                        .find(|view| view.resource_type == pattern.resource_type);
                    if let Some(view) = view {
                        for row in rows_of(pattern.rows(), principal) {
                            view.rules.push(SidedRule {
                                rule: Rule::new(policy, pattern, row),
                                side,
                                everyone: everyone == Some(principal),
                            });
                        }
                    }
                }
            }
        }
    }
}

/// For each policy, the patterns that the differences affect. All patterns if more than rows
/// differ.
fn patterns(compared: &Compared<'_>) -> [Vec<PatternId>; 2] {
    if compared.known.iter().any(|known| differs(compared, known)) {
        return compared
            .policies
            .map(|policy| policy.patterns().map(|(id, _)| id).collect());
    }
    let mut trees = Vec::with_capacity(ResourceType::ALL.len());
    for resource_type in ResourceType::ALL {
        let mut places = Vec::new();
        for (_, side, id) in compared.rows() {
            if let Some(pattern) = on_side(&compared.policies, *side).pattern(*id)
                && pattern.resource_type == *resource_type
            {
                places.push(Place::from_pattern(pattern));
            }
        }
        let all = places.contains(&Place::All);
        trees.push((Tree::new(places.iter().copied()), all));
    }
    let mut touched = [Vec::new(), Vec::new()];
    for (side, touched) in touched.iter_mut().enumerate() {
        for id in on_side(&compared.alone, side) {
            if is_touched(compared, &trees, side, *id) {
                touched.push(*id);
            }
        }
    }
    let [before, after] = &mut touched;
    for [id, same] in &compared.shared {
        if is_touched(compared, &trees, 0, *id) {
            before.push(*id);
            after.push(*same);
        }
    }
    touched
}

/// Whether more than the rows of a principal differ.
fn differs(compared: &Compared<'_>, known: &KnownPrincipal) -> bool {
    let [was, is_now] = known.superuser;
    was != is_now
        || compared.is_role(known, 0) != compared.is_role(known, 1)
        || !compared.roles(known, 0).eq(compared.roles(known, 1))
}

/// Whether a pattern meets a place of its type that differs; `trees` has these places, and whether
/// all names are among them.
fn is_touched(
    compared: &Compared<'_>,
    trees: &[(Tree<'_>, bool)],
    side: usize,
    id: PatternId,
) -> bool {
    let Some(pattern) = on_side(&compared.policies, side).pattern(id) else {
        return false;
    };
    match trees.get(pattern.resource_type as usize) {
        Some((tree, all)) => *all || tree.meets(Place::from_pattern(pattern)),
        None => false,
    }
}
