"""What is built can be installed anywhere and carries its data."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARTS = ("simbackup", "models", "scenarios", "lab")
TEMPLATES = {f"simbackup/reporting/templates/report.{kind}" for kind in ("html", "css")}
FILES = ("pyproject.toml", "README.md", "LICENSE")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The wheel and the source distribution, built from a copy of the checkout."""
    pytest.importorskip("hatchling")
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    for part in PARTS:
        shutil.copytree(ROOT / part, source / part, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    for name in FILES:
        shutil.copy(ROOT / name, source / name)
    command = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--sdist", "--outdir", str(out), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=out)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,), (sdist,) = out.glob("*.whl"), out.glob("*.tar.gz")
    return wheel, sdist


def data_files() -> set[str]:
    found = {path.relative_to(ROOT).as_posix() for part in PARTS[1:] for path in (ROOT / part).rglob("*.yaml")}
    found |= {path.relative_to(ROOT).as_posix() for path in (ROOT / "scenarios").rglob("*.csv")}
    assert len(found) > 30
    return found


@pytest.mark.slow
def test_the_wheel_holds_its_data(built: tuple[Path, Path]) -> None:
    names = set(zipfile.ZipFile(built[0]).namelist())
    assert {f"simbackup/_data/{name}" for name in data_files()} <= names
    assert {"simbackup/cli/app.py", *TEMPLATES} <= names
    assert not [name for name in names if name.startswith(("tests/", "models/", "scenarios/", "lab/"))]


@pytest.mark.slow
def test_the_source_distribution_holds_its_data(built: tuple[Path, Path]) -> None:
    with tarfile.open(built[1]) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert data_files() | {"pyproject.toml", "simbackup/cli/app.py", *TEMPLATES} <= names


@pytest.mark.slow
def test_the_unpacked_wheel_reproduces_a_document_from_anywhere(built: tuple[Path, Path], tmp_path: Path) -> None:
    site, elsewhere = tmp_path / "site", tmp_path / "elsewhere"
    elsewhere.mkdir()
    zipfile.ZipFile(built[0]).extractall(site)  # noqa: S202 (built above)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("SIMBACKUP")}
    environment |= {"PYTHONPATH": str(site), "PYTHONSAFEPATH": "1"}
    where = [sys.executable, "-P", "-c", "import simbackup; print(simbackup.__file__)"]
    home = subprocess.run(where, capture_output=True, text=True, check=True, cwd=elsewhere, env=environment)
    assert Path(home.stdout.strip()).is_relative_to(site)
    command = [sys.executable, "-P", "-m", "simbackup.cli", "reproduce", "003", "--markdown"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=elsewhere, env=environment)
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    assert "lvm-dd-same-disk" in done.stdout
    assert done.stdout in (ROOT / "RESULTS.md").read_text(encoding="utf-8")
    assert "Traceback" not in done.stderr
    assert list(elsewhere.iterdir()) == []
