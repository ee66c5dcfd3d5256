"""Changes to files, drawn at random: at the level of bytes, of lines, of values and of the tree that YAML makes."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from simbackup.errors import InputError
from simbackup.schema.yaml_file import parse

ODD: tuple[str, ...] = (
    "", "null", "~", "true", "[]", "{}", "[1, 2]", "[[a], {b: c}]", "{a: b}", "{value: 1 GB}", "{value: [a]}",
    "{value: 1 GB, basis: assumed, range: [[], {}], why: [a]}", "{value: 1 s, source: [x], seen: {}}", "-1", "0",
    "-0.0", "1e308", "1e999", "1e-320 s", "9" * 500, "9" * 30, ".nan", ".inf", "-.inf", "nan", "0x10", "0o7", "1_0",
    "99999 PB", "1 B", "0.5 B", "5 %", "-5 %", "2:1", "22:00", "24:00", "99:99", "'", '"', "*a", "&a b", "&a [*a]",
    "<<", "!!python/object:os.system x", "!x", "!!binary aGk=", "? x", "- x", "|", ">", "#", "---", "...", "\t", "\x00",
    "\ufeff", "\u2028", "\u202e", "\u0085", "\ufffe", "ü", "\U0001f600", '"\\ud800"', '"\\ud83d\\ude00"',
    '"\\e[31m"', '"\\0"',
    '"[bold]"', "'[/]'", "$x$", "=1+1", "@x", "<script>", "sda", "disk/scsi-10k-146gb-2004", "a/" + "b" * 300,
    "a" * 5000, "../x", "/etc/passwd", ".", "..", "{", "]", ":", ": :", "@", "`", "%YAML 9.9",
    "2001-01-01", "1 s", "1 MiB",
    "3", "1e5", "100 GB", "0 s", "0 %", "100 %", "1 TB/s", "1 rpm", "fleets.servers.hosts", "{number}", "{x}",
)  # fmt: skip
"""Texts that stand for no value, or for one that seldom fits."""
NUMBERS = (
    "0", "1", "2", "3", "0.1", "7.5", "64", "1000", "1e6", "1e-9", "1e12", "1e40", "1e-300", "-4", "1_0", "\u0663",
)  # fmt: skip
UNITS = (
    "B",
    "kB",
    "KiB",
    "GB",
    "TB",
    "s",
    "ms",
    "us",
    "h",
    "d",
    "%",
    "MB/s",
    "Gb/s",
    "rpm",
    "",
    "x",
    "m",
    "\u00b5s",
    "s s",
)
NUMBER = re.compile(r"(?<![\w.])\d[\d_.]*")
UNIT = re.compile(r"(?<=\d )(?:[kKMGT]?i?[Bb](?:/s)?|%|ms|s|ns/B|rpm|m/s|m)\b")
WORD = re.compile(r"[A-Za-z_][\w-]+")
VALUE = re.compile(r"(?<=: )[^,:{}\[\]\n]+(?=[,}\]\n]|$)")
DEEP = (61, 300, 3000)
"""Levels of nesting, from just too many on."""
Change = Callable[[random.Random, str], str]


def mutated(draw: random.Random, text: str) -> bytes:
    """A text with one to four changes, as bytes."""
    for _ in range(draw.choice((1, 1, 1, 2, 2, 3, 4))):
        text = draw.choice(CHANGES)(draw, text)
    data = text.encode("utf-8", "surrogatepass")
    return draw.choice(BYTES)(draw, data) if draw.random() < 0.2 else data


def _lines(draw: random.Random, text: str) -> str:
    """A line left out, doubled, swapped, indented anew, or with another value."""
    lines = text.splitlines() or [""]
    i, j = draw.randrange(len(lines)), draw.randrange(len(lines))
    how = draw.randrange(6)
    if how == 0:
        del lines[i]
    elif how == 1:
        lines.insert(j, lines[i])
    elif how == 2:
        lines[i], lines[j] = lines[j], lines[i]
    elif how == 3:
        lines[i] = draw.choice(("", " ", "  ", "    ", "\t", "- ")) + lines[i].lstrip()
    elif how == 4:
        key, colon, _ = lines[i].partition(": ")
        lines[i] = f"{key}{colon or ' '}{draw.choice(ODD)}"
    else:
        at = draw.randrange(len(lines[i]) + 1)
        lines[i] = lines[i][:at] + draw.choice(ODD) + lines[i][at:]
    return "\n".join(lines)


def _replaced(pattern: re.Pattern[str], fresh: tuple[str, ...] | None) -> Change:
    """A change that puts something fresh, or another match, in the place of one match of a pattern."""

    def change(draw: random.Random, text: str) -> str:
        found = list(pattern.finditer(text))
        if not found:
            return text
        match = draw.choice(found)
        other = draw.choice(fresh) if fresh is not None else draw.choice(found).group()
        return text[: match.start()] + other + text[match.end() :]

    return change


def _aliases(draw: random.Random, text: str) -> str:
    """A value that is named by an anchor, and repeated by aliases, few or very many."""
    found = list(VALUE.finditer(text))
    if draw.random() < 0.3 or not found:
        width, levels = draw.choice(((2, 30), (9, 4), (9, 9), (30, 3)))
        rows = ["bomb0: &bomb0 x"]
        rows += [
            f"bomb{i}: &bomb{i} [{', '.join([f'*bomb{i - 1}'] * width)}]" for i in range(1, levels + 1)
        ]  # fmt: skip
        return "\n".join([*rows, text] if draw.random() < 0.5 else [text, *rows])
    first, second = sorted(draw.choices(found, k=2), key=lambda match: match.start())
    middle = text[first.end() : second.start()] if first is not second else ""
    return f"{text[: first.start()]}&one {first.group()}{middle}*one{text[second.end() :]}"


def _deep(draw: random.Random, text: str) -> str:
    """A value inside very many lists or mappings."""
    found = list(VALUE.finditer(text))
    if not found:
        return text
    match, levels = draw.choice(found), draw.choice(DEEP)
    begin, end = draw.choice((("[", "]"), ("{a: ", "}")))
    return f"{text[: match.start()]}{begin * levels}{match.group()}{end * levels}{text[match.end() :]}"


def _tree(draw: random.Random, text: str) -> str:
    """The tree of a file with a part left out, moved, renamed, wrapped or put in another's place; written as JSON."""
    try:
        tree = parse(text, "before").plain()
    except InputError:
        return text
    spots = _spots(tree)
    if not spots:
        return text
    holder, key = draw.choice(spots)
    other, at = draw.choice(spots)
    value: Any = holder[key]
    how = draw.randrange(7)
    if how == 0:
        del holder[key]
    elif how == 1:
        holder[key] = json.loads(json.dumps(other[at]))
    elif how == 2 and isinstance(holder, dict):
        mapping = cast("dict[str, Any]", holder)
        mapping[draw.choice((*ODD, *WORD.findall(text)))] = mapping.pop(key)
    elif how == 3:
        holder[key] = draw.choice(
            ([value], {"value": value}, {"value": value, "basis": "user"}, {"a": value}, str(value))
        )
    elif how == 4:
        values: list[Any] = [None, True, False, -1, 0, 1e308, 10**40, 1.5, "", [], {}, [[]], *ODD]
        holder[key] = draw.choice(values)
    elif how == 5 and isinstance(value, dict):
        holder[key] = dict(reversed(list(cast("dict[str, Any]", value).items())))
    elif isinstance(holder, dict):
        holder[f"{key}-2"] = value
    return json.dumps(tree, ensure_ascii=draw.random() < 0.5, indent=draw.choice((None, 1)))


def _spots(tree: Any) -> list[tuple[Any, Any]]:
    """Every mapping or list of a tree with each of its keys."""
    if isinstance(tree, dict):
        held = cast("dict[str, Any]", tree)
        return [(held, key) for key in held] + [spot for value in held.values() for spot in _spots(value)]
    if isinstance(tree, list):
        items = cast("list[Any]", tree)
        return [(items, i) for i in range(len(items))] + [spot for item in items for spot in _spots(item)]
    return []


def _meant(draw: random.Random, text: str) -> str:
    """The tree of a file of which something means another thing: a name, a kind, a reference or a quantity."""
    try:
        tree = parse(text, "before").plain()
    except InputError:
        return text
    for _ in range(draw.choice((1, 1, 2, 3))):
        draw.choice(MEANINGS)(draw, tree)
    return json.dumps(tree, ensure_ascii=False, indent=1)


def _parts(tree: Any) -> dict[str, dict[str, Any]]:
    """The sections of a file whose parts have names."""
    return {
        section: cast("dict[str, Any]", parts)
        for section, parts in tree.items()
        if isinstance(parts, dict)
        and parts
        and all(isinstance(each, dict) for each in cast("dict[str, Any]", parts).values())
    }


def _names(tree: Any) -> list[str]:
    return [name for parts in _parts(tree).values() for name in parts] or ["none"]


def _referred(draw: random.Random, tree: Any) -> None:
    """A name of a part in the place of another, or of the one that it stands in."""
    names = _names(tree)
    spots = [(holder, key) for holder, key in _spots(tree) if isinstance(holder[key], str) and holder[key] in names]
    if spots:
        holder, key = draw.choice(spots)
        holder[key] = draw.choice(names)


def _renamed(draw: random.Random, tree: Any) -> None:
    """A part with the name of another, of its own kind or not; who refers to it may follow."""
    sections = _parts(tree)
    if not sections:
        return
    parts = sections[draw.choice(list(sections))]
    old, new = draw.choice(list(parts)), draw.choice((*_names(tree), "value", "model", "none", "all", "x.y", "1"))
    parts[new] = parts.pop(old)
    if draw.random() < 0.5:
        for holder, key in _spots(tree):
            if holder[key] == old:
                holder[key] = new


def _circled(draw: random.Random, tree: Any) -> None:
    """Parts that follow, hold, join or copy each other, in a row or in a circle."""
    sections = _parts(tree)
    if not sections:
        return
    parts, key = sections[draw.choice(list(sections))], draw.choice(TIES)
    names = list(parts)
    draw.shuffle(names)
    names = names[: draw.choice((1, 2, 3, len(names)))]
    for name, other in zip(names, [*names[1:], names[0]], strict=True):
        parts[name][key] = draw.choice((other, [other], [other, name])) if draw.random() < 0.5 else other


def _extreme(draw: random.Random, tree: Any) -> None:
    """A quantity that is very much larger or smaller, or of another unit."""
    spots = [(holder, key) for holder, key in _spots(tree) if NUMBER.match(str(holder[key]))]
    if spots:
        holder, key = draw.choice(spots)
        unit = str(holder[key]).partition(" ")[2] if draw.random() < 0.8 else draw.choice(UNITS)
        holder[key] = f"{draw.choice(EXTREMES)} {unit}".strip()


def _swapped(draw: random.Random, tree: Any) -> None:
    """Two values of one key that are swapped between parts: models, kinds, methods, all else."""
    spots = _spots(tree)
    holder, key = draw.choice(spots)
    alike: list[dict[str, Any]] = [
        other for other, at in spots if at == key and other is not holder and isinstance(other, dict)
    ]
    if alike and isinstance(holder, dict):
        other = draw.choice(alike)
        holder[key], other[key] = other[key], holder[key]


def _lent(draw: random.Random, tree: Any) -> None:
    """A key of one part that another has, too, or that is missing there."""
    parts = [part for named in _parts(tree).values() for part in named.values()]
    if not parts:
        return
    giver, taker = draw.choice(parts), draw.choice(parts)
    if giver:
        key = draw.choice(list(giver))
        taker[key] = json.loads(json.dumps(giver[key]))
    if taker and draw.random() < 0.3:
        del taker[draw.choice(list(taker))]


def _many(draw: random.Random, tree: Any) -> None:
    """Many parts like one, which refer to each other in a row where they refer to anything."""
    sections = _parts(tree)
    if not sections:
        return
    parts = sections[draw.choice(list(sections))]
    name, before = draw.choice(list(parts)), ""
    for i in range(draw.choice((2, 10, 40))):
        made = json.loads(json.dumps(parts[name]))
        made[draw.choice(TIES)] = before or name
        before = f"{name}-{i}"
        parts[before] = made


TIES = (
    "after",
    "of",
    "on",
    "within",
    "owns",
    "joins",
    "to",
    "save_set",
    "restore",
    "copied_by",
    "data",
    "spool",
    "via",
)
"""Keys that name other parts."""
EXTREMES = (
    "4.9e-324", "1e-310", "1e-30", "1e-15", "1e-9", "1e-3", "0", "-0.0", "0.999999999", "1", "1.000000001", "3", "1e3",
    "1e6", "1e9", "1e12", "1e15", "1e18", "1e30", "1.7976931348623157e308", "1e309", "-1", "9007199254740993",
)  # fmt: skip
MEANINGS: tuple[Callable[[random.Random, Any], None], ...] = (
    _referred, _referred, _renamed, _circled, _extreme, _extreme, _swapped, _lent, _lent, _many,
)  # fmt: skip
CHANGES: tuple[Change, ...] = (
    _lines, _lines, _replaced(NUMBER, NUMBERS), _replaced(NUMBER, NUMBERS), _replaced(UNIT, UNITS),
    _replaced(WORD, None), _replaced(WORD, ODD), _replaced(VALUE, ODD), _replaced(VALUE, None), _aliases, _deep,
    _tree, _tree, _tree, _meant, _meant, _meant, _meant, _meant,
)  # fmt: skip


def _cut(draw: random.Random, data: bytes) -> bytes:
    i, j = sorted((draw.randrange(len(data) + 1), draw.randrange(len(data) + 1)))
    return data[:i] + data[j:]


def _flipped(draw: random.Random, data: bytes) -> bytes:
    if not data:
        return data
    i = draw.randrange(len(data))
    return data[:i] + bytes([data[i] ^ (1 << draw.randrange(8))]) + data[i + 1 :]


def _inserted(draw: random.Random, data: bytes) -> bytes:
    i = draw.randrange(len(data) + 1)
    odd = draw.choice((b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\x1b[31m", b"\r", b"\x85", b"\xc0\x80"))
    return data[:i] + odd + data[i:]


def _encoded(draw: random.Random, data: bytes) -> bytes:
    return data.decode("utf-8", "replace").encode(draw.choice(("utf-16", "utf-16-le", "utf-32", "utf-8-sig")))


BYTES: tuple[Callable[[random.Random, bytes], bytes], ...] = (_cut, _flipped, _flipped, _inserted, _encoded)


def texts(folder: Path, pattern: str) -> dict[Path, str]:
    """The texts of the files of a folder that a pattern names, by their paths inside it, in order."""
    return {path.relative_to(folder): path.read_text(encoding="utf-8") for path in sorted(folder.glob(pattern))}
