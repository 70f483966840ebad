//! Pages with code in a file of their own, fetched on the first visit or ahead of it.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use futures_util::FutureExt;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::dom;
use crate::ui::{Button, Empty, Glyph};

/// How long the first page has the line to itself before the code of the others is fetched.
const REST: Duration = Duration::from_millis(500);

/// The code of a page could not be fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unfetched;

#[cfg(feature = "split")]
impl From<leptos::wasm_split::SplitLoaderError> for Unfetched {
    fn from(_: leptos::wasm_split::SplitLoaderError) -> Self {
        Self
    }
}

/// What comes after a fetch.
pub(crate) type Later<T> = Pin<Box<dyn Future<Output = Result<T, Unfetched>>>>;

/// A part of the page in a file of its own.
#[derive(Clone, Copy)]
pub(crate) struct Chunk {
    /// What it is, for a person: `Roles`.
    pub(crate) title: &'static str,
    /// Fetches the code; at once when it is here.
    pub(crate) fetch: fn() -> Later<()>,
    /// Draws it; at once when the code is here.
    pub(crate) draw: fn() -> Later<AnyView>,
}

/// Makes a [`Chunk`] of a function that gives a view. Everything that only these functions reach lies in the chunk's file
/// in a build with the feature `split`, and in the console itself in any other.
macro_rules! chunk {
    ($vis:vis $constant:ident, $title:literal, $file:ident, $fetch:ident, $draw:ident, $view:expr) => {
        #[cfg_attr(
            feature = "split",
            leptos::wasm_split::wasm_split($file, wasm_split_path = ::leptos::wasm_split, fallible, preload($fetch))
        )]
        fn $draw() -> Result<AnyView, Unfetched> {
            Ok($view)
        }

        $vis const $constant: Chunk = Chunk {
            title: $title,
            #[cfg(feature = "split")]
            fetch: || Box::pin(async { Ok($fetch().await?) }),
            #[cfg(not(feature = "split"))]
            fetch: || Box::pin(std::future::ready(Ok(()))),
            #[cfg(feature = "split")]
            draw: || Box::pin($draw()),
            #[cfg(not(feature = "split"))]
            draw: || Box::pin(std::future::ready($draw())),
        };
    };
}
pub(crate) use chunk;

/// Makes an asynchronous function whose work is done by code of a chunk's file.
macro_rules! later {
    ($file:ident, $name:ident($($argument:ident: $kind:ty),*) $work:block) => {
        #[cfg(feature = "split")]
        #[leptos::wasm_split::wasm_split($file, wasm_split_path = ::leptos::wasm_split, fallible)]
        fn $name($($argument: $kind),*) -> Result<(), Unfetched> {
            $work;
            Ok(())
        }

        #[cfg(not(feature = "split"))]
        async fn $name($($argument: $kind),*) -> Result<(), Unfetched> {
            $work;
            Ok(())
        }
    };
}
pub(crate) use later;

/// Where a fetch stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    Fetching,
    Here,
    Failed,
}

/// Draws a chunk: at once if its code is loaded, otherwise when it arrives. A failure is shown with a button to retry.
#[component]
pub(crate) fn Lazy(
    /// What is drawn.
    chunk: Chunk,
    /// Whether it is a part of a page, which takes no focus when it comes.
    #[prop(optional)]
    part: bool,
) -> impl IntoView {
    let standing = RwSignal::new(Standing::Here);
    let fetch = move || {
        let mut fetched = (chunk.fetch)();
        match fetched.as_mut().now_or_never() {
            Some(Ok(())) => standing.set(Standing::Here),
            Some(Err(Unfetched)) => standing.set(Standing::Failed),
            None => {
                standing.set(Standing::Fetching);
                spawn_local(async move {
                    let now = if fetched.await.is_ok() { Standing::Here } else { Standing::Failed };
                    // The visitor may have gone on.
                    let _ = standing.try_set(now);
                });
            }
        }
    };
    fetch();
    if standing.get_untracked() == Standing::Here {
        return draw(chunk);
    }
    // On the way from another page focus waits for this one's heading.
    let is_visit = !part && dom::has_heading();
    (move || match standing.get() {
        Standing::Here => {
            if is_visit {
                dom::focus_heading();
            }
            draw(chunk)
        }
        Standing::Fetching => view! { <p class="boot quiet" role="status">"Loading"</p> }.into_any(),
        Standing::Failed => view! { <Failed chunk=chunk on_again=Callback::new(move |()| fetch()) /> }.into_any(),
    })
    .into_any()
}

/// The view of a chunk whose code is here.
fn draw(chunk: Chunk) -> AnyView {
    match (chunk.draw)().now_or_never() {
        Some(Ok(view)) => view,
        Some(Err(Unfetched)) | None => ().into_any(),
    }
}

/// The code did not come: the service is away, or has another release now.
#[component]
fn Failed(chunk: Chunk, on_again: Callback<()>) -> impl IntoView {
    view! {
        <div class="panel flat" role="alert">
            <Empty glyph=Glyph::Off title=format!("{} could not be loaded", chunk.title)>
                <p>"The service may be unreachable, or was updated after you opened this tab. Reloading the console keeps the draft and clears other input."</p>
                <div class="row">
                    <Button on_press=on_again>"Try again"</Button>
                    <a class="btn" href="" rel="external">"Reload the console"</a>
                </div>
            </Empty>
        </div>
    }
}

/// Fetches the code of other parts once the first page had its time, so that they open at once and without a network.
pub(crate) fn fetch_ahead(chunks: &'static [Chunk]) {
    set_timeout(
        move || {
            spawn_local(async move {
                for chunk in chunks {
                    // A failed file is fetched again, and its failure shown, when its page is opened.
                    let _ = (chunk.fetch)().await;
                }
                dom::mark("console: fetched ahead");
            });
        },
        REST,
    );
}
