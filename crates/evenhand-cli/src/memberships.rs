//! How well features tell groups, as text: what makes a correction costly or cheap where the learner may not see them.

use evenhand::correction::MembershipQuality;

use crate::text::Lines;

/// At most so many models of membership; JSON has all.
const MOST_LINES: usize = 40;

/// A line for each model of membership, under a heading; nothing where there is none.
pub(crate) fn to_text(all: &[MembershipQuality]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut lines = Lines::default();
    lines.push_some(all, MOST_LINES, |one| (format!("  {}", one.name()), vec![format!("{:.3}", one.auc)]));
    format!("How well features tell the group (AUC: 0.5 is not at all, 1 exactly)\n{}\n", lines.render())
}
