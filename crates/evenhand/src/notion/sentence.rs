//! Sentences: how a rate of one's own is read and written.
//!
//! `predicted EVENT [weighted by COLUMN] [given SUBSET] [against SUBSET | against RATE | at least RATE | at most RATE]`. Words are told apart by blanks; what stands in backquotes
//! is one word and never a keyword. An error says what was expected, and where.

use std::fmt;
use std::str::FromStr;

use super::rate::{Against, ClassName, Counted, RateNotion, Subset, SubsetLabel, SubsetRows};
use crate::group::GroupSpec;

/// The form of a sentence, as errors and help show it.
pub(super) const FORM: &str = "rate=predicted EVENT [weighted by COLUMN] [given SUBSET] [against SUBSET|RATE]";

/// One word of a sentence.
#[derive(Debug, Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    /// Where it stands in the whole text.
    from: usize,
    to: usize,
}

impl Word<'_> {
    /// Whether it is a word of the grammar: never where a backquote is in it.
    fn is(&self, keyword: &str) -> bool {
        self.text.eq_ignore_ascii_case(keyword)
    }
}

/// Where the parts of a sentence begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Clause {
    WeightedBy,
    Given,
    Against,
    AtLeast,
    AtMost,
}

impl Clause {
    fn name(self) -> &'static str {
        match self {
            Self::WeightedBy => "weighted by",
            Self::Given => "given",
            Self::Against => "against",
            Self::AtLeast => "at least",
            Self::AtMost => "at most",
        }
    }

    /// The clause that begins with these words, and how many of them are its name.
    fn at(words: &[Word<'_>]) -> Option<(Self, usize)> {
        match words {
            [word, next, ..] if word.is("weighted") && next.is("by") => Some((Self::WeightedBy, 2)),
            [word, ..] if word.is("given") => Some((Self::Given, 1)),
            [word, ..] if word.is("against") => Some((Self::Against, 1)),
            [word, next, ..] if word.is("at") && next.is("least") => Some((Self::AtLeast, 2)),
            [word, next, ..] if word.is("at") && next.is("most") => Some((Self::AtMost, 2)),
            _ => None,
        }
    }
}

impl FromStr for RateNotion {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words = words(text)?;
        let mut clauses: Vec<(Option<Clause>, Vec<Word<'_>>)> = vec![(None, Vec::new())];
        let mut at = 0;
        while at < words.len() {
            if let Some((clause, length)) = Clause::at(&words[at..]) {
                clauses.push((Some(clause), Vec::new()));
                at += length;
            } else {
                clauses.last_mut().expect("there is one from the start").1.push(words[at]);
                at += 1;
            }
        }
        let mut clauses = clauses.into_iter();
        let counted = counted(&clauses.next().unwrap_or_default().1, text)?;
        let (mut weighted_by, mut given, mut against) = (None, None, None);
        for (clause, words) in clauses {
            let clause = clause.expect("only the first has none");
            if clause == Clause::WeightedBy {
                if weighted_by.is_some() {
                    return Err(twice(clause, clause));
                } else if given.is_some() || against.is_some() {
                    return Err(
                        "`weighted by` belongs before `given` and before what the rate is compared with".to_owned()
                    );
                }
                weighted_by = Some(column(&words, text)?);
            } else if clause != Clause::Given {
                if let Some((other, _)) = against {
                    return Err(twice(other, clause));
                }
                against = Some((clause, reference(clause, &words, text)?));
            } else if against.is_some() {
                return Err("`given` belongs before what the rate is compared with".to_owned());
            } else if given.is_some() {
                return Err(twice(clause, clause));
            } else {
                given = Some(subset(clause, &words, text)?);
            }
        }
        let against = against.map_or(Against::Everyone, |(_, against)| against);
        Self { counted, weighted_by, given: given.unwrap_or(Subset::EVERYONE), against }.normalised()
    }
}

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

fn twice(one: Clause, other: Clause) -> String {
    if one == other {
        return format!("`{}` stands twice", one.name());
    }
    format!("`{}` and `{}` say twice what the rate is compared with", one.name(), other.name())
}

/// What stands after `predicted`.
fn counted(words: &[Word<'_>], text: &str) -> Result<Counted, String> {
    let [first, rest @ ..] = words else {
        return Err("`predicted` is expected at the beginning, and what is counted after it".to_owned());
    };
    if !first.is("predicted") {
        return Err(format!("`predicted` is expected at the beginning, and not `{}`", first.text));
    }
    match rest {
        [] => {
            Err("`positive`, `negative`, `as labelled`, `wrongly` or a class is expected after `predicted`".to_owned())
        }
        [word] if word.is("wrongly") => Ok(Counted::Wrongly),
        [word, next] if word.is("as") && (next.is("labelled") || next.is("labeled")) => Ok(Counted::AsLabelled),
        _ => Ok(Counted::Predicted(class("predicted", rest, text)?)),
    }
}

/// The column that words name.
fn column(words: &[Word<'_>], text: &str) -> Result<String, String> {
    match source(words, text) {
        "" | "``" => Err("a column of numbers is expected after `weighted by`".to_owned()),
        name => Ok(unquoted(name)),
    }
}

/// What stands after a clause that says what a rate is compared with.
fn reference(clause: Clause, words: &[Word<'_>], text: &str) -> Result<Against, String> {
    let number = match words {
        [word] => word.text.parse::<f64>().ok(),
        _ => None,
    };
    let Some(rate) = number else {
        if clause != Clause::Against {
            return Err(match source(words, text) {
                "" => format!("a rate is expected after `{}`", clause.name()),
                found => format!("a rate is expected after `{}`, and not `{found}`", clause.name()),
            });
        }
        let subset = subset(clause, words, text)?;
        if subset.rows == SubsetRows::EachGroup {
            return Err("`each group` belongs after `given`: a rate is compared with one subset".to_owned());
        }
        return Ok(Against::Rows(subset));
    };
    let wrong = |range: &str| format!("`{rate}` after `{}` is not a rate {range}", clause.name());
    match clause {
        Clause::AtLeast if rate > 0.0 && rate <= 1.0 => Ok(Against::AtLeast(rate)),
        Clause::AtLeast => Err(wrong("above 0 and at most 1")),
        Clause::AtMost if (0.0..1.0).contains(&rate) => Ok(Against::AtMost(rate + 0.0)),
        Clause::AtMost => Err(wrong("of at least 0 and below 1")),
        _ if rate > 0.0 && rate < 1.0 => Ok(Against::Rate(rate)),
        _ => Err(wrong("between 0 and 1")),
    }
}

/// What a subset is made of, part by part.
fn subset(clause: Clause, words: &[Word<'_>], text: &str) -> Result<Subset, String> {
    let (mut specs, mut each_group, mut everyone): (Vec<&str>, bool, bool) = (Vec::new(), false, false);
    let mut labelled = SubsetLabel::Any;
    for part in parts(words, clause)? {
        match part {
            [word] if word.is("everyone") => everyone = true,
            [word, next] if word.is("each") && next.is("group") => each_group = true,
            [word, rest @ ..] if is_labelled(word) => {
                set(&mut labelled, SubsetLabel::As(class("labelled", rest, text)?))?;
            }
            [not, word, rest @ ..] if not.is("not") && is_labelled(word) => {
                set(&mut labelled, SubsetLabel::NotAs(class("not labelled", rest, text)?))?;
            }
            spec => specs.push(source(spec, text)),
        }
    }
    let rows = match (each_group, specs.is_empty()) {
        (false, true) => SubsetRows::Everyone,
        (true, true) if everyone => return Err("`everyone` and `each group` do not go together".to_owned()),
        (true, true) => SubsetRows::EachGroup,
        (true, false) => {
            let found = specs.join("*");
            return Err(format!("`each group` goes together with labels alone; write out the groups with `{found}`"));
        }
        (false, false) => SubsetRows::Of(specs.join("*").parse::<GroupSpec>().map_err(|error| error.to_string())?),
    };
    Ok(Subset { rows, labelled })
}

fn is_labelled(word: &Word<'_>) -> bool {
    word.is("labelled") || word.is("labeled")
}

fn set(labelled: &mut SubsetLabel, found: SubsetLabel) -> Result<(), String> {
    if *labelled != SubsetLabel::Any {
        return Err("a subset has two labels; name one".to_owned());
    }
    *labelled = found;
    Ok(())
}

/// The parts of a subset: joined by `and`, or beginning with `labelled` or `not labelled`.
fn parts<'w, 'a>(words: &'w [Word<'a>], clause: Clause) -> Result<Vec<&'w [Word<'a>]>, String> {
    let mut parts = Vec::new();
    for (at, joined) in words.split(|word| word.is("and")).enumerate() {
        let mut first = 0;
        for here in 0..joined.len() {
            let begins = is_labelled(&joined[here]) && !(here > 0 && joined[here - 1].is("not"))
                || joined[here].is("not") && joined.get(here + 1).is_some_and(is_labelled);
            if begins && here > first {
                parts.push(&joined[first..here]);
                first = here;
            }
        }
        if joined.is_empty() {
            let after = if at == 0 { clause.name() } else { "and" };
            let number = if clause == Clause::Against { ", or a rate" } else { "" };
            return Err(format!("`everyone`, a group, `labelled CLASS`{number} is expected after `{after}`"));
        }
        parts.push(&joined[first..]);
    }
    Ok(parts)
}

/// The class that words name.
fn class(after: &str, words: &[Word<'_>], text: &str) -> Result<ClassName, String> {
    match words {
        [] => Err(format!("`positive`, `negative` or a class is expected after `{after}`")),
        [word] if word.is("positive") => Ok(ClassName::Positive),
        [word] if word.is("negative") => Ok(ClassName::Negative),
        _ => Ok(ClassName::Named(unquoted(source(words, text)))),
    }
}

/// The text from the first to the last of some words.
fn source<'a>(words: &[Word<'_>], text: &'a str) -> &'a str {
    match (words.first(), words.last()) {
        (Some(first), Some(last)) => &text[first.from..last.to],
        _ => "",
    }
}

/// A name without the backquotes around it.
fn unquoted(text: &str) -> String {
    match text.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')) {
        Some(inner) => inner.replace("``", "`"),
        None => text.to_owned(),
    }
}

/// Words by blanks outside backquotes.
fn words(text: &str) -> Result<Vec<Word<'_>>, String> {
    let (mut words, mut from, mut quoted) = (Vec::new(), None, false);
    for (at, one) in text.char_indices() {
        quoted ^= one == '`';
        if one.is_whitespace() && !quoted {
            words.extend(from.take().map(|from| Word { text: &text[from..at], from, to: at }));
        } else {
            from.get_or_insert(at);
        }
    }
    if quoted {
        return Err("a backquote is not closed".to_owned());
    }
    words.extend(from.map(|from| Word { text: &text[from..], from, to: text.len() }));
    Ok(words)
}

impl fmt::Display for RateNotion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.counted {
            Counted::Predicted(class) => write!(f, "predicted {class}")?,
            Counted::AsLabelled => f.write_str("predicted as labelled")?,
            Counted::Wrongly => f.write_str("predicted wrongly")?,
        }
        if let Some(column) = &self.weighted_by {
            write!(f, " weighted by {}", quoted(column))?;
        }
        if self.given != Subset::EVERYONE {
            write!(f, " given {}", self.given)?;
        }
        match &self.against {
            Against::Everyone => Ok(()),
            Against::Rows(subset) => write!(f, " against {subset}"),
            Against::Rate(rate) => write!(f, " against {rate}"),
            Against::AtLeast(rate) => write!(f, " at least {rate}"),
            Against::AtMost(rate) => write!(f, " at most {rate}"),
        }
    }
}

impl fmt::Display for Subset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = match &self.rows {
            SubsetRows::Everyone => None,
            SubsetRows::EachGroup => Some("each group".to_owned()),
            SubsetRows::Of(spec) => Some(spec.to_string()),
        };
        let labelled = match &self.labelled {
            SubsetLabel::Any => None,
            SubsetLabel::As(class) => Some(format!("labelled {class}")),
            SubsetLabel::NotAs(class) => Some(format!("not labelled {class}")),
        };
        match (rows, labelled) {
            (None, None) => f.write_str("everyone"),
            (Some(one), None) | (None, Some(one)) => f.write_str(&one),
            (Some(rows), Some(labelled)) => write!(f, "{rows} and {labelled}"),
        }
    }
}

impl fmt::Display for ClassName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Positive => f.write_str("positive"),
            Self::Negative => f.write_str("negative"),
            Self::Named(name) => f.write_str(&quoted(name)),
        }
    }
}

/// A class or a column as it can be read again: in backquotes unless it is plain letters and digits, and no word of the grammar.
fn quoted(name: &str) -> String {
    const WORDS: [&str; 15] = [
        "positive", "negative", "as", "labelled", "labeled", "wrongly", "given", "against", "at", "and", "not",
        "everyone", "each", "group", "weighted",
    ];
    let plain = name.chars().all(|one| one.is_alphanumeric() || "-_.+<>=/".contains(one));
    if plain && !name.is_empty() && !WORDS.iter().any(|word| name.eq_ignore_ascii_case(word)) {
        return name.to_owned();
    }
    format!("`{}`", name.replace('`', "``"))
}

#[cfg(test)]
mod tests {
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
