//! The rows of MNIST made ready for any method, and how a method does.

use evenhand::correction::{Apply, Binding, Problem, Silent, Solution, Solver, SqpSettings};
use evenhand::data::{Codes, Column};
use evenhand::learner::{Network, NetworkModel, Training, scores};
use evenhand::{Correction, Error, Learner, Measure, Notion, Predictor, Result, Weights};
use evenhand_datasets::recipe::Prepared;
use serde::{Deserialize, Serialize};

use super::DigitsMethod;
use super::calibration::{calibrated, most_probable};
use super::lagrangian::{self, Asked};
use super::memory::{Memory, Remembering, Watch};
use super::notebook_loop;

/// The class that labels were set to, and the rate that is known of it.
const CLASS: &str = "2";
const RATE: f64 = 0.1;

/// How far from it decisions on the training rows may be: four standard errors of such a share of 60,000 rows. A bound, and not evenness at a fair price, since by the labels that were set
/// every row that is rightly not taken for a 2 is an error.
const CLOSE: f64 = 0.005;

/// How many multipliers the default tries, the fit without correction among them.
const FITS: usize = 4;

/// A network with at least this share of the error of a constant classifier is degenerate.
const DEGENERATE: f64 = 0.97;

/// Training rows with the labels that were set, test rows with true ones.
#[derive(Debug)]
pub struct DigitsExperiment {
    asked: Correction,
    network: Network,
    train: Problem,
    test: Problem,
    truth: Codes,
    class: usize,
    memory: Memory,
}

/// How much is done for a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// How many loops the paper's method runs; the authors ran 100.
    pub loops: usize,
}

/// How a method did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DigitsMeasured {
    /// Which method.
    pub method: DigitsMethod,
    /// The share of test rows decided as they truly are.
    pub accuracy: f64,
    /// The share of test rows decided for 2.
    pub rate: f64,
    /// λ: the logarithm of how much more rows labelled 2 weigh than others (or their probabilities are multiplied by), where there is one.
    pub multiplier: Option<f64>,
    /// How many networks it needs beside the unconstrained one; that one itself needs 1.
    pub trainings: usize,
    /// By how much relaxed bounds might be exceeded, of the Lagrangian approach.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slack: Option<f64>,
}

impl DigitsExperiment {
    /// Of the recipe `mnist`, or of anything that has its columns.
    ///
    /// # Errors
    /// Those of [`Binding::new`].
    pub fn new(prepared: &Prepared, network: Network) -> Result<Self> {
        let notion = Notion::TargetRate { class: Some(CLASS.into()), rate: RATE, per_group: false };
        let mut asked = Correction::new(notion).max_violation(CLOSE);
        asked.plan = Some(prepared.plan().to_vec());
        asked.solver = Solver::Sqp(SqpSettings { max_fits: FITS, ..SqpSettings::default() });
        let (binding, train, _) = Binding::new(&asked, &prepared.train)?;
        let (test, _) = binding.problem(&prepared.test)?;
        let class = binding.classes().iter().position(|class| class == CLASS);
        let class = class.ok_or_else(|| Error::setting("dataset", "without a class 2", "mnist"))?;
        let truth = match prepared.train.table().column("digit")? {
            Column::Categorical(digits) => {
                let code =
                    |row| digits.value(row).and_then(|digit| binding.classes().iter().position(|one| one == digit));
                (0..train.labels().len()).map(|row| code(row).map(|code| code as u32)).collect::<Option<Vec<u32>>>()
            }
            Column::Numeric(_) => None,
        };
        let truth = truth.ok_or_else(|| Error::setting("dataset", "without the digits that images show", "mnist"))?;
        let truth = Codes::narrow(truth, train.classes());
        Ok(Self { asked, network, train, test, truth, class, memory: Memory::default() })
    }

    /// λ as it was put in: by how much the odds of the label 2 were raised, as a weight that takes it back.
    ///
    /// Setting a share s of all labels to 2 makes a true rate r one of `q = s + (1 − s) r`; weights that give labels the asked rate again have `λ =
    /// log(r / (1 − r)) − log(q / (1 − q))`. Both rates are those of the training rows.
    pub fn put_in(&self) -> f64 {
        let rate =
            |labels: &Codes| labels.iter().filter(|&label| label == self.class).count() as f64 / labels.len() as f64;
        let log_odds = |rate: f64| (rate / (1.0 - rate)).ln();
        log_odds(rate(&self.truth)) - log_odds(rate(self.train.labels()))
    }

    /// How many networks a method trains, as far as that is known beforehand and where nothing is remembered.
    pub fn trainings(method: DigitsMethod, effort: Effort) -> usize {
        match method {
            DigitsMethod::TrueLabels | DigitsMethod::Unconstrained | DigitsMethod::Lagrangian => 1,
            DigitsMethod::Calibration | DigitsMethod::Tilt => 0,
            DigitsMethod::LabelBias => effort.loops - 1,
            DigitsMethod::Default => FITS - 1,
        }
    }

    /// Trains a method, and evaluates it on the test rows. `watch` is called after every step; where it says so the training ends as interrupted.
    ///
    /// # Errors
    /// [`Error::Interrupted`], and what the learner says.
    pub fn measure(&self, method: DigitsMethod, effort: Effort, watch: &Watch<'_>) -> Result<DigitsMeasured> {
        let learner = Remembering { network: &self.network, memory: &self.memory, watch };
        let equal = Weights::equal(self.train.labels().len());
        let unweighted = self.training(self.train.labels(), &equal);
        let asked = Asked { class: self.class, rate: RATE };
        match method {
            DigitsMethod::TrueLabels => {
                let network = &self.network;
                let watched = evenhand::learner::WatchedNetwork { learner: network, watch };
                self.evaluate(method, &watched.fit(self.training(&self.truth, &equal), &mut ())?, 1)
            }
            DigitsMethod::Unconstrained => self.evaluate(method, &learner.fit(unweighted, &mut ())?, 1),
            DigitsMethod::Calibration => {
                let probabilities =
                    scores(&learner.fit(unweighted, &mut ())?, self.test.features(), self.test.classes())?;
                let decisions = calibrated(&probabilities, self.test.classes(), self.class, RATE);
                Ok(self.measured(method, &decisions, 0))
            }
            DigitsMethod::Lagrangian => {
                let is_degenerate = |model: &NetworkModel| self.is_degenerate(model);
                let (model, slack, trainings) =
                    lagrangian::train(&self.network, unweighted, asked, &is_degenerate, watch)?;
                Ok(DigitsMeasured { slack: Some(slack), ..self.evaluate(method, &model, trainings)? })
            }
            DigitsMethod::LabelBias => {
                let decided = |model: &NetworkModel| Ok(self.rate(&decisions(model, &self.train)?));
                let loops = effort.loops.max(1);
                let (model, multiplier) =
                    notebook_loop::train(&learner, unweighted, self.class, RATE, loops, &decided)?;
                Ok(DigitsMeasured { multiplier: Some(multiplier), ..self.evaluate(method, &model, loops - 1)? })
            }
            DigitsMethod::Default => self.judge_solution(method, &self.asked, &learner),
            DigitsMethod::Tilt => {
                // One network however many multipliers are tried.
                let solver = Solver::Sqp(SqpSettings::default());
                self.judge_solution(method, &Correction { apply: Apply::Tilt, solver, ..self.asked.clone() }, &learner)
            }
        }
    }

    fn training<'a>(&'a self, labels: &'a Codes, weights: &'a Weights) -> Training<'a> {
        Training { features: self.train.features(), labels, classes: self.train.classes(), weights }
    }

    /// What the engine finds.
    fn judge_solution(
        &self,
        method: DigitsMethod,
        settings: &Correction,
        learner: &Remembering<'_>,
    ) -> Result<DigitsMeasured> {
        let solution = settings.solve(&self.train, learner, &mut Silent)?;
        let test = solution.evaluate(&self.test, Measure::Decisions)?;
        Ok(DigitsMeasured {
            method,
            accuracy: 1.0 - test.error,
            rate: test.class_rates[self.class],
            multiplier: Some(self.log_weight(&solution)?),
            trainings: solution.fits.saturating_sub(1),
            slack: None,
        })
    }

    /// By how much more rows of the class weigh than others.
    fn log_weight<P>(&self, solution: &Solution<P>) -> Result<f64> {
        let weights = self.train.weights(solution.rule, &solution.multipliers)?.to_rows();
        let labels = self.train.labels();
        let of =
            |own: bool| (0..labels.len()).find(|&row| (labels.get(row) == self.class) == own).map(|row| weights[row]);
        Ok(of(true).zip(of(false)).map_or(0.0, |(own, other)| (own / other).ln()))
    }

    fn evaluate(&self, method: DigitsMethod, model: &dyn Predictor, trainings: usize) -> Result<DigitsMeasured> {
        Ok(self.measured(method, &decisions(model, &self.test)?, trainings))
    }

    fn measured(&self, method: DigitsMethod, decisions: &[usize], trainings: usize) -> DigitsMeasured {
        let right = decisions.iter().zip(self.test.labels().iter()).filter(|(one, label)| *one == label).count();
        let accuracy = right as f64 / decisions.len() as f64;
        DigitsMeasured { method, accuracy, rate: self.rate(decisions), multiplier: None, trainings, slack: None }
    }

    fn rate(&self, decisions: &[usize]) -> f64 {
        decisions.iter().filter(|&&decision| decision == self.class).count() as f64 / decisions.len() as f64
    }

    /// Whether a network hardly errs less, by the labels that it was trained on, than a constant classifier.
    fn is_degenerate(&self, model: &NetworkModel) -> Result<bool> {
        let (decisions, labels) = (decisions(model, &self.train)?, self.train.labels());
        let wrong = decisions.iter().zip(labels.iter()).filter(|(one, label)| *one != label).count();
        let commonest =
            (0..self.train.classes()).map(|class| labels.iter().filter(|&label| label == class).count()).max();
        let constant = labels.len() - commonest.unwrap_or_default();
        Ok(wrong as f64 >= DEGENERATE * constant as f64)
    }
}

/// The most probable classes.
fn decisions(model: &dyn Predictor, rows: &Problem) -> Result<Vec<usize>> {
    let probabilities = scores(model, rows.features(), rows.classes())?;
    Ok(probabilities.chunks_exact(rows.classes()).map(|line| most_probable(line, None)).collect())
}
