//! What the connected cluster does not have, and what follows, before anything is sent to it
//! (D-98).

use gbac_api::target::TargetGap;
use gbac_console_model::connection::Connection;
use gbac_words::common;
use gbac_words::phrases::capitalized;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::store::service::{Service, ServiceStatus};
use crate::ui::{Note, NoteKind, Words};

/// A note with the gaps of the connected cluster; nothing for this service, or for a cluster
/// without gaps.
#[component]
pub(super) fn ClusterGaps() -> impl IntoView {
    let service = expect_context::<Service>();
    let gaps = RwSignal::new(Vec::<TargetGap>::new());
    // A cluster that cannot be read may lack what it is read with.
    let connected = Memo::new(move |_| {
        let has_answered = service.status.with(|status| {
            matches!(
                status,
                ServiceStatus::Connected { .. } | ServiceStatus::Away { sign_in: false, .. }
            )
        });
        has_answered
            .then(|| service.connection.get())
            .filter(|connection| *connection != Connection::Service)
    });
    Effect::new(move |_| {
        gaps.set(Vec::new());
        let Some(connection) = connected.get() else {
            return;
        };
        spawn_local(async move {
            // Without an answer, nothing is known to be missing.
            let Ok(answer) = service.features(&connection).await else {
                return;
            };
            if connected
                .try_get_untracked()
                .flatten()
                .is_some_and(|now| now == connection)
            {
                let _ = gaps.try_set(answer.gaps);
            }
        });
    });
    move || {
        let gaps = gaps.get();
        (!gaps.is_empty()).then(|| {
            let lines = gaps.into_iter().map(|TargetGap { missing, consequence, .. }| {
                view! { <li><Words text=capitalized(&missing) />": "<Words text=consequence />"."</li> }
            });
            view! {
                <div class="banner">
                    <Note kind=NoteKind::Warn title=common::CLUSTER_GAPS level=2>
                        <ul class="plain">{lines.collect_view()}</ul>
                    </Note>
                </div>
            }
        })
    }
}
