//! From the syntax tree to llama.cpp's table of rules: repetitions and groups written out as rules of their own.
//!
//! The table has the same rules, in the same order, with the same positions as the one that `llama_grammar_parser` builds, so
//! that counts and live stacks are the same numbers. It is the common ground of the matcher, the engine's predictions and the
//! analysis.

use std::collections::HashMap;

use super::ast::{Alternatives, Grammar, Item, Repeat, RuleName, Sequence, Token};
use super::dialect::Dialect;
use super::repetition::{self, Fault};

/// Why a syntax tree cannot become a matcher.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// The grammar has no rule.
    #[error("the grammar has no rule; it needs at least one, called `root`")]
    NoRules,
    /// The grammar has no rule called `root`.
    #[error("the grammar has no rule called `root`, from which llama.cpp starts")]
    MissingRoot,
    /// A rule is named but nowhere defined.
    #[error("the rule `{name}` is used in `{used_in}` but nowhere defined")]
    UndefinedRule {
        /// The undefined name.
        name: String,
        /// The rule in whose body it stands.
        used_in: String,
    },
    /// Written out, the grammar needs more than [`Limits::elements`](super::Limits::elements).
    #[error("with its repetitions written out the grammar needs more than {limit} elements (at rule `{rule}`)")]
    TooManyElements {
        /// The rule at which the limit was reached.
        rule: String,
        /// The limit.
        limit: usize,
    },
    /// Groups or repetitions are nested deeper than [`Limits::depth`](super::Limits::depth).
    #[error("the rule `{rule}` nests groups or repetitions more than {limit} deep")]
    TooDeep {
        /// The rule.
        rule: String,
        /// The limit.
        limit: usize,
    },
    /// A repetition that the build refuses or on which it does not end.
    #[error("llama.cpp ({build}) does not take the repetition `{repetition}` in rule `{rule}`")]
    Repetition {
        /// The rule.
        rule: String,
        /// The repetition as it is written, shortened.
        repetition: String,
        /// The build's name.
        build: &'static str,
    },
    /// Rules lead back to themselves before they have read anything, so that expanding them never ends.
    #[error("the rules {} lead back to themselves before they read anything", quoted(cycle))]
    LeftRecursion {
        /// The rules on the way round, each once.
        cycle: Vec<String>,
    },
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// One element of the table. A *position* is an index into [`Compiled::symbols`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symbol {
    /// The end of an alternative.
    End,
    /// A rule, by number.
    Rule(u32),
    /// One code point out of a set.
    Set {
        /// The number of the set.
        set: u32,
        /// Whether the next position is the same literal's next code point.
        joined: bool,
    },
    /// A token of the vocabulary, by its number in [`Compiled::tokens`].
    Token(u32),
}

/// A rule of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableRule {
    /// The first of its entries in [`Compiled::starts`].
    first: u32,
    /// How many alternatives it has; zero for a name that nothing defines.
    count: u32,
    /// The written rule it came from, in [`Compiled::owners`].
    pub(crate) owner: u32,
}

/// The table of rules.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    /// All alternatives, one after the other, each closed by [`Symbol::End`].
    pub(crate) symbols: Vec<Symbol>,
    /// Where each alternative begins.
    starts: Vec<u32>,
    /// Rules by number, in llama.cpp's order: first mention, first number.
    pub(crate) rules: Vec<TableRule>,
    /// Written rules' names by number.
    pub(crate) owners: Vec<RuleName>,
    /// The distinct sets: sorted ranges with gaps between them.
    pub(crate) sets: Vec<Box<[(u32, u32)]>>,
    /// The distinct tokens.
    pub(crate) tokens: Vec<Token>,
    /// The number of the rule `root`.
    pub(crate) root: u32,
    /// Elements as llama.cpp counts them: every bound of a class, every bar and every end is one.
    pub(crate) elements: u64,
}

impl Compiled {
    /// The symbol at a position. Past the table there is only the end, so that no caller can run out of it.
    pub(crate) fn symbol(&self, position: u32) -> Symbol {
        self.symbols.get(position as usize).copied().unwrap_or(Symbol::End)
    }

    /// Where the alternatives of a rule begin.
    pub(crate) fn alternatives(&self, rule: u32) -> &[u32] {
        self.rules.get(rule as usize).map_or(&[], |rule| {
            let first = rule.first as usize;
            self.starts.get(first..first.saturating_add(rule.count as usize)).unwrap_or_default()
        })
    }

    /// The symbols of the alternative that begins at a position, without its end.
    pub(crate) fn sequence(&self, start: u32) -> impl Iterator<Item = (u32, Symbol)> + '_ {
        (start..).map(|position| (position, self.symbol(position))).take_while(|(_, symbol)| *symbol != Symbol::End)
    }

    /// The members of a set.
    pub(crate) fn set(&self, set: u32) -> &[(u32, u32)] {
        self.sets.get(set as usize).map_or(&[], |ranges| ranges)
    }

    /// The written rule that a rule of the table belongs to.
    pub(crate) fn owner(&self, rule: u32) -> &str {
        self.rules.get(rule as usize).and_then(|rule| self.owners.get(rule.owner as usize)).map_or("", RuleName::as_str)
    }
}

/// Whether sorted ranges hold a code point.
pub(crate) fn contains(ranges: &[(u32, u32)], code_point: u32) -> bool {
    let after = ranges.partition_point(|range| range.0 <= code_point);
    after.checked_sub(1).and_then(|at| ranges.get(at)).is_some_and(|range| code_point <= range.1)
}

/// An element while its rule is being written: a bar inside the rule is still an element.
#[derive(Clone, Copy, Debug)]
enum Element {
    Bar,
    Symbol { symbol: Symbol, cost: u32 },
}

#[derive(Clone, Debug, Default)]
struct Draft {
    elements: Vec<Element>,
    owner: u32,
    defined: bool,
}

struct Compiler<'a> {
    dialect: &'a Dialect,
    numbers: HashMap<&'a str, u32>,
    owner_numbers: HashMap<&'a str, u32>,
    owners: Vec<RuleName>,
    drafts: Vec<Draft>,
    set_numbers: HashMap<Box<[(u32, u32)]>, u32>,
    sets: Vec<Box<[(u32, u32)]>>,
    token_numbers: HashMap<&'a Token, u32>,
    tokens: Vec<Token>,
    spent: u64,
}

/// Writes the grammar out as a table of rules and checks what llama.cpp checks: every name defined, `root` among them, every
/// repetition within the build's bounds. Left recursion is not looked at here.
pub(crate) fn compile(grammar: &Grammar, dialect: &Dialect) -> Result<Compiled, CompileError> {
    let mut compiler = Compiler {
        dialect,
        numbers: HashMap::new(),
        owner_numbers: HashMap::new(),
        owners: Vec::new(),
        drafts: Vec::new(),
        set_numbers: HashMap::new(),
        sets: Vec::new(),
        token_numbers: HashMap::new(),
        tokens: Vec::new(),
        spent: 0,
    };
    if grammar.rules().is_empty() {
        return Err(CompileError::NoRules);
    }
    for rule in grammar.rules() {
        let number = compiler.number_of(rule.name());
        let owner = compiler.owner_of(rule.name());
        compiler.alternatives(rule.body(), number, owner, 0)?;
    }
    compiler.finish()
}

impl<'a> Compiler<'a> {
    fn number_of(&mut self, name: &'a RuleName) -> u32 {
        if let Some(&number) = self.numbers.get(name.as_str()) {
            return number;
        }
        let owner = self.owner_of(name);
        let number = self.new_rule(owner);
        self.numbers.insert(name.as_str(), number);
        number
    }

    fn owner_of(&mut self, name: &'a RuleName) -> u32 {
        let owners = &mut self.owners;
        *self.owner_numbers.entry(name.as_str()).or_insert_with(|| {
            owners.push(name.clone());
            // Never truncated: the count of elements, which is larger, is kept within the limit.
            (owners.len() - 1) as u32
        })
    }

    fn new_rule(&mut self, owner: u32) -> u32 {
        self.drafts.push(Draft { owner, ..Draft::default() });
        (self.drafts.len() - 1) as u32
    }

    fn name_of(&self, owner: u32) -> String {
        self.owners.get(owner as usize).map_or_else(String::new, RuleName::to_string)
    }

    /// Counts elements before they are made.
    fn spend(&mut self, elements: u64, owner: u32) -> Result<(), CompileError> {
        self.spent = self.spent.saturating_add(elements);
        // Numbers of rules and positions are 32 bits wide, whatever limit the caller asked for.
        let limit = self.dialect.limits.elements.min(u32::MAX as usize / 2);
        if self.spent > limit as u64 {
            return Err(CompileError::TooManyElements { rule: self.name_of(owner), limit });
        }
        Ok(())
    }

    fn define(&mut self, number: u32, elements: Vec<Element>) {
        if let Some(draft) = self.drafts.get_mut(number as usize) {
            draft.elements = elements;
            draft.defined = true;
        }
    }

    fn alternatives(
        &mut self,
        alternatives: &'a Alternatives,
        number: u32,
        owner: u32,
        depth: usize,
    ) -> Result<(), CompileError> {
        let mut elements = Vec::new();
        for (i, sequence) in alternatives.sequences().iter().enumerate() {
            self.spend(2, owner)?;
            if i > 0 {
                elements.push(Element::Bar);
            }
            self.sequence(sequence, &mut elements, owner, depth)?;
        }
        self.define(number, elements);
        Ok(())
    }

    fn sequence(
        &mut self,
        sequence: &'a Sequence,
        elements: &mut Vec<Element>,
        owner: u32,
        depth: usize,
    ) -> Result<(), CompileError> {
        for item in sequence.items() {
            self.item(item, elements, owner, depth)?;
        }
        Ok(())
    }

    /// Adds an item's elements and returns llama.cpp's `n_prev_rules` for it.
    fn item(
        &mut self,
        item: &'a Item,
        elements: &mut Vec<Element>,
        owner: u32,
        depth: usize,
    ) -> Result<u64, CompileError> {
        let limit = self.dialect.limits.depth;
        if depth > limit {
            return Err(CompileError::TooDeep { rule: self.name_of(owner), limit });
        }
        match item {
            Item::Literal(literal) => {
                let points = literal.code_points();
                self.spend(points.len() as u64, owner)?;
                for (i, &point) in points.iter().enumerate() {
                    let set = self.set(vec![(point, point)]);
                    let joined = i + 1 < points.len();
                    elements.push(Element::Symbol { symbol: Symbol::Set { set, joined }, cost: 1 });
                }
                Ok(1)
            }
            Item::Class(class) => {
                let cost = class.ranges().iter().map(|r| if r.0 == r.1 { 1_u64 } else { 2 }).sum();
                self.spend(cost, owner)?;
                let set = self.set(class.members());
                elements.push(Element::Symbol { symbol: Symbol::Set { set, joined: false }, cost: cost as u32 });
                Ok(1)
            }
            Item::Any => {
                self.spend(1, owner)?;
                let set = self.set(vec![(0, u32::MAX)]);
                elements.push(Element::Symbol { symbol: Symbol::Set { set, joined: false }, cost: 1 });
                Ok(1)
            }
            Item::Ref(name) => {
                self.spend(1, owner)?;
                let number = self.number_of(name);
                elements.push(Element::Symbol { symbol: Symbol::Rule(number), cost: 1 });
                Ok(1)
            }
            Item::Token(token) => {
                self.spend(1, owner)?;
                let tokens = &mut self.tokens;
                let number = *self.token_numbers.entry(token).or_insert_with(|| {
                    tokens.push(token.clone());
                    (tokens.len() - 1) as u32
                });
                elements.push(Element::Symbol { symbol: Symbol::Token(number), cost: 1 });
                Ok(1)
            }
            Item::Group(alternatives) => {
                self.spend(2, owner)?;
                let before = self.drafts.len();
                let number = self.new_rule(owner);
                self.alternatives(alternatives, number, owner, depth + 1)?;
                elements.push(Element::Symbol { symbol: Symbol::Rule(number), cost: 1 });
                Ok((self.drafts.len() - before) as u64)
            }
            Item::Repeat(repeat) => self.repeat(item, repeat, elements, owner, depth),
        }
    }

    fn repeat(
        &mut self,
        item: &Item,
        repeat: &'a Repeat,
        elements: &mut Vec<Element>,
        owner: u32,
        depth: usize,
    ) -> Result<u64, CompileError> {
        let start = elements.len();
        let rules = self.item(repeat.item(), elements, owner, depth + 1)?;
        let len = (elements.len() - start) as u64;
        let plan = repetition::plan(self.dialect, len, rules, u64::from(repeat.min()), repeat.max().map(u64::from))
            .map_err(|_: Fault| CompileError::Repetition {
                rule: self.name_of(owner),
                repetition: item.to_string().chars().take(60).collect(),
                build: self.dialect.build.name(),
            })?;
        let repeated: Vec<Element> = elements.get(start..).unwrap_or_default().to_vec();
        let cost: u64 = repeated.iter().map(cost).sum();
        self.spend(plan.elements(cost), owner)?;
        elements.truncate(start);
        for _ in 0..plan.min {
            elements.extend_from_slice(&repeated);
        }
        let mut last = None;
        for _ in 0..plan.optional {
            let number = self.new_rule(owner);
            let mut body = repeated.clone();
            if let Some(next) = if plan.unbounded { Some(number) } else { last } {
                body.push(Element::Symbol { symbol: Symbol::Rule(next), cost: 1 });
            }
            body.push(Element::Bar);
            self.define(number, body);
            last = Some(number);
        }
        if let Some(number) = last {
            elements.push(Element::Symbol { symbol: Symbol::Rule(number), cost: 1 });
        }
        Ok(plan.rules)
    }

    fn set(&mut self, ranges: Vec<(u32, u32)>) -> u32 {
        let ranges = ranges.into_boxed_slice();
        if let Some(&number) = self.set_numbers.get(&ranges) {
            return number;
        }
        let number = self.sets.len() as u32;
        self.sets.push(ranges.clone());
        self.set_numbers.insert(ranges, number);
        number
    }

    /// Checks the table as `llama_grammar_parser::parse` and `llama_grammar_init_impl` do, and lays it out flat.
    fn finish(self) -> Result<Compiled, CompileError> {
        // llama.cpp's table ends at the last rule that got a body; a name behind that is not looked at unless it is used.
        let end = self.drafts.iter().rposition(|draft| draft.defined).map_or(0, |last| last + 1);
        for (number, draft) in self.drafts.iter().enumerate() {
            if number < end && !draft.defined {
                return Err(self.undefined(number as u32));
            }
            for element in &draft.elements {
                if let Element::Symbol { symbol: Symbol::Rule(used), .. } = element
                    && !self.drafts.get(*used as usize).is_some_and(|draft| draft.defined)
                {
                    return Err(self.undefined(*used));
                }
            }
        }
        let root = self
            .numbers
            .get("root")
            .copied()
            .filter(|&root| self.drafts.get(root as usize).is_some_and(|draft| draft.defined))
            .ok_or(CompileError::MissingRoot)?;

        let mut symbols = Vec::new();
        let mut starts = Vec::new();
        let mut rules = Vec::with_capacity(end);
        let mut total = 0_u64;
        for draft in self.drafts.iter().take(end) {
            let first = starts.len() as u32;
            starts.push(symbols.len() as u32);
            for element in &draft.elements {
                total = total.saturating_add(cost(element));
                match element {
                    Element::Bar => {
                        symbols.push(Symbol::End);
                        starts.push(symbols.len() as u32);
                    }
                    Element::Symbol { symbol, .. } => symbols.push(*symbol),
                }
            }
            symbols.push(Symbol::End);
            total = total.saturating_add(1);
            rules.push(TableRule { first, count: starts.len() as u32 - first, owner: draft.owner });
        }
        Ok(Compiled {
            symbols,
            starts,
            rules,
            owners: self.owners,
            sets: self.sets,
            tokens: self.tokens,
            root,
            elements: total,
        })
    }

    fn undefined(&self, number: u32) -> CompileError {
        let name = self
            .numbers
            .iter()
            .find(|(_, known)| **known == number)
            .map_or_else(String::new, |(name, _)| (*name).to_owned());
        let used_in = self
            .drafts
            .iter()
            .find(|draft| {
                draft.elements.iter().any(
                    |element| matches!(element, Element::Symbol { symbol: Symbol::Rule(used), .. } if *used == number),
                )
            })
            .map_or_else(|| name.clone(), |draft| self.name_of(draft.owner));
        CompileError::UndefinedRule { name, used_in }
    }
}

fn cost(element: &Element) -> u64 {
    match element {
        Element::Bar => 1,
        Element::Symbol { cost, .. } => u64::from(*cost),
    }
}
