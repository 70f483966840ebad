//! Permissions: principals, matrix, who can, findings.

mod card;
mod cli_call;
mod delete;
mod finding;
mod findings;
mod frame;
mod list;
mod matrix;
mod reasons;
mod who_can;

pub use self::findings::FindingsPage;
pub use self::list::PermissionsPage;
pub use self::matrix::MatrixPage;
pub use self::who_can::WhoCanPage;
