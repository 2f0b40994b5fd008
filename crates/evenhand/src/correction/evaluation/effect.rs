//! What a correction does beyond evenness: to how many are predicted positive, to errors, to those it was to help, and to
//! rows that it cannot tell the group of.
//!
//! Holds [`Effect`]. Rates can be made even by predicting nobody positive, and a group that had less can be brought level
//! by taking from everyone (levelling down): a bound is then met, and whoever reads "met" must be told.

use serde::{Deserialize, Serialize};

use crate::constraint::{Constraint, Event, Functional, Labelled, Measure};
use crate::correction::problem::Problem;
use crate::interval::{Share, difference, quantile};
use crate::kernel::CellSums;
use crate::{Changed, Quantity, Result, Warning};

/// What a correction changes on some rows, compared with the same classifier without it.
///
/// A change is notable where the smaller of two rates is less than 1 − `notable_change` of the larger, and the interval of
/// their difference does not hold zero. A fifth, the default, is the measure of the four-fifths rule: what that rule takes for a
/// substantial difference between two groups is one between before and after. The interval takes before and after
/// as of different rows, which makes it wider than it need be. Rates are of decisions, whatever is compared in the search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Effect {
    /// By which share of the larger rate two rates must differ.
    pub notable_change: f64,
    /// The confidence of the intervals.
    pub confidence: f64,
    /// The share predicted otherwise than labelled. Only a rise is notable.
    pub error: Change,
    /// What one decision for everyone has in errors.
    pub constant: Constant,
    /// The share predicted positive; `None` with no positive class. Notable unless it came nearer to a rate that was asked for.
    pub positive_rate: Option<Change>,
    /// The groups that had less than everyone, by more than a standard error, of what a notion asks to be equal: those that it was to
    /// help. Where such a group has notably less than before, it was levelled down.
    pub helped: Vec<GroupChange>,
    /// Rows that lack a value that defines groups, and all others.
    pub missing: Vec<MissingChange>,
    /// All that is notable in one sentence; `None` where nothing is.
    pub summary: Option<String>,
}

/// A share without correction and with it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Change {
    /// Without.
    pub before: f64,
    /// With.
    pub after: f64,
    /// The lower end of the interval of `after` − `before`.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Whether the change is notable.
    pub notable: bool,
}

/// The errors of a classifier that decides for the most frequent label, whoever is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Constant {
    /// The share labelled otherwise.
    pub error: f64,
    /// Whether the correction has more, by more than chance, where the classifier without it had less.
    pub notable: bool,
}

/// The rate of a group that a correction was to help.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupChange {
    /// The group.
    pub group: String,
    /// Which rate: `positive rate` or `true positive rate`.
    pub rate: String,
    /// The rate itself.
    #[serde(flatten)]
    pub change: Change,
}

/// Rows that lack a value, and all others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MissingChange {
    /// Which rows, such as `race missing`.
    pub name: String,
    /// How many there are.
    pub rows: usize,
    /// The share of them that is predicted positive without correction.
    pub before: f64,
    /// And with it.
    pub after: f64,
    /// The share of all other rows without correction.
    pub others_before: f64,
    /// And with it.
    pub others_after: f64,
    /// Whether the correction moved the two apart: they differ notably, and by a notably larger ratio than before.
    pub notable: bool,
}

/// What counts as notable.
#[derive(Clone, Copy)]
struct Rule {
    share: f64,
    z: f64,
}

impl Rule {
    /// Whether one rate is so much less than the other.
    fn differ(self, one: f64, other: f64) -> bool {
        one.min(other) < (1.0 - self.share) * one.max(other)
    }

    /// Whether two rates went apart: their ratio is so much further from 1 than before, or is so much another on the other side of it.
    fn is_further(self, [first_before, second_before]: [f64; 2], [first, second]: [f64; 2]) -> bool {
        // The ratios after and before, first over second, times both second rates: no division by a rate of zero.
        let (after, before) = (first * second_before, second * first_before);
        self.differ(after, before) && (first > second) == (after > before)
    }

    fn constant(self, constant: Share, error: &Change, after: Share) -> Constant {
        let (low, _) = difference(after, constant, self.z);
        Constant { error: constant.value, notable: self.share < 1.0 && low > 0.0 && error.before < constant.value }
    }

    fn change(self, before: Share, after: Share) -> Change {
        let (low, high) = difference(after, before, self.z);
        let (before, after) = (before.value, after.value);
        Change { before, after, low, high, notable: self.differ(before, after) && !(low <= 0.0 && high >= 0.0) }
    }
}

impl Effect {
    /// The confidence at which training rows are looked at.
    pub(in crate::correction) const USUAL_CONFIDENCE: f64 = 0.95;

    /// What a correction changes on the rows of a problem, by the sums of both classifiers.
    ///
    /// # Errors
    /// [`crate::Error::Setting`] for a confidence outside 0.5 to 0.999999.
    pub(in crate::correction) fn of(
        problem: &Problem,
        [before, after]: [&CellSums; 2],
        notable_change: f64,
        confidence: f64,
    ) -> Result<Self> {
        let rule = Rule { share: notable_change, z: quantile(confidence)? };
        let rows = problem.cells().effective_rows(0..problem.cells().len());
        let errors = |sums: &CellSums| Share::new(problem.error(sums), rows);
        let mut error = rule.change(errors(before), errors(after));
        error.notable &= error.after > error.before;
        let constant = rule.constant(Share::new(problem.constant_error(), rows), &error, errors(after));
        let positive = |sums: &CellSums| positive_share(problem, sums, |_| true);
        let mut positive_rate = positive(before).zip(positive(after)).map(|(before, after)| rule.change(before, after));
        if let (Some(change), Some(asked)) = (&mut positive_rate, asked_rate(problem)) {
            // A change towards the rate that was asked for is what was asked for.
            change.notable &= (change.after - asked).abs() > (change.before - asked).abs();
        }
        let mut new = Self {
            notable_change,
            confidence,
            error,
            constant,
            positive_rate,
            helped: helped(problem, [before, after], rule),
            missing: problem.missing().filter_map(|set| missing(problem, set, [before, after], rule)).collect(),
            summary: None,
        };
        let notable: Vec<String> = new.warnings().iter().map(ToString::to_string).collect();
        new.summary = (!notable.is_empty())
            .then(|| format!("The correction changes more than evenness: {}.", notable.join("; ")));
        Ok(new)
    }

    /// What is notable.
    pub fn warnings(&self) -> Vec<Warning> {
        let notable = |quantity, change: &Change| {
            let Change { before, after, notable, .. } = *change;
            notable.then_some(Warning::NotableChange { quantity, before, after })
        };
        let positives = self.positive_rate.as_ref().and_then(|change| notable(Quantity::PositiveRate, change));
        let less: Vec<Changed> = self.levelled_down().map(GroupChange::changed).collect();
        let positive_rate = self.positive_rate.map_or(0.0, |change| change.before);
        let levelled = (!less.is_empty()).then_some(Warning::LevelledDown { groups: less, positive_rate });
        let apart = self.missing.iter().filter(|one| one.notable).map(MissingChange::warning);
        let Constant { error: constant, notable: worse } = self.constant;
        let constant = worse.then_some(Warning::WorseThanConstant { error: self.error.after, constant });
        let errors = notable(Quantity::Error, &self.error).into_iter().chain(constant);
        positives.into_iter().chain(errors).chain(levelled).chain(apart).collect()
    }

    /// The groups that were to be helped and have notably less.
    pub fn levelled_down(&self) -> impl Iterator<Item = &GroupChange> {
        self.helped.iter().filter(|group| group.change.notable && group.change.after < group.change.before)
    }
}

impl GroupChange {
    fn changed(&self) -> Changed {
        let Change { before, after, .. } = self.change;
        Changed { group: self.group.clone(), rate: self.rate.clone(), before, after }
    }
}

impl MissingChange {
    fn warning(&self) -> Warning {
        let Self { name, rows, before, after, others_before, others_after, .. } = self.clone();
        Warning::MissingApart { name, rows, before, after, others_before, others_after }
    }
}

/// The share of all rows that a notion asks to be predicted positive.
fn asked_rate(problem: &Problem) -> Option<f64> {
    let positive = Event::Predicts(problem.positive()?);
    let overall = |one: &&Constraint| one.group.is_none() && one.event == positive && one.labelled == Labelled::Any;
    problem.constraints().iter().find(overall).and_then(|one| one.reference.number())
}

/// The share predicted positive among the rows of some cells; `None` with no positive class, or no rows.
fn positive_share(problem: &Problem, sums: &CellSums, inside: impl Fn(usize) -> bool) -> Option<Share> {
    let (class, cells) = (problem.positive()?, problem.cells());
    let places = || (0..cells.len()).filter(|&cell| inside(cell));
    let weight: f64 = places().map(|cell| cells.weight(cell)).sum();
    let decided: f64 = places().map(|cell| sums.decisions(cell)[class]).sum();
    (weight > 0.0).then(|| Share::new(decided / weight, cells.effective_rows(places())))
}

/// Groups that had less than everyone of what constraints on positive decisions ask to be equal.
fn helped(problem: &Problem, [before, after]: [&CellSums; 2], rule: Rule) -> Vec<GroupChange> {
    let of = |(constraint, functional): (&Constraint, &Option<Functional>)| {
        let (functional, group) = (functional.as_ref()?, constraint.group?);
        let rate = rate_of(constraint, problem.positive()?)?;
        let lacks = functional.violation(before, Measure::Decisions) > functional.sampling_error(before);
        let share = |sums| functional.group_share(sums, Measure::Decisions);
        lacks.then(|| GroupChange {
            group: problem.group_names()[group].clone(),
            rate: rate.to_owned(),
            change: rule.change(share(before), share(after)),
        })
    };
    problem.constraints().iter().zip(problem.functionals()).filter_map(of).collect()
}

/// The rate of a constraint that more of is better for whoever is asked about: false positives are not.
fn rate_of(constraint: &Constraint, positive: usize) -> Option<&'static str> {
    match (constraint.event, constraint.labelled) {
        (Event::Predicts(class), _) if class != positive || constraint.reference.number().is_some() => None,
        (Event::Predicts(_), Labelled::Any) => Some("positive rate"),
        (Event::Predicts(_), Labelled::As(label)) if label == positive => Some("true positive rate"),
        _ => None,
    }
}

fn missing(problem: &Problem, set: usize, [before, after]: [&CellSums; 2], rule: Rule) -> Option<MissingChange> {
    let cells = problem.cells();
    let shares = |sums: &CellSums| {
        let inside = positive_share(problem, sums, |cell| cells.is_in(cell, set))?;
        Some((inside, positive_share(problem, sums, |cell| !cells.is_in(cell, set))?))
    };
    let ((own_before, others_before), (own, others)) = (shares(before)?, shares(after)?);
    let (low, high) = difference(own, others, rule.z);
    let apart = rule.differ(own.value, others.value) && !(low <= 0.0 && high >= 0.0);
    let further = rule.is_further([own_before.value, others_before.value], [own.value, others.value]);
    Some(MissingChange {
        name: problem.group_names()[set].clone(),
        rows: (0..cells.len()).filter(|&cell| cells.is_in(cell, set)).map(|cell| cells.count(cell)).sum(),
        before: own_before.value,
        after: own.value,
        others_before: others_before.value,
        others_after: others.value,
        notable: apart && further,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Membership;
    use crate::data::Codes;
    use crate::features::Features;
    use crate::learner::FnPredictor;

    /// Rows of two groups, half labelled positive in each; so many of each group are decided positive before and after.
    fn effect(notion: &str, rows: usize, before: [usize; 2], after: [usize; 2]) -> Effect {
        let masks: Vec<Vec<bool>> =
            (0..2).map(|group| (0..2 * rows).map(|row| row / rows == group).collect()).collect();
        let membership = Membership::from_masks(vec!["women".into(), "men".into()], &masks).unwrap();
        let labels = Codes::narrow((0..2 * rows).map(|row| (row % 2) as u32).collect(), 2);
        let (features, classes) =
            (Features::from_rows(&vec![0.0; 2 * rows], 1).unwrap(), ["no", "yes"].map(str::to_owned));
        let notions = [notion.parse().unwrap()];
        let (problem, _) = Problem::of_arrays(features, labels, &classes, &membership, None, &notions).unwrap();
        let sums = |decided: [usize; 2]| {
            // Those decided positive are labelled positive first.
            let place = |row: usize| if row % 2 == 1 { row / 2 } else { rows / 2 + row / 2 };
            let positive = |row: usize| f64::from(u8::from(place(row % rows) < decided[row / rows]));
            let scores: Vec<f64> = (0..2 * rows).flat_map(|row| [1.0 - positive(row), positive(row)]).collect();
            problem.cell_sums(&FnPredictor::new(2, move |_: &Features| Ok(scores.clone()))).unwrap()
        };
        Effect::of(&problem, [&sums(before), &sums(after)], 0.2, 0.95).unwrap()
    }

    #[test]
    fn levelling_down_is_told_from_helping() {
        // The rates of the brief's example: women .6 to .2 %, men 6.9 to 2.0 %.
        let down = effect("demographic-parity", 10_000, [60, 690], [20, 200]);
        let codes: Vec<String> = down.warnings().iter().map(ToString::to_string).collect();
        assert_eq!(codes[0], "71 % fewer rows are predicted positive than without correction (1.1 % against 3.8 %)");
        assert_eq!(
            codes[1],
            "levelled down: groups that had less than everyone now have still less: `women` (positive rate 0.2 % against 0.6 %); \
             `target-rate=0.037` beside the notion asks for as many positives as without correction"
        );
        assert_eq!(codes.len(), 2, "errors rose by less than a fifth");
        assert!(down.summary.unwrap().starts_with("The correction changes more than evenness: 71 % fewer"));
        let up = effect("demographic-parity", 10_000, [60, 690], [350, 400]);
        assert_eq!((up.helped[0].group.as_str(), up.helped.len(), up.summary), ("women", 1, None));
    }

    #[test]
    fn giving_it_to_nobody_is_notable_and_so_are_errors() {
        let none = effect("equal-opportunity", 1_000, [300, 500], [0, 0]);
        let words = none.summary.clone().unwrap();
        assert!(words.contains("no row is predicted positive, 40.0 % are without correction"), "{words}");
        assert!(
            words.contains(
                "5.0 times as many errors on the observed labels as without correction (50.0 % of rows against 10.0 %)"
            ),
            "{words}"
        );
        assert!(words.contains("`women` (true positive rate 0.0 % against 60.0 %)"), "{words}");
        assert_eq!(none.warnings().len(), 3);
    }

    #[test]
    fn a_correction_may_have_more_errors_than_one_decision_for_all() {
        let notable = |share: f64, before: f64, after: f64, rows: f64| {
            let rule = Rule { share, z: 1.96 };
            let error = rule.change(Share::new(before, rows), Share::new(after, rows));
            rule.constant(Share::new(0.44, rows), &error, Share::new(after, rows)).notable
        };
        assert!(notable(0.2, 0.29, 0.49, 4_000.0));
        assert!(!notable(0.2, 0.29, 0.43, 4_000.0), "fewer errors than that");
        assert!(!notable(0.2, 0.29, 0.45, 400.0), "by chance");
        assert!(!notable(0.2, 0.46, 0.49, 4_000.0), "so it was without correction");
        assert!(!notable(1.0, 0.29, 0.49, 4_000.0), "nothing is to be said");
        let none = effect("equal-opportunity", 1_000, [300, 500], [0, 0]);
        assert_eq!(none.constant, Constant { error: 0.5, notable: false }, "as many as the constant has");
    }

    #[test]
    fn what_few_rows_cannot_tell_and_what_is_less_than_a_fifth_is_not_notable() {
        assert_eq!(effect("demographic-parity", 20, [2, 6], [3, 3]).summary, None);
        let fewer = |after| effect("demographic-parity", 10_000, [3_000, 5_000], after).positive_rate.unwrap().notable;
        assert!(!fewer([3_250, 3_250]) && fewer([3_150, 3_150]), "four fifths of 8,000 are 6,400");
    }

    #[test]
    fn a_rate_that_was_asked_for_is_no_surprise() {
        let notable = |asked: &str, after| effect(asked, 10_000, [5_000, 5_000], after).positive_rate.unwrap().notable;
        assert!(!notable("target-rate=0.3", [3_000, 3_000]) && notable("target-rate=0.5", [3_000, 3_000]));
    }

    #[test]
    fn rates_that_come_together_do_not_go_apart() {
        let rule = Rule { share: 0.2, z: 1.96 };
        assert!(rule.is_further([0.2, 0.2], [0.3, 0.2]) && rule.is_further([0.2, 0.2], [0.2, 0.3]));
        assert!(rule.is_further([0.3, 0.2], [0.2, 0.3]), "the other way round");
        assert!(!rule.is_further([0.36, 0.22], [0.26, 0.21]), "nearer than before");
        assert!(!rule.is_further([0.22, 0.36], [0.21, 0.26]), "nearer than before");
        assert!(!rule.is_further([0.2, 0.2], [0.22, 0.2]), "less than a fifth");
    }

    #[test]
    fn of_false_positives_nobody_is_deprived() {
        let fewer = effect("predictive-equality", 10_000, [6_000, 7_500], [5_000, 5_000]);
        assert!(fewer.helped.is_empty() && fewer.positive_rate.unwrap().notable);
    }
}
