"""Made-up applicants as a folder of Parquet files: `people.py FOLDER ROWS`.

Ten categories and three numbers a row, of which sex and race tell groups; labels are biased against some of them. Row groups are drawn from a seed
of their own, so that the first rows of a large file are those of a small one, and any number of rows takes the same little memory.
"""

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

SEED = 2026
ROWS_IN_GROUP = 500_000
GROUPS_IN_FILE = 10

# Per column: its categories, and how uneven they are.
CATEGORIES = {
    "sex": (["Female", "Male"], 0.1),
    "race": (["Asian", "Black", "Native", "Other", "White"], 0.9),
    "education": ([f"level {i:02}" for i in range(16)], 0.2),
    "occupation": ([f"job {i:02}" for i in range(15)], 0.1),
    "sector": ([f"sector {i}" for i in range(9)], 0.4),
    "marital": (["divorced", "married", "never", "separated", "widowed"], 0.4),
    "region": ([f"region {i:02}" for i in range(42)], 0.05),
    "housing": (["other", "own", "rent"], 0.5),
    "purpose": ([f"purpose {i:02}" for i in range(12)], 0.15),
    "history": (["bad", "fair", "good", "none"], 0.3),
}


def draw(group: int, rows: int) -> pa.Table:
    """The rows of one row group."""
    rng = np.random.default_rng([SEED, group])
    columns: dict[str, pa.Array] = {}
    score = np.zeros(rows)
    for place, (name, (values, skew)) in enumerate(CATEGORIES.items()):
        shares = np.exp(-skew * np.arange(len(values)))
        codes = rng.choice(len(values), size=rows, p=shares / shares.sum()).astype(np.int8)
        effects = np.random.default_rng([SEED, 10_000 + place]).normal(scale=0.35, size=len(values))
        score += effects[codes]
        columns[name] = pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(values))
        if name == "sex":
            score -= 0.6 * (codes == 0)
        if name == "race":
            score -= 0.5 * (codes == 1)
    age = np.clip(rng.gamma(6.0, 6.5, size=rows) + 17, 17, 90).astype(np.int16)
    hours = np.clip(rng.normal(39, 11, size=rows), 1, 99).astype(np.int16)
    amount = rng.lognormal(8.5, 0.9, size=rows).astype(np.float32)
    score += 0.03 * (age - 40) - 0.0005 * (age - 40) ** 2 + 0.02 * (hours - 39) - 0.4 * (np.log(amount) - 8.5) - 0.9
    labels = (rng.random(rows) < 1 / (1 + np.exp(-score))).astype(np.int8)
    columns |= {"age": pa.array(age), "hours": pa.array(hours), "amount": pa.array(amount)}
    columns["approved"] = pa.DictionaryArray.from_arrays(pa.array(labels), pa.array(["no", "yes"]))
    return pa.table(columns)


def main(folder: Path, rows: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    groups = -(-rows // ROWS_IN_GROUP)
    for first in range(0, groups, GROUPS_IN_FILE):
        writer = None
        for group in range(first, min(first + GROUPS_IN_FILE, groups)):
            table = draw(group, min(ROWS_IN_GROUP, rows - group * ROWS_IN_GROUP))
            writer = writer or pq.ParquetWriter(folder / f"part-{first // GROUPS_IN_FILE:03}.parquet", table.schema)
            writer.write_table(table, row_group_size=ROWS_IN_GROUP)
        writer.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
