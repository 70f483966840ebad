//! What each route declares where it is registered: the API that it belongs to, and the access that
//! it requires (D-26). One without a declaration requires a superuser, and so do its requests that
//! only read.

use std::collections::BTreeMap;

use axum::extract::{MatchedPath, Request};
use axum::http::Extensions;
use gbac_api::paths::is_service;

use super::access::Access;
use super::surface::{Surface, is_page};
use crate::upstream;

/// What a route declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Declaration {
    pub(crate) surface: Surface,
    pub(crate) access: Access,
}

impl Declaration {
    /// What the route of a request declares, once it is noted.
    pub(crate) fn of(request: &Extensions) -> Self {
        request.get().copied().unwrap_or(Self {
            surface: Surface::Gbac,
            access: Access::UNDECLARED,
        })
    }
}

/// The declarations of the routes, and of the paths without a route.
#[derive(Debug, Clone, Default)]
pub(crate) struct RouteTable {
    /// By the pattern of the route.
    pub(crate) routes: BTreeMap<String, Declaration>,
    /// By the prefix of the paths.
    pub(crate) prefixes: BTreeMap<String, Declaration>,
}

impl RouteTable {
    /// What the route of a request declares.
    pub(crate) fn declaration(&self, request: &Request) -> Declaration {
        let path = request.uri().path();
        let mut declaration = self.of_path(path);
        if let Some(route) = request.extensions().get::<MatchedPath>() {
            match self.routes.get(route.as_str()) {
                Some(declared) => declaration = *declared,
                None => declaration.access = Access::UNDECLARED,
            }
        }
        // A relayed request is answered in the form of the API to which it is relayed.
        if let Some((_, _, relayed)) = upstream::split_path(path) {
            declaration.surface = self.of_path(relayed).surface;
        }
        if is_page(request) {
            declaration.access = Access::Public;
        }
        declaration
    }

    /// What is declared for a path. Below the prefix of an API, a path without a route requires the
    /// access of the prefix, so that only authorized callers learn that it does not exist. Calls of
    /// unknown services require the access of a method that does not exist. All other paths belong
    /// to the console.
    fn of_path(&self, path: &str) -> Declaration {
        if let Some(declared) = self.routes.get(path) {
            return *declared;
        }
        // Of two prefixes of a path, the longer one is later in the order.
        let mut prefixes = self.prefixes.iter().rev();
        if let Some((_, declared)) = prefixes.find(|(prefix, _)| is_below(path, prefix)) {
            return *declared;
        }
        let segment = path.trim_start_matches('/').split('/').next();
        let service = segment.filter(|segment| is_service(segment));
        Declaration {
            surface: service.map_or(Surface::Gbac, Surface::of_service),
            access: if is_below_service(path) {
                Access::UNKNOWN_SERVICE
            } else {
                Access::Public
            },
        }
    }
}

/// Whether a path is that of a method of some service.
fn is_below_service(path: &str) -> bool {
    let segments = path.strip_prefix('/').and_then(|rest| rest.split_once('/'));
    matches!(segments, Some((service, _)) if is_service(service))
}

/// Whether a path is a prefix or below it.
pub(crate) fn is_below(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix)
        .is_some_and(|rest| prefix.ends_with('/') || rest.is_empty() || rest.starts_with('/'))
}
