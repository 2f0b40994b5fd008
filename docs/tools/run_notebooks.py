"""Run the notebooks from top to bottom, and write each as a page with its pictures: `run_notebooks.py OUT`.

What they show is not kept in the repository: a page is made anew of every run.
"""

from __future__ import annotations

import base64
import os
import re
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "docs" / "notebooks"
NEEDS = {"recidivism": "compas"}


def missing_data(name: str) -> str | None:
    """Name the dataset that a notebook needs and that is not here."""
    dataset = NEEDS.get(name)
    folder = Path(os.environ.get("EVENHAND_DATA", "/nowhere"))
    return dataset if dataset and not (folder / dataset).is_dir() else None


def shown(output: dict, page: Path, number: int) -> str:
    """Write an output of a cell as Markdown."""
    if output["output_type"] == "stream":
        return f"```text\n{output['text'].rstrip()}\n```\n"
    data = output.get("data", {})
    if "image/png" in data:
        picture = page.with_name(f"{page.stem}-{number}.png")
        picture.write_bytes(base64.b64decode(data["image/png"]))
        return f"![Picture {number} of this notebook]({picture.name})\n"
    if "text/html" in data:
        table = re.sub(r"<style.*?</style>", "", data["text/html"], flags=re.DOTALL)
        table = re.sub(r"\n\s*", "", table)
        return f'<div class="notebook-table">\n{table}\n</div>\n'
    # What a call of a picture returns says nothing to a reader.
    if "text/plain" in data and not re.match(r"\[?<|Text\(", data["text/plain"]):
        return f"```text\n{data['text/plain'].rstrip()}\n```\n"
    return ""


def run(path: Path, out: Path) -> str:
    """Run a notebook and write its page."""
    start = time.monotonic()
    page = out / f"{path.stem}.md"
    notebook = nbformat.read(path, as_version=4)
    lack = missing_data(path.stem)
    if lack is None:
        NotebookClient(
            notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(out)}}
        ).execute()
    parts, number = [], 0
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(f"{cell.source}\n")
            continue
        parts.append(f"```python\n{cell.source.rstrip()}\n```\n")
        for output in cell.get("outputs", []) if lack is None else []:
            number += 1
            parts.append(shown(output, page, number))
    where = f"[Open it as a notebook](https://github.com/evenhand/evenhand/blob/main/docs/notebooks/{path.name})."
    page.write_text("\n".join([*parts, f"---\n\nThis page is a notebook as it ran. {where}\n"]), encoding="utf-8")
    if lack is not None:
        return f"SKIPPED FOR WANT OF DATA: notebook {path.stem} needs {lack} in EVENHAND_DATA"
    return f"ok notebook {path.stem} in {time.monotonic() - start:.1f} s"


def main() -> int:
    """Run all; an error in a cell ends this with its traceback."""
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    os.environ["OMP_NUM_THREADS"] = "1"
    notebooks = sorted(NOTEBOOKS.glob("*.ipynb"))
    skipped = 0
    with ProcessPoolExecutor(2) as pool:
        for said in pool.map(run, notebooks, [out] * len(notebooks)):
            print(said, flush=True)
            skipped += said.startswith("SKIPPED")
    return 1 if skipped and os.environ.get("EVENHAND_DATA_REQUIRED") == "1" else 0


if __name__ == "__main__":
    sys.exit(main())
