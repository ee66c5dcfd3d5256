"""Valid files, changed at random, are right or wrong at a place, and mean the same whichever reader takes them."""

import random
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from benchmarks.fuzz import SHARES, fuzz
from benchmarks.mutations import mutated as mutated_reader
from benchmarks.mutations import texts
from simbackup import shelf, units
from simbackup.cli.checking import check_file
from simbackup.cli.options import overrides
from simbackup.errors import InputError, Problem, SimbackupError
from simbackup.run import simulate
from simbackup.scenario import Scenario, load, names
from simbackup.schema import usual_yaml, yaml_file
from simbackup.schema.yaml_file import read
from tests.cases import Extent, for_each
from tests.shared import loaded

ROOT = shelf.roots()[-1]
GREATEST_SIZE = 1e15
"""Bytes of data, bytes a second or seconds above which a file that was changed is not simulated."""
LEAST_SIZE = 1e-6
EXTENDS = re.compile(r"^extends: *(.+)$", re.MULTILINE)
BUDGET = settings(suppress_health_check=list(HealthCheck))


def _text(path: Path) -> str:
    """A file that can lie anywhere: what it extends is named from the root."""
    text = path.read_text(encoding="utf-8")
    return EXTENDS.sub(lambda match: f"extends: {(path.parent / match[1]).resolve()}", text)


SCENARIOS = [_text(ROOT / "scenarios" / f"{name}.yaml") for name in names()]
SHEETS = [_text(ROOT / "models" / f"{name}.yaml") for name in shelf.names()]
NUMBER = re.compile(r"(?<![\w.])\d[\d_.]*")
UNIT = re.compile(r"(?<=\d )(?:[kKMGT]?i?B(?:/s)?|%|ms|s|ns/B|rpm|m/s|m)\b")
WORD = re.compile(r"[A-Za-z_][\w-]+")
VALUE = re.compile(r"(?<=: )[^,:{}\[\]]+(?=[,}\]]|$)")
ODD = [
    "", "null", "~", "true", "[]", "{}", "[1, 2]", "{a: b}", "{value: 1 GB}", "{value: 1 GB, basis: user}", "-1", "0",
    "1e308", "1e999", "1e-320 s", "9" * 500, ".nan", ".inf", "0x10", "99999 PB", "1 B", "0.5 B", "5 %", "2:1", "22:00",
    "'", '"', "*a", "&a b", "!!python/object:os.system x", "!x", "<<", "? x", "- x", "|", ">", "#", "---", "...", "\t",
    "\x00", "\ufeff", "\u2028", "ü", "😀", '"\\ud800"', "sda", "disk/scsi-10k-146gb-2004", "a/" + "b" * 300, "../x",
    "{",
    "]", ":", ": :", "@", "`", "%YAML 9.9", "2001-01-01", "1 s", "1 MiB", "3", "1e5", "100 GB", "0 s", "0 %", "100 %",
]  # fmt: skip


@st.composite
def mutated(draw: st.DrawFn, texts: list[str]) -> str:
    """One of the texts with one to four changes."""
    lines = draw(st.sampled_from(texts)).splitlines()
    for _ in range(draw(st.integers(1, 4))):
        i = draw(st.integers(0, max(len(lines) - 1, 0)))
        j = draw(st.integers(0, max(len(lines) - 1, 0)))
        lines = draw(st.sampled_from(CHANGES))(draw, lines, i, j) if lines else ["title: x"]
    return "\n".join(lines)


def _delete(_: st.DrawFn, lines: list[str], i: int, j: int) -> list[str]:
    del j
    return lines[:i] + lines[i + 1 :]


def _duplicate(_: st.DrawFn, lines: list[str], i: int, j: int) -> list[str]:
    return [*lines[:j], lines[i], *lines[j:]]


def _swap(_: st.DrawFn, lines: list[str], i: int, j: int) -> list[str]:
    lines = list(lines)
    lines[i], lines[j] = lines[j], lines[i]
    return lines


def _indent(draw: st.DrawFn, lines: list[str], i: int, j: int) -> list[str]:
    del j
    margin = draw(st.sampled_from(["", " ", "  ", "    ", "\t", "- "]))
    return [*lines[:i], margin + lines[i].lstrip(), *lines[i + 1 :]]


def _odd_value(draw: st.DrawFn, lines: list[str], i: int, j: int) -> list[str]:
    del j
    odd = draw(st.sampled_from(ODD))
    key, colon, _ = lines[i].partition(": ")
    return [*lines[:i], f"{key}{colon or ' '}{odd}", *lines[i + 1 :]]


def _insert(draw: st.DrawFn, lines: list[str], i: int, j: int) -> list[str]:
    odd = draw(st.sampled_from(ODD) | st.text(max_size=5))
    at = min(j, len(lines[i]))
    return [*lines[:i], lines[i][:at] + odd + lines[i][at:], *lines[i + 1 :]]


def _replaced(pattern: re.Pattern[str], fresh: st.SearchStrategy[str]) -> Any:
    """A change that replaces one match of a pattern in a line."""

    def change(draw: st.DrawFn, lines: list[str], i: int, j: int) -> list[str]:
        del j
        found = list(pattern.finditer(lines[i]))
        if not found:
            return lines
        match = draw(st.sampled_from(found))
        return [*lines[:i], lines[i][: match.start()] + draw(fresh) + lines[i][match.end() :], *lines[i + 1 :]]

    return change


NUMBERS = st.sampled_from(["0", "1", "2", "3", "0.1", "7.5", "64", "1000", "1e6", "1e-9", "1e12", "1e40", "-4", "1_0"])
UNITS = st.sampled_from(["B", "kB", "KiB", "GB", "TB", "s", "ms", "us", "h", "%", "MB/s", "Gb/s", "rpm", "", "x", "m"])
WORDS = st.sampled_from(
    ["on", "of", "to", "size", "value", "basis", "user", "assumed", "fitted", "model", "kind", "disk", "raid", "jobs",
     "dd", "image", "write", "copy", "sdb", "sdc", "vmware", "cow", "file", "tape", "server", "restore", "after",
     "data", "x"]
)  # fmt: skip
CHANGES = [
    _delete, _duplicate, _swap, _indent, _odd_value, _insert,
    _replaced(NUMBER, NUMBERS), _replaced(NUMBER, NUMBERS), _replaced(UNIT, UNITS), _replaced(WORD, WORDS),
    _replaced(VALUE, st.sampled_from(ODD)),
]  # fmt: skip


def assert_located(problems: tuple[Problem, ...] | list[Problem]) -> None:
    assert problems
    for problem in problems:
        place = problem.place
        assert place.file
        assert problem.message
        assert (place.line >= 1 and place.column >= 1) or place.file.startswith(("--set ", "overrides")), str(problem)
        assert "\n" not in str(problem)
        assert "Node(" not in str(problem)
        assert "Quantity(" not in str(problem)


class EnoughError(Exception):
    """The run has shown what it does."""


def _enough(now: float, ended: int, jobs: int) -> None:
    raise EnoughError(f"{now} s, {ended} of {jobs} jobs")


def assert_simulates(scenario: Scenario) -> None:
    """A scenario that was loaded runs, or tells why not, unless its figures are absurd."""
    figures = [value.given.si for value in scenario.values]
    if any(figure > GREATEST_SIZE or 0 < figure < LEAST_SIZE * 1e-6 for figure in figures):
        return
    try:
        result = simulate(scenario, progress=_enough)
    except (SimbackupError, EnoughError):
        return
    ran = {row["job"].split(".")[0] for row in result.job_rows}
    jobs = scenario.spec.jobs.items()
    single = {name for name, job in jobs if job.every is None and not getattr(job, "exists", False)}
    assert single <= ran
    assert all(row["elapsed"] >= 0 for row in result.job_rows)
    assert all(0 <= row["busy"] <= 1 + 1e-6 for row in result.device_rows)


def _check(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "changed.yaml"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        try:
            scenario = load(path)
        except InputError as error:
            assert_located(error.problems)
        else:
            if scenario.spec.jobs:
                assert {problem.severity for problem in check_file(path)} <= {"warning"}
                assert_simulates(scenario)
            else:  # what is right for `check` can be run
                assert_located(check_file(path))


@pytest.mark.slow
@BUDGET
@given(mutated(SCENARIOS))
def test_a_changed_scenario_is_right_or_wrong_at_a_place(text: str) -> None:
    _check(text)


@BUDGET
@given(mutated(SHEETS))
def test_a_changed_datasheet_is_right_or_wrong_at_a_place(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "changed.yaml"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        problems = check_file(path)
        if problems:
            assert_located(problems)
        elif "parameters" in read(path).mapping:
            sheet = shelf.read_datasheet(path, "changed")
            assert list(sheet.values()) or sheet.kind == "population"  # that of files may hold a word alone


@BUDGET
@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_are_wrong_at_a_place(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "any.yaml"
        path.write_bytes(data)
        assert_located(check_file(path))


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(ODD) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(ODD[-20:]) | st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
NAMES = names()


def _paths(node: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    return [(*path, key) for key in node.mapping] + [
        inner for key, child in node.mapping.items() for inner in _paths(child, (*path, key))
    ]


@st.composite
def replaced_values(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """The name of a scenario, and other values for one to three of its addresses."""
    name = draw(st.sampled_from(NAMES))
    paths = [".".join(path) for path in _paths(loaded(name).tree) if path[0] not in {"title", "question", "extends"}]
    return name, draw(st.dictionaries(st.sampled_from(paths), PLAIN, min_size=1, max_size=3))


@pytest.mark.slow
@BUDGET
@given(replaced_values())
def test_a_changed_tree_is_right_or_wrong_at_a_place(case: tuple[str, dict[str, Any]]) -> None:
    name, changes = case
    try:
        changed = loaded(name).with_(changes)
    except InputError as error:
        assert_located(error.problems)
    else:
        assert_simulates(changed)


FACTORS = st.sampled_from([0.0, 1e-6, 1e-3, 0.1, 0.5, 0.9, 1.1, 2.0, 3.0, 10.0, 1e3, 1e6])


@st.composite
def scaled_values(draw: st.DrawFn) -> tuple[str, dict[str, str]]:
    """The name of a scenario, and one to four of its figures multiplied."""
    name = draw(st.sampled_from(NAMES))
    chosen = draw(
        st.lists(st.sampled_from(loaded(name).values), min_size=1, max_size=4, unique_by=lambda value: value.address)
    )
    scaled = {value.address: (value.given.si * draw(FACTORS), value.given.unit) for value in chosen}
    return name, {
        address: units.show(float(round(si)) if unit == "count" else si, unit) for address, (si, unit) in scaled.items()
    }


@pytest.mark.slow
@BUDGET
@given(scaled_values())
@example(("planning/deduplicated", {"jobs.backup.deduplication.at_once": "0"}))
def test_other_figures_run_or_are_wrong_at_a_place(case: tuple[str, dict[str, str]]) -> None:
    name, changes = case
    try:
        changed = loaded(name).with_(changes)
    except InputError as error:
        assert_located(error.problems)
    else:
        assert_simulates(changed)


@st.composite
def set_options(draw: st.DrawFn) -> list[str]:
    """Options of `--set`, near right ones and far from them."""
    addresses = [
        "devices.cow.chunk", "devices.cow", "jobs.dd", "jobs.dd.data", "title", "extends", "devices", "data.file.size",
        "hosts.server.owns", "links.lan", "devices.sdb.model", "", ".", "a..b", "devices.", "jobs.dd.after",
    ]  # fmt: skip
    address = st.sampled_from(addresses) | st.sampled_from(addresses[:2]) | st.text(max_size=12)
    value = (
        st.sampled_from([*ODD, "[file]", "file"]) | st.sampled_from(["16KiB", "4 KiB", "file"]) | st.text(max_size=12)
    )
    sign = st.sampled_from(["=", "=", "=", "", "==", " = "])
    return [draw(address) + draw(sign) + draw(value) for _ in range(draw(st.integers(1, 3)))]


@BUDGET
@given(set_options())
def test_options_are_right_or_wrong_at_a_place(options: list[str]) -> None:
    try:
        scenario = load("published/003-lvm-snapshots/same-disk", overrides(options))
    except InputError as error:
        assert_located(error.problems)
    else:
        assert_simulates(scenario)


@pytest.mark.slow
@for_each("kind", SHARES)
def test_a_changed_file_of_any_kind_is_right_or_wrong_at_a_place(kind: str) -> None:
    files = 30 if Extent.everything else 10
    counts = fuzz(files=files, minutes=60.0, seed=4, shares={kind: 1})
    assert counts.number["refused"] + counts.number["right"] == counts.number["files"] == files
    assert [found for found in counts.findings if not found.startswith(("refused by the run", "over 20 s"))] == []


def test_a_finding_is_one_whatever_goes_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> list[Problem]:
        raise RuntimeError("no message for a user")

    monkeypatch.setattr("benchmarks.fuzz.check_file", broken)
    counts = fuzz(files=2, minutes=60.0, seed=0)
    assert counts.number["tracebacks"] == 2
    assert "RuntimeError: no message for a user" in counts.findings[0]


# A file means the same whichever reader takes it, and so does what is said of a wrong one
pytest.importorskip("yaml._yaml", reason="libyaml is not installed")
FILES = [*texts(ROOT, "scenarios/**/*.yaml").values(), *texts(ROOT, "models/**/*.yaml").values()]
SMALL = [text for text in FILES if len(text) < 2000]
MUTATIONS = 400
PAIRS = [
    "a: 1\nb: [x, 'y', \"z\"]\n", "a: {b: 1,5 GB, c: }\n", "a:\n- b\n-\n- - c\n", "a: |\n  b\n  c\nd: >-\n  e\n\n  f\n",
    "? a\n: b\n", "a: yes\nb: 0o7\nc: 1_000\nd: 2001-01-01\ne: =\n", "a: 1\na: 2\n", "# only a comment\n", "",
    "a", "[1]",
]  # fmt: skip
RARE = [
    "a: &x 1\nb: *x\n",
    "a: !!str 1\n",
    "---\na: 1\n",
    "a:\t1\n",
    "a: 1\r\nb: 2\r\n",
    "\ufeffa: 1\n",
    "a: 1\n---\nb: 2\n",
]


def outcome(text: str) -> str:
    try:
        return repr(yaml_file._parsed.__wrapped__(text, "file"))
    except InputError as error:
        return str(error)


def changed() -> Iterator[str]:
    draw = random.Random(1)  # noqa: S311
    for _ in range(MUTATIONS):
        yield mutated_reader(draw, draw.choice(SMALL)).decode("utf-8", "replace")


@pytest.mark.slow
def test_both_readers_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    every = [*FILES[:: 1 if Extent.everything else 4], *PAIRS, *RARE, *changed()]
    quick = [outcome(text) for text in every]
    monkeypatch.setattr(usual_yaml, "composed", lambda _text, _depth, _number: None)
    assert quick == [outcome(text) for text in every]


@for_each("text", RARE)
def test_what_readers_may_take_in_different_ways_is_left_to_the_one_in_python(text: str) -> None:
    assert usual_yaml.composed(text, yaml_file.GREATEST_DEPTH, yaml_file.GREATEST_NODES) is None


def test_what_is_nested_deeply_is_left_to_the_one_in_python() -> None:
    deepest = yaml_file.GREATEST_DEPTH
    assert usual_yaml.composed("[" * deepest + "]" * deepest, deepest, yaml_file.GREATEST_NODES) is not None
    assert usual_yaml.composed("[" * 1_000_000, deepest, yaml_file.GREATEST_NODES) is None


def test_files_of_the_program_need_no_reader_in_python() -> None:
    assert [
        text for text in FILES if usual_yaml.composed(text, yaml_file.GREATEST_DEPTH, yaml_file.GREATEST_NODES) is None
    ] == []
