//! Audits the predictions of any model: rates by group with intervals, and how uneven they are.
//!
//! `cargo run --release -p evenhand --example audit_predictions`

use evenhand::audit::{AuditOptions, AuditedNotion};
use evenhand::data::Categorical;
use evenhand::{Audit, Column, Dataset, Groups, Result, Schema};
use evenhand_datasets::synthetic;

#[allow(clippy::print_stdout)] // the output of this program
fn main() -> Result<()> {
    let mut loans = synthetic::population(5_000, 1)?; // or Table::read(path, &ReadOptions::default())?.0

    // The predictions to audit are a column beside the labels. Here a rule of thumb stands for the model.
    let Column::Numeric(income) = loans.column("income")? else { unreachable!("income is a number") };
    let rule = income.iter().map(|&thousands| Some(if thousands >= 40.0 { "yes" } else { "no" }));
    let predicted = Column::Categorical(Categorical::from_values(rule));
    loans.set("predicted", predicted)?;

    let data = Dataset::new(loans, &Schema::label("approved").positive("yes").ignore("deserved"))?;
    let (groups, _) = Groups::of(&["sex".parse()?, "age_band".parse()?], &data)?;
    let options = AuditOptions { intersections: false, ..AuditOptions::default() };
    let audit = Audit::of_dataset(&data, &groups, Some("predicted"), &options)?;

    // An audit is a value: print it, save it as JSON with serde, or read single numbers.
    println!("{audit}");
    if let Some(violation) = audit.violation(AuditedNotion::DemographicParity) {
        println!("demographic parity: the rate of one group is {violation:.3} away from that of everyone");
    }
    Ok(())
}
