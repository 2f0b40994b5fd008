//! The builder of a categorical column and its dictionary.
//!
//! Holds [`DictionaryBuilder`]: values become codes in order of first appearance, in a width that
//! grows with the dictionary, so that loading needs little more memory than the result.

use crate::data::{Categorical, Codes};

/// No value in this slot yet.
const EMPTY: u32 = u32::MAX;

/// Codes so far, plus one each: zero stands for missing, whose final code, the length of
/// the dictionary, is known only at the end.
#[derive(Debug)]
enum Shifted {
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
}

/// A dictionary, the codes so far, and a hash table from value to code.
#[derive(Debug)]
pub(super) struct DictionaryBuilder {
    codes: Shifted,
    dictionary: Vec<String>,
    /// Codes by hash, probed linearly; a power of two in length, at most half full.
    slots: Vec<u32>,
}

impl DictionaryBuilder {
    /// A column that begins with that many missing values.
    pub(super) fn after_missing(rows: usize) -> Self {
        Self { codes: Shifted::U8(vec![0; rows]), dictionary: Vec::new(), slots: vec![EMPTY; 64] }
    }

    pub(super) fn len(&self) -> usize {
        match &self.codes {
            Shifted::U8(codes) => codes.len(),
            Shifted::U16(codes) => codes.len(),
            Shifted::U32(codes) => codes.len(),
        }
    }

    pub(super) fn push_missing(&mut self) {
        match &mut self.codes {
            Shifted::U8(codes) => codes.push(0),
            Shifted::U16(codes) => codes.push(0),
            Shifted::U32(codes) => codes.push(0),
        }
    }

    /// Adds rows without a value. Their number may be a file's word alone, with no byte behind it: what there is no
    /// memory for is an error.
    #[cfg(feature = "_arrow")]
    pub(super) fn push_all_missing(&mut self, rows: usize) -> Result<(), std::collections::TryReserveError> {
        fn extend<T: Clone + Default>(
            codes: &mut Vec<T>,
            rows: usize,
        ) -> Result<(), std::collections::TryReserveError> {
            codes.try_reserve(rows)?;
            codes.resize(codes.len() + rows, T::default());
            Ok(())
        }
        match &mut self.codes {
            Shifted::U8(codes) => extend(codes, rows),
            Shifted::U16(codes) => extend(codes, rows),
            Shifted::U32(codes) => extend(codes, rows),
        }
    }

    /// Adds a row with a code that [`Self::code`] gave.
    pub(super) fn push(&mut self, code: u32) {
        let shifted = code + 1;
        match &mut self.codes {
            Shifted::U8(codes) if u8::try_from(shifted).is_ok() => codes.push(shifted as u8),
            Shifted::U16(codes) if u16::try_from(shifted).is_ok() => codes.push(shifted as u16),
            Shifted::U32(codes) => codes.push(shifted),
            Shifted::U8(codes) => {
                self.codes = Shifted::U16(codes.iter().map(|&code| u16::from(code)).collect());
                self.push(code);
            }
            Shifted::U16(codes) => {
                self.codes = Shifted::U32(codes.iter().map(|&code| u32::from(code)).collect());
                self.push(code);
            }
        }
    }

    /// Adds rows by keys into a list of codes plus one each, of which zero is missing; and those that are said to be.
    #[cfg(feature = "_arrow")]
    pub(super) fn push_shifted(&mut self, shifted: &[u32], keys: &[usize], is_missing: impl Fn(usize) -> bool) {
        let code = |(row, &key): (usize, &usize)| if is_missing(row) { 0 } else { shifted[key] };
        let codes = keys.iter().enumerate().map(code);
        // No code is larger than the dictionary is long.
        self.widen(self.dictionary.len());
        match &mut self.codes {
            Shifted::U8(own) => own.extend(codes.map(|code| code as u8)),
            Shifted::U16(own) => own.extend(codes.map(|code| code as u16)),
            Shifted::U32(own) => own.extend(codes),
        }
    }

    /// Makes room for codes plus one of up to so much.
    #[cfg(feature = "_arrow")]
    fn widen(&mut self, largest: usize) {
        if let Shifted::U8(codes) = &self.codes
            && u8::try_from(largest).is_err()
        {
            self.codes = Shifted::U16(codes.iter().map(|&code| u16::from(code)).collect());
        }
        if let Shifted::U16(codes) = &self.codes
            && u16::try_from(largest).is_err()
        {
            self.codes = Shifted::U32(codes.iter().map(|&code| u32::from(code)).collect());
        }
    }

    /// The code of a value, a new one if it was not seen before; `None` when it is not UTF-8.
    pub(super) fn code(&mut self, value: &[u8]) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut slot = hash(value) as usize & mask;
        loop {
            match self.slots[slot] {
                EMPTY => break,
                code if self.dictionary[code as usize].as_bytes() == value => return Some(code),
                _ => slot = (slot + 1) & mask,
            }
        }
        let text = std::str::from_utf8(value).ok()?;
        let code = self.dictionary.len() as u32;
        self.dictionary.push(text.to_owned());
        self.slots[slot] = code;
        if self.dictionary.len() * 2 > self.slots.len() {
            self.rehash();
        }
        Some(code)
    }

    fn rehash(&mut self) {
        let mask = self.slots.len() * 4 - 1;
        self.slots = vec![EMPTY; mask + 1];
        for (code, value) in self.dictionary.iter().enumerate() {
            let mut slot = hash(value.as_bytes()) as usize & mask;
            while self.slots[slot] != EMPTY {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = code as u32;
        }
    }

    pub(super) fn finish(self) -> Categorical {
        let missing = self.dictionary.len();
        // Zero wraps around to the largest number, which the minimum turns into the code of missing.
        let codes = match self.codes {
            Shifted::U8(mut codes) => {
                for code in &mut codes {
                    *code = code.wrapping_sub(1).min(missing as u8);
                }
                codes.shrink_to_fit();
                Codes::U8(codes)
            }
            Shifted::U16(mut codes) => {
                for code in &mut codes {
                    *code = code.wrapping_sub(1).min(missing as u16);
                }
                codes.shrink_to_fit();
                Codes::U16(codes)
            }
            Shifted::U32(mut codes) => {
                for code in &mut codes {
                    *code = code.wrapping_sub(1).min(missing as u32);
                }
                codes.shrink_to_fit();
                Codes::U32(codes)
            }
        };
        Categorical::from_codes(codes, self.dictionary)
    }
}

/// Eight bytes at a time through a 128-bit product, whose halves are folded together.
///
/// Codes follow the order of appearance, so the quality of this hash shows in speed only.
fn hash(bytes: &[u8]) -> u64 {
    const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
    const FACTOR: u64 = 0xd6e8_feb8_6659_fd93;
    let fold = |state: u64, word: u64| {
        let product = u128::from(state ^ word) * u128::from(FACTOR);
        (product as u64) ^ ((product >> 64) as u64)
    };
    let mut words = bytes.chunks_exact(8);
    let mut state = SEED ^ bytes.len() as u64;
    for word in &mut words {
        state = fold(state, u64::from_le_bytes(word.try_into().unwrap_or_default()));
    }
    let rest = words.remainder().iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
    fold(fold(state, rest), SEED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grow<'a>(values: impl Iterator<Item = &'a str>) -> DictionaryBuilder {
        let mut builder = DictionaryBuilder::after_missing(0);
        for value in values {
            if value.is_empty() {
                builder.push_missing();
            } else {
                let code = builder.code(value.as_bytes()).unwrap();
                builder.push(code);
            }
        }
        builder
    }

    #[test]
    fn codes_follow_the_order_of_appearance_and_missing_comes_last() {
        let column = grow(["m", "", "f", "m"].into_iter()).finish();
        assert_eq!(column.dictionary(), ["m", "f"]);
        assert_eq!(column.codes().iter().collect::<Vec<_>>(), [0, 2, 1, 0]);
    }

    #[test]
    fn widths_grow_exactly_as_a_column_made_at_once() {
        for distinct in [1, 254, 255, 256, 257, 65_535, 65_536, 70_000] {
            let values: Vec<String> = (0..distinct).map(|i| format!("value {i}")).chain([String::new()]).collect();
            let grown = grow(values.iter().map(String::as_str)).finish();
            let at_once = Categorical::from_values(values.iter().map(|v| (!v.is_empty()).then_some(v)));
            assert_eq!(grown, at_once, "{distinct}");
        }
    }

    #[test]
    fn what_is_not_text_is_refused() {
        assert_eq!(DictionaryBuilder::after_missing(0).code(&[0xc3]), None);
    }
}
