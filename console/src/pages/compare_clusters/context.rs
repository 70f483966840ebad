//! What the parts of the page share.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use gbac_console_model::compare_clusters::{
    ClusterComparison, ClusterSide, ComparedDocument, DifferenceFilter, SideSource,
};
use gbac_engine::policy::Policy;
use leptos::leptos_dom::helpers::debounce;
use leptos::prelude::*;

use crate::store::draft::Draft;
use crate::store::service::Service;

/// What the parts of the page share.
#[derive(Clone, Copy)]
pub(super) struct CompareContext {
    pub(super) sides: [SideState; 2],
    /// Both policies; none while a side is missing.
    pub(super) policies: Memo<Option<[Arc<Policy>; 2]>>,
    /// How they differ.
    pub(super) comparison: Memo<Option<Arc<ClusterComparison>>>,
    pub(super) filter: RwSignal<DifferenceFilter>,
    /// The places of the selected rows.
    pub(super) selected: RwSignal<BTreeSet<usize>>,
}

impl CompareContext {
    pub(super) fn new() -> Self {
        let service = expect_context::<Service>();
        let draft = expect_context::<Draft>();
        let sides = [
            SideState::new(ClusterSide::A, SideSource::Document),
            SideState::new(ClusterSide::B, SideSource::Cluster),
        ];
        let policy_of = move |side: SideState| match side.source.get() {
            SideSource::Cluster => service.policy.get(),
            SideSource::Draft => draft.after(),
            SideSource::Document => side.document.read().policy(),
        };
        // Each read makes another policy, so they are compared by where they are.
        let policies = Memo::new_with_compare(
            move |_| {
                let [a, b] = sides.map(policy_of);
                Some([a?, b?])
            },
            |_, _| true,
        );
        let comparison = Memo::new(move |_| {
            let policies = policies.read();
            let [a, b] = policies.as_ref()?;
            Some(Arc::new(ClusterComparison::new([a, b])))
        });
        let selected = RwSignal::new(BTreeSet::new());
        // Rows of another comparison are others.
        Effect::new(move |_| {
            comparison.track();
            selected.set(BTreeSet::new());
        });
        Self {
            sides,
            policies,
            comparison,
            filter: RwSignal::new(DifferenceFilter::default()),
            selected,
        }
    }

    /// The side that is missing.
    pub(super) fn missing(self) -> Option<ClusterSide> {
        let is_missing = |side: &SideState| {
            side.source.get() == SideSource::Document && side.document.read().policy().is_none()
        };
        let side = self.sides.into_iter().find(is_missing)?;
        Some(side.side)
    }
}

/// One side.
#[derive(Clone, Copy)]
pub(super) struct SideState {
    pub(super) side: ClusterSide,
    pub(super) source: RwSignal<SideSource>,
    /// The text of its document.
    pub(super) text: RwSignal<String>,
    /// The name of the file of the text.
    pub(super) file: RwSignal<Option<String>>,
    /// The document, as it was read.
    pub(super) document: Memo<ComparedDocument>,
}

impl SideState {
    fn new(side: ClusterSide, source: SideSource) -> Self {
        let text = RwSignal::new(String::new());
        // Reading a large text for each key would be felt.
        let settled = RwSignal::new(String::new());
        let mut settle = debounce(Duration::from_millis(200), move |given: String| {
            let _ = settled.try_set(given);
        });
        Effect::new(move |_| settle(text.get()));
        Self {
            side,
            source: RwSignal::new(source),
            text,
            file: RwSignal::new(None),
            document: Memo::new(move |_| settled.with(|text| ComparedDocument::read(text))),
        }
    }

    /// What it is: its file, or where its policy comes from.
    pub(super) fn name(self) -> String {
        let source = self.source.get();
        match self.file.get() {
            Some(file) if source == SideSource::Document => file,
            _ => source.label().to_owned(),
        }
    }

    pub(super) fn swap(self, other: Self) {
        let (source, text, file) = (
            self.source.get_untracked(),
            self.text.get_untracked(),
            self.file.get_untracked(),
        );
        self.source.set(other.source.get_untracked());
        self.text.set(other.text.get_untracked());
        self.file.set(other.file.get_untracked());
        other.source.set(source);
        other.text.set(text);
        other.file.set(file);
    }
}
