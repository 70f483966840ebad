//! The registration of routes, each with its API and the access that it requires.

use axum::Router;
use axum::routing::MethodRouter;

use super::app::App;
use crate::http::access::Access;
use crate::http::route_table::{Declaration, RouteTable};
use crate::http::surface::Surface;

/// Routes of an API, with the access that they require.
pub(crate) struct Routes {
    surface: Surface,
    router: Router<App>,
    table: RouteTable,
}

impl Routes {
    /// No routes yet, of this API.
    pub(crate) fn new(surface: Surface) -> Self {
        Self {
            surface,
            router: Router::new(),
            table: RouteTable::default(),
        }
    }

    /// Adds a route: its pattern, the access that it requires, and its methods.
    pub(crate) fn route(
        mut self,
        pattern: &str,
        access: Access,
        methods: MethodRouter<App>,
    ) -> Self {
        let declaration = self.declaration(access);
        self.table.routes.insert(pattern.to_owned(), declaration);
        self.router = self.router.route(pattern, methods);
        self
    }

    /// Declares the access that paths without a route require: this one and those below it, or,
    /// with a slash at its end, only those below it.
    pub(crate) fn prefix(mut self, path: &str, access: Access) -> Self {
        let declaration = self.declaration(access);
        self.table.prefixes.insert(path.to_owned(), declaration);
        self
    }

    fn declaration(&self, access: Access) -> Declaration {
        Declaration {
            surface: self.surface,
            access,
        }
    }

    /// Adds other routes.
    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.router = self.router.merge(other.router);
        self.table.routes.extend(other.table.routes);
        self.table.prefixes.extend(other.table.prefixes);
        self
    }

    /// The router, and what its routes declare.
    pub(crate) fn into_parts(self) -> (Router<App>, RouteTable) {
        (self.router, self.table)
    }
}
