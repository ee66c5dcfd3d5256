"""What one run of a tool found, and what of its output says nothing that a datasheet holds."""

from __future__ import annotations

from dataclasses import dataclass

from simbackup.errors import InputError, Place, Problem
from simbackup.schema.measurable import Measurable


@dataclass(frozen=True, slots=True)
class Finding:
    """One figure that a tool measured, in SI units, with where its output says so."""

    what: Measurable
    value: float
    place: Place
    where: str
    """The place inside the file in words, such as `jobs.0.read.bw_bytes` or `line 3`."""
    rounding: float = 0.0
    """By how much the true value may differ from a rounded one."""


@dataclass(frozen=True, slots=True)
class Output:
    """What was read of one file of output: the tool with its version, the date, the figures, and what was not used."""

    tool: str
    date: str
    """Day of the measurement, `2026-11-22`; empty if the output does not say."""
    findings: tuple[Finding, ...]
    unused: tuple[Problem, ...]
    """Warnings: figures that were not used, each with the reason."""


def unused(place: Place, where: str, why: str, remedy: str = "") -> Problem:
    """The warning that a figure was not used."""
    return Problem(place, where, f"was not used: {why}", remedy, severity="warning")


def refused(place: Place, where: str, message: str, remedy: str = "") -> InputError:
    """The error of output that cannot be read."""
    return InputError([Problem(place, where, message, remedy)])
