//! Sentences: how a rate of one's own is read and written.
//!
//! `predicted EVENT [weighted by COLUMN] [given SUBSET] [against SUBSET | against RATE | at least RATE | at most RATE]`. Words are separated by blanks; what stands in backquotes
//! is one word and never a keyword. An error says what was expected, and where. Here is what every sentence has to be; `read` has the grammar, `write` its
//! one spelling.

mod read;
mod write;

use super::rate::{Against, RateNotion, SubsetLabel, SubsetRows};

/// The form of a sentence, as errors and help show it.
pub(super) const FORM: &str = "rate=predicted EVENT [weighted by COLUMN] [given SUBSET] [against SUBSET|RATE]";

impl RateNotion {
    /// The one way to write it.
    ///
    /// # Errors
    /// Where rows would be compared with themselves.
    fn normalised(mut self) -> Result<Self, String> {
        if let Against::Rows(subset) = &self.against {
            if *subset == self.given {
                return Err("the rows after `given` and after `against` are the same".to_owned());
            }
            if subset.rows == SubsetRows::Everyone && subset.labelled == self.given.labelled {
                self.against = Against::Everyone;
            }
        }
        if self.against == Against::Everyone && self.given.rows == SubsetRows::Everyone {
            let after = if self.given.labelled == SubsetLabel::Any { "" } else { " with that label" };
            return Err(format!(
                "everyone{after} would be compared with everyone{after}; say `given` whom, or `against` what"
            ));
        }
        Ok(self)
    }

    /// Whether it is as a text would have it: not where a specification, given from code, has words of the grammar outside backquotes.
    pub(crate) fn check(&self) -> Result<(), String> {
        match self.to_string().parse::<Self>() {
            Ok(read) if read == *self => Ok(()),
            Ok(_) => {
                Err("names that hold words such as `and`, `given` or `labelled` are written in backquotes".to_owned())
            }
            Err(problem) => Err(problem),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rate::{ClassName, Counted, Subset};
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> RateNotion {
        text.parse().unwrap()
    }

    fn problem(text: &str) -> String {
        text.parse::<RateNotion>().unwrap_err()
    }

    #[test]
    fn every_form_reads_back_as_itself() {
        for text in [
            "predicted positive given each group",
            "predicted positive given sex=female",
            "predicted positive given sex=female and labelled positive",
            "predicted wrongly given sex=female*age<=30 and not labelled positive",
            "predicted as labelled given race=Black,White against race=Other",
            "predicted positive given race=Black|Hispanic and labelled positive against race=White|Asian",
            "predicted 2 given everyone against 0.1".replace(" given everyone", "").as_str(),
            "predicted negative given labelled positive at most 0.2",
            "predicted as labelled given verified=yes at least 0.95",
            "predicted `not sure` given each group and labelled `not sure`",
            "predicted positive given `a and b`=`x given y` against labelled positive",
            "predicted >50K given sex",
            "predicted positive weighted by income given sex=female",
            "predicted wrongly weighted by `loan given` given each group at most 0.2",
            "predicted `weighted` weighted by `weighted` against 0.3",
        ] {
            assert_eq!(read(text).to_string(), text);
        }
    }

    #[test]
    fn parts_are_joined_as_a_sentence_joins_them() {
        let joined = read(
            "predicted positive given sex=female and age<=30 labelled positive against everyone labelled positive",
        );
        assert_eq!(joined.to_string(), "predicted positive given sex=female*age<=30 and labelled positive");
        assert_eq!(joined.against, Against::Everyone, "everyone with the same label is what is left out");
        assert_eq!(
            read("Predicted Positive GIVEN sex=f Labeled positive").given.labelled,
            SubsetLabel::As(ClassName::Positive)
        );
        let class = read("predicted two words given relationship=Not in family");
        assert_eq!(class.counted, Counted::Predicted(ClassName::Named("two words".into())));
        assert_eq!(class.given.spec().unwrap().as_str(), "relationship=Not in family");
        let literal = read("predicted positive given sex=f labelled positive against everyone");
        assert_eq!(literal.against, Against::Rows(Subset::EVERYONE), "of any label");
    }

    #[test]
    fn an_error_says_what_was_expected_where() {
        for (text, expected) in [
            ("", "`predicted` is expected at the beginning, and what is counted after it"),
            ("positive given sex", "`predicted` is expected at the beginning, and not `positive`"),
            ("predicted", "`positive`, `negative`, `as labelled`, `wrongly` or a class is expected after `predicted`"),
            ("predicted positive given", "`everyone`, a group, `labelled CLASS` is expected after `given`"),
            ("predicted positive given sex and", "`everyone`, a group, `labelled CLASS` is expected after `and`"),
            (
                "predicted positive given sex against",
                "`everyone`, a group, `labelled CLASS`, or a rate is expected after `against`",
            ),
            ("predicted positive given labelled", "`positive`, `negative` or a class is expected after `labelled`"),
            ("predicted positive given sex at least", "a rate is expected after `at least`"),
            ("predicted positive given sex at most half", "a rate is expected after `at most`, and not `half`"),
            ("predicted positive given sex against 1.5", "`1.5` after `against` is not a rate between 0 and 1"),
            ("predicted positive given sex at least 0", "`0` after `at least` is not a rate above 0 and at most 1"),
            (
                "predicted positive given sex against 0.1 at most 0.2",
                "`against` and `at most` say twice what the rate is compared with",
            ),
            ("predicted positive given sex given race", "`given` stands twice"),
            ("predicted positive against 0.1 given sex", "`given` belongs before what the rate is compared with"),
            ("predicted positive given sex=f against sex=f", "the rows after `given` and after `against` are the same"),
            ("predicted positive", "everyone would be compared with everyone; say `given` whom, or `against` what"),
            (
                "predicted positive given each group and age<=30",
                "`each group` goes together with labels alone; write out the groups with `age<=30`",
            ),
            (
                "predicted positive given sex against each group",
                "`each group` belongs after `given`: a rate is compared with one subset",
            ),
            ("predicted positive given sex labelled a labelled b", "a subset has two labels; name one"),
            ("predicted positive given `sex", "a backquote is not closed"),
            ("predicted positive weighted by given sex", "a column of numbers is expected after `weighted by`"),
            ("predicted positive weighted by a weighted by b given sex", "`weighted by` stands twice"),
            (
                "predicted positive given sex weighted by income",
                "`weighted by` belongs before `given` and before what the rate is compared with",
            ),
            (
                "predicted positive weighted by income",
                "everyone would be compared with everyone; say `given` whom, or `against` what",
            ),
        ] {
            assert_eq!(problem(text), expected, "{text}");
        }
    }

    #[test]
    fn a_specification_from_code_that_cannot_be_read_again_is_told() {
        let mut rate = read("predicted positive given sex=female");
        assert_eq!(rate.check(), Ok(()));
        rate.given.rows = SubsetRows::Of("job=cooks and waiters".parse().unwrap());
        assert!(rate.check().is_err());
    }

    proptest! {
        #[test]
        fn any_class_is_read_back(name in "\\PC{1,12}") {
            prop_assume!(!name.trim().is_empty() && name.trim() == name);
            let class = ClassName::Named(name);
            let rate = RateNotion { counted: Counted::Predicted(class), ..read("predicted a given each group") };
            prop_assert_eq!(read(&rate.to_string()), rate);
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,60}") {
            if let Ok(rate) = text.parse::<RateNotion>() {
                prop_assert_eq!(read(&rate.to_string()), rate);
            }
        }
    }
}
