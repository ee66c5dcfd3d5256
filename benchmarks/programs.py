"""Processor time of real backup programs, by operation: of a start, of each byte and of each file.

Each program saves, saves again, restores and checks three folders: an empty one, one with large files of random bytes,
and one with 10,000 small files of text. The user and system time of the process and its children counts, so that other
work on the machine matters little; the difference to the empty folder is what bytes and files take. restic takes
another time to open each repository, by the strength of its key, so that `open` is subtracted first. With `--rounds`,
the least time of each command counts, which other work on the machine disturbs least. Repositories lie in a folder of
the same machine and everything is in the page cache. What stands beside it in `programs.csv` are the single runs
behind the datasheets, of 26 November 2026, on a busy virtual machine with AMD EPYC processors (family 25, model 1;
instructions for AES and SHA) whose core had a speed of 2.5 (1.6 to 3.7), not 5, by the kernels of `simbackup lab`:
times of files were too high, those of bytes hardly; they have 300 MB in three files and 10,000 files of 4 KiB (casync:
90 MB and 3,000). Not run from here: Kopia, as a library; OpenSSH; OpenSSL over the loopback device (`far` receives);
GnuPG; SQLite; a repository of BorgBackup over a pipe (`far` is the process at its other end).
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

PROGRAMS: Mapping[str, Mapping[str, str]] = {
    "tar": {"create": "tar cf to/a.tar {folder}", "extract": "tar xf to/a.tar -C back"},
    "restic": {
        "init": "restic init --repository-version 2",
        "open": "restic --no-cache cat config",
        "backup": "restic --no-cache backup --compression off {folder}",
        "again": "restic --no-cache backup --compression off {folder}",
        "forced": "restic --no-cache backup --force --compression off {folder}",
        "restore": "restic --no-cache restore latest --target back",
        "check": "restic --no-cache check",
        "verify": "restic --no-cache check --read-data",
        "prune": "restic --no-cache forget --keep-last 1 --prune",
    },
    "borg": {
        "init": "borg init -e {encryption} to/borg",
        "backup": "borg create -C none to/borg::a {folder}",
        "again": "borg create -C none to/borg::b {folder}",
        "forced": "borg create --files-cache disabled -C none to/borg::c {folder}",
        "restore": "cd back && borg extract ../to/borg::a",
        "check": "borg check to/borg",
        "verify": "borg check --verify-data to/borg",
    },
    "borg2": {
        "init": "borg2 -r to/borg2 rcreate -e none",
        "backup": "borg2 -r to/borg2 create -C none a {folder}",
        "again": "borg2 -r to/borg2 create -C none b {folder}",
        "restore": "cd back && borg2 -r ../to/borg2 extract a",
        "check": "borg2 -r to/borg2 check",
    },
    "duplicity": {
        "backup": "duplicity full --no-compression --no-encryption --archive-dir to/kept {folder} file://$PWD/to/volumes",
        "again": "duplicity incremental --no-compression --no-encryption --archive-dir to/kept {folder} file://$PWD/to/volumes",
        "restore": "duplicity restore --no-encryption --archive-dir to/kept --force file://$PWD/to/volumes back/all",
        "verify": "duplicity verify --no-encryption --archive-dir to/kept file://$PWD/to/volumes {folder}",
    },
    "bup": {
        "init": "bup init",
        "index": "bup index {folder}",
        "save": "bup save -q -0 -n a {folder}",
        "restore": "bup restore -q -C back a/latest/",
        "verify": "bup fsck",
    },
    "casync": {
        "make": "casync make --store=to/store to/a.caidx {folder}",
        "again": "casync make --store=to/store to/b.caidx {folder}",
        "extract": "casync extract --store=to/store --seed-output=no to/a.caidx back/all",
    },
    "rsync": {
        "copy": "rsync -a {folder} back/",
        "again": "rsync -a {folder} back/",
        "checksum": "rsync -ac {folder} back/",
    },
}  # fmt: skip
"""Commands of each program, one after the other; `init` does not count."""
FOLDERS = ("empty", "random", "small")
SMALL = 4096
"""Bytes of a small file."""


class Spent(NamedTuple):
    """Seconds of one command with one folder."""

    user: float
    system: float
    elapsed: float


def fill(root: Path, scale: float) -> Mapping[str, tuple[float, float]]:
    """Make the folders; the bytes and files of each."""
    draw, size, files = random.Random(1), int(100e6 * scale), int(10_000 * scale)  # noqa: S311
    for name in FOLDERS:
        (root / name).mkdir(parents=True)
    for number in range(3):
        (root / "random" / f"f{number}").write_bytes(os.urandom(size))
    words = [bytes(draw.choices(range(97, 123), k=draw.randint(2, 9))) for _ in range(2000)]
    for number in range(files):
        place = root / "small" / f"d{number // 100:03d}"
        place.mkdir(exist_ok=True)
        (place / f"file-{number % 100:03d}").write_bytes(b" ".join(draw.choices(words, k=1000))[:SMALL])
    return {"empty": (0.0, 0.0), "random": (3.0 * size, 3.0), "small": (float(SMALL * files), float(files))}


def spend(command: str, root: Path) -> Spent:
    """What a command takes, with its children."""
    kept = {"RESTIC_PASSWORD": "x", "RESTIC_REPOSITORY": "to/repo", "BORG_PASSPHRASE": "x"}
    kept |= {"BORG_BASE_DIR": "to/base", "BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK": "yes", "HOME": str(root / "to")}
    kept |= {"BUP_DIR": str(root / "to" / "bup")}
    kept |= {"BORG_CHECK_I_KNOW_WHAT_I_AM_DOING": "YES", "BORG_RELOCATED_REPO_ACCESS_IS_OK": "yes"}
    begin = time.perf_counter()
    process = subprocess.Popen(  # noqa: S602
        command, shell=True, cwd=root, env=os.environ | kept, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    errors = process.stderr.read() if process.stderr else b""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = status
    if status:
        raise SystemExit(f"{command}: {errors.decode(errors='replace')[-300:]}")
    return Spent(used.ru_utime, used.ru_stime, time.perf_counter() - begin)


def measure(program: str, root: Path, encryption: str, rounds: int) -> Mapping[tuple[str, str], Spent]:
    """What each command of a program takes with each folder, at least."""
    found: dict[tuple[str, str], Spent] = {}
    for folder in FOLDERS * rounds:
        opened = Spent(0.0, 0.0, 0.0)
        for place in ("to", "back"):
            shutil.rmtree(root / place, ignore_errors=True)
            (root / place).mkdir()
        for name, command in PROGRAMS[program].items():
            spent = spend(command.format(folder=folder, encryption=encryption), root)
            if name == "open":
                opened = spent
            elif name != "init":
                left = Spent(spent.user - opened.user, spent.system - opened.system, spent.elapsed)
                found[name, folder] = min(left, found.get((name, folder), left), key=lambda one: one.user + one.system)
    return found


def main() -> None:
    """Measure the programs that are installed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks programs", description=__doc__)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=f"{', '.join(PROGRAMS)}; all by default")
    parser.add_argument("--encryption", default="none", help="of BorgBackup, such as repokey")
    parser.add_argument("--times", type=float, default=1.0, help="so many times 300 MB and 10,000 files")
    parser.add_argument("--rounds", type=int, default=1, help="how often each command runs; the least counts")
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        sizes = fill(root, 0.02 if asked.quick else asked.times)
        print("program\toperation\tempty: elapsed s\tuser ns/B\tsystem ns/B\tuser ms/file\tsystem ms/file")
        for program in filter(shutil.which, asked.programs or PROGRAMS):
            found = measure(program, root, asked.encryption, asked.rounds)
            for name in dict.fromkeys(name for name, _ in found):
                empty, whole, small = (found[name, one] for one in FOLDERS)
                each = [(whole[kind] - empty[kind]) / sizes["random"][0] for kind in (0, 1)]
                files = [
                    (small[kind] - empty[kind] - each[kind] * sizes["small"][0]) / sizes["small"][1] for kind in (0, 1)
                ]
                figures = (empty.elapsed, *(one * 1e9 for one in each), *(one * 1e3 for one in files))
                print(program, name, *(f"{one:.3g}" for one in figures), sep="\t", flush=True)


if __name__ == "__main__":
    main()
