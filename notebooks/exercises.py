"""The answers of the exercises, each worked out by a simulation. Solve them first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

GB, MB, MINUTE = 1e9, 1e6, 60.0


@dataclass(frozen=True, slots=True)
class Exercise:
    """How the right answer is found, how near a number has to be (a share of it), and a hint."""

    truth: Callable[[ModuleType], float | str]
    hint: str
    within: float = 0.1

    def accepts(self, answer: float | str, truth: float | str) -> bool:
        """Whether an answer is right.

        >>> Exercise(lambda sb: 10.0, "").accepts(10.5, 10.0)
        True
        """
        if isinstance(truth, str) or isinstance(answer, str):
            return str(answer).strip() == str(truth)
        return abs(answer - truth) <= self.within * abs(truth)


def _figure(scenario: str, address: str, unit: float = 1.0, **changed: object) -> Callable[[ModuleType], float]:
    """A figure of a scenario in which some values, written with `__` for a point, are changed."""
    values = {name.replace("__", "."): value for name, value in changed.items()}
    return lambda sb: sb.simulate(scenario, values).get(address) / unit


def _ratio(scenario: str, one: str, other: str, **changed: object) -> Callable[[ModuleType], float]:
    """How many times a figure is another, in one run."""
    values = {name.replace("__", "."): value for name, value in changed.items()}

    def found(sb: ModuleType) -> float:
        result = sb.simulate(scenario, values)
        return result.get(one) / result.get(other)

    return found


def _bottleneck(scenario: str, job: str, **changed: object) -> Callable[[ModuleType], str]:
    """The address at which a job spends most of its time."""
    values = {name.replace("__", "."): value for name, value in changed.items()}
    return lambda sb: sb.explain(scenario, job, overrides=values)[job].bottleneck


def _outage(sb: ModuleType) -> float:
    """Gigabytes at which a hot copy holds its lock for five seconds."""
    result = sb.simulate("published/004-zrm-mysql/myisam-4000")
    return 5.0 * result.get("data.db.size") / result.get("jobs.hot_copy.lock") / GB


def _bend(sb: ModuleType) -> float:
    """Kilobytes of a scattered file that takes as long to open as to read."""
    result = sb.simulate("teaching/million-small-files")
    each = (result.get("jobs.million.elapsed") - result.get("jobs.hundred.elapsed")) / (1e6 - 100)
    return each * result.get("jobs.image.rate") / 1e3


def _speed_up(sb: ModuleType) -> float:
    """How many times as fast small files are saved on cores twice as fast."""
    name = "published/001-networker-small-files/guest-150k-old"
    plain = sb.explain(name, "small")["small"]
    return plain.elapsed / plain.doubled


def _student(sb: ModuleType) -> float:
    """How many times its standard uncertainty the 95 % interval of a constant reaches, from four nights."""
    return sb.equations.intervals.student_quantile(3)


def _interval(sb: ModuleType, **changed: str) -> Any:
    """The interval of the backup of notebook 07, with some values changed."""
    values = {name.replace("__", "."): value for name, value in changed.items()}
    return sb.intervals_of(sb.simulate("teaching/uncounted-files", values))["save"]


def _lost(sb: ModuleType) -> float:
    """Hours of data that are lost at most, when the main site burns down at noon of a Thursday."""
    from datetime import date

    site = sb.load_site("planning/forty-systems", {"policies.nightly.spread": True})
    return sb.restore(site, "client sql01", date(2028, 6, 8), "main").data_lost / 3600.0


def _back(sb: ModuleType) -> float:
    """Minutes until a file server is back from the tapes."""
    from datetime import date

    site = sb.load_site("planning/forty-systems", {"policies.nightly.spread": True})
    return sb.restore(site, "client files06", date(2028, 6, 7), "main").until(1.0) / MINUTE


def _everything(sb: ModuleType, loss: str) -> float:
    """The share of cases in which a loss takes all, where the second copy is in another place and locked for two weeks."""
    array = {"model": "raid/software-raid6", "disk": "disk/nearline-20tb-2022", "disks": 8}
    host = "host/linux-modern-server"
    kept = {"age": "5 weeks"}
    site = {
        "title": "A file server", "start": "2027-01-04", "network": "network/ten-gigabit-ethernet",
        "machines": {"server": {"host": host, "storage": array}},
        "targets": {
            "pool": {"host": host, "device": array},
            "annex": {"host": host, "device": array, "place": "annex", "immutable": "14 d"},
        },
        "policies": {"nightly": {
            "to": "pool", "at": "20:00", "schedule": {"full": "saturday", "incremental": "daily"}, "retention": kept,
            "copies": {"second": {"to": "annex", "retention": kept}},
        }},
        "systems": {"files": {"size": "2 TB", "policy": "nightly", "change": {"model": "change/file-server", "daily": "1 %"}}},
    }  # fmt: skip
    rows = sb.protect(site, times=False).frame
    return float(rows.set_index("title").loc[loss, "everything"])


SNAPSHOT, TAPE, BUFFERS = "teaching/snapshot-slows-writes", "teaching/twenty-small-files", "planning/buffers"
EXERCISES = {
    "00.1": Exercise(
        _figure("teaching/mount-queue", "jobs.r8.elapsed", devices__library__robots=2),
        "Two robots share eight moves to the drives, and eight back to the slots. Run it with devices.library.robots of 2.",
    ),
    "00.2": Exercise(
        _bottleneck("teaching/one-file-from-tape", "one_file"),
        "It is not the network and not the robot. Write the address that sb.explain names as the bottleneck.",
    ),
    "01.1": Exercise(
        _ratio(SNAPSHOT, "jobs.first_time.elapsed", "jobs.without.elapsed", data__file__size="0.5 GiB"),
        "How much dirty data does this host allow in memory? Compare it with the size of the file.",
    ),
    "01.2": Exercise(
        _ratio(
            SNAPSHOT, "jobs.first_time.elapsed", "jobs.without.elapsed", devices__disk__model="disk/nearline-20tb-2022"
        ),
        "The media rate is several times higher; seeks and rotations are hardly shorter. Which of them does each write pay?",
    ),
    "02.1": Exercise(
        _figure("published/004-zrm-mysql/myisam-4000", "jobs.hot_copy.elapsed", hosts__server__read_ahead="1 MiB"),
        "Larger windows save waits for requests, and nothing of the work of the core. Change hosts.server.read_ahead.",
    ),
    "02.2": Exercise(
        _outage,
        "The lock lasts as long as the copy, which is in proportion to the size: a few lines of arithmetic.",
        0.15,
    ),
    "03.1": Exercise(
        _figure(TAPE, "jobs.twenty_small.elapsed", MINUTE, data__files__size="2.6 GB"),
        "Files that lie closer together leave shorter ways, but each locate also has a fixed part. Change data.files.size.",
    ),
    "03.2": Exercise(
        _figure("teaching/shoe-shining", "jobs.backup.rate", MB),
        "The drive stops whenever its buffer is empty, and its host waits while it runs back. Run teaching/shoe-shining.",
    ),
    "04.1": Exercise(
        _bend,
        "A file costs the printed milliseconds beside its bytes. How many bytes does the image read meanwhile?",
        0.15,
    ),
    "04.2": Exercise(
        _speed_up, "The bottleneck of `small` is the host: see what `explain` says of a core twice as fast."
    ),
    "05.1": Exercise(
        _figure(BUFFERS, "jobs.backup.rate", MB, jobs__backup__buffers=24, jobs__backup__transfer_size="1 MiB"),
        "It lies between the marks of 16 and 32 on the curve of 1 MiB, and no higher than the network carries.",
    ),
    "05.2": Exercise(
        _bottleneck(BUFFERS, "backup", jobs__backup__buffers=256, jobs__backup__transfer_size="1 MiB"),
        "The curve is flat there, at a dotted line. Write the address that sb.explain names.",
    ),
    "06.1": Exercise(
        lambda _: "few", "The constant is that of a request. Which of few, many and compressed waits for requests?"
    ),
    "06.2": Exercise(
        _student,
        "Student's t with one degree of freedom less than there are nights; the notebook has it for three.",
        0.02,
    ),
    "07.1": Exercise(
        lambda sb: (
            _interval(sb, data__files__layout="scattered", data__files__files="1100000", jobs__save__window="12 h").fits
        ),
        "Give sb.simulate all three values as its second argument; sb.intervals_of(...)['save'].fits is the share.",
        0.02,
    ),
    "07.2": Exercise(
        lambda sb: _interval(sb, data__files__layout="together").decides[0].input.name,
        "Set data.files.layout to together, and read the sentence of the interval: what `matters most of the inputs`?",
    ),
    "09.1": Exercise(
        lambda _: (0.26 / 0.1) ** 2,
        "The standard deviation of a mean falls with the square root of the number of runs.",
        0.1,
    ),
    "09.2": Exercise(lambda _: 0.1 * 60, "An interval of 90 % leaves out one case in ten.", 0.01),
    "10.1": Exercise(
        lambda _: 24 * GB / (50 * MB) / MINUTE,
        "The stick is the slowest part, and writes 50 MB in a second: divide, and mind the unit.",
        0.03,
    ),
    "10.2": Exercise(
        lambda _: "live", "One says what a file may hold, one what takes time, one leads from the one to the other."
    ),
    "11.1": Exercise(
        lambda sb: _everything(sb, "ransomware"),
        "Replace 'place: annex' in ANNEX by that and a line 'immutable: 14 d' below it, and read `everything` of costs().",
        0.02,
    ),
    "11.2": Exercise(
        lambda _: 3.5, "A full backup is made every seven days. How old is the newest one on average?", 0.1
    ),
    "08.1": Exercise(
        _lost,
        "Its tapes leave once a week, on the night of its full backup. Which night is it? sb.restore has data_lost.",
    ),
    "08.2": Exercise(_back, "sb.restore(site, 'client files06', date(2028, 6, 7), 'main').until(1.0) has seconds."),
}
