//! The sentences around every page: the bar, banners, sign-in and dialogs.

pub const DEMO_READS_FREELY: &str = "Reading needs no credentials.";
