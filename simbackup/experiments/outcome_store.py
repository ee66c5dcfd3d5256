"""The ledger of a study: the outcomes of its points, kept in a folder as soon as they are known.

Each process appends to a file of its own, one line for an outcome with its checksum. So several processes may work in
one folder, files of several folders may be copied into one, and what a killed process left of its last line is ignored.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, cast

from simbackup.errors import ResultError
from simbackup.experiments.study_point import Point, PointResult
from simbackup.output.seal import digest
from simbackup.output.target import check_folder
from simbackup.output.whole import whole

PART, ENDING = "ledger", ".jsonl"
"""Subfolder of the ledger, and how the names of its files end."""
NAMES = ("key", "figures", "failed", "records", "bounds", "declared", "given")
"""What a line holds of an outcome."""
CHECKED = 16
"""Digits of the checksum of a line."""


class StudyLedger:
    """The outcomes that a folder holds, by their keys; new ones are appended.

    Raises
    ------
    ResultError
        The folder cannot be written, or holds something else.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        check_folder(self.folder)
        ledger = self.folder / PART
        if self.folder.is_dir() and any(self.folder.iterdir()) and not ledger.is_dir():
            raise ResultError(
                f"{self.folder} is not the folder of a study; name another folder, or one that does not exist yet"
            )
        try:
            ledger.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ResultError(f"{self.folder} cannot be written ({error.strerror})") from None
        self._outcomes: dict[str, PointResult] = {}
        self._written: set[str] = set()
        self._file: IO[bytes] | None = None
        for record in _records(ledger):
            self._read(record)

    def __len__(self) -> int:
        return len(self._outcomes)

    def find(self, key: str | None, figures: Sequence[str]) -> PointResult | None:
        """The outcome of a key, if it has these figures."""
        found = self._outcomes.get(key or "")
        return found if found is not None and all(name in found.figures for name in figures) else None

    def add(self, point: Point, outcome: PointResult) -> None:
        """Keep an outcome; of a point that could not be run nothing is kept, so that it is tried again."""
        if outcome.refused:
            return
        known = self._outcomes.get(outcome.key)
        self._outcomes[outcome.key] = outcome if known is None else _joined(known, outcome)
        self._append({
            "key": outcome.key, "scenario": point.file, "values": point.values, "seed": point.seed,
            "figures": outcome.figures, "failed": outcome.failed, "records": outcome.records, "bounds": outcome.bounds,
            "declared": outcome.declared, "given": outcome.given,
        })  # fmt: skip

    def write(self, name: str, content: bytes) -> Path:
        """Write a file of results into the folder, whole or not at all; one of the same name is replaced if it is ours.

        Raises
        ------
        ResultError
            Somebody else wrote that file, or changed it.
        """
        path = self.folder / name
        ours = path.is_file() and digest(path.read_bytes()) in self._written
        self._append({"wrote": name, "sha256": digest(content)})
        with whole(path, edited=ours) as partial:
            partial.write_bytes(content)
        return path

    def close(self) -> None:
        """Close the file that was appended to."""
        if self._file is not None:
            file, self._file = self._file, None
            with suppress(OSError):  # what could not be written was reported when it was
                file.close()

    def _read(self, record: Mapping[str, Any]) -> None:
        if "wrote" in record:
            self._written.add(str(record["sha256"]))
            return
        if not record.keys() >= set(NAMES):  # as another version wrote it, whose outcomes are not ours
            return
        outcome = PointResult(**{name: record[name] for name in NAMES})
        known = self._outcomes.get(outcome.key)
        self._outcomes[outcome.key] = outcome if known is None else _joined(known, outcome)

    def _append(self, record: Mapping[str, Any]) -> None:
        try:
            if self._file is None:
                path = self.folder / PART / f"{secrets.token_hex(8)}{ENDING}"
                self._file = os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND, 0o666), "wb")
            text = json.dumps(record, separators=(",", ":"))
            line = json.dumps({"check": digest(text.encode())[:CHECKED], "record": record}, separators=(",", ":"))
            self._file.write(line.encode() + b"\n")
            self._file.flush()
        except OSError as error:
            self.close()
            raise ResultError(f"{self.folder} cannot be written ({error.strerror})") from None


def _joined(one: PointResult, other: PointResult) -> PointResult:
    """Two outcomes of one key, which differ only by which figures were asked for."""
    return PointResult(
        one.key, {**one.figures, **other.figures}, one.failed, one.records, {**one.bounds, **other.bounds},
        {**one.declared, **other.declared}, one.given,
    )  # fmt: skip


def _records(ledger: Path) -> Iterator[dict[str, Any]]:
    """What the lines of all files hold, except for those that were not written to their end."""
    for path in sorted(filter(Path.is_file, ledger.glob(f"*{ENDING}"))):
        try:
            lines = path.read_bytes().splitlines()
        except OSError as error:
            raise ResultError(f"{path} cannot be read ({error.strerror})") from None
        for line in lines:
            try:
                read: object = json.loads(line)
            except (ValueError, RecursionError):
                continue
            content = cast("dict[str, Any]", read) if isinstance(read, dict) else {}
            record = content.get("record")
            text = json.dumps(record, separators=(",", ":"))
            if isinstance(record, dict) and content.get("check") == digest(text.encode())[:CHECKED]:
                yield cast("dict[str, Any]", record)
