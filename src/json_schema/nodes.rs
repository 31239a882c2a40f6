//! A JSON Schema as nodes that a text can be judged by while it is read.
//!
//! What lives here: reading a schema's keywords into [`Nodes`], and building nodes in code (which strings at a place of a
//! value are wanted, everything else free). What does not: the judging (`judge.rs`), and the writing of schemas (`mod.rs`):
//! a schema is read from its JSON, as anyone else would read it, so that the writer is checked too.
//!
//! # What is read
//!
//! `type`, `const`, `enum`, `properties`, `required`, `additionalProperties`, `items`, `minItems`, `maxItems`, `minLength`,
//! `maxLength`, `minimum`, `maximum` (both as whole numbers), `pattern` where it is `\S`, `anyOf`, `allOf` and `oneOf`.
//! Annotations (`$schema`, `$comment`, `title`, `description`, `default`, `examples`) say nothing about a value and are passed
//! over. Anything else is an error that names the keyword: what is not understood is never taken to hold. Lengths are code
//! points of the decoded string.

use serde_json::{Map, Value};

use crate::language::spelling::Spelling;
use crate::language::{Budget, BudgetExceeded, CodePointSet, Dfa, Expr};

/// How deep a schema may be nested.
const MAX_DEPTH: usize = 64;

/// The number of an automaton in [`Nodes`].
pub(crate) type DfaId = u32;

/// Nodes by number, the automata and the names of properties that they share. Node 0 is the whole schema.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes {
    list: Vec<Node>,
    /// Distinct automata, all over *texts*: between the quotes for strings, the whole for numbers and words.
    dfas: Vec<Dfa>,
    /// The automata of decoded strings that were lifted to texts, by what they became.
    lifted: Vec<(Dfa, DfaId)>,
    names: Vec<String>,
    /// The automaton of each name's texts.
    name_dfas: Vec<DfaId>,
}

/// A language of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Texts {
    /// None of them.
    None,
    /// All of them.
    All,
    /// Those that an automaton accepts.
    In(DfaId),
}

/// What one schema says of a value.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Which strings, by their texts between the quotes.
    pub(crate) strings: Texts,
    /// Which numbers, booleans and nulls, by their texts.
    pub(crate) bare: Texts,
    /// Of a number with a fraction or an exponent it cannot be told whether it meets this keyword.
    pub(crate) whole_only: Option<&'static str>,
    /// What is wanted of objects; `None` refuses them.
    pub(crate) object: Option<ObjectNode>,
    /// What is wanted of arrays; `None` refuses them.
    pub(crate) array: Option<ArrayNode>,
    /// All of these must hold too.
    pub(crate) all: Vec<u32>,
    /// Of each of these lists, one or more must hold.
    pub(crate) any: Vec<Vec<u32>>,
    /// Of each of these lists, exactly one must hold.
    pub(crate) one: Vec<Vec<u32>>,
}

/// What is wanted of an object.
#[derive(Clone, Debug)]
pub(crate) struct ObjectNode {
    /// The node of each named property.
    pub(crate) properties: Vec<(u32, u32)>,
    /// The names that must be there.
    pub(crate) required: Vec<u32>,
    /// The others.
    pub(crate) additional: Additional,
    /// Pairs of names of which the second may not come behind the first.
    pub(crate) order: Vec<(u32, u32)>,
}

/// What is wanted of a property's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Additional {
    /// Nothing.
    Free,
    /// That there is none.
    Never,
    /// That the node holds.
    Node(u32),
}

/// What is wanted of an array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrayNode {
    /// The node of each item, if anything is wanted of them.
    pub(crate) items: Option<u32>,
    /// The fewest items.
    pub(crate) min: u32,
    /// The most items.
    pub(crate) max: Option<u32>,
}

/// Why a schema has no nodes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NodesError {
    /// A keyword, or a form of it, that is not read here.
    #[error("the schema's {pointer}/{keyword} is not read here: {why}")]
    Unread {
        /// JSON Pointer to the schema that holds it.
        pointer: String,
        /// The keyword.
        keyword: String,
        /// What about it.
        why: &'static str,
    },
    /// A language of strings needs more than the budget.
    #[error(transparent)]
    Budget(#[from] BudgetExceeded),
}

impl Node {
    /// A node that everything meets.
    fn free() -> Self {
        Node {
            strings: Texts::All,
            bare: Texts::All,
            whole_only: None,
            object: Some(ObjectNode {
                properties: Vec::new(),
                required: Vec::new(),
                additional: Additional::Free,
                order: Vec::new(),
            }),
            array: Some(ArrayNode { items: None, min: 0, max: None }),
            all: Vec::new(),
            any: Vec::new(),
            one: Vec::new(),
        }
    }

    /// A node that nothing meets.
    fn never() -> Self {
        Node { strings: Texts::None, bare: Texts::None, object: None, array: None, ..Self::free() }
    }
}

/// One step down a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step<'a> {
    /// To a property of an object.
    Key(&'a str),
    /// To each item of an array.
    Items,
}

impl Nodes {
    /// Nodes that every JSON text meets: what is left to judge is whether it is JSON.
    pub(crate) fn anything() -> Self {
        Nodes { list: vec![Node::free()], ..Nodes::default() }
    }

    /// Nodes that say of some places which decoded strings may stand there; everything else is free, and a place that is
    /// missing or holds no string is free as well. A language given for a prefix of another place holds beside it.
    ///
    /// # Errors
    /// [`NodesError::Budget`] if a language's texts need too many states.
    pub(crate) fn strings_at(places: &[(&[Step<'_>], &Dfa)], budget: &Budget) -> Result<Self, NodesError> {
        let mut nodes = Nodes::anything();
        for (steps, strings) in places {
            let mut at = 0;
            for step in *steps {
                at = nodes.below(at, *step, budget)?;
            }
            let strings = nodes.lift(strings, budget)?;
            let mut more = Node::free();
            more.strings = Texts::In(strings);
            // Beside what was said of the place before, so that two languages for one place both hold.
            let more = nodes.add(more);
            if let Some(node) = nodes.list.get_mut(at as usize) {
                node.all.push(more);
            }
        }
        Ok(nodes)
    }

    /// Nodes that say of the objects at a place that no key of `first` comes behind one of `second`; everything else is free.
    ///
    /// # Errors
    /// [`NodesError::Budget`] under a budget of fewer than some hundred states.
    pub(crate) fn keys_in_order(
        place: &[Step<'_>],
        first: &[&str],
        second: &[&str],
        budget: &Budget,
    ) -> Result<Self, NodesError> {
        let mut nodes = Nodes::anything();
        let mut at = 0;
        for step in place {
            at = nodes.below(at, *step, budget)?;
        }
        let mut order = Vec::new();
        for later in second {
            for earlier in first {
                order.push((nodes.name(later, budget)?, nodes.name(earlier, budget)?));
            }
        }
        if let Some(object) = nodes.list.get_mut(at as usize).and_then(|node| node.object.as_mut()) {
            object.order = order;
        }
        Ok(nodes)
    }

    /// Nodes that say which decoded strings may stand at a key, wherever in the value an object has it.
    ///
    /// # Errors
    /// [`NodesError::Budget`] if the language's texts need too many states.
    #[cfg_attr(not(test), allow(dead_code, reason = "for the law on placeholders"))]
    pub(crate) fn strings_everywhere(key: &str, strings: &Dfa, budget: &Budget) -> Result<Self, NodesError> {
        let mut nodes = Nodes::default();
        let strings = nodes.lift(strings, budget)?;
        let name = nodes.name(key, budget)?;
        let inside = |strings| Node {
            strings,
            object: Some(ObjectNode {
                properties: vec![(name, 1)],
                required: Vec::new(),
                additional: Additional::Node(0),
                order: Vec::new(),
            }),
            array: Some(ArrayNode { items: Some(0), min: 0, max: None }),
            ..Node::free()
        };
        nodes.list = vec![inside(Texts::All), inside(Texts::In(strings))];
        Ok(nodes)
    }

    /// The node one step below, made if there is none.
    fn below(&mut self, at: u32, step: Step<'_>, budget: &Budget) -> Result<u32, NodesError> {
        let name = match step {
            Step::Key(key) => Some(self.name(key, budget)?),
            Step::Items => None,
        };
        let fresh = self.list.len() as u32;
        let Some(node) = self.list.get_mut(at as usize) else { return Ok(fresh) };
        match name {
            Some(name) => {
                let object = node.object.get_or_insert(ObjectNode {
                    properties: Vec::new(),
                    required: Vec::new(),
                    additional: Additional::Free,
                    order: Vec::new(),
                });
                if let Some((_, known)) = object.properties.iter().find(|(known, _)| *known == name) {
                    return Ok(*known);
                }
                object.properties.push((name, fresh));
            }
            None => {
                let array = node.array.get_or_insert(ArrayNode { items: None, min: 0, max: None });
                if let Some(known) = array.items {
                    return Ok(known);
                }
                array.items = Some(fresh);
            }
        }
        Ok(self.add(Node::free()))
    }

    /// The nodes of a schema.
    ///
    /// # Errors
    /// [`NodesError`] if a keyword is not read here.
    pub(crate) fn of(schema: &Value, budget: &Budget) -> Result<Self, NodesError> {
        let mut reader = Reader { nodes: Nodes::default(), budget };
        reader.read(schema, "", 0)?;
        Ok(reader.nodes)
    }

    /// The node of this number.
    pub(crate) fn get(&self, node: u32) -> Option<&Node> {
        self.list.get(node as usize)
    }

    /// The automaton of this number.
    pub(crate) fn dfa(&self, dfa: DfaId) -> Option<&Dfa> {
        self.dfas.get(dfa as usize)
    }

    /// The automaton of the texts of a property's name.
    pub(crate) fn name_dfa(&self, name: u32) -> Option<DfaId> {
        self.name_dfas.get(name as usize).copied()
    }

    /// Keeps an automaton of texts and gives its number, the same for equal ones.
    pub(crate) fn keep(&mut self, dfa: Dfa) -> DfaId {
        if let Some(at) = self.dfas.iter().position(|known| *known == dfa) {
            return at as u32;
        }
        self.dfas.push(dfa);
        self.dfas.len() as u32 - 1
    }

    fn add(&mut self, node: Node) -> u32 {
        self.list.push(node);
        self.list.len() as u32 - 1
    }

    /// The texts of decoded strings.
    fn lift(&mut self, strings: &Dfa, budget: &Budget) -> Result<DfaId, BudgetExceeded> {
        if let Some((_, known)) = self.lifted.iter().find(|(known, _)| known == strings) {
            return Ok(*known);
        }
        let texts = strings.spelled(Spelling::Any, budget)?;
        let id = self.keep(texts);
        self.lifted.push((strings.clone(), id));
        Ok(id)
    }

    fn name(&mut self, name: &str, budget: &Budget) -> Result<u32, BudgetExceeded> {
        if let Some(at) = self.names.iter().position(|known| known == name) {
            return Ok(at as u32);
        }
        let dfa = self.lift(&Dfa::from_words([name], budget)?, budget)?;
        self.names.push(name.to_owned());
        self.name_dfas.push(dfa);
        Ok(self.names.len() as u32 - 1)
    }
}

/// JSON's types, as a set of flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Types {
    string: bool,
    number: bool,
    integer: bool,
    boolean: bool,
    null: bool,
    object: bool,
    array: bool,
}

struct Reader<'a> {
    nodes: Nodes,
    budget: &'a Budget,
}

impl Reader<'_> {
    fn read(&mut self, schema: &Value, pointer: &str, depth: usize) -> Result<u32, NodesError> {
        let map = match schema {
            Value::Bool(true) => return Ok(self.nodes.add(Node::free())),
            Value::Bool(false) => return Ok(self.nodes.add(Node::never())),
            Value::Object(map) => map,
            _ => return Err(unread(pointer, "", "it is no schema")),
        };
        if depth > MAX_DEPTH {
            return Err(unread(pointer, "", "it is nested too deeply"));
        }
        // The node's number comes before those of the schemas in it, so that the whole is node 0.
        let number = self.nodes.add(Node::free());
        let mut node = Node::free();
        let types = types(map, pointer)?;
        let mut words = Expr::any().star();
        let mut numbers = None;
        let mut object = ObjectNode {
            properties: Vec::new(),
            required: Vec::new(),
            additional: Additional::Free,
            order: Vec::new(),
        };
        let mut array = ArrayNode { items: None, min: 0, max: None };
        let mut bounds: (Option<i64>, Option<i64>) = (None, None);
        let mut lengths: (u32, Option<u32>) = (0, None);
        let mut limits_words = false;
        let mut only: Option<Vec<&Value>> = None;
        for (keyword, value) in map {
            let wrong = |why| unread(pointer, keyword, why);
            let count = || value.as_u64().and_then(|n| u32::try_from(n).ok()).ok_or(wrong("it is no count"));
            let whole = || value.as_i64().ok_or(wrong("it is no whole number of 64 bits"));
            let inside = |name: &str| format!("{pointer}/{keyword}{name}");
            match keyword.as_str() {
                "type" | "$schema" | "$comment" | "title" | "description" | "default" | "examples" => {}
                "const" => only = Some(both(only, vec![value])),
                "enum" => {
                    let list = value.as_array().ok_or(wrong("it is no array"))?;
                    only = Some(both(only, list.iter().collect()));
                }
                "minLength" => (lengths.0, limits_words) = (count()?, true),
                "maxLength" => (lengths.1, limits_words) = (Some(count()?), true),
                "pattern" => {
                    if value != "\\S" {
                        return Err(wrong("of patterns only `\\S` is read"));
                    }
                    words = words.and(&not_blank());
                    limits_words = true;
                }
                "minimum" => (bounds.0, numbers) = (Some(whole()?), Some("minimum")),
                "maximum" => (bounds.1, numbers) = (Some(whole()?), Some("maximum")),
                "minItems" => array.min = count()?,
                "maxItems" => array.max = Some(count()?),
                "items" => array.items = Some(self.read(value, &inside(""), depth + 1)?),
                "required" => {
                    for name in value.as_array().ok_or(wrong("it is no array"))? {
                        let name = name.as_str().ok_or(wrong("a name in it is no string"))?;
                        object.required.push(self.nodes.name(name, self.budget)?);
                    }
                }
                "properties" => {
                    for (name, schema) in value.as_object().ok_or(wrong("it is no object"))? {
                        let node = self.read(schema, &inside(&format!("/{}", escaped(name))), depth + 1)?;
                        object.properties.push((self.nodes.name(name, self.budget)?, node));
                    }
                }
                "additionalProperties" => {
                    object.additional = match value {
                        Value::Bool(true) => Additional::Free,
                        Value::Bool(false) => Additional::Never,
                        schema => Additional::Node(self.read(schema, &inside(""), depth + 1)?),
                    }
                }
                "anyOf" | "oneOf" | "allOf" => {
                    let mut branches = Vec::new();
                    for (at, schema) in value.as_array().ok_or(wrong("it is no array"))?.iter().enumerate() {
                        branches.push(self.read(schema, &inside(&format!("/{at}")), depth + 1)?);
                    }
                    match keyword.as_str() {
                        "anyOf" => node.any.push(branches),
                        "oneOf" => node.one.push(branches),
                        _ => node.all.extend(branches),
                    }
                }
                _ => return Err(wrong("the keyword is not known")),
            }
        }
        let refused = |types: Types| (!types.object, !types.array);
        if refused(types).0 || only.is_some() {
            node.object = None;
        } else {
            node.object = Some(object);
        }
        node.array = (types.array && only.is_none()).then_some(array);
        node.strings = self.strings(types, &words, lengths, limits_words, only.as_deref())?;
        if let Some(value) = only.iter().flatten().find(|value| value.is_object() || value.is_array()) {
            let keyword = if map.get("const") == Some(value) { "const" } else { "enum" };
            return Err(unread(pointer, keyword, "it holds an object or an array"));
        }
        node.bare = self.bare(types, bounds, only.as_deref(), pointer)?;
        let whole = if only.iter().flatten().any(|value| value.is_number()) { Some("const") } else { None };
        node.whole_only = numbers.or(whole).or((types.integer && !types.number).then_some("type"));
        if !types.number && !types.integer {
            node.whole_only = None;
        }
        if let Some(slot) = self.nodes.list.get_mut(number as usize) {
            *slot = node;
        }
        Ok(number)
    }

    fn strings(
        &mut self,
        types: Types,
        words: &Expr,
        (shortest, longest): (u32, Option<u32>),
        limited: bool,
        only: Option<&[&Value]>,
    ) -> Result<Texts, NodesError> {
        if !types.string {
            return Ok(Texts::None);
        }
        let mut expr = words.clone();
        if let Some(only) = only {
            expr = expr.and(&Expr::union(only.iter().filter_map(|value| value.as_str()).map(Expr::literal)));
        } else if !limited {
            return Ok(Texts::All);
        }
        let counted = Expr::any().repeat(shortest, longest);
        let dfa = Dfa::from_expr(&expr.and(&counted), self.budget)?;
        if dfa.is_empty() {
            return Ok(Texts::None);
        }
        Ok(Texts::In(self.nodes.lift(&dfa, self.budget)?))
    }

    fn bare(
        &mut self,
        types: Types,
        bounds: (Option<i64>, Option<i64>),
        only: Option<&[&Value]>,
        pointer: &str,
    ) -> Result<Texts, NodesError> {
        let mut parts = Vec::new();
        let values = |name: &'static str| Expr::literal(name);
        match only {
            None => {
                if types.boolean {
                    parts.extend([values("true"), values("false")]);
                }
                if types.null {
                    parts.push(values("null"));
                }
                if types.number && bounds == (None, None) {
                    parts.push(number());
                } else if types.number || types.integer {
                    parts.push(integers(bounds.0, bounds.1));
                }
            }
            Some(only) => {
                for value in only {
                    match value {
                        Value::Bool(true) if types.boolean => parts.push(values("true")),
                        Value::Bool(false) if types.boolean => parts.push(values("false")),
                        Value::Null if types.null => parts.push(values("null")),
                        Value::Number(n) if types.number || types.integer => {
                            let n = n.as_i64().ok_or(unread(pointer, "const", "a number is not whole"))?;
                            if bounds.0.is_none_or(|min| min <= n) && bounds.1.is_none_or(|max| n <= max) {
                                parts.push(integers(Some(n), Some(n)));
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
        if parts.is_empty() {
            return Ok(Texts::None);
        }
        let dfa = Dfa::from_expr(&Expr::union(parts), self.budget)?;
        Ok(if dfa.is_empty() { Texts::None } else { Texts::In(self.nodes.keep(dfa)) })
    }
}

fn unread(pointer: &str, keyword: &str, why: &'static str) -> NodesError {
    NodesError::Unread { pointer: pointer.to_owned(), keyword: keyword.to_owned(), why }
}

/// A name as a part of a JSON Pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The values that `const` and `enum` both allow.
fn both<'v>(before: Option<Vec<&'v Value>>, now: Vec<&'v Value>) -> Vec<&'v Value> {
    match before {
        None => now,
        Some(before) => before.into_iter().filter(|value| now.contains(value)).collect(),
    }
}

fn types(map: &Map<String, Value>, pointer: &str) -> Result<Types, NodesError> {
    let set = |on| Types { string: on, number: on, integer: on, boolean: on, null: on, object: on, array: on };
    let names: Vec<&Value> = match map.get("type") {
        None => return Ok(set(true)),
        Some(Value::Array(names)) => names.iter().collect(),
        Some(name) => vec![name],
    };
    let mut types = set(false);
    for name in names {
        match name.as_str() {
            Some("string") => types.string = true,
            Some("number") => types.number = true,
            Some("integer") => types.integer = true,
            Some("boolean") => types.boolean = true,
            Some("null") => types.null = true,
            Some("object") => types.object = true,
            Some("array") => types.array = true,
            _ => return Err(unread(pointer, "type", "the type is not known")),
        }
    }
    Ok(types)
}

/// Strings in which `\S` of ECMA-262 finds something: white space there is White_Space but for U+0085, and U+FEFF.
fn not_blank() -> Expr {
    let space = CodePointSet::from_ranges([
        (0x09, 0x0D),
        (0x20, 0x20),
        (0xA0, 0xA0),
        (0x1680, 0x1680),
        (0x2000, 0x200A),
        (0x2028, 0x2029),
        (0x202F, 0x202F),
        (0x205F, 0x205F),
        (0x3000, 0x3000),
        (0xFEFF, 0xFEFF),
    ]);
    Expr::concat([Expr::set(space.clone()).star(), Expr::set(space.complement()), Expr::any().star()])
}

fn digits(low: char, high: char) -> Expr {
    Expr::set(CodePointSet::range(low, high))
}

/// JSON's numbers (RFC 8259, section 6).
pub(crate) fn number() -> Expr {
    let fraction = Expr::char('.').then(&digits('0', '9').plus());
    let sign = Expr::set(CodePointSet::from_chars(['+', '-'])).optional();
    let exponent = Expr::set(CodePointSet::from_chars(['e', 'E'])).then(&sign).then(&digits('0', '9').plus());
    integers(None, None).then(&fraction.optional()).then(&exponent.optional())
}

/// The words among JSON's values.
pub(crate) fn json_words() -> Expr {
    Expr::union(["true", "false", "null"].map(Expr::literal))
}

/// The texts of whole numbers without fraction and exponent between two bounds, both included.
pub(crate) fn integers(min: Option<i64>, max: Option<i64>) -> Expr {
    let (min, max) = (min.map(i128::from), max.map(i128::from));
    // From zero up, and from zero down: `-0` is zero too.
    let up = naturals(min.map_or(0, |min| min.max(0)).unsigned_abs(), max.map(|max| (max, max.unsigned_abs())));
    let down = naturals(max.map_or(0, |max| (-max).max(0)).unsigned_abs(), min.map(|min| (-min, min.unsigned_abs())));
    Expr::union([up, Expr::char('-').then(&down)])
}

/// Whole numbers from `low` to a bound, which comes with its absolute value and may be negative: then there are none.
fn naturals(low: u128, high: Option<(i128, u128)>) -> Expr {
    match high {
        Some((high, _)) if high < 0 => Expr::empty(),
        Some((_, high)) => between(low, high),
        None => {
            let text = low.to_string();
            let longer = digits('1', '9').then(&digits('0', '9').repeat(text.len() as u32, None));
            let nines = "9".repeat(text.len()).parse().unwrap_or(u128::MAX);
            between(low, nines).or(&longer)
        }
    }
}

fn between(low: u128, high: u128) -> Expr {
    let mut parts = Vec::new();
    let mut from = low;
    while from <= high {
        // As far as the numbers have as many digits.
        let to: u128 = "9".repeat(from.to_string().len()).parse().unwrap_or(u128::MAX);
        let to = to.min(high);
        let (a, b) = (from.to_string(), to.to_string());
        parts.push(same_length(a.as_bytes(), b.as_bytes()));
        match to.checked_add(1) {
            Some(next) => from = next,
            None => break,
        }
    }
    Expr::union(parts)
}

/// Digits between two rows of as many. At most 20 deep, the length of a row.
fn same_length(low: &[u8], high: &[u8]) -> Expr {
    let (Some((&a, low)), Some((&b, high))) = (low.split_first(), high.split_first()) else {
        return Expr::epsilon();
    };
    let digit = |from: u8, to: u8| digits(char::from(from), char::from(to));
    if a == b {
        return digit(a, a).then(&same_length(low, high));
    }
    let (least, most) = (vec![b'0'; low.len()], vec![b'9'; low.len()]);
    let mut parts = vec![digit(a, a).then(&same_length(low, &most)), digit(b, b).then(&same_length(&least, high))];
    if a + 1 < b {
        parts.push(digit(a + 1, b - 1).then(&digits('0', '9').repeat(low.len() as u32, Some(low.len() as u32))));
    }
    Expr::union(parts)
}
