//! The grammar: words, the clauses that they make, and what each clause says.

use std::str::FromStr;

use crate::group::GroupSpec;
use crate::notion::rate::{Against, ClassName, Counted, RateNotion, Subset, SubsetLabel, SubsetRows};

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
