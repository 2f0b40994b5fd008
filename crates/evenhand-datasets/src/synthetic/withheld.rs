//! People whose group is not among what a learner sees, but is told in part by something that is.
//!
//! Holds [`WithheldGroup`]. Skill makes a true label likely, and is the same for women and men; the work that people do is not, and does
//! not matter. So the true labels are even, the group is told by the work alone, and a linear model can describe all of it.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use evenhand::data::Categorical;
use evenhand::{Column, Result, Table};

use super::{check, logistic, normal};

/// The share of women in each kind of work, all kinds being equally frequent: half of all people are women.
const WORK: [(&str, f64); 6] =
    [("building", 0.08), ("driving", 0.22), ("trade", 0.46), ("office", 0.54), ("teaching", 0.78), ("nursing", 0.92)];

/// What the bias of observed labels goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BiasBy {
    /// What can be seen: `λ (P(g|x)/Z − 1)` off the log odds, the closest distortion of the truth that a judge who does not know the group can make.
    Seen,
    /// The group itself: `λ (g/Z − 1)`.
    Group,
}

/// A population, by its bias against women.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WithheldGroup {
    /// What it goes by.
    pub by: BiasBy,
    /// λ.
    pub multiplier: f64,
}

impl WithheldGroup {
    /// Draws people: columns `skill`, `work`, `sex` and `approved`.
    ///
    /// # Errors
    /// [`evenhand::Error::Setting`] for fewer than 1,000 rows, or more than ten million.
    pub fn draw(&self, rows: usize, seed: u64) -> Result<Table> {
        check(rows)?;
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let (mut skills, mut works, mut sexes, mut approved) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rows {
            let (work, women) = WORK[random.random_range(0..WORK.len())];
            let female = random.random::<f64>() < women;
            let seen = match self.by {
                BiasBy::Seen => women,
                BiasBy::Group => f64::from(u8::from(female)),
            };
            let skill = normal(&mut random);
            let odds = 0.3 + 1.2 * skill - self.multiplier * (seen / 0.5 - 1.0);
            skills.push(skill);
            works.push(work);
            sexes.push(if female { "female" } else { "male" });
            approved.push(if random.random::<f64>() < logistic(odds) { "yes" } else { "no" });
        }
        let text = |values: Vec<&str>| Column::Categorical(Categorical::from_values(values.into_iter().map(Some)));
        let columns = [
            ("skill", Column::Numeric(skills)),
            ("work", text(works)),
            ("sex", text(sexes)),
            ("approved", text(approved)),
        ];
        Table::new(columns.map(|(name, column)| (name.to_owned(), column)).into(), 1)
    }
}
