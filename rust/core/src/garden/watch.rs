//! The watch: the system tells which files and folders of a garden were touched, through inotify.
//!
//! Its queue is read when somebody asks, and nobody waits: what had happened before is in it. So a watch is
//! started first and the garden walked then; what happens meanwhile is told later. Where it cannot be sure to
//! know all, it says so once and for good, and another one is to be started.
//!
//! Not told is what is written into a file through a memory map that outlives its opening, or by another name
//! of the file (a hard link) that is not watched; what is mounted over a folder; and what another computer does
//! to a folder that it shares. File systems on which others may do so are not watched.

use std::collections::BTreeMap;
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};

use rustix::fd::{AsFd as _, OwnedFd};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::fs::{Dir, fstat, fstatfs, stat};
use rustix::io::{Errno, Result as Io};

use super::folder::{self, is_gone};
use super::{ENDING, is_hidden};

/// Ever more is not waited for: a walk is faster.
const MOST_EVENTS: usize = 65_536;
const BUFFER_BYTES: usize = 16 * 1024;

const TOLD: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVE)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR)
    .union(WatchFlags::DONT_FOLLOW)
    .union(WatchFlags::EXCL_UNLINK);

/// File systems of this computer alone, by the numbers that they give themselves.
const LOCAL: [u32; 12] = [
    0xef53,      // ext2, ext3, ext4
    0x5846_5342, // XFS
    0x9123_683e, // btrfs
    0x0102_1994, // tmpfs
    0x794c_7630, // overlay
    0xf2f5_2010, // F2FS
    0x2fc1_2fc1, // ZFS
    0xca45_1a4e, // bcachefs
    0x8584_58f6, // ramfs
    0x2011_bab0, // exFAT
    0x4d44,      // FAT
    0x7366_746e, // NTFS
];

/// What tells a folder from another one at the same path.
type Identity = (u64, u64);

/// A watched garden.
#[derive(Debug)]
pub struct Watch {
    queue: OwnedFd,
    /// A forked child has the same queue, and must not take from it.
    process: u32,
    path: PathBuf,
    root: OwnedFd,
    identity: Identity,
    areas: Vec<String>,
    /// The paths of the folders that are watched, by the numbers of their watches; that of the root is "".
    folders: BTreeMap<i32, String>,
    lost: bool,
}

impl Watch {
    /// Watches some areas of a garden from now on; `None` where the system cannot tell all that happens there.
    pub fn start(root: &Path, areas: &[String]) -> Option<Self> {
        let queue = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?;
        let opened = folder::root(root).ok()?;
        require_local(&opened).ok()?;
        let mut watch = Self {
            queue,
            process: std::process::id(),
            path: root.to_owned(),
            identity: identity(fstat(&opened).ok()?),
            root: opened,
            areas: areas.to_vec(),
            folders: BTreeMap::new(),
            lost: false,
        };
        watch.attend("").ok()?;
        for area in areas {
            watch.add(area.clone(), &mut Vec::new()).ok()?;
        }
        watch.is_in_place().then_some(watch)
    }

    /// What was touched since the last call, or the start: files, and with a `/` at the end folders in which
    /// anything may be other than it was. `None` where that is not known: a walk tells.
    pub fn changed(&mut self) -> Option<Vec<String>> {
        if self.lost || self.process != std::process::id() {
            return None;
        }
        let touched = self.drain().filter(|_| self.is_in_place());
        self.lost = touched.is_none();
        touched
    }

    /// Whether the root's path still leads to what is watched.
    fn is_in_place(&self) -> bool {
        stat(&self.path).is_ok_and(|found| identity(found) == self.identity)
    }

    fn drain(&mut self) -> Option<Vec<String>> {
        let mut touched = Vec::new();
        for event in self.events()? {
            self.take(&event, &mut touched)?;
        }
        touched.sort_unstable();
        touched.dedup();
        Some(touched)
    }

    fn events(&self) -> Option<Vec<Event>> {
        let mut buffer = [MaybeUninit::uninit(); BUFFER_BYTES];
        let mut reader = Reader::new(&self.queue, &mut buffer);
        let mut events = Vec::new();
        while events.len() < MOST_EVENTS {
            match reader.next() {
                Ok(event) => events.push(Event::of(&event)),
                Err(Errno::AGAIN) => return Some(events),
                Err(_) => return None,
            }
        }
        None
    }

    /// Notes what an event touched; `None` where it cannot be told.
    fn take(&mut self, event: &Event, touched: &mut Vec<String>) -> Option<()> {
        if event.is(ReadFlags::QUEUE_OVERFLOW | ReadFlags::UNMOUNT) {
            return None;
        }
        // What was noted of a folder before it went may come after.
        let Some(folder) = self.folders.get(&event.watch) else { return Some(()) };
        let is_root = folder.is_empty();
        let Some(name) = &event.name else {
            if event.is(ReadFlags::IGNORED) {
                self.folders.remove(&event.watch);
            }
            // What happens to any other folder itself is told by the one that it lies in.
            return (!is_root).then_some(());
        };
        let Ok(name) = std::str::from_utf8(name) else { return Some(()) };
        if is_hidden(name.as_bytes()) {
            return Some(());
        }
        let is_folder = event.is(ReadFlags::ISDIR);
        if is_root && !(is_folder && self.areas.iter().any(|area| area == name)) {
            return Some(());
        }
        let path = if is_root { name.to_owned() } else { format!("{folder}/{name}") };
        if is_folder {
            return self.take_folder(event, path, touched);
        }
        if name.ends_with(ENDING) {
            touched.push(path);
        }
        Some(())
    }

    fn take_folder(
        &mut self,
        event: &Event,
        path: String,
        touched: &mut Vec<String>,
    ) -> Option<()> {
        // The watches of all that lies in it would go on under its former path.
        if event.is(ReadFlags::MOVED_FROM) {
            return None;
        }
        if event.is(ReadFlags::DELETE) {
            touched.push(format!("{path}/"));
            return Some(());
        }
        self.add(path, touched).ok()
    }

    /// Watches a folder and all below it, and notes what lies there.
    ///
    /// Each is watched first and listed then: what comes in between is told twice rather than never.
    fn add(&mut self, path: String, touched: &mut Vec<String>) -> Io<()> {
        let mut next = vec![path];
        while let Some(path) = next.pop() {
            touched.push(format!("{path}/"));
            let listed = self.attend(&path).and_then(|()| {
                let opened = folder::open(self.root.as_fd(), &path)?;
                require_local(&opened)?;
                folder::list(&mut Dir::new(opened)?)
            });
            match listed {
                Ok(listed) => {
                    next.extend(listed.folders.iter().map(|name| format!("{path}/{name}")));
                    touched.extend(listed.files.iter().map(|name| format!("{path}/{name}")));
                }
                // Once it may be read, or is there again, the folder that it lies in tells.
                Err(Errno::ACCESS | Errno::PERM) => {}
                Err(error) if is_gone(error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Has the system tell what happens in a folder.
    fn attend(&mut self, path: &str) -> Io<()> {
        let whole = self.path.join(path);
        let watch = inotify::add_watch(&self.queue, &whole, TOLD)?;
        match self.folders.insert(watch, path.to_owned()) {
            // One folder by two paths, as mounts can make it: only one of the two would be told.
            Some(other) if other != path => Err(Errno::EXIST),
            _ => Ok(()),
        }
    }
}

/// What the system tells, on its own.
struct Event {
    watch: i32,
    flags: ReadFlags,
    /// The name of what it happened to; `None` where it happened to the folder itself.
    name: Option<Vec<u8>>,
}

impl Event {
    fn of(event: &inotify::Event<'_>) -> Self {
        let name = event.file_name().map(|name| name.to_bytes().to_owned());
        Self { watch: event.wd(), flags: event.events(), name }
    }

    fn is(&self, any: ReadFlags) -> bool {
        self.flags.intersects(any)
    }
}

fn identity(found: rustix::fs::Stat) -> Identity {
    (found.st_dev, found.st_ino)
}

/// Fails where others than this computer may change the files.
fn require_local(folder: &OwnedFd) -> Io<()> {
    let kind = fstatfs(folder)?.f_type;
    let is_local = LOCAL.iter().any(|&local| u32::try_from(kind) == Ok(local));
    if is_local { Ok(()) } else { Err(Errno::OPNOTSUPP) }
}
