"""One command for all: `python -m benchmarks [NAME]`, with the options of that one behind its name."""

from __future__ import annotations

import sys
from importlib import import_module

MEASURED = ("start_up", "loading", "fleet", "year", "study", "points", "reproduce", "midnight")
"""What is measured where none is named."""
NAMES = (
    *MEASURED, "browser", "codecs", "crash", "databases", "frozen", "fuzz", "jumps", "many_files", "programs",
    "plans", "sessions", "simgrid", "structure", "systems", "waiting",
)  # fmt: skip


def main() -> None:
    """Run the one that is named, or all that measure with the same options."""
    name, *options = sys.argv[1:] or [""]
    if name in {"", "--quick", "--json", "--runs"}:
        for each in MEASURED:
            run(each, sys.argv[1:])
    elif name.replace("-", "_") in NAMES:
        run(name.replace("-", "_"), options)
    else:
        raise SystemExit(f"usage: python -m benchmarks [{'|'.join(NAMES)}] [--quick] [--json] [options]")


def run(name: str, options: list[str]) -> None:
    """Run one with its options."""
    sys.argv = [f"python -m benchmarks {name}", *options]
    import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main()
