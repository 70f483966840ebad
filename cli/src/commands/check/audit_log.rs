//! `--audit`: audit events of decisions, appended to a file (specification 6).

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use gbac_analysis::audit::{AuthProtocol, Context, Endpoint, Event, Product, service};
use gbac_analysis::{
    check::{Answer, Check, TokenRefusal},
    events,
};
use gbac_engine::ResolvedIdentity;
use gbac_engine::decide::At;
use gbac_server::private_file::{self, PrivateTo};

use crate::input;
use crate::output::Failure;
use crate::process::Process;

/// An audit log. If an event cannot be written, the command fails: no decision goes unrecorded
/// (D-23).
pub(crate) struct AuditLog {
    file: File,
    name: String,
    product: Product,
}

impl AuditLog {
    /// Opens the file for appending. A new one is private, and one that others may have written is
    /// refused (D-132).
    pub(crate) fn append_to(process: &Process, path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let options = &mut OpenOptions::new();
        options.create(true).append(true);
        let file = private_file::open(&process.path(path), options, PrivateTo::OwnerAndGroup)
            .map_err(|error| Failure::io(&name, &error))?;
        Ok(Self {
            file,
            name,
            product: Product::default(),
        })
    }

    /// Records an evaluated check: the sign-in, if the identity comes from a token or claims, and
    /// each decision.
    pub(crate) fn record(
        &mut self,
        opened: &ResolvedIdentity,
        check: &Check,
        answer: &Answer,
        default_at: At,
    ) -> Result<(), Failure> {
        let product = self.product.clone();
        let context = context(&product, check, default_at);
        if opened.extraction.is_some() {
            self.write(&events::sign_in_event(
                context,
                AuthProtocol::OIDC,
                false,
                &opened.identity,
                check,
            ))?;
        }
        events::decision_events(context, &opened.identity, check, answer)
            .iter()
            .try_for_each(|event| self.write(event))
    }

    /// Records a check that is denied because its token is refused: the failed sign-in, and the
    /// denial.
    pub(crate) fn record_refusal(
        &mut self,
        refusal: &TokenRefusal,
        check: &Check,
        default_at: At,
    ) -> Result<(), Failure> {
        let product = self.product.clone();
        let context = context(&product, check, default_at);
        let reason = &refusal.message;
        self.write(&events::refused_sign_in_event(
            context,
            AuthProtocol::OIDC,
            false,
            reason,
            check,
        ))?;
        self.write(&events::refused_check_event(context, reason, check))
    }

    fn write(&mut self, event: &Event) -> Result<(), Failure> {
        writeln!(self.file, "{}", event.to_line()).map_err(|error| Failure::io(&self.name, &error))
    }
}

/// The context of the events of a check.
fn context<'a>(product: &'a Product, check: &Check, default_at: At) -> Context<'a> {
    let seconds = match check.at.unwrap_or(default_at) {
        At::Instant(time) => time.as_seconds(),
        At::IgnoringExpiry => input::now(),
    };
    Context {
        // Whole milliseconds; an instant outside of i64 is clamped by the cast.
        time_ms: (seconds * 1000.0) as i64,
        product,
        service: service::KAFKA,
        server: Endpoint::default(),
        client: Endpoint::default(),
        correlation_uid: None,
        invoked_by: None,
    }
}
