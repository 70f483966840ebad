//! The fixes of a request by how much they open, and which of them open less than another.

use gbac_analysis::{Breadth, Opening};
use gbac_engine::model::ResourceType;
use gbac_words::breadth;

use super::{FixSection, ListedFix};

/// How many fixes open so much.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixAxisStep {
    /// How much; none of what affects everyone.
    pub breadth: Option<Breadth>,
    /// It in words.
    pub label: String,
    /// The number of fixes.
    pub fixes: usize,
}

/// How much an opening comes to, to compare: the settings, which affect everyone, to the most.
fn rank(opening: &Opening) -> (bool, Option<Breadth>) {
    (opening.is_for_everyone, opening.breadth())
}

/// Whether one opens less than another: fewer kinds of names, or only names that the other opens
/// too.
fn opens_less(one: &Opening, other: &Opening) -> bool {
    if one.is_empty() || one == other {
        return false;
    }
    let is_within = || Opening::joined([one.clone(), other.clone()]) == *other;
    rank(one) < rank(other) || is_within()
}

/// Counts the fixes by what they open, from the least; nothing where there is nothing to compare.
pub(super) fn axis(sections: &[FixSection], of_type: ResourceType) -> Vec<FixAxisStep> {
    let fixes = || sections.iter().flat_map(|section| &section.fixes);
    if fixes().filter(|fix| !fix.opening.is_empty()).count() < 2 {
        return Vec::new();
    }
    let mut steps = Vec::new();
    for breadth in Breadth::ALL {
        let of_step = || fixes().filter(|fix| rank(&fix.opening) == (false, Some(*breadth)));
        let is_of_type = |fix: &ListedFix| {
            let widest = fix.opening.patterns.first();
            widest.is_some_and(|(of, _)| *of == of_type)
        };
        let number = of_step().count();
        // The cluster has no names, and most requests are not about it.
        if number == 0 && of_type.has_names() == (*breadth == Breadth::Cluster) {
            continue;
        }
        steps.push(FixAxisStep {
            breadth: Some(*breadth),
            label: breadth::step(*breadth, of_step().all(is_of_type).then_some(of_type)),
            fixes: number,
        });
    }
    let for_everyone = fixes().filter(|fix| fix.opening.is_for_everyone).count();
    if for_everyone > 0 {
        steps.push(FixAxisStep {
            breadth: None,
            label: breadth::STEP_OF_EVERYONE.to_owned(),
            fixes: for_everyone,
        });
    }
    steps
}

/// Says of each fix whether another one opens less, and which opens the least of these.
pub(super) fn compare_openings(sections: &mut [FixSection]) {
    let mut openings: Vec<(usize, Opening)> = Vec::new();
    for fix in sections.iter().flat_map(|section| &section.fixes) {
        if !fix.opening.is_empty() {
            openings.push((fix.number, fix.opening.clone()));
        }
    }
    if openings.len() < 2 {
        return;
    }
    for fix in sections.iter_mut().flat_map(|section| &mut section.fixes) {
        if fix.opening.is_empty() {
            continue;
        }
        let less = openings
            .iter()
            .filter(|(_, other)| opens_less(other, &fix.opening));
        let least = less.min_by_key(|(number, other)| (rank(other), *number));
        fix.comparison = Some(breadth::compared(least.map(|(number, _)| *number)));
    }
}
