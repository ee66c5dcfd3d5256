"""The tables in the README are those of the program. Run this file to write them anew."""

import csv
import re
import subprocess
import sys
from pathlib import Path

import pytest

import simbackup as sb
from simbackup.cli.show_published import (
    constant_text,
    coverage_markdown,
    cross_validation_markdown,
    ledger_markdown,
    markdown,
)
from simbackup.experiments.blind_predictions import ledger
from simbackup.experiments.coverage import CoverageReport, coverage
from simbackup.experiments.identifiability import cross_validate
from simbackup.experiments.overview import fitted_list
from simbackup.experiments.reproduce import Reproduction, reproduce
from simbackup.results.compare import PUBLISHED, Role, documents
from simbackup.uncertainty import validated_cases
from simbackup.uncertainty.model_error import FILE, table
from tests.shared import IN_ONE_PROCESS, reproduced

TOP = Path(__file__).resolve().parents[2]
VALIDATION, DESCRIBED = "validation", "without-figures"
"""The publications that were answered blindly."""
COUNTED: tuple[Role, ...] = ("fitted", "seen", "held-out", "structural")
"""Roles of results that the table of documents counts."""
README, RESULTS = TOP / "README.md", TOP / "RESULTS.md"


def fitted_table() -> str:
    lines = ["| constant | value | uncertainty | plausible | rows |", "|---|--:|--:|---|---|"]
    for row in fitted_list():
        unit = row["unit"]
        uncertainty = "chosen" if row["uncertainty"] is None else constant_text(row["uncertainty"], unit)
        plausible = " to ".join(constant_text(end, unit) for end in row["plausible"] if end is not None)
        value = constant_text(row["value"], unit)
        lines.append(f"| {row['constant']} | {value} | {uncertainty} | {plausible} | {', '.join(row['rows'])} |")
    return "\n".join(lines) + "\n"


def one_row_constants() -> dict[str, str]:
    """The constants that serve one row, and what would replace each, as they are written down."""
    with (Path(__file__).parent / "one-row-constants.csv").open(encoding="utf-8", newline="") as file:
        return {row["constant"]: row["instead"] for row in csv.DictReader(file)}


def one_row_table() -> str:
    instead = one_row_constants()
    alone = [row for row in fitted_list() if len(set(row["rows"])) == 1]
    lines = [f"| {row['constant']} | {row['rows'][0]} | {instead.get(row['constant'], '')} |" for row in alone]
    ours = {m.id for measured in documents(PUBLISHED) for m in measured.rows}
    of_documents = [row["constant"] for row in alone if row["rows"][0] in ours]
    count = f"{len(of_documents)} of them belong to the five documents: {', '.join(of_documents)}.\n"
    return "\n".join(["| constant | row | what would replace it |", "|---|---|---|", *lines, "", count])


def one_group() -> str:
    """The constants of which all rows repeat one operation."""
    groups = {m.id: (m.folder, m.group) for measured in documents("*") for m in measured.rows}
    alone = [
        row["constant"] for row in fitted_list()
        if len(set(row["rows"])) > 1 and len({groups.get(name) for name in row["rows"]}) == 1
    ]  # fmt: skip
    said = f"{len(alone)} more have several rows, but only of one operation, at different sizes or places"
    return f"{said}: {', '.join(alone)}.\n"


def summary_table(found: Reproduction) -> str:
    def share(value: float | None) -> str:
        return "" if value is None else f"{value:.1%}"

    heads = ("document", "results", "within 10 %", "declared off", *COUNTED, "groups", "median error")
    heads += ("held-out groups", "median", "constants", "for one row")
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "--:|" * (len(heads) - 1)]
    for s in (*found.summaries, found.total):
        cells = [s.document, s.results, s.within, s.off, *(s.roles[role] for role in COUNTED)]
        cells += [s.errors.groups, share(s.errors.median), s.held_out.groups, share(s.held_out.median)]
        lines.append("| " + " | ".join(map(str, [*cells, s.constants, s.one_row])) + " |")
    return "\n".join(lines) + "\n"


def ledger_table(asked: Reproduction) -> str:
    return ledger_markdown(ledger(asked))


def ledger_sums(asked: Reproduction) -> str:
    """The ledger without its lines of single publications."""
    return ledger_markdown([line for line in ledger(asked) if not line.single]).rstrip() + "\n"


def without_intervals(text: str) -> str:
    """A text without how many of today's intervals hold, for which all scenarios are run over their ranges."""
    return re.sub(r"\|[ \w]*(\| \d+ \| \d+ \|)$", r"\1", text, flags=re.MULTILINE)


def head(found: Reproduction, asked: Reproduction) -> str:
    return (
        "# Measured and simulated results\n\n`python tests/published/test_readme.py` writes this page, and a test "
        "compares it with the program's output.\n\n"
        "## Blind predictions\n\nA version of simbackup predicted these rows before anyone had read the figures. They "
        "are known now, and may have influenced today's answers.\n\n"
        f"{ledger_table(asked)}\n## Documents\n\nInputs and duplicates do not count. *Structural* rows, which no "
        f"value can move, are not part of any median.\n\n{summary_table(found)}\n"
    )


def constants() -> str:
    return (
        f"## Fitted or chosen constants\n\n{fitted_table()}\n"
        "## Constants that serve one row\n\nEach of these constants only restates its row until a mechanism replaces "
        f"it, or other rows test it.\n\n{one_row_table()}\n{one_group()}\n"
    )


def left_out() -> str:
    return (
        "## Cross-validation\n\nEach fitted row is predicted by a fit to the other rows only.\n\n"
        f"{cross_validation_markdown(cross_validate())}"
    )


def intervals(report: CoverageReport) -> str:
    return (
        "## How often intervals hold\n\nA 90 % interval covers the ranges of the inputs and the error of the model, "
        "which for each row here is estimated from the other publications. *Calibrated* operations have a constant "
        "that was fitted to measurements of the same operation on the same system. A fit compensates for errors in the "
        "inputs, so in the intervals, constants vary together with the inputs, as their `correlations` state. Rows "
        "that nothing can move, inputs, duplicates and projections are left out.\n\n"
        "The first table counts how many intervals contain the measured value, for each publication, by what its rows "
        "prove. *Blind* are the rows that were predicted blindly, with today's intervals. *Opened* rows were predicted "
        "by nobody, and open when values were chosen. In the second table, the second line, for rows that nothing was "
        "fitted to, says more than the first.\n\n"
        f"{coverage_markdown(report)}\n"
    )


def results(found: Reproduction, asked: Reproduction) -> str:
    rows = f"{head(found, asked)}{markdown(found)}\n## Publications of blind predictions\n\n{markdown(asked)}\n"
    report = coverage([*found.rows, *asked.rows, *reproduce([DESCRIBED]).rows])
    return f"{rows}{intervals(report)}{constants()}{left_out()}"


def between(text: str, name: str) -> str:
    found = re.search(rf"<!-- {name} -->\n(.*?)<!-- /{name} -->", text, flags=re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.slow
@IN_ONE_PROCESS
def test_the_tables_are_those_of_the_program() -> None:
    """All but the rows with their intervals, which the unpacked wheel reproduces in tests/architecture."""
    text, rows = RESULTS.read_text(encoding="utf-8"), "### "
    found, asked = reproduced(), reproduced(VALIDATION)
    assert without_intervals(text.partition(rows)[0]) == without_intervals(head(found, asked))
    assert text[text.index("## Fitted or chosen constants") : text.index("## Cross-validation")] == constants()
    readme = README.read_text(encoding="utf-8")
    assert between(readme, "summary") == summary_table(found)
    assert without_intervals(between(readme, "ledger")) == without_intervals(ledger_sums(asked))


@pytest.mark.nightly  # tests of cross-validation leave out the rows of one document each time
def test_each_row_that_was_left_out_is_predicted_as_the_page_says() -> None:
    assert RESULTS.read_text(encoding="utf-8").endswith(left_out())


@pytest.mark.slow
def test_each_constant_that_serves_one_row_says_what_would_replace_it() -> None:
    alone = {row["constant"] for row in fitted_list() if len(set(row["rows"])) == 1}
    assert one_row_constants().keys() == alone


def explained() -> str:
    """What the README shows of `simbackup explain`, as the program prints it."""
    command = [sys.executable, "-m", "simbackup.cli", "explain", "teaching/one-file-from-tape", "one_file"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8").stdout
    lines = [line.rstrip() for line in printed.replace(" Without it", "\n  Without it").splitlines()]
    return "```text\n" + "\n".join(lines).rstrip() + "\n```\n"


def test_what_explain_prints_is_what_the_readme_shows() -> None:
    assert between(README.read_text(encoding="utf-8"), "explain") == explained()


def test_the_first_screen_repeats_the_table_of_blind_predictions() -> None:
    text = README.read_text(encoding="utf-8")
    said = re.search(r"predicted (\d+) published measurements .*?\[median error of\s+(\d+) %\]", text, re.DOTALL)
    assert said is not None
    heads, _, *lines = ([cell.strip() for cell in line.split("|")] for line in between(text, "ledger").splitlines())
    every = dict(zip(heads, next(line for line in lines if line[1] == "all"), strict=True))
    median = round(float(every["blind: median error"].rstrip("%")))
    assert (int(said[1]), int(said[2])) == (int(every["rows"]), median)


def test_the_scenario_of_the_readme_runs() -> None:
    text = README.read_text(encoding="utf-8")
    scenario = re.search(r"```yaml\n(.*?)```", text, flags=re.DOTALL)
    assert scenario is not None
    result = sb.simulate(scenario[1])
    assert result.get("jobs.under_snapshot.elapsed") > 3 * result.get("jobs.before.elapsed")


def test_the_python_of_the_readme_runs() -> None:
    text = README.read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert code is not None
    exec(compile(code[1], str(README), "exec"), {})  # noqa: S102 (the README is our own)


if __name__ == "__main__":
    everything, predicted = reproduce(), reproduce([VALIDATION])
    report = coverage([*everything.rows, *predicted.rows, *reproduce([DESCRIBED]).rows])
    (TOP / "scenarios" / FILE).write_text(table(report.terms), encoding="utf-8")
    (TOP / "scenarios" / validated_cases.FILE).write_text(validated_cases.table(report.cases), encoding="utf-8")
    RESULTS.write_text(results(everything, predicted), encoding="utf-8")
    content = README.read_text(encoding="utf-8")
    tables = {"ledger": ledger_sums(predicted), "summary": summary_table(everything), "explain": explained()}
    for name, text in tables.items():
        old = f"<!-- {name} -->\n{between(content, name)}<!-- /{name} -->"
        content = content.replace(old, f"<!-- {name} -->\n{text}<!-- /{name} -->")
    README.write_text(content, encoding="utf-8")
