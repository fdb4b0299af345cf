//! Instants: ISO 8601 texts read as milliseconds since 1970, compared as numbers and never as texts.

/// Milliseconds since 1970-01-01T00:00:00Z.
pub type Millis = i64;

const DAY: i64 = 86_400_000;
/// The last instant that ECMAScript has, and the first one negated: 100,000,000 days.
const LAST: Millis = 100_000_000 * DAY;

/// Reads the ECMAScript profile of ISO 8601; `None` where the text is none of its forms.
///
/// Forms: `YYYY`, `YYYY-MM`, `YYYY-MM-DD` (midnight UTC), and a date with `THH:MM`, optional seconds,
/// an optional fraction of any length, and `Z` or `±HH:MM`. Without a zone it is read as UTC. Years may
/// be `±YYYYYY`, within 100,000,000 days of 1970. A day past the end of its month runs over into the
/// next, as ECMAScript engines do.
pub fn parse(text: &str) -> Option<Millis> {
    let mut cursor = Cursor { rest: text.as_bytes() };
    let year = cursor.year()?;
    let month = if cursor.eat(b'-') { cursor.two_digits(1, 12)? } else { 1 };
    let day = if cursor.eat(b'-') { cursor.two_digits(1, 31)? } else { 1 };
    let mut millis = days_from_civil(year, month) * DAY + (day - 1) * DAY;
    if !cursor.done() {
        if !(cursor.eat(b'T') || cursor.eat(b't')) {
            return None;
        }
        millis += cursor.time_of_day()? - cursor.zone()?;
    }
    (cursor.done() && (-LAST..=LAST).contains(&millis)).then_some(millis)
}

struct Cursor<'a> {
    rest: &'a [u8],
}

impl Cursor<'_> {
    fn done(&self) -> bool {
        self.rest.is_empty()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.rest.first() == Some(&byte);
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    fn digits(&mut self, count: usize) -> Option<i64> {
        let (digits, rest) = self.rest.split_at_checked(count)?;
        if !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        self.rest = rest;
        Some(digits.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0')))
    }

    fn two_digits(&mut self, least: i64, most: i64) -> Option<i64> {
        self.digits(2).filter(|value| (least..=most).contains(value))
    }

    fn year(&mut self) -> Option<i64> {
        if self.eat(b'+') {
            self.digits(6)
        } else if self.eat(b'-') {
            self.digits(6).filter(|&year| year > 0).map(|year| -year)
        } else {
            self.digits(4)
        }
    }

    fn time_of_day(&mut self) -> Option<i64> {
        let hour = self.two_digits(0, 24)?;
        if !self.eat(b':') {
            return None;
        }
        let minute = self.two_digits(0, 59)?;
        let second = if self.eat(b':') { self.two_digits(0, 59)? } else { 0 };
        let fraction = if self.eat(b'.') { self.fraction()? } else { 0 };
        let millis = ((hour * 60 + minute) * 60 + second) * 1000 + fraction;
        (millis <= DAY).then_some(millis)
    }

    fn fraction(&mut self) -> Option<i64> {
        let count = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let millis = (0..3).fold(0, |value, place| {
            let digit = if place < count { self.rest[place] - b'0' } else { 0 };
            value * 10 + i64::from(digit)
        });
        self.rest = &self.rest[count..];
        (count > 0).then_some(millis)
    }

    fn zone(&mut self) -> Option<i64> {
        if self.done() || self.eat(b'Z') || self.eat(b'z') {
            return Some(0);
        }
        let sign = if self.eat(b'+') {
            1
        } else if self.eat(b'-') {
            -1
        } else {
            return None;
        };
        let hour = self.two_digits(0, 23)?;
        let minute = if self.eat(b':') { self.two_digits(0, 59)? } else { return None };
        Some(sign * (hour * 60 + minute) * 60_000)
    }
}

/// The day of an instant in UTC, as `YYYY-MM-DD`; `None` where its year is none of 1 to 9999.
///
/// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
pub fn day(instant: Millis) -> Option<String> {
    let days = instant.div_euclid(DAY) + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let months = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * months + 2) / 5 + 1;
    let month = if months < 10 { months + 3 } else { months - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (1..=9_999).contains(&year).then(|| format!("{year:04}-{month:02}-{day:02}"))
}

/// Days from 1970-01-01 to the first of a month in the proleptic Gregorian calendar.
///
/// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`.
fn days_from_civil(year: i64, month: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::{DAY, day, parse};

    #[test]
    fn every_form_of_the_profile_is_read_and_nothing_else() {
        for (text, millis) in [
            ("1970-01-01T00:00:00.000Z", Some(0)),
            ("1969-12-31T23:59:59.999Z", Some(-1)),
            ("2026-07-01T12:00:00.5Z", Some(1_782_907_200_500)),
            ("2026-07-01T12:00:00.123456Z", Some(1_782_907_200_123)),
            ("2026-07-01T20:00:00+08:00", Some(1_782_907_200_000)),
            ("2026-07", Some(1_782_864_000_000)),
            ("2026", Some(1_767_225_600_000)),
            ("+002026-07-01T12:00:00Z", Some(1_782_907_200_000)),
            ("0000-01-01T00:00:00Z", Some(-62_167_219_200_000)),
            ("2026-07-01T24:00:00Z", Some(1_782_950_400_000)),
            ("2026-02-30T00:00:00Z", parse("2026-03-02")),
            ("2026-13-01T00:00:00Z", None),
            ("2026-07-01T25:00:00Z", None),
            ("2026-07-01T24:00:01Z", None),
            ("1782907200000", None),
            ("Jul 1, 2026", None),
            ("2026-07-01T12:00:00Zjunk", None),
            ("2026-07-01T12", None),
            ("2026-1-1", None),
            ("", None),
        ] {
            assert_eq!(parse(text), millis, "{text:?}");
        }
    }

    #[test]
    fn the_day_of_an_instant_is_read_as_the_same_one() {
        let (first, last) = (parse("0001-01-01"), parse("9999-12-31"));
        let (first, last) = (first.unwrap_or(1), last.unwrap_or(0));
        assert_eq!((last - first) / DAY, 3_652_058);
        for midnight in (first..=last).step_by(86_400_000) {
            for instant in [midnight, midnight + DAY - 1] {
                assert_eq!(day(instant).and_then(|text| parse(&text)), Some(midnight));
            }
        }
        assert_eq!([first - 1, last + DAY].map(day), [None, None]);
        assert_eq!(day(1_683_504_000_000).as_deref(), Some("2023-05-08"));
    }
}
