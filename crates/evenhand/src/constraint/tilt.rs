//! From multipliers to weights: the closed form of the paper, and its derivative.
//!
//! `w(x,y) = w̃(x,y) / Σ_y' w̃(x,y')` with `w̃(x,y) = exp(Σ_k λ_k t_k(x,y))`
//! [Jiang & Nachum 2019, Cor. 1 and Thm. 1]. How λ enters the exponent, `t`, is the [`Tilt`];
//! by what `w̃` is divided, the [`WeightRange`].

use std::sync::OnceLock;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::form::{Constraint, Labelled};
use super::functional::Functional;
use crate::cells::Cells;
use crate::exact::{self, Grid};
use crate::kernel::link::softmax;

/// How multipliers enter the exponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Tilt {
    /// Bare membership, `1[x ∈ G]`, as Algorithms 1 and 2 print it. Leaves a free global shift.
    Paper,
    /// The theory's `g/Z − 1`, with Z the share of the group among the rows the constraint
    /// conditions on, so that the tilt averages to zero over them; other rows it leaves alone. A constraint with a fixed
    /// target has no overall rate to be centred on: there it is `g/Z`.
    #[default]
    Centred,
    /// The expectation of the theory's `c(x, y)` given what the learner sees: `P(g|x)/Z − 1`, and for rates among labels
    /// `P(y|x) (P(g|x,y)/Z − 1)`. Where features tell the group it is, for rates among everyone, [`Tilt::Centred`]; where they do not
    /// it is a smooth function of them, which a learner can follow. A number per row, not per cell.
    Expected,
}

/// By what `w̃` is divided. For rates among everyone the weights of one x in different classes have the same ratios either way, up to a factor for
/// each label, which is all that the correction of labels asks; what differs is how much an x counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum WeightRange {
    /// By its sum over classes, as in the paper: weights lie in (0, 1), and saturate.
    #[default]
    Bounded,
    /// By its geometric mean over classes, times their number: weights lie in (0, ∞). Then rows of
    /// each label are scaled to weigh together what they weighed before, so that large multipliers
    /// do not drown one class; but not where multipliers move labels apart (equalized odds).
    Unbounded,
}

/// How multipliers become the weights that a learner is given.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WeightRule {
    /// How multipliers enter the exponent.
    pub tilt: Tilt,
    /// What the exponent is multiplied by (the authors' notebooks have 2 there).
    pub factor: f64,
    /// By what the exponentials are divided.
    pub range: WeightRange,
    /// Whether the learner's weights are relative to those of zero multipliers, so that the
    /// correction does not change how strong the learner's penalty is.
    pub relative: bool,
}

/// What each multiplier adds to each exponent of each place: a cell, or a row where tilts are expectations.
#[derive(Debug, Clone)]
pub(crate) struct TiltTable {
    rule: WeightRule,
    classes: usize,
    labels: Vec<usize>,
    /// The share of each place among all rows.
    shares: Vec<f64>,
    /// Whether places are rows.
    by_row: bool,
    /// Whether places differ in numbers that rates are weighted by.
    by_value: bool,
    /// Per multiplier: (place, class, coefficient).
    entries: Vec<Vec<(usize, usize, f64)>>,
    /// Per multiplier: how much of a step in membership units it takes.
    scales: Vec<f64>,
    /// Whether unbounded weights keep the total of each label.
    keeps_totals: bool,
    gram: OnceLock<Vec<f64>>,
    /// Per multiplier, [`TiltTable::reach`].
    reaches: Vec<OnceLock<f64>>,
}

/// A cell, and the label that its rows have or might have.
type Place = (usize, usize);

impl Tilt {
    /// The rows whose exponents a constraint's multiplier moves, by label: those of the group, and those it is compared with.
    fn driven(self, constraint: &Constraint) -> [Labelled; 2] {
        match self {
            // Algorithm 1 moves all rows, Algorithm 2 those of its own label.
            Self::Paper => [constraint.reweights; 2],
            // `c(x, 1) = g·y/P_G − y/P_X`: nothing where the label is not the one a rate conditions on. [Jiang & Nachum 2019, Sec. 2.2]
            Self::Centred | Self::Expected => [constraint.labelled, constraint.base().1],
        }
    }

    /// What a row adds for a multiplier of 1, by whether it is in the group and among those it is compared with.
    fn coefficient(self, member: bool, compared: bool, share: f64) -> f64 {
        let [member, compared] = [member, compared].map(|is| if is { 1.0 } else { 0.0 });
        match self {
            Self::Paper => member,
            Self::Centred | Self::Expected => member / share - compared,
        }
    }
}

impl WeightRule {
    /// Ours: the centred tilt, weights of 1 for multipliers of zero.
    pub const CENTRED: Self = Self { tilt: Tilt::Centred, factor: 1.0, range: WeightRange::Bounded, relative: true };

    /// What such weights are, in words.
    pub fn describe(&self) -> String {
        let range = match self.range {
            WeightRange::Bounded => "weights between 0 and 1",
            WeightRange::Unbounded => "weights above 0, without an upper limit",
        };
        match self.tilt {
            Tilt::Centred => range.to_owned(),
            Tilt::Paper => format!("{range}, by membership alone, as the paper's algorithms have it"),
            Tilt::Expected => format!("{range}, by how likely features say that a row is in the group"),
        }
    }

    /// What such weights are called in files.
    pub fn name(&self) -> &'static str {
        match (self.tilt, self.range) {
            (Tilt::Centred, WeightRange::Bounded) => "bounded",
            (Tilt::Centred, WeightRange::Unbounded) => "unbounded",
            (Tilt::Paper, WeightRange::Bounded) => "bounded-by-membership",
            (Tilt::Paper, WeightRange::Unbounded) => "unbounded-by-membership",
            (Tilt::Expected, WeightRange::Bounded) => "bounded-by-features",
            (Tilt::Expected, WeightRange::Unbounded) => "unbounded-by-features",
        }
    }
}

impl TiltTable {
    /// Computes what each constraint adds to the exponents of the cells it is bound to.
    pub(crate) fn new(
        constraints: &[Constraint],
        functionals: &[Option<Functional>],
        cells: &Cells,
        rule: WeightRule,
    ) -> Self {
        let places: Vec<Place> = (0..cells.len()).map(|cell| (cell, cells.label(cell))).collect();
        Self::at(&places, constraints, functionals, cells, rule)
    }

    /// The same for each cell and every label that its rows might have, label by label. Totals over rows count rows at
    /// their own label only.
    pub(crate) fn of_every_label(
        constraints: &[Constraint],
        functionals: &[Option<Functional>],
        cells: &Cells,
        rule: WeightRule,
    ) -> Self {
        let every = |cell| (0..cells.classes()).map(move |label| (cell, label));
        let places: Vec<Place> = (0..cells.len()).flat_map(every).collect();
        Self::at(&places, constraints, functionals, cells, rule)
    }

    fn at(
        places: &[Place],
        constraints: &[Constraint],
        functionals: &[Option<Functional>],
        cells: &Cells,
        rule: WeightRule,
    ) -> Self {
        let entries = constraints.iter().zip(functionals).map(|(constraint, functional)| {
            let Some(functional) = functional else { return Vec::new() };
            let ([own, other], factor) = (rule.tilt.driven(constraint), constraint.event.sign() * rule.factor);
            let is_in = |group: Option<usize>, cell| group.is_none_or(|group| cells.is_in(cell, group));
            let centred = constraint.reference.number().is_none();
            let coefficient = |(cell, label)| {
                let member = own.holds(label) && is_in(constraint.group, cell);
                let compared = centred && other.holds(label) && is_in(constraint.base().0, cell);
                let value = cells.value(cell, constraint.weighted_by) / functional.mean_value();
                value * rule.tilt.coefficient(member, compared, functional.share())
            };
            places
                .iter()
                .enumerate()
                .map(|(at, &place)| (at, constraint.event.class(place.1), factor * coefficient(place)))
                .filter(|&(_, _, coefficient)| coefficient != 0.0)
                .collect()
        });
        let share = |&(cell, label): &Place| {
            if label == cells.label(cell) { cells.weight(cell) / cells.total_weight() } else { 0.0 }
        };
        Self {
            rule,
            classes: cells.classes(),
            labels: places.iter().map(|&(_, label)| label).collect(),
            shares: places.iter().map(share).collect(),
            reaches: vec![OnceLock::new(); constraints.len()],
            entries: entries.collect(),
            by_row: false,
            by_value: cells.has_values(),
            scales: scales(rule, functionals),
            keeps_totals: keeps_totals(rule, constraints),
            gram: OnceLock::new(),
        }
    }

    /// With a number per row: `entries` has, per multiplier, (row, class, coefficient).
    pub(crate) fn of_rows(
        entries: Vec<Vec<(usize, usize, f64)>>,
        constraints: &[Constraint],
        functionals: &[Option<Functional>],
        cells: &Cells,
        rule: WeightRule,
    ) -> Self {
        let total = cells.total_weight();
        let own = |row: usize| cells.row_weights().map_or(1.0, |weights| weights[row]);
        let scaled = |mut entries: Vec<(usize, usize, f64)>| {
            for entry in &mut entries {
                entry.2 *= rule.factor;
            }
            entries
        };
        Self {
            rule,
            classes: cells.classes(),
            labels: cells.cell_of_row().iter().map(|cell| cells.label(cell)).collect(),
            shares: (0..cells.rows()).map(|row| own(row) / total).collect(),
            reaches: vec![OnceLock::new(); entries.len()],
            entries: entries.into_iter().map(scaled).collect(),
            by_row: true,
            by_value: cells.has_values(),
            scales: scales(rule, functionals),
            keeps_totals: keeps_totals(rule, constraints),
            gram: OnceLock::new(),
        }
    }

    /// Whether it has a number per row, not per cell.
    pub(crate) fn is_by_row(&self) -> bool {
        self.by_row
    }

    /// The rule it was laid out by.
    pub(crate) fn rule(&self) -> WeightRule {
        self.rule
    }

    /// The same exponents with weights of another range.
    #[must_use]
    pub(crate) fn with_range(mut self, range: WeightRange) -> Self {
        self.rule.range = range;
        self
    }

    /// How many multipliers there are.
    pub(crate) fn multipliers(&self) -> usize {
        self.entries.len()
    }

    /// The scale of a multiplier's step: the group's share Z for the centred tilt.
    ///
    /// `λ (g/Z − 1) = (λ/Z) (g − Z)`: scaled by Z, a step moves the exponent of the group's
    /// own rows by about as much as in the paper's algorithms, however small the group.
    pub(crate) fn scale(&self, multiplier: usize) -> f64 {
        self.scales[multiplier]
    }

    /// The largest coefficient of a multiplier in any exponent. Where tilts are a number per row, or go by numbers that rates are weighted by, one row in a
    /// hundred may have more: single rows whose features are all but a member's, or that count far more, do not limit how far the others go.
    pub(crate) fn reach(&self, multiplier: usize) -> f64 {
        *self.reaches[multiplier].get_or_init(|| self.reach_of(multiplier))
    }

    fn reach_of(&self, multiplier: usize) -> f64 {
        let entries = &self.entries[multiplier];
        if !self.by_row && !self.by_value {
            return entries.iter().fold(0.0, |reach: f64, &(_, _, coefficient)| reach.max(coefficient.abs()));
        }
        let mut sizes: Vec<(f64, f64)> =
            entries.iter().map(|&(row, _, coefficient)| (coefficient.abs(), self.shares[row])).collect();
        let grid = Grid::new(sizes.iter().fold(0.0, |largest: f64, (_, share)| largest.max(*share)), 1);
        // The largest are few: so many are put in front and in order, and twice as many until their shares are enough.
        let mut count = sizes.len() / 32 + 1;
        loop {
            let falling = |one: &(f64, f64), other: &(f64, f64)| other.0.total_cmp(&one.0);
            let front = count.min(sizes.len());
            if front < sizes.len() {
                sizes.select_nth_unstable_by(front, falling);
            }
            sizes[..front].sort_unstable_by(falling);
            let mut beyond = 0;
            let within = sizes[..front].iter().find(|(_, share)| {
                beyond += i128::from(grid.fix(*share));
                grid.float(beyond) >= MOST_BEYOND
            });
            match within {
                Some((size, _)) => return *size,
                None if front == sizes.len() => return 0.0,
                None => count *= 2,
            }
        }
    }

    /// Per multiplier, the mean of its coefficients over the rows of some places.
    pub(crate) fn means(&self, inside: impl Fn(usize) -> bool) -> Vec<f64> {
        let places = (0..self.shares.len()).filter(|&place| inside(place));
        let total = exact::sum(places.map(|place| self.shares[place]));
        let mean = |entries: &Vec<(usize, usize, f64)>| {
            let own = entries.iter().filter(|entry| inside(entry.0));
            exact::sum(own.map(|&(place, _, coefficient)| self.shares[place] * coefficient)) / total
        };
        self.entries.iter().map(mean).collect()
    }

    /// The Gram matrix of the exponents over rows and classes, row by row: `λᵀ·gram·λ` is the mean square of the
    /// exponents of multipliers λ.
    pub(crate) fn gram(&self) -> &[f64] {
        self.gram.get_or_init(|| self.products())
    }

    /// The mean square of the exponents of some multipliers, `λᵀGλ`.
    pub(crate) fn mean_square(&self, multipliers: &[f64]) -> f64 {
        multipliers.iter().zip(self.mean_exponents(multipliers)).map(|(multiplier, mean)| multiplier * mean).sum()
    }

    /// The mean exponent of some multipliers among the rows of each constraint's group that its rate conditions on, `Gλ`: tilts are
    /// centred, so that a mean product with one is a mean over its group.
    pub(crate) fn mean_exponents(&self, multipliers: &[f64]) -> Vec<f64> {
        let rows = self.gram().chunks(multipliers.len().max(1));
        rows.map(|row| row.iter().zip(multipliers).map(|(entry, multiplier)| entry * multiplier).sum()).collect()
    }

    fn products(&self) -> Vec<f64> {
        let count = self.entries.len();
        let below: Vec<Vec<f64>> = (0..count).into_par_iter().map(|row| self.products_below(row)).collect();
        let entry = |at: usize| below[(at / count).max(at % count)][(at / count).min(at % count)];
        (0..count * count).map(entry).collect()
    }

    /// A row of the Gram matrix, up to its diagonal.
    fn products_below(&self, row: usize) -> Vec<f64> {
        let mut dense = vec![0.0; self.labels.len() * self.classes];
        for &(cell, class, coefficient) in &self.entries[row] {
            dense[cell * self.classes + class] = coefficient * self.shares[cell];
        }
        let product = |&(cell, class, other): &(usize, usize, f64)| dense[cell * self.classes + class] * other;
        let mut products = Vec::new();
        let sum = |others: &Vec<(usize, usize, f64)>| {
            products.clear();
            products.extend(others.iter().map(product));
            exact::sum_of(&products)
        };
        self.entries[..=row].iter().map(sum).collect()
    }

    /// The exponents `Σ_k λ_k t_k`, cell by cell, a number per class.
    pub(crate) fn exponents(&self, multipliers: &[f64]) -> Vec<f64> {
        let mut exponents = vec![0.0; self.labels.len() * self.classes];
        for (entries, multiplier) in self.entries.iter().zip(multipliers) {
            for &(cell, class, coefficient) in entries {
                exponents[cell * self.classes + class] += multiplier * coefficient;
            }
        }
        exponents
    }

    /// The weight of each cell in the closed form, at its own label.
    pub(crate) fn weights(&self, multipliers: &[f64]) -> Vec<f64> {
        let exponents = self.exponents(multipliers);
        let weight = |(exponents, &label): (&[f64], &usize)| {
            let own = exponents[label];
            // Differences from the own exponent are capped before exp overflows, so that a weight is never zero.
            let differences = exponents.iter().map(|other| (other - own).min(CAP));
            match self.rule.range {
                WeightRange::Bounded => differences.map(f64::exp).sum::<f64>().recip(),
                WeightRange::Unbounded => {
                    let mean = differences.sum::<f64>() / self.classes as f64;
                    (-mean).min(CAP).exp() / self.classes as f64
                }
            }
        };
        let mut weights: Vec<f64> = exponents.chunks(self.classes).zip(&self.labels).map(weight).collect();
        if self.rule.range == WeightRange::Unbounded && self.keeps_totals {
            let means = self.label_means(&weights);
            for (weight, &label) in weights.iter_mut().zip(&self.labels) {
                *weight /= means[label] * self.classes as f64;
            }
        }
        weights
    }

    /// The mean over the rows of each label of a number per cell.
    fn label_means(&self, values: &[f64]) -> Vec<f64> {
        let mean = |class: usize| {
            let own = || values.iter().zip(&self.shares).zip(&self.labels).filter(move |(_, label)| **label == class);
            let share = exact::sum(own().map(|((_, share), _)| *share));
            if share > 0.0 { exact::sum(own().map(|((value, share), _)| share * value)) / share } else { 1.0 }
        };
        (0..self.classes).map(mean).collect()
    }

    /// What weights of the closed form are multiplied by for the learner.
    pub(crate) fn learner_scale(&self) -> f64 {
        if self.rule.relative { self.classes as f64 } else { 1.0 }
    }

    /// The derivative of each cell's weight with respect to each multiplier.
    pub(crate) fn slopes(&self, multipliers: &[f64]) -> Vec<Vec<f64>> {
        let (weights, exponents) = (self.weights(multipliers), self.exponents(multipliers));
        let shares: Vec<f64> = match self.rule.range {
            WeightRange::Bounded => exponents.chunks(self.classes).flat_map(softmax).collect(),
            WeightRange::Unbounded => vec![1.0 / self.classes as f64; exponents.len()],
        };
        let slope = |entries: &Vec<(usize, usize, f64)>| {
            let mut slope = vec![0.0; self.labels.len()];
            for &(cell, class, coefficient) in entries {
                let own = if self.labels[cell] == class { 1.0 } else { 0.0 };
                slope[cell] += weights[cell] * coefficient * (own - shares[cell * self.classes + class]);
            }
            if self.rule.range == WeightRange::Unbounded && self.keeps_totals {
                // Where totals are kept, the mean weight of a label is constant.
                let (up, mean) = (self.label_means(&slope), self.label_means(&weights));
                for ((slope, weight), &label) in slope.iter_mut().zip(&weights).zip(&self.labels) {
                    *slope -= weight * up[label] / mean[label];
                }
            }
            slope
        };
        self.entries.iter().map(slope).collect()
    }
}

/// Per multiplier: how much of a step in membership units it takes.
fn scales(rule: WeightRule, functionals: &[Option<Functional>]) -> Vec<f64> {
    let scale = |functional: &Option<Functional>| match (rule.tilt, functional) {
        (Tilt::Centred | Tilt::Expected, Some(functional)) => functional.share(),
        _ => 1.0,
    };
    functionals.iter().map(scale).collect()
}

/// Whether unbounded weights keep the total of each label: unless multipliers move labels apart.
fn keeps_totals(rule: WeightRule, constraints: &[Constraint]) -> bool {
    constraints.iter().all(|constraint| rule.tilt.driven(constraint) == [Labelled::Any; 2])
}

/// The share of rows whose tilt may be beyond the reach of a multiplier.
const MOST_BEYOND: f64 = 0.01;

/// The cap on differences of exponents: exp overflows f64 above ~709.78.
const CAP: f64 = 700.0;
