# What the scripts here need of a machine. Sourced by askgbnf.sh and test.sh, not run.
#
# Everything that is missing is installed with the system's own package manager (apt-get, dnf, pacman or brew; sudo is used
# where it has to be), Rust with rustup. What is there already is left alone.

# The oldest Rust that the crate builds with; as rust-version in Cargo.toml.
RUST_OLDEST=1.88

say() { printf '== %s\n' "$*" >&2; }

give_up() {
    printf 'error: %s\n' "$*" >&2
    exit 2
}

# Some CI runners start without it.
export HOME="${HOME:-$(cd ~ && pwd)}"

have() { command -v "$1" >/dev/null 2>&1; }

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif have sudo; then
        sudo "$@"
    else
        give_up "this needs root and there is no sudo: $*"
    fi
}

# install WHAT APT DNF PACMAN BREW: installs a package under the name that it has in each system; "-" where none is needed.
install() {
    what=$1
    say "installing $what"
    if have apt-get; then
        as_root apt-get update -q
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends $2
    elif have dnf; then
        as_root dnf install -yq $3
    elif have pacman; then
        as_root pacman -Sy --noconfirm --needed $4
    elif have brew; then
        [ "$5" = - ] || brew install --quiet $5
    else
        give_up "$what is missing, and none of apt-get, dnf, pacman and brew is here to install it"
    fi
}

# True if Rust is here and new enough.
have_rust() {
    have cargo && have rustc || return 1
    version=$(rustc --version | cut -d' ' -f2)
    [ "$(printf '%s\n%s\n' "$RUST_OLDEST" "$version" | sort -V | head -n 1)" = "$RUST_OLDEST" ]
}

need_rust() {
    have_rust || PATH="$HOME/.cargo/bin:$PATH"
    if ! have_rust; then
        have curl || install curl "curl ca-certificates" curl curl -
        say "installing Rust with rustup"
        curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y --quiet --profile minimal --no-modify-path
        have_rust || give_up "Rust $RUST_OLDEST or newer is needed; rustup did not bring it"
    fi
    # Rust links with the system's C compiler.
    have cc || install "a linker" "gcc libc6-dev" gcc gcc -
    have cc || give_up "no C compiler to link with; on macOS run: xcode-select --install"
}

# The tools that the checks of the code use.
need_rust_checks() {
    if ! cargo fmt --version >/dev/null 2>&1 || ! cargo clippy --version >/dev/null 2>&1; then
        have rustup || give_up "rustfmt and clippy are missing; install them beside this Rust"
        rustup component add rustfmt clippy
    fi
}

# libclang as bindgen looks for it. libclang-cpp, which a distribution's LLVM brings without libclang, is another library. The
# headers that libclang reads (stddef.h and others) come with clang itself.
have_libclang() {
    [ -n "${LIBCLANG_PATH:-}" ] && return 0
    [ "$(uname)" = Darwin ] && xcode-select -p >/dev/null 2>&1 && return 0
    have clang || return 1
    for folder in /usr/lib /usr/lib64 /usr/lib/*-linux-gnu /usr/lib/llvm*/lib /usr/lib64/llvm*/lib /usr/local/lib; do
        for file in "$folder"/libclang.so* "$folder"/libclang-[0-9]*.so*; do
            [ -e "$file" ] && return 0
        done
    done
    return 1
}

# What compiling llama.cpp takes. Only the feature llama-cpp does.
need_llama_cpp() {
    have cmake || install CMake cmake cmake cmake cmake
    have make || have ninja || install make make make make -
    have c++ || install "a C++ compiler" g++ gcc-c++ gcc -
    have_libclang || install libclang "clang libclang-dev" "clang clang-devel" clang llvm
}
