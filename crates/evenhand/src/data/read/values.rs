//! What one field means: a number, a text or nothing.
//!
//! Holds [`Values`], the rules of one file, and [`Parsed`]. Works on bytes: whether they
//! are UTF-8 matters only for texts that are kept.

/// Texts that mean missing in a column of numbers. NaN in any case is found by the parser.
const NO_NUMBER: [&[u8]; 5] = [b"NA", b"N/A", b"null", b"NULL", b"None"];

/// What a field holds in a column of numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Parsed {
    /// Empty, or a text the user named as missing: missing in every column.
    Missing,
    /// Missing among numbers, a value like any other among categories.
    NoNumber,
    /// A number, perhaps infinite.
    Number(f64),
    /// Anything else.
    Text,
}

/// The rules of one file.
#[derive(Debug, Clone)]
pub(super) struct Values {
    /// Whether blanks around a field count for nothing.
    trimmed: bool,
    missing: Vec<Vec<u8>>,
    /// Those of `missing` that are numbers, so that `-999` also means `-999.0`.
    missing_numbers: Vec<f64>,
}

impl Values {
    /// Rules of a file, with the texts that mean missing, and whether blanks around texts count for nothing.
    pub(super) fn new(missing: &[String], trimmed: bool) -> Self {
        Self {
            trimmed,
            missing: missing.iter().map(|text| text.trim().as_bytes().to_vec()).collect(),
            missing_numbers: missing.iter().filter_map(|text| text.trim().parse().ok()).collect(),
        }
    }

    /// The text of a field, `None` where it is missing from a column of categories.
    pub(super) fn text<'a>(&self, field: &'a [u8]) -> Option<&'a [u8]> {
        let bytes = if self.trimmed { field.trim_ascii() } else { field };
        (!self.is_missing(bytes)).then_some(bytes)
    }

    /// What a field holds in a column of numbers.
    pub(super) fn parse(&self, field: &[u8]) -> Parsed {
        let bytes = field.trim_ascii();
        if self.is_missing(bytes) {
            return Parsed::Missing;
        }
        let number =
            short_integer(bytes).or_else(|| std::str::from_utf8(bytes).ok().and_then(|text| text.parse().ok()));
        match number {
            Some(number) if number.is_nan() || self.is_missing_number(number) => Parsed::NoNumber,
            Some(number) => Parsed::Number(number),
            None if NO_NUMBER.contains(&bytes) => Parsed::NoNumber,
            None => Parsed::Text,
        }
    }

    /// Whether the user named that number as missing.
    pub(super) fn is_missing_number(&self, number: f64) -> bool {
        // Both come from text or from the file itself, so equal numbers are equal bit for bit.
        self.missing_numbers.iter().any(|missing| missing.total_cmp(&number).is_eq())
    }

    fn is_missing(&self, bytes: &[u8]) -> bool {
        bytes.is_empty() || self.missing.iter().any(|missing| missing == bytes.trim_ascii())
    }
}

/// Most numbers in tables are whole and short, and cheap to read.
fn short_integer(bytes: &[u8]) -> Option<f64> {
    let (digits, sign) = match bytes {
        [b'-', digits @ ..] => (digits, -1.0),
        digits => (digits, 1.0),
    };
    // Nine digits fit into 32 bits.
    if digits.is_empty() || digits.len() > 9 {
        return None;
    }
    let mut number = 0_u32;
    for &byte in digits {
        if !byte.is_ascii_digit() {
            return None;
        }
        number = number * 10 + u32::from(byte - b'0');
    }
    Some(sign * f64::from(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_to_the_last_bit() {
        let values = Values::new(&[], true);
        for text in ["0", "-0", "42", "999999999", "1234567890123", "-7", "0.1", "1e-7", "+3", " 5 ", ".5", "1e400"] {
            match values.parse(text.as_bytes()) {
                Parsed::Number(number) => {
                    assert_eq!(number.to_bits(), text.trim().parse::<f64>().unwrap().to_bits(), "{text}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn no_number_is_told_from_missing_and_from_text() {
        let values = Values::new(&["?".into(), "-999".into()], true);
        for text in ["", "  ", "?", " ? ", "-999"] {
            assert_eq!(values.parse(text.as_bytes()), Parsed::Missing, "{text}");
        }
        for text in ["-999.0", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"] {
            assert_eq!(values.parse(text.as_bytes()), Parsed::NoNumber, "{text}");
            assert_eq!(values.text(text.as_bytes()), Some(text.as_bytes()));
        }
        for text in ["a", "-", "1,5", "1 2", "0x10", "é"] {
            assert_eq!(values.parse(text.as_bytes()), Parsed::Text, "{text}");
        }
        assert_eq!(values.text(b"?"), None);
    }

    #[test]
    fn blanks_count_unless_they_are_trimmed() {
        assert_eq!(Values::new(&[], true).text(b" Male "), Some(&b"Male"[..]));
        assert_eq!(Values::new(&[], false).text(b" Male "), Some(&b" Male "[..]));
        assert_eq!(Values::new(&[], false).text(b""), None);
    }
}
