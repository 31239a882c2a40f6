//! Whether every text of a grammar is accepted by a deterministic machine with a stack.
//!
//! What lives here: the machine's trait and the decision, with the least text that is not accepted. What does not: any
//! machine (JSON's is in `json_schema/judge.rs`), and comparisons of two grammars (`automaton.rs`).
//!
//! # How
//!
//! A grammar is not flattened: four questions of six options of counted labels would be millions of states. Instead each rule
//! is summarised: an *instance* is a rule and the few frames on top of the machine's stack that its texts can look at; its
//! *exits* are what those frames can have become behind it. A rule is first looked at with the top frame only. If the
//! machine would pop below that, the instance is given up (it *underflows*) and whoever called it calls again with one frame
//! more. So the rule of a label, called for each option of each question, is walked through once for each distinct frame.
//!
//! A call at the end of a sequence is a jump inside the same instance: llama.cpp writes `x{0,598}` as 598 rules that each
//! end in the next, and exits are not copied along such a chain.
//!
//! # Why the text found is the least
//!
//! "The least text from an instance's start to this place", "… to this exit" and "the least text of this instance that goes
//! wrong" are defined from each other by concatenation alone. Shortlex order (length, then the witness order from left to
//! right) is kept by concatenation on either side, and a text is never less than a part of it. So Knuth's generalisation of
//! Dijkstra's algorithm applies: what is settled in rising order is settled for good. A text dies when the machine does; what
//! completes it is then the least text of what is left to read, whatever the machine would have said. A first pass runs the
//! same code without texts, and only if it finds something does the second run.
//!
//! Places whose texts can only be longer than one known to go wrong are passed over, or a rule that reads anything at all would be
//! followed through all of JSON.
//!
//! Rules no text can pass are taken out first, so every place reached belongs to some text. Recursive grammars are decided
//! where the machine's frames and the frames that one rule leaves behind stay finite, as for JSON's own; otherwise the
//! budget ends the work. Left recursion is no special case.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use super::ast::Grammar;
use super::automaton::AutomatonError;
use super::canonical::{Clean, END, Symbol, Table};
use super::compile;
use super::dialect::Dialect;
use super::hash::{NumberMap, NumberSet};
use crate::language::{Budget, BudgetExceeded, Meter, Witness, least_in_range, witness_rank};

/// A deterministic machine with a stack. Frames are numbers that it gives out itself, equal ones for equal frames.
pub(crate) trait Machine {
    /// The frame with which every run begins. It is never popped.
    fn start(&mut self) -> u32;

    /// What reading one code point out of the ranges does with this frame on top: one piece for each effect that occurs.
    fn step(&mut self, top: u32, ranges: &[(u32, u32)]) -> Vec<Piece>;

    /// What becomes of a frame when the one above it was popped with a result; `None` is dead.
    fn resume(&mut self, below: u32, result: u32) -> Option<u32>;

    /// Whether a text may end with this as the only frame.
    fn accepts(&mut self, last: u32) -> bool;

    /// What the machine met and could not judge, if anything; then nothing is proved.
    fn doubt(&self) -> Option<&str>;
}

/// Code points with one effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The first of them in the witness order.
    pub(crate) least: u32,
    /// What they do.
    pub(crate) effect: Effect,
}

/// What a code point does to the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Effect {
    /// The top frame becomes this one.
    Stay(u32),
    /// The top frame becomes `below`, and `top` comes above it.
    Push {
        /// What the frame becomes.
        below: u32,
        /// The new top.
        top: u32,
    },
    /// The top frame goes, and the one below it hears this result.
    Pop(u32),
    /// No text that goes on like this is accepted.
    Dead,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Every text is accepted; so many instances were looked at.
    Yes {
        /// How many instances of rules there were.
        instances: usize,
    },
    /// The least text that is not.
    No(Witness),
    /// Undecided, and why.
    Unknown(String),
}

/// Decides whether the machine accepts every text of the grammar.
///
/// # Errors
/// [`AutomatonError`] if the grammar is none or reaches a token literal. An exhausted budget is [`Verdict::Unknown`].
pub(crate) fn accepts_all<M: Machine>(
    grammar: &Grammar,
    machine: &mut M,
    budget: &Budget,
) -> Result<Verdict, AutomatonError> {
    let clean = Clean::of(&compile::compile(grammar, &Dialect::default())?)?;
    Ok(decide(&clean, machine, budget).unwrap_or_else(|exceeded| Verdict::Unknown(exceeded.to_string())))
}

fn decide<M: Machine>(clean: &Clean, machine: &mut M, budget: &Budget) -> Result<Verdict, BudgetExceeded> {
    let mut meter = Meter::new(budget);
    let table = Table::of(&[clean], &mut meter)?;
    let Some(&Some(root)) = table.roots.first() else {
        return Ok(Verdict::Yes { instances: 0 });
    };
    let mut first = Engine::<M, NoText>::new(&table, machine, meter);
    let found = first.run(root)?;
    let (instances, lost) = (first.instances.len(), first.given_up(0));
    if let Some(doubt) = machine.doubt() {
        return Ok(Verdict::Unknown(doubt.to_owned()));
    }
    if lost {
        return Ok(Verdict::Unknown("the machine pops its first frame".into()));
    }
    if found.is_none() {
        return Ok(Verdict::Yes { instances });
    }
    let mut second = Engine::<M, Text>::new(&table, machine, Meter::new(budget));
    second.completions()?;
    let least = second.run(root)?;
    if let Some(doubt) = machine.doubt() {
        return Ok(Verdict::Unknown(doubt.to_owned()));
    }
    Ok(match least {
        Some(text) => Verdict::No(text.witness()),
        // Both passes walk the same places, so this is not reached.
        None => Verdict::Unknown("the passes disagree".into()),
    })
}

/// What is remembered of the texts that lead somewhere: nothing, or the least.
trait Least: Clone + Ord {
    const TEXTS: bool;
    fn empty() -> Self;
    fn then(&self, next: &Self) -> Self;
    fn point(code_point: u32) -> Self;
    fn len(&self) -> usize;
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct NoText;

impl Least for NoText {
    const TEXTS: bool = false;
    fn empty() -> Self {
        NoText
    }
    fn then(&self, _: &Self) -> Self {
        NoText
    }
    fn point(_: u32) -> Self {
        NoText
    }
    fn len(&self) -> usize {
        0
    }
}

/// A text whose code points carry their band in the witness order in front, so that numbers compare as ranks do.
#[derive(Clone, PartialEq, Eq)]
struct Text(Rc<[u32]>);

/// Code points take 21 bits.
const BAND_SHIFT: u32 = 21;

impl Text {
    fn witness(&self) -> Witness {
        Witness::new(self.0.iter().map(|ranked| ranked & ((1 << BAND_SHIFT) - 1)).collect())
    }
}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.cmp(&other.0))
    }
}

impl Least for Text {
    const TEXTS: bool = true;
    fn empty() -> Self {
        Text(Rc::from([]))
    }
    fn then(&self, next: &Self) -> Self {
        match (self.0.is_empty(), next.0.is_empty()) {
            (true, _) => next.clone(),
            (_, true) => self.clone(),
            _ => Text(self.0.iter().chain(next.0.iter()).copied().collect()),
        }
    }
    fn point(code_point: u32) -> Self {
        let (band, _) = witness_rank(code_point);
        Text(Rc::from([(u32::from(band) << BAND_SHIFT) | code_point]))
    }
    fn len(&self) -> usize {
        self.0.len()
    }
}

/// The stack of which nothing is visible. Stacks are numbers of nodes; equal stacks have equal numbers.
const NO_FRAMES: u32 = 0;

#[derive(Default)]
struct Stacks {
    /// Top frame, the stack below it, and the height. Number `n` is at `n - 1`.
    nodes: Vec<(u32, u32, u32)>,
    numbers: NumberMap<(u32, u32), u32>,
}

impl Stacks {
    fn get(&self, stack: u32) -> Option<(u32, u32, u32)> {
        self.nodes.get((stack as usize).checked_sub(1)?).copied()
    }

    fn push(&mut self, frame: u32, below: u32) -> u32 {
        let height = self.get(below).map_or(0, |node| node.2) + 1;
        let nodes = &mut self.nodes;
        *self.numbers.entry((frame, below)).or_insert_with(|| {
            nodes.push((frame, below, height));
            nodes.len() as u32
        })
    }

    /// The top frames as a stack of their own, and what is below them; `None` if there are fewer.
    fn split(&mut self, stack: u32, frames: usize) -> Option<(u32, u32)> {
        let mut top = Vec::with_capacity(frames);
        let mut below = stack;
        for _ in 0..frames {
            let (frame, next, _) = self.get(below)?;
            top.push(frame);
            below = next;
        }
        Some((self.join(&top, NO_FRAMES), below))
    }

    /// Frames, the top one first, above a stack.
    fn join(&mut self, frames: &[u32], below: u32) -> u32 {
        frames.iter().rev().fold(below, |stack, frame| self.push(*frame, stack))
    }

    fn frames(&self, mut stack: u32) -> Vec<u32> {
        let mut frames = Vec::new();
        while let Some((frame, below, _)) = self.get(stack) {
            frames.push(frame);
            stack = below;
        }
        frames
    }
}

/// A rule with the frames that its texts can look at.
struct Instance<L> {
    rule: u32,
    /// How many frames are visible at its start.
    visible: usize,
    /// What the visible frames can have become at its end.
    exits: Vec<(u32, L)>,
    callers: Vec<Caller<L>>,
    /// The least of its texts with which the machine dies inside.
    wrong: Option<L>,
    /// The length of the shortest text found around one of its own, for texts that go wrong.
    outer: usize,
    /// Its texts look below the visible frames: given up.
    underflows: bool,
}

#[derive(Clone)]
struct Caller<L> {
    instance: u32,
    /// What is left of the sequence behind the call.
    rest: u32,
    /// The caller's stack at the call.
    stack: u32,
    /// The least text from the caller's start to the call.
    text: L,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// The instance is at a sequence with a stack.
    Place { instance: u32, sequence: u32, stack: u32 },
    /// The instance has a text with which the machine dies.
    Wrong { instance: u32 },
}

struct Engine<'a, M, L> {
    table: &'a Table,
    machine: &'a mut M,
    meter: Meter,
    stacks: Stacks,
    instances: Vec<Instance<L>>,
    /// Instances by rule and visible stack.
    numbers: NumberMap<(u32, u32), u32>,
    settled: NumberSet<(u32, u32, u32)>,
    agenda: BinaryHeap<Reverse<(L, u64, Event)>>,
    turn: u64,
    steps: NumberMap<(u32, u32), Rc<[Piece]>>,
    /// The least text of each sequence.
    least: Vec<Option<L>>,
    /// For each rule, a length that no text around one of its own can fall below.
    around: Vec<usize>,
    /// The length of some text that goes wrong: no longer one is of interest.
    bound: usize,
}

impl<'a, M: Machine, L: Least> Engine<'a, M, L> {
    fn new(table: &'a Table, machine: &'a mut M, meter: Meter) -> Self {
        Engine {
            table,
            machine,
            meter,
            stacks: Stacks::default(),
            instances: Vec::new(),
            numbers: NumberMap::default(),
            settled: NumberSet::default(),
            agenda: BinaryHeap::new(),
            turn: 0,
            steps: NumberMap::default(),
            least: Vec::new(),
            around: Vec::new(),
            bound: usize::MAX,
        }
    }

    /// The least text of the root that the machine does not accept. Without texts, whether there is one.
    fn run(&mut self, root: u32) -> Result<Option<L>, BudgetExceeded> {
        let start = self.machine.start();
        let stack = self.stacks.push(start, NO_FRAMES);
        self.instance(root, stack, 1);
        while let Some(Reverse((text, _, event))) = self.agenda.pop() {
            self.meter.steps(1 + text.len())?;
            match event {
                Event::Place { instance, sequence, stack } => {
                    if self.given_up(instance) || !self.settled.insert((instance, sequence, stack)) {
                        continue;
                    }
                    self.place(instance, sequence, stack, &text)?;
                    self.meter.states(self.settled.len())?;
                }
                Event::Wrong { instance } => {
                    if instance == 0 {
                        return Ok(Some(text));
                    }
                    self.wrong(instance, text);
                }
            }
            if !L::TEXTS && self.machine.doubt().is_some() {
                return Ok(None);
            }
        }
        Ok(None)
    }

    fn given_up(&self, instance: u32) -> bool {
        self.instances.get(instance as usize).is_none_or(|instance| instance.underflows)
    }

    fn add(&mut self, text: L, event: Event) {
        if let Event::Place { instance, sequence, stack } = event
            && self.settled.contains(&(instance, sequence, stack))
        {
            return;
        }
        if let Event::Place { instance, sequence, .. } = event
            && self.is_too_long(instance, sequence, text.len())
        {
            return;
        }
        if let Event::Wrong { instance } = event {
            let outer = self.instances.get(instance as usize).map_or(usize::MAX, |instance| instance.outer);
            self.bound = self.bound.min(outer.saturating_add(text.len()));
            if !L::TEXTS {
                // Nothing to compare: straight up to the root.
                return self.agenda.push(Reverse((text, 0, event)));
            }
        }
        self.turn += 1;
        self.agenda.push(Reverse((text, self.turn, event)));
    }

    /// Whether every text through this place is longer than one that is known to go wrong.
    fn is_too_long(&self, instance: u32, sequence: u32, length: usize) -> bool {
        let rule = self.instances.get(instance as usize).map(|instance| instance.rule);
        let around = rule.and_then(|rule| self.around.get(rule as usize)).copied().unwrap_or(0);
        around.saturating_add(length).saturating_add(self.rest_length(sequence)) > self.bound
    }

    /// The length of the least text of a sequence; zero where texts are not kept.
    fn rest_length(&self, sequence: u32) -> usize {
        self.least.get(sequence as usize).and_then(Option::as_ref).map_or(0, L::len)
    }

    fn place(&mut self, instance: u32, sequence: u32, stack: u32, text: &L) -> Result<(), BudgetExceeded> {
        let table = self.table;
        match table.sequence(sequence) {
            None => {
                self.exit(instance, stack, text);
                Ok(())
            }
            Some((Symbol::Rule(rule), END)) => {
                for &start in table.alternatives(rule) {
                    self.add(text.clone(), Event::Place { instance, sequence: start, stack });
                }
                self.meter.steps(table.alternatives(rule).len())
            }
            Some((Symbol::Rule(rule), rest)) => {
                if !self.call(rule, &Caller { instance, rest, stack, text: text.clone() }) {
                    self.give_up(instance);
                }
                Ok(())
            }
            Some((Symbol::Set(set), rest)) => self.read(instance, set, rest, stack, text),
        }
    }

    fn read(&mut self, instance: u32, set: u32, rest: u32, stack: u32, text: &L) -> Result<(), BudgetExceeded> {
        let Some((top, below, _)) = self.stacks.get(stack) else { return Ok(()) };
        let pieces = match self.steps.get(&(top, set)) {
            Some(pieces) => Rc::clone(pieces),
            None => {
                let pieces: Rc<[Piece]> = self.machine.step(top, self.table.set(set)).into();
                self.steps.insert((top, set), Rc::clone(&pieces));
                pieces
            }
        };
        self.meter.steps(pieces.len())?;
        let mut underflow = false;
        for piece in pieces.iter() {
            let next = match piece.effect {
                Effect::Stay(frame) => Some(self.stacks.push(frame, below)),
                Effect::Push { below: frame, top } => {
                    let under = self.stacks.push(frame, below);
                    Some(self.stacks.push(top, under))
                }
                Effect::Pop(result) => match self.stacks.get(below) {
                    None => {
                        underflow = true;
                        continue;
                    }
                    Some((frame, under, _)) => {
                        self.machine.resume(frame, result).map(|frame| self.stacks.push(frame, under))
                    }
                },
                Effect::Dead => None,
            };
            let text = text.then(&L::point(piece.least));
            match next {
                Some(stack) => self.add(text, Event::Place { instance, sequence: rest, stack }),
                None => self.add_wrong(instance, &text, rest),
            }
        }
        if underflow {
            self.give_up(instance);
        }
        Ok(())
    }

    /// The machine is dead after this text; whatever completes the sequence makes a text that is not accepted.
    fn add_wrong(&mut self, instance: u32, text: &L, rest: u32) {
        let text = match self.least.get(rest as usize) {
            Some(Some(completion)) => text.then(completion),
            // Without texts there is nothing to complete; with them, every sequence has one.
            _ => text.clone(),
        };
        self.add(text, Event::Wrong { instance });
    }

    fn exit(&mut self, instance: u32, stack: u32, text: &L) {
        if instance == 0 {
            let accepted = match self.stacks.get(stack) {
                Some((last, NO_FRAMES, _)) => self.machine.accepts(last),
                _ => false,
            };
            if !accepted {
                self.add(text.clone(), Event::Wrong { instance });
            }
        }
        let Some(known) = self.instances.get_mut(instance as usize) else { return };
        known.exits.push((stack, text.clone()));
        let visible = known.visible;
        for caller in known.callers.clone() {
            self.come_back(&caller, visible, stack, text);
        }
    }

    /// Goes on in the caller behind the call.
    fn come_back(&mut self, caller: &Caller<L>, visible: usize, exit: u32, text: &L) {
        let frames = self.stacks.frames(exit);
        let Some((_, below)) = self.stacks.split(caller.stack, visible) else { return };
        let stack = self.stacks.join(&frames, below);
        let place = Event::Place { instance: caller.instance, sequence: caller.rest, stack };
        self.add(caller.text.then(text), place);
    }

    fn wrong(&mut self, instance: u32, text: L) {
        let Some(known) = self.instances.get_mut(instance as usize) else { return };
        if known.underflows || known.wrong.is_some() {
            return;
        }
        known.wrong = Some(text.clone());
        for caller in known.callers.clone() {
            self.add_wrong(caller.instance, &caller.text.then(&text), caller.rest);
        }
    }

    /// The instance of a rule for visible frames, made when first asked for.
    fn instance(&mut self, rule: u32, stack: u32, visible: usize) -> u32 {
        if let Some(&number) = self.numbers.get(&(rule, stack)) {
            return number;
        }
        let number = self.instances.len() as u32;
        self.numbers.insert((rule, stack), number);
        self.instances.push(Instance {
            rule,
            visible,
            exits: Vec::new(),
            callers: Vec::new(),
            wrong: None,
            outer: if number == 0 { 0 } else { usize::MAX },
            underflows: false,
        });
        let table = self.table;
        for &start in table.alternatives(rule) {
            self.add(L::empty(), Event::Place { instance: number, sequence: start, stack });
        }
        number
    }

    /// Calls a rule with as few frames visible as is known to be enough; false if it looks below all that the caller itself
    /// may see.
    fn call(&mut self, rule: u32, caller: &Caller<L>) -> bool {
        let mut visible = 1;
        let number = loop {
            let Some((top, _)) = self.stacks.split(caller.stack, visible) else { return false };
            let number = self.instance(rule, top, visible);
            if !self.given_up(number) {
                break number;
            }
            visible += 1;
        };
        let outer = self.instances.get(caller.instance as usize).map_or(usize::MAX, |instance| instance.outer);
        let outer = outer.saturating_add(caller.text.len()).saturating_add(self.rest_length(caller.rest));
        let Some(known) = self.instances.get_mut(number as usize) else { return true };
        known.outer = known.outer.min(outer);
        known.callers.push(caller.clone());
        let (exits, wrong) = (known.exits.clone(), known.wrong.clone());
        for (stack, text) in exits {
            self.come_back(caller, visible, stack, &text);
        }
        if let Some(text) = wrong {
            self.add_wrong(caller.instance, &caller.text.then(&text), caller.rest);
        }
        true
    }

    /// Gives an instance up and has its callers call again, those that must be given up for it included.
    fn give_up(&mut self, instance: u32) {
        let mut todo = vec![instance];
        while let Some(number) = todo.pop() {
            let Some(known) = self.instances.get_mut(number as usize) else { continue };
            if known.underflows {
                continue;
            }
            known.underflows = true;
            known.exits = Vec::new();
            let rule = known.rule;
            for caller in std::mem::take(&mut known.callers) {
                if !self.given_up(caller.instance) && !self.call(rule, &caller) {
                    todo.push(caller.instance);
                }
            }
        }
    }
}

impl<M: Machine> Engine<'_, M, Text> {
    /// Finds the least text of every sequence, by the same principle as the search itself.
    fn completions(&mut self) -> Result<(), BudgetExceeded> {
        let (sequences, rules) = self.table.counts();
        let mut starts: Vec<Vec<u32>> = vec![Vec::new(); sequences];
        for rule in 0..rules as u32 {
            for &start in self.table.alternatives(rule) {
                if let Some(list) = starts.get_mut(start as usize) {
                    list.push(rule);
                }
            }
        }
        let mut behind: Vec<Vec<u32>> = vec![Vec::new(); sequences];
        let mut heads: Vec<Vec<u32>> = vec![Vec::new(); rules];
        for sequence in 0..sequences as u32 {
            let Some((symbol, rest)) = self.table.sequence(sequence) else { continue };
            if let Some(list) = behind.get_mut(rest as usize) {
                list.push(sequence);
            }
            if let Symbol::Rule(rule) = symbol
                && let Some(list) = heads.get_mut(rule as usize)
            {
                list.push(sequence);
            }
        }
        let mut of_sequence: Vec<Option<Text>> = vec![None; sequences];
        let mut of_rule: Vec<Option<Text>> = vec![None; rules];
        // A sequence (true) or a rule, by number.
        let mut agenda = BinaryHeap::from([Reverse((Text::empty(), true, END))]);
        while let Some(Reverse((text, is_sequence, number))) = agenda.pop() {
            self.meter.steps(1 + text.len())?;
            let known = if is_sequence { &mut of_sequence } else { &mut of_rule };
            match known.get_mut(number as usize) {
                Some(slot) if slot.is_none() => *slot = Some(text.clone()),
                _ => continue,
            }
            let touched = if is_sequence { &behind } else { &heads };
            for &sequence in touched.get(number as usize).into_iter().flatten() {
                let Some((symbol, rest)) = self.table.sequence(sequence) else { continue };
                let first = match symbol {
                    Symbol::Rule(rule) => of_rule.get(rule as usize).cloned().flatten(),
                    Symbol::Set(set) => least_of(self.table.set(set)).map(Text::point),
                };
                let rest = of_sequence.get(rest as usize).cloned().flatten();
                if let (Some(first), Some(rest)) = (first, rest) {
                    agenda.push(Reverse((first.then(&rest), true, sequence)));
                }
            }
            if is_sequence {
                for &rule in starts.get(number as usize).into_iter().flatten() {
                    agenda.push(Reverse((text.clone(), false, rule)));
                }
            }
        }
        self.least = of_sequence;
        self.find_around(&of_rule)
    }

    /// Finds, for each rule, the length of the shortest text around one of its own in any text of the grammar.
    fn find_around(&mut self, of_rule: &[Option<Text>]) -> Result<(), BudgetExceeded> {
        let mut around: Vec<Option<usize>> = vec![None; of_rule.len()];
        let root = self.table.roots.first().copied().flatten().unwrap_or(0);
        let mut agenda = BinaryHeap::from([Reverse((0_usize, root))]);
        while let Some(Reverse((length, rule))) = agenda.pop() {
            match around.get_mut(rule as usize) {
                Some(slot) if slot.is_none() => *slot = Some(length),
                _ => continue,
            }
            for &start in self.table.alternatives(rule) {
                let (mut at, mut before) = (start, length);
                while let Some((symbol, rest)) = self.table.sequence(at) {
                    self.meter.steps(1)?;
                    before = before.saturating_add(match symbol {
                        Symbol::Set(_) => 1,
                        Symbol::Rule(inner) => {
                            agenda.push(Reverse((before.saturating_add(self.rest_length(rest)), inner)));
                            of_rule.get(inner as usize).and_then(Option::as_ref).map_or(0, Text::len)
                        }
                    });
                    at = rest;
                }
            }
        }
        self.around = around.into_iter().map(|length| length.unwrap_or(0)).collect();
        Ok(())
    }
}

/// The first code point of some ranges in the witness order.
pub(crate) fn least_of(ranges: &[(u32, u32)]) -> Option<u32> {
    ranges.iter().map(|&(low, high)| least_in_range(low, high)).min_by_key(|&code_point| witness_rank(code_point))
}

#[cfg(test)]
#[path = "pushdown_tests.rs"]
mod tests;
