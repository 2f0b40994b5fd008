//! `evenhand paper`: the paper's experiments again, its numbers beside ours.
//!
//! `args` is what can be typed, `grid` measures cell by cell, `store` keeps what was measured, `results` is the table made of it,
//! `render` how the table is shown, `digits` what `--table 2` does, `injected` what `--injected` does, `rates` what `--rates` does, `sweeps` the figures. What a method is and what was published is the library's.

mod args;
#[cfg(feature = "network")]
mod digits;
mod grid;
mod injected;
mod rates;
mod render;
mod results;
mod store;
mod sweeps;

pub(crate) use args::PaperArgs;

use anyhow::{Context as _, Result};
use evenhand_datasets::recipe::Source;

use crate::Ending;
use crate::output::{self, note};
use crate::outputs::Outputs;
use crate::progress::Progress;
use args::Plan;
use results::Results;

/// What the experiments write as JSON, each with the name of its schema.
#[cfg(test)]
pub(crate) fn schemas() -> Vec<(&'static str, schemars::Schema)> {
    use crate::schemas::of;
    vec![
        ("paper", of::<Results>()),
        ("paper-injected", of::<injected::Injected>()),
        ("paper-rates", of::<rates::Rates>()),
        #[cfg(feature = "network")]
        ("paper-table", of::<digits::Digits>()),
    ]
}

pub(crate) fn run(args: PaperArgs) -> Result<Ending> {
    let (json, quiet) = (args.json, args.quiet);
    let plan = Plan::new(args)?;
    if let Some(threads) = plan.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().context("--threads")?;
    }
    let progress = Progress::new(quiet || json);
    if plan.rates.is_some() {
        return show_rates(&plan, progress, json);
    }
    #[cfg(feature = "network")]
    if !plan.digits.is_empty() {
        return table_2(&plan, progress, json);
    }
    let sources = progress.during("reading the datasets", || grid::read(&plan))?;
    if plan.injected {
        return find_back(&plan, &sources, progress, json);
    }
    let cells = grid::measure(&plan, &sources, progress)?;
    let results = Results::new(&plan, &cells);
    if let Some(folder) = &plan.out {
        let mut outputs = Outputs::new(plan.csv);
        render::write(&results, folder, &mut outputs)?;
        sweeps::write(&plan, &sources, folder, &mut outputs, progress)?;
        outputs.commit()?;
    }
    if json {
        output::json(&results)?;
    } else {
        output::text(&render::text(&results))?;
        if let Some(folder) = &plan.out {
            note(&format!("tables and figures are in {}", folder.display()));
        }
    }
    Ok(Ending::Fine)
}

/// The digits.
#[cfg(feature = "network")]
fn table_2(plan: &Plan, progress: Progress, json: bool) -> Result<Ending> {
    let digits = digits::measure(plan, progress)?;
    if let Some(folder) = &plan.out {
        let mut outputs = Outputs::new(plan.csv);
        digits.write(folder, &mut outputs)?;
        outputs.commit()?;
    }
    if json {
        output::json(&digits)?;
    } else {
        output::text(&digits.text())?;
    }
    Ok(Ending::Fine)
}

/// The experiment whose truth is known.
fn find_back(plan: &Plan, sources: &[Source<'static>], progress: Progress, json: bool) -> Result<Ending> {
    let injected = injected::measure(plan, sources, progress)?;
    if let Some(folder) = &plan.out {
        let mut outputs = Outputs::new(plan.csv);
        injected.write(folder, &mut outputs)?;
        outputs.commit()?;
    }
    if json {
        output::json(&injected)?;
    } else {
        output::text(&injected.text())?;
    }
    Ok(Ending::Fine)
}

/// The theorems, on made-up people.
fn show_rates(plan: &Plan, progress: Progress, json: bool) -> Result<Ending> {
    let rates = rates::measure(plan, progress)?;
    if let Some(folder) = &plan.out {
        let mut outputs = Outputs::new(plan.csv);
        rates.write(folder, &mut outputs)?;
        outputs.commit()?;
    }
    if json {
        output::json(&rates)?;
    } else {
        output::text(&rates.text())?;
    }
    Ok(Ending::Fine)
}
