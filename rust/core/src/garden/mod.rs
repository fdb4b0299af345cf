//! A garden: folders of Markdown files that people and programs edit, walked and watched.
//!
//! Paths are relative to the garden's root, with `/` between names. What has a name that starts with a dot
//! is not looked at, no link is followed, and only regular files whose names end in `.md` count.

mod folder;
mod walk;
#[cfg_attr(not(target_os = "linux"), path = "unwatched.rs")]
mod watch;

pub use walk::{File, Found, walk};
pub use watch::Watch;

/// How the names of Markdown files end.
const ENDING: &str = ".md";

/// Whether what has that name is not looked at.
fn is_hidden(name: &[u8]) -> bool {
    name.starts_with(b".")
}
