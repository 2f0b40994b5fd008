//! Made-up populations on which Theorems 2 and 3 hold: where people are, what they truly deserve, and the bias put in.
//!
//! Holds [`RatesPopulation`] and the samples drawn from it. Everyone is in one of three regions that lie apart, as the proof asks of different
//! groups: unit cubes in D dimensions, or arcs of a curve in ten. Two groups overlap in the middle region. The true probability is a triangle wave along each region:
//! Lipschitz, no smoother, and ½ on average everywhere, so that the truth is even. Labels follow Proposition 1.

use std::f64::consts::TAU;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Of all draws.
const SEED: u64 = 20_190_115;

/// How many regions there are.
pub(super) const REGIONS: usize = 3;

/// Which regions each group holds: the first two, and the last two.
const GROUPS: [[bool; REGIONS]; 2] = [[true, true, false], [false, true, true]];

/// The multipliers of the bias, in units of the theory's constraint `g/Z − 1`.
pub const RATES_MULTIPLIERS: [f64; 2] = [1.0, -0.6];

/// How far the true probability goes from ½.
const HEIGHT: f64 = 0.4;

/// From one cube to the next.
const GAP: f64 = 0.5;

/// How fast the phase of the wave moves across each further dimension of a cube.
const SLANT: f64 = 0.5;

/// Circles that make the curve, each of two dimensions.
const CIRCLES: usize = 5;

/// The share of the curve that the arcs take; the rest lies between them.
const ARCS: f64 = 0.7;

/// A made-up population.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RatesPopulation {
    /// Cubes in one dimension.
    Line,
    /// In two.
    Plane,
    /// In four.
    Four,
    /// Arcs of a curve in ten dimensions: a submanifold of dimension 1.
    Curve,
}

/// People with labels, as a learner sees them, and what it does not see.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    /// How many coordinates each has.
    pub(super) dimensions: usize,
    /// The coordinates, person by person.
    pub(super) places: Vec<f64>,
    /// In which region each is.
    pub(super) regions: Vec<u8>,
    /// What each truly deserves: a probability.
    pub(super) truths: Vec<f64>,
    /// The observed labels.
    pub(super) labels: Vec<bool>,
}

impl RatesPopulation {
    /// All of them, in the order of the figure.
    pub const ALL: [Self; 4] = [Self::Line, Self::Plane, Self::Four, Self::Curve];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Line => "D = 1",
            Self::Plane => "D = 2",
            Self::Four => "D = 4",
            Self::Curve => "curve in D = 10",
        }
    }

    /// How many coordinates people have.
    pub fn dimensions(self) -> usize {
        match self {
            Self::Line => 1,
            Self::Plane => 2,
            Self::Four => 4,
            Self::Curve => 2 * CIRCLES,
        }
    }

    /// The dimension of the set that people are on, which the theorems' rate depends on.
    pub fn intrinsic_dimensions(self) -> usize {
        if self == Self::Curve { 1 } else { self.dimensions() }
    }

    /// The slope that is guaranteed for the logarithm of the root mean square error against that of the number of rows: `−1/(4 + 2D)`, and
    /// for the curve with d in the place of D. [Jiang & Nachum 2019, Thms. 2 and 3]
    pub fn guaranteed_slope(self) -> f64 {
        -1.0 / (4.0 + 2.0 * self.intrinsic_dimensions() as f64)
    }

    /// The Lipschitz constant of the true and of the biased probability, L of Assumption 2, along a line.
    ///
    /// The bias multiplies the slope by `q(1 − q)/(p(1 − p))`, p the true probability and q the biased one; it is largest at an end of p.
    pub(super) fn lipschitz() -> f64 {
        let slope = 4.0 * HEIGHT;
        let biased = exponents(RATES_MULTIPLIERS, [2.0 / 3.0; 2]).map(|exponent| {
            let steeper = |truth: f64| {
                let biased = logistic(logit(truth) - exponent);
                biased * (1.0 - biased) / (truth * (1.0 - truth))
            };
            (0..=100).map(|at| steeper(0.5 - HEIGHT + 2.0 * HEIGHT * f64::from(at) / 100.0)).fold(1.0, f64::max)
        });
        slope * biased.into_iter().fold(1.0, f64::max)
    }

    /// Draws people, each on its own.
    pub(super) fn draw(self, rows: usize, random: &mut ChaCha8Rng) -> Sample {
        let dimensions = self.dimensions();
        let mut sample = Sample {
            dimensions,
            places: Vec::with_capacity(rows * dimensions),
            regions: Vec::with_capacity(rows),
            truths: Vec::with_capacity(rows),
            labels: Vec::with_capacity(rows),
        };
        let biases = exponents(RATES_MULTIPLIERS, [2.0 / 3.0; 2]);
        for _ in 0..rows {
            let region = random.random_range(0..REGIONS);
            let truth = self.place(region, random, &mut sample.places);
            let biased = logistic(logit(truth) - biases[region]);
            sample.regions.push(u8::try_from(region).unwrap_or_default());
            sample.truths.push(truth);
            sample.labels.push(random.random::<f64>() < biased);
        }
        sample
    }

    /// Adds the coordinates of somebody in a region, and tells the true probability there.
    fn place(self, region: usize, random: &mut ChaCha8Rng, places: &mut Vec<f64>) -> f64 {
        let along: f64 = random.random();
        let mut phase = along;
        if self == Self::Curve {
            let turn = (region as f64 + ARCS * along) / REGIONS as f64;
            // Circles of radius 1/j run through j times make a curve of constant speed; arcs have length 1, as cubes have.
            let speed = TAU * (CIRCLES as f64).sqrt() * ARCS / REGIONS as f64;
            for circle in 1..=CIRCLES {
                let (sine, cosine) = (TAU * circle as f64 * turn).sin_cos();
                places.extend([cosine, sine].map(|coordinate| coordinate / (circle as f64 * speed)));
            }
        } else {
            places.push((1.0 + GAP) * region as f64 + along);
            for _ in 1..self.dimensions() {
                let across: f64 = random.random();
                phase += SLANT * across;
                places.push(across);
            }
        }
        0.5 + HEIGHT * triangle(phase)
    }
}

impl Sample {
    /// The share of each region.
    pub(super) fn shares(&self) -> [f64; REGIONS] {
        let mut counts = [0.0; REGIONS];
        for &region in &self.regions {
            counts[usize::from(region)] += 1.0;
        }
        counts.map(|count| count / self.regions.len() as f64)
    }
}

/// A generator for one draw of a population of some size: each has a stream of its own.
pub(super) fn generator(population: RatesPopulation, rows: usize, draw: u64) -> ChaCha8Rng {
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    random.set_stream((draw << 40) ^ ((rows as u64) << 8) ^ population as u64);
    random
}

/// The share of each group, from those of regions: Z in the paper.
pub(super) fn group_shares(regions: [f64; REGIONS]) -> [f64; 2] {
    GROUPS.map(|holds| holds.iter().zip(regions).filter(|(holds, _)| **holds).map(|(_, share)| share).sum())
}

/// The mean of numbers of regions over each group.
pub(super) fn group_means(values: [f64; REGIONS], shares: [f64; REGIONS]) -> [f64; 2] {
    let products: [f64; REGIONS] = std::array::from_fn(|region| values[region] * shares[region]);
    let (sums, weights) = (group_shares(products), group_shares(shares));
    [sums[0] / weights[0], sums[1] / weights[1]]
}

/// `Σ_k λ_k (g_k/Z_k − 1)` in each region.
pub(super) fn exponents(multipliers: [f64; 2], group_shares: [f64; 2]) -> [f64; REGIONS] {
    std::array::from_fn(|region| {
        let terms = GROUPS.iter().zip(multipliers).zip(group_shares);
        terms.map(|((holds, multiplier), share)| multiplier * (f64::from(u8::from(holds[region])) / share - 1.0)).sum()
    })
}

pub(super) fn logistic(margin: f64) -> f64 {
    1.0 / (1.0 + (-margin).exp())
}

fn logit(share: f64) -> f64 {
    (share / (1.0 - share)).ln()
}

/// A wave of period 1 between −1 and 1, with corners.
fn triangle(phase: f64) -> f64 {
    match phase.rem_euclid(1.0) {
        rising if rising < 0.25 => 4.0 * rising,
        falling if falling < 0.75 => 2.0 - 4.0 * falling,
        rising => 4.0 * rising - 4.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_truth_is_even_and_labels_are_not() {
        for population in RatesPopulation::ALL {
            let sample = population.draw(60_000, &mut generator(population, 60_000, 1));
            let mean = |region: u8, of: &dyn Fn(usize) -> f64| {
                let rows: Vec<usize> = (0..sample.regions.len()).filter(|&row| sample.regions[row] == region).collect();
                rows.iter().map(|&row| of(row)).sum::<f64>() / rows.len() as f64
            };
            let truth = [0, 1, 2].map(|region| mean(region, &|row| sample.truths[row]));
            let label = [0, 1, 2].map(|region| mean(region, &|row| f64::from(u8::from(sample.labels[row]))));
            // Standard errors are below 0.002 and 0.004.
            assert!(truth.iter().all(|rate| (rate - 0.5).abs() < 0.01), "{population:?}: {truth:?}");
            assert!(label[0] < 0.35 && label[2] > 0.65, "{population:?}: {label:?}");
        }
    }

    #[test]
    fn probabilities_are_lipschitz_where_people_are() {
        let steepest = RatesPopulation::lipschitz();
        assert!((3.0..5.0).contains(&steepest), "{steepest}");
        for population in RatesPopulation::ALL {
            let sample = population.draw(600, &mut generator(population, 600, 1));
            // Across further dimensions the wave moves by less, and chords of the curve are a little shorter than its arcs.
            let most = 1.1 * 4.0 * HEIGHT * (1.0 + SLANT * SLANT * (population.dimensions() as f64 - 1.0)).sqrt();
            for one in 0..600 {
                for other in 0..one {
                    let place = |row: usize| &sample.places[row * sample.dimensions..(row + 1) * sample.dimensions];
                    let square: f64 = place(one).iter().zip(place(other)).map(|(a, b)| (a - b) * (a - b)).sum();
                    let rise = (sample.truths[one] - sample.truths[other]).abs();
                    assert!(rise <= most * square.sqrt() + 1e-12, "{population:?}: {rise} over {}", square.sqrt());
                }
            }
        }
    }
}
