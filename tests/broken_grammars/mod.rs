//! Grammars that each break one law, with the shortest text that shows it.
//!
//! Data only: `laws` finds the texts by itself, and `oracle` lets llama.cpp say that the broken grammar takes each and the
//! grammar as generated does not. Both include this file.

/// How the grammar of a profile is broken.
pub(crate) enum Break {
    /// One piece of its text is replaced.
    Replace { from: &'static str, to: &'static str },
    /// It is made without one phrase of the lexicon.
    WithoutPhrase(&'static str),
    /// It is another grammar altogether.
    Whole(&'static str),
}

/// One broken grammar.
pub(crate) struct Broken {
    /// The profile whose grammar it is.
    pub(crate) profile: &'static str,
    /// What is done to it.
    pub(crate) how: Break,
    /// The part of the law that it breaks.
    pub(crate) part: &'static str,
    /// The shortest text of the grammar that breaks it, in code points, the least of them in byte order.
    pub(crate) text: &'static str,
}

const fn replaced(part: &'static str, from: &'static str, to: &'static str, text: &'static str) -> Broken {
    Broken { profile: "ask", how: Break::Replace { from, to }, part, text }
}

/// All of them.
pub(crate) const BROKEN: &[Broken] = &[
    replaced(
        "L2a",
        r#""{\"questions\":[""#,
        r#""{\"questions\":[,""#,
        r#"{"questions":[,{"kind":"text","question":"a"}]}"#,
    ),
    // An escape that JSON does not have, in a description only.
    replaced(
        "L2a",
        "\ndescription ::= ",
        "\ndescription ::= \"\\\\x\" | ",
        r#"{"questions":[{"kind":"multi","question":"a","options":[{"label":"a","description":"\x"},{"label":"a"}]}]}"#,
    ),
    replaced("L2b", r#",\"question\":"#, r#",\"question_\":"#, r#"{"questions":[{"kind":"text","question_":"a"}]}"#),
    replaced(
        "L2b",
        r#"("," item){0,3}"#,
        r#"("," item){0,4}"#,
        r#"{"questions":[{"kind":"text","question":"a"},{"kind":"text","question":"a"},{"kind":"text","question":"a"},{"kind":"text","question":"a"},{"kind":"text","question":"a"}]}"#,
    ),
    Broken {
        profile: "ask",
        how: Break::Whole(
            r#"root ::= "{\"questions\":[{\"question\":\"a\"" (",\"hint\":\"a\"")? ",\"kind\":\"text\"}]}""#,
        ),
        part: "L4",
        text: r#"{"questions":[{"question":"a","hint":"a","kind":"text"}]}"#,
    },
    Broken {
        profile: "ask",
        how: Break::WithoutPhrase("Other"),
        part: "L6",
        text: r#"{"questions":[{"kind":"multi","question":"a","options":[{"label":"a"},{"label":"other"}]}]}"#,
    },
    Broken {
        profile: "unchain",
        how: Break::WithoutPhrase("Other"),
        part: "L6",
        text: r#"{"title":"a","question":"a","selection_mode":"single","options":[{"label":"a","value":"a"},{"label":"other","value":"a"}]}"#,
    },
    Broken {
        profile: "dreb",
        how: Break::WithoutPhrase("其他"),
        part: "L6",
        text: r#"{"questions":[{"question":"a","options":["a","其他"]}]}"#,
    },
];
