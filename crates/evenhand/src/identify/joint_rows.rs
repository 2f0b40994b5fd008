//! Sums over rows of a model of biased labels: what the truth is made of, and how far it is from even.
//!
//! Holds [`JointRows`]. Coefficients are those of the truth; everything here is a pass over [`Rows`], and adds on grids that follow from [`Sizes`].

use std::ops::Range;

use faer::Mat;

use super::bias_model::{BiasModel, Member, Row, Totals};
use super::rows::{Rows, View};
use super::sizes::Sizes;
use crate::Result;
use crate::correction::Problem;
use crate::exact::{Grid, GridSums, Totals as Sums};
use crate::features::Features;
use crate::kernel::blocks;
use crate::kernel::product::{Gram, GramGrids, Grids, Scatter, Tables, margins};

/// Rows with what each is to every constraint.
pub(super) struct JointRows<'a> {
    rows: &'a dyn Rows,
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
    pub(super) fn new(rows: &'a dyn Rows, model: BiasModel, members: Members, shares: Vec<f64>) -> Self {
        Self { rows, problem: rows.problem(), model, members, shares }
    }

    /// How many coefficients each margin has.
    pub(super) fn stride(&self) -> usize {
        self.problem.features().width() + 1
    }

    fn member(&self, view: View<'_>, row: usize) -> Member<'_> {
        let count = self.model.terms.len();
        let place = if self.members.by_row { row } else { view.cell_of_row.get(row) };
        let at = place * count..(place + 1) * count;
        Member { own: &self.members.own[at.clone()], base: &self.members.base[at] }
    }

    fn label(&self, view: View<'_>, row: usize) -> usize {
        self.problem.cells().label(view.cell_of_row.get(row))
    }

    fn tables(&self, coefficients: &[f64]) -> Vec<Tables> {
        Tables::by_margin(self.problem.features(), coefficients)
    }

    /// What all rows tell of each constraint.
    ///
    /// # Errors
    /// What keeps rows from being read, here and in all that follows.
    pub(super) fn totals(&self, coefficients: &[f64]) -> Result<Totals> {
        let tables = self.tables(coefficients);
        let (count, terms) = (4 * self.model.terms.len(), self.model.terms.len());
        // Each probability is at most 1, and so is what is counted of it.
        let bound = |at: usize| 2.0 * self.heaviest() * self.members.largest(at / 4, terms)[at / 2 % 2];
        let grids: Vec<Grid> = (0..count).map(|at| Grid::new(bound(at), count)).collect();
        let pass = |view: View<'_>, rows: Range<usize>| {
            let mut state = (Row::new(&self.model), GridSums::new(&grids));
            let each = |(row, sums): &mut (Row, GridSums<'_>), at: usize, margins: &mut dyn Iterator<Item = f64>| {
                row.set_truth(margins);
                let (member, weight) = (self.member(view, at), view.weight(at));
                self.model.add_totals(&row.truth, member, weight, |at, value| sums.add(at, value));
            };
            visit(view, &tables, rows, &mut state, each, |_, _| {});
            (state.1.totals(), f64::INFINITY)
        };
        let sums = self.rows.sum(count, &pass)?.0.to_floats(|at| grids[at]);
        let of_term = |sums: &[f64]| [[sums[0], sums[1]], [sums[2], sums[3]]];
        Ok(self.model.totals(&sums.chunks_exact(4).map(of_term).collect::<Vec<_>>(), &self.shares))
    }

    /// What no row weighs more than.
    fn heaviest(&self) -> f64 {
        self.rows.heaviest()
    }

    /// What the numbers of a row never exceed, at some multipliers.
    fn sizes(&self, totals: &Totals, multipliers: &[f64]) -> Sizes {
        let terms = self.model.terms.len();
        let members: Vec<[f64; 2]> = (0..terms).map(|at| self.members.largest(at, terms)).collect();
        let tilt = |([own, base], share): (&[f64; 2], &f64)| own / share.abs() + base;
        let tilts: Vec<f64> = members.iter().zip(&totals.shares).map(tilt).collect();
        let exponent = tilts.iter().zip(multipliers).map(|(tilt, multiplier)| tilt * multiplier.abs()).sum();
        let violation =
            |([own, base], weights): (&[f64; 2], &[f64; 2])| own / weights[0].abs() + base / weights[1].abs();
        let violations = members.iter().zip(&totals.weights).map(violation).collect();
        // Twice what follows from the formulas leaves room for their rounding.
        Sizes { weight: 2.0 * self.heaviest(), tilts, exponent, violations }
    }

    /// The equations at some coefficients and multipliers.
    pub(super) fn equations(&self, coefficients: &[f64], multipliers: &[f64], totals: &Totals) -> Result<Equations> {
        let (tables, features) = (self.tables(coefficients), self.problem.features());
        let (count, terms, stride) = (self.model.margins(), self.model.terms.len(), self.stride());
        let pairs: Vec<(usize, usize)> = (0..count).flat_map(|one| (0..=one).map(move |other| (one, other))).collect();
        let scattered = count * (1 + 2 * terms);
        let triangle = stride * (stride + 1) / 2;
        let width = scattered * stride + pairs.len() * triangle + terms * terms;
        let sizes = self.sizes(totals, multipliers);
        let grids: Vec<Grids> = sizes.scattered().into_iter().map(|size| Grids::new(features, size, width)).collect();
        let squares = GramGrids::new(features, sizes.information(), width);
        let products: Vec<Grid> = sizes.tilt_products().map(|size| Grid::new(size, width)).collect();
        let pass = |view: View<'_>, rows: Range<usize>| {
            let mut state = Pass {
                row: Row::new(&self.model),
                values: vec![Vec::new(); scattered + pairs.len()],
                sums: vec![Scatter::new(view.features); scattered],
                squares: vec![Gram::new(view.features); pairs.len()],
                tilts: GridSums::new(&products),
            };
            let each = |state: &mut Pass<'_>, at: usize, margins: &mut dyn Iterator<Item = f64>| {
                let (member, weight) = (self.member(view, at), view.weight(at));
                let row = &mut state.row;
                row.set(&self.model, margins, member, &totals.shares, multipliers);
                let label = self.label(view, at);
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
                    for other in 0..=one {
                        state.tilts.add(one * terms + other, weight * row.tilt_product(one, other));
                    }
                }
            };
            let done = |state: &mut Pass<'_>, block: Range<usize>| {
                for (at, (values, sums)) in state.values.iter().zip(&mut state.sums).enumerate() {
                    sums.add(view.features, block.clone(), values, &grids[at / count]);
                }
                for (values, square) in state.values[scattered..].iter().zip(&mut state.squares) {
                    square.add(view.features, block.clone(), values, &squares);
                }
                state.values.iter_mut().for_each(Vec::clear);
            };
            visit(view, &tables, rows, &mut state, each, done);
            (state.totals(view.features), f64::INFINITY)
        };
        let by_feature: Vec<Vec<Grid>> = grids.iter().map(|grids| grids.by_feature(stride)).collect();
        let by_entry = squares.triangle(stride);
        let grid = |at: usize| match at.checked_sub(scattered * stride) {
            None => by_feature[at / stride / count][at % stride],
            Some(at) if at < pairs.len() * triangle => by_entry[at % triangle],
            Some(at) => products[at - pairs.len() * triangle],
        };
        let all = self.rows.sum(width, &pass)?.0.to_floats(grid);
        let (sums, rest) = all.split_at(scattered * stride);
        let (squares, tilts) = rest.split_at(pairs.len() * triangle);
        let side = count * stride;
        let columns = |first: usize| {
            Mat::from_fn(side, terms, |at, term| sums[((first + term) * count + at / stride) * stride + at % stride])
        };
        let mut information = Mat::zeros(side, side);
        for (square, &(one, other)) in squares.chunks(triangle).zip(&pairs) {
            let entries = (0..stride).flat_map(|row| (0..=row).map(move |column| (row, column)));
            for (&value, (row, column)) in square.iter().zip(entries) {
                for (row, column) in [(row, column), (column, row)] {
                    information[(one * stride + row, other * stride + column)] = value;
                    information[(other * stride + column, one * stride + row)] = value;
                }
            }
        }
        Ok(Equations {
            gradient: sums[..side].to_vec(),
            information,
            by_multiplier: columns(1),
            of_violations: columns(1 + terms),
            tilts: symmetric(terms, tilts),
        })
    }

    /// The gradient of the log loss in the coefficients alone, without a penalty.
    pub(super) fn gradient(&self, coefficients: &[f64], multipliers: &[f64], totals: &Totals) -> Result<Vec<f64>> {
        let (tables, features) = (self.tables(coefficients), self.problem.features());
        let (count, stride) = (self.model.margins(), self.stride());
        let grids = Grids::new(features, self.sizes(totals, multipliers).residual(), count * stride);
        let pass = |view: View<'_>, rows: Range<usize>| {
            let mut state = (Row::new(&self.model), vec![Vec::new(); count], vec![Scatter::new(view.features); count]);
            let each = |(row, values, _): &mut Scattering, at: usize, margins: &mut dyn Iterator<Item = f64>| {
                row.set(&self.model, margins, self.member(view, at), &totals.shares, multipliers);
                let (label, weight) = (self.label(view, at), view.weight(at));
                for (margin, values) in values.iter_mut().enumerate() {
                    values.push(weight * row.residual(label, margin));
                }
            };
            let done = |(_, values, scatters): &mut Scattering, block: Range<usize>| {
                for (values, scatter) in values.iter_mut().zip(scatters) {
                    scatter.add(view.features, block.clone(), values, &grids);
                    values.clear();
                }
            };
            visit(view, &tables, rows, &mut state, each, done);
            let (_, _, scatters) = state;
            let valid = scatters.iter().all(Scatter::valid);
            (Sums::new(scatters.iter().flat_map(|sums| sums.totals(view.features)), valid), f64::INFINITY)
        };
        let by_feature = grids.by_feature(stride);
        Ok(self.rows.sum(count * stride, &pass)?.0.to_floats(|at| by_feature[at % stride]))
    }

    /// How far the bias moved the log odds of classes in groups, on average over the rows of each group.
    pub(super) fn mean_contrasts(
        &self,
        coefficients: &[f64],
        multipliers: &[f64],
        totals: &Totals,
        asked: &[(Option<usize>, usize)],
    ) -> Result<Vec<MeanContrast>> {
        let (tables, features) = (self.tables(coefficients), self.problem.features());
        let (count, terms, stride) = (self.model.margins(), self.model.terms.len(), self.stride());
        let (slopes, others) = (asked.len() * count * stride, 2 + terms);
        let width = slopes + asked.len() * others;
        let sizes = self.sizes(totals, multipliers);
        let scattered = Grids::new(features, sizes.contrast(), width);
        let of_one: Vec<Grid> = sizes.contrasts().map(|size| Grid::new(size, width)).collect();
        let grids = of_one.repeat(asked.len());
        let pass = |view: View<'_>, rows: Range<usize>| {
            let scatters = vec![Scatter::new(view.features); asked.len() * count];
            let mut state = (Row::new(&self.model), vec![Vec::new(); scatters.len()], scatters, GridSums::new(&grids));
            let each =
                |(row, values, _, sums): &mut Contrasting<'_>, at: usize, margins: &mut dyn Iterator<Item = f64>| {
                    let (cell, weight) = (view.cell_of_row.get(at), view.weight(at));
                    row.set(&self.model, margins, self.member(view, at), &totals.shares, multipliers);
                    for (k, (&(group, class), values)) in asked.iter().zip(values.chunks_mut(count)).enumerate() {
                        if !group.is_none_or(|group| self.problem.cells().is_in(cell, group)) {
                            for values in values {
                                values.push(0.0);
                            }
                            continue;
                        }
                        sums.add(k * others, weight);
                        sums.add(k * others + 1, weight * row.contrast(&row.exponents, class));
                        for term in 0..terms {
                            let tilts = &row.tilts[term * self.model.classes..][..self.model.classes];
                            sums.add(k * others + 2 + term, weight * row.contrast(tilts, class));
                        }
                        for (margin, values) in values.iter_mut().enumerate() {
                            values.push(weight * row.contrast_slope(class, margin));
                        }
                    }
                };
            let done = |(_, values, scatters, _): &mut Contrasting<'_>, block: Range<usize>| {
                for (values, scatter) in values.iter_mut().zip(scatters) {
                    scatter.add(view.features, block.clone(), values, &scattered);
                    values.clear();
                }
            };
            visit(view, &tables, rows, &mut state, each, done);
            let (_, _, scatters, sums) = state;
            let valid = sums.valid && scatters.iter().all(Scatter::valid);
            let all = scatters.iter().flat_map(|sums| sums.totals(view.features)).chain(sums.sums);
            (Sums::new(all, valid), f64::INFINITY)
        };
        let by_feature = scattered.by_feature(stride);
        let grid = |at: usize| at.checked_sub(slopes).map_or_else(|| by_feature[at % stride], |at| grids[at]);
        let all = self.rows.sum(width, &pass)?.0.to_floats(grid);
        let (by_coefficient, sums) = all.split_at(slopes);
        let contrast = |(by_coefficient, sums): (&[f64], &[f64])| {
            let total = sums[0];
            MeanContrast {
                value: sums[1] / total,
                by_multiplier: sums[2..].iter().map(|sum| sum / total).collect(),
                by_coefficient: by_coefficient.iter().map(|sum| sum / total).collect(),
            }
        };
        Ok(by_coefficient.chunks(count * stride).zip(sums.chunks(others)).map(contrast).collect())
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
    ) -> Result<(Mat<f64>, f64)> {
        let (count, terms) = (self.model.margins(), self.model.terms.len());
        let wide = terms + further.len();
        let directions = of_violations.iter().chain(further).flat_map(|direction| self.tables(direction));
        let tables: Vec<Tables> = self.tables(coefficients).into_iter().chain(directions).collect();
        let (sizes, own) = (self.sizes(totals, multipliers), self.tables(coefficients).len());
        let moved = |at: usize| -> f64 {
            let moves = tables[own + at * count..][..count].iter();
            moves.map(|margin| sizes.residual() * margin.bound(self.problem.features())).sum()
        };
        let part = |at: usize| sizes.violation_part(at) + moved(at);
        let bounds: Vec<f64> = (0..wide).map(part).collect();
        let products = (0..wide * wide).map(|at| bounds[at / wide] * bounds[at % wide]);
        let grids: Vec<Grid> = products.map(|bound| Grid::new(bound, wide * wide)).collect();
        let pass = |view: View<'_>, rows: Range<usize>| {
            let mut state =
                (Row::new(&self.model), GridSums::new(&grids), f64::INFINITY, vec![0.0; wide], vec![0.0; tables.len()]);
            let each = |(row, products, least, parts, all): &mut Influencing<'_>,
                        at: usize,
                        margins: &mut dyn Iterator<Item = f64>| {
                all.iter_mut().zip(margins).for_each(|(place, margin)| *place = margin);
                let (member, weight) = (self.member(view, at), view.weight(at));
                row.set(&self.model, all[..count].iter().copied(), member, &totals.shares, multipliers);
                *least = least.min(row.determinant());
                let label = self.label(view, at);
                for (k, (part, moves)) in parts.iter_mut().zip(all[count..].chunks(count)).enumerate() {
                    let own = if k < terms { row.violation_part(&self.model, totals, member, k) } else { 0.0 };
                    let moved: f64 =
                        moves.iter().enumerate().map(|(margin, by)| row.residual(label, margin) * by).sum();
                    *part = weight * (own - moved);
                }
                for (one, part) in parts.iter().enumerate() {
                    parts[..=one]
                        .iter()
                        .enumerate()
                        .for_each(|(other, by)| products.add(one * wide + other, part * by));
                }
            };
            visit(view, &tables, rows, &mut state, each, |_, _| {});
            (state.1.totals(), state.2)
        };
        let (products, least) = self.rows.sum(wide * wide, &pass)?;
        let products = products.to_floats(|at| grids[at]);
        Ok((symmetric(wide, &products), least))
    }
}

/// Visits every row of a part with its margins, block by block; after each block `done` has it.
fn visit<S>(
    view: View<'_>,
    tables: &[Tables],
    rows: Range<usize>,
    state: &mut S,
    mut each: impl FnMut(&mut S, usize, &mut dyn Iterator<Item = f64>),
    mut done: impl FnMut(&mut S, Range<usize>),
) {
    let mut out = vec![Vec::new(); tables.len()];
    for block in blocks(rows) {
        margins(view.features, tables, block.clone(), &mut out);
        for (at, row) in block.clone().enumerate() {
            each(state, row, &mut out.iter().map(|margins| margins[at]));
        }
        done(state, block);
    }
}

/// The matrix of which the lower triangle is given, row by row of a square.
fn symmetric(side: usize, values: &[f64]) -> Mat<f64> {
    Mat::from_fn(side, side, |row, column| values[row.max(column) * side + row.min(column)])
}

impl Members {
    /// What no row exceeds of how much it is in the group of a constraint, and among those that the group is a share of.
    fn largest(&self, term: usize, terms: usize) -> [f64; 2] {
        let largest = |values: &[f64]| {
            values.iter().skip(term).step_by(terms).fold(0.0, |largest: f64, value| largest.max(value.abs()))
        };
        [&self.own, &self.base].map(|values| largest(values))
    }
}

/// One row, numbers of a block per margin, and their sums.
type Scattering = (Row, Vec<Vec<f64>>, Vec<Scatter>);

/// One row, numbers of a block per contrast and margin, their sums, and sums of contrasts.
type Contrasting<'a> = (Row, Vec<Vec<f64>>, Vec<Scatter>, GridSums<'a>);

/// One row, sums of products, the least determinant; of a row its parts and its margins.
type Influencing<'a> = (Row, GridSums<'a>, f64, Vec<f64>, Vec<f64>);

/// What a pass over a part of the rows keeps.
struct Pass<'a> {
    row: Row,
    /// Of one block: residuals, their derivatives in each multiplier, those of violations, then second derivatives.
    values: Vec<Vec<f64>>,
    sums: Vec<Scatter>,
    squares: Vec<Gram>,
    tilts: GridSums<'a>,
}

impl Pass<'_> {
    fn totals(self, features: &Features) -> Sums {
        let valid = self.tilts.valid && self.sums.iter().all(Scatter::valid) && self.squares.iter().all(Gram::valid);
        let sums = self.sums.iter().flat_map(|sums| sums.totals(features));
        let squares = self.squares.into_iter().flat_map(|square| square.triangle(features));
        Sums::new(sums.chain(squares).chain(self.tilts.sums), valid)
    }
}
