//! Memory that batches are read into. It is taken back once the last array that
//! points into it is gone: fresh memory costs more than what is copied into it.

use std::collections::VecDeque;

use arrow::buffer::{Buffer, MutableBuffer};

/// Blocks that are kept, in use or not; what is in use beyond them is not taken back.
const KEPT: usize = 4;

/// The memory of the last blocks.
#[derive(Default)]
pub(super) struct BlockMemory {
    kept: VecDeque<Buffer>,
}

impl BlockMemory {
    /// Memory of `len` bytes, whatever they are.
    pub(super) fn take(&mut self, len: usize) -> Result<MutableBuffer, String> {
        for _ in 0..self.kept.len() {
            let Some(block) = self.kept.pop_front() else { break };
            match block.into_mutable() {
                Ok(mut memory) if len <= memory.capacity() => {
                    memory.resize(len, 0);
                    return Ok(memory);
                }
                // Too small for the blocks of today.
                Ok(_) => {}
                Err(in_use) => self.kept.push_back(in_use),
            }
        }
        // An allocation that fails further in would end the process.
        if Vec::<u8>::new().try_reserve_exact(len).is_err() {
            return Err(format!("a batch of {len} bytes does not fit into memory"));
        }
        Ok(MutableBuffer::from_len_zeroed(len))
    }

    /// The memory as a buffer, to be taken back after its last use.
    pub(super) fn lend(&mut self, memory: MutableBuffer) -> Buffer {
        let block = Buffer::from(memory);
        if self.kept.len() == KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back(block.clone());
        block
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lend(memory: &mut BlockMemory, len: usize, byte: u8) -> Buffer {
        let mut block = memory.take(len).unwrap();
        block.fill(byte);
        memory.lend(block)
    }

    #[test]
    fn a_block_comes_back_after_its_last_slice() {
        let mut memory = BlockMemory::default();
        let first = lend(&mut memory, 1000, 1);
        let at = first.as_ptr();
        let slice = first.slice(999);
        drop(first);
        let second = lend(&mut memory, 1000, 2);
        assert_ne!(second.as_ptr(), at);
        assert_eq!(slice.as_slice(), [1]);
        drop(slice);
        let third = lend(&mut memory, 990, 3);
        assert_eq!(third.as_ptr(), at);
        assert_eq!((third.len(), second[0]), (990, 2));
    }

    #[test]
    fn blocks_that_are_held_stay_as_they_are() {
        let mut memory = BlockMemory::default();
        let held: Vec<Buffer> = (0..20).map(|byte| lend(&mut memory, 64, byte)).collect();
        assert_eq!(memory.kept.len(), KEPT);
        for (byte, block) in held.iter().enumerate() {
            assert!(block.iter().all(|found| usize::from(*found) == byte));
        }
    }

    #[test]
    fn a_block_beyond_memory_is_an_error() {
        let error = BlockMemory::default().take(1 << 60).unwrap_err();
        assert!(error.contains("does not fit into memory"), "{error}");
        assert!(BlockMemory::default().take(usize::MAX).is_err());
    }
}
