//! What `evenhand fit` shows: the same numbers as text and as JSON.

use std::path::PathBuf;

use evenhand::correction::{
    Apply, Effect, GroupRates, MembershipQuality, Metrics, NamedMultiplier, TradeOff, WeightRule,
};
use evenhand::{Fitted, Measure, Method, Notion, Predictor, Termination};
use serde::Serialize;

use super::config::Config;
use super::read_columns::ReadColumns;
use super::rules::Rules;
use crate::bounds::TestedBound;
use crate::files;
use crate::many_rows::PassCounts;
use crate::memberships;
use crate::output::{self, WarningRecord};
use crate::text::{Lines, clean, counted, error_share, listed, or_dash, percent, rate, signed, thousands};

/// At most so many lines for constraints, groups and multipliers each; JSON has all.
const MOST_LINES: usize = 40;

/// At most so many constraints are named in a warning.
const MOST_NAMES: usize = 10;

/// A classifier without correction and with it, on the same rows.
pub(super) struct Comparison {
    pub(super) before: Metrics,
    pub(super) after: Metrics,
}

/// What was found beside the classifier itself.
pub(super) struct Found {
    pub(super) train: Comparison,
    pub(super) test: Option<Comparison>,
    pub(super) bounds: Vec<TestedBound>,
    pub(super) effect: ShownEffect,
}

/// What the correction changes, and on which rows.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ShownEffect {
    /// `test` or `training`.
    pub(super) rows: &'static str,
    #[serde(flatten)]
    pub(super) effect: Effect,
}

impl ShownEffect {
    /// The first lines, where something is notable: what is paid, and for how much less violation, before and after.
    fn to_text(&self, violation: [Option<f64>; 2]) -> String {
        let notable = self.effect.warnings();
        if notable.is_empty() {
            return String::new();
        }
        let mut lines: Vec<String> = notable.iter().map(|one| format!("  {}", clean(&one.to_string()))).collect();
        if let [Some(before), Some(after)] = violation {
            lines.push(format!("  for a largest violation of {after:.4}, where without correction it is {before:.4}"));
        }
        format!("The correction changes more than evenness ({} rows):\n{}\n\n", self.rows, lines.join("\n"))
    }
}

/// Everything that is shown. The keys are stable.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Report {
    /// What the correction changes beside evenness.
    effect: ShownEffect,
    /// The method.
    method: &'static str,
    /// What was asked to be equal across groups.
    notion: Vec<String>,
    /// The groups.
    groups: Vec<String>,
    /// The values of the label; of two, the positive one last.
    classes: Vec<String>,
    /// How columns were read.
    columns: ReadColumns,
    /// One number per constraint, λ in the paper.
    multipliers: Vec<NamedMultiplier>,
    /// What they are applied to, with a correction.
    #[serde(skip_serializing_if = "Option::is_none")]
    apply: Option<Apply>,
    /// How they become weights, with a correction that has some.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<WeightRule>,
    /// How well features tell each group that the learner may not see, where that was modelled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    memberships: Vec<MembershipQuality>,
    /// On the training rows.
    train: Metrics,
    #[serde(flatten)]
    rules: Rules,
    /// On the rows by which weights were chosen, where these are not the training rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    validation: Option<Metrics>,
    /// On rows that were not trained on.
    test: Option<Metrics>,
    /// The same classifier without correction.
    uncorrected: Uncorrected,
    /// How the search ended.
    stop: Termination,
    /// What going on would have cost, where the search stopped for the cost.
    trade_off: Option<TradeOff>,
    /// How many times multipliers moved.
    iterations: usize,
    /// How many times the learner was called.
    fits: usize,
    /// How often all rows were gone through, where they were not all in memory.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    passes: Option<PassCounts>,
    /// How long it took.
    seconds: f64,
    /// What is worth knowing.
    pub(super) warnings: Vec<WarningRecord>,
    /// Where the model was written.
    model: Option<PathBuf>,
    /// Where the weights were written.
    weights: Option<PathBuf>,
    /// Where every fit of the search was written.
    trace: Option<PathBuf>,
    /// Rows with their predictions, where these were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    predictions: Option<PathBuf>,
    /// Where the report was written.
    #[serde(rename = "report", skip_serializing_if = "Option::is_none")]
    page: Option<PathBuf>,
    /// Of every bound that was asked for.
    pub(super) bounds: Vec<TestedBound>,
    #[serde(skip)]
    positive: Option<usize>,
    #[serde(skip)]
    notions: Vec<Notion>,
    #[serde(skip)]
    measure: Measure,
    /// How it ended, in words.
    #[serde(skip)]
    ending: String,
    /// Whether it is another classifier than that without correction.
    #[serde(skip)]
    is_compared: bool,
}

/// The classifier without correction.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Uncorrected {
    /// On the training rows.
    train: Metrics,
    /// On rows that were not trained on.
    test: Option<Metrics>,
}

impl Report {
    pub(super) fn new<P: Predictor>(
        config: &Config,
        fitted: &Fitted<P>,
        Found { train, test, bounds, effect }: Found,
        seconds: f64,
        warnings: Vec<WarningRecord>,
    ) -> evenhand::Result<Self> {
        let notions = config.correction.notions.clone();
        let (searched, apply) = (config.correction.method.is_correction(), config.correction.apply);
        let (tested, untested) = test.map(|test| (test.after, test.before)).unzip();
        Ok(Self {
            effect,
            method: config.correction.method.name(),
            rules: Rules::new(&config.correction, fitted),
            notion: notions.iter().map(ToString::to_string).collect(),
            groups: fitted.binding().group_names(),
            classes: fitted.binding().classes().to_vec(),
            multipliers: fitted.named_multipliers()?,
            apply: searched.then_some(apply),
            rule: (searched && apply == Apply::Weights).then_some(fitted.solution().rule),
            memberships: fitted.solution().memberships(fitted.binding()),
            train: train.after,
            validation: fitted.solution().validation.clone(),
            test: tested,
            uncorrected: Uncorrected { train: train.before, test: untested },
            stop: fitted.stop(),
            trade_off: fitted.solution().trade_off,
            iterations: fitted.trace().len(),
            fits: fitted.solution().fits,
            passes: None,
            seconds,
            warnings,
            model: config.model.clone(),
            weights: config.weights.clone(),
            trace: config.trace.clone(),
            predictions: config.predictions.as_ref().map(|(_, path)| path.clone()),
            page: config.report.clone(),
            bounds,
            positive: fitted.binding().positive(),
            notions,
            measure: config.correction.measure,
            ending: fitted.solution().explain(&config.correction),
            is_compared: config.correction.method != Method::Unconstrained,
            columns: ReadColumns::of(fitted.binding()),
        })
    }

    /// The same, of rows that were not all in memory.
    pub(super) fn with_passes(self, passes: PassCounts) -> Self {
        Self { passes: Some(passes), ..self }
    }

    pub(super) fn to_text(&self) -> String {
        let definition = |notion: &Notion| format!("{}: {}\n", clean(&notion.to_string()), notion.definition());
        let definitions: Vec<String> = self.notions.iter().map(definition).collect();
        let mut multipliers = Lines::default();
        multipliers.push_some(&self.multipliers, MOST_LINES, |one| {
            let mut numbers = vec![or_dash(one.value, signed)];
            numbers.extend(one.odds_factor.map(|factor| format!("x {factor:.2}")));
            (format!("  {}", one.name), numbers)
        });
        let (table, multipliers, ending) = (self.table(), multipliers.render(), self.ending());
        let mut bounds: String = self.bounds.iter().map(TestedBound::to_text).collect();
        if !bounds.is_empty() {
            bounds = format!("Bounds\n{bounds}\n");
        }
        let definitions = definitions.concat();
        let found = match self.rules.heading(self.rule) {
            Some(heading) => {
                format!("{heading}{}\n{multipliers}\n{}", self.odds(), memberships::to_text(&self.memberships))
            }
            None => String::new(),
        };
        let found = found + &self.rules.to_text();
        let (before, after) = match (&self.uncorrected.test, &self.test) {
            (Some(before), Some(after)) => (before, after),
            _ => (&self.uncorrected.train, &self.train),
        };
        let effect = self.effect.to_text([before, after].map(|metrics| metrics.violation));
        let (alike, columns) = (output::alike(&self.warnings), self.columns.to_text());
        format!("{alike}{effect}{}{definitions}{columns}\n{table}\n{found}{bounds}{ending}", self.rules.method())
    }

    /// What the factors beside multipliers are, where there are any.
    fn odds(&self) -> String {
        if self.multipliers.iter().all(|one| one.odds_factor.is_none()) {
            return String::new();
        }
        let label = match self.positive {
            Some(class) => format!("`{}`", clean(&self.classes[class])),
            None => "the label".to_owned(),
        };
        format!("; after x, the factor on the odds of {label} in the group, against all others")
    }

    /// A warning that names the constraints test rows cannot tell, if there are any.
    pub(super) fn unmeasured(&self) -> Option<String> {
        let names = self.test.as_ref().map(Metrics::unmeasured).filter(|names| !names.is_empty())?;
        let names = listed(&names, MOST_NAMES, |name| format!("`{}`", clean(name)));
        Some(format!("warning (test rows): could not be measured, for lack of rows: {names}"))
    }

    /// Before and after, on training rows and on test rows.
    fn table(&self) -> String {
        let mut lines = Lines::default();
        let rows = || ["training", "test"].into_iter().take(1 + usize::from(self.test.is_some()));
        if self.is_compared {
            lines.push("", rows().flat_map(|rows| [rows.to_owned(), rows.to_owned()]).collect());
            lines.push("", rows().flat_map(|_| ["before".to_owned(), "after".to_owned()]).collect());
        } else {
            lines.push("", rows().map(str::to_owned).collect());
        }
        lines.push("rows", self.cells(|one| thousands(one.rows)));
        lines.push("error", self.cells(|one| error_share(one.error, one.rows)));
        lines.push("violation", self.cells(|one| or_dash(one.violation, rate)));
        for notion in &self.notions {
            lines.push(format!("  largest {}{}", notion.measured(), self.scores()), Vec::new());
        }
        lines.push("violation of each constraint (+: the group gets less)", Vec::new());
        // Test rows may have groups that training rows did not: these come last.
        let widest = self.test.as_ref().unwrap_or(&self.train);
        let places: Vec<usize> = (0..widest.violations.len()).collect();
        lines.push_some(&places, MOST_LINES, |&at| {
            let name = format!("  {}", widest.violations[at].name);
            (name, self.cells(|one| or_dash(one.violations.get(at).and_then(|one| one.value), signed)))
        });
        for class in self.shown_classes() {
            lines.push(format!("predicted `{}`", self.classes[class]), Vec::new());
            lines.push("  overall", self.cells(|one| percent(one.class_rates[class])));
            let of = |metrics: &Metrics, name: &str| {
                let group = metrics.groups.iter().find(|group| group.name == name);
                or_dash(group.and_then(|group| group.class_rates.get(class).copied()), percent)
            };
            lines.push_some(&self.shown_groups(), MOST_LINES, |name| {
                (format!("  {name}"), self.cells(|one| of(one, name)))
            });
        }
        lines.render()
    }

    /// The groups, and then rows without a value, which test rows may have and training rows not.
    fn shown_groups(&self) -> Vec<&str> {
        let groups = self.train.groups.iter().chain(self.test.iter().flat_map(|test| &test.groups));
        let mut names: Vec<&str> = Vec::new();
        for name in groups.map(|group: &GroupRates| group.name.as_str()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// The positive class, or all of them where none is.
    fn shown_classes(&self) -> Vec<usize> {
        self.positive.map_or_else(|| (0..self.classes.len()).collect(), |class| vec![class])
    }

    fn cells(&self, number: impl Fn(&Metrics) -> String) -> Vec<String> {
        let train = [Some(&self.uncorrected.train).filter(|_| self.is_compared), Some(&self.train)];
        let test = [self.uncorrected.test.as_ref().filter(|_| self.is_compared), self.test.as_ref()];
        train.into_iter().chain(test).flatten().map(number).collect()
    }

    fn scores(&self) -> &'static str {
        match self.measure {
            Measure::Scores => ", of probabilities in place of decisions",
            Measure::Decisions => "",
        }
    }

    fn ending(&self) -> String {
        let how = match &self.trade_off {
            Some(trade_off) => {
                format!("{}; --max-violation {:.3} searches for it anew", self.ending, trade_off.bound)
            }
            None => self.ending.clone(),
        };
        let (iterations, fits) = (counted(self.iterations, "iteration"), counted(self.fits, "fit"));
        let wrote = |(what, path): (&str, &Option<PathBuf>)| {
            path.as_ref().map(|path| format!("Wrote the {what} to {}.\n", files::shown(path)))
        };
        let files =
            [("model", &self.model), ("weights", &self.weights), ("trace", &self.trace), ("report", &self.page)];
        let files: Vec<String> = files.into_iter().filter_map(wrote).collect();
        let passes = self.passes.map(PassCounts::to_text).unwrap_or_default();
        format!("{iterations}, {fits}{passes}, {:.2} s; {how}.\n{}", self.seconds, files.concat())
    }
}
