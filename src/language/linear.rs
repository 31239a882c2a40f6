//! Grammars as plain rules: the neutral form between an automaton and the text of a grammar.
//!
//! Here: [`LinearRules`], how an automaton becomes rules, how rules become an automaton again (which is how a test proves an
//! emission), how they are respelled for JSON text, and what they cost in llama.cpp's sampler. Not here: GBNF's syntax and
//! names (`gbnf/`), and rules that count ([`super::counted`](mod@super::counted)).
//!
//! In rules made by [`LinearRules::from_dfa`] every alternative ends in at most one rule, so llama.cpp's stacks stay one
//! deep. Rules may also call a rule before their end, as long as no rule calls itself that way.

use std::collections::BTreeMap;

use super::budget::{Budget, BudgetExceeded, Meter};
use super::dfa::Dfa;
use super::nfa::{Nfa, NfaState};
use super::set::CodePointSet;
use super::spelling::{single_escape, unescaped};

/// A part of an alternative.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Piece {
    /// These code points, one after the other. Never empty.
    Literal(Vec<u32>),
    /// One code point of the set. Never empty.
    Set(CodePointSet),
    /// A word of the rule with this index in [`LinearRules::rules`].
    Rule(usize),
}

/// A rule: a word of any of its alternatives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// A name that is unique among the rules and stable: letters, digits and `-`, beginning with a letter.
    pub name: String,
    /// Sequences of pieces; the empty sequence, if it is one of them, comes first. Without alternatives there is no word.
    pub alternatives: Vec<Vec<Piece>>,
}

/// A grammar whose rules call each other without true recursion (right recursion is none).
///
/// If the language is empty, the start rule has no alternatives; GBNF cannot say that, so whoever prints has to refuse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinearRules {
    /// The rules; [`Piece::Rule`] holds an index into this list.
    pub rules: Vec<Rule>,
    /// The index of the rule for the whole language.
    pub start: usize,
}

/// What a grammar costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measure {
    /// The number of rules.
    pub rules: usize,
    /// The number of alternatives of all rules together.
    pub alternatives: usize,
    /// The most stacks that llama.cpp's sampler can hold at once, whatever was read: one for each place of the grammar that
    /// may read next, one more where the text may end (`llama_grammar_advance_stack` in `src/llama-grammar.cpp`). Each
    /// token that is a candidate is tried against each of them, so the time of a mask grows with it.
    pub most_alive: usize,
}

/// A literal up to this length is written where it is called: a call of a rule is about as long.
const SHORT_LITERAL: usize = 6;

/// A rule with so many alternatives is compared with others alternative by alternative.
const MANY: usize = 24;

/// An alternative that so many rules have may be worth a rule beside others.
const SHARED_USES: usize = 8;

impl LinearRules {
    /// The rules of an automaton: one for each state, alternatives grouped by target, a chain of states without a choice
    /// collapsed into one alternative.
    #[must_use]
    pub fn from_dfa(dfa: &Dfa) -> Self {
        let rules = (0..dfa.state_count() as u32)
            .map(|state| {
                let mut alternatives = if dfa.is_accepting(state) { vec![Vec::new()] } else { Vec::new() };
                alternatives.extend(
                    by_target(dfa, state)
                        .into_iter()
                        .map(|(target, set)| vec![Piece::Set(set), Piece::Rule(target as usize)]),
                );
                Rule { name: format!("s{state}"), alternatives }
            })
            .collect();
        Self { rules, start: dfa.start() as usize }.tidy()
    }

    /// The minimal automaton of the rules.
    ///
    /// # Errors
    /// [`BudgetExceeded`], also for rules that are truly recursive: a rule that calls itself before its end unrolls without
    /// end.
    pub fn to_dfa(&self, budget: &Budget) -> Result<Dfa, BudgetExceeded> {
        let mut meter = Meter::new(budget);
        let (nfa, start) = self.to_nfa(&mut meter)?;
        Ok(nfa.determinize(start, &mut meter)?.minimize())
    }

    /// Counts rules, alternatives and the most stacks alive at once.
    ///
    /// # Errors
    /// [`BudgetExceeded`]: every set of stacks that some text leads to is visited, as many as the automaton has states
    /// before it is minimized.
    pub fn measure(&self, budget: &Budget) -> Result<Measure, BudgetExceeded> {
        let mut meter = Meter::new(budget);
        let (nfa, start) = self.to_nfa(&mut meter)?;
        let (_, most_alive) = nfa.determinize_counting(start, &mut meter)?;
        let alternatives = self.rules.iter().map(|rule| rule.alternatives.len()).sum();
        Ok(Measure { rules: self.rules.len(), alternatives, most_alive })
    }

    /// Each state that reads is a place in an alternative together with what follows the calls around it: exactly one of
    /// llama.cpp's stacks. A rule called at the end of an alternative returns where its caller would have, as there.
    fn to_nfa(&self, meter: &mut Meter) -> Result<(Nfa, u32), BudgetExceeded> {
        let mut nfa = Nfa::default();
        let end = nfa.push(NfaState { accepting: true, ..NfaState::default() }, meter)?;
        let mut entries: BTreeMap<(usize, u32), u32> = BTreeMap::new();
        let mut queue: Vec<(usize, u32, u32)> = Vec::new();
        let mut entry = |rule: usize, next: u32, nfa: &mut Nfa, queue: &mut Vec<_>, meter: &mut Meter| {
            if let Some(id) = entries.get(&(rule, next)) {
                return Ok(*id);
            }
            let id = nfa.push(NfaState::default(), meter)?;
            entries.insert((rule, next), id);
            queue.push((rule, next, id));
            Ok(id)
        };
        let start = entry(self.start, end, &mut nfa, &mut queue, meter)?;
        while let Some((rule, after, id)) = queue.pop() {
            for alternative in self.rules.get(rule).iter().flat_map(|rule| &rule.alternatives) {
                let mut next = after;
                for piece in alternative.iter().rev() {
                    next = match piece {
                        Piece::Set(set) => nfa.push_set(set, next, meter)?,
                        Piece::Literal(code_points) => {
                            code_points.iter().rev().try_fold(next, |next, code_point| {
                                nfa.push_set(&CodePointSet::single(*code_point), next, meter)
                            })?
                        }
                        Piece::Rule(rule) => entry(*rule, next, &mut nfa, &mut queue, meter)?,
                    };
                }
                nfa.add_free(id, next);
            }
        }
        Ok((nfa, start))
    }

    /// The rules for the JSON texts, between the quotes, in our one spelling ([`super::spelling::Spelling::Single`]). An
    /// alternative that needs a character without a spelling is dropped.
    ///
    /// Escapes that begin several alternatives of a rule are left-factored behind one backslash.
    #[must_use]
    pub fn spelled(&self) -> Self {
        let mut speller = RuleSpeller { rules: Vec::new(), characters: BTreeMap::new(), count: self.rules.len() };
        let spelled: Vec<Vec<Vec<Piece>>> = self
            .rules
            .iter()
            .map(|rule| rule.alternatives.iter().flat_map(|a| speller.alternative(a)).collect())
            .collect();
        let mut rules: Vec<Rule> = self
            .rules
            .iter()
            .zip(spelled)
            .map(|(rule, alternatives)| Rule { name: rule.name.clone(), alternatives })
            .collect();
        rules.append(&mut speller.rules);
        for at in 0..rules.len() {
            let fresh = rules.len();
            if let Some(rule) = rules.get_mut(at)
                && let Some(escapes) = factor_backslash(rule, fresh)
            {
                rules.push(escapes);
            }
        }
        Self { rules, start: self.start }.tidy()
    }

    /// Gives every set with at least `ranges` ranges that occurs more than once a rule of its own, so that a long class is
    /// printed once. llama.cpp then pushes one more entry per such character; the number of stacks stays.
    #[must_use]
    pub fn hoist_sets(mut self, ranges: usize) -> Self {
        let mut uses: BTreeMap<CodePointSet, usize> = BTreeMap::new();
        for piece in self.rules.iter().flat_map(|rule| rule.alternatives.iter().flatten()) {
            if let Piece::Set(set) = piece
                && set.ranges().len() >= ranges
            {
                *uses.entry(set.clone()).or_default() += 1;
            }
        }
        uses.retain(|_, count| *count > 1);
        let mut ids: BTreeMap<CodePointSet, usize> = BTreeMap::new();
        let count = self.rules.len();
        for piece in self.rules.iter_mut().flat_map(|rule| rule.alternatives.iter_mut().flatten()) {
            if let Piece::Set(set) = piece
                && uses.contains_key(set)
            {
                let fresh = count + ids.len();
                *piece = Piece::Rule(*ids.entry(set.clone()).or_insert(fresh));
            }
        }
        let mut hoisted: Vec<(usize, CodePointSet)> = ids.into_iter().map(|(set, id)| (id, set)).collect();
        hoisted.sort_unstable_by_key(|(id, _)| *id);
        for (number, (_, set)) in hoisted.into_iter().enumerate() {
            self.rules.push(Rule { name: format!("c{number}"), alternatives: vec![vec![Piece::Set(set)]] });
        }
        self
    }

    /// Writes alternatives that several rules have in common once, as a rule that they call.
    ///
    /// Two cases are looked at, which are what automata with many states of one kind give: rules with many alternatives, most
    /// of which are also in most other such rules; and all of the alternatives of a rule that occur often. llama.cpp expands
    /// the call before it reads, so the number of stacks stays.
    #[must_use]
    pub fn share_alternatives(mut self) -> Self {
        let mut fresh: Vec<Rule> = Vec::new();
        self.share_most(&mut fresh);
        let mut uses: BTreeMap<&[Piece], usize> = BTreeMap::new();
        for alternative in self.rules.iter().flat_map(|rule| &rule.alternatives) {
            *uses.entry(alternative).or_default() += 1;
        }
        let often = |alternative: &Vec<Piece>| {
            alternative.len() > 1 && uses.get(alternative.as_slice()).is_some_and(|uses| *uses >= SHARED_USES)
        };
        let mut groups: BTreeMap<Vec<Vec<Piece>>, Vec<usize>> = BTreeMap::new();
        for (at, rule) in self.rules.iter().enumerate() {
            let mut common: Vec<Vec<Piece>> = rule.alternatives.iter().filter(|a| often(a)).cloned().collect();
            common.sort();
            if common.len() > 1 && common.len() < rule.alternatives.len() {
                groups.entry(common).or_default().push(at);
            }
        }
        for (common, rules) in groups.into_iter().filter(|(_, rules)| rules.len() >= 3) {
            self.share(common, &rules, &mut fresh);
        }
        self.rules.extend(fresh);
        self
    }

    /// Of the rules with many alternatives: what most of them have, shared by those that have all of it.
    fn share_most(&mut self, fresh: &mut Vec<Rule>) {
        let mut many: Vec<usize> = (0..self.rules.len()).filter(|at| self.alternatives_of(*at) >= MANY).collect();
        while many.len() >= 3 {
            let mut uses: BTreeMap<&[Piece], usize> = BTreeMap::new();
            for rule in many.iter().filter_map(|at| self.rules.get(*at)) {
                rule.alternatives.iter().for_each(|alternative| *uses.entry(alternative).or_default() += 1);
            }
            uses.retain(|alternative, uses| !alternative.is_empty() && *uses * 2 > many.len());
            let common: Vec<Vec<Piece>> = uses.keys().map(|alternative| alternative.to_vec()).collect();
            let holds = |at: &usize| {
                self.rules.get(*at).is_some_and(|rule| common.iter().all(|one| rule.alternatives.contains(one)))
            };
            let (with, without): (Vec<usize>, Vec<usize>) = many.iter().partition(|at| holds(at));
            if common.len() < 2 || with.len() < 3 {
                // What is left has too little in common with itself.
                many.pop();
                continue;
            }
            self.share(common, &with, fresh);
            many = without;
        }
    }

    fn alternatives_of(&self, rule: usize) -> usize {
        self.rules.get(rule).map_or(0, |rule| rule.alternatives.len())
    }

    fn share(&mut self, common: Vec<Vec<Piece>>, rules: &[usize], fresh: &mut Vec<Rule>) {
        let number = self.rules.len() + fresh.len();
        for at in rules {
            if let Some(rule) = self.rules.get_mut(*at) {
                rule.alternatives.retain(|alternative| !common.contains(alternative));
                rule.alternatives.push(vec![Piece::Rule(number)]);
            }
        }
        fresh.push(Rule { name: format!("t{}", fresh.len()), alternatives: common });
    }

    /// Drops what yields no word, writes rules without a choice where they are called (those called once, and short ones),
    /// joins single characters to literals, drops rules that nothing calls and puts the rest in the order
    /// in which a reader from the start meets them.
    #[must_use]
    pub(crate) fn tidy(mut self) -> Self {
        self.drop_unproductive();
        self.inline_single();
        self.keep_called()
    }

    fn drop_unproductive(&mut self) {
        // A rule is productive once one alternative calls only productive rules; each is settled once, by its callers' list.
        let mut productive = vec![false; self.rules.len()];
        let mut callers: Vec<Vec<usize>> = vec![Vec::new(); self.rules.len()];
        for (at, rule) in self.rules.iter().enumerate() {
            for piece in rule.alternatives.iter().flatten() {
                if let Piece::Rule(called) = piece
                    && let Some(list) = callers.get_mut(*called)
                {
                    list.push(at);
                }
            }
        }
        let fine = |alternative: &Vec<Piece>, productive: &[bool]| {
            alternative.iter().all(|piece| match piece {
                Piece::Rule(called) => productive.get(*called).copied().unwrap_or(false),
                Piece::Set(set) => !set.is_empty(),
                Piece::Literal(_) => true,
            })
        };
        let mut work: Vec<usize> = (0..self.rules.len()).collect();
        while let Some(at) = work.pop() {
            let (Some(rule), Some(false)) = (self.rules.get(at), productive.get(at)) else {
                continue;
            };
            if rule.alternatives.iter().any(|alternative| fine(alternative, &productive)) {
                if let Some(flag) = productive.get_mut(at) {
                    *flag = true;
                }
                work.extend(callers.get(at).into_iter().flatten());
            }
        }
        for rule in &mut self.rules {
            rule.alternatives.retain(|alternative| fine(alternative, &productive));
        }
    }

    fn inline_single(&mut self) {
        let mut calls = vec![0usize; self.rules.len()];
        for piece in self.rules.iter().flat_map(|rule| rule.alternatives.iter().flatten()) {
            if let Piece::Rule(called) = piece
                && let Some(count) = calls.get_mut(*called)
            {
                *count += 1;
            }
        }
        // A productive rule with one alternative cannot lead back to itself through such rules only, so this ends; the
        // bodies are finished callee first, with an explicit stack because chains are as long as phrases.
        let called_once = |at: usize| calls.get(at) == Some(&1);
        let inlined = |at: usize| {
            let Some([only]) = self.rules.get(at).map(|rule| rule.alternatives.as_slice()) else {
                return false;
            };
            let short = match only.as_slice() {
                [] | [Piece::Set(_)] => true,
                [Piece::Literal(text)] => text.len() <= SHORT_LITERAL,
                // Another name for a rule; not for one that is itself about to be written here at length.
                [Piece::Rule(called)] => !called_once(*called),
                _ => false,
            };
            at != self.start && (short || called_once(at))
        };
        let flags: Vec<bool> = (0..self.rules.len()).map(inlined).collect();
        let is_inlined = |at: usize| flags.get(at).copied().unwrap_or(false);
        let mut finished = vec![false; self.rules.len()];
        for root in 0..self.rules.len() {
            let mut stack = vec![root];
            while let Some(at) = stack.last().copied() {
                let Some(rule) = self.rules.get(at) else {
                    stack.pop();
                    continue;
                };
                let waiting = rule.alternatives.iter().flatten().find_map(|piece| match piece {
                    Piece::Rule(called) if is_inlined(*called) && finished.get(*called) == Some(&false) => {
                        Some(*called)
                    }
                    _ => None,
                });
                match waiting {
                    Some(called) if !stack.contains(&called) => stack.push(called),
                    _ => {
                        let body: Vec<Vec<Piece>> =
                            rule.alternatives.iter().map(|a| self.expanded(a, &is_inlined)).collect();
                        if let (Some(rule), Some(flag)) = (self.rules.get_mut(at), finished.get_mut(at)) {
                            if !*flag {
                                rule.alternatives = body;
                            }
                            *flag = true;
                        }
                        stack.pop();
                    }
                }
            }
        }
    }

    fn expanded(&self, alternative: &[Piece], is_inlined: &dyn Fn(usize) -> bool) -> Vec<Piece> {
        let mut out: Vec<Piece> = Vec::with_capacity(alternative.len());
        for piece in alternative {
            match piece {
                Piece::Rule(called) if is_inlined(*called) => {
                    let body = self.rules.get(*called).and_then(|rule| rule.alternatives.first());
                    body.into_iter().flatten().for_each(|piece| push_piece(&mut out, piece.clone()));
                }
                _ => push_piece(&mut out, piece.clone()),
            }
        }
        out
    }

    fn keep_called(self) -> Self {
        let mut number: BTreeMap<usize, usize> = BTreeMap::from([(self.start, 0)]);
        let mut order = vec![self.start];
        let mut done = 0;
        while let Some(at) = order.get(done).copied() {
            done += 1;
            for piece in self.rules.get(at).iter().flat_map(|rule| rule.alternatives.iter().flatten()) {
                if let Piece::Rule(called) = piece
                    && !number.contains_key(called)
                {
                    number.insert(*called, order.len());
                    order.push(*called);
                }
            }
        }
        let mut old: Vec<Option<Rule>> = self.rules.into_iter().map(Some).collect();
        let mut rules: Vec<Rule> = order.iter().filter_map(|at| old.get_mut(*at).and_then(Option::take)).collect();
        for piece in rules.iter_mut().flat_map(|rule| rule.alternatives.iter_mut().flatten()) {
            if let Piece::Rule(called) = piece {
                *called = number.get(called).copied().unwrap_or(0);
            }
        }
        Self { rules, start: 0 }
    }
}

/// A state's transitions grouped by target, in the order of their first code points.
pub(crate) fn by_target(dfa: &Dfa, state: u32) -> Vec<(u32, CodePointSet)> {
    let mut groups: Vec<(u32, Vec<(u32, u32)>)> = Vec::new();
    let mut places: BTreeMap<u32, usize> = BTreeMap::new();
    for edge in dfa.edges(state) {
        let fresh = groups.len();
        let place = *places.entry(edge.target).or_insert(fresh);
        if place == fresh {
            groups.push((edge.target, Vec::new()));
        }
        if let Some((_, ranges)) = groups.get_mut(place) {
            ranges.push((edge.low, edge.high));
        }
    }
    groups.into_iter().map(|(target, ranges)| (target, CodePointSet::from_ranges(ranges))).collect()
}

/// Appends a piece; single characters become literals and neighbours join.
fn push_piece(out: &mut Vec<Piece>, piece: Piece) {
    let piece = match piece {
        Piece::Set(set) => match set.only() {
            Some(only) => Piece::Literal(vec![only]),
            None => Piece::Set(set),
        },
        other => other,
    };
    match (out.last_mut(), piece) {
        (Some(Piece::Literal(before)), Piece::Literal(mut more)) => before.append(&mut more),
        (_, piece) => out.push(piece),
    }
}

struct RuleSpeller {
    /// Rules for single characters that need both plain and escaped texts inside an alternative.
    rules: Vec<Rule>,
    characters: BTreeMap<CodePointSet, usize>,
    /// The number of the first of these rules.
    count: usize,
}

impl RuleSpeller {
    /// The spelled forms of an alternative: none, one, or two if it begins with a set that needs two.
    fn alternative(&mut self, pieces: &[Piece]) -> Vec<Vec<Piece>> {
        let mut heads: Vec<Vec<Piece>> = vec![Vec::new()];
        for (at, piece) in pieces.iter().enumerate() {
            let forms = match piece {
                Piece::Rule(_) => vec![vec![piece.clone()]],
                Piece::Literal(code_points) => {
                    let mut text = Vec::with_capacity(code_points.len());
                    for code_point in code_points {
                        match single_escape(*code_point) {
                            Some(letter) => text.extend([u32::from('\\'), letter]),
                            None if unescaped().contains(*code_point) => text.push(*code_point),
                            None => return Vec::new(),
                        }
                    }
                    vec![vec![Piece::Literal(text)]]
                }
                Piece::Set(set) => {
                    let forms = set_forms(set);
                    // At the front, two alternatives; further in, a rule for the character.
                    if forms.len() > 1 && (at > 0 || pieces.len() > 2) {
                        vec![vec![Piece::Rule(self.character(set, forms))]]
                    } else {
                        forms
                    }
                }
            };
            heads = heads
                .iter()
                .flat_map(|head| {
                    forms.iter().map(move |form| {
                        let mut longer = head.clone();
                        form.iter().for_each(|piece| push_piece(&mut longer, piece.clone()));
                        longer
                    })
                })
                .collect();
        }
        heads
    }

    fn character(&mut self, set: &CodePointSet, forms: Vec<Vec<Piece>>) -> usize {
        let fresh = self.rules.len();
        let at = *self.characters.entry(set.clone()).or_insert(fresh);
        if at == fresh {
            self.rules.push(Rule { name: format!("x{fresh}"), alternatives: forms });
        }
        self.count + at
    }
}

/// The texts of one code point of a set: those that stand for themselves, and those behind a backslash.
fn set_forms(set: &CodePointSet) -> Vec<Vec<Piece>> {
    let plain = set.intersection(&unescaped());
    let letters = CodePointSet::from_ranges(
        super::spelling::escaped_characters().filter(|c| set.contains(*c)).filter_map(single_escape).map(|l| (l, l)),
    );
    let mut forms = Vec::new();
    if !plain.is_empty() {
        forms.push(vec![Piece::Set(plain)]);
    }
    if !letters.is_empty() {
        forms.push(vec![Piece::Literal(vec![u32::from('\\')]), Piece::Set(letters)]);
    }
    forms
}

/// If several alternatives begin with a backslash, puts what follows it into a rule of its own, which is returned.
fn factor_backslash(rule: &mut Rule, fresh: usize) -> Option<Rule> {
    let backslash = u32::from('\\');
    let begins = |alternative: &Vec<Piece>| matches!(alternative.first(), Some(Piece::Literal(text)) if text.first() == Some(&backslash));
    if rule.alternatives.iter().filter(|alternative| begins(alternative)).count() < 2 {
        return None;
    }
    let (escaped, mut kept): (Vec<_>, Vec<_>) = std::mem::take(&mut rule.alternatives).into_iter().partition(begins);
    let rests = escaped.into_iter().map(|mut alternative| {
        if let Some(Piece::Literal(text)) = alternative.first_mut() {
            text.remove(0);
            if text.is_empty() {
                alternative.remove(0);
            }
        }
        alternative
    });
    let factored = Rule { name: format!("{}-e", rule.name), alternatives: rests.collect() };
    kept.push(vec![Piece::Literal(vec![backslash]), Piece::Rule(fresh)]);
    rule.alternatives = kept;
    Some(factored)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::spelling::Spelling;
    use super::super::tests::{dfa, trees};
    use super::super::{Expr, Inclusion};
    use super::*;

    const BUDGET: Budget = Budget::DEFAULT;

    fn words(words: &[&str]) -> Dfa {
        Dfa::from_words(words.iter().copied(), &BUDGET).expect("small")
    }

    fn text(pieces: &[Piece]) -> String {
        let show = |piece: &Piece| match piece {
            Piece::Literal(text) => format!("{:?}", text.iter().filter_map(|c| char::from_u32(*c)).collect::<String>()),
            Piece::Set(set) => format!("{set:?}"),
            Piece::Rule(rule) => format!("<{rule}>"),
        };
        pieces.iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn chains_collapse_and_tails_are_shared() {
        let rules = LinearRules::from_dfa(&words(&["abcxyz", "abdxyz", "q"]));
        let shown: Vec<String> = rules.rules.iter().flat_map(|r| r.alternatives.iter().map(|a| text(a))).collect();
        assert_eq!(shown, ["\"ab\" [c-d] \"xyz\"", "\"q\""]);
        let optional = LinearRules::from_dfa(&words(&["", "ab"]));
        assert_eq!(optional.rules.len(), 1);
        assert!(optional.rules[0].alternatives[0].is_empty(), "the empty alternative comes first");
    }

    #[test]
    fn no_word_is_no_alternative() {
        let none = LinearRules::from_dfa(&Dfa::nothing());
        assert!(none.rules[0].alternatives.is_empty());
        assert!(none.to_dfa(&BUDGET).expect("small").is_empty());
        let unspellable = LinearRules::from_dfa(&words(&["\u{1}"])).spelled();
        assert!(unspellable.rules[0].alternatives.is_empty());
    }

    #[test]
    fn true_recursion_ends_in_the_budget() {
        let (open, close) = (Piece::Literal(vec![0x28]), Piece::Literal(vec![0x29]));
        let alternatives = vec![vec![], vec![open, Piece::Rule(0), close]];
        let rules = LinearRules { rules: vec![Rule { name: "r".into(), alternatives }], start: 0 };
        assert!(rules.to_dfa(&Budget { states: 1000, ..BUDGET }).is_err());
    }

    #[test]
    fn stacks_are_counted_as_llama_cpp_keeps_them() {
        // Deterministic, three choices: three stacks at the start.
        let three = LinearRules::from_dfa(&words(&["ax", "by", "cz"]));
        assert_eq!(three.measure(&BUDGET), Ok(Measure { rules: 1, alternatives: 3, most_alive: 3 }));
        // Two ways to read the same letters are two stacks all along, and the end is one more.
        let twice = |tail: &str| vec![Piece::Literal(format!("aa{tail}").chars().map(u32::from).collect())];
        let rules = vec![Rule { name: "r".into(), alternatives: vec![vec![], twice("b"), twice("c")] }];
        assert_eq!(LinearRules { rules, start: 0 }.measure(&BUDGET).map(|m| m.most_alive), Ok(3));
    }

    #[test]
    fn escapes_are_left_factored() {
        let any =
            Dfa::from_expr(&Expr::from_regex("(?:\"a|\\\\b|\n|[a-z\"])*").expect("a pattern"), &BUDGET).expect("small");
        let spelled = LinearRules::from_dfa(&any).spelled();
        for rule in &spelled.rules {
            let backslashes =
                rule.alternatives.iter().filter(|a| matches!(a.first(), Some(Piece::Literal(t)) if t[0] == 0x5C));
            assert!(backslashes.count() <= 1, "{spelled:?}");
        }
        assert_eq!(spelled.to_dfa(&BUDGET), any.spelled(Spelling::Single, &BUDGET));
    }

    #[test]
    fn long_classes_are_printed_once() {
        let class = CodePointSet::from_chars("aceg".chars());
        let dfa = Dfa::from_expr(&Expr::set(class).repeat(3, Some(5)), &BUDGET).expect("small");
        let rules = LinearRules::from_dfa(&dfa);
        let hoisted = rules.clone().hoist_sets(3);
        let sets =
            hoisted.rules.iter().flat_map(|r| r.alternatives.iter().flatten()).filter(|p| matches!(p, Piece::Set(_)));
        assert_eq!(sets.count(), 1);
        assert_eq!(hoisted.to_dfa(&BUDGET), Ok(dfa));
        assert_eq!(rules.clone().hoist_sets(5), rules);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn rules_are_their_automaton(tree in trees()) {
            let dfa = dfa(&tree);
            let rules = LinearRules::from_dfa(&dfa);
            prop_assert_eq!(rules.to_dfa(&BUDGET), Ok(dfa.clone()));
            prop_assert!(rules.rules.len() <= dfa.state_count());
            prop_assert!(rules.rules.iter().all(|rule| rule.alternatives.iter().skip(1).all(|a| !a.is_empty())));
            let names: std::collections::BTreeSet<_> = rules.rules.iter().map(|rule| &rule.name).collect();
            prop_assert_eq!(names.len(), rules.rules.len());
        }

        #[test]
        fn spelled_rules_are_the_spelled_automaton(tree in trees()) {
            let awkward = |letter| match letter {
                'a' => CodePointSet::from_chars("\"\\x".chars()),
                'b' => CodePointSet::from_chars("\n\t\u{1}".chars()),
                _ => CodePointSet::from_ranges([(0x20, 0x7F), (0xD7FF, 0x1_0000)]),
            };
            let dfa = Dfa::from_expr(&tree.expr_over(&awkward), &BUDGET).expect("small");
            let spelled = LinearRules::from_dfa(&dfa).spelled();
            let expected = dfa.spelled(Spelling::Single, &BUDGET).expect("small");
            prop_assert_eq!(spelled.to_dfa(&BUDGET).expect("small").equivalent(&expected, &BUDGET), Inclusion::Yes);
        }
    }
}
