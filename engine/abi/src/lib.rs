//! The engine for every host that is not JavaScript: a WebAssembly module without imports, called
//! with numbers and linear memory.
//!
//! `docs/abi.md` describes the functions, the records and the error codes. [`Instance`] is the same
//! without the memory, for tests and for hosts in Rust: the exported functions find the bytes and
//! call it.
//!
//! Functions on the path of a record are not inlined into each other: Java never compiles large
//! ones (`kafka/MethodSizes.java`).

#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]

#[cfg(any(target_family = "wasm", test))]
mod buffers;
mod document;
mod error;
mod event;
#[cfg(target_family = "wasm")]
mod exports;
mod extraction;
mod hosts;
mod identities;
mod instance;
mod open_identity;
mod records;
mod request;
mod values;
mod words;

pub use error::AbiError;
pub use instance::Instance;
pub use values::{operation_code, pattern_code, permission_code, resource_type_code};

/// The version of the functions and records. It changes when a host that is written for it would
/// not work any more.
pub const ABI_VERSION: i32 = 1;

/// The bit of a mask that is set if any ACL covers the resource, for any principal.
pub const HAS_ACLS: i32 = 1 << 30;

/// The bit of a mask that is set if an ACL denies the identity any operation on the resource.
/// Otherwise an operation without a bit is denied because no ACL allows it.
pub const HAS_DENIES: i32 = 1 << 29;
