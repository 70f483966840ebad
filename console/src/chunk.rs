//! Code in files of its own, which is fetched when it is needed.

use std::future::Future;
use std::pin::Pin;

use leptos::prelude::*;

/// The code of a page could not be fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChunkError;

#[cfg(feature = "split")]
impl From<leptos::wasm_split::SplitLoaderError> for ChunkError {
    fn from(_: leptos::wasm_split::SplitLoaderError) -> Self {
        Self
    }
}

/// What comes after a fetch.
pub(crate) type ChunkFuture<T> = Pin<Box<dyn Future<Output = Result<T, ChunkError>>>>;

/// What code of a chunk's file does in a while.
pub(crate) type Work<T> = Pin<Box<dyn Future<Output = T>>>;

/// A part of the page in a file of its own.
#[derive(Clone, Copy)]
pub(crate) struct Chunk {
    /// What it is, for a person: `Roles`.
    pub(crate) title: &'static str,
    /// Fetches the code; at once when it is here.
    pub(crate) fetch: fn() -> ChunkFuture<()>,
    /// Draws it; at once when the code is here.
    pub(crate) draw: fn() -> ChunkFuture<AnyView>,
}

/// Makes a [`Chunk`] of a function that gives a view. Everything that only these functions reach
/// lies in the chunk's file in a build with the feature `split`, and in the console itself in any
/// other.
macro_rules! chunk {
    ($vis:vis $constant:ident, $title:literal, $file:ident, $fetch:ident, $draw:ident, $view:expr) => {
        #[cfg_attr(
            feature = "split",
            leptos::wasm_split::wasm_split($file, wasm_split_path = ::leptos::wasm_split, fallible, preload($fetch))
        )]
        fn $draw() -> Result<AnyView, ChunkError> {
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

/// Makes an asynchronous function whose work is done by code of a chunk's file. With a type, the
/// work is a future of it.
macro_rules! chunk_fn {
    ($file:ident, $name:ident($($argument:ident: $kind:ty),*) -> $output:ty { $work:expr }) => {
        #[cfg(feature = "split")]
        #[leptos::wasm_split::wasm_split($file, wasm_split_path = ::leptos::wasm_split, fallible)]
        fn $name($($argument: $kind),*) -> Result<$crate::chunk::Work<$output>, $crate::chunk::ChunkError> {
            Ok(Box::pin($work))
        }

        #[cfg(not(feature = "split"))]
        async fn $name($($argument: $kind),*) -> Result<$crate::chunk::Work<$output>, $crate::chunk::ChunkError> {
            Ok(Box::pin($work))
        }
    };
    ($file:ident, $name:ident($($argument:ident: $kind:ty),*) $work:block) => {
        #[cfg(feature = "split")]
        #[leptos::wasm_split::wasm_split($file, wasm_split_path = ::leptos::wasm_split, fallible)]
        fn $name($($argument: $kind),*) -> Result<(), ChunkError> {
            $work;
            Ok(())
        }

        #[cfg(not(feature = "split"))]
        async fn $name($($argument: $kind),*) -> Result<(), ChunkError> {
            $work;
            Ok(())
        }
    };
}
pub(crate) use chunk_fn;
