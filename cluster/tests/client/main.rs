//! The client against brokers that are not what they should be. They answer with the messages of
//! `kafka-protocol`, so that both sides are not of one hand; real brokers are in `tests/kafka`.

mod acls;
mod broker;
mod double;
mod log;
mod properties;
mod sign_in;
mod strangers;
mod tls;
