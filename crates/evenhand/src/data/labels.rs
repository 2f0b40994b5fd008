//! What is to be predicted, as class numbers.
//!
//! Holds [`Labels`]: which classes there are, in which order, and which one is positive.
//! Leans on `table` and `codes`. Knows nothing of features, groups or predictions.

use serde::{Deserialize, Serialize};

use super::{Codes, Column, Table};
use crate::{Error, Result};

/// Pairs (negative, positive), in lower case, whose meaning nobody has to be asked about.
const PLAIN_PAIRS: [(&str, &str); 5] = [("0", "1"), ("false", "true"), ("no", "yes"), ("n", "y"), ("-1", "1")];

/// What a column of classes holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LabelRole {
    /// Labels, to learn from or to compare predictions with: at least two classes.
    #[default]
    Labels,
    /// Predictions whose labels nobody knows: they may all be the same.
    Predictions,
}

impl LabelRole {
    /// Whether they are labels, as is usual.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
    pub(crate) fn is_labels(&self) -> bool {
        *self == Self::Labels
    }
}

/// One class number per row.
///
/// With exactly two classes the positive one is class 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    codes: Codes,
    classes: Vec<String>,
    positive: Option<usize>,
}

impl Labels {
    /// More distinct labels than this are taken for a number to be predicted, not a class.
    pub(crate) const MOST_CLASSES: usize = 1000;

    /// Labels from class numbers.
    ///
    /// Two classes are put in the order negative, positive; `positive` may then be
    /// `None` where the names say it (`no` and `yes`).
    ///
    /// # Errors
    /// [`Error::OneClass`], [`Error::TooManyClasses`], [`Error::PositiveNeeded`], and
    /// [`Error::Setting`] when a code or `positive` is no class, or a class is named twice.
    pub fn new(codes: Vec<u32>, classes: Vec<String>, positive: Option<usize>) -> Result<Self> {
        let most = classes.len();
        if let Some(&code) = codes.iter().find(|&&code| code as usize >= most) {
            return Err(not_a_class("labels", &code.to_string(), most));
        }
        if let Some(at) = positive.filter(|&at| at >= most) {
            return Err(not_a_class("positive", &at.to_string(), most));
        }
        if let Some(twice) = classes.iter().enumerate().find(|(at, class)| classes[..*at].contains(class)) {
            return Err(Error::setting("classes", format!("`{}` twice", twice.1), "each name once"));
        }
        let positive = positive.map(|at| classes[at].clone());
        let bound = classes.len().max(1);
        Self::ordered("labels", &Codes::narrow(codes, bound), classes, positive.as_deref(), LabelRole::Labels)
    }

    /// Labels of training data, or predictions in their place.
    ///
    /// Classes are in numeric order where all are numbers, else in text order.
    ///
    /// # Errors
    /// [`Error::LabelMissing`], [`Error::OneClass`] for labels, [`Error::TooManyClasses`],
    /// [`Error::UnknownPositive`], [`Error::PositiveNeeded`].
    pub fn from_column(
        column: &Column,
        name: &str,
        table: &Table,
        positive: Option<&str>,
        role: LabelRole,
    ) -> Result<Self> {
        table.check_exact(name)?;
        let values = column.to_categorical();
        let counts = values.counts();
        check_present(values.codes(), &counts, name, table)?;
        // A dictionary may hold values that no row has: they are no classes.
        let mut present: Vec<usize> = (0..values.missing()).filter(|&code| counts[code] > 0).collect();
        if present.len() > Self::MOST_CLASSES {
            return Err(Error::TooManyClasses {
                column: name.to_owned(),
                found: present.len(),
                most: Self::MOST_CLASSES,
            });
        }
        let texts = values.dictionary();
        sort_classes(&mut present, texts);
        let mut class_of = vec![0; texts.len() + 1];
        for (class, &code) in present.iter().enumerate() {
            class_of[code] = class as u32;
        }
        let classes: Vec<String> = present.iter().map(|&code| texts[code].clone()).collect();
        Self::ordered(name, &values.codes().map(&class_of, present.len()), classes, positive, role)
    }

    /// The classes of training data whose label column has these values, each once, and the positive one: those of [`Labels::from_column`].
    ///
    /// # Errors
    /// Those of [`Labels::from_column`], but for missing labels.
    pub fn classes_of(
        name: &str,
        values: &[String],
        positive: Option<&str>,
        role: LabelRole,
    ) -> Result<(Vec<String>, Option<usize>)> {
        if values.len() > Self::MOST_CLASSES {
            return Err(Error::TooManyClasses {
                column: name.to_owned(),
                found: values.len(),
                most: Self::MOST_CLASSES,
            });
        }
        let mut order: Vec<usize> = (0..values.len()).collect();
        sort_classes(&mut order, values);
        let classes = order.into_iter().map(|at| values[at].clone()).collect();
        let Self { classes, positive, .. } = Self::ordered(name, &Codes::U8(Vec::new()), classes, positive, role)?;
        Ok((classes, positive))
    }

    /// Labels of new data, numbered as in training. A single class is fine here.
    ///
    /// # Errors
    /// [`Error::LabelMissing`]; [`Error::UnknownClass`] for one that training never saw.
    pub fn against(
        column: &Column,
        name: &str,
        table: &Table,
        classes: &[String],
        positive: Option<usize>,
    ) -> Result<Self> {
        table.check_exact(name)?;
        let values = column.to_categorical();
        let counts = values.counts();
        check_present(values.codes(), &counts, name, table)?;
        let mut class_of = vec![0; counts.len()];
        for (code, text) in values.dictionary().iter().enumerate() {
            if counts[code] == 0 {
                continue;
            }
            let Some(class) = find_class(classes, text) else {
                let row = values.codes().iter().position(|found| found == code).unwrap_or(0);
                return Err(Error::UnknownClass {
                    column: name.to_owned(),
                    row: table.shown_row(row),
                    found: text.clone(),
                    known: classes.to_vec(),
                });
            };
            class_of[code] = class as u32;
        }
        Ok(Self { codes: values.codes().map(&class_of, classes.len()), classes: classes.to_vec(), positive })
    }

    /// Finds the positive class, and makes it class 1 of two.
    fn ordered(
        name: &str,
        codes: &Codes,
        mut classes: Vec<String>,
        positive: Option<&str>,
        role: LabelRole,
    ) -> Result<Self> {
        if classes.len() < 2 {
            let class = classes.pop().unwrap_or_default();
            return match role {
                LabelRole::Labels => Err(Error::OneClass { column: name.to_owned(), class }),
                LabelRole::Predictions => Ok(Self::all_alike(codes, class, positive)),
            };
        }
        let asked = match positive {
            None => None,
            Some(text) => Some(find_class(&classes, text).ok_or_else(|| Error::UnknownPositive {
                column: name.to_owned(),
                positive: text.to_owned(),
                known: classes.clone(),
            })?),
        };
        if classes.len() > 2 {
            return Ok(Self { codes: codes.clone(), classes, positive: asked });
        }
        let positive = asked
            .or_else(|| plain_positive(&classes))
            .ok_or_else(|| Error::PositiveNeeded { column: name.to_owned(), classes: classes.clone() })?;
        if positive == 0 {
            classes.swap(0, 1);
            return Ok(Self { codes: codes.map(&[1, 0], 2), classes, positive: Some(1) });
        }
        Ok(Self { codes: codes.clone(), classes, positive: Some(1) })
    }

    /// Predictions that are all the same: beside that class there is the positive one that was named, or the other of a plain pair.
    fn all_alike(codes: &Codes, class: String, positive: Option<&str>) -> Self {
        let is_positive = positive.map(|text| find_class(std::slice::from_ref(&class), text).is_some());
        let (other, is_positive) = match (other_of(&class), is_positive) {
            (_, Some(false)) => (positive.map(str::to_owned), false),
            (plain, Some(true)) => (plain.map(|(other, _)| other.to_owned()), true),
            (Some((other, is_positive)), None) => (Some(other.to_owned()), is_positive),
            (None, None) => return Self { codes: codes.clone(), classes: vec![class], positive: None },
        };
        match other {
            Some(other) if is_positive => {
                Self { codes: codes.map(&[1], 2), classes: vec![other, class], positive: Some(1) }
            }
            Some(other) => Self { codes: codes.map(&[0], 2), classes: vec![class, other], positive: Some(1) },
            None => Self { codes: codes.clone(), classes: vec![class], positive: Some(0) },
        }
    }

    /// The class number of every row.
    pub fn codes(&self) -> &Codes {
        &self.codes
    }

    /// The names of the classes, by number.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// The number of the positive class: 1 of two, and said or unknown of more.
    pub fn positive(&self) -> Option<usize> {
        self.positive
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// The class number of one row.
    pub fn get(&self, row: usize) -> usize {
        self.codes.get(row)
    }

    /// The given rows, in the given order, with all classes kept.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        Self { codes: self.codes.select(rows), classes: self.classes.clone(), positive: self.positive }
    }
}

fn not_a_class(setting: &'static str, found: &str, classes: usize) -> Error {
    Error::setting(setting, found, format!("the number of a class, below {classes}"))
}

pub(super) fn check_present(codes: &Codes, counts: &[usize], name: &str, table: &Table) -> Result<()> {
    let missing = counts.len() - 1;
    let Some(row) = (counts[missing] > 0).then(|| codes.iter().position(|code| code == missing)).flatten() else {
        return Ok(());
    };
    Err(Error::LabelMissing { column: name.to_owned(), row: table.shown_row(row), count: counts[missing] })
}

/// Numeric order when every text is a number, else the order of the text.
fn sort_classes(codes: &mut [usize], texts: &[String]) {
    let numbers: Option<Vec<f64>> = codes.iter().map(|&code| texts[code].parse().ok()).collect();
    codes.sort_by(|&a, &b| texts[a].cmp(&texts[b]));
    if numbers.is_some_and(|numbers| numbers.iter().all(|number| !number.is_nan())) {
        codes.sort_by(|&a, &b| {
            let number = |code: usize| texts[code].parse().unwrap_or(f64::NAN);
            number(a).total_cmp(&number(b))
        });
    }
}

/// The class with that text, or else with that number: `1.0` finds `1`.
fn find_class(classes: &[String], text: &str) -> Option<usize> {
    classes.iter().position(|class| class == text).or_else(|| {
        let number: f64 = text.parse().ok()?;
        // The same number read twice has the same value, so nothing is lost by comparing exactly.
        classes.iter().position(|class| class.parse::<f64>().is_ok_and(|known| known.total_cmp(&number).is_eq()))
    })
}

/// The other of a plain pair, and whether this one is the positive.
fn other_of(class: &str) -> Option<(&'static str, bool)> {
    let lower = class.to_lowercase();
    PLAIN_PAIRS.iter().find_map(|&(negative, positive)| match lower.as_str() {
        text if text == negative => Some((positive, false)),
        text if text == positive => Some((negative, true)),
        _ => None,
    })
}

fn plain_positive(classes: &[String]) -> Option<usize> {
    let lower: Vec<String> = classes.iter().map(|class| class.to_lowercase()).collect();
    PLAIN_PAIRS.iter().find_map(|&(negative, positive)| match [lower[0].as_str(), lower[1].as_str()] {
        [a, b] if a == negative && b == positive => Some(1),
        [a, b] if a == positive && b == negative => Some(0),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Categorical;

    fn text(values: &[&str]) -> Column {
        Column::Categorical(Categorical::from_values(values.iter().map(|v| (!v.is_empty()).then_some(*v))))
    }

    fn from(column: &Column, positive: Option<&str>) -> Result<Labels> {
        let table = Table::new(vec![("y".into(), column.clone())], 2).unwrap();
        Labels::from_column(column, "y", &table, positive, LabelRole::Labels)
    }

    fn numbers(labels: &Labels) -> Vec<usize> {
        labels.codes().iter().collect()
    }

    #[test]
    fn the_positive_of_two_classes_is_class_one() {
        let labels = from(&text(&["bad", "good", "bad"]), Some("bad")).unwrap();
        assert_eq!(labels.classes(), ["good", "bad"]);
        assert_eq!(labels.positive(), Some(1));
        assert_eq!(numbers(&labels), [1, 0, 1]);
    }

    #[test]
    fn plain_pairs_need_no_positive() {
        for pair in [["0", "1"], ["False", "True"], ["NO", "Yes"], ["n", "Y"], ["-1", "1"]] {
            let labels = from(&text(&[pair[1], pair[0]]), None).unwrap();
            assert_eq!(labels.classes(), pair);
            assert_eq!(numbers(&labels), [1, 0]);
        }
        assert_eq!(from(&text(&["a", "b"]), None).unwrap_err().code(), "positive-needed");
    }

    #[test]
    fn numbers_are_classes_in_numeric_order_without_a_decimal_point() {
        let labels = from(&Column::Numeric(vec![10.0, 9.0, 2.5, 9.0]), None).unwrap();
        assert_eq!(labels.classes(), ["2.5", "9", "10"]);
        assert_eq!(numbers(&labels), [2, 1, 0, 1]);
        assert_eq!(labels.positive(), None);
        let two = from(&Column::Numeric(vec![1.0, 0.0]), Some("1.0")).unwrap();
        assert_eq!((two.classes(), two.positive()), (&["0".to_owned(), "1".to_owned()][..], Some(1)));
    }

    #[test]
    fn what_cannot_be_learnt_is_refused() {
        let code = |column: Column, positive| from(&column, positive).unwrap_err().code();
        assert_eq!(code(text(&["a", "a"]), None), "label-one-class");
        assert_eq!(code(text(&["a", "b"]), Some("c")), "positive-unknown");
        assert_eq!(code(text(&["a", "b", "c"]), Some("d")), "positive-unknown");
        assert_eq!(code(Column::Numeric((0..1001).map(f64::from).collect()), None), "label-too-many-classes");
        let missing = from(&text(&["a", "", "b", ""]), Some("a")).unwrap_err();
        assert_eq!(
            missing.to_string(),
            "label column `y`: 2 rows have no value, the first in row 3; drop or fill them"
        );
    }

    #[test]
    fn new_data_take_the_numbers_of_training_and_may_hold_one_class() {
        let table = Table::new(vec![("y".into(), text(&["yes", "yes"]))], 2).unwrap();
        let classes = ["no".to_owned(), "yes".to_owned()];
        let against = |column: &Column| Labels::against(column, "y", &table, &classes, Some(1));
        assert_eq!(numbers(&against(&text(&["yes", "yes"])).unwrap()), [1, 1]);
        assert!(matches!(against(&text(&["yes", "maybe"])), Err(Error::UnknownClass { row: 3, .. })));
    }

    #[test]
    fn predictions_may_all_be_the_same() {
        let alike = |value: &str, positive: Option<&str>| {
            let column = text(&[value, value]);
            let table = Table::new(vec![("y".into(), column.clone())], 2).unwrap();
            let found = Labels::from_column(&column, "y", &table, positive, LabelRole::Predictions).unwrap();
            (found.classes().join(" "), found.positive(), numbers(&found)[0])
        };
        // What is positive is not what everybody has.
        assert_eq!(alike("refused", Some("granted")), ("refused granted".into(), Some(1), 0));
        assert_eq!(alike("granted", Some("granted")), ("granted".into(), Some(0), 0));
        assert_eq!(alike("No", None), ("No yes".into(), Some(1), 0));
        assert_eq!(alike("1", None), ("0 1".into(), Some(1), 1));
        assert_eq!(alike("no", Some("no")), ("yes no".into(), Some(1), 1));
        assert_eq!(alike("refused", None), ("refused".into(), None, 0));
    }

    #[test]
    fn labels_from_codes_are_checked() {
        let classes = || vec!["b".to_owned(), "a".to_owned()];
        let labels = Labels::new(vec![0, 1, 1], classes(), Some(0)).unwrap();
        assert_eq!((labels.classes(), numbers(&labels)), (&["a".to_owned(), "b".to_owned()][..], vec![1, 0, 0]));
        assert_eq!(Labels::new(vec![2], classes(), Some(0)).unwrap_err().code(), "setting-invalid");
        assert_eq!(Labels::new(vec![0], classes(), Some(2)).unwrap_err().code(), "setting-invalid");
        assert_eq!(Labels::new(vec![0], classes(), None).unwrap_err().code(), "positive-needed");
    }
}
