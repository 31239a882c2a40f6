//! `askgbnf diagram`: railroad diagrams of a grammar.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::generate::write_whole;
use super::input::Source;
use super::output::{Out, visible};
use super::problem::{Problem, Stop};
use super::{Common, Exit, Format, select};
use crate::gbnf::Diagram;

/// Draw a grammar as railroad diagrams: one SVG picture, or an HTML page with a link for every reference.
///
/// Same grammar, same bytes. With --format json and a file, one line tells what was written: {"file":…,"kind":"svg" or
/// "html","rules":N}. On stdout there is the picture alone, whatever the format.
#[derive(Debug, clap::Args)]
#[command(override_usage = "askgbnf diagram [OPTIONS] <GRAMMAR | --profile <P>>")]
pub(super) struct Args {
    /// The grammar: a file, or - for stdin.
    #[arg(value_name = "GRAMMAR", required_unless_present = "profile", conflicts_with = "profile")]
    grammar: Option<PathBuf>,
    /// Take the grammar of this tool's arguments.
    #[arg(long, value_name = "P")]
    profile: Option<String>,
    /// Where to write: a name ending in .svg or .html, or - for SVG on stdout, which is also the default.
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    output: Option<PathBuf>,
}

/// What is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Svg,
    Html,
}

impl Kind {
    /// The kind that a file's name asks for.
    fn of(path: &Path) -> Result<Kind, Problem> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        match extension.as_str() {
            "svg" => Ok(Kind::Svg),
            "html" => Ok(Kind::Html),
            _ => Err(Problem::new("the name of the file does not say what to draw")
                .found(path.to_string_lossy())
                .expected("a name that ends in .svg or .html, or - for stdout")),
        }
    }

    fn word(self) -> &'static str {
        match self {
            Kind::Svg => "svg",
            Kind::Html => "html",
        }
    }
}

pub(super) fn run(args: &Args, common: &Common, out: &mut Out) -> Result<Exit, Stop> {
    // A wrong name is told before a large grammar is read.
    let file = match args.output.as_deref() {
        Some(path) if path != Path::new("-") => Some((path, Kind::of(path)?)),
        _ => None,
    };
    let grammar = select::grammar(args.profile.as_deref(), args.grammar.as_deref(), common)?;
    let diagram = Diagram::new(&grammar);
    let Some((path, kind)) = file else {
        out.raw(diagram.svg().as_bytes())?;
        return Ok(Exit::Good);
    };
    let text = match kind {
        Kind::Svg => diagram.svg(),
        Kind::Html => diagram.html(&title(args)),
    };
    write_whole(path, text.as_bytes()).map_err(|error| Problem::file("write", path, &error))?;
    let rules = grammar.rules().len();
    match common.format {
        Format::Json => {
            out.json(&json!({ "file": path.to_string_lossy(), "kind": kind.word(), "rules": rules }))?;
        }
        Format::Human => {
            let counted = if rules == 1 { "1 rule".to_owned() } else { format!("{rules} rules") };
            out.line(format_args!("written  {} ({counted})", visible(&path.to_string_lossy())))?;
        }
    }
    Ok(Exit::Good)
}

/// What the page is called. The file's name without its folders: the same grammar gives the same page wherever it lies.
fn title(args: &Args) -> String {
    match (&args.profile, &args.grammar) {
        (Some(id), _) => format!("profile {id}"),
        (None, Some(path)) => match Source::of(path) {
            Source::Stdin => "stdin".to_owned(),
            Source::File(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        },
        (None, None) => "grammar".to_owned(),
    }
}
