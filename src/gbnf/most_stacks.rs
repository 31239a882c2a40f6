//! The most stacks that llama.cpp can hold alive at once, over all texts.
//!
//! What lives here: [`MostStacks::of`]. What does not: one text's stacks, which the matcher counts.
//!
//! Sets of whole stacks are far too many to visit: every place in a label times every place of the label in a call. But what
//! all stacks of a set have in common at their lower ends (its *context*) is not looked at before one of them has been read
//! down to it. So only the upper parts are visited, each once, whatever is below; and what can be below is kept as links from
//! an upper part to the one over which its context was made. This is the saturation (`post*`) by which the reachable
//! configurations of a pushdown automaton are found: nothing is lost and nothing is added by it, with recursion as without.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use super::ast::Grammar;
use super::compile::{self, CompileError, Compiled, Symbol, contains};
use super::dialect::Dialect;
use super::engine;
use super::hash::{NumberMap, NumberSet};
use super::matcher::{BudgetError, scalar_ranges};
use super::stacks::{EMPTY, Stacks};

/// The most stacks that can be alive at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MostStacks {
    /// The most in any state that was visited: a number that some text reaches.
    pub stacks: usize,
    /// How many states were visited: sets of stacks, without what all stacks of a set have in common below.
    pub states: usize,
    /// Whether all states were visited, so that no text reaches more.
    pub complete: bool,
}

/// Numbers of stacks that may be looked at for each state that may be visited. Grammars of ours need some hundreds.
const WORK_PER_STATE: usize = 2_000;

impl MostStacks {
    /// Visits at most `limit` states, breadth first.
    ///
    /// Complete for every grammar that needs no more of them, recursive or not. A grammar whose texts can bring ever more
    /// stacks to life needs more than any limit.
    ///
    /// # Errors
    ///
    /// [`CompileError`], also when rules lead back to themselves before they read anything.
    pub fn of(grammar: &Grammar, dialect: &Dialect, limit: usize) -> Result<Self, CompileError> {
        let compiled = compile::compile(grammar, dialect)?;
        if let Some(cycle) = engine::judge(&compiled, dialect).refused_cycle {
            return Err(CompileError::LeftRecursion { cycle });
        }
        let mut search = Search::new(&compiled, limit);
        // A budget that ends leaves what was found before, which stays true.
        let complete = search.run().is_ok();
        Ok(MostStacks { stacks: search.most, states: search.states.len().saturating_sub(1), complete })
    }
}

/// The limit was met.
struct Ended;

impl From<BudgetError> for Ended {
    fn from(_: BudgetError) -> Self {
        Ended
    }
}

/// The state below everything, whose context is nothing at all.
const BOTTOM: u32 = 0;

/// A context of a state: the stack that its stacks stand on, and the state on whose own contexts that stack stands. The one of
/// [`BOTTOM`] is `(EMPTY, BOTTOM)`: the end of the text.
type Context = (u32, u32);

/// Upper parts of stacks, and what is known of them. [`EMPTY`] is the place where the context begins.
#[derive(Debug, Default)]
struct State {
    stacks: Arc<[u32]>,
    contexts: NumberSet<Context>,
    /// States that stand on the same contexts, all of them.
    heirs: NumberSet<u32>,
    /// What is left above the context at times when one stack has been read down to it.
    exits: NumberSet<Arc<[u32]>>,
}

/// What is still to be done.
enum Task {
    /// Read one code point in a state.
    Step(u32),
    /// A state stands on a context.
    Context(u32, Context),
    /// The second state stands on all contexts of the first.
    Heir(u32, u32),
    /// A state lost one stack to its context and has these left.
    Exit(u32, Arc<[u32]>),
    /// Stacks were left over a context, and what the context expands to joins them.
    Resume(Arc<[u32]>, Context),
}

struct Search<'c> {
    compiled: &'c Compiled,
    stacks: Stacks,
    states: Vec<State>,
    numbers: NumberMap<Arc<[u32]>, u32>,
    /// For sets of the table that are waited for together, which of them can be met by one code point.
    groups: NumberMap<Vec<u32>, Arc<[Vec<u32>]>>,
    /// What was resumed over which context: several states can leave the same over it.
    resumed: NumberSet<(Arc<[u32]>, Context)>,
    todo: VecDeque<Task>,
    most: usize,
    limit: usize,
    work: usize,
}

impl<'c> Search<'c> {
    fn new(compiled: &'c Compiled, limit: usize) -> Self {
        let work = limit.saturating_mul(WORK_PER_STATE);
        Search {
            compiled,
            stacks: Stacks::new(work),
            states: vec![State { contexts: NumberSet::from_iter([(EMPTY, BOTTOM)]), ..State::default() }],
            numbers: NumberMap::default(),
            groups: NumberMap::default(),
            resumed: NumberSet::default(),
            todo: VecDeque::new(),
            most: 0,
            limit,
            work,
        }
    }

    fn run(&mut self) -> Result<(), Ended> {
        let mut found = Vec::new();
        self.stacks.begin();
        for &start in self.compiled.alternatives(self.compiled.root) {
            let stack = self.stacks.push(self.compiled, EMPTY, start)?;
            self.stacks.collect(self.compiled, stack, &mut found)?;
        }
        self.land(found, BOTTOM)?;
        while let Some(task) = self.todo.pop_front() {
            self.charge(1)?;
            match task {
                Task::Step(state) => self.step(state)?,
                Task::Context(state, context) => self.add_context(state, context),
                Task::Heir(state, heir) => self.add_heir(state, heir),
                Task::Exit(state, rest) => self.add_exit(state, rest),
                Task::Resume(rest, context) => {
                    if self.resumed.insert((Arc::clone(&rest), context)) {
                        self.resume(&rest, context)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn charge(&mut self, work: usize) -> Result<(), Ended> {
        self.work = self.work.checked_sub(work).ok_or(Ended)?;
        Ok(())
    }

    fn add_context(&mut self, state: u32, context: Context) {
        let Some(data) = self.states.get_mut(state as usize) else { return };
        if data.contexts.insert(context) {
            self.todo.extend(data.heirs.iter().map(|&heir| Task::Context(heir, context)));
            self.todo.extend(data.exits.iter().map(|rest| Task::Resume(Arc::clone(rest), context)));
        }
    }

    fn add_heir(&mut self, state: u32, heir: u32) {
        let Some(data) = self.states.get_mut(state as usize) else { return };
        if state != heir && data.heirs.insert(heir) {
            self.todo.extend(data.contexts.iter().map(|&context| Task::Context(heir, context)));
        }
    }

    fn add_exit(&mut self, state: u32, rest: Arc<[u32]>) {
        let Some(data) = self.states.get_mut(state as usize) else { return };
        if data.exits.insert(Arc::clone(&rest)) {
            self.todo.extend(data.contexts.iter().map(|&context| Task::Resume(Arc::clone(&rest), context)));
        }
    }

    fn resume(&mut self, rest: &[u32], (context, parent): Context) -> Result<(), Ended> {
        if context == EMPTY {
            // The text may end here: one more stack is alive, the empty one, and it reads nothing.
            self.most = self.most.max(rest.len().saturating_add(1));
            if rest.is_empty() { return Ok(()) } else { return self.land(rest.to_vec(), BOTTOM) }
        }
        let mut found = Vec::new();
        self.stacks.begin();
        let frames = self.frames(context);
        for &stack in rest {
            let mut above = self.frames(stack);
            self.charge(above.len().saturating_add(frames.len()))?;
            let mut joined = context;
            while let Some(position) = above.pop() {
                joined = self.stacks.push(self.compiled, joined, position)?;
            }
            self.stacks.collect(self.compiled, joined, &mut found)?;
        }
        self.stacks.collect(self.compiled, context, &mut found)?;
        self.land(found, parent)
    }

    /// The positions of a stack, the top first.
    fn frames(&self, stack: u32) -> Vec<u32> {
        std::iter::successors(Some(stack), |&stack| Some(self.stacks.below(stack)))
            .map_while(|stack| self.stacks.top(stack))
            .collect()
    }

    /// Takes in the stacks that are alive over the contexts of `parent`.
    fn land(&mut self, mut found: Vec<u32>, parent: u32) -> Result<(), Ended> {
        self.charge(found.len())?;
        found.sort_unstable();
        // The empty stack has the lowest number.
        if found.first() == Some(&EMPTY) {
            found.remove(0);
            self.todo.push_back(Task::Exit(parent, found.into()));
            return Ok(());
        }
        if found.is_empty() {
            return Ok(());
        }
        self.most = self.most.max(found.len());
        let (upper, context) = self.split(found)?;
        let upper: Arc<[u32]> = upper.into();
        let state = match self.numbers.get(&upper) {
            Some(&state) => state,
            None => {
                if self.states.len() > self.limit {
                    return Err(Ended);
                }
                let state = self.states.len() as u32;
                self.states.push(State { stacks: Arc::clone(&upper), ..State::default() });
                self.numbers.insert(upper, state);
                self.todo.push_back(Task::Step(state));
                state
            }
        };
        self.todo.push_back(match context {
            EMPTY => Task::Heir(parent, state),
            context => Task::Context(state, (context, parent)),
        });
        Ok(())
    }

    /// Parts stacks from the most that they have in common at their lower ends, so that something is left of each.
    fn split(&mut self, stacks: Vec<u32>) -> Result<(Vec<u32>, u32), Ended> {
        let all: Vec<Vec<u32>> = stacks.iter().map(|&stack| self.frames(stack)).collect();
        self.charge(all.iter().map(Vec::len).sum())?;
        let Some((first, others)) = all.split_first() else {
            return Ok((stacks, EMPTY));
        };
        let mut common = first.len().saturating_sub(1);
        for other in others {
            common = common.min(other.len().saturating_sub(1));
            let same = first.iter().rev().zip(other.iter().rev()).take_while(|(one, two)| one == two).count();
            common = common.min(same);
        }
        if common == 0 {
            return Ok((stacks, EMPTY));
        }
        let mut context = EMPTY;
        for &position in first.iter().skip(first.len() - common).rev() {
            context = self.stacks.push(self.compiled, context, position)?;
        }
        let mut upper = Vec::with_capacity(all.len());
        for frames in &all {
            let mut stack = EMPTY;
            for &position in frames.iter().take(frames.len() - common).rev() {
                stack = self.stacks.push(self.compiled, stack, position)?;
            }
            upper.push(stack);
        }
        upper.sort_unstable();
        Ok((upper, context))
    }

    fn step(&mut self, state: u32) -> Result<(), Ended> {
        let Some(stacks) = self.states.get(state as usize).map(|data| Arc::clone(&data.stacks)) else {
            return Ok(());
        };
        let waits = |search: &Self, stack: u32| match search.compiled.symbol(search.stacks.top(stack)?) {
            Symbol::Set { set, .. } => Some(set),
            _ => None,
        };
        let sets: BTreeSet<u32> = stacks.iter().filter_map(|&stack| waits(self, stack)).collect();
        for group in self.groups(sets.into_iter().collect()).iter() {
            self.charge(stacks.len())?;
            let mut found = Vec::new();
            self.stacks.begin();
            for &stack in stacks.iter() {
                if waits(self, stack).is_some_and(|set| group.binary_search(&set).is_ok()) {
                    let after = self.stacks.after(self.compiled, stack)?;
                    self.stacks.collect(self.compiled, after, &mut found)?;
                }
            }
            self.land(found, state)?;
        }
        Ok(())
    }

    /// Which of the sets have some code point in common that no other of them has, in every possible way.
    fn groups(&mut self, sets: Vec<u32>) -> Arc<[Vec<u32>]> {
        if let Some(known) = self.groups.get(&sets) {
            return Arc::clone(known);
        }
        let ranges: Vec<Vec<(u32, u32)>> = sets.iter().map(|&set| scalar_ranges(self.compiled.set(set))).collect();
        let mut starts: Vec<u32> =
            ranges.iter().flatten().flat_map(|&(low, high)| [low, high.saturating_add(1)]).collect();
        starts.sort_unstable();
        starts.dedup();
        let groups: BTreeSet<Vec<u32>> = starts
            .into_iter()
            .map(|point| {
                let takes = sets.iter().zip(&ranges).filter(|(_, ranges)| contains(ranges, point));
                takes.map(|(&set, _)| set).collect()
            })
            .collect();
        let groups: Arc<[Vec<u32>]> = groups.into_iter().filter(|group: &Vec<u32>| !group.is_empty()).collect();
        self.groups.insert(sets, Arc::clone(&groups));
        groups
    }
}

#[cfg(test)]
#[path = "most_stacks_tests.rs"]
mod tests;
