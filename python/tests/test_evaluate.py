"""A fitted classifier, or a model file, evaluated on new labelled rows, and computed again from its own."""

import numpy as np
import pytest

from evenhand import EvenhandClassifier, EvenhandError, evaluate, verify
from evenhand.datasets import make_loans


@pytest.fixture(scope="module")
def fitted():
    X, y, _ = make_loans(4000, random_state=3)
    return EvenhandClassifier(max_violation=0.2).fit(X, y, sensitive_features="sex")


def test_a_file_and_the_classifier_are_judged_alike(fitted, tmp_path):
    later, labels, _ = make_loans(4000, random_state=4)
    fitted.save(tmp_path / "model.json")
    found = evaluate(fitted, later, labels, sensitive_features="sex")
    assert evaluate(tmp_path / "model.json", later, labels, sensitive_features="sex") == found
    assert found.error == pytest.approx(np.mean(np.asarray(fitted.predict(later)) != np.asarray(labels)), abs=1e-12)
    assert found.violation == max(abs(value) for value in found.violations.values())
    assert [one.verdict for one in found.bounds] == ["met"]
    assert found.meets_bounds(strict=True)


def test_few_rows_do_not_tell(fitted):
    later, labels, _ = make_loans(1000, random_state=5)
    found = evaluate(fitted, later[:60], labels[:60], sensitive_features="sex")
    assert not found.meets_bounds(strict=True)


def test_bounds_of_ones_own_take_the_place_of_the_classifiers(fitted):
    later, labels, _ = make_loans(4000, random_state=4)
    found = evaluate(fitted, later, labels, sensitive_features="sex", max_violation=0.0001, min_ratio=0.01)
    assert [one.bound for one in found.bounds] == ["max-violation", "min-ratio"]
    assert [one.fails() for one in found.bounds] == [True, False]
    assert not found.meets_bounds()
    low, high = found.intervals["demographic-parity sex=female"]
    assert low < found.violations["demographic-parity sex=female"] < high
    with pytest.raises(EvenhandError, match="equal_accuracy"):
        evaluate(fitted, later, labels, sensitive_features="sex", max_violation={"equal_accuracy": 0.1})


def test_a_value_beyond_its_bound_fails_also_where_rows_are_too_few(fitted):
    later, labels, _ = make_loans(1000, random_state=5)
    found = evaluate(fitted, later[:60], labels[:60], sensitive_features="sex", max_violation=0.001)
    assert found.bounds[0].verdict == "too-few-rows"
    assert not found.meets_bounds()
    assert "60 rows: error" in str(found)


def test_what_is_no_classifier_is_refused():
    with pytest.raises(EvenhandError, match="not a int"):
        evaluate(3, None, None)


def test_a_model_is_computed_again_from_its_rows(fitted, tmp_path):
    X, y, _ = make_loans(4000, random_state=3)
    found = verify(fitted, X, y, sensitive_features="sex")
    assert found.matches
    assert all(check.matches is not False for check in found.checks)
    fitted.save(tmp_path / "model.json")
    assert verify(tmp_path / "model.json", X, y, sensitive_features="sex").matches
    # Groups that X tells need not be named again.
    assert verify(fitted, X, y).matches
    assert verify(tmp_path / "model.json", X, y).matches
    other = verify(fitted, X.assign(income=X["income"] + 1), y, sensitive_features="sex")
    assert not other.matches
    assert "DIFFERS" in str(other)
    with pytest.raises(EvenhandError, match="not fitted"):
        verify(EvenhandClassifier(), X, y)
