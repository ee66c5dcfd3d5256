"""`simbackup plan`, as a user types it."""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from sites.plan import TEXT

from simbackup.planning.inventory import templates
from tests.shared import Say


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "site.yaml").write_text(TEXT, encoding="utf-8")
    return "site.yaml"


@pytest.mark.slow
def test_a_plan_as_tables_and_as_json(site: str, say: Say) -> None:
    code, out, _ = say("plan", "run", site, "--until", "2 months")
    assert code == 0
    assert "nights were simulated" in out
    assert "all are met" in out
    code, out, _ = say("plan", "run", site, "--until", "2 months", "--json", "--intervals", "none")
    told = json.loads(out)
    assert code == 0
    assert [row["system"] for row in told["clients"]] == ["first", "second"]
    assert told["until"] == "2027-03-01"
    assert told["fits_until"] is None
    assert len(told["capacity"]) == 2 * 59


@pytest.mark.slow
def test_the_tables_of_a_plan_in_files(site: str, say: Say) -> None:
    for out in ("plan.xlsx", "tables"):
        code, _, err = say("plan", "run", site, "--until", "2 weeks", "--out", out)
        assert (code, err.strip()) == (0, f"written to {out}")
    names = {"clients", "limits", "capacity", "points", "losses", "months", "expenses", "failures", "nights"}
    names |= {"intervals"}  # as they are printed, of each figure by its address
    assert set(pd.read_excel("plan.xlsx", sheet_name=None)) == names
    assert {path.stem for path in Path("tables").glob("*.csv")} == names
    assert len(pd.read_csv("tables/nights.csv")) == 2 * 14 + 2 * 2


@pytest.mark.slow
def test_capacity_alone_as_tables_and_as_json(site: str, say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simbackup.planning.playing.ran", pytest.fail)  # no night is simulated
    code, out, err = say("plan", "capacity", site, "--until", "2 months", "--out", "tables")
    assert (code, err.strip()) == (0, "written to tables")
    assert "Capacity in use" in out
    assert "Windows" not in out
    names = {"limits", "capacity", "points", "months", "expenses", "intervals"}
    assert {path.stem for path in Path("tables").glob("*.csv")} == names
    code, out, _ = say("plan", "capacity", site, "--until", "2 months", "--json")
    told = json.loads(out)
    assert (code, told["until"], len(told["capacity"])) == (0, "2027-03-01", 2 * 59)


def test_help_names_every_template(say: Say) -> None:
    code, out, _ = say("plan", "init", "--help")
    assert code == 0
    assert ", ".join(templates()) in " ".join(out.split())
    assert "two-sites" in templates()


def test_a_restore_at_a_minute(site: str, say: Say) -> None:
    code, out, _ = say("plan", "restore", site, "--at", "2027-01-09 10:05", "--intervals", "none")
    assert code == 0
    assert "Restore of site at 10:05 of 2027-01-09" in out
    assert "14 h 5 min" in out
    assert "not included, as the site does not state it: operator, policies.nightly.tool" in out
    code, _, errors = say("plan", "restore", site, "--at", "2027-01-09 25:05")
    assert (code, errors.strip()) == (2, "--at: '25:05' is not a time of day; write for example '2027-06-09 10:05'")


def test_systems_that_are_alike_share_a_row(site: str, say: Say) -> None:
    """Twenty systems of one size come back at once."""
    text = TEXT[: TEXT.index("systems:")] + "systems:\n"
    keys = "{size: 1 GB, change: {daily: 1 %, run: 64 KiB}, policy: nightly}"
    text += "".join(f"  web{i:02}: {keys}\n" for i in range(1, 21))
    Path(site).write_text(text, encoding="utf-8")
    words = ("restore", site, "--at", "2027-01-03", "--at-once", "20", "--intervals", "none")
    _, out, _ = say("plan", *words)
    assert "web01 to web20 (20 systems)" in out
    assert "web02" not in out


def test_a_plan_warns_of_what_never_happens(site: str, say: Say) -> None:
    Path(site).write_text(TEXT.replace("which: full,", "which: full, on: friday,"), encoding="utf-8")
    _, out, errors = say("plan", "run", site, "--until", "2 days", "--intervals", "none")
    message = "policies.nightly.copies.tape: nothing is copied until 2030-01-02: no full backup begins on a date"
    assert message in errors
    assert "Data lost at noon" in out
    assert any(line.split() == ["main", "everything", "everything"] for line in out.splitlines())


@pytest.mark.slow
def test_a_site_from_an_inventory(tmp_path: Path, say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("inventory.csv").write_text("name,size,change\na,500,2 %\n", encoding="utf-8")
    code, _, err = say("plan", "init", "inventory.csv")
    assert (code, "name it with --unit" in err, Path("site.yaml").exists()) == (2, True, False)
    code, _, err = say("plan", "init", "inventory.csv", "--unit", "GB")
    assert code == 0
    assert err.startswith("written to site.yaml; 4 values in it are assumed")
    code, _, err = say("plan", "init", "inventory.csv")
    assert (code, err.strip()) == (2, "site.yaml exists; name another file with --out")
    for out, why in (("site.txt", "extension '.txt' is not known"), ("nowhere/site.yaml", "there is no folder")):
        code, _, err = say("plan", "init", "inventory.csv", "-o", out)
        assert (code, why in err, Path(out).exists()) == (2, True, False)
    code, out, _ = say("plan", "run", "site.yaml", "--until", "1 week", "--json", "--intervals", "none")
    assert json.loads(out)["clients"][0]["nights"] == 7

    Path("many.csv").write_text("name,size\na,200 TB\n", encoding="utf-8")
    code, _, err = say("plan", "init", "many.csv", "-o", "many.yaml")
    assert "targets.pool.device.disks is " in err
    code, out, _ = say("plan", "capacity", "many.yaml", "--intervals", "none", "--json")
    assert {one["what"]: one["date"] for one in json.loads(out)["limits"]}["pool"] is None


@pytest.mark.parametrize("template", templates())
def test_a_system_larger_than_the_pool_of_a_template_is_written(
    template: str, tmp_path: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its pool grows; the cartridges of a library, which may be too few, are a warning at their place in the file."""
    monkeypatch.chdir(tmp_path)
    Path("large.csv").write_text("name,size,files\nfs1,61 TB,3000000\nfs2,61 TB,300\n", encoding="utf-8")
    code, _, err = say("plan", "init", "large.csv", "--template", template)
    assert (code, Path("site.yaml").exists()) == (0, True)
    assert ".device.disks is " in err
    _, out, checked = say("check", "site.yaml")
    assert "has no room" not in out + checked
    assert ("add cartridges" in out + checked) == ("site.yaml:31:18: warning: " in err) == (template == "small-office")


def test_what_is_wrong_with_a_plan_is_said_without_a_traceback(site: str, say: Say) -> None:
    code, _, err = say("plan", "run", "nowhere.yaml")
    assert code == 2
    assert err.startswith(
        "nowhere.yaml: there is no such site file; choose from: planning/bank, planning/forty-systems, "
    )
    code, _, err = say("plan", "run", site, "--until", "soon")
    assert code == 2
    assert err.startswith("--until: 'soon' is neither a date nor a time; ")


@pytest.mark.slow
def test_a_value_is_set_for_one_command(site: str, say: Say) -> None:
    told = ("run", site, "--until", "1 week", "--json", "--intervals", "none", "--set")
    code, out, _ = say("plan", *told, "policies.nightly.spread=true")
    assert code == 0
    assert [row["policy"] for row in json.loads(out)["clients"]] == ["nightly-tuesday", "nightly-monday"]
    code, _, err = say("plan", *told, "policies.nightly.spred=true")
    assert code == 2
    assert err.startswith("--set policies.nightly.spred=true: policies.nightly.spred: is not known here")


@pytest.mark.slow
def test_a_restore_as_a_table_and_as_json(site: str, say: Say) -> None:
    code, out, _ = say("plan", "restore", site, "--after-loss-of", "main", "--at", "2027-06-09")
    assert code == 0
    assert "100 % of the systems are back after" in out
    code, out, _ = say("plan", "restore", site, "--what", "client first", "--json")
    told = json.loads(out)
    assert (code, told["complete"], told["systems"][0]["source"]) == (0, True, "pool")
    code, _, err = say("plan", "restore", site, "--what", "everything")
    assert (code, err.count("\n")) == (2, 1)


@pytest.mark.slow
def test_goals_decide_the_exit_code(site: str, say: Say) -> None:
    Path("goals.yaml").write_text("windows_missed: 0\n", encoding="utf-8")
    assert say("plan", "check", site, "--goals", "goals.yaml", "--until", "1 month")[0] == 0
    Path("goals.yaml").write_text("restore_points: 1000\n", encoding="utf-8")
    code, out, _ = say("plan", "check", site, "--goals", "goals.yaml", "--until", "1 month", "--json")
    assert code == 1
    assert [goal["goal"] for goal in json.loads(out) if not goal["met"]] == ["restore points"]
    Path("goals.yaml").write_text("fits: true\n", encoding="utf-8")
    vary = ("--vary", "targets.pool.device.disks=4,12")
    code, out, _ = say("plan", "compare", site, "--goals", "goals.yaml", "--capacity", "--until", "1 month", *vary)
    assert code == 0
    assert "targets.pool.device.disks=4" in out
    code, _, err = say("plan", "compare", site, "--vary", "disks")
    assert (code, err) == (2, "--vary disks: has no values; write ADDRESS=A,B\n")
    code, _, err = say("plan", "compare", site, "--vary", "targets.nope.x=1,2", "--capacity")
    assert code == 2
    assert err.startswith("--vary targets.nope.x=1: targets.nope.x: there is no 'nope'")


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--vary", ("targets.pool.device.disks=8", "targets.pool.device.disks=12")),
        ("--vary", ("targets.pool.device.disks=8,,12",)),
        ("--set", ("growth=1 %", "growth=2 %")),
    ],
)
def test_no_value_is_left_out(site: str, option: str, words: tuple[str, ...], say: Say) -> None:
    Path("goals.yaml").write_text("fits: true\n", encoding="utf-8")
    options = [part for word in words for part in (option, word)]
    vary = [] if option == "--vary" else ["--vary", "growth=1 %"]
    code, _, err = say("plan", "compare", site, "--goals", "goals.yaml", *options, *vary)
    assert (code, err.count("\n")) == (2, 1)
    assert "twice" in err or "empty value" in err


def test_a_plan_is_drawn(site: str, say: Say) -> None:
    code, _, err = say("plan", "plot", site, "calendar", "--until", "1 month")
    assert (code, err.strip()) == (0, "written to site-calendar.png")
    assert Path("site-calendar.png").read_bytes().startswith(b"\x89PNG")
    assert say("plan", "plot", site, "clock")[0] == 2


@pytest.mark.slow
def test_a_night_is_explained_as_a_scenario_is(site: str, say: Say) -> None:
    words = ("explain", site, "first", "--night", "2027-01-02")
    code, out, _ = say("plan", *words)
    assert code == 0
    assert "Night of 2027-01-02: 0 of 4 backups and copies are late or fail" in out
    assert "bottleneck: " in out
    code, out, _ = say("plan", *words, "--json")
    told = json.loads(out)
    assert [one["job"] for one in told["backups"]] == [one["name"] for one in told["jobs"]] == ["first"]
    code, _, err = say("plan", "explain", site, "--night", "2026-01-02")
    assert (code, err) == (2, "--night: 2026-01-02 is before the start; the plan starts on 2027-01-02\n")


def test_a_restore_of_what_was_never_saved_says_so_once(site: str, say: Say) -> None:
    code, out, _ = say("plan", "restore", site, "--at", "2027-01-02")
    assert code == 1
    assert out.rstrip().endswith("\nless than 50 % of the systems come back")
    assert "never" not in out


def test_a_note_of_many_parts_that_were_not_checked_says_that_there_are_more(say: Say) -> None:
    wrong = "targets.pool.device.disk.capacity=3kg"
    code, _, errors = say("plan", "run", "planning/forty-systems", "--set", wrong)
    assert code == 2
    first, note = errors.strip().splitlines()
    assert "'3kg' is not a size" in first
    assert "systems.app12 and more: were not checked further; fix targets.pool.device.disk.capacity first" in note


@pytest.mark.slow
def test_purchases_are_counted_before_they_are_planned_and_ranked(
    tmp_path: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two purchases make four sets; more disks are needed by none of the goals, so nothing is bought."""
    monkeypatch.chdir(tmp_path)
    disks, drive = (
        "{set: {targets.pool.device.disks: 24}, price: 4000}",
        "{set: {targets.vault.device.drives: 2}, price: 3000}",
    )
    purchases = f"purchases:\n  disks: {disks}\n  drive: {drive}\n"
    (tmp_path / "site.yaml").write_text(TEXT + purchases, encoding="utf-8")
    (tmp_path / "goals.yaml").write_text("restore_points: 1\nwindows_missed: 1000\n", encoding="utf-8")
    words = ("buy", "site.yaml", "--goals", "goals.yaml", "--until", "1 week")
    code, out, err = say("plan", *words, "--json")
    assert (code, err) == (0, "4 plans: every set of 2 purchases\n")
    found = [(one["purchases"], one["price"]) for one in json.loads(out)]
    assert found == [([], 0), (["drive"], 3000), (["disks"], 4000), (["disks", "drive"], 7000)]
    code, out, _ = say("plan", *words, "--most", "0")
    assert code == 0
    assert "meets all goals" in out
    assert say("plan", "buy", "planning/forty-systems", "--goals", "goals.yaml")[0] == 2


def test_variants_are_compared_by_cost(site: str, say: Say) -> None:
    code, out, _ = say("plan", "compare", site, "--capacity", "--until", "2 months", "--json",
        "--with", "costs.licence.yearly=365; prices={currency: EUR, date: 2027-01-01}",
    )  # fmt: skip
    assert code == 0
    assert next(one["variant"] for one in json.loads(out)) == site
    code, _, err = say("plan", "compare", site, "--capacity")
    assert (code, "one variant has nothing to be compared with" in err) == (2, True)


INTERRUPTED = """
import signal, sys
from simbackup import cli
from simbackup.planning import playing

signal.signal(signal.SIGINT, signal.default_int_handler)  # which is off where the tests run in the background
ran, count = playing.ran, 0

def three(*given, **more):
    global count
    count += 1
    if count == 4:
        signal.raise_signal(signal.SIGINT)
    return ran(*given, **more)

playing.ran = three
sys.argv[1:] = ["plan", "run", "site.yaml", "--workers", "1", *sys.argv[1:]]
cli.main()
"""


@pytest.mark.slow
@pytest.mark.usefixtures("site")
def test_ctrl_c_shows_and_keeps_what_is_known() -> None:
    """Three nights are simulated when it comes: capacity is whole, and windows are those of these nights."""
    words = [sys.executable, "-c", INTERRUPTED, "--until", "2 months"]
    done = subprocess.run([*words, "--out", "plan"], capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert done.stderr.splitlines()[-1] == "interrupted; what was known by then is shown, and written to plan-partial"
    assert "Capacity in use" in done.stdout
    assert "Windows, in the nights that were simulated" in done.stdout
    assert "The plan is not complete: 3 nights were simulated, from " in done.stdout
    assert {path.stem for path in Path("plan-partial").glob("*.csv")} >= {"capacity", "nights"}
    assert not Path("plan").exists()
    nights = Path("plan-partial/nights.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert len({line.split(",")[0] for line in nights}) == 3
    again = subprocess.run([*words, "--json"], capture_output=True, text=True, check=False)
    found = json.loads(again.stdout)
    assert (again.returncode, found["interrupted"], found["nights_simulated"]) == (130, True, 3)
    assert again.stderr.splitlines()[-1] == "interrupted; what was known by then is shown"


WITHOUT_INTERVALS = """
import signal, sys
from simbackup import cli
from simbackup.planning import intervals

signal.signal(signal.SIGINT, signal.default_int_handler)  # which is off where the tests run in the background
intervals.sureness = lambda *_: signal.raise_signal(signal.SIGINT)
sys.argv[1:] = ["plan", "run", "site.yaml", "--until", "2 weeks", "--workers", "1", "--json"]
cli.main()
"""


@pytest.mark.usefixtures("site")
def test_ctrl_c_among_the_intervals_shows_the_whole_plan_without_them() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_INTERVALS], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (130, "interrupted; the plan is shown without intervals")
    found = json.loads(done.stdout)
    assert [row["nights"] for row in found["clients"]] == [14, 14]
    assert "interrupted" not in found
    assert not found["intervals"]["figures"]


@pytest.mark.slow
def test_a_report_as_page_and_workbook(site: str, say: Say) -> None:
    code, _, err = say(
        "plan", "report", site, "--until", "2 weeks", "--intervals", "none", "-o", "r.html", "-o", "r.xlsx"
    )
    assert (code, err.strip().splitlines()[-1]) == (0, "written to r.html and r.xlsx")
    sheets = pd.read_excel("r.xlsx", sheet_name=None)
    assert {"clients", "capacity", "windows", "months", "losses", "assumed"} <= sheets.keys()
    assert len([name for name in sheets if name.startswith("restore ")]) == 1
    assert Path("r.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    code, _, err = say("plan", "report", site, "-o", "r.docx")
    assert (code, "use .html, .pdf or .xlsx" in err) == (2, True)


# Restore points, and the report on a site
def test_points_as_a_table_and_as_json(site: str, say: Say) -> None:
    code, out, _ = say("plan", "points", site, "--at", "2027-01-11")
    assert code == 0
    assert "nightly: 9 restore points of first and second, in 11 save sets" in out
    assert "full of 2027-01-02 and 4 more" in out
    code, out, _ = say("plan", "points", site, "--at", "2027-01-11", "--json", "--system", "first")
    (found,) = json.loads(out)["policies"]
    assert found["systems"] == ["first"]
    assert [point["target"] for point in found["points"]].count("vault") == 2
    assert found["points"][0]["expires"].startswith("2027-02-06T20:00")


def test_the_log_of_points_from_a_date_on(site: str, say: Say) -> None:
    words = ("points", site, "--at", "2027-02-13", "--log", "--from", "2027-02-12")
    code, out, _ = say("plan", *words)
    assert code == 0
    assert [line.split()[:3] for line in out.splitlines() if line.startswith(" 2027")] == [
        ["2027-02-12", "pool", "incremental"]
    ]
    _, out, _ = say("plan", *words, "--json")
    (line,) = json.loads(out)
    assert line["expired"] == ["2027-01-08T20:00:00+01:00"]
    assert len(line["freed"]) == 7  # with the last incremental of its week, the chain of 2 January goes


def test_names_and_dates_that_are_wrong(site: str, say: Say) -> None:
    _, _, err = say("plan", "points", site, "--policy", "nihgtly")
    assert "--policy: there is no policy 'nihgtly'; did you mean 'nightly'?" in err
    _, _, err = say("plan", "points", site, "--at", "2026-01-01")
    assert "--at: 2026-01-01 is before the start" in err


@pytest.mark.slow
def test_a_report_as_a_page(site: str, say: Say) -> None:
    words = ("report", site, "-o", "small.html", "--until", "3 weeks", "--intervals", "none")
    _, _, err = say("plan", *words, "--at", "2028-01-01")
    assert "--at: 2028-01-01 is after the end of the plan; the plan ends on 2027-01-22" in err
    code, _, err = say("plan", *words)
    assert (code, err.strip().splitlines()[-1]) == (0, "written to small.html")
    text = Path("small.html").read_text(encoding="utf-8")
    assert "<h1>A small site</h1>" in text
    assert "What all restores together spend their time on" in text
