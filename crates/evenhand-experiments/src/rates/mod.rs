//! Theorems 2 and 3 of the paper, shown: how fast a classifier that is trained on biased labels with weights comes near the truth.
//!
//! `population` draws people whose truth is known, `lipschitz` fits least squares over Lipschitz functions of one number as the theorem has it,
//! `neighbours` is the learner elsewhere, `multipliers` finds the bias, `slope` says how fast errors fall. Holds [`RatesExperiment`], which
//! puts one sample to them. Errors are root mean squares: the paper writes ‖·‖₂ for a mean square and states `n^(−1/(4+2D))`; its proof has
//! `n^(−1/(2+D))` for the mean square, and so the stated rate for its root. [Jiang & Nachum 2019, Thms. 2 and 3]

mod lipschitz;
mod multipliers;
mod neighbours;
mod population;
mod slope;

pub use population::{RATES_MULTIPLIERS, RatesPopulation};
pub use slope::log_log_slope;

use serde::{Deserialize, Serialize};

use lipschitz::LipschitzFit;
use multipliers::even_scores;
use neighbours::{Candidates, Counts, Tree, variance_of_mean, weighted_mean};
use population::{REGIONS, Sample, exponents, generator, group_shares};

/// People that a classifier is evaluated on, by their true probabilities.
const EVALUATED_ON: usize = 2_000;

/// Of the training rows, so many choose the number of neighbours and tell mean scores, each without its own label.
const LEFT_OUT: usize = 4_000;

/// At least 2³ neighbours: fewer do not tell a variance.
const LEAST_LEVEL: usize = 3;

/// Searches count 2⁶ neighbours at first.
const FIRST_LEVELS: usize = 6;

/// One sample of a population.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RatesExperiment {
    /// The population.
    pub population: RatesPopulation,
    /// How many rows to train on.
    pub rows: usize,
    /// The number of the draw: the same number, the same sample.
    pub draw: u64,
}

/// How far classifiers are from the truth, as root mean squares over people, by the weights they were trained with.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RatesErrors {
    /// The weights of Proposition 1, with the multipliers that the labels were biased by.
    pub known: f64,
    /// With multipliers that were found by evening out mean scores.
    pub found: f64,
    /// No weights.
    pub none: f64,
    /// The multipliers that were found.
    pub multipliers: [f64; 2],
}

impl RatesExperiment {
    /// Draws rows, trains with all weights, and evaluates on other people.
    pub fn run(&self) -> RatesErrors {
        let mut random = generator(self.population, self.rows, self.draw);
        let train = self.population.draw(self.rows, &mut random);
        let test = self.population.draw(EVALUATED_ON, &mut random);
        if self.population == RatesPopulation::Line { on_line(&train, &test) } else { by_neighbours(&train, &test) }
    }
}

/// The exponents of the three kinds of weights.
fn all_exponents(found: [f64; 2], shares: [f64; REGIONS]) -> [[f64; REGIONS]; 3] {
    let known = exponents(RATES_MULTIPLIERS, group_shares([1.0 / REGIONS as f64; REGIONS]));
    [known, exponents(found, group_shares(shares)), [0.0; REGIONS]]
}

/// The root mean square distance from the truth.
fn error(test: &Sample, score: impl Fn(usize) -> f64) -> f64 {
    let square = |(row, truth): (usize, &f64)| (score(row) - truth).powi(2);
    (test.truths.iter().enumerate().map(square).sum::<f64>() / test.truths.len() as f64).sqrt()
}

/// Least squares over all functions of twice the Lipschitz constant of the probabilities. [Thm. 2]
fn on_line(train: &Sample, test: &Sample) -> RatesErrors {
    let mut order: Vec<usize> = (0..train.labels.len()).collect();
    order.sort_by(|&one, &other| train.places[one].total_cmp(&train.places[other]));
    let places: Vec<f64> = order.iter().map(|&row| train.places[row]).collect();
    let labels: Vec<bool> = order.iter().map(|&row| train.labels[row]).collect();
    let regions: Vec<usize> = order.iter().map(|&row| usize::from(train.regions[row])).collect();
    let lipschitz = 2.0 * RatesPopulation::lipschitz();
    let fit = |exponents: [f64; REGIONS]| {
        let weights = exponents.map(|exponent| [population::logistic(-exponent), population::logistic(exponent)]);
        LipschitzFit::new(&places, &labels, |row| weights[regions[row]][usize::from(labels[row])], lipschitz)
    };
    let shares = train.shares();
    let found = even_scores(shares, |exponents| {
        let mut sums = [0.0; REGIONS];
        for (value, &region) in fit(exponents).values().iter().zip(&regions) {
            sums[region] += value;
        }
        std::array::from_fn(|region| sums[region] / (shares[region] * regions.len() as f64))
    });
    let [known, found_error, none] = all_exponents(found, shares).map(|exponents| {
        let fitted = fit(exponents);
        error(test, |row| fitted.at(test.places[row]))
    });
    RatesErrors { known, found: found_error, none, multipliers: found }
}

/// Means over nearest neighbours, as many as tell no other probability than half of them do: neither a dimension nor a constant is told.
fn by_neighbours(train: &Sample, test: &Sample) -> RatesErrors {
    let (tree, shares) = (Tree::new(train), train.shares());
    // In the order of the tree rows that are near are together, so that every so many of them are spread evenly over the population.
    let count = LEFT_OUT.min(tree.rows());
    let left_out: Vec<usize> = (0..count).map(|at| at * tree.rows() / count).collect();
    let mut levels = FIRST_LEVELS;
    let (found, chosen) = loop {
        let (found, chosen) = LeftOut::new(&tree, &left_out, levels).choose(shares);
        // Beyond a quarter of all rows there is nothing to choose between.
        if chosen.iter().all(|level| *level < levels) || 4 << levels > tree.rows() {
            break (found, chosen);
        }
        levels += 2;
    };
    let levels = chosen.into_iter().max().unwrap_or_default();
    let mut candidates = Candidates::default();
    let place = |row: usize| &test.places[row * test.dimensions..(row + 1) * test.dimensions];
    let counts: Vec<Vec<Counts>> =
        (0..test.truths.len()).map(|row| tree.counts(place(row), levels, None, &mut candidates)).collect();
    let weights = all_exponents(found, shares);
    let errors: [f64; 3] =
        std::array::from_fn(|which| error(test, |row| weighted_mean(&counts[row][chosen[which]], weights[which])));
    RatesErrors { known: errors[0], found: errors[1], none: errors[2], multipliers: found }
}

/// Rows that are left out one by one, with the counts of their neighbours by level.
struct LeftOut<'a> {
    tree: &'a Tree,
    rows: &'a [usize],
    counts: Vec<Vec<Counts>>,
}

impl<'a> LeftOut<'a> {
    fn new(tree: &'a Tree, rows: &'a [usize], levels: usize) -> Self {
        let mut candidates = Candidates::default();
        let count = |&row: &usize| tree.counts(tree.place(row), levels, Some(row), &mut candidates);
        Self { tree, rows, counts: rows.iter().map(count).collect() }
    }

    /// The multipliers found, and for all three kinds of weights how many neighbours to take, as a level.
    fn choose(&self, shares: [f64; REGIONS]) -> ([f64; 2], [usize; 3]) {
        // Multipliers depend on the number of neighbours, and that on them: twice around is enough.
        let mut level = self.level([0.0; REGIONS]);
        let mut found = self.multipliers(level, shares);
        level = self.level(exponents(found, group_shares(shares)));
        found = self.multipliers(level, shares);
        (found, all_exponents(found, shares).map(|exponents| self.level(exponents)))
    }

    fn multipliers(&self, level: usize, shares: [f64; REGIONS]) -> [f64; 2] {
        even_scores(shares, |exponents| {
            let (mut sums, mut counts) = ([0.0; REGIONS], [0.0; REGIONS]);
            for (&row, of_levels) in self.rows.iter().zip(&self.counts) {
                let region = self.tree.region(row);
                sums[region] += weighted_mean(&of_levels[level], exponents);
                counts[region] += 1.0;
            }
            std::array::from_fn(|region| sums[region] / counts[region])
        })
    }

    /// Doubles the number of neighbours as long as that changes scores by no more than their variance: a bias that is larger than chance shows as
    /// a larger change. It finds about the best number without being told how smooth the truth is, or in how many dimensions. [Lepskiĭ 1991]
    fn level(&self, exponents: [f64; REGIONS]) -> usize {
        let last = self.counts.first().map_or(0, |levels| levels.len() - 1);
        let is_within_chance = |level: &usize| {
            let (mut change, mut variance) = (0.0, 0.0);
            for of_levels in &self.counts {
                let [score, wider] = [*level, level + 1].map(|level| weighted_mean(&of_levels[level], exponents));
                change += (wider - score).powi(2);
                variance += variance_of_mean(&of_levels[*level], exponents, score);
            }
            change <= variance
        };
        (LEAST_LEVEL..last).find(|level| !is_within_chance(level)).unwrap_or(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand::correction::{Problem, Silent};
    use evenhand::data::Codes;
    use evenhand::features::Features;
    use evenhand::learner::{FnLearner, FnPredictor, Training};
    use evenhand::{Correction, Measure, Membership, Notion};

    fn mean(population: RatesPopulation, rows: usize, error: fn(&RatesErrors) -> f64) -> f64 {
        let run = |draw| error(&RatesExperiment { population, rows, draw }.run());
        (1..=4).map(run).sum::<f64>() / 4.0
    }

    #[test]
    fn errors_fall_with_weights_as_guaranteed_and_stay_without() {
        for population in RatesPopulation::ALL {
            let of = |error: fn(&RatesErrors) -> f64| [1_000, 10_000].map(|rows| mean(population, rows, error));
            let slope = |[few, many]: [f64; 2]| (many / few).log10();
            let (known, found, none) = (of(|one| one.known), of(|one| one.found), of(|one| one.none));
            // Seeds are fixed; slopes of four draws have standard errors of about 0.03, and are a tenth and more below what is guaranteed.
            for errors in [known, found] {
                assert!(slope(errors) < population.guaranteed_slope(), "{population:?}: {errors:?}");
            }
            assert!(none[1] > 0.18 && none[1] > 1.5 * known[1], "{population:?}: {none:?} {known:?}");
        }
    }

    #[test]
    fn the_same_draw_is_the_same_to_the_last_bit() {
        for population in RatesPopulation::ALL {
            let experiment = RatesExperiment { population, rows: 1_500, draw: 3 };
            assert_eq!(experiment.run(), experiment.run());
            assert_ne!(experiment.run(), RatesExperiment { draw: 4, ..experiment }.run());
        }
    }

    /// What is found here is what a correction of Evenhand finds around the same learner.
    #[test]
    fn the_solver_of_corrections_finds_the_same_multipliers() {
        let (population, rows) = (RatesPopulation::Line, 2_000);
        let sample = population.draw(rows, &mut generator(population, rows, 1));
        let found = on_line(&sample, &sample).multipliers;
        let member =
            |group: u8| sample.regions.iter().map(|region| (group..group + 2).contains(region)).collect::<Vec<_>>();
        let masks = [member(0), member(1)];
        let membership = Membership::from_masks(["one", "other"].map(str::to_owned).to_vec(), &masks).unwrap();
        let features = Features::from_rows(&sample.places, 1).unwrap();
        let labels = Codes::narrow(sample.labels.iter().map(|label| u32::from(*label)).collect(), 2);
        let classes = ["no", "yes"].map(str::to_owned);
        let asked = Correction::new(Notion::DemographicParity).measure(Measure::Scores);
        let problem = Problem::of_arrays(features, labels, &classes, &membership, None, &asked.notions).unwrap().0;
        let mut order: Vec<usize> = (0..rows).collect();
        order.sort_by(|&one, &other| sample.places[one].total_cmp(&sample.places[other]));
        let places: Vec<f64> = order.iter().map(|&row| sample.places[row]).collect();
        let learner = FnLearner::new(|training: Training<'_>| {
            let labels: Vec<bool> = order.iter().map(|&row| training.labels.get(row) == 1).collect();
            let weights = training.weights.to_rows();
            let steepest = 2.0 * RatesPopulation::lipschitz();
            let fitted = LipschitzFit::new(&places, &labels, |at| weights[order[at]], steepest);
            Ok(FnPredictor::new(2, move |features: &Features| {
                let values = features.dense()[0].values().iter();
                Ok(values.map(|&place| fitted.at(place)).flat_map(|score| [1.0 - score, score]).collect())
            }))
        });
        let solution = asked.solve(&problem, &learner, &mut Silent).unwrap();
        for (one, other) in solution.multipliers.iter().zip(found) {
            assert!((one - other).abs() < 1e-3, "{:?} {found:?}", solution.multipliers);
        }
    }
}
