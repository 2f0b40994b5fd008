"""What tests share: made-up loans, and the public datasets where there are any."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from evenhand.datasets import make_loans

# Warnings of how a search ended.
OUTCOMES = (
    "ignore:.*(was not reached|was not searched for|stopped for the cost|held to half a standard error"
    "|nobody is told apart):evenhand.EvenhandWarning"
)


def pytest_configure(config: pytest.Config) -> None:
    """Name the marker of tests that are not about how a search ends."""
    config.addinivalue_line("markers", "any_outcome: warnings of how a search ended are no errors")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let searches of tests with that marker end as they like."""
    for item in items:
        if item.get_closest_marker("any_outcome"):
            item.add_marker(pytest.mark.filterwarnings(OUTCOMES))


@pytest.fixture(scope="session")
def loans():
    """Applicants, decisions on them, and what an even hand would have given."""
    return make_loans(3000, random_state=1)


@pytest.fixture(scope="session")
def dataset():
    """Give the folder of a public dataset; without it the test is skipped, and says so."""

    def folder(name: str) -> Path:
        place = os.environ.get("EVENHAND_DATA")
        if place and (Path(place) / name).is_dir():
            return Path(place) / name
        message = f"SKIPPED FOR WANT OF DATA: {name}; name its folder with EVENHAND_DATA"
        if os.environ.get("EVENHAND_DATA_REQUIRED") == "1":
            pytest.fail(message)
        pytest.skip(message)

    return folder
