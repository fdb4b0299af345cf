//! What only marks a question in Chinese, Japanese and Korean is no word of it.

use super::weak::questions;

/// The text, in NFKC, with a space in the place of each mark of a question.
pub(super) fn without_marks(text: &str) -> String {
    let mut rest = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if let Some(mark) = mark(&text[at..], first) {
            rest.push(' ');
            at += mark;
        } else {
            rest.push(first);
            at += first.len_utf8();
        }
    }
    rest
}

/// The bytes of the mark that a text begins with.
fn mark(text: &str, first: char) -> Option<usize> {
    let stands = |mark: &str| match mark.strip_suffix('$') {
        Some(last) => (text == last).then_some(last.len()),
        None => text.starts_with(mark).then_some(mark.len()),
    };
    questions(first).iter().find_map(|mark| stands(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_cut_where_they_stand_and_an_ending_at_the_end_only() {
        assert_eq!(without_marks("他的手机号是多少"), "他的手机号是 ");
        assert_eq!(without_marks("何ですか"), " ですか".replace("ですか", " "));
        assert_eq!(without_marks("どこの駅"), " の駅");
        assert_eq!(without_marks("駅の"), "駅 ");
        assert_eq!(without_marks("plain"), "plain");
    }
}
