"""How often intervals hold, on a terminal, as Markdown and as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict

from simbackup.cli import show
from simbackup.experiments.coverage import ALL, ROLES, THIS, Coverage, CoverageReport, Score, Verdicts
from simbackup.text import for_markdown
from simbackup.uncertainty.model_error import ModelError

PUBLICATIONS = ("publication", *ROLES, "share")
HEADS = ("intervals of", "rows", "hold", "share", "median width")
SCORES = ("rows of", "interval", "rows", "hold", "share", "median ratio of ends", "interval score", "CRPS", "worse by")
VERDICTS = ("said to keep a limit in", "verdicts", "mean", "kept it")
TERMS = ("operation", "publications", "rows", "typically off by", "model error")


def printed(found: CoverageReport, *, as_json: bool, markdown: bool) -> None:
    """Print the coverage of publications and of sets of rows, how intervals score, and terms of the error."""
    if as_json:
        show.json({
            "rows": [row.as_dict() for row in found.rows],
            "publications": {
                name: {role: _set_data(one) for role, one in by_role.items()}
                for name, by_role in found.publications.items()
            },
            "coverage": [{"name": one.name, **_set_data(one)} for one in found.sets],
            "scores": [asdict(one) for one in found.scores],
            "verdicts": [asdict(one) for one in found.verdicts],
            "model_error": [one._asdict() for one in found.terms],
        })  # fmt: skip
        return
    if markdown:
        show.line(as_markdown(found))
        return
    for heads, rows in _tables(found):
        show.table(heads, rows, right=range(1, len(heads)))


def as_markdown(found: CoverageReport) -> str:
    """The tables as Markdown."""
    texts: list[str] = []
    for heads, rows in _tables(found):
        lines = [heads, ["---", *("--:" for _ in heads[1:])], *(list(map(for_markdown, row)) for row in rows)]
        texts.append("\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n")
    return "\n".join(texts)


def _tables(found: CoverageReport) -> tuple[tuple[tuple[str, ...], list[list[str]]], ...]:
    return (
        (PUBLICATIONS, [_publication(*each) for each in found.publications.items()]),
        (HEADS, list(map(_set, found.sets))),
        (SCORES, list(map(_score, found.scores))),
        (VERDICTS, list(map(_verdicts, found.verdicts))),
        (TERMS, list(map(_term, found.terms))),
    )


def _set_data(one: Coverage) -> dict[str, int | float | None]:
    width = one.width if math.isfinite(one.width) else None
    return {"rows": one.rows, "hold": one.held, "share": one.share, "width": width}


def _publication(name: str, by_role: Mapping[str, Coverage]) -> list[str]:
    held = [f"{by_role[role].held} of {by_role[role].rows}" if role in by_role else "" for role in ROLES]
    return [name, *held, f"{by_role[ALL].share:.0%}"]


def _set(one: Coverage) -> list[str]:
    return [
        one.name,
        str(one.rows),
        str(one.held),
        f"{one.share:.0%}",
        f"{one.width:.0%}" if math.isfinite(one.width) else "-",
    ]


def _score(one: Score) -> list[str]:
    return [
        one.name, one.method, str(one.rows), str(one.held), f"{one.held / one.rows:.0%}", f"{one.factor:.2f}",
        f"{one.interval_score:.2f}", f"{one.crps:.3f}",
        "" if one.method == THIS else f"{one.worse:+.2f}" + (f" ± {one.unsure:.2f}" if one.unsure < math.inf else ""),
    ]  # fmt: skip


def _verdicts(one: Verdicts) -> list[str]:
    return [f"{one.low:.0%} to {one.high:.0%} of cases", str(one.count), f"{one.said:.0%}", f"{one.came:.0%}"]


def _term(one: ModelError) -> list[str]:
    typical = f"{one.typical:.2f}" if one.rows else "-"
    return [one.operation, str(one.publications), str(one.rows), typical, f"{one.deviation:.0%}"]
