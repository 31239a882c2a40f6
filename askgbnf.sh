#!/usr/bin/env bash
# Builds askgbnf on a machine that may have nothing yet, and runs it. Without arguments: askgbnf generate.
set -euo pipefail
cd "$(dirname "$0")"
. ./setup.sh
need_rust
[ $# -gt 0 ] || set -- generate
exec cargo run --quiet --release --locked -- "$@"
