//! The sentences of the connection page.

use crate::phrases::{agree, count};
use crate::rich_text::RichText;

pub const PURPOSE: &str = "The cluster that these pages show. Passwords and tokens stay in this tab's memory until you close it.";
pub const TOKEN_USER: &str = "the user of the access token";
pub const ABILITIES: &str = "What can be read and changed";
pub const DISCARDS_DRAFT: &str = "Connecting to another cluster discards the draft";
pub const CLOUD_TOKEN: &str = "Control Plane token of a cluster admin";
pub const SIGN_IN_FIRST: &str = "Sign in to this service first";
pub const SIGN_IN_HERE: &str = "Sign in to this service";

pub fn unsaved(changes: usize) -> String {
    let verb = agree(changes, "is", "are");
    format!("{} of it {verb} not saved.", count(changes, "change"))
}

pub fn not_available(what: &str, reason: &str) -> RichText {
    RichText::from(what).quiet(format!(": no. {reason}"))
}
