"""A file means the same whichever reader takes it, and so does what is said of a wrong one."""

import random
from collections.abc import Iterator

import pytest

from benchmarks.mutations import mutated, texts
from simbackup import shelf
from simbackup.errors import InputError
from simbackup.schema import usual_yaml, yaml_file
from tests.cases import Extent, for_each

pytest.importorskip("yaml._yaml", reason="libyaml is not installed")
ROOT = shelf.roots()[-1]
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
        yield mutated(draw, draw.choice(SMALL)).decode("utf-8", "replace")


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
