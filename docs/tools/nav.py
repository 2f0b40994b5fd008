"""A hook of mkdocs: every command that the program has gets its line among the pages of the site."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def on_config(config: Any) -> Any:
    """Put the pages of commands under `Commands`, the program's own first."""
    pages = sorted(Path(config["docs_dir"], "reference", "commands").glob("*.md"), key=lambda page: page.stem)
    reference = next(one["Reference"] for one in config["nav"] if "Reference" in one)
    commands = next(one for one in reference if isinstance(one, dict) and "Commands" in one)
    commands["Commands"] = [{page.stem.replace("-", " "): f"reference/commands/{page.name}"} for page in pages]
    return config
