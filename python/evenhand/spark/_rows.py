"""Rows of a DataFrame as the engine asks for them: tasks go to the workers, answers come back.

Everything a worker computes is a function of the task and of the rows it has. Lost workers are Spark's to replace: what
is computed again is the same, and blocks that are not are noticed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark import TaskContext
from pyspark.storagelevel import StorageLevel

from .. import _core
from .._exceptions import EvenhandError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Rows"]

Batches = Iterator[pa.RecordBatch]
Work = Callable[[Batches], Batches]
# Of a fit, or of an audit.
Task = type[_core.RemoteTask] | type[_core.AuditTask]

# Rows in a block: what is sent once a block then costs next to nothing, and a worker holds a few of them.
ROWS_IN_BLOCK = 131_072

ANSWER = "answer binary, error string, code string"
BLOCK = "block binary, known binary, error string, code string"


class Rows:
    """The rows of a DataFrame, and their blocks once they are encoded."""

    def __init__(self, frame: DataFrame, task: Task = _core.RemoteTask) -> None:
        self._task = task
        # Spark looks columns up by names in which dots and backquotes mean something: workers name them again.
        self._names = frame.columns
        self._frame = frame.toDF(*(f"column{at}" for at in range(len(frame.columns))))
        self._blocks: DataFrame | None = None

    def on_rows(self, task: bytes) -> list[bytes]:
        """Ask all raw rows."""
        return _answers(self._frame.mapInArrow(asking_rows(task, self._names, self._task), ANSWER))

    def encode(self, task: bytes) -> list[bytes]:
        """Make blocks of all rows, and keep them where they are."""
        self.release()
        blocks = self._frame.mapInArrow(encoding(task, self._names), BLOCK).persist(StorageLevel.MEMORY_AND_DISK)
        self._blocks = blocks
        return _answers(blocks.selectExpr("known AS answer", "error", "code"))

    def on_blocks(self, task: bytes) -> list[bytes]:
        """Ask all blocks."""
        if self._blocks is None:
            raise EvenhandError("the rows were not encoded", "block-format")
        return _answers(self._blocks.select("block").mapInArrow(asking_blocks(task), ANSWER))

    def release(self) -> None:
        """Let go of the blocks."""
        if self._blocks is not None:
            self._blocks.unpersist()
            self._blocks = None

    def __enter__(self) -> Rows:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def _answers(frame: DataFrame) -> list[bytes]:
    found = frame.toArrow()
    for error, code in zip(found["error"].to_pylist(), found["code"].to_pylist(), strict=True):
        if error is not None:
            raise EvenhandError(error, code)
    return [answer for answer in found["answer"].to_pylist() if answer is not None]


def asking_rows(task: bytes, names: list[str], kind: Task) -> Work:
    def work(batches: Batches) -> Batches:
        asked = kind(task)
        answers: list[bytes] = []
        try:
            for start, rows in _chunks(batches, names):
                answer = asked.on_rows(_core.Table.from_arrow(rows, start))
                answers.extend([] if answer is None else [answer])
            if answers:
                yield _answered(asked.merge(answers))
        except EvenhandError as error:
            yield _answered(None, _in_partition(error))

    return work


def asking_blocks(task: bytes) -> Work:
    def work(batches: Batches) -> Batches:
        asked = _core.RemoteTask(task)
        answers: list[bytes] = []
        try:
            for batch in batches:
                for block in batch.column(0):
                    answers.extend(asked.on_block(block.as_buffer().to_pybytes()))
            if answers:
                yield from _merged(asked, answers)
        except EvenhandError as error:
            yield _answered(None, error)

    return work


def _merged(asked: _core.RemoteTask, answers: list[bytes]) -> Batches:
    """Send one answer for all, or each where they cannot be one, as drawn rows cannot."""
    if asked.merges:
        yield _answered(asked.merge(answers))
    else:
        yield from map(_answered, answers)


def encoding(task: bytes, names: list[str]) -> Work:
    def work(batches: Batches) -> Batches:
        asked = _core.RemoteTask(task)
        try:
            for start, rows in _chunks(batches, names):
                for block, known in asked.encode(_core.Table.from_arrow(rows, start)):
                    yield _batch(BLOCK, [block, known, None, None])
        except EvenhandError as error:
            error = _in_partition(error)
            yield _batch(BLOCK, [None, None, str(error), error.code])

    return work


def _chunks(batches: Batches, names: list[str]) -> Iterator[tuple[int, pa.Table]]:
    """Gather batches, which are small, into tables of the size of a block, each with how many rows are before it."""
    waiting: list[pa.RecordBatch] = []
    before, rows = 0, 0
    for batch in batches:
        start = 0
        while start < batch.num_rows:
            part = batch.slice(start, ROWS_IN_BLOCK - rows)
            waiting.append(part)
            rows += part.num_rows
            start += part.num_rows
            if rows == ROWS_IN_BLOCK:
                yield before, pa.Table.from_batches(waiting).rename_columns(names)
                before, waiting, rows = before + rows, [], 0
    if rows:
        yield before, pa.Table.from_batches(waiting).rename_columns(names)


def _in_partition(error: EvenhandError) -> EvenhandError:
    """Say which partition's rows a message counts, from 0 on."""
    context = TaskContext.get()
    where = "" if context is None or " row " not in str(error) else f" (of partition {context.partitionId()})"
    return EvenhandError(f"{error}{where}", error.code)


def _answered(answer: bytes | None, error: EvenhandError | None = None) -> pa.RecordBatch:
    return _batch(ANSWER, [answer, *((None, None) if error is None else (str(error), error.code))])


def _batch(schema: str, values: list[object]) -> pa.RecordBatch:
    types = {"binary": pa.binary(), "string": pa.string()}
    fields = [pa.field(name, types[kind]) for name, kind in (column.split() for column in schema.split(", "))]
    arrays = [pa.array([value], type=field.type) for value, field in zip(values, fields, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))
