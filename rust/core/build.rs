//! Writes the table of `src/class.rs`: the class of every character, from the crates that define them.

use std::env;
use std::error::Error;
use std::fs;
use std::iter::once;
use std::path::Path;

use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

#[path = "src/class_bits.rs"]
mod class_bits;

use class_bits::{BLANK, CASED, CJK, RENAMED, ROW, UNSETTLED, WORD};

#[expect(clippy::disallowed_methods, reason = "cargo says by the environment where to write")]
fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/class_bits.rs");
    let (mut rows, mut places) = (Vec::new(), Vec::new());
    for start in (0..=u32::from(char::MAX)).step_by(ROW) {
        let row: Vec<u8> = (start..).take(ROW).map(class).collect();
        let place = rows.iter().position(|known| *known == row).unwrap_or(rows.len());
        places.push(place);
        if place == rows.len() {
            rows.push(row);
        }
    }
    let classes = rows.concat();
    let source = format!(
        "static ROWS: [u16; {}] = {places:?};\nstatic CLASSES: [u8; {}] = {classes:?};\n",
        places.len(),
        classes.len(),
    );
    Ok(fs::write(Path::new(&env::var("OUT_DIR")?).join("class_table.rs"), source)?)
}

fn class(point: u32) -> u8 {
    // A surrogate is no character: nothing asks for its class.
    char::from_u32(point).map_or(0, |character| script(character) | folding(character))
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
