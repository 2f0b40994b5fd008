//! The two-phase simplex method on a dense tableau, for linear programmes of a few dozen rows.
//!
//! Holds [`least`]. An interior-point method would find the same value, but ends in the relative interior of the set of
//! optima; a vertex mixes as few thresholds as possible. Knows nothing of rates.

/// Numbers below this are taken for zero: entries are rates, of order one.
const ZERO: f64 = 1e-11;

/// The first phase has no solution if its optimum is above this.
const INFEASIBLE: f64 = 1e-9;

/// After this many pivots without progress Bland's rule is used, which cannot cycle.
const PATIENCE: usize = 50;

/// One row, `Σ coefficients · x = right` or `≤ right`.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) coefficients: Vec<f64>,
    pub(super) right: f64,
    /// Whether it is an inequality.
    pub(super) at_most: bool,
}

/// The x ≥ 0 of least cost that meets all rows; `None` when none does.
pub(super) fn least(costs: &[f64], rows: &[Row]) -> Option<Vec<f64>> {
    let mut table = Table::new(costs.len(), rows);
    table.minimise(&table.artificial_costs());
    if table.value() > INFEASIBLE {
        return None;
    }
    table.drop_artificial();
    let mut all = costs.to_vec();
    all.resize(table.columns, 0.0);
    table.minimise(&all);
    Some(table.solution(costs.len()))
}

/// The tableau, solved for the basic columns. Slack columns follow those of the programme, then artificial ones.
struct Table {
    columns: usize,
    /// The first artificial column.
    artificial: usize,
    /// Each with its right side last.
    rows: Vec<Vec<f64>>,
    /// The basic column of each row.
    basis: Vec<usize>,
    /// The reduced cost of each column; the negated objective value last.
    reduced: Vec<f64>,
}

impl Table {
    fn new(asked: usize, rows: &[Row]) -> Self {
        let slacks = rows.iter().filter(|row| row.at_most).count();
        let artificial = asked + slacks;
        let columns = artificial + rows.len();
        let mut next = asked;
        let mut filled = Vec::with_capacity(rows.len());
        for (at, row) in rows.iter().enumerate() {
            let mut line = row.coefficients.clone();
            line.resize(columns + 1, 0.0);
            if row.at_most {
                line[next] = 1.0;
                next += 1;
            }
            line[columns] = row.right;
            if row.right < 0.0 {
                for entry in &mut line {
                    *entry = -*entry;
                }
            }
            line[artificial + at] = 1.0;
            filled.push(line);
        }
        let basis = (0..rows.len()).map(|at| artificial + at).collect();
        Self { columns, artificial, rows: filled, basis, reduced: Vec::new() }
    }

    fn artificial_costs(&self) -> Vec<f64> {
        (0..self.columns).map(|column| if column < self.artificial { 0.0 } else { 1.0 }).collect()
    }

    fn value(&self) -> f64 {
        -self.reduced[self.columns]
    }

    /// Pivots until no column makes the cost less.
    fn minimise(&mut self, costs: &[f64]) {
        self.reduced = costs.to_vec();
        self.reduced.push(0.0);
        for (row, &column) in self.rows.iter().zip(&self.basis) {
            let cost = costs[column];
            subtract(&mut self.reduced, row, cost);
        }
        let (mut idle, mut value) = (0, self.value());
        while let Some(column) = self.entering(idle > PATIENCE) {
            // Costs of distributions are bounded below, so the ratio test always finds a row.
            let Some(row) = self.leaving(column) else { break };
            self.pivot(row, column);
            idle = if self.value() < value - ZERO { 0 } else { idle + 1 };
            value = self.value();
        }
    }

    /// The entering column: the one with the lowest reduced cost, or by Bland's rule the first with a negative one.
    /// Artificial columns never enter.
    fn entering(&self, bland: bool) -> Option<usize> {
        let mut gaining = (0..self.artificial).filter(|&column| self.reduced[column] < -ZERO);
        if bland {
            return gaining.next();
        }
        gaining.min_by(|&one, &other| self.reduced[one].total_cmp(&self.reduced[other]))
    }

    /// The leaving row by the ratio test; among ties that of the first column.
    fn leaving(&self, column: usize) -> Option<usize> {
        let ratio = |&row: &usize| self.rows[row][self.columns].max(0.0) / self.rows[row][column];
        let stops = (0..self.rows.len()).filter(|&row| self.rows[row][column] > ZERO);
        stops.min_by(|one, other| {
            let order = ratio(one).total_cmp(&ratio(other));
            order.then(self.basis[*one].cmp(&self.basis[*other]))
        })
    }

    fn pivot(&mut self, row: usize, column: usize) {
        let scale = self.rows[row][column].recip();
        for entry in &mut self.rows[row] {
            *entry *= scale;
        }
        let line = std::mem::take(&mut self.rows[row]);
        for other in self.rows.iter_mut().filter(|other| !other.is_empty()) {
            let by = other[column];
            subtract(other, &line, by);
        }
        let by = self.reduced[column];
        subtract(&mut self.reduced, &line, by);
        self.rows[row] = line;
        self.basis[row] = column;
    }

    /// Artificial columns that are still basic, at zero, make way for any other; rows that have none say nothing new.
    fn drop_artificial(&mut self) {
        let mut row = 0;
        while row < self.rows.len() {
            if self.basis[row] < self.artificial {
                row += 1;
                continue;
            }
            let size = |&column: &usize| self.rows[row][column].abs();
            let largest = (0..self.artificial).max_by(|one, other| size(one).total_cmp(&size(other)));
            if let Some(column) = largest.filter(|column| size(column) > INFEASIBLE) {
                self.pivot(row, column);
                row += 1;
            } else {
                self.rows.remove(row);
                self.basis.remove(row);
            }
        }
    }

    fn solution(&self, asked: usize) -> Vec<f64> {
        let mut found = vec![0.0; asked];
        for (row, &column) in self.rows.iter().zip(&self.basis) {
            if column < asked {
                found[column] = row[self.columns].max(0.0);
            }
        }
        found
    }
}

fn subtract(from: &mut [f64], line: &[f64], by: f64) {
    if by != 0.0 {
        for (entry, other) in from.iter_mut().zip(line) {
            *entry -= by * other;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal(coefficients: &[f64], right: f64) -> Row {
        Row { coefficients: coefficients.to_vec(), right, at_most: false }
    }

    fn at_most(coefficients: &[f64], right: f64) -> Row {
        Row { coefficients: coefficients.to_vec(), right, at_most: true }
    }

    #[test]
    fn a_programme_worked_by_hand() {
        // The largest 3x + 5y within x ≤ 4, 2y ≤ 12, 3x + 2y ≤ 18 is 36, at (2, 6).
        let rows = [at_most(&[1.0, 0.0], 4.0), at_most(&[0.0, 2.0], 12.0), at_most(&[3.0, 2.0], 18.0)];
        let found = least(&[-3.0, -5.0], &rows).unwrap();
        assert!((found[0] - 2.0).abs() < 1e-12 && (found[1] - 6.0).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn rows_that_repeat_others_are_no_harm() {
        let rows = [equal(&[1.0, 1.0], 1.0), equal(&[2.0, 2.0], 2.0), at_most(&[-1.0, 0.0], -0.25)];
        let found = least(&[1.0, 0.0], &rows).unwrap();
        assert!((found[0] - 0.25).abs() < 1e-12 && (found[1] - 0.75).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn what_cannot_be_met_is_told() {
        assert!(least(&[0.0], &[equal(&[1.0], 1.0), at_most(&[1.0], 0.5)]).is_none());
    }

    #[test]
    fn a_programme_on_which_the_usual_rule_cycles_is_solved() {
        // Beale's example: at most −1/20.
        let rows = [
            at_most(&[0.25, -60.0, -0.04, 9.0], 0.0),
            at_most(&[0.5, -90.0, -0.02, 3.0], 0.0),
            at_most(&[0.0, 0.0, 1.0, 0.0], 1.0),
        ];
        let costs = [-0.75, 150.0, -0.02, 6.0];
        let found = least(&costs, &rows).unwrap();
        let value: f64 = found.iter().zip(costs).map(|(x, cost)| x * cost).sum();
        assert!((value + 0.05).abs() < 1e-12, "{value} {found:?}");
    }
}
