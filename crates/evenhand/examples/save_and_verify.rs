//! Saves a model, loads it again, predicts, and re-derives it from the data it claims to come from.
//!
//! `cargo run --release -p evenhand --example save_and_verify`

use evenhand::learner::LogisticModel;
use evenhand::model::LearnerRecord;
use evenhand::{Correction, Dataset, Logistic, Model, Notion, Schema, Table};
use evenhand_datasets::synthetic;

#[allow(clippy::print_stdout)] // the output of this program
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let loans: Table = synthetic::population(5_000, 1)?;
    let data = Dataset::new(loans.clone(), &Schema::label("approved").positive("yes").ignore("deserved"))?;
    let correction = Correction::new(Notion::EqualOpportunity).group("sex")?;
    let fitted = correction.fit(&data, &Logistic::default())?;

    // A model file holds settings, columns, groups, multipliers, weights by cell and the classifier: never a row.
    let record =
        |model: &LogisticModel| LearnerRecord::Logistic { settings: Logistic::default(), model: model.clone() };
    let model = Model::new(&correction, &fitted, record, None, (data.digest(), data.rows()), None)?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("model.json");
    model.save(&path)?;

    let loaded = Model::load(&path)?;
    let same = loaded.predict(&loans)? == fitted.predict(&loans)?;
    println!("the loaded model predicts the same bits: {same}");

    let verdict = loaded.verify(loans)?;
    println!("verified against its data: {}", verdict.matches);
    for check in &verdict.checks {
        println!("    {}: {}", check.name, check.detail);
    }

    // Other data than it was made from do not go through.
    let others = loaded.verify(synthetic::population(5_000, 2)?)?;
    println!("verified against other data: {}", others.matches);

    // A byte changed anywhere in the file is found when it is read.
    let text = std::fs::read_to_string(&path)?;
    std::fs::write(&path, text.replacen("equal-opportunity", "equalized-odds", 1))?;
    if let Err(error) = Model::load(&path) {
        println!("{}: {}", error.code(), error.to_string().replace(&path.display().to_string(), "model.json"));
    }
    Ok(())
}
