"""What can be opened: files of the chosen folder and uploads, and nothing else."""

import base64
from pathlib import Path

import pytest

from simbackup.errors import InputError
from simbackup.web.opening import OwnFolder, of_library, uploaded
from tests.cases import for_each


def in_64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def test_only_files_in_the_folder_are_offered(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (tmp_path / "secret.yaml").write_text("title: secret")
    (folder / "a.yaml").write_text("title: A")
    (folder / ".hidden.yaml").write_text("title: hidden")
    (folder / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    chosen = OwnFolder(folder)
    assert chosen.names == ["a.yaml"]
    assert chosen.document("a.yaml").text == "title: A"
    for name in ("link.yaml", "../secret.yaml", ".hidden.yaml", str(tmp_path / "secret.yaml"), "b.yaml"):
        with pytest.raises(InputError, match="is not in the chosen folder"):
            chosen.document(name)
    assert OwnFolder().names == []


def test_a_scenario_that_comes_along_is_extended() -> None:
    found = of_library("teaching/one-file-from-tape")
    assert found.text == "extends: teaching/one-file-from-tape\n"
    assert "title: One file back from tape" in found.original
    assert of_library("planning/forty-systems").text.startswith("title: Forty virtual machines")
    with pytest.raises(InputError):
        of_library("teaching/nothing")


@for_each("name", ["../a.yaml", "/etc/a.yaml", "a/b.yaml", "..", ".yaml", "a.py", "a\x00.yaml", "a.yaml\n"])
def test_uploads_have_bare_names(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"is not a name of a file to upload|has no scenario"):
        uploaded(
            tmp_path, {"good.yaml": in_64("title: A"), name: in_64("x")} if name != ".yaml" else {name: in_64("x")}
        )


def test_an_upload_is_stored_with_its_tables(tmp_path: Path) -> None:
    found = uploaded(tmp_path, {"list.csv": in_64("name\nx\n"), "a.yaml": in_64("title: A\n")})
    assert (found.name, found.text) == ("a.yaml", "title: A\n")
    assert (found.folder / "list.csv").read_text() == "name\nx\n"
    with pytest.raises(InputError, match="was damaged in the upload"):
        uploaded(tmp_path, {"a.yaml": "%%%"})
    with pytest.raises(InputError, match="is not UTF-8"):
        uploaded(tmp_path, {"a.yaml": base64.b64encode(b"\xff\xfe\x00").decode()})
