import os
from pathlib import Path

import pytest

from simbackup.errors import InputError
from simbackup.files import content, pipes_kept, unreachable, whole
from simbackup.schema.yaml_file import parse
from simbackup.shelf import confined, is_file


def test_no_more_is_read_than_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(2**20))
    assert len(content(path, 2**20)) == 2**20
    path.write_bytes(bytes(2**20 + 1))
    with pytest.raises(OSError, match="it has more than 1 MiB"):
        content(path, 2**20)


@pytest.mark.skipif(os.name != "posix", reason="named pipes are those of POSIX")
def test_a_pipe_is_kept_while_it_is_asked_for_and_no_longer(tmp_path: Path) -> None:
    def sent(data: bytes) -> Path:
        reading, writing = os.pipe()
        os.write(writing, data)
        os.close(writing)
        return Path(f"/dev/fd/{reading}")

    with pipes_kept():
        first = sent(b"one")
        assert [content(first), content(first)] == [b"one", b"one"]
        assert is_file(first)
    assert content(first) == b""
    with confined(tmp_path):  # a page asks for nothing but files
        assert not is_file(first)


def test_links_in_a_circle_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert whole(tmp_path / "a").parent == whole(tmp_path)
    assert unreachable(tmp_path / "a") == "cannot be read (Too many levels of symbolic links)"
    assert unreachable(tmp_path / "nothing") == ""


@pytest.mark.parametrize("anchor", ["", "&a "])
def test_a_text_of_too_many_values_is_given_up_before_it_is_built(anchor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the fast reader and by the one that reads all forms, to which an anchor leads."""
    monkeypatch.setattr("simbackup.schema.yaml_file.GREATEST_NODES", 1000)
    monkeypatch.setattr("simbackup.schema.limits.GREATEST_TOKENS", 3000)
    with pytest.raises(InputError, match="expands to too many values; write large inventories as a table"):
        parse(f"title: {anchor}x\nlist: [{'1,' * 2000}]\n", "many.yaml")
