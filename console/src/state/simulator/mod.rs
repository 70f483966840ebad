//! What the simulator knows: the token, what comes out of it, the question and its answer.
