//! The frames of a write-ahead log: a header of 24 bytes and a page each, behind the log's own header.
//!
//! A frame's checksum goes on from the one before it, the first one's from the log's header.

/// Bytes of the log's header.
const LOG_HEADER: u64 = 32;
/// Bytes of a frame's header.
pub(crate) const HEADER: usize = 24;
/// Bytes of a checksum: two numbers, the most significant byte first.
pub(crate) const SUM: usize = 8;

/// Where the header of the frame whose page lies at `offset` begins, and where the checksum that it goes
/// on from; none where no frame's page lies there.
pub(crate) fn parts(offset: u64, page: u64) -> Option<(u64, u64)> {
    let header = offset.checked_sub(HEADER as u64)?;
    let before = header.checked_sub(LOG_HEADER)?;
    if before == 0 {
        return Some((header, LOG_HEADER - SUM as u64));
    }
    let frame = page + HEADER as u64;
    before.is_multiple_of(frame).then(|| (header, header - frame + (HEADER - SUM) as u64))
}

/// Whether a frame's header and page give the checksum that the header ends with.
pub(crate) fn holds(header: &[u8; HEADER], page: &[u8], before: [u8; SUM]) -> bool {
    let (head, sum) = header.split_at(HEADER - SUM);
    let &[first, second] = before.as_chunks().0 else { return false };
    let start = (u32::from_be_bytes(first), u32::from_be_bytes(second));
    let (first, second) = add(add(start, head.get(..8).unwrap_or_default()), page);
    sum == [first.to_be_bytes(), second.to_be_bytes()].as_flattened()
}

/// `SQLite`'s checksum over pairs of numbers in the machine's own order, which the log's header names.
fn add((mut first, mut second): (u32, u32), bytes: &[u8]) -> (u32, u32) {
    let (numbers, _) = bytes.as_chunks::<4>();
    for pair in numbers.chunks_exact(2) {
        let &[one, two] = pair else { continue };
        first = first.wrapping_add(u32::from_ne_bytes(one)).wrapping_add(second);
        second = second.wrapping_add(u32::from_ne_bytes(two)).wrapping_add(first);
    }
    (first, second)
}
