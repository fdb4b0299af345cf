//! Many short texts in one allocation.

/// Texts by the number that each got when it came.
#[derive(Debug, Default)]
pub(super) struct Texts {
    text: String,
    ends: Vec<u32>,
}

impl Texts {
    /// Adds a text; its number, or `None` where there is no room for more.
    pub(super) fn push(&mut self, text: &str) -> Option<u32> {
        let number = u32::try_from(self.ends.len()).ok()?;
        let end = u32::try_from(self.text.len().checked_add(text.len())?).ok()?;
        self.text.push_str(text);
        self.ends.push(end);
        Some(number)
    }

    /// The text of that number; "" where there is none.
    pub(super) fn get(&self, number: u32) -> &str {
        let place = |number: u32| usize::try_from(number).ok().and_then(|at| self.ends.get(at));
        let start = number.checked_sub(1).and_then(place).map_or(0, |&end| end as usize);
        place(number).map_or("", |&end| self.text.get(start..end as usize).unwrap_or_default())
    }

    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        self.text.capacity() + self.ends.capacity() * size_of::<u32>()
    }
}
