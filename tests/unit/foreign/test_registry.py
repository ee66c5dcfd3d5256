"""Every format has one reader, is documented, and no damaged file of it ends in anything but one clear message."""

import random
from pathlib import Path

import pytest

from simbackup.errors import InputError
from simbackup.foreign import inventories
from simbackup.foreign.histories import backup_tools, bacula, logs, reports
from simbackup.foreign.measurements import disks, tapes_and_networks
from simbackup.foreign.reader import ForeignFile
from simbackup.foreign.registry import ANY, READERS, read_with
from tests.cases import for_each

SAMPLES = Path(__file__).parent / "samples"
PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "bring-your-own-measurements.md"
EVERY = sorted(path.name for path in SAMPLES.iterdir())
JUNK = (
    "",
    "\0",
    "9" * 400,
    "-1",
    "NaN",
    "1e999",
    "\u2028",
    "99:99",
    ",,,",
    "{",
    '"',
    "999,999,999 TB",
    "é",
    "%",
    "0000",
)
RUNS = 12


def read(path: Path, command: str) -> str:
    """What a command says of a file; empty if it reads it."""
    try:
        read_with(command, READERS[command], ForeignFile(path, path.name))
    except InputError as error:
        return str(error.problems[0])
    return ""


def test_each_sample_is_read_by_one_command_at_most() -> None:
    for name in EVERY:
        readers = {
            command: [one for one in each if one.program != ANY and one.recognises(ForeignFile(SAMPLES / name, name))]
            for command, each in READERS.items()
        }
        assert len([command for command, found in readers.items() if found]) == 1, (name, readers)


def test_each_reader_has_a_sample_that_it_is_the_first_to_recognise() -> None:
    for command, readers in READERS.items():
        first = {
            next(
                (one for one in readers if one.program != ANY and one.recognises(ForeignFile(SAMPLES / name, name))),
                None,
            )
            for name in EVERY
        }
        assert {one.command for one in readers if one.program != ANY} == {one.command for one in first if one}, command


def test_the_file_of_each_reader_names_its_program_and_documentation() -> None:
    modules = (backup_tools, bacula, logs, reports, disks, tapes_and_networks, inventories)
    homes = {id(one): module for module in modules for one in vars(module).values()}
    for reader in (each for readers in READERS.values() for each in readers if each.read is not None):
        text = " ".join((homes[id(reader)].__doc__ or "").split())
        assert "See " in text, f"{reader.command}: no documentation is named"
        program = reader.program.split()[0].strip(",").lower()
        assert program in text.lower(), f"{reader.program} is not named"


def test_the_documentation_lists_each_format() -> None:
    wanted = {
        (reader.program, reader.command, f"`simbackup {command}`" if reader.read is not None else "none")
        for command, readers in READERS.items()
        for reader in readers
    }
    text = PAGE.read_text(encoding="utf-8").partition("## All formats")[2]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")][1:]
    assert {(row[0], row[1].replace("`", ""), row[2]) for row in rows} == wanted


@pytest.mark.slow
@for_each("name", EVERY)
def test_no_damaged_file_ends_in_a_traceback(name: str, tmp_path: Path) -> None:
    whole = (SAMPLES / name).read_text(encoding="utf-8")
    chosen = random.Random(name)  # noqa: S311 (the same mutations in each run)
    path = tmp_path / name
    command = next(
        command
        for command, readers in READERS.items()
        if any(one.program != ANY and one.recognises(ForeignFile(SAMPLES / name, name)) for one in readers)
    )
    for _ in range(RUNS):
        begin, end = sorted(chosen.randrange(len(whole) + 1) for _ in range(2))
        words = whole.split(" ")
        words[chosen.randrange(len(words))] = chosen.choice(JUNK)
        numbers = [i for i, letter in enumerate(whole) if letter.isdigit()]
        at = chosen.choice(numbers)
        lines = whole.splitlines(keepends=True)
        lines.pop(chosen.randrange(len(lines)))
        for text in (
            whole[:end], whole[begin:end], " ".join(words), "".join(lines),
            whole[:at] + chosen.choice(JUNK) + whole[at + 1 :], whole[:begin] + chosen.choice(JUNK) + whole[begin:],
        ):  # fmt: skip
            path.write_text(text, encoding="utf-8")
            read(path, command)


@for_each("command", READERS)
@for_each(
    "data, message",
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"\x00\x01\x02\xff" * 9, "is not"),
        (b"%PDF-1.7\n", "is not text but a PDF document; export text, CSV or JSON"),
        (b"\x1f\x8b\x08\x00", "is not text but compressed by gzip; unpack it"),
        (b"PK\x03\x04", "is not text but a ZIP archive or an Excel file; unpack it, or name it .xlsx"),
        ("Größe\n".encode("cp1252"), "is not UTF-8 text; save it as UTF-8"),
        (b"\xff\xfea\x00\x00\xd8", "is not UTF-16 text"),
        (b'{"a": [1, 2', "looks like JSON that is not complete, or not valid"),
        (b'{"colour": 1, "shape": 2}', "is JSON of no known program, with the keys colour, shape"),
        (b"<html></html>", "looks like XML or HTML, which is not read"),
        (b"lorem ipsum\n", "is not the output of a known program; it begins with 'lorem ipsum'"),
    ],
)
def test_what_nobody_knows_is_described(command: str, data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(data)
    said = read(path, command)
    assert message in said
    if "known program" in said:
        assert all(
            f"{one.program} (" in said for one in READERS[command] if one.read is not None and one.program != ANY
        )


def test_a_device_and_a_folder_are_no_files(tmp_path: Path) -> None:
    assert "/dev/zero: is a device; name a file" in str(raised(Path("/dev/zero")))
    assert "is a folder" in str(raised(tmp_path))
    assert "cannot be read (No such file or directory)" in str(raised(tmp_path / "none.txt"))


def raised(path: Path) -> InputError:
    with pytest.raises(InputError) as found:
        read_with("history", READERS["history"], ForeignFile(path, str(path)))
    return found.value


def test_a_file_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simbackup.schema.inventory.MOST_BYTES", 1 << 20)
    path = tmp_path / "large.txt"
    path.write_text("a" * ((1 << 20) + 1), encoding="utf-8")
    assert read(path, "history") == "large.txt: is larger than 1 MiB; keep only the part that matters"
