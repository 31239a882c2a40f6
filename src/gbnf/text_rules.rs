//! The rules of a text: what stands between the quotes of a JSON string, in one spelling.
//!
//! A character is written as itself where RFC 8259 (section 7) allows that, and `"`, `\`, line feed and tab as `\"`,
//! `\\`, `\n` and `\t`. There is no other spelling, so that an excluded phrase cannot be written in disguise. Classes are
//! positive: a negated class of llama.cpp also takes surrogates and values above U+10FFFF.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use super::from_shape::ShapeError;
use super::{Expr, Item, Literal, Rule, RuleName};
use crate::language::counted::{Method, counted, headed};
use crate::language::linear::{self, LinearRules, Piece};
use crate::language::{Budget, BudgetExceeded, CodePointSet, Dfa};
use crate::shape::{Text, Words};

/// The most repetitions in one `{m,n}`. llama.cpp refuses a minimum above 2000 and reads a maximum above it as no maximum
/// (`llama-grammar.cpp`, `MAX_REPETITION_THRESHOLD`); half of that leaves room for what multiplies.
const BLOCK: usize = 1000;

/// A set of this many ranges that occurs more than once is written once, as a rule of its own.
const HOISTED: usize = 3;

/// Characters that are written as an escape, with the letter after the backslash.
const ESCAPES: [(char, char); 4] = [('"', '"'), ('\\', '\\'), ('\n', 'n'), ('\t', 't')];

/// The rules of the texts of one grammar.
#[derive(Default)]
pub(super) struct TextRules {
    rules: Vec<Rule>,
    /// The rule of each text by its name, with its greatest length.
    by_name: BTreeMap<String, (RuleName, usize)>,
    characters: HashMap<Vec<(u32, u32)>, RuleName>,
}

impl TextRules {
    /// The rule of a text, made the first time that it is asked for.
    pub(super) fn rule(&mut self, text: &Text) -> Result<Expr, ShapeError> {
        if let Some((name, max)) = self.by_name.get(&text.name) {
            if *max != text.max {
                return Err(ShapeError::NameTaken { name: text.name.clone() });
            }
            return Ok(Expr::rule(name.clone()));
        }
        if text.max == 0 {
            return Err(ShapeError::Empty { what: format!("text {:?} of no characters", text.name) });
        }
        let name = RuleName::lossy(&text.name);
        self.by_name.insert(text.name.clone(), (name.clone(), text.max));
        match &text.words {
            Words::Trimmed { inner, edge } => self.trimmed(&name, inner, edge, text.max),
            Words::Automaton(dfa) => self.automaton(&name, dfa, text, false)?,
            Words::Headed(dfa) => self.automaton(&name, dfa, text, true)?,
        }
        Ok(Expr::rule(name))
    }

    /// All the rules made, in order.
    pub(super) fn finish(self) -> Vec<Rule> {
        self.rules
    }

    /// `edge (inner{0,max-2} edge)?`: at most two ways are alive, and one of them only until the closing quote.
    fn trimmed(&mut self, name: &RuleName, inner: &CodePointSet, edge: &CodePointSet, max: usize) {
        let at = self.rules.len();
        let end = self.character(edge, &format!("{name}-edge"));
        let body = if max == 1 {
            end
        } else {
            let inner = self.character(inner, &format!("{name}-char"));
            let middle = self.up_to(&inner, max - 2, name);
            Expr::seq([end.clone(), Expr::seq([middle, end]).opt()])
        };
        self.rules.insert(at, Rule::new(name.clone(), body));
    }

    /// `expr{0,count}`, in named blocks where `count` is large.
    fn up_to(&mut self, expr: &Expr, count: usize, name: &RuleName) -> Expr {
        let bound = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        if count <= BLOCK {
            return expr.clone().repeat(0, Some(bound(count)));
        }
        let block = RuleName::lossy(&format!("{name}-block"));
        if !self.rules.iter().any(|rule| *rule.name() == block) {
            self.rules.push(Rule::new(block.clone(), expr.clone().repeat(bound(BLOCK), Some(bound(BLOCK)))));
        }
        let rest = self.up_to(expr, count - BLOCK, name);
        let short = expr.clone().repeat(0, Some(bound(BLOCK - 1)));
        Expr::alt([short, Expr::seq([Expr::rule(block), rest])])
    }

    /// The rule of one character out of a set.
    fn character(&mut self, set: &CodePointSet, name: &str) -> Expr {
        let ranges: Vec<(u32, u32)> = set.ranges().collect();
        if let Some(name) = self.characters.get(&ranges) {
            return Expr::rule(name.clone());
        }
        let name = RuleName::lossy(name);
        self.characters.insert(ranges, name.clone());
        self.rules.push(Rule::new(name.clone(), spelled(set)));
        Expr::rule(name)
    }

    /// The automaton's words of at most `text.max` code points.
    fn automaton(&mut self, name: &RuleName, dfa: &Arc<Dfa>, text: &Text, is_headed: bool) -> Result<(), ShapeError> {
        let linear = rules_of(dfa, text.max, is_headed)
            .map_err(|error| ShapeError::Text { name: text.name.clone(), why: error.to_string() })?;
        let writer = Writer::new(&linear, name);
        for (at, rule) in linear.rules.iter().enumerate() {
            if rule.alternatives.is_empty() {
                return Err(ShapeError::Empty { what: format!("text {:?}", text.name) });
            }
            if writer.level(at).is_multiple_of(NESTED) {
                self.rules.push(Rule::new(writer.name(at), writer.body(rule)));
            }
        }
        Ok(())
    }
}

/// How deeply rules that are called once are written inside each other: a phrase is a chain of such rules, and a name for
/// each letter would be most of the text.
const NESTED: usize = 6;

/// Writes plain rules as rules of a grammar.
struct Writer<'a> {
    linear: &'a LinearRules,
    name: &'a RuleName,
    /// For each rule, how many rules that are called once lie between it and one that is called more often, it included;
    /// 0 for the latter. A rule whose level is a multiple of [`NESTED`] has a name, any other is written where it is called.
    levels: Vec<usize>,
}

impl<'a> Writer<'a> {
    fn new(linear: &'a LinearRules, name: &'a RuleName) -> Self {
        let mut caller: Vec<Option<usize>> = vec![None; linear.rules.len()];
        let mut calls = vec![0_usize; linear.rules.len()];
        for (at, rule) in linear.rules.iter().enumerate() {
            for piece in rule.alternatives.iter().flatten() {
                if let Piece::Rule(called) = piece
                    && let (Some(calls), Some(slot)) = (calls.get_mut(*called), caller.get_mut(*called))
                {
                    *calls += 1;
                    *slot = Some(at);
                }
            }
        }
        let once = |at: usize| at != linear.start && calls.get(at) == Some(&1);
        // Up the chain of only callers; one that leads back to itself, which a start of its own would have to break, is cut.
        let level = |at: usize| {
            let mut level = 0;
            let mut here = at;
            while once(here) && level < linear.rules.len() {
                level += 1;
                match caller.get(here).copied().flatten() {
                    Some(above) => here = above,
                    None => break,
                }
            }
            level
        };
        Writer { linear, name, levels: (0..linear.rules.len()).map(level).collect() }
    }

    fn level(&self, at: usize) -> usize {
        self.levels.get(at).copied().unwrap_or(0)
    }

    fn name(&self, at: usize) -> RuleName {
        match self.linear.rules.get(at) {
            Some(rule) if at != self.linear.start => RuleName::lossy(&format!("{}-{}", self.name, rule.name)),
            _ => self.name.clone(),
        }
    }

    /// The recursion is at most [`NESTED`] deep.
    fn body(&self, rule: &linear::Rule) -> Expr {
        Expr::alt(rule.alternatives.iter().map(|way| {
            Expr::seq(way.iter().map(|piece| match piece {
                Piece::Literal(code_points) => Expr::item(Item::Literal(Literal::new(code_points.clone()))),
                Piece::Set(set) => Expr::class_of(set.ranges().collect()),
                Piece::Rule(at) => match self.linear.rules.get(*at) {
                    Some(called) if !self.level(*at).is_multiple_of(NESTED) => self.body(called),
                    _ => Expr::rule(self.name(*at)),
                },
            }))
        }))
    }
}

/// An automaton with a length and whether its head is uncounted, and the rules made of it.
type Made = (Arc<Dfa>, (usize, bool), Arc<LinearRules>);

/// How many are kept: a few texts for each of a few profiles.
const KEPT: usize = 16;

/// The rules of an automaton's words up to a length, in JSON spelling.
///
/// The last few are kept: profiles share their texts, and making the label's rules takes most of the time of a grammar. An
/// automaton is the same only if it is the same allocation, which the entry keeps alive.
fn rules_of(dfa: &Arc<Dfa>, max: usize, is_headed: bool) -> Result<Arc<LinearRules>, BudgetExceeded> {
    static MADE: Mutex<Vec<Made>> = Mutex::new(Vec::new());
    // A poisoned list is still a list of finished rules.
    let lock = || MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, _, rules)) = lock().iter().find(|(known, n, _)| Arc::ptr_eq(known, dfa) && *n == (max, is_headed)) {
        return Ok(Arc::clone(rules));
    }
    let longest = u32::try_from(max).unwrap_or(u32::MAX);
    let budget = Budget::default();
    let rules = if is_headed { headed(dfa, longest, &budget)? } else { counted(dfa, longest, Method::Auto, &budget)? };
    let rules = Arc::new(rules.spelled().hoist_sets(HOISTED).share_alternatives());
    let mut made = lock();
    if made.len() >= KEPT {
        made.remove(0);
    }
    made.push((Arc::clone(dfa), (max, is_headed), Arc::clone(&rules)));
    Ok(rules)
}

/// One character out of a set, in our one spelling; other control characters have none and are left out.
fn spelled(set: &CodePointSet) -> Expr {
    let escaped = CodePointSet::from_chars(ESCAPES.iter().map(|(c, _)| *c));
    let controls = CodePointSet::from_ranges([(0, 0x1F)]);
    let plain = set.difference(&escaped).difference(&controls).intersection(&CodePointSet::scalar_values());
    let letters: Vec<(char, char)> =
        ESCAPES.iter().filter(|(c, _)| set.contains(u32::from(*c))).map(|(_, letter)| (*letter, *letter)).collect();
    let mut ways = Vec::new();
    if !plain.is_empty() {
        ways.push(Expr::class_of(plain.ranges().collect()));
    }
    match letters.as_slice() {
        [] => {}
        [(letter, _)] => ways.push(Expr::lit(&format!("\\{letter}"))),
        _ => ways.push(Expr::seq([Expr::lit("\\"), Expr::class(letters)])),
    }
    Expr::alt(ways)
}
