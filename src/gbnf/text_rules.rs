//! The rules of a text: what stands between the quotes of a JSON string, in one spelling.
//!
//! A character is written as itself where RFC 8259 (section 7) allows that, and `"`, `\`, line feed and tab as `\"`,
//! `\\`, `\n` and `\t`. There is no other spelling, so that an excluded phrase cannot be written in disguise. Classes are
//! positive: a negated class of llama.cpp also takes surrogates and values above U+10FFFF.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use super::from_shape::ShapeError;
use super::{Expr, Item, Literal, Rule, RuleName};
use crate::language::counted::{Method, counted};
use crate::language::linear::{LinearRules, Piece};
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
            Words::Automaton(dfa) => self.automaton(&name, dfa, text)?,
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
    fn automaton(&mut self, name: &RuleName, dfa: &Arc<Dfa>, text: &Text) -> Result<(), ShapeError> {
        let linear = rules_of(dfa, text.max)
            .map_err(|error| ShapeError::Text { name: text.name.clone(), why: error.to_string() })?;
        let rule_name = |at: usize| match linear.rules.get(at) {
            Some(rule) if at != linear.start => RuleName::lossy(&format!("{name}-{}", rule.name)),
            _ => name.clone(),
        };
        for (at, rule) in linear.rules.iter().enumerate() {
            if rule.alternatives.is_empty() {
                return Err(ShapeError::Empty { what: format!("text {:?}", text.name) });
            }
            let ways = rule.alternatives.iter().map(|way| {
                Expr::seq(way.iter().map(|piece| match piece {
                    Piece::Literal(code_points) => Expr::item(Item::Literal(Literal::new(code_points.clone()))),
                    Piece::Set(set) => Expr::class_of(set.ranges().collect()),
                    Piece::Rule(at) => Expr::rule(rule_name(*at)),
                }))
            });
            self.rules.push(Rule::new(rule_name(at), Expr::alt(ways)));
        }
        Ok(())
    }
}

/// An automaton with a length, and the rules made of it.
type Made = (Arc<Dfa>, usize, Arc<LinearRules>);

/// How many are kept: a few texts for each of a few profiles.
const KEPT: usize = 16;

/// The rules of an automaton's words up to a length, in JSON spelling.
///
/// The last few are kept: profiles share their texts, and making the label's rules takes most of the time of a grammar. An
/// automaton is the same only if it is the same allocation, which the entry keeps alive.
fn rules_of(dfa: &Arc<Dfa>, max: usize) -> Result<Arc<LinearRules>, BudgetExceeded> {
    static MADE: Mutex<Vec<Made>> = Mutex::new(Vec::new());
    // A poisoned list is still a list of finished rules.
    let lock = || MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, _, rules)) = lock().iter().find(|(known, n, _)| Arc::ptr_eq(known, dfa) && *n == max) {
        return Ok(Arc::clone(rules));
    }
    let longest = u32::try_from(max).unwrap_or(u32::MAX);
    let rules = counted(dfa, longest, Method::Auto, &Budget::default())?.spelled().hoist_sets(HOISTED);
    let rules = Arc::new(rules);
    let mut made = lock();
    if made.len() >= KEPT {
        made.remove(0);
    }
    made.push((Arc::clone(dfa), max, Arc::clone(&rules)));
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
