//! `evenhand inject`: labels with a known bias, drawn from labels that are taken for the truth.
//!
//! `args` is what can be typed and how biases are read from it, `report` what is shown. The draw itself is the library's.

mod args;
mod report;

pub(crate) use args::InjectArgs;

use anyhow::Result;
use evenhand::correction::{Binding, Problem};
use evenhand::data::{Carry, Codes};
use evenhand::scratch::ScratchFolder;
use evenhand::{Correction, Notion, Warning};
use evenhand_datasets::inject::{Bias, Injected, Injection};

use crate::Ending;
use crate::failure::Usage;
use crate::files;
use crate::origin::{Origin, Whole};
use crate::output::{self, WarningRecord};
use crate::output_rows::OutputRows;
use crate::outputs::Outputs;
use crate::progress::Progress;
use args::Asked;
use report::Report;

/// What is written as JSON.
#[cfg(test)]
pub(crate) fn schema() -> schemars::Schema {
    crate::schemas::of::<Report>()
}

pub(crate) fn run(args: &InjectArgs) -> Result<Ending> {
    let (asked, correction) = (Asked::new(args)?, correction(args)?);
    args.data.check_each_once("--out")?;
    let mut origin = args.data.origin()?;
    let inputs = origin.files();
    files::check_table(&args.out, &inputs.iter().map(AsRef::as_ref).collect::<Vec<_>>())?;
    let _copied = keep_pipe(&mut origin)?;
    let progress = Progress::new(args.json);
    let whole = origin.read(progress)?;
    let mut rows = output_rows(&origin, &whole)?;
    let names = Columns::new(args, &whole, &rows)?;
    let (injection, problem, warnings) = bound(args, &asked, correction, &whole)?;
    let injected = progress.during("drawing", || injection.draw(&problem, args.seed))?;
    names.put(&mut rows, whole.data.labels().codes(), &injected)?;
    progress.during(format!("writing {}", args.out.display()), || {
        let mut outputs = Outputs::new(args.csv);
        rows.write(&mut outputs, &args.out)?;
        outputs.commit()
    })?;

    let warnings = WarningRecord::all(whole.warnings.iter().cloned().chain(warnings).collect(), None);
    let report = Report::new(args, &injection, &problem, &injected, whole.data.labels(), names, warnings);
    output::report(args.json, &report, &report.warnings, || report.to_text())?;
    Ok(Ending::Fine)
}

/// The notion whose constraints the multipliers belong to; for flips any will do, since only groups count.
fn correction(args: &InjectArgs) -> Result<Correction> {
    let mut correction = Correction::new(args.notion.parse::<Notion>()?);
    correction.groups = args.data.groups()?;
    correction.check()?;
    Ok(correction)
}

/// What comes through a pipe is read twice, and so is copied first.
fn keep_pipe(origin: &mut Origin) -> Result<Option<ScratchFolder>> {
    let Origin::File { path, .. } = origin else { return Ok(None) };
    let copied = files::copy_of_pipe(path)?;
    Ok(copied.map(|(folder, copy)| {
        *path = copy;
        folder
    }))
}

/// Binds what was asked to the groups there are.
fn bound(
    args: &InjectArgs,
    asked: &Asked,
    mut correction: Correction,
    whole: &Whole,
) -> Result<(Injection, Problem, Vec<Warning>)> {
    correction.groups = whole.groups(&correction.groups);
    correction.plan = whole.plan();
    let (_, problem, mut warnings) = Binding::new(&correction, &whole.data)?;
    let bias = match asked {
        Asked::Multipliers(asked) => Bias::Multipliers(args::multipliers(asked, &problem)?),
        Asked::Violations(asked) => Bias::Violations(args::violations(asked, &problem)?),
        Asked::Flips(asked) => {
            // Nothing is learnt for flips: what a learner would take a column for does not matter.
            warnings.retain(|warning| !matches!(warning, Warning::PossibleCodes { .. }));
            Bias::Flips(args::flips(asked, &problem, whole.data.labels())?)
        }
    };
    let mut injection = Injection { truth: args.truth.into(), ..Injection::new(bias) };
    injection.learner.l2 = args.l2;
    injection.learner.check()?;
    Ok((injection, problem, warnings))
}

/// The rows that labels are put into.
fn output_rows(origin: &Origin, whole: &Whole) -> Result<OutputRows> {
    Ok(match origin {
        Origin::File { path, reading, .. } => OutputRows::Carried(Carry::open(path, reading)?),
        Origin::Recipe { .. } => OutputRows::Prepared(whole.data.table().clone()),
    })
}

/// The columns of the two labels.
struct Columns {
    label: String,
    truth: String,
}

impl Columns {
    fn new(args: &InjectArgs, whole: &Whole, rows: &OutputRows) -> Result<Self> {
        let label = whole.data.schema().label_column().to_owned();
        let truth = args.truth_column.clone().unwrap_or_else(|| format!("{label}_true"));
        if rows.names().contains(&truth) {
            let message = format!("the data have a column `{truth}` already, and the true labels are to go there");
            return Err(Usage::new(message).hint("name another with --truth-column").into());
        }
        Ok(Self { label, truth })
    }

    /// Puts both labels into the rows, each value spelled as the file has it.
    fn put(&self, rows: &mut OutputRows, labels: &Codes, injected: &Injected) -> Result<()> {
        let mut sample: Vec<Option<usize>> = Vec::new();
        for (row, class) in labels.iter().enumerate() {
            sample.resize(sample.len().max(class + 1), None);
            sample[class].get_or_insert(row);
        }
        // Every class has a row: classes are the values that occur.
        let spelled = |codes: &Codes| -> Vec<usize> {
            let row = |class: usize| sample.get(class).copied().flatten().unwrap_or_default();
            codes.iter().map(row).collect()
        };
        let is_truth = injected.truth == *labels;
        let truth = if is_truth { (0..labels.len()).collect() } else { spelled(&injected.truth) };
        rows.put_rows(&self.truth, &self.label, truth)?;
        rows.put_rows(&self.label, &self.label, spelled(&injected.biased))?;
        Ok(())
    }
}
