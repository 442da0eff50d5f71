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
        keys: impl ExactSizeIterator<Item = &'k [u8]>,
    ) -> KeyView<'_> {
        let (mut offsets, mut values) = self.emptied();
        offsets.reserve(keys.len() + 1);
        offsets.push(0);
        for key in keys {
            values.extend_from_slice(key);
            offsets.push(values.len() as i64);
        }
        self.holds = Some(KeyShape::Bytes);
        KeyView::Bytes(self.bytes.insert(ByteKeys::laid_out(offsets.into(), values.into())))
    }

    /// The memory of the byte strings before, if nobody else has it.
    fn emptied(&mut self) -> (Vec<i64>, Vec<u8>) {
        let Some((offsets, values)) = self.bytes.take().map(ByteKeys::into_parts) else {
            return Default::default();
        };
        let (mut offsets, mut values) = (vec_of(offsets.into_inner()), vec_of(values));
        offsets.clear();
        values.clear();
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

fn vec_of<T: arrow::datatypes::ArrowNativeType>(buffer: Buffer) -> Vec<T> {
    buffer.into_vec().unwrap_or_default()
}
