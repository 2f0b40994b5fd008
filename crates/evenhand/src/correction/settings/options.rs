//! Loose options, as a command line or keyword arguments have them, and the rules on which of them belong together.
//!
//! Holds [`CorrectionOptions`], which every front end fills and [`CorrectionOptions::build`] makes a [`Correction`] of.

use super::{
    Apply, Correction, CovariateShift, Keep, LoopSettings, Method, Preset, Score, Solver, SqpSettings, Technique,
    Threshold, Validation,
};
use crate::bound::{Limit, NotionBound};
use crate::constraint::{Measure, Tilt, WeightRange};
use crate::features::ColumnPlan;
use crate::group::GroupSpec;
use crate::notion::Notion;
use crate::{Error, Result};

/// The options of a correction, each as it was given; `None` leaves it to the preset.
///
/// | options | belong to |
/// |---|---|
/// | `margin`, `min_group`, `max_fits`, `range`, `apply` | the method `correction` with [`Preset::Default`] |
/// | `step`, `loops`, `keep` | the method `correction` with [`Preset::Paper`] or [`Preset::Notebook`] |
/// | `tilt` | the method `correction`; [`Tilt::Expected`] with [`Preset::Default`] |
/// | `preset` | the method `correction`; with other methods [`Preset::Notebook`] says how numbers are encoded |
/// | `validation`, `technique`, `covariate_shift` | the method `correction` |
/// | `threshold` | every method but `threshold-postprocessing` and `percentile-thresholds`, which have thresholds by group |
/// | all others | every method |
///
/// ```
/// use evenhand::correction::CorrectionOptions;
/// use evenhand::{Notion, Preset};
///
/// # fn main() -> evenhand::Result<()> {
/// let options = CorrectionOptions {
///     notions: vec![Notion::EqualOpportunity],
///     groups: vec!["sex".parse()?],
///     max_violation: vec![0.02.into()],
///     ..CorrectionOptions::default()
/// };
/// let correction = options.clone().build()?;
/// assert_eq!(correction.bounds.len(), 1);
///
/// // A step size belongs to the loop of the paper.
/// let stray = CorrectionOptions { step: Some(0.5), ..options };
/// assert_eq!(stray.clone().build().unwrap_err().code(), "setting-invalid");
/// assert!(CorrectionOptions { preset: Preset::Paper, ..stray }.build().is_ok());
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CorrectionOptions {
    /// What is asked to be equal: one notion or more.
    pub notions: Vec<Notion>,
    /// Across which groups.
    pub groups: Vec<GroupSpec>,
    /// Columns the learner may not see.
    pub withhold: Vec<String>,
    /// Columns that are no features and were not meant to be.
    pub beside: Vec<String>,
    /// The largest |overall − group| rate that is asked for.
    pub max_violation: Vec<Limit>,
    /// The largest difference between the rates of two groups that is asked for.
    pub max_difference: Vec<Limit>,
    /// The smallest ratio between the rates of two groups that is asked for.
    pub min_ratio: Vec<Limit>,
    /// By which method, with its own settings.
    pub method: Method,
    /// How multipliers are found, and how numbers are encoded.
    pub preset: Preset,
    /// How many standard errors to stay below a bound.
    pub margin: Option<f64>,
    /// Groups with fewer rows of those that a rate conditions on are measured, shown and tested, but not searched for.
    pub min_group: Option<usize>,
    /// How many multipliers are tried at most.
    pub max_fits: Option<usize>,
    /// Whether weights are bounded.
    pub range: Option<WeightRange>,
    /// How multipliers enter exponents.
    pub tilt: Option<Tilt>,
    /// Step size of the update of the multipliers.
    pub step: Option<f64>,
    /// How many times multipliers are updated.
    pub loops: Option<usize>,
    /// Which of the models is returned.
    pub keep: Option<Keep>,
    /// On which rows multipliers are chosen.
    pub validation: Validation,
    /// Whether decisions or scores are compared.
    pub measure: Measure,
    /// From which probability on rows are decided positive.
    pub threshold: Threshold,
    /// What multipliers are applied to.
    pub apply: Apply,
    /// How weights reach the learner.
    pub technique: Technique,
    /// Whether the covariate shift that weights bring is corrected.
    pub covariate_shift: CovariateShift,
    /// From which share on a change in what is predicted is notable.
    pub notable_change: Option<f64>,
    /// Whether numeric columns are centred and scaled.
    pub standardise: Option<bool>,
    /// Whether intersections among the groups are features of the learner too.
    pub interactions: Option<bool>,
    /// The column of another model's probabilities.
    pub score: Option<Score>,
    /// How each column is encoded.
    pub plan: Option<Vec<ColumnPlan>>,
}

/// The name of an option, and whether it was given.
type Given = (&'static str, bool);

impl CorrectionOptions {
    /// The settings that these options mean. An option that would have no effect is refused rather than ignored.
    ///
    /// # Errors
    /// [`Error::Setting`] without a notion, for an option that does not belong to the method or the preset, and for a
    /// value out of its range.
    pub fn build(self) -> Result<Correction> {
        let Some(first) = self.notions.first() else {
            return Err(Error::setting("notions", "none", "one or more"));
        };
        self.check_method()?;
        let mut correction = Correction::new(first.clone()).preset(self.preset);
        correction.solver = self.solver()?;
        correction.bounds = self.bounds()?;
        correction.notions = self.notions;
        correction.groups = self.groups;
        correction.withhold = self.withhold;
        correction.beside = self.beside;
        correction.method = self.method;
        correction.validation = self.validation;
        correction.measure = self.measure;
        correction.threshold = self.threshold;
        correction.apply = self.apply;
        correction.technique = self.technique;
        correction.covariate_shift = self.covariate_shift;
        correction.notable_change = self.notable_change.unwrap_or(correction.notable_change);
        correction.standardise = self.standardise.unwrap_or(correction.standardise);
        correction.interactions = self.interactions.unwrap_or(correction.interactions);
        correction.score = self.score;
        correction.plan = self.plan;
        correction.check()?;
        Ok(correction)
    }

    fn bounds(&self) -> Result<Vec<NotionBound>> {
        NotionBound::of_limits(&self.max_violation, &self.max_difference, &self.min_ratio, &self.notions)
    }

    /// Options of sequential quadratic programming.
    fn of_sqp(&self) -> [Given; 4] {
        [
            ("margin", self.margin.is_some()),
            ("min_group", self.min_group.is_some()),
            ("max_fits", self.max_fits.is_some()),
            ("range", self.range.is_some()),
        ]
    }

    /// Options of the loop of Algorithms 1 and 2.
    fn of_loop(&self) -> [Given; 3] {
        [("step", self.step.is_some()), ("loops", self.loops.is_some()), ("keep", self.keep.is_some())]
    }

    /// Refuses what only a search for multipliers uses, where the method is another.
    fn check_method(&self) -> Result<()> {
        if self.threshold == Threshold::Best && self.method.decides_by_group() {
            let allowed = "`half`: it decides by thresholds of groups";
            let found = format!("`best` with the method {}", self.method);
            return Err(Error::conflict("threshold", "method", found, allowed));
        }
        if self.method.is_correction() {
            return Ok(());
        }
        let why = "none: only a correction searches for multipliers";
        if self.preset == Preset::Paper {
            let found = format!("`paper` with the method {}", self.method);
            return Err(Error::conflict("preset", "method", found, why));
        }
        let all = self.of_sqp().into_iter().chain(self.of_loop()).chain([("tilt", self.tilt.is_some())]);
        match all.chain([("apply", self.apply != Apply::Weights)]).find(|(_, given)| *given) {
            Some((option, _)) => {
                Err(Error::conflict(option, "method", format!("given with the method {}", self.method), why))
            }
            None => Ok(()),
        }
    }

    /// The solver of the preset, changed as asked.
    fn solver(&self) -> Result<Solver> {
        let refuse = |options: &[Given], found: &str, why: &str| match options.iter().find(|(_, given)| *given) {
            Some((option, _)) => Err(Error::conflict(option, "preset", found, why)),
            None => Ok(()),
        };
        Ok(match self.preset.solver() {
            Solver::Sqp(usual) => {
                let why = "none: it belongs to the loop of the presets `paper` and `notebook`";
                refuse(&self.of_loop(), "given with the preset `default`", why)?;
                Solver::Sqp(SqpSettings {
                    margin: self.margin.unwrap_or(usual.margin),
                    min_group: self.min_group.unwrap_or(usual.min_group),
                    max_fits: self.max_fits.unwrap_or(usual.max_fits),
                    range: self.range.or(usual.range),
                    tilt: self.tilt.or(usual.tilt),
                    ..usual
                })
            }
            Solver::Loop(usual) => {
                let why = "none: it belongs to the preset `default`, and not to the loop of the paper";
                refuse(&self.of_sqp(), "given with the loop of the paper", why)?;
                let mut rule = usual.rule;
                rule.tilt = self.tilt.unwrap_or(rule.tilt);
                Solver::Loop(LoopSettings {
                    rule,
                    step: self.step.unwrap_or(usual.step),
                    loops: self.loops.unwrap_or(usual.loops),
                    keep: self.keep.unwrap_or(usual.keep),
                    ..usual
                })
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::Bound;

    fn options() -> CorrectionOptions {
        CorrectionOptions { notions: vec![Notion::DemographicParity], ..CorrectionOptions::default() }
    }

    #[test]
    fn without_options_it_is_the_usual_correction() {
        assert_eq!(options().build().unwrap(), Correction::new(Notion::DemographicParity));
        let notebook = CorrectionOptions { preset: Preset::Notebook, ..options() };
        let expected = Correction::new(Notion::DemographicParity).preset(Preset::Notebook);
        assert_eq!(notebook.build().unwrap(), expected);
        let none = CorrectionOptions::default().build().unwrap_err();
        assert_eq!(none.to_string(), "`notions` is none; allowed is one or more");
    }

    #[test]
    fn every_option_reaches_its_setting() {
        let sqp = CorrectionOptions {
            margin: Some(1.0),
            min_group: Some(5),
            max_fits: Some(7),
            range: Some(WeightRange::Unbounded),
            max_difference: vec![0.1.into()],
            min_ratio: vec![0.8.into()],
            standardise: Some(false),
            interactions: Some(false),
            ..options()
        };
        let correction = sqp.build().unwrap();
        let Solver::Sqp(settings) = correction.solver else { panic!("{:?}", correction.solver) };
        let expected = (5, 7, Some(WeightRange::Unbounded));
        assert_eq!((settings.min_group, settings.max_fits, settings.range), expected);
        assert!((settings.margin - 1.0).abs() < 1e-12 && !correction.standardise && !correction.interactions);
        assert_eq!(correction.bounds, [Bound::MaxDifference(0.1).into(), Bound::MinRatio(0.8).into()]);
        let printed = CorrectionOptions {
            preset: Preset::Paper,
            tilt: Some(Tilt::Centred),
            step: Some(0.5),
            loops: Some(3),
            keep: Some(Keep::Best),
            ..options()
        };
        let Solver::Loop(settings) = printed.build().unwrap().solver else { panic!("the paper has a loop") };
        assert_eq!((settings.rule.tilt, settings.loops, settings.keep), (Tilt::Centred, 3, Keep::Best));
    }

    #[test]
    fn what_would_have_no_effect_is_refused() {
        let wrong = [
            (CorrectionOptions { step: Some(1.0), ..options() }, "`step` is given with the preset `default`"),
            (
                CorrectionOptions { preset: Preset::Paper, min_group: Some(3), ..options() },
                "`min_group` is given with the loop of the paper",
            ),
            (
                CorrectionOptions { method: Method::Reweighing, margin: Some(1.0), ..options() },
                "`margin` is given with the method reweighing",
            ),
            (
                CorrectionOptions { method: Method::Reweighing, preset: Preset::Paper, ..options() },
                "`preset` is `paper` with the method reweighing",
            ),
            (
                CorrectionOptions { max_violation: vec![2.0.into()], ..options() },
                "`max-violation` is 2; allowed is 0 to 1",
            ),
        ];
        for (options, message) in wrong {
            let error = options.build().unwrap_err();
            assert!(error.to_string().starts_with(message), "{error}");
            assert_eq!(error.code(), "setting-invalid");
        }
    }
}
