//! Search tokens of any text.

use std::collections::BTreeSet;

use membound_core::text::{is_cjk, is_word};
use membound_core::tokens::{SearchTokens, TokenKey, Tokenizer, matched};

/// Takes any text, with a limit of its first byte: bounded, distinct, of the right alphabet, in order.
pub fn tokens(data: &[u8]) {
    let (limit, text) = data.split_first().map_or((0, data), |(first, rest)| (*first, rest));
    let text = String::from_utf8_lossy(text);
    for tokenizer in [Tokenizer::V1, Tokenizer::V2] {
        check_all(tokenizer, &text, limit.into());
    }
}

fn check_all(tokenizer: Tokenizer, text: &str, limit: usize) {
    let few = tokenizer.search_tokens(text, limit);
    let all = tokenizer.search_tokens(text, usize::MAX);
    check(tokenizer, &few, limit);
    check(tokenizer, &all, usize::MAX);
    for most in [tokenizer.query_tokens(), tokenizer.record_tokens()] {
        check(tokenizer, &tokenizer.search_tokens(text, most), most);
    }
    assert_eq!(few, tokenizer.search_tokens(text, limit), "equal texts give equal tokens");
    assert!(all.tokens.starts_with(&few.tokens), "a limit takes the first");
    assert_eq!(few.truncated, few.tokens.len() < all.tokens.len());
    check_keys(tokenizer, text, &all);
    assert_eq!(matched(&few.tokens, &all.tokens), few.tokens.len());
}

/// Keys stand for the tokens one to one, and all that fit are packed.
fn check_keys(tokenizer: Tokenizer, text: &str, all: &SearchTokens) {
    let (mut packed, mut texts) = (BTreeSet::new(), Vec::new());
    tokenizer.each_token(text, usize::MAX, |key| {
        let token = key.text();
        let long = token.chars().count() - 1;
        let characters: String = key.characters().collect();
        assert_eq!(characters, token.strip_prefix('c').unwrap_or_default());
        match key {
            TokenKey::Packed(bits) => {
                assert_ne!(bits, 0, "{token:?}");
                assert!(packed.insert(bits), "no key twice: {token:?}");
            }
            TokenKey::Word(_) => assert!(long > 3, "{token:?}"),
            TokenKey::Pair(_) => assert!(long > 2, "{token:?}"),
        }
        texts.push(token);
    });
    assert_eq!(texts, all.tokens);
}

/// What holds of every list of tokens.
pub(crate) fn check(tokenizer: Tokenizer, found: &SearchTokens, limit: usize) {
    assert!(found.tokens.len() <= limit);
    let distinct: BTreeSet<&String> = found.tokens.iter().collect();
    assert_eq!(distinct.len(), found.tokens.len(), "no token twice");
    match tokenizer {
        Tokenizer::V1 => check_v1(found),
        Tokenizer::V2 => check_v2(found),
    }
}

fn check_v1(found: &SearchTokens) {
    assert!(found.tokens.is_sorted_by_key(|token| token.starts_with('c')), "words come first");
    for token in &found.tokens {
        let (kind, piece) = token.split_at(1);
        let long = piece.chars().count();
        let of = |belongs: fn(char) -> bool| piece.chars().all(belongs);
        let word = || of(|character| is_word(character) && !is_cjk(character));
        let right = match kind {
            "w" => long > 0 && word(),
            "g" => long == 3 && word(),
            "c" => (1..=2).contains(&long) && of(is_cjk),
            _ => false,
        };
        assert!(right, "{token:?}");
    }
}

/// Marks and joints belong to words too; months and days are of the calendar.
fn check_v2(found: &SearchTokens) {
    for token in &found.tokens {
        let (kind, piece) = token.split_at(1);
        let within = |number: &str, most| number.parse().is_ok_and(|one| (1..=most).contains(&one));
        let right = match kind {
            "w" | "c" => !piece.is_empty() && !piece.contains(char::is_whitespace),
            "m" => within(piece, 12),
            "d" => piece
                .split_once('-')
                .is_some_and(|(month, day)| within(month, 12) && within(day, 31)),
            _ => false,
        };
        assert!(right, "{token:?}");
    }
}
