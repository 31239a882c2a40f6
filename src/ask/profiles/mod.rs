//! The wires of the tools.
