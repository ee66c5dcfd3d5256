"""Loading and building cost as much for each client of a large site as of a small one."""

import gc
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks.racked import racked
from simbackup import load
from simbackup.build import build
from simbackup.errors import InputError

SMALL = 100
ROUNDING = 1.02
"""What the calls of a site twice as large may be above twice as many."""


def calls(folder: Path, clients: int) -> Counter[str]:
    """How often each function is called, the built-in ones too, while a site is loaded and built."""
    file = racked(folder, clients)
    found: Counter[str] = Counter()

    def count(frame: Any, event: str, called: Any) -> None:
        if event == "call":
            found[frame.f_code.co_qualname] += 1
        elif event == "c_call":
            found[called.__qualname__] += 1

    gc.collect()
    gc.disable()  # what it calls for dead objects of other tests would be counted, when it comes
    sys.setprofile(count)
    try:
        build(load(file).spec, 0)
    finally:
        sys.setprofile(None)
        gc.enable()
    return found


@pytest.mark.slow
def test_calls_grow_with_the_number_of_clients(tmp_path: Path) -> None:
    calls(tmp_path, 1)  # datasheets are read once
    one, two = calls(tmp_path, SMALL), calls(tmp_path, 2 * SMALL)
    more = {name: (one[name], two[name]) for name in two if two[name] > 2 * ROUNDING * one[name] + SMALL}
    assert more == {}


def test_what_is_wrong_in_a_template_is_reported_once(tmp_path: Path) -> None:
    file = racked(tmp_path, SMALL)
    file.write_text(file.read_text("utf-8").replace("size: 10 GB", "size: 10 GBB"), encoding="utf-8")
    with pytest.raises(InputError) as wrong:
        load(file)
    assert len(wrong.value.problems) == 1


def test_equal_parts_of_a_fleet_are_checked_once(tmp_path: Path) -> None:
    spec = load(racked(tmp_path, 3)).spec
    assert spec.devices["disk-c0"] is spec.devices["disk-c2"]
    assert spec.data["data-c0"] is not spec.data["data-c2"]
