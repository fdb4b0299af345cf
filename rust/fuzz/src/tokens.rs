//! Search tokens of any text.

use std::collections::BTreeSet;

use membound_core::text::{is_cjk, is_word};
use membound_core::tokens::{
    RECORD_TOKENS, SearchTokens, TokenKey, each_token, matched, search_tokens,
};

/// Takes any text, with a limit of its first byte: bounded, distinct, of the right alphabet, in order.
pub fn tokens(data: &[u8]) {
    let (limit, text) = data.split_first().map_or((0, data), |(first, rest)| (*first, rest));
    let text = String::from_utf8_lossy(text);
    let few = search_tokens(&text, limit.into());
    let all = search_tokens(&text, usize::MAX);
    check(&few, limit.into());
    check(&all, usize::MAX);
    check(&search_tokens(&text, RECORD_TOKENS), RECORD_TOKENS);
    assert_eq!(few, search_tokens(&text, limit.into()), "equal texts give equal tokens");
    assert!(all.tokens.starts_with(&few.tokens), "a limit takes the first");
    assert_eq!(few.truncated, few.tokens.len() < all.tokens.len());
    check_keys(&text, &all);
    assert_eq!(matched(&few.tokens, &all.tokens), few.tokens.len());
}

/// Keys stand for the tokens one to one, and all that fit are packed.
fn check_keys(text: &str, all: &SearchTokens) {
    let (mut packed, mut texts) = (BTreeSet::new(), Vec::new());
    each_token(text, usize::MAX, |key| {
        let token = key.text();
        match key {
            TokenKey::Packed(bits) => {
                assert_ne!(bits, 0, "{token:?}");
                assert!(packed.insert(bits), "no key twice: {token:?}");
            }
            TokenKey::Word(_) => assert!(token.chars().count() > 4, "{token:?}"),
        }
        texts.push(token);
    });
    assert_eq!(texts, all.tokens);
}

/// What holds of every list of tokens.
pub(crate) fn check(found: &SearchTokens, limit: usize) {
    assert!(found.tokens.len() <= limit);
    let distinct: BTreeSet<&String> = found.tokens.iter().collect();
    assert_eq!(distinct.len(), found.tokens.len(), "no token twice");
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
