//! When dividing weights by φ pays: populations that the model can describe and populations it cannot, more bias and less.

use evenhand::correction::{Binding, CovariateShift};
use evenhand::data::Categorical;
use evenhand::features::Features;
use evenhand::learner::{LogisticModel, Scorer, Sensitivity, Training, scores};
use evenhand::{Column, Dataset, Learner, Logistic, Measure, Predictor, Table, Weights};
use evenhand_datasets::synthetic::{BiasModel, PopulationParameters};

use crate::sample::{EVALUATED_ON, Evaluated, EvaluationSample, Sample, parity, schema};
use crate::{Result, each_draw, print};

/// The populations: one that a straight model describes, and three that it does not.
const POPULATIONS: [(&str, PopulationParameters); 4] = [
    ("straight", PopulationParameters { strength: 1.0, curve: 0.0, by_sex: 0.0, differences: [0.0; 2] }),
    ("curve", PopulationParameters { strength: 1.0, curve: 0.5, by_sex: 0.0, differences: [0.0; 2] }),
    ("women-more", PopulationParameters { strength: 1.0, curve: 0.0, by_sex: 1.0, differences: [0.0; 2] }),
    ("women-less", PopulationParameters { strength: 1.0, curve: 0.0, by_sex: -1.0, differences: [0.0; 2] }),
];

/// How strong the bias is, in parts of that of the demonstration.
const STRENGTHS: [f64; 2] = [1.0, 2.0];

pub(crate) fn run(rows: &[usize], draws: u64) -> Result<()> {
    print("population,strength,rows,draw,model,trained,accuracy,loss,multiplier_1,multiplier_2");
    for (name, parameters) in POPULATIONS {
        for strength in STRENGTHS {
            let bias = PopulationParameters { strength, ..parameters }.bias_model();
            let evaluation = bias.draw(EVALUATED_ON, 0)?;
            let models = [
                (Model::Straight, EvaluationSample::new(&evaluation, evaluation.table.clone())),
                (Model::Cells, EvaluationSample::new(&evaluation, with_cells(&evaluation.table)?)),
            ];
            for &rows in rows {
                each_draw(draws, |draw| {
                    let mut lines = Vec::new();
                    for (model, evaluation) in &models {
                        for (trained, evaluated) in measure(&bias, rows, draw, *model, evaluation)? {
                            lines.push(format!(
                                "{name},{strength},{rows},{draw},{model:?},{trained},{}",
                                line(&evaluated)
                            ));
                        }
                    }
                    Ok(lines)
                })?;
            }
        }
    }
    Ok(())
}

/// What describes the labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Model {
    /// Logistic regression that adds up what each column says.
    Straight,
    /// The same with a coefficient for every cell of income, history and sex: it can describe all populations here.
    Cells,
}

fn measure(
    bias: &BiasModel,
    rows: usize,
    draw: u64,
    model: Model,
    evaluation: &EvaluationSample,
) -> Result<Vec<(&'static str, Evaluated)>> {
    let drawn = bias.draw(rows, draw)?;
    let rich = with_cells(&drawn.table)?;
    let sample = Sample::new(if model == Model::Cells { &rich } else { &drawn.table }, evaluation)?;
    let corrected = |shift| sample.corrected(&parity(Measure::Scores, shift)?, &Logistic::default());
    let mut all = vec![
        ("uncorrected", sample.plain(&sample.past)?),
        ("shift-ignored", corrected(CovariateShift::Ignored)?),
        ("shift-corrected", corrected(CovariateShift::Corrected)?),
        ("true-labels", sample.plain(&sample.truth)?),
    ];
    if model == Model::Straight {
        let told = |probabilities: Vec<f64>| {
            let learner = Told { probabilities, learner: Logistic::default() };
            sample.corrected(&parity(Measure::Scores, CovariateShift::Corrected)?, &learner)
        };
        let merits = drawn.merit.iter().zip(&drawn.bias);
        let truth = merits.map(|(merit, bias)| 1.0 / (1.0 + (bias - merit).exp()));
        all.push(("shift-corrected-by-truth", told(truth.flat_map(|one| [1.0 - one, one]).collect())?));
        all.push(("shift-corrected-by-cells", told(described(&rich)?)?));
    }
    Ok(all)
}

/// The observed labels as a model with cells describes them.
fn described(table: &Table) -> Result<Vec<f64>> {
    let correction = parity(Measure::Scores, CovariateShift::Ignored)?;
    let (_, problem, _) = Binding::new(&correction, &Dataset::new(table.clone(), &schema("approved"))?)?;
    let solution = correction.uncorrected(&problem, &Logistic::default())?;
    Ok(scores(&solution.predictor, problem.features(), 2)?)
}

fn line(evaluated: &Evaluated) -> String {
    let multiplier = |at: usize| evaluated.multipliers.get(at).map_or(String::new(), |one| format!("{one:.6}"));
    format!("{:.6},{:.6},{},{}", evaluated.accuracy, evaluated.loss, multiplier(0), multiplier(1))
}

/// The edges between cells, of income and of history.
const EDGES: [&[f64]; 2] =
    [&[18.0, 22.0, 26.0, 30.0, 34.0, 38.0, 43.0, 48.0, 55.0, 65.0, 80.0], &[3.0, 7.0, 11.0, 15.0]];

/// The same table with a column that tells the cell of income, history and sex.
fn with_cells(table: &Table) -> Result<Table> {
    let numbers = |name: &str| match table.get(name) {
        Some(Column::Numeric(values)) => Ok(values.clone()),
        _ => Err(format!("`{name}` is a column of numbers")),
    };
    let (income, history, sex) = (numbers("income")?, numbers("history")?, table.column("sex")?);
    let bucket = |value: f64, edges: &[f64]| edges.iter().filter(|edge| value > **edge).count();
    let cell = |row: usize| {
        let sex = sex.text(row).unwrap_or_default();
        format!("{}/{}/{sex}", bucket(income[row], EDGES[0]), bucket(history[row], EDGES[1]))
    };
    let cells: Vec<String> = (0..table.rows()).map(cell).collect();
    let mut table = table.clone();
    let cells = Categorical::from_values(cells.iter().map(|cell| Some(cell.as_str())));
    table.set("cell", Column::Categorical(cells))?;
    Ok(table)
}

/// A learner that is told the probabilities of the observed labels, for its first fit, which is the one without
/// correction: so that it can be told apart what dividing by φ does and what estimating φ does.
struct Told {
    probabilities: Vec<f64>,
    learner: Logistic,
}

/// What was told, or fitted.
#[derive(Debug, Clone)]
enum ToldModel {
    Observed(Vec<f64>),
    Fitted(LogisticModel),
}

/// Whether it was told, and what the learner remembers.
#[derive(Default)]
struct ToldWarmStart {
    told: bool,
    warm_start: <Logistic as Learner>::WarmStart,
}

impl Learner for Told {
    type Predictor = ToldModel;
    type WarmStart = ToldWarmStart;

    fn fit(&self, training: Training<'_>, warm_start: &mut ToldWarmStart) -> evenhand::Result<ToldModel> {
        if !std::mem::replace(&mut warm_start.told, true) {
            return Ok(ToldModel::Observed(self.probabilities.clone()));
        }
        self.learner.fit(training, &mut warm_start.warm_start).map(ToldModel::Fitted)
    }

    fn sensitivity(
        &self,
        training: Training<'_>,
        predictor: &ToldModel,
        slopes: &[Weights],
        warm_start: &mut ToldWarmStart,
    ) -> evenhand::Result<Option<Box<dyn Sensitivity>>> {
        match predictor {
            ToldModel::Observed(_) => Ok(None),
            ToldModel::Fitted(model) => self.learner.sensitivity(training, model, slopes, &mut warm_start.warm_start),
        }
    }

    fn extrapolate(&self, warm_start: &mut ToldWarmStart, moves: &[f64]) {
        self.learner.extrapolate(&mut warm_start.warm_start, moves);
    }
}

impl Predictor for ToldModel {
    fn on<'a>(&'a self, features: &'a Features) -> evenhand::Result<Scorer<'a>> {
        match self {
            Self::Observed(all) => Ok(Box::new(move |rows, out| {
                out.clear();
                out.extend_from_slice(&all[2 * rows.start..2 * rows.end]);
            })),
            Self::Fitted(model) => model.on(features),
        }
    }
}
