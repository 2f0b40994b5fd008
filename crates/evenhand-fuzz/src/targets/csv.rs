//! Text files: read in several ways, audited, written and read again.

use arbitrary::{Result, Unstructured};
use evenhand::{ReadOptions, Table};

use super::{Checked, audit, choice, holds};
use crate::ground::Ground;
use crate::mutate::mutate;

const CELLS: [&str; 40] = [
    "0",
    "1",
    "2",
    "-1",
    "0.5",
    "1e5",
    "1E-5",
    "yes",
    "no",
    "true",
    "False",
    "a",
    "b",
    "é",
    "e\u{301}",
    " a ",
    "a b",
    "",
    "NA",
    "nan",
    "null",
    "?",
    "-0",
    "007",
    "1e308",
    "-1e308",
    "5e-324",
    "9007199254740993",
    "18446744073709551616",
    "0x10",
    "1_000",
    "+1",
    ".5",
    "5.",
    "\"q\"",
    "\"a,b\"",
    "\"a\nb\"",
    "\"x\"\"y\"",
    "\u{202e}x",
    "=1+1",
];

/// Rows and columns of cells such as people and programs write, now and then damaged.
pub(super) fn make(ground: &Ground, from: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let mut bytes = match ground.kept("csv", from)? {
        Some(kept) => kept,
        None => fresh(from)?,
    };
    if from.ratio(1, 2)? {
        mutate(&mut bytes, from)?;
    }
    Ok(bytes)
}

fn fresh(from: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let delimiter = *from.choose(&[",", ",", ",", ";", "\t", "|"])?;
    let end = *from.choose(&["\n", "\n", "\r\n", "\r"])?;
    let (columns, rows) = (from.int_in_range(1..=5)?, from.int_in_range(0..=12)?);
    let mut text = String::new();
    for row in 0..=rows {
        for column in 0..columns {
            if column > 0 {
                text.push_str(delimiter);
            }
            // A column mostly keeps to a few values.
            let cell = if row == 0 && from.ratio(3, 4)? {
                format!("c{column}")
            } else {
                let near = from.int_in_range(0..=3)?;
                let place =
                    if from.ratio(5, 6)? { (column * 7 + near) % CELLS.len() } else { from.choose_index(CELLS.len())? };
                CELLS[place].to_owned()
            };
            text.push_str(&cell);
        }
        text.push_str(end);
    }
    Ok(text.into_bytes())
}

pub(super) fn check(ground: &Ground, input: &[u8]) -> Checked {
    let path = ground.write("input.csv", input)?;
    let options = match choice(input, 4) {
        0 => ReadOptions { keep_text: true, ..ReadOptions::default() },
        1 => ReadOptions::default().header(false),
        2 => ReadOptions::default().missing(["?", "a"]).delimiter(','),
        _ => ReadOptions::default(),
    };
    let Ok((table, _)) = Table::read(&path, &options) else { return Ok(false) };
    if options.keep_text {
        holds::comes_out_as_it_went_in(ground, &table, choice(input, 3))?;
    } else {
        audit::check_table(&table)?;
    }
    Ok(true)
}
