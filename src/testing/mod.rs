//! Seeded samplers.
