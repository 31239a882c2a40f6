//! The typed schema: what values a wire holds, nothing of how a schema or grammar spells it.
//!
//! What lives here: [`Shape`] and its parts. What does not: JSON Schema keywords
//! ([`json_schema`](crate::json_schema)), grammar rules ([`gbnf`](crate::gbnf)), and questions.
//!
//! An object's fields are a regular expression over fields ([`Fields`]): a tool's arguments are written in one order,
//! and which field may follow can depend on what came before (`max_selected` cannot exceed the number of options).

use std::sync::Arc;

use serde_json::Value;

use crate::language::{CodePointSet, Dfa};

/// A set of JSON values.
#[derive(Clone, Debug)]
pub enum Shape {
    /// An object with exactly these fields, in this order.
    Object(Object),
    /// An array of items of one shape.
    Array(Array),
    /// A string out of a language.
    Text(Text),
    /// An integer between two bounds, both included.
    Integer {
        /// The least.
        min: i64,
        /// The greatest.
        max: i64,
    },
    /// `true` or `false`.
    Boolean,
    /// One value.
    Const(Value),
    /// One of several shapes. They must be disjoint, or a text could be read in two ways.
    Union(Vec<Shape>),
}

/// An object whose fields come in a fixed order and that holds no others.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its name in grammars and documentation: letters, digits and `-`.
    pub name: String,
    /// Its fields. The first is never optional.
    pub fields: Fields,
}

/// Which fields an object has, and in which order.
#[derive(Clone, Debug)]
pub enum Fields {
    /// One field.
    One(Field),
    /// These, one after another.
    Seq(Vec<Fields>),
    /// Nothing or this.
    Optional(Box<Fields>),
    /// One of these; they part at their first field.
    Choice(Vec<Fields>),
    /// An array field whose number of items decides what may follow it.
    Counted {
        /// The array field's name.
        name: String,
        /// What it is for, in a schema's words.
        doc: Option<String>,
        /// The shape of its items.
        items: Box<Shape>,
        /// What follows an array of `n` items, for rising `n` without gaps.
        cases: Vec<(usize, Fields)>,
    },
}

/// One field of an object.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its key.
    pub name: String,
    /// Its values.
    pub shape: Box<Shape>,
    /// What it is for, in a schema's words.
    pub doc: Option<String>,
}

/// An array.
#[derive(Clone, Debug)]
pub struct Array {
    /// The shape of each item.
    pub items: Box<Shape>,
    /// The fewest items.
    pub min: usize,
    /// The most items.
    pub max: usize,
}

/// A string: its decoded text is a member of `words` with at most `max` code points.
#[derive(Clone, Debug)]
pub struct Text {
    /// Its name in grammars: letters, digits and `-`. Texts of one name are one language.
    pub name: String,
    /// The language of the decoded text, its length aside.
    pub words: Words,
    /// The most code points.
    pub max: usize,
}

/// The language of a text, its length aside. Every member has at least one code point.
#[derive(Clone, Debug)]
pub enum Words {
    /// Any characters of `inner`, the first and the last out of `edge`, which is a part of `inner`.
    Trimmed {
        /// Characters allowed anywhere.
        inner: CodePointSet,
        /// Characters allowed at the ends.
        edge: CodePointSet,
    },
    /// What an automaton over code points accepts.
    Automaton(Arc<Dfa>),
    /// The same, but the automaton's head is not counted
    /// ([`counted::headed`](crate::language::counted::headed)): a word that goes far into it may be left out if it is
    /// nearly as long as the text may be. For automata that begin with many phrases.
    Headed(Arc<Dfa>),
}

impl Fields {
    /// A required field.
    #[must_use]
    pub fn required(name: &str, shape: Shape) -> Self {
        Fields::One(Field { name: name.to_owned(), shape: Box::new(shape), doc: None })
    }

    /// A field that may be absent.
    #[must_use]
    pub fn optional(name: &str, shape: Shape) -> Self {
        Fields::Optional(Box::new(Fields::required(name, shape)))
    }

    /// Adds what the field is for.
    #[must_use]
    pub fn doc(self, text: &str) -> Self {
        match self {
            Fields::One(field) => Fields::One(Field { doc: Some(text.to_owned()), ..field }),
            Fields::Optional(inner) => Fields::Optional(Box::new(inner.doc(text))),
            Fields::Counted { name, items, cases, .. } => {
                Fields::Counted { name, doc: Some(text.to_owned()), items, cases }
            }
            other => other,
        }
    }

    /// No field at all.
    #[must_use]
    pub fn none() -> Self {
        Fields::Seq(Vec::new())
    }
}

impl Shape {
    /// An object.
    #[must_use]
    pub fn object(name: &str, fields: Vec<Fields>) -> Self {
        Shape::Object(Object { name: name.to_owned(), fields: Fields::Seq(fields) })
    }

    /// An array of `min` to `max` items.
    #[must_use]
    pub fn array(items: Shape, min: usize, max: usize) -> Self {
        Shape::Array(Array { items: Box::new(items), min, max })
    }

    /// One string.
    #[must_use]
    pub fn word(text: &str) -> Self {
        Shape::Const(Value::from(text))
    }
}
