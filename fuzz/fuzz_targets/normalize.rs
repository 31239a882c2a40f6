#![no_main]
//! libFuzzer's entry to the property of the same name, which `tests/fuzz_replay.rs` runs too.

#[path = "../properties/normalize.rs"]
mod normalize;

libfuzzer_sys::fuzz_target!(|data: &[u8]| normalize::check(data));
