"""Rows of a DataFrame as the engine asks for them: tasks go to the workers, answers come back.

Everything a worker computes is a function of the task and of the rows it has. Lost workers are Spark's to replace: what
is computed again is the same, and blocks that are not are noticed.

To compute rows and to hand them over is most of what Spark does. So that is done once: rows are packed into chunks of
columns, which are kept until they are encoded. Where there are several machines, chunks and blocks are kept on two of
them: a copy costs little, and a lost machine's rows need not be computed again.
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

# How many rows of its partition are before a chunk, and the chunk.
PACKED = "start long, chunk binary"
ANSWER = "answer binary, error string, code string"
BLOCK = "block binary, known binary, error string, code string"

# What codes of texts are kept in, by how many different texts there are.
CODES = ((1 << 7, pa.int8()), (1 << 15, pa.int16()))


class Rows:
    """The rows of a DataFrame, packed, and their blocks once they are encoded."""

    def __init__(self, frame: DataFrame, task: Task = _core.RemoteTask, level: str | None = None) -> None:
        self._task = task
        self._level = storage_level(level) if level is not None else _usual_level(frame)
        # Spark looks columns up by names in which dots and backquotes mean something: workers name them again.
        names = frame.columns
        frame = frame.toDF(*(f"column{at}" for at in range(len(names))))
        self._packed = frame.mapInArrow(packing(names), PACKED).persist(self._level)
        self._blocks: DataFrame | None = None

    def on_rows(self, task: bytes) -> list[bytes]:
        """Ask all raw rows."""
        return _answers(self._packed.mapInArrow(asking_rows(task, self._task), ANSWER))

    def encode(self, task: bytes) -> list[bytes]:
        """Make blocks of all rows, and keep them where they are in place of the rows."""
        self._let_go()
        blocks = self._packed.mapInArrow(encoding(task), BLOCK).persist(self._level)
        self._blocks = blocks
        known = _answers(blocks.selectExpr("known AS answer", "error", "code"))
        self._packed.unpersist()
        return known

    def aggregate(self, task: bytes) -> list[bytes]:
        """Make blocks of which rows that repeat are in one once, and keep them in place of those there are."""
        before = self._known_blocks()
        after = before.select("block").mapInArrow(aggregating(task), BLOCK).persist(self._level)
        self._blocks = after
        try:
            return _answers(after.selectExpr("known AS answer", "error", "code"))
        finally:
            before.unpersist()

    def on_blocks(self, task: bytes) -> list[bytes]:
        """Ask all blocks."""
        return _answers(self._known_blocks().select("block").mapInArrow(asking_blocks(task), ANSWER))

    def _known_blocks(self) -> DataFrame:
        if self._blocks is None:
            raise EvenhandError("the rows were not encoded", "block-format")
        return self._blocks

    def release(self) -> None:
        """Let go of whatever is kept."""
        self._packed.unpersist()
        self._let_go()

    def _let_go(self) -> None:
        if self._blocks is not None:
            self._blocks.unpersist()
            self._blocks = None

    def __enter__(self) -> Rows:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def storage_level(name: str) -> StorageLevel:
    """Look up the level of a name such as MEMORY_AND_DISK_2."""
    level = getattr(StorageLevel, name, None) if name.isupper() else None
    if not isinstance(level, StorageLevel) or name == "NONE":
        known = [one for one, value in vars(StorageLevel).items() if isinstance(value, StorageLevel) and one != "NONE"]
        raise EvenhandError(f"storage level {name!r}: Spark knows {', '.join(sorted(known))}", "setting-invalid")
    return level


def _usual_level(frame: DataFrame) -> StorageLevel:
    """Choose one copy where Spark runs in one process, which has no other to keep a second one, else two."""
    master = frame.sparkSession.conf.get("spark.master", None) or ""
    alone = master == "local" or master.startswith("local[")
    return StorageLevel.MEMORY_AND_DISK if alone else StorageLevel.MEMORY_AND_DISK_2


def _answers(frame: DataFrame) -> list[bytes]:
    found = frame.toArrow()
    for error, code in zip(found["error"].to_pylist(), found["code"].to_pylist(), strict=True):
        if error is not None:
            raise EvenhandError(error, code)
    return [answer for answer in found["answer"].to_pylist() if answer is not None]


def packing(names: list[str]) -> Work:
    def work(batches: Batches) -> Batches:
        for start, rows in _chunks(batches):
            yield _batch(PACKED, [start, _packed(rows.rename_columns(names))])

    return work


def _packed(rows: pa.Table) -> bytes:
    """Write a table, whose texts become codes: most columns of texts have few."""
    for at, column in enumerate(rows.columns):
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            rows = rows.set_column(at, rows.column_names[at], _coded(column))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as out:
        out.write_table(rows)
    written: bytes = sink.getvalue().to_pybytes()
    return written


def _coded(texts: pa.ChunkedArray) -> pa.Array:
    coded = texts.combine_chunks().dictionary_encode()
    fits = (kind for most, kind in CODES if len(coded.dictionary) <= most)
    return pa.DictionaryArray.from_arrays(coded.indices.cast(next(fits, pa.int32())), coded.dictionary)


def _unpacked(batches: Batches) -> Iterator[tuple[int, pa.Table]]:
    for batch in batches:
        for start, chunk in zip(*batch.columns, strict=True):
            yield start.as_py(), pa.ipc.open_stream(chunk.as_buffer()).read_all()


def asking_rows(task: bytes, kind: Task) -> Work:
    def work(batches: Batches) -> Batches:
        asked = kind(task)
        answers: list[bytes] = []
        try:
            for start, rows in _unpacked(batches):
                if asked.columns is not None:
                    rows = rows.select(asked.columns)
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


def encoding(task: bytes) -> Work:
    def work(batches: Batches) -> Batches:
        asked = _core.RemoteTask(task)
        try:
            for start, rows in _unpacked(batches):
                yield from _kept(asked.encode(_core.Table.from_arrow(rows, start)))
        except EvenhandError as error:
            error = _in_partition(error)
            yield _batch(BLOCK, [None, None, str(error), error.code])

    return work


def aggregating(task: bytes) -> Work:
    def work(batches: Batches) -> Batches:
        try:
            once = _core.RemoteTask(task).aggregation()
            for batch in batches:
                for block in batch.column(0):
                    yield from _kept(once.add(block.as_buffer().to_pybytes()))
            yield from _kept(once.finish())
        except EvenhandError as error:
            yield _batch(BLOCK, [None, None, str(error), error.code])

    return work


def _kept(blocks: list[tuple[bytes, bytes]]) -> Batches:
    for block, known in blocks:
        yield _batch(BLOCK, [block, known, None, None])


def _chunks(batches: Batches) -> Iterator[tuple[int, pa.Table]]:
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
                yield before, pa.Table.from_batches(waiting)
                before, waiting, rows = before + rows, [], 0
    if rows:
        yield before, pa.Table.from_batches(waiting)


def _in_partition(error: EvenhandError) -> EvenhandError:
    """Say which partition's rows a message counts, from 0 on."""
    context = TaskContext.get()
    where = "" if context is None or " row " not in str(error) else f" (of partition {context.partitionId()})"
    return EvenhandError(f"{error}{where}", error.code)


def _answered(answer: bytes | None, error: EvenhandError | None = None) -> pa.RecordBatch:
    return _batch(ANSWER, [answer, *((None, None) if error is None else (str(error), error.code))])


def _batch(schema: str, values: list[object]) -> pa.RecordBatch:
    types = {"binary": pa.binary(), "string": pa.string(), "long": pa.int64()}
    fields = [pa.field(name, types[kind]) for name, kind in (column.split() for column in schema.split(", "))]
    arrays = [pa.array([value], type=field.type) for value, field in zip(values, fields, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))
