"""What the build compiles where it is asked to gives the same bytes as Python itself; .ci/compiled runs it."""

import ast
import tomllib
from pathlib import Path

from tests.cases import for_each

ROOT = Path(__file__).parents[2]
HOOK = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"][
    "wheel"
]["hooks"]["mypyc"]


def compiled() -> list[Path]:
    """The modules that the build compiles."""
    found = {path for pattern in HOOK["include"] for path in ROOT.glob(pattern.lstrip("/"))}
    left_out = {path for path in found if {path.name, f"/{path.relative_to(ROOT).as_posix()}"} & {*HOOK["exclude"]}}
    return sorted(found - left_out)


def test_what_is_left_out_exists() -> None:
    assert all((ROOT / path.lstrip("/")).is_file() for path in HOOK["exclude"] if path.startswith("/"))
    assert ROOT / "simbackup/engine/filling.py" in compiled()


@for_each("path", compiled(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_sums_are_of_lists(path: Path) -> None:
    """Python 3.12 and later sum floats with compensation; a compiled sum of a generator adds them one by one."""
    calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    sums = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "sum"]
    lines = [call.lineno for call in sums if call.args and isinstance(call.args[0], ast.GeneratorExp)]
    assert lines == []
