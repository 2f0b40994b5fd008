//! Thresholds by pattern of groups: the decision rule of threshold post-processing.
//!
//! Holds [`Thresholds`]. The probability of a positive decision is a step function of the score, with a step at each
//! threshold. Rates and errors are expectations over the random decisions; only the decisions of single rows are drawn.

use std::ops::Range;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::correction::problem::Problem;
use crate::exact::{Grid, GridSums};
use crate::group::Membership;
use crate::kernel::{CellSums, blocks};
use crate::learner::Predictor;
use crate::{Result, Warning, parallel};

/// The decision rule in place of the threshold ½. It needs the groups of a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Thresholds {
    /// Seed of the random decisions; `None` where no decision is random.
    pub seed: Option<u64>,
    /// A rule for each pattern of groups that training rows have.
    pub patterns: Vec<PatternRule>,
}

/// The decision rule of rows that are in the same groups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PatternRule {
    /// The groups they are in, and no other.
    pub groups: Vec<String>,
    /// How many training rows had this pattern.
    pub rows: usize,
    /// In ascending order of scores and of probabilities; below the first threshold the probability is 0.
    pub steps: Vec<Step>,
}

/// The probability of a positive decision from a threshold on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Step {
    /// The lowest score it holds for; `None` for all.
    pub at_least: Option<f64>,
    /// The probability of a positive decision.
    pub chance: f64,
}

/// Probabilities this close to 0 or 1 are 0 or 1 up to rounding.
const ROUNDING: f64 = 1e-9;

/// A number between 0 and 1 is made of 64 random bits.
const WORDS_A_DRAW: u128 = 2;

impl PatternRule {
    /// A rule that takes each of some thresholds with a probability: `None` for all scores, infinity for none.
    pub(in crate::correction) fn mixing(groups: Vec<String>, rows: usize, mut shares: Vec<(Option<f64>, f64)>) -> Self {
        shares.retain(|&(at_least, share)| share > ROUNDING && at_least != Some(f64::INFINITY));
        let place = |at_least: Option<f64>| at_least.unwrap_or(f64::NEG_INFINITY);
        shares.sort_by(|one, other| place(one.0).total_cmp(&place(other.0)));
        let mut steps: Vec<Step> = Vec::new();
        for (at_least, share) in shares {
            let sum = steps.last().map_or(0.0, |step| step.chance) + share;
            steps.push(Step { at_least, chance: if sum > 1.0 - ROUNDING { 1.0 } else { sum } });
        }
        Self { groups, rows, steps }
    }

    /// The probability that a score is decided positive.
    pub fn chance(&self, score: f64) -> f64 {
        let holds = |step: &&Step| step.at_least.is_none_or(|least| score >= least);
        self.steps.iter().rev().find(holds).map_or(0.0, |step| step.chance)
    }
}

impl Thresholds {
    /// The rule of rows in these groups, and whether training rows had it. Other rows are decided by the rule of the
    /// commonest pattern.
    fn rule<'a>(&'a self, groups: &[&str]) -> (&'a PatternRule, bool) {
        let commonest = || {
            let rules = self.patterns.iter();
            rules
                .reduce(|most, one| if one.rows > most.rows { one } else { most })
                .expect("training rows have patterns")
        };
        match self.patterns.iter().find(|rule| rule.groups == groups) {
            Some(rule) => (rule, true),
            None => (commonest(), false),
        }
    }

    /// The expected sums per cell of a predictor's decisions by these thresholds.
    pub(crate) fn cell_sums(&self, predictor: &dyn Predictor, problem: &Problem) -> Result<CellSums> {
        let (features, rows) = (problem.features(), problem.cells().cell_rows());
        let rules: Vec<&PatternRule> =
            (0..problem.cells().len()).map(|cell| self.rule(&names(problem, cell)).0).collect();
        let scorer = predictor.on(features)?;
        let grids = vec![Grid::new(rows.heaviest, rules.len()); rules.len()];
        let pass = |part: Range<usize>| {
            let (mut sums, mut scores) = (GridSums::new(&grids), Vec::new());
            for block in blocks(part) {
                scorer(block.clone(), &mut scores);
                for (row, scores) in block.zip(scores.chunks_exact(2)) {
                    let cell = rows.cell_of_row.get(row);
                    let weight = rows.row_weights.map_or(1.0, |weights| weights[row]);
                    sums.add(cell, weight * rules[cell].chance(scores[1]));
                }
            }
            sums.totals()
        };
        let positive = parallel::sum(features.rows(), rules.len(), pass).to_floats(|at| grids[at]);
        Ok(problem.cell_sums(predictor)?.redecided(&positive))
    }

    /// The rows of a problem in groups that training rows never had together, if there are any.
    pub(crate) fn unseen(&self, problem: &Problem) -> Option<Warning> {
        let cells = problem.cells();
        let new = (0..cells.len()).filter(|&cell| cells.count(cell) > 0);
        let new: Vec<usize> = new.filter(|&cell| !self.rule(&names(problem, cell)).1).collect();
        let rows = new.iter().map(|&cell| cells.count(cell)).sum();
        let &example = new.first()?;
        Some(Warning::UnseenPattern { rows, groups: names(problem, example).into_iter().map(str::to_owned).collect() })
    }

    /// Decides rows by their groups and scores, two a row. One random number is drawn per row, in row order; `first` rows came before.
    pub(crate) fn decide(&self, membership: &Membership, scores: &[f64], first: usize) -> (Vec<u32>, Option<Warning>) {
        let of = |pattern: usize| -> Vec<&str> {
            let inside = (0..membership.groups()).filter(|&group| membership.contains(pattern, group));
            inside.map(|group| membership.names()[group].as_str()).collect()
        };
        let rules: Vec<(&PatternRule, bool)> =
            (0..membership.patterns()).map(|pattern| self.rule(&of(pattern))).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed.unwrap_or(0));
        rng.set_word_pos(WORDS_A_DRAW * first as u128);
        let (mut unseen, mut example) = (0, None);
        let decide = |(pattern, scores): (usize, &[f64])| {
            let (rule, seen) = rules[pattern];
            if !seen {
                unseen += 1;
                example.get_or_insert(pattern);
            }
            u32::from(rng.random::<f64>() < rule.chance(scores[1]))
        };
        let decisions = membership.codes().iter().zip(scores.chunks_exact(2)).map(decide).collect();
        let warning = example.map(|pattern| Warning::UnseenPattern {
            rows: unseen,
            groups: of(pattern).into_iter().map(str::to_owned).collect(),
        });
        (decisions, warning)
    }
}

/// The names of the groups that a cell's rows are in, of those that training rows had.
pub(in crate::correction) fn names(problem: &Problem, cell: usize) -> Vec<&str> {
    let known = problem.cells().groups(cell).filter(|&group| group < problem.known_groups());
    known.map(|group| problem.group_names()[group].as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(groups: &[&str], rows: usize, shares: &[(Option<f64>, f64)]) -> PatternRule {
        PatternRule::mixing(groups.iter().map(|&name| name.to_owned()).collect(), rows, shares.to_vec())
    }

    #[test]
    fn chances_add_up_from_low_thresholds_to_high() {
        let mixed = rule(&[], 1, &[(Some(0.7), 0.25), (Some(f64::INFINITY), 0.25), (None, 0.125), (Some(0.5), 0.375)]);
        let expected = [(0.0, 0.125), (0.49, 0.125), (0.5, 0.5), (0.69, 0.5), (0.7, 0.75), (1.0, 0.75)];
        for (score, chance) in expected {
            assert!((mixed.chance(score) - chance).abs() < 1e-15, "{score}");
        }
        assert_eq!(rule(&[], 1, &[(Some(f64::INFINITY), 1.0)]).steps, []);
    }

    #[test]
    fn groups_never_seen_together_are_decided_as_the_commonest_and_told() {
        let patterns = vec![rule(&["a"], 5, &[(Some(0.2), 1.0)]), rule(&["b"], 9, &[(Some(0.8), 1.0)])];
        let thresholds = Thresholds { seed: None, patterns };
        let names = vec!["a".to_owned(), "b".to_owned()];
        let membership = Membership::from_masks(names, &[[true, false, true], [false, true, true]]).unwrap();
        let (decisions, warning) = thresholds.decide(&membership, &[0.5, 0.5].repeat(3), 0);
        assert_eq!(decisions, [1, 0, 0]);
        let groups = vec!["a".to_owned(), "b".to_owned()];
        assert_eq!(warning, Some(Warning::UnseenPattern { rows: 1, groups }));
    }

    #[test]
    fn random_decisions_have_the_probability_of_their_rule_and_depend_on_the_seed_alone() {
        let decide = |seed| {
            let thresholds = Thresholds { seed: Some(seed), patterns: vec![rule(&[], 1, &[(None, 0.3)])] };
            thresholds.decide(&Membership::none(10_000), &[0.5, 0.5].repeat(10_000), 0).0
        };
        let positive = decide(1).iter().sum::<u32>();
        // Five standard deviations of 46: one false alarm in two million seeds.
        assert!((2771..=3229).contains(&positive), "{positive}");
        assert_eq!(decide(1), decide(1));
        assert_ne!(decide(1), decide(2));
    }

    #[test]
    fn rows_are_decided_alike_whether_they_come_at_once_or_in_parts() {
        let thresholds = Thresholds { seed: Some(5), patterns: vec![rule(&[], 1, &[(None, 0.5)])] };
        let decide = |rows: usize, first| thresholds.decide(&Membership::none(rows), &[0.5, 0.5].repeat(rows), first).0;
        let parts = [(7, 0), (100, 7), (1, 107), (892, 108)].map(|(rows, first)| decide(rows, first));
        assert_eq!(parts.concat(), decide(1000, 0));
    }
}
