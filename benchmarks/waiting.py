"""How far programs get whose workers wait for a server far away: elapsed times by the number of workers.

restic reads a repository of many small packs from a REST server, rclone copies small files to a WebDAV server and back,
pg_dump and pg_restore save and load a database of many small tables. Between each program and its server, a proxy
delays each round trip. The files are small, so that waiting takes most of the time; the difference of the times with
many and with few of them is what each takes, without what the program does once. `waiting.csv` holds single runs on a
shared virtual machine with two cores, which were busy with other work; PostgreSQL is not complete. pg_dump and
pg_restore ask about each table in series, whatever their number of jobs. Run it as root.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.databases import Env, postgres, shell
from simbackup.lab.runs import Shell, free_port
from simbackup.lab.setup import delayed

TABLE = Path(__file__).with_suffix(".csv")
WORKERS = (1, 2, 4, 8, 16, 32, 64)
TRIPS = (0.02, 0.05)
ITEMS = (16, 144)
"""Numbers of files, packs or tables."""


class Run(NamedTuple):
    """A command with so many workers behind a delay, and what it took."""

    command: str
    trip_s: float
    items: int
    workers: int
    elapsed_s: float
    processor_s: float


class Case(NamedTuple):
    """A name, a command, and what makes things ready for it."""

    name: str
    command: str
    ready: str = ""


RESTIC = "restic -q -r rest:http://127.0.0.1:{port}/ -o rest.connections={workers}"
RCLONE = "rclone -q --webdav-url http://127.0.0.1:{port} --transfers {workers} --checkers {workers} copy"
CASES: Mapping[str, tuple[Case, ...]] = {
    "restic": (
        Case("restic restore", f"{RESTIC} restore latest --target {{out}}", "rm -rf {out}"),
    ),
    "rclone": (
        Case("rclone copy there", f"{RCLONE} {{data}} :webdav:{{name}}"),
        Case("rclone copy back", f"{RCLONE} :webdav:from {{out}}", "rm -rf {out}"),
    ),
    "postgres": (
        Case("pg_dump", "pg_dump -h 127.0.0.1 -p {port} -Fd -Z0 -j {workers} -f {out} saved", "rm -rf {out}"),
        Case("pg_restore", "pg_restore -h 127.0.0.1 -p {port} -j {workers} -d copy {kept}",
             "dropdb --if-exists copy && createdb copy"),
    ),
}  # fmt: skip


def serving(kind: str, folder: Path, port: int) -> AbstractContextManager[object]:
    """A server of rclone on a folder."""
    return Shell(folder.parent, {}).serving(f"rclone serve {kind} --addr 127.0.0.1:{port} {folder}", port)


def small_files(folder: Path, number: int) -> None:
    """Make so many files of 4 kB that do not compress."""
    folder.mkdir(parents=True)
    drawn = random.Random(1)  # noqa: S311
    for each in range(number):
        (folder / f"{each}").write_bytes(drawn.randbytes(4000))


@contextmanager
def ready(name: str, folder: Path, items: int) -> Generator[tuple[int, str, Env]]:
    """A server that has what the commands read: its port, the user of its clients, and their settings."""
    data, kept = folder / "data", folder / "kept"
    env = {"PATH": os.environ["PATH"], "RESTIC_PASSWORD": "p", "RESTIC_CACHE_DIR": str(folder / "cache"),
           "RCLONE_CONFIG": str(folder / "none"), "HOME": str(folder)}  # fmt: skip
    if name == "restic":
        shell(f"restic -q -r {kept} init --repository-version 2", "root", env)
        data.mkdir()
        for each in range(items):  # each run leaves a pack of data, a pack of trees and an index
            (data / f"{each}").write_bytes(random.Random(each).randbytes(4000))  # noqa: S311
            shell(f"restic -q -r {kept} backup {data}", "root", env)
        shutil.rmtree(folder / "cache")
        port = free_port()
        with serving("restic", kept, port):
            yield port, "root", env | {"RESTIC_CACHE_DIR": "", "RESTIC_PASSWORD": "p"}
    elif name == "rclone":
        small_files(data, items)
        shutil.copytree(data, kept / "from")
        port = free_port()
        with serving("webdav", kept, port):
            yield port, "root", env
    else:
        with postgres(folder) as (_, env):
            yield _tables(folder, env, items)


def _tables(folder: Path, env: Env, items: int) -> tuple[int, str, Env]:
    """A database of small tables, each with a primary key, and the port of its server."""
    port, user = free_port(), "postgres"
    settings = f"-c \"alter system set listen_addresses='127.0.0.1'\" -c 'alter system set port={port}'"
    restart = f"pg_ctl -w -s -D {folder}/pg -l {folder}/log restart"
    shell(f"psql -q {settings} -c 'alter system set max_connections=200' && {restart}", user, env)
    made = "; ".join(
        f"create table t{n} as select g id, md5(g::text) t from generate_series(1, 100) g; "  # noqa: S608
        f"alter table t{n} add primary key (id)"
        for n in range(items)
    )
    env = {**env, "PGPORT": str(port)}
    shell(f'createdb saved && psql -q -d saved -c "{made}" && pg_dump -Fd -Z0 -f {folder}/kept saved', user, env)
    return port, user, env


def measured(name: str, items: int, rounds: int) -> Iterator[Run]:
    """Runs of all commands of a program on so many items, with each number of workers, behind each delay."""
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        folder.chmod(0o755)
        if name == "postgres":
            shutil.chown(folder, "postgres")
        with ready(name, folder, items) as (server, user, env):
            order = [(trip, many, case) for trip in TRIPS for many in WORKERS for case in CASES[name]] * rounds
            random.Random(2).shuffle(order)  # noqa: S311
            for trip, many, case in order:
                with delayed(server, trip) as port:
                    words = {
                        "port": port, "workers": many, "out": folder / "out", "data": folder / "data",
                        "kept": folder / "kept", "name": f"to{time.monotonic_ns()}",
                    }  # fmt: skip
                    if case.ready:
                        shell(case.ready.format(**words), user, env)
                    command = case.command.format(**words)
                    if name == "restic":
                        command += " --no-cache"
                    taken, elapsed = shell(command, user, env)
                yield Run(case.name, trip, items, many, elapsed, taken)


def main() -> None:
    """Measure, print speed-ups, and write the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks waiting", description=__doc__)
    parser.add_argument("programs", nargs="*", help=f"{', '.join(CASES)}; all by default")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--write", action="store_true", help=f"write {TABLE.name}")
    options = parser.parse_args()
    runs = list[Run]()
    for name in options.programs or CASES:
        for items in ITEMS:
            for run in measured(name, items, options.rounds):
                print(*run, sep="\t", flush=True)
                runs.append(run)
    found = [
        Run(*key, *(round(statistics.median(getattr(run, of) for run in runs if run[:4] == key), 3)
                    for of in ("elapsed_s", "processor_s")))
        for key in sorted({run[:4] for run in runs})
    ]  # fmt: skip
    each = dict[tuple[str, float, int], float]()
    by_key = {run[:4]: run for run in found}
    for few in (run for run in found if run.items == ITEMS[0]):
        many = by_key[few.command, few.trip_s, ITEMS[1], few.workers]
        each[few.command, few.trip_s, few.workers] = (many.elapsed_s - few.elapsed_s) / (ITEMS[1] - ITEMS[0])
    for (command, trip, workers), seconds in each.items():
        gain = each[command, trip, 1] / seconds
        print(f"{command:30} {trip * 1e3:3.0f} ms {workers:3} workers {seconds * 1e3:7.2f} ms each, {gain:5.1f} times")
    if options.write:
        with TABLE.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(Run._fields)
            writer.writerows(found)


if __name__ == "__main__":
    main()
