//! Watching for a text file that ends inside quotes.
//!
//! Holds [`UnclosedQuoteCheck`]. The CSV parser takes the end of a file for the end of a field,
//! so a file cut inside a quoted field would pass for a whole one.

use std::io::{self, BufRead, Read};

/// Passes bytes through, and fails at the end when a quoted field is still open.
pub(super) struct UnclosedQuoteCheck<R> {
    inner: R,
    delimiter: u8,
    state: State,
    /// The last byte seen: whether a quote opens a field depends on it.
    last: u8,
    /// How many bytes were seen.
    offset: u64,
    /// Where the field that is open, or was open last, begins.
    opened: u64,
}

/// Where the bytes seen so far have led.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Outside,
    Inside,
    /// After a quote inside quotes: a second one stands for itself, anything else closes.
    Closing,
}

/// The file ended inside a quoted field.
#[derive(Debug, thiserror::Error)]
#[error("a quoted field is never closed; the file may be cut")]
pub(super) struct UnclosedQuote {
    /// How many bytes of text come before the field.
    pub(super) offset: u64,
}

impl<R: Read> UnclosedQuoteCheck<R> {
    pub(super) fn new(inner: R, delimiter: u8) -> Self {
        Self { inner, delimiter, state: State::Outside, last: b'\n', offset: 0, opened: 0 }
    }

    /// Follows the quotes only: all bytes between them are skipped at the speed of a search.
    fn follow(&mut self, bytes: &[u8]) {
        let mut at = 0;
        while at < bytes.len() {
            if self.state == State::Closing {
                self.state = if bytes[at] == b'"' { State::Inside } else { State::Outside };
                if self.state == State::Inside {
                    at += 1;
                    continue;
                }
            }
            let Some(quote) = find_quote(&bytes[at..]).map(|found| at + found) else { break };
            let before = if quote == 0 { self.last } else { bytes[quote - 1] };
            match self.state {
                State::Inside => self.state = State::Closing,
                // Elsewhere than at the start of a field a quote is an ordinary character.
                _ if before == self.delimiter || matches!(before, b'\n' | b'\r') => {
                    self.state = State::Inside;
                    self.opened = self.offset + quote as u64;
                }
                _ => {}
            }
            at = quote + 1;
        }
        self.offset += bytes.len() as u64;
        self.last = bytes.last().copied().unwrap_or(self.last);
    }
}

impl<R: Read> Read for UnclosedQuoteCheck<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.follow(&buffer[..count]);
        if count == 0 && !buffer.is_empty() && self.state == State::Inside {
            return Err(io::Error::new(io::ErrorKind::InvalidData, UnclosedQuote { offset: self.opened }));
        }
        Ok(count)
    }
}

fn find_quote(bytes: &[u8]) -> Option<usize> {
    let mut rest = bytes;
    // The standard library's one public way to its fast search for a byte; a slice never fails to be read.
    let skipped = rest.skip_until(b'"').unwrap_or(0);
    (skipped > 0 && bytes[skipped - 1] == b'"').then(|| skipped - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_open(text: &str, chunk: usize) -> bool {
        let mut check = UnclosedQuoteCheck::new(text.as_bytes(), b',');
        let mut buffer = vec![0; chunk];
        loop {
            match check.read(&mut buffer) {
                Ok(0) => return false,
                Ok(_) => {}
                Err(_) => return true,
            }
        }
    }

    #[test]
    fn only_a_field_that_is_still_open_is_an_error() {
        let whole = ["", "a,b\n1,2\n", "\"a\",\"b\"\n", "\"a,\n\"\"b\"\"\",c\n", "5\" pipe,x\n", "\"\"\n", "a,\"b\""];
        let cut = ["\"", "a,\"b", "a,\"b\"\"", "a\n\"b,\n\n", "\"a\",\"b"];
        for chunk in [1, 2, 3, 100] {
            assert!(whole.iter().all(|text| !is_open(text, chunk)), "{chunk}");
            assert!(cut.iter().all(|text| is_open(text, chunk)), "{chunk}");
        }
    }

    #[test]
    fn the_open_field_is_located() {
        let mut check = UnclosedQuoteCheck::new("\"a\",b\nc,\"d".as_bytes(), b',');
        let error = check.read_to_end(&mut Vec::new()).unwrap_err();
        let unclosed = error.get_ref().and_then(|source| source.downcast_ref::<UnclosedQuote>());
        assert_eq!(unclosed.map(|unclosed| unclosed.offset), Some(8));
    }
}
