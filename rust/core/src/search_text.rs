//! What a record is found by: the text of which each tokenizer makes its search tokens.

use crate::instant;
use crate::record::{Record, Source};
use crate::tokens::{SearchTokens, TokenKey, Tokenizer};

/// The locator of a source that says no place: other writers of the format give it to every record.
const NO_PLACE: &str = "memory";

impl Record {
    /// The record's search tokens.
    pub fn search_tokens(&self, tokenizer: Tokenizer) -> SearchTokens {
        tokenizer.search_tokens(&self.search_text(tokenizer), tokenizer.record_tokens())
    }

    /// Gives each of the record's search tokens once.
    pub(crate) fn each_token(&self, tokenizer: Tokenizer, take: impl FnMut(TokenKey<'_>)) {
        tokenizer.each_token(&self.search_text(tokenizer), tokenizer.record_tokens(), take);
    }

    /// What the record is found by.
    fn search_text(&self, tokenizer: Tokenizer) -> String {
        match tokenizer {
            Tokenizer::V1 => self.search_text_v1(),
            Tokenizer::V2 => self.search_text_v2(),
        }
    }

    /// Content, tags, type, and kind and locator of each source.
    fn search_text_v1(&self) -> String {
        let mut text =
            format!("{}\n{}\n{}", self.content, self.tags.join(" "), self.card.kind.name());
        for source in &self.sources {
            text.push('\n');
            text.push_str(&source.kind);
            text.push(' ');
            text.push_str(source.locator.as_deref().unwrap_or_default());
        }
        text
    }

    /// Its day, which no budget cuts then; who said it, what it is about, content, tags, and the locators
    /// that somebody chose.
    fn search_text_v2(&self) -> String {
        let day = self.happened.and_then(instant::day);
        let named = [&day, &self.speaker, &self.subject].into_iter().flatten();
        let mut text = named.fold(String::new(), |text, one| text + one + "\n");
        text.push_str(&self.content);
        for tag in &self.tags {
            text.push('\n');
            text.push_str(tag);
        }
        for locator in self.sources.iter().filter_map(place) {
            text.push('\n');
            text.push_str(locator);
        }
        text
    }
}

fn place(source: &Source) -> Option<&str> {
    source.locator.as_deref().filter(|&locator| locator != NO_PLACE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_is_that_of_the_first_time_that_is_a_date_and_comes_first() {
        for (observed, made, day) in [
            ("2023-05-08T23:30:00-02:00", "2024-02-29", "w2023 m5 d5-9 "),
            ("soon", "2024-02-29", "w2024 m2 d2-29 "),
            ("", "+012024-02-29", ""),
        ] {
            let json = format!(
                r#"{{"id": "a", "content": "walnut", "scope": "user", "confidence": 1, "importance": 1,
                "type": "fact", "authority": "reference", "createdAt": "{made}", "updatedAt": "2020",
                "observedAt": "{observed}", "speaker": "Noa"}}"#
            );
            let found = Record::parse(json.as_bytes()).map(|one| one.search_tokens(Tokenizer::V2));
            let told = found.map_or_else(|fault| fault.to_string(), |found| found.tokens.join(" "));
            assert_eq!(told, format!("{day}wnoa wwalnut"));
        }
    }
}
