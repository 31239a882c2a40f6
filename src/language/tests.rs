//! The algebra against an independent judge: the words themselves, up to a length, over three letters.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::order::witness_rank;
use super::{Budget, CodePointSet, Dfa, Expr, Inclusion, Limit};

/// Words up to this length are listed; the repetition bounds of the strategies are small enough to matter within it.
const LONGEST: usize = 5;

/// What an expression is made of, apart from [`Expr`], so that the judge shares no code with the judged.
#[derive(Debug, Clone)]
pub(super) enum Tree {
    Empty,
    Epsilon,
    Set(Vec<char>),
    Concat(Vec<Tree>),
    Union(Vec<Tree>),
    Repeat(Box<Tree>, u32, Option<u32>),
    And(Box<Tree>, Box<Tree>),
    Not(Box<Tree>),
}

impl Tree {
    pub(super) fn expr(&self) -> Expr {
        self.expr_over(&CodePointSet::single)
    }

    /// The expression with each letter replaced by a set, e.g. of characters that JSON escapes.
    pub(super) fn expr_over(&self, letter: &dyn Fn(char) -> CodePointSet) -> Expr {
        let below = |tree: &Tree| tree.expr_over(letter);
        match self {
            Tree::Empty => Expr::empty(),
            Tree::Epsilon => Expr::epsilon(),
            Tree::Set(chars) => Expr::set(chars.iter().fold(CodePointSet::empty(), |set, c| set.union(&letter(*c)))),
            Tree::Concat(items) => Expr::concat(items.iter().map(below)),
            Tree::Union(items) => Expr::union(items.iter().map(below)),
            Tree::Repeat(body, min, max) => below(body).repeat(*min, *max),
            Tree::And(a, b) => below(a).and(&below(b)),
            Tree::Not(inner) => below(inner).not(),
        }
    }

    /// The words of at most [`LONGEST`] letters, by definition.
    fn words(&self) -> BTreeSet<String> {
        match self {
            Tree::Empty => BTreeSet::new(),
            Tree::Epsilon => BTreeSet::from([String::new()]),
            Tree::Set(chars) => chars.iter().map(char::to_string).collect(),
            Tree::Concat(items) => {
                items.iter().fold(Tree::Epsilon.words(), |so_far, item| joined(&so_far, &item.words()))
            }
            Tree::Union(items) => items.iter().flat_map(Tree::words).collect(),
            Tree::Repeat(body, min, max) => {
                let body = body.words();
                let mut power = Tree::Epsilon.words();
                let mut all = BTreeSet::new();
                // Beyond LONGEST rounds, a round adds a nonempty word (too long) or the empty one (nothing new).
                for round in 0..=(*min).max(LONGEST as u32) + LONGEST as u32 {
                    if round >= *min && max.is_none_or(|max| round <= max) {
                        all.extend(power.iter().cloned());
                    }
                    power = joined(&power, &body);
                }
                all
            }
            Tree::And(a, b) => a.words().intersection(&b.words()).cloned().collect(),
            Tree::Not(inner) => {
                let inner = inner.words();
                all_words().into_iter().filter(|word| !inner.contains(word)).collect()
            }
        }
    }
}

fn joined(left: &BTreeSet<String>, right: &BTreeSet<String>) -> BTreeSet<String> {
    let pairs = left.iter().flat_map(|a| right.iter().map(move |b| format!("{a}{b}")));
    pairs.filter(|word| word.len() <= LONGEST).collect()
}

pub(super) fn all_words() -> Vec<String> {
    let mut words = vec![String::new()];
    let mut from = 0;
    for _ in 0..LONGEST {
        let to = words.len();
        for at in from..to {
            for letter in ["a", "b", "c"] {
                words.push(format!("{}{letter}", words[at]));
            }
        }
        from = to;
    }
    words
}

pub(super) fn trees() -> impl Strategy<Value = Tree> {
    let letters = proptest::sample::subsequence(vec!['a', 'b', 'c'], 1..=3);
    let leaf = prop_oneof![
        1 => Just(Tree::Empty),
        1 => Just(Tree::Epsilon),
        8 => letters.prop_map(Tree::Set),
    ];
    leaf.prop_recursive(4, 20, 3, |inner| {
        let some = proptest::collection::vec(inner.clone(), 0..4);
        let boxed = inner.clone().prop_map(Box::new);
        prop_oneof![
            3 => some.clone().prop_map(Tree::Concat),
            3 => some.prop_map(Tree::Union),
            2 => (boxed.clone(), 0u32..3, proptest::option::of(0u32..4)).prop_map(|(t, a, b)| Tree::Repeat(t, a, b)),
            1 => (boxed.clone(), boxed.clone()).prop_map(|(a, b)| Tree::And(a, b)),
            1 => boxed.prop_map(Tree::Not),
        ]
    })
}

pub(super) fn dfa(tree: &Tree) -> Dfa {
    Dfa::from_expr(&tree.expr(), &Budget::DEFAULT).expect("small expressions stay in the budget")
}

/// The first of the words in witness order, by sorting.
fn least(words: impl IntoIterator<Item = String>) -> Option<String> {
    words.into_iter().min_by_key(|word| {
        let ranks: Vec<_> = word.chars().map(|c| witness_rank(u32::from(c))).collect();
        (ranks.len(), ranks)
    })
}

proptest! {
    #[test]
    fn the_automaton_accepts_exactly_the_words(tree in trees()) {
        let (dfa, words) = (dfa(&tree), tree.words());
        for word in all_words() {
            prop_assert_eq!(dfa.accepts(&word), words.contains(&word), "{:?} on {:?}", tree, word);
        }
        if let Some(witness) = dfa.witness() {
            let text = witness.text().expect("no surrogate is preferred to a letter");
            prop_assert!(dfa.accepts(&text));
            let in_reach = least(words.clone());
            if text.chars().count() <= LONGEST && text.chars().all(|c| "abc".contains(c)) {
                prop_assert_eq!(Some(text), in_reach);
            } else {
                prop_assert!(in_reach.is_none_or(|word| word.len() >= text.chars().count()));
            }
        } else {
            prop_assert!(words.is_empty() && dfa.is_empty());
        }
    }

    #[test]
    fn the_algebra_obeys_its_laws(a in trees(), b in trees()) {
        let budget = Budget::DEFAULT;
        let (x, y) = (dfa(&a), dfa(&b));
        let and = x.intersect(&y, &budget).expect("small").minimize();
        let or = x.union(&y, &budget).expect("small").minimize();
        let minus = x.difference(&y, &budget).expect("small").minimize();
        prop_assert_eq!(&or.complement(), &x.complement().intersect(&y.complement(), &budget).expect("small").minimize());
        prop_assert_eq!(&x.complement().complement(), &x);
        prop_assert_eq!(&minus, &x.intersect(&y.complement(), &budget).expect("small").minimize());
        prop_assert_eq!(&and, &Dfa::from_expr(&a.expr().and(&b.expr()), &budget).expect("small"));
        prop_assert_eq!(&or, &Dfa::from_expr(&a.expr().or(&b.expr()), &budget).expect("small"));
        prop_assert_eq!(&minus, &Dfa::from_expr(&a.expr().minus(&b.expr()), &budget).expect("small"));
        let (xy, words) = (x.concat(&y, &budget).expect("small"), joined(&a.words(), &b.words()));
        prop_assert!(all_words().iter().all(|word| xy.accepts(word) == words.contains(word)));
    }

    #[test]
    fn inclusion_is_emptiness_of_the_difference(a in trees(), b in trees()) {
        let budget = Budget::DEFAULT;
        let (x, y) = (dfa(&a), dfa(&b));
        let minus = y.difference(&x, &budget).expect("small");
        match x.includes(&y, &budget) {
            Inclusion::Yes => prop_assert!(minus.is_empty()),
            Inclusion::No(witness) => prop_assert_eq!(Some(witness), minus.minimize().witness()),
            Inclusion::Unknown(why) => prop_assert!(false, "{why}"),
        }
        prop_assert_eq!(x.equivalent(&y, &budget).is_yes(), x == y);
        prop_assert_eq!(x.disjoint(&y, &budget).is_yes(), x.intersect(&y, &budget).expect("small").is_empty());
    }

    #[test]
    fn minimizing_keeps_the_language_and_ends_at_once(a in trees(), b in trees()) {
        let budget = Budget::DEFAULT;
        let raw = dfa(&a).union(&dfa(&b), &budget).expect("small");
        let minimal = raw.minimize();
        prop_assert!(raw.equivalent(&minimal, &budget).is_yes());
        prop_assert!(minimal.state_count() <= raw.state_count());
        prop_assert_eq!(&minimal.minimize(), &minimal);
        // Minimal: from two different states, different words are accepted. Every state as a start gives another language.
        let languages: BTreeSet<Vec<bool>> = (0..minimal.state_count() as u32).map(|state| {
            all_words().iter().map(|word| {
                let end = word.chars().try_fold(state, |at, c| minimal.step(at, c));
                end.is_some_and(|at| minimal.is_accepting(at))
            }).collect()
        }).collect();
        if minimal.state_count() <= LONGEST && minimal.states().iter().all(|s| s.edges.iter().all(|e| e.low >= 0x61)) {
            prop_assert_eq!(languages.len(), minimal.state_count());
        }
    }

    #[test]
    fn length_bounds_hold_on_listed_words(tree in trees()) {
        let (dfa, words) = (dfa(&tree), tree.words());
        match dfa.length_bounds() {
            None => prop_assert!(words.is_empty()),
            Some(bounds) => {
                prop_assert_eq!(Some(bounds.shortest), dfa.witness().map(|w| w.code_points().len()));
                prop_assert!(words.iter().all(|word| word.len() >= bounds.shortest));
                let Some(longest) = bounds.longest else { return Ok(()) };
                prop_assert!(words.iter().all(|word| word.len() <= longest));
                let truncated = dfa.truncate(longest as u32, &Budget::DEFAULT).expect("small").minimize();
                prop_assert_eq!(&truncated, &dfa);
                if longest > 0 {
                    let cut = dfa.truncate(longest as u32 - 1, &Budget::DEFAULT).expect("small");
                    prop_assert!(!cut.includes(&dfa, &Budget::DEFAULT).is_yes());
                }
            }
        }
    }
}

#[test]
fn an_unbounded_language_has_no_longest_word() {
    let any = Dfa::everything();
    assert_eq!(any.length_bounds().map(|b| (b.shortest, b.longest)), Some((0, None)));
    assert_eq!(Dfa::nothing().length_bounds(), None);
}

#[test]
fn blow_up_ends_in_the_budget() {
    // The classic: the n-th letter from the end. 2^n states.
    let expr = Expr::any().star().then(&Expr::char('a')).then(&Expr::any().repeat(40, Some(40)));
    let small = Budget { states: 5_000, ..Budget::DEFAULT };
    assert_eq!(Dfa::from_expr(&expr, &small).expect_err("exponential").limit, Limit::States);
    let brief = Budget { steps: 10_000, ..Budget::DEFAULT };
    assert_eq!(Dfa::from_expr(&expr, &brief).expect_err("exponential").limit, Limit::Steps);
    let huge = Expr::any().repeat(1_000_000, None).repeat(1_000, Some(1_000_000));
    assert_eq!(Dfa::from_expr(&huge, &small).expect_err("a thousand million").limit, Limit::States);
    let (a, b) = (Dfa::everything(), Dfa::from_words(["abc"], &small).expect("four states"));
    let none = Budget { states: 5, steps: 1, time: None };
    assert!(matches!(a.includes(&b, &none), Inclusion::Unknown(_)));
}

#[test]
fn long_phrase_lists_cost_what_their_trie_costs() {
    let phrases: Vec<String> =
        (0..10_000u32).map(|n| format!("{:04} please choose {}", n * 7 % 10_000, n % 97)).collect();
    let list = |count| Expr::union(phrases.iter().take(count).map(|phrase| Expr::literal_ignore_case(phrase)));
    let started = std::time::Instant::now();
    let label = Dfa::from_expr(&list(10_000).not(), &Budget::DEFAULT).expect("a trie");
    assert!(!label.accepts("0007 PLEASE choose 1") && label.accepts("0007 please choose 2"));
    let search = Expr::concat([Expr::any().star(), list(1_000), Expr::any().star()]).not();
    let dfa =
        Dfa::from_expr(&search, &Budget { states: 30_000, ..Budget::DEFAULT }).expect("an Aho-Corasick automaton");
    assert!(!dfa.accepts("xx0007 please choose 1xx") && dfa.accepts("xx0007 please choose 2xx"));
    // A loose bound for a busy machine and a debug build; a quadratic construction takes minutes.
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

#[test]
fn nesting_up_to_the_limit_compiles() {
    let mut expr = Expr::char('a');
    for round in 0..super::expr::MAX_DEPTH / 2 - 1 {
        let body = if round % 2 == 0 { expr.star() } else { expr.then(&Expr::char('b')) };
        expr = body.not();
    }
    let budget = Budget::DEFAULT;
    let dfa = Dfa::from_expr(&expr, &budget).expect("within the limit");
    assert_ne!(dfa.accepts("aab"), Dfa::from_expr(&expr.not(), &budget).expect("within the limit").accepts("aab"));
    let mut too_deep = expr;
    for _ in 0..super::expr::MAX_DEPTH {
        too_deep = too_deep.star().not();
    }
    assert_eq!(Dfa::from_expr(&too_deep, &budget).expect_err("too deep").limit, Limit::Depth);
}

#[test]
fn the_same_language_gives_the_same_bytes() {
    let one = Expr::union(["abc", "abd", "xbd"].map(Expr::literal));
    let two = Expr::from_regex("x?b?d|ab[cd]|xbd").expect("a pattern").and(&Expr::any().repeat(3, Some(3)));
    let budget = Budget::DEFAULT;
    let (one, two) = (Dfa::from_expr(&one, &budget).expect("small"), Dfa::from_expr(&two, &budget).expect("small"));
    assert_eq!(format!("{one:?}"), format!("{two:?}"));
}

#[test]
fn witnesses_prefer_readable_text() {
    let budget = Budget::DEFAULT;
    let not_letters = Expr::from_regex("[^a-z]").expect("a class");
    let text = |expr: &Expr| Dfa::from_expr(expr, &budget).expect("small").witness().and_then(|w| w.text());
    assert_eq!(text(&not_letters).as_deref(), Some("0"));
    assert_eq!(text(&Expr::from_regex("[^a-z0-9]").expect("a class")).as_deref(), Some("A"));
    assert_eq!(text(&Expr::from_regex("[^a-zA-Z0-9]").expect("a class")).as_deref(), Some(" "));
    assert_eq!(text(&Expr::from_regex("[^a-zA-Z0-9 ]").expect("a class")).as_deref(), Some("!"));
    assert_eq!(text(&Expr::from_regex(r"[^\x00-\x7F]").expect("a class")).as_deref(), Some("\u{80}"));
    let lone = Dfa::from_expr(&Expr::set(CodePointSet::surrogates()), &budget).expect("small").witness();
    assert_eq!(lone.as_ref().map(ToString::to_string).as_deref(), Some("\\u{D800}"));
    assert_eq!(lone.and_then(|w| w.text()), None);
}
