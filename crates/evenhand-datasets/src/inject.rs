//! Injection: labels with a known bias, drawn from labels that are taken for the truth.
//!
//! Holds [`Injection`]: a bias by Proposition 1 with chosen multipliers, or with those of a chosen violation (Assumption 1), or labels of groups turned over at a
//! rate. What is trained on the biased labels can then be compared with the true ones. Leans on `correction` for rows
//! with their groups and constraints, and on the built-in learner, which describes the truth. The
//! seed alone decides the draw. [Jiang & Nachum 2019, Prop. 1]

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use evenhand::correction::{AskedViolation, Closest, Problem};
use evenhand::data::Codes;
use evenhand::{Error, Identify, Logistic, Result};

/// A bias to put into labels.
///
/// ```
/// use evenhand::{Correction, Dataset, Notion, Schema, correction::Binding};
/// use evenhand_datasets::inject::{Bias, Injection};
/// use evenhand_datasets::synthetic;
/// # fn main() -> evenhand::Result<()> {
/// let loans = synthetic::population(5_000, 1)?;
/// let data = Dataset::new(loans, &Schema::label("deserved").positive("yes").ignore("approved"))?;
/// let correction = Correction::new(Notion::DemographicParity).group("sex=female")?;
/// let (_, problem, _) = Binding::new(&correction, &data)?;
/// let injected = Injection::new(Bias::Multipliers(vec![0.5])).draw(&problem, 7)?;
/// let biased = data.relabelled(&injected.biased)?;
/// assert!(injected.changed() > 0 && biased.rows() == data.rows());
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Injection {
    /// The bias.
    pub bias: Bias,
    /// What is taken for the truth.
    pub truth: Truth,
    /// What describes the true labels, for all but [`Bias::Flips`].
    pub learner: Logistic,
}

/// How labels become biased.
#[derive(Debug, Clone, PartialEq)]
pub enum Bias {
    /// `y_bias(y|x) ∝ y_true(y|x) · exp(−Σ_k λ_k c_k(x,y))`, one λ per constraint of the problem, in the units of
    /// the centred tilt. Positive multipliers are a bias against their group.
    Multipliers(Vec<f64>),
    /// The same with the multipliers that give these violations, which is the closest distribution to the truth, in Kullback–Leibler divergence, that
    /// has them. Constraints that are not named have no multiplier. [Jiang & Nachum 2019, Ass. 1]
    Violations(Vec<AskedViolation>),
    /// Labels turned over, the first that strikes a row alone.
    Flips(Vec<Flip>),
}

/// Rows of a group and a class that get another class at a rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flip {
    /// The place of the group among those of the problem.
    pub group: usize,
    /// The true class.
    pub from: usize,
    /// The class that is given in its place.
    pub to: usize,
    /// The probability of that, for each row on its own.
    pub rate: f64,
}

/// What is taken for the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Truth {
    /// The labels there are. A biased label is drawn given the true one, changed as seldom as can be; all biased
    /// labels of an x together follow Proposition 1 as far as the learner describes the true ones.
    #[default]
    Labels,
    /// Labels drawn anew from the learner's probabilities: then Proposition 1 holds to the letter.
    Model,
}

/// True labels and biased ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Injected {
    /// The class of each row that is taken for the truth.
    pub truth: Codes,
    /// The class that a biased hand gives it.
    pub biased: Codes,
    /// What was found for violations that were asked for.
    pub closest: Option<Closest>,
}

impl Injected {
    /// How many labels are not the true ones.
    pub fn changed(&self) -> usize {
        self.truth.iter().zip(self.biased.iter()).filter(|(truth, biased)| truth != biased).count()
    }
}

impl Injection {
    /// A bias in the labels there are; a penalty as small as that of [`Identify`] on what describes them.
    pub fn new(bias: Bias) -> Self {
        Self { bias, truth: Truth::Labels, learner: Identify::default().learner }
    }

    /// Draws biased labels for rows whose labels are true.
    ///
    /// # Errors
    /// [`Error::Length`] when there is not one multiplier per constraint, [`Error::Setting`] for numbers that are
    /// none, rates outside 0 to 1 or violations that cannot be put in ([`Problem::closest`]), and what the learner says.
    pub fn draw(&self, problem: &Problem, seed: u64) -> Result<Injected> {
        // One stream, row by row: neither threads nor the bias decide which random numbers a row gets.
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        match &self.bias {
            Bias::Multipliers(multipliers) => {
                problem.check_multipliers(multipliers)?;
                self.tilted(problem, multipliers, &problem.probabilities(&self.learner)?, &mut rng)
            }
            Bias::Violations(asked) => {
                let truth = problem.probabilities(&self.learner)?;
                let closest = problem.closest(asked, &truth)?;
                let drawn = self.tilted(problem, &closest.multipliers, &truth, &mut rng)?;
                Ok(Injected { closest: Some(closest), ..drawn })
            }
            Bias::Flips(flips) => flipped(problem, flips, &mut rng),
        }
    }

    fn tilted(&self, problem: &Problem, multipliers: &[f64], truth: &[f64], rng: &mut ChaCha8Rng) -> Result<Injected> {
        let classes = problem.classes();
        let distribution = problem.biased(multipliers, truth)?;
        let (mut labels, mut biased) = (Vec::new(), Vec::new());
        for (row, (truth, distribution)) in truth.chunks(classes).zip(distribution.chunks(classes)).enumerate() {
            let [first, second]: [f64; 2] = [rng.random(), rng.random()];
            let label = match self.truth {
                Truth::Labels => problem.labels().get(row),
                Truth::Model => chosen(truth.iter().copied(), first),
            };
            labels.push(label as u32);
            biased.push(coupled(truth, distribution, label, second) as u32);
        }
        let [truth, biased] = [labels, biased].map(|codes| Codes::narrow(codes, classes));
        Ok(Injected { truth, biased, closest: None })
    }
}

/// A biased label given the true one, so that the two differ as seldom as their distributions allow (the maximal coupling): the true one stays with
/// probability `min(1, y_bias/y_true)`; what leaves goes where `y_bias` is above `y_true`, in proportion.
fn coupled(truth: &[f64], biased: &[f64], label: usize, uniform: f64) -> usize {
    let stays = if truth[label] > 0.0 { (biased[label] / truth[label]).min(1.0) } else { 1.0 };
    if uniform < stays {
        return label;
    }
    // Given that it is above, the number is uniform again when it is rescaled.
    let rest = (uniform - stays) / (1.0 - stays);
    let excess = biased.iter().zip(truth).map(|(biased, truth)| (biased - truth).max(0.0));
    let total: f64 = excess.clone().sum();
    if total > 0.0 { chosen(excess.map(|one| one / total), rest) } else { label }
}

/// The class that a uniform number selects; the last possible one where rounding leaves it beyond all.
fn chosen(chances: impl Iterator<Item = f64>, uniform: f64) -> usize {
    let (mut sum, mut last) = (0.0, 0);
    for (class, chance) in chances.enumerate() {
        if chance > 0.0 {
            last = class;
            sum += chance;
            if uniform < sum {
                break;
            }
        }
    }
    last
}

fn flipped(problem: &Problem, flips: &[Flip], rng: &mut ChaCha8Rng) -> Result<Injected> {
    let classes = problem.classes();
    for flip in flips {
        if !(0.0..=1.0).contains(&flip.rate) {
            let found = flip.rate.to_string();
            return Err(Error::setting("flip", found, "a rate from 0 to 1"));
        }
        if flip.group >= problem.group_names().len() || flip.from >= classes || flip.to >= classes {
            let found = format!("group {}, from class {} to {}", flip.group, flip.from, flip.to);
            return Err(Error::setting("flip", found, "groups and classes there are"));
        }
    }
    let biased = problem.labels().iter().enumerate().map(|(row, label)| {
        let mut uniform: f64 = rng.random();
        for flip in flips.iter().filter(|flip| flip.from == label && problem.is_in(row, flip.group)) {
            if uniform < flip.rate {
                return flip.to as u32;
            }
            // The flip does not apply; the rescaled number is uniform again. A rate of 1 always applies.
            uniform = (uniform - flip.rate) / (1.0 - flip.rate);
        }
        label as u32
    });
    let biased = Codes::narrow(biased.collect(), classes);
    Ok(Injected { biased, truth: problem.labels().clone(), closest: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenhand::correction::Binding;
    use evenhand::data::Categorical;
    use evenhand::{Column, Correction, Dataset, Notion, Schema, Table};

    use crate::synthetic::{self, Applicants, PopulationParameters};

    const GROUPS: [&str; 2] = ["sex=female", "age_band=18-24"];

    fn applicants(rows: usize) -> Applicants {
        PopulationParameters::default().bias_model().draw(rows, 11).unwrap()
    }

    fn deserving(people: &Applicants) -> Dataset {
        let schema = Schema::label("deserved").positive("yes").ignore("approved");
        Dataset::new(people.table.clone(), &schema).unwrap()
    }

    fn problem(data: &Dataset, notion: Notion) -> Problem {
        let correction = GROUPS.iter().fold(Correction::new(notion), |one, group| one.group(group).unwrap());
        Binding::new(&correction, data).unwrap().1
    }

    fn members(problem: &Problem, group: usize) -> Vec<usize> {
        (0..problem.labels().len()).filter(|&row| problem.is_in(row, group)).collect()
    }

    fn rate(codes: &Codes, rows: &[usize]) -> f64 {
        rows.iter().filter(|&&row| codes.get(row) == 1).count() as f64 / rows.len() as f64
    }

    #[test]
    fn rates_move_as_proposition_1_says() {
        let people = applicants(60_000);
        let problem = problem(&deserving(&people), Notion::DemographicParity);
        let multipliers = synthetic::MULTIPLIERS.map(|(_, multiplier)| multiplier).to_vec();
        for truth in [Truth::Labels, Truth::Model] {
            let injection = Injection { truth, ..Injection::new(Bias::Multipliers(multipliers.clone())) };
            let injected = injection.draw(&problem, 3).unwrap();
            assert_eq!(injected.truth == *problem.labels(), truth == Truth::Labels);
            for group in 0..2 {
                let rows = members(&problem, group);
                // The true distribution of the population, which no fit has estimated.
                let chance = |merit: f64| 1.0 / (1.0 + (-merit).exp());
                let expected = |log_odds: &dyn Fn(usize) -> f64| {
                    rows.iter().map(|&row| chance(log_odds(row))).sum::<f64>() / rows.len() as f64
                };
                let truth = expected(&|row| people.merit[row]);
                let biased = expected(&|row| people.merit[row] - people.bias[row]);
                // 10,800 young people: a standard error of 0.005 at most, and about as much from the shares of groups.
                assert!((rate(&injected.truth, &rows) - truth).abs() < 0.02);
                let found = rate(&injected.biased, &rows);
                assert!((found - biased).abs() < 0.02 && truth - biased > 0.05, "{found} {biased} {truth}");
            }
        }
    }

    #[test]
    fn what_was_put_in_is_identified() {
        let data = deserving(&applicants(40_000));
        let problem = problem(&data, Notion::DemographicParity);
        let put_in = [0.3, -0.1];
        let injected = Injection::new(Bias::Multipliers(put_in.to_vec())).draw(&problem, 5).unwrap();
        let biased = data.relabelled(&injected.biased).unwrap();
        let identify = GROUPS.iter().fold(Identify::default(), |one, group| one.group(group).unwrap());
        let (found, _) = identify.run(&biased).unwrap();
        for (one, put_in) in found.multipliers.iter().zip(put_in) {
            // Five standard errors, for two multipliers: one false alarm in a million.
            assert!((one.value - put_in).abs() < 5.0 * one.standard_error, "{one:?} {put_in}");
        }
    }

    /// People whose features say nothing of their group: the truth keeps every notion.
    fn alike(rows: usize, classes: usize) -> Dataset {
        let mut random = ChaCha8Rng::seed_from_u64(17);
        let mut normal = |_| (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
        let [skill, luck]: [Vec<f64>; 2] = [(0..rows).map(&mut normal).collect(), (0..rows).map(&mut normal).collect()];
        let group = |row: usize| Some(["a", "b", "b", "a", "b"][row % 5]);
        let mut random = ChaCha8Rng::seed_from_u64(18);
        let labels: Vec<String> = (0..rows)
            .map(|row| {
                let score = |class: usize| {
                    ((0.7 * class as f64 - 0.5) * skill[row] + 0.4 * (class as f64).sin() * luck[row]).exp()
                };
                let total: f64 = (0..classes).map(score).sum();
                format!("c{}", chosen((0..classes).map(|class| score(class) / total), random.random()))
            })
            .collect();
        let texts = |values: Vec<Option<&str>>| Column::Categorical(Categorical::from_values(values));
        // Equalized odds and equal accuracy ask how probabilities spread in a group: the model can tell it.
        let own = (0..rows).map(|row| if group(row) == Some("a") { skill[row] } else { 0.0 }).collect();
        let columns = vec![
            ("skill".to_owned(), Column::Numeric(skill.clone())),
            ("own_skill".to_owned(), Column::Numeric(own)),
            ("luck".to_owned(), Column::Numeric(luck.clone())),
            ("group".to_owned(), texts((0..rows).map(group).collect())),
            ("label".to_owned(), texts(labels.iter().map(|label| Some(label.as_str())).collect())),
        ];
        let schema = Schema::label("label");
        let schema = if classes == 2 { schema.positive("c1") } else { schema };
        Dataset::new(Table::new(columns, 1).unwrap(), &schema).unwrap()
    }

    #[test]
    fn what_was_put_in_is_identified_for_every_notion_and_more_classes() {
        let two = alike(40_000, 2);
        let rate = two.labels().codes().iter().filter(|label| *label == 1).count() as f64 / 40_000.0;
        let known = format!("target-rate={rate}");
        let of_two: [(&str, &[f64]); 6] = [
            ("equal-opportunity", &[0.5]),
            ("predictive-equality", &[-0.4]),
            ("equalized-odds", &[0.4, -0.2]),
            ("equal-accuracy", &[0.4]),
            (&known, &[0.3]),
            (
                "rate=predicted positive given group=a and labelled positive against group=b and labelled positive",
                &[0.3],
            ),
        ];
        let more = [(3, &[0.3, -0.1, -0.2][..]), (5, &[0.2, 0.1, 0.0, -0.1, -0.2])];
        let all = of_two.iter().map(|(notion, put_in)| (two.clone(), *notion, *put_in));
        let all = all.chain(more.map(|(classes, put_in)| (alike(40_000, classes), "demographic-parity", put_in)));
        for (data, notion, put_in) in all {
            let notion: Notion = notion.parse().unwrap();
            let correction = Correction::new(notion.clone()).group("group=a").unwrap();
            let problem = Binding::new(&correction, &data).unwrap().1;
            let injection = Injection { truth: Truth::Model, ..Injection::new(Bias::Multipliers(put_in.to_vec())) };
            let biased = data.relabelled(&injection.draw(&problem, 5).unwrap().biased).unwrap();
            let (found, _) = Identify::default().notion(notion.clone()).group("group=a").unwrap().run(&biased).unwrap();
            assert_eq!((found.missing.as_deref(), found.multipliers.len()), (None, put_in.len()), "{notion}");
            for (one, put_in) in found.multipliers.iter().zip(put_in) {
                // Five standard errors, for 17 multipliers: one false alarm in a hundred thousand.
                assert!((one.value - put_in).abs() < 5.0 * one.standard_error, "{notion}: {one:?} {put_in}");
                assert!(one.standard_error < 0.15, "{notion}: {one:?}");
            }
        }
    }

    #[test]
    fn a_violation_asked_for_is_that_of_the_labels_drawn() {
        let problem = problem(&deserving(&applicants(60_000)), Notion::DemographicParity);
        let asked = AskedViolation { constraint: 0, violation: 0.15 };
        for truth in [Truth::Labels, Truth::Model] {
            let injection = Injection { truth, ..Injection::new(Bias::Violations(vec![asked])) };
            let injected = injection.draw(&problem, 3).unwrap();
            let all: Vec<usize> = (0..60_000).collect();
            let violation = |codes: &Codes| rate(codes, &all) - rate(codes, &members(&problem, 0));
            // A standard error of 0.002.
            let (before, after) = (violation(&injected.truth), violation(&injected.biased));
            assert!((after - 0.15).abs() < 0.01, "{after}");
            let closest = injected.closest.as_ref().unwrap();
            assert!((before - closest.before[0]).abs() < 0.01 && closest.multipliers[0] > 0.1, "{closest:?}");
            let same = Injection { truth, ..Injection::new(Bias::Multipliers(closest.multipliers.clone())) };
            assert_eq!(same.draw(&problem, 3).unwrap().biased, injected.biased);
        }
    }

    #[test]
    fn multipliers_of_zero_change_no_label_and_the_seed_alone_decides() {
        let problem = problem(&deserving(&applicants(3_000)), Notion::EqualizedOdds);
        let draw = |multipliers: [f64; 4], seed| {
            Injection::new(Bias::Multipliers(multipliers.to_vec())).draw(&problem, seed).unwrap()
        };
        assert_eq!(draw([0.0; 4], 1).changed(), 0);
        let one = draw([0.5, 0.0, 0.2, -0.3], 1);
        assert!(one.changed() > 0);
        assert_eq!(one, draw([0.5, 0.0, 0.2, -0.3], 1));
        assert_ne!(one, draw([0.5, 0.0, 0.2, -0.3], 2));
        let single = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(single.install(|| draw([0.5, 0.0, 0.2, -0.3], 1)), one);
        // Drawn anew, true labels are others but of the same distribution.
        let model = Injection { truth: Truth::Model, ..Injection::new(Bias::Multipliers(vec![0.0; 4])) };
        let drawn = model.draw(&problem, 1).unwrap();
        let all: Vec<usize> = (0..3_000).collect();
        assert_eq!(drawn.changed(), 0);
        // A standard error below 0.01 each.
        assert!(drawn.truth != *problem.labels());
        assert!((rate(&drawn.truth, &all) - rate(problem.labels(), &all)).abs() < 0.06);
    }

    #[test]
    fn every_notion_takes_labels_from_the_group_it_is_against() {
        let problem_of = |notion: Notion| problem(&deserving(&applicants(20_000)), notion);
        for notion in [Notion::EqualOpportunity, Notion::PredictiveEquality, Notion::DisparateImpact] {
            let problem = problem_of(notion.clone());
            let injected = Injection::new(Bias::Multipliers(vec![0.5, 0.0])).draw(&problem, 1).unwrap();
            let women = members(&problem, 0);
            let men: Vec<usize> = (0..20_000).filter(|row| women.binary_search(row).is_err()).collect();
            let change = |rows: &[usize]| rate(&injected.biased, rows) - rate(&injected.truth, rows);
            assert!(change(&women) < -0.02 && change(&men) > 0.02, "{notion}");
        }
        let problem = problem_of(Notion::EqualAccuracy);
        let injected = Injection::new(Bias::Multipliers(vec![0.5, 0.0])).draw(&problem, 1).unwrap();
        assert!(injected.changed() > 100, "labels of women stray from what is probable");
    }

    #[test]
    fn labels_of_a_group_are_flipped_at_the_rate() {
        let problem = problem(&deserving(&applicants(40_000)), Notion::DemographicParity);
        let flip = |group, rate| Flip { group, from: 1, to: 0, rate };
        let injected = Injection::new(Bias::Flips(vec![flip(0, 0.3), flip(1, 0.5)])).draw(&problem, 9).unwrap();
        let share = |women: bool, young: bool| {
            let [all_women, all_young] = [0, 1].map(|group| members(&problem, group));
            let is = |rows: &[usize], row: &usize| rows.binary_search(row).is_ok();
            let rows: Vec<usize> = (0..40_000)
                .filter(|row| is(&all_women, row) == women && is(&all_young, row) == young)
                .filter(|&row| problem.labels().get(row) == 1)
                .collect();
            1.0 - rate(&injected.biased, &rows)
        };
        assert!(share(false, false).abs() < f64::EPSILON);
        // About 1,700 deserving young women: a standard error of 0.012 at most.
        for (found, expected) in
            [(share(true, false), 0.3), (share(false, true), 0.5), (share(true, true), 1.0 - 0.7 * 0.5)]
        {
            assert!((found - expected).abs() < 0.05, "{found} {expected}");
        }
        let kept = problem.labels().iter().zip(injected.biased.iter()).all(|(label, biased)| label == 1 || biased == 0);
        assert!(kept, "no negative label is touched");
        let all = Injection::new(Bias::Flips(vec![flip(0, 1.0)])).draw(&problem, 9).unwrap();
        assert!(rate(&all.biased, &members(&problem, 0)).abs() < f64::EPSILON);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let problem = problem(&deserving(&applicants(1_000)), Notion::DemographicParity);
        let code = |bias| Injection::new(bias).draw(&problem, 0).unwrap_err().code();
        assert_eq!(code(Bias::Multipliers(vec![0.1])), "length-mismatch");
        assert_eq!(code(Bias::Multipliers(vec![0.1, f64::NAN])), "setting-invalid");
        let flip = Flip { group: 0, from: 1, to: 0, rate: 0.5 };
        for wrong in [
            Flip { rate: -0.1, ..flip },
            Flip { rate: 1.1, ..flip },
            Flip { rate: f64::NAN, ..flip },
            Flip { group: 2, ..flip },
            Flip { to: 2, ..flip },
        ] {
            assert_eq!(code(Bias::Flips(vec![wrong])), "setting-invalid");
        }
    }

    #[test]
    fn a_label_leaves_as_seldom_as_the_laws_allow() {
        let (truth, biased) = ([0.5, 0.3, 0.2], [0.2, 0.3, 0.5]);
        let uniforms: Vec<f64> = (0..10_000).map(|at| (f64::from(at) + 0.5) / 10_000.0).collect();
        let share = |label: usize, to: usize| {
            uniforms.iter().filter(|&&uniform| coupled(&truth, &biased, label, uniform) == to).count() as f64 / 10_000.0
        };
        assert!((share(0, 0) - 0.4).abs() < 1e-3 && (share(0, 2) - 0.6).abs() < 1e-3);
        assert!((share(1, 1) - 1.0).abs() < 1e-9 && (share(2, 2) - 1.0).abs() < 1e-9);
    }
}
