import re
import sys

import pytest

from simbackup import shelf
from simbackup.cli.of_models import shown


@pytest.mark.parametrize(
    "name", ["disk/sata-7200-1tb-2008", "backup_tool/network-backup-2015", "raid/midrange-array-2018"]
)
def test_a_datasheet_fits_a_terminal_of_80_columns(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    shown(name)
    lines = re.sub(r"\x1b\[\d+m", "", capsys.readouterr().out).splitlines()
    assert max(map(len, lines)) <= 80
    said = " ".join(" ".join(lines).split())
    for parameter, given in shelf.load_datasheet(name).values():
        assert parameter in said
        assert given.text in said
        assert " ".join((given.why or given.rule or "").split()) in said
