//! Numbers and tables as people read them.

pub(crate) use evenhand::format::{clean, counted, listed, thousands};

/// A share as a percentage: `14.1 %`.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// From so many rows on, an error is told to two digits more.
const MANY_ROWS: usize = 100_000;

/// The share of wrong predictions among so many rows: `14.1 %`, or of many `14.103 %`.
pub(crate) fn error_share(share: f64, rows: usize) -> String {
    if rows < MANY_ROWS { percent(share) } else { format!("{:.3} %", share * 100.0) }
}

/// A rate or a distance of rates: `0.0056`.
pub(crate) fn rate(value: f64) -> String {
    format!("{value:.4}")
}

/// A signed distance: `+0.0056`.
pub(crate) fn signed(value: f64) -> String {
    format!("{value:+.4}")
}

/// A number that may be undefined.
pub(crate) fn or_dash(value: Option<f64>, shown: impl Fn(f64) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), shown)
}

/// A size: `4.0 MB`.
pub(crate) fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// Lines of a name and some numbers, set in columns.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    lines: Vec<(String, Vec<String>)>,
}

impl Lines {
    /// Adds a line; one without numbers is a heading.
    pub(crate) fn push(&mut self, name: impl Into<String>, numbers: Vec<String>) {
        self.lines.push((clean(&name.into()), numbers));
    }

    /// Adds a line for each item, at most `most`, and then how many are left.
    pub(crate) fn push_some<T>(&mut self, items: &[T], most: usize, line: impl Fn(&T) -> (String, Vec<String>)) {
        for (name, numbers) in items.iter().take(most).map(line) {
            self.push(name, numbers);
        }
        if items.len() > most {
            self.push(format!("    and {} more (--json has all)", items.len() - most), Vec::new());
        }
    }

    /// The lines, numbers flush right.
    pub(crate) fn render(&self) -> String {
        let with_numbers = self.lines.iter().filter(|(_, numbers)| !numbers.is_empty());
        let name_width = with_numbers.map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        let columns = self.lines.iter().map(|(_, numbers)| numbers.len()).max().unwrap_or(0);
        let width = |at: usize| self.lines.iter().filter_map(|(_, n)| n.get(at)).map(|n| n.chars().count()).max();
        let widths: Vec<usize> = (0..columns).map(|at| width(at).unwrap_or(0)).collect();
        let mut text = String::new();
        for (name, numbers) in &self.lines {
            let set = |(number, width): (&String, &usize)| format!("  {number:>width$}");
            let numbers: Vec<String> = numbers.iter().zip(&widths).map(set).collect();
            text.push_str(format!("{name:name_width$}{}", numbers.concat()).trim_end());
            text.push('\n');
        }
        text
    }
}

/// An argument as a shell takes it.
pub(crate) fn quoted(argument: &str) -> String {
    let plain = |character: char| character.is_alphanumeric() || "-_./=:,+%@".contains(character);
    if !argument.is_empty() && argument.chars().all(plain) {
        return argument.to_owned();
    }
    format!("'{}'", argument.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_many_rows_has_two_digits_more() {
        assert_eq!([error_share(0.141_03, 99_999), error_share(0.141_03, 100_000)], ["14.1 %", "14.103 %"]);
    }

    #[test]
    fn numbers_are_set_flush_right_and_long_lists_are_cut() {
        let mut lines = Lines::default();
        lines.push("", vec!["before".into(), "after".into()]);
        lines.push_some(&[0.5, 0.25, 0.125], 2, |value| (format!("  {value}"), vec![rate(*value), signed(-value)]));
        let expected = "        before    after\n  0.5   0.5000  -0.5000\n  0.25  0.2500  -0.2500\n    and 1 more (--json has all)\n";
        assert_eq!(lines.render(), expected);
    }
}
