//! A topic with one partition, as a log.

mod records;
