from pathlib import Path

import pytest

from simbackup.errors import InputError, Place
from simbackup.schema.tree import Node, from_plain, set_path
from simbackup.schema.yaml_file import parse, read

TEXT = """\
title: A title
devices:
  sda: {size: 10 GB, names: [a, b]}
  sdb:
    size:
      value: 20 GB
      basis: user
"""


def problems(text: str) -> list[tuple[int, int, str, str]]:
    with pytest.raises(InputError) as caught:
        parse(text, "a.yaml")
    return [(p.place.line, p.place.column, p.address, p.message) for p in caught.value.problems]


def test_every_value_and_every_key_knows_its_place() -> None:
    tree = parse(TEXT, "a.yaml")
    assert tree.mapping["title"].place == Place("a.yaml", 1, 8)
    assert tree.mapping["title"].key == Place("a.yaml", 1, 1)
    size, seen = tree.find(("devices", "sda", "size"))
    assert (size.value, size.place, size.key) == ("10 GB", Place("a.yaml", 3, 15), Place("a.yaml", 3, 9))
    assert seen == ("devices", "sda", "size")
    item, _ = tree.find(("devices", "sda", "names", 1))
    assert (item.value, item.place.column) == ("b", 33)


def test_aliases_cannot_blow_a_file_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simbackup.schema.yaml_file.GREATEST_NODES", 10_000)
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    assert any("expands to too many values" in message for *_, message in problems("\n".join(lines)))


def test_two_halves_make_a_character_as_json_writes_it() -> None:
    tree = parse('{"\\ud83d\\ude00": "\\ud83d\\ude00", "a": "\\u00fc"}', "a.yaml")
    assert tree.plain() == {"\U0001f600": "\U0001f600", "a": "\u00fc"}
    assert problems('{"\\ude00\\ud83d": 1}') == [(1, 2, "", "contains half a character")]


def test_what_contains_itself_is_reported_where_it_does() -> None:
    assert problems("a: {b: &b {c: [*b, *b]}}\n") == [
        (1, 8, "a.b.c.0", "contains itself"), (1, 8, "a.b.c.1", "contains itself"),
    ]  # fmt: skip


def test_few_aliases_may_stand_for_much() -> None:
    text = f"a: &a [{', '.join('x' * 100)}]\nb: [{', '.join(['*a'] * 100)}]\n"
    assert len(parse(text, "a.yaml").plain()["b"]) == 100


def test_control_characters_are_reported_at_their_place() -> None:
    assert problems("a: b\nc: d\x00e\n")[0][:2] == (2, 5)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder; name a file"):
        read(tmp_path)


def test_set_path_makes_the_mappings_on_its_way() -> None:
    place = Place("--set")
    tree = set_path(parse("a: {b: 1}\n", "a.yaml"), ("a", "c", "d"), Node(5, place, place))
    assert tree.plain() == {"a": {"b": 1, "c": {"d": 5}}}
    assert tree.find(("a", "c", "d"))[0].place == place
    assert tree.find(("a",))[0].place == Place("a.yaml", 1, 4)
    assert tree.find(("a", "c"))[0].place == place


def test_plain_values_become_trees() -> None:
    tree = from_plain({"a": (1, None), 2: Path("x")}, Place("here"))
    assert tree.plain() == {"a": [1, None], "2": "x"}
    assert tree.find(("a", 1))[0].place == Place("here")


def test_values_have_words() -> None:
    tree = parse("a: [1]\nb: {c: 1}\nc:\nd: true\ne: x\nf: 5\n", "a.yaml")
    assert [node.word for node in tree.mapping.values()] == ["a list", "a mapping", "nothing", "true", "x", "5"]
