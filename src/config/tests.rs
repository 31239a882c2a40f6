use super::*;

fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::parse(text, Path::new("askgbnf.toml"))
}

fn error(text: &str) -> Invalid {
    match parse(text) {
        Err(ConfigError::Invalid(invalid)) => *invalid,
        other => panic!("expected an error at a place, got {other:?}"),
    }
}

#[test]
fn what_is_not_set_stays_the_tools_own() {
    let config = parse("[profile.ask.limits]\noptions = { max = 4 }\nlabel = 60\n").unwrap();
    let ask = config.profile("ask").unwrap();
    let own = profiles::by_id("ask").unwrap();
    assert_eq!(*ask.limits(), Limits { options: Span::new(2, 4), label: 60, ..*own.limits() });
}

#[test]
fn every_built_in_profile_takes_limits() {
    for own in profiles::builtin() {
        let text = format!("[profile.{}.limits]\nquestion = 77\n", own.id());
        let set = parse(&text).unwrap().profile(own.id()).unwrap();
        assert_eq!(*set.limits(), Limits { question: 77, ..*own.limits() }, "{}", own.id());
    }
}

#[test]
fn an_empty_file_changes_nothing() {
    let config = parse("# nothing\n").unwrap();
    for (own, set) in profiles::builtin().iter().zip(config.profiles()) {
        assert_eq!(own.limits(), set.limits());
    }
}

#[test]
fn an_unknown_key_is_named_at_its_place() {
    let e = error("[profile.ask.limits]\noptons = { max = 4 }\n");
    assert_eq!((e.line, e.column), (2, 1));
    assert_eq!(e.source_line, "optons = { max = 4 }");
    assert!(e.message.contains("optons"), "{}", e.message);
    assert!(e.message.contains("options"), "names what there is: {}", e.message);
}

#[test]
fn an_unknown_profile_is_named_at_its_place() {
    let e = error("\n[profile.asq.limits]\nlabel = 60\n");
    assert_eq!((e.line, e.column), (2, 10));
    assert!(e.help.unwrap().contains("ask"));
}

#[test]
fn a_limit_that_cannot_stand_is_placed_at_its_value() {
    let e = error("[profile.ask.limits]\nlabel = 60\noptions = { min = 1, max = 4 }\n");
    assert_eq!((e.line, e.column), (3, 11));
    assert!(e.message.contains("`options`"), "{}", e.message);
    let e = error("[profile.ask.limits]\nlabel = 0\n");
    assert_eq!((e.line, e.column), (2, 9));
}

#[test]
fn wrong_types_and_broken_toml_have_a_place() {
    let e = error("[profile.ask.limits]\nlabel = \"long\"\n");
    assert_eq!((e.line, e.column), (2, 9));
    let e = error("[profile.ask.limits]\nlabel = -1\n");
    assert_eq!((e.line, e.column), (2, 9));
    let e = error("[profile.ask.limits\n");
    assert_eq!(e.line, 1);
}

#[test]
fn the_nearest_file_is_found() {
    let top = tempfile::tempdir().unwrap();
    let inner = top.path().join("a/b");
    std::fs::create_dir_all(&inner).unwrap();
    std::fs::write(top.path().join(FILE_NAME), "[profile.ask.limits]\nlabel = 50\n").unwrap();
    assert_eq!(Config::find(&inner).unwrap().profile("ask").unwrap().limits().label, 50);
    std::fs::write(top.path().join("a").join(FILE_NAME), "[profile.ask.limits]\nlabel = 40\n").unwrap();
    assert_eq!(Config::find(&inner).unwrap().profile("ask").unwrap().limits().label, 40);
}

#[test]
fn files_that_are_no_text_or_too_long_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(FILE_NAME);
    std::fs::write(&path, b"# \xFF\n").unwrap();
    assert!(matches!(Config::load(&path), Err(ConfigError::Invalid(e)) if (e.line, e.column) == (1, 3)));
    std::fs::write(&path, " ".repeat(1 << 20)).unwrap();
    assert!(Config::load(&path).is_ok());
    std::fs::write(&path, " ".repeat((1 << 20) + 1)).unwrap();
    assert!(matches!(Config::load(&path), Err(ConfigError::TooLarge { .. })));
    assert!(matches!(Config::load(&dir.path().join("none.toml")), Err(ConfigError::Io { .. })));
}

#[test]
fn a_limit_that_the_tool_cannot_follow_is_refused() {
    let e = error("[profile.dreb.limits]\noptions = { max = 6 }\n");
    assert_eq!((e.line, e.column), (2, 11));
    assert_eq!(e.help.as_deref(), Some("the nearest that it can is { min = 2, max = 4 }"));
    let e = error("[profile.unchain.limits]\nlabel = 60\nquestions = { max = 2 }\n");
    assert_eq!((e.line, e.column), (3, 13));
    assert!(e.message.contains("`unchain`"), "{}", e.message);
}

#[test]
fn the_lexicon_is_set_for_all_tools() {
    let config = parse("[lexicon]\nlanguages = [\"de\"]\nadd = [\"Ask my boss\"]\nremove = [\"Sonstiges\"]\n").unwrap();
    for profile in config.profiles() {
        let lexicon = profile.lexicon();
        assert!(lexicon.is_placeholder("ask my boss") && !lexicon.is_placeholder("Sonstiges"), "{}", profile.id());
        assert!(!lexicon.is_placeholder("其他") && lexicon.is_placeholder("Bitte angeben"), "{}", profile.id());
    }
    // A profile whose limits are set has it too.
    let config = parse("[lexicon]\nadd = [\"zzz\"]\n[profile.ask.limits]\nlabel = 60\n").unwrap();
    let ask = config.profile("ask").unwrap();
    assert!(ask.lexicon().is_placeholder("zzz") && ask.limits().label == 60);
}

#[test]
fn what_is_wrong_in_the_lexicon_is_named() {
    let wrong = error("\n[lexicon]\nlanguages = [\"xx\"]\n");
    assert!(wrong.message.contains("\"xx\"") && wrong.line == 2, "{wrong:?}");
    assert!(error("[lexicon]\nadd_patterns = [\"(\"]\n").message.contains("no phrase"));
    assert!(error("[lexicon]\nphrases = []\n").message.contains("phrases"));
}
