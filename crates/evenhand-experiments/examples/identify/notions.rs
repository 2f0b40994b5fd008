//! Estimates of the bias for every notion that identifies one, with two classes and more.
//!
//! People of two groups whose features differ. What the truth is told by is set so that it keeps the notion (on 200,000 people), and observed labels are drawn by
//! Proposition 1, with a constraint function that is written out here once more and shares no code with the engine.

use evenhand::data::Categorical;
use evenhand::{Column, Dataset, Identify, Schema, Table};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{Result, each_draw, print};

/// By how many people the truth is set.
const PEOPLE: usize = 200_000;

/// Members of group a.
const SHARE: f64 = 0.4;

/// A notion, and the multipliers that labels are biased by: one per constraint on group a.
struct Scenario {
    name: &'static str,
    notion: &'static str,
    kind: Kind,
    classes: usize,
    multipliers: &'static [f64],
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Parity,
    /// Rates among those labelled positive, or negative, or both.
    Labelled {
        positive: bool,
        negative: bool,
    },
    Accuracy,
    Target(f64),
    OtherGroup,
}

const SCENARIOS: [Scenario; 9] = [
    Scenario {
        name: "demographic parity, 2 classes",
        notion: "demographic-parity",
        kind: Kind::Parity,
        classes: 2,
        multipliers: &[0.3],
    },
    Scenario {
        name: "demographic parity, 3 classes",
        notion: "demographic-parity",
        kind: Kind::Parity,
        classes: 3,
        multipliers: &[-0.25, 0.05, 0.2],
    },
    Scenario {
        name: "demographic parity, 5 classes",
        notion: "demographic-parity",
        kind: Kind::Parity,
        classes: 5,
        multipliers: &[-0.2, -0.1, 0.0, 0.1, 0.2],
    },
    Scenario {
        name: "equal opportunity",
        notion: "equal-opportunity",
        kind: Kind::Labelled { positive: true, negative: false },
        classes: 2,
        multipliers: &[0.5],
    },
    Scenario {
        name: "predictive equality",
        notion: "predictive-equality",
        kind: Kind::Labelled { positive: false, negative: true },
        classes: 2,
        multipliers: &[0.5],
    },
    Scenario {
        name: "equalized odds",
        notion: "equalized-odds",
        kind: Kind::Labelled { positive: true, negative: true },
        classes: 2,
        multipliers: &[0.5, 0.2],
    },
    Scenario {
        name: "equal accuracy",
        notion: "equal-accuracy",
        kind: Kind::Accuracy,
        classes: 2,
        multipliers: &[0.3],
    },
    Scenario {
        name: "target rate",
        notion: "target-rate=0.4",
        kind: Kind::Target(0.4),
        classes: 2,
        multipliers: &[0.5],
    },
    Scenario {
        name: "one group against another",
        notion: "rate=predicted positive given group=a against group=b",
        kind: Kind::OtherGroup,
        classes: 2,
        multipliers: &[0.2],
    },
];

struct Person {
    member: bool,
    skill: f64,
    luck: f64,
}

fn people(count: usize, random: &mut ChaCha8Rng) -> Vec<Person> {
    let normal = |random: &mut ChaCha8Rng| (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
    (0..count)
        .map(|_| {
            let member = random.random::<f64>() < SHARE;
            // Members have less of what counts.
            let skill = normal(random) - if member { 0.5 } else { 0.0 };
            Person { member, skill, luck: normal(random) }
        })
        .collect()
}

impl Scenario {
    /// The true probabilities of a person; `set` are what the truth is set by.
    fn truth(&self, one: &Person, set: &[f64]) -> Vec<f64> {
        let member = f64::from(u8::from(one.member));
        let scores: Vec<f64> = match self.kind {
            Kind::Parity if self.classes > 2 => (0..self.classes)
                .map(|class| {
                    let k = class as f64;
                    let own = if class == 0 { 0.0 } else { set[class - 1] * member };
                    (0.6 * k - 0.8) * one.skill + 0.5 * k.sin() * one.luck + 0.2 * k.cos() + own
                })
                .collect(),
            Kind::Target(_) => vec![0.0, set[0] + one.skill + 0.7 * one.luck],
            // Accuracy is the same where skill spreads as much among members.
            Kind::Accuracy => vec![0.0, 0.5 + one.skill * (1.0 + set[0] * member) + 0.7 * one.luck],
            Kind::Labelled { positive: true, negative: true } => {
                vec![0.0, 0.3 + set[0] * member + one.skill * (1.0 + set[1] * member) + 0.7 * one.luck]
            }
            _ => vec![0.0, 0.3 + set[0] * member + one.skill + 0.7 * one.luck],
        };
        let total: f64 = scores.iter().map(|score| score.exp()).sum();
        scores.iter().map(|score| score.exp() / total).collect()
    }

    /// How many numbers the truth is set by.
    fn dimensions(&self) -> usize {
        if self.kind == Kind::Parity { self.classes - 1 } else { self.multipliers.len() }
    }

    /// How far the truth of some people is from what is asked: zero where it keeps the notion.
    fn missing(&self, people: &[Person], set: &[f64]) -> Vec<f64> {
        let truths: Vec<Vec<f64>> = people.iter().map(|one| self.truth(one, set)).collect();
        let mean = |of: &dyn Fn(&[f64]) -> [f64; 2], inside: &dyn Fn(&Person) -> bool| {
            let (mut counted, mut weight) = (0.0, 0.0);
            for (_, truth) in people.iter().zip(&truths).filter(|(one, _)| inside(one)) {
                let [add, of] = of(truth);
                counted += add;
                weight += of;
            }
            counted / weight
        };
        let apart = |of: &dyn Fn(&[f64]) -> [f64; 2]| mean(of, &|one| one.member) - mean(of, &|_| true);
        match self.kind {
            Kind::Parity => (1..self.classes).map(|class| apart(&|p| [p[class], 1.0])).collect(),
            Kind::Labelled { positive, negative } => {
                let positive = positive.then(|| apart(&|p| [p[1] * p[1], p[1]]));
                positive.into_iter().chain(negative.then(|| apart(&|p| [p[1] * p[0], p[0]]))).collect()
            }
            Kind::Accuracy => vec![apart(&|p| [p[0] * p[0] + p[1] * p[1], 1.0])],
            Kind::Target(rate) => vec![mean(&|p| [p[1], 1.0], &|_| true) - rate],
            Kind::OtherGroup => {
                vec![mean(&|p| [p[1], 1.0], &|one| one.member) - mean(&|p| [p[1], 1.0], &|one| !one.member)]
            }
        }
    }

    /// What the truth must be set by to keep the notion: Newton's method, with differences for derivatives.
    fn set(&self) -> Vec<f64> {
        let people = people(PEOPLE, &mut ChaCha8Rng::seed_from_u64(99));
        let mut set = vec![0.0; self.dimensions()];
        for _ in 0..12 {
            let here = self.missing(&people, &set);
            let count = set.len();
            let mut matrix = vec![vec![0.0; count + 1]; count];
            for at in 0..count {
                let mut there = set.clone();
                there[at] += 1e-4;
                for (row, (moved, here)) in self.missing(&people, &there).iter().zip(&here).enumerate() {
                    matrix[row][at] = (moved - here) / 1e-4;
                }
            }
            (0..count).for_each(|row| matrix[row][count] = -here[row]);
            for (at, step) in solve(matrix).into_iter().enumerate() {
                set[at] += step;
            }
        }
        set
    }

    /// The constraint function of Proposition 1 for a class, multiplied out: Σ λ c(x, class).
    fn exponent(&self, one: &Person, truth: &[f64], class: usize, shares: [f64; 3]) -> f64 {
        let member = f64::from(u8::from(one.member));
        let tilt = |share: f64| member / share - 1.0;
        let of = |counts: bool| if counts { 1.0 } else { 0.0 };
        match self.kind {
            Kind::Parity if self.classes > 2 => self.multipliers[class] * tilt(shares[0]),
            Kind::Parity => of(class == 1) * self.multipliers[0] * tilt(shares[0]),
            Kind::Labelled { positive, negative } => {
                let of_positive = if positive { self.multipliers[0] * truth[1] * tilt(shares[1]) } else { 0.0 };
                let last = self.multipliers[self.multipliers.len() - 1];
                let of_negative = if negative { last * truth[0] * tilt(shares[2]) } else { 0.0 };
                of(class == 1) * (of_positive + of_negative)
            }
            Kind::Accuracy => self.multipliers[0] * truth[class] * tilt(shares[0]),
            Kind::Target(_) => of(class == 1) * self.multipliers[0],
            // In units of members over all others.
            Kind::OtherGroup => {
                let share = shares[0] / (1.0 - shares[0]);
                of(class == 1) * self.multipliers[0] * (member / share - (1.0 - member))
            }
        }
    }

    fn draw(&self, rows: usize, seed: u64, set: &[f64]) -> Result<Dataset> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let people = people(rows, &mut random);
        let truths: Vec<Vec<f64>> = people.iter().map(|one| self.truth(one, set)).collect();
        // The shares of members among all, the truly positive and the truly negative of these people: multipliers are in units of them.
        let share = |of: &dyn Fn(&[f64]) -> f64| {
            let inside: f64 = people.iter().zip(&truths).filter(|(one, _)| one.member).map(|(_, p)| of(p)).sum();
            inside / truths.iter().map(|p| of(p)).sum::<f64>()
        };
        let shares = [share(&|_| 1.0), share(&|p| p[1]), share(&|p| p[0])];
        let labels: Vec<String> = people
            .iter()
            .zip(&truths)
            .map(|(one, truth)| {
                let chances: Vec<f64> = (0..self.classes)
                    .map(|class| truth[class] * (-self.exponent(one, truth, class, shares)).exp())
                    .collect();
                let mut left = random.random::<f64>() * chances.iter().sum::<f64>();
                let class = chances.iter().position(|chance| {
                    left -= chance;
                    left <= 0.0
                });
                format!("c{}", class.unwrap_or(self.classes - 1))
            })
            .collect();
        let number = |of: &dyn Fn(&Person) -> f64| Column::Numeric(people.iter().map(of).collect());
        let texts = |of: Vec<Option<&str>>| Column::Categorical(Categorical::from_values(of));
        let member = |one: &Person| f64::from(u8::from(one.member));
        let table = Table::new(
            vec![
                (
                    "group".to_owned(),
                    texts(people.iter().map(|one| Some(if one.member { "a" } else { "b" })).collect()),
                ),
                ("skill".to_owned(), number(&|one| one.skill)),
                ("own_skill".to_owned(), number(&|one| one.skill * member(one))),
                ("luck".to_owned(), number(&|one| one.luck)),
                ("label".to_owned(), texts(labels.iter().map(|label| Some(label.as_str())).collect())),
            ],
            1,
        )?;
        let schema = Schema::label("label");
        Ok(Dataset::new(table, &if self.classes == 2 { schema.positive("c1") } else { schema })?)
    }
}

/// Gauss–Jordan elimination.
fn solve(mut matrix: Vec<Vec<f64>>) -> Vec<f64> {
    let count = matrix.len();
    for step in 0..count {
        let largest = |&one: &usize, &other: &usize| matrix[one][step].abs().total_cmp(&matrix[other][step].abs());
        let pivot = (step..count).max_by(largest).unwrap_or(step);
        matrix.swap(step, pivot);
        let head = matrix[step].clone();
        for (row, line) in matrix.iter_mut().enumerate().filter(|(row, _)| *row != step) {
            let factor = line[step] / head[step];
            let _ = row;
            line.iter_mut().zip(&head).for_each(|(entry, head)| *entry -= factor * head);
        }
    }
    (0..count).map(|row| matrix[row][count] / matrix[row][row]).collect()
}

pub(crate) fn run(rows: &[usize], draws: u64) -> Result<()> {
    print("rows,draw,notion,multiplier,truth,value,standard_error,low,high");
    for scenario in &SCENARIOS {
        let set = scenario.set();
        for &rows in rows {
            each_draw(draws, |draw| estimate(scenario, rows, draw, &set))?;
        }
    }
    Ok(())
}

fn estimate(scenario: &Scenario, rows: usize, draw: u64, set: &[f64]) -> Result<Vec<String>> {
    let data = scenario.draw(rows, 1_000 + draw, set)?;
    let settings = Identify::default().notion(scenario.notion.parse()?).group("group=a")?;
    let (found, _) = settings.run(&data)?;
    let name = scenario.name;
    if let Some(why) = &found.missing {
        return Ok(vec![format!("{rows},{draw},\"{name}\",missing: {why},,,,,")]);
    }
    let line = |(one, truth): (&evenhand::identify::Multiplier, &f64)| {
        let numbers =
            [*truth, one.value, one.standard_error, one.low, one.high].map(|number| format!("{number:.5}")).join(",");
        format!("{rows},{draw},\"{name}\",{},{numbers}", one.name)
    };
    Ok(found.multipliers.iter().zip(scenario.multipliers).map(line).collect())
}
