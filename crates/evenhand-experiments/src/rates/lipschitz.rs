//! Weighted least squares over all Lipschitz functions of one number, solved exactly.
//!
//! `min Σ w_i (h_i − y_i)²` such that `|h_{i+1} − h_i| ≤ c_i` is a quadratic programme whose constraints are a chain, and so a recursion:
//! with `f_1(h) = w_1 (h − y_1)²`, `f_{i+1}(h) = w_{i+1} (h − y_{i+1})² + min { f_i(h') : |h' − h| ≤ c_i }`. Half the derivative of f is increasing and piecewise
//! linear. The inner minimum moves the part left of its zero by `−c` and the part right of it by `+c`, the square adds a line; so two stacks of knots,
//! nearest to the zero on top, hold it all, and only knots that the zero crosses are touched. Values stay between the labels,
//! so that functions into [0, 1] need no constraint of their own. [As Johnson 2013 solves the fused lasso]

/// A function that is linear between places.
#[derive(Debug, Clone)]
pub(super) struct LipschitzFit {
    places: Vec<f64>,
    values: Vec<f64>,
}

/// Where the derivative bends: a place, and how much its slope changes on the way away from the zero.
#[derive(Debug, Clone, Copy)]
struct Knot {
    place: f64,
    change: f64,
}

/// Knots on one side of the zero, the nearest last. All have moved by `moved` since they were put in as they are.
#[derive(Debug, Default)]
struct Side {
    knots: Vec<Knot>,
    moved: f64,
}

impl Side {
    fn push(&mut self, place: f64, change: f64) {
        self.knots.push(Knot { place: place - self.moved, change });
    }

    /// The knot nearest to the zero.
    fn nearest(&self) -> Option<Knot> {
        self.knots.last().map(|knot| Knot { place: knot.place + self.moved, ..*knot })
    }
}

impl LipschitzFit {
    /// The function of least weighted squares among those with this Lipschitz constant. Rows are in the order of places; labels are 0 or 1.
    pub(super) fn new(places: &[f64], labels: &[bool], weights: impl Fn(usize) -> f64, lipschitz: f64) -> Self {
        let reach = |row: usize| lipschitz * (places[row + 1] - places[row]);
        let mut zeros = Vec::with_capacity(places.len());
        let mut derivative = Derivative::default();
        for (row, label) in labels.iter().enumerate() {
            if row > 0 {
                derivative.widen(reach(row - 1));
            }
            derivative.add(weights(row), f64::from(u8::from(*label)));
            zeros.push(derivative.zeros[0]);
        }
        // Backwards: each value as near to its own minimum as the next one lets it.
        let mut values = zeros;
        for row in (0..values.len().saturating_sub(1)).rev() {
            let next = values[row + 1];
            values[row] = values[row].clamp(next - reach(row), next + reach(row));
        }
        Self { places: places.to_vec(), values }
    }

    /// The values at the places that it was fitted to.
    pub(super) fn values(&self) -> &[f64] {
        &self.values
    }

    /// The value at any place: linear between those fitted, constant beyond them.
    pub(super) fn at(&self, place: f64) -> f64 {
        let above = self.places.partition_point(|&one| one < place);
        if above == 0 || above == self.places.len() {
            return self.values[above.min(self.values.len() - 1)];
        }
        let (from, to) = (self.places[above - 1], self.places[above]);
        let share = if to > from { (place - from) / (to - from) } else { 0.0 };
        self.values[above - 1] + share * (self.values[above] - self.values[above - 1])
    }
}

/// Half the derivative of f: where it is zero, its slopes on either side of that, and its knots beyond.
#[derive(Debug, Default)]
struct Derivative {
    /// It is zero from the first to the second.
    zeros: [f64; 2],
    /// Going left and going right.
    slopes: [f64; 2],
    sides: [Side; 2],
}

impl Derivative {
    /// The minimum over all places within reach.
    fn widen(&mut self, reach: f64) {
        let [left, right] = &mut self.sides;
        (left.moved, right.moved) = (left.moved - reach, right.moved + reach);
        self.zeros = [self.zeros[0] - reach, self.zeros[1] + reach];
    }

    /// Adds `weight · (h − label)`, and finds the zero again.
    fn add(&mut self, weight: f64, label: f64) {
        let [low, high] = self.zeros;
        let zero = if self.slopes[0] <= 0.0 {
            // Nothing was added before.
            self.slopes = [weight; 2];
            label
        } else if label < low {
            self.cross(0, weight, label)
        } else if label > high {
            self.cross(1, weight, label)
        } else {
            for (side, zero) in [low, high].into_iter().enumerate() {
                let slope = self.slopes[side];
                self.sides[side].push(zero, slope);
            }
            self.slopes = [weight; 2];
            label
        };
        self.zeros = [zero; 2];
    }

    /// The zero where it moves to one side, past the end of the flat part and maybe past knots, which then lie on the other side.
    fn cross(&mut self, side: usize, weight: f64, label: f64) -> f64 {
        let outward = if side == 0 { -1.0 } else { 1.0 };
        let (near, far) = (self.zeros[side], self.zeros[1 - side]);
        let flat = self.slopes[side];
        let other = self.slopes[1 - side];
        self.sides[1 - side].push(far, other);
        self.sides[1 - side].push(near, -flat);
        let (mut place, mut slope, mut left) = (near, flat + weight, weight * (near - label).abs());
        while let Some(knot) = self.sides[side].nearest() {
            let fall = slope * (knot.place - place) * outward;
            if fall >= left {
                break;
            }
            self.sides[side].knots.pop();
            self.sides[1 - side].push(knot.place, -knot.change);
            (place, slope, left) = (knot.place, slope + knot.change, left - fall);
        }
        self.slopes = [slope; 2];
        place + outward * left / slope
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn example(rows: usize, seed: u64) -> (Vec<f64>, Vec<bool>, Vec<f64>) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut places: Vec<f64> = (0..rows).map(|_| random.random()).collect();
        places.sort_by(f64::total_cmp);
        let labels = (0..rows).map(|_| random.random::<f64>() < 0.5).collect();
        (places, labels, (0..rows).map(|_| 0.1 + random.random::<f64>()).collect())
    }

    /// Hildreth's method: projections on one constraint after the other, slow and plain.
    fn brute_force(places: &[f64], labels: &[bool], weights: &[f64], lipschitz: f64) -> Vec<f64> {
        let mut values: Vec<f64> = labels.iter().map(|label| f64::from(u8::from(*label))).collect();
        let mut duals = vec![[0.0_f64; 2]; places.len() - 1];
        for _ in 0..40_000 {
            for row in 0..places.len() - 1 {
                for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
                    let over = sign * (values[row + 1] - values[row]) - lipschitz * (places[row + 1] - places[row]);
                    let step = (over / (1.0 / weights[row] + 1.0 / weights[row + 1])).max(-duals[row][side]);
                    duals[row][side] += step;
                    values[row] += sign * step / weights[row];
                    values[row + 1] -= sign * step / weights[row + 1];
                }
            }
        }
        values
    }

    #[test]
    fn the_recursion_solves_the_quadratic_programme() {
        for (seed, lipschitz) in [(1, 0.5), (2, 3.0), (3, 12.0), (4, 100.0)] {
            let (places, labels, weights) = example(40, seed);
            let found = LipschitzFit::new(&places, &labels, |row| weights[row], lipschitz);
            let plain = brute_force(&places, &labels, &weights, lipschitz);
            for (one, other) in found.values().iter().zip(&plain) {
                assert!((one - other).abs() < 1e-6, "{lipschitz}: {:?}\n{plain:?}", found.values());
            }
        }
    }

    #[test]
    fn slopes_and_values_stay_within_their_bounds() {
        let (places, labels, weights) = example(3_000, 7);
        let found = LipschitzFit::new(&places, &labels, |row| weights[row], 5.0);
        assert!(found.values().iter().all(|value| (0.0..=1.0).contains(value)));
        let steep = (1..3_000).any(|at| {
            (found.values()[at] - found.values()[at - 1]).abs()
                > 5.0 * (places[at] - places[at - 1]) * (1.0 + 1e-9) + 1e-12
        });
        assert!(!steep);
        // Without any slope it is the weighted mean.
        let flat = LipschitzFit::new(&places, &labels, |row| weights[row], 0.0);
        let positive: f64 = (0..3_000).filter(|&row| labels[row]).map(|row| weights[row]).sum();
        assert!((flat.at(0.3) - positive / weights.iter().sum::<f64>()).abs() < 1e-9);
    }
}
