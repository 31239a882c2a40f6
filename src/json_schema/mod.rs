//! Writing a shape as a JSON Schema in a target's dialect, and judging a grammar's texts by a schema.
//!
//! What lives here: the writer and what it may use for each [`Dialect`]; a schema as nodes (`nodes.rs`) and the machine that
//! judges texts by them (`judge.rs`). What does not: reading a schema back into a shape, tool envelopes, and what a provider
//! makes of a schema.
//!
//! A schema may be wider than the shape (it cannot say that the number of options bounds `max_selected`), never
//! narrower: every value of the shape is valid under every schema written of it.

pub(crate) mod judge;
pub(crate) mod nodes;

use std::str::FromStr;

use serde_json::{Map, Value, json};

use crate::gbnf::pushdown::Verdict;
use crate::gbnf::{self, Grammar};
use crate::language::{Budget, Witness};
use crate::shape::{Field, Fields, Object, Shape, Text};

/// Which keywords a schema may use, and in which order it lists its properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Dialect {
    /// Plain JSON Schema 2020-12, with all that a shape can say in it.
    Canonical,
    /// What every listed build of llama.cpp keeps (`common/json-schema-to-grammar.cpp`, from b3889 to the pinned one):
    /// unions as `anyOf` with nothing beside it, no `pattern`, required properties first, bounds below the repetition
    /// limit of 2000.
    LlamaCpp,
    /// Only what every provider reads: `type`, `properties`, `required`, `items`, `enum`, `description`. Unions are
    /// merged into one object, since several providers have none.
    Portable,
}

impl Dialect {
    /// All dialects, in the order in which artifacts are written.
    pub const ALL: [Dialect; 3] = [Dialect::Canonical, Dialect::LlamaCpp, Dialect::Portable];

    /// The target's id on the command line and in file names.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Dialect::Canonical => "canonical",
            Dialect::LlamaCpp => "llama-cpp",
            Dialect::Portable => "portable",
        }
    }
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(id: &str) -> Result<Self, UnknownDialect> {
        Dialect::ALL.into_iter().find(|d| d.id() == id).ok_or_else(|| UnknownDialect(id.to_owned()))
    }
}

/// No target has this id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown target {0:?}; this build writes canonical, llama-cpp and portable")]
pub struct UnknownDialect(pub String);

/// Writes `shape` as a schema. Linear in the size of the shape.
#[must_use]
pub fn write(shape: &Shape, dialect: Dialect) -> Value {
    let mut schema = node(shape, dialect);
    if let (Dialect::Canonical, Value::Object(map)) = (dialect, &mut schema) {
        map.shift_insert(0, "$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
    }
    schema
}

fn node(shape: &Shape, dialect: Dialect) -> Value {
    match shape {
        Shape::Object(object) => object_node(object, dialect),
        Shape::Array(array) => array_node(&array.items, array.min, array.max, dialect),
        Shape::Text(text) => text_node(text, dialect),
        Shape::Integer { min, max } if dialect == Dialect::Portable => {
            json!({ "type": "integer", "description": format!("{min} to {max}.") })
        }
        Shape::Integer { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Shape::Boolean => json!({ "type": "boolean" }),
        Shape::Const(value) => const_node(value, dialect),
        Shape::Union(shapes) => match (dialect, merged(shapes)) {
            (Dialect::Portable, Some(object)) => object_node(&object, dialect),
            (Dialect::Canonical, _) => json!({ "oneOf": list(shapes, dialect) }),
            _ => json!({ "anyOf": list(shapes, dialect) }),
        },
    }
}

fn list(shapes: &[Shape], dialect: Dialect) -> Vec<Value> {
    shapes.iter().map(|shape| node(shape, dialect)).collect()
}

fn const_node(value: &Value, dialect: Dialect) -> Value {
    let type_name = match value {
        Value::String(_) => "string",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "integer",
        Value::Null => "null",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    match (dialect, value) {
        // Several providers read `enum` for strings only, and none needs a boolean pinned.
        (Dialect::Portable, Value::String(_)) => json!({ "type": type_name, "enum": [value] }),
        (Dialect::Portable, _) => json!({ "type": type_name }),
        _ => json!({ "const": value }),
    }
}

fn array_node(items: &Shape, min: usize, max: usize, dialect: Dialect) -> Value {
    let items = node(items, dialect);
    match dialect {
        Dialect::Portable => json!({ "type": "array", "items": items }),
        _ => json!({ "type": "array", "items": items, "minItems": min, "maxItems": max }),
    }
}

fn text_node(text: &Text, dialect: Dialect) -> Value {
    match dialect {
        Dialect::Canonical => json!({ "type": "string", "minLength": 1, "maxLength": text.max, "pattern": "\\S" }),
        Dialect::LlamaCpp => json!({ "type": "string", "minLength": 1, "maxLength": text.max }),
        Dialect::Portable => json!({ "type": "string" }),
    }
}

/// A property collected from all the branches of an object's fields.
struct Property {
    name: String,
    doc: Option<String>,
    schema: Schema,
    required: bool,
}

/// A property's values, while branches are still being merged.
enum Schema {
    Shapes(Vec<Shape>),
    Counted { items: Shape, min: usize, max: usize },
}

fn object_node(object: &Object, dialect: Dialect) -> Value {
    let mut properties = Vec::new();
    collect(&object.fields, true, &mut properties);
    if dialect != Dialect::Canonical {
        // llama.cpp writes required keys first, whatever the schema's order; listing them so keeps one order for all.
        properties.sort_by_key(|property| !property.required);
    }
    let required: Vec<Value> = properties.iter().filter(|p| p.required).map(|p| p.name.as_str().into()).collect();
    let mut map = Map::new();
    for property in properties {
        let mut schema = match property.schema {
            Schema::Shapes(shapes) => union_of(shapes, dialect),
            Schema::Counted { items, min, max } => array_node(&items, min, max, dialect),
        };
        if let (Some(doc), Value::Object(schema)) = (property.doc, &mut schema) {
            describe(schema, &doc, dialect);
        }
        map.insert(property.name, schema);
    }
    let mut out = json!({ "type": "object", "properties": map, "required": required });
    if let (false, Value::Object(out)) = (dialect == Dialect::Portable, &mut out) {
        out.insert("additionalProperties".into(), false.into());
    }
    out
}

fn describe(schema: &mut Map<String, Value>, doc: &str, dialect: Dialect) {
    // Beside a union llama.cpp and strict providers read nothing else; the branches describe themselves.
    if dialect != Dialect::Canonical && schema.contains_key("anyOf") {
        return;
    }
    let text = match schema.get("description").and_then(Value::as_str) {
        Some(bounds) => format!("{doc} {bounds}"),
        None => doc.to_owned(),
    };
    schema.shift_remove("description");
    let at = usize::from(schema.contains_key("type"));
    schema.shift_insert(at, "description".into(), text.into());
}

/// Collects the properties of `fields` into `out`, in order; those of one name become one.
///
/// `always` is true if every object of the shape passes through `fields`.
fn collect(fields: &Fields, always: bool, out: &mut Vec<Property>) {
    match fields {
        Fields::One(Field { name, shape, doc }) => {
            add(out, name, doc.as_ref(), Schema::Shapes(vec![(**shape).clone()]), always);
        }
        Fields::Seq(parts) => {
            for part in parts {
                collect(part, always, out);
            }
        }
        Fields::Optional(inner) => collect(inner, false, out),
        Fields::Choice(branches) => collect_branches(branches.iter(), always, out),
        Fields::Counted { name, doc, items, cases } => {
            let (min, max) = match (cases.first(), cases.last()) {
                (Some(first), Some(last)) => (first.0, last.0),
                _ => (0, 0),
            };
            add(out, name, doc.as_ref(), Schema::Counted { items: (**items).clone(), min, max }, always);
            collect_branches(cases.iter().map(|(_, fields)| fields), always, out);
        }
    }
}

/// A property is required only if every branch has it and requires it.
fn collect_branches<'a>(branches: impl Iterator<Item = &'a Fields>, always: bool, out: &mut Vec<Property>) {
    let mut lists: Vec<Vec<Property>> = Vec::new();
    for branch in branches {
        let mut list = Vec::new();
        collect(branch, always, &mut list);
        lists.push(list);
    }
    let everywhere = |name: &str| lists.iter().all(|list| list.iter().any(|p| p.name == name && p.required));
    let required: Vec<String> = lists
        .first()
        .map(|list| list.iter().map(|p| p.name.clone()).filter(|name| everywhere(name)).collect())
        .unwrap_or_default();
    for property in lists.into_iter().flatten() {
        let needed = required.contains(&property.name);
        add(out, &property.name, property.doc.as_ref(), property.schema, needed);
    }
}

fn add(out: &mut Vec<Property>, name: &str, doc: Option<&String>, schema: Schema, required: bool) {
    let Some(old) = out.iter_mut().find(|property| property.name == name) else {
        out.push(Property { name: name.to_owned(), doc: doc.cloned(), schema, required });
        return;
    };
    match (&mut old.doc, doc) {
        (Some(old), Some(new)) if !old.contains(new.as_str()) => {
            old.push(' ');
            old.push_str(new);
        }
        (old @ None, Some(_)) => *old = doc.cloned(),
        _ => {}
    }
    match (&mut old.schema, schema) {
        (Schema::Shapes(old), Schema::Shapes(new)) => old.extend(new),
        (Schema::Counted { min, max, .. }, Schema::Counted { min: low, max: high, .. }) => {
            *min = (*min).min(low);
            *max = (*max).max(high);
        }
        (Schema::Counted { min, max, .. }, Schema::Shapes(shapes)) => {
            for shape in shapes {
                if let Shape::Array(array) = shape {
                    *min = (*min).min(array.min);
                    *max = (*max).max(array.max);
                }
            }
        }
        (Schema::Shapes(_), counted @ Schema::Counted { .. }) => {
            let Schema::Shapes(shapes) = std::mem::replace(&mut old.schema, counted) else { return };
            add(out, name, None, Schema::Shapes(shapes), required);
        }
    }
}

/// The least shape of our kind that holds all of these, written as a schema.
fn union_of(shapes: Vec<Shape>, dialect: Dialect) -> Value {
    let mut texts: Option<Text> = None;
    let mut range: Option<(i64, i64)> = None;
    let mut booleans = [false; 2];
    let mut words: Vec<Value> = Vec::new();
    let mut rest: Vec<Value> = Vec::new();
    for shape in &shapes {
        let mut widen = |low: i64, high: i64| {
            range = Some(range.map_or((low, high), |(a, b)| (a.min(low), b.max(high))));
        };
        match shape {
            Shape::Text(text) => match &mut texts {
                Some(old) => old.max = old.max.max(text.max),
                None => texts = Some(text.clone()),
            },
            Shape::Integer { min, max } => widen(*min, *max),
            Shape::Const(Value::Number(n)) if n.is_i64() => {
                let n = n.as_i64().unwrap_or_default();
                widen(n, n);
            }
            Shape::Boolean => booleans = [true; 2],
            Shape::Const(Value::Bool(b)) => booleans[usize::from(*b)] = true,
            Shape::Const(value) => {
                if !words.contains(value) {
                    words.push(value.clone());
                }
            }
            other => {
                let schema = node(other, dialect);
                if !rest.contains(&schema) {
                    rest.push(schema);
                }
            }
        }
    }
    let mut parts = Vec::new();
    parts.extend(texts.map(|text| text_node(&text, dialect)));
    parts.extend(range.map(|(min, max)| node(&Shape::Integer { min, max }, dialect)));
    match booleans {
        [true, true] => parts.push(node(&Shape::Boolean, dialect)),
        [true, false] => parts.push(const_node(&Value::Bool(false), dialect)),
        [false, true] => parts.push(const_node(&Value::Bool(true), dialect)),
        [false, false] => {}
    }
    match words.as_slice() {
        [] => {}
        [one] => parts.push(const_node(one, dialect)),
        many if many.iter().all(Value::is_string) => parts.push(json!({ "type": "string", "enum": many })),
        many => parts.push(json!({ "enum": many })),
    }
    parts.extend(rest);
    if parts.len() == 1 {
        return parts.remove(0);
    }
    match dialect {
        Dialect::Canonical | Dialect::LlamaCpp => json!({ "anyOf": parts }),
        // No union, so no type is pinned.
        Dialect::Portable => json!({}),
    }
}

/// One object of all the fields of a union of objects; `None` if a branch is something else.
fn merged(shapes: &[Shape]) -> Option<Object> {
    let mut branches = Vec::new();
    let mut name = None;
    for shape in shapes {
        let Shape::Object(object) = shape else { return None };
        name.get_or_insert_with(|| object.name.clone());
        branches.push(object.fields.clone());
    }
    Some(Object { name: name?, fields: Fields::Choice(branches) })
}

/// Whether every text of a grammar is JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EveryText {
    /// It is: decided on the grammar's rules, for all texts.
    Yes,
    /// The shortest text that is not, ties by the order of [`Witness`].
    No(Witness),
    /// Undecided within the budget, and why.
    Unknown(String),
}

/// Decides whether every text of a grammar is JSON by RFC 8259. Recursion is no obstacle where brackets balance within rules.
///
/// # Errors
/// [`AutomatonError`](gbnf::AutomatonError) if the grammar is none or reaches a token literal.
pub fn every_text_is_json(grammar: &Grammar, budget: &Budget) -> Result<EveryText, gbnf::AutomatonError> {
    let mut judge = judge::Judge::new(nodes::Nodes::anything(), budget)?;
    Ok(match gbnf::pushdown::accepts_all(grammar, &mut judge, budget)? {
        Verdict::Yes { .. } => EveryText::Yes,
        Verdict::No(witness) => EveryText::No(witness),
        Verdict::Unknown(why) => EveryText::Unknown(why),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::profiles;

    fn schema(dialect: Dialect) -> Value {
        write(&profiles::Ask::default().shape(), dialect)
    }
    use crate::ask::profiles::Profile as _;

    /// Every keyword of every schema position of a schema.
    fn keywords(schema: &Value, out: &mut Vec<String>) {
        let Value::Object(map) = schema else { return };
        for (key, value) in map {
            out.push(key.clone());
            match (key.as_str(), value) {
                ("properties", Value::Object(properties)) => properties.values().for_each(|s| keywords(s, out)),
                ("items", item) => keywords(item, out),
                ("anyOf" | "oneOf", Value::Array(branches)) => branches.iter().for_each(|s| keywords(s, out)),
                _ => {}
            }
        }
    }

    #[test]
    fn llama_cpp_schema_uses_only_what_is_kept() {
        let mut seen = Vec::new();
        keywords(&schema(Dialect::LlamaCpp), &mut seen);
        for key in ["pattern", "oneOf", "allOf", "$ref", "$schema", "format", "not"] {
            assert!(!seen.iter().any(|k| k == key), "{key}");
        }
        fn unions_stand_alone(schema: &Value) {
            match schema {
                Value::Object(map) => {
                    if map.contains_key("anyOf") {
                        assert_eq!(map.len(), 1, "{schema}");
                    }
                    map.values().for_each(unions_stand_alone);
                }
                Value::Array(items) => items.iter().for_each(unions_stand_alone),
                _ => {}
            }
        }
        unions_stand_alone(&schema(Dialect::LlamaCpp));
    }

    #[test]
    fn portable_has_no_union_and_no_bound() {
        let mut seen = Vec::new();
        keywords(&schema(Dialect::Portable), &mut seen);
        seen.sort();
        seen.dedup();
        assert_eq!(seen, ["description", "enum", "items", "properties", "required", "type"]);
        let question = &schema(Dialect::Portable)["properties"]["questions"]["items"];
        assert_eq!(question["properties"]["kind"]["enum"], json!(["text", "single", "multi"]));
        assert_eq!(question["required"], json!(["kind", "question"]));
    }

    #[test]
    fn canonical_keeps_the_wire_order() {
        let branches = &schema(Dialect::Canonical)["properties"]["questions"]["items"]["oneOf"];
        let keys: Vec<&String> = branches[2]["properties"].as_object().unwrap().keys().collect();
        assert_eq!(keys, ["kind", "question", "options", "header", "allow_other", "min_selected", "max_selected"]);
        assert_eq!(branches[2]["properties"]["max_selected"]["maximum"], 6);
        assert_eq!(branches[2]["required"], json!(["kind", "question", "options"]));
    }

    #[test]
    fn ids_read_back() {
        for dialect in Dialect::ALL {
            assert_eq!(dialect.id().parse(), Ok(dialect));
        }
        assert!("openai".parse::<Dialect>().unwrap_err().to_string().contains("openai"));
    }
}
