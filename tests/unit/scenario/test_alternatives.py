from simbackup import shelf
from simbackup.errors import Problem
from simbackup.scenario.alternatives import settled


def test_alternatives_in_datasheets_are_others_than_their_values() -> None:
    sheets = [path for root in shelf.roots() for path in (root / "models").glob("*/*.yaml")]
    problems: list[Problem] = []
    read = [f"{each.parent.name}/{each.stem}" for each in sheets if "alternatives:" in each.read_text("utf-8")]
    for name in read:
        settled(shelf.load_datasheet(name).tree, problems)
    assert read
    assert not problems
