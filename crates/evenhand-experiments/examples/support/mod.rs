//! Encoded rows as little-endian binary files, for other programs to train on.
//!
//! Holds [`export`]: both parts of a prepared dataset as matrices of compressed rows, with
//! labels and groups, so that every method sees the same numbers.

use std::error::Error;
use std::path::Path;

use evenhand::correction::{Binding, Problem};
use evenhand::{Correction, Membership};
use evenhand_datasets::recipe::Prepared;

/// Writes `width` (the number of feature columns) and the folders `train` and `test`, each
/// with a matrix, `groups`, and `labels` (one byte each, 1 for the positive class).
///
/// Columns that the correction withholds from the learner are left out.
pub(crate) fn export(folder: &Path, correction: &Correction, prepared: &Prepared) -> Result<(), Box<dyn Error>> {
    let (binding, ..) = Binding::new(correction, &prepared.train)?;
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("width"), binding.width().to_string())?;
    for (part, data) in [("train", &prepared.train), ("test", &prepared.test)] {
        let folder = folder.join(part);
        std::fs::create_dir_all(&folder)?;
        write(&folder, &binding.problem(data)?.0, &binding.membership(data.table())?)?;
        let is_positive = |label| u8::from(Some(label) == binding.positive());
        std::fs::write(folder.join("labels"), data.labels().codes().iter().map(is_positive).collect::<Vec<u8>>())?;
    }
    Ok(())
}

/// Writes `indptr`, `indices`, `values` and `groups` (rows × groups, one byte each).
fn write(folder: &Path, problem: &Problem, membership: &Membership) -> Result<(), Box<dyn Error>> {
    let features = problem.features();
    let (mut ends, mut indices, mut values, mut groups) = (vec![0_u32], Vec::new(), Vec::new(), Vec::new());
    for row in 0..features.rows() {
        for (feature, value) in features.row(row) {
            indices.extend(u32::try_from(feature)?.to_le_bytes());
            values.extend(value.to_le_bytes());
        }
        ends.push(u32::try_from(values.len() / 8)?);
        groups.extend((0..membership.groups()).map(|group| u8::from(membership.is_member(row, group))));
    }
    std::fs::write(folder.join("indptr"), ends.iter().flat_map(|end| end.to_le_bytes()).collect::<Vec<u8>>())?;
    for (name, bytes) in [("indices", indices), ("values", values), ("groups", groups)] {
        std::fs::write(folder.join(name), bytes)?;
    }
    Ok(())
}
