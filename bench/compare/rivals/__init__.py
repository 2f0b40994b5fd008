"""The rivals: one file each, with one signature.

`fit(train, notion)` returns a function from a part to the probability that each of its rows
is decided positively (0 or 1 where nothing is left to chance), and the number of fits of
logistic regression that it took. `FORM` says which form of the matrix it is given, the
faster of those that it accepts; bringing the matrix into that form is not timed. `PACKAGE` is
what it comes from.

The learner is the same for all, that of the published experiments: liblinear, C = 1, which
penalises the intercept too.
"""

from . import exponentiated_gradient, liblinear_loop, lot, threshold_optimizer

RIVALS = {
    "liblinear-loop": liblinear_loop,
    "exponentiated-gradient": exponentiated_gradient,
    "threshold-optimizer": threshold_optimizer,
    "lot": lot,
}
