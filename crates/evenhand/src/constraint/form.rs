//! The one form of all constraints, and how each notion takes it.

use serde::{Deserialize, Serialize};

use super::general;
use crate::notion::Notion;
use crate::{Error, Result};

/// A rate over some rows that should equal another rate, and the exponent that moves it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Constraint {
    /// What it is called in every output.
    pub name: String,
    /// The notion it comes from.
    pub notion: Notion,
    /// Whose rate: the group's place in the membership, or all rows.
    pub group: Option<usize>,
    /// Of those, the rows with these labels.
    pub labelled: Labelled,
    /// What is counted.
    pub event: Event,
    /// What the rate should equal.
    pub reference: Reference,
    /// The rows whose weight the multiplier moves, by label. There it adds to the exponent of
    /// the event's class: the class asked for, or the row's own label for [`Event::Correct`].
    pub reweights: Labelled,
    /// The place of the column that the rate is weighted by, among those that notions name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weighted_by: Option<usize>,
}

/// Rows by their observed label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Labelled {
    /// All rows.
    Any,
    /// Rows of one class.
    As(usize),
    /// Rows of any other class.
    NotAs(usize),
}

/// What a rate counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// Predictions of a class.
    Predicts(usize),
    /// Predictions of the observed label.
    Correct,
    /// Predictions of any other class.
    Wrong,
}

/// What a rate should equal.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reference {
    /// The same rate over everyone with these labels.
    Overall,
    /// The same rate over other rows.
    Rows {
        /// The group's place in the membership, or all rows.
        group: Option<usize>,
        /// Of those, the rows with these labels.
        labelled: Labelled,
    },
    /// A given number.
    Rate(f64),
    /// A given number or more.
    AtLeast(f64),
    /// A given number or less.
    AtMost(f64),
}

impl Reference {
    /// The number that a rate is compared with, where it is one.
    pub fn number(self) -> Option<f64> {
        match self {
            Self::Overall | Self::Rows { .. } => None,
            Self::Rate(rate) | Self::AtLeast(rate) | Self::AtMost(rate) => Some(rate),
        }
    }

    /// The signs of the violations that count: more than was asked for, or less, may be as good.
    pub fn sides(self) -> &'static [f64] {
        match self {
            Self::Overall | Self::Rows { .. } | Self::Rate(_) => &[1.0, -1.0],
            Self::AtLeast(_) => &[1.0],
            Self::AtMost(_) => &[-1.0],
        }
    }
}

impl Constraint {
    /// Whether its rate is one among rows of certain labels: a true or false positive rate.
    pub fn conditions_on_labels(&self) -> bool {
        self.labelled != Labelled::Any
    }

    /// The rows that its multiplier is centred on, by group and label: those it is compared with, or everyone with its labels.
    pub(crate) fn base(&self) -> (Option<usize>, Labelled) {
        match self.reference {
            Reference::Rows { group, labelled } => (group, labelled),
            _ => (None, self.labelled),
        }
    }

    /// The groups it is about.
    pub(crate) fn groups(&self) -> impl Iterator<Item = usize> {
        self.group.into_iter().chain(self.base().0)
    }

    /// Whether another constraint is about the same rate, of another group.
    pub(crate) fn is_comparable_with(&self, other: &Self) -> bool {
        self.reference.number().is_none()
            && self.reference == other.reference
            && self.notion == other.notion
            && self.labelled == other.labelled
            && self.event == other.event
            && self.weighted_by == other.weighted_by
    }

    /// Whether there are two constraints that differences and ratios can compare.
    pub(crate) fn any_comparable(constraints: &[Self]) -> bool {
        let has_other = |at: usize| constraints[at + 1..].iter().any(|other| constraints[at].is_comparable_with(other));
        (0..constraints.len()).any(has_other)
    }
}

impl Labelled {
    /// Whether a label is among them.
    pub fn holds(self, label: usize) -> bool {
        match self {
            Self::Any => true,
            Self::As(class) => label == class,
            Self::NotAs(class) => label != class,
        }
    }
}

impl Event {
    /// The class whose prediction counts for a row with this label.
    pub fn class(self, label: usize) -> usize {
        match self {
            Self::Predicts(class) => class,
            Self::Correct | Self::Wrong => label,
        }
    }

    /// 1, or −1 where the prediction of that class is what does not count.
    pub(crate) fn sign(self) -> f64 {
        if self == Self::Wrong { -1.0 } else { 1.0 }
    }
}

/// Where the rows are that a notion names itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OwnRows {
    /// The places of its rows in the membership.
    pub(crate) rows: Vec<usize>,
    /// The place of those that they are compared with.
    pub(crate) against: Option<usize>,
    /// The place of the column that its rate is weighted by, among those that notions name.
    pub(crate) weighted_by: Option<usize>,
}

/// Binds notions to groups and classes.
///
/// `groups` are the names of the asked groups; `own` gives, per notion, where the rows are that it names itself (missing ones: nowhere).
/// With more than two classes and no `positive`, notions about the positive class are asked of every class.
///
/// # Errors
/// [`Error::NoConstraints`] when a notion needs groups and there are none, or when there is
/// no notion; [`Error::TargetClass`] when a notion names a class that does not exist, or none where it must;
/// [`Error::RateSyntax`] for a rate that cannot be written, or names a class that does not exist.
pub(crate) fn constraints(
    notions: &[Notion],
    groups: &[String],
    classes: &[String],
    positive: Option<usize>,
    own: &[OwnRows],
    all_names: &[String],
) -> Result<Vec<Constraint>> {
    let (mut bound, nowhere) = (Vec::new(), OwnRows::default());
    for (at, notion) in notions.iter().enumerate() {
        let own = own.get(at).unwrap_or(&nowhere);
        if notion.needs_groups() && groups.is_empty() {
            return Err(Error::NoConstraints { reason: format!("{notion} needs at least one group") });
        }
        match notion {
            Notion::Pinned { accuracy, .. } => {
                bound.extend(own.rows.iter().map(|&place| Constraint {
                    name: all_names[place].clone(),
                    notion: notion.clone(),
                    group: Some(place),
                    labelled: Labelled::Any,
                    event: Event::Correct,
                    reference: Reference::AtLeast(*accuracy),
                    reweights: Labelled::Any,
                    weighted_by: None,
                }));
            }
            Notion::KnownRate { rate, .. } => {
                let class = class_asked(None, classes, positive)?;
                bound.extend(own.rows.iter().map(|&place| Constraint {
                    name: all_names[place].clone(),
                    notion: notion.clone(),
                    group: Some(place),
                    labelled: Labelled::Any,
                    event: Event::Predicts(class),
                    reference: Reference::Rate(*rate),
                    reweights: Labelled::Any,
                    weighted_by: None,
                }));
            }
            Notion::TargetRate { class, rate, per_group } => {
                let class = class_asked(class.as_deref(), classes, positive)?;
                let whose: Vec<Option<usize>> =
                    if *per_group { (0..groups.len()).map(Some).collect() } else { vec![None] };
                bound.extend(whose.into_iter().map(|group| Constraint {
                    name: format!(
                        "{} {}class={}",
                        if *per_group { "group-target-rate" } else { "target-rate" },
                        group.map(|group| format!("{} ", groups[group])).unwrap_or_default(),
                        classes[class]
                    ),
                    notion: notion.clone(),
                    group,
                    labelled: Labelled::Any,
                    event: Event::Predicts(class),
                    reference: Reference::Rate(*rate),
                    reweights: Labelled::Any,
                    weighted_by: None,
                }));
            }
            Notion::Rate(rate) => {
                let names = general::Names { groups, all: all_names, classes, positive };
                bound.extend(general::constraints(notion, rate, own, &names)?);
            }
            _ => bound.extend(of_groups(notion, groups, classes, positive)),
        }
    }
    if bound.is_empty() {
        return Err(Error::NoConstraints { reason: "no notion was given".into() });
    }
    Ok(bound)
}

/// The constraints of a notion that compares every group with everyone.
fn of_groups(notion: &Notion, groups: &[String], classes: &[String], positive: Option<usize>) -> Vec<Constraint> {
    let asked: Vec<usize> = positive.map_or_else(|| (0..classes.len()).collect(), |class| vec![class]);
    let mut bound = Vec::new();
    for (group, name) in groups.iter().enumerate() {
        let mut push = |kind: &str, class: Option<usize>, labelled, event, reweights| {
            let class = class.filter(|_| asked.len() > 1).map(|class| format!(" class={}", classes[class]));
            bound.push(Constraint {
                name: format!("{notion}{kind} {name}{}", class.unwrap_or_default()),
                notion: notion.clone(),
                group: Some(group),
                labelled,
                event,
                reference: Reference::Overall,
                reweights,
                weighted_by: None,
            });
        };
        if *notion == Notion::EqualAccuracy {
            push("", None, Labelled::Any, Event::Correct, Labelled::Any);
            continue;
        }
        for &class in &asked {
            let event = Event::Predicts(class);
            match notion {
                Notion::EqualOpportunity => push("", Some(class), Labelled::As(class), event, Labelled::Any),
                Notion::PredictiveEquality => push("", Some(class), Labelled::NotAs(class), event, Labelled::Any),
                // Algorithm 2: each multiplier moves the rows its rate conditions on. [Jiang & Nachum 2019, App. B]
                Notion::EqualizedOdds => {
                    push(" tpr", Some(class), Labelled::As(class), event, Labelled::As(class));
                    push(" fpr", Some(class), Labelled::NotAs(class), event, Labelled::NotAs(class));
                }
                _ => push("", Some(class), Labelled::Any, event, Labelled::Any),
            }
        }
    }
    bound
}

pub(super) fn class_asked(class: Option<&str>, classes: &[String], positive: Option<usize>) -> Result<usize> {
    // `1` and `1.0` are one class, as they are one label.
    let same = |one: &str, other: &str| {
        one == other || matches!((one.parse::<f64>(), other.parse::<f64>()), (Ok(a), Ok(b)) if (a - b).abs() == 0.0)
    };
    let found = match class {
        Some(name) => classes.iter().position(|class| same(class, name)),
        None => positive,
    };
    found.ok_or_else(|| Error::TargetClass { class: class.map(str::to_owned), known: classes.to_vec() })
}
