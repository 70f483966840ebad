//! Why the console cannot read or change something.
