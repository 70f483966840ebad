//! The managed cloud's mapping as text to copy, with validation.

use gbac_console_model::settings::sso::{attributes_of, read};
use gbac_words::pages::settings as words;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::edit::Edit;
use super::names::claim_messages;
use crate::dom;
use crate::ui::{Button, Message, MessageKind, TextArea, Words};
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::policy::Settings;

async fn copy(text: Memo<String>, copied: RwSignal<bool>) {
    match dom::copy(&text.get_untracked()).await {
        Ok(()) => {
            copied.set(true);
            dom::announce("Copied");
        }
        Err(why) => dom::announce_error(&format!("Not copied: {why}")),
    }
}

#[component]
pub(super) fn SsoText(edit: Edit) -> impl IntoView {
    // As long as nobody types here, the text says what the settings in force would be there.
    let typed = RwSignal::new(None::<String>);
    let text = Memo::new(move |_| {
        typed.get().unwrap_or_else(|| {
            let policy = edit.service.policy.get().unwrap_or_default();
            attributes_of(policy.settings())
        })
    });
    let checked = Memo::new(move |_| text.with(|text| read(text)));
    let error = Signal::derive(move || checked.get().err());
    let copied = RwSignal::new(false);
    view! {
        <section aria-label="Managed cloud">
            <div class="stack">
                <p class="quiet"><Words text=words::COPY_MAPPING /></p>
                <TextArea id="sso-attributes" label="Attributes (JSON)" rows=4 value=text error=error
                    on_input=move |written| { typed.set(Some(written)); copied.set(false); }
                    described_by="sso-verdict" />
                <div id="sso-verdict">
                    {move || {
                        let groups = checked.get().ok()?;
                        let settings = Settings { groups, ..Settings::default() };
                        let tokens = edit.tokens.read();
                        if tokens.readable().next().is_some() {
                            return Some(claim_messages(&settings, &tokens).into_any());
                        }
                        Some(view! { <Message kind=MessageKind::Good>"Valid attributes"</Message> }.into_any())
                    }}
                    {move || {
                        let nested = edit.service.policy.get()?.settings().identity_rules().extraction.nested;
                        (nested == NestedGroupBehavior::Suffix).then(|| view! {
                            <Message kind=MessageKind::Warn>{words::NO_SUFFIX_IN_CLOUD}</Message>
                        })
                    }}
                </div>
                <div class="row">
                    <Button small=true on_press=move |()| spawn_local(copy(text, copied)) disabled=Signal::derive(move || checked.with(Result::is_err))>"Copy attributes"</Button>
                    {move || copied.get().then(|| view! { <span class="quiet">"Copied"</span> })}
                </div>
            </div>
        </section>
    }
}
