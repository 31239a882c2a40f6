//! A machine that reads a JSON text (RFC 8259) and judges its value by nodes of a schema on the way.
//!
//! What lives here: [`Judge`], a [`Machine`] for the decision in `gbnf/pushdown.rs`. What does not: reading schemas
//! (`nodes.rs`).
//!
//! The text may have insignificant white space anywhere RFC 8259 allows it. A raw control character, a raw quote or a bad escape
//! in a string, and anything else that is not JSON, is dead. A value is judged by all nodes that are asked about it at once,
//! with those that they combine (`anyOf` and its kind) beside them; what is handed to the value around it is which of the
//! nodes hold. Once nothing is asked about a value, only JSON's own grammar is left.
//!
//! An object that has one key twice is not accepted where a schema that still may hold names that key: RFC 8259 leaves open
//! what such an object means. Of other keys nothing is remembered.
//!
//! Numbers with a fraction or an exponent cannot be compared by an automaton; where one meets `integer`, a bound or a constant,
//! the judge notes a [doubt](Machine::doubt).

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;
use std::rc::Rc;

use super::nodes::{Additional, DfaId, Node, Nodes, Texts, integers, json_words, number};
use crate::gbnf::pushdown::{Effect, Machine, Piece, least_of};
use crate::language::spelling::{Spelling, string_texts};
use crate::language::{Budget, BudgetExceeded, Dfa, witness_rank};

const QUOTE: u32 = 0x22;

/// The state that no automaton has: it refuses whatever comes.
const DEAD: u32 = u32::MAX;

/// No property that any node names.
const OTHER: u32 = u32::MAX;

/// The list without members, in [`Lists`].
const EMPTY: u32 = 0;

/// What a frame waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    /// The first item or key, or the end.
    Open,
    /// A value.
    Value,
    /// A key, after a comma.
    Key,
    /// The end of the key above.
    InKey,
    /// The colon.
    Colon,
    /// The end of the value above, judged by these nodes.
    Inside(u32),
    /// The rest of a number or word, judged by these nodes, its automata in these states.
    Bare(u32, u32),
    /// A comma or the end.
    After,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Frame {
    /// The whole text; at the end, whether its value is valid.
    Document { place: Place, valid: bool },
    /// An array: what was asked, which nodes may still hold, and how many items came.
    Array { asked: u32, alive: u32, count: u32, place: Place },
    /// An object: likewise, with the names seen and the one whose value is read.
    Object { asked: u32, alive: u32, seen: u32, name: u32, place: Place },
    /// A string, its automata in these states.
    Text { asked: u32, states: u32 },
    /// A key, told apart from these names.
    Name { names: u32, states: u32 },
}

/// Values by number.
struct Interner<T> {
    list: Vec<T>,
    numbers: HashMap<T, u32>,
}

impl<T: Clone + Eq + Hash> Interner<T> {
    fn new() -> Self {
        Interner { list: Vec::new(), numbers: HashMap::new() }
    }

    fn number(&mut self, value: T) -> u32 {
        let list = &mut self.list;
        *self.numbers.entry(value).or_insert_with_key(|value| {
            list.push(value.clone());
            list.len() as u32 - 1
        })
    }

    fn get(&self, number: u32) -> Option<&T> {
        self.list.get(number as usize)
    }
}

/// The machine. See the module.
pub(crate) struct Judge {
    nodes: Nodes,
    frames: Interner<Frame>,
    /// Sorted lists of nodes, names or states.
    lists: Interner<Rc<[u32]>>,
    /// The texts of any string, of numbers and words, and of numbers with a fraction or an exponent.
    string: DfaId,
    bare: DfaId,
    broken: DfaId,
    /// What was asked, with what it combines.
    closures: HashMap<u32, Rc<[u32]>>,
    doubt: Option<String>,
}

/// One code point of an automata's run: where it leads, and the code points.
type Moves = Vec<(Vec<u32>, (u32, u32))>;

impl Judge {
    /// A judge by node 0 of some nodes.
    ///
    /// # Errors
    /// [`BudgetExceeded`] under a budget of fewer than some hundred states.
    pub(crate) fn new(mut nodes: Nodes, budget: &Budget) -> Result<Self, BudgetExceeded> {
        let string = nodes.keep(string_texts(Spelling::Any, budget)?);
        let bare = nodes.keep(Dfa::from_expr(&number().or(&json_words()), budget)?);
        let broken = nodes.keep(Dfa::from_expr(&number().minus(&integers(None, None)), budget)?);
        let mut lists = Interner::new();
        lists.number(Rc::from([]));
        Ok(Judge { nodes, frames: Interner::new(), lists, string, bare, broken, closures: HashMap::new(), doubt: None })
    }

    fn list(&self, number: u32) -> Rc<[u32]> {
        self.lists.get(number).map_or_else(|| Rc::from([]), Rc::clone)
    }

    fn keep(&mut self, members: impl IntoIterator<Item = u32>) -> u32 {
        let sorted: BTreeSet<u32> = members.into_iter().collect();
        self.lists.number(sorted.into_iter().collect())
    }

    /// What was asked, with everything that it combines in the same place.
    fn closure(&mut self, asked: u32) -> Rc<[u32]> {
        if let Some(known) = self.closures.get(&asked) {
            return Rc::clone(known);
        }
        let mut all: BTreeSet<u32> = BTreeSet::new();
        let mut todo: Vec<u32> = self.list(asked).to_vec();
        while let Some(number) = todo.pop() {
            if all.insert(number)
                && let Some(node) = self.nodes.get(number)
            {
                todo.extend(&node.all);
                todo.extend(node.any.iter().chain(&node.one).flatten());
            }
        }
        let closure: Rc<[u32]> = all.into_iter().collect();
        self.closures.insert(asked, Rc::clone(&closure));
        closure
    }

    /// The nodes asked about that hold, given those whose own keywords do.
    fn verdict(&mut self, asked: u32, own: &[u32]) -> u32 {
        let list = self.list(asked);
        let holding: Vec<u32> = list.iter().copied().filter(|&node| holds(&self.nodes, node, own)).collect();
        self.keep(holding)
    }

    fn alive(&mut self, asked: u32, own: impl Fn(&Node) -> bool) -> u32 {
        let closure = self.closure(asked);
        let alive: Vec<u32> = closure.iter().copied().filter(|&node| self.nodes.get(node).is_some_and(&own)).collect();
        self.keep(alive)
    }

    /// The automata of the texts that nodes want, each once, the syntax first.
    fn automata(&mut self, asked: u32, syntax: &[DfaId], texts: impl Fn(&Node) -> Texts) -> Vec<DfaId> {
        let closure = self.closure(asked);
        let mut dfas = syntax.to_vec();
        for &node in closure.iter() {
            if let Some(Texts::In(dfa)) = self.nodes.get(node).map(&texts)
                && !dfas.contains(&dfa)
            {
                dfas.push(dfa);
            }
        }
        dfas
    }

    fn string_automata(&mut self, asked: u32) -> Vec<DfaId> {
        self.automata(asked, &[self.string], |node| node.strings)
    }

    fn bare_automata(&mut self, asked: u32) -> Vec<DfaId> {
        self.automata(asked, &[self.bare, self.broken], |node| node.bare)
    }

    fn name_automata(&self, names: u32) -> Vec<DfaId> {
        let names = self.list(names);
        std::iter::once(self.string).chain(names.iter().filter_map(|name| self.nodes.name_dfa(*name))).collect()
    }

    fn starts(&mut self, dfas: &[DfaId]) -> u32 {
        let states: Rc<[u32]> = dfas.iter().map(|dfa| self.nodes.dfa(*dfa).map_or(DEAD, Dfa::start)).collect();
        self.lists.number(states)
    }

    fn is_accepting(&self, dfa: Option<&DfaId>, state: Option<&u32>) -> bool {
        let dfa = dfa.and_then(|dfa| self.nodes.dfa(*dfa));
        dfa.zip(state).is_some_and(|(dfa, state)| dfa.is_accepting(*state))
    }

    /// Those whose texts end here.
    fn accepting(&self, dfas: &[DfaId], states: &[u32]) -> Vec<DfaId> {
        dfas.iter()
            .zip(states)
            .filter(|(dfa, state)| self.is_accepting(Some(dfa), Some(state)))
            .map(|(d, _)| *d)
            .collect()
    }

    /// Runs automata side by side over a range of code points.
    fn run(&self, dfas: &[DfaId], states: &[u32], (low, high): (u32, u32), out: &mut Moves) {
        let mut at = low;
        loop {
            let mut to = high;
            let mut targets = Vec::with_capacity(states.len());
            for (dfa, state) in dfas.iter().zip(states) {
                let edges = self.nodes.dfa(*dfa).map_or(&[][..], |dfa| dfa.edges(*state));
                let next = edges.partition_point(|edge| edge.high < at);
                match edges.get(next) {
                    Some(edge) if edge.low <= at => {
                        to = to.min(edge.high);
                        targets.push(edge.target);
                    }
                    Some(edge) => {
                        to = to.min(edge.low - 1);
                        targets.push(DEAD);
                    }
                    None => targets.push(DEAD),
                }
            }
            out.push((targets, (at, to)));
            if to >= high {
                return;
            }
            at = to + 1;
        }
    }

    /// Nodes that want the texts accepted.
    fn wanted(&mut self, asked: u32, accepted: &[DfaId], texts: impl Fn(&Node) -> Texts) -> Vec<u32> {
        let closure = self.closure(asked);
        let wants = |node: &Node| match texts(node) {
            Texts::All => true,
            Texts::None => false,
            Texts::In(dfa) => accepted.contains(&dfa),
        };
        closure.iter().copied().filter(|&node| self.nodes.get(node).is_some_and(wants)).collect()
    }

    /// The names that the nodes alive tell apart.
    fn names(&mut self, alive: u32) -> u32 {
        let mut names = Vec::new();
        for &node in self.list(alive).iter() {
            if let Some(object) = self.nodes.get(node).and_then(|node| node.object.as_ref()) {
                names.extend(object.properties.iter().map(|(name, _)| *name));
                names.extend(&object.required);
                names.extend(object.order.iter().flat_map(|(first, second)| [*first, *second]));
            }
        }
        self.keep(names)
    }

    /// Whether a name may come behind those seen.
    fn in_order(&self, node: u32, seen: &[u32], name: u32) -> bool {
        let object = self.nodes.get(node).and_then(|node| node.object.as_ref());
        object.is_none_or(|object| !object.order.iter().any(|(first, second)| *second == name && seen.contains(first)))
    }

    /// What a node wants of the value of a name.
    fn of_name(&self, node: u32, name: u32) -> Additional {
        let Some(object) = self.nodes.get(node).and_then(|node| node.object.as_ref()) else {
            return Additional::Never;
        };
        match object.properties.iter().find(|(known, _)| *known == name) {
            Some((_, node)) => Additional::Node(*node),
            None => object.additional,
        }
    }

    fn of_items(&self, node: u32) -> Additional {
        match self.nodes.get(node).and_then(|node| node.array) {
            None => Additional::Never,
            Some(array) => array.items.map_or(Additional::Free, Additional::Node),
        }
    }

    /// What is asked about the value that a frame waits for.
    fn asked_inside(&mut self, frame: Frame) -> u32 {
        let wants: Vec<Additional> = match frame {
            Frame::Document { .. } => vec![Additional::Node(0)],
            Frame::Array { alive, .. } => self.list(alive).iter().map(|&node| self.of_items(node)).collect(),
            Frame::Object { alive, name, .. } => {
                self.list(alive).iter().map(|&node| self.of_name(node, name)).collect()
            }
            Frame::Text { .. } | Frame::Name { .. } => Vec::new(),
        };
        self.keep(wants.into_iter().filter_map(|want| match want {
            Additional::Node(node) => Some(node),
            Additional::Free | Additional::Never => None,
        }))
    }

    /// The frame behind a value of which these nodes hold.
    fn after_value(&mut self, frame: Frame, holding: u32) -> Frame {
        let holding = self.list(holding);
        let met = |want: Additional| match want {
            Additional::Free => true,
            Additional::Never => false,
            Additional::Node(node) => holding.contains(&node),
        };
        match frame {
            Frame::Document { .. } => Frame::Document { place: Place::After, valid: holding.contains(&0) },
            Frame::Array { asked, alive, count, .. } => {
                let count = count.saturating_add(1);
                let list = self.list(alive);
                let fits = |node: u32| {
                    let array = self.nodes.get(node).and_then(|node| node.array);
                    array.is_some_and(|array| array.max.is_none_or(|max| count <= max))
                };
                let left: Vec<u32> =
                    list.iter().copied().filter(|&node| fits(node) && met(self.of_items(node))).collect();
                // Past every bound the count does not matter.
                let arrays = left.iter().filter_map(|&node| self.nodes.get(node)?.array);
                let far = arrays.map(|array| array.max.map_or(array.min, |max| array.min.max(max + 1))).max();
                let count = count.min(far.unwrap_or(0));
                Frame::Array { asked, alive: self.keep(left), count, place: Place::After }
            }
            Frame::Object { asked, alive, seen, name, .. } => {
                let list = self.list(alive);
                let left: Vec<u32> = list.iter().copied().filter(|&node| met(self.of_name(node, name))).collect();
                let alive = self.keep(left);
                let names = self.names(alive);
                let names = self.list(names);
                let seen = self.list(seen);
                let seen = seen.iter().copied().chain([name]).filter(|name| names.contains(name)).collect::<Vec<_>>();
                Frame::Object { asked, alive, seen: self.keep(seen), name: OTHER, place: Place::After }
            }
            Frame::Text { .. } | Frame::Name { .. } => frame,
        }
    }

    /// The frame behind a number or word, if it can end here.
    fn after_bare(&mut self, frame: Frame, asked: u32, states: u32) -> Option<Frame> {
        let dfas = self.bare_automata(asked);
        let accepted = self.accepting(&dfas, &self.list(states));
        if !accepted.contains(&self.bare) {
            return None;
        }
        if accepted.contains(&self.broken) {
            let closure = self.closure(asked);
            let keyword = closure.iter().find_map(|&node| self.nodes.get(node)?.whole_only);
            if let (Some(keyword), None) = (keyword, &self.doubt) {
                self.doubt = Some(format!("a number with a fraction or an exponent is not judged under {keyword:?}"));
            }
        }
        let own = self.wanted(asked, &accepted, |node| node.bare);
        let holding = self.verdict(asked, &own);
        Some(self.after_value(frame, holding))
    }

    fn stay(&mut self, frame: Frame) -> Effect {
        Effect::Stay(self.frames.number(frame))
    }

    /// What one code point does with a frame that is no string.
    fn structure(&mut self, frame: Frame, code_point: u32) -> Effect {
        let place = place_of(frame);
        if let Place::Bare(asked, states) = place {
            let dfas = self.bare_automata(asked);
            let mut moves = Vec::new();
            self.run(&dfas, &self.list(states), (code_point, code_point), &mut moves);
            if let Some((targets, _)) = moves.into_iter().find(|(targets, _)| targets.first() != Some(&DEAD)) {
                let states = self.lists.number(targets.into());
                return self.stay(with_place(frame, Place::Bare(asked, states)));
            }
            // Not a part of it: the number or word ends in front of this.
            return match self.after_bare(frame, asked, states) {
                Some(after) => self.structure(after, code_point),
                None => Effect::Dead,
            };
        }
        let Some(character) = char::from_u32(code_point) else { return Effect::Dead };
        match (place, character) {
            (_, ' ' | '\t' | '\n' | '\r') => self.stay(frame),
            (Place::Open, ']') if matches!(frame, Frame::Array { .. }) => self.close(frame),
            (Place::Open, '}') if matches!(frame, Frame::Object { .. }) => self.close(frame),
            (Place::After, ']') if matches!(frame, Frame::Array { .. }) => self.close(frame),
            (Place::After, '}') if matches!(frame, Frame::Object { .. }) => self.close(frame),
            (Place::After, ',') if matches!(frame, Frame::Array { .. }) => self.stay(with_place(frame, Place::Value)),
            (Place::After, ',') if matches!(frame, Frame::Object { .. }) => self.stay(with_place(frame, Place::Key)),
            (Place::Open | Place::Key, '"') if matches!(frame, Frame::Object { .. }) => self.key(frame),
            (Place::Colon, ':') => self.stay(with_place(frame, Place::Value)),
            (Place::Value, _) => self.value(frame, code_point),
            (Place::Open, _) if matches!(frame, Frame::Array { .. }) => self.value(frame, code_point),
            _ => Effect::Dead,
        }
    }

    fn key(&mut self, frame: Frame) -> Effect {
        let Frame::Object { alive, .. } = frame else { return Effect::Dead };
        let names = self.names(alive);
        let dfas = self.name_automata(names);
        let states = self.starts(&dfas);
        let below = self.frames.number(with_place(frame, Place::InKey));
        Effect::Push { below, top: self.frames.number(Frame::Name { names, states }) }
    }

    /// The first code point of a value.
    fn value(&mut self, frame: Frame, code_point: u32) -> Effect {
        let asked = self.asked_inside(frame);
        let top = match char::from_u32(code_point) {
            Some('"') => {
                let dfas = self.string_automata(asked);
                Frame::Text { asked, states: self.starts(&dfas) }
            }
            Some('[') => {
                let alive = self.alive(asked, |node| node.array.is_some());
                Frame::Array { asked, alive, count: 0, place: Place::Open }
            }
            Some('{') => {
                let alive = self.alive(asked, |node| node.object.is_some());
                Frame::Object { asked, alive, seen: EMPTY, name: OTHER, place: Place::Open }
            }
            _ => {
                let dfas = self.bare_automata(asked);
                let states = self.starts(&dfas);
                let mut moves = Vec::new();
                self.run(&dfas, &self.list(states), (code_point, code_point), &mut moves);
                return match moves.into_iter().find(|(targets, _)| targets.first() != Some(&DEAD)) {
                    Some((targets, _)) => {
                        let states = self.lists.number(targets.into());
                        self.stay(with_place(frame, Place::Bare(asked, states)))
                    }
                    None => Effect::Dead,
                };
            }
        };
        let below = self.frames.number(with_place(frame, Place::Inside(asked)));
        Effect::Push { below, top: self.frames.number(top) }
    }

    /// The end of an array or object.
    fn close(&mut self, frame: Frame) -> Effect {
        let (asked, own) = match frame {
            Frame::Array { asked, alive, count, .. } => {
                let enough = |node: u32| self.nodes.get(node)?.array.map(|array| array.min <= count);
                (asked, self.list(alive).iter().copied().filter(|&node| enough(node) == Some(true)).collect::<Vec<_>>())
            }
            Frame::Object { asked, alive, seen, .. } => {
                let seen = self.list(seen);
                let complete = |node: u32| {
                    let object = self.nodes.get(node)?.object.as_ref()?;
                    Some(object.required.iter().all(|name| seen.contains(name)))
                };
                (asked, self.list(alive).iter().copied().filter(|&node| complete(node) == Some(true)).collect())
            }
            _ => return Effect::Dead,
        };
        Effect::Pop(self.verdict(asked, &own))
    }

    /// The end of a string or key.
    fn end_text(&mut self, frame: Frame) -> Effect {
        match frame {
            Frame::Text { asked, states } => {
                let dfas = self.string_automata(asked);
                let accepted = self.accepting(&dfas, &self.list(states));
                let own = self.wanted(asked, &accepted, |node| node.strings);
                Effect::Pop(self.verdict(asked, &own))
            }
            Frame::Name { names, states } => {
                let accepted = self.accepting(&self.name_automata(names), &self.list(states));
                let is_it = |name: &u32| self.nodes.name_dfa(*name).is_some_and(|dfa| accepted.contains(&dfa));
                let found: Vec<u32> = self.list(names).iter().copied().filter(is_it).collect();
                Effect::Pop(self.keep(found))
            }
            _ => Effect::Dead,
        }
    }

    fn text(&mut self, frame: Frame, ranges: &[(u32, u32)]) -> Vec<(Effect, (u32, u32))> {
        let (dfas, states) = match frame {
            Frame::Text { asked, states } => (self.string_automata(asked), self.list(states)),
            Frame::Name { names, states } => (self.name_automata(names), self.list(states)),
            _ => return Vec::new(),
        };
        let ends = self.is_accepting(dfas.first(), states.first());
        let mut out = Vec::new();
        let mut moves = Vec::new();
        for &(low, high) in ranges {
            if ends && (low..=high).contains(&QUOTE) {
                out.push((self.end_text(frame), (QUOTE, QUOTE)));
                if low < QUOTE {
                    self.run(&dfas, &states, (low, QUOTE - 1), &mut moves);
                }
                if QUOTE < high {
                    self.run(&dfas, &states, (QUOTE + 1, high), &mut moves);
                }
            } else {
                self.run(&dfas, &states, (low, high), &mut moves);
            }
        }
        for (targets, range) in moves {
            let effect = if targets.first() == Some(&DEAD) {
                Effect::Dead
            } else {
                let states = self.lists.number(targets.into());
                self.stay(match frame {
                    Frame::Text { asked, .. } => Frame::Text { asked, states },
                    Frame::Name { names, .. } => Frame::Name { names, states },
                    other => other,
                })
            };
            out.push((effect, range));
        }
        out
    }
}

/// Whether a node holds, given those whose own keywords do. What nodes combine is a tree, read to a limited depth.
fn holds(nodes: &Nodes, number: u32, own: &[u32]) -> bool {
    let Some(node) = nodes.get(number) else { return false };
    own.contains(&number)
        && node.all.iter().all(|&part| holds(nodes, part, own))
        && node.any.iter().all(|parts| parts.iter().any(|&part| holds(nodes, part, own)))
        && node.one.iter().all(|parts| parts.iter().filter(|&&part| holds(nodes, part, own)).count() == 1)
}

fn place_of(frame: Frame) -> Place {
    match frame {
        Frame::Document { place, .. } | Frame::Array { place, .. } | Frame::Object { place, .. } => place,
        Frame::Text { .. } | Frame::Name { .. } => Place::After,
    }
}

fn with_place(frame: Frame, place: Place) -> Frame {
    match frame {
        Frame::Document { valid, .. } => Frame::Document { place, valid },
        Frame::Array { asked, alive, count, .. } => Frame::Array { asked, alive, count, place },
        Frame::Object { asked, alive, seen, name, .. } => Frame::Object { asked, alive, seen, name, place },
        other => other,
    }
}

impl Machine for Judge {
    fn start(&mut self) -> u32 {
        self.frames.number(Frame::Document { place: Place::Value, valid: false })
    }

    fn step(&mut self, top: u32, ranges: &[(u32, u32)]) -> Vec<Piece> {
        let Some(&frame) = self.frames.get(top) else {
            return least_of(ranges).map(|least| Piece { least, effect: Effect::Dead }).into_iter().collect();
        };
        let mut found: Vec<(Effect, (u32, u32))> = Vec::new();
        if matches!(frame, Frame::Text { .. } | Frame::Name { .. }) {
            found = self.text(frame, ranges);
        } else {
            // Outside strings JSON is ASCII: one by one, and all else at once.
            for &(low, high) in ranges {
                for code_point in low..=high.min(0x7F) {
                    found.push((self.structure(frame, code_point), (code_point, code_point)));
                }
                if high > 0x7F {
                    found.push((Effect::Dead, (low.max(0x80), high)));
                }
            }
        }
        let mut numbers: HashMap<Effect, usize> = HashMap::new();
        let mut pieces: Vec<Piece> = Vec::new();
        for (effect, range) in found {
            let Some(least) = least_of(&[range]) else { continue };
            let at = *numbers.entry(effect).or_insert(pieces.len());
            match pieces.get_mut(at) {
                Some(piece) if witness_rank(least) < witness_rank(piece.least) => piece.least = least,
                Some(_) => {}
                None => pieces.push(Piece { least, effect }),
            }
        }
        pieces
    }

    fn resume(&mut self, below: u32, result: u32) -> Option<u32> {
        let frame = *self.frames.get(below)?;
        let next = match (frame, place_of(frame)) {
            (Frame::Object { asked, alive, seen, .. }, Place::InKey) => {
                let name = self.list(result).first().copied().unwrap_or(OTHER);
                let seen_names = self.list(seen);
                if seen_names.contains(&name) {
                    return None;
                }
                let list = self.list(alive);
                let fits = |node: u32| self.of_name(node, name) != Additional::Never;
                let left: Vec<u32> =
                    list.iter().copied().filter(|&node| fits(node) && self.in_order(node, &seen_names, name)).collect();
                Frame::Object { asked, alive: self.keep(left), seen, name, place: Place::Colon }
            }
            (_, Place::Inside(_)) => self.after_value(frame, result),
            _ => return None,
        };
        Some(self.frames.number(next))
    }

    fn accepts(&mut self, last: u32) -> bool {
        let Some(&frame) = self.frames.get(last) else { return false };
        let frame = match place_of(frame) {
            Place::Bare(asked, states) => match self.after_bare(frame, asked, states) {
                Some(frame) => frame,
                None => return false,
            },
            _ => frame,
        };
        matches!(frame, Frame::Document { place: Place::After, valid: true })
    }

    fn doubt(&self) -> Option<&str> {
        self.doubt.as_deref()
    }
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
