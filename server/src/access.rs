//! The credentials that each route requires (D-26). A route declares them where it is registered; one without a declaration
//! requires a superuser.

use std::collections::BTreeMap;

use axum::Router;
use axum::extract::{MatchedPath, Request};
use axum::http::Method;
use axum::routing::MethodRouter;

use crate::app::App;

/// The credentials that a route requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Nothing.
    Public,
    /// Nothing if the service listens on loopback only, else a superuser.
    Local,
    /// Valid credentials. Its handler checks them, because the answer is about the caller.
    Authenticated,
    /// Credentials of the cluster that the request is relayed to. The cluster checks them.
    Cluster,
    /// A superuser. In a demo, requests that only read require nothing.
    Superuser(Reads),
}

/// Which requests to a route only read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// Those with a safe method (RFC 9110 9.2.1).
    SafeMethods,
    /// All but POST, the one method of an operation that changes something (Connect).
    AllButPost,
    /// All of them, whatever the method.
    All,
}

/// What is checked before a request reaches its handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Required {
    /// Nothing.
    Nothing,
    /// Credentials, if present, must be valid.
    RightIfGiven,
    /// A superuser.
    Superuser,
}

impl Access {
    /// A superuser; methods that are safe read.
    pub(crate) const SUPERUSER: Self = Self::Superuser(Reads::SafeMethods);

    /// What a request with this method requires in this service.
    pub(crate) fn required(self, app: &App, method: &Method) -> Required {
        match self {
            Self::Public | Self::Authenticated | Self::Cluster => Required::Nothing,
            Self::Local if !app.site().is_open() => Required::Nothing,
            Self::Superuser(reads) if app.is_demo() && reads.include(method) => Required::RightIfGiven,
            Self::Local | Self::Superuser(_) => Required::Superuser,
        }
    }
}

impl Reads {
    fn include(self, method: &Method) -> bool {
        match self {
            Self::SafeMethods => matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS),
            Self::AllButPost => *method != Method::POST,
            Self::All => true,
        }
    }
}

/// What was declared: for each route by its pattern, and for the folders in which APIs are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Declared {
    routes: BTreeMap<String, Access>,
    folders: BTreeMap<String, Access>,
}

impl Declared {
    /// What the route of a request takes. Where there is no route, a folder says it: what is not there is told only to those
    /// who may know. Outside these folders are the console's files, and else nothing.
    pub(crate) fn access(&self, request: &Request) -> Access {
        if let Some(route) = request.extensions().get::<MatchedPath>() {
            return self.routes.get(route.as_str()).copied().unwrap_or(Access::SUPERUSER);
        }
        let path = request.uri().path();
        let folder = self.folders.iter().find(|(folder, _)| path.starts_with(folder.as_str()));
        folder.map_or(Access::Public, |(_, access)| *access)
    }

    /// The routes, each with the credentials that it requires.
    pub(crate) fn routes(&self) -> impl Iterator<Item = (&str, Access)> {
        self.routes.iter().map(|(route, access)| (route.as_str(), *access))
    }
}

/// Routes with the credentials that they require.
#[derive(Default)]
pub(crate) struct Routes {
    router: Router<App>,
    declared: Declared,
}

impl Routes {
    /// No routes.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a route: its pattern, the credentials that it requires, and its methods.
    pub(crate) fn route(mut self, pattern: &str, access: Access, methods: MethodRouter<App>) -> Self {
        self.declared.routes.insert(pattern.to_owned(), access);
        self.router = self.router.route(pattern, methods);
        self
    }

    /// Declares what paths without a route below `/<name>/` require.
    pub(crate) fn folder(mut self, name: &str, access: Access) -> Self {
        self.declared.folders.insert(format!("/{name}/"), access);
        self
    }

    /// These and others.
    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.router = self.router.merge(other.router);
        self.declared.routes.extend(other.declared.routes);
        self.declared.folders.extend(other.declared.folders);
        self
    }

    /// The router, and what its routes require.
    pub(crate) fn into_parts(self) -> (Router<App>, Declared) {
        (self.router, self.declared)
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::routing::any;
    use tower::ServiceExt;

    use super::*;
    use crate::app::{Demo, assemble, routes};

    fn demo() -> App {
        App::demo(Demo::at(([127, 0, 0, 1], 0).into())).unwrap()
    }

    #[tokio::test]
    async fn a_route_without_a_declaration_takes_a_superuser() {
        let status = async |method: Method, credentials: Option<&str>| {
            let mut undeclared = Routes::new();
            undeclared.router = undeclared.router.route("/brand/new", any(async || "secret"));
            let mut request = Request::builder().method(method).uri("/brand/new").header("host", "localhost");
            if let Some(credentials) = credentials {
                request = request.header("authorization", credentials);
            }
            let router = assemble(demo(), undeclared);
            router.oneshot(request.body(Body::empty()).unwrap()).await.unwrap().status().as_u16()
        };
        assert_eq!(status(Method::POST, None).await, 401);
        assert_eq!(status(Method::POST, Some("Basic YWRtaW46ZGVtbw==")).await, 200);
        assert_eq!(status(Method::GET, Some("Basic YWRtaW46d3Jvbmc=")).await, 401);
    }

    #[test]
    fn what_is_closed_lies_in_a_folder_that_is() {
        let (_, declared) = routes(&demo()).into_parts();
        let deep = |route: &str| route.trim_start_matches('/').contains('/');
        for (route, access) in declared.routes().filter(|(route, _)| deep(route)) {
            let in_folder = declared.folders.keys().any(|folder| route.starts_with(folder.as_str()));
            assert!(in_folder || access == Access::Public, "what is beside `{route}` would be public");
        }
    }
}
