//! Spellings against serde_json, and lifting against decoding.

use proptest::prelude::*;

use super::*;
use crate::language::tests::{Tree, trees};
use crate::language::{Expr, Inclusion};

const BUDGET: Budget = Budget::DEFAULT;

fn words(words: &[&str]) -> Dfa {
    Dfa::from_words(words.iter().copied(), &BUDGET).expect("small")
}

fn spelled(dfa: &Dfa, spelling: Spelling) -> Dfa {
    dfa.spelled(spelling, &BUDGET).expect("in the budget")
}

fn decoded(dfa: &Dfa) -> Dfa {
    dfa.decoded(&BUDGET).expect("in the budget")
}

/// Letters that JSON spells in different ways.
fn awkward(letter: char) -> CodePointSet {
    match letter {
        'a' => CodePointSet::from_chars("\"\\\n\t/a".chars()),
        'b' => CodePointSet::from_ranges([(0x00, 0x08), (0x7E, 0xD7FF), (0x1_0000, 0x1_05FF)]),
        _ => CodePointSet::from_ranges([(0xD900, 0xDB10), (0xDDDD, 0xE010), (0x1F5FF, 0x10_FF00)]),
    }
}

fn awkward_dfa(tree: &Tree) -> Dfa {
    Dfa::from_expr(&tree.expr_over(&awkward), &BUDGET).expect("small")
}

/// No high surrogate right before a low one: the strings that have a text.
fn unpaired() -> Dfa {
    let set = |low: u32, high: u32| Expr::set(CodePointSet::range(low, high));
    let pair = set(0xD800, 0xDBFF).then(&set(0xDC00, 0xDFFF));
    let all = Expr::any().star();
    Dfa::from_expr(&Expr::concat([all.clone(), pair, all]).not(), &BUDGET).expect("small")
}

#[test]
fn all_texts_of_strings_are_those_of_rfc_8259() {
    let any = string_texts(Spelling::Any, &BUDGET).expect("small");
    for text in ["", "a", "\u{7F}", r"\u00e9\u00E9", r"\/\b\f\n\r\t\\", r"\ud83d\uDE00", r"\ud800", r"\udc00x", "/"] {
        assert!(any.accepts(text), "{text}");
        // serde_json takes the same but for lone surrogates, which have no Rust string.
        let read = serde_json::from_str::<String>(&format!("\"{text}\""));
        assert_eq!(read.is_ok(), !matches!(text, r"\ud800" | r"\udc00x"), "{text}");
    }
    for text in ["\"", "\\", r"\q", r"\u12", r"\u12g4", "\t", "\u{1F}", r"\U0041", r"\'", r"a\"] {
        assert!(!any.accepts(text), "{text}");
        assert!(serde_json::from_str::<String>(&format!("\"{text}\"")).is_err(), "{text}");
    }
    assert!(!any.accepts_code_points([0xD800]));
}

#[test]
fn our_one_spelling_is_one() {
    let ours = string_texts(Spelling::Single, &BUDGET).expect("small");
    for text in ["", r#"\"\\\n\t"#, "/é\u{7F}😀"] {
        assert!(ours.accepts(text), "{text}");
    }
    for text in [r"\/", r"\u0041", r"\r", "\n", "\"", "\\", r"\b"] {
        assert!(!ours.accepts(text), "{text}");
    }
    let any = string_texts(Spelling::Any, &BUDGET).expect("small");
    assert_eq!(any.includes(&ours, &BUDGET), Inclusion::Yes);
    assert_eq!(decoded(&ours), Dfa::from_expr(&Expr::set(spellable()).star(), &BUDGET).expect("small"));
    assert_eq!(spelled(&words(&["a\u{1}b", "c"]), Spelling::Single), words(&["c"]));
}

#[test]
fn a_pair_is_one_code_point_and_a_lone_half_is_itself() {
    let smile = spelled(&words(&["😀"]), Spelling::Any);
    for text in ["😀", r"\ud83d\ude00", r"\uD83D\uDE00", r"\uD83d\udE00"] {
        assert!(smile.accepts(text), "{text}");
    }
    for text in [r"\ud83d", r"\ude00", r"\ud83d\ude01", r"\u1f600"] {
        assert!(!smile.accepts(text), "{text}");
    }
    let half = |low: u32| Expr::set(CodePointSet::single(low));
    let halves = Dfa::from_expr(&half(0xD83D).then(&half(0xDE00)), &BUDGET).expect("small");
    assert!(spelled(&halves, Spelling::Any).is_empty(), "these two would be read as one");
    let turned = Dfa::from_expr(&half(0xDE00).then(&half(0xD83D)), &BUDGET).expect("small");
    let texts = spelled(&turned, Spelling::Any);
    assert!(texts.accepts(r"\uDE00\uD83D"));
    assert_eq!(decoded(&texts), turned);
    // High, then a pair: the first half stands alone.
    let text = words(&[r"\ud83d\ud83d\ude00"]);
    let expected = Dfa::from_expr(&half(0xD83D).then(&Expr::char('😀')), &BUDGET).expect("small");
    assert_eq!(decoded(&text), expected);
}

#[test]
fn decoding_passes_over_what_is_no_json() {
    let texts = words(&["a\"b", "a\\qb", "ok", "\\u00e9", "\\ud800", "\t"]);
    let lone = Expr::set(CodePointSet::single(0xD800u32));
    let expected = Expr::union([Expr::literal("ok"), Expr::literal("é"), lone]);
    assert_eq!(decoded(&texts), Dfa::from_expr(&expected, &BUDGET).expect("small"));
}

#[test]
fn a_small_budget_ends_in_an_error() {
    let brief = Budget { steps: 100, ..BUDGET };
    assert!(string_texts(Spelling::Any, &brief).is_err());
    assert!(string_texts(Spelling::Any, &BUDGET).expect("small").decoded(&brief).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn lifting_and_decoding_are_inverse(tree in trees()) {
        let dfa = awkward_dfa(&tree);
        let texts = spelled(&dfa, Spelling::Any);
        let with_text = dfa.intersect(&unpaired(), &BUDGET).expect("small").minimize();
        prop_assert_eq!(decoded(&texts), with_text);
        let ours = spelled(&dfa, Spelling::Single);
        prop_assert_eq!(texts.includes(&ours, &BUDGET), Inclusion::Yes);
        let all_ours = Dfa::from_expr(&Expr::set(spellable()).star(), &BUDGET).expect("small");
        prop_assert_eq!(decoded(&ours), dfa.intersect(&all_ours, &BUDGET).expect("small").minimize());
    }

    #[test]
    fn the_text_reads_back_as_the_string(text in "[\\x00-\\x7f\u{80}-\u{1F60F}\"\\\\/\n]{0,8}") {
        let one = words(&[&text]);
        let texts = spelled(&one, Spelling::Any);
        let by_serde = serde_json::to_string(&text).expect("a string");
        prop_assert!(texts.accepts(by_serde.trim_matches('"')) || text.contains('"'));
        prop_assert!(texts.accepts(&by_serde[1..by_serde.len() - 1]));
        // As Python's json.dumps writes it: ASCII only, pairs of lower-case escapes.
        let mut units = [0u16; 2];
        let ascii: String = text.chars().flat_map(|c| {
            c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect::<Vec<_>>()
        }).collect();
        prop_assert!(texts.accepts(&ascii));
        let witness = spelled(&one, Spelling::Single).witness().and_then(|w| w.text());
        prop_assert_eq!(&witness, &spell(&text));
        if let Some(spelled) = witness {
            prop_assert_eq!(serde_json::from_str::<String>(&format!("\"{spelled}\"")).ok(), Some(text));
        }
    }
}
