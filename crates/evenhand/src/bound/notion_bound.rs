//! Bounds for all notions, or for one of them alone.
//!
//! Holds [`NotionBound`], which a search aims at and a verdict is about, and [`Limit`], a bound as it is typed.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Bound;
use crate::notion::Notion;
use crate::{Error, Result};

/// A bound, and the notion that it is for: without one, all notions that have no bound of this kind of their own.
///
/// ```
/// use evenhand::{Bound, Correction, Notion};
///
/// # fn main() -> evenhand::Result<()> {
/// let rate = "target-rate=0.2".parse::<Notion>()?;
/// let asked = Correction::new(Notion::EqualOpportunity).and(rate.clone());
/// let asked = asked.bound(Bound::MaxViolation(0.05)).bound(Bound::MaxViolation(0.005).on(rate));
/// assert_eq!(asked.bounds[1].to_string(), "max-violation target-rate=0.2=0.005");
/// asked.check()
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NotionBound {
    /// The bound.
    #[serde(flatten)]
    pub bound: Bound,
    /// The notion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notion: Option<Notion>,
}

impl From<Bound> for NotionBound {
    fn from(bound: Bound) -> Self {
        Self { bound, notion: None }
    }
}

impl Bound {
    /// This bound for one notion, in place of that for all.
    #[must_use]
    pub fn on(self, notion: Notion) -> NotionBound {
        NotionBound { bound: self, notion: Some(notion) }
    }
}

/// As it is typed: `max-violation 0.02`, or `max-violation equal-opportunity=0.01`.
impl fmt::Display for NotionBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let notion = self.notion.as_ref().map(|notion| format!("{notion}=")).unwrap_or_default();
        write!(f, "{} {notion}{}", self.bound.name(), self.bound.limit())
    }
}

impl NotionBound {
    /// Whether it limits what this notion asks for, among all bounds that were asked for.
    pub(crate) fn limits(&self, notion: &Notion, all: &[Self]) -> bool {
        match &self.notion {
            Some(own) => own == notion,
            None => !all.iter().any(|one| one.notion.as_ref() == Some(notion) && one.is_alike(self)),
        }
    }

    fn is_alike(&self, other: &Self) -> bool {
        self.bound.name() == other.bound.name()
    }

    /// The bounds that are meant by limits of each kind, each for all notions or for one of them; those of one kind stand together.
    ///
    /// # Errors
    /// [`Error::Setting`] for a number out of range, a notion that is not among these, or two bounds of a kind for one.
    pub fn of_limits(
        max_violation: &[Limit],
        max_difference: &[Limit],
        min_ratio: &[Limit],
        notions: &[Notion],
    ) -> Result<Vec<Self>> {
        let mut all = Vec::new();
        for limit in max_violation {
            all.extend(limit.bounds(Bound::MaxViolation, notions)?);
        }
        for limit in max_difference {
            all.extend(limit.bounds(Bound::MaxDifference, notions)?);
        }
        for limit in min_ratio {
            all.extend(limit.bounds(Bound::MinRatio, notions)?);
        }
        Self::check_all(&all, notions)?;
        Ok(all)
    }

    /// Whether bounds can be used for some notions: numbers in their range, every notion one of those, each once for a
    /// kind of bound, and no bound that is left with no notion.
    pub(crate) fn check_all(all: &[Self], notions: &[Notion]) -> Result<()> {
        for (at, one) in all.iter().enumerate() {
            one.bound.check()?;
            let wrong = |allowed: &str| Err(Error::setting(one.bound.name(), format!("`{one}`"), allowed));
            if one.notion.as_ref().is_some_and(|notion| !notions.contains(notion)) {
                return wrong("a bound on one of the notions asked for");
            }
            if all[..at].iter().any(|other| other.is_alike(one) && other.notion == one.notion) {
                return wrong("one number for all notions, and one for each of them");
            }
            if !notions.iter().any(|notion| one.limits(notion, all)) {
                return wrong("a bound that some notion is left for: all have one of their own");
            }
        }
        Ok(())
    }
}

/// A bound as it is typed: a number for all notions, or for one that is named, as in `0.02` and `equal-opportunity=0.01`.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// A notion in any spelling, with its parameter or without: `target-rate` is every target rate asked for.
    pub notion: Option<String>,
    /// The number.
    pub limit: f64,
}

impl From<f64> for Limit {
    fn from(limit: f64) -> Self {
        Self { notion: None, limit }
    }
}

impl FromStr for Limit {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        // The last one: notions may have a parameter of their own.
        let (notion, number) = text.rsplit_once('=').map_or((None, text), |(notion, number)| (Some(notion), number));
        let limit = number.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        let wrong = || Error::setting("bound", format!("`{text}`"), "a number, or NOTION=NUMBER");
        let notion = notion.map(|notion| notion.trim().to_owned());
        Ok(Self { notion, limit: limit.ok_or_else(wrong)? })
    }
}

impl Limit {
    /// The bounds that it means, one for each notion that it names.
    pub(crate) fn bounds(&self, bound: impl Fn(f64) -> Bound, notions: &[Notion]) -> Result<Vec<NotionBound>> {
        let Some(name) = &self.notion else { return Ok(vec![bound(self.limit).into()]) };
        let named: Vec<NotionBound> = notions
            .iter()
            .filter(|notion| notion.is_called(name))
            .map(|one| bound(self.limit).on(one.clone()))
            .collect();
        if named.is_empty() {
            let asked: Vec<String> = notions.iter().map(|notion| format!("`{notion}`")).collect();
            let allowed = format!("a bound on a notion that is asked for: {}", asked.join(", "));
            return Err(Error::setting(bound(self.limit).name(), format!("for `{name}`"), allowed));
        }
        Ok(named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notions(texts: &[&str]) -> Vec<Notion> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    fn meant(text: &str, notions: &[Notion]) -> Result<Vec<String>> {
        let bounds = text.parse::<Limit>()?.bounds(Bound::MaxViolation, notions)?;
        Ok(bounds.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_bound_is_read_as_it_is_typed() {
        let asked = notions(&["equal-opportunity", "target-rate=0.2", "target-rate=no:0.7"]);
        assert_eq!(meant("0.02", &asked).unwrap(), ["max-violation 0.02"]);
        assert_eq!(meant("equal_opportunity=0.01", &asked).unwrap(), ["max-violation equal-opportunity=0.01"]);
        assert_eq!(meant("TruePositiveRateParity = 0.01", &asked).unwrap(), ["max-violation equal-opportunity=0.01"]);
        assert_eq!(meant("target-rate=0.01", &asked).unwrap().len(), 2, "every target rate");
        assert_eq!(meant("target-rate=0.2=0.01", &asked).unwrap(), ["max-violation target-rate=0.2=0.01"]);
        for wrong in ["", "x", "equal-opportunity=", "equal-opportunity=NaN", "demographic-parity=0.1", "fairness=0.1"]
        {
            assert_eq!(meant(wrong, &asked).unwrap_err().code(), "setting-invalid", "{wrong}");
        }
    }

    #[test]
    fn a_notion_with_a_bound_of_its_own_is_not_held_to_that_for_all() {
        let [one, other] = [Notion::EqualOpportunity, Notion::DemographicParity];
        let all =
            [Bound::MaxViolation(0.05).into(), Bound::MaxViolation(0.01).on(one.clone()), Bound::MinRatio(0.8).into()];
        let limits = |notion: &Notion| all.each_ref().map(|bound: &NotionBound| bound.limits(notion, &all));
        assert_eq!((limits(&one), limits(&other)), ([false, true, true], [true, false, true]));
    }

    #[test]
    fn bounds_that_mean_nothing_or_two_things_are_refused() {
        let asked = notions(&["equal-opportunity"]);
        let own = || Bound::MaxViolation(0.01).on(Notion::EqualOpportunity);
        let check = |all: &[NotionBound]| NotionBound::check_all(all, &asked);
        assert!(
            check(&[own()]).is_ok() && check(&[Bound::MaxViolation(0.1).into(), Bound::MinRatio(0.8).into()]).is_ok()
        );
        let plain = || NotionBound::from(Bound::MaxViolation(0.1));
        for wrong in
            [vec![own(), own()], vec![plain(), plain()], vec![plain(), own()], vec![Bound::MinRatio(2.0).into()]]
        {
            assert_eq!(check(&wrong).unwrap_err().code(), "setting-invalid", "{wrong:?}");
        }
        let other = [Bound::MaxViolation(0.1).on(Notion::DemographicParity)];
        assert!(check(&other).unwrap_err().to_string().contains("one of the notions asked for"));
    }

    #[test]
    fn files_keep_the_notion() {
        let bounds = [Bound::MaxViolation(0.05).into(), Bound::MinRatio(0.8).on(Notion::EqualOpportunity)];
        let json = serde_json::to_string(&bounds).unwrap();
        assert_eq!(json, r#"[{"max-violation":0.05},{"min-ratio":0.8,"notion":"equal-opportunity"}]"#);
        assert_eq!(serde_json::from_str::<Vec<NotionBound>>(&json).unwrap(), bounds);
    }
}
