"""Where files are, what datasheets there are, and which copy lies where."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simbackup import load
from simbackup.catalogue import Catalogue, Copy, Extent, SaveSet
from simbackup.devices.store import Direction, Service, Store
from simbackup.errors import InputError
from simbackup.files import content, pipes_kept, unreachable, whole
from simbackup.run import simulate
from simbackup.schema import registry
from simbackup.schema.registry import RoomError
from simbackup.schema.yaml_file import parse
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


# Files, pipes and links
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


# Copies in the catalogue
def copy(*extents: Extent, job: str = "jobs.full", compression: float = 1.0) -> Copy:
    return Copy(job, "jukebox", compression, 0.0, list(extents))


def saved(job: str = "jobs.full", *copies: Copy) -> SaveSet:
    return SaveSet(job, "users", "image", 165.0, 1.0, 0.0, list(copies) or [copy(job=job)])


def test_the_last_save_set_of_a_job_is_found() -> None:
    first, second, other = saved(), saved(), saved("jobs.other")
    catalogue = Catalogue([first, second, other])
    assert catalogue.last("jobs.full") is second
    assert catalogue.last("jobs.none") is None


def test_a_copy_is_found_by_the_job_that_made_it() -> None:
    disk, tape = copy(), copy(job="jobs.to_tape.1")
    copied, fresh = saved("jobs.full.1", disk, tape), saved("jobs.full.2")
    catalogue = Catalogue([copied, fresh])
    assert catalogue.last_copy("jobs.full") == (fresh, fresh.copies[0])
    assert catalogue.last_copy("jobs.full", "jobs.full") == (fresh, fresh.copies[0])
    assert catalogue.last_copy("jobs.full", "jobs.to_tape") == (copied, tape)
    assert catalogue.last_copy("jobs.full", "jobs.elsewhere") is None


def test_what_has_no_copy_left_is_passed_over() -> None:
    older, gone = saved("jobs.full.1"), saved("jobs.full.2")
    gone.copies.clear()
    assert Catalogue([older, gone]).last_copy("jobs.full") == (older, older.copies[0])


# A live part of a package that lacks something is reported by its class, not with a traceback
SITE = """
title: A backup to a disk
hosts: {server: {model: host/linux-modern-server, owns: [flash, disk]}}
devices:
  flash: {model: ssd/nvme-gen3-2018}
  disk: {model: disk/sata-7200-1tb-2008}
data: {files: {on: flash, size: 1 GB}}
workloads: {users: {data: files, transactions: 1 /s, reads: 1, read_size: 8 KiB, cpu: 1 ms, writes: 0}}
jobs: {backup: {method: image, data: files, to: disk}}
"""


class Bare(Store):
    """A device whose author forgot its size and link."""

    name = "devices.disk"

    def __init__(self, **own: object) -> None:
        self.path = ()
        vars(self).update(own)

    def stream(self, direction: Direction, position: float, size: float) -> float:
        raise NotImplementedError

    def request(self, direction: Direction, head: float, position: float, size: float) -> Service:
        raise NotImplementedError


def failure(monkeypatch: pytest.MonkeyPatch, make: str, live: object) -> str:
    """What a run says when the room's function makes something else."""
    plain: Callable[[str], Callable[..., Any]] = registry.function
    monkeypatch.setattr(registry, "function", lambda name: (lambda *_: live) if name == make else plain(name))
    with pytest.raises(RoomError) as caught:
        simulate(SITE)
    return str(caught.value)


@pytest.mark.parametrize(
    ("own", "lacks"),
    [
        ({}, "link, size"),
        ({"size": 1e9}, "link"),
        ({"size": 1e9, "link": None}, "link"),
        ({"size": "1 GB"}, "link, size"),
    ],
)
def test_a_store_without_size_or_link(monkeypatch: pytest.MonkeyPatch, own: dict[str, object], lacks: str) -> None:
    make = "simbackup.devices.disk.live:make"
    message = failure(monkeypatch, make, Bare(**own))
    assert message.startswith(f"'{make}' made a ")
    assert f".Bare without {lacks}; the live part of a BlockDevice is a simbackup.devices.store.Store" in message


def test_a_job_that_cannot_run_and_a_workload_that_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "without method, run; the live part of a JobSpec" in failure(
        monkeypatch, "simbackup.methods.file_backup.make:make", object()
    )
    monkeypatch.undo()
    assert "without start, tell, watch; the live part of a WorkloadSpec" in failure(
        monkeypatch, "simbackup.workloads.users.make:make", object()
    )
