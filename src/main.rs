//! The `askgbnf` command: a thin shell over [`askgbnf::cli`].
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    askgbnf::cli::main()
}
