//! Writing a shape as a JSON Schema.
