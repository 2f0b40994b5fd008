//! How encoded rows are laid out in blocks: which coded columns share a byte, and how stored numbers become features.
//!
//! It follows from the encoding alone, never from rows, so that every block of a dataset has the same layout wherever it was made.

use crate::data::Codes;
use crate::features::{Active, CodedColumn, DenseColumn, Features, RawNumbers};

/// A byte has room for so many combinations of codes.
const COMBINATIONS: usize = 256;

/// How rows are laid out.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    width: usize,
    coded: Vec<Combined>,
    dense: Vec<Number>,
}

/// Coded columns whose codes are stored as one.
#[derive(Debug, Clone)]
struct Combined {
    /// Their places among the coded columns of the encoding, and how many codes each has.
    members: Vec<(usize, usize)>,
    active: Active,
}

/// How a stored number becomes a feature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Number {
    pub(crate) feature: usize,
    pub(crate) centre: f64,
    pub(crate) scale: f64,
    /// Stands for a missing number.
    pub(crate) fill: f64,
    /// What no value exceeds in size, of all rows.
    pub(crate) bound: f64,
}

impl Layout {
    /// The layout of rows of `width` features, from any of them: coded columns, and numbers as they are.
    pub(crate) fn new(width: usize, coded: &[CodedColumn], numbers: &[RawNumbers<'_>]) -> Self {
        let mut order: Vec<usize> = (0..coded.len()).collect();
        order.sort_by_key(|&at| coded[at].active.codes());
        let mut groups: Vec<(Vec<usize>, usize)> = Vec::new();
        for at in order {
            let codes = coded[at].active.codes();
            match groups.last_mut() {
                Some((members, product)) if *product * codes <= COMBINATIONS => {
                    members.push(at);
                    *product *= codes;
                }
                _ => groups.push((vec![at], codes)),
            }
        }
        let combined = |(members, _): (Vec<usize>, usize)| Combined::new(&members, coded);
        let number = |raw: &RawNumbers<'_>| Number {
            feature: raw.feature,
            centre: raw.centre,
            scale: raw.scale,
            fill: raw.fill,
            bound: f64::NAN,
        };
        Self { width, coded: groups.into_iter().map(combined).collect(), dense: numbers.iter().map(number).collect() }
    }

    /// The same with what no value of each number exceeds in size, of all rows.
    #[must_use]
    pub(crate) fn bounded(mut self, bounds: &[f64]) -> Self {
        for (number, bound) in self.dense.iter_mut().zip(bounds) {
            number.bound = *bound;
        }
        self
    }

    /// The numbers.
    pub(crate) fn numbers(&self) -> &[Number] {
        &self.dense
    }

    /// The codes of rows as they are stored.
    pub(super) fn combine(&self, coded: &[CodedColumn]) -> Vec<Codes> {
        self.coded.iter().map(|combined| combined.codes(coded)).collect()
    }

    /// Rows of this layout as a learner sees them.
    pub(super) fn features(&self, codes: Vec<Codes>, values: Vec<Vec<f64>>, rows: usize) -> Features {
        let coded = codes.into_iter().zip(&self.coded);
        let coded = coded.map(|(codes, combined)| CodedColumn { codes, active: combined.active.clone() }).collect();
        let dense = values.into_iter().zip(&self.dense);
        let dense = dense.map(|(values, number)| DenseColumn::within(number.feature, values, number.bound)).collect();
        Features::laid_out(rows, self.width, coded, dense)
    }

    /// No rows of this layout.
    pub(crate) fn no_rows(&self) -> Features {
        let codes = self.coded.iter().map(|combined| Codes::narrow(Vec::new(), combined.active.codes())).collect();
        self.features(codes, vec![Vec::new(); self.dense.len()], 0)
    }
}

impl Combined {
    fn new(members: &[usize], coded: &[CodedColumn]) -> Self {
        let members: Vec<(usize, usize)> = members.iter().map(|&at| (at, coded[at].active.codes())).collect();
        let combinations = members.iter().map(|(_, codes)| codes).product();
        let features = |mut combination: usize| {
            let mut on = Vec::new();
            for &(at, codes) in &members {
                on.extend_from_slice(coded[at].active.of(combination % codes));
                combination /= codes;
            }
            on
        };
        Self { active: Active::new((0..combinations).map(features)), members }
    }

    fn codes(&self, coded: &[CodedColumn]) -> Codes {
        if let [(only, _)] = self.members[..] {
            return coded[only].codes.clone();
        }
        let mut all = vec![0_u32; coded[self.members[0].0].codes.len()];
        let mut stride = 1;
        for &(at, codes) in &self.members {
            for (all, code) in all.iter_mut().zip(coded[at].codes.iter()) {
                *all += (code * stride) as u32;
            }
            stride *= codes;
        }
        Codes::narrow(all, stride)
    }
}
