"""Files outside of a folder do not exist for what is read inside `confined`."""

import os
from pathlib import Path

import pytest

from simbackup import load
from simbackup.errors import InputError
from simbackup.shelf import confined, is_file, is_folder

BASE = "teaching/one-file-from-tape"


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The folder of a user, in which the program stands, and a file beside it."""
    own, secret = tmp_path / "own", tmp_path / "secret.yaml"
    (own / "below").mkdir(parents=True)
    secret.write_text(f"title: secret\nextends: {BASE}\n")
    (tmp_path / "secret.csv").write_text("name,size\na,1 GB\n")
    (own / "link.yaml").symlink_to(secret)
    (own / "mine.yaml").write_text(f"title: mine\nextends: {BASE}\n")
    monkeypatch.chdir(own)
    return own, secret


def test_only_the_folder_and_what_comes_along_can_be_seen(folders: tuple[Path, Path]) -> None:
    own, secret = folders
    assert is_file(secret)
    with confined(own):
        assert not is_file(secret)
        assert not is_folder(own.parent)
        assert not is_file(Path("link.yaml"))
        assert not is_file(Path("below/../../secret.yaml"))
        assert is_file(Path("mine.yaml"))
        assert is_folder(Path("below"))
    assert is_file(secret)


@pytest.mark.parametrize(
    "text",
    [
        "extends: ../secret.yaml\n", "extends: {secret}\n", "extends: link.yaml\n",
        "extends: below/../../secret.yaml\n",
        "extends: /etc/passwd\n", "extends: ../\n", "extends: /\n",
        f"extends: {BASE}\nfleets: {{f: {{inventory: ../secret.csv, hosts: {{'h-{{name}}': {{}}}}}}}}\n",
        f"extends: {BASE}\nfleets: {{f: {{inventory: /etc/hosts, hosts: {{'h-{{name}}': {{}}}}}}}}\n",
        f"extends: {BASE}\ndevices: {{array: {{model: ../../secret}}}}\n",
        f"extends: {BASE}\ndevices: {{array: {{model: raid/../../secret}}}}\n",
    ],
)  # fmt: skip
def test_nothing_else_is_read_or_listed(folders: tuple[Path, Path], text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    own, secret = folders
    read: list[str] = []
    bare = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: read.append(os.path.realpath(path)) or bare(path))
    with confined(own), pytest.raises(InputError) as caught:
        load(text.replace("{secret}", str(secret)))
    said = str(caught.value).replace(str(secret), "")
    assert "secret.yaml'" not in said.replace("'../secret.yaml'", "").replace("'below/../../secret.yaml'", "")
    assert "passwd'?" not in said
    assert not [path for path in read if "secret" in path or path.startswith("/etc")]


def test_what_comes_along_and_files_in_the_folder_are_read(folders: tuple[Path, Path]) -> None:
    with confined(folders[0]):
        assert load("extends: mine.yaml\n").title == "mine"
        assert load("extends: published/003-lvm-snapshots/same-disk\n").spec.jobs
