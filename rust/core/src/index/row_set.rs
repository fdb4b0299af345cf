//! Sets of rows.

/// Rows by their numbers, each a bit.
#[derive(Debug, Clone, Default)]
pub(super) struct RowSet(Vec<u64>);

impl RowSet {
    /// None of the rows with numbers below `rows`.
    pub(super) fn up_to(rows: usize) -> Self {
        Self(vec![0; rows.div_ceil(64)])
    }

    /// All of the rows with numbers below `rows`, and some beyond.
    pub(super) fn all_up_to(rows: usize) -> Self {
        Self(vec![u64::MAX; rows.div_ceil(64)])
    }

    pub(super) fn add(&mut self, row: usize) {
        if let Some(word) = self.0.get_mut(row / 64) {
            *word |= 1 << (row % 64);
        }
    }

    /// Takes a row out; whether it was there.
    pub(super) fn remove(&mut self, row: usize) -> bool {
        let had = self.has(row);
        if let Some(word) = self.0.get_mut(row / 64) {
            *word &= !(1 << (row % 64));
        }
        had
    }

    pub(super) fn has(&self, row: usize) -> bool {
        self.0.get(row / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    pub(super) fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Gives each, in order.
    pub(super) fn each(&self, mut take: impl FnMut(usize)) {
        for (at, &word) in self.0.iter().enumerate() {
            let mut left = word;
            while left != 0 {
                take(at * 64 + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
    }

    /// Those that are among others too, but some.
    pub(super) fn both(&self, other: &Self, but: &Self) -> Self {
        let words = self.0.iter().zip(&other.0).zip(&but.0);
        Self(words.map(|((one, other), but)| one & other & !but).collect())
    }
}
