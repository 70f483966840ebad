//! The chips of the bar above the verdict: what it rests on, and what was taken back since something
//! else was entered last.

use gbac_analysis::HypotheticalChanges;

use crate::simulator::hypothesis::Hypothesis;
use crate::simulator::inputs::{Inputs, WhatIfSettings};

/// A hypothesis in the bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Chip {
    /// Which.
    pub hypothesis: Hypothesis,
    /// Whether it was taken back, and can be restored.
    pub is_removed: bool,
}

/// What was taken back. It counts until something else is entered or tried. It holds what is
/// entered, so it has no `Debug`.
#[derive(Clone, PartialEq, Default)]
pub struct RemovedHypotheses {
    /// All chips when one was removed last, in their order.
    order: Vec<Hypothesis>,
    removed: Vec<Hypothesis>,
    /// What was entered and tried after the last removal or restoration.
    inputs: Inputs,
    trials: HypotheticalChanges,
}

impl RemovedHypotheses {
    /// Whether nothing was taken back.
    pub const fn is_empty(&self) -> bool {
        self.removed.is_empty()
    }

    /// Whether nothing else was entered or tried since.
    pub fn is_current(&self, inputs: &Inputs, trials: &HypotheticalChanges) -> bool {
        self.inputs == *inputs && self.trials == *trials
    }

    /// The chips: each stays in its place when it is taken back. `all` is what the verdict rests on
    /// now.
    pub fn chips(&self, all: &[Hypothesis]) -> Vec<Chip> {
        let mut chips = Vec::new();
        for hypothesis in &self.order {
            let is_removed = self.removed.contains(hypothesis);
            if is_removed || all.contains(hypothesis) {
                chips.push(Chip {
                    hypothesis: hypothesis.clone(),
                    is_removed,
                });
            }
        }
        for hypothesis in all {
            if !self.order.contains(hypothesis) {
                chips.push(Chip {
                    hypothesis: hypothesis.clone(),
                    is_removed: false,
                });
            }
        }
        chips
    }

    /// Takes some of the chips back.
    pub fn remove(
        &mut self,
        some: &[Hypothesis],
        all: &[Hypothesis],
        inputs: &mut Inputs,
        trials: &mut HypotheticalChanges,
        service: &WhatIfSettings,
    ) {
        let chips = self.chips(all);
        self.order = chips.into_iter().map(|chip| chip.hypothesis).collect();
        for hypothesis in some {
            hypothesis.remove(inputs, trials, service);
            if !self.removed.contains(hypothesis) {
                self.removed.push(hypothesis.clone());
            }
        }
        self.keep(inputs, trials);
    }

    /// Assumes these again, or everything that was taken back.
    pub fn restore(
        &mut self,
        only: Option<&Hypothesis>,
        inputs: &mut Inputs,
        trials: &mut HypotheticalChanges,
        service: &WhatIfSettings,
    ) {
        // In the order of the chips, so that each change is where it was.
        for hypothesis in &self.order {
            let is_meant = only.is_none_or(|only| only == hypothesis);
            if is_meant && self.removed.contains(hypothesis) {
                hypothesis.restore(inputs, trials, service);
            }
        }
        self.removed
            .retain(|held| only.is_some_and(|only| only != held));
        self.keep(inputs, trials);
    }

    fn keep(&mut self, inputs: &Inputs, trials: &HypotheticalChanges) {
        if self.removed.is_empty() {
            *self = Self::default();
        } else {
            self.inputs = inputs.clone();
            self.trials = trials.clone();
        }
    }
}

#[cfg(test)]
mod tests {
    use gbac_analysis::HypotheticalChange;

    use super::*;
    use crate::simulator::hypothesis::with_changes;

    /// What a bar works on.
    struct Bar {
        removed: RemovedHypotheses,
        inputs: Inputs,
        trials: HypotheticalChanges,
    }

    impl Bar {
        fn new() -> Self {
            let mut trials = HypotheticalChanges::default();
            for group in ["a", "b", "c"] {
                trials.add(HypotheticalChange::Join(group.into()));
            }
            Self {
                removed: RemovedHypotheses::default(),
                inputs: Inputs::default(),
                trials,
            }
        }

        fn all(&self) -> Vec<Hypothesis> {
            with_changes(&[], &self.trials)
        }

        fn remove(&mut self, some: &[Hypothesis]) {
            let (all, service) = (self.all(), WhatIfSettings::default());
            let (inputs, trials) = (&mut self.inputs, &mut self.trials);
            self.removed.remove(some, &all, inputs, trials, &service);
        }

        fn restore(&mut self, only: Option<&Hypothesis>) {
            let service = WhatIfSettings::default();
            let (inputs, trials) = (&mut self.inputs, &mut self.trials);
            self.removed.restore(only, inputs, trials, &service);
        }

        /// The chips, those that were taken back in parentheses.
        fn shown(&self) -> Vec<String> {
            let mut shown = Vec::new();
            for chip in self.removed.chips(&self.all()) {
                let words = chip.hypothesis.words().short.plain();
                shown.push(match chip.is_removed {
                    true => format!("({words})"),
                    false => words,
                });
            }
            shown
        }
    }

    #[test]
    fn a_chip_stays_in_its_place_and_can_be_restored() {
        let mut bar = Bar::new();
        let all = bar.all();
        bar.remove(&all[..1]);
        assert_eq!(
            bar.shown(),
            ["(With Group:a)", "With Group:b", "With Group:c"]
        );
        assert_eq!(bar.trials.as_slice().len(), 2);
        bar.remove(&all[2..]);
        assert_eq!(
            bar.shown(),
            ["(With Group:a)", "With Group:b", "(With Group:c)"]
        );
        bar.restore(Some(&all[0]));
        assert_eq!(
            bar.shown(),
            ["With Group:a", "With Group:b", "(With Group:c)"]
        );
        bar.restore(Some(&all[2]));
        assert!(bar.removed.is_empty());
        assert_eq!(bar.trials.as_slice().len(), 3);
    }

    #[test]
    fn all_are_removed_and_restored_at_once() {
        let mut bar = Bar::new();
        let (all, before) = (bar.all(), bar.shown());
        bar.remove(&all);
        assert!(bar.trials.as_slice().is_empty());
        assert_eq!(
            bar.shown(),
            ["(With Group:a)", "(With Group:b)", "(With Group:c)"]
        );
        bar.restore(None);
        assert_eq!(bar.shown(), before);
        assert!(bar.removed.is_empty());
    }

    #[test]
    fn it_counts_until_something_else_is_entered() {
        let mut bar = Bar::new();
        bar.remove(&bar.all()[..1]);
        assert!(bar.removed.is_current(&bar.inputs, &bar.trials));
        let other = Inputs {
            host: "10.0.0.1".into(),
            ..bar.inputs.clone()
        };
        assert!(!bar.removed.is_current(&other, &bar.trials));
        assert!(
            !bar.removed
                .is_current(&bar.inputs, &HypotheticalChanges::default())
        );
    }
}
