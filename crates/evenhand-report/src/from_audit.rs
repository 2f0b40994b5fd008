//! From an audit, or from an identification of bias, to its report.
//!
//! Both are values of the engine already: here they are only put into the report.

use evenhand::audit::{Audit, AuditOptions, RateKind};
use evenhand::identify::Identification;
use evenhand::{Dataset, Notion, Warning};

use crate::from_fit::messages;
use crate::report::{About, Kind, NotionLine};
use crate::{Bias, Blind, Panel, Record, Report, Series};

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
            judged: judged(audit),
            notions: notions(audit.accuracy.is_some()),
            panels: Panel::all(&[(Series::Predictions, audit)], rates),
            intersections_left_out: audit.intersections_left_out,
            warnings: messages(&audit.warnings),
            ..empty(Kind::Audit, about, record)
        }
    }

    /// The report of what labels say about themselves.
    pub fn from_identification(found: &Identification, warnings: &[Warning], data: &Dataset, record: Record) -> Self {
        let about = about(data, found.rows, found.confidence);
        Self { bias: Some(Bias::of(found)), warnings: messages(warnings), ..empty(Kind::Identify, about, record) }
    }
}

/// What the bounds of an audit are on.
fn judged(audit: &Audit) -> Option<String> {
    let notions: Vec<String> = audit.notions.iter().map(ToString::to_string).collect();
    (!audit.bounds.is_empty()).then(|| format!("{} of {}", notions.join(", "), audit.judged()))
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

fn empty(kind: Kind, about: About, record: Record) -> Report {
    Report {
        kind,
        method: None,
        about,
        notions: Vec::new(),
        change: None,
        effect: None,
        constraints: Vec::new(),
        verdicts: Vec::new(),
        asked: Vec::new(),
        judged: None,
        panels: Vec::new(),
        intersections_left_out: 0,
        blind: Blind::default(),
        decided_from: None,
        bias: None,
        tradeoff: None,
        search: None,
        warnings: Vec::new(),
        record,
    }
}

#[cfg(test)]
mod tests {
    use evenhand::{Bound, Groups, Identify, Labels, Schema};
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
        assert!(
            sentence(0.0001).contains("not met") || sentence(0.0001).contains("too few rows"),
            "{}",
            sentence(0.0001)
        );
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
