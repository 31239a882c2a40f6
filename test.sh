#!/usr/bin/env bash
# Every test, llama.cpp itself included, on a machine that may have nothing yet. About ten minutes the first time on two cores,
# most of it compiling llama.cpp, which goes to a directory outside the checkout and is kept.
set -euo pipefail
cd "$(dirname "$0")"
. ./setup.sh
need_rust
need_rust_checks
need_llama_cpp

# A newer Rust may know lints that this code has not met. CI holds the code to all of them; elsewhere they are shown.
lints=()
[ "${CI:-}" != true ] || lints=(-D warnings)

outside=${ASKGBNF_TARGET_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/askgbnf/target}

# Runs cargo in the release profile with llama.cpp.
with_llama_cpp() {
    env CARGO_TARGET_DIR="$outside" cargo "$1" --locked --release --features llama-cpp,proptest "${@:2}"
}

say "format"
cargo fmt --check
say "lints"
cargo clippy --locked --quiet --all-targets -- ${lints[@]+"${lints[@]}"}
say "documentation"
RUSTDOCFLAGS="${lints[*]-}" cargo doc --locked --quiet --no-deps
say "tests, default features"
cargo test --locked --quiet
say "lints, with llama.cpp"
with_llama_cpp clippy --quiet --all-targets -- ${lints[@]+"${lints[@]}"}
say "documentation, with llama.cpp"
RUSTDOCFLAGS="${lints[*]-}" with_llama_cpp doc --quiet --no-deps
say "tests, with llama.cpp"
with_llama_cpp test --quiet
say "generated files"
with_llama_cpp build --quiet
"$outside/release/askgbnf" generate --check
say "laws"
"$outside/release/askgbnf" check --require L1,L2,L3,L4,L5,L6,L7,L8,L9
say "all passed"
