//! Settings: how groups are read from a token, what another way would do, and what the service is set to.

mod loggers;
mod names;
mod preview;
mod properties;
mod service;
mod sso;

pub(in crate::pages) use service::on_connection;

use gbac_console_model::address;
use gbac_console_model::connection::Ability;
use gbac_console_model::group_changes::{GroupChanges, compared};
use gbac_console_model::settings::Entered;
use gbac_console_model::simulator::token;
use gbac_console_model::simulator::token::Reading;
use leptos::prelude::*;

use crate::dom;
use crate::pages::simulator::Kept;
use crate::store::draft::Draft;
use crate::store::service::{Service, ServiceStatus};
use crate::ui::{Empty, Glyph, SkeletonRows};
use gbac_engine::policy::{Change, Settings, apply_each};

/// The page's state: what is entered, and what it would do.
#[derive(Clone, Copy)]
struct Edit {
    service: Service,
    draft: Draft,
    /// What is entered; none before the settings were read.
    entered: RwSignal<Option<Entered>>,
    /// The settings that it makes, or what is wrong with it.
    wanted: Memo<Option<Result<Settings, String>>>,
    /// How many of the two properties are different.
    changes: Memo<usize>,
    /// What was pasted, read.
    token: Memo<Reading>,
    preview: Memo<GroupChanges>,
}

impl Edit {
    fn new(service: Service, draft: Draft, kept: Kept) -> Self {
        let entered = RwSignal::new(None::<Entered>);
        // What is staged counts as entered; later reads do not overwrite what somebody types.
        Effect::new(move |_| {
            let staged = draft.after.with(|after| after.as_ref().map(|after| Entered::of(after.settings())));
            if entered.with_untracked(Option::is_none)
                && let Some(staged) = staged
            {
                entered.set(Some(staged));
            }
        });
        let wanted = Memo::new(move |_| {
            let entered = entered.get()?;
            service.policy.with(|policy| policy.as_ref().map(|policy| entered.read(policy.settings())))
        });
        let changes = Memo::new(move |_| {
            let entered = entered.get();
            service.policy.with(|policy| {
                entered.zip(policy.as_ref()).map_or(0, |(entered, policy)| entered.changes(policy.settings()))
            })
        });
        let inputs = kept.inputs();
        let token = Memo::new(move |_| inputs.with(|inputs| token::read(&inputs.token, inputs.as_claims)));
        let preview = Memo::new(move |_| {
            let policy = service.policy.get();
            let wanted = wanted.get();
            token.with(|reading| {
                let claims = match reading {
                    Reading::Read(read) => Some(read.claims.members()),
                    Reading::Empty | Reading::Wrong(_) => None,
                };
                let Some(policy) = policy else { return GroupChanges::default() };
                let mut after = (*policy).clone();
                // While the path is wrong, what the token has today is still shown.
                if let Some(Ok(wanted)) = wanted {
                    apply_each(&mut after, [&Change::Settings(Box::new(wanted))]);
                }
                GroupChanges::of(&compared(&policy, &after, claims), &policy, &after)
            })
        });
        Self { service, draft, entered, wanted, changes, token, preview }
    }

    /// Whether the managed cloud's mapping stands in the place of the two properties.
    fn is_sso(self) -> bool {
        let is_sso = |settings: &Settings| gbac_console_model::settings::is_sso(settings);
        self.service.policy.with(|policy| policy.as_ref().is_some_and(|policy| is_sso(policy.settings())))
    }
}

/// The page.
#[component]
pub fn SettingsPage() -> impl IntoView {
    dom::set_title("Settings");
    let service = expect_context::<Service>();
    let edit = Edit::new(service, expect_context::<Draft>(), expect_context::<Kept>());
    let can = Memo::new(move |_| service.can.with(|can| can.settings.clone()));
    let is_read = Memo::new(move |_| service.policy.with(Option::is_some));
    let is_away = Memo::new(move |_| service.status.with(|status| matches!(status, ServiceStatus::Away { .. })));
    let content = move || match (can.get(), is_read.get(), is_away.get()) {
        (Ability::No(reason), _, _) => view! {
            <div class="cols">
                <div class="stack wide-gap"><sso::SsoText edit=edit /></div>
                <div class="panel flat">
                    <Empty glyph=Glyph::Lock title="These settings are not shown here">
                        <p>{reason}</p>
                        <div class="row"><a class="btn" href=address::CONNECTION>"Connection"</a></div>
                    </Empty>
                </div>
            </div>
        }
        .into_any(),
        (Ability::Yes, true, _) => view! {
            <div class="cols">
                <div class="stack wide-gap">
                    <properties::Properties edit=edit />
                    <service::ServiceFacts />
                    <loggers::Loggers />
                    <sso::SsoText edit=edit />
                </div>
                <preview::PreviewOf edit=edit />
            </div>
        }
        .into_any(),
        (Ability::Yes, false, false) => view! { <SkeletonRows what="Reading settings" /> }.into_any(),
        // The banner says why.
        (Ability::Yes, false, true) => ().into_any(),
    };
    view! {
        <div class="head">
            <div>
                <h1>"Settings"</h1>
                <p>"How groups are read from an access token. A change applies at once, without a restart."</p>
            </div>
        </div>
        {content}
    }
}
