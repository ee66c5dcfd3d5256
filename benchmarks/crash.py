"""Commands that are killed and interrupted while they write, many times each: the long run of `tests/crash`."""

from __future__ import annotations

import argparse
import json
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
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, DYING, folder, str(asked.deaths), asked.command]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    found = json.loads(done.stdout)
    print("\n".join(found["wrong"]))
    print(f"{'command':<24} {'random':>7} {'before a rename':>16} {'after a rename':>15}")
    for command, deaths in found["deaths"].items():
        print(f"{command:<24} {deaths['line']:>7} {deaths['before']:>16} {deaths['after']:>15}")
    raise SystemExit(1 if found["wrong"] else 0)


if __name__ == "__main__":
    main()
