//! The loop on responses that are made up: a run whose decisions are a known function of one multiplier, so that every step can be worked out by hand.

use super::restarts::Ended;
use super::*;
use crate::bound::Bound;
use crate::constraint::TiltTable;
use crate::correction::problem::Problem;
use crate::correction::settings::Correction;
use crate::correction::solvers::oracle::SumDerivatives;
use crate::data::Codes;
use crate::features::Features;
use crate::group::Membership;
use crate::kernel::{BoundaryRows, CellSums};
use crate::notion::Notion;

const ROWS: usize = 100_000;

/// A run on half of whose rows, a group, the multiplier has an effect. All others are decided positive half of the time.
struct MadeUp<'a> {
    problem: Problem,
    table: TiltTable,
    settings: Correction,
    /// The share of the group that is decided positive, whatever the label: the error does not depend on it.
    share: &'a dyn Fn(f64) -> f64,
    /// What is taken for the derivative of that share; `None` for a learner without derivatives.
    slope: Option<&'a dyn Fn(f64) -> f64>,
    tried: Vec<f64>,
}

impl<'a> MadeUp<'a> {
    fn new(share: &'a dyn Fn(f64) -> f64, slope: Option<&'a dyn Fn(f64) -> f64>) -> Self {
        let features = Features::from_rows(&vec![0.0; ROWS], 1).unwrap();
        let labels = Codes::narrow((0..ROWS as u32).map(|row| row / 2 % 2).collect(), 2);
        let mask: Vec<bool> = (0..ROWS).map(|row| row % 2 == 0).collect();
        let membership = Membership::from_masks(vec!["a".into()], &[mask]).unwrap();
        let classes = ["no", "yes"].map(str::to_owned);
        let (problem, _) =
            Problem::of_arrays(features, labels, &classes, &membership, None, &[Notion::DemographicParity]).unwrap();
        let table = problem.tilt_table(WeightRule::CENTRED);
        Self { problem, table, settings: Correction::new(Notion::DemographicParity), share, slope, tried: Vec::new() }
    }

    /// For each class of each cell, its weight times a factor that depends on whether it is in the group.
    fn by_cell(&self, factors: impl Fn(bool) -> [f64; 2]) -> Vec<f64> {
        let cells = self.problem.cells();
        let of = |cell: usize| factors(cells.groups(cell).next().is_some()).map(|one| one * cells.weight(cell));
        (0..cells.len()).flat_map(of).collect()
    }
}

impl Oracle for MadeUp<'_> {
    fn settings(&self) -> &Correction {
        &self.settings
    }

    fn evaluation(&self) -> &Problem {
        &self.problem
    }

    fn table(&self) -> &TiltTable {
        &self.table
    }

    fn set_rule(&mut self, _: WeightRule) {}

    fn may_take(&self, _: WeightRule) -> bool {
        false
    }

    fn tried(&self) -> usize {
        self.tried.len()
    }

    fn evaluate(&mut self, multipliers: Vec<f64>, _: &mut dyn Observer) -> Result<Option<(Point, bool)>> {
        let share = (self.share)(multipliers[0]);
        let decided = self.by_cell(|inside| if inside { [1.0 - share, share] } else { [0.5, 0.5] });
        let sums = CellSums::of_decisions(2, decided.into_iter());
        self.tried.push(multipliers[0]);
        let point = Point::new(self.tried.len(), &self.table, multipliers, &self.problem, sums);
        Ok(Some((point, true)))
    }

    fn candidates(&mut self, _: &Target, _: SqpSettings) -> Result<Vec<Vec<f64>>> {
        Ok(Vec::new())
    }

    fn differentiate(&mut self, point: &Point, _: &[usize]) -> Result<Option<SumDerivatives>> {
        let changes = self.slope.map(|slope| {
            let slope = slope(point.multipliers[0]);
            self.by_cell(|inside| if inside { [-slope, slope] } else { [0.0, 0.0] })
        });
        Ok(changes.map(|changes| (vec![CellSums::of_changes(2, &changes)], vec![0.0])))
    }

    fn near_boundary(&self, _: &Point, _: f64) -> Result<Option<BoundaryRows>> {
        Ok(None)
    }

    fn retain(&mut self, _: &[&Point]) {}
}

/// Without a margin, and with next to no cost of multipliers.
fn settings() -> SqpSettings {
    SqpSettings { margin: 0.0, regularisation: 1e-6, ..SqpSettings::default() }
}

/// The loop from no correction: where it ends, and all multipliers that it tried.
fn run(
    share: &dyn Fn(f64) -> f64,
    slope: Option<&dyn Fn(f64) -> f64>,
    bound: Option<f64>,
    settings: SqpSettings,
) -> (Ended, Vec<f64>) {
    let mut made_up = MadeUp::new(share, slope);
    let mut silent = Silent;
    let mut search = Search::new(&mut made_up, settings, &mut silent);
    let bounds = bound.map(|most| Bound::MaxViolation(most).into()).into_iter().collect();
    let uncorrected = search.uncorrected().unwrap();
    let merit = search.merit(&Target { bounds, at_any_cost: false }, &uncorrected);
    search.kept = vec![uncorrected.clone()];
    let ended = search.run_trust_region(&merit, uncorrected).unwrap();
    (ended, made_up.tried)
}

/// A share of 0.3 without correction: the violation is ¼ − ½ · share, which is 0.1.
fn violation(ended: &Ended, share: &dyn Fn(f64) -> f64) -> f64 {
    0.25 - 0.5 * share(ended.point.multipliers[0])
}

#[test]
fn a_linear_response_is_met_with_one_step() {
    let (share, slope) = (|at: f64| 0.3 + 0.1 * at, |_: f64| 0.1);
    // 0.1 − 0.05 λ is to be 0.001 below the bound, which is as good as no back-off.
    let (ended, tried) = run(&share, Some(&slope), Some(0.02), settings());
    assert_eq!((ended.stop, tried.len()), (Termination::Converged, 2), "{tried:?}");
    assert!((violation(&ended, &share) - 0.019).abs() < 1e-6, "{tried:?}");
    // Evenness needs λ = 2, which is as far as the first radius goes.
    let (ended, tried) = run(&share, Some(&slope), None, settings());
    assert_eq!((ended.stop, tried.len()), (Termination::Converged, 2), "{tried:?}");
    assert!(violation(&ended, &share).abs() < 1e-3, "{tried:?}");
}

#[test]
fn a_response_that_goes_no_further_is_infeasible() {
    // From λ = 1 on nothing changes, and the derivatives say so: a violation of 0.05 is left.
    let (share, slope) = (|at: f64| 0.3 + 0.1 * at.min(1.0), |at: f64| if at < 1.0 { 0.1 } else { 0.0 });
    for bound in [Some(0.02), None] {
        let (ended, tried) = run(&share, Some(&slope), bound, settings());
        assert_eq!(ended.stop, Termination::Infeasible, "{bound:?}: {tried:?}");
        assert!((violation(&ended, &share) - 0.05).abs() < 1e-9 && tried.len() <= 3, "{bound:?}: {tried:?}");
    }
}

#[test]
fn a_response_that_keeps_no_promise_stalls() {
    // Any step away from zero is for the worse, and after each the derivatives promise as much on the other side.
    let (share, slope) = (|at: f64| 0.3 - 0.1 * at.abs(), |_: f64| 0.1);
    let (ended, tried) = run(&share, Some(&slope), Some(0.02), settings());
    assert_eq!((ended.stop, ended.point.multipliers[0].to_bits()), (Termination::Stalled, 0), "{tried:?}");
    // Each step is a quarter of the one before, on the other side of zero, until the radius is below its minimum: a step loses more than was promised, which shrinks the radius
    // by as much as it may.
    assert!((tried[1] - 1.62).abs() < 1e-6, "{tried:?}");
    for pair in tried[1..].windows(2) {
        assert!((pair[1] / pair[0] + 0.25).abs() < 0.02, "{tried:?}");
    }
    assert!(tried.last().unwrap().abs() < 4.0 * settings().min_radius, "{tried:?}");
}

#[test]
fn a_step_is_accepted_if_it_keeps_a_tenth_of_what_was_promised() {
    let only = SqpSettings { max_fits: 2, ..settings() };
    for (kept, accepted) in [(0.08, false), (0.12, true), (0.5, true), (-0.5, false)] {
        let (share, slope) = (|at: f64| 0.3 + kept * 0.1 * at, |_: f64| 0.1);
        let (ended, tried) = run(&share, Some(&slope), Some(0.02), only);
        let expected = if accepted { tried[1] } else { 0.0 };
        assert_eq!(tried.len(), 2);
        let found = ended.point.multipliers[0].to_bits();
        assert_eq!((ended.stop, found), (Termination::IterationLimit, expected.to_bits()), "{kept}");
    }
}

#[test]
fn without_derivatives_every_fit_corrects_the_model() {
    // Odds that follow the odds of weights in part, or too far: Broyden's update learns by how much, whereas the first model would end after steps that
    // together lead a third of the way.
    for part in [0.3, 0.5, 2.0] {
        let share = |at: f64| 1.0 / (1.0 + 7.0 / 3.0 * (-part * at).exp());
        let (ended, tried) = run(&share, None, Some(0.05), settings());
        assert_eq!(ended.stop, Termination::Converged, "{part}: {tried:?}");
        assert!(tried.len() <= 7 && violation(&ended, &share) < 0.05, "{part}: {tried:?}");
    }
}

#[test]
fn no_fit_is_made_where_the_start_is_met_already() {
    let (share, slope) = (|_: f64| 0.499_5, |_: f64| 0.1);
    let (ended, tried) = run(&share, Some(&slope), None, settings());
    assert_eq!((ended.stop, tried.len()), (Termination::Converged, 1));
}
