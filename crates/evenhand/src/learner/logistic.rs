//! Weighted logistic regression, for two classes or more.
//!
//! Minimises `Σ weight · log loss + ½ l2 ‖coefficients‖²`. Two classes have one vector of
//! coefficients, more have one per class. Leans on `kernel::logistic` and `minimise`.

use serde::{Deserialize, Serialize};

use super::minimise::{Minimiser, Objective, minimise};
use super::{Learner, Predictor, Scorer, Sensitivity, Training};
use crate::features::Features;
use crate::kernel::logistic::{LogisticRows, LogisticScorer, LogisticSlopes};
use crate::weights::Weights;
use crate::{Error, Result, parallel};

/// Settings of the built-in learner.
///
/// | setting | default | range | effect |
/// |---|---|---|---|
/// | `l2` | 1 | ≥ 0 | penalty on the squares of the coefficients, against the sum of weighted losses |
/// | `penalise_intercept` | no | | whether the penalty includes the intercept (as liblinear does) |
/// | `tolerance` | 1e-5 | > 0 | stops when the loss is within half its square of the least |
/// | `max_passes` | 500 | ≥ 1 | stops, not converged, after this many passes over the rows |
///
/// A value out of range is [`Error::Setting`] at the first fit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Logistic {
    /// Penalty on the squares of the coefficients.
    pub l2: f64,
    /// Whether the intercept is penalised too.
    pub penalise_intercept: bool,
    /// How close to the least loss is close enough.
    pub tolerance: f64,
    /// How many passes over the rows a fit may take.
    pub max_passes: usize,
}

impl Default for Logistic {
    fn default() -> Self {
        Self { l2: 1.0, penalise_intercept: false, tolerance: 1e-5, max_passes: 500 }
    }
}

/// A fitted logistic regression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogisticModel {
    classes: usize,
    /// Per margin: one coefficient per feature, then the intercept.
    coefficients: Vec<f64>,
    converged: bool,
    passes: usize,
}

impl Learner for Logistic {
    type Predictor = LogisticModel;
    type WarmStart = Minimiser;

    fn fit(&self, training: Training<'_>, warm_start: &mut Minimiser) -> Result<LogisticModel> {
        self.fit_unless(training, warm_start, &|| false)
    }

    fn models_membership(&self) -> bool {
        true
    }

    fn takes_aggregated_rows(&self) -> bool {
        true
    }

    /// Implicit differentiation: where the gradient vanishes, `dβ = −H⁻¹ dg`, and the derivative of
    /// the gradient with respect to weights is itself a gradient, with the slopes as weights.
    fn sensitivity(
        &self,
        training: Training<'_>,
        predictor: &LogisticModel,
        slopes: &[Weights],
        warm_start: &mut Minimiser,
    ) -> Result<Option<Box<dyn Sensitivity>>> {
        let Training { features, labels, classes, weights } = training;
        let rows = LogisticRows { features, labels, weights, classes };
        let at = &predictor.coefficients;
        let directions = parallel::inside(|| {
            warm_start.sensitivities(&Penalised { rows, settings: self }, at, rows.gradients(at, slopes))
        });
        let sensitivity = |directions| LogisticSensitivity { classes, coefficients: at.clone(), directions };
        Ok(directions.map(|directions| Box::new(sensitivity(directions)) as Box<dyn Sensitivity>))
    }

    fn of_coefficients(&self, coefficients: Vec<f64>) -> Option<LogisticModel> {
        LogisticModel::new(2, coefficients).ok()
    }

    fn extrapolate(&self, warm_start: &mut Minimiser, moves: &[f64]) {
        warm_start.extrapolate(moves);
    }
}

/// A fitted logistic regression, and how its coefficients move in each direction.
#[derive(Debug)]
struct LogisticSensitivity {
    classes: usize,
    coefficients: Vec<f64>,
    directions: Vec<Vec<f64>>,
}

impl Sensitivity for LogisticSensitivity {
    fn on<'a>(&'a self, features: &'a Features) -> Result<Scorer<'a>> {
        let slopes = LogisticSlopes::new(features, &self.coefficients, &self.directions, self.classes);
        Ok(Box::new(move |rows, out| slopes.slopes(rows, out)))
    }

    fn bounds(&self, features: &Features) -> Vec<f64> {
        LogisticSlopes::new(features, &self.coefficients, &self.directions, self.classes).bounds()
    }
}

impl Logistic {
    /// Fits, unless interrupted on the way.
    pub(super) fn fit_unless(
        &self,
        training: Training<'_>,
        warm_start: &mut Minimiser,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<LogisticModel> {
        self.check()?;
        if stop() {
            return Err(Error::Interrupted);
        }
        let Training { features, labels, classes, weights } = training;
        let problem = Penalised { rows: LogisticRows { features, labels, weights, classes }, settings: self };
        let (coefficients, converged, passes) =
            parallel::inside(|| minimise(&problem, warm_start, self.tolerance, self.max_passes, stop));
        if !converged && stop() {
            return Err(Error::Interrupted);
        }
        LogisticModel::fitted(classes, coefficients, converged, passes)
    }

    /// Whether the settings can be used; fitting asks it first.
    ///
    /// # Errors
    /// [`Error::Setting`] for a number out of its range.
    pub fn check(&self) -> Result<()> {
        if !(self.l2.is_finite() && self.l2 >= 0.0) {
            return Err(Error::setting("l2", self.l2, "a finite number, zero or more"));
        }
        if !(self.tolerance.is_finite() && self.tolerance > 0.0) {
            return Err(Error::setting("tolerance", self.tolerance, "a finite number above zero"));
        }
        if self.max_passes == 0 {
            return Err(Error::setting("max_passes", "0", "one or more"));
        }
        Ok(())
    }

    /// The penalty's derivative per unit of a coefficient: `l2`, or 0 for an unpenalised intercept.
    pub(crate) fn penalty(&self, position: usize, stride: usize) -> f64 {
        if self.penalise_intercept || !(position + 1).is_multiple_of(stride) { self.l2 } else { 0.0 }
    }

    /// The penalised weighted loss of a model: what fitting minimises.
    pub fn objective(&self, training: Training<'_>, model: &LogisticModel) -> f64 {
        let Training { features, labels, classes, weights } = training;
        let stride = features.width() + 1;
        let square = |(position, c): (usize, &f64)| 0.5 * self.penalty(position, stride) * c * c;
        LogisticRows { features, labels, weights, classes }.loss(&model.coefficients)
            + model.coefficients.iter().enumerate().map(square).sum::<f64>()
    }

    /// The largest entry, in absolute value, of the penalised gradient at a model: zero at the optimum.
    pub fn gradient_norm(&self, training: Training<'_>, model: &LogisticModel) -> f64 {
        let Training { features, labels, classes, weights } = training;
        let problem = Penalised { rows: LogisticRows { features, labels, weights, classes }, settings: self };
        problem.gradient(&model.coefficients).iter().fold(0.0, |largest, entry| entry.abs().max(largest))
    }
}

impl LogisticModel {
    /// A model with given coefficients: per margin one per feature and the intercept. Two
    /// classes have one margin, more have one per class.
    ///
    /// # Errors
    /// [`Error::Length`] when there are not whole margins of them.
    pub fn new(classes: usize, coefficients: Vec<f64>) -> Result<Self> {
        let margins = crate::kernel::logistic::outputs(classes);
        if classes < 2 || coefficients.is_empty() || !coefficients.len().is_multiple_of(margins) {
            return Err(Error::Length { what: "coefficients", expected: margins, found: coefficients.len() });
        }
        Ok(Self { classes, coefficients, converged: true, passes: 0 })
    }

    /// What a fit ended with.
    ///
    /// # Errors
    /// [`Error::Learner`] where a coefficient is not finite.
    pub(super) fn fitted(classes: usize, coefficients: Vec<f64>, converged: bool, passes: usize) -> Result<Self> {
        if !coefficients.iter().all(|coefficient| coefficient.is_finite()) {
            return Err(Error::learner("the coefficients ran off to infinity; raise `l2`"));
        }
        Ok(Self { classes, coefficients, converged, passes })
    }

    /// How many classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// Per margin, one coefficient per feature and then the intercept.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// For how many features it has coefficients; `None` where they make no whole margins.
    pub(crate) fn width(&self) -> Option<usize> {
        let margins = crate::kernel::logistic::outputs(self.classes);
        let stride = self.coefficients.len().checked_div(margins)?;
        (stride * margins == self.coefficients.len()).then_some(stride.checked_sub(1)?)
    }

    /// How many passes over the rows the fit took.
    pub fn passes(&self) -> usize {
        self.passes
    }
}

impl Predictor for LogisticModel {
    fn on<'a>(&'a self, features: &'a Features) -> Result<Scorer<'a>> {
        if self.width() != Some(features.width()) {
            let (expected, found) = (self.width().unwrap_or_default(), features.width());
            return Err(Error::Length { what: "features", expected, found });
        }
        let scorer = LogisticScorer::new(features, &self.coefficients, self.classes);
        Ok(Box::new(move |rows, out| scorer.scores(rows, out)))
    }

    fn converged(&self) -> bool {
        self.converged
    }
}

/// The loss of some rows with the penalty of some settings.
pub(super) struct Penalised<'a> {
    pub(super) rows: LogisticRows<'a>,
    pub(super) settings: &'a Logistic,
}

impl Penalised<'_> {
    fn stride(&self) -> usize {
        self.rows.features.width() + 1
    }
}

impl Objective for Penalised<'_> {
    fn dimension(&self) -> usize {
        self.rows.coefficients()
    }

    fn gradient(&self, at: &[f64]) -> Vec<f64> {
        let mut gradient = self.rows.gradient(at);
        for (position, (entry, coefficient)) in gradient.iter_mut().zip(at).enumerate() {
            *entry += self.settings.penalty(position, self.stride()) * coefficient;
        }
        gradient
    }

    fn hessian(&self, at: &[f64]) -> Vec<f64> {
        let mut matrix = self.rows.hessian(at);
        let side = self.dimension();
        for position in 0..side {
            matrix[position * side + position] += self.settings.penalty(position, self.stride());
        }
        matrix
    }

    fn hessian_diagonal(&self, at: &[f64]) -> Vec<f64> {
        let mut diagonal = self.rows.hessian_diagonal(at);
        for (position, entry) in diagonal.iter_mut().enumerate() {
            *entry += self.settings.penalty(position, self.stride());
        }
        diagonal
    }

    fn factorisation_cost(&self) -> usize {
        self.rows.hessian_cost()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Codes;
    use crate::features::{Active, CodedColumn, DenseColumn};
    use crate::weights::Weights;

    fn features(rows: usize, codes: usize) -> Features {
        let column = (0..rows).map(|row| ((row * 13 + row / 5) % codes) as u32).collect();
        let coded = CodedColumn { codes: Codes::narrow(column, codes), active: Active::one_hot(0, codes, codes) };
        let values = (0..rows).map(|row| ((row * 7919) % 1000) as f64 / 500.0 - 1.0).collect();
        Features::new(rows, codes + 1, vec![coded], vec![DenseColumn::new(codes, values)]).unwrap()
    }

    fn labels(features: &Features, classes: usize) -> Codes {
        let label = |row: usize| {
            let noise = ((row * 104_729) % 997) as f64 / 997.0;
            (features.dense()[0].values()[row] * 0.3 + 0.3 + noise * 0.4) * classes as f64
        };
        Codes::narrow(
            (0..features.rows()).map(|row| (1..classes).filter(|&c| label(row) >= c as f64).count() as u32).collect(),
            classes,
        )
    }

    fn fit(
        settings: &Logistic,
        features: &Features,
        labels: &Codes,
        classes: usize,
        weights: &Weights,
    ) -> LogisticModel {
        settings.fit(Training { features, labels, classes, weights }, &mut Minimiser::default()).unwrap()
    }

    #[test]
    fn the_gradient_vanishes_at_the_fit_with_a_factor_and_without() {
        // 1,700 codes are above what is factored; three classes triple the coefficients.
        for (codes, classes) in [(5, 2), (5, 3), (1700, 2), (700, 3)] {
            let features = features(6000, codes);
            let labels = labels(&features, classes);
            let weights = Weights::equal(6000);
            let settings = Logistic { penalise_intercept: codes > 100, ..Logistic::default() };
            let model = fit(&settings, &features, &labels, classes, &weights);
            let training = Training { features: &features, labels: &labels, classes, weights: &weights };
            let norm = settings.gradient_norm(training, &model);
            assert!(model.converged() && norm < 1e-4, "{codes} {classes}: {norm} after {}", model.passes());
        }
    }

    #[test]
    fn a_repeated_row_is_a_weight_of_two() {
        let features = features(200, 4);
        let labels = labels(&features, 2);
        let twice: Vec<usize> = (0..200).chain(0..50).collect();
        let weights = Weights::of_rows((0..200).map(|row| if row < 50 { 2.0 } else { 1.0 }).collect()).unwrap();
        let settings = Logistic { tolerance: 1e-10, ..Logistic::default() };
        let weighted = fit(&settings, &features, &labels, 2, &weights);
        let repeated =
            fit(&settings, &features.select(&twice), &labels.select(&twice), 2, &Weights::equal(twice.len()));
        for (one, other) in weighted.coefficients().iter().zip(repeated.coefficients()) {
            assert!((one - other).abs() < 1e-9, "{one} {other}");
        }
    }

    #[test]
    fn a_column_in_small_units_does_not_slow_the_fit_of_the_others() {
        // Adult's sampling weights are of this size, beside ages and one-hot columns.
        let rows = 3000;
        let column = |row: usize| ((row * 7919) % 1000) as f64;
        let codes: Vec<u32> = (0..rows).map(|row| (row % 5) as u32).collect();
        let coded = CodedColumn { codes: Codes::narrow(codes, 5), active: Active::one_hot(0, 5, 5) };
        let dense = [1e-3, 1e6].into_iter().enumerate().map(|(at, unit)| {
            DenseColumn::new(5 + at, (0..rows).map(|row| unit * column(row * (at + 1) + at)).collect())
        });
        let features = Features::new(rows, 7, vec![coded], dense.collect()).unwrap();
        let labels =
            (0..rows).map(|row| u32::from(column(row) + 100.0 * (row % 5) as f64 > 600.0 + column(row * 3) / 4.0));
        let labels = Codes::narrow(labels.collect(), 2);
        let model = fit(&Logistic::default(), &features, &labels, 2, &Weights::equal(rows));
        assert!(model.converged() && model.passes() < 50, "{}", model.passes());
    }

    #[test]
    fn no_penalty_and_collinear_columns_still_fit() {
        let features = features(500, 6);
        let labels = labels(&features, 2);
        let model = fit(&Logistic { l2: 0.0, ..Logistic::default() }, &features, &labels, 2, &Weights::equal(500));
        assert!(model.converged());
    }

    #[test]
    fn separable_rows_without_a_penalty_do_not_converge_and_do_not_panic() {
        let features = Features::from_rows(&[-1.0, -2.0, 1.0, 2.0], 1).unwrap();
        let labels = Codes::narrow(vec![0, 0, 1, 1], 2);
        let settings = Logistic { l2: 0.0, max_passes: 60, ..Logistic::default() };
        let model = fit(&settings, &features, &labels, 2, &Weights::equal(4));
        assert!(model.coefficients().iter().all(|c| c.is_finite()));
    }

    #[test]
    fn a_setting_out_of_range_is_named() {
        let features = features(10, 2);
        let labels = labels(&features, 2);
        let weights = Weights::equal(10);
        let training = Training { features: &features, labels: &labels, classes: 2, weights: &weights };
        let wrong = Logistic { l2: -1.0, ..Logistic::default() };
        assert_eq!(wrong.fit(training, &mut Minimiser::default()).unwrap_err().code(), "setting-invalid");
    }
}
