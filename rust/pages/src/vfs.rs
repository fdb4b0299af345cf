//! `SQLite`'s own file system with three functions of ours.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::OnceLock;

use rusqlite::{Connection, ffi};

use crate::{VFS, frame, is_sealed, seal};

type Open = unsafe extern "C" fn(
    *mut ffi::sqlite3_vfs,
    ffi::sqlite3_filename,
    *mut ffi::sqlite3_file,
    c_int,
    *mut c_int,
) -> c_int;
type Read =
    unsafe extern "C" fn(*mut ffi::sqlite3_file, *mut c_void, c_int, ffi::sqlite3_int64) -> c_int;
type Write =
    unsafe extern "C" fn(*mut ffi::sqlite3_file, *const c_void, c_int, ffi::sqlite3_int64) -> c_int;

static REGISTERED: OnceLock<Result<(), c_int>> = OnceLock::new();
static OPEN: OnceLock<Open> = OnceLock::new();
static DATABASE: OnceLock<Option<Methods>> = OnceLock::new();
static LOG: OnceLock<Option<Methods>> = OnceLock::new();

/// The default's functions on files of one kind, and the same with some of ours.
struct Methods {
    default: &'static ffi::sqlite3_io_methods,
    read: Read,
    write: Write,
    ours: ffi::sqlite3_io_methods,
}

impl Methods {
    fn over(
        default: &'static ffi::sqlite3_io_methods,
        ours: (Read, Option<Write>),
    ) -> Option<Self> {
        let (read, write) = (default.xRead?, default.xWrite?);
        let ours = ffi::sqlite3_io_methods {
            // This version has no xFetch: mapped memory would be read without a look.
            iVersion: default.iVersion.min(2),
            xRead: Some(ours.0),
            xWrite: Some(ours.1.unwrap_or(write)),
            ..*default
        };
        Some(Self { default, read, write, ours })
    }

    /// Those of a kind of which a file was opened before.
    fn of(kind: &'static OnceLock<Option<Self>>) -> Option<&'static Self> {
        kind.get()?.as_ref()
    }
}

pub(crate) fn register() -> Result<(), c_int> {
    *REGISTERED.get_or_init(|| {
        // SAFETY: no name asks for the default, which lives, unchanged, as long as the process.
        let default = unsafe { ffi::sqlite3_vfs_find(ptr::null()).as_ref() };
        let default = default.ok_or(ffi::SQLITE_ERROR)?;
        OPEN.get_or_init(|| default.xOpen.unwrap_or(refuse));
        let ours = ffi::sqlite3_vfs {
            zName: VFS.as_ptr(),
            pNext: ptr::null_mut(),
            xOpen: Some(open),
            ..*default
        };
        // SAFETY: the table is never freed, and SQLite, which writes `pNext`, is the only one to use it.
        match unsafe { ffi::sqlite3_vfs_register(Box::leak(Box::new(ours)), 0) } {
            ffi::SQLITE_OK => Ok(()),
            code => Err(code),
        }
    })
}

unsafe extern "C" fn refuse(
    _: *mut ffi::sqlite3_vfs,
    _: ffi::sqlite3_filename,
    _: *mut ffi::sqlite3_file,
    _: c_int,
    _: *mut c_int,
) -> c_int {
    ffi::SQLITE_CANTOPEN
}

/// Opens as the default does, then gives databases and logs our functions.
unsafe extern "C" fn open(
    vfs: *mut ffi::sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    given: *mut c_int,
) -> c_int {
    let Some(default) = OPEN.get() else { return ffi::SQLITE_CANTOPEN };
    // SAFETY: SQLite's own arguments; `vfs` is a copy of the default and has handles of the same size.
    let code = unsafe { default(vfs, name, file, flags, given) };
    let (kind, functions): (_, (Read, Option<Write>)) = match flags {
        _ if code != ffi::SQLITE_OK => return code,
        _ if flags & ffi::SQLITE_OPEN_MAIN_DB != 0 => (&DATABASE, (read_page, Some(write_page))),
        _ if flags & ffi::SQLITE_OPEN_WAL != 0 => (&LOG, (read_frame, None)),
        _ => return code,
    };
    // SAFETY: the default has opened `file`, so that its table is one of the default's, which are constants.
    let table = unsafe { (*file).pMethods.as_ref() };
    let methods = kind.get_or_init(|| table.and_then(|table| Methods::over(table, functions)));
    let (Some(table), Some(methods)) = (table, methods) else { return ffi::SQLITE_CANTOPEN };
    if !ptr::eq(table, methods.default) {
        // Another way to lock than the one that is known; SQLite closes a file that has a table.
        return ffi::SQLITE_CANTOPEN;
    }
    // SAFETY: `file` is SQLite's to lend until it returns; our tables live as long as the process.
    unsafe { (*file).pMethods = &raw const methods.ours };
    code
}

/// The first 4,096 bytes of a connection's file, as they lie there.
pub(crate) fn first_page(connection: &Connection) -> rusqlite::Result<Option<Vec<u8>>> {
    let mut file: *mut ffi::sqlite3_file = ptr::null_mut();
    let mut page = vec![0_u8; 4096];
    // SAFETY: the handle is open for as long as `connection` is borrowed; this operation writes a pointer,
    // to a file that the connection keeps; and where that file is open, its table reads into a buffer that
    // has the size which it is told.
    let code = unsafe {
        ffi::sqlite3_file_control(
            connection.handle(),
            c"main".as_ptr(),
            ffi::SQLITE_FCNTL_FILE_POINTER,
            (&raw mut file).cast(),
        );
        let read =
            file.as_ref().and_then(|file| file.pMethods.as_ref()).and_then(|table| table.xRead);
        read.map(|read| read(file, page.as_mut_ptr().cast(), 4096, 0))
    };
    match code {
        Some(ffi::SQLITE_OK) => Ok(Some(page)),
        Some(ffi::SQLITE_IOERR_SHORT_READ) | None => Ok(None),
        Some(code) => Err(crate::failed(code, "its first page cannot be read")),
    }
}

/// Whether a whole page is meant: a header is shorter, and a frame is no power of two.
fn page_size(amount: c_int) -> Option<usize> {
    let amount = usize::try_from(amount).ok()?;
    (amount >= 512 && amount.is_power_of_two()).then_some(amount)
}

unsafe extern "C" fn read_page(
    file: *mut ffi::sqlite3_file,
    buffer: *mut c_void,
    amount: c_int,
    offset: ffi::sqlite3_int64,
) -> c_int {
    let Some(methods) = Methods::of(&DATABASE) else { return ffi::SQLITE_IOERR_READ };
    // SAFETY: SQLite's own arguments, on a file that the default has opened.
    let code = unsafe { (methods.read)(file, buffer, amount, offset) };
    let (Some(size), Ok(offset)) = (page_size(amount), u64::try_from(offset)) else { return code };
    match code {
        ffi::SQLITE_OK => {
            // SAFETY: the default has just filled so many bytes of SQLite's buffer.
            let page = unsafe { std::slice::from_raw_parts(buffer.cast(), size) };
            if is_sealed(page, offset) { code } else { ffi::SQLITE_IOERR_DATA }
        }
        // SQLite would take what is cut off for zeros.
        ffi::SQLITE_IOERR_SHORT_READ => ffi::SQLITE_IOERR_DATA,
        _ => code,
    }
}

unsafe extern "C" fn write_page(
    file: *mut ffi::sqlite3_file,
    buffer: *const c_void,
    amount: c_int,
    offset: ffi::sqlite3_int64,
) -> c_int {
    let Some(methods) = Methods::of(&DATABASE) else { return ffi::SQLITE_IOERR_WRITE };
    let (Some(size), Ok(place)) = (page_size(amount), u64::try_from(offset)) else {
        // SAFETY: SQLite's own arguments, on a file that the default has opened.
        return unsafe { (methods.write)(file, buffer, amount, offset) };
    };
    // SAFETY: SQLite gives so many bytes to write and does not change them meanwhile.
    let mut page = unsafe { std::slice::from_raw_parts(buffer.cast::<u8>(), size) }.to_vec();
    let sealed = seal(&page, place);
    if let Some(end) = page.last_chunk_mut() {
        *end = sealed;
    }
    // SAFETY: as above, with as many bytes of our own, which live until the default returns.
    unsafe { (methods.write)(file, page.as_ptr().cast(), amount, offset) }
}

unsafe extern "C" fn read_frame(
    file: *mut ffi::sqlite3_file,
    buffer: *mut c_void,
    amount: c_int,
    offset: ffi::sqlite3_int64,
) -> c_int {
    let Some(methods) = Methods::of(&LOG) else { return ffi::SQLITE_IOERR_READ };
    // SAFETY: SQLite's own arguments, on a file that the default has opened.
    let code = unsafe { (methods.read)(file, buffer, amount, offset) };
    let (Some(size), Ok(place)) = (page_size(amount), u64::try_from(offset)) else { return code };
    if code == ffi::SQLITE_IOERR_SHORT_READ {
        return ffi::SQLITE_IOERR_DATA;
    }
    let Some((header_at, before_at)) = frame::parts(place, size as u64) else { return code };
    if code != ffi::SQLITE_OK {
        return code;
    }
    let (mut header, mut before) = ([0; frame::HEADER], [0; frame::SUM]);
    for (bytes, at) in [(&mut header[..], header_at), (&mut before[..], before_at)] {
        let (Ok(length), Ok(at)) = (c_int::try_from(bytes.len()), i64::try_from(at)) else {
            return ffi::SQLITE_IOERR_READ;
        };
        // SAFETY: the buffer is ours and has that length; the file is open.
        let code = unsafe { (methods.read)(file, bytes.as_mut_ptr().cast(), length, at) };
        if code != ffi::SQLITE_OK {
            return code;
        }
    }
    // SAFETY: the default has filled so many bytes of SQLite's buffer.
    let page = unsafe { std::slice::from_raw_parts(buffer.cast(), size) };
    if frame::holds(&header, page, before) { code } else { ffi::SQLITE_IOERR_DATA }
}
