//! The sentences of a query, as it was typed.

/// Splits at full stops and their kin before white space, and at line feeds, question marks, exclamation marks
/// and the full-width signs wherever they stand.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut at) = (0, 0);
    // Up to where stops are known to stand before no white space.
    let mut inner = 0;
    while let Some(next) = text[at..].chars().next() {
        let rest = &text[at..];
        let mut end = if at < inner { 0 } else { run(rest, is_stop) };
        if end > 0 && !text[at + end..].starts_with(char::is_whitespace) {
            inner = at + end;
            end = 0;
        }
        let end = if end > 0 { end } else { run(rest, ends_anywhere) };
        if end > 0 {
            found.push(&text[start..at]);
            start = at + end;
        }
        at += end.max(next.len_utf8());
    }
    found.push(&text[start..]);
    found
}

fn is_stop(one: char) -> bool {
    matches!(one, '.' | '!' | '?' | ';' | ':')
}

fn ends_anywhere(one: char) -> bool {
    matches!(one, '\n' | '。' | '！' | '？' | '；' | '：' | '!' | '?')
}

/// The bytes of the signs of a kind that a text begins with.
fn run(text: &str, is_of_kind: fn(char) -> bool) -> usize {
    text.find(|one| !is_of_kind(one)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_ends_a_sentence_before_white_space_only() {
        assert_eq!(
            sentences("v1.2 is out. What now?! 好。坏"),
            ["v1.2 is out", " What now", " 好", "坏"]
        );
        assert_eq!(sentences("a;b"), ["a;b"]);
        assert_eq!(sentences("end."), ["end."]);
    }
}
