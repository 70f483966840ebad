//! Auditing: every authentication and every decision is an event, written before the response is
//! sent (specification 6, D-23).

mod append;
mod backlog;
mod budgets;
mod chain;
mod change_recorder;
mod file;
mod files;
mod job;
mod log;
mod recorder;
mod repeat_key;
mod repeats;
mod request_head;
mod scope;
mod sign_in_method;
mod verify;
mod writer;
mod written_events;

pub(crate) use change_recorder::ChangeRecorder;
pub use file::AuditFileLimits;
pub(crate) use log::AuditLog;
pub(crate) use recorder::Audit;
pub(crate) use request_head::{Purpose, RequestHead};
pub(crate) use scope::{AclChange, MAX_ACLS, RequestScope};
pub(crate) use sign_in_method::SignInMethod;
pub use verify::{AuditVerifyError, VerifiedChain, verify_audit_files, verify_audit_folder};
pub(crate) use written_events::WrittenEvents;
