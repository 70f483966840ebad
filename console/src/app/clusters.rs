//! The chooser of the Kafka clusters of a service, in the bar.

use gbac_console_model::address;
use gbac_console_model::cluster_choice::{ClusterChoice, cluster_choices};
use leptos::prelude::*;

use crate::dom;
use crate::pages::link::AddressLink;
use crate::store::service::Service;
use crate::ui::{Glyph, Icon, IconSize, Mono};

/// The element of the list.
const LIST: &str = "clusters";

/// The clusters that can be chosen; none where there is only one.
pub(super) fn choices(service: Service) -> Memo<Vec<ClusterChoice>> {
    // Where the list was opened.
    let here = expect_context::<ClusterMenu>().here;
    Memo::new(move |_| {
        let is_own = service.is_own();
        let clusters = service.clusters.read();
        match is_own {
            true => cluster_choices(&clusters, service.cluster().as_deref(), &here.read()),
            false => Vec::new(),
        }
    })
}

/// Where the list of clusters was opened.
#[derive(Clone, Copy)]
pub(super) struct ClusterMenu {
    here: RwSignal<String>,
}

impl ClusterMenu {
    pub(super) fn new() -> Self {
        Self {
            here: RwSignal::new(dom::present_address()),
        }
    }
}

/// The button that opens the list; its words are what is known of the cluster that is open.
#[component]
pub(super) fn ClusterButton(children: Children) -> impl IntoView {
    let service = expect_context::<Service>();
    let here = expect_context::<ClusterMenu>().here;
    view! {
        <button type="button" class="conn" popovertarget=LIST
            on:click=move |_| {
                here.set(dom::present_address());
                service.reload_clusters();
            }>
            <span class="sr">"Cluster: "</span>
            {children()}
            <Icon glyph=Glyph::Chevron size=IconSize::Small class="down" />
        </button>
    }
}

/// The list.
#[component]
pub(super) fn ClusterList(choices: Memo<Vec<ClusterChoice>>) -> impl IntoView {
    view! {
        <div id=LIST class="menu" popover="auto" on:click=move |_| dom::hide_popover(LIST)>
            <ul aria-label="Clusters">
                {move || choices.get().into_iter().map(|choice| view! { <li><Chosen choice=choice /></li> }).collect_view()}
            </ul>
            <a href=address::CONNECTION>"Connection"</a>
        </div>
    }
}

#[component]
fn Chosen(choice: ClusterChoice) -> impl IntoView {
    let ClusterChoice {
        name,
        address,
        is_open,
        state,
    } = choice;
    view! {
        <AddressLink href=address class="" attr:data-cluster="" attr:aria-current=is_open.then_some("true")>
            <Mono text=name />
            {state.map(|state| view! { <span class="tag">{state}</span> })}
            {is_open.then(|| view! { <Icon glyph=Glyph::Tick size=IconSize::Small /> })}
        </AddressLink>
    }
}
