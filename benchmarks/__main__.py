"""One command for all: `python -m benchmarks NAME`, with the options of that one behind its name."""

from __future__ import annotations

import sys
from importlib import import_module

NAMES = ("flows", "fuzz", "many_files", "midnight", "start_up", "systems")


def main() -> None:
    """Run the one that is named."""
    name = sys.argv[1].replace("-", "_") if len(sys.argv) > 1 else ""
    if name not in NAMES:
        raise SystemExit(f"usage: python -m benchmarks {{{','.join(NAMES)}}} [options]")
    sys.argv = [f"python -m benchmarks {name}", *sys.argv[2:]]
    import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main()
