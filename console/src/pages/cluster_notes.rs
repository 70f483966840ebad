//! Notes about the Kafka cluster in which the ACLs of the service live.

use gbac_api::service::ConnectedCluster;
use gbac_console_model::cluster_notes::{ClusterNote, cluster_notes};
use gbac_words::pages::cluster as words;
use leptos::prelude::*;

use crate::store::service::Service;
use crate::ui::{Note, NoteKind};

/// The cluster of the service that the pages are about.
pub(super) fn connected() -> Memo<Option<ConnectedCluster>> {
    let service = expect_context::<Service>();
    Memo::new(move |_| {
        let info = service.info.get()?;
        info.cluster.filter(|_| service.is_own())
    })
}

/// What is wrong with the cluster; nothing without one.
#[component]
pub(super) fn ClusterNotes() -> impl IntoView {
    let cluster = connected();
    move || {
        let notes = cluster.with(|cluster| cluster.as_ref().map(cluster_notes));
        let notes = notes.into_iter().flatten().map(|ClusterNote { title, text }| {
            view! {
                <div class="banner">
                    <Note kind=NoteKind::Warn title=title level=2><p class="brk">{text}</p></Note>
                </div>
            }
        });
        notes.collect_view()
    }
}

/// That the changes of a review are not one transaction; nothing without a cluster.
#[component]
pub(super) fn OneByOne() -> impl IntoView {
    let cluster = connected();
    move || {
        let cluster = cluster.get()?;
        Some(view! {
            <div class="banner">
                <Note kind=NoteKind::Info title=words::ONE_BY_ONE level=2>
                    <p>{words::ONE_BY_ONE_ORDER}</p>
                    <p>{words::sent_as(cluster.identity)}</p>
                </Note>
            </div>
        })
    }
}
