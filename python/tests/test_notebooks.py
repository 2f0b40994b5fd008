"""What notebooks show: small tables, escaped, in the notebook's own colours."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from sklearn.linear_model import LogisticRegression

from evenhand import EvenhandClassifier, audit, frontier, identify


class Balanced(HTMLParser):
    """Reads HTML, and finds tags that are not closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag not in {"input", "br", "img"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def read(html):
    reader = Balanced()
    reader.feed(html)
    assert reader.open == []
    return reader.seen


@pytest.fixture(scope="module")
def rude(loans):
    """Groups whose names would be tags."""
    X, _, _ = loans
    return X["sex"].map({"female": "<b>f</b>", "male": "m & m"}).rename("<i>sex</i>")


def test_an_audit_is_two_tables_with_every_text_escaped(loans, rude):
    X, y, _ = loans
    for predicted in (None, y):
        html = audit(y, predicted, sensitive_features=rude)._repr_html_()
        assert read(html).count("table") == 2
        assert "<b>" not in html
        assert "&lt;i&gt;sex&lt;/i&gt;=&lt;b&gt;f&lt;/b&gt;" in html
        assert "m &amp; m" in html
        # Rates carry their intervals and their definitions.
        assert "Wilson intervals, 95%" in html
        assert "largest |overall - group| rate" in html
    several = audit(X["region"], X["region"], sensitive_features=rude)._repr_html_()
    assert "positive" in several
    assert read(several).count("table") == 2


def test_identification_and_frontier_are_tables(loans):
    X, y, _ = loans
    found = identify(X, y, sensitive_features="sex=female")._repr_html_()
    assert read(found).count("table") == 1
    assert "only if" in found
    assert read(frontier(X, y, sensitive_features="sex", points=3)._repr_html_()).count("table") == 1


@pytest.mark.any_outcome
@pytest.mark.parametrize("estimator", [None, LogisticRegression()])
def test_a_fitted_classifier_shows_what_was_found_below_its_diagram(loans, rude, estimator):
    X, y, _ = loans
    numbers = X[["income", "history"]]
    clf = EvenhandClassifier(estimator)
    before = clf._repr_html_()
    clf.fit(numbers, y, sensitive_features=rude)
    html = clf._repr_html_()
    assert clf._repr_mimebundle_()["text/html"].endswith(html[html.rindex("<table") :])
    assert "multiplier" in html
    assert "multiplier" not in before
    assert f"after {clf.n_fits_} fits" in html
    shown = html[html.rindex("<table") :]
    read(shown)
    assert "<b>" not in shown
    # No colour of ours: a notebook may be dark or light.
    assert "#" not in shown
    assert "color:inherit" in shown
