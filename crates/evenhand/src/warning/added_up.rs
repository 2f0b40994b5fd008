//! Warnings of parts of some rows as those of all of them.

use super::Warning;

impl Warning {
    /// Adds up the rows of warnings that say the same of the same column; the example of the first stays.
    pub(crate) fn added_up(all: Vec<Self>) -> Vec<Self> {
        let mut kept: Vec<Self> = Vec::with_capacity(all.len());
        for one in all {
            match kept.iter_mut().find(|known| known.says_as(&one)) {
                Some(known) => known.add(one),
                None => kept.push(one),
            }
        }
        kept
    }

    /// The column of new rows that it is about.
    pub(crate) fn column(&self) -> Option<&str> {
        match self {
            Self::MissingFilled { column, .. }
            | Self::UnseenCategories { column, .. }
            | Self::NearlyKnown { column, .. } => Some(column),
            _ => None,
        }
    }

    /// Whether it says what another says, of other rows.
    fn says_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::UnseenPattern { .. }, Self::UnseenPattern { .. }) => true,
            _ if self.column().is_some() => {
                std::mem::discriminant(self) == std::mem::discriminant(other) && self.column() == other.column()
            }
            _ => self == other,
        }
    }

    /// Adds the rows of another that says the same.
    fn add(&mut self, mut other: Self) {
        let more = other.rows_mut().map_or(0, |rows| *rows);
        if let Some(rows) = self.rows_mut() {
            *rows += more;
        }
        // A category is a better example than that some are missing.
        if let (Self::UnseenCategories { example, .. }, Self::UnseenCategories { example: theirs, .. }) = (self, other)
            && example == Self::MISSING
        {
            *example = theirs;
        }
    }

    fn rows_mut(&mut self) -> Option<&mut usize> {
        match self {
            Self::MissingFilled { rows, .. }
            | Self::UnseenCategories { rows, .. }
            | Self::NearlyKnown { rows, .. }
            | Self::UnseenPattern { rows, .. } => Some(rows),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_the_same_column_are_added_up_and_others_stay_apart() {
        let unseen = |column: &str, rows, example: &str| Warning::UnseenCategories {
            column: column.to_owned(),
            rows,
            example: example.to_owned(),
        };
        let filled = |rows| Warning::MissingFilled { column: "age".into(), rows, indicator: true };
        let extra = || Warning::ExtraColumns { columns: vec!["id".into()] };
        let all = vec![
            unseen("job", 2, "miner"),
            extra(),
            filled(1),
            unseen("age", 1, "old"),
            extra(),
            unseen("job", 3, "cook"),
            filled(4),
        ];
        assert_eq!(Warning::added_up(all), [unseen("job", 5, "miner"), extra(), filled(5), unseen("age", 1, "old")]);
    }
}
