//! The bias in labels of rows that are never all in memory.
//!
//! Multipliers are found on a sample first and from there on all rows, and the influence of all rows on them is summed up block by block: nothing is
//! estimated of the sample alone. What draws rows again, and what keeps a number per row, needs rows in memory and is refused.

use std::ops::Range;

use faer::Mat;

use super::estimate::{self, Estimated, Found};
use super::joint::{self, Joint};
use super::rows::{Part, RowPass, Rows, View};
use super::{Identification, Identify, naming_widest};
use crate::constraint::Tilt;
use crate::correction::{
    Correction, Learnt, PreparedRows, Problem, RawRows, RemoteRows, SampleSize, Silent, StoredFiles, StoredSettings,
    remote_rows,
};
use crate::data::Schema;
use crate::learner::{AskedByCell, Logistic};
use crate::notion::Notion;
use crate::{Error, Result, Warning};

/// Rows of the sample for a model of truth and bias, at most.
const JOINT_SAMPLE: usize = 1 << 18;

/// An identification of rows that were never all in memory.
#[derive(Debug)]
pub struct StoredIdentification {
    /// The bias, as far as all rows tell it.
    pub found: Identification,
    /// What to know about columns and groups.
    pub warnings: Vec<Warning>,
    /// How many rows the search began on.
    pub sample_rows: usize,
    /// How many rows were left of all, where those that repeat were kept once.
    pub distinct_rows: Option<usize>,
    /// How many times all encoded rows were gone through.
    pub passes: usize,
}

impl Identify {
    /// As [`Identify::run`], for rows in files that are never all in memory.
    ///
    /// # Errors
    /// [`Error::NotStored`] for what needs rows in memory, and those of [`Identify::run`].
    pub fn run_files(
        &self,
        rows: &StoredFiles<'_>,
        schema: &Schema,
        settings: &StoredSettings,
    ) -> Result<StoredIdentification> {
        self.run_raw(&rows.rows(settings.memory), schema, settings)
    }

    /// The same for rows on other machines: for demographic parity of two classes, of which all that is asked are sums that such machines know.
    ///
    /// # Errors
    /// Those of [`Identify::run_files`].
    pub fn run_remote(
        &self,
        rows: &dyn RemoteRows,
        schema: &Schema,
        settings: &StoredSettings,
    ) -> Result<StoredIdentification> {
        self.run_raw(&remote_rows(rows), schema, settings)
    }

    fn run_raw(&self, raw: &dyn RawRows, schema: &Schema, settings: &StoredSettings) -> Result<StoredIdentification> {
        self.check_stored()?;
        let correction = self.correction()?;
        let learnt = Learnt::new(&correction, raw, schema, &raw.profile(schema)?)?;
        let mut rows = learnt.prepare(raw, self.sample(settings))?;
        let (problem, learner) = (&rows.problem, &self.learner);
        let named = |found: Result<Estimated>| found.map_err(|error| naming_widest(error, rows.binding.encoding()));
        let estimated = match joint::obstacle(problem, self.tilt) {
            Some(why) => Estimated::missing(why),
            None if joint::is_by_weights(problem) => named(by_weights(&rows, &correction, learner))?,
            None => named(jointly(&rows, learner))?,
        };
        let classes = rows.binding.classes();
        let found = estimate::identification(problem, &estimated, classes, self.confidence, self.tilt)?;
        let warnings = std::mem::take(&mut rows.warnings);
        let (sample_rows, distinct_rows, passes) = (rows.sample_rows, rows.distinct_rows, rows.store.passes());
        Ok(StoredIdentification { found, warnings, sample_rows, distinct_rows, passes })
    }

    /// The sample that a search begins on: a smaller one where truth and bias are in one model, since each of its steps takes second derivatives.
    fn sample(&self, settings: &StoredSettings) -> SampleSize {
        let by_weights = self.notions.iter().all(|notion| *notion == Notion::DemographicParity);
        let most = if by_weights { usize::MAX } else { JOINT_SAMPLE };
        SampleSize { most, ..settings.sample() }
    }

    /// Whether rows that are never all in memory can be asked this.
    ///
    /// # Errors
    /// [`Error::NotStored`], which says what needs rows in memory.
    pub fn check_stored(&self) -> Result<()> {
        self.check()?;
        self.correction()?.check_stored()?;
        let refused = [
            (self.resamples > 0, "drawing rows again to check the intervals"),
            (self.sensitivity, "an estimate under true differences between groups"),
            (self.tilt != Tilt::Centred, "a bias that goes by what features tell"),
        ];
        match refused.iter().find(|(asked, _)| *asked) {
            Some((_, what)) => Err(Error::NotStored { what: (*what).to_owned() }),
            None => Ok(()),
        }
    }
}

/// By weights, which undo a bias whose tilt is known.
fn by_weights(rows: &PreparedRows<'_>, correction: &Correction, learner: &Logistic) -> Result<Estimated> {
    let (solution, _) = correction.solve_stored(rows, learner, &mut Silent)?;
    let found = estimate::found(&rows.problem, solution)?;
    estimate::estimated(&rows.problem, &found, || variance(rows, learner, &found))
}

/// The covariance of the multipliers, as rows in memory have it.
fn variance(rows: &PreparedRows<'_>, learner: &Logistic, found: &Found) -> Result<Mat<f64>> {
    let (problem, count, scale) = (&rows.problem, found.multipliers.len(), found.table.learner_scale());
    let scaled = |values: Vec<f64>| -> Vec<f64> { values.into_iter().map(|value| value * scale).collect() };
    let weights = scaled(found.table.weights(&found.multipliers));
    let slopes: Vec<Vec<f64>> = found.table.slopes(&found.multipliers).into_iter().map(scaled).collect();
    let shares = estimate::shares(problem, &problem.mean_scores(&rows.cell_sums(&found.predictor)?));
    let counts = estimate::counts(&shares, count);
    let asked = AskedByCell { slopes: &slopes, counts: &counts, shares: &shares };
    Ok(estimate::sandwich(&rows.influence(learner, &weights, &found.predictor, &asked)?, count))
}

/// By the model of the truth and the bias together: from where the sample leads, on all rows.
fn jointly(rows: &PreparedRows<'_>, learner: &Logistic) -> Result<Estimated> {
    let on_sample = Joint::solve(&rows.sample, &rows.learner_on_sample(learner), Tilt::Centred)?;
    let stored = StoredRows(rows);
    estimate::of_joint(&rows.problem, &Joint::solve_from(&stored, learner, &on_sample)?)
}

/// Rows in blocks, for the model of the truth and the bias.
struct StoredRows<'a>(&'a PreparedRows<'a>);

impl Rows for StoredRows<'_> {
    fn problem(&self) -> &Problem {
        &self.0.problem
    }

    fn heaviest(&self) -> f64 {
        self.0.heaviest()
    }

    fn sum(&self, _: usize, pass: &RowPass<'_>) -> Result<Part> {
        self.0.pass_leaves("truth and bias in one model", &|(features, cell_of_row, row_weights)| {
            let rows: Range<usize> = 0..features.rows();
            pass(View { features, cell_of_row, row_weights }, rows)
        })
    }
}
