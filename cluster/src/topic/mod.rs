//! A topic with one partition, as a log: any number of writers append, all readers see one order.

mod checkpoints;
mod fault;
mod log;
mod messages;
mod name;
mod partition;
mod parts;
mod reader;
mod records;
mod scan;
mod settings;

pub use fault::{TopicFault, WrongSetting};
pub use log::{TopicLog, TopicLogOptions};
pub use name::TopicName;
pub use reader::SkippedRecords;
