//! Posting lists: which documents of a segment hold a term.

/// A document of a segment, by its number there.
pub(super) type Doc = u16;

/// The documents that hold one term, in eight bytes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Posting {
    /// Three documents at most, in place.
    Few { docs: [Doc; 3], count: u8 },
    /// A list in ascending order, in a block of `4 << class`.
    List { at: u32, count: u16, class: u8 },
    /// One bit for each document.
    Bits { at: u32 },
}

/// A bit for each of 512 documents.
pub(super) type Words = [u64; 8];

/// A bit for each document that holds a term, and how many do.
#[derive(Debug, Default)]
struct Bits {
    words: Vec<Words>,
    count: usize,
}

/// The lists and bits of a segment's postings.
#[derive(Debug, Default)]
pub(super) struct Lists {
    blocks: Vec<Doc>,
    // Where blocks of each class lie idle.
    idle: [Vec<u32>; 15],
    bits: Vec<Bits>,
    idle_bits: Vec<u32>,
}

/// Fewer documents than this are never worth a bit for each of a segment.
const LEAST_FOR_BITS: usize = 16;
/// Bits are worth it for a term in more than one of so many documents; a list is read as fast below that.
const SPARSE: usize = 64;

/// What is known of a posting when it is read.
pub(super) enum Read<'a> {
    /// Its documents in ascending order.
    Docs(&'a [Doc]),
    /// A bit for each document; those beyond the last word are not set.
    Bits(&'a [Words]),
}

impl Read<'_> {
    /// Whether a document is among them.
    pub(super) fn has(&self, doc: Doc) -> bool {
        match self {
            Self::Docs(docs) => docs.binary_search(&doc).is_ok(),
            Self::Bits(bits) => is_set(bits, doc),
        }
    }

    /// Gives each document.
    pub(super) fn each(&self, take: impl FnMut(Doc)) {
        match self {
            Self::Docs(docs) => docs.iter().copied().for_each(take),
            Self::Bits(bits) => docs(bits).for_each(take),
        }
    }

    /// How many of some others are among them.
    pub(super) fn count(&self, others: &[Words]) -> usize {
        match self {
            Self::Docs(docs) => docs.iter().filter(|&&doc| is_set(others, doc)).count(),
            Self::Bits(bits) => {
                let words = bits.as_flattened().iter().zip(others.as_flattened());
                words.map(|(one, other)| (one & other).count_ones() as usize).sum()
            }
        }
    }

    /// Adds them to some others, as far as there is room for these.
    pub(super) fn add_to(&self, others: &mut [Words]) {
        match self {
            Self::Docs(docs) => {
                let others = others.as_flattened_mut();
                for doc in *docs {
                    if let Some(word) = others.get_mut(usize::from(doc / 64)) {
                        *word |= 1 << (doc % 64);
                    }
                }
            }
            Self::Bits(bits) => unite(others, bits),
        }
    }

    /// Takes from some others all that are not among them.
    pub(super) fn keep_in(&self, others: &mut [Words]) {
        match self {
            Self::Bits(bits) => intersect(others, bits),
            Self::Docs(_) => {
                let mut own = vec![Words::default(); others.len()];
                self.add_to(&mut own);
                intersect(others, &own);
            }
        }
    }
}

impl Posting {
    /// The posting of one document.
    pub(super) fn of(doc: Doc) -> Self {
        Self::Few { docs: [doc, 0, 0], count: 1 }
    }
}

impl Lists {
    /// Adds a document behind all others of a posting, in a segment of `size` documents.
    pub(super) fn push(&mut self, posting: Posting, doc: Doc, size: usize) -> Option<Posting> {
        Some(match posting {
            Posting::Few { mut docs, count } if count < 3 => {
                docs[usize::from(count)] = doc;
                Posting::Few { docs, count: count + 1 }
            }
            Posting::Few { docs, .. } => {
                let [a, b, c] = docs;
                self.list(0, &[a, b, c, doc])?
            }
            Posting::List { at, count, class } => self.push_to_list(at, count, class, doc, size)?,
            Posting::Bits { at } => {
                let bits = self.bits.get_mut(at as usize)?;
                set(&mut bits.words, doc);
                bits.count += 1;
                posting
            }
        })
    }

    fn push_to_list(
        &mut self,
        at: u32,
        count: u16,
        class: u8,
        doc: Doc,
        size: usize,
    ) -> Option<Posting> {
        let (start, length) = (at as usize, usize::from(count));
        if length >= LEAST_FOR_BITS && length * SPARSE >= size {
            let docs = self.blocks.get(start..start + length)?.to_vec();
            self.idle.get_mut(usize::from(class))?.push(at);
            return self.bits(docs.into_iter().chain([doc]));
        }
        if length < 4 << class {
            *self.blocks.get_mut(start + length)? = doc;
            return Some(Posting::List { at, count: count + 1, class });
        }
        let mut docs = self.blocks.get(start..start + length)?.to_vec();
        docs.push(doc);
        self.idle.get_mut(usize::from(class))?.push(at);
        self.list(class + 1, &docs)
    }

    fn list(&mut self, class: u8, docs: &[Doc]) -> Option<Posting> {
        let at = if let Some(at) = self.idle.get_mut(usize::from(class))?.pop() {
            at
        } else {
            let at = u32::try_from(self.blocks.len()).ok()?;
            self.blocks.resize(self.blocks.len() + (4 << class), 0);
            at
        };
        self.blocks.get_mut(at as usize..at as usize + docs.len())?.copy_from_slice(docs);
        Some(Posting::List { at, count: u16::try_from(docs.len()).ok()?, class })
    }

    fn bits(&mut self, docs: impl Iterator<Item = Doc>) -> Option<Posting> {
        let mut bits = Bits::default();
        for doc in docs {
            set(&mut bits.words, doc);
            bits.count += 1;
        }
        let at = if let Some(at) = self.idle_bits.pop() {
            at
        } else {
            self.bits.push(Bits::default());
            u32::try_from(self.bits.len() - 1).ok()?
        };
        *self.bits.get_mut(at as usize)? = bits;
        Some(Posting::Bits { at })
    }

    /// Makes lists of bits that have become sparse in a segment that has grown to `size` documents.
    pub(super) fn thinned(&mut self, posting: Posting, size: usize) -> Option<Posting> {
        let Posting::Bits { at } = posting else { return Some(posting) };
        let bits = self.bits.get_mut(at as usize)?;
        if bits.count * SPARSE * 2 >= size {
            return Some(posting);
        }
        let docs: Vec<Doc> = docs(&std::mem::take(bits).words).collect();
        self.idle_bits.push(at);
        let class = (docs.len().div_ceil(4)).next_power_of_two().trailing_zeros();
        self.list(u8::try_from(class).ok()?, &docs)
    }

    /// What a posting says.
    pub(super) fn read<'a>(&'a self, posting: &'a Posting) -> Read<'a> {
        match posting {
            Posting::Few { docs, count } => {
                Read::Docs(docs.get(..usize::from(*count)).unwrap_or_default())
            }
            Posting::List { at, count, .. } => {
                let (at, count) = (*at as usize, usize::from(*count));
                Read::Docs(self.blocks.get(at..at + count).unwrap_or_default())
            }
            Posting::Bits { at } => {
                Read::Bits(self.bits.get(*at as usize).map_or(&[], |bits| &bits.words))
            }
        }
    }

    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        let idle: usize = self.idle.iter().map(|places| places.capacity() * size_of::<u32>()).sum();
        let bits: usize =
            self.bits.iter().map(|bits| bits.words.capacity() * size_of::<Words>()).sum();
        self.blocks.capacity() * size_of::<Doc>()
            + idle
            + bits
            + self.bits.capacity() * size_of::<Bits>()
    }
}

/// Sets a document's bit, making room for it.
pub(super) fn set(blocks: &mut Vec<Words>, doc: Doc) {
    let (block, word) = (usize::from(doc / 512), usize::from(doc / 64 % 8));
    if blocks.len() <= block {
        blocks.resize(block + 1, Words::default());
    }
    blocks[block][word] |= 1 << (doc % 64);
}

/// Whether a document's bit is set.
pub(super) fn is_set(blocks: &[Words], doc: Doc) -> bool {
    blocks.as_flattened().get(usize::from(doc / 64)).is_some_and(|word| word >> (doc % 64) & 1 == 1)
}

/// Clears a document's bit.
pub(super) fn clear(blocks: &mut [Words], doc: Doc) {
    if let Some(word) = blocks.as_flattened_mut().get_mut(usize::from(doc / 64)) {
        *word &= !(1 << (doc % 64));
    }
}

/// The documents whose bits are set, in order.
pub(super) fn docs(blocks: &[Words]) -> impl Iterator<Item = Doc> {
    (0..=u16::MAX / 64).zip(blocks.as_flattened()).flat_map(|(at, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = rest.trailing_zeros();
            (rest != 0).then(|| {
                rest &= rest - 1;
                at * 64 + u16::try_from(bit).unwrap_or_default()
            })
        })
    })
}

/// Sets the bits that are set in others too.
pub(super) fn unite(blocks: &mut [Words], others: &[Words]) {
    let words = blocks.as_flattened_mut().iter_mut();
    words.zip(others.as_flattened()).for_each(|(word, other)| *word |= other);
}

/// Clears the bits that are not set in others.
pub(super) fn intersect(blocks: &mut [Words], others: &[Words]) {
    let others = others.as_flattened().iter().copied().chain(std::iter::repeat(0));
    blocks.as_flattened_mut().iter_mut().zip(others).for_each(|(word, other)| *word &= other);
}
