"""The estimator: a corrected classifier with scikit-learn's manners."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

from sklearn.base import ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import Tags, get_tags

from . import _core
from ._bounds import Bound
from ._data import Data, Target, assemble, positive_of, quiet_about
from ._exceptions import EvenhandWarning, warn_of
from ._external import Learner
from ._progress import watching
from ._reporting import Fit, Reporting
from ._results import library_of, trade_off_of
from ._sensitive import sensitive_of
from .constraints import Constraints, spelled

__all__ = ["EvenhandClassifier"]

Callback = Callable[[dict[str, Any]], object]


class EvenhandClassifier(ClassifierMixin, MetaEstimatorMixin, Reporting):  # type: ignore[misc]
    """Classifier corrected for label bias by re-weighting rows, or by tilting probabilities.

    Finds one multiplier per constraint that says how far labels were tilted against a group, and
    trains on the observed labels with weights that undo the tilt [1]_. No label and no feature is
    changed, and predicting needs no sensitive features. (With ``apply="tilt"`` the probabilities of one model are
    tilted back instead, and decisions depend on an estimate of who is in a group.)

    Parameters
    ----------
    estimator : estimator object, default=None
        What is trained. None is the built-in logistic regression, which takes raw frames: texts,
        categories, booleans, missing values and numbers as they are; so does a :class:`Network`. Any other estimator
        must take ``sample_weight`` in ``fit`` (a pipeline: in its last step), or go with ``method="sampling"``. It is
        cloned.
    constraints : str, Constraint or list of these, default="demographic_parity"
        What should be equal across groups: ``"demographic_parity"``, ``"disparate_impact"``,
        ``"paper_disparate_impact"`` (only the groups' own indicators are withheld; built-in learner),
        ``"equal_opportunity"``, ``"equalized_odds"``, ``"predictive_equality"``, ``"equal_accuracy"``,
        ``"target-rate=[CLASS:]RATE"``, ``"group-target-rate=[CLASS:]RATE"``, ``"pinned=GROUP[:ACCURACY]"``,
        ``"known-rate=GROUP:RATE"``,
        ``"rate=predicted EVENT [weighted by COLUMN] [given SUBSET] [against SUBSET|RATE]"`` (see
        :class:`evenhand.constraints.Rate`), fairlearn's spellings, or objects of :mod:`evenhand.constraints`.
    notion : str, Constraint or list of these, default=None
        The command line's word for ``constraints``; give one of the two.
    max_violation : float or dict, default=None
        Ask for no more than this: largest ``|overall - group|`` rate, the definition of the paper. The
        least correction that meets it is looked for. Without any bound: as even as the rows can
        tell, unless what is left costs more error than it is worth (about a point of error for a point of violation).
        With several constraints a number is for all of them; a dictionary has one for each,
        ``{"equal_opportunity": 0.01}``, and for the others under ``"all"``, so that
        ``{"all": 0.05, "target_rate": 0.005}`` holds a target rate closely. A constraint without any
        is asked to be as even as the rows can tell.
    max_difference : float or dict, default=None
        Ask for no more than this between any two groups: largest difference of their rates.
    min_ratio : float or dict, default=None
        Ask for no less than this between any two groups: smallest ratio of their rates.
    notable_change : float, default=None
        Warn (``"notable-change"``, ``"levelled-down"``, ``"missing-apart"``) where the correction changes how many rows
        are predicted positive, or wrong, by more than this share of the larger rate and beyond chance, or has more
        errors than one decision for everyone (``"worse-than-constant"``); None is 0.2, the measure of the four-fifths
        rule, and 1 says nothing.
    margin : float, default=None
        How many standard errors to stay below a bound, so that it holds on new rows too; None is 1.645, and 0 aims at
        the bound itself. For ``preset="default"`` alone.
    min_group : int, default=None
        Groups with fewer rows, of those that a rate is about, are measured, shown and tested, but not corrected for;
        None is 30. For ``preset="default"`` alone.
    groups : str or list of str, default=None
        Group specifications over the columns of X and of ``sensitive_features``, in place of one group for each
        value: ``"race=Black,White"``, ``"race=Black|Hispanic"`` (one group of both), ``"age<=30"``, ``"age/5"``
        (quantiles), ``"sex*race"`` (intersections).
    intersections : bool, default=False
        Whether the groups are the intersections of several sensitive features, in place of each feature's own.
    withhold : list of str, default=None
        Columns of X the learner may not see.
    categorical : list of str, default=None
        Columns of X that hold numbers and are categories to the built-in learner. Those whose values are groups
        (``"RAC1P"``, ``"RAC1P=1,2"``, ``X[["RAC1P"]]``) are so by themselves.
    numeric : list of str, default=None
        Columns of X that are numbers to the built-in learner, even if groups are made of their values.
    missing : list of str, default=None
        Texts that mean a missing value, such as ``"?"``, in every column. The model file keeps them, so that
        ``evenhand predict`` reads them alike. With the built-in learner alone.
    method : str, default="weighting"
        ``"weighting"`` weighs rows (``"correction"`` on the command line, and accepted here); ``"sampling"`` keeps each
        with a probability equal to its weight over the largest (with the paper's presets, to its weight), for
        estimators that take no weights. For comparison there are other methods: ``"unconstrained"`` (no correction),
        ``"reweighing"`` (Kamiran & Calders) and, with the built-in learner, ``"lagrangian"`` (Eban et al.),
        ``"threshold-postprocessing"`` (Hardt et al.: thresholds by group, with random decisions between them),
        ``"thresholds"`` (the same without randomness) and ``"percentile-thresholds"`` (the paper's calibration as it
        was run, to repeat its numbers: percentiles of the scores of each pattern of groups; ``"calibration"`` is
        accepted too). The last three decide by group: ``predict`` then needs ``sensitive_features``.
    measure : {"decisions", "scores"}, default="decisions"
        Whether decisions or probabilities are compared.
    threshold : {"half", "best"}, default="half"
        The probability from which a row is decided positive: 0.5 (``"half"``), or the threshold with the fewest
        training errors without correction (``"best"``). With ``"best"`` a correction is found for both thresholds and
        the better one is kept; other methods use their own best threshold. Probabilities do not change. For two
        classes, and an estimator that has ``predict_proba``.
    covariate_shift : {"ignored", "corrected"}, default="ignored"
        Weighting also changes the distribution of the features (the other half of the paper's Theorem 1): rows whose
        likely label is favoured count more. ``"ignored"`` is the paper's algorithm; ``"corrected"`` divides every row's
        weight by an estimate of that change, from the estimator's probabilities without correction, which takes one
        more fit. It rarely helps, is not available for notions of accuracy, and leaves nothing of the correction with
        an estimator that memorises its training rows.
    apply : {"weights", "tilt"}, default="weights"
        What the multipliers change: the weights of the training rows, with a new fit for each set of multipliers tried;
        or the probabilities of one model of the observed labels, tilted by an estimate of group membership
        (Corollary 1 of the paper). ``"tilt"`` takes one fit, and one more for each group that is not in X; the
        estimator needs ``predict_proba`` and no ``sample_weight``. Decisions then depend on an estimate of group
        membership, or on the group itself where X has it: where that is not allowed, use weights.
    tilt : {"expected", "centred", "paper"}, default=None
        How multipliers enter the weights: by the probability of group membership given the features, by the row's own
        groups, or by bare membership as in the paper's algorithms. None is ``"expected"`` with ``apply="tilt"`` and,
        with the built-in learner, for disparate impact; ``"paper"`` with the paper's presets; else ``"centred"``.
        ``"expected"`` takes a fit of the estimator for each group that is withheld.
    validation : str, default="training"
        By which rows multipliers are chosen: ``"training"``, ``"holdout[=SHARE]"`` (rows kept from the
        classifier) or ``"k-fold[=FOLDS]"`` (all rows, each decided by a model fitted without it).
    preset : {"default", "paper", "notebook"}, default="default"
        How multipliers are found: by sequential quadratic programming, by the paper's Algorithms 1 and 2 as printed,
        or as its authors' notebooks have them.
    weight_range : {"bounded", "unbounded"}, default=None
        Whether weights lie between 0 and 1, as in the paper, or have no upper limit (``--range`` on the command line).
        None is bounded, unless these end short of what is asked. For ``preset="default"`` alone.
    max_fits : int, default=None
        How many times to fit at most; None is 100.
    pos_label : label, default=None
        The positive one of two classes; None is ``classes_[1]``. With more classes none is needed.
    l2 : float, default=None
        Penalty of the built-in learner on the squares of its coefficients; None is 1.
    standardise : bool, default=None
        Whether the built-in learner centres and scales numbers; None is yes, but for ``preset="notebook"``.
    interactions : bool, default=None
        Whether intersections among the groups (``"sex*race"``) are features of the built-in learner too, where it sees
        their columns: a linear learner cannot tell them apart otherwise. None is yes with ``preset="default"`` alone.
    random_state : int, default=0
        Seed of the random draws of ``method="sampling"``, of random thresholds and of ``validation``.
    callback : callable, default=None
        Called after every fit with a dictionary (``fit``, ``violation``, ``error``, ``loss``, ``seconds``,
        ``multipliers``, ``violations``); returning False stops with the best model so far.
    progress : bool, default=False
        Show a progress bar (tqdm) of the fits.
    on_interrupt : {"raise", "keep"}, default="raise"
        What Ctrl-C does: raise KeyboardInterrupt, or keep the best model so far (``stop_`` is ``"cancelled"``).

    Attributes
    ----------
    estimator_ : object
        The fitted estimator; the built-in learner's model where ``estimator`` is None.
    classes_ : ndarray
        The classes, sorted.
    sample_weight_ : ndarray of shape (n_samples,)
        The weight of every training row in the paper's closed form, times the user's own; with
        ``covariate_shift="corrected"`` divided as the estimator was given it.
    multipliers_ : dict
        One number per constraint, lambda in the paper.
    effects_ : dict
        What the multipliers come to, per constraint: by which factor they multiply the odds of a positive label (of the
        constraint's class) for a member of the group, over that for everybody else. 1.8 says that a member's odds are
        raised by 80 % against those of others. None where a constraint is about everyone or about accuracy. Empty with
        another estimator whose groups are not in X.
    violations_ : dict
        Overall (or asked) rate minus group rate on the training rows, per constraint: above 0 where the group gets
        less.
    violation_ : float
        The largest of them in absolute value.
    history_ : list of dict
        Every fit: multipliers, violations, error and loss.
    stop_ : str
        How the search ended: ``"converged"``, ``"too-costly"``, ``"iteration-limit"``, ``"stalled"``,
        ``"infeasible"`` or ``"cancelled"``; ``"not-searched"`` where nothing was searched for: by the methods
        ``"unconstrained"`` and ``"reweighing"``, and where no group has ``min_group`` rows.
    trade_off_ : dict or None
        Where the search stopped for the cost (``stop_`` is ``"too-costly"``): the ``violation`` of a fit that went on,
        and its ``cost``, by how much its share of errors is higher.
    threshold_ : float
        The probability from which a row is decided positive; 0.5 unless ``threshold="best"`` found a better one.
    effect_ : dict or None
        What the correction changes on the training rows beside evenness: ``error`` and ``positive_rate``
        (``before``, ``after``, ``low`` and ``high`` of the difference, ``notable``), ``helped`` (groups that had less
        than everyone), ``missing`` (rows without a value, and the others) and ``summary``, a sentence or None where
        nothing is notable. None where the method has no fit without correction to compare with, and after :meth:`load`.
    memberships_ : frame or None
        How well features tell each group that the estimator does not see, where that was modelled: ``group``,
        ``labelled`` (the label of the rows among which it is predicted, None for all rows) and ``auc``, on the training
        rows: 0.5 where features say nothing of the group, 1 where they tell it.
    n_fits_ : int
        How many times the learner was called.
    n_features_in_ : int
        How many columns X had.
    feature_names_in_ : ndarray of str
        Their names, where X was a frame.

    References
    ----------
    .. [1] H. Jiang and O. Nachum, "Identifying and Correcting Label Bias in Machine Learning", AISTATS 2020.

    Examples
    --------
    >>> from evenhand import EvenhandClassifier
    >>> from evenhand.datasets import make_loans
    >>> X, y, _ = make_loans(2000, random_state=1)
    >>> clf = EvenhandClassifier(constraints="demographic_parity", max_violation=0.02)
    >>> clf = clf.fit(X, y, sensitive_features=X["sex"])
    >>> clf.stop_, clf.violation_ <= 0.02
    ('converged', True)
    >>> clf.predict(X.head(3)).shape
    (3,)
    """

    def __init__(
        self,
        estimator: Any = None,
        constraints: Constraints = "demographic_parity",
        *,
        notion: Constraints | None = None,
        max_violation: Bound | None = None,
        max_difference: Bound | None = None,
        min_ratio: Bound | None = None,
        notable_change: float | None = None,
        margin: float | None = None,
        min_group: int | None = None,
        groups: str | Sequence[str] | None = None,
        intersections: bool = False,
        withhold: Sequence[str] | None = None,
        categorical: Sequence[str] | None = None,
        numeric: Sequence[str] | None = None,
        missing: Sequence[str] | None = None,
        method: str = "weighting",
        measure: str = "decisions",
        threshold: str = "half",
        covariate_shift: str = "ignored",
        apply: str = "weights",
        tilt: str | None = None,
        validation: str = "training",
        preset: str = "default",
        weight_range: str | None = None,
        max_fits: int | None = None,
        pos_label: Any = None,
        l2: float | None = None,
        standardise: bool | None = None,
        interactions: bool | None = None,
        random_state: int = 0,
        callback: Callback | None = None,
        progress: bool = False,
        on_interrupt: str = "raise",
    ) -> None:
        self.estimator = estimator
        self.constraints = constraints
        self.notion = notion
        self.max_violation = max_violation
        self.max_difference = max_difference
        self.min_ratio = min_ratio
        self.notable_change = notable_change
        self.margin = margin
        self.min_group = min_group
        self.groups = groups
        self.intersections = intersections
        self.withhold = withhold
        self.categorical = categorical
        self.numeric = numeric
        self.missing = missing
        self.method = method
        self.measure = measure
        self.threshold = threshold
        self.covariate_shift = covariate_shift
        self.apply = apply
        self.tilt = tilt
        self.validation = validation
        self.preset = preset
        self.weight_range = weight_range
        self.max_fits = max_fits
        self.pos_label = pos_label
        self.l2 = l2
        self.standardise = standardise
        self.interactions = interactions
        self.random_state = random_state
        self.callback = callback
        self.progress = progress
        self.on_interrupt = on_interrupt

    def fit(self, X: Any, y: Any, *, sensitive_features: Any = None, sample_weight: Any = None) -> EvenhandClassifier:
        """Find the weights, and train with them.

        Parameters
        ----------
        X : frame, array or sparse matrix of shape (n_samples, n_features)
            With the built-in learner a frame is taken raw, and a sparse matrix becomes dense columns: some 16 bytes for
            every row and column while fitting. Otherwise whatever ``estimator`` takes, as it is.
        y : array-like of shape (n_samples,)
            Labels, of two classes or more.
        sensitive_features : column, columns, masks, matrix or specifications, default=None
            One column; a frame, or a dictionary, of several, each with groups of its own; a list of boolean masks or a
            boolean matrix of shape (n_samples, n_groups), which may overlap; or group specifications over the columns
            of X (``"sex"``, ``["sex", "age<=30"]``). A row whose value is missing is in no group of that
            column, and still trained on. None makes everyone one group: nothing is corrected.
        sample_weight : array-like of shape (n_samples,), default=None
            The user's own weights. They count relative to their mean, so that their unit does not change the penalty;
            where they are counts, ``l2`` divided by their mean gives the fit to repeated rows.

        Returns
        -------
        self : EvenhandClassifier
        """
        self._check_choices()
        X, target, weight = self._checked(X, y, sample_weight)
        notions = spelled(self.constraints, self.notion)
        sensitive = sensitive_of(
            sensitive_features, len(target.codes), groups=self.groups, intersections=self.intersections
        )
        lone = any(kind in notion for notion in notions for kind in ("target", "pinned", "known"))
        lone = lone or any(notion.startswith("rate=") and "each group" not in notion for notion in notions)
        if not sensitive.specs and not lone:
            message = (
                f"{type(self).__name__}.fit got no sensitive_features: everyone is one group, nothing is corrected"
            )
            warnings.warn(EvenhandWarning(message, "no-groups"), stacklevel=2)
        positive = positive_of(target, self.pos_label)

        def gathered() -> Data:
            return assemble(
                self._features(X),
                target,
                sensitive,
                positive=positive,
                sample_weight=weight,
                groups_needed=not lone,
                categorical=self.categorical,
                numeric=self.numeric,
                missing=self.missing,
            )

        data = gathered()
        settings = self._settings(notions, data, X)
        learner = None
        if not self._is_built_in():
            self._withheld_columns = self._withheld(notions, data, X)
            learner = Learner(
                self.estimator,
                self._shown(X),
                target.classes[target.codes],
                target.classes,
                self._engine_order(target, positive),
                self.method == "sampling" or self.apply == "tilt",
                weight,
            )
        interrupts = nullcontext() if learner is None else learner.interrupts
        with interrupts, watching(self.callback, self.progress, settings.most_fits) as callback:
            found = _core.fit(
                data.table,
                data.roles,
                settings,
                learner=learner,
                callback=callback,
                keep=self.on_interrupt == "keep",
            )
        # That everyone is one group has been said.
        self._library = library_of(X, sensitive_features, y)
        self._keep(found, target, quiet_about(X) | (frozenset() if sensitive.specs else {"own-reference"}))
        self._fitted = Fit(found.state, gathered, learner)
        return self

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn what this takes: what the estimator takes."""
        tags = super().__sklearn_tags__()
        if self._is_built_in():
            tags.input_tags.sparse = True
            tags.input_tags.allow_nan = True
            tags.input_tags.categorical = True
        else:
            inner = get_tags(self.estimator)
            tags.input_tags = inner.input_tags
            tags.classifier_tags = inner.classifier_tags
            if tags.classifier_tags is not None:
                tags.classifier_tags.multi_label = False
            tags.non_deterministic = inner.non_deterministic
        return tags

    def _keep(self, found: _core.Fitted, target: Target, quiet: frozenset[str]) -> None:
        train = json.loads(found.train)
        self.classes_ = target.classes
        self._order = [found.classes.index(text) for text in target.texts]
        self._binding = found.binding
        self.threshold_ = found.binding.threshold
        self.estimator_ = found.model if found.model is not None else found.predictor.estimator
        self.sample_weight_ = found.sample_weight
        self.multipliers_ = dict(found.multipliers)
        self.effects_ = dict(found.odds_factors)
        self.violations_ = {one["name"]: one["value"] for one in train["violations"]}
        self.violation_ = train["violation"]
        self.history_ = found.history
        self.stop_ = found.stop
        self.trade_off_ = trade_off_of(found.trade_off)
        self.effect_ = None if found.effect is None else json.loads(found.effect)
        self.memberships_ = self._memberships(found.memberships)
        tilting = found.tilting
        self._tilting = None if tilting is None else (tilting[0], [one.estimator for one in tilting[1]])
        self.n_fits_ = found.fits
        warn_of(found.warnings, stacklevel=3, quiet=quiet)
