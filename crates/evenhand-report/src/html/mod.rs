//! A report as one page that needs nothing else: no network, no fonts, no server.
//!
//! `groups`, `gaps`, `scores`, `blind`, `bias`, `sensitivity`, `tradeoff` and `steps` turn parts of a report into charts and tables; `dots` and `plot` are
//! the charts, `table` their text alternative, `scale` their axes, and `charted` has them together; `direction` keeps
//! names that run from right to left apart. Templates escape whatever they are given; the report itself is in the page
//! as JSON, and the script, which is the only one that the page's policy lets run, reads it from there.

mod bias;
mod blind;
mod charted;
mod direction;
mod dots;
mod gaps;
mod groups;
mod plot;
mod scale;
mod scores;
mod sensitivity;
mod steps;
mod table;
mod tradeoff;

use askama::Template;
use base64::Engine as _;
use sha2::{Digest as _, Sha256};

use crate::Result;
use crate::number::{percent, points};
use crate::report::Report;
use charted::Charted;
use direction::isolated;
use scores::ScoresView;
use sensitivity::SensitivityView;
use steps::SearchView;
use table::Table;
use tradeoff::TradeoffView;

const STYLE: &str = include_str!("../../templates/style.css");
const SCRIPT: &str = include_str!("../../templates/script.js");

/// The page.
#[derive(Template)]
#[template(path = "page.html")]
struct Page<'a> {
    report: &'a Report,
    title: String,
    summary: Vec<String>,
    warnings: Vec<String>,
    measured_on: String,
    /// Two numbers before and after, with what they are.
    headline: Vec<[String; 3]>,
    panels: Vec<Charted>,
    gaps: Option<Charted>,
    scores: Option<ScoresView>,
    /// How well features tell groups.
    memberships: Option<Table>,
    bias: Option<Charted>,
    /// What the bias would be if groups truly differed.
    sensitivity: Option<SensitivityView>,
    tradeoff: Option<TradeoffView>,
    search: Option<SearchView>,
    settings: String,
    learner: String,
    statement: String,
    limits: Vec<String>,
    definitions: Vec<(String, String)>,
    json: String,
    policy: String,
    style: &'static str,
    script: &'static str,
}

impl Report {
    /// The report as one page.
    ///
    /// # Errors
    /// [`crate::Error::Template`] or [`crate::Error::Json`].
    pub fn html(&self) -> Result<String> {
        let pretty = |value: &serde_json::Value| serde_json::to_string_pretty(value);
        let page = Page {
            report: self,
            title: isolated(&self.title()),
            summary: self.summary().iter().map(|sentence| isolated(sentence)).collect(),
            warnings: self.warnings.iter().map(|warning| isolated(warning)).collect(),
            measured_on: self.measured_on(),
            headline: self.headline(),
            panels: self.panels.iter().map(|panel| groups::panel(panel, &self.about)).collect(),
            gaps: gaps::gaps(self),
            scores: self.scores.as_ref().map(|found| scores::view(found, &self.about)),
            memberships: blind::memberships(&self.blind),
            bias: self.bias.as_ref().and_then(bias::bias),
            sensitivity: self.bias.as_ref().and_then(sensitivity::sensitivity),
            tradeoff: self.tradeoff.as_ref().and_then(|tradeoff| tradeoff::tradeoff(self, tradeoff)),
            search: self.search.as_ref().map(|search| steps::search(self, search)),
            settings: pretty(&self.record.settings)?,
            learner: pretty(&self.record.learner)?,
            statement: self.statement(),
            limits: self.limits(),
            definitions: self.definitions(),
            json: for_script(&serde_json::to_string(self)?),
            policy: policy(),
            style: STYLE,
            script: SCRIPT,
        };
        Ok(page.render()?)
    }

    fn headline(&self) -> Vec<[String; 3]> {
        let Some(change) = self.change else { return Vec::new() };
        let violation = change.violation_before.zip(change.violation_after).map(|(before, after)| {
            ["Largest violation (|overall − group|), in points".to_owned(), points(before), points(after)]
        });
        let error =
            ["Error on the observed labels".to_owned(), percent(change.error_before), percent(change.error_after)];
        violation.into_iter().chain([error]).collect()
    }
}

/// JSON that ends no script element and starts no comment, whatever names it holds.
fn for_script(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// Nothing may be loaded, and no script may run but the page's own.
fn policy() -> String {
    let hash = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(SCRIPT));
    format!("default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{hash}'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_in_a_page_is_the_same_json() {
        let hostile = serde_json::to_string("</script><!-- & \u{2028} é 🦉").unwrap();
        let shown = for_script(&hostile);
        assert!(!shown.contains('<') && !shown.contains('&') && !shown.contains('\u{2028}'), "{shown}");
        let back: String = serde_json::from_str(&shown).unwrap();
        assert_eq!(back, "</script><!-- & \u{2028} é 🦉");
    }
}
