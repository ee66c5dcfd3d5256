"""Commands that are killed and interrupted while they write, many times each: the long run of `tests/crash`."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

DYING = Path(__file__).parents[1] / "tests/crash/dying.py"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what went wrong, and how often commands died; ends with 1 when something went wrong."""
    parser = argparse.ArgumentParser(description="commands that die while they write")
    parser.add_argument(
        "--deaths", type=int, default=100, help="random deaths of a command by each of two signals (100)"
    )
    parser.add_argument("--command", default="", help="only commands whose name begins so")
    asked = parser.parse_args(arguments)
    print(f"{'command':<24} {'random':>7} {'before a rename':>16} {'after a rename':>15} {'wrong':>6}")
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as errors:
        words = [sys.executable, DYING, folder, str(asked.deaths), asked.command]
        environment = os.environ | {"PYTHONPATH": str(DYING.parents[2])}
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment) as dying:
            for line in dying.stdout or ():
                found = json.loads(line)
                deaths, new = found["deaths"], [f"{found['command']}: {what}" for what in found["wrong"]]
                counts = f"{deaths['line']:>7} {deaths['before']:>16} {deaths['after']:>15} {len(new):>6}"
                print(f"{found['command']:<24} {counts}", *new, sep="\n", flush=True)
                wrong += new
        if dying.returncode:
            errors.seek(0)
            raise SystemExit(errors.read().decode(errors="replace")[-2000:])
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
