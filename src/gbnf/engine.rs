//! What llama.cpp does with a grammar, predicted without running it, and what is wrong with the grammar.
//!
//! The two differ. llama.cpp's left-recursion check sees only what is written empty, not what becomes empty through other rules,
//! so it misses cases on which the engine then never ends; and it forgets what it has visited, so harmless grammars can keep it
//! busy for hours. [`inspect`] tells both: the [`EngineVerdict`] of a build, and [`Finding`]s of our own, decided by a fixpoint.

use super::ast::Grammar;
use super::compile::{self, CompileError, Compiled, Symbol};
use super::dialect::Dialect;
use super::error::ParseError;
use super::parse::parse_with;

/// What a build of llama.cpp does with a grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EngineVerdict {
    /// It takes the grammar and generates under it.
    Accepts,
    /// It prints an error and refuses.
    Refuses,
    /// It works for minutes, for ever, or until memory ends.
    Hangs,
    /// Its call stack overflows and the process dies.
    Overflows,
    /// Our own limits ended the reading before this could be known.
    Unknown,
}

impl std::fmt::Display for EngineVerdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            EngineVerdict::Accepts => "accepts",
            EngineVerdict::Refuses => "refuses",
            EngineVerdict::Hangs => "hangs",
            EngineVerdict::Overflows => "overflows its stack",
            EngineVerdict::Unknown => "unknown",
        })
    }
}

/// Something that is wrong with a grammar, or costs more than it should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is.
    pub kind: FindingKind,
    /// The written rule it is about.
    pub rule: String,
    /// One sentence for a person.
    pub message: String,
}

/// The kinds of [`Finding`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FindingKind {
    /// Rules lead back to themselves before they read anything.
    LeftRecursion {
        /// The written rules on the way round, each once.
        cycle: Vec<String>,
        /// Whether llama.cpp's own check sees it.
        seen_by_engine: bool,
        /// Whether every round leaves something behind to be matched later, so that expanding it never ends.
        grows: bool,
    },
    /// llama.cpp's left-recursion check visits rules over and over; above four million it is reported.
    ExponentialCheck {
        /// How many visits it takes, cut at `u64::MAX`.
        visits: u64,
    },
    /// A chain of leftmost references so long that the check may overflow a thread's stack.
    DeepChain {
        /// Rules on the longest chain.
        depth: usize,
    },
    /// A maximum above the build's limit, which the build silently reads as "no maximum".
    WidenedRepetition,
    /// A rule that is defined more than once; the last definition counts.
    Overridden,
    /// A rule that `root` never reaches.
    Unreachable,
}

/// Visits of the left-recursion check from which on it is reported as slow: 4 million take about 0.1 s.
pub(super) const SLOW_VISITS: u64 = 1 << 22;

/// Visits from which on we say that the engine hangs: 2^28 take about 6 s, and every further level doubles that. Measured on the
/// pinned build: 0.1 s at 2^22, 0.36 s at 2^24.
const HANGING_VISITS: u64 = 1 << 28;

/// Length of a leftmost chain from which on the check can overflow. The pinned build died between 16,300 and 16,400 rules on a
/// thread with 2 MB of stack, and between 64,800 and 65,600 on 8 MB.
const DEEP_CHAIN: usize = 16_000;

/// Parentheses from which on the parser can overflow: measured between 4,660 and 4,720 on 2 MB.
const DEEP_NESTING: usize = 4_600;

/// A grammar text seen from both sides.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// The tree, if the text could be read.
    pub grammar: Option<Grammar>,
    /// Why it could not.
    pub error: Option<ParseError>,
    /// What the build does with the text.
    pub engine: EngineVerdict,
    /// What is wrong with it beyond that.
    pub findings: Vec<Finding>,
}

/// Reads a grammar text and tells what the dialect's build does with it and what is wrong with it.
///
/// Linear in the text and in the written-out table, like [`parse`](super::parse); it never fails, because a text that cannot be
/// read is an answer too.
pub fn inspect(text: &str, dialect: &Dialect) -> Inspection {
    match parse_with(text, dialect) {
        Err(error) => Inspection { grammar: None, engine: error.engine, error: Some(error), findings: Vec::new() },
        Ok(grammar) => match inspect_grammar(&grammar, dialect) {
            Ok((engine, findings)) => Inspection { grammar: Some(grammar), error: None, engine, findings },
            // The parser has compiled the same tree already, so this is only reached if that changes.
            Err(_) => {
                Inspection { grammar: Some(grammar), error: None, engine: EngineVerdict::Unknown, findings: Vec::new() }
            }
        },
    }
}

/// As [`inspect`], for a tree.
///
/// # Errors
///
/// [`CompileError`] when the tree is no grammar for that build: an undefined rule, no `root`, a refused repetition, a limit.
pub fn inspect_grammar(grammar: &Grammar, dialect: &Dialect) -> Result<(EngineVerdict, Vec<Finding>), CompileError> {
    let compiled = compile::compile(grammar, dialect)?;
    let judgement = judge(&compiled, dialect);
    let mut findings = judgement.findings;
    let mut defined = std::collections::HashSet::new();
    for rule in grammar.rules().iter().rev() {
        if !defined.insert(rule.name()) {
            findings.push(Finding {
                kind: FindingKind::Overridden,
                rule: rule.name().to_string(),
                message: format!(
                    "`{}` is defined again further down, and only the last definition counts",
                    rule.name()
                ),
            });
        }
    }
    let reached = reachable(&compiled);
    let mut told = std::collections::HashSet::new();
    for (number, rule) in compiled.rules.iter().enumerate() {
        let owner = compiled.owner(number as u32);
        // Written-out rules share their owner's fate; only the rule that carries the name decides.
        if told.insert(rule.owner) && !reached.get(number).copied().unwrap_or(false) {
            findings.push(Finding {
                kind: FindingKind::Unreachable,
                rule: owner.to_owned(),
                message: format!("`root` never reaches `{owner}`"),
            });
        }
    }
    for rule in grammar.rules() {
        if let Some(text) = super::analysis::widened(rule.body(), dialect) {
            findings.push(Finding {
                kind: FindingKind::WidenedRepetition,
                rule: rule.name().to_string(),
                message: format!(
                    "llama.cpp {} reads `{text}` as if it had no maximum; repeat a block of at most 1000 that has a name instead",
                    dialect.build
                ),
            });
        }
    }
    Ok((judgement.engine, findings))
}

/// The deepest nesting of parentheses in a text, counted as the parser would meet them, and what the engine does with it.
pub(crate) fn nesting_verdict(text: &str) -> EngineVerdict {
    let mut depth = 0_usize;
    let mut deepest = 0_usize;
    let mut closer: Option<char> = None;
    let mut escaped = false;
    for c in text.chars() {
        if let Some(end) = closer {
            if escaped {
                escaped = false;
            } else if c == '\\' && end != '\n' {
                escaped = true;
            } else if c == end {
                closer = None;
            }
            continue;
        }
        match c {
            '"' => closer = Some('"'),
            '[' => closer = Some(']'),
            '#' => closer = Some('\n'),
            '(' => {
                depth = depth.saturating_add(1);
                deepest = deepest.max(depth);
            }
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    if deepest >= DEEP_NESTING { EngineVerdict::Overflows } else { EngineVerdict::Unknown }
}

/// What is known of a table of rules.
#[derive(Clone, Debug)]
pub(crate) struct Judgement {
    /// What the build does.
    pub(crate) engine: EngineVerdict,
    /// The cycle for which our parser refuses the grammar: llama.cpp refuses it too, or would never end on it.
    pub(crate) refused_cycle: Option<Vec<String>>,
    /// What we have to say.
    pub(crate) findings: Vec<Finding>,
}

/// Which rules `root` reaches.
pub(crate) fn reachable(compiled: &Compiled) -> Vec<bool> {
    let mut reached = vec![false; compiled.rules.len()];
    let mut todo = vec![compiled.root];
    while let Some(rule) = todo.pop() {
        match reached.get_mut(rule as usize) {
            Some(seen) if !*seen => *seen = true,
            _ => continue,
        }
        for &start in compiled.alternatives(rule) {
            for (_, symbol) in compiled.sequence(start) {
                if let Symbol::Rule(next) = symbol {
                    todo.push(next);
                }
            }
        }
    }
    reached
}

/// Which rules can be empty, by fixpoint. Linear in the table: every use is looked at once when its rule turns out nullable.
pub(crate) fn nullable(compiled: &Compiled) -> Vec<bool> {
    let rules = compiled.rules.len();
    let mut nullable = vec![false; rules];
    // For each alternative that consists of rules only: how many of them are not known to be nullable yet.
    let mut missing: Vec<(u32, usize)> = Vec::new();
    let mut uses: Vec<Vec<usize>> = vec![Vec::new(); rules];
    let mut todo = Vec::new();
    for rule in 0..rules as u32 {
        for &start in compiled.alternatives(rule) {
            let mut parts = Vec::new();
            let only_rules = compiled.sequence(start).all(|(_, symbol)| match symbol {
                Symbol::Rule(next) => {
                    parts.push(next);
                    true
                }
                _ => false,
            });
            if !only_rules {
                continue;
            }
            if parts.is_empty() {
                todo.push(rule);
            }
            for part in &parts {
                if let Some(list) = uses.get_mut(*part as usize) {
                    list.push(missing.len());
                }
            }
            missing.push((rule, parts.len()));
        }
    }
    while let Some(rule) = todo.pop() {
        match nullable.get_mut(rule as usize) {
            Some(known) if !*known => *known = true,
            _ => continue,
        }
        for &at in uses.get(rule as usize).map_or(&[][..], Vec::as_slice) {
            if let Some((owner, left)) = missing.get_mut(at) {
                *left = left.saturating_sub(1);
                if *left == 0 {
                    todo.push(*owner);
                }
            }
        }
    }
    nullable
}

/// Leftmost references: from each rule to the rules that can stand first in it.
struct Leftmost {
    /// For each rule, `(target, whether something stands behind it in its alternative)`.
    edges: Vec<Vec<(u32, bool)>>,
}

impl Leftmost {
    /// With `nullable` deciding what may stand in front and still be empty.
    fn of(compiled: &Compiled, nullable: &[bool]) -> Self {
        let edges = (0..compiled.rules.len() as u32)
            .map(|rule| {
                let mut targets = Vec::new();
                for &start in compiled.alternatives(rule) {
                    for (position, symbol) in compiled.sequence(start) {
                        let Symbol::Rule(next) = symbol else { break };
                        let more = compiled.symbol(position.saturating_add(1)) != Symbol::End;
                        targets.push((next, more));
                        if !nullable.get(next as usize).copied().unwrap_or(false) {
                            break;
                        }
                    }
                }
                targets
            })
            .collect();
        Leftmost { edges }
    }

    fn targets(&self, rule: usize) -> &[(u32, bool)] {
        self.edges.get(rule).map_or(&[], Vec::as_slice)
    }

    /// The strongly connected component of each rule. Components are numbered so that an edge never leads to a higher number.
    fn components(&self) -> Vec<usize> {
        components(self.edges.len(), |rule, at| self.targets(rule).get(at).map(|&(next, _)| next as usize))
    }
}

/// Tarjan's strongly connected components without recursion, because a chain of rules may be as long as the grammar.
///
/// `edge(node, i)` is the node's i-th target. Returns each node's component; a component is numbered after all those that it
/// leads to.
pub(crate) fn components(nodes: usize, edge: impl Fn(usize, usize) -> Option<usize>) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    let mut order = vec![NEW; nodes];
    let mut low = vec![NEW; nodes];
    let mut component = vec![NEW; nodes];
    let mut open: Vec<usize> = Vec::new();
    let mut next_order = 0_usize;
    let mut next_component = 0_usize;
    for root in 0..nodes {
        if order.get(root).is_none_or(|&o| o != NEW) {
            continue;
        }
        let mut path: Vec<(usize, usize)> = vec![(root, 0)];
        while let Some((node, at)) = path.last_mut() {
            let node = *node;
            if *at == 0 {
                set(&mut order, node, next_order);
                set(&mut low, node, next_order);
                next_order += 1;
                open.push(node);
            }
            let target = edge(node, *at);
            *at += 1;
            match target {
                Some(target) if get(&order, target) == NEW => path.push((target, 0)),
                Some(target) => {
                    if get(&component, target) == NEW {
                        let lower = get(&low, node).min(get(&order, target));
                        set(&mut low, node, lower);
                    }
                }
                None => {
                    path.pop();
                    if let Some(&(parent, _)) = path.last() {
                        let lower = get(&low, parent).min(get(&low, node));
                        set(&mut low, parent, lower);
                    }
                    if get(&low, node) == get(&order, node) {
                        while let Some(member) = open.pop() {
                            set(&mut component, member, next_component);
                            if member == node {
                                break;
                            }
                        }
                        next_component += 1;
                    }
                }
            }
        }
    }
    component
}

fn get(list: &[usize], at: usize) -> usize {
    list.get(at).copied().unwrap_or(0)
}

fn set(list: &mut [usize], at: usize, value: usize) {
    if let Some(slot) = list.get_mut(at) {
        *slot = value;
    }
}

/// Foretells what the build does with a table and finds every left recursion.
pub(crate) fn judge(compiled: &Compiled, dialect: &Dialect) -> Judgement {
    let mut findings = Vec::new();
    let reached = reachable(compiled);

    // llama.cpp's view: a rule may be empty if one of its alternatives is written empty.
    let written_empty: Vec<bool> = (0..compiled.rules.len() as u32)
        .map(|rule| compiled.alternatives(rule).iter().any(|&start| compiled.symbol(start) == Symbol::End))
        .collect();
    let seen = Leftmost::of(compiled, &written_empty);
    let seen_components = seen.components();
    let seen_cycle = first_cycle(&seen, &seen_components, |_| true);

    // The truth: what can be empty, by fixpoint.
    let real = Leftmost::of(compiled, &nullable(compiled));
    let real_components = real.components();
    let mut hidden_grows = None;
    let mut hidden_reached = false;
    for cycle in cycles(&real, &real_components) {
        let grows = cycle.iter().any(|&rule| {
            real.targets(rule).iter().any(|&(next, more)| more && same(&real_components, rule, next as usize))
        });
        let names = names(compiled, &cycle);
        let seen_by_engine = seen_cycle.is_some() && cycle.iter().any(|&rule| in_cycle(&seen, &seen_components, rule));
        let is_reached = cycle.iter().any(|&rule| reached.get(rule).copied().unwrap_or(false));
        hidden_reached |= is_reached && !seen_by_engine;
        if grows && is_reached && hidden_grows.is_none() {
            hidden_grows = Some(names.clone());
        }
        let rule = names.first().cloned().unwrap_or_default();
        let message = if seen_by_engine {
            format!("`{rule}` leads back to itself before it reads anything; llama.cpp refuses the grammar")
        } else if grows {
            format!(
                "`{rule}` can lead back to itself before it reads anything, because what stands in front can be empty; \
                 llama.cpp does not see it and never ends"
            )
        } else {
            format!("`{rule}` repeats something that can be empty; llama.cpp expands it at every step")
        };
        findings.push(Finding {
            kind: FindingKind::LeftRecursion { cycle: names, seen_by_engine, grows },
            rule,
            message,
        });
    }

    if let Some(cycle) = seen_cycle {
        return Judgement { engine: EngineVerdict::Refuses, refused_cycle: Some(names(compiled, &cycle)), findings };
    }

    // Without a cycle llama.cpp's check walks every path; count its steps instead of taking them.
    let (visits, depth, deepest) = check_cost(&seen, &seen_components);
    let deepest_name = compiled.owner(deepest as u32).to_owned();
    if visits >= SLOW_VISITS {
        findings.push(Finding {
            kind: FindingKind::ExponentialCheck { visits },
            rule: deepest_name.clone(),
            message: format!(
                "llama.cpp's left-recursion check makes {visits} visits from `{deepest_name}` on; begin alternatives with \
                 a literal, or share their first rule"
            ),
        });
    }
    if depth >= DEEP_CHAIN {
        findings.push(Finding {
            kind: FindingKind::DeepChain { depth },
            rule: deepest_name.clone(),
            message: format!(
                "from `{deepest_name}` on, {depth} rules stand first in one another; llama.cpp's check can overflow its stack"
            ),
        });
    }
    let engine = if depth >= DEEP_CHAIN {
        EngineVerdict::Overflows
    } else if visits >= HANGING_VISITS {
        EngineVerdict::Hangs
    } else if hidden_reached && !dialect.merges_while_expanding {
        // Without the set of seen stacks the expansion calls itself for ever.
        EngineVerdict::Overflows
    } else if hidden_grows.is_some() {
        EngineVerdict::Hangs
    } else {
        EngineVerdict::Accepts
    };
    let endless = hidden_grows.is_some() || (hidden_reached && !dialect.merges_while_expanding);
    Judgement {
        engine,
        refused_cycle: if endless {
            hidden_grows.or_else(|| cycles(&real, &real_components).first().map(|cycle| names(compiled, cycle)))
        } else {
            None
        },
        findings,
    }
}

fn same(components: &[usize], a: usize, b: usize) -> bool {
    components.get(a) == components.get(b)
}

/// Whether a rule lies on a cycle.
fn in_cycle(graph: &Leftmost, components: &[usize], rule: usize) -> bool {
    graph.targets(rule).iter().any(|&(next, _)| same(components, rule, next as usize))
}

/// The cyclic components, each as its rules in ascending order; ordered by their first rule.
fn cycles(graph: &Leftmost, components: &[usize]) -> Vec<Vec<usize>> {
    let mut by_component: std::collections::BTreeMap<usize, Vec<usize>> = std::collections::BTreeMap::new();
    for (rule, &component) in components.iter().enumerate() {
        if in_cycle(graph, components, rule) {
            by_component.entry(component).or_default().push(rule);
        }
    }
    let mut cycles: Vec<Vec<usize>> = by_component.into_values().collect();
    cycles.sort();
    cycles
}

fn first_cycle(graph: &Leftmost, components: &[usize], wanted: impl Fn(usize) -> bool) -> Option<Vec<usize>> {
    cycles(graph, components).into_iter().find(|cycle| cycle.iter().any(|&rule| wanted(rule)))
}

/// The written rules that rules of the table belong to, each once, in order.
fn names(compiled: &Compiled, rules: &[usize]) -> Vec<String> {
    let mut told = std::collections::HashSet::new();
    rules
        .iter()
        .map(|&rule| compiled.owner(rule as u32))
        .filter(|owner| told.insert(*owner))
        .map(str::to_owned)
        .collect()
}

/// For an acyclic graph: the visits of llama.cpp's check in all, the longest chain, and the rule it begins at.
fn check_cost(graph: &Leftmost, components: &[usize]) -> (u64, usize, usize) {
    let rules = graph.edges.len();
    // A component is numbered after those it leads to, so ascending order is from the leaves up.
    let mut order: Vec<usize> = (0..rules).collect();
    order.sort_by_key(|&rule| components.get(rule).copied().unwrap_or(0));
    let mut visits = vec![1_u64; rules];
    let mut depth = vec![1_usize; rules];
    for rule in order {
        let mut sum = 1_u64;
        let mut deep = 1_usize;
        for &(next, _) in graph.targets(rule) {
            sum = sum.saturating_add(visits.get(next as usize).copied().unwrap_or(1));
            deep = deep.max(get(&depth, next as usize).saturating_add(1));
        }
        if let Some(slot) = visits.get_mut(rule) {
            *slot = sum;
        }
        set(&mut depth, rule, deep);
    }
    // llama.cpp starts at every rule that an earlier start has not marked.
    let mut marked = vec![false; rules];
    let mut total = 0_u64;
    for rule in 0..rules {
        if marked.get(rule).copied().unwrap_or(true) {
            continue;
        }
        total = total.saturating_add(visits.get(rule).copied().unwrap_or(1));
        let mut todo = vec![rule];
        while let Some(node) = todo.pop() {
            match marked.get_mut(node) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            todo.extend(graph.targets(node).iter().map(|&(next, _)| next as usize));
        }
    }
    let deepest = (0..rules).max_by_key(|&rule| (get(&depth, rule), std::cmp::Reverse(rule))).unwrap_or(0);
    (total, get(&depth, deepest), deepest)
}
