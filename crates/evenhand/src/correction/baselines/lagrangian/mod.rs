//! The Lagrangian approach: a linear classifier and multipliers trained jointly by gradients. [Eban et al. 2017]
//!
//! `relaxation` is the Lagrangian: log loss, and violations relaxed by hinges. `adam` takes the descent steps of the
//! coefficients; the multipliers take plain ascent steps and stay positive. The result is the average of both over the
//! second half of the passes. Relaxed violations can seldom vanish, and multipliers that grow without end may leave a
//! classifier that is hardly better than a constant one: then training starts again with more slack, in steps of 5 %, until one
//! suffices. They are tried in order: with more slack the error may be higher again, so that halving could skip the least.
//!
//! The paper gives the learning rate, the passes and the steps of the slack [Jiang & Nachum 2019, App. F]. The rest was
//! chosen in favour of this method: batches of 100 rows; plain steps for the multipliers, since both signs of a
//! violation exceed the slack and Adam would raise them alike; and the average, since iterates circle around a saddle
//! point.

mod adam;
mod relaxation;

use std::sync::Arc;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::correction::settings::{Correction, Lagrangian};
use crate::correction::{Iteration, Observer, Problem, Solution, Termination};
use crate::learner::Learner;
use crate::{Error, Measure, Result};
use adam::Adam;
use relaxation::Relaxation;

/// A classifier with at least this share of the error of a constant classifier is degenerate.
const DEGENERATE: f64 = 0.97;

impl Lagrangian {
    /// Trains with the least slack whose classifier is not degenerate.
    pub(in crate::correction) fn train<L: Learner>(
        self,
        settings: &Correction,
        problem: &Problem,
        learner: &L,
        observer: &mut dyn Observer,
    ) -> Result<Solution<L::Predictor>> {
        let mut order: Vec<usize> = (0..problem.features().rows()).collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(self.seed));
        order.truncate(self.sample.unwrap_or(order.len()));
        let shuffled = problem.select(&order)?;
        for trained in 0_usize.. {
            // Violations are at most 1, so the slack is too.
            let slack = (trained as f64 * self.slack_step).min(1.0);
            let mut run = Run { settings: &self, shuffled: &shuffled, learner, slack, trace: Vec::new() };
            let (coefficients, multipliers, cancelled) = run.train(observer)?;
            let predictor = linear(learner, coefficients)?;
            let sums = problem.cell_sums(&predictor)?;
            let train = problem.evaluate(&sums, Measure::Decisions);
            let degenerate = train.error >= DEGENERATE * problem.constant_error();
            let unweighted = vec![1.0; problem.cells().len()];
            let found = Solution {
                multipliers,
                train,
                trace: run.trace,
                slack: Some(slack),
                stop: match (cancelled, degenerate) {
                    (true, _) => Termination::Cancelled,
                    (_, true) => Termination::Infeasible,
                    (_, false) => Termination::IterationLimit,
                },
                fits: trained + 1,
                warnings: Vec::new(),
                ..Solution::of_single_fit(problem, settings, Arc::new(predictor), &sums, unweighted)
            };
            if !degenerate || cancelled || slack >= 1.0 {
                return Ok(found);
            }
        }
        unreachable!("the slack ends at 1")
    }
}

/// One training with one slack.
struct Run<'a, L> {
    settings: &'a Lagrangian,
    /// The rows to train on, in the order of their batches.
    shuffled: &'a Problem,
    learner: &'a L,
    slack: f64,
    trace: Vec<Iteration>,
}

impl<L: Learner> Run<'_, L> {
    /// The coefficients, one multiplier per constraint, and whether the observer asked to stop.
    fn train(&mut self, observer: &mut dyn Observer) -> Result<(Vec<f64>, Vec<f64>, bool)> {
        let (Lagrangian { rate, passes, batch, seed, .. }, shuffled) = (*self.settings, self.shuffled);
        let relaxation = Relaxation::new(shuffled, self.slack);
        let (rows, constraints) = (shuffled.features().rows(), shuffled.constraints().len());
        let mut coefficients = vec![0.0; shuffled.features().width() + 1];
        let mut multipliers = vec![0.0; relaxation.multipliers()];
        let mut adam = Adam::new(coefficients.len(), rate);
        let mut average = Average::new(coefficients.len(), multipliers.len());
        let mut batches: Vec<usize> = (0..rows.div_ceil(batch)).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(seed.wrapping_add(1));
        let mut pass = 0;
        loop {
            pass += 1;
            batches.shuffle(&mut rng);
            for &at in &batches {
                let part = at * batch..((at + 1) * batch).min(rows);
                let scale = rows as f64 / part.len() as f64;
                let slopes = relaxation.slopes(part, scale, &coefficients, &multipliers);
                adam.descend(&mut coefficients, &slopes.coefficients);
                for (multiplier, excess) in multipliers.iter_mut().zip(&slopes.multipliers) {
                    *multiplier = (*multiplier + rate * excess).max(0.0);
                }
                if 2 * pass > passes {
                    average.add(&coefficients, &multipliers);
                }
            }
            let (coefficients, multipliers) = average.or(&coefficients, &multipliers);
            let net = relaxation.by_constraint(&multipliers, constraints);
            if !self.record(pass, &coefficients, &net, observer)? || pass == passes {
                return Ok((coefficients, net, pass < passes));
            }
        }
    }

    /// Adds a pass to the trace, and returns whether to go on.
    fn record(&mut self, pass: usize, at: &[f64], net: &[f64], observer: &mut dyn Observer) -> Result<bool> {
        let sums = self.shuffled.cell_sums(&linear(self.learner, at.to_vec())?)?;
        let violations = self.shuffled.violations(&sums, Measure::Decisions);
        self.trace.push(Iteration::of_fit(pass, net, violations, (self.shuffled, &sums), observer.seconds()));
        Ok(observer.after(self.trace.last().expect("one was just pushed")))
    }
}

/// The average of coefficients and multipliers over steps.
struct Average {
    sums: [Vec<f64>; 2],
    steps: usize,
}

impl Average {
    fn new(coefficients: usize, multipliers: usize) -> Self {
        Self { sums: [vec![0.0; coefficients], vec![0.0; multipliers]], steps: 0 }
    }

    fn add(&mut self, coefficients: &[f64], multipliers: &[f64]) {
        self.steps += 1;
        for (sums, numbers) in self.sums.iter_mut().zip([coefficients, multipliers]) {
            for (sum, number) in sums.iter_mut().zip(numbers) {
                *sum += number;
            }
        }
    }

    /// The averages, or these numbers before the first step that is averaged.
    fn or(&self, coefficients: &[f64], multipliers: &[f64]) -> (Vec<f64>, Vec<f64>) {
        if self.steps == 0 {
            return (coefficients.to_vec(), multipliers.to_vec());
        }
        let [coefficients, multipliers] =
            [0, 1].map(|of| self.sums[of].iter().map(|sum| sum / self.steps as f64).collect());
        (coefficients, multipliers)
    }
}

/// A predictor of the learner's kind with these coefficients.
fn linear<L: Learner>(learner: &L, coefficients: Vec<f64>) -> Result<L::Predictor> {
    learner.of_coefficients(coefficients).ok_or_else(|| {
        Error::setting(
            "method",
            "lagrangian with a learner of another kind",
            "the built-in learner: this method trains a linear model itself",
        )
    })
}
