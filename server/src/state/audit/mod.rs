//! Auditing: every authentication and every decision is an event, written before the response is
//! sent (specification 6, D-23).

mod append;
mod backlog;
mod budgets;
mod chain;
mod changes;
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

pub(crate) use changes::{ChangeRecorder, PolicyTags, RecordedChange};
pub use file::AuditFileLimits;
pub(crate) use log::AuditLog;
pub(crate) use recorder::Audit;
pub(crate) use request_head::{Purpose, RequestHead};
pub(crate) use scope::RequestScope;
pub(crate) use sign_in_method::SignInMethod;
pub use verify::{AuditVerifyError, VerifiedChain, verify_audit_files, verify_audit_folder};
