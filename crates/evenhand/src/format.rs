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

/// A name from the data, without characters that move the cursor.
pub fn clean(name: &str) -> String {
    name.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
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
    fn names_do_not_move_the_cursor() {
        assert_eq!(clean("a\r\nb\u{1b}[2J"), "a  b [2J");
    }
}
