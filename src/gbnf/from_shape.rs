//! A shape as a grammar: the JSON texts of its values, on one line, without optional white space, keys in the shape's
//! order.
//!
//! What lives here: how objects, arrays and scalars become rules. What does not: the rules of a text
//! (`text_rules.rs`).
//!
//! The grammar is left-factored as it is made: what can come next is collected as branches, each a literal start and
//! what follows, and branches with a common start become a trie. So the keys of optional fields, the words of a `kind`
//! and the elements of a union never keep more than one way alive past the character at which they part. What follows a
//! field is a rule of its own, shared by all fields before it.

use std::collections::{BTreeMap, HashMap};

use super::text_rules::TextRules;
use super::{Expr, Grammar, Rule, RuleName};
use crate::shape::{Array, Field, Fields, Object, Shape};

/// The deepest nesting of objects and arrays that is written.
const MAX_DEPTH: usize = 64;

/// Why a shape has no grammar.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// The shape is nested deeper than the emitter goes.
    #[error("the shape is nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// Two different texts, objects or numbers have one name.
    #[error("two different parts of the shape are both called {name:?}")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// No value meets the shape, so there is nothing to write: GBNF cannot say "never".
    #[error("nothing can satisfy {what}")]
    Empty {
        /// The part that nothing satisfies.
        what: String,
    },
    /// A text's automaton could not be written within its length.
    #[error("text {name:?}: {why}")]
    Text {
        /// The text's name.
        name: String,
        /// What went wrong.
        why: String,
    },
}

/// One way on: a literal start, then a rest.
struct Branch {
    lead: String,
    rest: Expr,
}

/// Writes the grammar of a shape; its first rule is `root`.
///
/// Linear in the size of the shape times the number of optional fields in a row, and in the size of its texts' automata.
///
/// # Errors
/// [`ShapeError`] if the shape is empty, too deep, or uses one name for two things.
pub fn from_shape(shape: &Shape) -> Result<Grammar, ShapeError> {
    let mut emitter = Emitter::default();
    let body = emitter.value_expr(shape, 0)?;
    let mut rules = vec![Rule::new(RuleName::root(), body)];
    rules.extend(emitter.finish());
    let mut grammar = Grammar::new();
    grammar.extend(rules);
    Ok(grammar)
}

#[derive(Default)]
struct Emitter {
    /// Rules in the order in which they were first needed.
    rules: Vec<(RuleName, Option<Expr>)>,
    /// Rules by what they stand for.
    by_key: HashMap<String, RuleName>,
    /// How often a name was wanted, so that a second thing of one name gets a number.
    names: BTreeMap<String, usize>,
    texts: TextRules,
}

impl Emitter {
    fn finish(self) -> Vec<Rule> {
        let mut out: Vec<Rule> =
            self.rules.into_iter().filter_map(|(name, body)| body.map(|body| Rule::new(name, body))).collect();
        out.extend(self.texts.finish());
        out
    }

    /// The rule that stands for `key`, made by `body` the first time.
    fn shared(
        &mut self,
        key: String,
        name: &str,
        body: impl FnOnce(&mut Self) -> Result<Expr, ShapeError>,
    ) -> Result<Expr, ShapeError> {
        if let Some(name) = self.by_key.get(&key) {
            return Ok(Expr::rule(name.clone()));
        }
        let name = self.fresh(name);
        self.by_key.insert(key, name.clone());
        let at = self.rules.len();
        self.rules.push((name.clone(), None));
        let body = body(self)?;
        if let Some(slot) = self.rules.get_mut(at) {
            slot.1 = Some(body);
        }
        Ok(Expr::rule(name))
    }

    fn fresh(&mut self, name: &str) -> RuleName {
        let base = RuleName::lossy(name);
        let count = self.names.entry(base.as_str().to_owned()).or_insert(0);
        *count += 1;
        if *count == 1 { base } else { RuleName::lossy(&format!("{base}-{count}")) }
    }

    fn value_expr(&mut self, shape: &Shape, depth: usize) -> Result<Expr, ShapeError> {
        Ok(alternatives(self.value(shape, depth)?))
    }

    /// The ways to write a value.
    fn value(&mut self, shape: &Shape, depth: usize) -> Result<Vec<Branch>, ShapeError> {
        if depth > MAX_DEPTH {
            return Err(ShapeError::TooDeep);
        }
        let branch = |lead: &str, rest: Expr| vec![Branch { lead: lead.to_owned(), rest }];
        Ok(match shape {
            Shape::Text(text) => {
                let rule = self.texts.rule(text)?;
                branch("\"", Expr::seq([rule, Expr::lit("\"")]))
            }
            // One way, so that what follows is written once; a shape that lets the two differ uses constants.
            Shape::Boolean => branch("", Expr::alt([Expr::lit("true"), Expr::lit("false")])),
            Shape::Const(value) => branch(&value.to_string(), Expr::empty()),
            Shape::Integer { min, max } => {
                if min > max {
                    return Err(ShapeError::Empty { what: format!("an integer from {min} to {max}") });
                }
                let key = format!("integer {min} {max}");
                let rule = self.shared(key, &format!("integer-{min}-{max}"), |_| Ok(integers(*min, *max)))?;
                branch("", rule)
            }
            Shape::Array(array) => self.array(array, depth)?,
            Shape::Object(object) => self.object(&object.name, &object.fields, depth)?,
            Shape::Union(shapes) => self.union(shapes, depth)?,
        })
    }

    /// Objects of a union are written as one object whose fields part, so that they share a start.
    fn union(&mut self, shapes: &[Shape], depth: usize) -> Result<Vec<Branch>, ShapeError> {
        let mut branches = Vec::new();
        let mut objects: Vec<&Object> = Vec::new();
        for shape in shapes {
            match shape {
                Shape::Object(object) => objects.push(object),
                other => branches.extend(self.value(other, depth + 1)?),
            }
        }
        match objects.as_slice() {
            [] => {}
            [one] => branches.extend(self.object(&one.name, &one.fields, depth)?),
            many => {
                let ways = many.iter().map(|object| Way { name: object.name.clone(), fields: &object.fields });
                let ways: Vec<_> = ways.collect();
                for way in ways {
                    let branch = self.fields(&way.name, &[way.fields], true, depth)?;
                    branches.extend(branch.into_iter().map(|b| Branch { lead: format!("{{{}", b.lead), rest: b.rest }));
                }
            }
        }
        if branches.is_empty() {
            return Err(ShapeError::Empty { what: "a union without branches".into() });
        }
        Ok(branches)
    }

    fn array(&mut self, array: &Array, depth: usize) -> Result<Vec<Branch>, ShapeError> {
        if array.min > array.max {
            return Err(ShapeError::Empty { what: format!("an array of {} to {} items", array.min, array.max) });
        }
        if array.max == 0 {
            return Ok(vec![Branch { lead: "[]".into(), rest: Expr::empty() }]);
        }
        let item = self.item(&array.items, depth)?;
        let more = Expr::seq([Expr::lit(","), item.clone()]);
        let (low, high) = (array.min.max(1) - 1, array.max - 1);
        let list = if high == 0 { item } else { Expr::seq([item, repeat(more, low, high)]) };
        let mut branches = vec![Branch { lead: "[".into(), rest: Expr::seq([list, Expr::lit("]")]) }];
        if array.min == 0 {
            branches.push(Branch { lead: "[]".into(), rest: Expr::empty() });
        }
        Ok(branches)
    }

    /// The rule of an array's items.
    fn item(&mut self, shape: &Shape, depth: usize) -> Result<Expr, ShapeError> {
        let name = match shape {
            Shape::Object(object) => object.name.clone(),
            Shape::Union(_) => "item".into(),
            _ => return self.value_expr(shape, depth + 1),
        };
        self.shared(format!("item {}", signature(shape)), &name, |emitter| emitter.value_expr(shape, depth + 1))
    }

    fn object(&mut self, name: &str, fields: &Fields, depth: usize) -> Result<Vec<Branch>, ShapeError> {
        let branches = self.fields(name, &[fields], true, depth)?;
        Ok(branches.into_iter().map(|b| Branch { lead: format!("{{{}", b.lead), rest: b.rest }).collect())
    }

    /// The ways to write the rest of an object, its closing brace included.
    fn fields(&mut self, name: &str, rest: &[&Fields], first: bool, depth: usize) -> Result<Vec<Branch>, ShapeError> {
        if depth > MAX_DEPTH {
            return Err(ShapeError::TooDeep);
        }
        let Some((head, rest)) = rest.split_first() else {
            return Ok(vec![Branch { lead: "}".into(), rest: Expr::empty() }]);
        };
        match head {
            Fields::One(field) => self.field(name, field, rest, first, depth),
            Fields::Seq(parts) => {
                let list: Vec<&Fields> = parts.iter().chain(rest.iter().copied()).collect();
                self.fields(name, &list, first, depth)
            }
            Fields::Optional(inner) => {
                let with: Vec<&Fields> = std::iter::once(&**inner).chain(rest.iter().copied()).collect();
                let mut branches = self.fields(name, &with, first, depth)?;
                branches.extend(self.fields(name, rest, first, depth)?);
                Ok(branches)
            }
            Fields::Choice(ways) => {
                let mut branches = Vec::new();
                for way in ways {
                    let list: Vec<&Fields> = std::iter::once(way).chain(rest.iter().copied()).collect();
                    branches.extend(self.fields(name, &list, first, depth)?);
                }
                Ok(branches)
            }
            Fields::Counted { name: key, items, cases, .. } => {
                let lead = format!("{}{}:[", comma(first), quoted(key));
                let item = self.item(items, depth)?;
                let start = self.counted(name, key, &item, cases, rest, 0, depth)?;
                Ok(start.into_iter().map(|b| Branch { lead: format!("{lead}{}", b.lead), rest: b.rest }).collect())
            }
        }
    }

    fn field(
        &mut self,
        name: &str,
        field: &Field,
        rest: &[&Fields],
        first: bool,
        depth: usize,
    ) -> Result<Vec<Branch>, ShapeError> {
        let after = self.after(name, &field.name, rest, depth)?;
        let key = format!("{}{}:", comma(first), quoted(&field.name));
        let values = self.value(&field.shape, depth + 1)?;
        Ok(values
            .into_iter()
            .map(|b| Branch { lead: format!("{key}{}", b.lead), rest: Expr::seq([b.rest, after.clone()]) })
            .collect())
    }

    /// The rule of what follows a field: the other fields and the closing brace.
    fn after(&mut self, name: &str, key: &str, rest: &[&Fields], depth: usize) -> Result<Expr, ShapeError> {
        if rest.iter().all(|fields| is_nothing(fields)) {
            return Ok(Expr::lit("}"));
        }
        let signature: Vec<String> = rest.iter().map(|fields| fields_signature(fields)).collect();
        self.shared(format!("after {}", signature.join(" ")), &format!("{name}-after-{key}"), |emitter| {
            Ok(alternatives(emitter.fields(name, rest, false, depth)?))
        })
    }

    /// The ways on after `count` items of a counted array.
    #[expect(clippy::too_many_arguments, reason = "one place of a recursion, each part of it named")]
    fn counted(
        &mut self,
        name: &str,
        key: &str,
        item: &Expr,
        cases: &[(usize, Fields)],
        rest: &[&Fields],
        count: usize,
        depth: usize,
    ) -> Result<Vec<Branch>, ShapeError> {
        let mut branches = Vec::new();
        if let Some((_, case)) = cases.iter().find(|(n, _)| *n == count) {
            let list: Vec<&Fields> = std::iter::once(case).chain(rest.iter().copied()).collect();
            let after = self.after(name, key, &list, depth)?;
            branches.push(Branch { lead: "]".into(), rest: after });
        }
        if cases.iter().any(|(n, _)| *n > count) {
            let lead = if count == 0 { "" } else { "," };
            let sign: Vec<String> = cases
                .iter()
                .filter(|(n, _)| *n > count)
                .map(|(n, fields)| format!("{}:{}", n - count, fields_signature(fields)))
                .chain(rest.iter().map(|fields| fields_signature(fields)))
                .collect();
            let next = self.shared(
                format!("counted {key} {item:?} {}", sign.join(" ")),
                &format!("{name}-{key}-{}", count + 1),
                |emitter| Ok(alternatives(emitter.counted(name, key, item, cases, rest, count + 1, depth)?)),
            )?;
            branches.push(Branch { lead: lead.into(), rest: Expr::seq([item.clone(), next]) });
        }
        if branches.is_empty() {
            return Err(ShapeError::Empty { what: format!("the counted array {key:?}") });
        }
        Ok(branches)
    }
}

/// One object of a union.
struct Way<'a> {
    name: String,
    fields: &'a Fields,
}

fn comma(first: bool) -> &'static str {
    if first { "" } else { "," }
}

fn quoted(key: &str) -> String {
    serde_json::Value::from(key).to_string()
}

fn repeat(expr: Expr, low: usize, high: usize) -> Expr {
    let bound = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    expr.repeat(bound(low), Some(bound(high)))
}

fn is_nothing(fields: &Fields) -> bool {
    matches!(fields, Fields::Seq(parts) if parts.iter().all(is_nothing))
}

/// Branches as one expression: a trie over their leads, the empty way first.
fn alternatives(branches: Vec<Branch>) -> Expr {
    let mut branches = merge_digits(branches);
    if branches.len() == 1
        && let Some(branch) = branches.pop()
    {
        return Expr::seq([Expr::lit(&branch.lead), branch.rest]);
    }
    // Ways without a literal start stand apart; the others are grouped by their first character, in order.
    let mut parts: Vec<Expr> = Vec::new();
    let mut groups: Vec<(char, Vec<Branch>)> = Vec::new();
    for branch in branches {
        match branch.lead.chars().next() {
            None => parts.push(branch.rest),
            Some(c) => match groups.iter_mut().find(|(first, _)| *first == c) {
                Some((_, group)) => group.push(branch),
                None => groups.push((c, vec![branch])),
            },
        }
    }
    for (_, group) in groups {
        let common = common_prefix(&group);
        if group.len() == 1 {
            parts.extend(group.into_iter().map(|b| Expr::seq([Expr::lit(&b.lead), b.rest])));
            continue;
        }
        let rest = group.into_iter().map(|b| Branch { lead: b.lead[common.len()..].to_owned(), rest: b.rest });
        parts.push(Expr::seq([Expr::lit(&common), alternatives(rest.collect())]));
    }
    Expr::alt(parts)
}

/// Single characters before the same rest become one class.
fn merge_digits(branches: Vec<Branch>) -> Vec<Branch> {
    let mut out: Vec<Branch> = Vec::new();
    let mut classes: Vec<(Vec<(char, char)>, Expr)> = Vec::new();
    for branch in branches {
        let mut chars = branch.lead.chars();
        match (chars.next(), chars.next()) {
            (Some(c), None) if c.is_ascii_digit() => match classes.iter_mut().find(|(_, rest)| *rest == branch.rest) {
                Some((class, _)) => class.push((c, c)),
                None => classes.push((vec![(c, c)], branch.rest)),
            },
            _ => out.push(branch),
        }
    }
    out.extend(classes.into_iter().map(|(class, rest)| match class.as_slice() {
        [(c, _)] => Branch { lead: c.to_string(), rest },
        _ => Branch { lead: String::new(), rest: Expr::seq([Expr::class(class), rest]) },
    }));
    out
}

fn common_prefix(branches: &[Branch]) -> String {
    let Some(first) = branches.first() else { return String::new() };
    let mut common = first.lead.as_str();
    for branch in branches {
        let shared = common.char_indices().zip(branch.lead.chars()).find(|((_, a), b)| a != b);
        let end = match shared {
            Some(((at, _), _)) => at,
            None => common.len().min(branch.lead.len()),
        };
        common = &common[..end];
    }
    common.to_owned()
}

/// The decimal integers from `low` to `high`, without leading zeros.
fn integers(low: i64, high: i64) -> Expr {
    if low > high {
        return Expr::alt([]);
    }
    if low < 0 {
        let negative = Expr::seq([Expr::lit("-"), naturals(high.min(-1).unsigned_abs(), low.unsigned_abs())]);
        return if high < 0 { negative } else { Expr::alt([negative, naturals(0, high.unsigned_abs())]) };
    }
    naturals(low.unsigned_abs(), high.unsigned_abs())
}

/// The decimals from `low` to `high`: by number of digits, then digit by digit where a bound still holds.
fn naturals(low: u64, high: u64) -> Expr {
    let mut parts = Vec::new();
    let mut start = low;
    while start <= high {
        let digits = start.to_string().len();
        let last = u32::try_from(digits).ok().and_then(|d| 10_u64.checked_pow(d)).map_or(u64::MAX, |p| p - 1).min(high);
        parts.push(same_length(&start.to_string(), &last.to_string()));
        match last.checked_add(1) {
            Some(next) => start = next,
            None => break,
        }
    }
    Expr::alt(parts)
}

/// The decimals between two of the same number of digits.
fn same_length(low: &str, high: &str) -> Expr {
    let digit = |text: &str| text.bytes().next().map_or(0, |b| b - b'0');
    let class = |a: u8, b: u8| {
        let (a, b) = (char::from(b'0' + a), char::from(b'0' + b));
        if a == b { Expr::lit(&a.to_string()) } else { Expr::class([(a, b)]) }
    };
    let (a, b) = (digit(low), digit(high));
    if low.len() <= 1 {
        return class(a, b);
    }
    let (low_rest, high_rest) = (&low[1..], &high[1..]);
    let (zeros, nines) = ("0".repeat(low_rest.len()), "9".repeat(low_rest.len()));
    if a == b {
        return Expr::seq([class(a, a), same_length(low_rest, high_rest)]);
    }
    let mut parts = Vec::new();
    let mut from = a;
    let mut to = b;
    if low_rest != zeros {
        parts.push(Expr::seq([class(a, a), same_length(low_rest, &nines)]));
        from += 1;
    }
    let high_part = (high_rest != nines).then(|| Expr::seq([class(b, b), same_length(&zeros, high_rest)]));
    if high_part.is_some() {
        to -= 1;
    }
    if from <= to {
        parts.push(Expr::seq([class(from, to), repeat(class(0, 9), low_rest.len(), low_rest.len())]));
    }
    parts.extend(high_part);
    Expr::alt(parts)
}

/// What a shape means, in a text that differs for shapes that differ: the key under which rules are shared.
fn signature(shape: &Shape) -> String {
    match shape {
        Shape::Object(object) => format!("{{{}:{}}}", object.name, fields_signature(&object.fields)),
        Shape::Array(array) => format!("[{} {} {}]", signature(&array.items), array.min, array.max),
        Shape::Text(text) => format!("text({} {})", text.name, text.max),
        Shape::Integer { min, max } => format!("int({min} {max})"),
        Shape::Boolean => "bool".into(),
        Shape::Const(value) => format!("const({value})"),
        Shape::Union(shapes) => {
            let parts: Vec<String> = shapes.iter().map(signature).collect();
            format!("union({})", parts.join(" "))
        }
    }
}

fn fields_signature(fields: &Fields) -> String {
    let list = |parts: &[Fields]| parts.iter().map(fields_signature).collect::<Vec<_>>().join(" ");
    match fields {
        Fields::One(field) => format!("{}={}", field.name, signature(&field.shape)),
        Fields::Seq(parts) => format!("({})", list(parts)),
        Fields::Optional(inner) => format!("({})?", fields_signature(inner)),
        Fields::Choice(ways) => format!("<{}>", ways.iter().map(fields_signature).collect::<Vec<_>>().join("|")),
        Fields::Counted { name, items, cases, .. } => {
            let cases: Vec<String> = cases.iter().map(|(n, f)| format!("{n}:{}", fields_signature(f))).collect();
            format!("{name}=counted({} {})", signature(items), cases.join(" "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gbnf::{Matcher, Verdict};
    use crate::shape::Shape;
    use serde_json::json;

    fn accepts(shape: &Shape, text: &str) -> bool {
        let grammar = from_shape(shape).unwrap();
        matches!(Matcher::new(&grammar).unwrap().run(text).unwrap(), Verdict::Match)
    }

    #[test]
    fn integers_are_exact() {
        for (low, high) in [(0, 0), (5, 3600), (1, 6), (7, 12), (98, 101), (-12, 7), (-9, -3), (0, 1000)] {
            let shape = Shape::Integer { min: low, max: high };
            let grammar = from_shape(&shape).unwrap();
            let mut matcher = Matcher::new(&grammar).unwrap();
            for n in low - 15..=high + 15 {
                let verdict = matcher.run(&n.to_string()).unwrap();
                assert_eq!(matches!(verdict, Verdict::Match), (low..=high).contains(&n), "{n} in {low}..={high}");
            }
            assert!(!matches!(matcher.run("007").unwrap(), Verdict::Match));
        }
    }

    #[test]
    fn arrays_have_their_bounds() {
        let shape = Shape::array(Shape::Boolean, 0, 2);
        for (text, expected) in [("[]", true), ("[true]", true), ("[true,false]", true), ("[true,true,true]", false)] {
            assert_eq!(accepts(&shape, text), expected, "{text}");
        }
        assert!(!accepts(&Shape::array(Shape::Boolean, 1, 2), "[]"));
    }

    #[test]
    fn fields_are_optional_in_order() {
        let shape = Shape::object(
            "o",
            vec![
                Fields::required("a", Shape::Boolean),
                Fields::optional("b", Shape::Boolean),
                Fields::optional("c", Shape::Boolean),
            ],
        );
        assert!(accepts(&shape, r#"{"a":true}"#));
        assert!(accepts(&shape, r#"{"a":true,"c":false}"#));
        assert!(accepts(&shape, r#"{"a":true,"b":true,"c":false}"#));
        assert!(!accepts(&shape, r#"{"a":true,"c":false,"b":true}"#));
        assert!(!accepts(&shape, r#"{"b":true}"#));
        assert!(!accepts(&shape, r#"{"a":true,}"#));
    }

    #[test]
    fn what_follows_depends_on_the_count() {
        let tail = |n: i64| Fields::optional("max", Shape::Integer { min: 1, max: n });
        let shape = Shape::object(
            "o",
            vec![
                Fields::Counted {
                    name: "xs".into(),
                    doc: None,
                    items: Box::new(Shape::Boolean),
                    cases: vec![(0, Fields::none()), (2, tail(2)), (3, tail(3))],
                },
                Fields::optional("end", Shape::Boolean),
            ],
        );
        assert!(accepts(&shape, r#"{"xs":[]}"#));
        assert!(accepts(&shape, r#"{"xs":[],"end":true}"#));
        assert!(accepts(&shape, r#"{"xs":[true,true],"max":2}"#));
        assert!(accepts(&shape, r#"{"xs":[true,true,true],"max":3,"end":false}"#));
        assert!(!accepts(&shape, r#"{"xs":[true]}"#));
        assert!(!accepts(&shape, r#"{"xs":[],"max":1}"#));
        assert!(!accepts(&shape, r#"{"xs":[true,true],"max":3}"#));
    }

    #[test]
    fn a_union_of_objects_parts_at_one_character() {
        let way = |kind: &str, key: &str| {
            Shape::object(
                kind,
                vec![Fields::required("kind", Shape::word(kind)), Fields::required(key, Shape::Boolean)],
            )
        };
        let shape = Shape::Union(vec![way("text", "a"), way("tree", "b"), way("single", "c")]);
        assert!(accepts(&shape, r#"{"kind":"tree","b":true}"#));
        assert!(!accepts(&shape, r#"{"kind":"tree","a":true}"#));
        let grammar = from_shape(&shape).unwrap();
        assert_eq!(grammar.to_string().matches("\\\"kind").count(), 1, "{grammar}");
    }

    #[test]
    fn what_nothing_satisfies_is_an_error() {
        assert!(matches!(from_shape(&Shape::Integer { min: 2, max: 1 }), Err(ShapeError::Empty { .. })));
        assert!(matches!(from_shape(&Shape::Union(vec![])), Err(ShapeError::Empty { .. })));
        assert!(matches!(from_shape(&Shape::array(Shape::Boolean, 3, 2)), Err(ShapeError::Empty { .. })));
    }

    #[test]
    fn depth_is_bounded() {
        let mut shape = Shape::Boolean;
        for _ in 0..MAX_DEPTH + 2 {
            shape = Shape::array(shape, 1, 1);
        }
        assert_eq!(from_shape(&shape).err(), Some(ShapeError::TooDeep));
    }

    #[test]
    fn consts_keep_their_json() {
        assert!(accepts(&Shape::Const(json!({"a": [1, "x\n"]})), r#"{"a":[1,"x\n"]}"#));
    }
}
