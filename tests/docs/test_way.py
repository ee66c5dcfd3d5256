"""The page that follows a job through the code names what is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "from-file-to-time.md").read_text(encoding="utf-8")


def test_each_module_of_the_page_is_there() -> None:
    paths = set(re.findall(r"`(simbackup/[\w/]+\.py)`", PAGE))
    assert len(paths) >= 15
    assert not [path for path in sorted(paths) if not (ROOT / path).is_file()]


def test_each_name_behind_a_module_is_in_it() -> None:
    named = re.findall(r"`(simbackup/[\w/]+\.py)` `([\w.]+)`", PAGE) + [
        (path, name) for name, path in re.findall(r"`([\w.]+)` in `(simbackup/[\w/]+\.py)`", PAGE)
    ]
    assert len(named) >= 10
    for path, name in named:
        source = (ROOT / path).read_text(encoding="utf-8")
        owner, _, member = name.rpartition(".")
        assert f"def {member}(" in source or f"class {member}" in source, (path, name)
        assert not owner or f"class {owner}" in source, (path, name)
