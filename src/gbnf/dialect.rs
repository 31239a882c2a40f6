//! The builds of llama.cpp and in what their grammar parsers differ; the limits of our own parser.
//!
//! Each difference below was read in `llama-grammar.cpp` as bundled by the crate `llama-cpp-sys-2`, whose version is named at
//! the build. Between two listed builds the change happened somewhere; the list claims no more than its members.

/// A build of llama.cpp whose grammar parser was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Build {
    /// b3889, October 2024 (`common/grammar-parser.cpp` in `llama-cpp-sys-2` 0.1.83): no repetition limit.
    B3889,
    /// b4435, January 2025 (0.1.92): the parser moved to `src/llama-grammar.cpp`, its language is the same.
    B4435,
    /// b6673, October 2025 (0.1.122): the same language still. Command line name `2025-08`.
    B6673,
    /// End of 2025 (0.1.126, after pull request 17381): a repetition bound above 2000 is an error.
    Capped,
    /// 0.1.135 and 0.1.140: token literals `<[id]>` and `<text>`.
    TokenLiterals,
    /// Mid-2026 (0.1.146 and 0.1.151): rules inside a group × repetitions must stay below 2000; equal stacks are dropped
    /// while they are expanded. Command line name `2026-06`.
    Y2026M06,
    /// August 2026 (0.1.156, after pull request 26613): a maximum above 2000 turns into "no maximum" without a word.
    /// Command line name `2026-08`.
    Y2026M08,
    /// The source bundled in 0.1.161, which the oracle runs: exactly 2000 is allowed (pull request 28469), and `\-` is an
    /// escape. Command line name `2026-10`.
    #[default]
    Pinned,
}

impl Build {
    /// Every build, oldest first.
    pub const ALL: [Build; 8] = [
        Build::B3889,
        Build::B4435,
        Build::B6673,
        Build::Capped,
        Build::TokenLiterals,
        Build::Y2026M06,
        Build::Y2026M08,
        Build::Pinned,
    ];

    /// The build's name, as the command line and reports write it.
    pub fn name(self) -> &'static str {
        match self {
            Build::B3889 => "b3889",
            Build::B4435 => "b4435",
            Build::B6673 => "2025-08",
            Build::Capped => "2025-11",
            Build::TokenLiterals => "2026-01",
            Build::Y2026M06 => "2026-06",
            Build::Y2026M08 => "2026-08",
            Build::Pinned => "2026-10",
        }
    }

    /// The build of that name; `b6673` is understood too.
    pub fn by_name(name: &str) -> Option<Build> {
        if name == "b6673" {
            return Some(Build::B6673);
        }
        Build::ALL.into_iter().find(|build| build.name() == name)
    }
}

impl std::fmt::Display for Build {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The bound that llama.cpp calls `MAX_REPETITION_THRESHOLD`.
pub(crate) const REPETITION_THRESHOLD: u64 = 2000;

/// What a build does with large repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RepetitionRule {
    /// No limit: the rules are written out, however many. A reversed pair `{3,1}` means `{3}`.
    Unlimited,
    /// A bound above 2000 is an error.
    Refuse {
        /// From which product of rules in the group × repetitions on there is an error; `None`: no such check.
        product_from: Option<u64>,
    },
    /// A minimum above 2000 is an error, a maximum above 2000 becomes "no maximum".
    Widen {
        /// From which product of rules in the group × repetitions on there is an error.
        product_from: u64,
    },
}

/// How a grammar is read: the build's differences as data, and our own limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The build this dialect came from; reports name it.
    pub build: Build,
    /// Whether `\-` is an escape. Without it the sequence is an "unknown escape".
    pub escaped_minus: bool,
    /// Whether `<[id]>`, `<text>` and `!` are read.
    pub token_literals: bool,
    /// What happens to large repetitions.
    pub repetition: RepetitionRule,
    /// Whether the engine drops equal stacks while it expands them (`seen` in `llama_grammar_advance_stack`). Without it,
    /// an expansion that comes back to itself overflows the call stack.
    pub merges_while_expanding: bool,
    /// Our own limits, which are no build's.
    pub limits: Limits,
}

impl Default for Dialect {
    fn default() -> Self {
        Dialect::of(Build::default())
    }
}

impl Dialect {
    /// The dialect of a build, with the default limits.
    pub fn of(build: Build) -> Self {
        let repetition = match build {
            Build::B3889 | Build::B4435 | Build::B6673 => RepetitionRule::Unlimited,
            Build::Capped | Build::TokenLiterals => RepetitionRule::Refuse { product_from: None },
            Build::Y2026M06 => RepetitionRule::Refuse { product_from: Some(REPETITION_THRESHOLD) },
            Build::Y2026M08 => RepetitionRule::Widen { product_from: REPETITION_THRESHOLD },
            Build::Pinned => RepetitionRule::Widen { product_from: REPETITION_THRESHOLD + 1 },
        };
        Dialect {
            build,
            escaped_minus: build >= Build::Pinned,
            token_literals: build >= Build::TokenLiterals,
            repetition,
            merges_while_expanding: build >= Build::Y2026M06,
            limits: Limits::default(),
        }
    }

    /// The bounds that the build really uses for a written `{min,max}`: `None` is no maximum.
    pub fn effective_max(&self, max: Option<u32>) -> Option<u32> {
        match self.repetition {
            RepetitionRule::Widen { .. } if max.is_some_and(|max| u64::from(max) > REPETITION_THRESHOLD) => None,
            _ => max,
        }
    }
}

/// What our own parser and engine refuse, so that no grammar can exhaust the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest grammar text, in bytes. 16 MiB: a hundred times the largest grammar seen in use.
    pub bytes: usize,
    /// Deepest nesting of groups and of repetitions upon repetitions. 200: a thread of 2 MB holds it in a debug build,
    /// where llama.cpp's own parser dies between 4,660 and 4,720 parentheses.
    pub depth: usize,
    /// Most elements after repetitions are written out. 4 million: a few tens of megabytes here, and in llama.cpp.
    pub elements: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: 16 << 20, depth: 200, elements: 4_000_000 }
    }
}
