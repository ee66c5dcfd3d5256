"""Processor time of programs that save and load databases, for each byte, at the server and at the client.

A PostgreSQL and a MariaDB server run in a temporary folder and listen on a socket only. Tables of short rows (12
columns of numbers, dates and words) and of long rows (a text of 1 kB) come in two sizes; the difference of the times
of two sizes over that of their bytes is the cost of a byte. Bytes are those of the rows on disk, without indexes, or
of all files for programs that copy files. The user and system times of all processes of the server and of the client
count, so that other work on the machine slows them, but does not count itself. `databases.csv` holds medians of one
or two rounds on a shared virtual machine with AMD EPYC processors (family 25, model 1), with the versions of Debian
12: PostgreSQL 15.18, pgBackRest 2.45, MariaDB 10.11, mydumper 0.10.1. Run it as root; the servers run as users of
their own.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import resource
import shlex
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple

TABLE = Path(__file__).with_suffix(".csv")
BIN = Path("/usr/lib/postgresql/15/bin")
TICK = os.sysconf("SC_CLK_TCK")
SIZES = (1, 4)
ROWS = {"short": 250_000, "long": 40_000}
PORT = 54329
Env = Mapping[str, str]


class Run(NamedTuple):
    """A command, what it works on, and what it took."""

    server: str
    command: str
    rows: str
    megabytes: float
    server_s: float
    client_s: float
    elapsed_s: float


class Case(NamedTuple):
    """A command that is measured: what makes things ready, the command of a shell, and whether all files count."""

    command: str
    ready: str = ""
    files: bool = False


POSTGRES = (
    Case("pg_dump -Fp -f {out}/plain.sql {db}"),
    Case("pg_dump -Fp {db} > /dev/null"),
    Case("pg_dump -Fc -Z0 -f {out}/custom {db}"),
    Case("pg_dump -Fd -Z0 -f {out}/directory {db}", "rm -rf {out}/directory"),
    Case("psql -q -d copy -f {out}/plain.sql", "dropdb --if-exists copy && createdb copy"),
    Case("pg_restore -d copy --section=pre-data --section=data {out}/directory",
         "dropdb --if-exists copy && createdb copy"),
    Case("pg_restore -d copy --section=post-data {out}/directory"),
    Case("pg_basebackup -c fast -Ft -X fetch -D - > /dev/null", files=True),
    Case("pg_basebackup -c fast -Ft -D {out}/base", "rm -rf {out}/base", files=True),
    Case("pg_basebackup -c fast -Fp -D {out}/base", "rm -rf {out}/base", files=True),
    Case("pgbackrest --compress-type=none --type=full backup", files=True),
    Case("pgbackrest --type=incr --compress-type=none backup", files=True),
    Case("pgbackrest verify", files=True),
    Case("pgbackrest --pg1-path={out}/restored restore", "rm -rf {out}/restored && mkdir -m 700 {out}/restored",
         files=True),
)  # fmt: skip
MARIADB = (
    Case("mariadb-dump --single-transaction {db} > {out}/dump.sql"),
    Case("mariadb-dump --single-transaction {db} > /dev/null"),
    Case("mariadb copy < {out}/dump.sql", "mariadb -e 'drop database if exists copy; create database copy'"),
    Case("mydumper -t 1 -B {db} -o {out}/dumper", "rm -rf {out}/dumper"),
    Case("myloader -t 1 -B copy -s {db} -d {out}/dumper -o",
         "mariadb -e 'drop database if exists copy; create database copy'"),
    Case("mariabackup --backup --target-dir={out}/base", "rm -rf {out}/base", files=True),
    Case("mariabackup --backup --target-dir={out}/next --incremental-basedir={out}/base", "rm -rf {out}/next",
         files=True),
    Case("mariabackup --prepare --target-dir={out}/base", files=True),
    Case("mariabackup --copy-back --target-dir={out}/base --datadir={out}/restored", "rm -rf {out}/restored",
         files=True),
)  # fmt: skip
COLUMNS = {
    "postgres": {
        "short": "g::bigint id, (g*7919)%1000003 a, g%97 b, g%13 c, (g*0.37)::numeric(12,2) d,"
        " date '2020-01-01'+(g%1500)::int e, timestamp '2020-01-01'+g*interval '1 second' f, md5(g::text) h,"
        " 'word'||g%1000 i, g%2=0 j, g*2 k, 'x' l",
        "long": "g::bigint id, (select string_agg(md5((g*37+k)::text), ' ') from generate_series(1, 31) k) t",
    },
    "mariadb": {
        "short": "cast(seq as signed) id, seq*7919%1000003 a, seq%97 b, seq%13 c, cast(seq*0.37 as decimal(12,2)) d,"
        " date('2020-01-01')+interval seq%1500 day e, timestamp('2020-01-01')+interval seq second f, md5(seq) h,"
        " concat('word',seq%1000) i, seq%2 j, seq*2 k, 'x' l",
        "long": "cast(seq as signed) id, concat_ws(' ', " + ",".join(f"md5(seq*37+{k})" for k in range(31)) + ") t",
    },
}
"""Columns of tables; `g` and `seq` count rows."""


def as_user(user: str, env: Env, *command: str) -> list[str]:
    """A command with settings, run as a user."""
    settings = [f"{key}={value}" for key, value in env.items()]
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "env", "-C", "/", *settings, *command]


def shell(text: str, user: str, env: Env) -> tuple[float, float]:
    """Run a command as a user; its processor time with that of its children, and how long it takes."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = as_user(user, env, "bash", "-c", text)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    taken = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return taken, time.monotonic() - begin


def server_time(root: int) -> float:
    """Processor time of a server, its children, and those that have ended, once the last of these are counted."""
    time.sleep(0.3)
    found, total = {root}, 0.0
    processes = {int(path.name): path for path in Path("/proc").iterdir() if path.name.isdigit()}
    for number, path in sorted(processes.items()):
        try:
            fields = (path / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if number == root or int(fields[1]) in found:
            found.add(number)
            total += sum(map(int, fields[11:15])) / TICK
    return total


@contextmanager
def postgres(folder: Path) -> Generator[tuple[int, Env]]:
    """A PostgreSQL server, and the settings of its clients."""
    data, repo = folder / "pg", folder / "repo"
    env = {"PGHOST": str(folder), "PGPORT": str(PORT), "PATH": f"{BIN}:{os.environ['PATH']}",
           "PGBACKREST_STANZA": "main", "PGBACKREST_REPO1_PATH": str(repo),
           "PGBACKREST_PG1_PATH": str(data), "PGBACKREST_PG1_PORT": str(PORT),
           "PGBACKREST_PG1_SOCKET_PATH": str(folder), "PGBACKREST_LOG_LEVEL_FILE": "off", "PGBACKREST_START_FAST": "y",
           "PGBACKREST_LOCK_PATH": str(folder), "PGBACKREST_REPO1_RETENTION_FULL": "1", "PGBACKREST_ARCHIVE_CHECK": "n",
           "PGBACKREST_ARCHIVE_MODE_CHECK": "n", "PGDATABASE": "postgres"}  # fmt: skip
    shell(f"initdb -D {data} >/dev/null", "postgres", env)
    settings = {"listen_addresses": "", "unix_socket_directories": folder, "port": PORT, "shared_buffers": "512MB",
                "max_wal_size": "2GB", "autovacuum": "off"}  # fmt: skip
    with (data / "postgresql.conf").open("a") as file:
        file.writelines(f"{key} = '{value}'\n" for key, value in settings.items())
    shell(f"pg_ctl -w -s -D {data} -l {folder}/log start", "postgres", env)
    try:
        if shutil.which("pgbackrest"):
            shell("pgbackrest stanza-create", "postgres", env)
        yield int((data / "postmaster.pid").read_text().split()[0]), env
    finally:
        shell(f"pg_ctl -w -s -m immediate -D {data} stop", "postgres", env)


@contextmanager
def mariadb(folder: Path) -> Generator[tuple[int, Env]]:
    """A MariaDB server, and the settings of its clients."""
    data, home = folder / "my", folder / "home"
    home.mkdir()
    login = f"socket={folder}/sock\nuser=mysql\n"
    (home / ".my.cnf").write_text(f"[client]\n{login}[mariabackup]\n{login}datadir={data}\n")
    shutil.chown(home, "mysql", "mysql")
    env = {"HOME": str(home), "PATH": os.environ["PATH"]}
    root = "--auth-root-authentication-method=socket --auth-root-socket-user=mysql"
    shell(f"mariadb-install-db --no-defaults {root} --datadir={data}", "mysql", env)
    command = ["mariadbd", "--no-defaults", "--user=mysql", f"--datadir={data}", f"--socket={folder}/sock",
               "--skip-networking", "--innodb-buffer-pool-size=1G", "--innodb-log-file-size=512M"]  # fmt: skip
    with subprocess.Popen(command, stderr=(folder / "log").open("w")) as process:
        try:
            for _ in range(120):
                time.sleep(0.5)
                if (folder / "sock").exists():
                    break
            yield process.pid, env
        finally:
            process.terminate()


def fill_postgres(env: Env, rows: str, number: int) -> float:
    """Fill a table with so many rows and an index; megabytes of the rows on disk."""
    table = f"create table t as select {COLUMNS['postgres'][rows]} from generate_series(1::bigint, {number}) g"  # noqa: S608
    steps = (table, "alter table t add primary key (id)", "vacuum analyze t", "checkpoint")
    shell("dropdb --if-exists saved && createdb saved", "postgres", env)
    shell(" ".join(["psql -q -d saved", *(f"-c {shlex.quote(step)}" for step in steps)]), "postgres", env)
    return asked(["psql", "-At", "-d", "saved", "-c", "select pg_table_size('t')"], "postgres", env) / 1e6


def fill_mariadb(env: Env, rows: str, number: int) -> float:
    """Fill a table with so many rows; megabytes of the rows on disk."""
    table = f"create table t (primary key (id)) as select {COLUMNS['mariadb'][rows]} from seq_1_to_{number}"  # noqa: S608
    emptied = "; ".join(f"drop database if exists {name}; create database {name}" for name in ("saved", "copy"))
    shell(f"mariadb -e '{emptied}' && mariadb saved -e {shlex.quote(f'{table}; analyze table t')}", "mysql", env)
    size = "select sum(data_length) from information_schema.tables where table_schema='saved'"
    return asked(["mariadb", "-BN", "-e", size], "mysql", env) / 1e6


def asked(command: Sequence[str], user: str, env: Env) -> float:
    """The number that a client prints."""
    found = subprocess.run(as_user(user, env, *command), check=True, capture_output=True, text=True)
    return float(found.stdout.split()[-1])


def size_of(folder: Path) -> float:
    """Megabytes of the files of a server without its log."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return (
        sum(path.stat().st_size for path in files if "pg_wal" not in path.parts and "ib_logfile" not in path.name) / 1e6
    )


class Server(NamedTuple):
    """A kind of server: the user it runs as, how it is started and filled, its files, and what is measured."""

    user: str
    start: Callable[[Path], AbstractContextManager[tuple[int, Env]]]
    fill: Callable[[Env, str, int], float]
    files: str
    cases: Sequence[Case]


SERVERS = {
    "postgres": Server("postgres", postgres, fill_postgres, "pg", POSTGRES),
    "mariadb": Server("mysql", mariadb, fill_mariadb, "my", MARIADB),
}


def measured(name: str, rounds: int) -> Iterator[Run]:
    """Runs of all commands of a server on all tables."""
    server = SERVERS[name]
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        out = folder / "out"
        out.mkdir()
        folder.chmod(0o755)
        for path in (folder, out):
            shutil.chown(path, server.user, server.user)
        with server.start(folder) as (process, env):
            order = [(rows, size) for rows in ROWS for size in SIZES] * rounds
            random.Random(1).shuffle(order)  # noqa: S311
            for rows, size in order:
                saved = server.fill(env, rows, ROWS[rows] * size)
                for case in server.cases:
                    ready, command = (each.format(out=out, db="saved") for each in (case.ready, case.command))
                    if ready:
                        shell(ready, server.user, env)
                    amount = size_of(folder / server.files) if case.files else saved
                    before = server_time(process)
                    client, elapsed = shell(command, server.user, env)
                    times = (server_time(process) - before, client, elapsed)
                    yield Run(name, case.command, rows, round(amount, 1), *(round(each, 2) for each in times))


def costs(runs: Sequence[Run]) -> Iterator[tuple[str, str, float, float, float]]:
    """For each command and kind of rows: ns for each byte at the server and at the client, seconds without bytes."""
    for command in dict.fromkeys(run.command for run in runs):
        for rows in ROWS:
            small, large = sorted(
                [run for run in runs if (run.command, run.rows) == (command, rows)], key=lambda run: run.megabytes
            )
            more = (large.megabytes - small.megabytes) / 1e3
            server, client = ((getattr(large, key) - getattr(small, key)) / more for key in ("server_s", "client_s"))
            start = small.server_s + small.client_s - (server + client) * small.megabytes / 1e3
            yield command, rows, server, client, start


def medians(runs: Sequence[Run]) -> list[Run]:
    """One run for each command, kind of rows and size."""
    groups = dict[tuple[str, str, int], list[Run]]()
    for run in runs:
        groups.setdefault((run.command, run.rows, round(run.megabytes / 20)), []).append(run)
    return [
        some[0]._replace(**{
            key: round(statistics.median(getattr(one, key) for one in some), 2)
            for key in ("megabytes", "server_s", "client_s", "elapsed_s")
        })
        for some in groups.values()
    ]  # fmt: skip


def main() -> None:
    """Measure, write the table, and print costs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks databases", description=__doc__)
    parser.add_argument("servers", nargs="*", help="postgres, mariadb; both by default")
    parser.add_argument(
        "--rounds",
        type=int,
        default=1,
        help="runs of each command on each table, of which medians are taken; 1 by default",
    )
    parser.add_argument("--write", action="store_true", help=f"write {TABLE.name}")
    options = parser.parse_args()
    found = list[Run]()
    for name in options.servers or SERVERS:
        for run in measured(name, options.rounds):
            print(*run, sep="\t", flush=True)
            found.append(run)
    runs = medians(found)
    if options.write:
        with TABLE.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(Run._fields)
            writer.writerows(runs)
    for command, rows, server, client, start in costs(runs):
        print(f"{command:75s} {rows:6s} server {server:6.1f} ns/B  client {client:6.1f} ns/B  and {start:5.2f} s")


if __name__ == "__main__":
    main()
