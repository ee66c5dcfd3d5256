"""Commands that are killed or interrupted while they write leave the old output or the new one, and nothing is lost."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("openpyxl")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the commands die in forked processes")
def test_whenever_a_command_dies_its_old_or_its_new_output_is_whole(tmp_path: Path) -> None:
    script = Path(__file__).with_name("dying.py")
    done = subprocess.run([sys.executable, script, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(each["command"], each["wrong"]) for each in found if each["wrong"]] == []
    deaths = [each["deaths"] for each in found]
    assert len(deaths) == 20
    assert min(each["line"] for each in deaths) >= 10  # `python -m benchmarks crash` lets each command die 200 times
    assert all(each["deaths"]["before"] == each["deaths"]["after"] for each in found)
    assert all(each["deaths"]["before"] >= 2 * each["outputs"] for each in found)  # by both signals
