//! Pages with code in a file of their own: fetched on the first visit or ahead of it, and what is
//! shown meanwhile.

use std::time::Duration;

use futures_util::FutureExt;
use gbac_words::common;
use leptos::prelude::*;
use leptos::task::spawn_local;

pub(crate) use crate::chunk::{Chunk, ChunkError, chunk, chunk_fn};
use crate::dom;
use crate::ui::{Button, Empty, Glyph};

/// How long the first page has the line to itself before the code of the others is fetched.
const REST: Duration = Duration::from_millis(500);

/// The state of a fetch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ChunkState {
    Loading,
    Loaded,
    Failed,
}

/// Draws a chunk: at once if its code is loaded, otherwise when it arrives. A failure is shown with
/// a button to retry.
#[component]
pub(crate) fn Lazy(
    /// What is drawn.
    chunk: Chunk,
    /// Whether it is a part of a page, which takes no focus when it comes.
    #[prop(optional)]
    part: bool,
) -> impl IntoView {
    let state = RwSignal::new(ChunkState::Loaded);
    let fetch = move || {
        let mut fetched = (chunk.fetch)();
        match fetched.as_mut().now_or_never() {
            Some(Ok(())) => state.set(ChunkState::Loaded),
            Some(Err(ChunkError)) => state.set(ChunkState::Failed),
            None => {
                state.set(ChunkState::Loading);
                spawn_local(async move {
                    let now = if fetched.await.is_ok() {
                        ChunkState::Loaded
                    } else {
                        ChunkState::Failed
                    };
                    // The visitor may have gone on.
                    let _ = state.try_set(now);
                });
            }
        }
    };
    fetch();
    if state.get_untracked() == ChunkState::Loaded {
        return draw(chunk);
    }
    // On the way from another page focus waits for this one's heading.
    let is_visit = !part && dom::has_heading();
    (move || match state.get() {
        ChunkState::Loaded => {
            if is_visit {
                dom::focus_heading();
            }
            draw(chunk)
        }
        ChunkState::Loading => {
            view! { <p class="boot quiet" role="status">"Loading"</p> }.into_any()
        }
        ChunkState::Failed => {
            view! { <Failed chunk=chunk on_again=Callback::new(move |()| fetch()) /> }.into_any()
        }
    })
    .into_any()
}

/// The view of a chunk whose code is here.
fn draw(chunk: Chunk) -> AnyView {
    match (chunk.draw)().now_or_never() {
        Some(Ok(view)) => view,
        Some(Err(ChunkError)) | None => ().into_any(),
    }
}

/// The code did not come: the service is away, or has another release now.
#[component]
fn Failed(chunk: Chunk, on_again: Callback<()>) -> impl IntoView {
    view! {
        <div class="panel flat" role="alert">
            <Empty glyph=Glyph::Off title=common::not_loaded(chunk.title)>
                <p>{common::RELOAD_CONSOLE}</p>
                <div class="row">
                    <Button on_press=on_again>"Try again"</Button>
                    <a class="btn" href="" rel="external">"Reload the console"</a>
                </div>
            </Empty>
        </div>
    }
}

/// Fetches a chunk without a view once what it provides is needed, and again at each tick while it
/// does not come. It is run with the contexts of the page.
pub(crate) fn fetch_when(is_missing: impl Fn() -> bool + 'static, chunk: Chunk, tick: Memo<f64>) {
    let owner = Owner::current().unwrap_or_default();
    let busy = StoredValue::new(false);
    Effect::new(move |_| {
        if !is_missing() {
            return;
        }
        tick.track();
        if busy.get_value() {
            return;
        }
        busy.set_value(true);
        let owner = owner.clone();
        spawn_local(async move {
            if (chunk.fetch)().await.is_ok() {
                owner.with(|| draw(chunk));
            }
            // The page may be gone by now.
            let _ = busy.try_set_value(false);
        });
    });
}

/// Fetches the code of other parts once the first page had its time, so that they open at once and
/// without a network.
pub(crate) fn fetch_ahead(chunks: &'static [Chunk]) {
    set_timeout(
        move || {
            spawn_local(async move {
                for chunk in chunks {
                    // A failed file is fetched again, and its failure shown, when its page is
                    // opened.
                    let _ = (chunk.fetch)().await;
                }
                dom::mark("console: fetched ahead");
            });
        },
        REST,
    );
}
