//! What the room's tests share: random trees, and a recogniser that works in quite another way than the matcher.

use std::collections::{BTreeSet, HashMap};

use proptest::prelude::*;

use super::ast::{Alternatives, Class, Grammar, Item, Literal, Repeat, Rule, RuleName, Sequence};

/// Characters that make trouble somewhere in GBNF, and a few that do not.
const POINTS: &[u32] = &[
    0x61,
    0x62,
    0x63,
    0x22,
    0x5C,
    0x2D,
    0x5B,
    0x5D,
    0x5E,
    0x0A,
    0x0D,
    0x09,
    0x20,
    0x23,
    0x00,
    0x1B,
    0x7F,
    0x85,
    0xAD,
    0xE9,
    0x301,
    0x5D0,
    0x200F,
    0x202E,
    0x4E2D,
    0xD800,
    0xFEFF,
    0x1F600,
    0x10_FFFF,
    0x11_0000,
    0xFFFF_FFFF,
];

const NAMES: [&str; 4] = ["root", "a-1", "B", "-"];

/// How wild a random tree is.
#[derive(Clone, Copy)]
pub(super) struct Wildness {
    /// Code points from the whole list, or `a`, `b`, `c` only.
    pub(super) points: bool,
    /// References to any rule, or only to later ones, so that nothing is recursive.
    pub(super) recursive: bool,
}

fn point(wild: Wildness) -> impl Strategy<Value = u32> + Clone {
    let points: &'static [u32] = if wild.points { POINTS } else { &POINTS[..3] };
    prop::sample::select(points)
}

fn item(rule: usize, wild: Wildness) -> impl Strategy<Value = Item> {
    let literal = prop::collection::vec(point(wild), 1..4).prop_map(|p| Item::Literal(Literal::new(p)));
    // Ranges may be reversed, overlap, and repeat themselves.
    let class = (any::<bool>(), prop::collection::vec((point(wild), point(wild)), 1..4))
        .prop_map(|(negated, ranges)| Item::Class(Class::new(negated, ranges)));
    let targets: Vec<&'static str> = if wild.recursive { NAMES.to_vec() } else { NAMES[rule + 1..].to_vec() };
    let reference = if targets.is_empty() {
        Just(Item::Any).boxed()
    } else {
        prop::sample::select(targets).prop_map(|name| Item::Ref(RuleName::new(name).unwrap())).boxed()
    };
    let leaf = prop_oneof![4 => literal, 2 => class, 1 => Just(Item::Any), 3 => reference];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let group = prop::collection::vec(prop::collection::vec(inner.clone(), 0..3), 1..3)
            .prop_map(|alternatives| Item::Group(Alternatives::new(alternatives.into_iter().map(Sequence::new))));
        let bounds = prop::sample::select(vec![
            (0, None),
            (1, None),
            (0, Some(1)),
            (2, None),
            (0, Some(0)),
            (1, Some(1)),
            (0, Some(2)),
            (1, Some(3)),
            (2, Some(2)),
        ]);
        let repeat = (inner, bounds).prop_filter_map("nothing to repeat", |(item, (min, max))| {
            Repeat::new(item, min, max).map(|repeat| Item::Repeat(Box::new(repeat)))
        });
        prop_oneof![group, repeat]
    })
}

/// A grammar of four rules, `root` first, with comments.
pub(super) fn grammar(wild: Wildness) -> impl Strategy<Value = Grammar> {
    let rule = move |at: usize| {
        (prop::collection::vec(prop::collection::vec(item(at, wild), 0..3), 1..3), prop::option::of("[ -~\n]{0,8}"))
            .prop_map(move |(body, comment)| {
                let body = Alternatives::new(body.into_iter().map(Sequence::new));
                let rule = Rule::new(RuleName::new(NAMES[at]).unwrap(), body);
                match comment {
                    Some(comment) => rule.with_comment(&comment),
                    None => rule,
                }
            })
    };
    (prop::collection::vec("[ -~]{0,8}", 0..3), rule(0), rule(1), rule(2), rule(3)).prop_map(|(header, a, b, c, d)| {
        let grammar: Grammar = [a, b, c, d].into_iter().collect();
        grammar.with_header(header)
    })
}

/// Texts over the three plain letters.
pub(super) fn plain_text() -> impl Strategy<Value = String> {
    "[abc]{0,7}"
}

/// Which prefixes of the rest can an expression read? Answered by a table of `(rule, start)` that is filled until nothing
/// changes: no stacks, no automaton, and no trouble with left recursion.
pub(super) struct Recogniser<'a> {
    rules: HashMap<&'a str, &'a Alternatives>,
    text: Vec<u32>,
    table: HashMap<(&'a str, usize), BTreeSet<usize>>,
}

impl<'a> Recogniser<'a> {
    pub(super) fn is_member(grammar: &'a Grammar, text: &str) -> bool {
        let mut recogniser = Recogniser {
            rules: grammar.rules().iter().map(|rule| (rule.name().as_str(), rule.body())).collect(),
            text: text.chars().map(u32::from).collect(),
            table: HashMap::new(),
        };
        loop {
            let mut changed = false;
            for (name, body) in recogniser.rules.clone() {
                for start in 0..=recogniser.text.len() {
                    let ends = recogniser.alternatives(body, start);
                    let known = recogniser.table.entry((name, start)).or_default();
                    changed |= ends.iter().any(|end| !known.contains(end));
                    known.extend(ends);
                }
            }
            if !changed {
                break;
            }
        }
        recogniser.table.get(&("root", 0)).is_some_and(|ends| ends.contains(&recogniser.text.len()))
    }

    fn alternatives(&self, body: &Alternatives, start: usize) -> BTreeSet<usize> {
        let mut ends = BTreeSet::new();
        for sequence in body.sequences() {
            let mut at = BTreeSet::from([start]);
            for item in sequence.items() {
                at = at.into_iter().flat_map(|start| self.item(item, start)).collect();
            }
            ends.extend(at);
        }
        ends
    }

    fn item(&self, item: &Item, start: usize) -> BTreeSet<usize> {
        let next = self.text.get(start).copied();
        match item {
            Item::Literal(literal) => {
                let points = literal.code_points();
                if self.text[start..].starts_with(points) {
                    BTreeSet::from([start + points.len()])
                } else {
                    BTreeSet::new()
                }
            }
            Item::Class(class) => next
                .filter(|&c| class.ranges().iter().any(|&(low, high)| low <= c && c <= high) != class.is_negated())
                .map(|_| start + 1)
                .into_iter()
                .collect(),
            Item::Any => next.map(|_| start + 1).into_iter().collect(),
            Item::Ref(name) => self.table.get(&(name.as_str(), start)).cloned().unwrap_or_default(),
            Item::Group(body) => self.alternatives(body, start),
            Item::Repeat(repeat) => {
                let mut reached = BTreeSet::new();
                let mut at = BTreeSet::from([start]);
                // After as many rounds as there are places, a round without a bound adds nothing new.
                let most = repeat.max().unwrap_or(repeat.min() + self.text.len() as u32 + 1);
                for round in 0..=most {
                    if round >= repeat.min() {
                        reached.extend(at.iter().copied());
                    }
                    at = at.into_iter().flat_map(|start| self.item(repeat.item(), start)).collect();
                }
                reached
            }
            Item::Token(_) => BTreeSet::new(),
        }
    }
}
