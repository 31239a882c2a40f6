//! Each construct as it stands in the picture, and what no grammar may do to the document around it.

use roxmltree::{Document, Node};

use super::*;
use crate::gbnf::{Expr, parse};

/// The picture of `root`, checked to be well-formed.
fn root(text: &str) -> String {
    rule(&parse(text).unwrap(), "root")
}

fn rule(grammar: &Grammar, name: &str) -> String {
    let svg = Diagram::new(grammar).rule_svg(name).unwrap();
    Document::parse(&svg).unwrap();
    svg
}

/// The texts of the boxes and notes, each after the class that it is drawn in.
fn labels(svg: &str) -> Vec<(String, String)> {
    let document = Document::parse(svg).unwrap();
    let label = |node: &Node<'_, '_>| node.attribute("class") == Some("label");
    document
        .descendants()
        .filter(label)
        .map(|node| {
            let class = node.parent().unwrap().attribute("class").unwrap();
            (class.to_owned(), node.text().unwrap().to_owned())
        })
        .collect()
}

#[track_caller]
fn shows(text: &str, expected: &[(&str, &str)]) {
    let drawn = labels(&root(text));
    let drawn: Vec<(&str, &str)> = drawn.iter().map(|(class, text)| (class.as_str(), text.as_str())).collect();
    assert_eq!(drawn, expected, "{text}");
}

fn titles(svg: &str) -> Vec<String> {
    let document = Document::parse(svg).unwrap();
    document.descendants().filter(|n| n.has_tag_name("title")).map(|n| n.text().unwrap().to_owned()).collect()
}

fn has_group(svg: &str, class: &str) -> bool {
    Document::parse(svg).unwrap().descendants().any(|node| node.attribute("class") == Some(class))
}

/// The elements, which are all that a document may hold.
fn tags(document: &str) -> std::collections::BTreeSet<String> {
    Document::parse(document)
        .unwrap()
        .descendants()
        .filter(Node::is_element)
        .map(|n| n.tag_name().name().to_owned())
        .collect()
}

#[test]
fn literals_show_what_cannot_be_seen() {
    shows("root ::= \"a\\n\\t\\x00\\\"\\\\\"", &[("literal", r#""a\n\t\x00\"\\""#)]);
    shows("root ::= \"x\u{202E}y\"", &[("literal", r#""x\u202Ey""#)]);
    shows("root ::= \"é中\"", &[("literal", "\"é中\"")]);
    assert!(root("root ::= \"a  b\"").contains("xml:space=\"preserve\">&quot;a  b&quot;"));
}

#[test]
fn a_long_literal_is_cut_and_kept_whole_in_the_tooltip() {
    let text = "x".repeat(CODE_POINTS);
    shows(&format!("root ::= \"{text}\""), &[("literal", &format!("\"{text}\""))]);
    let svg = root(&format!("root ::= \"{text}yz\""));
    assert_eq!(labels(&svg), [("literal".to_owned(), format!("\"{text}\" \u{2026} 2 more"))]);
    assert_eq!(titles(&svg), [format!("\"{text}yz\"")]);
}

#[test]
fn classes() {
    shows("root ::= [a-z0] [^\"\\n] .", &[("class", "[a-z0]"), ("class", "[^\"\\n]"), ("class", "any character")]);
    assert_eq!(titles(&root("root ::= [^a]")), ["[^a] any one code point but these"]);
    let svg = root("root ::= [acegikmoqsuwy]");
    assert_eq!(labels(&svg), [("class".to_owned(), "[acegikmoqsuw \u{2026} 1 more]".to_owned())]);
    assert_eq!(titles(&svg), ["[acegikmoqsuwy]"]);
}

#[test]
fn references_are_links_where_the_rule_is() {
    let grammar = parse("root ::= \"a\" root | b\nb ::= \"b\"").unwrap();
    let alone = rule(&grammar, "root");
    assert!(alone.contains("<a href=\"#rule-root\"><g class=\"reference\">"), "{alone}");
    assert!(!alone.contains("#rule-b"), "{alone}");
    for whole in [Diagram::new(&grammar).svg(), Diagram::new(&grammar).html("x")] {
        assert!(whole.contains("<a href=\"#rule-b\"><g class=\"reference\">") && whole.contains("id=\"rule-b\""));
    }
    assert!(Diagram::new(&grammar).rule_svg("c").is_none());
}

#[test]
fn a_reference_to_no_rule_is_no_link() {
    let missing = RuleName::new("missing").unwrap();
    let grammar: Grammar = [Rule::new(RuleName::root(), Expr::rule(missing))].into_iter().collect();
    let svg = rule(&grammar, "root");
    assert_eq!(labels(&svg), [("undefined".to_owned(), "missing".to_owned())]);
    assert_eq!(titles(&svg), ["no rule has this name"]);
    assert!(!Diagram::new(&grammar).html("x").contains("#rule-missing"));
}

#[test]
fn repetitions_say_their_bounds() {
    let a = ("literal", "\"a\"");
    for (count, note, skips, loops) in [
        ("?", None, true, false),
        ("*", None, true, true),
        ("+", None, false, true),
        ("{1}", None, false, false),
        ("{0,3}", Some("up to 3 times"), true, true),
        ("{1,3}", Some("up to 3 times"), false, true),
        ("{2,3}", Some("2 to 3 times"), false, true),
        ("{2}", Some("2 times"), false, true),
        ("{2,}", Some("2 or more times"), false, true),
    ] {
        let svg = root(&format!("root ::= \"a\"{count}"));
        let mut drawn = labels(&svg);
        drawn.sort();
        let mut expected = vec![(a.0.to_owned(), a.1.to_owned())];
        expected.extend(note.map(|note| ("note".to_owned(), note.to_owned())));
        assert_eq!(drawn, expected, "{count}");
        assert_eq!((has_group(&svg, "optional"), has_group(&svg, "repeat")), (skips, loops), "{count}");
    }
    shows("root ::= \"a\"{0} \"b\"", &[("note", "a part repeated 0 times"), ("literal", "\"b\"")]);
}

#[test]
fn groups_alternatives_and_the_empty_sequence() {
    let svg = root("root ::= (\"a\" | \"b\") \"c\" | \"\"");
    assert_eq!(svg.matches("class=\"choice\"").count(), 2);
    shows(
        "root ::= (\"a\" | \"b\") \"c\" | \"\"",
        &[("literal", "\"a\""), ("literal", "\"b\""), ("literal", "\"c\""), ("note", "empty")],
    );
    shows("root ::= \"\"", &[("note", "empty")]);
    // A group of one is only brackets.
    assert!(!has_group(&root("root ::= ((\"a\"))"), "choice"));
}

#[test]
fn tokens() {
    shows(
        "root ::= <[7]> !<[8]> <think> !<\u{202E}\u{1}>",
        &[("token", "<[7]>"), ("token", "!<[8]>"), ("token", "<think>"), ("token", "!<\\u{202e}\\u{1}>")],
    );
}

#[test]
fn the_later_rule_of_a_name_counts() {
    let grammar = parse("root ::= \"first\"\nroot ::= \"second\"").unwrap();
    let diagram = Diagram::new(&grammar);
    assert_eq!(labels(&rule(&grammar, "root")), [("literal".to_owned(), "\"second\"".to_owned())]);
    let svg = diagram.svg();
    assert_eq!(labels(&svg).len(), 2);
    for whole in [svg, diagram.html("x")] {
        assert_eq!(whole.matches("id=\"rule-root\"").count(), 1);
        assert_eq!(whole.matches(OVERRIDDEN).count(), 1);
        assert!(whole.find(OVERRIDDEN) < whole.find("id=\"rule-root\""), "the first one is the overridden one");
    }
}

#[test]
fn comments_are_captions() {
    let long = "word ".repeat(50);
    let grammar = parse(&format!("# head\n\n# one & two\n# {long}\nroot ::= \"a\"")).unwrap();
    let svg = rule(&grammar, "root");
    let captions = svg.matches("<text class=\"caption\"").count();
    assert!(svg.contains(">one &amp; two</text>") && captions > 2, "{captions}");
    let html = Diagram::new(&grammar).html("x");
    assert!(html.contains(">head</p>") && html.contains(">one &amp; two\nword "));
}

#[test]
fn captions_are_broken_to_fit() {
    assert_eq!(wrapped("one two\n\nthree"), ["one two", "", "three"]);
    let word = "x".repeat(60);
    assert_eq!(wrapped(&format!("{word} {word} y")), [word.clone(), format!("{word} y")]);
    let long = "x".repeat(CAPTION_COLUMNS + 1);
    assert_eq!(wrapped(&format!("a {long} b")), ["a".to_owned(), "x".repeat(CAPTION_COLUMNS), "x b".to_owned()]);
}

#[test]
fn no_text_of_a_grammar_is_markup() {
    let attack = "</text></title></svg></style><script>alert('&')</script>";
    let mut grammar = Grammar::new().with_header([format!("{attack}-->\u{202E}\u{1}")]);
    grammar.push(
        Rule::new(RuleName::root(), Expr::lit(attack)).with_comment(&format!("{attack}\u{202E}\u{1}\u{FFFE}]]>")),
    );
    let classes = format!("more ::= [<>&'\"/!?%a1b2c3d4e5] [^<>&] !<{}> \"{}\"", "/script", attack.repeat(3));
    grammar.extend(parse(&format!("root ::= more\n{classes}")).unwrap().rules().iter().skip(1).cloned());
    let diagram = Diagram::new(&grammar);
    let known = ["a", "g", "path", "rect", "style", "svg", "text", "title"];
    for svg in [diagram.svg(), rule(&grammar, "root"), rule(&grammar, "more")] {
        assert!(tags(&svg).iter().all(|tag| known.contains(&tag.as_str())), "{:?}", tags(&svg));
    }
    let html = diagram.html(attack);
    for text in [diagram.svg(), html.clone()] {
        assert!(!text.contains("<script") && text.contains("&lt;script&gt;alert(&#39;&amp;&#39;)"));
        assert!(!text.contains(['\u{202E}', '\u{1}', '\u{FFFE}']));
        assert_eq!(text.matches("</style>").count(), 1);
    }
    assert_eq!(html.matches("</svg>").count(), 2);
}

#[test]
fn a_document_stands_alone_and_has_the_same_bytes_every_time() {
    let grammar = parse("root ::= \"a\" [b-c]* | d{2,4}\nd ::= . | \"\"").unwrap();
    let svg = Diagram::new(&grammar).svg();
    assert_eq!(svg, Diagram::new(&grammar).svg());
    assert_eq!(Diagram::new(&grammar).html("x"), Diagram::new(&grammar).html("x"));
    assert!(!svg.contains("url(") && !svg.contains("@import") && !svg.contains("xlink:"));
    let document = Document::parse(&svg).unwrap();
    let number = |name: &str| document.root_element().attribute(name).unwrap().parse::<i64>().unwrap();
    // Every box lies inside the picture.
    for node in document.descendants().filter(|node| node.attribute("class") == Some("box")) {
        let at = |name: &str| node.attribute(name).unwrap().parse::<i64>().unwrap();
        assert!(at("x") >= 0 && at("x") + at("width") <= number("width"));
        assert!(at("y") >= 0 && at("y") + at("height") <= number("height"));
    }
}

#[test]
fn a_long_sequence_goes_on_in_rows() {
    let svg = root(&format!("root ::= {}", "\"some words\" ".repeat(100)));
    let document = Document::parse(&svg).unwrap();
    assert!(document.root_element().attribute("width").unwrap().parse::<i64>().unwrap() < ROW_WIDTH + 200);
    assert!(has_group(&svg, "stack"));
    assert_eq!(labels(&svg).len(), 100);
}

#[test]
fn the_deepest_grammar_is_drawn() {
    // As deep as the parser goes; each level has a choice and a loop, whose sizes hang on those of what is within.
    let open = "(\"a\" | ".repeat(99);
    let close = ")*".repeat(99);
    let svg = root(&format!("root ::= {open}\"b\"{close}"));
    assert_eq!(labels(&svg).len(), 100);
}

#[test]
fn many_boxes_are_counted_and_not_drawn() {
    let many = |n: usize, between: &str| vec!["\"a\""; n].join(between);
    let svg = root(&format!("root ::= {}", many(5_000, " | ")));
    assert_eq!(labels(&svg).len(), 5_000);
    for between in [" | ", " "] {
        let drawn = labels(&root(&format!("root ::= {}", many(BOXES + 7, between))));
        assert_eq!(drawn.len(), BOXES + 1);
        assert!(drawn.last().unwrap().1.starts_with("\u{2026} 7 more "), "{:?}", drawn.last());
    }
}

#[test]
fn a_small_picture() {
    let svg = root("root ::= \"a\"? | <[7]>\n");
    let picture = svg.split("</style>\n").nth(1).unwrap();
    insta::assert_snapshot!(picture, @r##"
    <rect class="canvas" width="234" height="137"/>
    <g class="rule" id="rule-root">
    <text class="name" x="16" y="32">root</text>
    <g class="sequence">
    <path d=" M 16 62 v 20 m 10 -20 v 20 m -10 -10 h 20"/>
    <g class="choice">
    <path d=" M 46 72 h 24 m 94 0 h 24"/>
    <g class="optional">
    <path d=" M 70 72 h 24 m -24 0 a 12 12 0 0 0 12 -12 v -1 a 12 12 0 0 1 12 -12 h 46 a 12 12 0 0 1 12 12 v 1 a 12 12 0 0 0 12 12 h -24"/>
    <g class="literal"><rect class="box" x="94" y="59" width="46" height="26" rx="12"/><text class="label" x="117" y="77">&quot;a&quot;</text></g>
    </g>
    <path d=" M 46 72 a 12 12 0 0 1 12 12 v 11 m 118 0 v -11 a 12 12 0 0 1 12 -12"/>
    <path d=" M 58 95 v 1 a 12 12 0 0 0 12 12 m 63 0 h 31 a 12 12 0 0 0 12 -12 v -1"/>
    <g class="token"><title>a token of the model</title><rect class="box" x="70" y="95" width="63" height="26" rx="12"/><text class="label" x="101" y="113">&lt;[7]&gt;</text></g>
    </g>
    <path d=" M 198 72 h 20 m -10 -10 v 20 m 10 -20 v 20"/>
    <path d=" M 36 72 h 10"/>
    <path d=" M 188 72 h 10"/>
    </g>
    </g>
    </svg>
    "##);
}
