//! The typed schema.
