//! Numbers as people read them, the same in text, Markdown and HTML.
//!
//! Shares are percentages with one decimal, distances of shares are points; a minus is a minus and not a hyphen.

pub(crate) use evenhand::format::thousands as count;

/// What is shown where there is no number.
pub(crate) const NONE: &str = "–";

/// A word or sentence with a capital at its start.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Words of the engine, which writes a hyphen between `overall` and `group`.
pub(crate) fn with_minus(words: &str) -> String {
    words.replace(" - ", " − ")
}

/// A share: `41.2 %`.
pub(crate) fn percent(share: f64) -> String {
    format!("{}\u{a0}%", decimal(share * 100.0, 1))
}

/// A share without decimals: `70 %`.
pub(crate) fn percent_whole(share: f64) -> String {
    format!("{}\u{a0}%", decimal(share * 100.0, 0))
}

/// A distance of shares, in points: `−0.4`.
pub(crate) fn points(distance: f64) -> String {
    decimal(distance * 100.0, 1)
}

/// A number with so many decimals; zero has no sign.
pub(crate) fn decimal(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let is_zero = text.chars().all(|character| matches!(character, '0' | '.'));
    if value < 0.0 && !is_zero { format!("−{text}") } else { text }
}

/// A factor: three digits that count, as in `0.62`, `1.05`, `12.3`, `0.0042`.
pub(crate) fn factor(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => decimal(value, 0),
        size if size >= 10.0 => decimal(value, 1),
        size if size >= 0.1 || size == 0.0 => decimal(value, 2),
        size if size >= 0.01 => decimal(value, 3),
        size if size >= 1e-4 => decimal(value, 5),
        _ => format!("{value:.1e}").replace('-', "−"),
    }
}

/// The confidence of intervals: `95 %`.
pub(crate) fn confidence(share: f64) -> String {
    let rounded = (share * 1e6).round() / 1e4;
    format!("{rounded}\u{a0}%")
}

/// `1 row`, `32,561 rows`, on one line.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    evenhand::format::counted(number, noun).replace(' ', "\u{a0}")
}

/// A number that may be missing.
pub(crate) fn or_none(value: Option<f64>, shown: impl Fn(f64) -> String) -> String {
    value.map_or_else(|| NONE.to_owned(), shown)
}

/// Both ends of an interval: `10.9 to 12.5`.
pub(crate) fn range(low: Option<f64>, high: Option<f64>, shown: impl Fn(f64) -> String) -> Option<String> {
    Some(format!("{} to {}", shown(low?), shown(high?)))
}

/// A percentage on an axis, without a decimal that is zero.
pub(crate) fn percent_short(share: f64) -> String {
    percent(share).replace(".0\u{a0}", "\u{a0}")
}

/// A factor on an axis, without zeros at its end.
pub(crate) fn factor_short(value: f64) -> String {
    let text = factor(value);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Points on an axis.
pub(crate) fn points_short(distance: f64) -> String {
    let text = points(distance);
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_zero_has_no_sign() {
        assert_eq!(
            (points(-0.004), points(-0.0001), percent(0.412_34)),
            ("−0.4".into(), "0.0".into(), "41.2\u{a0}%".into())
        );
        assert_eq!((count(5_032_561), counted(1, "row")), ("5,032,561".into(), "1\u{a0}row".into()));
        assert_eq!((factor(0.6234), factor(12.34), factor(0.004_21)), ("0.62".into(), "12.3".into(), "0.00421".into()));
        assert_eq!((confidence(0.95), confidence(0.999)), ("95\u{a0}%".into(), "99.9\u{a0}%".into()));
        assert_eq!(range(Some(0.1), None, points), None);
    }
}
