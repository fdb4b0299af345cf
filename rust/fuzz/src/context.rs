//! Hostile records in the two blocks.

use arbitrary::Unstructured;
use membound_core::budget::Taken;
use membound_core::context::{characters, directive_block, directive_line};
use membound_core::directives::select_directives;
use membound_core::files::{Outcome, retrieve_records};
use membound_core::record::Record;
use membound_core::request::Request;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use crate::hostile;

const FIELDS: [&str; 7] =
    ["id=", "scope=", "type=", "authority=", "confidence=", "freshness=", "source="];
const OPENING_LINES: usize = 3;

/// Reads the bytes as a few hostile records and a request; checks both blocks.
pub fn context(data: &[u8]) {
    let mut choices = Unstructured::new(data);
    let Ok((records, request)) = hostile::case(&mut choices) else { return };
    let records: Vec<&[u8]> = records.iter().map(String::as_bytes).collect();
    let request = Request::parse(request.as_bytes()).expect("a request of ours is one");
    let ask = || retrieve_records(&request, records.iter().copied()).expect("so are the records");
    let outcome = ask();
    check_outcome(&outcome, &request);
    let again = ask();
    assert_eq!(outcome.selection.block, again.selection.block);
    assert_eq!(outcome.trace, again.trace);
    check_rules(&records, &request);
}

/// What holds of every answer, whatever the records and the request are.
pub(crate) fn check_outcome<O>(outcome: &Outcome<O>, request: &Request) {
    let (selection, trace) = (&outcome.selection, &outcome.trace);
    assert_eq!(selection.characters, characters(&selection.block));
    assert_eq!(selection.characters, trace.selected_characters);
    assert!(selection.characters <= request.character_budget);
    assert!(selection.taken.len() as u64 <= request.record_limit());
    assert!(selection.taken.iter().map(Taken::id).eq(&trace.selected_ids));
    assert!(trace.truncated_ids.iter().all(|id| trace.selected_ids.contains(id)));
    check_block(&selection.block, &selection.taken);
}

/// One opening tag, one line a record, one closing tag; nothing that cannot be seen.
fn check_block<O>(block: &str, taken: &[Taken<O>]) {
    if taken.is_empty() {
        return assert_eq!(block, "");
    }
    check_seen(block);
    assert_eq!((block.matches('<').count(), block.matches('>').count()), (2, 2));
    let lines: Vec<&str> = block.split('\n').collect();
    assert!(
        block.starts_with("<MEMORY_REFERENCE_DATA untrusted=\"true\" authority=\"reference\">\n")
    );
    assert_eq!(lines.last(), Some(&"</MEMORY_REFERENCE_DATA>"));
    assert_eq!(lines.len(), OPENING_LINES + taken.len() + 1);
    for (line, taken) in lines[OPENING_LINES..].iter().zip(taken) {
        check_line(line, &taken.shown.record, taken.cut.as_deref());
    }
}

/// Its fields are the eight in their order, and the last is the content as a JSON string.
fn check_line(line: &str, record: &Record, cut: Option<&str>) {
    let (head, content) = line.split_once(" content=").expect("a line ends with its content");
    let content: String = serde_json::from_str(content).expect("a content is a JSON string");
    assert_eq!(content, cut.unwrap_or(&record.content));
    assert!(record.content.starts_with(&content));
    let fields: Vec<&str> =
        head.split(' ').skip(1).filter_map(|word| word.split_inclusive('=').next()).collect();
    let named: Vec<&&str> = fields.iter().filter(|field| field.ends_with('=')).collect();
    assert!(named.into_iter().eq(&FIELDS), "{line}");
    assert!(head.starts_with(&format!("- id={} scope=", record.card.id)));
}

fn check_rules(records: &[&[u8]], request: &Request) {
    let records: Vec<Record> =
        records.iter().map(|json| Record::parse(json).expect("as before")).collect();
    let selection = select_directives(&records, request);
    assert!(selection.characters <= request.policy.directives.max_characters);
    assert!(selection.selected.len() <= request.policy.directives.max_records);
    let rules: Vec<String> =
        selection.selected.iter().map(|at| directive_line(&records[*at])).collect();
    let block = directive_block(&rules);
    if rules.is_empty() {
        return assert_eq!(block, "");
    }
    check_seen(&block);
    assert_eq!((block.matches('<').count(), block.matches('>').count()), (2, 2));
    assert_eq!(block.matches("\n- [").count(), rules.len());
    assert!(block.ends_with("\n</MEMORY_DIRECTIVES>"));
}

/// By Unicode's categories, which the core does not go by.
fn check_seen(block: &str) {
    for character in block.chars().filter(|character| *character != '\n') {
        let hidden = match character.general_category() {
            GeneralCategory::Format => !is_drawn(character),
            GeneralCategory::Control => character != '\u{7f}', // JSON leaves it, and so does the block
            GeneralCategory::LineSeparator | GeneralCategory::ParagraphSeparator => true,
            _ => false,
        };
        assert!(!hidden, "{character:?}");
    }
}

/// Marks that are drawn around the digits or letters that they belong to.
fn is_drawn(character: char) -> bool {
    matches!(character, '\u{600}'..='\u{605}' | '\u{6dd}' | '\u{70f}' | '\u{890}' | '\u{891}' | '\u{8e2}'
        | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}')
}
