//! The facts about small grammars, worked out by hand.

use super::super::{Analysis, Bound, Build, Dialect, Length, parse};

fn analyse(text: &str) -> Analysis {
    Analysis::of(&parse(text).unwrap(), &Dialect::default()).unwrap()
}

#[test]
fn counts_are_llama_cpps() {
    // root: "a", reference, end. Group: "b", bar, "c", end.
    let facts = analyse("root ::= \"a\" (\"b\" | \"c\")\n");
    assert_eq!((facts.written_rules, facts.rules, facts.elements), (1, 2, 7));
    // {0,2}: S'(1) ::= x |  and  S'(2) ::= x S'(1) | ; root is one reference.
    let facts = analyse("root ::= [a-z]{0,2}\n");
    assert_eq!((facts.rules, facts.elements), (3, 2 + (2 + 1 + 1) + (2 + 1 + 1 + 1)));
    // The sub-rules of an overridden rule stay in the table.
    let facts = analyse("root ::= (\"b\")\nroot ::= \"c\"\n");
    assert_eq!((facts.written_rules, facts.rules), (1, 2));
}

#[test]
fn kinds_of_rules() {
    let facts = analyse(
        "root ::= list empty\nlist ::= \"[\" (list (\",\" list)*)? \"]\"\nempty ::= \"x\"*\nlost ::= \"y\" lost\n",
    );
    assert_eq!(facts.reachable, ["root", "list", "empty"]);
    assert_eq!(facts.unreachable, ["lost"]);
    assert_eq!(facts.recursive, ["list", "lost"]);
    assert_eq!(facts.nullable, ["empty"]);
    assert_eq!(facts.unproductive, ["lost"]);
}

#[test]
fn lengths() {
    let finite = |code_points, bytes| Bound::Finite(Length { code_points, bytes });
    for (text, shortest, longest) in [
        ("root ::= \"a\"{2,5} [é-ö]?", Some((2, 2)), finite(6, 7)),
        ("root ::= \"\" | \"中\"", Some((0, 0)), finite(1, 3)),
        ("root ::= \"aa\" | \"中\"", Some((1, 2)), finite(2, 3)),
        ("root ::= .", Some((1, 1)), finite(1, 4)),
        ("root ::= .{0,2001}", Some((0, 0)), Bound::Unbounded),
        ("root ::= \"a\"+", Some((1, 1)), Bound::Unbounded),
        ("root ::= (\"a\"{0})* \"b\"", None, Bound::Empty),
        ("root ::= [b-a]", None, Bound::Empty),
        ("root ::= \"a\" | \"b\" x\nx ::= \"c\" x", Some((1, 1)), finite(1, 1)),
        ("root ::= \"a\" [b-a]*", Some((1, 1)), finite(1, 1)),
        ("root ::= \"(\" root \")\" | \"x\"", Some((1, 1)), Bound::Unbounded),
        ("root ::= [\\uD000-\\uFFFF]", Some((1, 3)), finite(1, 3)),
    ] {
        // `(x{0})*` repeats a group that is written empty, which llama.cpp calls left recursion.
        let Ok(grammar) = parse(text) else {
            assert_eq!(longest, Bound::Empty, "{text}");
            continue;
        };
        let facts = Analysis::of(&grammar, &Dialect::default()).unwrap();
        let least = facts.shortest.map(|length| (length.code_points, length.bytes));
        assert_eq!((least, facts.longest), (shortest, longest), "{text}");
    }
    let old = Analysis::of(&parse("root ::= .{0,2001}").unwrap(), &Dialect::of(Build::B3889)).unwrap();
    assert_eq!(old.longest, finite(2001, 8004));
}

#[test]
fn exponentials_do_not_hurt() {
    // 2^60 code points, through sixty rules.
    let mut text = String::from("root ::= r0\n");
    for n in 0..60 {
        text.push_str(&format!("r{n} ::= r{m} \"\" r{m}\n", m = n + 1));
    }
    text.push_str("r60 ::= \"a\"\n");
    let facts = analyse(&text);
    let length = Length { code_points: 1 << 60, bytes: 1 << 60 };
    assert_eq!((facts.shortest, facts.longest), (Some(length), Bound::Finite(length)));
}

#[test]
fn fan_out_is_the_widest_entry() {
    let facts = analyse("root ::= \"x\" wide\nwide ::= \"a\" | \"b\" | more\nmore ::= \"c\" | \"d\"\n");
    let fan_out = facts.fan_out.unwrap();
    assert_eq!((fan_out.rule.as_str(), fan_out.stacks), ("wide", 4));
}
