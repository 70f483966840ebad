//! The sentences of the simulator.
