//! How far groups are apart, by every definition in use.
//!
//! Holds [`Violation`] and the rule that finds it from rates. Leans on nothing but
//! numbers and names; knows nothing of rows.

use serde::{Deserialize, Serialize};

use crate::notion::Notion;

/// What an audit measures equality of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum AuditedNotion {
    /// Equal positive rates; the measure of disparate impact as well.
    DemographicParity,
    /// Equal true positive rates.
    EqualOpportunity,
    /// Equal false positive rates.
    PredictiveEquality,
    /// Equal true positive and equal false positive rates.
    EqualizedOdds,
    /// Equal accuracy.
    EqualAccuracy,
}

impl AuditedNotion {
    /// Every notion that predictions are audited by, in the order of a report.
    pub const ALL: [Self; 5] = [
        Self::DemographicParity,
        Self::EqualOpportunity,
        Self::PredictiveEquality,
        Self::EqualizedOdds,
        Self::EqualAccuracy,
    ];

    /// What an audit measures for a notion; `None` for those about given rates or rows.
    pub fn of(notion: &Notion) -> Option<Self> {
        match notion {
            Notion::DemographicParity | Notion::DisparateImpact | Notion::PaperDisparateImpact => {
                Some(Self::DemographicParity)
            }
            Notion::EqualOpportunity => Some(Self::EqualOpportunity),
            Notion::PredictiveEquality => Some(Self::PredictiveEquality),
            Notion::EqualizedOdds => Some(Self::EqualizedOdds),
            Notion::EqualAccuracy => Some(Self::EqualAccuracy),
            Notion::TargetRate { .. } | Notion::Pinned { .. } | Notion::KnownRate { .. } | Notion::Rate(_) => None,
        }
    }

    /// The rates it asks to be equal.
    pub fn rates(self) -> &'static [RateKind] {
        match self {
            Self::DemographicParity => &[RateKind::PositiveRate],
            Self::EqualOpportunity => &[RateKind::TruePositiveRate],
            Self::PredictiveEquality => &[RateKind::FalsePositiveRate],
            Self::EqualizedOdds => &[RateKind::TruePositiveRate, RateKind::FalsePositiveRate],
            Self::EqualAccuracy => &[RateKind::Accuracy],
        }
    }
}

/// A rate, by its JSON key in [`GroupRates`](super::GroupRates).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RateKind {
    /// Share of rows predicted (or labelled) as the class.
    PositiveRate,
    /// Share predicted as the class, among rows labelled so.
    TruePositiveRate,
    /// Share predicted as the class, among rows labelled otherwise.
    FalsePositiveRate,
    /// Share of rows whose prediction agrees with the label.
    Accuracy,
}

/// The distance of groups from a notion, by three definitions.
///
/// The groups are those asked for, without their intersections. A group whose rate is
/// undefined is passed over, and shows as a null in `gaps`.
///
/// | JSON key | meaning |
/// | --- | --- |
/// | `notion` | `demographic-parity`, `equal-opportunity`, `predictive-equality`, `equalized-odds`, `equal-accuracy` |
/// | `paper` | the violation of the paper: the largest abs(overall − group), where, and its interval; null without groups |
/// | `difference` | largest minus smallest group rate, as fairlearn has it; null below two groups |
/// | `ratio` | smallest over largest group rate; null below two groups, or when all rates are 0 |
/// | `gaps` | overall − group, signed, for every group and rate, with its interval |
///
/// Equalized odds has two rates: `paper` and `difference` are the larger of the two,
/// `ratio` the smaller.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Violation {
    /// What was asked to be equal.
    pub notion: AuditedNotion,
    /// The paper's violation.
    pub paper: Option<Largest>,
    /// Largest minus smallest group rate.
    pub difference: Option<f64>,
    /// Smallest over largest group rate.
    pub ratio: Option<f64>,
    /// The signed gap of each group.
    pub gaps: Vec<Gap>,
}

/// The group farthest from overall.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Largest {
    /// abs(overall − group).
    pub value: f64,
    /// The lower end of its interval, by Newcombe's method: below 0 where rows cannot tell who has less.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The group; the first of several that are equally far.
    pub group: String,
    /// Which of its rates.
    pub rate: RateKind,
    /// That rate in the group.
    pub group_rate: f64,
    /// That rate over all rows.
    pub overall_rate: f64,
}

/// One group's signed distance from overall.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Gap {
    /// The group.
    pub group: String,
    /// Which rate.
    pub rate: RateKind,
    /// Overall − group: positive where the group has less. `None` when undefined.
    pub value: Option<f64>,
    /// The lower end of its interval, by Newcombe's method.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

impl Violation {
    /// Measures a notion. `rate_of(kind, None)` is a rate over all rows, and
    /// `rate_of(kind, Some(g))` that of the group `names[g]`; `gap_of(kind, g)` is the interval of the first minus the
    /// second.
    pub(super) fn measure(
        notion: AuditedNotion,
        names: &[String],
        rate_of: impl Fn(RateKind, Option<usize>) -> Option<f64>,
        gap_of: impl Fn(RateKind, usize) -> Option<(f64, f64)>,
    ) -> Self {
        let mut found = Self { notion, paper: None, difference: None, ratio: None, gaps: Vec::new() };
        for &rate in notion.rates() {
            let overall = rate_of(rate, None);
            let of_group: Vec<Option<f64>> = (0..names.len()).map(|group| rate_of(rate, Some(group))).collect();
            for (at, (group, &group_rate)) in names.iter().zip(&of_group).enumerate() {
                let (both, ends) = (overall.zip(group_rate), gap_of(rate, at));
                found.gaps.push(Gap {
                    group: group.clone(),
                    rate,
                    value: both.map(|(all, part)| all - part),
                    low: ends.map(|ends| ends.0),
                    high: ends.map(|ends| ends.1),
                });
                let Some(((overall_rate, group_rate), (low, high))) = both.zip(ends) else { continue };
                let value = (overall_rate - group_rate).abs();
                let (low, high) = if overall_rate < group_rate { (-high, -low) } else { (low, high) };
                if found.paper.as_ref().is_none_or(|largest| value > largest.value) {
                    let group = group.clone();
                    found.paper = Some(Largest { value, low, high, group, rate, group_rate, overall_rate });
                }
            }
            let defined: Vec<f64> = of_group.into_iter().flatten().collect();
            if defined.len() >= 2 {
                let low = defined.iter().copied().fold(f64::INFINITY, f64::min);
                let high = defined.iter().copied().fold(0.0, f64::max);
                found.difference = Some(found.difference.map_or(high - low, |other| other.max(high - low)));
                if high > 0.0 {
                    found.ratio = Some(found.ratio.map_or(low / high, |other| other.min(low / high)));
                }
            }
        }
        found
    }

    /// The groups, and which rate, that were passed over because it is undefined.
    pub fn undefined(&self) -> impl Iterator<Item = (&str, RateKind)> {
        self.gaps.iter().filter(|gap| gap.value.is_none()).map(|gap| (gap.group.as_str(), gap.rate))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A notion of one rate, over all rows and by group.
    fn measure(overall: Option<f64>, groups: &[Option<f64>]) -> Violation {
        let names: Vec<String> = (0..groups.len()).map(|group| format!("g{group}")).collect();
        let rate_of = |_, group: Option<usize>| group.map_or(overall, |group| groups[group]);
        Violation::measure(AuditedNotion::DemographicParity, &names, rate_of, |_, _| Some((0.0, 1.0)))
    }

    #[test]
    fn the_three_definitions_are_told_apart() {
        let found = measure(Some(0.5), &[Some(0.25), Some(0.625)]);
        let largest = found.paper.unwrap();
        assert_eq!((largest.value, largest.group.as_str()), (0.25, "g0"));
        assert_eq!((largest.group_rate, largest.overall_rate), (0.25, 0.5));
        assert_eq!((largest.low.to_bits(), largest.high.to_bits()), (0f64.to_bits(), 1f64.to_bits()));
        let more = measure(Some(0.5), &[Some(0.75)]).paper.unwrap();
        assert_eq!((more.low, more.high), (-1.0, -0.0), "turned with the gap");
        assert_eq!((found.difference, found.ratio), (Some(0.375), Some(0.4)));
        assert_eq!(found.gaps.iter().map(|gap| gap.value).collect::<Vec<_>>(), [Some(0.25), Some(-0.125)]);
    }

    #[test]
    fn undefined_rates_are_passed_over_and_said() {
        let found = measure(Some(0.5), &[None, Some(0.25), Some(0.75)]);
        assert_eq!(found.difference, Some(0.5));
        assert_eq!(found.undefined().collect::<Vec<_>>(), [("g0", RateKind::PositiveRate)]);
        assert_eq!(measure(None, &[Some(0.5)]).paper, None);
    }

    #[test]
    fn one_group_has_a_violation_but_no_difference() {
        let found = measure(Some(0.5), &[Some(0.25)]);
        assert_eq!((found.difference, found.ratio), (None, None));
        assert!(found.paper.is_some_and(|largest| (largest.value - 0.25).abs() < 1e-15));
    }

    #[test]
    fn without_groups_nothing_is_measured() {
        let found = measure(Some(0.5), &[]);
        assert_eq!((found.paper, found.difference, found.ratio), (None, None, None));
    }

    #[test]
    fn a_ratio_of_zero_rates_is_undefined() {
        let found = measure(Some(0.0), &[Some(0.0), Some(0.0)]);
        assert_eq!((found.difference, found.ratio), (Some(0.0), None));
    }

    #[test]
    fn equalized_odds_takes_the_worse_of_two_rates() {
        let names = ["a".to_owned(), "b".to_owned()];
        let found = Violation::measure(
            AuditedNotion::EqualizedOdds,
            &names,
            |rate, group| {
                Some(match (rate, group) {
                    (RateKind::TruePositiveRate, None) => 0.75,
                    (RateKind::TruePositiveRate, Some(0)) => 0.5,
                    (RateKind::TruePositiveRate, Some(_)) => 1.0,
                    (_, None) => 0.125,
                    (_, Some(0)) => 0.0625,
                    (_, Some(_)) => 0.25,
                })
            },
            |_, _| Some((0.0, 1.0)),
        );
        assert_eq!((found.difference, found.ratio, found.gaps.len()), (Some(0.5), Some(0.25), 4));
        assert_eq!(found.paper.unwrap().rate, RateKind::TruePositiveRate);
    }
}
