//! Writes the weight of every row to a file, for training code elsewhere that takes sample weights.
//!
//! `cargo run --release -p evenhand --example export_weights`

use evenhand::{Column, Correction, Dataset, Logistic, Notion, Schema};
use evenhand_datasets::synthetic;

#[allow(clippy::print_stdout)] // the output of this program
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let loans = synthetic::population(5_000, 1)?;
    let data = Dataset::new(loans, &Schema::label("approved").positive("yes").ignore("deserved"))?;
    let fitted = Correction::new(Notion::DemographicParity).group("sex")?.fit(&data, &Logistic::default())?;

    // A row's weight depends on its groups and its label alone: rows alike in both are a cell and share one.
    for cell in fitted.solution().weights_by_cell(fitted.problem())? {
        let groups: Vec<&str> = cell.groups.iter().map(|&at| fitted.problem().group_names()[at].as_str()).collect();
        let label = &fitted.binding().classes()[cell.label];
        println!("{} rows, {}, {label}: {:.3} each", cell.rows, groups.join(" and "), cell.total / cell.own);
    }

    // Beside the columns, in the order of the rows; the name of the file says the format.
    let mut table = data.table().clone();
    table.set("weight", Column::Numeric(fitted.weights().to_rows()))?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("weighted.parquet");
    table.write(&path)?;
    println!("written: {} bytes, columns {}", std::fs::metadata(&path)?.len(), table.names().join(", "));

    // No label was changed. Counted by weight they lean the other way: as far as it took to make decisions even.
    let (sex, approved) = (table.column("sex")?, table.column("approved")?);
    for group in ["female", "male"] {
        let (mut plain, mut weighted) = ([0.0; 2], [0.0; 2]);
        for (row, weight) in fitted.weights().to_rows().into_iter().enumerate() {
            if sex.text(row).as_deref() == Some(group) {
                let label = usize::from(approved.text(row).as_deref() == Some("yes"));
                plain[label] += 1.0;
                weighted[label] += weight;
            }
        }
        let rate = |[no, yes]: [f64; 2]| yes / (no + yes);
        println!("{group:>7}: labelled positive {:.3}, by weights {:.3}", rate(plain), rate(weighted));
    }
    Ok(())
}
