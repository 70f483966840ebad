//! The chunks: which pages share a file of code.
//!
//! Each page that is opened first by many has a file of its own, as have the evaluation of the
//! simulator and the check of signatures; all else is one file. What several files reach lies in
//! files between them, one for each combination, so few files stay few.

use leptos::prelude::*;

use super::audit::AuditPage;
use super::chunk::{Chunk, ChunkError, chunk};
use super::compare_clusters::CompareClustersPage;
use super::connection::ConnectionPage;
use super::exchange::ExchangePage;
use super::permissions::{FindingsPage, MatrixPage, PermissionsPage, WhoCanPage};
use super::review::ReviewPage;
use super::role::RolePage;
use super::roles::RolesPage;
use super::search::{Search, ShortcutList};
use super::settings::SettingsPage;
use super::simulator::{EVALUATOR, Simulator, VERIFIER};

chunk!(pub(crate) ROLES, "Roles", roles, fetch_roles, draw_roles, view! { <RolesPage /> }.into_any());
chunk!(pub(crate) ROLE, "The role", rest, fetch_role, draw_role, view! { <RolePage /> }.into_any());
chunk!(pub(crate) REVIEW, "The review", rest, fetch_review, draw_review, view! { <ReviewPage /> }.into_any());
chunk!(pub(crate) PERMISSIONS, "Permissions", rest, fetch_list, draw_list, view! { <PermissionsPage /> }.into_any());
chunk!(pub(crate) MATRIX, "The matrix", rest, fetch_matrix, draw_matrix, view! { <MatrixPage /> }.into_any());
chunk!(pub(crate) WHO_CAN, "Who can", rest, fetch_who_can, draw_who_can, view! { <WhoCanPage /> }.into_any());
chunk!(pub(crate) FINDINGS, "Findings", rest, fetch_findings, draw_findings, view! { <FindingsPage /> }.into_any());
chunk!(pub(crate) EXCHANGE, "Import and export", rest, fetch_exchange, draw_exchange, view! { <ExchangePage /> }.into_any());
chunk!(pub(crate) COMPARE, "The comparison", rest, fetch_compare, draw_compare, view! { <CompareClustersPage /> }.into_any());
chunk!(pub(crate) SIMULATOR, "The simulator", simulator, fetch_simulator, draw_simulator, view! { <Simulator /> }.into_any());
chunk!(pub(crate) SETTINGS, "Settings", rest, fetch_settings, draw_settings, view! { <SettingsPage /> }.into_any());
chunk!(pub(crate) AUDIT, "Audit", rest, fetch_audit, draw_audit, view! { <AuditPage /> }.into_any());
chunk!(pub(crate) CONNECTION, "Connection", rest, fetch_connection, draw_connection, view! { <ConnectionPage /> }.into_any());
chunk!(pub(crate) SEARCH, "The search", rest, fetch_search, draw_search, view! { <Search /> }.into_any());
chunk!(pub(crate) SHORTCUTS, "The shortcuts", rest, fetch_shortcuts, draw_shortcuts, view! { <ShortcutList /> }.into_any());

/// One chunk of each file, those first that are likely to be needed next.
pub(crate) const ALL: &[Chunk] = &[SIMULATOR, EVALUATOR, VERIFIER, ROLES, ROLE];
