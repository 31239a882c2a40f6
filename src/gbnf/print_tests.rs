//! Reading what was written, on the trees of the parser and of the builder.

use proptest::prelude::*;

use super::super::parse::tree;
use super::super::testkit::{self, Wildness};
use super::super::{Dialect, Expr, Grammar, Rule, RuleName, Token, parse};
use crate::gbnf::Build;

const WILD: Wildness = Wildness { points: true, recursive: false };

/// Anything the builder's methods can make of each other.
fn expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        "[ab\"\\\\é\u{0301}\n]{0,3}".prop_map(|text| Expr::lit(&text)),
        Just(Expr::any()),
        Just(Expr::never()),
        Just(Expr::empty()),
        Just(Expr::class([('a', 'f'), ('-', '-'), ('^', '^')])),
        Just(Expr::not_class([('"', '"'), ('\\', '\\')])),
        Just(Expr::rule(RuleName::new("other").unwrap())),
        Just(Expr::token(Token::Id { negated: true, id: 7 })),
        Just(Expr::token(Token::Text { negated: false, text: "think".to_owned() })),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let counts = prop::sample::select(vec![(0, Some(0)), (1, Some(1)), (2, Some(3)), (3, Some(1)), (2, None)]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Expr::seq),
            prop::collection::vec(inner.clone(), 0..4).prop_map(Expr::alt),
            inner.clone().prop_map(Expr::opt),
            inner.clone().prop_map(Expr::plus),
            (inner, counts).prop_map(|(expr, (min, max))| expr.repeat(min, max)),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_printed_is_read_back_by_every_build(grammar in testkit::grammar(WILD)) {
        let text = grammar.to_string();
        for build in Build::ALL {
            let read = tree(&text, &Dialect::of(build));
            prop_assert_eq!(read.as_ref(), Ok(&grammar), "{} in:\n{}", build, text);
        }
    }

    #[test]
    fn what_the_builder_makes_is_read_back(body in expr()) {
        let grammar: Grammar = [
            Rule::new(RuleName::root(), body),
            Rule::new(RuleName::new("other").unwrap(), Expr::lit("x")),
        ]
        .into_iter()
        .collect();
        let text = grammar.to_string();
        let read = tree(&text, &Dialect::default());
        prop_assert_eq!(read.as_ref(), Ok(&grammar), "{}", text);
    }

    #[test]
    fn reading_twice_changes_nothing(text in "root ::= [-ab\"|()*+?{}0-9,.\\[\\]^\\\\xn# \n]{0,16}") {
        if let Ok(grammar) = tree(&text, &Dialect::default()) {
            prop_assert_eq!(tree(&grammar.to_string(), &Dialect::default()), Ok(grammar));
        }
        if let Ok(grammar) = parse(&text) {
            prop_assert_eq!(parse(&grammar.to_string()), Ok(grammar));
        }
    }

    #[test]
    fn any_text_gives_an_answer(text in "[ -~\n\u{0}é😀]{0,40}") {
        if let Err(error) = parse(&text) {
            prop_assert!(error.offset <= text.len());
            prop_assert!(text.is_char_boundary(error.offset));
            prop_assert!(!error.to_string().is_empty());
        }
    }
}

#[test]
fn the_printed_form() {
    let text = "# What it is\n# for.\n\n# The whole.\nroot::= ( a|\"x\" ) [-^a-z\\]]{2,2}|  # end\n  \"\" | b{1,}\n\n\
                # lost: not above a rule\n\na ::= \"\\u00e9\\x41\" \"\\u202E\" | <[3]>\nb ::= \"\u{1F600}\"{2,5}\n";
    let grammar = parse(text).unwrap();
    assert_eq!(
        grammar.to_string(),
        "# What it is\n# for.\n\n# The whole.\nroot ::= (a | \"x\") [\\x2D\\x5Ea-z\\]]{2} | \"\" | b+\n\
         a ::= \"éA\" \"\\u202E\" | <[3]>\nb ::= \"\\U0001F600\"{2,5}\n"
    );
    assert_eq!(grammar.header(), ["What it is", "for."]);
    assert_eq!(grammar.rule("root").and_then(Rule::comment), Some("The whole."));
}

#[test]
fn never_is_a_reversed_range() {
    let grammar: Grammar = [Rule::new(RuleName::root(), Expr::never())].into_iter().collect();
    assert_eq!(grammar.to_string(), "root ::= [b-a]\n");
    assert_eq!(Expr::seq([Expr::lit("a"), Expr::alt([])]), Expr::never());
    assert_eq!(Expr::alt([Expr::lit("a"), Expr::never()]), Expr::lit("a"));
    assert_eq!(Expr::never().star(), Expr::empty());
}

#[test]
fn the_builder_simplifies() {
    let a = || Expr::lit("a");
    assert_eq!(Expr::seq([a(), Expr::lit("b")]), Expr::lit("ab"));
    assert_eq!(a().opt().star(), a().star());
    assert_eq!(a().plus().opt(), a().star());
    assert_eq!(Expr::alt([a(), a()]), a());
    let text = Grammar::from_iter([Rule::new(RuleName::root(), Expr::alt([a(), Expr::empty()]))]).to_string();
    assert_eq!(text, "root ::= \"\" | \"a\"\n");
}
