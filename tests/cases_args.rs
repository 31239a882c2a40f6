//! The shared argument cases: real calls as models sent them, with the reading that is expected of each.
//!
//! They are read from `ASKGBNF_SHARED` or `../shared` and are no part of the repository; where they are missing, the test
//! says so and checks nothing. Cases of profiles that are not built in yet are left out; so are those of [`LATER`], each
//! with its reason, and one that passes all the same must be taken off the list.

use std::path::PathBuf;

use askgbnf::ask::normalize::{normalize_value, report};
use askgbnf::ask::profiles::by_id;
use serde_json::Value;

/// Cases that need machinery which is not there yet.
const LATER: &[(&str, &str)] = &[("092-header-for-title-unchain", "field aliases")];

fn folder() -> Option<PathBuf> {
    let shared = std::env::var_os("ASKGBNF_SHARED").map_or_else(|| PathBuf::from("../shared"), PathBuf::from);
    let folder = shared.join("cases/args");
    folder.is_dir().then_some(folder)
}

#[test]
fn shared_cases_read_as_expected() {
    let Some(folder) = folder() else {
        eprintln!("SKIPPED: no shared cases (set ASKGBNF_SHARED); NOTHING was checked");
        return;
    };
    let mut names: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder is readable")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .collect();
    names.sort();
    let (mut checked, mut wrong) = (0, Vec::new());
    for path in names {
        let text = std::fs::read_to_string(&path).expect("a readable case");
        let case: Value = serde_json::from_str(&text).expect("a case is JSON");
        let id = case["id"].as_str().expect("an id");
        let Some(profile) = by_id(case["profile"].as_str().expect("a profile")) else { continue };
        let got = report(&normalize_value(&*profile, &case["raw"]));
        let verdict = compare(&case["expect"], &got);
        match LATER.iter().find(|(later, _)| *later == id) {
            Some((_, why)) => {
                if verdict.is_ok() {
                    wrong.push(format!("{id} passes now: take it off the list ({why})"));
                }
            }
            None => {
                checked += 1;
                if let Err(why) = verdict {
                    wrong.push(format!("{id}: {why}\n    got {got}"));
                }
            }
        }
    }
    println!("{checked} cases checked, {} left for later", LATER.len());
    assert!(checked > 0, "the folder has no case for a built-in profile");
    assert!(wrong.is_empty(), "{} of {checked} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Compares what a case says, and only that: `note` explains, and fields it leaves out are free.
fn compare(expect: &Value, got: &Value) -> Result<(), String> {
    if expect["outcome"] != got["outcome"] {
        return Err(format!("outcome {} instead of {}", got["outcome"], expect["outcome"]));
    }
    if expect["outcome"] == "reject" {
        return Ok(());
    }
    let (want, have) = (list(&expect["questions"]), list(&got["questions"]));
    if want.len() != have.len() {
        return Err(format!("{} questions instead of {}", have.len(), want.len()));
    }
    for (want, have) in want.iter().zip(have) {
        for key in ["kind", "question", "title", "allow_other", "recommended"] {
            if !want[key].is_null() && want[key] != have[key] {
                return Err(format!("{key} {} instead of {}", have[key], want[key]));
            }
        }
        let (options, found) = (list(&want["options"]), list(&have["options"]));
        if options.len() != found.len() {
            return Err(format!("{} options instead of {}", found.len(), options.len()));
        }
        for (want, have) in options.iter().zip(found) {
            for key in ["label", "description"] {
                if !want[key].is_null() && want[key] != have[key] {
                    return Err(format!("option {key} {} instead of {}", have[key], want[key]));
                }
            }
        }
    }
    Ok(())
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
