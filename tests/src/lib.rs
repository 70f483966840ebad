//! What the tests share: the vectors, a naive oracle, and small worlds in which names collide.

pub mod oracle;
pub mod vectors;
pub mod world;
