//! Writes the tables of `src/class.rs`, the class of every character, from the crates that define them, and the
//! word lists of `src/relevance/`, from `data/`.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::error::Error;
use std::fs;
use std::iter::once;
use std::path::Path;

use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_script::{Script, UnicodeScript};

#[path = "src/class_bits.rs"]
mod class_bits;

use class_bits::{BLANK, CASED, CJK, RENAMED, ROW, UNSETTLED, WORD, Writing, v2};

#[expect(clippy::disallowed_methods, reason = "cargo says by the environment where to write")]
fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/class_bits.rs");
    println!("cargo::rerun-if-changed=data");
    let classes = table("CLASSES", class)
        + &table("CLASSES_V2", class_v2)
        + &table("WRITINGS", |character| writing(character) as u8);
    let lists = stop_words(&fs::read_to_string("data/stop_words.txt")?)
        + &questions(&fs::read_to_string("data/questions.txt")?);
    let out = env::var("OUT_DIR")?;
    fs::write(Path::new(&out).join("class_table.rs"), classes)?;
    Ok(fs::write(Path::new(&out).join("word_lists.rs"), lists)?)
}

/// The words of a list: parted by white space, but for lines that begin with `#`.
fn words(list: &str) -> impl Iterator<Item = &str> {
    list.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace)
}

/// In order, to be searched.
fn stop_words(list: &str) -> String {
    let words: BTreeSet<&str> = words(list).collect();
    format!("static STOP_WORDS: &[&str] = &{:?};\n", words.iter().collect::<Vec<_>>())
}

/// By their first characters, in order; those of one as they come in the list.
fn questions(list: &str) -> String {
    let mut all: BTreeMap<char, Vec<&str>> = BTreeMap::new();
    for word in words(list) {
        all.entry(word.chars().next().unwrap_or_default()).or_default().push(word);
    }
    let of_one = |(first, words)| format!("({first:?}, &{words:?}), ");
    let all: String = all.into_iter().map(of_one).collect();
    format!("static QUESTIONS: &[(char, &[&str])] = &[{all}];\n")
}

fn table(name: &str, class: fn(char) -> u8) -> String {
    let (mut rows, mut places) = (Vec::new(), Vec::new());
    for start in (0..=u32::from(char::MAX)).step_by(ROW) {
        // A surrogate is no character: nothing asks for its class.
        let of = |point| char::from_u32(point).map_or(0, class);
        let row: Vec<u8> = (start..).take(ROW).map(of).collect();
        let place = rows.iter().position(|known| *known == row).unwrap_or(rows.len());
        places.push(place);
        if place == rows.len() {
            rows.push(row);
        }
    }
    format!("static {name}: Table = Table {{ rows: &{places:?}, bits: &{:?} }};\n", rows.concat())
}

fn class(character: char) -> u8 {
    script(character) | folding(character)
}

fn script(character: char) -> u8 {
    let is_cjk = matches!(character, '\u{3400}'..='\u{9fff}' | '\u{3040}'..='\u{30ff}' | '\u{ac00}'..='\u{d7af}');
    let is_word = match character.general_category_group() {
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number => true,
        _ => character == '_',
    };
    (u8::from(is_cjk) * CJK) | (u8::from(is_word) * WORD)
}

fn folding(character: char) -> u8 {
    let normal: String = once(character).nfkc().collect();
    let is_stable = |one: char| {
        is_nfkc_quick(once(one)) == IsNormalized::Yes && canonical_combining_class(one) == 0
    };
    // The small form of a sigma depends on where it stands.
    if !normal.chars().all(|one| is_stable(one) && one != 'Σ') {
        return UNSETTLED;
    }
    let folded = normal.to_lowercase();
    if character.is_ascii() || once(character).eq(folded.chars()) {
        0
    } else if once(character).eq(normal.chars()) && folded.chars().count() == 1 {
        CASED
    } else if script(character) != 0 || folded.chars().any(|one| script(one) != 0) {
        RENAMED
    } else {
        BLANK
    }
}

fn class_v2(character: char) -> u8 {
    if is_nothing(character) {
        return v2::NOTHING;
    }
    let is_letter = match character.general_category_group() {
        GeneralCategoryGroup::Letter => true,
        GeneralCategoryGroup::Number => false,
        GeneralCategoryGroup::Mark => return v2::MARK,
        _ => return 0,
    };
    match character.script() {
        Script::Han | Script::Hiragana | Script::Katakana | Script::Bopomofo | Script::Hangul => {
            v2::CJK
        }
        // They lengthen, repeat or close what stands before them in kana and ideographs.
        Script::Common if matches!(character, '〆' | '〱'..='〵' | 'ー') => v2::CJK,
        Script::Thai | Script::Lao | Script::Khmer | Script::Myanmar if is_letter => v2::UNSPACED,
        Script::Tai_Le | Script::New_Tai_Lue | Script::Tai_Tham | Script::Tai_Viet if is_letter => {
            v2::UNSPACED
        }
        _ => v2::WORD,
    }
}

/// Characters that format, select a variant or fill; the points and the lengthening stroke that Hebrew and
/// Arabic may be written with or without.
fn is_nothing(character: char) -> bool {
    character.general_category() == GeneralCategory::Format
        || matches!(
            character,
            '\u{34f}' | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}' | '\u{5c2}' | '\u{5c4}' | '\u{5c5}' | '\u{5c7}'
                | '\u{640}' | '\u{64b}'..='\u{652}' | '\u{670}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
                | '\u{180b}'..='\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}'
        )
}

/// By which writing a query may be judged.
fn writing(character: char) -> Writing {
    match character.script() {
        Script::Hangul => Writing::Hangul,
        Script::Hiragana => Writing::Hiragana,
        Script::Katakana => Writing::Katakana,
        Script::Han => Writing::Han,
        _ => Writing::Other,
    }
}
