//! Text columns with so many values that training takes long: said before it begins.
//!
//! A file that nobody prepared has names, dates, comments, and numbers with decimal commas. Each of their values becomes a feature; whoever
//! waits should know why. Warnings about single columns come with the result.

use evenhand::{Column, Dataset};

use crate::output::note;
use crate::text::{listed, quoted, thousands};

/// Fewer features of categories than these are trained on in moments.
const MANY: usize = 5_000;

/// A column with so many values is named.
const WIDE: usize = 500;

/// At most so many columns are named.
const MOST_NAMES: usize = 5;

/// Says which text columns make most of the features, where there are very many.
pub(crate) fn tell(data: &Dataset) {
    if let Some(message) = message(data) {
        note(&message);
    }
}

fn message(data: &Dataset) -> Option<String> {
    let features = data.feature_names();
    let texts = features.iter().filter_map(|name| match data.table().get(name) {
        Some(Column::Categorical(column)) => Some((name.as_str(), column.dictionary())),
        _ => None,
    });
    let (mut wide, mut all) = (Vec::new(), 0);
    for (name, values) in texts {
        all += values.len();
        if values.len() >= WIDE {
            wide.push((name, values));
        }
    }
    if all < MANY {
        return None;
    }
    wide.sort_by_key(|(_, values)| std::cmp::Reverse(values.len()));
    let named = wide.iter().map(|(name, values)| {
        let kind = match () {
            () if are_decimal_commas(values) => ", numbers with decimal commas",
            () if are_nearly_numbers(values) => ", numbers but for a few texts",
            () => "",
        };
        format!("{} ({}{kind})", quoted(name), thousands(values.len()))
    });
    let named = listed(&named.collect::<Vec<_>>(), MOST_NAMES, str::to_owned);
    let any = |kind: fn(&[String]) -> bool| wide.iter().any(|(_, values)| kind(values));
    let points = if any(are_decimal_commas) { " Write numbers with decimal points: 12.5 for 12,5." } else { "" };
    let texts = if any(are_nearly_numbers) { " --missing TEXT names a text that means a missing value." } else { "" };
    Some(format!(
        "note: each value of a text column becomes a feature, {} here, and training can take long. Columns with many values: {named}. --ignore COLUMN leaves one out.{points}{texts}",
        thousands(all)
    ))
}

/// Whether nearly all values are numbers once a comma is a point.
fn are_decimal_commas(values: &[String]) -> bool {
    are_nearly_all(values, |value| value.contains(',') && value.replacen(',', ".", 1).parse::<f64>().is_ok())
}

fn are_nearly_numbers(values: &[String]) -> bool {
    are_nearly_all(values, |value| value.parse::<f64>().is_ok())
}

fn are_nearly_all(values: &[String], hold: impl Fn(&str) -> bool) -> bool {
    values.iter().filter(|value| hold(value)).count() * 10 >= values.len() * 9
}

#[cfg(test)]
mod tests {
    use evenhand::data::Categorical;
    use evenhand::{Schema, Table};

    use super::*;

    #[test]
    fn columns_of_many_texts_are_named_and_decimal_commas_are_told() {
        let rows = 6_000;
        let texts = |text: &dyn Fn(usize) -> String| {
            Column::Categorical(Categorical::from_values((0..rows).map(|row| Some(text(row)))))
        };
        let table = |income: &dyn Fn(usize) -> String| {
            let columns = vec![
                ("Full Name".to_owned(), texts(&|row| format!("person {row}"))),
                ("income".to_owned(), texts(income)),
                ("hired".to_owned(), texts(&|row| ["no", "yes"][row % 2].to_owned())),
            ];
            Table::new(columns, 2).unwrap()
        };
        let told =
            |income: &dyn Fn(usize) -> String, schema: &Schema| message(&Dataset::new(table(income), schema).unwrap());
        let schema = Schema::label("hired");
        let commas = told(&|row| format!("{row},5"), &schema).unwrap();
        assert!(
            commas.contains("12,000 here")
                && commas.contains("'Full Name' (6,000), income (6,000, numbers with decimal commas)"),
            "{commas}"
        );
        assert!(commas.ends_with("12.5 for 12,5."), "{commas}");
        let few = told(&|row| format!("band {}", row % 7), &schema).unwrap();
        assert!(few.contains("'Full Name' (6,000). --ignore") && !few.contains("comma"), "{few}");
        let stray = told(&|row| if row == 9 { "n/a".into() } else { format!("{row}.5") }, &schema).unwrap();
        assert!(
            stray.contains("income (6,000, numbers but for a few texts)") && stray.contains("--missing TEXT"),
            "{stray}"
        );
        assert_eq!(told(&|row| format!("band {}", row % 7), &schema.clone().ignore("Full Name")), None);
    }
}
