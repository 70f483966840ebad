//! Components: properties in, callbacks out, without fetching or policy.

pub mod breadth;
pub mod button;
pub mod copy;
pub mod dialog;
pub mod disclosure;
pub mod field;
pub mod icon;
pub mod keys;
pub mod name;
pub mod note;
pub mod sheet;
pub mod table;
pub mod verdict;

pub use breadth::BreadthBar;
pub use button::{Button, ButtonKind, IconButton, LinkButton};
pub use copy::{CopyBlock, CopyButton};
pub use dialog::{Dialog, DialogActions, Modal};
pub use disclosure::Disclosure;
pub use field::{Choice, Field, Message, MessageKind, Segmented, Select, TextArea};
pub use icon::{Glyph, Icon, IconSize};
pub use keys::Key;
pub use name::{
    AclPhrase, Mono, Piece, PrincipalName, ResourceName, Words, pieces, resource_words,
};
pub use note::{Empty, Note, NoteKind, Tag, TagKind};
pub use sheet::Sheet;
pub use table::{Heads, SkeletonRows, SortHead, SortOrder, Table};
pub use verdict::{Mark, PermissionWord, VerdictWord};
