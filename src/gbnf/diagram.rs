//! Railroad diagrams of a grammar: one rule or all of them as an SVG picture, or all of them as an HTML page.
//!
//! What lives here: which picture stands for which piece of syntax, how its text is shown, and the documents around the
//! pictures. What does not: the lines and curves between boxes (the crate `railroad` lays them out), files, arguments.
//!
//! Grammars come from strangers and pictures are opened in browsers, so no text of a grammar is ever markup: everything goes
//! through [`escape`], and what could not be seen or would reorder its line is written as an escape before that.
//! Same grammar, same bytes.

use std::collections::HashMap;
use std::fmt::{self, Write as _};

use railroad::{Choice, Empty, End, Node, NodeGeometry, Optional, Repeat as Loop, Sequence as Row, Stack, Start, svg};

use super::ast::{Alternatives, Class, Grammar, Item, Literal, Repeat, Rule, RuleName, Sequence, Token};
use super::print::{write_class, write_literal, write_token};

/// Past how many ranges a class is cut short; the whole class is then the tooltip.
const RANGES: usize = 12;
/// Past how many code points a literal is cut short; the whole literal is then the tooltip.
const CODE_POINTS: usize = 60;
/// Past how many boxes the rest of a rule is only counted. A picture of more is no picture, and takes gigabytes.
const BOXES: usize = 10_000;
/// Past which width a sequence goes on in a new row.
const ROW_WIDTH: i64 = 1_100;
/// Columns of a caption's line in a picture; a page breaks lines by itself.
const CAPTION_COLUMNS: usize = 100;
/// The space around a picture and between the rules in it.
const MARGIN: i64 = 16;

/// The look of a picture: plain rules, no variables, because many viewers of SVG know no more. Without the query for dark
/// viewers it is dark lines on a light ground, which is why the ground is drawn; the background is for what a browser shows
/// around it.
const PICTURE_STYLE: &str = "\
svg.railroad { background: #ffffff; }
svg.railroad .canvas { fill: #ffffff; }
svg.railroad path { fill: none; stroke: #444c56; stroke-width: 2px; }
svg.railroad rect.box { fill: #f6f8fa; stroke: #444c56; stroke-width: 1.5px; }
svg.railroad text { font-family: 'DejaVu Sans Mono', Menlo, Consolas, monospace; font-size: 14px; fill: #1f2328; }
svg.railroad text.label { text-anchor: middle; }
svg.railroad .literal rect.box { fill: #e6f4ea; stroke: #2f6f44; }
svg.railroad .class rect.box { fill: #fff4d6; stroke: #8a6100; }
svg.railroad .token rect.box { fill: #f3e8fd; stroke: #6f42a0; }
svg.railroad .reference rect.box { fill: #e3effd; stroke: #1f5fa8; }
svg.railroad .undefined rect.box { fill: #fdecea; stroke: #b3261e; stroke-dasharray: 4 3; }
svg.railroad a text { fill: #0b4a8f; }
svg.railroad a:hover text { text-decoration: underline; }
svg.railroad .note text { font-style: italic; font-size: 12px; fill: #57606a; }
svg.railroad text.name { font-size: 16px; font-weight: bold; }
svg.railroad text.caption { font-size: 12px; fill: #57606a; }
@media (prefers-color-scheme: dark) {
svg.railroad { background: #0d1117; }
svg.railroad .canvas { fill: #0d1117; }
svg.railroad path { stroke: #a5afba; }
svg.railroad rect.box { fill: #161b22; stroke: #a5afba; }
svg.railroad text { fill: #e6edf3; }
svg.railroad .literal rect.box { fill: #12281a; stroke: #6fbf8a; }
svg.railroad .class rect.box { fill: #2d2408; stroke: #d3a83c; }
svg.railroad .token rect.box { fill: #261a35; stroke: #b48ae0; }
svg.railroad .reference rect.box { fill: #10233d; stroke: #6ba6ea; }
svg.railroad .undefined rect.box { fill: #3a1513; stroke: #f0857d; }
svg.railroad a text { fill: #9ac7ff; }
svg.railroad .note text, svg.railroad text.caption { fill: #a5afba; }
}
";

/// The look of the page around the pictures.
const PAGE_STYLE: &str = "\
body { background: #ffffff; color: #1f2328; font-family: sans-serif; margin: 1.5rem; }
a { color: #0b4a8f; }
h1, h2 { font-family: monospace; }
h2 a { color: inherit; text-decoration: none; }
h2 small { font-weight: normal; font-style: italic; }
nav ul { columns: 18rem; list-style: none; padding: 0; font-family: monospace; overflow-wrap: anywhere; }
.caption { white-space: pre-wrap; }
.picture { overflow-x: auto; }
h2:target { text-decoration: underline; }
@media (prefers-color-scheme: dark) {
body { background: #0d1117; color: #e6edf3; }
a { color: #9ac7ff; }
}
";

/// Draws the rules of a grammar.
///
/// A rule that a later one of its name overrides is drawn too, and marked; references lead to the one that counts.
///
/// ```
/// use askgbnf::gbnf::{Diagram, parse};
///
/// let grammar = parse("root ::= \"yes\" | no\nno ::= \"no\" \"pe\"?\n")?;
/// let diagram = Diagram::new(&grammar);
/// assert!(diagram.svg().starts_with("<svg "));
/// assert!(diagram.html("answers").contains("<a href=\"#rule-no\">"));
/// assert!(diagram.rule_svg("maybe").is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Diagram<'g> {
    grammar: &'g Grammar,
    /// The place of the rule that counts for each name; looking it up in the grammar takes time in proportion to its size.
    counts: HashMap<&'g str, usize>,
}

impl<'g> Diagram<'g> {
    /// Diagrams of this grammar's rules.
    pub fn new(grammar: &'g Grammar) -> Self {
        let counts = grammar.rules().iter().enumerate().map(|(i, rule)| (rule.name().as_str(), i)).collect();
        Diagram { grammar, counts }
    }

    /// One rule, the one that counts for `name`, as an SVG document of its own; `None` if no rule has this name.
    ///
    /// Other rules are not in that document, so references are links only where the rule names itself.
    pub fn rule_svg(&self, name: &str) -> Option<String> {
        let rule = self.grammar.rules().get(*self.counts.get(name)?)?;
        let mut picture = Picture::default();
        picture.rule(rule, true, &|target| self.reach(target, |known| known == rule.name().as_str()));
        Some(picture.document())
    }

    /// All rules below each other, each under its name, as one SVG document.
    pub fn svg(&self) -> String {
        let mut picture = Picture::default();
        for (i, rule) in self.grammar.rules().iter().enumerate() {
            picture.rule(rule, self.is_current(i, rule), &|target| self.reach(target, |_| true));
        }
        picture.document()
    }

    /// An HTML page: a list of the rules, then each rule under a heading whose id is `rule-` and the name.
    ///
    /// The page needs no other file, and forbids the browser to load any.
    pub fn html(&self, title: &str) -> String {
        let title = escape(&visible(title));
        let mut page = String::new();
        page.push_str("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        page.push_str(
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n",
        );
        page.push_str("<meta name=\"viewport\" content=\"width=device-width\">\n");
        put(&mut page, format_args!("<title>{title}</title>\n<style>\n{PAGE_STYLE}{PICTURE_STYLE}</style>\n"));
        put(&mut page, format_args!("</head>\n<body>\n<h1>{title}</h1>\n"));
        if !self.grammar.header().is_empty() {
            let header = caption(&self.grammar.header().join("\n"));
            put(&mut page, format_args!("<p class=\"caption\" dir=\"auto\">{header}</p>\n"));
        }
        page.push_str("<nav>\n<ul>\n");
        for (i, rule) in self.grammar.rules().iter().enumerate() {
            if self.is_current(i, rule) {
                put(&mut page, format_args!("<li><a href=\"#{0}\">{1}</a></li>\n", anchor(rule.name()), rule.name()));
            }
        }
        page.push_str("</ul>\n</nav>\n");
        for (i, rule) in self.grammar.rules().iter().enumerate() {
            self.section(&mut page, rule, self.is_current(i, rule));
        }
        page.push_str("</body>\n</html>\n");
        page
    }

    fn section(&self, page: &mut String, rule: &Rule, current: bool) {
        let name = rule.name();
        if current {
            let id = anchor(name);
            put(page, format_args!("<section>\n<h2 id=\"{id}\"><a href=\"#{id}\">{name}</a></h2>\n"));
        } else {
            put(page, format_args!("<section>\n<h2>{name} <small>{OVERRIDDEN}</small></h2>\n"));
        }
        if let Some(comment) = rule.comment() {
            put(page, format_args!("<p class=\"caption\" dir=\"auto\">{}</p>\n", caption(comment)));
        }
        let drawn = draw(rule, &|target| self.reach(target, |_| true));
        let (width, height) = (drawn.geometry.width + 2, drawn.geometry.height + 2);
        put(page, format_args!("<div class=\"picture\">{}\n", open_svg(width, height, "")));
        drawn.write(page, 1, 1);
        page.push_str("</svg></div>\n</section>\n");
    }

    fn is_current(&self, index: usize, rule: &Rule) -> bool {
        self.counts.get(rule.name().as_str()) == Some(&index)
    }

    fn reach(&self, name: &RuleName, in_document: impl Fn(&str) -> bool) -> Reach {
        match self.counts.contains_key(name.as_str()) {
            true if in_document(name.as_str()) => Reach::Link,
            true => Reach::Elsewhere,
            false => Reach::Undefined,
        }
    }
}

const OVERRIDDEN: &str = "overridden by a later rule of this name";

/// Where a reference leads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// To a rule in the same document.
    Link,
    /// To a rule of the grammar that is not in the document.
    Elsewhere,
    /// Nowhere: no rule has the name.
    Undefined,
}

/// An SVG document in the making: rules below each other.
#[derive(Default)]
struct Picture {
    body: String,
    width: i64,
    height: i64,
}

impl Picture {
    fn rule(&mut self, rule: &Rule, current: bool, reach: &dyn Fn(&RuleName) -> Reach) {
        let drawn = draw(rule, reach);
        let id = if current { format!(" id=\"{}\"", anchor(rule.name())) } else { String::new() };
        put(&mut self.body, format_args!("<g class=\"rule\"{id}>\n"));
        self.height += MARGIN;
        let name = if current { rule.name().to_string() } else { format!("{} ({OVERRIDDEN})", rule.name()) };
        self.text("name", &name, 20, 10);
        for line in rule.comment().map_or_else(Vec::new, |comment| wrapped(&visible(comment))) {
            self.text("caption", &line, 16, 8);
        }
        self.height += 6;
        drawn.write(&mut self.body, MARGIN, self.height);
        self.body.push_str("</g>\n");
        self.width = self.width.max(drawn.geometry.width);
        self.height += drawn.geometry.height;
    }

    /// A line of text at the left, `height` high, whose columns are `column` wide.
    fn text(&mut self, class: &str, text: &str, height: i64, column: i64) {
        self.height += height;
        let (x, y) = (MARGIN, self.height - 4);
        put(&mut self.body, format_args!("<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>\n", escape(text)));
        self.width = self.width.max(columns(text).saturating_mul(column));
    }

    fn document(self) -> String {
        let (width, height) = (self.width + 2 * MARGIN, self.height + MARGIN);
        let mut text = open_svg(width, height, " xmlns=\"http://www.w3.org/2000/svg\"");
        put(&mut text, format_args!("\n<style>\n{PICTURE_STYLE}</style>\n"));
        put(&mut text, format_args!("<rect class=\"canvas\" width=\"{width}\" height=\"{height}\"/>\n"));
        text.push_str(&self.body);
        text.push_str("</svg>\n");
        text
    }
}

fn open_svg(width: i64, height: i64, namespace: &str) -> String {
    format!(
        "<svg{namespace} class=\"railroad\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">"
    )
}

/// The id of a rule's place in a document. Names are letters, digits and `-`, so this needs no escape.
fn anchor(name: &RuleName) -> String {
    format!("rule-{name}")
}

/// Writing into a `String` cannot fail.
fn put(out: &mut String, text: fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

// ---- from syntax to boxes

/// A part of a picture with its size worked out.
///
/// The crate's nodes ask their children for their sizes several times, each of which asks its own: without a memory of the
/// answers, nested groups take time that doubles at every level.
struct Placed {
    geometry: NodeGeometry,
    node: Box<dyn Node>,
}

impl Placed {
    fn new(node: impl Node + 'static) -> Placed {
        Placed { geometry: node.compute_geometry(), node: Box::new(node) }
    }

    fn write(&self, out: &mut String, x: i64, y: i64) {
        // Only writing can fail, and writing into a `String` cannot.
        let _ = self.node.render_with_geometry(&mut svg::Renderer::new(out), x, y, svg::HDir::LTR, &self.geometry);
    }
}

impl Node for Placed {
    fn entry_height(&self) -> i64 {
        self.geometry.entry_height
    }

    fn height(&self) -> i64 {
        self.geometry.height
    }

    fn width(&self) -> i64 {
        self.geometry.width
    }

    fn draw(&self, x: i64, y: i64, direction: svg::HDir) -> svg::Element {
        self.node.draw_with_geometry(x, y, direction, &self.geometry)
    }

    // The geometry that a parent keeps is this part's outline alone; the parts within are known here.
    fn render_with_geometry(
        &self,
        out: &mut svg::Renderer<'_>,
        x: i64,
        y: i64,
        direction: svg::HDir,
        _: &NodeGeometry,
    ) -> fmt::Result {
        self.node.render_with_geometry(out, x, y, direction, &self.geometry)
    }
}

/// Draws what a rule stands for, from its start to its end.
fn draw(rule: &Rule, reach: &dyn Fn(&RuleName) -> Reach) -> Placed {
    let body = Artist { reach, left: BOXES }.alternatives(rule.body());
    Placed::new(Row::new(vec![Placed::new(Start), body, Placed::new(End)]))
}

struct Artist<'r> {
    reach: &'r dyn Fn(&RuleName) -> Reach,
    /// How many boxes may still be drawn.
    left: usize,
}

impl Artist<'_> {
    fn alternatives(&mut self, alternatives: &Alternatives) -> Placed {
        let sequences = alternatives.sequences();
        let mut drawn = Vec::new();
        for sequence in sequences {
            if self.left == 0 {
                drawn.push(more(sequences.len() - drawn.len(), "alternative"));
                break;
            }
            drawn.push(self.sequence(sequence));
        }
        only_or(drawn, |drawn| Placed::new(Choice::new(drawn)))
    }

    fn sequence(&mut self, sequence: &Sequence) -> Placed {
        let items = sequence.items();
        if items.is_empty() {
            self.left = self.left.saturating_sub(1);
            return note("empty".to_owned());
        }
        let (mut rows, mut row, mut width) = (Vec::new(), Vec::new(), 0);
        for (i, item) in items.iter().enumerate() {
            let rest = self.left == 0;
            let drawn = if rest { more(items.len() - i, "item") } else { self.item(item) };
            if !row.is_empty() && width + drawn.geometry.width > ROW_WIDTH {
                rows.push(in_a_row(std::mem::take(&mut row)));
                width = 0;
            }
            width += drawn.geometry.width + 10;
            row.push(drawn);
            if rest {
                break;
            }
        }
        rows.push(in_a_row(row));
        only_or(rows, |rows| Placed::new(Stack::new(rows)))
    }

    fn item(&mut self, item: &Item) -> Placed {
        match item {
            Item::Group(alternatives) => return self.alternatives(alternatives),
            Item::Repeat(repeat) => return self.repeat(repeat),
            Item::Literal(_) | Item::Class(_) | Item::Any | Item::Ref(_) | Item::Token(_) => {}
        }
        self.left = self.left.saturating_sub(1);
        Placed::new(match item {
            Item::Literal(literal) => literal_box(literal),
            Item::Class(class) => class_box(class),
            Item::Any => {
                Label::new("class", "any character".to_owned()).with_title(". any one code point, line breaks too")
            }
            Item::Ref(name) => reference_box(name, (self.reach)(name)),
            Item::Token(token) => token_box(token),
            Item::Group(_) | Item::Repeat(_) => Label::new("note", String::new()),
        })
    }

    fn repeat(&mut self, repeat: &Repeat) -> Placed {
        let (min, max) = (repeat.min(), repeat.max());
        if max == Some(0) {
            // On a rail it would look as if it could be taken.
            self.left = self.left.saturating_sub(1);
            return note("a part repeated 0 times".to_owned());
        }
        let item = self.item(repeat.item());
        let times = match (min, max) {
            (0 | 1, Some(1)) => None,
            (0 | 1, None) => Some(Placed::new(Empty)),
            (0 | 1, Some(max)) => Some(note(format!("up to {max} times"))),
            (min, None) => Some(note(format!("{min} or more times"))),
            (min, Some(max)) if min == max => Some(note(format!("{min} times"))),
            (min, Some(max)) => Some(note(format!("{min} to {max} times"))),
        };
        let looped = match times {
            Some(times) => Placed::new(Loop::new(item, times)),
            None => item,
        };
        if min == 0 { Placed::new(Optional::new(looped)) } else { looped }
    }
}

fn in_a_row(items: Vec<Placed>) -> Placed {
    only_or(items, |items| Placed::new(Row::new(items)))
}

/// The only part, or all of them put together.
fn only_or(mut parts: Vec<Placed>, together: impl FnOnce(Vec<Placed>) -> Placed) -> Placed {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        last => {
            parts.extend(last);
            together(parts)
        }
    }
}

fn note(text: String) -> Placed {
    Placed::new(Label::new("note", text))
}

/// What stands for parts that are not drawn.
fn more(count: usize, of: &str) -> Placed {
    let plural = if count == 1 { "" } else { "s" };
    note(format!("\u{2026} {count} more {of}{plural}"))
}

fn literal_box(literal: &Literal) -> Label {
    let code_points = literal.code_points();
    let spelled = |code_points: &[u32]| {
        let mut text = String::new();
        // Writing into a `String` cannot fail.
        let _ = write_literal(&mut text, code_points);
        text
    };
    match code_points.get(..CODE_POINTS) {
        Some(shown) if code_points.len() > CODE_POINTS => {
            let more = code_points.len() - CODE_POINTS;
            Label::new("literal", format!("{} \u{2026} {more} more", spelled(shown))).with_title(spelled(code_points))
        }
        _ => Label::new("literal", spelled(code_points)),
    }
}

fn class_box(class: &Class) -> Label {
    let spelled = |ranges: &[(u32, u32)]| {
        let mut text = String::new();
        // Writing into a `String` cannot fail.
        let _ = write_class(&mut text, class.is_negated(), ranges);
        text
    };
    let ranges = class.ranges();
    let whole = spelled(ranges);
    let label = match ranges.get(..RANGES) {
        Some(shown) if ranges.len() > RANGES => {
            let mut short = spelled(shown);
            short.pop();
            Label::new("class", format!("{short} \u{2026} {} more]", ranges.len() - RANGES))
        }
        _ => Label::new("class", whole.clone()),
    };
    match class.is_negated() {
        true => label.with_title(format!("{whole} any one code point but these")),
        false if ranges.len() > RANGES => label.with_title(whole),
        false => label,
    }
}

fn token_box(token: &Token) -> Label {
    let mut text = String::new();
    // Writing into a `String` cannot fail.
    let _ = write_token(&mut text, token);
    let negated = matches!(token, Token::Id { negated: true, .. } | Token::Text { negated: true, .. });
    let title = if negated { "any token of the model but this one" } else { "a token of the model" };
    Label::new("token", visible(&text)).with_title(title)
}

fn reference_box(name: &RuleName, reach: Reach) -> Label {
    match reach {
        Reach::Link => Label { target: Some(anchor(name)), ..Label::new("reference", name.to_string()) },
        Reach::Elsewhere => Label::new("reference", name.to_string()),
        Reach::Undefined => Label::new("undefined", name.to_string()).with_title("no rule has this name"),
    }
}

/// A text on the rail: in a box, or as a note without one.
///
/// The crate has boxes of its own, but none with a tooltip, and it puts a line break before every text, which would count
/// where white space is kept.
struct Label {
    class: &'static str,
    text: String,
    title: Option<String>,
    target: Option<String>,
}

impl Label {
    fn new(class: &'static str, text: String) -> Label {
        Label { class, text, title: None, target: None }
    }

    fn with_title(mut self, title: impl Into<String>) -> Label {
        self.title = Some(title.into());
        self
    }

    fn is_note(&self) -> bool {
        self.class == "note"
    }

    fn markup(&self, x: i64, y: i64) -> String {
        let (width, height) = (self.width(), self.height());
        let mut out = String::new();
        if let Some(target) = &self.target {
            put(&mut out, format_args!("<a href=\"#{}\">", escape(target)));
        }
        put(&mut out, format_args!("<g class=\"{}\">", self.class));
        if let Some(title) = &self.title {
            put(&mut out, format_args!("<title>{}</title>", escape(title)));
        }
        if !self.is_note() {
            // Round ends for what is written as it stands, corners for what stands for something else.
            let radius = if matches!(self.class, "literal" | "token") { 12 } else { 3 };
            put(
                &mut out,
                format_args!(
                    "<rect class=\"box\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{radius}\"/>"
                ),
            );
        }
        // Two spaces would be shown as one.
        let space = if self.text.contains("  ") { " xml:space=\"preserve\"" } else { "" };
        let (middle, base) = (x + width / 2, if self.is_note() { y + 8 } else { y + 18 });
        put(&mut out, format_args!("<text class=\"label\" x=\"{middle}\" y=\"{base}\"{space}>"));
        out.push_str(&escape(&self.text));
        out.push_str("</text></g>");
        if self.is_note() {
            // The rail goes on below its text.
            put(&mut out, format_args!("<path d=\"M {x} {} h {width}\"/>", y + self.entry_height()));
        }
        if self.target.is_some() {
            out.push_str("</a>");
        }
        out.push('\n');
        out
    }
}

impl Node for Label {
    fn entry_height(&self) -> i64 {
        13
    }

    fn height(&self) -> i64 {
        if self.is_note() { 15 } else { 26 }
    }

    fn width(&self) -> i64 {
        // A column of a monospaced font is 0.6 of its size wide; a little more, for fonts that are wider.
        let tenths = if self.is_note() { 76 } else { 87 };
        columns(&self.text).saturating_mul(tenths) / 10 + if self.is_note() { 12 } else { 20 }
    }

    fn draw(&self, x: i64, y: i64, _: svg::HDir) -> svg::Element {
        svg::Element::new("g").raw_text(&self.markup(x, y))
    }

    fn render_with_geometry(
        &self,
        out: &mut svg::Renderer<'_>,
        x: i64,
        y: i64,
        _: svg::HDir,
        _: &NodeGeometry,
    ) -> fmt::Result {
        out.write_raw(&self.markup(x, y))
    }
}

// ---- text

/// Text as markup that means that text, between tags and inside quoted attributes, in HTML and in XML.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

/// Text of comments, tokens and titles with everything that cannot be seen, reorders its line, or is forbidden in XML as an
/// escape; line breaks stay. (Literals and classes are spelled by the printer, which is stricter.)
fn visible(text: &str) -> String {
    let hidden = |c: char| {
        c != '\n' && c.is_control()
            || matches!(
                c,
                '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
                    | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{FFFE}'..='\u{FFFF}'
                    | '\u{E0000}'..='\u{E0FFF}'
            )
    };
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if hidden(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

fn caption(comment: &str) -> String {
    escape(&visible(comment))
}

/// How many columns a text takes in a monospaced font, as a guess on the safe side: two for what lies in the blocks of East
/// Asian scripts and of pictographs.
fn columns(text: &str) -> i64 {
    let wide = |c: char| matches!(c, '\u{1100}'..='\u{115F}' | '\u{2E80}'..='\u{A4CF}' | '\u{AC00}'..='\u{D7A3}' | '\u{F900}'..='\u{FAFF}' | '\u{FE30}'..='\u{FE6F}' | '\u{FF00}'..='\u{FF60}' | '\u{1F000}'..);
    text.chars().map(|c| if wide(c) { 2 } else { 1 }).sum()
}

/// The lines of a caption, broken where they are too long for a picture: at spaces, and inside a word that is too long itself.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let mut current = String::new();
        for word in line.split(' ') {
            let word: Vec<char> = word.chars().collect();
            for (i, piece) in word.chunks(CAPTION_COLUMNS).enumerate() {
                let full = current.chars().count() + piece.len() >= CAPTION_COLUMNS;
                if !current.is_empty() && (i > 0 || full) {
                    lines.push(std::mem::take(&mut current));
                } else if !current.is_empty() {
                    current.push(' ');
                }
                current.extend(piece);
            }
        }
        lines.push(current);
    }
    lines
}

#[cfg(test)]
#[path = "diagram_tests.rs"]
mod tests;
