"""Whether an installed evenhand does its work: a fit, predictions, an audit, a report, a model file. Takes the version it must have."""

import sys
import tempfile
from pathlib import Path

import evenhand
from evenhand import EvenhandClassifier, audit
from evenhand.datasets import make_loans

assert evenhand.__version__ == sys.argv[1], f"installed is {evenhand.__version__}, expected {sys.argv[1]}"

X, y, _ = make_loans(3000)
classifier = EvenhandClassifier(constraints="demographic_parity").fit(X, y, sensitive_features=X[["sex"]])
decisions = classifier.predict(X)
assert len(decisions) == 3000
assert set(decisions) == {"no", "yes"} or len(set(decisions)) == 2, set(decisions)

before, after = (str(audit(y, values, sensitive_features=X["sex"])) for values in (y, decisions))
assert before != after

with tempfile.TemporaryDirectory() as folder:
    page = Path(folder) / "report.html"
    classifier.report().save(page)
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>"), page.read_text(encoding="utf-8")[:80]

print(f"evenhand {evenhand.__version__} on Python {sys.version.split()[0]}, {sys.platform}: trained, predicted, audited, reported")
