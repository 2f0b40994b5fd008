//! Blocks in a file: for rows that do not fit into memory.
//!
//! The file has no name, so that nothing is left of it when the process ends, however it ends. Blocks are read where they stand, by several
//! threads at once; what memory is free holds them in the system's cache.

use std::fs::File;
use std::io::Write;
use std::sync::Mutex;
use std::sync::PoisonError;

use super::Block;
use crate::{Error, Result};

/// Blocks in a file without a name.
#[derive(Debug)]
pub(crate) struct ScratchBlocks {
    file: Mutex<File>,
    reader: File,
    /// Where each block begins, and how many bytes it has.
    places: Mutex<Vec<(u64, usize)>>,
}

impl ScratchBlocks {
    /// An empty file in the folder for temporary files.
    ///
    /// # Errors
    /// [`Error::NoTemporary`].
    pub(crate) fn new() -> Result<Self> {
        let file = tempfile::tempfile().map_err(Error::no_temporary)?;
        let reader = file.try_clone().map_err(Error::no_temporary)?;
        Ok(Self { file: Mutex::new(file), reader, places: Mutex::new(Vec::new()) })
    }

    /// Adds a block.
    ///
    /// # Errors
    /// [`Error::NoTemporary`] when there is no room for it.
    pub(crate) fn push(&self, block: &Block) -> Result<()> {
        let bytes = block.to_bytes();
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let start = places.last().map_or(0, |&(start, length)| start + length as u64);
        file.write_all(&bytes).map_err(Error::no_temporary)?;
        places.push((start, bytes.len()));
        Ok(())
    }

    /// How many blocks.
    pub(crate) fn len(&self) -> usize {
        self.places.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// One of the blocks.
    ///
    /// # Errors
    /// [`Error::NoTemporary`] when it cannot be read again.
    pub(crate) fn get(&self, at: usize) -> Result<Block> {
        let (start, length) = self.places.lock().unwrap_or_else(PoisonError::into_inner)[at];
        let mut bytes = vec![0; length];
        self.read(&mut bytes, start).map_err(Error::no_temporary)?;
        Block::from_bytes(&bytes)
    }

    #[cfg(unix)]
    fn read(&self, bytes: &mut [u8], start: u64) -> std::io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.reader, bytes, start)
    }

    #[cfg(not(unix))]
    fn read(&self, bytes: &mut [u8], start: u64) -> std::io::Result<()> {
        use std::io::{Read, Seek, SeekFrom};
        // Elsewhere a file has one place at which all read: readers take turns.
        let _turn = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let mut file = &self.reader;
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(bytes)
    }
}
