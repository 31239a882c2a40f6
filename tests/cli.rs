//! The commands as scripts and people see them: arguments, files, output, exit codes.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command as Process, Stdio};

use assert_cmd::Command;
use serde_json::{Value, json};
use tempfile::TempDir;

const ASK_TEXT: &str = r#"{"questions":[{"kind":"text","question":"Which folder?"}]}"#;

/// The binary in an empty directory, away from any configuration.
struct Place {
    dir: TempDir,
}

/// What a run came to.
struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl Place {
    fn new() -> Place {
        Place { dir: tempfile::tempdir().unwrap() }
    }

    fn with(files: &[(&str, &str)]) -> Place {
        let place = Place::new();
        for (name, text) in files {
            place.write(name, text);
        }
        place
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, b"")
    }

    fn run_with(&self, args: &[&str], stdin: &[u8]) -> Ran {
        let output = Command::new(env!("CARGO_BIN_EXE_askgbnf"))
            .current_dir(self.path())
            .args(args)
            .write_stdin(stdin)
            .output()
            .unwrap();
        Ran {
            code: output.status.code().expect("the command was killed"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ran {
    #[track_caller]
    fn good(self) -> String {
        assert_eq!((self.code, self.err.as_str()), (0, ""), "stdout: {}", self.out);
        self.out
    }

    /// Exit 1: it worked, and found something.
    #[track_caller]
    fn findings(self) -> String {
        assert_eq!((self.code, self.err.as_str()), (1, ""), "stdout: {}", self.out);
        self.out
    }

    /// Exit 2, with the diagnostic; nothing of it on stdout.
    #[track_caller]
    fn trouble(self) -> String {
        assert_eq!(self.code, 2, "stdout: {}", self.out);
        assert!(!self.err.is_empty(), "no diagnostic");
        assert!(!self.out.contains("error:"), "a diagnostic on stdout: {}", self.out);
        self.err
    }
}

fn json(text: &str) -> Value {
    assert_eq!(text.matches('\n').count(), 1, "one line: {text}");
    serde_json::from_str(text).unwrap()
}

fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

// ---- usage

#[test]
fn wrong_usage_ends_with_2() {
    let place = Place::new();
    for args in [
        &[][..],
        &["nonsense"],
        &["generate", "--wrap", "hermes"],
        &["generate", "--lang", "de"],
        &["generate", "--target", "openai-strict"],
        &["generate", "--profile", "nonsense"],
        &["generate", "--artifact", "gbnf"],
        &["generate", "--stdout", "--check"],
        &["check", "--base", "HEAD"],
        &["check", "--require", "L0"],
        &["check", "--samples", "0"],
        &["normalize", "--profile", "nonsense"],
        &["match"],
        &["diff"],
        &["diff", "old.gbnf"],
        &["diff", "--direction", "sideways", "old.gbnf", "new.gbnf"],
        &["diff", "-", "-"],
        &["sample"],
        &["sample", "-n", "0", "--profile", "ask"],
        &["sample", "--raw-variants", "--profile", "ask"],
        &["diagram"],
        &["diagram", "--profile", "ask", "-o", "ask.png"],
        &["diagram", "--profile", "nonsense", "-o", "ask.svg"],
        &["completions", "cmd"],
    ] {
        let ran = place.run(args);
        assert_eq!(ran.code, 2, "{args:?}");
        assert!(!ran.err.is_empty() && ran.out.is_empty(), "{args:?}: {}", ran.out);
    }
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0, "wrong usage wrote something");
}

#[test]
fn help_and_version_are_results() {
    let place = Place::new();
    let help = place.run(&["--help"]).good();
    for command in ["generate", "check", "normalize", "match", "sample", "diagram", "completions"] {
        assert!(help.contains(command), "{command}");
    }
    assert!(!help.contains("__oracle-worker"));
    assert_eq!(place.run(&["--version"]).good(), format!("askgbnf {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn an_unknown_profile_is_told_with_those_that_there_are() {
    let err = Place::new().run(&["normalize", "--profile", "aks"]).trouble();
    assert!(err.contains("no profile has this name") && err.contains("aks") && err.contains("ask"), "{err}");
}

#[test]
fn completions_name_the_commands() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = place.run(&["completions", shell]).good();
        assert!(script.contains("normalize"), "{shell}");
    }
}

// ---- generate

#[test]
fn generate_writes_and_check_compares() {
    let place = Place::new();
    let generate = ["generate", "--profile", "ask"];
    let check = ["generate", "--profile", "ask", "--check"];
    let said = place.run(&check).findings();
    assert!(said.contains("missing  grammars/ask/ask.gbnf"), "{said}");
    assert!(!place.path().join("grammars").exists(), "--check wrote something");

    insta::assert_snapshot!(place.run(&generate).good(), @r"
    written  grammars/ask/ask.gbnf
    written  grammars/ask/ask.canonical.schema.json
    written  grammars/ask/ask.canonical.tool.json
    written  grammars/ask/ask.llama-cpp.schema.json
    written  grammars/ask/ask.llama-cpp.tool.json
    written  grammars/ask/ask.portable.schema.json
    written  grammars/ask/ask.portable.tool.json
    7 files written, 0 already right
    ");
    assert_eq!(place.run(&generate).good(), "0 files written, 7 already right\n");
    assert_eq!(place.run(&check).good(), "7 files as they should be, 0 not\n");

    place.write("grammars/ask/ask.gbnf", "root ::= \"x\"\n");
    place.write("grammars/ask/ask.old.schema.json", "{}");
    place.write("grammars/ask/notes.txt", "not an artifact");
    fs::remove_file(place.path().join("grammars/ask/ask.portable.tool.json")).unwrap();
    insta::assert_snapshot!(place.run(&check).findings(), @r"
    differs  grammars/ask/ask.gbnf
    missing  grammars/ask/ask.portable.tool.json
    extra    grammars/ask/ask.old.schema.json
    5 files as they should be, 3 not
    ");
    let told = json(&place.run(&[&check[..], &["--format", "json"]].concat()).findings());
    assert_eq!(told["ok"], false);
    let states: Vec<&str> = told["files"].as_array().unwrap().iter().map(|f| f["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["differs", "same", "same", "same", "same", "same", "missing", "extra"]);

    // With only some of the targets the files of the others are nobody's business.
    place.run(&["generate", "--profile", "ask", "--target", "canonical"]).good();
    let said = place.run(&["generate", "--profile", "ask", "--target", "canonical", "--check"]).good();
    assert_eq!(said, "3 files as they should be, 0 not\n");
}

#[test]
fn generate_covers_every_profile_and_the_normal_form() {
    let place = Place::new();
    let told = json(&place.run(&["generate", "--format", "json", "--out", "made/here"]).good());
    assert_eq!(told["ok"], true);
    let paths: Vec<&str> = told["files"].as_array().unwrap().iter().map(|f| f["path"].as_str().unwrap()).collect();
    assert!(paths.contains(&"made/here/normal-form.schema.json"), "{paths:?}");
    for profile in askgbnf::ask::profiles::builtin() {
        let id = profile.id();
        let grammar = fs::read_to_string(place.path().join(format!("made/here/{id}/{id}.gbnf"))).unwrap();
        askgbnf::gbnf::parse(&grammar).unwrap_or_else(|error| panic!("{id}: {error}"));
    }
    for path in paths.iter().filter(|path| path.ends_with(".json")) {
        let text = fs::read_to_string(place.path().join(path)).unwrap();
        serde_json::from_str::<Value>(&text).unwrap();
    }
    // A whole directory without a profile is found too.
    place.write("made/here/gone/gone.gbnf", "");
    let said = place.run(&["generate", "--check", "--out", "made/here"]).findings();
    assert!(said.contains("extra    made/here/gone/gone.gbnf"), "{said}");
}

#[test]
fn generate_prints_one_artifact() {
    let place = Place::new();
    let gbnf = place.run(&["generate", "--stdout", "--profile", "ask"]).good();
    assert!(gbnf.starts_with("# askgbnf "), "{gbnf:.60}");
    assert_eq!(gbnf, place.run(&["generate", "--stdout", "--artifact", "gbnf", "--profile", "ask"]).good());
    let one = |args: &[&str]| {
        let all = [&["generate", "--stdout", "--profile", "ask"], args].concat();
        serde_json::from_str::<Value>(&place.run(&all).good()).unwrap()
    };
    assert_eq!(one(&["--artifact", "schema"])["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(one(&["--artifact", "tool"])["name"], "ask_user");
    assert_eq!(one(&["--artifact", "tool", "--target", "llama-cpp"])["function"]["name"], "ask_user");
    assert!(!place.path().join("grammars").exists());

    let err = place.run(&[
        "generate",
        "--stdout",
        "--artifact",
        "schema",
        "--profile",
        "ask",
        "--target",
        "canonical",
        "--target",
        "portable",
    ]);
    assert!(err.trouble().contains("--target"));
}

#[test]
fn a_directory_that_cannot_be_written_is_an_error() {
    let place = Place::with(&[("grammars", "a file, not a directory")]);
    let err = place.run(&["generate", "--profile", "ask"]).trouble();
    assert!(err.contains("grammars"), "{err}");
}

// ---- configuration

#[test]
fn the_nearest_configuration_holds_and_config_names_another() {
    let place = Place::with(&[
        ("askgbnf.toml", "[profile.ask.limits]\nlabel = 33\n"),
        ("other.toml", "[profile.ask.limits]\nlabel = 44\n"),
        ("a/b/here", ""),
    ]);
    let header = |args: &[&str], within: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_askgbnf"))
            .current_dir(place.path().join(within))
            .args(["generate", "--stdout", "--profile", "ask"])
            .args(args)
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap().lines().take(3).collect::<Vec<_>>().join("\n")
    };
    assert!(header(&[], "").contains("label 33"));
    assert!(header(&[], "a/b").contains("label 33"));
    assert!(header(&["--config", "other.toml"], "").contains("label 44"));
}

#[test]
fn a_wrong_configuration_is_told_with_its_place() {
    let place = Place::with(&[
        ("askgbnf.toml", "[profile.ask.limits]\noptions = { min = 1, max = 4 }\n"),
        ("typo.toml", "[profile.ask.limits]\n  optons = { max = 4 }\n"),
    ]);
    insta::assert_snapshot!(place.run(&["generate", "--config", "askgbnf.toml"]).trouble(), @r"
    error: limit `options`: 1–4 must lie within 2–10
      at:       askgbnf.toml:2:11
                2 | options = { min = 1, max = 4 }
                              ^
    ");
    let err = place.run(&["generate", "--config", "typo.toml"]).trouble();
    assert!(err.contains("typo.toml:2:3") && err.contains("optons") && err.contains("`options`"), "{err}");
    assert!(place.run(&["generate"]).trouble().contains("askgbnf.toml:2:11"));
    assert!(place.run(&["generate", "--config", "none.toml"]).trouble().contains("none.toml"));
}

// ---- check

#[test]
fn check_prints_the_table_and_the_json_of_the_contract() {
    let place = Place::new();
    let ran = place.run(&["check", "--profile", "ask", "--samples", "40"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    for part in ["L1", "L2a", "L2b", "L2c", "L3", "L4", "L5", "L7", "L8"] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    assert!(ran.out.contains("sampled 40"), "{}", ran.out);
    assert!(ran.err.contains("no generated files"), "{}", ran.err);

    let told = json(&place.run(&["check", "--profile", "ask", "--samples", "40", "--format", "json"]).good());
    assert_eq!(told["ok"], true);
    assert_eq!((&told["lint"], &told["diff"]), (&json!([]), &json!([])));
    let laws = told["laws"].as_array().unwrap();
    assert!(laws.len() >= 9, "{laws:?}");
    for law in laws {
        assert_eq!(law["profile"], "ask");
        assert!(law["part"].as_str().unwrap().starts_with(law["law"].as_str().unwrap()), "{law}");
        assert!(law["count"].is_u64());
        let status = law["status"].as_str().unwrap();
        assert!(["proved", "sampled", "oracle", "n/a", "skipped"].contains(&status), "{law}");
        assert!(status != "skipped" || law["why"].is_string(), "{law}");
    }
}

#[test]
fn a_required_law_that_is_skipped_fails_the_check() {
    let place = Place::new();
    let args = ["check", "--profile", "ask", "--samples", "10", "--format", "json", "--require"];
    let ok = json(&place.run(&[&args[..], &["L5,L2b"]].concat()).good());
    assert_eq!(ok["ok"], true);
    let told = json(&place.run(&[&args[..], &["L5,L10"]].concat()).findings());
    assert_eq!(told["ok"], false);
    let row = told["laws"].as_array().unwrap().iter().find(|row| row["law"] == "L10").unwrap();
    assert_eq!(row["status"], "skipped");
    let err = place.run(&[&args[..], &["L2z"]].concat()).trouble();
    assert!(err.contains("L2z"), "{err}");
}

#[test]
fn check_tells_how_large_the_grammars_are() {
    let place = Place::new();
    let args = ["check", "--profile", "ask", "--profile", "unchain", "--samples", "10"];
    // It also notes, on stderr, that there are no files to compare.
    let said = place.run(&args).out;
    let told = json(&place.run(&[&args[..], &["--format", "json"]].concat()).good());
    let grammars = told["grammars"].as_array().unwrap();
    assert_eq!(grammars.len(), 2);
    for (facts, profile) in grammars.iter().zip(["ask", "unchain"]) {
        assert_eq!(facts["profile"], profile);
        let number = |key: &str| facts[key].as_u64().unwrap_or_else(|| panic!("{key}: {facts}"));
        assert!(number("rules") < number("table_rules") && number("table_rules") < number("elements"), "{facts}");
        let printed = place.run(&["generate", "--profile", profile, "--stdout", "--artifact", "gbnf"]).good();
        assert_eq!(number("bytes"), printed.len() as u64);
        assert!(facts["complete"].is_boolean(), "{facts}");
        assert!(facts["fan_out"]["rule"].is_string(), "{facts}");
        assert!(facts["fan_out"]["stacks"].as_u64().unwrap() <= number("most_stacks"), "{facts}");
        let bound = if facts["complete"] == true { "most" } else { "least" };
        let line = format!("; at {bound} {} stacks at once", number("most_stacks"));
        let line = said.lines().find(|said| said.starts_with(&format!("grammar {profile}: ")) && said.ends_with(&line));
        assert!(line.is_some(), "{said}");
    }
}

#[test]
fn check_finds_stale_files() {
    let place = Place::new();
    place.run(&["generate", "--profile", "ask"]).good();
    let check = ["check", "--profile", "ask", "--samples", "10"];
    place.run(&check).good();
    place.write("grammars/ask/ask.gbnf", "root ::= \"x\"\n");
    let said = place.run(&check).findings();
    assert!(said.contains("differs grammars/ask/ask.gbnf") && said.ends_with("not ok\n"), "{said}");

    place.run(&["generate"]).good();
    place.write("grammars/normal-form.schema.json", "{}\n");
    let said = place.run(&["check", "--samples", "10"]).findings();
    assert!(said.contains("differs grammars/normal-form.schema.json"), "{said}");
}

// ---- normalize

#[test]
fn normalize_accepts_repairs_and_rejects() {
    let place = Place::with(&[("call.json", ASK_TEXT)]);
    let args = ["normalize", "--profile", "ask", "--format", "json"];
    let call = json!([{"kind":"text","question":"Which folder?","allow_other":true,"multiline":false,"required":true}]);
    for told in [place.run(&[&args[..], &["call.json"]].concat()), place.run_with(&args, ASK_TEXT.as_bytes())] {
        let told = json(&told.good());
        assert_eq!(told["outcome"], "accept");
        assert_eq!(told["questions"], call);
        assert!(told.get("error").is_none() && told.get("repairs").is_none(), "{told}");
    }

    let told = json(&place.run_with(&args, format!("\u{FEFF}{ASK_TEXT}\n").as_bytes()).good());
    assert_eq!(told["outcome"], "repair");
    assert_eq!(told["questions"], call);
    for field in ["code", "path", "message"] {
        assert!(told["repairs"][0][field].is_string(), "{told}");
    }

    let told =
        json(&place.run_with(&args, br#"{"questions":[{"kind":"single","question":"Q?","options":7}]}"#).findings());
    assert_eq!(told["outcome"], "reject");
    assert_eq!(told["error"]["path"], "/questions/0/options");
    for field in ["code", "message", "for_model"] {
        assert!(told["error"][field].is_string(), "{told}");
    }
    assert!(told.get("questions").is_none());
}

#[test]
fn normalize_for_people() {
    let place = Place::new();
    let wire = r#"{"questions":[{"kind":"single","question":"Which store?","options":[{"label":"SQLite","description":"one file","recommended":true},{"label":"Redis"}]},{"kind":"text","question":"Where?","hint":"src"}],"timeout_seconds":60}"#;
    insta::assert_snapshot!(place.run_with(&["normalize"], wire.as_bytes()).good(), @r"
    accept (read as ask)
    1. [single] Which store?
       - SQLite (recommended): one file
       - Redis
       - the user types
    2. [text] Where?
       - the user types, e.g. src
    waits 60 seconds
    ");
    let said = place.run_with(&["normalize", "--profile", "ask"], b"Which folder?").findings();
    assert!(said.starts_with("reject invalid-json"), "{said}");
}

#[test]
fn normalize_lines_gives_one_line_for_each() {
    let place = Place::new();
    let as_text = serde_json::to_string(ASK_TEXT).unwrap();
    let mut lines = Vec::new();
    for line in [
        ASK_TEXT.as_bytes(),
        as_text.as_bytes(),
        b"",
        b"   ",
        b"nonsense",
        b"{\"a\":\"\xFF\"}",
        b"{\"a\":\"\x01\"}",
        b"null",
        b"\"prose\"",
        b"1e999",
    ] {
        lines.extend_from_slice(line);
        lines.push(b'\n');
    }
    // The last line has no end.
    lines.extend_from_slice(ASK_TEXT.as_bytes());
    let told = json_lines(&place.run_with(&["normalize", "--profile", "ask", "--lines"], &lines).findings());
    let outcomes: Vec<&str> = told.iter().map(|line| line["outcome"].as_str().unwrap()).collect();
    let mut expected = vec!["reject"; 11];
    (expected[0], expected[1], expected[10]) = ("accept", "accept", "accept");
    assert_eq!(outcomes, expected);
    for line in told.iter().filter(|line| line["outcome"] == "reject") {
        assert!(line["error"]["code"].is_string() && line["error"]["for_model"].is_string(), "{line}");
    }

    let good = place.run_with(&["normalize", "--lines"], format!("{ASK_TEXT}\n{as_text}\n").as_bytes()).good();
    assert_eq!(json_lines(&good).len(), 2);
    assert!(place.run(&["normalize", "--lines"]).trouble().contains("nothing was normalized"));
}

#[test]
fn normalize_lines_answers_while_the_writer_waits() {
    use std::io::Write as _;
    let mut child = Process::new(env!("CARGO_BIN_EXE_askgbnf"))
        .args(["normalize", "--lines"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    for _ in 0..3 {
        writeln!(stdin, "{ASK_TEXT}").unwrap();
        let answer: Value = serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap();
        assert_eq!(answer["outcome"], "accept");
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn auto_says_which_tool_it_read() {
    let place = Place::new();
    let told = json(&place.run_with(&["normalize", "--format", "json"], ASK_TEXT.as_bytes()).good());
    assert_eq!((&told["outcome"], &told["profile"]), (&json!("accept"), &json!("ask")));
    let unchain = br#"{"title":"Store","question":"Which store?","selection_mode":"single","options":[{"label":"SQLite","value":"sqlite"},{"label":"Redis","value":"redis"}]}"#;
    let told = json(&place.run_with(&["normalize", "--format", "json"], unchain).good());
    assert_eq!((&told["outcome"], &told["profile"]), (&json!("accept"), &json!("unchain")));
    let dreb = br#"{"questions":[{"question":"Which store?","options":["SQLite","Redis"]}]}"#;
    let told = json(&place.run_with(&["normalize", "--format", "json"], dreb).good());
    assert_eq!((&told["outcome"], &told["profile"]), (&json!("accept"), &json!("dreb")));
}

#[test]
fn input_that_is_no_file_or_no_text() {
    let place = Place::new();
    assert!(place.run(&["normalize", "none.json"]).trouble().contains("none.json"));
    let told = json(&place.run_with(&["normalize", "--format", "json"], b"{\"a\":\xFF}").findings());
    assert_eq!(told["error"]["code"], "invalid-json");
    assert!(place.run_with(&["match", "-", "x"], b"root ::= \"\xFF\"\n").trouble().contains("stdin:1:11 (byte 10)"));
    let long = vec![b' '; (16 << 20) + 1];
    assert!(place.run_with(&["match", "-", "x"], &long).trouble().contains("longer than"));
}

// ---- match and sample

const YES: (&str, &str) = ("yes.gbnf", "root ::= \"yes\" | \"no\" \"pe\"?\n");

#[test]
fn match_tells_members_from_prefixes_and_others() {
    let place = Place::with(&[YES]);
    let told = |text: &str| place.run(&["match", "yes.gbnf", "--format", "json", text]);
    let good = json(&told("nope").good());
    assert_eq!((&good["verdict"], &good["offset"]), (&json!("match"), &json!(4)));
    assert_eq!(
        json(&told("ye").findings()),
        json!({"verdict":"prefix","offset":2,"line":1,"column":3,"expected":["\"s\""]})
    );
    assert_eq!(
        json(&told("nah").findings()),
        json!({"verdict":"reject","offset":1,"line":1,"column":2,"expected":["\"o\""]})
    );
    insta::assert_snapshot!(place.run_with(&["match", "yes.gbnf"], b"yes\n").findings(), @r"
    reject at 1:4 (byte 3)
      found:    \n
      expected: end of text
      help:     the text ends with a newline; printf '%s' writes none
    ");
    assert_eq!(place.run_with(&["match", "yes.gbnf", "-"], b"yes").good(), "match\n");
    assert_eq!(place.run_with(&["match", "-", "yes"], YES.1.as_bytes()).good(), "match\n");
    place.run_with(&["match", "-", "-"], YES.1.as_bytes()).trouble();
}

#[test]
fn match_lines() {
    let place = Place::with(&[YES]);
    let all = place.run_with(&["match", "yes.gbnf", "--lines"], b"\"yes\"\n\"no\"\n").good();
    assert_eq!(json_lines(&all).len(), 2);
    let some = json_lines(&place.run_with(&["match", "yes.gbnf", "--lines"], b"\"yes\"\n\"n\"\n\"x\"").findings());
    let verdicts: Vec<&str> = some.iter().map(|line| line["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["match", "prefix", "reject"]);

    let ran = place.run_with(&["match", "yes.gbnf", "--lines"], b"\"yes\"\nyes\n\n");
    assert_eq!(ran.code, 2);
    assert_eq!(json_lines(&ran.out).len(), 3);
    assert_eq!(json_lines(&ran.out)[1]["error"]["line"], 2);
    place.run(&["match", "yes.gbnf", "--lines"]).trouble();
    place.run(&["match", "yes.gbnf", "--lines", "yes"]).trouble();
}

// ---- diff

const FEW: (&str, &str) = ("few.gbnf", "root ::= \"{\\\"n\\\":\" [0-9]{1,2} \"}\"\n");
const MANY: (&str, &str) = ("many.gbnf", "root ::= \"{\\\"n\\\":\" [0-9]{1,4} \"}\"\n");

#[test]
fn diff_tells_both_directions() {
    let place = Place::with(&[FEW, MANY]);
    insta::assert_snapshot!(place.run(&["diff", "few.gbnf", "many.gbnf"]).good(), @r#"
    old in new: proved
    new in old: refuted, shortest witness "{\"n\":000}"
    not breaking
    "#);
    insta::assert_snapshot!(place.run(&["diff", "many.gbnf", "few.gbnf"]).findings(), @r#"
    old in new: refuted, shortest witness "{\"n\":000}"
    new in old: proved
    breaking
    "#);
    assert_eq!(
        json(&place.run(&["diff", "--format", "json", "few.gbnf", "many.gbnf"]).good()),
        json!({
            "old_in_new": {"verdict": "proved"},
            "new_in_old": {"verdict": "refuted", "witness": {"text": "{\"n\":000}"}},
            "breaking": false,
        })
    );
}

#[test]
fn a_witness_that_is_json_has_its_value() {
    let place = Place::with(&[("old.gbnf", "root ::= \"{}\" | \"[1]\"\n"), ("new.gbnf", "root ::= \"{}\"\n")]);
    let told = json(&place.run(&["diff", "--format", "json", "old.gbnf", "new.gbnf"]).findings());
    assert_eq!(told["old_in_new"]["witness"], json!({"text": "[1]", "value": [1]}));
}

#[test]
fn the_direction_says_what_breaks() {
    let place = Place::with(&[FEW, MANY]);
    for (direction, wider, narrower) in [("accepts", 0, 1), ("emits", 1, 0), ("both", 1, 1)] {
        let code = |old, new| place.run(&["diff", "--direction", direction, old, new]).code;
        assert_eq!((code("few.gbnf", "many.gbnf"), code("many.gbnf", "few.gbnf")), (wider, narrower), "{direction}");
        assert_eq!(code("few.gbnf", "few.gbnf"), 0, "{direction}");
    }
    // One of them may come from stdin.
    place.run_with(&["diff", "few.gbnf", "-"], MANY.1.as_bytes()).good();
    place.run_with(&["diff", "-", "few.gbnf"], MANY.1.as_bytes()).findings();
}

#[test]
fn diff_samples_what_it_cannot_decide() {
    let place = Place::with(&[
        ("nested.gbnf", "root ::= v\nv ::= \"(\" v \")\" | \"x\"\n"),
        ("doubled.gbnf", "root ::= v\nv ::= \"(\" v \")\" | \"((\" v \"))\" | \"x\"\n"),
        ("wider.gbnf", "root ::= v\nv ::= \"(\" v \")\" | [xy]\n"),
        ("token.gbnf", "root ::= <[7]>\n"),
    ]);
    assert_eq!(
        json(&place.run(&["diff", "--format", "json", "nested.gbnf", "doubled.gbnf"]).good()),
        json!({
            "old_in_new": {"verdict": "proved"},
            "new_in_old": {
                "verdict": "sampled",
                "why": "the rule `v` calls itself before the end of an alternative, so it has no finite automaton; \
                        2000 members sampled",
            },
            "breaking": false,
        })
    );
    let told = json(&place.run(&["diff", "--format", "json", "wider.gbnf", "nested.gbnf"]).findings());
    let refuted = &told["old_in_new"];
    assert_eq!(refuted["verdict"], "refuted");
    assert!(refuted["witness"]["text"].as_str().unwrap().contains('y'), "{told}");
    assert!(refuted["why"].as_str().unwrap().contains("a shorter witness may exist"), "{told}");
    let human = place.run(&["diff", "wider.gbnf", "nested.gbnf"]).findings();
    assert!(human.contains("refuted, witness ") && human.ends_with("\nbreaking\n"), "{human}");

    // Nothing can be said of tokens by texts: the result is printed, and the exit says that it is none.
    let ran = place.run(&["diff", "--format", "json", "token.gbnf", "nested.gbnf"]);
    assert_eq!(json(&ran.out)["old_in_new"]["verdict"], "unknown");
    ran.trouble();
    place.run(&["diff", "--direction", "emits", "nested.gbnf", "token.gbnf"]).trouble();
}

#[test]
fn diff_takes_grammars_only() {
    let place =
        Place::with(&[FEW, ("schema.json", "{}"), ("schema", " {\"type\": \"object\"}"), ("bad.gbnf", "root ::= x\n")]);
    for name in ["schema.json", "schema"] {
        let err = place.run(&["diff", "few.gbnf", name]).trouble();
        assert!(err.contains(name) && err.contains("later version"), "{err}");
    }
    assert!(place.run(&["diff", "bad.gbnf", "few.gbnf"]).trouble().contains("bad.gbnf:1:"));
    assert!(place.run(&["diff", "few.gbnf", "none.gbnf"]).trouble().contains("none.gbnf"));
}

#[test]
fn match_says_when_nothing_can_follow() {
    let place = Place::with(&[("dead.gbnf", "root ::= \"a\" [z-y] | \"b\"\n")]);
    let told = place.run(&["match", "dead.gbnf", "a"]).findings();
    assert!(told.contains("prefix") && told.contains("expected: nothing"), "{told}");
    let told = json(&place.run(&["--format", "json", "match", "dead.gbnf", ""]).findings());
    assert_eq!(told["expected"], json!(["\"b\""]));
}

#[test]
fn a_grammar_that_is_none_is_told_with_its_place() {
    let place = Place::with(&[("bad.gbnf", "root ::= \"a\" |\n    foo\n"), ("escape.gbnf", "root ::= [\\q]\n")]);
    let err = place.run(&["match", "bad.gbnf", "a"]).trouble();
    assert!(err.contains("bad.gbnf:2:5") && err.contains("foo"), "{err}");
    let err = place.run(&["sample", "escape.gbnf"]).trouble();
    assert!(err.contains("escape.gbnf:1:"), "{err}");
    assert!(place.run(&["match", "none.gbnf", "a"]).trouble().contains("none.gbnf"));
}

#[test]
fn samples_match_and_near_misses_do_not() {
    let place = Place::with(&[YES]);
    place.write("ask.gbnf", &place.run(&["generate", "--stdout", "--profile", "ask"]).good());
    for (args, grammar) in [(&["yes.gbnf"][..], "yes.gbnf"), (&["--profile", "ask"], "ask.gbnf")] {
        let sample = [&["sample", "-n", "30", "--seed", "7"], args].concat();
        let texts = place.run(&sample).good();
        assert_eq!(texts.lines().count(), 30);
        assert_eq!(texts, place.run(&sample).good(), "the same seed");
        place.run_with(&["match", "--lines", grammar], texts.as_bytes()).good();

        let misses = place.run(&[&sample[..], &["--near-miss"]].concat()).good();
        let told = place.run_with(&["match", "--lines", grammar], misses.as_bytes()).findings();
        assert!(json_lines(&told).iter().all(|line| line["verdict"] != "match"), "{told}");
    }
    let other = place.run(&["sample", "--profile", "ask", "-n", "30", "--seed", "8"]).good();
    assert_ne!(other, place.run(&["sample", "--profile", "ask", "-n", "30", "--seed", "7"]).good());
    let few = place.run(&["sample", "--profile", "ask", "-n", "5"]).good();
    place.run_with(&["normalize", "--profile", "ask", "--lines"], few.as_bytes());
}

#[test]
fn a_language_that_no_edit_leaves_is_told() {
    let place = Place::with(&[("all.gbnf", "root ::= [^]*\n")]);
    let ran = place.run(&["sample", "--near-miss", "all.gbnf"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
}

// ---- diagram

#[test]
fn diagrams_go_to_stdout_as_svg() {
    let place = Place::with(&[YES]);
    let svg = place.run(&["diagram", "yes.gbnf"]).good();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n") && svg.contains("&quot;yes&quot;"), "{svg}");
    assert_eq!(place.run(&["diagram", "yes.gbnf", "-o", "-"]).good(), svg);
    assert_eq!(place.run_with(&["diagram", "-"], YES.1.as_bytes()).good(), svg);
    assert_eq!(place.run(&["diagram", "yes.gbnf", "--format", "json"]).good(), svg);
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "something was written");
}

#[test]
fn diagrams_are_written_to_the_kind_of_file_that_is_named() {
    let place = Place::with(&[YES]);
    assert_eq!(place.run(&["diagram", "yes.gbnf", "-o", "out/yes.svg"]).good(), "written  out/yes.svg (1 rule)\n");
    let svg = fs::read_to_string(place.path().join("out/yes.svg")).unwrap();
    assert_eq!(svg, place.run(&["diagram", "yes.gbnf"]).good());

    let told = json(&place.run(&["diagram", "yes.gbnf", "-o", "yes.HTML", "--format", "json"]).good());
    assert_eq!(told, json!({"file": "yes.HTML", "kind": "html", "rules": 1}));
    let html = fs::read_to_string(place.path().join("yes.HTML")).unwrap();
    assert!(html.starts_with("<!DOCTYPE html>\n") && html.contains("<title>yes.gbnf</title>"), "{html}");
    assert!(html.contains("<a href=\"#rule-root\">root</a>"), "{html}");
}

#[test]
fn a_diagram_of_a_profile_has_every_rule() {
    let place = Place::new();
    let rules = place.run(&["generate", "--stdout", "--profile", "ask"]).good().matches(" ::= ").count();
    let told = json(&place.run(&["diagram", "--profile", "ask", "-o", "a.html", "--format", "json"]).good());
    assert_eq!(told["rules"], rules);
    let html = fs::read_to_string(place.path().join("a.html")).unwrap();
    assert_eq!(html.matches("<h2 id=\"rule-").count(), rules);
    assert!(html.contains("<title>profile ask</title>"));
}

#[test]
fn a_diagram_file_of_no_known_kind_is_refused() {
    let place = Place::with(&[YES]);
    for name in ["yes.png", "yes", "svg", ".svg", "yes.svg.gz"] {
        let err = place.run(&["diagram", "yes.gbnf", "-o", name]).trouble();
        assert!(err.contains("found:") && err.contains(name) && err.contains("expected:"), "{err}");
        assert!(err.contains(".svg") && err.contains(".html"), "{err}");
    }
    place.run(&["diagram", "none.gbnf"]).trouble();
    place.run(&["diagram", "yes.gbnf", "--profile", "ask"]).trouble();
    place.write("folder.svg/x", "");
    let err = place.run(&["diagram", "yes.gbnf", "-o", "folder.svg"]).trouble();
    assert!(err.contains("cannot write folder.svg"), "{err}");
}

#[test]
fn a_reader_that_leaves_early_ends_it_quietly() {
    let place = Place::with(&[YES]);
    let mut child = Process::new(env!("CARGO_BIN_EXE_askgbnf"))
        .current_dir(place.path())
        .args(["sample", "yes.gbnf", "-n", "1000000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert!(first.starts_with('"'), "{first}");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn a_negative_number_is_a_text_and_a_mistyped_flag_is_not() {
    let place = Place::with(&[("int.gbnf", "root ::= \"-\"? [0-9]+\n")]);
    assert_eq!(place.run(&["match", "int.gbnf", "-5"]).good(), "match\n");
    place.run(&["match", "int.gbnf", "--line"]).trouble();
}

#[test]
fn no_colours_into_a_pipe() {
    let place = Place::new();
    let err = place.run(&["match", "none.gbnf", "x"]).trouble();
    assert!(!err.contains('\u{1b}'), "{err:?}");
}
