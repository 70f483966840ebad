//! The registration of routes, each with the access that it requires.

use axum::Router;
use axum::routing::MethodRouter;

use super::app::App;
use crate::http::access::{Access, AccessTable};

/// Routes with the access that they require.
#[derive(Default)]
pub(crate) struct Routes {
    router: Router<App>,
    access: AccessTable,
}

impl Routes {
    /// No routes.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a route: its pattern, the access that it requires, and its methods.
    pub(crate) fn route(
        mut self,
        pattern: &str,
        access: Access,
        methods: MethodRouter<App>,
    ) -> Self {
        self.access.routes.insert(pattern.to_owned(), access);
        self.router = self.router.route(pattern, methods);
        self
    }

    /// Declares the access that paths without a route below `/<name>/` require.
    pub(crate) fn prefix(mut self, name: &str, access: Access) -> Self {
        self.access.prefixes.insert(format!("/{name}/"), access);
        self
    }

    /// Adds other routes.
    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.router = self.router.merge(other.router);
        self.access.routes.extend(other.access.routes);
        self.access.prefixes.extend(other.access.prefixes);
        self
    }

    /// The router, and the access that its routes require.
    pub(crate) fn into_parts(self) -> (Router<App>, AccessTable) {
        (self.router, self.access)
    }
}
