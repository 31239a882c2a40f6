//! The phrases against labels: as whole labels, whatever decorates them.

use proptest::prelude::*;

use super::*;
use crate::language::Inclusion;
use crate::language::counted::{head, headed, in_headed};

fn shared(name: &str) -> Option<Vec<String>> {
    let shared = std::env::var_os("ASKGBNF_SHARED").map_or_else(|| "../shared".into(), std::path::PathBuf::from);
    let text = std::fs::read_to_string(shared.join("cases/labels").join(name)).ok()?;
    Some(text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

fn with(changes: Changes) -> Lexicon {
    Lexicon::new(changes).expect("a lexicon")
}

#[test]
fn shared_labels_are_told_apart() {
    let (Some(placeholders), Some(legit)) = (shared("placeholder.txt"), shared("legit.txt")) else {
        eprintln!("SKIPPED: no shared labels (set ASKGBNF_SHARED); NOTHING was checked");
        return;
    };
    let lexicon = Lexicon::builtin();
    let missed: Vec<_> = placeholders.iter().filter(|label| !lexicon.is_placeholder(label)).collect();
    let wrong: Vec<_> = legit.iter().filter(|label| lexicon.is_placeholder(label)).collect();
    println!("missed {} of {}: {missed:?}", missed.len(), placeholders.len());
    println!("wrong {} of {}: {wrong:?}", wrong.len(), legit.len());
    assert!(missed.len() * 100 <= placeholders.len() * 3, "recall below 97 %: {missed:?}");
    assert!(wrong.len() * 200 <= legit.len(), "more than 0.5 % false positives: {wrong:?}");
}

#[test]
fn a_label_is_judged_as_a_whole() {
    let lexicon = Lexicon::builtin();
    for label in [
        "Other",
        "Other (please specify)",
        "Custom path",
        "Enter a custom value",
        "Let me type the folder",
        "I'll type it",
        "其他",
        "请输入项目名称",
        "その他（具体的に）",
        "직접 입력",
        "Sonstiges (bitte angeben)",
        "Autre (à préciser)",
        "Otra opción",
        "Outra opção",
        "Другое (укажите)",
        "مسار مخصص",
        "<your name>",
        "[folder path]",
        "/path/to/your/project",
        r"C:\Users\YourName\projects",
        "…",
        "Option 1",
    ] {
        assert!(lexicon.is_placeholder(label), "{label}");
    }
    for label in [
        "Custom domain",
        "Enter key submits",
        "Other people's forks only",
        "其他同事的仓库",
        "None of the tests",
        "No other changes",
        "Specify version ranges",
        "自定义主题",
        "输入法切换",
        "その他大勢の例外処理",
        "다른 팀의 저장소",
        "Andere Nutzer sehen nichts",
        "Autre branche intacte",
        "/home/ana/projects",
        "../../src",
        "★★★★★",
        "🌊 Calm blues",
        "Skip",
        "You decide",
        "All of the above",
        "",
    ] {
        assert!(!lexicon.is_placeholder(label), "{label}");
    }
}

#[test]
fn decoration_does_not_hide_a_phrase() {
    let lexicon = Lexicon::builtin();
    for label in [
        "OTHER",
        "ＯＴＨＥＲ",
        "  other ",
        "“Other”",
        "(other)",
        "**Other**",
        "✏️ Other",
        "- Other",
        "3. Other",
        "(3) Other",
        "c) Other",
        "1、其他",
        "【其他】",
        "other…",
        "Other:",
        "free_text",
        "free-text",
        "Free  text",
        "I’ll type it",
        "opcion a",
        "→→→→→ Other",
    ] {
        assert!(lexicon.is_placeholder(label), "{label}");
    }
    // What parts a path or an amount from nothing is no decoration.
    for label in ["$other", "/other", "@other", "other/"] {
        assert!(!lexicon.is_placeholder(label), "{label}");
    }
}

#[test]
fn users_add_and_remove_phrases() {
    let lexicon = with(Changes {
        add: vec!["Ask my boss".into()],
        add_prefixes: vec!["Ping me".into()],
        add_patterns: vec!["ticket (?:number|id)".into()],
        remove: vec!["Other".into()],
        ..Changes::default()
    });
    for label in ["ask my BOSS!", "Ping me later", "ping me", "Ticket ID", "ticket-number"] {
        assert!(lexicon.is_placeholder(label), "{label}");
    }
    for label in ["Ask my boss first", "Pinging", "(other)", "Other"] {
        assert!(!lexicon.is_placeholder(label), "{label}");
    }
    assert!(lexicon.is_placeholder("Others"), "only what is named is taken out");
    let german = with(Changes { languages: vec!["de".into()], ..Changes::default() });
    assert!(
        german.is_placeholder("Sonstiges") && german.is_placeholder("<path>") && !german.is_placeholder("Other path")
    );
}

#[test]
fn the_built_in_phrases_can_be_left_out() {
    let none = with(Changes { builtin: false, ..Changes::default() });
    assert!(none.placeholders().is_empty() && !none.is_placeholder("Other"));
    let own = with(Changes { builtin: false, add: vec!["Ask my boss".into()], ..Changes::default() });
    assert!(own.is_placeholder("ASK MY BOSS") && !own.is_placeholder("Other"));
}

#[test]
fn what_is_wrong_in_a_change_is_named() {
    let error = |changes: Changes| Lexicon::new(changes).expect_err("refused").to_string();
    assert!(error(Changes { languages: vec!["xx".into()], ..Changes::default() }).contains("\"xx\""));
    for pattern in ["(", "^other", "{nothing}", "{open", r"\bother"] {
        let text = error(Changes { add_patterns: vec![pattern.into()], ..Changes::default() });
        assert!(text.contains("is no phrase"), "{pattern}: {text}");
    }
    assert!(error(Changes { add: vec!["  ".into()], ..Changes::default() }).contains("blank"));
    assert!(error(Changes { add_patterns: vec!["(?:a{999}){999}".into()], ..Changes::default() }).contains("too"));
}

#[test]
fn hints_hold_no_template_path() {
    let lexicon = Lexicon::builtin();
    let hints = lexicon.hints().expect("in the budget");
    for hint in
        ["/path/to/folder", "例如：/Users/username/app 或 C:\\Projects", r"e.g. C:\Users\YourName\x", "./your-project"]
    {
        assert_eq!(lexicon.holds_template_path(hint), Ok(true), "{hint}");
        assert!(!hints.accepts(hint), "{hint}");
    }
    for hint in ["my-package", "/Users/ana/app", "a path to the folder", "D:\\new\\build"] {
        assert_eq!(lexicon.holds_template_path(hint), Ok(false), "{hint}");
        assert!(hints.accepts(hint), "{hint}");
    }
}

/// What is offered is exactly what is no placeholder, short of the labels that the grammar declines to write.
#[test]
fn offered_labels_are_decided() {
    let lexicon = Lexicon::builtin();
    let budget = Budget::DEFAULT;
    let offered = lexicon.answers().expect("in the budget");
    let meet = offered.intersect(lexicon.placeholders(), &budget).expect("in the budget");
    assert!(meet.is_empty(), "offered and a placeholder: {:?}", meet.witness());
    // The normalizer looks through any decorations in front, up to the first character that is none.
    let text = Expr::set(decoration().complement()).then(&Expr::any().star());
    let placeholders = Expr::automaton(lexicon.placeholders().clone()).and(&text);
    let bare = Expr::set(decoration()).star().then(&placeholders);
    let bare = Dfa::from_expr(&bare, &budget).expect("in the budget");
    assert_eq!(offered.intersect(&bare, &budget).expect("in the budget").witness(), None, "behind any decorations");
}

/// The rules of the labels say what [`in_headed`] says, whatever the length.
#[test]
fn the_rules_of_labels_are_decided() {
    let lexicon = with(Changes { languages: vec!["ar".into()], ..Changes::default() });
    let offered = lexicon.answers().expect("in the budget");
    for longest in [1, 7, 12, 24] {
        let rules = headed(&offered, longest, &Budget::DEFAULT).expect("in the budget");
        let written = rules.to_dfa(&Budget::DEFAULT).expect("in the budget");
        let short = offered.truncate(longest, &Budget::DEFAULT).expect("in the budget");
        assert_eq!(written.is_subset_of(&short, &Budget::DEFAULT), Inclusion::Yes, "nothing is too long");
        let missing = short.difference(&written, &Budget::DEFAULT).expect("in the budget");
        if let Some(text) = missing.witness().and_then(|witness| witness.text()) {
            assert!(!in_headed(&offered, &head(&offered), longest, &text), "{longest}: {text}");
        }
    }
}

proptest! {
    #[test]
    fn any_label_has_an_answer(label in "\\PC{0,100}") {
        let lexicon = Lexicon::builtin();
        let placeholder = lexicon.is_placeholder(&label);
        let (canonical, _) = canonical(&label, TextForm::Compact);
        prop_assert!(!(placeholder && lexicon.answers().expect("in the budget").accepts(&canonical)));
        prop_assert_eq!(lexicon.is_placeholder(&canonical), placeholder);
    }

    #[test]
    fn every_added_phrase_is_found(words in proptest::collection::vec("[a-z]{1,6}", 1..4), upper in any::<bool>()) {
        let phrase = words.join(" ");
        let lexicon = with(Changes { languages: vec!["ar".into()], add: vec![phrase.clone()], ..Changes::default() });
        let label = if upper { phrase.to_uppercase() } else { phrase };
        prop_assert!(lexicon.is_placeholder(&label));
        let decorated = format!("2. {label}!");
        prop_assert!(lexicon.is_placeholder(&decorated));
    }
}
