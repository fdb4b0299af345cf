//! Where the system does not tell what changed: nothing is watched.

use std::path::Path;

/// A watch, which there is none of here.
#[derive(Debug)]
pub enum Watch {}

impl Watch {
    /// Watches nothing.
    pub fn start(_root: &Path, _areas: &[String]) -> Option<Self> {
        None
    }

    /// Cannot be asked, as there is no watch.
    pub fn changed(&mut self) -> Option<Vec<String>> {
        match *self {}
    }
}
