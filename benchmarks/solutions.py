"""How rates are found in real nights: by which rules, and what share of the cost of a job that is.

Plain flows on links alone, as in `flows`, are one kind of solution. The others meet buffers that are full or empty, or
streams and laws that ask what others use of a link. Counts do not depend on the machine; the share of the time is that
of one run, in which the clock is read twice for each solution.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any
from unittest.mock import patch

from simbackup.engine.solving import Solving

from benchmarks.racked import WEEKS, racked
from benchmarks.rows import options
from simbackup import load, simulate
from simbackup.engine.network import FlowNetwork
from simbackup.scenario import Scenario

SCENARIOS = ("planning/midnight", "planning/spread-starts", "planning/disk-then-tape", "planning/spooled")
CLIENTS, FEW, DAYS = 100, 5, 28


class Counted:
    """Solutions by the rules that found them, and seconds that they took."""

    def __init__(self) -> None:
        self.number: Counter[str] = Counter()
        self.seconds = 0.0

    def watched(self, scenario: Scenario) -> float:
        """Simulate a scenario; CPU seconds of all."""
        resolve = FlowNetwork.resolve

        def timed(network: FlowNetwork) -> None:
            began = time.process_time()
            resolve(network)
            self.seconds += time.process_time() - began

        with (
            patch.object(FlowNetwork, "resolve", timed),
            self._counting("near", "plain", found=True),
            self._counting("_fill", "with buffers and levels"),
            self._counting("_share", "by all rules"),
        ):
            began = time.process_time()
            simulate(scenario)
            return time.process_time() - began

    def _counting(self, name: str, rules: str, found: object = None) -> Any:
        """A patch of what finds rates by some rules; it counts what is found, or only what is as given."""
        find = getattr(Solving, name)

        def counting(*args: Any) -> Any:
            answer = find(*args)
            if (answer is not None) if found is None else (answer is found):
                self.number[rules] += 1
            return answer

        return patch.object(Solving, name, counting)


def main() -> None:
    """Print one row for each scenario."""
    parser = options("how rates are found in real nights")
    asked = parser.parse_args()
    clients = FEW if asked.quick else CLIENTS
    with tempfile.TemporaryDirectory() as folder:
        month = load(racked(Path(folder), clients, WEEKS.replace("DAYS", str(DAYS + 1))))
    sites = [(f"{clients} clients, {DAYS} days", month)]
    sites += [(name, load(name)) for name in (SCENARIOS[:1] if asked.quick else SCENARIOS)]
    for name, scenario in sites:
        counted = Counted()
        seconds = counted.watched(scenario)
        kinds = ", ".join(f"{number} {rules}" for rules, number in counted.number.most_common())
        print(
            f"{name:28} {sum(counted.number.values())} solutions: {kinds}; {counted.seconds / seconds:.0%} of the time"
        )


if __name__ == "__main__":
    main()
