//! Proposition 1 as a model of observed labels, row by row.
//!
//! Holds [`BiasModel`]: how true probabilities p and multipliers λ make those of observed labels,
//! `q(y|x) ∝ p(y|x) · exp(−Σ_k λ_k t_k(x, y))`, where a constraint that conditions on labels has p itself in its tilt, with the derivatives of q, and of the
//! rates that must be even, in the margins of p. [Jiang & Nachum 2019, Prop. 1 and Sec. 3]

use crate::constraint::{Constraint, Event, Labelled};
use crate::kernel::link::softmax_in_place;

/// What one constraint counts among which rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Term {
    event: Event,
    /// The labels of its rows, and of those that they are a share of.
    labelled: [Labelled; 2],
    /// The number that its rate is compared with; without one the rate of the rows that its own are a share of.
    pub(super) target: Option<f64>,
}

/// The constraints of a bias, and how many classes there are.
#[derive(Debug, Clone)]
pub(super) struct BiasModel {
    pub(super) classes: usize,
    pub(super) terms: Vec<Term>,
}

/// What a row is to each constraint: how much it is in the group, and among the rows that the group is a share of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member<'a> {
    pub(super) own: &'a [f64],
    pub(super) base: &'a [f64],
}

/// What all rows tell of each constraint, at some true probabilities.
#[derive(Debug, Clone, Default)]
pub(super) struct Totals {
    /// Of the group and of the rows it is a share of: the weight of those with the labels asked for.
    pub(super) weights: Vec<[f64; 2]>,
    /// The rate of what is counted among either.
    pub(super) rates: Vec<[f64; 2]>,
    /// The share Z by which tilts are scaled.
    pub(super) shares: Vec<f64>,
}

/// One row at some margins. Matrices have a row per class or constraint and a column per margin.
#[derive(Debug, Clone)]
pub(super) struct Row {
    classes: usize,
    /// The class that each margin belongs to.
    margin_classes: Vec<usize>,
    /// True probabilities.
    pub(super) truth: Vec<f64>,
    /// Probabilities of observed labels.
    pub(super) observed: Vec<f64>,
    /// Per constraint, what a multiplier of 1 adds to the exponent of each class.
    pub(super) tilts: Vec<f64>,
    /// The exponents, and their derivatives in the margins.
    pub(super) exponents: Vec<f64>,
    pub(super) exponent_slopes: Vec<f64>,
    /// The derivatives of the log odds of observed labels in the margins.
    slopes: Vec<f64>,
    /// The same, centred and times the probability.
    centred: Vec<f64>,
}

impl Term {
    pub(super) fn of(constraint: &Constraint) -> Self {
        Self {
            event: constraint.event,
            labelled: [constraint.labelled, constraint.base().1],
            target: constraint.reference.number(),
        }
    }

    /// Whether its tilt has the true probabilities in it.
    pub(super) fn is_about_truth(&self) -> bool {
        self.labelled != [Labelled::Any; 2] || !matches!(self.event, Event::Predicts(_))
    }

    /// How much of a row has the labels asked for, and how much of that is counted.
    fn counted(&self, side: usize, truth: &[f64]) -> [f64; 2] {
        let labelled = self.labelled[side];
        let weight = among(labelled, truth);
        let right =
            || truth.iter().enumerate().filter(|(class, _)| labelled.holds(*class)).map(|(_, p)| p * p).sum::<f64>();
        let counted = match self.event {
            Event::Predicts(class) => weight * truth[class],
            Event::Correct => right(),
            Event::Wrong => {
                truth.iter().enumerate().filter(|(class, _)| labelled.holds(*class)).map(|(_, p)| p).sum::<f64>()
                    - right()
            }
        };
        [weight, counted]
    }
}

/// The true probability of certain labels.
fn among(labelled: Labelled, truth: &[f64]) -> f64 {
    match labelled {
        Labelled::Any => 1.0,
        Labelled::As(class) => truth[class],
        Labelled::NotAs(class) => 1.0 - truth[class],
    }
}

impl BiasModel {
    /// How many margins a row has.
    pub(super) fn margins(&self) -> usize {
        if self.classes == 2 { 1 } else { self.classes }
    }

    /// What a row adds to sums of [`Totals`]: per constraint and side, the weight and what is counted of it. `add` has their places.
    pub(super) fn add_totals(&self, truth: &[f64], member: Member<'_>, weight: f64, mut add: impl FnMut(usize, f64)) {
        for (at, term) in self.terms.iter().enumerate() {
            for (side, is) in [member.own[at], member.base[at]].into_iter().enumerate() {
                let [of, counted] = term.counted(side, truth);
                add(4 * at + 2 * side, weight * is * of);
                add(4 * at + 2 * side + 1, weight * is * counted);
            }
        }
    }

    /// The totals of such sums; shares that do not depend on the truth are given.
    pub(super) fn totals(&self, sums: &[[[f64; 2]; 2]], shares: &[f64]) -> Totals {
        let rate = |sums: [f64; 2]| sums[1] / sums[0];
        let share = |(at, term): (usize, &Term)| {
            if term.is_about_truth() { sums[at][0][0] / sums[at][1][0] } else { shares[at] }
        };
        Totals {
            weights: sums.iter().map(|sums| [sums[0][0], sums[1][0]]).collect(),
            rates: sums.iter().map(|sums| [rate(sums[0]), rate(sums[1])]).collect(),
            shares: self.terms.iter().enumerate().map(share).collect(),
        }
    }

    /// Reference minus group rate of each constraint.
    pub(super) fn violations(&self, totals: &Totals) -> Vec<f64> {
        let violation = |(term, rates): (&Term, &[f64; 2])| term.target.unwrap_or(rates[1]) - rates[0];
        self.terms.iter().zip(&totals.rates).map(violation).collect()
    }
}

impl Row {
    pub(super) fn new(model: &BiasModel) -> Self {
        let (classes, margins, terms) = (model.classes, model.margins(), model.terms.len());
        Self {
            classes,
            margin_classes: if classes == 2 { vec![1] } else { (0..classes).collect() },
            truth: vec![0.0; classes],
            observed: vec![0.0; classes],
            tilts: vec![0.0; terms * classes],
            exponents: vec![0.0; classes],
            exponent_slopes: vec![0.0; classes * margins],
            slopes: vec![0.0; classes * margins],
            centred: vec![0.0; classes * margins],
        }
    }

    /// The true probabilities at some margins.
    pub(super) fn set_truth(&mut self, margins: impl Iterator<Item = f64>) {
        if self.classes == 2 {
            self.truth[0] = 0.0;
        }
        for (&class, margin) in self.margin_classes.iter().zip(margins) {
            self.truth[class] = margin;
        }
        self.observed.copy_from_slice(&self.truth);
        softmax_in_place(&mut self.truth);
    }

    /// The derivative of a true probability in a margin.
    fn slope(&self, class: usize, margin: usize) -> f64 {
        let own = self.margin_classes[margin];
        self.truth[class] * (f64::from(u8::from(class == own)) - self.truth[own])
    }

    /// The derivative of [`among`] in a margin.
    fn among_slope(&self, labelled: Labelled, margin: usize) -> f64 {
        match labelled {
            Labelled::Any => 0.0,
            Labelled::As(class) => self.slope(class, margin),
            Labelled::NotAs(class) => -self.slope(class, margin),
        }
    }

    /// Everything at some margins and multipliers.
    pub(super) fn set(
        &mut self,
        model: &BiasModel,
        margins: impl Iterator<Item = f64>,
        member: Member<'_>,
        shares: &[f64],
        multipliers: &[f64],
    ) {
        self.set_truth(margins);
        let count = model.margins();
        self.tilts.fill(0.0);
        self.exponents.fill(0.0);
        self.exponent_slopes.fill(0.0);
        for (at, (term, &multiplier)) in model.terms.iter().zip(multipliers).enumerate() {
            let centre = if term.target.is_none() { member.base[at] } else { 0.0 };
            let scaled = [member.own[at] / shares[at], -centre];
            match term.event {
                Event::Predicts(class) => {
                    let of = |of: &dyn Fn(Labelled) -> f64| -> f64 {
                        scaled.iter().zip(term.labelled).map(|(scaled, labelled)| scaled * of(labelled)).sum()
                    };
                    let tilt = of(&|labelled| among(labelled, &self.truth));
                    for margin in 0..count {
                        let slope = of(&|labelled| self.among_slope(labelled, margin));
                        self.exponent_slopes[class * count + margin] += multiplier * slope;
                    }
                    self.add_tilt(at, class, multiplier, tilt);
                }
                Event::Correct | Event::Wrong => {
                    for class in 0..self.classes {
                        let holds = scaled.iter().zip(term.labelled).filter(|(_, labelled)| labelled.holds(class));
                        let scale = term.event.sign() * holds.map(|(scaled, _)| scaled).sum::<f64>();
                        for margin in 0..count {
                            self.exponent_slopes[class * count + margin] +=
                                multiplier * scale * self.slope(class, margin);
                        }
                        self.add_tilt(at, class, multiplier, scale * self.truth[class]);
                    }
                }
            }
        }
        self.set_observed(count);
    }

    fn add_tilt(&mut self, at: usize, class: usize, multiplier: f64, tilt: f64) {
        self.tilts[at * self.classes + class] = tilt;
        self.exponents[class] += multiplier * tilt;
    }

    /// Observed probabilities, of which the logits of the truth are in place, and their derivatives.
    fn set_observed(&mut self, count: usize) {
        for (observed, exponent) in self.observed.iter_mut().zip(&self.exponents) {
            *observed -= exponent;
        }
        softmax_in_place(&mut self.observed);
        for margin in 0..count {
            let own = self.margin_classes[margin];
            let mut mean = 0.0;
            for class in 0..self.classes {
                let place = class * count + margin;
                self.slopes[place] = f64::from(u8::from(class == own)) - self.exponent_slopes[place];
                mean += self.observed[class] * self.slopes[place];
            }
            for class in 0..self.classes {
                let place = class * count + margin;
                self.centred[place] = self.observed[class] * (self.slopes[place] - mean);
            }
        }
    }

    /// The derivative of the log loss of a label in a margin.
    pub(super) fn residual(&self, label: usize, margin: usize) -> f64 {
        let count = self.margin_classes.len();
        let mean: f64 = (0..self.classes).map(|class| self.observed[class] * self.slopes[class * count + margin]).sum();
        mean - self.slopes[label * count + margin]
    }

    /// The expected second derivative of that loss in two margins.
    pub(super) fn information(&self, one: usize, other: usize) -> f64 {
        let count = self.margin_classes.len();
        (0..self.classes).map(|class| self.slopes[class * count + one] * self.centred[class * count + other]).sum()
    }

    /// The expected derivative of a residual with respect to a multiplier.
    pub(super) fn residual_slope(&self, term: usize, margin: usize) -> f64 {
        let (count, tilts) = (self.margin_classes.len(), &self.tilts[term * self.classes..][..self.classes]);
        -(0..self.classes).map(|class| tilts[class] * self.centred[class * count + margin]).sum::<f64>()
    }

    /// The covariance of two tilts under the observed labels.
    pub(super) fn tilt_product(&self, one: usize, other: usize) -> f64 {
        let [one, other] = [one, other].map(|term| &self.tilts[term * self.classes..][..self.classes]);
        let mean: f64 = self.observed.iter().zip(other).map(|(q, tilt)| q * tilt).sum();
        self.observed.iter().zip(one).zip(other).map(|((q, one), other)| q * one * (other - mean)).sum()
    }

    /// By how much a row moves the violation of a constraint, beyond what its weight does.
    pub(super) fn violation_part(&self, model: &BiasModel, totals: &Totals, member: Member<'_>, at: usize) -> f64 {
        let term = &model.terms[at];
        let part = |side: usize, is: f64| {
            let [weight, counted] = term.counted(side, &self.truth);
            is * (counted - totals.rates[at][side] * weight) / totals.weights[at][side]
        };
        let base = if term.target.is_none() { part(1, member.base[at]) } else { 0.0 };
        base - part(0, member.own[at])
    }

    /// The derivative of the violation of a constraint in a margin of the row.
    pub(super) fn violation_slope(
        &self,
        model: &BiasModel,
        totals: &Totals,
        member: Member<'_>,
        at: usize,
        margin: usize,
    ) -> f64 {
        let term = &model.terms[at];
        let part = |side: usize, is: f64| {
            let labelled = term.labelled[side];
            let weight = self.among_slope(labelled, margin);
            let squares = || {
                let of = |class: usize| 2.0 * self.truth[class] * self.slope(class, margin);
                (0..self.classes).filter(|class| labelled.holds(*class)).map(of).sum::<f64>()
            };
            let counted = match term.event {
                Event::Predicts(class) => {
                    weight * self.truth[class] + among(labelled, &self.truth) * self.slope(class, margin)
                }
                Event::Correct => squares(),
                Event::Wrong => {
                    let of = |class| self.slope(class, margin);
                    (0..self.classes).filter(|class| labelled.holds(*class)).map(of).sum::<f64>() - squares()
                }
            };
            is * (counted - totals.rates[at][side] * weight) / totals.weights[at][side]
        };
        let base = if term.target.is_none() { part(1, member.base[at]) } else { 0.0 };
        base - part(0, member.own[at])
    }

    /// How far the exponent of a class is above the mean of the others: what the bias did to its log odds.
    pub(super) fn contrast(&self, values: &[f64], class: usize) -> f64 {
        let total: f64 = values.iter().sum();
        values[class] - (total - values[class]) / (self.classes - 1) as f64
    }

    /// The same of the derivative of exponents in a margin.
    pub(super) fn contrast_slope(&self, class: usize, margin: usize) -> f64 {
        let count = self.margin_classes.len();
        let slope = |class: usize| self.exponent_slopes[class * count + margin];
        let total: f64 = (0..self.classes).map(slope).sum();
        slope(class) - (total - slope(class)) / (self.classes - 1) as f64
    }

    /// The determinant of the derivatives of observed log odds in true ones: where it is not positive, two truths make the same observed labels.
    pub(super) fn determinant(&self) -> f64 {
        let count = self.margin_classes.len();
        if count == 1 {
            return self.slopes[1] - self.slopes[0];
        }
        let mut matrix = self.slopes.clone();
        let mut determinant = 1.0;
        for step in 0..count {
            let largest = |&one: &usize, &other: &usize| {
                matrix[one * count + step].abs().total_cmp(&matrix[other * count + step].abs())
            };
            let pivot = (step..count).max_by(largest).unwrap_or(step);
            if pivot != step {
                (0..count).for_each(|column| matrix.swap(pivot * count + column, step * count + column));
                determinant = -determinant;
            }
            let head = matrix[step * count + step];
            determinant *= head;
            if head == 0.0 {
                return 0.0;
            }
            for row in step + 1..count {
                let factor = matrix[row * count + step] / head;
                (step..count).for_each(|column| matrix[row * count + column] -= factor * matrix[step * count + column]);
            }
        }
        determinant
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BIAS: [(Event, Labelled, Option<f64>); 6] = [
        (Event::Predicts(1), Labelled::Any, None),
        (Event::Predicts(1), Labelled::As(1), None),
        (Event::Predicts(1), Labelled::NotAs(1), None),
        (Event::Predicts(0), Labelled::Any, Some(0.2)),
        (Event::Correct, Labelled::Any, None),
        (Event::Wrong, Labelled::As(0), None),
    ];

    fn model(classes: usize) -> BiasModel {
        let term = |(event, labelled, target)| Term { event, labelled: [labelled, Labelled::Any], target };
        BiasModel { classes, terms: BIAS.into_iter().map(term).collect() }
    }

    const OWN: [f64; 6] = [1.0, 0.0, 1.0, 1.0, 1.0, 0.3];
    const BASE: [f64; 6] = [1.0, 1.0, 0.0, 1.0, 1.0, 1.0];
    const SHARES: [f64; 6] = [0.4, 0.5, 0.7, 0.3, 0.6, 0.2];
    const LAMBDA: [f64; 6] = [0.3, -0.4, 0.5, 0.2, -0.3, 0.1];

    fn at(model: &BiasModel, margins: &[f64], multipliers: &[f64]) -> Row {
        let mut row = Row::new(model);
        row.set(model, margins.iter().copied(), Member { own: &OWN, base: &BASE }, &SHARES, multipliers);
        row
    }

    /// Central differences of a function of one row in each of its margins.
    fn differences(model: &BiasModel, margins: &[f64], of: impl Fn(&Row) -> f64) -> Vec<f64> {
        let moved = |at_margin: usize, by: f64| {
            let mut there = margins.to_vec();
            there[at_margin] += by;
            of(&at(model, &there, &LAMBDA))
        };
        (0..margins.len()).map(|margin| (moved(margin, 1e-5) - moved(margin, -1e-5)) / 2e-5).collect()
    }

    #[test]
    fn derivatives_match_finite_differences() {
        for margins in [&[0.4][..], &[0.2, -0.5, 0.9]] {
            let model = model(if margins.len() == 1 { 2 } else { 3 });
            let here = at(&model, margins, &LAMBDA);
            for label in 0..model.classes {
                for (margin, slope) in differences(&model, margins, |row| -row.observed[label].ln()).iter().enumerate()
                {
                    assert!((slope - here.residual(label, margin)).abs() < 1e-8, "label {label}");
                }
            }
            let totals = Totals { weights: vec![[7.0, 9.0]; 6], rates: vec![[0.3, 0.45]; 6], shares: SHARES.to_vec() };
            let member = Member { own: &OWN, base: &BASE };
            for term in 0..6 {
                let part = |row: &Row| row.violation_part(&model, &totals, member, term);
                for (margin, slope) in differences(&model, margins, part).iter().enumerate() {
                    let ours = here.violation_slope(&model, &totals, member, term, margin);
                    assert!((slope - ours).abs() < 1e-9, "{term} {margin}: {slope} {ours}");
                }
            }
            for (margin, slope) in
                differences(&model, margins, |row| row.contrast(&row.exponents, 1)).iter().enumerate()
            {
                assert!((slope - here.contrast_slope(1, margin)).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn information_is_the_covariance_of_residuals_under_observed_labels() {
        let model = model(3);
        let here = at(&model, &[0.2, -0.5, 0.9], &LAMBDA);
        let expected = |of: &dyn Fn(usize) -> f64| (0..3).map(|label| here.observed[label] * of(label)).sum::<f64>();
        for one in 0..3 {
            assert!(expected(&|label| here.residual(label, one)).abs() < 1e-12);
            for other in 0..3 {
                let product = expected(&|label| here.residual(label, one) * here.residual(label, other));
                assert!((product - here.information(one, other)).abs() < 1e-12);
            }
            // The score of a multiplier is its tilt at the label, centred.
            for term in 0..6 {
                let tilts = &here.tilts[term * 3..][..3];
                let mean = expected(&|label| tilts[label]);
                let product = expected(&|label| here.residual(label, one) * (tilts[label] - mean));
                assert!((product - here.residual_slope(term, one)).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn no_multipliers_leave_the_truth() {
        for margins in [&[0.4][..], &[0.2, -0.5, 0.9]] {
            let row = at(&model(margins.len().max(2)), margins, &[0.0; 6]);
            assert!(row.truth.iter().zip(&row.observed).all(|(truth, observed)| (truth - observed).abs() < 1e-15));
            assert!((row.determinant() - 1.0).abs() < 1e-12);
        }
    }
}
