//! A segment: at most 65,536 documents of one place, and which of them hold each term.

use hashbrown::HashTable;

use super::bounds::Bound;
use super::lists::{Doc, Lists, Posting, Read, Words, clear, is_set, set, unite};
use super::terms::Term;
use super::texts::Texts;
use crate::hints::Hints;
use crate::record::{Authority, Traits};

/// Most documents: their numbers have sixteen bits.
pub(super) const MOST_DOCS: usize = 1 << 16;
/// From this size on, at each doubling, bits that have become sparse are made lists.
const FIRST_THINNING: usize = 1_024;

/// What a segment keeps of a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// What ranking reads.
    pub(super) traits: Traits,
    /// Its row in the index.
    pub(super) row: u32,
}

/// Documents by number; a number is never used twice.
#[derive(Debug, Default)]
pub(super) struct Segment {
    entries: Vec<Entry>,
    /// How many search tokens each document has: by themselves, as many are asked for at once.
    lengths: Vec<u16>,
    bounds: Vec<Bound>,
    ids: Texts,
    postings: HashTable<(Term, Posting)>,
    lists: Lists,
    plain: Vec<Words>,
    /// The plain ones that are no rules.
    evidence: Vec<Words>,
    // For each hint, who answers it.
    answers: [Vec<Words>; Hints::COUNT],
}

impl Segment {
    /// Whether it takes no more documents.
    pub(super) fn is_full(&self) -> bool {
        self.entries.len() >= MOST_DOCS
    }

    /// How many documents it has, those that are gone included.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Adds a document with its distinct terms and its length; a plain one needs no look of its own. `None`
    /// where there is no room.
    pub(super) fn push(
        &mut self,
        id: &str,
        entry: Entry,
        (terms, length): (&[Term], u16),
        plain: bool,
    ) -> Option<Doc> {
        let doc = Doc::try_from(self.entries.len()).ok()?;
        self.ids.push(id)?;
        self.entries.push(entry);
        self.lengths.push(length);
        self.bounds.push(Bound::of(&entry.traits));
        for &term in terms {
            self.add(term, doc)?;
        }
        if plain {
            set(&mut self.plain, doc);
            if entry.traits.authority == Authority::Reference {
                set(&mut self.evidence, doc);
            }
            for (hint, docs) in entry.traits.answers.each().zip(&mut self.answers) {
                if hint {
                    set(docs, doc);
                }
            }
        }
        if self.len() >= FIRST_THINNING && self.len().is_power_of_two() {
            self.thin()?;
        }
        Some(doc)
    }

    fn add(&mut self, term: Term, doc: Doc) -> Option<()> {
        let size = self.entries.len();
        if let Some((_, posting)) = self.postings.find_mut(hash(term), |(one, _)| *one == term) {
            *posting = self.lists.push(*posting, doc, size)?;
            return Some(());
        }
        self.postings.insert_unique(hash(term), (term, Posting::of(doc)), |(one, _)| hash(*one));
        Some(())
    }

    fn thin(&mut self) -> Option<()> {
        let size = self.entries.len();
        for (_, posting) in &mut self.postings {
            *posting = self.lists.thinned(*posting, size)?;
        }
        Some(())
    }

    /// Takes a document out of all answers; its number stays in the postings.
    pub(super) fn remove(&mut self, doc: Doc) {
        clear(&mut self.plain, doc);
        clear(&mut self.evidence, doc);
        self.answers.iter_mut().for_each(|docs| clear(docs, doc));
    }

    /// What is kept of a document.
    pub(super) fn entry(&self, doc: Doc) -> Option<&Entry> {
        self.entries.get(usize::from(doc))
    }

    /// How many search tokens a document has.
    pub(super) fn length(&self, doc: Doc) -> usize {
        self.lengths.get(usize::from(doc)).map_or(0, |&length| usize::from(length))
    }

    /// A document's id.
    pub(super) fn id(&self, doc: Doc) -> &str {
        self.ids.get(u32::from(doc))
    }

    /// The documents that hold a term, those that are gone included.
    pub(super) fn read(&self, term: Term) -> Option<Read<'_>> {
        let (_, posting) = self.postings.find(hash(term), |(one, _)| *one == term)?;
        Some(self.lists.read(posting))
    }

    /// The plain documents, each as a bit.
    pub(super) fn plain(&self) -> &[Words] {
        &self.plain
    }

    /// The plain documents that are no rules, each as a bit.
    pub(super) fn evidence(&self) -> &[Words] {
        &self.evidence
    }

    /// What bounds a document's score.
    pub(super) fn bound(&self, doc: Doc) -> Option<Bound> {
        self.bounds.get(usize::from(doc)).copied()
    }

    /// The plain documents that answer one of some hints, each as a bit.
    pub(super) fn answering(&self, hints: Hints) -> Vec<Words> {
        let mut all = Vec::new();
        for (_, docs) in hints.each().zip(&self.answers).filter(|(wanted, _)| *wanted) {
            all.resize(docs.len().max(all.len()), Words::default());
            unite(&mut all, docs);
        }
        all
    }

    /// Whether a document holds a term.
    pub(super) fn holds(&self, doc: Doc, term: Term) -> bool {
        match self.read(term) {
            Some(Read::Docs(docs)) => docs.binary_search(&doc).is_ok(),
            Some(Read::Bits(bits)) => is_set(bits, doc),
            None => false,
        }
    }

    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        let bits: usize =
            self.answers.iter().chain([&self.plain, &self.evidence]).map(Vec::capacity).sum();
        self.entries.capacity() * (size_of::<Entry>() + size_of::<Bound>())
            + self.lengths.capacity() * size_of::<u16>()
            + self.ids.bytes()
            + self.postings.allocation_size()
            + self.lists.bytes()
            + bits * size_of::<Words>()
    }
}

/// Packed tokens differ in few bits: a multiplication by 2^64 over the golden ratio spreads them (Knuth,
/// "The Art of Computer Programming" 3, section 6.4), and the halves of the product are folded.
pub(super) fn hash(term: Term) -> u64 {
    let spread = term.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    spread ^ (spread >> 32)
}
