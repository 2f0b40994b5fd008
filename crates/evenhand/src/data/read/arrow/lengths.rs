//! What the compressed buffers of Arrow IPC say they will become, looked at before memory is taken for it.
//!
//! A decoder takes memory by the length that stands before a compressed buffer, and where it cannot be had the program
//! ends, whatever anybody catches. One wrong bit there is enough. So lengths are read first: a buffer cannot become more
//! than its codec makes of its bytes, and the memory for a whole message must be there.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use arrow_ipc::reader::read_footer_length;
use arrow_ipc::{Block, CompressionType, MessageHeader, RecordBatch, root_as_footer, root_as_message};

use crate::Cause;

/// The bytes of a length before a compressed buffer.
const PREFIX: u64 = 8;

/// The last bytes of a file: the length of its footer, and its magic word.
const TAIL: u64 = 10;

/// What a message of four bytes or eight begins with.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// Checks the blocks that the footer of a file names.
pub(super) fn check_file(mut file: File) -> Result<(), Cause> {
    let size = file.seek(SeekFrom::End(0))?;
    let tail = bytes(&mut file, size.checked_sub(TAIL).ok_or("it is too short")?, TAIL, size)?;
    let footer_length = read_footer_length(tail.try_into().unwrap_or_default())? as u64;
    let start = size.checked_sub(TAIL + footer_length).ok_or("its footer is longer than the file")?;
    let footer = bytes(&mut file, start, footer_length, size)?;
    let footer = root_as_footer(&footer).map_err(|error| format!("its footer cannot be read: {error}"))?;
    let blocks = footer.dictionaries().into_iter().flatten().chain(footer.recordBatches().into_iter().flatten());
    for block in blocks {
        check_block(&mut file, block, size)?;
    }
    Ok(())
}

fn check_block(file: &mut File, block: &Block, size: u64) -> Result<(), Cause> {
    let (offset, length) = (u64::try_from(block.offset())?, u64::try_from(block.metaDataLength())?);
    let body_length = u64::try_from(block.bodyLength())?;
    let metadata = bytes(file, offset, length, size)?;
    let marked = metadata.starts_with(&CONTINUATION);
    let message = metadata.get(if marked { 8 } else { 4 }..).ok_or("a message is too short")?;
    check_message(file, message, offset + length, size)?;
    if offset + length + body_length > size { Err("a message ends after the file".into()) } else { Ok(()) }
}

/// Checks the messages of a stream, one after the other.
pub(super) fn check_stream(mut file: File) -> Result<(), Cause> {
    let size = file.seek(SeekFrom::End(0))?;
    let mut at = 0;
    while at + 4 <= size {
        let mut word = bytes(&mut file, at, 4, size)?;
        at += 4;
        if word == CONTINUATION {
            word = bytes(&mut file, at, 4, size)?;
            at += 4;
        }
        let length = u64::try_from(i32::from_le_bytes(word.try_into().unwrap_or_default()))?;
        if length == 0 {
            break;
        }
        let metadata = bytes(&mut file, at, length, size)?;
        at = check_message(&mut file, &metadata, at + length, size)?;
    }
    Ok(())
}

/// Checks one message, whose body begins at `body`; returns where it ends.
fn check_message(file: &mut File, metadata: &[u8], body: u64, size: u64) -> Result<u64, Cause> {
    let message = root_as_message(metadata).map_err(|error| format!("a message cannot be read: {error}"))?;
    let batch = match message.header_type() {
        MessageHeader::RecordBatch => message.header_as_record_batch(),
        MessageHeader::DictionaryBatch => message.header_as_dictionary_batch().and_then(|batch| batch.data()),
        _ => None,
    };
    if let Some(batch) = batch {
        check_buffers(file, &batch, body, size)?;
    }
    let length = u64::try_from(message.bodyLength())?;
    Ok(body.checked_add(length).ok_or("a message is longer than any file")?)
}

fn check_buffers(file: &mut File, batch: &RecordBatch<'_>, body: u64, size: u64) -> Result<(), Cause> {
    // LZ4 writes 255 more bytes of a match with one byte; Zstandard repeats a byte 128 KiB long with four.
    let ratio = match batch.compression().map(|compression| compression.codec()) {
        Some(CompressionType::LZ4_FRAME) => 255,
        Some(CompressionType::ZSTD) => 1 << 15,
        _ => return Ok(()),
    };
    let mut total = 0_u64;
    for buffer in batch.buffers().into_iter().flatten() {
        let (offset, length) = (u64::try_from(buffer.offset())?, u64::try_from(buffer.length())?);
        if length < PREFIX {
            continue;
        }
        let place = body.checked_add(offset).ok_or("a buffer begins after the file")?;
        let prefix = bytes(file, place, PREFIX, size)?;
        // Negative is a buffer as it is, and what else is negative is refused without taking memory.
        let declared = u64::try_from(i64::from_le_bytes(prefix.try_into().unwrap_or_default())).unwrap_or(0);
        let packed = length - PREFIX;
        if declared > packed.saturating_mul(ratio) {
            return Err(format!("damaged: {packed} compressed bytes are said to become {declared}").into());
        }
        total = total.saturating_add(declared);
    }
    let room = usize::try_from(total).map(|total| Vec::<u8>::new().try_reserve_exact(total));
    match room {
        Ok(Ok(())) => Ok(()),
        _ => Err(format!("a batch takes {total} bytes, for which there is no memory").into()),
    }
}

/// Bytes of the file from a place on, if it has them.
fn bytes(file: &mut File, at: u64, length: u64, size: u64) -> Result<Vec<u8>, Cause> {
    if at.checked_add(length).is_none_or(|end| end > size) {
        return Err("it ends before its content does".into());
    }
    let mut found = vec![0; usize::try_from(length)?];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut found)?;
    Ok(found)
}
