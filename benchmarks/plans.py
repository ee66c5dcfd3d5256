"""CPU time of plans, beside that of a timeout of bare SimPy: of capacity alone, and of whole plans, for each system.

Sites are those of `planned`. `--against PYTHON` compares with another checkout instead, by its interpreter, in turns,
and counts calls of functions in both, which do not depend on how busy the machine is.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.planned import planned
from benchmarks.rows import TIMEOUT, Row, bare_timeout, compared, options, show

SITES, FEW = ("40x1", "400x1", "400x200"), ("8x1", "8x4")
UNTIL = "3 years"
MEASURED = Path(__file__).with_name("one_plan.py")


def measured(site: str, until: str, what: str, python: str = sys.executable, *, calls: bool = False) -> dict[str, Any]:
    """CPU seconds, function calls and MiB of a plan of so many systems x policies, in a process of its own."""
    systems, policies = map(int, site.split("x"))
    asked = json.dumps({"site": planned(systems, policies), "until": until, "what": what, "calls": calls})
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    done = subprocess.run(
        [python, str(MEASURED)], input=asked, capture_output=True, text=True, check=True, env=environment
    )
    return json.loads(done.stdout)


def beside(sites: Sequence[str], until: str, what: str, other: str) -> None:
    """Print what plans cost here and with another interpreter, and the ratios."""
    for site in sites:
        found: dict[str, Mapping[str, Any]] = {}
        for name, python in (("before", other), ("now", sys.executable)):
            times = measured(site, until, what, python)
            found[name] = {**times, "calls": measured(site, until, what, python, calls=True)["calls"]}
        cells = [f"{key} {found['before'][key]:,.3g} to {found['now'][key]:,.3g}" for key in ("cpu", "calls", "mib")]
        ratio = found["before"]["calls"] / found["now"]["calls"]
        print(f"{what} {site}: {', '.join(cells)}; {ratio:.2f} times as many calls before", flush=True)


def main() -> None:
    """Print one row for each site, of capacity alone and of the whole plan."""
    parser: argparse.ArgumentParser = options("CPU time of plans, for each system")
    parser.add_argument("sites", nargs="*", help=f"systems x policies ({', '.join(SITES)})")
    parser.add_argument("--until", help=f"how long to plan ({UNTIL})")
    parser.add_argument("--what", choices=("capacity", "run"), help="one of the two; both by default")
    parser.add_argument("--against", metavar="PYTHON", help="the interpreter of another checkout")
    asked = parser.parse_args()
    runs, until = (1, "2 weeks") if asked.quick else (asked.runs, UNTIL)
    until = asked.until or until
    sites = asked.sites or (FEW if asked.quick else SITES)
    for what in (asked.what,) if asked.what else ("capacity", "run"):
        if asked.against:
            beside(sites, until, what, asked.against)
            continue
        for site in sites:
            number = int(site.split("x")[0])
            ours, timeout = compared(
                [lambda s=site, w=what, n=number: measured(s, until, w)["cpu"] / n * 1e6, bare_timeout], runs
            )
            show(
                Row("plans", f"{what}_{site}", "plan", TIMEOUT, timeout / ours, ours, "system", runs),
                as_json=asked.json,
            )


if __name__ == "__main__":
    main()
