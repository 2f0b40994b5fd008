//! What every threshold does with the rows of one pattern of groups.
//!
//! Holds [`Curve`]: for each threshold that tells rows apart, the weight of rows labelled positive and of others that it
//! decides positive (the ROC curve, before division by totals). The convex hull of a curve
//! is what random decisions between thresholds reach.

/// A threshold, and what it decides positive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    /// Scores from here on are decided positive; `None` for all scores, infinity for none.
    pub(super) at_least: Option<f64>,
    /// The weight decided positive of rows labelled otherwise, and of rows labelled positive.
    pub(super) positives: [f64; 2],
}

/// The thresholds of one pattern, from deciding none positive to deciding all.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Curve {
    pub(super) points: Vec<Point>,
}

impl Curve {
    /// From rows as (score, label is positive, weight), in any order.
    pub(super) fn new(mut rows: Vec<(f64, bool, f64)>) -> Self {
        // Rows of one score are summed in an order that is theirs, not the file's.
        rows.sort_unstable_by(|one, other| {
            other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)).then(one.2.total_cmp(&other.2))
        });
        let none = Point { at_least: Some(f64::INFINITY), positives: [0.0; 2] };
        let mut points = vec![none];
        let mut sums = [0.0; 2];
        for (at, &(score, positive, weight)) in rows.iter().enumerate() {
            sums[usize::from(positive)] += weight;
            let next = rows.get(at + 1).map(|next| next.0);
            if next.is_none_or(|next| next < score) {
                points.push(Point { at_least: next.map(|next| between(next, score)), positives: sums });
            }
        }
        Self { points }
    }

    /// The places of the points at the corners of the convex hull, in order.
    pub(super) fn hull(&self) -> Vec<usize> {
        let mut corners = self.chain(1.0);
        corners.extend(self.chain(-1.0));
        corners.sort_unstable();
        corners.dedup();
        corners
    }

    /// The corners on one side of the straight line from none to all: above with `side` 1, below with −1.
    fn chain(&self, side: f64) -> Vec<usize> {
        let mut chain: Vec<usize> = Vec::new();
        for next in 0..self.points.len() {
            while let [.., before, last] = chain[..] {
                let turn = self.turn(before, last, next) * side;
                if turn < 0.0 {
                    break;
                }
                chain.pop();
            }
            chain.push(next);
        }
        chain
    }

    /// Positive where the way over three points turns towards more rows labelled positive.
    fn turn(&self, one: usize, two: usize, three: usize) -> f64 {
        let step = |from: usize, to: usize, of: usize| self.points[to].positives[of] - self.points[from].positives[of];
        step(one, two, 0) * step(two, three, 1) - step(one, two, 1) * step(two, three, 0)
    }
}

/// A number above `low` and not above `high`: the middle, where floats have one.
fn between(low: f64, high: f64) -> f64 {
    let middle = low + (high - low) / 2.0;
    if middle > low { middle } else { high }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_one_score_are_decided_together() {
        let curve = Curve::new(vec![(0.2, false, 1.0), (0.8, true, 1.0), (0.2, true, 2.0), (0.5, false, 3.0)]);
        let sums: Vec<[f64; 2]> = curve.points.iter().map(|point| point.positives).collect();
        assert_eq!(sums, [[0.0, 0.0], [0.0, 1.0], [3.0, 1.0], [4.0, 3.0]]);
        let thresholds: Vec<Option<f64>> = curve.points.iter().map(|point| point.at_least).collect();
        assert_eq!(thresholds, [Some(f64::INFINITY), Some(0.65), Some(0.35), None]);
    }

    #[test]
    fn the_hull_holds_every_point_and_only_corners() {
        let rows = [(0.9, true), (0.8, false), (0.7, true), (0.6, true), (0.5, false), (0.4, false), (0.3, true)];
        let curve = Curve::new(rows.iter().map(|&(score, positive)| (score, positive, 1.0)).collect());
        let hull = curve.hull();
        // Above: after the first true positive, and after the third; below: after the third false positive.
        assert_eq!(hull, [0, 1, 4, 6, 7]);
    }

    #[test]
    fn a_threshold_between_neighbouring_floats_tells_them_apart() {
        let (low, high) = (0.3_f64, 0.3_f64.next_up());
        let found = between(low, high);
        assert!(found > low && found <= high);
    }
}
