//! What a report cannot show, and what its words mean.

use evenhand::Tilt;

use crate::number::{confidence, count, with_minus};
use crate::report::{Kind, Report};

impl Report {
    /// What such a report cannot show.
    pub(crate) fn limits(&self) -> Vec<String> {
        let about = &self.about;
        let mut limits = vec![
            "Error is measured on the observed labels. If these are biased, a classifier that follows them less may be the better one; this page cannot tell.".to_owned(),
            "Equal rates are one definition among several that cannot all hold at once. Which one is right is a question about the decision at hand, not about the data.".to_owned(),
            "None of the numbers is a legal finding. They are not a test of disparate treatment, of adverse impact by the four-fifths rule, or of discrimination under any statute, unless a lawyer says so for the case.".to_owned(),
            "Only the groups named here were looked at. Others, and people within these groups, may fare differently.".to_owned(),
            format!(
                "Intervals are for one number at a time, at {}, and take rows as drawn independently from the people that matter. They do not cover rows that are missing, or people who never came to be rows.",
                confidence(about.confidence)
            ),
            format!("Groups of fewer than {} rows are marked: their rates say little.", count(about.small_group)),
        ];
        if !self.is_trained() {
            // There is no error to report.
            limits.remove(0);
        }
        if about.are_training {
            limits.push("There were no test rows: all numbers are of the rows that the classifier was trained on, and flatter it.".into());
        }
        if !self.blind.memberships.is_empty() {
            limits.push("How well features tell a group is measured on the rows that its model was fitted to, and flatters it where there are few.".into());
        }
        if self.bias.is_some() {
            limits.push(
                "The odds ratios are the bias of whoever gave the labels only under the assumptions stated with them."
                    .into(),
            );
        }
        limits
    }

    /// Words that the page uses, each with its meaning.
    pub(crate) fn definitions(&self) -> Vec<(String, String)> {
        let mut all: Vec<(String, String)> = self
            .notions
            .iter()
            .map(|notion| {
                let scores = if self.about.scores { ", of probabilities instead of decisions" } else { "" };
                (
                    notion.name.clone(),
                    format!(
                        "{}. Its violation is the largest {}{scores}.",
                        notion.definition,
                        with_minus(&notion.measured)
                    ),
                )
            })
            .collect();
        let expected = self.expects_tilts();
        let words: [(bool, &str, &str); 14] = [
            (
                true,
                "Violation",
                "overall (or asked) rate minus group rate; the largest over all groups, without its sign, unless a group is named.",
            ),
            (self.is_trained(), "Error", "the share of rows predicted otherwise than labelled."),
            (true, "Points", "percentage points: the difference of two percentages."),
            (
                true,
                "Interval",
                "where the true value lies, by a method that is right as often as the confidence says: Wilson's for shares, Newcombe's for differences of groups, Agresti and Min's for a change in error.",
            ),
            (
                self.bias.is_some(),
                "Odds ratio",
                "by which factor the odds of a positive label were changed for a group; 1 is no change, 0.5 is half the odds.",
            ),
            (
                self.bias.as_ref().is_some_and(|bias| bias.sensitivity.is_some()),
                "Deserve",
                "to be labelled positive by somebody without bias. How often a group truly does is not in the data: a difference between groups is an assumption.",
            ),
            (
                self.is_trained(),
                "Multiplier",
                "one number for each constraint, λ in the paper: how far labels are tilted back for a group.",
            ),
            (
                self.weighs(),
                "Weight",
                "how much a row counts when the classifier is trained, against the mean of all rows.",
            ),
            (self.weighs() && !expected, "Cell", "all rows alike in groups and label: they share one weight."),
            (
                self.weighs() && expected,
                "Cell",
                "all rows alike in groups and label. The weight of each of them depends on what its features tell of groups.",
            ),
            (
                !self.blind.memberships.is_empty(),
                "AUC",
                "of a member of a group and another row, how often features make the member the likelier one: 0.5 where they say nothing of the group, 1 where they tell it.",
            ),
            (
                self.scores.is_some(),
                "AUC",
                "of a row labelled positive and one that is not, how often the first has the higher score: 0.5 for an order by chance, 1 for a perfect one. Its interval is Newcombe's.",
            ),
            (
                self.scores.is_some(),
                "Calibration",
                "whether scores are as high as labels are frequent; in the large, mean score minus share labelled positive, with a normal interval.",
            ),
            (
                self.scores.is_some(),
                "Expected calibration error",
                "the mean over rows of the distance between mean score and share labelled positive in the bin of their score; by chance, what scores that are probabilities would show on as many rows.",
            ),
        ];
        let used = words.into_iter().filter(|(is_used, ..)| *is_used);
        all.extend(used.map(|(_, word, meaning)| (word.to_owned(), meaning.to_owned())));
        all
    }

    /// Whether rows count by what features tell of groups.
    pub(crate) fn expects_tilts(&self) -> bool {
        let rule = self.search.as_ref().and_then(|search| search.rule);
        !self.blind.tilts()
            && (!self.blind.memberships.is_empty() || rule.is_some_and(|rule| rule.tilt == Tilt::Expected))
    }

    /// Whether rows may count differently.
    fn weighs(&self) -> bool {
        self.search.is_some() && !self.blind.tilts()
    }

    /// What was not done to the data, and where decisions begin, if that was chosen.
    pub(crate) fn statement(&self) -> String {
        let left_alone = self.left_alone();
        self.decided_from.as_ref().map_or_else(|| left_alone.to_owned(), |from| format!("{left_alone} {from}"))
    }

    fn left_alone(&self) -> &'static str {
        match self.method.as_deref() {
            _ if self.kind == Kind::Audit => "Nothing was changed: labels and predictions were counted as they are.",
            _ if self.kind == Kind::Identify => {
                "No label and no feature was changed: a model described the labels, and its probabilities were compared."
            }
            Some("threshold-postprocessing" | "percentile-thresholds") => {
                "No label and no feature was changed: the method decides by thresholds for each group."
            }
            Some("lagrangian") => {
                "No label and no feature was changed: the method adds penalties to what is trained for."
            }
            _ if self.blind.tilts() => {
                "No label and no feature was changed, and no row counts differently: the probabilities of one model are tilted by what features tell of groups."
            }
            _ if self.expects_tilts() => {
                "No label and no feature was changed: rows count more or less in training, by their label and by what their features tell of groups, and nothing else differs."
            }
            Some("unconstrained") => "No label and no feature was changed, and no row counts differently.",
            _ => {
                "No label and no feature was changed: rows count more or less in training, by their groups and label, and nothing else differs."
            }
        }
    }
}
