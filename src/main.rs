//! The `askgbnf` command: a thin shell over [`askgbnf::cli`].
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    // A worker of the oracle is this same program; it must not go through the command line's own set-up.
    #[cfg(feature = "llama-cpp")]
    if let Some(code) = askgbnf::oracle::worker_if_asked() {
        return code;
    }
    askgbnf::cli::main()
}
