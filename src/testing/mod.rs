//! Seeded samplers: calls to test wires, grammars and hosts with. The same seed gives the same calls on every machine.
//!
//! What lives here: texts, calls and the random numbers under them. What does not: members of a grammar
//! ([`gbnf`](crate::gbnf)) and the checks themselves ([`laws`](crate::laws)).
//!
//! ```
//! use askgbnf::ask::profiles::by_id;
//! use askgbnf::testing::{CallSampler, ChaCha8Rng, SeedableRng};
//!
//! let profile = by_id("unchain").expect("a built-in profile");
//! let sampler = CallSampler::new(&*profile);
//! let mut rng = ChaCha8Rng::seed_from_u64(1);
//! let call = sampler.sample(&mut rng);
//! assert!(profile.expresses(&call).is_ok());
//! assert!(profile.limits().hold(&call));
//! ```

mod calls;
mod random;
mod texts;

pub use calls::{CallSampler, sample_any_call, sample_call};
pub use rand_chacha::ChaCha8Rng;
pub use rand_chacha::rand_core::SeedableRng;
pub use random::{below, chance, pick};
pub use texts::sample_text;
