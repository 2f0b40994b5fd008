"""The scripts in ci/ that judge this repository see what they are there to see."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def script(name, monkeypatch):
    """Load a script of ci/ that has no suffix, without leaving a compiled copy beside it."""
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "ci" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


@pytest.fixture
def deny(monkeypatch):
    return script("deny", monkeypatch)


@pytest.fixture
def rules():
    return {
        "licenses": {
            "allow": ["MIT", "Apache-2.0 WITH LLVM-exception"],
            "include-dev": True,
            "exceptions": [{"crate": "odd", "allow": ["CC0-1.0"]}],
        },
        "bans": {"wildcards": "deny", "allow-wildcard-paths": True, "multiple-versions": "deny", "skip": []},
        "sources": {"unknown-registry": "deny", "unknown-git": "deny"},
    }


def package(name, version="1.0.0", **other):
    source = "registry+https://github.com/rust-lang/crates.io-index"
    return {"name": name, "version": version, "license": "MIT", "source": source, "dependencies": [], **other}


@pytest.mark.parametrize(
    ("expression", "met"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("GPL-3.0-only OR MIT", True),
        ("MIT AND GPL-3.0-only", False),
        ("GPL-3.0-only AND ISC OR MIT", True),
        ("GPL-3.0-only AND (ISC OR MIT)", False),
        ("(ISC OR MIT) AND MIT", True),
        ("ISC/MIT", True),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("MIT WITH LLVM-exception", False),
    ],
)
def test_a_licence_is_met_by_what_is_allowed_and_by_nothing_else(deny, rules, expression, met):
    assert deny.satisfied(expression, set(rules["licenses"]["allow"])) is met


@pytest.mark.parametrize("expression", ["", "MIT OR", "(MIT", "MIT)", "MIT MIT", "AND MIT"])
def test_a_licence_that_cannot_be_read_is_not_allowed(deny, expression):
    with pytest.raises(deny.Unreadable, match="licence"):
        deny.satisfied(expression, {"MIT"})


def test_what_is_not_allowed_is_named(deny, rules):
    assert deny.complaints(rules, [package("a"), package("b"), package("odd", license="CC0-1.0")]) == []
    packages = [
        package("bare", license=None),
        package("strict", license="GPL-3.0-only"),
        package("elsewhere", source="git+https://example.org/elsewhere"),
        package("ours", source=None, dependencies=[{"name": "any", "req": "*"}]),
        package("twice", "1.0.0"),
        package("twice", "2.0.0"),
    ]
    found = deny.complaints(rules, packages)
    kinds = [complaint.split(":")[0] for complaint in found]
    assert kinds == ["licence", "licence", "source", "wildcard", "second version"], found


def test_a_version_passed_over_must_be_there(deny, rules):
    rules["bans"]["skip"] = [{"crate": "twice:^1"}]
    packages = [package("twice", "1.0.0"), package("twice", "2.0.0")]
    assert deny.complaints(rules, packages) == []
    # ^1 is not 11, and a skip that fits nothing is out of date.
    packages[0]["version"] = "11.0.0"
    assert [complaint.split(":")[0] for complaint in deny.complaints(rules, packages)] == ["second version", "skip"]


@pytest.mark.parametrize(
    ("section", "key"), [("bans", "wildcards"), ("sources", "unknown-git"), ("licenses", "private")]
)
def test_a_rule_that_would_be_passed_over_is_refused(deny, rules, section, key):
    rules[section][key] = "warn"
    with pytest.raises(deny.Unreadable, match=key):
        deny.complaints(rules, [package("a")])


def test_every_place_says_the_same_version(monkeypatch, tmp_path):
    version = script("version", monkeypatch)
    found, complaints = version.complaints(ROOT, None)
    assert complaints == []
    for name in ["Cargo.toml", "Cargo.lock", "CITATION.cff"]:
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "CHANGELOG.md").write_text(f"## [{found}] - 2020-01-31\n")
    assert version.complaints(tmp_path, f"v{found}") == (found, [])
    assert len(version.complaints(tmp_path, "v99.0.0")[1]) == 1
    (tmp_path / "CHANGELOG.md").write_text("## [Unreleased]\n")
    (tmp_path / "CITATION.cff").write_text("version: 99.0.0\n")
    assert len(version.complaints(tmp_path, f"v{found}")[1]) == 2
