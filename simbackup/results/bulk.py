"""The rates and spans of a long run in Parquet files: JSON of a year of 1,000 clients would take minutes to read."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterator, Mapping
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simbackup.trace.columns import Names, RateBatch, Rates, Spans

if TYPE_CHECKING:
    from simbackup.trace.trace import Trace

MANY = 100_000
"""Records of one type from which on they are not in JSON: so many take about a second to read."""


def bulky(trace: Trace) -> tuple[str, ...]:
    """The types of records that are too many for JSON."""
    return tuple(name for name in FORMS if len(getattr(trace, f"{name}s")) >= MANY)


def file_of(kind: str) -> str:
    """The name of the file of a type of records.

    >>> file_of("rate")
    'trace-rates.parquet'
    """
    return f"trace-{kind}s.parquet"


def write(trace: Trace, kinds: Collection[str], folder: Path) -> None:
    """Write the records of some types into a folder."""
    for kind in kinds:
        tables = FORMS[kind][0](getattr(trace, f"{kind}s"))
        first = next(tables)
        with _arrow("pyarrow.parquet").ParquetWriter(folder / file_of(kind), first.schema, compression="zstd") as file:
            for table in chain([first], tables):
                file.write_table(table)


def read(trace: Trace, kinds: Collection[str], folder: Path) -> None:
    """Read the records of some types from a folder into a trace; any error says that a file does not hold such."""
    for kind in kinds:
        with _arrow("pyarrow.parquet").ParquetFile(folder / file_of(kind)) as file:
            setattr(trace, f"{kind}s", FORMS[kind][1](file))


def _arrow(module: str = "pyarrow") -> Any:
    """A module of Arrow, which is slow to import; few results are large. It has no types."""
    return import_module(module)


def _of_rates(rates: Rates) -> Iterator[Any]:
    pa = _arrow()
    for batch in rates.batches():
        yield pa.table({
            "time": _numbers(batch.times), "link": _texts(batch.links, rates.names), "busy": _numbers(batch.busy),
            "bytes_per_s": _numbers(batch.bytes_per_s),
        })  # fmt: skip


def _to_rates(file: Any) -> Rates:
    rates = Rates()
    for group in range(file.num_row_groups):
        table = file.read_row_group(group)
        links = _known(table["link"], rates.names)
        times = _floats(table["time"])
        rates.extend_by(RateBatch(times, links, _floats(table["busy"]), _floats(table["bytes_per_s"])))
    return rates


def _of_spans(spans: Spans) -> Iterator[Any]:
    pa = _arrow()
    parts = pa.StructArray.from_arrays(
        [_texts(spans.parts[::2], spans.names), _texts(spans.parts[1::2], spans.names), _numbers(spans.seconds)],
        ["cause", "activity", "seconds"],
    )
    jobs = Names()
    numbers = array("I", map(jobs.number, spans.jobs))
    yield pa.table({
        "start": _numbers(spans.starts), "end": _numbers(spans.ends), "job": _texts(numbers, jobs),
        "cause": _texts(spans.causes, spans.names), "activity": _texts(spans.activities, spans.names),
        "parts": pa.LargeListArray.from_arrays(pa.array(spans.first, pa.int64()), parts),
    })  # fmt: skip


def _to_spans(file: Any) -> Spans:
    table, spans, jobs = file.read(), Spans(), Names()
    spans.starts, spans.ends = _floats(table["start"]), _floats(table["end"])
    numbers = _known(table["job"], jobs)
    spans.jobs = [jobs.texts[number] for number in numbers]
    spans.causes, spans.activities = _known(table["cause"], spans.names), _known(table["activity"], spans.names)
    parts = table["parts"].combine_chunks()
    inside = parts.flatten()
    causes, activities = (_known(inside.field(name), spans.names) for name in ("cause", "activity"))
    spans.parts = array("I", chain.from_iterable(zip(causes, activities, strict=True)))
    spans.seconds = _floats(inside.field("seconds"))
    first = parts.offsets
    spans.first = array("Q", first.to_numpy().astype("uint64").tobytes())
    return spans


FORMS: Mapping[str, tuple[Callable[[Any], Iterator[Any]], Callable[[Any], Any]]] = {
    "rate": (_of_rates, _to_rates), "span": (_of_spans, _to_spans),
}  # fmt: skip
"""The types of records that have columns: what makes tables of them, and what reads their file."""


def _numbers(column: array[float]) -> Any:
    import numpy as np  # noqa: PLC0415

    pa = _arrow()
    return pa.array(np.frombuffer(column, np.float64) if len(column) else np.zeros(0))


def _texts(column: array[int], names: Names) -> Any:
    import numpy as np  # noqa: PLC0415

    pa = _arrow()
    numbers = np.frombuffer(column, np.uint32) if len(column) else np.zeros(0, np.uint32)
    return pa.DictionaryArray.from_arrays(pa.array(numbers.astype(np.int32)), pa.array(names.texts, pa.string()))


def _floats(column: Any) -> array[float]:
    found = column.to_numpy(zero_copy_only=False) if not hasattr(column, "chunks") else column.to_numpy()
    return array("d", found.tobytes())


def _known(column: Any, names: Names) -> array[int]:
    """The numbers of texts, which are noted among the names."""
    import numpy as np  # noqa: PLC0415

    pa = _arrow()
    whole = column.combine_chunks() if hasattr(column, "chunks") else column
    if not isinstance(whole, pa.DictionaryArray):
        whole = whole.dictionary_encode()
    own = np.array([names.number(text) for text in whole.dictionary.to_pylist()], np.uint32)
    return array("I", own[whole.indices.to_numpy()].astype(np.uint32).tobytes())
