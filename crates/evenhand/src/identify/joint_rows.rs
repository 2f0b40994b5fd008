//! Sums over rows of a model of biased labels: what the truth is made of, and how far it is from even.
//!
//! Holds [`JointRows`]. Coefficients are those of the truth; everything here is a pass over blocks of rows.

use faer::Mat;

use super::bias_model::{BiasModel, Member, Row, Totals};
use crate::correction::Problem;
use crate::kernel::blocks;
use crate::kernel::product::{Gram, Scatter, Tables, margins};
use crate::parallel;

/// Rows with what each is to every constraint.
pub(super) struct JointRows<'a> {
    pub(super) problem: &'a Problem,
    pub(super) model: BiasModel,
    members: Members,
    /// The shares of groups, where these do not depend on the truth.
    shares: Vec<f64>,
}

/// What rows are to constraints: a number per cell, or per row.
pub(super) struct Members {
    pub(super) by_row: bool,
    /// Place by place, a number per constraint: how much it is in the group, and among those that the group is a share of.
    pub(super) own: Vec<f64>,
    pub(super) base: Vec<f64>,
}

/// The equations that coefficients and multipliers solve, and their derivatives.
pub(super) struct Equations {
    /// The gradient of the log loss in the coefficients, without a penalty.
    pub(super) gradient: Vec<f64>,
    /// Its expected derivative in the coefficients.
    pub(super) information: Mat<f64>,
    /// Its expected derivative in the multipliers, a column for each.
    pub(super) by_multiplier: Mat<f64>,
    /// The derivatives of violations in the coefficients, a column for each violation.
    pub(super) of_violations: Mat<f64>,
    /// The covariances of tilts, summed: what multipliers can change at all.
    pub(super) tilts: Mat<f64>,
}

/// Of a group and a class: how far the bias moved its log odds on average, and how that follows from multipliers and coefficients.
pub(super) struct MeanContrast {
    pub(super) value: f64,
    pub(super) by_multiplier: Vec<f64>,
    pub(super) by_coefficient: Vec<f64>,
}

impl<'a> JointRows<'a> {
    pub(super) fn new(problem: &'a Problem, model: BiasModel, members: Members, shares: Vec<f64>) -> Self {
        Self { problem, model, members, shares }
    }

    /// How many coefficients each margin has.
    pub(super) fn stride(&self) -> usize {
        self.problem.features().width() + 1
    }

    fn member(&self, row: usize) -> Member<'_> {
        let count = self.model.terms.len();
        let place = if self.members.by_row { row } else { self.problem.cells().cell_of_row().get(row) };
        let at = place * count..(place + 1) * count;
        Member { own: &self.members.own[at.clone()], base: &self.members.base[at] }
    }

    /// Visits every row of a part with its margins, block by block; after each block `done` has it.
    fn visit<S>(
        &self,
        tables: &[Tables],
        rows: std::ops::Range<usize>,
        state: &mut S,
        mut each: impl FnMut(&mut S, usize, usize, &mut dyn Iterator<Item = f64>),
        mut done: impl FnMut(&mut S, std::ops::Range<usize>),
    ) {
        let mut out = vec![Vec::new(); tables.len()];
        for block in blocks(rows) {
            margins(self.problem.features(), tables, block.clone(), &mut out);
            for (at, row) in block.clone().enumerate() {
                each(state, row, at, &mut out.iter().map(|margins| margins[at]));
            }
            done(state, block);
        }
    }

    fn tables(&self, coefficients: &[f64]) -> Vec<Tables> {
        coefficients.chunks(self.stride()).map(|own| Tables::new(self.problem.features(), own)).collect()
    }

    /// What all rows tell of each constraint.
    pub(super) fn totals(&self, coefficients: &[f64]) -> Totals {
        let tables = self.tables(coefficients);
        let pass = |rows: std::ops::Range<usize>| {
            let mut state = (Row::new(&self.model), vec![[[0.0; 2]; 2]; self.model.terms.len()]);
            let each =
                |(row, sums): &mut (Row, Vec<_>), at: usize, _: usize, margins: &mut dyn Iterator<Item = f64>| {
                    row.set_truth(margins);
                    self.model.add_totals(&row.truth, self.member(at), self.problem.row_weight(at), sums);
                };
            self.visit(&tables, rows, &mut state, each, |_, _| {});
            state.1
        };
        let merge = |left: &mut Vec<[[f64; 2]; 2]>, right: Vec<[[f64; 2]; 2]>| {
            for (left, right) in left.as_flattened_mut().iter_mut().zip(right.as_flattened()) {
                left[0] += right[0];
                left[1] += right[1];
            }
        };
        let sums = parallel::reduce(self.problem.labels().len(), pass, merge);
        self.model.totals(&sums, &self.shares)
    }

    /// The equations at some coefficients and multipliers.
    pub(super) fn equations(&self, coefficients: &[f64], multipliers: &[f64], totals: &Totals) -> Equations {
        let (tables, features) = (self.tables(coefficients), self.problem.features());
        let (count, terms, stride) = (self.model.margins(), self.model.terms.len(), self.stride());
        let pairs: Vec<(usize, usize)> = (0..count).flat_map(|one| (0..=one).map(move |other| (one, other))).collect();
        let scattered = count * (1 + 2 * terms);
        let pass = |rows: std::ops::Range<usize>| {
            let mut state = Pass {
                row: Row::new(&self.model),
                values: vec![Vec::new(); scattered + pairs.len()],
                sums: vec![Scatter::new(features); scattered],
                squares: vec![Gram::new(features); pairs.len()],
                tilts: vec![0.0; terms * terms],
            };
            let each = |state: &mut Pass, at: usize, _: usize, margins: &mut dyn Iterator<Item = f64>| {
                let (member, weight) = (self.member(at), self.problem.row_weight(at));
                let row = &mut state.row;
                row.set(&self.model, margins, member, &totals.shares, multipliers);
                let label = self.problem.labels().get(at);
                for margin in 0..count {
                    state.values[margin].push(weight * row.residual(label, margin));
                    for term in 0..terms {
                        let [slopes, violations] = [1 + term, 1 + terms + term].map(|kind| kind * count + margin);
                        state.values[slopes].push(weight * row.residual_slope(term, margin));
                        let slope = row.violation_slope(&self.model, totals, member, term, margin);
                        state.values[violations].push(weight * slope);
                    }
                }
                for (at, &(one, other)) in pairs.iter().enumerate() {
                    state.values[scattered + at].push(weight * row.information(one, other));
                }
                for one in 0..terms {
                    for other in 0..terms {
                        state.tilts[one * terms + other] += weight * row.tilt_product(one, other);
                    }
                }
            };
            let done = |state: &mut Pass, block: std::ops::Range<usize>| {
                for (values, sums) in state.values.iter().zip(&mut state.sums) {
                    sums.add(features, block.clone(), values);
                }
                for (values, square) in state.values[scattered..].iter().zip(&mut state.squares) {
                    square.add(features, block.clone(), values);
                }
                state.values.iter_mut().for_each(Vec::clear);
            };
            self.visit(&tables, rows, &mut state, each, done);
            let mut all = vec![0.0; scattered * stride];
            for (sums, part) in state.sums.iter().zip(all.chunks_mut(stride)) {
                sums.add_to(features, part);
            }
            all.extend(state.squares.into_iter().flat_map(|square| square.into_matrix(features)));
            all.extend(state.tilts);
            all
        };
        let width = scattered * stride + pairs.len() * stride * stride;
        let all = parallel::reduce_sums(self.problem.labels().len(), width, pass, add);
        let (sums, rest) = all.split_at(scattered * stride);
        let (squares, tilts) = rest.split_at(pairs.len() * stride * stride);
        let side = count * stride;
        let columns = |first: usize| {
            Mat::from_fn(side, terms, |at, term| sums[((first + term) * count + at / stride) * stride + at % stride])
        };
        let mut information = Mat::zeros(side, side);
        for (square, &(one, other)) in squares.chunks(stride * stride).zip(&pairs) {
            for row in 0..stride {
                for column in 0..stride {
                    // A square holds each pair of features once, in one triangle or the other.
                    let across = if row == column { 0.0 } else { square[column * stride + row] };
                    let value = square[row * stride + column] + across;
                    information[(one * stride + row, other * stride + column)] = value;
                    information[(other * stride + column, one * stride + row)] = value;
                }
            }
        }
        Equations {
            gradient: sums[..side].to_vec(),
            information,
            by_multiplier: columns(1),
            of_violations: columns(1 + terms),
            tilts: Mat::from_fn(terms, terms, |row, column| tilts[row * terms + column]),
        }
    }

    /// How far the bias moved the log odds of a class in a group, on average over its rows.
    pub(super) fn mean_contrast(
        &self,
        coefficients: &[f64],
        multipliers: &[f64],
        totals: &Totals,
        (group, class): (Option<usize>, usize),
    ) -> MeanContrast {
        let (tables, features) = (self.tables(coefficients), self.problem.features());
        let (count, terms, stride) = (self.model.margins(), self.model.terms.len(), self.stride());
        let pass = |rows: std::ops::Range<usize>| {
            let row = Row::new(&self.model);
            let mut state = (row, vec![Vec::new(); count], vec![Scatter::new(features); count], vec![0.0; 2 + terms]);
            let each = |(row, values, _, sums): &mut Contrasting,
                        at: usize,
                        _: usize,
                        margins: &mut dyn Iterator<Item = f64>| {
                if !group.is_none_or(|group| self.problem.is_in(at, group)) {
                    for values in values.iter_mut() {
                        values.push(0.0);
                    }
                    return;
                }
                let weight = self.problem.row_weight(at);
                row.set(&self.model, margins, self.member(at), &totals.shares, multipliers);
                sums[0] += weight;
                sums[1] += weight * row.contrast(&row.exponents, class);
                for (term, sum) in sums[2..].iter_mut().enumerate() {
                    let tilts = &row.tilts[term * self.model.classes..][..self.model.classes];
                    *sum += weight * row.contrast(tilts, class);
                }
                for (margin, values) in values.iter_mut().enumerate() {
                    values.push(weight * row.contrast_slope(class, margin));
                }
            };
            let done = |(_, values, scatters, _): &mut Contrasting, block: std::ops::Range<usize>| {
                for (values, scatter) in values.iter_mut().zip(scatters) {
                    scatter.add(features, block.clone(), values);
                    values.clear();
                }
            };
            self.visit(&tables, rows, &mut state, each, done);
            let mut all = vec![0.0; count * stride];
            for (sums, part) in state.2.iter().zip(all.chunks_mut(stride)) {
                sums.add_to(features, part);
            }
            all.extend(state.3);
            all
        };
        let all = parallel::reduce_sums(self.problem.labels().len(), count * stride, pass, add);
        let (by_coefficient, sums) = all.split_at(count * stride);
        let total = sums[0];
        MeanContrast {
            value: sums[1] / total,
            by_multiplier: sums[2..].iter().map(|sum| sum / total).collect(),
            by_coefficient: by_coefficient.iter().map(|sum| sum / total).collect(),
        }
    }

    /// Sums of products over rows of the parts that each has in violations, less what follows from its residuals in `of_violations` directions of the
    /// coefficients, and in some further directions; and the least determinant of observed in true log odds of any row.
    pub(super) fn influence(
        &self,
        coefficients: &[f64],
        multipliers: &[f64],
        totals: &Totals,
        of_violations: &[Vec<f64>],
        further: &[Vec<f64>],
    ) -> (Mat<f64>, f64) {
        let (count, terms) = (self.model.margins(), self.model.terms.len());
        let wide = terms + further.len();
        let directions = of_violations.iter().chain(further).flat_map(|direction| self.tables(direction));
        let tables: Vec<Tables> = self.tables(coefficients).into_iter().chain(directions).collect();
        let pass = |rows: std::ops::Range<usize>| {
            let mut state = (
                Row::new(&self.model),
                vec![0.0; wide * wide],
                f64::INFINITY,
                vec![0.0; wide],
                vec![0.0; tables.len()],
            );
            let each = |(row, products, least, parts, all): &mut Influencing,
                        at: usize,
                        _: usize,
                        margins: &mut dyn Iterator<Item = f64>| {
                all.iter_mut().zip(margins).for_each(|(place, margin)| *place = margin);
                let (member, weight) = (self.member(at), self.problem.row_weight(at));
                row.set(&self.model, all[..count].iter().copied(), member, &totals.shares, multipliers);
                *least = least.min(row.determinant());
                let label = self.problem.labels().get(at);
                for (k, (part, moves)) in parts.iter_mut().zip(all[count..].chunks(count)).enumerate() {
                    let own = if k < terms { row.violation_part(&self.model, totals, member, k) } else { 0.0 };
                    let moved: f64 =
                        moves.iter().enumerate().map(|(margin, by)| row.residual(label, margin) * by).sum();
                    *part = weight * (own - moved);
                }
                for (one, line) in parts.iter().zip(products.chunks_exact_mut(wide)) {
                    line.iter_mut().zip(parts.iter()).for_each(|(product, other)| *product += one * other);
                }
            };
            self.visit(&tables, rows, &mut state, each, |_, _| {});
            (state.1, state.2)
        };
        let merge = |left: &mut (Vec<f64>, f64), right: (Vec<f64>, f64)| {
            add(&mut left.0, right.0);
            left.1 = left.1.min(right.1);
        };
        let (products, least) = parallel::reduce(self.problem.labels().len(), pass, merge);
        (Mat::from_fn(wide, wide, |row, column| products[row * wide + column]), least)
    }
}

/// One row, numbers of a block per margin, their sums, and sums of contrasts.
type Contrasting = (Row, Vec<Vec<f64>>, Vec<Scatter>, Vec<f64>);

/// One row, sums of products, the least determinant; of a row its parts and its margins.
type Influencing = (Row, Vec<f64>, f64, Vec<f64>, Vec<f64>);

/// What a pass over a part of the rows keeps.
struct Pass {
    row: Row,
    /// Of one block: residuals, their derivatives in each multiplier, those of violations, then second derivatives.
    values: Vec<Vec<f64>>,
    sums: Vec<Scatter>,
    squares: Vec<Gram>,
    tilts: Vec<f64>,
}

#[allow(clippy::ptr_arg, clippy::needless_pass_by_value)] // as `parallel` merges sums
fn add(left: &mut Vec<f64>, right: Vec<f64>) {
    for (left, right) in left.iter_mut().zip(right) {
        *left += right;
    }
}
