"""Alternative texts of pictures in notebooks: under which heading they stand, what is drawn, and along which axes."""

from __future__ import annotations

import re

CHARTS = {
    "calendar": "nights as a calendar, coloured by how much of its window each takes",
    "capacity": "what each target holds over time, with its limit",
    "causes": "bars with the parts of the time of each job",
    "compare": "simulated over measured, a row for each figure",
    "drives": "what each drive did over time, and how many jobs waited",
    "lines": "lines of a figure over the values that vary",
    "timeline": "when each job ran and what it did, a row for each job",
    "tornado": "bars for each input, from its lower to its upper end",
}
"""What the pictures of the program show."""
SYSTEM = re.compile(r"\b(?:sb\.picture|SVG)\(")
CHART = re.compile(r"\.plot\.(\w+)\(")
TEXT = re.compile(r"""(set_title|set_xlabel|set_ylabel|xlabel|ylabel|title)(?:\(|=)\s*f?"([^"{]+)["{]""")


def alt(heading: str, source: str) -> str:
    """What a cell draws, for those who do not see it.

    >>> alt("The queue", "result.plot.timeline()")
    'The queue: when each job ran and what it did, a row for each job'
    >>> alt("Sizes", 'axis.set(xlabel="MB/s", ylabel="minutes")')
    'Sizes: a chart, across: MB/s, upwards: minutes'
    """
    if SYSTEM.search(source):
        return f"{heading}: the machines, devices, links, data and jobs of the system"
    drawn = [CHARTS[name] for name in dict.fromkeys(CHART.findall(source)) if name in CHARTS]
    for key, text in dict.fromkeys(TEXT.findall(source)):
        axis = {"x": "across: ", "y": "upwards: "}.get(key.removeprefix("set_")[0], "")
        drawn.append(f"{axis}{text.strip()}")
    if not CHART.search(source):
        drawn.insert(0, "a chart")
    return f"{heading}: {', '.join(drawn)}"


def heading_of(source: str, before: str) -> str:
    """The last heading in a text, without its number; the one before where it has none.

    >>> heading_of("## 3. What *limits* it?", "Start")
    'What limits it?'
    """
    found = re.findall(r"^#+ +(?:\d+\. +)?(.+)$", source, re.MULTILINE)
    return re.sub(r"[*`]", "", found[-1]).strip() if found else before
