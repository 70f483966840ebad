//! The placeholder of a page before the policy has been read, or when it could not be.

use gbac_words::common;
use leptos::prelude::*;

use crate::store::service::{Service, ServiceStatus};
use crate::ui::{Empty, Glyph, SkeletonRows};

/// Rows on their way, or why there are none. Nothing while the page asks for a sign-in.
#[component]
pub(super) fn Unread(
    /// What the page is about, in the middle of a sentence: "roles", "the role".
    what: &'static str,
) -> impl IntoView {
    let service = expect_context::<Service>();
    move || match service.status.get() {
        ServiceStatus::Loading | ServiceStatus::Connected { .. } => {
            view! { <SkeletonRows what=format!("Reading {what}") /> }.into_any()
        }
        ServiceStatus::Away { sign_in: true, .. } => ().into_any(),
        ServiceStatus::Away {
            forbidden: true, ..
        } => view! {
            <div class="panel flat">
                <Empty glyph=Glyph::Lock title=common::read_forbidden(what)>
                    <p>{common::SUPERUSER_READS_POLICY}</p>
                </Empty>
            </div>
        }
        .into_any(),
        ServiceStatus::Away { .. } => view! {
            <div class="panel flat">
                <Empty glyph=Glyph::Off title=common::read_failed(what)>
                    <p>{common::SHOWN_WHEN_REACHABLE}</p>
                </Empty>
            </div>
        }
        .into_any(),
    }
}
