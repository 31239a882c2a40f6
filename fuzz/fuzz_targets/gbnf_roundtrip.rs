#![no_main]
//! libFuzzer's entry to the property of the same name, which `tests/fuzz_replay.rs` runs too.

#[path = "../properties/gbnf_roundtrip.rs"]
mod gbnf_roundtrip;

libfuzzer_sys::fuzz_target!(|data: &[u8]| gbnf_roundtrip::check(data));
