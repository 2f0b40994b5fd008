//! Populations whose true rates are known, and test sets drawn from them.

use evenhand::correction::Binding;
use evenhand::data::Categorical;
use evenhand::features::Features;
use evenhand::learner::FnPredictor;
use evenhand::{Bound, Column, Correction, Dataset, Measure, Notion, Schema, Table, Verdict};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::Result;

/// Bounds are so far inside the truth: a thousandth of it.
const INSIDE: f64 = 1e-3;

/// Training rows; they teach which groups there are, and nothing else.
const TRAINING_ROWS: usize = 4_000;

/// What training rows know of a group.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Known {
    /// Rows with either label.
    Whole,
    /// Rows, but none that is labelled positive.
    WithoutPositives,
    /// Nothing.
    Unseen,
}

/// A group of a population, and how it is decided about.
pub(crate) struct Group {
    name: &'static str,
    /// Of the population.
    share: f64,
    /// Share labelled positive.
    positives: f64,
    /// Share decided positive, among rows labelled positive and among the others.
    rates: [f64; 2],
    known: Known,
}

/// A population, a notion, and how many rows a test set has.
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) notion: &'static str,
    pub(crate) rows: usize,
    groups: Vec<Group>,
}

/// A group of which training has all, decided alike whatever the label.
fn plain(name: &'static str, share: f64, rate: f64) -> Group {
    Group { name, share, positives: 0.4, rates: [rate; 2], known: Known::Whole }
}

/// All scenarios.
pub(crate) fn all() -> Vec<Scenario> {
    let parity = |name, rows, groups| Scenario { name, notion: "demographic-parity", rows, groups };
    let opportunity = |name, rows, groups| Scenario { name, notion: "equal-opportunity", rows, groups };
    let four = || vec![plain("A", 0.5, 0.31), plain("B", 0.3, 0.25), plain("C", 0.15, 0.36), plain("D", 0.05, 0.30)];
    let unseen = || {
        let new = Group { known: Known::Unseen, ..plain("D", 0.05, 0.15) };
        vec![plain("A", 0.6, 0.30), plain("B", 0.35, 0.28), new]
    };
    let dropped = |rate: f64| {
        let lost = Group { rates: [rate, 0.1], known: Known::WithoutPositives, ..plain("C", 0.06, 0.0) };
        let whole = |name, share, rate| Group { rates: [rate, 0.1], ..plain(name, share, 0.0) };
        vec![whole("A", 0.6, 0.70), whole("B", 0.34, 0.65), lost]
    };
    let without_test_positives = || {
        let mut groups = dropped(0.2);
        groups[2].positives = 0.0;
        groups.push(Group { rates: [0.5, 0.1], ..plain("D", 0.1, 0.0) });
        groups
    };
    vec![
        parity("two groups", 200, vec![plain("A", 0.5, 0.40), plain("B", 0.5, 0.30)]),
        parity("two groups", 2_000, vec![plain("A", 0.5, 0.40), plain("B", 0.5, 0.30)]),
        parity("rates far apart", 2_000, vec![plain("A", 0.3, 0.90), plain("B", 0.7, 0.10)]),
        parity("four groups", 200, four()),
        parity("four groups", 2_000, four()),
        parity("a group unseen in training", 400, unseen()),
        parity("a group unseen in training", 4_000, unseen()),
        opportunity("a group dropped in training", 400, dropped(0.4)),
        opportunity("a group dropped in training", 4_000, dropped(0.4)),
        opportunity("dropped and decided for nobody", 2_000, dropped(0.0)),
        opportunity("a group without positives and another worst", 1_000, without_test_positives()),
        parity("a small group with a rare decision", 2_000, vec![plain("A", 0.99, 0.30), plain("B", 0.01, 0.01)]),
        parity("decisions rare in every group", 2_000, vec![plain("A", 0.7, 0.03), plain("B", 0.3, 0.01)]),
    ]
}

/// Rows of a population: their groups, labels and decisions.
struct Drawn {
    groups: Vec<usize>,
    labels: Vec<bool>,
    decisions: Vec<bool>,
}

impl Scenario {
    /// The worst of every bound in the population, and a bound just inside of it.
    pub(crate) fn bounds(&self) -> [Bound; 3] {
        let opportunity = self.notion == "equal-opportunity";
        let asked = |group: &Group| {
            let [of_positives, of_others] = group.rates;
            let overall = group.positives * of_positives + (1.0 - group.positives) * of_others;
            if opportunity { (group.share * group.positives, of_positives) } else { (group.share, overall) }
        };
        let rates: Vec<(f64, f64)> = self.groups.iter().map(asked).filter(|(share, _)| *share > 0.0).collect();
        let total: f64 = rates.iter().map(|(share, _)| share).sum();
        let overall = rates.iter().map(|(share, rate)| share * rate).sum::<f64>() / total;
        let most = rates.iter().fold(0.0, |most: f64, (_, rate)| most.max(*rate));
        let least = rates.iter().fold(1.0, |least: f64, (_, rate)| least.min(*rate));
        let violation = rates.iter().fold(0.0, |worst: f64, (_, rate)| worst.max((overall - rate).abs()));
        [
            Bound::MaxViolation(violation * (1.0 - INSIDE)),
            Bound::MaxDifference((most - least) * (1.0 - INSIDE)),
            Bound::MinRatio((least / most * (1.0 + INSIDE)).max(INSIDE)),
        ]
    }

    /// What training rows teach.
    pub(crate) fn binding(&self) -> Result<Binding> {
        let drawn = self.draw(TRAINING_ROWS, 0);
        let kept = |&row: &usize| match self.groups[drawn.groups[row]].known {
            Known::Whole => true,
            Known::WithoutPositives => !drawn.labels[row],
            Known::Unseen => false,
        };
        let kept: Vec<usize> = (0..TRAINING_ROWS).filter(kept).collect();
        let notion: Notion = self.notion.parse()?;
        let settings = Correction::new(notion).group("group")?;
        Ok(Binding::new(&settings, &Dataset::new(self.table(&drawn)?.select(&kept), &schema())?)?.0)
    }

    /// The verdict on every bound by one test set.
    pub(crate) fn verdicts(&self, binding: &Binding, seed: u64) -> Result<Vec<Verdict>> {
        let drawn = self.draw(self.rows, seed);
        let data = Dataset::with_classes(self.table(&drawn)?, &schema(), binding.classes(), binding.positive())?;
        let (problem, _) = binding.problem(&data)?;
        let scores: Vec<f64> =
            drawn.decisions.iter().flat_map(|&decided| if decided { [0.0, 1.0] } else { [1.0, 0.0] }).collect();
        let predictor = FnPredictor::new(2, move |_: &Features| Ok(scores.clone()));
        let tests = problem.test_bounds(&predictor, &self.bounds(), Measure::Decisions, 0.95)?;
        Ok(tests.into_iter().map(|one| one.verdict).collect())
    }

    fn draw(&self, rows: usize, seed: u64) -> Drawn {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut drawn = Drawn { groups: Vec::new(), labels: Vec::new(), decisions: Vec::new() };
        for _ in 0..rows {
            let mut left = rng.random::<f64>();
            let group = self.groups.iter().position(|group| {
                left -= group.share;
                left < 0.0
            });
            let group = group.unwrap_or(0);
            let Group { positives, rates, .. } = self.groups[group];
            let label = rng.random::<f64>() < positives;
            drawn.groups.push(group);
            drawn.labels.push(label);
            drawn.decisions.push(rng.random::<f64>() < rates[usize::from(!label)]);
        }
        drawn
    }

    fn table(&self, drawn: &Drawn) -> Result<Table> {
        let text = |values: Vec<&str>| Column::Categorical(Categorical::from_values(values.into_iter().map(Some)));
        let groups = drawn.groups.iter().map(|&group| self.groups[group].name).collect();
        let labels = drawn.labels.iter().map(|&label| if label { "yes" } else { "no" }).collect();
        let columns = vec![
            ("group".to_owned(), text(groups)),
            ("x".to_owned(), Column::Numeric((0..drawn.labels.len()).map(|row| (row % 97) as f64).collect())),
            ("label".to_owned(), text(labels)),
        ];
        Ok(Table::new(columns, 2)?)
    }
}

fn schema() -> Schema {
    Schema::label("label").positive("yes")
}
