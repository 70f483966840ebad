//! What the pages of the console show and say: values and texts, without a browser, tested natively.

pub mod phrases;
