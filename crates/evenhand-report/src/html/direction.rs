//! Sentences with names in scripts that run from right to left.
//!
//! A number that follows such a name would be drawn before it. Names that stand alone are in `bdi` elements; within
//! sentences they are kept apart by characters that are not seen.

/// Starts text whose direction is its own, and ends it.
const APART: [char; 2] = ['\u{2068}', '\u{2069}'];

/// The same text, with whatever runs from right to left kept apart.
pub(super) fn isolated(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    // What follows letters of such a script, and may or may not be between two of them.
    let mut between: Option<String> = None;
    for letter in text.chars() {
        match &mut between {
            None if runs_leftward(letter) => {
                written.extend([APART[0], letter]);
                between = Some(String::new());
            }
            Some(held) if runs_leftward(letter) => {
                written.push_str(held);
                written.push(letter);
                held.clear();
            }
            Some(held) if letter.is_alphanumeric() => {
                written.push(APART[1]);
                written.push_str(held);
                written.push(letter);
                between = None;
            }
            Some(held) => held.push(letter),
            None => written.push(letter),
        }
    }
    if let Some(held) = between {
        written.push(APART[1]);
        written.push_str(&held);
    }
    written
}

/// Whether it is a letter of Hebrew, Arabic or another script of that direction.
fn runs_leftward(letter: char) -> bool {
    matches!(letter, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_after_a_name_are_not_part_of_it() {
        assert_eq!(isolated("60 % of sex=female (95 %)"), "60 % of sex=female (95 %)");
        assert_eq!(isolated("60 % of t=קבוצה א (95 % to 97 %)."), "60 % of t=\u{2068}קבוצה א\u{2069} (95 % to 97 %).");
        assert_eq!(isolated("“ب”, ג"), "“\u{2068}ب”, ג\u{2069}");
    }
}
