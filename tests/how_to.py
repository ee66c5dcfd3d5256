"""The pages of docs/ that show commands, as files to write, commands to run, and output to compare.

Run as a script, this file writes the outputs on the pages anew: `python tests/how_to.py [PAGE ...]`.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).parents[1]
DOCS = TOP / "docs"
BLOCK = re.compile(r"(?:^`(?P<file>[^`\n]+)`:\n\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
TREE = "In the top folder of a clone:"
"""Words after which commands run in a copy of the source tree."""


@dataclass(frozen=True, slots=True)
class Block:
    """A code block: a file if it has a name, else commands (`sh`) or what the last commands print (`text`)."""

    language: str
    text: str
    file: str | None
    inside: bool
    begin: int
    end: int


def pages() -> list[Path]:
    """The pages that show what commands print."""
    return [path for path in sorted(DOCS.glob("*.md")) + sorted(DOCS.glob("how-to/*.md")) if "```sh\n" in read(path)]


def read(page: Path) -> str:
    """The text of a page."""
    return page.read_text(encoding="utf-8")


def blocks(page: str) -> Iterator[Block]:
    """The code blocks of a page in order; `inside` are those that belong to a copy of the source tree."""
    for found in BLOCK.finditer(page):
        inside = TREE in page[: found.start()]
        yield Block(found["language"], found["text"], found["file"], inside, *found.span("text"))


def written(page: str, folder: Path) -> None:
    """Write the files of a page into a folder."""
    for block in blocks(page):
        write(block, folder)


def write(block: Block, folder: Path) -> None:
    """Write the file that a block is."""
    if block.file is not None:
        path = folder / block.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")


def shell(folder: Path) -> dict[str, str]:
    """An environment of its own for `python`, `pip` and `simbackup`, which may install packages from folders.

    It sees what is installed here, and needs no network.
    """
    venv = folder / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    python = venv / "bin" / "python"
    here = sysconfig.get_path("purelib")
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    (venv / "lib" / version / "site-packages" / "outer.pth").write_text(
        f"import site; site.addsitedir({here!r})\n", encoding="utf-8"
    )
    offline = (
        'case "$1" in install) set -- "$@" --no-index --no-deps --no-build-isolation --no-warn-script-location ;; esac'
    )
    for name, lines in {
        "pip": f'{offline}\nexec "{python}" -m pip --disable-pip-version-check "$@"',
        "simbackup": f'exec "{python}" -m simbackup.cli "$@"',
    }.items():
        script = venv / "bin" / name
        script.write_text(f"#!/bin/sh\n{lines}\n", encoding="utf-8")
        script.chmod(0o755)
    plain = {key: value for key, value in os.environ.items() if not key.startswith(("SIMBACKUP", "PYTHON", "PYTEST"))}
    return plain | {
        "PATH": f"{venv / 'bin'}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "120", "MPLBACKEND": "agg",
        "LC_ALL": "C.UTF-8",
    }  # fmt: skip


def tree(folder: Path) -> Path:
    """A copy of the source tree with what it is compiled to, in a folder named `simbackup`."""
    copy = folder / "simbackup"
    if not copy.exists():
        copy.mkdir()
        for name in ("simbackup", "models", "scenarios", "docs", "tests"):
            shutil.copytree(TOP / name, copy / name, ignore=shutil.ignore_patterns("pictures"))
        shutil.copy(TOP / "pyproject.toml", copy)
    return copy


def printed(block: Block, before: str, folder: Path, environment: dict[str, str]) -> str:
    """What the commands of a block print, after those before it have set variables; they have to succeed."""
    where = tree(folder) if block.inside else folder
    inside = {"PYTHONPATH": str(where)} if block.inside else {}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", before + block.text],  # noqa: S607 (the shell of whoever runs the tests)
        capture_output=True, text=True, check=False, cwd=where, env=environment | inside, encoding="utf-8",
    )  # fmt: skip
    assert done.returncode == 0, f"{block.text}\n{done.stdout}{done.stderr}"
    lines = [line.rstrip() for line in (done.stdout + done.stderr).splitlines()]
    return re.sub(r"\n{2,}", "\n\n", "\n".join(lines).strip("\n")) + "\n"


def followed(page: str, folder: Path) -> str:
    """The page with what its commands print, when its blocks are followed in order in a folder."""
    environment, exports, last, new, done = shell(folder), "", "", "", 0
    for block in blocks(page):
        if block.file is not None:
            write(block, folder)
        elif block.language == "sh":
            last = printed(block, exports, folder, environment)
            exports += "".join(f"{line}\n" for line in block.text.splitlines() if line.startswith("export "))
        else:
            assert block.language == "text", f"a block of {block.language} has no file name: {block.text}"
            new, done = new + page[done : block.begin] + last, block.end
    return new + page[done:]


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]) if sys.argv[1:] else pages():
        with tempfile.TemporaryDirectory() as place:
            text = followed(read(path), Path(place))
        path.write_text(text, encoding="utf-8")
