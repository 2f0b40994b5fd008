//! Nearest neighbours by a k-d tree, counted by cell. [Bentley 1975; Friedman, Bentley & Finkel 1977]
//!
//! The weight of a row depends on its region and its label alone, so that of the neighbours of a place only their numbers in these six cells matter:
//! counted once, they give the weighted mean for any multipliers. Numbers are counted for 1, 2, 4, … neighbours in one search.

use super::population::{REGIONS, Sample, logistic};

/// Rows of a leaf.
const LEAF: usize = 24;

/// More dimensions than this are not searched in.
const MOST_DIMENSIONS: usize = 10;

/// Numbers of neighbours by region and label.
pub(super) type Counts = [[u32; 2]; REGIONS];

/// Rows of a sample in an order in which near ones are together.
#[derive(Debug)]
pub(super) struct Tree {
    dimensions: usize,
    places: Vec<f64>,
    /// Region and label of each row, as region · 2 + label.
    cells: Vec<u8>,
    /// Where inner nodes cut; the middle row of a node's range is where its halves meet.
    cuts: Vec<Cut>,
}

#[derive(Debug, Clone, Copy)]
struct Cut {
    dimension: u8,
    at: f64,
}

/// Candidates of one search: squared distances and cells.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    found: Vec<(f64, u8)>,
}

impl Tree {
    pub(super) fn new(sample: &Sample) -> Self {
        let dimensions = sample.dimensions;
        let mut order: Vec<u32> = (0..sample.labels.len()).map(|row| u32::try_from(row).unwrap_or(u32::MAX)).collect();
        let mut cuts = vec![Cut { dimension: 0, at: 0.0 }; inner_nodes(order.len())];
        split(sample, &mut order, &mut cuts, 0);
        let place = |&row: &u32| sample.places[row as usize * dimensions..][..dimensions].iter().copied();
        let cell = |&row: &u32| sample.regions[row as usize] * 2 + u8::from(sample.labels[row as usize]);
        Self {
            dimensions,
            places: order.iter().flat_map(place).collect(),
            cells: order.iter().map(cell).collect(),
            cuts,
        }
    }

    pub(super) fn rows(&self) -> usize {
        self.cells.len()
    }

    /// The coordinates of a row.
    pub(super) fn place(&self, row: usize) -> &[f64] {
        &self.places[row * self.dimensions..(row + 1) * self.dimensions]
    }

    /// The region of a row.
    pub(super) fn region(&self, row: usize) -> usize {
        usize::from(self.cells[row] / 2)
    }

    /// Counts the nearest 2^levels rows by cell, and so for every smaller power of two: the one nearest first. A row may be left out, such as the one
    /// that stands at the place.
    pub(super) fn counts(
        &self,
        place: &[f64],
        levels: usize,
        without: Option<usize>,
        candidates: &mut Candidates,
    ) -> Vec<Counts> {
        candidates.found.clear();
        let mut search = Search { tree: self, place, wanted: 1 << levels, without, candidates, worst: f64::INFINITY };
        search.visit(0, 0, self.rows(), 0.0, &mut [0.0; MOST_DIMENSIONS]);
        search.cut();
        let mut counts = vec![Counts::default(); levels + 1];
        let found = &mut candidates.found;
        for (level, counts) in counts.iter_mut().enumerate().rev() {
            let wanted = (1 << level).min(found.len());
            if wanted < found.len() {
                found.select_nth_unstable_by(wanted, |one, other| one.0.total_cmp(&other.0));
                found.truncate(wanted);
            }
            for &(_, cell) in found.iter() {
                counts[usize::from(cell / 2)][usize::from(cell % 2)] += 1;
            }
        }
        counts
    }
}

/// Nodes are numbered as those of a heap: the children of i are 2i + 1 and 2i + 2.
fn inner_nodes(rows: usize) -> usize {
    let mut largest = rows;
    let mut nodes = 0;
    while largest > LEAF {
        nodes = 2 * nodes + 1;
        largest = largest.div_ceil(2);
    }
    nodes
}

/// Orders rows so that each half of a node is on one side of its cut, along the dimension in which its rows are the most spread.
fn split(sample: &Sample, order: &mut [u32], cuts: &mut [Cut], node: usize) {
    if node >= cuts.len() {
        return;
    }
    let of = |row: u32, dimension: usize| sample.places[row as usize * sample.dimensions + dimension];
    let spread = |dimension: usize| {
        let ends = order.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &row| {
            (low.min(of(row, dimension)), high.max(of(row, dimension)))
        });
        ends.1 - ends.0
    };
    let widest = (0..sample.dimensions).max_by(|&one, &other| spread(one).total_cmp(&spread(other))).unwrap_or(0);
    let middle = order.len() / 2;
    order.select_nth_unstable_by(middle, |&one, &other| of(one, widest).total_cmp(&of(other, widest)));
    cuts[node] = Cut { dimension: u8::try_from(widest).unwrap_or_default(), at: of(order[middle], widest) };
    let (below, above) = order.split_at_mut(middle);
    split(sample, below, cuts, 2 * node + 1);
    split(sample, above, cuts, 2 * node + 2);
}

/// The weighted share of positive labels among neighbours: `w(x, 1) = σ(e)` and `w(x, 0) = σ(−e)` in a region of exponent e. [Prop. 1]
pub(super) fn weighted_mean(counts: &Counts, exponents: [f64; REGIONS]) -> f64 {
    let (mut positive, mut all) = (0.0, 0.0);
    for (counts, exponent) in counts.iter().zip(exponents) {
        let weight = logistic(exponent);
        positive += weight * f64::from(counts[1]);
        all += weight * f64::from(counts[1]) + (1.0 - weight) * f64::from(counts[0]);
    }
    if all > 0.0 { positive / all } else { 0.5 }
}

/// The variance of a weighted mean of labels: `Σ w² (y − mean)² / (Σ w)²`.
pub(super) fn variance_of_mean(counts: &Counts, exponents: [f64; REGIONS], mean: f64) -> f64 {
    let (mut squares, mut all) = (0.0, 0.0);
    for (counts, exponent) in counts.iter().zip(exponents) {
        let weight = logistic(exponent);
        for (label, weight) in [(0.0, 1.0 - weight), (1.0, weight)] {
            let count = f64::from(counts[usize::from(label > 0.5)]);
            squares += count * (weight * (label - mean)).powi(2);
            all += count * weight;
        }
    }
    if all > 0.0 { squares / (all * all) } else { 0.0 }
}

struct Search<'a> {
    tree: &'a Tree,
    place: &'a [f64],
    wanted: usize,
    without: Option<usize>,
    candidates: &'a mut Candidates,
    /// No row that is farther is among the nearest.
    worst: f64,
}

impl Search<'_> {
    /// Visits the rows of a node, the nearer half first. `distance` is the square of that to the node's box, made of `offsets` by dimension.
    fn visit(&mut self, node: usize, first: usize, end: usize, distance: f64, offsets: &mut [f64; MOST_DIMENSIONS]) {
        let Some(&Cut { dimension, at }) = self.tree.cuts.get(node) else { return self.scan(first, end) };
        let (dimension, middle) = (usize::from(dimension), first + (end - first) / 2);
        let away = self.place[dimension] - at;
        let halves = [(2 * node + 1, first, middle), (2 * node + 2, middle, end)];
        let (near, far) = if away < 0.0 { (halves[0], halves[1]) } else { (halves[1], halves[0]) };
        self.visit(near.0, near.1, near.2, distance, offsets);
        let before = offsets[dimension];
        let farther = distance - before * before + away * away;
        if farther <= self.worst {
            offsets[dimension] = away;
            self.visit(far.0, far.1, far.2, farther, offsets);
            offsets[dimension] = before;
        }
    }

    fn scan(&mut self, first: usize, end: usize) {
        for row in first..end {
            let square = |(one, other): (&f64, &f64)| (one - other) * (one - other);
            let distance: f64 = self.tree.place(row).iter().zip(self.place).map(square).sum();
            if distance <= self.worst && Some(row) != self.without {
                self.candidates.found.push((distance, self.tree.cells[row]));
            }
        }
        if self.candidates.found.len() >= 2 * self.wanted {
            self.cut();
        }
    }

    /// Keeps the nearest; done when there are twice as many, it takes a constant time a candidate.
    fn cut(&mut self) {
        let (found, wanted) = (&mut self.candidates.found, self.wanted);
        if found.len() > wanted {
            let (_, last, _) = found.select_nth_unstable_by(wanted - 1, |one, other| one.0.total_cmp(&other.0));
            self.worst = last.0;
            found.truncate(wanted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::population::{RatesPopulation, generator};
    use super::*;

    #[test]
    fn the_tree_finds_the_neighbours_that_looking_at_every_row_finds() {
        for population in RatesPopulation::ALL {
            for rows in [20, 25, 700, 1_333] {
                let sample = population.draw(rows, &mut generator(population, rows, 1));
                let tree = Tree::new(&sample);
                let mut candidates = Candidates::default();
                for row in (0..rows).step_by(13) {
                    let found = tree.counts(tree.place(row), 4, Some(row), &mut candidates);
                    let mut all: Vec<(f64, u8)> = (0..rows)
                        .filter(|&other| other != row)
                        .map(|other| {
                            let pairs = tree.place(row).iter().zip(tree.place(other));
                            (pairs.map(|(one, two)| (one - two) * (one - two)).sum(), tree.cells[other])
                        })
                        .collect();
                    all.sort_by(|one, other| one.0.total_cmp(&other.0));
                    for (level, found) in found.iter().enumerate() {
                        let mut expected = Counts::default();
                        for &(_, cell) in all.iter().take(1 << level) {
                            expected[usize::from(cell / 2)][usize::from(cell % 2)] += 1;
                        }
                        assert_eq!(*found, expected, "{population:?}, {rows} rows, level {level}");
                    }
                }
            }
        }
    }

    #[test]
    fn weights_undo_a_bias_in_the_odds() {
        let counts: Counts = [[30, 10], [0, 0], [0, 0]];
        assert!((weighted_mean(&counts, [0.0; 3]) - 0.25).abs() < 1e-12);
        // Odds of 1/3 times e^1.
        let odds = 1.0_f64.exp() / 3.0;
        assert!((weighted_mean(&counts, [1.0, 5.0, 5.0]) - odds / (1.0 + odds)).abs() < 1e-12);
        assert!((variance_of_mean(&counts, [0.0; 3], 0.25) - 0.25 * 0.75 / 40.0).abs() < 1e-12);
    }
}
