//! The weights that undo an identified bias.
//!
//! Corollary 1 with the multipliers that were found: whoever trains with these weights trains on labels without the bias, whatever the learner is and whatever it
//! sees. A model of the truth that may not see a group need not give the groups the rates that the truth gives them; so they are asked of a model that sees the
//! group, and the weights are handed to the one that does not.

use super::{Identification, Identify, naming_widest};
use crate::constraint::{Constraint, Event, Labelled, Tilt, WeightRule};
use crate::correction::{Binding, Problem};
use crate::data::Dataset;
use crate::{Error, Result, Warning, Weights};

impl Identify {
    /// As [`Identify::run`], with the weight of every row that undoes the bias, times the row's own: `exp(e(x,y)) / Σ_y' exp(e(x,y'))`, e the sum of multipliers times
    /// `g/Z − 1`. None where there is no estimate.
    ///
    /// ```
    /// use evenhand::{Dataset, Identify, Schema};
    /// use evenhand_datasets::synthetic;
    /// # fn main() -> evenhand::Result<()> {
    /// let schema = Schema::label("approved").positive("yes").ignore("deserved");
    /// let data = Dataset::new(synthetic::population(5_000, 1)?, &schema)?;
    /// let (found, weights, _) = Identify::default().group("sex=female")?.run_with_weights(&data)?;
    /// let weights = weights.expect("there is an estimate").to_rows();
    /// assert!(found.effects[0].odds_ratio < 1.0 && weights.len() == 5_000);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Those of [`Identify::run`], and [`Error::Setting`] where the weight of a row would depend on more than its groups and its label: for notions of rates among labels,
    /// and for a bias that goes by what features tell.
    pub fn run_with_weights(&self, data: &Dataset) -> Result<(Identification, Option<Weights>, Vec<Warning>)> {
        let (binding, problem, warnings) = Binding::new(&self.correction()?, data)?;
        self.check_weights(problem.constraints())?;
        let found = self.of_problem(&problem, data);
        let found = found.map_err(|error| naming_widest(error, binding.encoding()))?;
        let weights = found.missing.is_none().then(|| undoing(&problem, &found)).transpose()?;
        Ok((found, weights, warnings))
    }

    fn check_weights(&self, constraints: &[Constraint]) -> Result<()> {
        let refused = |found: &str, allowed: &str| Err(Error::setting("weights", found, allowed));
        if self.tilt != Tilt::Centred {
            return refused("of a bias that goes by what features tell", "those of the centred tilt");
        }
        let by_group = |one: &Constraint| {
            let labels = [one.labelled, one.base().1];
            labels == [Labelled::Any; 2] && matches!(one.event, Event::Predicts(_))
        };
        if constraints.iter().all(by_group) {
            return Ok(());
        }
        refused(
            "of a bias that goes by the true label, which nobody knows row by row",
            "those of rates among everyone: demographic-parity, target-rate, known-rate",
        )
    }
}

fn undoing(problem: &Problem, found: &Identification) -> Result<Weights> {
    let multipliers: Vec<f64> = found.multipliers.iter().map(|one| one.value).collect();
    problem.weights(WeightRule::CENTRED, &multipliers)
}
