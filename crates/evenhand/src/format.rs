//! Numbers and names as people read them, the same in every front end.

/// A whole number with its digits in groups of three: `32,561`.
pub fn thousands(number: impl std::fmt::Display) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count with its noun: `1 row`, `32,561 rows`.
pub fn counted(number: usize, noun: &str) -> String {
    format!("{} {noun}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// The first few of some names, each as `shown` writes it, and how many more there are: `a, b and 3 more`.
pub fn listed<N: AsRef<str>>(names: &[N], most: usize, shown: impl Fn(&str) -> String) -> String {
    let few: Vec<String> = names.iter().take(most).map(|name| shown(name.as_ref())).collect();
    match names.len().saturating_sub(most) {
        0 => few.join(", "),
        more => format!("{} and {more} more", few.join(", ")),
    }
}

/// A text from the data on one line: characters that move the cursor, end a line, colour a terminal or turn the direction of
/// writing around are shown as their escapes: `\n`, `\u{1b}`.
pub fn clean(text: &str) -> String {
    escaped(text, is_active)
}

/// As [`clean`], of a text of several lines.
pub fn clean_lines(text: &str) -> String {
    escaped(text, |character| character != '\n' && is_active(character))
}

/// As [`clean_lines`], of JSON, which stays the same JSON: only a text in it can hold such characters.
pub fn clean_json(json: &str) -> String {
    let one = |character: char| match character {
        '\n' => "\n".to_owned(),
        active if is_active(active) => format!("\\u{:04x}", u32::from(active)),
        other => other.to_string(),
    };
    if json.contains(is_active) { json.chars().map(one).collect() } else { json.to_owned() }
}

/// Control characters, the separators of lines and paragraphs, and what embeds, overrides or isolates a direction.
fn is_active(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escaped(text: &str, is_shown_escaped: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if is_shown_escaped(character) {
            shown.extend(character.escape_debug());
        } else {
            shown.push(character);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!((counted(1, "row"), counted(999, "row")), ("1 row".into(), "999 rows".into()));
        assert_eq!(counted(5_032_561, "row"), "5,032,561 rows");
    }

    #[test]
    fn long_lists_are_cut_with_a_count() {
        let quoted = |most| listed(&["a", "b", "c"], most, |name| format!("`{name}`"));
        assert_eq!((quoted(3), quoted(2)), ("`a`, `b`, `c`".into(), "`a`, `b` and 1 more".into()));
        assert_eq!(listed::<String>(&[], 3, str::to_owned), "");
    }

    #[test]
    fn names_do_not_move_the_cursor_and_do_not_turn_around() {
        assert_eq!(clean("a\r\nb\u{1b}[2J\u{9b}"), r"a\r\nb\u{1b}[2J\u{9b}");
        assert_eq!(clean("\u{202e}drawkcab\u{2069}"), r"\u{202e}drawkcab\u{2069}");
        assert_eq!(clean_lines("a\nb\tc\u{7}"), "a\nb\\tc\\u{7}");
        assert_eq!(clean("José “née” 王 \u{200f}"), "José “née” 王 \u{200f}");
    }

    #[test]
    fn json_says_the_same_without_them() {
        let value = serde_json::json!({ "name": "a\u{202e}b\u{9b}\u{7f}\n" });
        let shown = clean_json(&serde_json::to_string_pretty(&value).unwrap());
        assert!(shown.contains(r"a\u202eb\u009b\u007f\n") && !shown.contains('\u{202e}'), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
    }
}
