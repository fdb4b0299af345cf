//! Folders as filters: a record carries those in which its files lie, beside its tags and told as those are.

use crate::record::Source;
use crate::text::nfc;

/// No tag begins with it, as tags are lowercase.
const MARK: &str = "IN ";
/// The kind of the sources that are files.
const FILE: &str = "file";
/// So many folders of a file are told; a path of more is none that anybody made.
const MOST_FOLDERS: usize = 64;

/// The label of what lies in a folder, or is that file: paths count as equal in NFC.
pub(crate) fn label(folder: &str) -> String {
    format!("{MARK}{}", nfc(folder))
}

/// The labels of the files that are among a record's sources, and of the folders above them.
pub(crate) fn labels(sources: &[Source]) -> impl Iterator<Item = String> {
    let files = sources.iter().filter(|source| source.kind == FILE);
    files.filter_map(|source| source.locator.as_deref()).flat_map(|locator| {
        let whole = label(locator);
        let above = whole.match_indices('/').take(MOST_FOLDERS);
        let above: Vec<String> = above.map(|(at, _)| whole[..at].to_owned()).collect();
        above.into_iter().chain([whole])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    fn of(kind: &str, locator: &str) -> Vec<String> {
        let (kind, locator) = (kind.to_owned(), Some(locator.to_owned()));
        labels(&[Source { kind, locator, trust: "observed".to_owned() }]).collect()
    }

    #[test]
    fn a_file_is_labelled_by_itself_and_each_folder_above() {
        assert_eq!(of("file", "memory/a/b.md"), ["memory", "memory/a", "memory/a/b.md"].map(label));
        assert_eq!(of("file", "/srv//x"), ["", "/srv", "/srv/", "/srv//x"].map(label));
        assert_eq!(of("file", "cafe\u{301}/a"), ["caf\u{e9}", "caf\u{e9}/a"].map(label));
        assert_eq!(of("web", "memory/a.md"), [""; 0]);
    }

    #[test]
    fn a_path_of_very_many_folders_has_a_bounded_number_of_labels() {
        assert_eq!(of("file", &"a/".repeat(500)).len(), MOST_FOLDERS + 1);
    }

    #[test]
    fn no_tag_is_a_label() {
        for tag in ["IN memory", " in memory", "\u{ff29}\u{ff2e} memory"] {
            assert_eq!(text::label(tag), "in memory");
        }
        assert_eq!(label("memory"), "IN memory");
    }
}
