//! What the parts of the page share.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use gbac_console_model::compare_clusters::{
    ClusterComparison, ClusterSide, ComparedDocument, ComparisonView, DifferenceFilter, SideSource,
};
use gbac_console_model::failure::Failure;
use gbac_engine::policy::Policy;
use leptos::leptos_dom::helpers::debounce;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::hooks::use_location;

use crate::dom;
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
    /// How many permissions are the same, once they are counted.
    pub(super) same: RwSignal<Option<usize>>,
    pub(super) filter: RwSignal<DifferenceFilter>,
    /// The places of the selected rows.
    pub(super) selected: RwSignal<BTreeSet<usize>>,
}

impl CompareContext {
    pub(super) fn new() -> Self {
        let service = expect_context::<Service>();
        let draft = expect_context::<Draft>();
        let query = use_location().search.get_untracked();
        let ComparisonView {
            sources: [a, b],
            filter,
        } = ComparisonView::at(&query);
        let sides = [
            SideState::new(ClusterSide::A, a, service),
            SideState::new(ClusterSide::B, b, service),
        ];
        let policy_of = move |side: SideState| match side.source.get() {
            SideSource::Cluster => service.policy.get(),
            SideSource::Draft => draft.after(),
            SideSource::Other(_) => match &*side.other.read() {
                Some(Ok(policy)) => Some(Arc::clone(policy)),
                Some(Err(_)) | None => None,
            },
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
        let context = Self {
            sides,
            policies,
            comparison,
            same: count_same(policies),
            filter: RwSignal::new(filter),
            selected,
        };
        if !ComparisonView::has_sources(&query) {
            context.begin_with_other(service);
        }
        context.keep_in_address(service);
        context
    }

    /// Begins with another cluster as A, where there is one.
    fn begin_with_other(self, service: Service) {
        let [a, _] = self.sides;
        Effect::new(move |_| {
            let (names, open) = (service.cluster_names(), service.named_cluster());
            let is_untouched = a.source.get_untracked() == SideSource::Document
                && a.text.read_untracked().is_empty();
            let mut others = SideSource::offered(&names, open.as_deref()).into_iter();
            let other = others.find(|source| matches!(source, SideSource::Other(_)));
            if let Some(other) = other.filter(|_| is_untouched) {
                a.chosen.set(other);
            }
        });
    }

    /// Keeps the sides and the filters in the address.
    fn keep_in_address(self, service: Service) {
        let view = Memo::new(move |_| {
            let view = ComparisonView {
                sources: self.sides.map(|side| side.source.get()),
                filter: self.filter.get(),
            };
            view.named(service.named_cluster().as_deref())
        });
        Effect::new(move |before: Option<ComparisonView>| {
            let now = view.get();
            if before.is_some_and(|before| before != now) {
                dom::replace_address(&now.address());
            }
            now
        });
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

/// Counts what is the same once the differences are on the screen.
fn count_same(policies: Memo<Option<[Arc<Policy>; 2]>>) -> RwSignal<Option<usize>> {
    let same = RwSignal::new(None);
    let turn = StoredValue::new(0_u64);
    Effect::new(move |_| {
        same.set(None);
        turn.update_value(|turn| *turn += 1);
        let (mine, both) = (turn.get_value(), policies.get());
        dom::after_paint(move || {
            // The page may be gone by now.
            if turn.try_get_value() == Some(mine)
                && let Some([a, b]) = &both
            {
                let _ = same.try_set(ClusterComparison::same([a, b]));
            }
        });
    });
    same
}

/// The policy of another cluster, once it was asked for.
type OtherPolicy = Option<Result<Arc<Policy>, Failure>>;

/// One side.
#[derive(Clone, Copy)]
pub(super) struct SideState {
    pub(super) side: ClusterSide,
    /// Where it comes from.
    pub(super) source: Memo<SideSource>,
    /// The same as it was chosen: the cluster of the console may be one of the others.
    pub(super) chosen: RwSignal<SideSource>,
    /// The policy of another cluster.
    pub(super) other: RwSignal<OtherPolicy>,
    /// The text of its document.
    pub(super) text: RwSignal<String>,
    /// The name of the file of the text.
    pub(super) file: RwSignal<Option<String>>,
    /// The document, as it was read.
    pub(super) document: Memo<ComparedDocument>,
}

impl SideState {
    fn new(side: ClusterSide, source: SideSource, service: Service) -> Self {
        let text = RwSignal::new(String::new());
        // Reading a large text for each key would be felt.
        let settled = RwSignal::new(String::new());
        let mut settle = debounce(Duration::from_millis(200), move |given: String| {
            let _ = settled.try_set(given);
        });
        Effect::new(move |_| settle(text.get()));
        let chosen = RwSignal::new(source);
        let source =
            Memo::new(move |_| chosen.get().in_console(service.named_cluster().as_deref()));
        Self {
            side,
            source,
            chosen,
            other: read_other(source, service),
            text,
            file: RwSignal::new(None),
            document: Memo::new(move |_| settled.with(|text| ComparedDocument::read(text))),
        }
    }

    /// What it is: its file, or where its policy comes from.
    pub(super) fn name(self, open: Option<&str>) -> String {
        let source = self.source.get();
        match self.file.get() {
            Some(file) if source == SideSource::Document => file,
            _ => source.label(open),
        }
    }

    pub(super) fn swap(self, other: Self) {
        let (source, text, file) = (
            self.source.get_untracked(),
            self.text.get_untracked(),
            self.file.get_untracked(),
        );
        self.chosen.set(other.source.get_untracked());
        self.text.set(other.text.get_untracked());
        self.file.set(other.file.get_untracked());
        other.chosen.set(source);
        other.text.set(text);
        other.file.set(file);
    }
}

/// Reads another cluster when it is chosen.
fn read_other(source: Memo<SideSource>, service: Service) -> RwSignal<OtherPolicy> {
    let other = RwSignal::new(None);
    Effect::new(move |_| {
        other.set(None);
        let SideSource::Other(name) = source.get() else {
            return;
        };
        spawn_local(async move {
            let read = service.policy_of(&name).await;
            // The page may be gone by now, or another cluster chosen.
            if source.try_get_untracked() == Some(SideSource::Other(name)) {
                let _ = other.try_set(Some(read));
            }
        });
    });
    other
}
