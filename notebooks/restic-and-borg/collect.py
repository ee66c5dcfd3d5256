"""Back up and restore made file trees with restic and BorgBackup, and keep what they say; python collect.py FOLDER

It was run once to make the files beside it. Each tree has a repository of its own. A run is a full backup, an
incremental one after some files were written anew, or a restore. Trees and repositories lie in the page cache, as far
as the machine keeps them there. `runs.csv` holds what the programs do not say: processor time, and all of restores.
"""

from __future__ import annotations

import csv
import datetime
import json
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

TREES = {  # name: files, bytes of a file, share of zeros in a line of 128 bytes, share of files changed
    "a": (20, 8_000_000, 0.0, 0.2),
    "b": (40, 3_000_000, 0.75, 0.4),
    "c": (300, 250_000, 0.5, 0.1),
    "d": (1000, 40_000, 0.0, 0.3),
    "e": (2500, 8_000, 0.5, 0.2),
    "f": (6000, 3_000, 0.75, 0.1),
    "g": (5, 12_000_000, 0.5, 0.4),
    "h": (100, 1_000_000, 0.0, 0.1),
    "i": (600, 20_000, 0.75, 0.5),
    "j": (1500, 60_000, 0.5, 0.05),
}
TOOLS = ("restic", "borg")
SEED = 9
HEAD = ["id", "tool", "system", "job", "operation", "level", "start", "elapsed_s", "cpu_s"]


def content(rng: random.Random, size: int, zeros: float) -> bytes:
    line = 128
    kept = round(line * (1 - zeros))
    drawn = rng.randbytes(-(-size // line) * kept)
    return b"".join(drawn[i : i + kept].ljust(line, b"\0") for i in range(0, len(drawn), kept))[:size]


def timed(command: list[str], cwd: Path, env: dict[str, str]) -> tuple[str, float, float]:
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    elapsed = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(err.decode())
    return out.decode(), elapsed, usage.ru_utime + usage.ru_stime


def main(folder: Path) -> None:
    work, rng = folder / "work", random.Random(SEED)
    env = {
        **os.environ,
        "RESTIC_PASSWORD": "x",
        "BORG_PASSPHRASE": "x",
        "RESTIC_CACHE_DIR": str(work / "rc"),
        "BORG_BASE_DIR": str(work / "bb"),
        "TZ": "UTC",
        "RESTIC_PROGRESS_FPS": "0.016",
    }
    for tool in TOOLS:
        (folder / tool).mkdir(parents=True, exist_ok=True)
    rows = []
    for name, (files, size, zeros, changed) in TREES.items():
        tree = work / "tree"
        paths = [tree / f"d{i // 50:03}" / f"f{i:05}" for i in range(files)]
        for path in paths:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content(rng, size, zeros))
        for tool in TOOLS:
            repo = work / f"repo-{tool}"
            init = (
                ["restic", "-q", "-r", repo, "init", "--repository-version", "2"]
                if tool == "restic"
                else ["borg", "init", "-e", "repokey", repo]
            )
            subprocess.run(init, env=env, check=True, capture_output=True)
        for kind in ("full", "incremental", "restore"):
            if kind == "incremental":
                for path in rng.sample(paths, round(files * changed)):
                    path.write_bytes(content(rng, size, zeros))
            for tool in TOOLS:
                os.sync()
                repo, id_ = work / f"repo-{tool}", f"{tool}-{name}-{kind}"
                back = work / "back"
                shutil.rmtree(back, ignore_errors=True)
                back.mkdir()
                if tool == "restic":
                    command = (
                        ["restic", "-r", repo, "restore", "latest", "--target", back, "--json"]
                        if kind == "restore"
                        else ["restic", "-r", repo, "backup", "--json", "--host", f"tree-{name}", "."]
                    )
                else:
                    command = (
                        ["borg", "extract", f"{repo}::incremental"]
                        if kind == "restore"
                        else ["borg", "create", "--json", "-C", "zstd,1", f"{repo}::{kind}", "."]
                    )
                start = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
                out, elapsed, cpu = timed([str(c) for c in command], back if kind == "restore" else tree, env)
                if kind != "restore":
                    lines = [line for line in out.splitlines() if '"status"' not in line[:40]]
                    (folder / tool / f"{id_}.json").write_text("\n".join(lines) + "\n")
                rows.append(
                    [
                        id_,
                        tool,
                        f"tree-{name}",
                        kind,
                        "restore" if kind == "restore" else "backup",
                        "" if kind == "restore" else kind,
                        start.isoformat(),
                        f"{elapsed:.3f}",
                        f"{cpu:.3f}",
                    ]
                )
                print(rows[-1], flush=True)
        shutil.rmtree(work)
    with (folder / "runs.csv").open("w", newline="") as out:
        csv.writer(out).writerows([HEAD, *rows])


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
