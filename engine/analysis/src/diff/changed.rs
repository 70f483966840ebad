//! The scopes and patterns that a change can affect: a view of each such scope and resource type.

use super::compared::{Compared, KnownPrincipal, RowDifference, bound};
use super::host_scope::on_side;
use super::view::{SidedRule, View};
use crate::held::Rule;
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
        let mut starts = vec![0; bound(policy) + 1];
        let each = || {
            let patterns = ids
                .iter()
                .filter_map(|id| Some((*id, policy.pattern(*id)?)));
            patterns
                .flat_map(|(id, pattern)| principals(pattern).map(move |principal| (id, principal)))
        };
        for (_, principal) in each() {
            if let Some(count) = starts.get_mut(principal.0 as usize) {
                *count += 1;
            }
        }
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut patterns = vec![PatternId(0); end];
        // This moves each start from the end of its range to the beginning.
        for (id, principal) in each() {
            if let Some(start) = starts.get_mut(principal.0 as usize) {
                *start -= 1;
                if let Some(place) = patterns.get_mut(*start) {
                    *place = id;
                }
            }
        }
        Self { starts, patterns }
    }

    fn patterns_of(&self, principal: PrincipalId) -> &[PatternId] {
        let start = |principal: usize| self.starts.get(principal).copied().unwrap_or_default();
        let principal = principal.0 as usize;
        self.patterns
            .get(start(principal)..start(principal + 1))
            .unwrap_or_default()
    }
}

/// The principals on a pattern, each once.
fn principals(pattern: &Pattern) -> impl Iterator<Item = PrincipalId> {
    pattern
        .rows()
        .chunk_by(|a, b| a.principal == b.principal)
        .filter_map(|rows| rows.first())
        .map(|row| row.principal)
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
        let known_everyone = (0..2)
            .find_map(|side| on_side(&self.everyone, side).map(|id| compared.place(side, id)));
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
                let types = ResourceType::ALL
                    .iter()
                    .filter(|kind| exists_in(compared.policies, **kind));
                touched.extend(types.map(|resource_type| (*resource_type, Place::All)));
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
            for pattern in id.map_or(&[][..], |id| {
                on_side(&self.by_principal, side).patterns_of(id)
            }) {
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
            let own = on_side(&ids, side)
                .filter(|id| everyone != Some(*id) && (!is_role || policy.is_role(*id)));
            let roles = on_side(&ids, side)
                .filter(|_| !is_role)
                .map_or(&[][..], |id| policy.links(id));
            for principal in everyone.into_iter().chain(own).chain(roles.iter().copied()) {
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
                        let everyone = everyone == Some(principal);
                        let rows = rows_of(pattern.rows(), principal);
                        let sided = |row| SidedRule {
                            rule: Rule::new(policy, pattern, row),
                            side,
                            everyone,
                        };
                        view.rules.extend(rows.iter().map(sided));
                    }
                }
            }
        }
    }
}

/// For each policy, the patterns that the differences affect. All patterns if more than rows
/// differ.
fn patterns(compared: &Compared<'_>) -> [Vec<PatternId>; 2] {
    let differs = |known: &KnownPrincipal| {
        let [was, is_now] = known.superuser;
        was != is_now
            || compared.is_role(known, 0) != compared.is_role(known, 1)
            || !compared.roles(known, 0).eq(compared.roles(known, 1))
    };
    if compared.known.iter().any(differs) {
        return compared
            .policies
            .map(|policy| policy.patterns().map(|(id, _)| id).collect());
    }
    let pattern = |side: usize, id: PatternId| on_side(&compared.policies, side).pattern(id);
    let trees: Vec<(Tree<'_>, bool)> = (ResourceType::ALL.iter())
        .map(|resource_type| {
            let touched = compared
                .rows()
                .iter()
                .filter_map(|(_, side, id)| pattern(*side, *id));
            let touched = touched
                .filter(|pattern| pattern.resource_type == *resource_type)
                .map(Place::from_pattern);
            (
                Tree::new(touched.clone()),
                touched.into_iter().any(|place| place == Place::All),
            )
        })
        .collect();
    let is_touched = |side: usize, id: PatternId| {
        let pattern = pattern(side, id);
        pattern.is_some_and(|pattern| {
            let tree = trees.get(pattern.resource_type as usize);
            tree.is_some_and(|(tree, all)| *all || tree.meets(Place::from_pattern(pattern)))
        })
    };
    let mut touched = [0, 1].map(|side| {
        let alone = on_side(&compared.alone, side).iter().copied();
        alone.filter(|id| is_touched(side, *id)).collect::<Vec<_>>()
    });
    let [before, after] = &mut touched;
    for [id, same] in &compared.shared {
        if is_touched(0, *id) {
            before.push(*id);
            after.push(*same);
        }
    }
    touched
}
