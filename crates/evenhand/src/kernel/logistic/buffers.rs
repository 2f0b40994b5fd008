//! Arrays of one block's length: margins, probabilities, residuals and losses of its rows.

use std::ops::Range;

use super::{LogisticRows, outputs};
use crate::data::Codes;
use crate::kernel::product::{Tables, margins};
use crate::kernel::{BLOCK, link};

/// Arrays of one block's length, used again from block to block.
pub(super) struct Buffers {
    /// Margins, then probabilities, then residuals: one array per margin of a row.
    pub(super) margins: Vec<Vec<f64>>,
    pub(super) weights: Vec<f64>,
    pub(super) scratch: Vec<f64>,
    log_total: Vec<f64>,
}

impl Buffers {
    pub(super) fn new(classes: usize) -> Self {
        let array = || Vec::with_capacity(BLOCK);
        Self {
            margins: (0..outputs(classes)).map(|_| array()).collect(),
            weights: array(),
            scratch: array(),
            log_total: Vec::new(),
        }
    }

    pub(super) fn link(&mut self) {
        if let [margins] = &mut self.margins[..] {
            link::logistic(margins);
        } else {
            link::softmax_block(&mut self.margins, &mut self.log_total, &mut self.scratch);
        }
    }

    pub(super) fn probabilities(&mut self, rows: &LogisticRows<'_>, tables: &[Tables], block: Range<usize>) {
        margins(rows.features, tables, block.clone(), &mut self.margins);
        rows.weights.block(block, &mut self.weights);
        self.link();
    }

    /// Of weight 1 each.
    pub(super) fn residuals(&mut self, rows: &LogisticRows<'_>, tables: &[Tables], block: Range<usize>) {
        margins(rows.features, tables, block.clone(), &mut self.margins);
        self.link();
        let binary = self.margins.len() == 1;
        for (class, shares) in self.margins.iter_mut().enumerate() {
            let class = if binary { 1 } else { class };
            labelled(rows.labels, block.clone(), class, &mut self.scratch);
            for (share, &label) in shares.iter_mut().zip(&self.scratch) {
                *share -= label;
            }
        }
    }

    /// The weight times the second derivative of a row's loss in two of its margins, into `scratch`.
    pub(super) fn curvature(&mut self, first: usize, second: usize) {
        let Self { margins, weights, scratch, .. } = self;
        scratch.clear();
        let own = if first == second { 1.0 } else { 0.0 };
        let pairs = margins[first].iter().zip(&margins[second]).zip(weights);
        scratch.extend(pairs.map(|((p, q), weight)| *weight * p * (own - q)));
    }

    /// The weighted loss of each row.
    pub(super) fn losses(&mut self, rows: &LogisticRows<'_>, tables: &[Tables], block: Range<usize>) -> &[f64] {
        margins(rows.features, tables, block.clone(), &mut self.margins);
        rows.weights.block(block.clone(), &mut self.weights);
        if self.margins.len() == 1 {
            labelled(rows.labels, block, 1, &mut self.scratch);
            link::logistic_losses(&mut self.margins[0], &self.scratch, &self.weights);
            return &self.margins[0];
        }
        let own: Vec<f64> = block.clone().enumerate().map(|(at, row)| self.margins[rows.labels.get(row)][at]).collect();
        self.link();
        for ((total, own), weight) in self.log_total.iter_mut().zip(own).zip(&self.weights) {
            *total = weight * (*total - own);
        }
        &self.log_total
    }
}

/// 1.0 where the label is `class`, 0.0 elsewhere.
fn labelled(labels: &Codes, block: Range<usize>, class: usize, out: &mut Vec<f64>) {
    let is = |label: usize| if label == class { 1.0 } else { 0.0 };
    out.clear();
    match labels {
        Codes::U8(labels) => {
            // Looked up: a comparison is compiled to a jump, which no processor foresees, since labels are what is hard to predict.
            let table: [f64; 1 << u8::BITS] = std::array::from_fn(is);
            out.extend(labels[block].iter().map(|&label| table[label as usize]));
        }
        Codes::U16(labels) => out.extend(labels[block].iter().map(|&label| is(label as usize))),
        Codes::U32(labels) => out.extend(labels[block].iter().map(|&label| is(label as usize))),
    }
}
