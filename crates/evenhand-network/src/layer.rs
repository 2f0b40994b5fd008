//! One layer: weights and biases, what comes out of it, and how its error flows back.

use std::ops::Range;

use faer::prelude::ReborrowMut as _;

use crate::inputs::Gathered;
use crate::matrix::{by_columns, multiply, rows_of, rows_of_mut};

/// Weights, a row per input, and biases.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layer {
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    pub(crate) weights: Vec<f32>,
    pub(crate) biases: Vec<f32>,
}

/// What goes into a layer: numbers of its first inputs, row by row, and of the others which are on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Incoming<'a> {
    pub(crate) rows: usize,
    pub(crate) numbers: &'a [f32],
    pub(crate) active: Option<&'a Gathered>,
}

impl<'a> Incoming<'a> {
    /// The activations of a layer before.
    pub(crate) fn activations(rows: usize, numbers: &'a [f32]) -> Self {
        Self { rows, numbers, active: None }
    }

    /// Rows that were copied together.
    pub(crate) fn gathered(batch: &'a Gathered) -> Self {
        Self { rows: batch.len(), numbers: &batch.values, active: Some(batch) }
    }

    /// How many inputs are numbers.
    fn numeric(&self) -> usize {
        self.numbers.len().checked_div(self.rows).unwrap_or(0)
    }
}

impl Layer {
    /// `relu(input · weights + biases)`, or without the `ReLU`; row by row over `out`.
    pub(crate) fn forward(&self, incoming: Incoming<'_>, relu: bool, large: bool, out: &mut [f32]) {
        let (rows, numeric) = (incoming.rows, incoming.numeric());
        let input = rows_of(incoming.numbers, rows, numeric);
        let weights = rows_of(&self.weights, self.inputs, self.outputs);
        by_columns(rows_of_mut(out, rows, self.outputs), large, &|columns, mut block| {
            let part = weights.submatrix(0, columns.start, numeric, columns.len());
            if numeric == 0 {
                block.rb_mut().fill(0.0);
            } else {
                multiply(block.rb_mut(), input, part);
            }
            for row in 0..rows {
                let line = block.rb_mut().row_mut(row).try_as_row_major_mut().expect("rows are contiguous");
                let line = line.as_slice_mut();
                for &place in incoming.active.map_or(&[][..], |batch| batch.active(row)) {
                    add(line, &self.row(place as usize)[columns.clone()]);
                }
                add(line, &self.biases[columns.clone()]);
                if relu {
                    for value in line {
                        *value = value.max(0.0);
                    }
                }
            }
        });
    }

    /// The derivative of the loss with respect to what came in, `delta · weightsᵀ`, where that is above 0: it came through a `ReLU`.
    pub(crate) fn backward(&self, delta: &[f32], activations: &[f32], large: bool, out: &mut [f32]) {
        let rows = delta.len() / self.outputs;
        let delta = rows_of(delta, rows, self.outputs);
        let weights = rows_of(&self.weights, self.inputs, self.outputs);
        by_columns(rows_of_mut(out, rows, self.inputs), large, &|columns, mut block| {
            let part = weights.subrows(columns.start, columns.len());
            multiply(block.rb_mut(), delta, part.transpose());
            for row in 0..rows {
                let line = block.rb_mut().row_mut(row).try_as_row_major_mut().expect("rows are contiguous");
                let start = row * self.inputs;
                let passed = &activations[start + columns.start..start + columns.end];
                for (value, activation) in line.as_slice_mut().iter_mut().zip(passed) {
                    *value = if *activation > 0.0 { *value } else { 0.0 };
                }
            }
        });
    }

    /// The gradient of the weights of some inputs, a row per input.
    pub(crate) fn gradient(&self, incoming: Incoming<'_>, delta: &[f32], inputs: Range<usize>, out: &mut [f32]) {
        let (rows, numeric) = (incoming.rows, incoming.numeric());
        let dense = inputs.start.min(numeric)..inputs.end.min(numeric);
        let (numbers, switched) = out.split_at_mut(dense.len() * self.outputs);
        if !dense.is_empty() {
            let input = rows_of(incoming.numbers, rows, numeric).subcols(dense.start, dense.len());
            let out = rows_of_mut(numbers, dense.len(), self.outputs);
            multiply(out, input.transpose(), rows_of(delta, rows, self.outputs));
        }
        switched.fill(0.0);
        let Some(batch) = incoming.active else { return };
        let first = inputs.start.max(numeric);
        for row in 0..rows {
            for &place in batch.active(row) {
                let place = place as usize;
                if inputs.contains(&place) && place >= first {
                    let at = (place - first) * self.outputs;
                    add(&mut switched[at..at + self.outputs], &delta[row * self.outputs..(row + 1) * self.outputs]);
                }
            }
        }
    }

    /// The gradient of the biases.
    pub(crate) fn bias_gradient(&self, delta: &[f32]) -> Vec<f32> {
        let mut sum = vec![0.0; self.outputs];
        for line in delta.chunks_exact(self.outputs) {
            add(&mut sum, line);
        }
        sum
    }

    /// The weights of one input.
    fn row(&self, input: usize) -> &[f32] {
        &self.weights[input * self.outputs..(input + 1) * self.outputs]
    }
}

/// Inputs of a block of weights that are updated together.
pub(crate) const UPDATED: usize = 64;

fn add(to: &mut [f32], other: &[f32]) {
    for (one, other) in to.iter_mut().zip(other) {
        *one += other;
    }
}
