//! Numbers that are far from unit size, brought there for training alone.
//!
//! Networks learn slowly from columns of thousands. Encodings standardise numbers as a rule; a recipe may hand them over as they are. Columns
//! whose root mean square is above [`LARGE`] are centred and scaled while training, which afterwards becomes part of the first layer.

use crate::inputs::Inputs;
use crate::layer::Layer;

/// Standardised columns have 1, columns of shares and of grey levels at most 1.
const LARGE: f64 = 2.0;

/// What becomes of the columns that are large.
#[derive(Debug)]
pub(crate) struct Scaling {
    /// How many numbers a row has.
    width: usize,
    columns: Vec<Column>,
}

/// The column at some place among the numbers.
#[derive(Debug)]
struct Column {
    place: usize,
    centre: f64,
    factor: f64,
}

impl Scaling {
    pub(crate) fn of(rows: &Inputs<'_>) -> Self {
        let (width, count) = (rows.numeric().len(), rows.rows().max(1) as f64);
        let mut sums = vec![[0.0_f64; 2]; width];
        for row in 0..rows.rows() {
            for (sums, &value) in sums.iter_mut().zip(rows.values(row)) {
                let value = f64::from(value);
                *sums = [sums[0] + value, sums[1] + value * value];
            }
        }
        let column = |(place, [sum, square]): (usize, [f64; 2])| {
            let (centre, square) = (sum / count, square / count);
            let spread = (square - centre * centre).max(0.0).sqrt();
            // A spread that is rounding error of the mean would blow rounding errors up to features.
            let scale = if spread > 1e-6 * centre.abs() { spread } else { square.sqrt() };
            (square.sqrt() > LARGE).then_some(Column { place, centre, factor: 1.0 / scale })
        };
        Self { width, columns: sums.into_iter().enumerate().filter_map(column).collect() }
    }

    /// Scales the numbers of some rows.
    pub(crate) fn apply(&self, values: &mut [f32]) {
        if self.columns.is_empty() {
            return;
        }
        for row in values.chunks_exact_mut(self.width) {
            for Column { place, centre, factor } in &self.columns {
                row[*place] = ((f64::from(row[*place]) - centre) * factor) as f32;
            }
        }
    }

    /// Makes a first layer for scaled numbers one for numbers as they are.
    pub(crate) fn fold_into(&self, layer: &mut Layer) {
        let mut biases: Vec<f64> = layer.biases.iter().map(|bias| f64::from(*bias)).collect();
        for Column { place, centre, factor } in &self.columns {
            let start = place * layer.outputs;
            for (weight, bias) in layer.weights[start..start + layer.outputs].iter_mut().zip(&mut biases) {
                let own = f64::from(*weight) * factor;
                *bias -= own * centre;
                *weight = own as f32;
            }
        }
        layer.biases = biases.into_iter().map(|bias| bias as f32).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer::Incoming;

    #[test]
    fn a_folded_layer_says_of_raw_numbers_what_the_layer_says_of_scaled_ones() {
        let values: Vec<f32> =
            (0..40).flat_map(|at| [(at % 7) as f32 / 7.0, 4000.0 + (at % 11) as f32 * 30.0]).collect();
        let rows = Inputs::numbers(&values, 2);
        let scaling = Scaling::of(&rows);
        assert_eq!(scaling.columns.iter().map(|column| column.place).collect::<Vec<_>>(), [1]);
        let mut scaled = values.clone();
        scaling.apply(&mut scaled);
        let spread: f32 = scaled.chunks(2).map(|row| row[1] * row[1]).sum::<f32>() / 40.0;
        assert!((spread - 1.0).abs() < 1e-3, "{spread}");
        let mut layer = Layer { inputs: 2, outputs: 1, weights: vec![0.3, -0.7], biases: vec![0.1] };
        let forward = |layer: &Layer, values: &[f32]| {
            let mut out = vec![0.0; 40];
            layer.forward(Incoming::activations(40, values), false, false, &mut out);
            out
        };
        let expected = forward(&layer, &scaled);
        scaling.fold_into(&mut layer);
        for (one, other) in forward(&layer, &values).iter().zip(&expected) {
            assert!((one - other).abs() < 1e-4, "{one} {other}");
        }
    }
}
