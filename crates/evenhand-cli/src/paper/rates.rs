//! `evenhand paper --rates`: how fast classifiers come near the truth, against what Theorems 2 and 3 guarantee.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use evenhand_experiments::{Estimate, RATES_MULTIPLIERS, RatesErrors, RatesExperiment, RatesPopulation, log_log_slope};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::args::Plan;
use super::render::folded;
use super::store::{self, Store};
use crate::columns::Columns;
use crate::figure::{Axes, Column, Figure, Line, Panel};
use crate::outputs::Outputs;
use crate::progress::Progress;
use crate::text::{Lines, thousands};

/// What the page is for.
const LEAD: &str = "This page shows the paper's Theorems 2 and 3 on synthetic people. With the right weights, the error of a classifier trained on biased labels falls steadily as rows are added; without weights the bias remains.";

/// How many rows are trained on: two sizes a decade.
const SIZES: [usize; 9] = [1_000, 3_162, 10_000, 31_623, 100_000, 316_228, 1_000_000, 3_162_278, 10_000_000];

/// What classifiers were trained with, by name.
type Kind = (&'static str, fn(&RatesErrors) -> f64);
const KINDS: [Kind; 3] = [("known λ", |one| one.known), ("found λ", |one| one.found), ("no weights", |one| one.none)];

/// One draw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Key {
    population: RatesPopulation,
    rows: usize,
    draw: u64,
}

/// What was measured on it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Value {
    errors: RatesErrors,
}

impl store::Key for Key {
    const FILE: &str = "rates.jsonl";

    type Value = Value;
}

type Cell = store::Cell<Key>;

/// What is shown. The keys are stable.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Rates {
    /// How many draws.
    draws: u64,
    /// Those of the bias.
    multipliers: [f64; 2],
    /// The populations.
    populations: Vec<Population>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Population {
    /// What it is called.
    name: &'static str,
    /// Of the features.
    dimensions: usize,
    /// Of the set on which people lie.
    intrinsic_dimensions: usize,
    /// The learner.
    learner: &'static str,
    /// Of the root mean square error, both on logarithmic scales.
    guaranteed_slope: f64,
    /// As they were found.
    slopes: Of<Mean>,
    /// Errors by number of rows.
    sizes: Vec<Size>,
}

/// Root mean square errors with some number of rows.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Size {
    /// How many rows.
    rows: usize,
    #[serde(flatten)]
    errors: Of<Mean>,
    /// As they were found.
    multipliers: [Mean; 2],
}

/// Something for each kind of weights.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Of<T> {
    /// With weights of the known λ.
    known: T,
    /// With weights of the λ that was found.
    found: T,
    /// Without weights.
    none: T,
}

/// A mean over draws, and its standard error.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Mean {
    /// Not a number, which JSON writes as null, where there is no draw.
    #[cfg_attr(test, schemars(with = "Option<f64>"))]
    mean: f64,
    /// The same with a single draw.
    #[cfg_attr(test, schemars(with = "Option<f64>"))]
    error: f64,
}

impl Mean {
    fn of(values: &[f64]) -> Self {
        let estimate = Estimate::of(values);
        Self {
            mean: estimate.map_or(f64::NAN, |one| one.mean),
            error: estimate.and_then(|one| one.error).unwrap_or(f64::NAN),
        }
    }

    fn show(self, digits: usize) -> String {
        format!("{:.digits$} ± {:.digits$}", self.mean, self.error)
    }
}

impl<T: Copy> Of<T> {
    fn each(&self) -> [T; 3] {
        [self.known, self.found, self.none]
    }
}

/// Measures what is not known yet, the longest first.
pub(super) fn measure(plan: &Plan, progress: Progress) -> Result<Rates> {
    let (most, draws) = plan.rates.unwrap_or_default();
    let sizes: Vec<usize> = SIZES.into_iter().filter(|rows| *rows <= most).collect();
    let store: Store<Key> = Store::open(plan.out.as_deref())?;
    let mut jobs = Vec::new();
    for &rows in sizes.iter().rev() {
        for population in RatesPopulation::ALL {
            jobs.extend((1..=draws).map(|draw| Key { population, rows, draw }).filter(|key| !store.has(key)));
        }
    }
    let bar = progress.count("measuring", jobs.len());
    jobs.into_par_iter().with_max_len(1).try_for_each(|key| -> Result<()> {
        let Key { population, rows, draw } = key;
        let errors = RatesExperiment { population, rows, draw }.run();
        bar.inc(1);
        store.add(key, Value { errors })
    })?;
    bar.finish_and_clear();
    let cells = store.into_cells();
    let populations = RatesPopulation::ALL.into_iter().map(|one| Population::new(one, &sizes, draws, &cells));
    Ok(Rates { draws, multipliers: RATES_MULTIPLIERS, populations: populations.collect() })
}

impl Population {
    fn new(population: RatesPopulation, sizes: &[usize], draws: u64, cells: &[Cell]) -> Self {
        let errors = |rows: usize, draw: u64| {
            let key = Key { population, rows, draw };
            cells.iter().find(|cell| cell.key == key).map(|cell| cell.value.errors)
        };
        let over_draws = |of: &dyn Fn(u64) -> Option<f64>| Mean::of(&(1..=draws).filter_map(of).collect::<Vec<f64>>());
        // A slope for each draw of all sizes: they are independent, and tell how sure their mean is.
        let slope = |kind: Kind| {
            over_draws(&|draw| {
                let point = |&rows: &usize| Some((rows as f64, kind.1(&errors(rows, draw)?)));
                log_log_slope(&sizes.iter().filter_map(point).collect::<Vec<_>>())
            })
        };
        let size = |&rows: &usize| Size {
            rows,
            errors: Of::by(|kind| over_draws(&|draw| Some(kind.1(&errors(rows, draw)?)))),
            multipliers: [0, 1].map(|at| over_draws(&|draw| Some(errors(rows, draw)?.multipliers[at]))),
        };
        Self {
            name: population.name(),
            dimensions: population.dimensions(),
            intrinsic_dimensions: population.intrinsic_dimensions(),
            learner: match population {
                RatesPopulation::Line => "least squares over Lipschitz functions",
                _ => "nearest neighbours",
            },
            guaranteed_slope: population.guaranteed_slope(),
            slopes: Of::by(slope),
            sizes: sizes.iter().map(size).collect(),
        }
    }

    /// `−1/6`.
    fn guaranteed(&self) -> String {
        format!("−1/{:.0}", -self.guaranteed_slope.recip())
    }

    /// The three lines, and one of the guaranteed slope through the first point of the first.
    fn column(&self) -> Column {
        let first = self.sizes.first().map_or((1.0, 1.0), |size| (size.rows as f64, size.errors.known.mean));
        let guaranteed = |size: &Size| {
            let rows = size.rows as f64;
            (rows, first.1 * (rows / first.0).powf(self.guaranteed_slope))
        };
        let line = |(at, kind): (usize, Kind)| Line {
            name: kind.0,
            points: self.sizes.iter().map(|size| (size.rows as f64, size.errors.each()[at].mean)).collect(),
        };
        let mut lines: Vec<Line> = KINDS.into_iter().enumerate().map(line).collect();
        lines.push(Line { name: "guaranteed", points: self.sizes.iter().map(guaranteed).collect() });
        let heading = format!("{}: guaranteed {}", self.name, self.guaranteed());
        Column { heading, panels: vec![Panel { up: "root mean square error", lines }] }
    }
}

impl<T> Of<T> {
    fn by(value: impl Fn(Kind) -> T) -> Self {
        let [known, found, none] = KINDS.map(value);
        Self { known, found, none }
    }
}

impl Rates {
    pub(super) fn text(&self) -> String {
        let mut lines = Lines::default();
        for population in &self.populations {
            let head = format!("{}, {}", population.name, population.learner);
            lines.push(head, KINDS.map(|kind| kind.0.to_owned()).to_vec());
            for size in &population.sizes {
                let errors = size.errors.each().map(|error| error.show(4));
                lines.push(format!("  {} rows", thousands(size.rows)), errors.to_vec());
            }
            let slopes = population.slopes.each().map(|slope| slope.show(3));
            lines.push(format!("  slope; guaranteed {:.3}", population.guaranteed_slope), slopes.to_vec());
            lines.push(String::new(), Vec::new());
        }
        let remarks: Vec<String> = self.remarks().iter().map(|remark| folded(remark)).collect();
        format!("{}{}\n", lines.render(), remarks.join("\n"))
    }

    fn remarks(&self) -> Vec<String> {
        let [one, other] = self.multipliers;
        vec![
            format!("Errors are root mean squares over people of score minus true probability, in means of {} draws ± standard error. Slopes are of the logarithm of the error against that of the number of rows, by least squares over all sizes.", self.draws),
            "The paper writes ‖·‖₂ for a mean square and states the rate n^(−1/(4+2D)) for it. Its proof has n^(−1/(2+D)) for the mean square, and therefore the stated rate for its root, which is shown here. On the curve the dimension is 1, whatever D is [Theorem 3].".to_owned(),
            format!("Labels are biased by λ = ({one}, {other}), Proposition 1. Known λ: weights with these multipliers. Found λ: weights with the multipliers that equalise mean scores. No weights: the error that remains with many rows is the bias."),
            "The number of nearest neighbours is doubled as long as scores change by no more than their variance (Lepskiĭ's method); the learner knows neither the dimension nor a Lipschitz constant. Least squares is exact, over all functions with twice the Lipschitz constant, as in the theorem.".to_owned(),
        ]
    }

    fn markdown(&self) -> String {
        let mut out = format!(
            "# Theorems 2 and 3, shown\n\n{LEAD}\n\nWritten by `evenhand paper --rates --out DIR`.\n\n![Errors against rows](rates.svg)\n\n"
        );
        for remark in self.remarks() {
            let _ = writeln!(out, "- {remark}");
        }
        out.push_str("\n## Slopes\n\n| population | learner | guaranteed | known λ | found λ | no weights |\n| --- | --- | --- | --- | --- | --- |\n");
        for one in &self.populations {
            let slopes = one.slopes.each().map(|slope| slope.show(3)).join(" | ");
            let guaranteed = format!("{} = {:.3}", one.guaranteed(), one.guaranteed_slope);
            let _ = writeln!(out, "| {} | {} | {guaranteed} | {slopes} |", one.name, one.learner);
        }
        out.push_str("\n## Errors\n\n| population | rows | known λ | found λ | no weights | multipliers found |\n| --- | --- | --- | --- | --- | --- |\n");
        for one in &self.populations {
            for size in &one.sizes {
                let errors = size.errors.each().map(|error| error.show(4)).join(" | ");
                let found = size.multipliers.map(|one| one.show(3)).join(", ");
                let _ = writeln!(out, "| {} | {} | {errors} | {found} |", one.name, thousands(size.rows));
            }
        }
        out
    }

    fn figure(&self) -> Figure {
        Figure {
            title: "Theorems 2 and 3: errors against rows".to_owned(),
            caption: format!(
                "Root mean square of score minus true probability in means of {} draws, by the weights trained with. The guaranteed slope starts where known λ does; only its steepness counts.",
                self.draws
            ),
            across: "rows".to_owned(),
            axes: Axes::Logarithmic,
            mark: None,
            columns: self.populations.iter().map(Population::column).collect(),
        }
    }

    /// All forms, into a folder.
    pub(super) fn write(&self, folder: &Path, outputs: &mut Outputs) -> Result<()> {
        outputs.text(&folder.join("rates.md"), &self.markdown())?;
        outputs.text(&folder.join("rates.json"), &(serde_json::to_string_pretty(self)? + "\n"))?;
        outputs.text(&folder.join("rates.svg"), &self.figure().svg())?;
        let rows: Vec<(&Population, &Size)> =
            self.populations.iter().flat_map(|one| one.sizes.iter().map(move |size| (one, size))).collect();
        let table = Columns::of(&rows)
            .words("population", |(one, _)| one.name.to_owned())
            .numbers("rows", |(_, size)| Some(size.rows as f64))
            .numbers("known", |(_, size)| Some(size.errors.known.mean))
            .numbers("known_se", |(_, size)| Some(size.errors.known.error))
            .numbers("found", |(_, size)| Some(size.errors.found.mean))
            .numbers("found_se", |(_, size)| Some(size.errors.found.error))
            .numbers("none", |(_, size)| Some(size.errors.none.mean))
            .numbers("none_se", |(_, size)| Some(size.errors.none.error))
            .table()?;
        outputs.table(&folder.join("rates.csv"), &table)
    }
}
