//! More or less of a correction: weights from multiples of the multipliers that were found.
//!
//! The paper's figures: x times λ, for x from 0 (no correction) past 1 (the correction found). [Jiang & Nachum 2019, Fig. 2 and 3]

use super::at_threshold::is_same;
use super::problem::Problem;
use super::settings::{Apply, Correction};
use super::solution::Solution;
use super::solvers::run::Run;
use super::solvers::tilted_run::TiltedRun;
use super::trace::{Observer, Termination};
use crate::learner::Learner;
use crate::{Error, Result};

impl Correction {
    /// Fits with weights from each of `scales` times the multipliers of a correction, on the rows it was found on. A scale of 0 is the unweighted
    /// dataset, as in the paper's figures: with weights of λ = 0, which are ½ by the paper's presets, the penalty would count twice.
    ///
    /// ```
    /// use evenhand::correction::{Binding, Silent};
    /// use evenhand::{Correction, Dataset, Logistic, Notion, Schema};
    /// use evenhand_datasets::synthetic;
    /// # fn main() -> evenhand::Result<()> {
    /// let schema = Schema::label("approved").positive("yes").ignore("deserved");
    /// let data = Dataset::new(synthetic::population(3_000, 1)?, &schema)?;
    /// let asked = Correction::new(Notion::DemographicParity).group("sex")?;
    /// let (_, problem, _) = Binding::new(&asked, &data)?;
    /// let found = asked.solve(&problem, &Logistic::default(), &mut Silent)?;
    /// let swept = asked.sweep(&problem, &Logistic::default(), &found, &[0.0, 0.5, 1.0], &mut Silent)?;
    /// assert!(swept[0].train.violation > swept[1].train.violation);
    /// assert!(swept[1].train.violation > swept[2].train.violation);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Setting`] for a method without multipliers, or a scale that is no number; what the learner says.
    pub fn sweep<L: Learner>(
        &self,
        problem: &Problem,
        learner: &L,
        found: &Solution<L::Predictor>,
        scales: &[f64],
        observer: &mut dyn Observer,
    ) -> Result<Vec<Solution<L::Predictor>>> {
        if !self.method.is_correction() {
            let allowed = "correction: other methods have no multipliers to scale";
            return Err(Error::setting("method", self.method, allowed));
        }
        if let Some(wrong) = scales.iter().find(|scale| !scale.is_finite()) {
            return Err(Error::setting("scale", wrong, "finite numbers"));
        }
        let decided = (!is_same(found.threshold, problem.threshold())).then(|| problem.deciding_at(found.threshold));
        let problem = decided.as_ref().unwrap_or(problem);
        if let (Apply::Tilt, Some(expected)) = (found.apply, &found.expected) {
            let mut run = TiltedRun::of_fit(found.predictor.clone(), expected.clone(), problem, self)?;
            return run.sweep(&found.multipliers, scales, observer);
        }
        let mut run = Run::after(found, problem, self, learner)?;
        let mut swept = Vec::with_capacity(scales.len());
        for scale in scales {
            let multipliers = found.multipliers.iter().map(|multiplier| scale * multiplier).collect();
            let iterate = run.fit(multipliers, *scale == 0.0)?;
            let go_on = observer.after(run.record(&iterate, observer.seconds()));
            swept.push(run.solution(iterate, if go_on { Termination::Converged } else { Termination::Cancelled }));
            if !go_on {
                break;
            }
        }
        Ok(swept)
    }
}
