//! From an audit, or from an identification of bias, to its report.
//!
//! Both are values of the engine already: here they are only put into the report.

use evenhand::audit::{Audit, AuditOptions, RateKind};
use evenhand::identify::Identification;
use evenhand::{Dataset, Notion, Warning};

use crate::from_fit::messages;
use crate::report::{About, Kind, NotionLine};
use crate::{Bias, Panel, Record, Report, Series};

/// The rates that predictions are audited by.
const RATES: [RateKind; 4] =
    [RateKind::PositiveRate, RateKind::TruePositiveRate, RateKind::FalsePositiveRate, RateKind::Accuracy];

impl Report {
    /// The report of an audit of some rows.
    pub fn from_audit(audit: &Audit, data: &Dataset, record: Record) -> Self {
        let rates = if audit.accuracy.is_some() { &RATES[..] } else { &RATES[..1] };
        let about = About {
            weighted: audit.weighted,
            small_group: audit.small_group,
            ..about(data, audit.rows, audit.confidence)
        };
        Self {
            verdicts: audit.bounds.clone(),
            asked: audit.rates.clone(),
            tested: tested(audit),
            notions: notions(audit.accuracy.is_some()),
            panels: Panel::all(&[(Series::Predictions, audit)], rates),
            intersections_left_out: audit.intersections_left_out,
            scores: audit.scores.clone(),
            warnings: messages(&audit.warnings),
            ..Self::empty(Kind::Audit, about, record)
        }
    }

    /// The report of what labels say about themselves.
    pub fn from_identification(found: &Identification, warnings: &[Warning], data: &Dataset, record: Record) -> Self {
        let about = about(data, found.rows, found.confidence);
        Self { bias: Some(Bias::of(found)), warnings: messages(warnings), ..Self::empty(Kind::Identify, about, record) }
    }
}

/// What the bounds of an audit are on.
fn tested(audit: &Audit) -> Option<String> {
    let notions: Vec<String> = audit.notions.iter().map(ToString::to_string).collect();
    (!audit.bounds.is_empty()).then(|| format!("{} of {}", notions.join(", "), audit.tested()))
}

/// What predictions are audited by; labels alone only by the first.
fn notions(predicted: bool) -> Vec<NotionLine> {
    let all = [
        Notion::DemographicParity,
        Notion::EqualOpportunity,
        Notion::PredictiveEquality,
        Notion::EqualizedOdds,
        Notion::EqualAccuracy,
    ];
    all.iter().take(if predicted { all.len() } else { 1 }).map(NotionLine::of).collect()
}

fn about(data: &Dataset, rows: usize, confidence: f64) -> About {
    let labels = data.labels();
    About {
        label: data.schema().label_column().to_owned(),
        positive: labels.positive().map(|class| labels.classes()[class].clone()),
        classes: labels.classes().to_vec(),
        rows,
        are_training: false,
        training_rows: 0,
        weighted: data.row_weights().is_some(),
        confidence,
        small_group: AuditOptions::default().small_group,
        scores: false,
    }
}

#[cfg(test)]
mod tests {
    use evenhand::audit::ScoreColumn;
    use evenhand::data::Categorical;
    use evenhand::{Bound, Column, Groups, Identify, Labels, Schema, Table};
    use evenhand_datasets::synthetic;

    use super::*;

    fn people() -> Dataset {
        let schema = Schema::label("approved").positive("yes").ignore("deserved");
        Dataset::new(synthetic::population(2_000, 1).unwrap(), &schema).unwrap()
    }

    fn audited(predicted: bool) -> Report {
        audited_by(predicted, &AuditOptions::default())
    }

    fn audited_by(predicted: bool, options: &AuditOptions) -> Report {
        let data = people();
        let (groups, _) = Groups::of(&["sex".parse().unwrap()], &data).unwrap();
        let (table, labels) = (data.table(), data.labels());
        let column = table.column("deserved").unwrap();
        let other = Labels::against(column, "deserved", table, labels.classes(), labels.positive()).unwrap();
        let audit = Audit::of(
            labels.codes(),
            predicted.then_some(other.codes()),
            &groups.membership(table).unwrap(),
            None,
            labels.classes(),
            labels.positive(),
            options,
        );
        Report::from_audit(&audit.unwrap(), &data, Record::new(data.digest(), data.rows(), &"audit", &()))
    }

    #[test]
    fn an_audit_says_which_group_is_farthest_from_everyone() {
        let labels = audited(false);
        assert_eq!((labels.panels.len(), labels.title().as_str()), (1, "Labels of “approved”, by group"));
        let summary = labels.summary();
        assert!(
            summary[0].starts_with("Rows in sex=female are labelled “yes” less often than everyone by "),
            "{summary:?}"
        );
        assert_eq!(audited(true).panels.len(), 4);
        for report in [labels, audited(true)] {
            let page = report.html().unwrap();
            assert!(
                page.contains("Rates by group") && !page.contains("The trade-off") && !page.contains("The learner")
            );
        }
    }

    #[test]
    fn a_bound_on_an_audit_has_its_verdict_with_an_interval() {
        let options = |limit| AuditOptions { bounds: vec![Bound::MaxDifference(limit)], ..AuditOptions::default() };
        let sentence = |limit| audited_by(true, &options(limit)).summary()[1].clone();
        let asked = "The bound that was asked for, at most 90.0 points (demographic-parity of predictions, largest difference between two groups): met; ";
        assert!(sentence(0.9).starts_with(asked) && sentence(0.9).contains(" interval 0.0 to "), "{}", sentence(0.9));
        assert!(sentence(0.0001).contains("asked for, at most 0.01 points ("), "{}", sentence(0.0001));
        assert!(
            sentence(0.0001).contains("not met") || sentence(0.0001).contains("too few rows"),
            "{}",
            sentence(0.0001)
        );
    }

    /// Scores that are a little too high for one of two teams, and of a third that is small.
    fn scored() -> Report {
        let team = |row: usize| if row.is_multiple_of(40) { "c" } else { ["a", "b"][row % 2] };
        let score = |row: usize| ((row * 31 % 97) as f64 + 0.5) / 97.0;
        let label = |row: usize| {
            let too_high = if team(row) == "a" { 0.1 } else { 0.0 };
            if (row * 57 % 101) as f64 / 101.0 < score(row) - too_high { "yes" } else { "no" }
        };
        let texts = |of: &dyn Fn(usize) -> &'static str| {
            Column::Categorical(Categorical::from_values((0..1_000).map(|row| Some(of(row)))))
        };
        let columns = vec![
            ("p".to_owned(), Column::Numeric((0..1_000).map(score).collect())),
            ("team".to_owned(), texts(&team)),
            ("label".to_owned(), texts(&label)),
        ];
        let schema = Schema::label("label").positive("yes");
        let data = Dataset::new(Table::new(columns, 1).unwrap(), &schema).unwrap();
        let (groups, _) = Groups::of(&["team".parse().unwrap()], &data).unwrap();
        let score = Some(ScoreColumn { column: "p".to_owned(), threshold: 0.5 });
        let audit = Audit::of_dataset(&data, &groups, None, &AuditOptions { score, ..AuditOptions::default() });
        Report::from_audit(&audit.unwrap(), &data, Record::new(data.digest(), data.rows(), &"audit", &()))
    }

    #[test]
    fn scores_have_a_section_in_every_format() {
        let report = scored();
        let found = report.scores.as_ref().unwrap();
        let gap = |group: usize| found.groups[group].calibration.unwrap().value;
        assert!(gap(0) > 0.06 && gap(1).abs() < 0.06, "{found:?}");
        let said = report.summary().last().unwrap().clone();
        assert!(
            said.starts_with("With 95\u{a0}% intervals, the AUC of scores is from 0.") && said.contains(" in team=a"),
            "{said}"
        );
        let page = report.html().unwrap();
        let section = &page[page.find(r#"<h2 id="scores">"#).unwrap()..];
        for one in
            ["How well scores rank", "Calibration in the large", "Expected calibration error", "Scores against labels"]
        {
            assert!(section.contains(one), "{one}");
        }
        // A point with its interval for every bin of everyone and of each team.
        let bins: usize = crate::scores::lines(found).map(|group| group.bins.len()).sum();
        assert_eq!(section.matches("<circle class=\"\" cx=").count(), bins);
        assert_eq!(
            section.matches(r#"<line class="reference" x1="1.50%" y1="192.0" x2="98.50%" y2="12.0"/>"#).count(),
            4
        );
        let area = crate::scores::auc(found.overall.auc.unwrap().value);
        assert!(report.text().contains(&format!("Everyone [1,000\u{a0}rows]: AUC {area} (")), "{}", report.text());
        assert!(report.markdown().contains(&format!("| Everyone | 1,000 | {area} | ")), "{}", report.markdown());
        let again: Report = serde_json::from_str(&serde_json::to_string(&report).unwrap()).unwrap();
        assert_eq!((again.html().unwrap(), again), (page, report));
    }

    #[test]
    fn an_identification_is_described_group_by_group() {
        let data = people();
        let (found, warnings) = Identify::default().group("sex").unwrap().run(&data).unwrap();
        let record = Record::new(data.digest(), data.rows(), &"identify", &());
        let report = Report::from_identification(&found, &warnings, &data, record);
        let summary = report.summary();
        assert!(summary[0].starts_with("What follows is an estimate of labelling bias only if"), "{summary:?}");
        assert!(summary[1].starts_with("Positive labels for sex=female were given at 0."), "{summary:?}");
        let page = report.html().unwrap();
        assert!(page.contains("Odds of a positive label") && !page.contains("Rates by group"));
        assert!(page.contains("intervals that hold for all groups at once") && page.contains("each by itself"));
        let section = &page[page.find(r#"<h2 id="bias">"#).unwrap()..];
        assert!(section.find("only if").unwrap() < section.find("<figure>").unwrap(), "assumptions first");
        assert_eq!(serde_json::from_str::<Report>(&serde_json::to_string(&report).unwrap()).unwrap(), report);
    }
}
