//! Rules for the words of an automaton up to a length, with few rules.
//!
//! Here: [`counted`]. Not here: rules without a count ([`LinearRules::from_dfa`]) and their respelling for JSON text.
//!
//! Counting multiplies: each state, with each number of code points that may still come, is a rule. For a label of at most
//! 80 characters whose automaton watches for `(recommended)` and its translations at every place, that is thousands of
//! rules, nearly all for states that lie some letters deep inside such a phrase. This is how they are avoided.
//!
//! One state, the **free** state f, reads most characters and stays. From a state v inside a phrase, follow only characters
//! of f's loop, Σf. Either the phrase goes on, or the automaton falls back to f. After h(v) such characters, the length
//! of the longest way inside phrases, it is back for certain, so the exact place inside never matters for longer than that.
//! Hence the words of length at most k from v are:
//!
//! - **A**: h(v) characters of Σf on ways that end in f, then words of f of length at most k − h(v);
//! - **E**: fewer characters of Σf than h(v), and the end;
//! - **U**: characters of Σf, then a character outside Σf on which f and *all* states along such ways agree (often the blank
//!   and the opening bracket), then words of the state that it leads to;
//! - **R**: d − 1 < h(v) characters of Σf, then another character outside Σf, or one that enters a place where the
//!   automaton may stay (a closing mark that may be repeated), then words of that state of length at most k − d.
//!
//! A, E and R do not depend on k (E does where k is small) and are finite, so their rules are shared by all k; U depends on
//! k but not on v. What was states × lengths becomes the few states that phrases are entered through × lengths, plus the
//! phrases once. The price is that some texts are followed in three or four ways at once, which [`LinearRules::measure`]
//! shows. Where the gain is small, the plain product is taken: each of its texts is followed in one way.
//!
//! That the rules have exactly the words they should is not trusted to this argument: tests compare their automaton with
//! the product's, on labels as they are used and on random automata.

use std::collections::{BTreeMap, BTreeSet};

use super::budget::{Budget, BudgetExceeded, Meter};
use super::dfa::Dfa;
use super::linear::{LinearRules, Piece, Rule, by_target};
use super::runs::{Family, Runs, Until};
use super::set::CodePointSet;

/// How to write the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Method {
    /// Whichever suits: shared runs if they save a third of the plain product's rules or more.
    #[default]
    Auto,
    /// One rule for each state and remaining length. Each text is followed in one way.
    Plain,
    /// Phrases shared between lengths, as the module describes; the same as plain where the automaton has no free state.
    Runs,
}

/// The **head** of an automaton: the states that no cycle leads to, each with the length of the longest way to it from the
/// start; nothing for the other states. A word passes each head state at most once, so what begins the words (a list of
/// phrases that they must not be, say) lies in the head. Linear.
#[must_use]
pub fn head(dfa: &Dfa) -> Vec<Option<u32>> {
    let count = dfa.state_count();
    let mut incoming = vec![0usize; count];
    for edge in (0..count as u32).flat_map(|state| dfa.edges(state)) {
        if let Some(incoming) = incoming.get_mut(edge.target as usize) {
            *incoming += 1;
        }
    }
    // Kahn's order from the start, the only state that nothing need lead to: a state is settled once all ways to it are,
    // and on or behind a cycle never.
    let mut depth = vec![None; count];
    let mut reached = vec![0u32; count];
    let mut ready = if incoming.get(dfa.start() as usize) == Some(&0) { vec![dfa.start()] } else { Vec::new() };
    while let Some(state) = ready.pop() {
        let here = reached.get(state as usize).copied().unwrap_or(0);
        if let Some(slot) = depth.get_mut(state as usize) {
            *slot = Some(here);
        }
        for edge in dfa.edges(state) {
            let target = edge.target as usize;
            if let (Some(length), Some(left)) = (reached.get_mut(target), incoming.get_mut(target)) {
                *length = (*length).max(here + 1);
                *left -= 1;
                if *left == 0 {
                    ready.push(edge.target);
                }
            }
        }
    }
    depth
}

/// Rules for words of `dfa` that have at most `longest` code points, the [`head`] **uncounted**: one rule for each of its
/// states, however many ways of however many lengths lead there. Behind it the count goes on as if the longest of these
/// ways had been taken, so no word is too long, and what is missing are words longer than `longest` less the difference
/// between the longest and the shortest way to where they leave the head. [`in_headed`] says which words there are.
///
/// # Errors
/// [`BudgetExceeded`] when the rules exceed the budget's states.
pub fn headed(dfa: &Dfa, longest: u32, budget: &Budget) -> Result<LinearRules, BudgetExceeded> {
    let mut meter = Meter::new(budget);
    let minimal = dfa.minimize();
    let plain = || Counter { head: head(&minimal), total: longest, ..Counter::new(&minimal, None) };
    let lengths = plain().lengths(longest, &mut meter)?;
    let mut best: Option<LinearRules> = None;
    for few in FEW_LENGTHS {
        let Some(runs) = Runs::new(&minimal, &lengths, few, &mut meter)? else {
            break;
        };
        let shared = Counter { head: head(&minimal), total: longest, ..Counter::new(&minimal, Some(runs)) };
        let shared = shared.rules(longest, &mut meter)?;
        if best.as_ref().is_none_or(|best| shared.rules.len() < best.rules.len()) {
            best = Some(shared);
        }
    }
    match best {
        Some(best) => Ok(best),
        None => plain().rules(longest, &mut meter),
    }
}

/// Whether the rules of [`headed`] for this minimal automaton and length have the word. Linear in the word.
#[must_use]
pub fn in_headed(dfa: &Dfa, head: &[Option<u32>], longest: u32, word: &str) -> bool {
    let mut state = dfa.start();
    // How many code points may still come.
    let mut left = longest;
    for code_point in word.chars() {
        let Some(next) = dfa.step(state, code_point) else { return false };
        let Some(fewer) = left.checked_sub(1) else { return false };
        left = match head.get(next as usize).copied().flatten() {
            Some(depth) if depth > longest => return false,
            Some(depth) => longest - depth,
            None => fewer,
        };
        state = next;
    }
    dfa.is_accepting(state)
}

/// The rules for exactly the words of `dfa` that have at most `longest` code points.
///
/// # Errors
/// [`BudgetExceeded`] when states × lengths exceed the budget's states.
pub fn counted(dfa: &Dfa, longest: u32, method: Method, budget: &Budget) -> Result<LinearRules, BudgetExceeded> {
    let mut meter = Meter::new(budget);
    let minimal = dfa.minimize();
    if method != Method::Plain {
        let lengths = Counter::new(&minimal, None).lengths(longest, &mut meter)?;
        let plain_rules: usize = lengths.iter().map(|lengths| *lengths as usize).sum();
        let mut best: Option<LinearRules> = None;
        for few in FEW_LENGTHS {
            let Some(runs) = Runs::new(&minimal, &lengths, few, &mut meter)? else {
                break;
            };
            let shared = Counter::new(&minimal, Some(runs)).rules(longest, &mut meter)?;
            if best.as_ref().is_none_or(|best| shared.rules.len() < best.rules.len()) {
                best = Some(shared);
            }
        }
        // A third fewer: one way to follow a text is worth some rules.
        let worth_it = |rules: &LinearRules| rules.rules.len().saturating_mul(3) <= plain_rules.saturating_mul(2);
        if let Some(shared) = best
            && (method == Method::Runs || worth_it(&shared))
        {
            return Ok(shared);
        }
    }
    Counter::new(&minimal, None).rules(longest, &mut meter)
}

/// A state that the plain product has for more lengths than this is shared. What is best depends on how many states lie
/// inside phrases, because the shared parts have rules too; so some are tried, few first.
const FEW_LENGTHS: [u32; 3] = [6, 15, 40];

/// Alternatives that several rules have in common become a rule of their own from this number on; with fewer, the rule
/// and its calls are no shorter than the alternatives.
const WORTH_A_GROUP: usize = 3;

/// What a rule stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    /// The words of a state of the head, whatever led there.
    Head(u32),
    /// The words of a state of at most so many code points.
    State(u32, u32),
    /// Of f's, what begins with a character of a common set: shared by f and the states that agree with it on all of these.
    Group(usize, u32),
    /// U: characters of Σf, then one of a common set and what follows.
    Until(usize, u32),
    /// A node of the finite languages A, E and R.
    Node(usize),
}

struct Counter<'d> {
    dfa: &'d Dfa,
    /// The length of the shortest word from each state.
    shortest: Vec<u32>,
    /// The length of the longest word from each state, or nothing.
    longest: Vec<Option<u32>>,
    /// Each state's transitions by target.
    groups: Vec<Vec<(u32, CodePointSet)>>,
    runs: Option<Runs<'d>>,
    /// The head, where it is not counted; otherwise nothing.
    head: Vec<Option<u32>>,
    /// The most code points of a word.
    total: u32,
    ids: BTreeMap<Key, usize>,
    queue: Vec<Key>,
    rules: Vec<Rule>,
}

impl<'d> Counter<'d> {
    fn new(dfa: &'d Dfa, runs: Option<Runs<'d>>) -> Self {
        let (shortest, longest) = distances(dfa);
        Self {
            dfa,
            shortest,
            longest,
            groups: (0..dfa.state_count() as u32).map(|state| by_target(dfa, state)).collect(),
            runs,
            head: Vec::new(),
            total: 0,
            ids: BTreeMap::new(),
            queue: Vec::new(),
            rules: Vec::new(),
        }
    }

    /// For how many remaining lengths the plain product has each state.
    fn lengths(&self, longest: u32, meter: &mut Meter) -> Result<Vec<u32>, BudgetExceeded> {
        let mut lengths = vec![0u32; self.dfa.state_count()];
        let start = self.dfa.start();
        // Lengths fall by one with each character, but for states without long words, which jump down to their own
        // longest; so the pairs are visited by falling length.
        let mut at: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        at.entry(self.canonical(start, longest)).or_default().insert(start);
        let mut pairs = 0;
        let mut seen_head = BTreeSet::new();
        while let Some((length, states)) = at.pop_last() {
            pairs += states.len();
            meter.states(pairs)?;
            for state in states {
                let mut length = length;
                if let Some(depth) = self.depth(state) {
                    if !seen_head.insert(state) {
                        continue;
                    }
                    length = self.total.saturating_sub(depth);
                }
                if let Some(count) = lengths.get_mut(state as usize) {
                    *count += 1;
                }
                let Some(shorter) = length.checked_sub(1) else {
                    continue;
                };
                let edges = self.dfa.edges(state);
                meter.steps(edges.len() + 1)?;
                for target in edges.iter().map(|edge| edge.target) {
                    if self.has_word(target, shorter) {
                        at.entry(self.canonical(target, shorter)).or_default().insert(target);
                    }
                }
            }
        }
        Ok(lengths)
    }

    fn rules(mut self, longest: u32, meter: &mut Meter) -> Result<LinearRules, BudgetExceeded> {
        // The start's rule stands first even if it has no word of that length.
        let start = self.dfa.start();
        let start_length = self.canonical(start, longest);
        self.id(if self.depth(start).is_some() { Key::Head(start) } else { Key::State(start, start_length) });
        while let Some(key) = self.queue.get(self.rules.len()).copied() {
            meter.states(self.queue.len())?;
            let (name, alternatives) = match key {
                Key::Head(state) => (format!("h{state}"), self.head_state(state)),
                Key::State(state, length) => (format!("s{state}-{length}"), self.state(state, length, meter)?),
                Key::Group(common, length) => (format!("g{common}-{length}"), self.group(common, length)),
                Key::Until(common, length) => (format!("u{common}-{length}"), self.until(common, length)),
                Key::Node(node) => (format!("w{node}"), self.node(node)),
            };
            meter.steps(alternatives.iter().map(Vec::len).sum::<usize>() + 1)?;
            self.rules.push(Rule { name, alternatives });
        }
        Ok(LinearRules { rules: self.rules, start: 0 }.tidy())
    }

    fn has_word(&self, state: u32, length: u32) -> bool {
        self.shortest.get(state as usize).is_some_and(|shortest| *shortest <= length)
    }

    fn id(&mut self, key: Key) -> usize {
        let fresh = self.queue.len();
        *self.ids.entry(key).or_insert_with(|| {
            self.queue.push(key);
            fresh
        })
    }

    /// No word from the state is longer than this: lengths above mean the same rule.
    fn canonical(&self, state: u32, length: u32) -> u32 {
        let longest = self.longest.get(state as usize).copied().flatten();
        longest.map_or(length, |longest| length.min(longest))
    }

    /// The rule for a state's words of at most this length, if there are any. The state may not count the length exactly.
    fn call(&mut self, state: u32, length: Option<u32>) -> Option<Piece> {
        let length = length?;
        if let Some(depth) = self.depth(state) {
            let fits = self.total.checked_sub(depth).is_some_and(|left| self.has_word(state, left));
            return fits.then(|| Piece::Rule(self.id(Key::Head(state))));
        }
        if !self.has_word(state, length) {
            return None;
        }
        let key = Key::State(state, self.canonical(state, length));
        Some(Piece::Rule(self.id(key)))
    }

    /// The length of the longest way to a state of the uncounted head.
    fn depth(&self, state: u32) -> Option<u32> {
        self.head.get(state as usize).copied().flatten()
    }

    fn head_state(&mut self, state: u32) -> Vec<Vec<Piece>> {
        let mut alternatives = if self.dfa.is_accepting(state) { vec![Vec::new()] } else { Vec::new() };
        let groups = self.groups.get(state as usize).cloned().unwrap_or_default();
        let left = self.total.saturating_sub(self.depth(state).unwrap_or(0));
        // The largest set first: llama.cpp tries a candidate against one stack after the other, and stops at the first that
        // takes it.
        let mut direct = self.direct(groups, left);
        direct.sort_by_key(|alternative| match alternative.first() {
            Some(Piece::Set(set)) => std::cmp::Reverse(set.len()),
            _ => std::cmp::Reverse(0),
        });
        alternatives.extend(direct);
        alternatives
    }

    /// One alternative for each target.
    fn direct(&mut self, groups: Vec<(u32, CodePointSet)>, length: u32) -> Vec<Vec<Piece>> {
        let call = |(target, set)| Some(vec![Piece::Set(set), self.call(target, length.checked_sub(1))?]);
        groups.into_iter().filter(|(_, set): &(u32, CodePointSet)| !set.is_empty()).filter_map(call).collect()
    }

    fn state(&mut self, state: u32, length: u32, meter: &mut Meter) -> Result<Vec<Vec<Piece>>, BudgetExceeded> {
        let mut alternatives = if self.dfa.is_accepting(state) { vec![Vec::new()] } else { Vec::new() };
        let groups = self.groups.get(state as usize).cloned().unwrap_or_default();
        let Some(runs) = &self.runs else {
            alternatives.extend(self.direct(groups, length));
            return Ok(alternatives);
        };
        if runs.is_shared(state) && self.longest.get(state as usize) == Some(&None) {
            alternatives.extend(self.shared(state, length, meter)?);
            return Ok(alternatives);
        }
        // The first common set is that of the busiest states, and one is enough to share by.
        let common = runs.common(0).map(|common| common.set.clone()).filter(|_| runs.agrees(state));
        match common {
            Some(common) if self.group_size(0, length) >= WORTH_A_GROUP => {
                let own = groups.into_iter().map(|(target, set)| (target, set.difference(&common))).collect();
                alternatives.extend(self.direct(own, length));
                alternatives.push(vec![Piece::Rule(self.id(Key::Group(0, length)))]);
            }
            _ => alternatives.extend(self.direct(groups, length)),
        }
        Ok(alternatives)
    }

    /// The parts A, E, U and R of a state inside phrases.
    fn shared(&mut self, state: u32, length: u32, meter: &mut Meter) -> Result<Vec<Vec<Piece>>, BudgetExceeded> {
        let mut alternatives = Vec::new();
        let Some(runs) = &mut self.runs else {
            return Ok(alternatives);
        };
        let free = runs.free();
        let parts = runs.parts(state, meter)?;
        let longest_end = length.min(parts.height.saturating_sub(1));
        let ends = runs.family(Family::Ends, state, longest_end, meter)?;
        // The state's own end is already the empty alternative of its rule.
        if let Some(node) = ends.and_then(|node| runs.without_empty(node)) {
            alternatives.push(vec![Piece::Rule(self.id(Key::Node(node)))]);
        }
        if let Some(node) = parts.back
            && let Some(call) = self.call(free, length.checked_sub(parts.height))
        {
            alternatives.push(vec![Piece::Rule(self.id(Key::Node(node))), call]);
        }
        match (&parts.until, length.checked_sub(1)) {
            (Until::Whole(common), _) if self.group_size(*common, length) > 0 => {
                alternatives.push(vec![Piece::Rule(self.id(Key::Until(*common, length)))]);
            }
            (Until::After(first, common), Some(shorter)) if self.group_size(*common, shorter) > 0 => {
                let call = Piece::Rule(self.id(Key::Until(*common, shorter)));
                alternatives.push(vec![Piece::Set(first.clone()), call]);
            }
            _ => {}
        }
        for (node, exit, steps) in &parts.leaving {
            if let Some(call) = self.call(*exit, length.checked_sub(*steps)) {
                alternatives.push(vec![Piece::Rule(self.id(Key::Node(*node))), call]);
            }
        }
        Ok(alternatives)
    }

    /// How many alternatives the group of this length has; no fewer for a greater length.
    fn group_size(&self, common: usize, length: u32) -> usize {
        let fits = |target: u32| self.shortest.get(target as usize).is_some_and(|shortest| *shortest < length);
        let groups = self.runs.as_ref().and_then(|runs| runs.common(common)).map(|common| &common.groups);
        groups.into_iter().flatten().filter(|(target, _)| fits(*target)).count()
    }

    fn group(&mut self, common: usize, length: u32) -> Vec<Vec<Piece>> {
        let groups = self.runs.as_ref().and_then(|runs| runs.common(common)).map(|common| common.groups.clone());
        self.direct(groups.unwrap_or_default(), length)
    }

    fn until(&mut self, common: usize, length: u32) -> Vec<Vec<Piece>> {
        let mut alternatives = Vec::new();
        let Some(loop_set) = self.runs.as_ref().map(|runs| runs.loop_set().clone()) else {
            return alternatives;
        };
        if let Some(shorter) = length.checked_sub(1)
            && self.group_size(common, shorter) > 0
        {
            alternatives.push(vec![Piece::Set(loop_set), Piece::Rule(self.id(Key::Until(common, shorter)))]);
        }
        if common == 0 && self.group_size(common, length) >= WORTH_A_GROUP {
            alternatives.push(vec![Piece::Rule(self.id(Key::Group(common, length)))]);
        } else {
            alternatives.extend(self.group(common, length));
        }
        alternatives
    }

    fn node(&mut self, node: usize) -> Vec<Vec<Piece>> {
        let Some((accepting, groups)) = self.runs.as_ref().and_then(|runs| runs.node(node)) else {
            return Vec::new();
        };
        let mut alternatives = if accepting { vec![Vec::new()] } else { Vec::new() };
        for (target, set) in groups {
            alternatives.push(match target {
                Runs::END => vec![Piece::Set(set)],
                _ => vec![Piece::Set(set), Piece::Rule(self.id(Key::Node(target)))],
            });
        }
        alternatives
    }
}

/// From each state, the lengths of the shortest and, if there is one, the longest word.
fn distances(dfa: &Dfa) -> (Vec<u32>, Vec<Option<u32>>) {
    let count = dfa.state_count();
    let mut into: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); count];
    let mut outgoing = vec![0usize; count];
    for state in 0..count as u32 {
        for edge in dfa.edges(state) {
            if let (Some(sources), Some(out)) = (into.get_mut(edge.target as usize), outgoing.get_mut(state as usize))
                && sources.insert(state)
            {
                *out += 1;
            }
        }
    }
    let mut shortest = vec![u32::MAX; count];
    let mut level: Vec<u32> = (0..count as u32).filter(|state| dfa.is_accepting(*state)).collect();
    let mut distance = 0;
    while !level.is_empty() {
        let mut next = Vec::new();
        for state in level {
            if let Some(known) = shortest.get_mut(state as usize)
                && *known == u32::MAX
            {
                *known = distance;
                next.extend(into.get(state as usize).into_iter().flatten());
            }
        }
        level = next;
        distance += 1;
    }
    // Backwards from the ends of all ways: a state is settled when all that it leads to are; on a cycle, never.
    let mut longest: Vec<Option<u32>> = vec![None; count];
    let mut reach = vec![0u32; count];
    let mut ready: Vec<u32> =
        outgoing.iter().enumerate().filter(|(_, out)| **out == 0).map(|(state, _)| state as u32).collect();
    while let Some(state) = ready.pop() {
        let here = reach.get(state as usize).copied().unwrap_or(0);
        if let Some(slot) = longest.get_mut(state as usize) {
            *slot = Some(here);
        }
        for from in into.get(state as usize).into_iter().flatten() {
            let from = *from as usize;
            if let (Some(length), Some(out)) = (reach.get_mut(from), outgoing.get_mut(from)) {
                *length = (*length).max(here + 1);
                *out -= 1;
                if *out == 0 {
                    ready.push(from as u32);
                }
            }
        }
    }
    (shortest, longest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::{Tree, dfa, trees};
    use super::super::{Expr, Inclusion};
    use super::*;

    const BUDGET: Budget = Budget::DEFAULT;

    fn from(expr: &Expr) -> Dfa {
        Dfa::from_expr(expr, &BUDGET).expect("in the budget")
    }

    fn pattern(pattern: &str) -> Expr {
        Expr::from_regex(pattern).expect("a pattern")
    }

    /// Both methods' rules, each proved to have exactly the words of the automaton up to the length.
    fn proved(language: &Dfa, longest: u32) -> [LinearRules; 2] {
        let expected = language.truncate(longest, &BUDGET).expect("in the budget").minimize();
        [Method::Plain, Method::Runs].map(|method| {
            let rules = counted(language, longest, method, &BUDGET).expect("in the budget");
            let got = rules.to_dfa(&BUDGET).expect("in the budget");
            assert_eq!(
                got.equivalent(&expected, &BUDGET),
                Inclusion::Yes,
                "{method:?}, {longest}: {language:?} {rules:#?}"
            );
            assert!(rules.rules.iter().all(|rule| rule.alternatives.iter().skip(1).all(|a| !a.is_empty())));
            rules
        })
    }

    /// A label as the `ask` tool has it: trimmed, single inner spaces, no mark such as "(recommended)" at the end (in any
    /// case, with some punctuation behind it), no running number, at most three leading decorations, no placeholder.
    fn label(phrases: &[String]) -> Dfa {
        let visible = r"[\x21-\x7E\u{A1}-\u{2FFF}\u{3001}-\u{D7FF}\u{E000}-\u{FEFE}\u{FF00}-\u{10FFFF}]";
        let text = pattern(&format!("{visible}+(?: {visible}+)*"));
        let marks = pattern(
            r"(?i)(?s:.*)(?:[\(（\[](?:recommended|empfohlen|recomendado|recommandé|推荐|推薦|おすすめ|권장)[\)）\]]|[-–] recommended| empfohlen)[.!]*",
        );
        let numbers = pattern(r"\d{1,2}[.)](?s:.*)");
        let decorations = pattern(r"[*•→✓☆]{4}(?s:.*)");
        let placeholder = Expr::concat([
            pattern(r"[*•→✓☆]{0,3} ?"),
            Expr::union(phrases.iter().map(|phrase| Expr::literal_ignore_case(phrase))),
            pattern(r"[.!…]{0,3}"),
        ]);
        from(&Expr::intersection([text, marks.not(), numbers.not(), decorations.not(), placeholder.not()]))
    }

    /// Phrases of the shape that lexicons have: some verbs, some things.
    fn phrases() -> Vec<String> {
        let verbs = ["please choose a", "select your", "enter the", "pick one", "type a", "choose", "please specify"];
        let things = ["folder", "path", "file name", "custom value", "option", "directory", "other", "text here"];
        verbs.iter().flat_map(|verb| things.iter().map(move |thing| format!("{verb} {thing}"))).collect()
    }

    #[test]
    fn a_real_label_takes_few_rules() {
        let language = label(&phrases());
        let [plain, runs] = proved(&language, 80);
        let (plain_cost, cost) = (plain.measure(&BUDGET).expect("small"), runs.measure(&BUDGET).expect("small"));
        println!("{} states; plain {plain_cost:?}; runs {cost:?}", language.state_count());
        assert!(cost.rules * 3 < plain_cost.rules, "{cost:?} against {plain_cost:?}");
        assert_eq!(counted(&language, 80, Method::Auto, &BUDGET).as_ref(), Ok(&runs));
    }

    #[test]
    fn a_label_with_bracketed_marks_takes_under_eight_hundred_rules() {
        // Phrases of the whole label only, so that their trie's depth is the length; marks of some sixty letters.
        let verbs = ["please choose", "select your", "enter the", "pick a", "type your"];
        let things =
            ["folder", "path", "file name", "custom value", "option", "directory", "text here", "email", "token"];
        let list = verbs.iter().flat_map(|verb| things.iter().map(move |thing| format!("{verb} {thing}")));
        let visible = r"[\x21-\x7E\u{A1}-\u{2FFF}\u{3001}-\u{D7FF}\u{E000}-\u{FEFE}\u{FF00}-\u{10FFFF}]";
        let text = pattern(&format!("{visible}+(?: {visible}+)*"));
        let marks = "recommended|empfohlen|recomendado|recommandé|推荐|推薦|おすすめ|권장|рекомендуется";
        let marks = pattern(&format!(r"(?i)(?s:.*)[\(（](?:{marks})[\)）]"));
        let list = Expr::union(list.map(|phrase| Expr::literal_ignore_case(&phrase)));
        let language = from(&Expr::intersection([text, marks.not(), list.not()]));
        let [plain, runs] = proved(&language, 80);
        let (plain, cost) = (plain.measure(&BUDGET).expect("small"), runs.measure(&BUDGET).expect("small"));
        println!("{} states; plain {plain:?}; runs {cost:?}", language.state_count());
        assert!(cost.rules < 800 && cost.most_alive < 20, "{cost:?}");
    }

    #[test]
    fn a_plain_text_needs_one_rule_a_length() {
        let [plain, runs] = proved(&from(&pattern("[^\n]+")), 40);
        assert_eq!((plain.rules.len(), &plain), (40, &runs));
    }

    #[test]
    fn lengths_at_the_edge_are_exact() {
        let language = label(&["other".to_owned(), "please choose".to_owned()]);
        for longest in [0, 1, 2, 5, 11, 12, 13, 14, 15, 30] {
            proved(&language, longest);
        }
        assert!(
            counted(&from(&pattern("aaa")), 2, Method::Auto, &BUDGET).expect("small").rules[0].alternatives.is_empty()
        );
        assert!(counted(&language, 80, Method::Auto, &Budget { states: 50, ..BUDGET }).is_err());
    }

    /// Random automata in which phrases are watched for, so that ways inside them, staying states, dead ends and characters
    /// that the states do not agree on all occur.
    fn watching(tree: &Tree, words: &[String], kind: u8) -> Dfa {
        let any = pattern("[abcd ]*");
        let list = Expr::union(words.iter().map(|word| Expr::literal(word)));
        let bad = match kind {
            0 => Expr::concat([any.clone(), list]),
            1 => Expr::concat([any.clone(), list, pattern("d*")]),
            2 => Expr::concat([any.clone(), list, any.clone()]),
            3 => Expr::concat([any.clone(), Expr::char(' '), list]),
            _ => Expr::concat([list, any.clone()]),
        };
        from(&Expr::intersection([any, bad.not(), tree.expr().not()]))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn counting_is_exact_on_random_automata(tree in trees(), longest in 0u32..14) {
            proved(&dfa(&tree), longest);
        }

        #[test]
        fn counting_is_exact_where_phrases_are_watched_for(
            tree in trees(),
            words in proptest::collection::vec("[abc ]{1,5}", 1..5),
            kind in 0u8..5,
            longest in 0u32..20,
        ) {
            proved(&watching(&tree, &words, kind), longest);
        }
    }
}
