//! L3: every call that the profile expresses, within its limits, has its rendering in the grammar.

use super::l1_compiles::match_all;
use super::{Law, LawResult, Status, Subject};
use crate::ask::profiles::offers;
use crate::gbnf::Verdict;

pub(super) const LAW: Law = Law {
    id: "L3",
    name: "complete",
    statement: "every call that the profile expresses, within its limits, has its rendering in the grammar; but for hints that \
                hold a template path, labels with more than three decorations in front, and labels nearly as long as they may \
                be that begin like a placeholder",
};

pub(super) fn check(subject: &mut Subject<'_>) -> Vec<LawResult> {
    let mut texts = Vec::new();
    let mut left_out = 0_usize;
    for (at, call) in subject.calls.iter().enumerate() {
        if !offers(subject.profile, call) {
            left_out += 1;
            continue;
        }
        match subject.profile.render(call) {
            Ok(wire) => texts.push(wire.to_string()),
            Err(error) => {
                let text = serde_json::to_string(call).unwrap_or_default();
                return vec![subject.failed(
                    &LAW,
                    "L3a",
                    at + 1,
                    format!("a sampled call does not render: {error}"),
                    &text,
                )];
            }
        }
    }
    let mut native = native(subject, &texts);
    if left_out > 0 && native.why.is_none() {
        native.why = Some(format!("{left_out} calls hold a text that no grammar of ours offers"));
    }
    // The samples of the grammar go along: what our matcher takes, llama.cpp takes.
    let all: Vec<&str> = texts.iter().chain(&subject.texts).map(String::as_str).collect();
    vec![native, match_all(subject, &LAW, "L3b", &all)]
}

fn native(subject: &mut Subject<'_>, texts: &[String]) -> LawResult {
    for (at, text) in texts.iter().enumerate() {
        let why = match subject.matcher.run(text) {
            Ok(Verdict::Match) => continue,
            Ok(Verdict::Prefix) => "only the start of a text of the grammar".to_owned(),
            Ok(Verdict::Reject(reject)) => format!("not in the grammar from byte {}", reject.offset),
            Err(error) => error.to_string(),
        };
        return subject.failed(&LAW, "L3a", at + 1, why, text);
    }
    subject.result(&LAW, "L3a", Status::Sampled, texts.len())
}
