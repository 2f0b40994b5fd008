//! One class told from all others, where a model of every class would have too many coefficients.
//!
//! Holds [`OneClass`]. Where all notions speak of one class alone, Proposition 1 multiplies the probability of that class and of no other: its odds against all
//! others together change by the same factor, and a model of these odds, with one margin in place of one for every class, identifies it.

use super::joint::{self, MOST_COEFFICIENTS};
use super::{Identify, estimate::Estimated};
use crate::Result;
use crate::constraint::{Constraint, Event, Labelled};
use crate::correction::{Binding, Problem};
use crate::data::Dataset;

/// The same rows with two classes: one of theirs, and all others together.
pub(super) struct OneClass {
    /// Its number among all classes.
    class: usize,
    pub(super) problem: Problem,
    /// In words, what was taken together and why.
    pub(super) because: String,
}

impl OneClass {
    /// `None` where a model of all classes will do, and where notions speak of several of them.
    ///
    /// # Errors
    /// Those of [`Binding::new`].
    pub(super) fn of(settings: &Identify, problem: &Problem, data: &Dataset) -> Result<Option<Self>> {
        let (all, one) = (joint::coefficients(problem), problem.features().width() + 1);
        let Some(class) = only_class(problem.constraints()) else { return Ok(None) };
        if problem.classes() == 2 || all <= MOST_COEFFICIENTS || one > MOST_COEFFICIENTS {
            return Ok(None);
        }
        let (_, own, _) = Binding::new(&settings.correction()?, &data.one_class(class)?)?;
        let because = format!(
            "all other labels are taken together, since a model of all {} would have {all} coefficients",
            problem.classes()
        );
        Ok(Some(Self { class, problem: own, because }))
    }

    /// The estimate in terms of all classes.
    pub(super) fn of_all(&self, estimated: Estimated) -> Estimated {
        Estimated { asked: estimated.asked.iter().map(|(group, _)| (*group, self.class)).collect(), ..estimated }
    }
}

/// The one class that constraints count, and condition on if they condition on any.
fn only_class(constraints: &[Constraint]) -> Option<usize> {
    let Event::Predicts(class) = constraints.first()?.event else { return None };
    let own = |labelled| {
        matches!(labelled, Labelled::Any)
            || matches!(labelled, Labelled::As(one) | Labelled::NotAs(one) if one == class)
    };
    let only = |one: &Constraint| one.event == Event::Predicts(class) && own(one.labelled) && own(one.base().1);
    constraints.iter().all(only).then_some(class)
}
