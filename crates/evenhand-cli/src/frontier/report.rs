//! What `evenhand frontier` shows: the same numbers as text and as JSON.

use std::path::PathBuf;

use evenhand::correction::{Apply, MembershipQuality, Metrics, PointRecord};
use evenhand::{Notion, Predictor, Termination};
use serde::Serialize;

use super::{Config, Traced};
use crate::files;
use crate::many_rows::PassCounts;
use crate::memberships;
use crate::output::WarningRecord;
use crate::text::{Lines, clean, counted, error_share, or_dash, percent, rate};

/// Everything that is shown. The keys are stable.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Report {
    /// What was asked to be equal across groups.
    notion: Vec<String>,
    /// The groups.
    groups: Vec<String>,
    /// The values of the label; of two, the positive one last.
    classes: Vec<String>,
    /// What multipliers are applied to.
    apply: Apply,
    /// From no correction to as much as was searched for.
    points: Vec<PointRecord>,
    /// How well features tell each group that the learner may not see, where that was modelled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    memberships: Vec<MembershipQuality>,
    /// The smallest violation that was reached on the training rows, where what was asked was not.
    floor: Option<f64>,
    /// How many times the learner was called.
    fits: usize,
    /// How often all rows were gone through, where they were not all in memory.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    passes: Option<PassCounts>,
    /// How long it took.
    seconds: f64,
    /// What is worth knowing.
    pub(super) warnings: Vec<WarningRecord>,
    /// Where it was written.
    out: Option<PathBuf>,
    /// Where the report was written.
    #[serde(rename = "report", skip_serializing_if = "Option::is_none")]
    page: Option<PathBuf>,
    #[serde(skip)]
    notions: Vec<Notion>,
    /// From which probabilities on rows are decided positive, where these were chosen.
    #[serde(skip)]
    decided_from: Option<String>,
}

/// What was asked of a point, in words.
fn name(point: &PointRecord) -> String {
    match (point.max_violation, point.asked) {
        (Some(most), _) => format!("at most {}", rate(most)),
        (None, "nothing") => "no correction".to_owned(),
        (None, _) => "as even as rows can tell".to_owned(),
    }
}

fn numbers(point: &PointRecord) -> Vec<String> {
    let evaluated = |one: &Metrics| {
        [or_dash(one.violation, rate), error_share(one.error, one.rows), or_dash(one.positive_rate, percent)]
    };
    let mut numbers: Vec<String> =
        [Some(&point.train), point.test.as_ref()].into_iter().flatten().flat_map(evaluated).collect();
    let remark = match (point.met, point.dominated) {
        (true, true) => "dominated",
        (true, false) => "",
        (false, _) => "not met",
    };
    numbers.extend([point.weights.to_owned(), point.fits.to_string(), remark.to_owned()]);
    numbers
}

impl Report {
    pub(super) fn new<P: Predictor>(config: &Config, traced: Traced<P>) -> Self {
        let Traced { binding, frontier, tests, passes, seconds, warnings } = traced;
        let notions = config.correction.notions.clone();
        let (floor, fits, apply) = (frontier.floor(), frontier.fits(), config.correction.apply);
        let memberships = frontier.memberships(&binding);
        let decided_from = frontier.decided_from(&config.correction);
        let record = |(point, test)| PointRecord::new(point, test, &binding, &config.correction);
        let points = frontier.points.iter().zip(tests).map(record).collect();
        Self {
            notion: notions.iter().map(ToString::to_string).collect(),
            groups: binding.group_names(),
            classes: binding.classes().to_vec(),
            points,
            memberships,
            decided_from,
            apply,
            floor,
            fits,
            passes,
            seconds,
            warnings,
            out: config.out.clone(),
            page: config.report.clone(),
            notions,
        }
    }

    pub(super) fn to_text(&self) -> String {
        let definition = |notion: &Notion| format!("{}: {}\n", clean(&notion.to_string()), notion.definition());
        let definitions: Vec<String> = self.notions.iter().map(definition).collect();
        let memberships = memberships::to_text(&self.memberships);
        let from = self.decided_from.as_ref().map(|from| format!("{from}\n\n")).unwrap_or_default();
        format!("{}\n{}\n{from}{memberships}{}", definitions.concat(), self.table(), self.ending())
    }

    fn table(&self) -> String {
        let mut lines = Lines::default();
        let tested = self.points.iter().any(|point| point.test.is_some());
        let rows: &[&str] = if tested { &["training", "test"] } else { &["training"] };
        let heads = |over: &dyn Fn(&str) -> [String; 3], rest: [&str; 2]| {
            rows.iter().flat_map(|rows| over(rows)).chain(rest.map(str::to_owned)).collect()
        };
        lines.push("", heads(&|rows| [rows; 3].map(str::to_owned), ["", ""]));
        lines.push(
            "asked",
            heads(
                &|_| ["violation", "error", "positive"].map(str::to_owned),
                [if self.apply == Apply::Tilt { "applied" } else { "weights" }, "fits"],
            ),
        );
        for point in &self.points {
            lines.push(name(point), numbers(point));
        }
        lines.render()
    }

    fn ending(&self) -> String {
        let dominated =
            self.points.iter().filter(|point| point.dominated && point.stop == Termination::Converged).count();
        let dominated = match dominated {
            0 => String::new(),
            _ => "dominated: another point has no more violation and no more error on the training rows.\n".to_owned(),
        };
        let how = match (self.floor, self.points.last().map(|point| point.stop)) {
            (Some(floor), _) => {
                let found =
                    if self.apply == Apply::Tilt { "tilt that was found gets" } else { "weights that were found get" };
                format!("no {found} below {} on the training rows", rate(floor))
            }
            (None, Some(Termination::Converged)) => "violations get as small as the training rows can tell".to_owned(),
            _ => "the last point took as many fits as it may".to_owned(),
        };
        let (points, fits) = (counted(self.points.len(), "point"), counted(self.fits, "fit"));
        let wrote: String = [("points", &self.out), ("report", &self.page)]
            .into_iter()
            .filter_map(|(what, path)| Some(format!("Wrote the {what} to {}.\n", files::shown(path.as_ref()?))))
            .collect();
        let passes = self.passes.map(PassCounts::to_text).unwrap_or_default();
        format!("{dominated}{points}, {fits}{passes}, {:.2} s; {how}.\n{wrote}", self.seconds)
    }
}
