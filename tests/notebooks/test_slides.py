"""The slides of the lecture come from the published notebooks, and need no network."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "notebooks"))

from slides import LECTURE, page


def test_each_notebook_of_the_lecture_asks_shows_and_answers() -> None:
    text = page()
    slides = re.findall(r"<section id=\"s\d+\".*?</section>", text, re.DOTALL)
    assert len(slides) >= 4 * len(LECTURE)
    assert text.count("What do you expect?") == len(LECTURE)
    assert text.count("<pre>predicted ") == len(LECTURE)
    assert len(re.findall(r'<img alt="[^"]+" src="data:image/png;base64,|<svg', text)) >= len(LECTURE)
    assert not re.search(r'(?:src|href)="(?!data:|#)', text)
