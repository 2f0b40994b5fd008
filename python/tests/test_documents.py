"""The Python shown in the README and in the documentation runs."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "docs" / "python.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
@pytest.mark.filterwarnings("ignore::evenhand.EvenhandWarning")
def test_shown_code_runs(page, tmp_path, monkeypatch):
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    assert blocks, f"{page.name} shows no Python"
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)


def tool(name, monkeypatch):
    """Load a program of docs/tools, without leaving a compiled copy beside it."""
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    monkeypatch.syspath_prepend(ROOT / "docs" / "tools")
    return importlib.import_module(name)


def test_the_readme_is_a_front_door():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 150


def test_blocks_are_found_with_what_is_said_of_them(tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text(
        "<!-- exit: 1 -->\n```sh\nfalse\n```\n\n=== tab\n\n    ```python\n    x = 1\n    ```\n\n"
        "<!-- not run: it needs a network -->\n```sh\ncurl x\n```\n"
    )
    blocks = tool("blocks", monkeypatch)
    found = blocks.blocks_of(page)
    assert [(one.line, one.language, one.exit_code, one.not_run) for one in found] == [
        (2, "sh", 1, None),
        (8, "python", 0, None),
        (13, "sh", 0, "it needs a network"),
    ]
    assert found[1].code == "x = 1\n"
    assert blocks.needs(page) is None
    page.write_text("# Spark\n\n<!-- needs: spark -->\n")
    assert blocks.needs(page) == "spark"


def test_a_page_is_red_where_a_block_fails_or_shows_something_else(tmp_path, monkeypatch, capsys):
    run_page = tool("run_page", monkeypatch)
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    shown = "```sh\necho one; echo two; echo three\n```\n\n```text\none\n…\nthree\n```\n"
    for text, code in [
        (shown, 0),
        (shown.replace("…\nthree", "three\ntwo"), 1),
        ("```sh\nfalse\n```\n", 1),
        ("```python\nx = 1\n```\n\n```python\nassert x == 2\n```\n", 1),
        ("<!-- exit: 3 -->\n```sh\nexit 3\n```\n", 0),
    ]:
        page.write_text(text)
        assert run_page.run(page) == code, text
    assert "page.md:5" in capsys.readouterr().out


def test_links_that_lead_nowhere_are_found(tmp_path, monkeypatch):
    (tmp_path / "a.html").write_text('<a href="b.html#here">b</a><a href="b.html#there">b</a><img src="none.png">')
    (tmp_path / "b.html").write_text('<h1 id="here">b</h1>')
    assert [one.split(": ")[1] for one in tool("check_links", monkeypatch).complaints(tmp_path)] == [
        "b.html#there",
        "none.png",
    ]
