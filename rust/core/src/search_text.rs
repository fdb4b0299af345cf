//! What a record is found by: the text of which each tokenizer makes its search tokens.

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

    /// Who said it, what it is about, content, tags, and the locators that somebody chose.
    fn search_text_v2(&self) -> String {
        let named = [&self.speaker, &self.subject].into_iter().flatten();
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
