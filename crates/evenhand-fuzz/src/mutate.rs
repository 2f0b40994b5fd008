//! Damage to bytes: what a failing disk, a cut transfer or somebody with an editor does.

use arbitrary::{Result, Unstructured};

/// Numbers at which lengths and offsets go wrong.
const NUMBERS: [i64; 12] =
    [0, 1, -1, 7, 255, 65_535, 1 << 20, i32::MAX as i64, i32::MIN as i64, 1 << 40, i64::MAX, i64::MIN];

/// Texts that mean something to a parser.
const TEXTS: [&str; 24] = [
    "\"",
    "\"\"",
    ",",
    ";",
    "\t",
    "|",
    "\n",
    "\r\n",
    "\r",
    "\u{feff}",
    "\0",
    "nan",
    "inf",
    "-inf",
    "1e309",
    "1e-320",
    "-0",
    "NA",
    "é",
    "e\u{301}",
    "\u{202e}",
    "\u{1b}[2J",
    "=",
    "`",
];

/// Damages bytes in a few places.
pub(crate) fn mutate(bytes: &mut Vec<u8>, from: &mut Unstructured<'_>) -> Result<()> {
    for _ in 0..from.int_in_range(1..=4)? {
        once(bytes, from)?;
    }
    Ok(())
}

fn once(bytes: &mut Vec<u8>, from: &mut Unstructured<'_>) -> Result<()> {
    if bytes.is_empty() {
        bytes.push(from.arbitrary()?);
        return Ok(());
    }
    let last = bytes.len() - 1;
    let at = from.int_in_range(0..=last)?;
    match from.int_in_range(0..=9)? {
        0..=3 => bytes[at] ^= 1 << from.int_in_range(0..=7)?,
        4 => bytes[at] = from.arbitrary()?,
        5 => {
            let number = from.choose(&NUMBERS)?.to_le_bytes();
            let width = *from.choose(&[2, 4, 8])?;
            for (place, byte) in bytes[at..].iter_mut().zip(&number[..width]) {
                *place = *byte;
            }
        }
        6 => {
            let end = from.int_in_range(at..=last.min(at + 64))?;
            bytes.drain(at..=end);
        }
        7 => {
            let end = from.int_in_range(at..=last.min(at + 64))?;
            let again = bytes[at..=end].to_vec();
            bytes.splice(at..at, again);
        }
        8 => {
            let text = from.choose(&TEXTS)?;
            bytes.splice(at..at, text.bytes());
        }
        _ => bytes.truncate(at),
    }
    Ok(())
}
