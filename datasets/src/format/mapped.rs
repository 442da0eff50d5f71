//! A file mapped into memory: pages come in ahead of the reader and go behind
//! it, so that resident memory stays bounded.

use std::fs::File;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::Arc;

use arrow::buffer::Buffer;
use memmap2::{Advice, Mmap, UncheckedAdvice};

use crate::error::{DatasetError, Result};
use crate::file_format::FileFormat;
use crate::place::Place;

/// A mapped file whose descriptor is held, so that its length can be checked
/// again before its pages are touched.
#[derive(Debug)]
pub(crate) struct Mapped {
    map: Arc<Pages>,
    file: File,
}

/// The map, for as long as the last buffer points into it.
#[derive(Debug)]
struct Pages {
    #[cfg(unix)]
    _known: super::fault::Known,
    map: Mmap,
}

impl std::ops::Deref for Pages {
    type Target = Mmap;

    fn deref(&self) -> &Mmap {
        &self.map
    }
}

impl Mapped {
    /// Maps a non-empty file.
    pub(crate) fn new(path: &Path, file: File) -> Result<Mapped> {
        // SAFETY: the map is private and read-only. What can go wrong is that
        // someone else truncates or rewrites the file in place: `check` turns a
        // truncation between two batches into an error, `fault` reports one
        // within a batch, `mmap = false` avoids the rest (documented at
        // `ReadOptions::mmap`).
        let map = unsafe { Mmap::map(&file) }.map_err(|e| DatasetError::io(path, "map", e))?;
        // Read-ahead is advice: a kernel that ignores it is only slower.
        let _ = map.advise(Advice::Sequential);
        let pages = Pages {
            #[cfg(unix)]
            _known: super::fault::Known::note(path, &map),
            map,
        };
        Ok(Mapped { map: Arc::new(pages), file })
    }

    pub(crate) fn len(&self) -> usize {
        self.map.len()
    }

    /// Fails when the file has become shorter than its map, whose last pages
    /// would then kill the process.
    pub(crate) fn check(&self, path: &Path) -> Result<()> {
        let now = self.file.metadata().map_err(|e| DatasetError::io(path, "read", e))?.len();
        if now < self.map.len() as u64 {
            let message = format!(
                "the file was cut from {} to {now} bytes while it was read; use `mmap = false` for files that change",
                self.map.len()
            );
            return Err(DatasetError::corrupt(path, FileFormat::ArrowFile, Place::File, message));
        }
        Ok(())
    }

    /// The bytes `start..start + len`, which the caller checked to be inside
    /// the map, without a copy.
    pub(crate) fn buffer(&self, start: usize, len: usize) -> Buffer {
        let bytes = &self.map[start..start + len];
        // SAFETY: the pointer and length are those of a live slice of the map,
        // and the buffer holds the map (an `Arc`) until its last clone is gone.
        unsafe {
            Buffer::from_custom_allocation(
                NonNull::from(bytes).cast(),
                len,
                Arc::new(Arc::clone(&self.map)),
            )
        }
    }

    /// Brings a range in with one call instead of a fault for every few pages.
    pub(crate) fn fetch(&self, start: usize, len: usize) {
        #[cfg(target_os = "linux")]
        let _ = self.map.advise_range(Advice::PopulateRead, start, len);
        #[cfg(not(target_os = "linux"))]
        let _ = (start, len);
    }

    /// Drops the pages wholly before `end` and not before `start` from this
    /// process; batches that still point there fault them in again.
    pub(crate) fn release(&self, start: usize, end: usize) {
        const PAGE: usize = 4096;
        let end = end / PAGE * PAGE;
        if start < end {
            // SAFETY: the map is file-backed, shared-clean and read-only, so a
            // dropped page is read again from the file with the same content.
            let _ = unsafe {
                self.map.unchecked_advise_range(UncheckedAdvice::DontNeed, start, end - start)
            };
        }
    }
}
