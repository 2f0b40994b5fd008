"""Build the site: `python docs/tools/build.py`, which leaves it in target/site/html.

Pages are staged in target/site/pages: those of docs/, the results of bench/, the reference of commands (by the program
`evenhand` itself), the schemas of JSON outputs, pictures of a terminal, and notebooks as they ran. Links to files of
the repository that are no pages go to where it is published; a link to nothing is an error, and so is any warning of
mkdocs.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from terminal import draw

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "target" / "site"
PAGES, HTML, NOTEBOOKS = SITE / "pages", SITE / "html", SITE / "notebooks"
REPOSITORY = "https://github.com/evenhand/evenhand/blob/main"
LINK = re.compile(r"(\]\()([^)\s]+)(\))|((?:href|src)=\")([^\"]+)(\")")
# Pages and pictures; what stands in these folders is no page.
KINDS = {".md", ".png", ".svg", ".css", ".js"}
LEFT_OUT = {"tools", "overrides"}


def stage() -> None:
    """Copy what is written by hand, with its links set right."""
    shutil.rmtree(PAGES, ignore_errors=True)
    PAGES.mkdir(parents=True)
    sources = [path for path in (ROOT / "docs").rglob("*") if path.suffix in KINDS]
    sources = [path for path in sources if not LEFT_OUT & set(path.relative_to(ROOT / "docs").parts)]
    sources += [
        path for path in (ROOT / "bench").rglob("*") if path.suffix in {".md", ".svg"} and "notes" not in path.stem
    ]
    for source in sorted(sources):
        place = PAGES / staged(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            place.write_text(with_links(source), encoding="utf-8")
        else:
            shutil.copyfile(source, place)


def staged(source: Path) -> Path:
    """Where a file of the repository goes among the pages."""
    docs = ROOT / "docs"
    return source.relative_to(docs) if source.is_relative_to(docs) else source.relative_to(ROOT)


def with_links(source: Path) -> str:
    """Give a page whose links lead to other pages, or to the repository."""

    def mend(match: re.Match[str]) -> str:
        before, target, after = (part for part in match.groups() if part is not None)
        return f"{before}{mended(source, target)}{after}"

    text = source.read_text(encoding="utf-8")
    # What is in code blocks is no link.
    parts = re.split(r"(^ *```.*?^ *```)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if at % 2 else LINK.sub(mend, part) for at, part in enumerate(parts))


def mended(source: Path, target: str) -> str:
    """Give a link of a page as it must be among the staged pages."""
    path, _, anchor = target.partition("#")
    if re.match(r"[a-z]+:", target) or not path:
        return target
    # Pages that are made when the site is built.
    if any(
        part in path for part in ("reference/commands/", "commands/", "schemas/", "notebooks/", "terminals/")
    ) and source.is_relative_to(ROOT / "docs"):
        return target
    found = (source.parent / path).resolve()
    anchor = f"#{anchor}" if anchor else ""
    if not found.exists():
        raise SystemExit(f"{source.relative_to(ROOT)}: a link to {target}, which is not there")
    if found.is_dir() or not is_staged(found):
        return f"{REPOSITORY}/{found.relative_to(ROOT)}{anchor}"
    return os.path.relpath(PAGES / staged(found), (PAGES / staged(source)).parent) + anchor


def is_staged(found: Path) -> bool:
    """Whether a file is one of those that are staged."""
    inside = found.is_relative_to(ROOT / "docs") or (
        found.is_relative_to(ROOT / "bench") and found.suffix in {".md", ".svg"}
    )
    return inside and found.suffix in KINDS and "notes" not in found.stem


def make_commands() -> None:
    """Let the program itself write the reference of commands."""
    out = PAGES / "reference" / "commands"
    out.mkdir(parents=True)
    program = Path(sys.executable).with_name("evenhand")
    subprocess.run([program, "man", "--format", "markdown", "--into", out], check=True)


def make_schemas() -> None:
    """Copy the schemas of JSON outputs, with a table of keys for each, and one page of warnings."""
    out = PAGES / "reference" / "schemas"
    out.mkdir(parents=True)
    for source in sorted((ROOT / "crates" / "evenhand-cli" / "schemas").glob("*.json")):
        shutil.copyfile(source, out / source.name)
        schema = json.loads(source.read_text(encoding="utf-8"))
        lines = [f"# JSON of `{schema['title']}`", "", f"[The schema]({source.name}) as a file.", ""]
        lines += ["| key | type | always there | meaning |", "| --- | --- | --- | --- |"]
        lines += list(rows_of(schema, schema, ""))
        (out / f"{source.stem}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
        if source.stem == "fit":
            (out / "warnings.md").write_text("\n".join(warnings_of(schema)) + "\n", encoding="utf-8")


def resolved(root: dict, schema: dict) -> dict:
    """Follow references; what stands beside one is said of this place, and what may be null says so in its type."""
    null = [one for one in schema.get("anyOf", []) if one != {"type": "null"}]
    if len(null) == 1:
        inner = resolved(root, null[0])
        return {**inner, **{key: value for key, value in schema.items() if key != "anyOf"}, "nullable": True}
    if "$ref" in schema:
        target = resolved(root, root["$defs"][schema["$ref"].rsplit("/", 1)[1]])
        return {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
    return schema


def kind_of(schema: dict) -> str:
    """Say what a value is: its type, or the words that it may be."""
    words = schema.get("enum", [one["const"] for one in schema.get("oneOf", []) if "const" in one])
    kinds = schema.get("type", "object" if "oneOf" in schema else "any")
    kinds = [f"`{word}`" for word in words] or ([kinds] if isinstance(kinds, str) else kinds)
    return ", ".join([*kinds, *["null"] * schema.get("nullable", False)])


def rows_of(root: dict, schema: dict, before: str):  # noqa: ANN201
    """Give a line for each key of a schema and of what is below it."""
    parts = [(schema, schema.get("required", []))]
    parts += [(resolved(root, one), []) for one in schema.get("oneOf", []) if before != "warnings[]."]
    known: set[str] = set()
    for part, always in parts:
        for key, below in part.get("properties", {}).items():
            if key in known:
                continue
            known.add(key)
            below = resolved(root, below)
            said = below.get("description", "").replace("|", "\\|")
            if before + key == "warnings":
                said += " [All of them](warnings.md)."
            yield f"| `{before}{key}` | {kind_of(below)} | {'yes' if key in always else ''} | {said} |"
            yield from rows_of(root, below, f"{before}{key}.")
            if "items" in below:
                yield from rows_of(root, resolved(root, below["items"]), f"{before}{key}[].")


def warnings_of(root: dict):  # noqa: ANN201
    """Give the page of warnings: what each says, and which data it has."""
    record = root["$defs"]["WarningRecord"]
    yield from ("# Warnings", "")
    yield "Most `--json` outputs have a list `warnings`. Each has a `code`, a `message` in words, and the data"
    yield "named here. In Python each is an `EvenhandWarning` with that `code`."
    yield from ("", "| code | means | data |", "| --- | --- | --- |")
    for one in sorted(record["oneOf"], key=lambda one: one["properties"]["code"]["const"]):
        data = [f"`{key}`" for key in one["properties"] if key != "code"]
        yield f"| `{one['properties']['code']['const']}` | {one['description']} | {', '.join(data)} |"


def add_notebooks() -> None:
    """Take pages of notebooks as `run_notebooks.py` left them; without them the site cannot be built."""
    if not any(NOTEBOOKS.glob("*.md")):
        raise SystemExit("no notebook has been run: python docs/tools/run_notebooks.py target/site/notebooks")
    out = PAGES / "notebooks"
    out.mkdir(exist_ok=True)
    for source in [*NOTEBOOKS.glob("*.md"), *NOTEBOOKS.glob("*.png")]:
        shutil.copyfile(source, out / source.name)


def main() -> int:
    """Stage the pages and build them."""
    stage()
    make_commands()
    make_schemas()
    draw(PAGES / "terminals", Path(sys.executable).with_name("evenhand"))
    add_notebooks()
    shutil.rmtree(HTML, ignore_errors=True)
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--config-file", ROOT / "mkdocs.yml"]
    return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
