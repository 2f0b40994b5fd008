//! The spellings of notions.
//!
//! Ours are words with hyphens; fairlearn's class names and spellings are understood too.
//! Blanks, hyphens, underscores and capitals do not matter.

use std::fmt;
use std::str::FromStr;

use super::{Notion, RateNotion, sentence};
use crate::group::GroupSpec;
use crate::{Error, Result};

/// Notions without parameters: our spelling, the notion, and other spellings with the marks left out.
const PLAIN: [(&str, Notion, &[&str]); 7] = [
    ("demographic-parity", Notion::DemographicParity, &["statisticalparity", "dp"]),
    ("disparate-impact", Notion::DisparateImpact, &[]),
    ("paper-disparate-impact", Notion::PaperDisparateImpact, &[]),
    ("equal-opportunity", Notion::EqualOpportunity, &["truepositiverateparity", "tprparity"]),
    ("equalized-odds", Notion::EqualizedOdds, &["equalisedodds", "eo"]),
    ("predictive-equality", Notion::PredictiveEquality, &["falsepositiverateparity", "fprparity"]),
    ("equal-accuracy", Notion::EqualAccuracy, &["errorrateparity", "accuracyparity", "overallaccuracyequality"]),
];

/// How notions with parameters are written.
const PARAMETERS: [&str; 5] = [
    "target-rate=[CLASS:]RATE",
    "group-target-rate=[CLASS:]RATE",
    "pinned=GROUP[:ACCURACY]",
    "known-rate=GROUP:RATE",
    sentence::FORM,
];

impl fmt::Display for Notion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TargetRate { class, rate, per_group } => {
                let group = if *per_group { "group-" } else { "" };
                let class = class.as_ref().map(|class| format!("{class}:")).unwrap_or_default();
                write!(f, "{group}target-rate={class}{rate}")
            }
            Self::Pinned { rows, accuracy } => write!(f, "pinned={rows}:{accuracy}"),
            Self::KnownRate { rows, rate } => write!(f, "known-rate={rows}:{rate}"),
            Self::Rate(rate) => write!(f, "rate={rate}"),
            plain => {
                let name = PLAIN.iter().find(|(_, notion, _)| notion == plain).map_or("", |(name, ..)| name);
                f.write_str(name)
            }
        }
    }
}

impl Notion {
    /// Whether a text names it, in any spelling: with its parameter, or the kind of notion alone.
    pub fn is_called(&self, text: &str) -> bool {
        let own = self.to_string();
        let kind = own.split('=').next().unwrap_or(&own);
        text.parse::<Self>().is_ok_and(|notion| notion == *self) || squeeze(text) == squeeze(kind)
    }
}

impl FromStr for Notion {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = |problem: String| {
            let known = PLAIN.iter().map(|(name, ..)| (*name).to_owned());
            let known = known.chain(PARAMETERS.iter().map(|&form| form.to_owned())).collect();
            Error::NotionSyntax { notion: text.to_owned(), problem, known }
        };
        let (name, parameters) = match text.split_once('=') {
            Some((name, parameters)) => (squeeze(name), Some(parameters.trim())),
            None => (squeeze(text), None),
        };
        let plain = PLAIN.iter().find(|(ours, _, others)| squeeze(ours) == name || others.contains(&name.as_str()));
        match (plain, name.as_str(), parameters) {
            (Some((_, notion, _)), _, None) => Ok(notion.clone()),
            (Some(_), _, Some(_)) => Err(wrong("it takes no parameter".into())),
            (None, "targetrate" | "grouptargetrate", Some(parameters)) => {
                let (class, rate) = match parameters.rsplit_once(':') {
                    Some((class, rate)) => (Some(class.trim().to_owned()), rate),
                    None => (None, parameters),
                };
                let rate = share(rate).filter(|rate| *rate > 0.0 && *rate < 1.0);
                let rate = rate.ok_or_else(|| wrong(format!("`{parameters}` is not a rate between 0 and 1")))?;
                Ok(Self::TargetRate { class, rate, per_group: name == "grouptargetrate" })
            }
            (None, "pinned", Some(parameters)) => {
                let (rows, accuracy) = match parameters.rsplit_once(':') {
                    Some((rows, accuracy)) if share(accuracy).is_some() => (rows, share(accuracy)),
                    _ => (parameters, Some(1.0)),
                };
                let accuracy = accuracy.filter(|accuracy| *accuracy > 0.0 && *accuracy <= 1.0);
                let accuracy = accuracy.ok_or_else(|| wrong("the accuracy must be above 0 and at most 1".into()))?;
                Ok(Self::Pinned { rows: rows.parse::<GroupSpec>()?, accuracy })
            }
            (None, "knownrate", Some(parameters)) => {
                let (rows, rate) = parameters
                    .rsplit_once(':')
                    .ok_or_else(|| wrong("it needs a group and a rate, GROUP:RATE".into()))?;
                let known = share(rate).filter(|rate| *rate > 0.0 && *rate < 1.0);
                let rate = known.ok_or_else(|| wrong(format!("`{rate}` is not a rate between 0 and 1")))?;
                Ok(Self::KnownRate { rows: rows.parse::<GroupSpec>()?, rate })
            }
            (None, "rate", Some(parameters)) => {
                let wrong = |problem| Error::RateSyntax { notion: text.to_owned(), problem };
                parameters.parse::<RateNotion>().map(Self::Rate).map_err(wrong)
            }
            (None, "targetrate" | "grouptargetrate" | "pinned" | "knownrate" | "rate", None) => {
                Err(wrong("it needs a parameter".into()))
            }
            _ => Err(wrong("there is no such notion".into())),
        }
    }
}

impl TryFrom<String> for Notion {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<Notion> for String {
    fn from(notion: Notion) -> Self {
        notion.to_string()
    }
}

fn squeeze(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn share(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|share: &f64| share.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_reads_back_as_itself() {
        for text in [
            "demographic-parity",
            "disparate-impact",
            "paper-disparate-impact",
            "equal-opportunity",
            "equalized-odds",
            "predictive-equality",
            "equal-accuracy",
            "target-rate=0.1",
            "target-rate=2:0.1",
            "group-target-rate=0.25",
            "pinned=verified=yes:0.95",
            "known-rate=sex=Female:0.24",
            "rate=predicted positive given sex=Female against sex=Male",
        ] {
            assert_eq!(text.parse::<Notion>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn fairlearn_spellings_mean_the_same() {
        for (theirs, ours) in [
            ("demographic_parity", "demographic-parity"),
            ("DemographicParity", "demographic-parity"),
            ("true_positive_rate_parity", "equal-opportunity"),
            ("TruePositiveRateParity", "equal-opportunity"),
            ("false_positive_rate_parity", "predictive-equality"),
            ("equalized_odds", "equalized-odds"),
            ("EqualizedOdds", "equalized-odds"),
            ("error_rate_parity", "equal-accuracy"),
        ] {
            assert_eq!(theirs.parse::<Notion>().unwrap(), ours.parse().unwrap());
        }
    }

    #[test]
    fn what_cannot_be_read_is_a_notion_syntax_error() {
        for text in [
            "",
            "fairness",
            "target-rate",
            "known-rate=sex",
            "known-rate=sex:2",
            "rate",
            "rate=",
            "rate=positive given sex",
            "target-rate=2",
            "target-rate=1.5",
            "demographic-parity=1",
        ] {
            assert_eq!(text.parse::<Notion>().unwrap_err().code(), "notion-syntax", "{text}");
        }
    }
}
