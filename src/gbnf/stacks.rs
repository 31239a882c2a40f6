//! llama.cpp's pushdown stacks, each distinct one stored once.
//!
//! A stack is a position and the stack below it; equal stacks get equal numbers, so that llama.cpp's "drop duplicates" is a
//! comparison of numbers and its expansion (`llama_grammar_advance_stack`) is done once for each stack, whatever text leads there.

use std::sync::Arc;

use super::compile::{Compiled, Symbol};
use super::hash::{NumberMap, NumberSet};
use super::matcher::BudgetError;

/// The empty stack: the grammar is done.
pub(crate) const EMPTY: u32 = 0;

/// All stacks met so far.
#[derive(Clone, Debug)]
pub(crate) struct Stacks {
    nodes: Vec<Node>,
    numbers: NumberMap<(u32, u32), u32>,
    /// The expansions of stacks whose top is a rule, once they have been worked out.
    expanded: NumberMap<u32, Arc<[u32]>>,
    /// Numbers in `expanded`, all lists together.
    expanded_len: usize,
    /// For each stack, the round in which it was last collected.
    marks: Vec<u32>,
    round: u32,
    /// Most stacks that may be stored, and most numbers in all expansions together.
    limit: usize,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    position: u32,
    below: u32,
}

impl Stacks {
    pub(crate) fn new(limit: usize) -> Self {
        Stacks {
            // The node of the empty stack is never looked at.
            nodes: vec![Node { position: u32::MAX, below: EMPTY }],
            numbers: NumberMap::default(),
            expanded: NumberMap::default(),
            expanded_len: 0,
            marks: Vec::new(),
            round: 0,
            // Numbers of stacks are 32 bits wide.
            limit: limit.min(u32::MAX as usize / 2),
        }
    }

    /// How many stacks are stored.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The position on top, or `None` for the empty stack.
    pub(crate) fn top(&self, stack: u32) -> Option<u32> {
        if stack == EMPTY {
            return None;
        }
        self.nodes.get(stack as usize).map(|node| node.position)
    }

    /// The stack below the top; the empty one for the empty stack.
    pub(crate) fn below(&self, stack: u32) -> u32 {
        self.nodes.get(stack as usize).map_or(EMPTY, |node| node.below)
    }

    /// Puts a position on a stack. A position at the end of its alternative leaves the stack as it is.
    pub(crate) fn push(&mut self, compiled: &Compiled, below: u32, position: u32) -> Result<u32, BudgetError> {
        if compiled.symbol(position) == Symbol::End {
            return Ok(below);
        }
        if let Some(&number) = self.numbers.get(&(position, below)) {
            return Ok(number);
        }
        if self.nodes.len() >= self.limit {
            return Err(BudgetError::Stacks { limit: self.limit });
        }
        let number = self.nodes.len() as u32;
        self.nodes.push(Node { position, below });
        self.numbers.insert((position, below), number);
        Ok(number)
    }

    /// The stack after its top has been read.
    pub(crate) fn after(&mut self, compiled: &Compiled, stack: u32) -> Result<u32, BudgetError> {
        let Some(node) = self.nodes.get(stack as usize).copied() else {
            return Ok(EMPTY);
        };
        self.push(compiled, node.below, node.position.saturating_add(1))
    }

    /// Begins a new collection: see [`Stacks::collect`].
    pub(crate) fn begin(&mut self) {
        match self.round.checked_add(1) {
            Some(round) => self.round = round,
            None => {
                self.marks.clear();
                self.round = 1;
            }
        }
    }

    /// Adds to `found` the stacks that this one stands for, without those that were added since [`Stacks::begin`]: stacks
    /// with a code point or token on top, and the empty one.
    ///
    /// Ends on every table: a stack is expanded once, and new ones run into the budget.
    pub(crate) fn collect(&mut self, compiled: &Compiled, stack: u32, found: &mut Vec<u32>) -> Result<(), BudgetError> {
        if self.rule_on_top(compiled, stack).is_none() {
            self.add(stack, found);
            return Ok(());
        }
        let known = match self.expanded.get(&stack) {
            Some(known) => Arc::clone(known),
            None => self.expand(compiled, stack)?,
        };
        for &stack in known.iter() {
            self.add(stack, found);
        }
        Ok(())
    }

    fn add(&mut self, stack: u32, found: &mut Vec<u32>) {
        let at = stack as usize;
        if self.marks.len() <= at {
            self.marks.resize(self.nodes.len().max(at + 1), 0);
        }
        if let Some(mark) = self.marks.get_mut(at)
            && *mark != self.round
        {
            *mark = self.round;
            found.push(stack);
        }
    }

    fn expand(&mut self, compiled: &Compiled, first: u32) -> Result<Arc<[u32]>, BudgetError> {
        let mut seen: NumberSet<u32> = NumberSet::default();
        let mut result = Vec::new();
        let mut todo = vec![first];
        while let Some(stack) = todo.pop() {
            if !seen.insert(stack) {
                continue;
            }
            let rule = match self.rule_on_top(compiled, stack) {
                Some(rule) => rule,
                None => {
                    result.push(stack);
                    continue;
                }
            };
            let below = self.after(compiled, stack)?;
            for &start in compiled.alternatives(rule) {
                let next = self.push(compiled, below, start)?;
                todo.push(next);
            }
        }
        self.expanded_len = self.expanded_len.saturating_add(result.len());
        if self.expanded_len > self.limit {
            return Err(BudgetError::Stacks { limit: self.limit });
        }
        let result: Arc<[u32]> = result.into();
        self.expanded.insert(first, Arc::clone(&result));
        Ok(result)
    }

    fn rule_on_top(&self, compiled: &Compiled, stack: u32) -> Option<u32> {
        match compiled.symbol(self.top(stack)?) {
            Symbol::Rule(rule) => Some(rule),
            _ => None,
        }
    }
}
