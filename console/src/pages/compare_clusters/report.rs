//! The button that saves the differences as a file.

use gbac_console_model::compare_clusters::{REPORT_FILE, ReportOf, report};
use gbac_words::common::file_not_saved;
use leptos::prelude::*;

use super::context::CompareContext;
use crate::dom;
use crate::store::service::Service;
use crate::ui::Button;

/// Saves what the filters show, while there are differences.
#[component]
pub(super) fn ReportButton() -> impl IntoView {
    let (context, service) = (
        expect_context::<CompareContext>(),
        expect_context::<Service>(),
    );
    let save = move |()| {
        let Some(text) = text(context, service) else {
            return;
        };
        match dom::save_file(REPORT_FILE, "text/plain", &text) {
            Ok(()) => dom::announce(&format!("{REPORT_FILE} saved")),
            Err(reason) => dom::announce_error(&file_not_saved(REPORT_FILE, &reason)),
        }
    };
    let has_rows = Memo::new(move |_| {
        let comparison = context.comparison.read();
        comparison
            .as_ref()
            .is_some_and(|comparison| !comparison.rows.is_empty())
    });
    move || {
        has_rows
            .get()
            .then(|| view! { <Button on_press=save>"Download report"</Button> })
    }
}

fn text(context: CompareContext, service: Service) -> Option<String> {
    let open = untrack(|| service.named_cluster());
    let names = untrack(|| context.sides.map(|side| side.name(open.as_deref())));
    let comparison = context.comparison.get_untracked()?;
    let policies = context.policies.read_untracked();
    let [a, b] = policies.as_ref()?;
    let shown = comparison.shown(&context.filter.read_untracked());
    Some(report(ReportOf {
        names: [&names[0], &names[1]],
        policies: [a, b],
        comparison: &comparison,
        shown: &shown,
        same: context.same.get_untracked(),
        at: &dom::iso_time(),
    }))
}
