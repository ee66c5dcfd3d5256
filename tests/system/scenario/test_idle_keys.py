"""What is stated without effect is warned about, once, and only where its author can change it."""

from pathlib import Path

import pytest

import simbackup as sb
from simbackup import cli, shelf
from simbackup.cli.checking import check_file
from simbackup.reporting.report import report
from simbackup.run import warnings_of
from simbackup.scenario import Scenario, names, nothing_to_do

SITE = """\
title: A disk that is saved to a disk
hosts: {server: {model: host/linux-modern-server, owns: [disk, other]}}
devices:
  disk: {model: disk/sata-7200-1tb-2008}
  other: {model: disk/sata-7200-1tb-2008}
data: {files: {on: disk, size: 1 GB, compression: 2}}
"""
JOB = "jobs: {full: {method: image, data: files, to: other}}\n"
FLEET = """\
fleets:
  more:
    count: 3
    data: {"x-{number}": {on: disk, size: 1 GB, compression: 2}}
    jobs: {"save-{number}": {method: image, data: "x-{number}", to: other}}
"""
WARNING = (
    "warning: data.files.compression: has no effect here; it is for: Compression ratio: bytes before divided by bytes "
    "after compression, such as `2:1`."
)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    file = tmp_path / "site.yaml"
    file.write_text(SITE + JOB, encoding="utf-8")
    return file


def texts(scenario: Scenario) -> list[str]:
    return [str(warning) for warning in warnings_of(scenario)]


OF_NO_EFFECT = {
    "planning/image-or-files-2004": "data.files.filesystem.record_read",  # all files are scattered
    "planning/image-or-files-2009": "data.files.filesystem.record_read",
    "planning/mysql-hot-copy-under-load": "data.db.content",  # the same data as in the dumps beside it
    "planning/mysql-innodb-snapshot": "data.db.content",
    "planning/mysql-myisam-hot-copy": "data.db.content",
    "planning/mysql-myisam-snapshot": "data.db.content",
    "planning/mysql-snapshot-under-load": "data.db.content",
    "planning/mysql-weekly-and-daily": "data.db.content",
    "published/001-networker-small-files/guest-1100k-new": "data.c.filesystem.record_read",
    "published/001-networker-small-files/guest-5k-old": "data.c.filesystem.record_read",
    "published/001-networker-small-files/guest-all-old": "data.c.filesystem.record_read",
    "published/004-zrm-mysql/weekly-and-daily": "data.db.content",
    "teaching/bottleneck-moves": "jobs.backup.engine.compress_threads",  # which is what its study shows
    "teaching/one-file-from-an-archive": "data.home.layout",  # it is read as an image
}
"""Keys of scenarios of ours that describe what is there, and have no effect in them."""


@pytest.mark.slow
def test_scenarios_of_ours_state_what_has_an_effect() -> None:
    ours = (name for name in names() if not name.startswith("without-figures/"))  # those are as they were written
    scenarios = [scenario for name in ours if (scenario := sb.load(name)).spec.jobs]
    found = [warning for scenario in scenarios for warning in warnings_of(scenario)]
    assert {
        warning.place.file.removeprefix("scenarios/").removesuffix(".yaml"): warning.address
        for warning in found
        if "not looked for" not in warning.message
    } == OF_NO_EFFECT


def test_run_warns_on_standard_error_and_the_result_keeps_it(
    site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = site.parent / "result"
    monkeypatch.setattr("sys.argv", ["simbackup", "run", str(site), "--out", str(folder)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    reported = f"{shelf.shown(site)}:6:51: {WARNING}"
    assert ended.value.code == 0
    assert reported in capsys.readouterr().err.splitlines()
    kept = sb.Result.load(folder)
    assert kept.record.warnings == [reported]
    page = report(kept, site.parent / "page.html", reruns=False, drawn=False).read_text(encoding="utf-8")
    assert "data.files.compression: has no effect here" in page


def test_who_extends_a_file_does_not_hear_of_what_that_states(site: Path) -> None:
    above = site.parent / "above.yaml"
    above.write_text("title: Above\nextends: site.yaml\n", encoding="utf-8")
    assert texts(sb.load(above)) == []


def test_a_file_without_jobs_is_there_for_others(site: Path) -> None:
    site.write_text(SITE, encoding="utf-8")
    assert check_file(site) == [nothing_to_do(sb.load(site))]
    above = site.parent / "above.yaml"
    above.write_text("title: Above\nextends: site.yaml\n" + JOB, encoding="utf-8")
    assert texts(sb.load(above)) == []


def test_a_template_is_warned_about_once(site: Path) -> None:
    site.write_text((SITE + JOB).replace(", compression: 2", "") + FLEET, encoding="utf-8")
    (reported,) = texts(sb.load(site))
    assert "fleets.more.data.x-{number}.compression: has no effect here ('x-1', and 2 more like it)" in reported
