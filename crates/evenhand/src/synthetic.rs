//! A made-up population whose true labels are known.
//!
//! Holds [`population`]: applicants for a loan whose repayment (`deserved`) follows a
//! logistic law that gives every group the same rate, and decisions (`approved`) that are
//! the closest distortion of it which a bias against two overlapping groups allows
//! [Jiang & Nachum 2019, Prop. 1]. A real user never has the first; here it can be used to
//! judge what was trained on the second.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::data::{Categorical, Column, Table};
use crate::{Error, Result};

/// The bias, as one multiplier per group in units of the theory's constraint `g/Z − 1`.
pub const MULTIPLIERS: [(&str, f64); 2] = [("sex=female", 0.45), ("age_band=18-24", 0.12)];

const REGIONS: [(&str, f64); 4] = [("north", 0.3), ("east", -0.4), ("south", 0.0), ("west", 0.2)];
const AGE_BANDS: [&str; 4] = ["18-24", "25-39", "40-59", "60+"];

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
/// [`Error::Setting`] for fewer than 1,000 rows, in which a group may be empty.
pub fn population(rows: usize, seed: u64) -> Result<Table> {
    if rows < 1000 {
        return Err(Error::Setting { setting: "rows", found: rows.to_string(), allowed: "1000 or more".into() });
    }
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let people: Vec<Applicant> = (0..rows).map(|_| Applicant::draw(&mut random)).collect();
    let merit = even_merit(&people);
    let bias = bias(&people);
    let (mut deserved, mut approved) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
    for (merit, bias) in merit.iter().zip(&bias) {
        // One lot decides both labels, so that they differ only through the bias.
        let lot: f64 = random.random();
        deserved.push(if lot < logistic(*merit) { "yes" } else { "no" });
        approved.push(if lot < logistic(merit - bias) { "yes" } else { "no" });
    }
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
            lot if lot < 0.18 => 0,
            lot if lot < 0.52 => 1,
            lot if lot < 0.84 => 2,
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

/// Log odds of repayment, shifted per group so that every group repays at the overall rate.
fn even_merit(people: &[Applicant]) -> Vec<f64> {
    let mut shifts = [0.0; 2];
    let mut merit = Vec::new();
    // Each round closes most of the distance: rates rise by about a fifth of a shift in log odds.
    for _ in 0..80 {
        let shift = |one: &Applicant| -> f64 {
            one.memberships().iter().zip(shifts).filter(|(member, _)| **member).map(|(_, shift)| shift).sum()
        };
        merit = people.iter().map(|one| one.merit() + shift(one)).collect();
        let rate = |inside: &dyn Fn(&Applicant) -> bool| {
            let (mut sum, mut count) = (0.0, 0.0);
            for (_, merit) in people.iter().zip(&merit).filter(|(one, _)| inside(one)) {
                sum += logistic(*merit);
                count += 1.0;
            }
            sum / count
        };
        let overall = rate(&|_| true);
        for (group, shift) in shifts.iter_mut().enumerate() {
            *shift += 4.0 * (overall - rate(&|one| one.memberships()[group]));
        }
    }
    merit
}

/// `Σ λ (g/Z − 1)` of each applicant: what the bias takes off the log odds of approval.
fn bias(people: &[Applicant]) -> Vec<f64> {
    let share =
        |group: usize| people.iter().filter(|one| one.memberships()[group]).count() as f64 / people.len() as f64;
    let shares = [share(0), share(1)];
    let of = |one: &Applicant| -> f64 {
        let terms = one.memberships().into_iter().zip(shares).zip(MULTIPLIERS);
        terms.map(|((member, share), (_, multiplier))| multiplier * (f64::from(u8::from(member)) / share - 1.0)).sum()
    };
    people.iter().map(of).collect()
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
    fn the_same_seed_gives_the_same_people() {
        let [one, other] = [5, 5].map(|seed| population(1000, seed).unwrap());
        assert!(
            (0..1000).all(|row| one.column("income").unwrap().text(row) == other.column("income").unwrap().text(row))
        );
        assert_eq!(population(10, 1).unwrap_err().code(), "setting-invalid");
    }
}
