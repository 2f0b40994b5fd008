//! Labels as a bias gives them: Proposition 1 read forwards.
//!
//! Holds [`Problem::biased`], from the probabilities of true labels to those of biased ones, and what a caller
//! needs to draw such labels. A correction reads the same relation backwards. [Jiang & Nachum 2019, Prop. 1]

use super::{Problem, WeightMap};
use crate::constraint::{Constraint, Event, Labelled};
use crate::exact::ExactSum;
use crate::kernel::link::softmax_in_place;
use crate::learner::{Learner, Training, scores};
use crate::{Error, Result};

/// A constraint function of the theory.
pub(super) struct Term<'a> {
    pub(super) constraint: &'a Constraint,
    /// The share of its group among the rows it conditions on.
    share: f64,
    /// The share of the rows it conditions on among all: by so much the mean of its values is less than a difference of rates.
    pub(super) conditioned: f64,
}

impl Problem {
    /// The probabilities of each row's classes by an uncorrected fit, row by row.
    ///
    /// # Errors
    /// What the learner says.
    pub fn probabilities<L: Learner>(&self, learner: &L) -> Result<Vec<f64>> {
        let weights = WeightMap::unweighted(self.cells());
        let training =
            Training { features: self.features(), labels: self.labels(), classes: self.classes(), weights: &weights };
        scores(&learner.fit(training, &mut L::WarmStart::default())?, self.features(), self.classes())
    }

    /// Whether a row is in a group, by its place in [`Problem::group_names`].
    pub fn is_in(&self, row: usize, group: usize) -> bool {
        self.cells().is_in(self.cells().cell_of_row().get(row), group)
    }

    /// `y_bias(·|x) ∝ y_true(·|x) · exp(−Σ_k λ_k c_k(x,·))` for every row, one λ per constraint in the units of the
    /// centred tilt; `truth` holds `y_true(·|x)` row by row.
    ///
    /// # Errors
    /// [`Error::Length`] when there is not one multiplier per constraint, or not one probability per row and class;
    /// [`Error::Setting`] for a multiplier that is not finite.
    pub fn biased(&self, multipliers: &[f64], truth: &[f64]) -> Result<Vec<f64>> {
        let classes = self.classes();
        self.check_multipliers(multipliers)?;
        self.check_probabilities(truth)?;
        let chosen = self.constraints().iter().zip(multipliers).filter(|(_, multiplier)| **multiplier != 0.0);
        let terms: Vec<(Term<'_>, f64)> =
            chosen.map(|(constraint, &multiplier)| (self.term(constraint, truth), multiplier)).collect();
        let mut biased: Vec<f64> = truth.iter().map(|chance| chance.ln()).collect();
        for (row, (logits, truth)) in biased.chunks_mut(classes).zip(truth.chunks(classes)).enumerate() {
            for (term, multiplier) in &terms {
                for (class, logit) in logits.iter_mut().enumerate() {
                    *logit -= multiplier * self.value(term, row, class, truth);
                }
            }
            softmax_in_place(logits);
        }
        Ok(biased)
    }

    /// A constraint function for rows whose true labels have these probabilities.
    pub(super) fn term<'a>(&self, constraint: &'a Constraint, truth: &[f64]) -> Term<'a> {
        let (inside, all) = self.weights_among(constraint, truth);
        Term { constraint, share: inside / all, conditioned: all / self.cells().total_weight() }
    }

    /// c(x, y) of a row and a class, in the units of the centred tilt: times the share of the rows that the constraint conditions on. `truth` holds the
    /// row's `y_true(·|x)`.
    pub(super) fn value(&self, term: &Term<'_>, row: usize, class: usize, truth: &[f64]) -> f64 {
        let Term { constraint, share, .. } = term;
        let [own, compared] = self.memberships(constraint, row);
        let [labelled, others] = [constraint.labelled, constraint.base().1];
        let centre = if constraint.reference.number().is_none() { compared } else { 0.0 };
        let tilt = |own_chance: f64, other_chance: f64| own / share * own_chance - centre * other_chance;
        match constraint.event {
            Event::Predicts(event) if event == class => tilt(among(labelled, truth), among(others, truth)),
            Event::Predicts(_) => 0.0,
            // c(x, y) = y_true(y|x)·(g/Z − 1): predicting y is correct with the probability of y, and wrong otherwise.
            Event::Correct | Event::Wrong => {
                let of = |labelled: Labelled| if labelled.holds(class) { truth[class] } else { 0.0 };
                constraint.event.sign() * tilt(of(labelled), of(others))
            }
        }
    }

    /// Checks that there is a probability for every row and class.
    pub(super) fn check_probabilities(&self, truth: &[f64]) -> Result<()> {
        let expected = self.labels().len() * self.classes();
        if truth.len() == expected {
            return Ok(());
        }
        Err(Error::Length { what: "probabilities", expected, found: truth.len() })
    }

    /// Checks that there is one finite multiplier per constraint.
    ///
    /// # Errors
    /// [`Error::Length`] and [`Error::Setting`] where there is not.
    pub fn check_multipliers(&self, multipliers: &[f64]) -> Result<()> {
        let expected = self.constraints().len();
        if multipliers.len() != expected {
            return Err(Error::Length { what: "multipliers", expected, found: multipliers.len() });
        }
        match multipliers.iter().find(|one| !one.is_finite()) {
            Some(one) => Err(Error::setting("multiplier", one, "a finite number")),
            None => Ok(()),
        }
    }

    /// Whether a row is in the group, and in that of the rows that it is compared with, as numbers.
    fn memberships(&self, constraint: &Constraint, row: usize) -> [f64; 2] {
        [constraint.group, constraint.base().0]
            .map(|group| f64::from(u8::from(group.is_none_or(|group| self.is_in(row, group)))))
    }

    /// The weight of the group among the rows a constraint conditions on, and of all of these, or of those that it is compared with: their ratio is Z in the paper.
    fn weights_among(&self, constraint: &Constraint, truth: &[f64]) -> (f64, f64) {
        let weights = self.cells().row_weights();
        let (mut inside, mut all) = (ExactSum::default(), ExactSum::default());
        for (row, truth) in truth.chunks(self.classes()).enumerate() {
            let weight = weights.as_ref().map_or(1.0, |weights| weights[row]);
            let [own, compared] = self.memberships(constraint, row);
            all.add(weight * compared * among(constraint.base().1, truth));
            inside.add(weight * own * among(constraint.labelled, truth));
        }
        (inside.value(), all.value())
    }
}

/// How probable it is that a row is among those of certain labels: the theory's `y_true(x)` in `c(x,y)`.
fn among(labelled: Labelled, truth: &[f64]) -> f64 {
    match labelled {
        Labelled::Any => 1.0,
        Labelled::As(class) => truth[class],
        Labelled::NotAs(class) => 1.0 - truth[class],
    }
}
