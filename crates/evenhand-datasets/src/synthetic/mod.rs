//! A made-up population whose true labels are known.
//!
//! Holds [`population`]: applicants for a loan whose repayment (`deserved`) follows a
//! logistic model that gives every group the same rate, and decisions (`approved`) that are
//! the closest distortion of it which a bias against two overlapping groups allows
//! [Jiang & Nachum 2019, Prop. 1]. A real user never has the first; here it can be used to
//! evaluate what was trained on the second. A [`BiasModel`] draws many samples of one such population, and of
//! others that a straight model cannot describe. [`unbiased`] has many groups and nothing to find; [`People`] have any number of
//! classes; [`WithheldGroup`]s are told in part by what a learner sees.

mod classes;
mod withheld;

pub use classes::{People, standard_normal};
pub use withheld::{BiasBy, WithheldGroup};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use evenhand::data::Categorical;
use evenhand::{Column, Error, Result, Table};

/// The bias, as one multiplier per group in units of the theory's constraint `g/Z − 1`.
pub const MULTIPLIERS: [(&str, f64); 2] = [("sex=female", 0.45), ("age_band=18-24", 0.12)];

const REGIONS: [(&str, f64); 4] = [("north", 0.3), ("east", -0.4), ("south", 0.0), ("west", 0.2)];
const AGE_BANDS: [&str; 4] = ["18-24", "25-39", "40-59", "60+"];

/// How a population is made; the default is that of [`population`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PopulationParameters {
    /// The bias, in parts of [`MULTIPLIERS`].
    pub strength: f64,
    /// How fast the worth of income falls away from the middle: what is straight in income cannot describe it.
    pub curve: f64,
    /// How much more income counts for women: what adds up sex and income cannot describe it.
    pub by_sex: f64,
    /// How far below everyone's the true rate of each group of [`MULTIPLIERS`] is.
    pub differences: [f64; 2],
}

/// A way to make applicants that deserve alike in every group, or differ as asked: on average, and in no sample exactly.
#[derive(Debug, Clone, PartialEq)]
pub struct BiasModel {
    parameters: PopulationParameters,
    /// What each group's log odds are raised by so that it repays at the overall rate, less its difference.
    shifts: [f64; 2],
    /// The share of each group.
    shares: [f64; 2],
    /// By which factor the bias changes each group's odds, on geometric average over its members.
    odds_ratios: [f64; 2],
}

/// Some applicants, with what nobody sees of them.
#[derive(Debug, Clone)]
pub struct Applicants {
    /// As [`population`] has them.
    pub table: Table,
    /// Of each, the log odds of repaying.
    pub merit: Vec<f64>,
    /// What the bias takes off these.
    pub bias: Vec<f64>,
}

impl Default for PopulationParameters {
    fn default() -> Self {
        Self { strength: 1.0, curve: 0.0, by_sex: 0.0, differences: [0.0; 2] }
    }
}

/// A bias model is computed from this many applicants. Its groups then deserve alike up to a tenth or so of what 50,000 rows can tell.
const REFERENCE: usize = 400_000;

impl PopulationParameters {
    /// The bias model of such populations, computed from a large one.
    pub fn bias_model(self) -> BiasModel {
        // A seed of its own: no sample should be a part of these.
        let mut random = ChaCha8Rng::seed_from_u64(u64::MAX);
        BiasModel::of(self, &(0..REFERENCE).map(|_| Applicant::draw(&mut random)).collect::<Vec<_>>())
    }

    fn merit(&self, one: &Applicant) -> f64 {
        let (income, sign) = ((one.income - 36.0) / 16.0, if one.female { 1.0 } else { -1.0 });
        one.merit() - self.curve * (income * income - 1.0) + self.by_sex * sign * income
    }
}

impl BiasModel {
    /// The model under which these people deserve alike in every group, but for the differences asked for.
    fn of(parameters: PopulationParameters, people: &[Applicant]) -> Self {
        let count = |group: usize| people.iter().filter(|one| one.memberships()[group]).count() as f64;
        let counts = [count(0), count(1)];
        let shares = counts.map(|count| count / people.len() as f64);
        let mut model = Self { parameters, shifts: even(people, parameters), shares, odds_ratios: [1.0; 2] };
        model.odds_ratios = [0, 1].map(|group| {
            let members = people.iter().filter(|one| one.memberships()[group]);
            (-members.map(|one| model.bias(one)).sum::<f64>() / counts[group]).exp()
        });
        model
    }

    /// Draws applicants, each on its own.
    ///
    /// # Errors
    /// [`Error::Setting`] for fewer than 1,000 rows, in which a group may be empty, or more than ten million.
    pub fn draw(&self, rows: usize, seed: u64) -> Result<Applicants> {
        check(rows)?;
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let people: Vec<Applicant> = (0..rows).map(|_| Applicant::draw(&mut random)).collect();
        self.label(&people, &mut random)
    }

    /// By which factor the bias changes each group's odds, on geometric average over its members.
    pub fn odds_ratios(&self) -> [f64; 2] {
        self.odds_ratios
    }

    /// The log odds of repayment.
    fn merit(&self, one: &Applicant) -> f64 {
        self.parameters.merit(one) + shift(one, &self.shifts)
    }

    /// `Σ λ (g/Z − 1)`: what the bias takes off the log odds of approval.
    fn bias(&self, one: &Applicant) -> f64 {
        let terms = one.memberships().into_iter().zip(self.shares).zip(MULTIPLIERS);
        let term = |((member, share), (_, multiplier)): ((bool, f64), (&str, f64))| {
            self.parameters.strength * multiplier * (f64::from(u8::from(member)) / share - 1.0)
        };
        terms.map(term).sum()
    }

    fn label(&self, people: &[Applicant], random: &mut ChaCha8Rng) -> Result<Applicants> {
        let merit: Vec<f64> = people.iter().map(|one| self.merit(one)).collect();
        let bias: Vec<f64> = people.iter().map(|one| self.bias(one)).collect();
        let (mut deserved, mut approved) = (Vec::with_capacity(people.len()), Vec::with_capacity(people.len()));
        for (merit, bias) in merit.iter().zip(&bias) {
            // One random number decides both labels, so that they differ only through the bias.
            let uniform: f64 = random.random();
            deserved.push(if uniform < logistic(*merit) { "yes" } else { "no" });
            approved.push(if uniform < logistic(merit - bias) { "yes" } else { "no" });
        }
        Ok(Applicants { table: table(people, approved, deserved)?, merit, bias })
    }
}

/// One applicant.
struct Applicant {
    income: f64,
    history: f64,
    region: usize,
    female: bool,
    age_band: usize,
}

/// Draws a population of `rows` applicants: columns `income` (thousands a year), `history`
/// (years of credit), `region`, `sex`, `age_band`, the decisions people took (`approved`), and
/// what an even hand would have given (`deserved`).
///
/// # Errors
/// [`Error::Setting`] for fewer than 1,000 rows, in which a group may be empty, or more than ten million.
pub fn population(rows: usize, seed: u64) -> Result<Table> {
    check(rows)?;
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let people: Vec<Applicant> = (0..rows).map(|_| Applicant::draw(&mut random)).collect();
    Ok(BiasModel::of(PopulationParameters::default(), &people).label(&people, &mut random)?.table)
}

/// Made-up people are held in memory whole: so many take two gigabytes where all is done with them that `evenhand demo` does.
const MOST_ROWS: usize = 10_000_000;
/// Draws people of so many groups whose labels have no bias: columns `skill`, `hobby`, `group` (`g1`, `g2` and so on) and
/// `approved`. Skill makes approval likely and is the same in every group; hobbies differ between them and do not matter.
/// The k-th group has one k-th of the rows of the first, about.
///
/// # Errors
/// [`Error::Setting`] for fewer than 1,000 rows or no group.
pub fn unbiased(rows: usize, groups: usize, seed: u64) -> Result<Table> {
    check(rows)?;
    if groups == 0 {
        return Err(Error::setting("groups", groups, "1 or more"));
    }
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let total: f64 = (1..=groups).map(|group| 1.0 / group as f64).sum();
    let (mut skills, mut hobbies, mut names, mut approved) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rows {
        let (mut left, mut group) = (total * random.random::<f64>(), 1);
        while left > 1.0 / group as f64 && group < groups {
            left -= 1.0 / group as f64;
            group += 1;
        }
        let skill = normal(&mut random);
        skills.push(skill);
        hobbies.push(normal(&mut random) + 0.3 * group as f64);
        names.push(format!("g{group}"));
        approved.push(if random.random::<f64>() < logistic(1.5 * skill) { "yes" } else { "no" });
    }
    let text = |values: Vec<&str>| Column::Categorical(Categorical::from_values(values.into_iter().map(Some)));
    Table::new(
        vec![
            ("skill".to_owned(), Column::Numeric(skills)),
            ("hobby".to_owned(), Column::Numeric(hobbies)),
            ("group".to_owned(), text(names.iter().map(String::as_str).collect())),
            ("approved".to_owned(), text(approved)),
        ],
        1,
    )
}

fn check(rows: usize) -> Result<()> {
    if (1000..=MOST_ROWS).contains(&rows) {
        return Ok(());
    }
    Err(Error::setting("rows", rows, format!("1000 to {MOST_ROWS}")))
}

fn table(people: &[Applicant], approved: Vec<&str>, deserved: Vec<&str>) -> Result<Table> {
    let text = |values: Vec<&str>| Column::Categorical(Categorical::from_values(values.into_iter().map(Some)));
    let column = |name: &str, column| (name.to_owned(), column);
    Table::new(
        vec![
            column("income", Column::Numeric(people.iter().map(|one| one.income).collect())),
            column("history", Column::Numeric(people.iter().map(|one| one.history).collect())),
            column("region", text(people.iter().map(|one| REGIONS[one.region].0).collect())),
            column("sex", text(people.iter().map(|one| if one.female { "female" } else { "male" }).collect())),
            column("age_band", text(people.iter().map(|one| AGE_BANDS[one.age_band]).collect())),
            column("approved", text(approved)),
            column("deserved", text(deserved)),
        ],
        1,
    )
}

impl Applicant {
    fn draw(random: &mut ChaCha8Rng) -> Self {
        let female = random.random::<f64>() < 0.5;
        let age_band = match random.random::<f64>() {
            uniform if uniform < 0.18 => 0,
            uniform if uniform < 0.52 => 1,
            uniform if uniform < 0.84 => 2,
            _ => 3,
        };
        // Features differ between groups, as they do in life: income by sex, both by age.
        let log_income = 3.5 - 0.12 * f64::from(u8::from(female)) + 0.1 * age_band as f64 + 0.4 * normal(random);
        let years = 2.0 + 5.0 * age_band as f64 + 3.0 * normal(random);
        Self {
            income: (log_income.exp() * 10.0).round() / 10.0,
            history: years.max(0.0).round(),
            region: random.random_range(0..REGIONS.len()),
            female,
            age_band,
        }
    }

    fn merit(&self) -> f64 {
        0.08 * (self.income - 36.0) + 0.15 * (self.history - 9.0) + 2.0 * REGIONS[self.region].1
    }

    fn memberships(&self) -> [bool; 2] {
        [self.female, self.age_band == 0]
    }
}

/// What raises the log odds of each group so that it repays at the overall rate, less its difference.
fn even(people: &[Applicant], parameters: PopulationParameters) -> [f64; 2] {
    let mut shifts = [0.0; 2];
    let mut last = shifts;
    // Each round closes most of the distance: rates rise by about a fifth of a shift in log odds.
    for _ in 0..80 {
        last = shifts;
        let chances: Vec<f64> =
            people.iter().map(|one| logistic(parameters.merit(one) + shift(one, &shifts))).collect();
        let rate = |inside: &dyn Fn(&Applicant) -> bool| {
            let (mut sum, mut count) = (0.0, 0.0);
            for (_, chance) in people.iter().zip(&chances).filter(|(one, _)| inside(one)) {
                sum += chance;
                count += 1.0;
            }
            sum / count
        };
        let overall = rate(&|_| true);
        for (group, shift) in shifts.iter_mut().enumerate() {
            *shift += 4.0 * (overall - parameters.differences[group] - rate(&|one| one.memberships()[group]));
        }
    }
    last
}

fn shift(one: &Applicant, shifts: &[f64; 2]) -> f64 {
    one.memberships().iter().zip(shifts).filter(|(member, _)| **member).map(|(_, shift)| shift).sum()
}

fn logistic(margin: f64) -> f64 {
    1.0 / (1.0 + (-margin).exp())
}

/// A standard normal number, by Box and Muller.
fn normal(random: &mut ChaCha8Rng) -> f64 {
    let radius = (-2.0 * (1.0 - random.random::<f64>()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.random::<f64>()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(table: &Table, label: &str, column: &str, value: &str) -> f64 {
        let (label, column) = (table.column(label).unwrap(), table.column(column).unwrap());
        let rows: Vec<usize> = (0..table.rows()).filter(|&row| column.text(row).as_deref() == Some(value)).collect();
        rows.iter().filter(|&&row| label.text(row).as_deref() == Some("yes")).count() as f64 / rows.len() as f64
    }

    #[test]
    fn true_labels_are_even_and_decisions_are_not() {
        let table = population(40_000, 3).unwrap();
        // The standard error of a difference of two such rates is below 0.008; 5 of them make false alarms rare.
        let gap = |label| rate(&table, label, "sex", "male") - rate(&table, label, "sex", "female");
        assert!(gap("deserved").abs() < 0.04, "{}", gap("deserved"));
        assert!(gap("approved") > 0.1, "{}", gap("approved"));
        assert!(rate(&table, "approved", "age_band", "18-24") < rate(&table, "deserved", "age_band", "18-24") - 0.05);
    }

    #[test]
    fn a_bias_model_draws_people_who_differ_as_asked_and_tells_what_the_bias_did() {
        let differences = [0.07, -0.04];
        let parameters = PopulationParameters { strength: 2.0, curve: 0.5, by_sex: -1.0, differences };
        let model = parameters.bias_model();
        let drawn = model.draw(200_000, 5).unwrap();
        let members = |column: &str, value: &str| -> Vec<usize> {
            let column = drawn.table.column(column).unwrap();
            (0..drawn.table.rows()).filter(|&row| column.text(row).as_deref() == Some(value)).collect()
        };
        let mean = |rows: &[usize], of: &dyn Fn(usize) -> f64| {
            rows.iter().map(|&row| of(row)).sum::<f64>() / rows.len() as f64
        };
        let (all, chance) = ((0..200_000).collect::<Vec<_>>(), |row: usize| logistic(drawn.merit[row]));
        let groups = [members("sex", "female"), members("age_band", "18-24")];
        for ((rows, ratio), difference) in groups.iter().zip(model.odds_ratios()).zip(differences) {
            // Probabilities stray by 0.25 from applicant to applicant, and there are 36,000 young ones.
            assert!((mean(&all, &chance) - mean(rows, &chance) - difference).abs() < 0.007);
            assert!((mean(rows, &|row| -drawn.bias[row]).exp() - ratio).abs() < 0.01 && ratio < 0.5, "{ratio}");
        }
        assert_eq!(model.draw(10, 1).unwrap_err().code(), "setting-invalid");
    }

    #[test]
    fn groups_without_bias_are_approved_alike() {
        let table = unbiased(60_000, 3, 1).unwrap();
        let rates = ["g1", "g2", "g3"].map(|group| rate(&table, "approved", "group", group));
        // The smallest group has some 11,000 rows, and its rate a standard error of 0.005.
        assert!(rates.iter().all(|rate| (rate - 0.5).abs() < 0.02), "{rates:?}");
        assert_eq!(unbiased(60_000, 0, 1).unwrap_err().code(), "setting-invalid");
    }

    #[test]
    fn the_same_seed_gives_the_same_people() {
        let [one, other] = [5, 5].map(|seed| population(1000, seed).unwrap());
        assert!(
            (0..1000).all(|row| one.column("income").unwrap().text(row) == other.column("income").unwrap().text(row))
        );
        assert_eq!(population(10, 1).unwrap_err().code(), "setting-invalid");
    }
}
