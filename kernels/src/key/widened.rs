//! Room for keys that cannot be looked up as they lie.

use std::ops::Range;

use arrow::buffer::Buffer;

use super::{ByteKeys, KeyShape, KeyView};

/// Room for the keys of some rows, used again for the next ones.
#[derive(Debug, Default)]
pub struct Widened {
    words: Vec<u64>,
    wide: Vec<i128>,
    bytes: Option<ByteKeys>,
    /// The shape of what it holds.
    holds: Option<KeyShape>,
}

impl Widened {
    /// Forgets what it holds, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.holds = None;
    }

    /// The keys that are in it; `None` if the last ones needed no room.
    pub(crate) fn held(&self) -> Option<KeyView<'_>> {
        match self.holds? {
            KeyShape::Word => Some(KeyView::Words(&self.words)),
            KeyShape::Wide => Some(KeyView::Wide(&self.wide)),
            KeyShape::Bytes => self.bytes.as_ref().map(KeyView::Bytes),
        }
    }

    /// Bytes that byte strings of these lengths take.
    pub(super) fn room_for_bytes(lengths: impl ExactSizeIterator<Item = usize>) -> usize {
        let offsets = size_of::<i64>() * (lengths.len() + 1);
        lengths.fold(offsets, usize::saturating_add)
    }

    pub(super) fn words(&mut self, words: impl Iterator<Item = u64>) -> KeyView<'_> {
        self.words.clear();
        self.words.extend(words);
        self.holds = Some(KeyShape::Word);
        KeyView::Words(&self.words)
    }

    pub(super) fn wide(&mut self, words: impl Iterator<Item = i128>) -> KeyView<'_> {
        self.wide.clear();
        self.wide.extend(words);
        self.holds = Some(KeyShape::Wide);
        KeyView::Wide(&self.wide)
    }

    pub(super) fn bytes<'k>(
        &mut self,
        keys: impl ExactSizeIterator<Item = &'k [u8]> + Clone,
    ) -> KeyView<'_> {
        let (mut offsets, mut values) = self.emptied();
        offsets.reserve(keys.len() + 1);
        offsets.push(0);
        let mut end = 0;
        values.resize(keys.clone().map(<[u8]>::len).fold(0, usize::saturating_add), 0);
        for key in keys {
            if values.len() - end < key.len() {
                // It has become longer than it was.
                values.resize(end + key.len(), 0);
            }
            copy(key, &mut values[end..end + key.len()]);
            end += key.len();
            offsets.push(end as i64);
        }
        self.holds = Some(KeyShape::Bytes);
        KeyView::Bytes(self.bytes.insert(ByteKeys::laid_out(offsets.into(), values.into())))
    }

    /// The memory of the byte strings before, if nobody else has it: no offsets, and bytes
    /// to be overwritten.
    fn emptied(&mut self) -> (Vec<i64>, Vec<u8>) {
        let Some((offsets, values)) = self.bytes.take().map(ByteKeys::into_parts) else {
            return Default::default();
        };
        let (mut offsets, values) = (vec_of(offsets.into_inner()), vec_of(values));
        offsets.clear();
        (offsets, values)
    }
}

impl<'k> KeyView<'k> {
    /// The keys of some of the rows.
    pub(super) fn part<'a>(self, rows: Range<usize>, room: &'a mut Widened) -> KeyView<'a>
    where
        'k: 'a,
    {
        match self {
            Self::Words(words) => KeyView::Words(&words[rows]),
            Self::Wide(words) => KeyView::Wide(&words[rows]),
            Self::Bytes(keys) => {
                room.holds = Some(KeyShape::Bytes);
                KeyView::Bytes(room.bytes.insert(keys.slice(rows.start, rows.len())))
            }
        }
    }
}

/// Copies a key; short ones in two parts that overlap, without a call.
#[inline(always)]
fn copy(key: &[u8], to: &mut [u8]) {
    fn ends<const N: usize>(key: &[u8], to: &mut [u8]) -> Option<()> {
        *to.first_chunk_mut::<N>()? = *key.first_chunk()?;
        *to.last_chunk_mut::<N>()? = *key.last_chunk()?;
        Some(())
    }
    let copied = match key.len() {
        17..=32 => ends::<16>(key, to),
        8..=16 => ends::<8>(key, to),
        4..=7 => ends::<4>(key, to),
        _ => None,
    };
    if copied.is_none() {
        to.copy_from_slice(key);
    }
}

fn vec_of<T: arrow::datatypes::ArrowNativeType>(buffer: Buffer) -> Vec<T> {
    buffer.into_vec().unwrap_or_default()
}
