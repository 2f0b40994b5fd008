//! How a rate of one's own takes the one form: a constraint for each of its subsets, and each class.

use super::form::{Constraint, Event, Labelled, OwnRows, Reference, class_asked};
use crate::format::listed;
use crate::notion::{Against, ClassName, Counted, Notion, RateNotion, Subset, SubsetLabel, SubsetRows};
use crate::{Error, Result};

/// At most so many classes are listed.
const MOST_NAMES: usize = 12;

/// What rows and classes are called.
pub(super) struct Names<'a> {
    /// The asked groups.
    pub(super) groups: &'a [String],
    /// All places in the membership, the asked groups first.
    pub(super) all: &'a [String],
    pub(super) classes: &'a [String],
    pub(super) positive: Option<usize>,
}

/// Binds a rate to its rows, wherever these are, and to classes.
///
/// Under the bare tilt a multiplier moves the rows that its rate conditions on, as in Algorithm 2. [Jiang & Nachum 2019, App. B]
///
/// # Errors
/// [`Error::RateSyntax`] for a class that does not exist, or a rate that cannot be written.
pub(super) fn constraints(
    notion: &Notion,
    rate: &RateNotion,
    own: &OwnRows,
    names: &Names<'_>,
) -> Result<Vec<Constraint>> {
    let wrong = |problem: String| Error::RateSyntax { notion: notion.to_string(), problem };
    rate.check().map_err(wrong)?;
    let whose: Vec<Option<usize>> = match &rate.given.rows {
        SubsetRows::Everyone => vec![None],
        SubsetRows::EachGroup => (0..names.groups.len()).map(Some).collect(),
        SubsetRows::Of(_) => own.rows.iter().copied().map(Some).collect(),
    };
    // The classes that `positive` stands for.
    let asked: Vec<Option<usize>> = match names.positive {
        Some(class) => vec![Some(class)],
        None if is_about_positive(rate) => (0..names.classes.len()).map(Some).collect(),
        None => vec![None],
    };
    let mut bound = Vec::with_capacity(whose.len() * asked.len());
    for &group in &whose {
        for &positive in &asked {
            let class = |name: &ClassName| class(name, names, positive).map_err(wrong);
            let labelled = |label: &SubsetLabel| {
                Ok(match label {
                    SubsetLabel::Any => Labelled::Any,
                    SubsetLabel::As(name) => Labelled::As(class(name)?),
                    SubsetLabel::NotAs(name) => Labelled::NotAs(class(name)?),
                })
            };
            let of = labelled(&rate.given.labelled)?;
            let reference = match &rate.against {
                Against::Everyone => Reference::Overall,
                Against::Rows(subset) => match (own.against, labelled(&subset.labelled)?) {
                    (None, other) if other == of => Reference::Overall,
                    (group, labelled) => Reference::Rows { group, labelled },
                },
                Against::Rate(rate) => Reference::Rate(*rate),
                Against::AtLeast(rate) => Reference::AtLeast(*rate),
                Against::AtMost(rate) => Reference::AtMost(*rate),
            };
            let event = match &rate.counted {
                Counted::Predicted(name) => Event::Predicts(class(name)?),
                Counted::AsLabelled => Event::Correct,
                Counted::Wrongly => Event::Wrong,
            };
            let name = name(rate, group, own, names) + &of_class(positive.filter(|_| asked.len() > 1), names);
            bound.push(Constraint {
                name,
                notion: notion.clone(),
                group,
                labelled: of,
                event,
                reference,
                reweights: of,
                weighted_by: own.weighted_by,
            });
        }
    }
    Ok(bound)
}

/// Whether the positive class, or the other of two, is among what a rate names.
fn is_about_positive(rate: &RateNotion) -> bool {
    let named = |class: &ClassName| !matches!(class, ClassName::Named(_));
    let labelled = |subset: &Subset| match &subset.labelled {
        SubsetLabel::Any => false,
        SubsetLabel::As(class) | SubsetLabel::NotAs(class) => named(class),
    };
    let against = matches!(&rate.against, Against::Rows(subset) if labelled(subset));
    matches!(&rate.counted, Counted::Predicted(class) if named(class)) || labelled(&rate.given) || against
}

fn class(name: &ClassName, names: &Names<'_>, positive: Option<usize>) -> std::result::Result<usize, String> {
    let count = names.classes.len();
    match (name, positive) {
        (ClassName::Positive, Some(positive)) => Ok(positive),
        (ClassName::Positive, None) => Err("no class is the positive one; name it".to_owned()),
        (ClassName::Negative, Some(positive)) if count == 2 => Ok(1 - positive),
        (ClassName::Negative, _) => {
            Err(format!("`negative` is the other of two classes, and there are {count}; name it"))
        }
        (ClassName::Named(name), _) => class_asked(Some(name), names.classes, positive).map_err(|_| {
            let known = listed(names.classes, MOST_NAMES, |class| format!("`{class}`"));
            format!("`{name}` is no class; there are: {known}")
        }),
    }
}

/// The sentence with the one group that a constraint is about.
fn name(rate: &RateNotion, group: Option<usize>, own: &OwnRows, names: &Names<'_>) -> String {
    let subset = |subset: &Subset, place: Option<usize>| {
        let known = if subset.rows == SubsetRows::EachGroup { names.groups } else { names.all };
        let rows = place.and_then(|place| known.get(place));
        let labelled = Subset { rows: SubsetRows::Everyone, labelled: subset.labelled.clone() };
        match (rows, &subset.labelled) {
            (Some(rows), SubsetLabel::Any) => rows.to_owned(),
            (Some(rows), _) => format!("{rows} and {labelled}"),
            (None, _) => labelled.to_string(),
        }
    };
    let event = RateNotion { given: Subset::EVERYONE, against: Against::Everyone, ..rate.clone() };
    let given =
        if rate.given == Subset::EVERYONE { String::new() } else { format!(" given {}", subset(&rate.given, group)) };
    let against = match &rate.against {
        Against::Everyone => String::new(),
        Against::Rows(other) => format!(" against {}", subset(other, own.against)),
        Against::Rate(rate) => format!(" against {rate}"),
        Against::AtLeast(rate) => format!(" at least {rate}"),
        Against::AtMost(rate) => format!(" at most {rate}"),
    };
    format!("rate={event}{given}{against}")
}

fn of_class(class: Option<usize>, names: &Names<'_>) -> String {
    class.map(|class| format!(" class={}", names.classes[class])).unwrap_or_default()
}
