//! How well features tell who is in a group, and what deciding by that takes: in words, for people.
//!
//! Holds [`MembershipQuality`], what an [`ExpectedTilt`] says of its models by the names of a [`Binding`].

use serde::{Deserialize, Serialize};

use super::{Binding, ExpectedTilt, MembershipModel};
use crate::constraint::Labelled;

/// How well a model of membership tells the rows of a group from all others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MembershipQuality {
    /// The name of the group.
    pub group: String,
    /// The label of the rows among which it tells them; `None` for all rows.
    pub labelled: Option<String>,
    /// The share of pairs of a member and another that it puts in the right order, on the rows that it was fitted to: 0.5 where features say
    /// nothing of the group, 1 where they tell it.
    pub auc: f64,
}

impl MembershipQuality {
    /// The group, with the label of the rows among which it is predicted.
    pub fn name(&self) -> String {
        match &self.labelled {
            Some(label) => format!("{}, labelled `{label}`", self.group),
            None => self.group.clone(),
        }
    }
}

impl<P> ExpectedTilt<P> {
    /// How well features tell each group that the learner may not see.
    pub fn quality(&self, binding: &Binding) -> Vec<MembershipQuality> {
        let (groups, classes) = (binding.group_names(), binding.classes());
        let of = |model: &MembershipModel<P>| MembershipQuality {
            group: groups.get(model.group).cloned().unwrap_or_default(),
            labelled: label(model.labelled, classes),
            auc: model.auc,
        };
        self.memberships.iter().map(of).collect()
    }

    /// What decisions depend on, and what new rows need, where multipliers tilt the probabilities of a model: a sentence.
    pub fn deciding(&self, binding: &Binding) -> String {
        let columns = binding.group_columns().join(", ");
        match (self.uses_groups(), self.memberships.is_empty()) {
            (true, true) => format!("Decisions depend on the group, which features tell: new rows need its columns ({columns})."),
            (true, false) => format!(
                "Decisions depend on the group where features tell it, else on an estimate of who is in it: new rows need the columns of groups ({columns})."
            ),
            (false, false) => {
                "Decisions depend on an estimate of who is in a group, made from the features: new rows need the features, and no group.".to_owned()
            }
            (false, true) => "Decisions depend on the features alone, and on no group.".to_owned(),
        }
    }
}

/// The label of rows; of two classes one is the other one's negation.
fn label(labelled: Labelled, classes: &[String]) -> Option<String> {
    match labelled {
        Labelled::Any => None,
        Labelled::As(class) => classes.get(class).cloned(),
        Labelled::NotAs(class) if classes.len() == 2 => classes.get(1 - class.min(1)).cloned(),
        Labelled::NotAs(class) => classes.get(class).map(|name| format!("not {name}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_named_by_their_label() {
        let (two, three) = (["no", "yes"].map(str::to_owned), ["a", "b", "c"].map(str::to_owned));
        assert_eq!(label(Labelled::Any, &two), None);
        assert_eq!(label(Labelled::As(1), &two).as_deref(), Some("yes"));
        assert_eq!(label(Labelled::NotAs(1), &two).as_deref(), Some("no"));
        assert_eq!(label(Labelled::NotAs(2), &three).as_deref(), Some("not c"));
        let named = MembershipQuality { group: "sex=f".into(), labelled: Some("yes".into()), auc: 0.5 };
        assert_eq!(named.name(), "sex=f, labelled `yes`");
    }
}
