//! Byte strings end to end.

/// Byte strings end to end.
#[derive(Debug, Default)]
pub(crate) struct Heap {
    pub(super) ends: Vec<u32>,
    pub(super) bytes: Vec<u8>,
}

impl Heap {
    pub(super) fn push(&mut self, value: &[u8]) {
        self.bytes.extend_from_slice(value);
        self.ends.push(self.bytes.len() as u32);
    }

    pub(crate) fn value(&self, row: usize) -> &[u8] {
        let from = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.bytes[from as usize..self.ends[row] as usize]
    }

    /// Whether this many more bytes fit, of `most` that it may hold.
    pub(super) fn fits(&self, more: usize, most: usize) -> bool {
        self.bytes.len() + more <= most
    }
}
