//! The keyboard shortcuts, as they are listed.

/// A shortcut, or several that belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shortcut {
    /// The keys, pressed together; `Ctrl` is the command key on a Mac.
    pub keys: &'static [&'static str],
    /// What they do.
    pub purpose: &'static str,
    /// Whether it is a single character, which can be turned off.
    pub is_single: bool,
}

/// All of them: on every page, in the simulator, in the search.
pub const SHORTCUTS: &[(&str, &[Shortcut])] = &[
    (
        "On every page",
        &[
            Shortcut {
                keys: &["Ctrl", "K"],
                purpose: "Search or ask a question",
                is_single: false,
            },
            Shortcut {
                keys: &["/"],
                purpose: "Go to the search field of the page, or search",
                is_single: true,
            },
            Shortcut {
                keys: &["?"],
                purpose: "List the keyboard shortcuts",
                is_single: true,
            },
            Shortcut {
                keys: &["Esc"],
                purpose: "Close a dialog",
                is_single: false,
            },
        ],
    ),
    (
        "In the simulator",
        &[
            Shortcut {
                keys: &["F"],
                purpose: "Show the fixes of a denied request",
                is_single: true,
            },
            Shortcut {
                keys: &["T"],
                purpose: "Try a change",
                is_single: true,
            },
            Shortcut {
                keys: &["W"],
                purpose: "Check a whole API request",
                is_single: true,
            },
            Shortcut {
                keys: &["C"],
                purpose: "Compare two users",
                is_single: true,
            },
            Shortcut {
                keys: &["S"],
                purpose: "Share the check",
                is_single: true,
            },
            Shortcut {
                keys: &["V"],
                purpose: "Go to the token",
                is_single: true,
            },
            Shortcut {
                keys: &["R"],
                purpose: "Review the draft",
                is_single: true,
            },
            Shortcut {
                keys: &["A"],
                purpose: "Go to the first assumption",
                is_single: true,
            },
            Shortcut {
                keys: &["→"],
                purpose: "Next assumption",
                is_single: false,
            },
            Shortcut {
                keys: &["←"],
                purpose: "Previous assumption",
                is_single: false,
            },
            Shortcut {
                keys: &["Delete"],
                purpose: "Remove the assumption",
                is_single: false,
            },
            Shortcut {
                keys: &["Enter"],
                purpose: "Restore a removed assumption",
                is_single: false,
            },
        ],
    ),
    (
        "In the search",
        &[
            Shortcut {
                keys: &["↓"],
                purpose: "Next result",
                is_single: false,
            },
            Shortcut {
                keys: &["↑"],
                purpose: "Previous result",
                is_single: false,
            },
            Shortcut {
                keys: &["Enter"],
                purpose: "Open the result",
                is_single: false,
            },
        ],
    ),
];
