//! Auditing: every authentication and every decision is an event, written before the response is
//! sent (specification 6, D-23).

mod append;
mod audit_log;
mod backlog;
mod budgets;
mod chain;
mod change_recorder;
mod job;
mod repeat_key;
mod repeats;
mod request_head;
mod request_recorder;
mod request_scope;
mod rotating_file;
mod sign_in_method;
mod streams;
mod verify;
mod writer;
mod written_events;

pub(crate) use audit_log::AuditLog;
pub(crate) use change_recorder::ChangeRecorder;
pub(crate) use request_head::{Purpose, RequestHead};
pub(crate) use request_recorder::Audit;
pub(crate) use request_scope::{AclChange, MAX_ACLS, RequestScope};
pub use rotating_file::AuditFileLimits;
pub(crate) use sign_in_method::SignInMethod;
pub use verify::{AuditVerifyError, VerifiedChain, verify_audit_files, verify_audit_folder};
pub(crate) use written_events::WrittenEvents;
