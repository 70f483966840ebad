//! The other tabs of this service in the same browser: whether they have a draft, and what they
//! applied.

use gbac_console_model::stored_draft::DraftOwner;
use gbac_console_model::tabs::{OtherTabs, TabMessage, TabNews, TabNotice};
use leptos::prelude::*;

use super::draft::Draft;
use crate::dom::{self, TabChannel};

/// The name of the channel.
const CHANNEL: &str = "gbac-tabs";

/// The other tabs; a context of every page.
#[derive(Clone, Copy)]
pub struct Tabs {
    /// The messages about them.
    pub notice: Signal<Option<TabNotice>>,
    others: RwSignal<OtherTabs>,
}

impl Tabs {
    /// Listens to the other tabs, and tells them about the draft of this one.
    #[must_use]
    pub fn listen(draft: Draft) -> Self {
        let others = RwSignal::new(OtherTabs::default());
        let tab = StoredValue::new(dom::random_id());
        let channel = StoredValue::new_local(None::<TabChannel>);
        let say = move |owner: DraftOwner, news: TabNews| {
            let message = TabMessage {
                tab: tab.get_value(),
                owner,
                news,
            };
            if let Ok(text) = serde_json::to_string(&message) {
                channel.with_value(|channel| channel.as_ref().map(|channel| channel.say(&text)));
            }
        };
        let say_draft = move || {
            if let Some(owner) = draft.owner.get_untracked() {
                say(owner, TabNews::Draft(draft.count_untracked()));
            }
        };
        let hear = move |text: String| {
            let Some(own) = draft.owner.get_untracked() else {
                return;
            };
            let Ok(message) = serde_json::from_str::<TabMessage>(&text) else {
                return;
            };
            let mut heard = others.get_untracked();
            let wants_answer = heard.receive(&message, &own);
            if others.with_untracked(|others| *others != heard) {
                others.set(heard);
            }
            if wants_answer && draft.count_untracked() > 0 {
                say_draft();
            }
        };
        channel.set_value(Some(TabChannel::open(CHANNEL, hear)));
        let ask = move || {
            if let Some(owner) = draft.owner.get_untracked() {
                // A tab that crashed said nothing; those that are there answer.
                others.update(OtherTabs::forget_drafts);
                say(owner, TabNews::Hello);
            }
        };
        // Another account has other drafts; the tab has none of the one before any more.
        Effect::new(move |before: Option<Option<DraftOwner>>| {
            let now = draft.owner.get();
            if let Some(Some(before)) = before.filter(|before| *before != now) {
                say(before, TabNews::Draft(0));
            }
            ask();
            now
        });
        Effect::new(move |_| {
            draft.staged.track();
            draft.owner.track();
            say_draft();
        });
        // What was applied before the page was loaded was told then.
        let told = StoredValue::new(dom::now_ms());
        Effect::new(move |_| {
            let Some((at, changes)) = draft.applied.with(|applied| {
                applied
                    .as_ref()
                    .map(|applied| (applied.at_ms, applied.changes.len()))
            }) else {
                return;
            };
            if told.get_value() < at
                && let Some(owner) = draft.owner.get_untracked()
            {
                told.set_value(at);
                say(owner, TabNews::Applied(changes));
            }
        });
        dom::on_page_focus(ask);
        dom::on_page_hide(move || {
            if let Some(owner) = draft.owner.get_untracked() {
                say(owner, TabNews::Draft(0));
            }
        });
        let notice = Memo::new(move |_| others.with(OtherTabs::notice));
        Self {
            notice: notice.into(),
            others,
        }
    }

    /// Takes the notice away until there is something new.
    pub fn dismiss(self) {
        self.others.update(OtherTabs::dismiss);
    }
}
