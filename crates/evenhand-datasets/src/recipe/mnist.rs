//! MNIST: which digit is it, where a fifth of the training labels was set to 2? [Jiang & Nachum 2019, Sec. 8]
//!
//! Its rows are images, a column per pixel with grey levels from 0 to 1. Pixels that are the same in all training images are no features. The digit
//! that an image shows is a column too, and no feature: labels can be audited by it (`--group digit`).

use std::path::Path;

use super::source::{Parts, file_in};
use super::{File, Label, Names, Others, Recipe, Split};
use crate::images::{Images, read_labels};
use evenhand::data::Categorical;
use evenhand::{Column, Result, Table};

pub(super) const RECIPE: Recipe = Recipe {
    name: "mnist",
    file: File { name: "train-images-idx3-ubyte", names: Names::Pixels(SIZE), missing: &[], tidy: None },
    rows: &[],
    // As the authors drew them.
    label: Label::Flipped { column: "label", truth: TRUTH, to: "2", share: 0.2, seed: 12_345 },
    split: Split::File("t10k-images-idx3-ubyte"),
    fill_missing: false,
    features: &[],
    others: Others::Varying { but: &[TRUTH] },
    groups: &[],
};

const SIZE: [usize; 2] = [28, 28];
const TRUTH: &str = "digit";
const CLASSES: u8 = 10;

/// Training and test images, in this order, with the digits they show.
pub(super) fn read(folder: &Path, size: [usize; 2], names: [&str; 2]) -> Result<(Table, Parts)> {
    let mut rows = [0, 0];
    let (mut pixels, mut digits) = (Vec::new(), Vec::new());
    for (rows, name) in rows.iter_mut().zip(names) {
        let images = Images::read(&file_in(folder, name)?, size)?;
        *rows = images.len();
        digits.extend(read_labels(&file_in(folder, &labels_of(name))?, images.len(), CLASSES)?);
        pixels.extend(images.pixels);
    }
    let mut columns = columns(&Images { size, pixels });
    let classes = (0..CLASSES).map(|class| class.to_string()).collect();
    let digits = Categorical::new(digits.into_iter().map(u32::from).collect(), classes);
    columns.push((TRUTH.to_owned(), Column::Categorical(digits)));
    let [train, all] = [rows[0], rows[0] + rows[1]];
    Ok((Table::new(columns, 1)?, Parts { train: (0..train).collect(), test: (train..all).collect() }))
}

/// The images of one file.
pub(super) fn images_of(path: &Path, size: [usize; 2]) -> Result<Table> {
    Table::new(columns(&Images::read(path, size)?), 1)
}

/// The file of the labels of a file of images.
fn labels_of(images: &str) -> String {
    images.replace("images-idx3", "labels-idx1")
}

/// A column per pixel, named by its row and its place in it.
fn columns(images: &Images) -> Vec<(String, Column)> {
    let [height, width] = images.size;
    let column = |at: usize| {
        let levels = images.pixels.iter().skip(at).step_by(height * width).map(|&level| f64::from(level) / 255.0);
        (format!("pixel{}_{}", at / width, at % width), Column::Numeric(levels.collect()))
    };
    (0..height * width).map(column).collect()
}
