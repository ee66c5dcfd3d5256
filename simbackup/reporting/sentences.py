"""Sentences on how jobs ended, what limits them, and on their impact on users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from simbackup import units
from simbackup.results.figures import series
from simbackup.results.groups import Group, Row, repeated, slowest
from simbackup.schema.registry import method_kinds

if TYPE_CHECKING:
    from simbackup.experiments.what_if import Reasons


HARDLY = 0.0005
"""Share below which lost throughput, or the slowdown of disks, is not reported."""
FEW = 3
"""Number of jobs up to which the time of each is reported."""
NEARLY_ALL = 0.99
"""Share above which a further digit is shown, so that nearly all does not read as all."""
ENDS = {
    "failed": "failed", "skipped": "did not run", "late": "missed {its}", "in window": "finished within {its}",
    "done": "completed with no window set",
}  # fmt: skip
"""How jobs end, in words, the worst first."""


def watches(row: Row) -> bool:
    """Whether a run only observed a workload for a while."""
    kind = method_kinds().get(str(row["method"]))
    return kind is not None and kind.spec.watches


def verdict(row: Row) -> str:
    """How a run ended: one of the keys of `ENDS`."""
    return "in window" if row["status"] == "done" and "window" in row else str(row["status"])


def ended(rows: Sequence[Row], noun: str) -> str:
    """How several runs ended, in a sentence.

    >>> ended([{"status": "done"}, {"status": "done", "window": 60.0}], "jobs")
    'Both jobs completed; the one with a window finished within it.'
    >>> ended([{"status": "failed"}, {"status": "late", "window": 60.0}, {"status": "done"}], "jobs")
    'Of 3 jobs, 1 failed, 1 missed its window, and 1 completed with no window set.'
    """
    counts = {key: sum(verdict(row) == key for row in rows) for key in ENDS}
    counts = {key: count for key, count in counts.items() if count}
    whole = f"{'Both' if len(rows) == 2 else f'All {len(rows):,}'} {noun}"  # noqa: PLR2004
    if set(counts) == {"done"}:
        return f"{whole} completed; no window set."
    if len(counts) == 1:
        return f"{whole} {_end(next(iter(counts)), len(rows))}."
    if set(counts) == {"done", "in window"}:
        some = counts["in window"]
        which = "the one with a window" if some == 1 else f"the {some:,} with a window"
        return f"{whole} completed; {which} finished within it."
    parts = [f"{count:,} {_end(key, count)}" for key, count in counts.items()]
    return f"Of {len(rows):,} {noun}, {_listed(parts)}."


def _end(key: str, count: int) -> str:
    return ENDS[key].format(its="its window" if count == 1 else "their windows")


def fate(row: Row) -> str:
    """How one run of a job ended, in a sentence.

    >>> fate({"status": "failed", "elapsed": 0.0, "reason": "out of memory", "method": "image"})
    'Failed at its start: out of memory.'
    """
    took = units.show_short(row["elapsed"], "s", 3)
    if row["status"] == "failed":
        return f"Failed {f'after {took}' if row['elapsed'] else 'at its start'}: {row['reason']}."
    if row["status"] == "skipped":
        return f"Did not run: {row['reason']}."
    if watches(row):
        return f"Observed the users for {took}."
    text = f"Took {took}"
    if row["bytes"]:
        text += f" for {units.show_short(row['bytes'], 'B', 3)} ({units.show_short(row['rate'], 'B/s', 3)})"
    if "window" not in row:
        return f"{text}."
    spare, window = _spare(row), f"its window of {units.show_short(row['window'], 's', 3)}"
    if row["status"] == "late":
        return f"{text} and missed {window} by {units.show_short(-spare, 's', 3)}."
    return f"{text} and finished within {window}, with {units.show_short(spare, 's', 3)} to spare."


def _spare(row: Row) -> float:
    """Seconds from the end of a run to the end of its window; negative if it was late."""
    return float(row["due"] + row["window"] - row["end"])


def fate_of_many(group: Group) -> str:
    """How many runs completed, how long they took, and how much of their windows was left."""
    rows = group.rows
    text = ended(rows, "runs" if len({series(str(row["job"])) for row in rows}) == 1 else "jobs")
    ran = [row for row in rows if row["status"] in {"done", "late"}]
    if ran:
        most = units.show_short(max(row["elapsed"] for row in ran), "s", 3)
        mean = units.show_short(sum(row["elapsed"] for row in ran) / len(ran), "s", 3)
        text += f" Each took {most}" if most == mean else f" The slowest took {most}, the mean {mean}"
        span = units.show_short(max(row["end"] for row in rows) - min(row["start"] for row in rows), "s", 3)
        text += "." if span == most or repeated(group) else f"; {span} from the first start to the last end."
    in_time = [row for row in ran if verdict(row) == "in window"]
    late = [row for row in ran if row["status"] == "late"]
    if late:
        text += f" The latest missed its window by {units.show_short(-min(map(_spare, late)), 's', 3)}."
    elif in_time:
        text += f" The closest to its window's end had {units.show_short(min(map(_spare, in_time)), 's', 3)} to spare."
    reason = next((row["reason"] for row in rows if row["status"] in {"failed", "skipped"}), "")
    return text + (f" First failure: {reason}." if reason else "")


def in_short(rows: Sequence[Row], users: Sequence[Mapping[str, Any]]) -> str:
    """How all jobs ended, which took longest, and the greatest workload impact, in a few sentences.

    >>> in_short([], [])
    'No job ran.'
    """
    work = [row for row in rows if not watches(row)]
    ran = [row for row in work if row["status"] in {"done", "late"}]
    if not rows:
        return "No job ran."
    if not work:
        text = "Users were observed; no other job ran."
    elif len(work) == 1:
        said = fate(work[0])
        text = f"{work[0]['job']} {said[0].lower()}{said[1:]}"
    else:
        text = ended(work, "jobs" if len({series(str(row["job"])) for row in work}) == len(work) else "runs of jobs")
        text = " ".join(filter(None, (text, _first_failed(work), _times(ran))))
    return " ".join(filter(None, (text, worst(users))))


def _first_failed(rows: Sequence[Row]) -> str:
    return next((f"{row['job']} failed: {row['reason']}." for row in rows if row["status"] == "failed"), "")


def _times(ran: Sequence[Row]) -> str:
    """How long each of a few runs took, or the longest of many, and how late the latest was."""
    if not ran:
        return ""
    if len(ran) <= FEW:
        took = [f"{row['job']} took {units.show_short(row['elapsed'], 's', 3)}{_late(row)}" for row in ran]
        return f"{_listed(took)}."
    most = slowest(Group("", tuple(ran)))
    shown = units.show_short(most["elapsed"], "s", 3)
    alike = (row for row in ran if units.show_short(row["elapsed"], "s", 3) == shown)
    alone = len(list(islice(alike, 2))) == 1
    who = f", {most['job']}," if alone else ""
    text = f"The longest{who} took {shown}."
    late = [row for row in ran if row["status"] == "late"]
    if late:
        worst_of = min(late, key=_spare)
        text += f" The latest, {worst_of['job']}, missed its window by {units.show_short(-_spare(worst_of), 's', 3)}."
    return text


def _late(row: Row) -> str:
    return f" ({units.show_short(-_spare(row), 's', 3)} late)" if row["status"] == "late" else ""


def worst(users: Sequence[Mapping[str, Any]]) -> str:
    """The greatest impact of any job on users; empty where there are no users."""
    if not users:
        return ""
    most = max(users, key=lambda row: row.get("lost", 0.0))
    lost = most.get("lost", 0.0)
    late = max(users, key=lambda row: row.get("timed_out", 0.0))
    parts = [_lost(lost, most["job"])] if lost or not late.get("timed_out") else []
    longest = max(users, key=lambda row: row.get("longest_wait", 0.0))
    if longest.get("longest_wait"):
        wait = units.show_short(longest["longest_wait"], "s", 3)
        parts.append(f"waited for locks up to {wait} (during {longest['job']})")
    if late.get("timed_out"):
        parts.append(f"had up to {share(late['timed_out'])} of their requests time out (during {late['job']})")
    return f"Users {_listed(parts)}."


def _lost(lost: float, job: str) -> str:
    if not lost:
        return "lost no throughput"
    if lost < HARDLY:
        return f"lost less than {share(HARDLY)} of their throughput"
    return f"lost up to {share(lost)} of their throughput (during {job})"


def impact(rows: Sequence[Mapping[str, Any]], when: str = "Meanwhile") -> str:
    """The impact of a job on the users of each workload, in sentences; empty where there are no users."""
    return " ".join(f"{when} the users ({row['users']}) {_impact(row)}." for row in rows)


def _impact(row: Mapping[str, Any]) -> str:
    lost, slowdown = row.get("lost", 0.0), row.get("slowdown", 1.0)
    parts = [f"lost {share(lost)} of their throughput"] if lost >= HARDLY else []
    if row.get("waited"):
        mean, most = (units.show_short(row[key], "s", 3) for key in ("mean_wait", "longest_wait"))
        parts.append(f"had {row['waited']:,.0f} transactions wait for locks ({mean} on average, {most} at most)")
    if slowdown > 1.0 + HARDLY:
        parts.append(f"had disks {slowdown:.3g} times as slow")
    if row.get("network_wait"):
        parts.append(f"waited {units.show_short(row['network_wait'], 's', 3)} on the network for each request")
    if row.get("timed_out"):
        parts.append(f"had {share(row['timed_out'])} of their requests time out")
    parts = parts or ["lost almost no throughput" if lost else "lost no throughput"]
    return _listed(parts)


def _listed(parts: Sequence[str]) -> str:
    if len(parts) < 3:  # noqa: PLR2004 (two need no comma)
        return " and ".join(parts)
    return f"{', '.join(parts[:-1])}, and {parts[-1]}"


def share(value: float) -> str:
    """A share in percent; nearly all is never shown as all.

    >>> share(0.00016), share(0.2), share(0.99976)
    ('0.016 %', '20 %', '99.98 %')
    """
    return f"{100.0 * value:.{4 if value > NEARLY_ALL else 3}g} %"


LEAST_SHARE = 0.0005
"""Share of a job's time below which a cause has no line of its own."""


def sentence_on(one: Reasons) -> str:
    """The bottleneck of a job, and its time without it, in a sentence; first a wait that takes more of its time."""
    found = f"{one.bottleneck}, {one.share / one.elapsed:.1%} of the time." if one.bottleneck else ""
    text = f"bottleneck: {found}" if found else "no bottleneck that could be faster"
    if one.wait is not None:
        share = one.causes[one.wait] / one.elapsed
        text = f"{one.wait.activity} on {one.wait.address}: {share:.1%} of the time, which no part shortens; {text}"
    if one.doubled is None or one.without is None:
        return text
    twice = "Twice as many" if one.counted else "Twice as fast"
    text += f" {twice}: {_gain(one.elapsed, one.doubled)}. Without it: {_gain(one.elapsed, one.without)}"
    later = one.next_bottleneck
    if later is None or later == one.bottleneck:
        return f"{text}."
    return f"{text}; then the bottleneck is {later}."


def _gain(before: float, after: float) -> str:
    """A time, with its change from the longer one."""
    change = (after - before) / before
    sign = "no gain" if abs(change) < LEAST_SHARE else f"{change:+.0%}"
    return f"{units.show_short(after, 's')} ({sign})"
