//! The head and tabs of the permissions views, and their shared context.

use std::sync::Arc;
use std::time::Duration;

use gbac_analysis::{PolicySummary, policy_summary};
use gbac_console_model::address;
use gbac_console_model::permissions::title::page_title;
use gbac_engine::policy::Policy;
use gbac_words::pages::permissions as words;
use gbac_words::phrases::thousands;
use leptos::prelude::*;
use leptos_router::hooks::use_location;

use crate::dom;
use crate::pages::cluster_notes::ClusterNotes;
use crate::pages::provider_gap::ProviderGap;
use crate::pages::unread::Unread;
use crate::store::findings::Findings;
use crate::store::service::Service;
use crate::ui::{Empty, Glyph};

/// How long linting waits for the page to be seen first.
const AFTER_PAINT: Duration = Duration::from_millis(60);

/// What the views share.
#[derive(Clone, Copy)]
pub(super) struct Context {
    pub(super) service: Service,
    pub(super) findings: Findings,
    /// What everybody holds.
    pub(super) holdings: Memo<Option<Arc<PolicySummary>>>,
}

impl Context {
    /// The policy that was read; the parts of a view are there only while there is one.
    pub(super) fn policy(self) -> Arc<Policy> {
        self.service.policy.get().unwrap_or_default()
    }
}

/// The head of every view with its tabs; the view itself when a policy was read.
#[component]
pub(super) fn Frame(
    /// What the view is for.
    lead: &'static str,
    /// The view.
    children: ChildrenFn,
) -> impl IntoView {
    let location = use_location();
    let title = Memo::new(move |_| {
        let query = location.search;
        (location.pathname).with(|path| query.with(|query| page_title(path, query)))
    });
    Effect::new(move |_| {
        // The address of the next page comes before the page does.
        if let Some(title) = &*title.read() {
            dom::set_title(title);
        }
    });
    let service = expect_context::<Service>();
    let findings = expect_context::<Findings>();
    // Compared by its place in memory: each read makes another one.
    let counted = Memo::new_with_compare(
        move |_| {
            let policy = service.policy.get()?;
            Some(Arc::new(dom::measured("permissions: holdings", || {
                policy_summary(&policy)
            })))
        },
        |_, _| true,
    );
    provide_context(Context {
        service,
        findings,
        holdings: counted,
    });
    Effect::new(move |_| {
        if let Some(policy) = service.policy.get() {
            let timer = set_timeout_with_handle(
                move || dom::measured("permissions: lint", || findings.look_at(&policy)),
                AFTER_PAINT,
            );
            if let Ok(timer) = timer {
                on_cleanup(move || timer.clear());
            }
        }
    });
    let is_read = Memo::new(move |_| service.policy.with(Option::is_some));
    let has_acls = Memo::new(move |_| service.can.with(|can| can.acls.reason()));
    let children = StoredValue::new(children);
    view! {
        <div class="head">
            <div>
                <h1>"Permissions"</h1>
                <p>{lead}</p>
            </div>
        </div>
        <ClusterNotes /><ProviderGap />
        <Tabs counted=counted />
        {move || match (has_acls.get(), is_read.get()) {
            (Some(reason), _) => view! {
                <div class="panel flat">
                    <Empty glyph=Glyph::Lock title=words::NO_ACLS_HERE><p>{reason}</p></Empty>
                </div>
            }
            .into_any(),
            (None, true) => children.get_value()().into_any(),
            (None, false) => view! { <Unread what="permissions" /> }.into_any(),
        }}
    }
}

#[component]
fn Tabs(counted: Memo<Option<Arc<PolicySummary>>>) -> impl IntoView {
    let findings = expect_context::<Findings>();
    view! {
        <nav class="tabs" aria-label="Permissions views">
            <Tab href=address::PERMISSIONS>
                "Principals" {move || Some(number(counted.read().as_ref()?.all.len()))}
            </Tab>
            <Tab href=address::MATRIX>"Matrix"</Tab>
            <Tab href=address::WHO_CAN>"Who can"</Tab>
            <Tab href=address::FINDINGS>"Findings" {move || Some(number(findings.all.read().as_ref()?.len()))}</Tab>
        </nav>
    }
}

#[component]
fn Tab(href: &'static str, children: Children) -> impl IntoView {
    let path = use_location().pathname;
    view! { <a href=href aria-current=move || (path.get() == href).then_some("page")>{children()}</a> }
}

fn number(number: usize) -> impl IntoView {
    view! { " " <span class="count">{thousands(number)}</span> }
}
