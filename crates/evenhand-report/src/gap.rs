//! How far groups are from what was asked, with intervals, and in words.
//!
//! Holds [`Constrained`]: one constraint before and after. Leans on the constraints of the engine.

use evenhand::correction::Estimated;
use evenhand::correction::{Constraint, Event, Labelled, Reference};
use serde::{Deserialize, Serialize};

use crate::number::{percent, points, range};

/// One constraint, and how far from it predictions are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Constrained {
    /// Its name, as in every output.
    pub name: String,
    /// The notion it comes from.
    pub notion: String,
    /// Whose rate; without it that of all rows.
    pub group: Option<String>,
    /// Of those, the rows with this label.
    pub labelled: Option<LabelledAs>,
    /// The class whose predictions count; without it, predictions that agree with the label.
    pub class: Option<String>,
    /// Whether predictions that do not agree with the label count instead.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wrong: bool,
    /// The rate asked for; without it, that of everyone, or of other rows.
    pub asked: Option<f64>,
    /// The rows it is compared with, where these are not everyone with that label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<OtherRows>,
    /// Without correction.
    pub before: Gap,
    /// With it.
    pub after: Gap,
}

/// Rows that others are compared with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OtherRows {
    /// Of this group; without it all.
    pub group: Option<String>,
    /// Of those, the rows with this label.
    pub labelled: Option<LabelledAs>,
}

/// Rows by their observed label.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LabelledAs {
    /// The class.
    pub class: String,
    /// Whether rows of every other class are meant instead.
    pub other: bool,
}

/// Overall (or asked) rate minus group rate, with its interval. Nothing where there are no rows to measure it on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Gap {
    /// The distance; positive where the group has less.
    pub value: Option<f64>,
    /// The lower end of its interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

impl Gap {
    fn of(estimated: &Estimated) -> Self {
        Self { value: estimated.value, low: estimated.low, high: estimated.high }
    }

    pub(crate) fn from_audit(gap: &evenhand::audit::Gap) -> Self {
        Self { value: gap.value, low: gap.low, high: gap.high }
    }

    /// How far, either way.
    pub(crate) fn size(&self) -> f64 {
        self.value.map_or(0.0, f64::abs)
    }

    /// Whether the interval holds zero, or there is none: these rows cannot tell the gap from nothing.
    pub(crate) fn may_be_none(&self) -> bool {
        !self.low.zip(self.high).is_some_and(|(low, high)| low > 0.0 || high < 0.0)
    }

    /// The same, counted the other way.
    pub(crate) fn turned(&self) -> Self {
        let turn = |value: Option<f64>| value.map(|value| -value);
        Self { value: turn(self.value), low: turn(self.high), high: turn(self.low) }
    }

    /// The interval in points.
    pub(crate) fn range(&self) -> Option<String> {
        range(self.low, self.high, points)
    }
}

impl Constrained {
    pub(crate) fn new(
        constraint: &Constraint,
        groups: &[String],
        classes: &[String],
        [before, after]: [&Estimated; 2],
    ) -> Self {
        let named = |class: usize, other| LabelledAs { class: classes[class].clone(), other };
        let labelled = |labelled| match labelled {
            Labelled::Any => None,
            Labelled::As(class) => Some(named(class, false)),
            Labelled::NotAs(class) => Some(named(class, true)),
        };
        let group = |group: Option<usize>| group.map(|group| groups[group].clone());
        Self {
            name: constraint.name.clone(),
            notion: constraint.notion.to_string(),
            group: group(constraint.group),
            labelled: labelled(constraint.labelled),
            class: match constraint.event {
                Event::Predicts(class) => Some(classes[class].clone()),
                Event::Correct | Event::Wrong => None,
            },
            wrong: constraint.event == Event::Wrong,
            asked: constraint.reference.number(),
            against: match constraint.reference {
                Reference::Rows { group: other, labelled: of } => {
                    Some(OtherRows { group: group(other), labelled: labelled(of) })
                }
                _ => None,
            },
            before: Gap::of(before),
            after: Gap::of(after),
        }
    }

    /// `rows in sex=female labelled “yes”`.
    pub(crate) fn subject(&self) -> String {
        subject(self.group.as_ref(), self.labelled.as_ref())
    }

    /// `predicted “yes”`.
    pub(crate) fn predicted(&self) -> String {
        match &self.class {
            Some(class) => format!("predicted “{class}”"),
            None if self.wrong => "predicted wrongly".to_owned(),
            None => "predicted as labelled".to_owned(),
        }
    }

    /// `less often than everyone labelled “yes”`.
    pub(crate) fn than(&self, less: bool) -> String {
        let than = match (self.asked, &self.against) {
            (Some(rate), _) => format!("than the {} asked for", percent(rate)),
            (None, Some(other)) => format!("than {}", subject(other.group.as_ref(), other.labelled.as_ref())),
            (None, None) => format!("than everyone{}", among(self.labelled.as_ref())),
        };
        format!("{} often {than}", if less { "less" } else { "more" })
    }
}

fn subject(group: Option<&String>, labelled: Option<&LabelledAs>) -> String {
    let whose = group.map_or_else(|| "all rows".to_owned(), |group| format!("rows in {group}"));
    whose + &among(labelled)
}

fn among(labelled: Option<&LabelledAs>) -> String {
    match labelled {
        None => String::new(),
        Some(LabelledAs { class, other: false }) => format!(" labelled “{class}”"),
        Some(LabelledAs { class, other: true }) => format!(" not labelled “{class}”"),
    }
}
