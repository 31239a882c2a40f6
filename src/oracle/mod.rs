//! llama.cpp itself, in a child process.
