//! Made-up people with numeric features, any number of classes, and groups that overlap.

use evenhand::correction::Problem;
use evenhand::data::Codes;
use evenhand::features::Features;
use evenhand::{Membership, Notion, Result};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// People with numeric features, groups that they may be in, and labels.
#[derive(Debug, Clone)]
pub struct People {
    /// The features of all people, person by person.
    pub features: Vec<f64>,
    /// How many features a person has.
    pub width: usize,
    /// The class of every person.
    pub labels: Vec<u32>,
    /// For every group, whether each person is in it.
    pub masks: Vec<Vec<bool>>,
}

impl People {
    /// `rows` people in overlapping groups of these shares. They have four features, of which membership shifts one, and
    /// membership itself; their class is drawn from a softmax of linear scores, in which membership counts by `bias`.
    pub fn of_classes(rows: usize, classes: usize, shares: &[f64], bias: f64, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let (groups, width) = (shares.len(), 4 + shares.len());
        let coefficients: Vec<f64> = (0..classes * width).map(|_| standard_normal(&mut random)).collect();
        let (mut features, mut labels, mut masks) = (Vec::new(), Vec::new(), vec![Vec::new(); groups]);
        for _ in 0..rows {
            let member: Vec<bool> = shares.iter().map(|share| random.random::<f64>() < *share).collect();
            let mut row: Vec<f64> =
                (0..4).map(|at| standard_normal(&mut random) + if member[at % groups] { 0.5 } else { 0.0 }).collect();
            row.extend(member.iter().map(|&one| f64::from(u8::from(one))));
            let score = |class: usize, noise: f64| -> f64 {
                let term = |at: usize| coefficients[class * width + at] * row[at] * if at < 4 { 1.0 } else { bias };
                (0..width).map(term).sum::<f64>() - (-noise.max(1e-12).ln()).ln()
            };
            let scores: Vec<f64> = (0..classes).map(|class| score(class, random.random())).collect();
            let label = (0..classes).max_by(|one, other| scores[*one].total_cmp(&scores[*other]));
            labels.push(label.unwrap_or_default() as u32);
            for (mask, one) in masks.iter_mut().zip(member) {
                mask.push(one);
            }
            features.extend(row);
        }
        Self { features, width, labels, masks }
    }

    /// What is asked of them: the groups are `g0`, `g1` and so on, the classes `0`, `1` and so on.
    ///
    /// # Errors
    /// Those of [`Problem::of_arrays`].
    pub fn problem(&self, notion: &Notion) -> Result<Problem> {
        let classes = self.labels.iter().max().map_or(0, |largest| *largest as usize + 1);
        let names: Vec<String> = (0..classes).map(|class| class.to_string()).collect();
        let groups = (0..self.masks.len()).map(|group| format!("g{group}")).collect();
        let membership = Membership::from_masks(groups, &self.masks)?;
        let features = Features::from_rows(&self.features, self.width)?;
        let labels = Codes::narrow(self.labels.clone(), classes);
        Ok(Problem::of_arrays(features, labels, &names, &membership, None, std::slice::from_ref(notion))?.0)
    }
}

/// A standard normal number, by Box and Muller; never beyond 7.5.
pub fn standard_normal(random: &mut ChaCha8Rng) -> f64 {
    let (radius, angle): (f64, f64) = (random.random::<f64>().max(1e-12), random.random());
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}
