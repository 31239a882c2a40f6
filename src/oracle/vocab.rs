//! A model file that is only a vocabulary: one token a byte.
//!
//! llama.cpp's grammar sampler works on tokens of a vocabulary, so to ask it about *bytes* a vocabulary is needed in
//! which each byte is a token. This room writes such a file; nothing is downloaded.
//!
//! The container is GGUF, version 3, little-endian (`ggml/include/gguf.h`): the magic `GGUF`, the version (u32), the number
//! of tensors (i64, here 0), the number of key-value pairs (i64), then each pair as key, value type (i32) and value. A
//! string is its length (u64) and its bytes; an array is its element type (i32), its length (u64) and its elements.
//!
//! What loading with `vocab_only` asks for (`src/llama-vocab.cpp`, `llama_vocab::impl::load`; `src/llama-model.cpp`,
//! `load_hparams`, which stops before the first size):
//!
//! | key | value here | why |
//! | --- | --- | --- |
//! | `general.architecture` | `llama` | any known architecture does |
//! | `tokenizer.ggml.model` | `llama` | SentencePiece: the kind that spells a token of type *byte* as that one byte |
//! | `tokenizer.ggml.tokens` | `<unk>`, `<s>`, `</s>`, `<0x00>` … `<0xFF>` | byte tokens are found by this spelling |
//! | `tokenizer.ggml.scores` | zeros | optional, kept for older readers |
//! | `tokenizer.ggml.token_type` | 2, 3, 3, then 6 | unknown, control, control, byte (`llama_token_type` in `include/llama.h`) |
//! | `tokenizer.ggml.{unknown,bos,eos}_token_id` | 0, 1, 2 | the end-of-text token tells a whole text from a prefix |
//!
//! Read in the llama.cpp source of `llama-cpp-sys-2` 0.1.161.

use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The token that ends a text.
pub const END: i32 = 2;

/// The token of byte 0; byte `b` is `FIRST_BYTE + b`.
const FIRST_BYTE: i32 = 3;

/// The number of tokens.
const TOKENS: u64 = 3 + 256;

// Value types of the container.
const UINT32: i32 = 4;
const INT32: i32 = 5;
const FLOAT32: i32 = 6;
const STRING: i32 = 8;
const ARRAY: i32 = 9;

// Token types of the vocabulary.
const UNKNOWN: i32 = 2;
const CONTROL: i32 = 3;
const BYTE: i32 = 6;

/// The token of a byte.
///
/// Byte 0 has a token too, but no grammar admits it: llama.cpp forbids every token that spells a text beginning with NUL
/// (`llama_grammar_apply_impl` in `src/llama-grammar.cpp`).
pub fn token(byte: u8) -> i32 {
    FIRST_BYTE + i32::from(byte)
}

/// The file's bytes: about 6 KB, always the same.
pub fn gguf() -> Vec<u8> {
    let mut out = Writer(Vec::with_capacity(8 << 10));
    out.0.extend_from_slice(b"GGUF");
    out.0.extend_from_slice(&3u32.to_le_bytes());
    out.0.extend_from_slice(&0i64.to_le_bytes());
    out.0.extend_from_slice(&8i64.to_le_bytes());

    out.key("general.architecture", STRING);
    out.string("llama");
    out.key("tokenizer.ggml.model", STRING);
    out.string("llama");

    out.array("tokenizer.ggml.tokens", STRING);
    for text in ["<unk>", "<s>", "</s>"] {
        out.string(text);
    }
    for byte in 0..=u8::MAX {
        out.string(&format!("<0x{byte:02X}>"));
    }
    out.array("tokenizer.ggml.scores", FLOAT32);
    for _ in 0..TOKENS {
        out.0.extend_from_slice(&0f32.to_le_bytes());
    }
    out.array("tokenizer.ggml.token_type", INT32);
    for kind in [UNKNOWN, CONTROL, CONTROL].into_iter().chain(std::iter::repeat_n(BYTE, 256)) {
        out.int(kind);
    }

    for (key, id) in [("unknown", 0u32), ("bos", 1), ("eos", 2)] {
        out.key(&format!("tokenizer.ggml.{key}_token_id"), UINT32);
        out.0.extend_from_slice(&id.to_le_bytes());
    }
    out.0
}

struct Writer(Vec<u8>);

impl Writer {
    fn int(&mut self, value: i32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn string(&mut self, text: &str) {
        self.0.extend_from_slice(&(text.len() as u64).to_le_bytes());
        self.0.extend_from_slice(text.as_bytes());
    }

    fn key(&mut self, key: &str, kind: i32) {
        self.string(key);
        self.int(kind);
    }

    /// The head of an array with one element a token.
    fn array(&mut self, key: &str, kind: i32) {
        self.key(key, ARRAY);
        self.int(kind);
        self.0.extend_from_slice(&TOKENS.to_le_bytes());
    }
}

/// The file on disk, private to this user and removed when dropped.
///
/// llama.cpp loads models by path only. The file is made with `create_new`, which neither opens an existing file nor
/// follows a link, under a name that cannot be guessed, and (on Unix) readable by its owner alone.
#[derive(Debug)]
pub struct TemporaryFile {
    path: PathBuf,
}

impl TemporaryFile {
    /// Writes [`gguf`] into the system's directory for temporary files.
    ///
    /// # Errors
    ///
    /// What the file system says, for example when the directory is not writable or the disk is full.
    pub fn write() -> io::Result<Self> {
        let directory = std::env::temp_dir();
        // A taken name is improbable at 64 random bits; a few tries rule out bad luck, not a hostile directory.
        for _ in 0..4 {
            let path = directory.join(format!("askgbnf-bytes-{:016x}.gguf", random()));
            match create(&path) {
                Ok(mut file) => {
                    let this = Self { path };
                    file.write_all(&gguf())?;
                    file.flush()?;
                    return Ok(this);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::new(io::ErrorKind::AlreadyExists, "four random names were all taken"))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // Nothing depends on it: at worst 6 KB stay behind.
        let _ = std::fs::remove_file(&self.path);
    }
}

fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// 64 bits that another process cannot foresee: the standard library keys its hash maps from the system's random source.
pub(super) fn random() -> u64 {
    std::hash::RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_what_the_container_format_says() {
        let bytes = gguf();
        assert_eq!(&bytes[..8], b"GGUF\x03\0\0\0");
        assert_eq!(&bytes[8..16], &0u64.to_le_bytes(), "no tensors");
        assert_eq!(&bytes[16..24], &8u64.to_le_bytes(), "eight pairs");
        assert!(bytes.len() < 8 << 10, "{}", bytes.len());
        // A reader written from the format, not from the writer: it must end exactly at the end of the file.
        let mut at = 24;
        let mut keys = Vec::new();
        for _ in 0..8 {
            let key = text(&bytes, &mut at);
            let kind = int(&bytes, &mut at);
            skip(&bytes, &mut at, kind);
            keys.push(key);
        }
        assert_eq!(at, bytes.len());
        assert_eq!(keys[2], "tokenizer.ggml.tokens");
    }

    fn int(bytes: &[u8], at: &mut usize) -> i32 {
        *at += 4;
        i32::from_le_bytes(bytes[*at - 4..*at].try_into().unwrap())
    }

    fn long(bytes: &[u8], at: &mut usize) -> usize {
        *at += 8;
        usize::try_from(u64::from_le_bytes(bytes[*at - 8..*at].try_into().unwrap())).unwrap()
    }

    fn text(bytes: &[u8], at: &mut usize) -> String {
        let length = long(bytes, at);
        *at += length;
        String::from_utf8(bytes[*at - length..*at].to_vec()).unwrap()
    }

    fn skip(bytes: &[u8], at: &mut usize, kind: i32) {
        match kind {
            4..=6 => *at += 4,
            8 => drop(text(bytes, at)),
            9 => {
                let element = int(bytes, at);
                assert_ne!(element, 9);
                for _ in 0..long(bytes, at) {
                    skip(bytes, at, element);
                }
            }
            _ => panic!("value type {kind}"),
        }
    }

    #[test]
    fn the_temporary_file_is_private_and_goes_away() {
        let file = TemporaryFile::write().unwrap();
        let path = file.path().to_owned();
        assert_eq!(std::fs::read(&path).unwrap(), gguf());
        #[cfg(unix)]
        assert_eq!(
            std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions()) & 0o777,
            0o600
        );
        assert!(create(&path).is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists));
        drop(file);
        assert!(!path.exists());
    }

    #[test]
    fn names_differ() {
        assert_ne!(random(), random());
    }
}
