"""Many sessions at once on the what-if page: no error, no result of another session, and bounded memory.

Each session is a browser of its own with a scenario of its own: the same short backups of a size that no other session
has. It runs, changes the size, keeps each third answer, and lists its variants. Every answer is compared with what
`simbackup.simulate` gives for the same text; a session also tries to fetch the files of another one.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Any

import httpx

import simbackup as sb
from benchmarks.served import Served, load, served

SCENARIO = "teaching/short-backups"
SESSIONS = 20
SECONDS = 120.0
KEPT = 3
"""One answer of so many is kept."""
MOST_KEPT = 5
STEP = 1.0
"""Seconds between looks at memory."""
NEAR = 1e-9
REFUSED = 400


@dataclass(slots=True)
class Found:
    """What all sessions report."""

    firsts: list[float] = field(default_factory=list[float])
    """Seconds from the question to its first answer."""
    wholes: list[float] = field(default_factory=list[float])
    """Seconds from the question to the last file."""
    problems: list[str] = field(default_factory=list[str])
    files: list[str] = field(default_factory=list[str])
    """Addresses of files of variants, each of one session."""
    lock: Lock = field(default_factory=Lock)


def text_of(number: int, turn: int) -> str:
    """The scenario of a turn of a session; no other has this size."""
    size = 7_000 + 100 * number + turn % 100
    return f"title: Session {number}, turn {turn}\nextends: {SCENARIO}\ndata: {{log: {{size: {size} kB}}}}\n"


def session(server: Served, number: int, end: Event, found: Found) -> None:
    """One browser until the end."""
    chance = random.Random(number)  # noqa: S311 (pauses)
    with httpx.Client(base_url=server.home, headers={"Origin": server.home}, timeout=600.0) as browser:
        browser.get(server.address).raise_for_status()
        document = browser.post("/open", json={"name": SCENARIO}).json()["document"]
        kept = turn = 0
        while not end.is_set():
            turn += 1
            answer = asked(browser, document, text_of(number, turn), found)
            wrong = [*check(answer, number, turn), *check_files(browser, answer, number, turn)]
            if turn % KEPT == 0 and kept < MOST_KEPT and not wrong:
                kept += 1
                browser.post("/keep", json={"variant": answer["answer"]["variant"], "name": f"of {number}: {turn}"})
            listed = browser.get("/variants").text
            if listed.count("data-drop") != kept or listed.count(f"of {number}: ") < kept:
                wrong.append("variants of another session, or none")
            with found.lock:
                others = [each for each in found.files if not each.startswith(f"{number} ")]
            if others and browser.get(chance.choice(others).split()[1]).status_code != REFUSED:
                wrong.append("got a file of another session")
            with found.lock:
                found.problems += [f"session {number}, turn {turn}: {each}" for each in wrong]
                found.files.append(f"{number} /variants/{answer.get('answer', {}).get('variant')}/scenario.yaml")
            end.wait(chance.uniform(0.0, 2.0))


def asked(browser: httpx.Client, document: str, text: str, found: Found) -> dict[str, Any]:
    """The last message of each kind of a run."""
    last: dict[str, Any] = {}
    began = time.monotonic()
    with browser.stream("POST", "/run", json={"document": document, "text": text, "tab": "1"}) as answer:
        for line in answer.iter_lines():
            message = json.loads(line)
            if message["kind"] == "answer" and "answer" not in last:
                with found.lock:
                    found.firsts.append(time.monotonic() - began)
            last[message["kind"]] = message
    with found.lock:
        found.wholes.append(time.monotonic() - began)
    return last


def check(answer: dict[str, Any], number: int, turn: int) -> list[str]:
    """What is wrong with an answer: what was not expected, or figures that are not of this text."""
    wrong = [f"{kind}: {answer[kind]}" for kind in ("failed", "problems", "replaced") if kind in answer]
    if wrong or "done" not in answer:
        return wrong or ["no end"]
    if answer["opened"]["title"] != f"Session {number}, turn {turn}":
        wrong.append(f"the title is {answer['opened']['title']!r}")
    elapsed = sb.simulate(text_of(number, turn)).jobs["elapsed"]
    for job, figure in answer["answer"]["figures"].items():
        if abs(figure["value"] / elapsed.loc[job] - 1.0) > NEAR:
            wrong.append(f"{job} took {figure['value']} s, not {elapsed.loc[job]} s")
    return wrong


def check_files(browser: httpx.Client, answer: dict[str, Any], number: int, turn: int) -> list[str]:
    """What is wrong with the files of an answer."""
    if "done" not in answer:
        return []
    got = browser.get(f"/variants/{answer['done']['variant']}/scenario.yaml").text
    return [] if got == text_of(number, turn) else [f"the scenario of another one: {got[:80]!r}"]


def main() -> None:
    """Run the sessions, and print what they met; an error ends with status 1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=SESSIONS, help=f"browsers at once ({SESSIONS})")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"how long they ask ({SECONDS:g})")
    parser.add_argument("--quick", action="store_true", help="three sessions for five seconds: is all in order?")
    options = parser.parse_args()
    sessions, seconds = (3, 5.0) if options.quick else (options.sessions, options.seconds)
    found, end, memory = Found(), Event(), list[float]()
    with served(SCENARIO) as server, ThreadPoolExecutor(sessions) as threads:
        begun = [threads.submit(session, server, number, end, found) for number in range(sessions)]
        stops = time.monotonic() + seconds
        while time.monotonic() < stops:
            time.sleep(STEP)
            memory.append(server.memory)
        end.set()
        for one in begun:
            one.result()
        cpu, left = server.cpu, server.memory
    half = len(memory) // 2
    print(f"{sessions} sessions, {seconds:g} s, {len(found.wholes)} runs, {cpu:.0f} CPU s of the server; {load()}")
    for name, values in (("first answer", found.firsts), ("whole run", found.wholes)):
        middle, longest = (statistics.median(values), max(values)) if values else (0.0, 0.0)
        print(f"{name}: median {middle:.1f} s, longest {longest:.1f} s")
    print(
        f"memory: at most {max(memory[:half]):.0f} MiB, in the second half {max(memory[half:]):.0f}, at last {left:.0f}"
    )
    print(f"problems: {len(found.problems)}", *found.problems[:10], sep="\n")
    raise SystemExit(1 if found.problems else 0)


if __name__ == "__main__":
    main()
