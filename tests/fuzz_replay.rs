//! The fuzz targets on stable Rust, without libFuzzer: every seed and every kept regression, and some hundred mutations of
//! them. The mutations come from a fixed seed, so a failure here is there again in the next run. `fuzz/README.md` says how
//! the targets are run in earnest.

use std::fs;
use std::path::{Path, PathBuf};

use askgbnf::testing::{ChaCha8Rng, SeedableRng, below};

#[path = "../fuzz/properties/gbnf_roundtrip.rs"]
mod gbnf_roundtrip;
#[path = "../fuzz/properties/normalize.rs"]
mod normalize;

/// Mutations that are made of the seeds together.
const MUTATIONS: usize = 400;

#[test]
fn gbnf_roundtrip_holds_on_seeds_and_mutations() {
    replay("gbnf_roundtrip", gbnf_roundtrip::check);
}

#[test]
fn normalize_holds_on_seeds_and_mutations() {
    replay("normalize", normalize::check);
}

fn replay(target: &str, check: fn(&[u8])) {
    // Cargo runs tests in the package's directory; a path from `env!` may be that of another checkout that shares the target.
    let fuzz = Path::new("fuzz");
    let seeds = files(&fuzz.join("seeds").join(target));
    assert!(!seeds.is_empty(), "{target} has no seeds");
    let regressions = fuzz.join("regressions").join(target);
    let kept = if regressions.is_dir() { files(&regressions) } else { Vec::new() };
    for (path, data) in seeds.iter().chain(&kept) {
        guarded(check, data, &path.display().to_string());
    }

    let words = dictionary(&fuzz.join("dict").join(format!("{target}.dict")));
    let mut rng = ChaCha8Rng::seed_from_u64(0x5eed);
    for round in 0..MUTATIONS {
        let (path, data) = &seeds[below(&mut rng, seeds.len())];
        let (_, other) = &seeds[below(&mut rng, seeds.len())];
        let data = mutate(&mut rng, data, other, &words);
        guarded(check, &data, &format!("mutation {round} of {}: {:?}", path.display(), String::from_utf8_lossy(&data)));
    }
}

/// Says which input it was when the property panics.
fn guarded(check: fn(&[u8]), data: &[u8], what: &str) {
    if let Err(panic) = std::panic::catch_unwind(|| check(data)) {
        eprintln!("the property does not hold for {what}");
        std::panic::resume_unwind(panic);
    }
}

fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

/// The entries of a libFuzzer dictionary: `"text"` with `\\`, `\"` and `\xHH`, one a line; `#` begins a comment.
fn dictionary(path: &Path) -> Vec<Vec<u8>> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let words: Vec<Vec<u8>> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let start = line.find('"').unwrap_or_else(|| panic!("{}: no text in {line}", path.display()));
            let body = line[start + 1..].strip_suffix('"');
            unescape(body.unwrap_or_else(|| panic!("{}: {line} does not end", path.display())))
        })
        .collect();
    assert!(!words.is_empty(), "{} is empty", path.display());
    words
}

fn unescape(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        match bytes.next() {
            Some(b'x') => {
                let hex: String = bytes.by_ref().take(2).map(char::from).collect();
                out.push(u8::from_str_radix(&hex, 16).unwrap_or_else(|_| panic!("\\x{hex} in {text}")));
            }
            Some(escaped @ (b'\\' | b'"')) => out.push(escaped),
            other => panic!("unknown escape {:?} in {text}", other.map(char::from)),
        }
    }
    out
}

/// One to four of the changes that libFuzzer makes too: cut, repeat, insert a word, change a byte, splice with another seed.
fn mutate(rng: &mut ChaCha8Rng, data: &[u8], other: &[u8], words: &[Vec<u8>]) -> Vec<u8> {
    let mut data = data.to_vec();
    for _ in 0..=below(rng, 4) {
        let at = below(rng, data.len() + 1);
        let end = at + below(rng, (data.len() - at).min(24) + 1);
        match below(rng, 6) {
            0 => drop(data.drain(at..end)),
            1 => {
                let part = data[at..end].to_vec();
                data.splice(at..at, part);
            }
            2 | 3 => {
                let word = words[below(rng, words.len())].clone();
                data.splice(at..end, word);
            }
            4 if at < data.len() => data[at] = below(rng, 256) as u8,
            _ => {
                data.truncate(at);
                data.extend_from_slice(&other[below(rng, other.len() + 1)..]);
            }
        }
    }
    data
}
