"""Whether an installed evenhand does its work: a fit, predictions, an audit, a report, the command line. Takes the version it must have."""

import subprocess
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
assert len(decisions) == 3000 and set(decisions) == {0, 1}, set(decisions)
print(audit(y, decisions, sensitive_features=X["sex"]))

with tempfile.TemporaryDirectory() as folder:
    page = Path(folder) / "report.html"
    classifier.report().save(page)
    assert "</html>" in page.read_text(encoding="utf-8")

for program in (["evenhand"], [sys.executable, "-m", "evenhand"]):
    said = subprocess.run([*program, "--version"], check=True, capture_output=True, text=True).stdout
    assert said.startswith(f"evenhand {sys.argv[1]}\nengine: "), said
    shown = subprocess.run([*program, "demo", "--rows", "2000"], check=True, capture_output=True, text=True).stdout
    assert "true labels" in shown, shown

print(f"evenhand {evenhand.__version__} on Python {sys.version.split()[0]}, {sys.platform}: trained, predicted, audited, reported; so did its command line")
