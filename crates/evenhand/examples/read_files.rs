//! Reads a CSV file that needs options, and the same rows as Parquet, which needs none.
//!
//! `cargo run --release -p evenhand --example read_files`

use evenhand::{Dataset, ReadOptions, Schema, Table};

/// Semicolons, no line of names, `?` for what is missing, and branch numbers that are no quantities.
const LINES: &str = "34;0012;female;yes;1.0\n51;0140;male;no;2.5\n?;0012;male;yes;1.0\n28;0007;female;no;1.0\n";

#[allow(clippy::print_stdout)] // the output of this program
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let csv = folder.path().join("loans.csv");
    std::fs::write(&csv, LINES)?;

    let options = ReadOptions::default()
        .delimiter(';')
        .header(false)
        .names(["age", "branch", "sex", "approved", "counts"])
        .missing(["?"])
        .categorical(["branch"]); // stays `0012` and does not become 12
    let (table, warnings) = Table::read(&csv, &options)?;
    for (name, column) in table.columns() {
        let first = column.text(0).unwrap_or_default();
        println!("{name:>8}: {:<11} first value `{first}`", column.kind());
    }
    for warning in warnings {
        println!("note: {warning}");
    }

    // The format of what is written goes by the name of the file: .csv, .tsv, .parquet, .arrow and others.
    let parquet = folder.path().join("loans.parquet");
    table.write(&parquet)?;

    // A schema gives columns their roles, and a dataset is checked once.
    let schema = Schema::label("approved").positive("yes").weight("counts");
    let (data, _) = Dataset::read(&parquet, &schema, &ReadOptions::default())?;
    println!("{} rows, learnt from: {}", data.rows(), data.feature_names().join(", "));

    // Bad input is an error that says what, where and what to do; its code stays the same across versions.
    let wrong = Schema::label("approved").positive("maybe");
    if let Err(error) = Dataset::read(&parquet, &wrong, &ReadOptions::default()) {
        println!("{}: {error}", error.code());
    }
    Ok(())
}
