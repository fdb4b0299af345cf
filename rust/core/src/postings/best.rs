//! The best of many, without keeping or ordering the rest.

use std::cmp::Ordering;

use crate::rank::{Key, order};

/// A document that was measured: where it is, and what it is ordered by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scored<'a, T> {
    pub(super) key: Key<'a>,
    pub(super) found: T,
}

/// As many of the best as were asked for, and a few more.
#[derive(Debug)]
pub(super) struct Best<'a, T> {
    most: usize,
    kept: Vec<Scored<'a, T>>,
    /// The score that one more has to reach.
    floor: f64,
}

impl<'a, T: Copy> Best<'a, T> {
    pub(super) fn new(most: usize) -> Self {
        Self { most, kept: Vec::new(), floor: f64::NEG_INFINITY }
    }

    /// Whether something of at most that score may be among the best.
    pub(super) fn may_take(&self, bound: f64) -> bool {
        bound >= self.floor
    }

    /// Takes one more, and drops the worst once there are twice as many as were asked for.
    pub(super) fn take(&mut self, one: Scored<'a, T>) {
        self.kept.push(one);
        if self.most > 0 && self.kept.len() / 2 >= self.most {
            self.cut();
        }
    }

    fn cut(&mut self) {
        let (_, last, _) = self.kept.select_nth_unstable_by(self.most - 1, compared);
        self.floor = last.key.score;
        self.kept.truncate(self.most);
    }

    /// The best, in no order.
    pub(super) fn into_kept(mut self) -> Vec<Scored<'a, T>> {
        if self.most > 0 && self.kept.len() > self.most {
            self.cut();
        }
        self.kept
    }
}

fn compared<T>(a: &Scored<'_, T>, b: &Scored<'_, T>) -> Ordering {
    order(a.key, b.key)
}
