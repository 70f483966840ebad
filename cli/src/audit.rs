//! `--audit`: the audit events of the decisions that a command makes, appended to a file (specification 6).

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use gbac_engine::audit::{
    ApiActivity, AuthProtocol, Authentication, Authorization, Context, Endpoint, Event, Product, SignIn, User,
    api_activity, authentication, service,
};
use gbac_engine::check::{Answer, Check, Opened, Question};
use gbac_engine::decide::{Decision, Request};
use gbac_engine::model::{Operation, ResourceType};
use gbac_engine::requests::{Api, find};

use crate::input;
use crate::output::Failure;

/// An open log. An event that cannot be written is an error of the command: no decision goes unrecorded (D-23).
pub(crate) struct Log {
    file: File,
    name: String,
    product: Product,
}

impl Log {
    /// Opens the file for appending.
    pub(crate) fn append_to(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let file =
            OpenOptions::new().create(true).append(true).open(path).map_err(|error| Failure::io(&name, &error))?;
        Ok(Self { file, name, product: Product::default() })
    }

    /// Records one answered check: the sign-in, where a token or its claims opened the identity, and each decision.
    pub(crate) fn record(&mut self, opened: &Opened, check: &Check, answer: &Answer) -> Result<(), Failure> {
        let identity = &opened.identity;
        let user = User { name: identity.user(), ..User::default() };
        let (service, operation) = match &check.question {
            Question::Access { operation, .. } => (service::KAFKA, operation.spelling().audit.to_owned()),
            Question::Api { api, name, .. } => match Api::from_name(api) {
                Some(api) => {
                    let spec = find(api, name);
                    (service::of(api), spec.map_or_else(|| name.clone(), |spec| spec.audit_operation()))
                }
                None => (service::KAFKA, name.clone()),
            },
        };
        let product = self.product.clone();
        let context = Context {
            // Whole milliseconds; an instant outside of i64 is clamped by the cast.
            time_ms: (check.now.unwrap_or_else(input::now) * 1000.0) as i64,
            product: &product,
            service,
            server: Endpoint::default(),
            client: Endpoint { ip: check.host, ..Endpoint::default() },
        };
        if opened.extraction.is_some() {
            let groups = identity.groups();
            let result = SignIn::Success { groups };
            self.write(&authentication(&Authentication {
                context,
                user,
                protocol: AuthProtocol::OIDC,
                cleartext: false,
                result,
            }))?;
        }
        let mut decision = |operation_asked: Operation, kind: ResourceType, name: &str, decision: &Decision| {
            let request = Request {
                operation: operation_asked,
                resource_type: kind,
                resource_name: name,
                host: check.host,
                now: check.now,
            };
            self.write(&api_activity(&ApiActivity {
                context,
                user,
                operation: &operation,
                authorization: Authorization::Acl { request, decision },
                http: None,
                resources: &[],
            }))
        };
        match (answer, &check.question) {
            (Answer::Access(decided), Question::Access { operation, resource_type, resource_name }) => {
                decision(*operation, *resource_type, resource_name, decided)
            }
            (Answer::Api { decisions, .. }, _) => decisions.iter().try_for_each(|(needed, decided)| {
                decision(needed.operation, needed.resource_type, &needed.resource_name, decided)
            }),
            (Answer::Access(_), Question::Api { .. }) => Ok(()),
        }
    }

    fn write(&mut self, event: &Event) -> Result<(), Failure> {
        writeln!(self.file, "{}", event.to_line()).map_err(|error| Failure::io(&self.name, &error))
    }
}
