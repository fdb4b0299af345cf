//! Dates in a text: in whichever form one is written, it tells the same year, month and day.

use std::ops::{Range, RangeInclusive};

use crate::class::class_v2;
use crate::class_bits::v2::{CJK, UNSPACED, WORD};

/// So many letters tell a month too.
const SHORT: usize = 3;
/// And so do these.
const SEPT: &str = "sept";

/// A date in a text.
#[derive(Debug)]
pub(super) struct Date {
    /// Where it stands.
    pub(super) span: Range<usize>,
    /// Where the four digits of its year stand.
    pub(super) year: Option<Range<usize>>,
    /// From 1 to 12.
    pub(super) month: u64,
    /// From 1 to 31.
    pub(super) day: Option<u64>,
}

/// The dates of a text that is normalised, in its order. What has the form of one but names a month or a day
/// that there is not is passed over.
pub(super) fn dates(text: &[char]) -> impl Iterator<Item = Date> {
    let mut from = 0;
    std::iter::from_fn(move || {
        while from < text.len() {
            let form = form_at(text, from);
            from = form.as_ref().map_or(from + 1, |form| form.span.end);
            if let Some(date) = form.filter(Date::exists) {
                return Some(date);
            }
        }
        None
    })
}

impl Date {
    fn exists(&self) -> bool {
        (1..=12).contains(&self.month) && self.day.is_none_or(|day| (1..=31).contains(&day))
    }
}

/// What has the form of a date and starts at a place.
fn form_at(text: &[char], start: usize) -> Option<Date> {
    let first = text.get(start)?;
    if !first.is_ascii_alphanumeric() {
        return None;
    }
    let before = start.checked_sub(1).and_then(|at| text.get(at)).copied();
    let is_free = !before.is_some_and(is_letter_or_number);
    let reader = Reader { text, start, at: start };
    if first.is_ascii_alphabetic() {
        return is_free.then(|| reader.month_first()).flatten();
    }
    if before.is_some_and(|one| one.is_ascii_digit()) {
        return None;
    }
    let with_signs = is_free.then(|| reader.numbers()).flatten().or_else(|| reader.cjk());
    with_signs.or_else(|| is_free.then(|| reader.day_first()).flatten())
}

fn is_letter_or_number(character: char) -> bool {
    character.is_ascii_alphanumeric() || class_v2(character) & (WORD | CJK | UNSPACED) != 0
}

/// The month whose name starts with three letters, large or small, and the name.
fn month_of(letters: &[char; SHORT]) -> Option<(u64, &'static str)> {
    Some(match letters.map(|one| one.to_ascii_lowercase()) {
        ['j', 'a', 'n'] => (1, "january"),
        ['f', 'e', 'b'] => (2, "february"),
        ['m', 'a', 'r'] => (3, "march"),
        ['a', 'p', 'r'] => (4, "april"),
        ['m', 'a', 'y'] => (5, "may"),
        ['j', 'u', 'n'] => (6, "june"),
        ['j', 'u', 'l'] => (7, "july"),
        ['a', 'u', 'g'] => (8, "august"),
        ['s', 'e', 'p'] => (9, "september"),
        ['o', 'c', 't'] => (10, "october"),
        ['n', 'o', 'v'] => (11, "november"),
        ['d', 'e', 'c'] => (12, "december"),
        _ => return None,
    })
}

/// Whether a text starts with letters of ASCII, large or small.
fn starts(text: &[char], letters: &str) -> bool {
    let mut text = text.iter();
    letters.chars().all(|letter| text.next().is_some_and(|one| one.to_ascii_lowercase() == letter))
}

/// Reads the forms of a date, each from its start.
#[derive(Debug, Clone, Copy)]
struct Reader<'t> {
    text: &'t [char],
    start: usize,
    at: usize,
}

impl Reader<'_> {
    /// `2023-05-08`, with the same sign twice.
    fn numbers(mut self) -> Option<Date> {
        let year = self.digits(4..=4)?;
        let sign = self.one_of(&['-', '/', '.'])?;
        let month = self.digits(1..=2)?;
        self.one_of(&[sign])?;
        let day = self.digits(1..=2)?;
        Some(self.date(Some(year), self.number(month), Some(day)))
    }

    /// `2023年5月8日`, and without year or day.
    fn cjk(mut self) -> Option<Date> {
        let year = self.attempt(|reader| {
            let year = reader.digits(4..=4)?;
            reader.spaced_sign(&['年', '년'])?;
            reader.spaces();
            Some(year)
        });
        let month = self.digits(1..=2)?;
        self.spaced_sign(&['月', '월'])?;
        let day = self.attempt(|reader| {
            reader.spaces();
            let day = reader.digits(1..=2)?;
            reader.spaced_sign(&['日', '号', '號', '일'])?;
            Some(day)
        });
        (year.is_some() || day.is_some()).then(|| self.date(year, self.number(month), day))
    }

    /// `May 8th, 2023`, `May 8`, `May 2023`; a name alone where it is no other word.
    fn month_first(mut self) -> Option<Date> {
        let (month, is_telling) = self.month()?;
        let name = self;
        self.one_of(&['.']);
        if let Some((day, year)) = self.attempt(Self::day_behind) {
            return Some(self.date(year, month, Some(day)));
        }
        if let Some(year) = self.year_behind() {
            return Some(self.date(Some(year), month, None));
        }
        (is_telling && name.ends()).then(|| name.date(None, month, None))
    }

    /// `8 May 2023`, `8th of May`.
    fn day_first(mut self) -> Option<Date> {
        let day = self.digits(1..=2)?;
        self.ordinal();
        self.gap()?;
        self.attempt(|reader| reader.word("of").then(|| reader.gap()).flatten());
        let (month, _) = self.month()?;
        let is_dotted = self.one_of(&['.']).is_some();
        let year = self.year_behind();
        let ends = is_dotted || year.is_some() || self.ends();
        ends.then(|| self.date(year, month, Some(day)))
    }

    /// The day behind a month, and the year behind the day.
    fn day_behind(&mut self) -> Option<(Range<usize>, Option<Range<usize>>)> {
        self.gap()?;
        let day = self.digits(1..=2)?;
        self.ordinal();
        let year = self.year_behind();
        (year.is_some() || self.ends()).then_some((day, year))
    }

    fn year_behind(&mut self) -> Option<Range<usize>> {
        self.attempt(|reader| {
            reader.one_of(&[',']);
            reader.gap()?;
            let year = reader.digits(4..=4)?;
            reader.ends().then_some(year)
        })
    }

    /// The number of a month by its name, and whether the name is long and no other word.
    fn month(&mut self) -> Option<(u64, bool)> {
        let rest = self.text.get(self.at..)?;
        let (month, name) = month_of(rest.first_chunk()?)?;
        let length = rest.iter().take_while(|one| one.is_ascii_alphabetic()).count();
        let is_long = length == name.len() && starts(rest, name);
        if !is_long && length != SHORT && !(length == SEPT.len() && starts(rest, SEPT)) {
            return None;
        }
        self.at += length;
        Some((month, is_long && !matches!(name, "march" | "may")))
    }

    /// `st`, `nd`, `rd` or `th`, if it is there.
    fn ordinal(&mut self) {
        self.attempt(|reader| ["st", "nd", "rd", "th"].iter().find(|sign| reader.word(sign)));
    }

    /// Reads letters, large or small; whether they are there.
    fn word(&mut self, letters: &str) -> bool {
        let is_there = starts(self.text.get(self.at..).unwrap_or_default(), letters);
        self.at += if is_there { letters.len() } else { 0 };
        is_there
    }

    /// All digits that follow, if they are so many.
    fn digits(&mut self, count: RangeInclusive<usize>) -> Option<Range<usize>> {
        let rest = self.text.get(self.at..)?;
        let length = rest.iter().take_while(|one| one.is_ascii_digit()).count();
        let digits = self.at..self.at + length;
        self.at = digits.end;
        count.contains(&length).then_some(digits)
    }

    fn one_of(&mut self, signs: &[char]) -> Option<char> {
        let next = self.text.get(self.at).copied().filter(|one| signs.contains(one))?;
        self.at += 1;
        Some(next)
    }

    fn spaced_sign(&mut self, signs: &[char]) -> Option<char> {
        self.spaces();
        self.one_of(signs)
    }

    /// White space, one at least.
    fn gap(&mut self) -> Option<()> {
        (self.spaces() > 0).then_some(())
    }

    fn spaces(&mut self) -> usize {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest.iter().take_while(|one| one.is_whitespace()).count();
        self.at += length;
        length
    }

    /// Whether no letter or number follows.
    fn ends(&self) -> bool {
        !self.text.get(self.at).copied().is_some_and(is_letter_or_number)
    }

    /// Reads something, or else nothing.
    fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let before = self.at;
        let found = read(self);
        if found.is_none() {
            self.at = before;
        }
        found
    }

    fn number(&self, digits: Range<usize>) -> u64 {
        let digits = self.text.get(digits).unwrap_or_default();
        digits
            .iter()
            .filter_map(|one| one.to_digit(10))
            .fold(0, |all, one| all * 10 + u64::from(one))
    }

    fn date(&self, year: Option<Range<usize>>, month: u64, day: Option<Range<usize>>) -> Date {
        Date { span: self.start..self.at, year, month, day: day.map(|day| self.number(day)) }
    }
}
