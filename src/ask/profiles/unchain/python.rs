//! The parts of Python's string rules that the tool rests on.

/// White space of `str.strip()` and `str.isspace()`: Unicode White_Space and the four information separators, whose
/// bidirectional class is B or S (Python documentation, `str.isspace`).
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1C}'..='\u{1F}')
}

/// `text.strip()`.
pub(super) fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_and_next_line_are_space() {
        assert_eq!(strip("\u{1C}\u{1D}\u{1E}\u{1F}\u{85}\u{A0}\u{3000}\t a \r\n\u{2028}"), "a");
        assert_eq!(strip("\u{200B}a\u{FEFF}\0"), "\u{200B}a\u{FEFF}\0");
        assert_eq!(strip(" \u{1F} "), "");
    }
}
