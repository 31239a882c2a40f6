//! The language of the parser: a table of what is read, what is refused, and where.

use super::super::{
    Build, Dialect, EngineVerdict, FindingKind, Grammar, ParseErrorKind as Kind, inspect, parse, parse_with,
};

fn read(text: &str) -> Grammar {
    parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

/// The body of `root` as it is printed.
fn root(text: &str) -> String {
    read(text).rule("root").unwrap().body().to_string()
}

fn refusal(text: &str) -> (Kind, usize, usize) {
    match parse(text) {
        Ok(grammar) => panic!("{text:?} was read as {grammar}"),
        Err(error) => (error.kind, error.line, error.column),
    }
}

#[test]
fn forms_that_are_read() {
    for (text, body) in [
        // White space and comments, and where lines may end.
        ("root::=\"a\"", "\"a\""),
        (" \t\nroot \t::= # why\n \"a\" # end", "\"a\""),
        ("root ::= (\n \"a\"\n |\n \"b\" # c\n)\n", "(\"a\" | \"b\")"),
        ("root ::= \"a\" |\n\n# c\n \"b\"", "\"a\" | \"b\""),
        ("root ::= \"a\"\r\nx ::= \"b\"\r", "\"a\""),
        ("root ::= (\"a\"\n{2\n,\n3\n})", "(\"a\"{2,3})"),
        ("root ::= \"a\" { 2 , 3 }", "\"a\"{2,3}"),
        // Repetitions.
        ("root ::= \"ab\"{0,}", "\"ab\"*"),
        ("root ::= .{1,} .{0,1} .{3} .{3,3}", ".+ .? .{3} .{3}"),
        ("root ::= .{2}*", ".{2}*"),
        ("root ::= .{0,2000}", ".{0,2000}"),
        ("root ::= .{0,2001}", ".{0,2001}"),
        ("root ::= .{0,18446744073709551615}", ".*"),
        // Classes: `-` and `^` by position, `]` right after `[` or `[^`.
        ("root ::= [a-] [-a] [--a] [a-\\]] [^^]", "[a\\x2D] [\\x2Da] [\\x2D-a] [a-\\]] [^\\x5E]"),
        ("root ::= [a-z-9]", "[a-z\\x2D9]"),
        ("root ::= [a^] [\"]", "[a\\x5E] [\"]"),
        ("root ::= [z-a]", "[z-a]"),
        ("root ::= [] [^] \"\" \"a\"", "\"a\""),
        ("root ::= []", "\"\""),
        ("root ::= [a\nb]", "[a\\nb]"),
        // Escapes.
        ("root ::= \"\\x41\\u00e9\\U0001F600\\n\\[\\-\"", "\"Aé\\U0001F600\\n[-\""),
        ("root ::= \"\\uD800\\UFFFFFFFF\\x00\"", "\"\\uD800\\UFFFFFFFF\\x00\""),
        ("root ::= \"a\nb\"", "\"a\\nb\""),
        // Empty alternatives.
        ("root ::= | \"a\" | \"\"", "\"\" | \"a\" | \"\""),
        ("root ::= (| \"a\" |)", "(\"\" | \"a\" | \"\")"),
        ("root ::= ()", "(\"\")"),
        ("root ::= ", "\"\""),
        ("root ::= \"a\" |", "\"a\" | \"\""),
        // Tokens.
        ("root ::= <[7]> !<[0]> <think> !</think>", "<[7]> !<[0]> <think> !</think>"),
        // Names.
        ("root ::= - 1\n- ::= \"a\"\n1 ::= \"b\"", "- 1"),
        // A later rule of the same name counts.
        ("root ::= \"a\"\nroot ::= \"b\"", "\"b\""),
        // An unused name that only an overridden rule knew, behind all others, is not looked at.
        ("root ::= missing\nroot ::= \"b\"", "\"b\""),
    ] {
        assert_eq!(root(text), body, "{text:?}");
    }
}

#[test]
fn forms_that_are_refused() {
    let undefined =
        |name: &str, nearest: Option<&str>| Kind::UndefinedRule { name: name.into(), nearest: nearest.map(Into::into) };
    let cycle = |names: &[&str]| Kind::LeftRecursion { cycle: names.iter().map(|&name| name.to_owned()).collect() };
    for (text, kind, line, column) in [
        ("", Kind::NoRules, 1, 1),
        ("# only a comment", Kind::NoRules, 1, 17),
        ("a ::= \"x\"", Kind::MissingRoot, 1, 1),
        ("root \"a\"", Kind::ExpectedAssign, 1, 6),
        ("root\n::= \"a\"", Kind::ExpectedAssign, 1, 5),
        ("ro_ot ::= \"a\"", Kind::ExpectedAssign, 1, 3),
        ("_root ::= \"a\"", Kind::ExpectedName, 1, 1),
        ("root ::= \"a\"\n | \"b\"", Kind::ExpectedName, 2, 2),
        ("root ::= a_b\na ::= \"x\"", Kind::ExpectedEndOfRule, 1, 11),
        ("root ::= 'a'", Kind::ExpectedEndOfRule, 1, 10),
        ("root ::= \"a\" )", Kind::ExpectedEndOfRule, 1, 14),
        ("root ::= []a]", Kind::ExpectedEndOfRule, 1, 13),
        ("root ::= \"a\" x ::= \"b\"", Kind::ExpectedEndOfRule, 1, 16),
        // The empty alternative at the end of a line, and the empty body, take the next rule's name.
        ("root ::= \"a\" |\nb ::= \"b\"", Kind::SwallowedRule, 2, 1),
        ("root ::=\nb ::= \"b\"", Kind::SwallowedRule, 2, 1),
        ("root ::= \"a", Kind::UnclosedLiteral, 1, 12),
        ("root ::= [a", Kind::UnclosedClass, 1, 12),
        ("root ::= [a-", Kind::UnclosedClass, 1, 13),
        ("root ::= (\"a\"", Kind::UnclosedGroup, 1, 14),
        ("root ::= (\"a\"]", Kind::UnclosedGroup, 1, 14),
        ("root ::= \"\\q\"", Kind::UnknownEscape, 1, 11),
        ("root ::= \"\\/\"", Kind::UnknownEscape, 1, 11),
        ("root ::= [\\^]", Kind::UnknownEscape, 1, 11),
        ("root ::= \"\\", Kind::UnknownEscape, 1, 11),
        ("root ::= \"\\x4\"", Kind::ExpectedHex, 1, 11),
        ("root ::= \"\\u00e\"", Kind::ExpectedHex, 1, 11),
        ("root ::= *", Kind::NothingToRepeat, 1, 10),
        ("root ::= \"\"*", Kind::NothingToRepeat, 1, 12),
        ("root ::= \"a\" [^]+", Kind::NothingToRepeat, 1, 17),
        ("root ::= \"a\"{0}*", Kind::NothingToRepeat, 1, 16),
        ("root ::= (?)", Kind::NothingToRepeat, 1, 11),
        ("root ::= \"a\"{,5}", Kind::ExpectedNumber, 1, 14),
        ("root ::= \"a\"{}", Kind::ExpectedNumber, 1, 14),
        ("root ::= \"a\"{2", Kind::ExpectedBrace, 1, 15),
        ("root ::= \"a\"{2,x}", Kind::ExpectedBrace, 1, 16),
        ("root ::= \"a\"{99999999999999999999}", Kind::NumberTooLarge, 1, 14),
        ("root ::= \"a\"{3,1}", Kind::ReversedRepetition, 1, 13),
        ("root ::= \"a\"{2001}", Kind::RepetitionTooLarge, 1, 13),
        ("root ::= \"a\"{2001,}", Kind::RepetitionTooLarge, 1, 13),
        ("root ::= (\"a\" \"b\"?){0,2000}", Kind::RepetitionProductTooLarge, 1, 20),
        ("root ::= \"a\"{50}{50}", Kind::RepetitionProductTooLarge, 1, 17),
        ("root ::= <[x]>", Kind::BadToken, 1, 12),
        ("root ::= <[7>", Kind::BadToken, 1, 13),
        ("root ::= <[4294967296]>", Kind::BadToken, 1, 12),
        ("root ::= <think", Kind::BadToken, 1, 10),
        ("root ::= !a", Kind::BadToken, 1, 11),
        ("root ::= \"a\0\"", Kind::Nul, 1, 12),
        ("root ::= strng\nstring ::= \"x\"", undefined("strng", Some("string")), 1, 10),
        ("root ::= \"x\" | boolean", undefined("boolean", None), 1, 16),
        // An overridden rule's name that lies before a defined one is looked at, though nothing uses it.
        ("root ::= gone x\nx ::= \"a\"\nroot ::= x", undefined("gone", None), 1, 10),
        // Left recursion: plain, through others, behind what is empty, and behind what llama.cpp does not know to be empty.
        ("root ::= root \"a\" | \"a\"", cycle(&["root"]), 1, 1),
        ("root ::= a\na ::= b \"x\"\nb ::= a", cycle(&["a", "b"]), 2, 1),
        ("root ::= \"a\"? root \"b\" | \"c\"", cycle(&["root"]), 1, 1),
        ("root ::= e root \"b\" | \"c\"\ne ::= f\nf ::= \"\" | \"x\"", cycle(&["root"]), 1, 1),
        ("root ::= (\"\" | \"a\")*", cycle(&["root"]), 1, 1),
    ] {
        assert_eq!(refusal(text), (kind, line, column), "{text:?}");
    }
}

#[test]
fn builds_differ() {
    use Build::{B3889, B6673, Capped, Pinned, TokenLiterals, Y2026M06, Y2026M08};
    let reads = |text: &str, build| parse_with(&format!("root ::= {text}"), &Dialect::of(build)).is_ok();
    for (text, readers) in [
        ("[\\-]", &[Pinned][..]),
        ("<[7]>", &[TokenLiterals, Y2026M06, Y2026M08, Pinned]),
        (".{0,2001}", &[B3889, B6673, Y2026M08, Pinned]),
        (".{2001}", &[B3889, B6673]),
        (".{0,2000}", &[B3889, B6673, Capped, TokenLiterals, Pinned]),
        ("(\"a\" \"b\"?){0,1500}", &[B3889, B6673, Capped, TokenLiterals]),
        (".{3,1}", &[B3889, B6673]),
        // Without the set of seen stacks, a nullable item under a repetition calls itself until the stack ends.
        ("(\"a\"?)*", &[Y2026M06, Y2026M08, Pinned]),
    ] {
        for build in [B3889, B6673, Capped, TokenLiterals, Y2026M06, Y2026M08, Pinned] {
            assert_eq!(reads(text, build), readers.contains(&build), "{text} {build}");
        }
    }
    assert_eq!(Build::by_name("2025-08"), Some(B6673));
    assert_eq!(Build::by_name("b6673"), Some(B6673));
    assert!(Build::ALL.into_iter().all(|build| Build::by_name(build.name()) == Some(build)));
}

#[test]
fn what_the_engine_does_is_told_apart_from_what_is_wrong() {
    let pinned = Dialect::default();
    let engine = |text: &str| inspect(text, &pinned).engine;
    assert_eq!(engine("root ::= \"a\""), EngineVerdict::Accepts);
    assert_eq!(engine("root ::= 'a'"), EngineVerdict::Refuses);
    assert_eq!(engine("root ::= root \"a\" | \"a\""), EngineVerdict::Refuses);
    assert_eq!(engine("root ::= \"a\"{3,1}"), EngineVerdict::Hangs);
    assert_eq!(engine("root ::= e root \"b\" | \"c\"\ne ::= f\nf ::= \"\" | \"x\""), EngineVerdict::Hangs);
    // The same rule, but nothing reaches it: llama.cpp never expands it.
    assert_eq!(engine("root ::= \"a\"\nr ::= e r \"b\" | \"c\"\ne ::= f\nf ::= \"\" | \"x\""), EngineVerdict::Accepts);

    // A nullable item under a repetition: it works, and costs an expansion at every step.
    let inspection = inspect("root ::= (\"a\"?)* \"b\"", &pinned);
    assert_eq!(inspection.engine, EngineVerdict::Accepts);
    assert!(
        inspection.findings.iter().any(|finding| matches!(
            finding.kind,
            FindingKind::LeftRecursion { seen_by_engine: false, grows: false, .. }
        ))
    );
    let old = inspect("root ::= (\"a\"?)* \"b\"", &Dialect::of(Build::B6673));
    assert_eq!(old.engine, EngineVerdict::Overflows);

    let told = inspect("root ::= .{0,2001}\nx ::= \"a\"\nx ::= \"b\"", &pinned).findings;
    assert!(told.iter().any(|finding| finding.kind == FindingKind::WidenedRepetition));
    assert!(told.iter().any(|finding| finding.kind == FindingKind::Overridden && finding.rule == "x"));
    assert!(told.iter().any(|finding| finding.kind == FindingKind::Unreachable && finding.rule == "x"));
}

#[test]
fn a_check_that_forgets_what_it_visited() {
    // Each rule leads to the next one twice: 2^35 visits for 35 harmless rules.
    let mut text = String::from("root ::= r0\n");
    for n in 0..35 {
        text.push_str(&format!("r{n} ::= r{m} | r{m} \"b\"\n", m = n + 1));
    }
    text.push_str("r35 ::= \"a\"\n");
    let inspection = inspect(&text, &Dialect::default());
    assert_eq!(inspection.engine, EngineVerdict::Hangs);
    assert!(
        inspection
            .findings
            .iter()
            .any(|finding| matches!(finding.kind, FindingKind::ExponentialCheck { visits } if visits > 1 << 35))
    );
}

#[test]
fn a_long_chain_of_rules_overflows_llama_cpp_and_not_us() {
    let chain = |rules: usize| {
        let mut text = String::from("root ::= r0\n");
        for n in 0..rules {
            text.push_str(&format!("r{n} ::= r{m}\n", m = n + 1));
        }
        text.push_str(&format!("r{rules} ::= \"a\"\n"));
        text
    };
    assert_eq!(inspect(&chain(1_000), &Dialect::default()).engine, EngineVerdict::Accepts);
    assert_eq!(inspect(&chain(100_000), &Dialect::default()).engine, EngineVerdict::Overflows);
}

#[test]
fn nesting_is_bounded_on_a_small_stack() {
    let nested = |depth: usize| format!("root ::= {}\"a\"{}\n", "(".repeat(depth), ")".repeat(depth));
    let limit = Dialect::default().limits.depth;
    let on_a_thread = |text: String| {
        std::thread::Builder::new()
            .stack_size(2 << 20)
            .spawn(move || {
                let inspection = inspect(&text, &Dialect::default());
                let printed = inspection.grammar.as_ref().map(ToString::to_string);
                (inspection.engine, inspection.error.map(|error| error.kind), printed)
            })
            .unwrap()
            .join()
            .unwrap()
    };
    let text = nested(limit);
    assert_eq!(on_a_thread(text.clone()), (EngineVerdict::Accepts, None, Some(text)));
    assert_eq!(on_a_thread(nested(limit + 1)), (EngineVerdict::Unknown, Some(Kind::TooDeep), None));
    assert_eq!(on_a_thread(nested(100_000)), (EngineVerdict::Overflows, Some(Kind::TooDeep), None));
    let repeated = format!("root ::= .{}", "*".repeat(100_000));
    assert_eq!(on_a_thread(repeated), (EngineVerdict::Unknown, Some(Kind::TooDeep), None));
}

#[test]
fn sizes_are_bounded() {
    let mut dialect = Dialect::default();
    dialect.limits.elements = 1_000;
    let at_most = |text: &str| parse_with(text, &dialect).map_err(|error| error.kind);
    assert!(at_most("root ::= .{0,190}").is_ok());
    assert_eq!(at_most("root ::= .{0,1000}"), Err(Kind::TooManyElements));
    assert_eq!(at_most(&format!("root ::= \"{}\"", "a".repeat(1_001))), Err(Kind::TooManyElements));
    dialect.limits.bytes = 10;
    assert!(parse_with("root ::= .", &dialect).is_ok());
    assert_eq!(parse_with("root ::= ..", &dialect).map_err(|error| error.kind), Err(Kind::TooLong));
}

#[test]
fn errors_tell_a_newcomer_what_to_do() {
    let message = |text: &str| parse(text).unwrap_err().to_string();
    assert_eq!(
        message("root ::= strng\nstring ::= \"x\"\n"),
        "1:10: the rule `strng` is not defined; found `strng`, expected the name of a rule of this grammar; did you mean \
         `string`?"
    );
    assert_eq!(
        message("root ::= \"a\" |\nb ::= \"b\"\n"),
        "2:1: the line before this one does not end its rule; found `b ::= \\\"b\\\"`, expected an item of the rule before; \
         after `|` or `::=` the rule goes on with the next line: write an empty alternative as `\"\"`, or put it first"
    );
    assert_eq!(
        message("root ::= \"a"),
        "1:12: the literal is not closed; found the end of the text, expected `\"`; it was opened at 1:10"
    );
}
