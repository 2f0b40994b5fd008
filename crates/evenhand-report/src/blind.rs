//! How well features tell groups that a learner may not see, and what deciding by that takes.
//!
//! Holds [`Blind`], made of what the engine says of a solution.

use evenhand::Predictor;
use evenhand::correction::{Apply, Binding, MembershipQuality, Solution};
use serde::{Deserialize, Serialize};

/// What stands above models of membership.
pub(crate) const MEMBERSHIPS: &str = "How well features tell the group";

/// What multipliers are applied to, and by what knowledge of groups.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Blind {
    /// What multipliers are applied to.
    pub apply: Apply,
    /// How well features tell each group that the learner may not see, where that was modelled.
    pub memberships: Vec<MembershipQuality>,
    /// What decisions depend on, and what new rows need, where probabilities are tilted.
    pub deciding: Option<String>,
}

impl Blind {
    /// Of several solutions, by the first that has models: they are those of all.
    pub(crate) fn of<'a, P: Predictor + 'a>(
        binding: &Binding,
        mut solutions: impl Iterator<Item = &'a Solution<P>>,
    ) -> Self {
        let of = |one: &Solution<P>| Self {
            apply: one.apply,
            memberships: one.memberships(binding),
            deciding: one.deciding(binding),
        };
        solutions.find(|one| one.expected.is_some()).map(of).unwrap_or_default()
    }

    /// Whether multipliers tilt the probabilities of one model.
    pub(crate) fn tilts(&self) -> bool {
        self.apply == Apply::Tilt
    }
}
