//! What choosing a result does.

use std::fmt;

use gbac_engine::model::Principal;

use crate::simulator::inputs::Inputs;

/// What choosing a result does.
#[derive(Clone, PartialEq, Eq)]
pub enum SearchTarget {
    /// Opens a page.
    Address(String),
    /// Opens the simulator with these inputs.
    Simulate(Box<Inputs>),
    /// Puts another question in place of the one that was typed.
    Ask(String),
    /// Opens the form that creates a role, with this name.
    CreateRole(String),
    /// Makes a principal a member of a role, in the draft.
    Assign {
        /// The role's name.
        role: String,
        /// The user or group.
        member: Principal,
    },
    /// Reads the service again.
    Refresh,
    /// Switches between light and dark.
    SwitchTheme,
    /// Lists the keyboard shortcuts.
    Shortcuts,
}

/// Without what is entered in the simulator: it may be a token.
impl fmt::Debug for SearchTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(address) => f.debug_tuple("Address").field(address).finish(),
            Self::Simulate(_) => f.debug_struct("Simulate").finish_non_exhaustive(),
            Self::Ask(text) => f.debug_tuple("Ask").field(text).finish(),
            Self::CreateRole(name) => f.debug_tuple("CreateRole").field(name).finish(),
            Self::Assign { role, member } => f
                .debug_struct("Assign")
                .field("role", role)
                .field("member", member)
                .finish(),
            Self::Refresh => f.write_str("Refresh"),
            Self::SwitchTheme => f.write_str("SwitchTheme"),
            Self::Shortcuts => f.write_str("Shortcuts"),
        }
    }
}
