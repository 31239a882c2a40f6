//! Places in a text, as people count them.

/// Line and column, both from 1, of a byte offset; columns count code points. `\n`, `\r\n` and a lone `\r` end a line. An
/// offset past the end means the end; one inside a character means that character.
pub(crate) fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let (mut line, mut column) = (1_usize, 1_usize);
    let mut previous = '\0';
    for (at, c) in text.char_indices() {
        if at.saturating_add(c.len_utf8()) > offset {
            break;
        }
        match c {
            '\n' if previous == '\r' => {}
            '\n' | '\r' => {
                line = line.saturating_add(1);
                column = 1;
            }
            _ => column = column.saturating_add(1),
        }
        previous = c;
    }
    (line, column)
}

/// The text of a line, counted from 1, without its end; empty past the last one.
pub(crate) fn line_text(text: &str, line: usize) -> &str {
    text.lines().nth(line.saturating_sub(1)).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns() {
        let text = "aé\nb\r\nc";
        assert_eq!(line_and_column(text, 0), (1, 1));
        assert_eq!(line_and_column(text, 1), (1, 2));
        assert_eq!(line_and_column(text, 2), (1, 2), "inside é");
        assert_eq!(line_and_column(text, 3), (1, 3), "the line's end");
        assert_eq!(line_and_column(text, 4), (2, 1));
        assert_eq!(line_and_column(text, 7), (3, 1));
        assert_eq!(line_and_column(text, 99), (3, 2));
        let mixed = "a\r\nb\rc\nd";
        let places: Vec<_> = "abcd".chars().map(|c| line_and_column(mixed, mixed.find(c).unwrap())).collect();
        assert_eq!(places, [(1, 1), (2, 1), (3, 1), (4, 1)], "a lone \\r ends a line, as in llama.cpp's parser");
        assert_eq!(line_text(text, 2), "b");
        assert_eq!(line_text(text, 9), "");
    }
}
