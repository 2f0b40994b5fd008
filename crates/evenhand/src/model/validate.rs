//! What holds of every model, in the one place that knows it.
//!
//! A file may be whole, sealed and signed, and yet say what no fit leaves behind: coefficients for other columns, a
//! constraint on a group that is not there. Its parts are held against each other here, once, when it is read; whoever
//! uses a [`Model`] may rely on it.

use std::collections::HashSet;

use super::record::is_half;
use super::{CellRecord, LearnerRecord, Model};
use crate::Cause;
use crate::constraint::{Constraint, Event, Labelled, Reference, Tilt};
use crate::correction::{Metrics, PatternRule, Threshold};
use crate::features::Code;

/// What is wrong with a model, in a sentence.
type Checked = Result<(), Cause>;

impl Model {
    /// Whether its parts fit together.
    pub(super) fn validate(&self) -> Checked {
        self.valid_classes()?;
        let names = self.binding.group_names();
        check(are_distinct(&names), || "two of its groups have one name".into())?;
        let groups: HashSet<&str> = names.iter().map(String::as_str).collect();
        self.valid_encoding()?;
        self.settings.check()?;
        self.valid_learner(&self.learner, "the classifier")?;
        if let Some(observed) = &self.observed {
            self.valid_learner(observed, "the classifier without correction")?;
        }
        self.valid_constraints(groups.len())?;
        self.valid_expected(groups.len())?;
        self.valid_thresholds(&groups)?;
        self.valid_cells(&groups)?;
        self.valid_metrics(&self.train, "on training rows")?;
        self.test.iter().try_for_each(|test| self.valid_metrics(test, "on test rows"))
    }

    fn classes(&self) -> &[String] {
        self.binding.classes()
    }

    fn valid_classes(&self) -> Checked {
        let (classes, positive) = (self.classes(), self.binding.positive());
        check(classes.len() >= 2, || format!("it has {} classes, and a classifier has two or more", classes.len()))?;
        check(are_distinct(classes), || "two of its classes have one name".into())?;
        let allowed =
            if classes.len() == 2 { positive == Some(1) } else { positive.is_none_or(|at| at < classes.len()) };
        check(allowed, || "its positive class is none of its classes".into())
    }

    fn valid_encoding(&self) -> Checked {
        let columns = self.binding.encoding().columns();
        check(!columns.is_empty(), || "it has no features".into())?;
        columns.iter().try_for_each(|column| {
            let holds = match &column.code {
                Code::OneHot { values, withheld, .. } => {
                    let is_feature = |value: &String| values.binary_search(value).is_ok();
                    values.is_sorted() && withheld.is_sorted() && !withheld.iter().any(is_feature)
                }
                Code::Number { centre, scale, fill, .. } => {
                    centre.is_finite() && fill.is_finite() && scale.is_finite() && *scale > 0.0
                }
                Code::Buckets { edges, .. } => edges.iter().all(|edge| edge.is_finite()) && edges.is_sorted(),
            };
            check(holds, || {
                format!("column `{}` cannot be encoded: categories and edges ascend, scales are above 0", column.column)
            })
        })
    }

    /// The models of membership, and what they tilt.
    fn valid_expected(&self, groups: usize) -> Checked {
        let by_rows = self.rule.tilt == Tilt::Expected && self.settings.method.is_correction();
        let Some(expected) = &self.expected else {
            return check(!by_rows, || "its tilts are expectations, and it has no models for them".into());
        };
        check(by_rows, || "it has models of membership, and no tilts that need them".into())?;
        let multipliers = self.binding.constraints().len();
        check(
            expected.is_valid(multipliers, self.classes().len(), groups) && self.multipliers.len() == multipliers,
            || "its models of membership are not for its groups and classes".into(),
        )?;
        if let Some(labels) = &expected.labels {
            self.valid_learner(labels, "the model of observed labels")?;
        }
        expected.memberships.iter().try_for_each(|one| self.valid_model(&one.predictor, 2, "a model of membership"))
    }

    fn valid_learner(&self, record: &LearnerRecord, what: &str) -> Checked {
        self.valid_model(record, self.classes().len(), what)
    }

    fn valid_model(&self, record: &LearnerRecord, classes: usize, what: &str) -> Checked {
        let width = self.binding.width();
        let own = match record {
            LearnerRecord::Logistic { settings, model } => {
                settings.check()?;
                let found = model.width();
                check(found == Some(width), || {
                    let found = found.map_or("no whole number of".to_owned(), |found| found.to_string());
                    format!("{what} has coefficients for {found} features, and the columns make {width}")
                })?;
                check(model.coefficients().iter().all(|one| one.is_finite()), || {
                    format!("{what} has coefficients that are not finite")
                })?;
                model.classes()
            }
            LearnerRecord::Given { settings } => {
                settings.check()?;
                let first = self.binding.encoding().columns().first();
                let as_it_is = |code: &Code| matches!(code, Code::Number { centre, scale, .. } if centre.abs() <= 0.0 && (scale - 1.0).abs() <= 0.0);
                check(
                    first.is_some_and(|one| {
                        self.settings.score.as_ref().is_some_and(|score| score.column == one.column)
                            && as_it_is(&one.code)
                    }),
                    || format!("{what} reads scores that are not its first feature"),
                )?;
                2
            }
            #[cfg(feature = "network")]
            LearnerRecord::Network { settings, model, .. } => {
                settings.check()?;
                let found = model.width();
                check(found == width, || format!("{what} takes {found} features, and the columns make {width}"))?;
                check(model.hidden() == settings.layers, || {
                    format!("{what} has other layers than its settings ask for")
                })?;
                model.classes()
            }
            LearnerRecord::Process { model } => model.classes(),
        };
        check(own == classes, || format!("{what} tells {own} classes apart, and there are {classes}"))
    }

    fn valid_constraints(&self, groups: usize) -> Checked {
        let constraints = self.binding.constraints();
        for one in constraints.iter().chain(self.binding.unbound()) {
            check(self.settings.notions.contains(&one.notion), || {
                format!("constraint `{}` is of a notion that the settings do not ask for", one.name)
            })?;
            check(one.groups().all(|group| group < groups), || {
                format!("constraint `{}` is on a group that is not there", one.name)
            })?;
            check(classes_of(one).all(|class| class < self.classes().len()), || {
                format!("constraint `{}` is on a class that is not there", one.name)
            })?;
            let column = one.weighted_by.map(|place| self.binding.weighing().get(place).map(String::as_str));
            check(column == one.notion.weighted_by().map(Some), || {
                format!("constraint `{}` is weighted by another column than its notion", one.name)
            })?;
            check(is_rate(one.reference), || format!("constraint `{}` asks for a rate beyond 0 to 1", one.name))?;
        }
        let named = self.multipliers.iter().map(|one| &one.name).eq(constraints.iter().map(|one| &one.name));
        check(self.multipliers.is_empty() || named, || "its multipliers are not those of its constraints".into())?;
        let known = self.multipliers.iter().all(|one| one.value.is_some_and(f64::is_finite));
        check(known && self.rule.factor.is_finite(), || "a multiplier is not a number".into())
    }

    fn valid_thresholds(&self, groups: &HashSet<&str>) -> Checked {
        let needed = if self.classifier().needs_groups() { self.binding.group_columns() } else { Vec::new() };
        check(self.groups_needed == needed, || {
            "the columns that it needs to tell groups are not those that it decides by".into()
        })?;
        let chosen =
            self.settings.threshold == Threshold::Best && self.thresholds.is_none() && self.classes().len() == 2;
        let allowed = if chosen { (0.0..=1.0).contains(&self.threshold) } else { is_half(&self.threshold) };
        check(allowed, || "it decides by a threshold that was not asked for, or is no probability".into())?;
        let Some(thresholds) = &self.thresholds else { return Ok(()) };
        check(self.classes().len() == 2, || "thresholds decide between two classes, and it has more".into())?;
        check(!thresholds.patterns.is_empty(), || "it decides by thresholds, and has none".into())?;
        thresholds.patterns.iter().try_for_each(|rule| {
            let known = rule.groups.iter().all(|group| groups.contains(group.as_str()));
            check(known, || "a threshold is for a group that is not there".into())?;
            check(ascends(rule), || "thresholds do not ascend from 0 to 1".into())
        })
    }

    fn valid_cells(&self, groups: &HashSet<&str>) -> Checked {
        let classes: HashSet<&str> = self.classes().iter().map(String::as_str).collect();
        self.cells.iter().try_for_each(|CellRecord { groups: own, label, weight }| {
            let known = classes.contains(label.as_str()) && own.iter().all(|group| groups.contains(group.as_str()));
            check(known, || "a weight is of a class or a group that is not there".into())?;
            check(weight.is_finite() && *weight >= 0.0, || "a weight is negative".into())
        })
    }

    fn valid_metrics(&self, metrics: &Metrics, rows: &str) -> Checked {
        let classes = self.classes().len();
        let of_groups = metrics.groups.iter().map(|group| &group.class_rates).filter(|rates| !rates.is_empty());
        let all = of_groups.chain([&metrics.class_rates]).all(|rates| rates.len() == classes);
        check(all, || format!("its rates {rows} are not one per class"))
    }
}

/// A sentence where something does not hold.
fn check(holds: bool, otherwise: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(otherwise().into()) }
}

fn are_distinct(names: &[String]) -> bool {
    names.iter().collect::<HashSet<_>>().len() == names.len()
}

/// The classes a constraint names.
fn classes_of(constraint: &Constraint) -> impl Iterator<Item = usize> {
    let labelled = |rows: Labelled| match rows {
        Labelled::Any => None,
        Labelled::As(class) | Labelled::NotAs(class) => Some(class),
    };
    let counted = match constraint.event {
        Event::Predicts(class) => Some(class),
        Event::Correct | Event::Wrong => None,
    };
    let all = [labelled(constraint.labelled), labelled(constraint.reweights), labelled(constraint.base().1), counted];
    all.into_iter().flatten()
}

fn is_rate(reference: Reference) -> bool {
    reference.number().is_none_or(|rate| (0.0..=1.0).contains(&rate))
}

/// Whether thresholds and chances go up, and chances stay within 0 and 1.
fn ascends(rule: &PatternRule) -> bool {
    let place = |at: Option<f64>| at.unwrap_or(f64::NEG_INFINITY);
    let steps = &rule.steps;
    steps.iter().all(|step| (0.0..=1.0).contains(&step.chance))
        && steps.is_sorted_by(|one, next| place(one.at_least) <= place(next.at_least) && one.chance <= next.chance)
}
