"""The tables in the README are those of the program. Run this file to write them anew."""

from __future__ import annotations

import re
from pathlib import Path

from simbackup import units
from simbackup.experiments.overview import fitted_list
from simbackup.experiments.reproduce import reproduce
from simbackup.show import markdown

README = Path(__file__).resolve().parents[2] / "README.md"


def fitted_table() -> str:
    lines = ["| constant | value | uncertainty | plausible | rows |", "|---|--:|--:|---|---|"]
    for row in fitted_list():
        unit = row["unit"]
        uncertainty = "chosen" if row["uncertainty"] is None else units.show_short(row["uncertainty"], unit)
        plausible = " to ".join(units.show_short(end, unit) for end in row["plausible"])
        value = units.show_short(row["value"], unit)
        lines.append(f"| {row['constant']} | {value} | {uncertainty} | {plausible} | {', '.join(row['rows'])} |")
    return "\n".join(lines) + "\n"


def tables() -> dict[str, str]:
    return {"reproduce": markdown(reproduce()), "fitted": fitted_table()}


def between(text: str, name: str) -> str:
    found = re.search(rf"<!-- {name} -->\n(.*?)<!-- /{name} -->", text, flags=re.DOTALL)
    assert found is not None
    return found[1]


def test_the_tables_of_the_readme_are_those_of_the_program() -> None:
    text = README.read_text(encoding="utf-8")
    for name, table in tables().items():
        assert between(text, name).strip() == table.strip()


def test_the_scenario_of_the_readme_runs(tmp_path: Path) -> None:
    import simbackup as sb

    text = README.read_text(encoding="utf-8")
    scenario = re.search(r"```yaml\n(.*?)```", text, flags=re.DOTALL)
    assert scenario is not None
    file = tmp_path / "mine.yaml"
    file.write_text(scenario[1], encoding="utf-8")
    result = sb.simulate(file)
    assert result.get("jobs.under_snapshot.elapsed") > 3 * result.get("jobs.before.elapsed")


def test_the_python_of_the_readme_runs() -> None:
    text = README.read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert code is not None
    exec(compile(code[1], str(README), "exec"), {})  # noqa: S102 (the README is our own)


if __name__ == "__main__":
    content = README.read_text(encoding="utf-8")
    for key, table in tables().items():
        content = content.replace(between(content, key), f"{table.rstrip()}\n")
    README.write_text(content, encoding="utf-8")
