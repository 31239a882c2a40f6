//! `enumerator`: running numbers or letters in front of *all* options are taken off.
//!
//! `["1. Rebase","2. Squash"]` are the options `Rebase` and `Squash`; `["1. FC Köln","Bayern"]` stay as they are.

use super::{Draft, DraftOption, Repair, RepairCode};

pub(super) fn repair(draft: &mut Draft, repairs: &mut Vec<Repair>) {
    for question in &mut draft.questions {
        let Some(rests) = rests(&question.options) else { continue };
        for (option, rest) in question.options.iter_mut().zip(rests) {
            option.label = rest;
        }
        repairs.push(Repair {
            code: RepairCode::Enumerator,
            path: question.options_path.clone(),
            message: "running numbers or letters in front of all options were taken off".into(),
        });
    }
}

/// The labels without their running numbers; `None` unless all have one, in order.
fn rests(options: &[DraftOption]) -> Option<Vec<String>> {
    if options.len() < 2 {
        return None;
    }
    [number as fn(&str, usize) -> Option<&str>, letter]
        .into_iter()
        .find_map(|take| options.iter().enumerate().map(|(at, o)| take(&o.label, at).map(str::to_owned)).collect())
}

/// `3.`, `3)`, `(3)`, `3、`, `3:` before white space (or directly after a full-width mark), for the third option.
fn number(label: &str, at: usize) -> Option<&str> {
    let (open, rest) = bracket(label);
    let digits = rest.find(|c: char| !c.is_ascii_digit())?;
    (rest[..digits] == (at + 1).to_string()).then_some(())?;
    end(open, &rest[digits..])
}

/// `C.`, `c)`, `(c)` … for the third option.
fn letter(label: &str, at: usize) -> Option<&str> {
    let (open, rest) = bracket(label);
    let wanted = u8::try_from(at).ok().filter(|&at| at < 26).map(|at| char::from(b'a' + at))?;
    let first = rest.chars().next()?;
    (first.to_ascii_lowercase() == wanted).then_some(())?;
    end(open, &rest[1..])
}

fn bracket(label: &str) -> (bool, &str) {
    match label.strip_prefix(['(', '（']) {
        Some(rest) => (true, rest),
        None => (false, label),
    }
}

/// What follows the number: its delimiter, then white space, then the label proper.
fn end(open: bool, rest: &str) -> Option<&str> {
    let delimiter = rest.chars().next()?;
    let ok = if open {
        matches!(delimiter, ')' | '）')
    } else {
        matches!(delimiter, '.' | ')' | ':' | '、' | '）' | '：' | '．')
    };
    let after = &rest[delimiter.len_utf8()..];
    let wide = matches!(delimiter, '、' | '）' | '：' | '．');
    let label = after.trim_start();
    (ok && (wide || label.len() < after.len()) && !label.is_empty()).then_some(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strip(labels: &[&str]) -> Option<Vec<String>> {
        let option = |label: &&str| DraftOption {
            path: String::new(),
            label: (*label).to_owned(),
            description: None,
            value: None,
            recommended: false,
        };
        rests(&labels.iter().map(option).collect::<Vec<_>>())
    }

    #[test]
    fn all_in_order_or_none() {
        let two = Some(vec!["Rebase".to_owned(), "Squash".to_owned()]);
        for labels in [
            ["1. Rebase", "2. Squash"],
            ["1) Rebase", "2) Squash"],
            ["(1) Rebase", "(2) Squash"],
            ["A. Rebase", "B. Squash"],
            ["a) Rebase", "b) Squash"],
            ["1、Rebase", "2、Squash"],
            ["（1）Rebase", "（2）Squash"],
        ] {
            assert_eq!(strip(&labels), two, "{labels:?}");
        }
        for labels in [
            ["1. FC Köln", "Bayern"],
            ["2. Rebase", "1. Squash"],
            ["1 Rebase", "2 Squash"],
            ["1.5 mm", "2.5 mm"],
            ["1.", "2."],
            ["3. Liga", "4. Liga"],
            ["A", "B"],
        ] {
            assert_eq!(strip(&labels), None, "{labels:?}");
        }
        assert_eq!(strip(&["1. Only"]), None);
    }
}
