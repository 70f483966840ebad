//! What a row says while its change is on its way, and when it failed.

use gbac_engine::policy::Change;
use leptos::prelude::*;

use super::RoleContext;
use crate::ui::{Button, ButtonKind, Mark, VerdictWord, Words};

/// How a row's change stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Progress {
    /// Nothing is on its way.
    Still,
    /// Sent, not answered yet.
    Sending,
    /// Refused or unanswered, with the service's words.
    Failed(String),
}

impl RoleContext {
    /// How one change stands.
    pub(super) fn progress(self, change: Change) -> Memo<Progress> {
        Memo::new(move |_| match self.attempts.of(&change) {
            None => Progress::Still,
            Some(attempt) => attempt.failure.map_or(Progress::Sending, |failure| Progress::Failed(failure.to_string())),
        })
    }
}

/// Classes of a row whose change stands so.
pub(super) fn row_class(progress: &Progress) -> &'static str {
    match progress {
        Progress::Still => "",
        Progress::Sending => "busy",
        Progress::Failed(_) => "bad has-why",
    }
}

/// The line under a row whose change failed: what the service said, and what can be done.
#[component]
pub(super) fn FailedLine(
    /// How the change stands.
    progress: Memo<Progress>,
    /// What did not happen, such as `Not removed`.
    word: &'static str,
    /// What the row is about; in the names of the buttons.
    what: String,
    /// The columns of the table.
    columns: usize,
    /// Sends it again.
    #[prop(into)]
    on_retry: Callback<()>,
    /// Gives it up.
    #[prop(into)]
    on_drop: Callback<()>,
) -> impl IntoView {
    move || match progress.get() {
        Progress::Failed(text) => Some(view! {
            <tr role="row" class="bad-why">
                <td role="cell" colspan=columns>
                    <div class="marks">
                        <VerdictWord mark=Mark::Deny word=word small=true />
                        <span><Words text=text /></span>
                        <Button small=true on_press=move |()| on_retry.run(()) {..} aria-label=format!("Retry, {what}")>"Retry"</Button>
                        <Button small=true kind=ButtonKind::Quiet on_press=move |()| on_drop.run(()) {..} aria-label=format!("Give up, {what}")>"Give up"</Button>
                    </div>
                </td>
            </tr>
        }),
        Progress::Still | Progress::Sending => None,
    }
}
