//! Absolute Windows paths in the one form in which places are compared. Pure: the same on every system.
//!
//! Windows takes `/` for `\`, sets case aside, drops dots and spaces that end a name, and has prefixes:
//! `\\?\` asks for exactly the names that follow, `\\.\` leads to devices and to drives. A path relative to
//! a drive (`C:x`, `C:`) or to its root (`\x`) names no place by itself and is none of these.

use unicode_normalization::UnicodeNormalization as _;

const EXACT: &str = r"\\?\";
const SEPARATORS: [char; 2] = ['\\', '/'];
const DEVICE: &str = r"\\.\";

/// The path with one separator and in upper case; `None` where it is no absolute Windows path.
pub(crate) fn normalize(path: &str) -> Option<String> {
    if !path.starts_with(r"\\") && on_drive(path).is_none() {
        return None;
    }
    let path: String = path.chars().map(upper).nfc().collect();
    let namespace = path.get(..4).map(|prefix| prefix.replace('/', r"\"));
    match (namespace.as_deref(), path.get(4..)) {
        (Some(EXACT), Some(names)) if path.starts_with(EXACT) => Some(exact(names)),
        (Some(EXACT | DEVICE), Some(names)) if path.starts_with(r"\\") => {
            Some(ordinary(&without_unc(names)).unwrap_or_else(|| rooted(DEVICE, names)))
        }
        _ => ordinary(&path),
    }
}

/// What `\\?\` leads to. Where ordinary rules would find the same names, it is the same place.
fn exact(names: &str) -> String {
    let plain = without_unc(names);
    match ordinary(&plain) {
        Some(normal) if parts(&normal) == parts(&plain) && !has_device(&normal) => normal,
        _ => format!("{EXACT}{}", parts(names).join(r"\")),
    }
}

fn parts(path: &str) -> Vec<&str> {
    path.split('\\').filter(|part| !part.is_empty()).collect()
}

/// `UNC\server\share` behind a prefix is `\\server\share`.
fn without_unc(names: &str) -> String {
    match names.get(..4) {
        Some(r"UNC\" | "UNC/") => format!(r"\\{}", &names[4..]),
        _ => names.to_owned(),
    }
}

fn ordinary(path: &str) -> Option<String> {
    if let Some(names) = on_drive(path) {
        return Some(rooted(&format!("{}:\\", &path[..1]), names));
    }
    let (server, rest) = cut(path.strip_prefix(r"\\")?);
    let (share, names) = cut(rest);
    (!server.is_empty()).then(|| rooted(&format!(r"\\{server}\{share}\"), names))
}

/// What follows `C:\`.
fn on_drive(path: &str) -> Option<&str> {
    match path.as_bytes() {
        [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic() => path.get(3..),
        _ => None,
    }
}

/// The first name, and what follows its separators.
fn cut(names: &str) -> (&str, &str) {
    let (first, rest) = names.split_at(names.find(SEPARATORS).unwrap_or(names.len()));
    (first, rest.trim_start_matches(SEPARATORS))
}

/// The names behind a root, folded; nothing leads above the root.
fn rooted(root: &str, names: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for name in names.split(SEPARATORS) {
        match name.trim_end_matches(' ') {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            name => match name.trim_end_matches(['.', ' ']) {
                "" => parts.push(name),
                kept => parts.push(kept),
            },
        }
    }
    format!("{root}{}", parts.join(r"\"))
}

/// Whether a name is that of a device, with whatever ending, as `NUL` or `COM1.txt`.
fn has_device(path: &str) -> bool {
    path.split('\\').any(|name| {
        let stem = name.split(['.', ':']).next().unwrap_or_default().trim_end_matches(' ');
        let port = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
        matches!(stem, "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$")
            || port.is_some_and(|port| {
                matches!(port.chars().collect::<Vec<_>>()[..], ['0'..='9' | '¹' | '²' | '³'])
            })
    })
}

/// The upper case of a letter that is the only one of its pair: `ı` and `ſ` are names of their own.
fn upper(letter: char) -> char {
    only(letter.to_uppercase())
        .filter(|upper| only(upper.to_lowercase()) == Some(letter))
        .unwrap_or(letter)
}

fn only(mut letters: impl Iterator<Item = char>) -> Option<char> {
    letters.next().filter(|_| letters.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::normalize;

    #[test]
    fn one_place_has_one_form() {
        for (form, spellings) in [
            (r"C:\", &[r"C:\", "c:/", r"c:\\", r"C:\.\..", r"\\?\c:\", r"\\.\C:\"][..]),
            (
                r"C:\WORK\APP",
                &[
                    r"C:\Work\App",
                    "c:/work/app/",
                    r"C:\work/x\..\.\app",
                    r"c:\work. \app...",
                    r"\\?\C:\work\app",
                    r"\\?\c:\work\app\",
                    r"\\.\C:\work\x\..\app",
                    r"C:\..\..\work\app ",
                ],
            ),
            (
                r"\\SRV\DATA\NOTES",
                &[
                    r"\\srv\data\notes",
                    r"\\Srv\\Data\Notes\",
                    r"\\srv/data/notes",
                    r"\\srv\data\..\notes",
                    r"\\?\UNC\srv\data\notes",
                    r"\\?\unc\srv\data\notes",
                    r"\\.\UNC\srv\data\notes",
                ],
            ),
            (r"C:\CAFÉ", &["c:\\caf\u{e9}", "C:\\CAFE\u{301}"]),
            (r"\\.\PIPE\X", &[r"\\.\pipe\x", r"\\.\Pipe/x/"]),
        ] {
            for path in spellings {
                assert_eq!(normalize(path).as_deref(), Some(form), "{path}");
            }
        }
    }

    #[test]
    fn other_places_have_other_forms() {
        let places = [
            r"C:\a",
            r"D:\a",
            r"C:\a b",
            r"\\a\a",
            r"\\?\C:\a.",
            r"\\?\C:\a ",
            r"\\?\C:\b\..\a",
            r"\\?\C:\nul",
            r"C:\nul",
            r"C:\com1.txt",
            r"\\?\C:\com1.txt",
            r"C:\com10",
            r"C:\ı",
            r"C:\i",
            r"C:\ſ",
            r"C:\s",
            r"C:\...",
            r"C:\",
        ];
        let mut forms: Vec<_> = places.iter().map(|path| normalize(path)).collect();
        forms.sort();
        forms.dedup();
        assert_eq!(forms.len(), places.len(), "{forms:?}");
        assert_eq!(normalize(r"\\?\C:\com10"), normalize(r"C:\com10"));
    }

    #[test]
    fn what_is_not_absolute_is_no_windows_path() {
        for path in [
            "C:",
            "C:x",
            r"\x",
            "x",
            "/c:/x",
            "//srv/data",
            r"\\",
            r"\\\srv",
            "é:/x",
            "cc:/x",
            "1:/x",
        ] {
            assert_eq!(normalize(path), None, "{path}");
        }
    }
}
