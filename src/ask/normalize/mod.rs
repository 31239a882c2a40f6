//! From raw arguments to a call.
