"""Folders, patterns and lists become photos in one order; loops, gaps and what is no photo are named."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from serve.batch.errors import BatchError
from serve.batch.sources import Found, find_photos
from tests.serve.doubles import picture_bytes


def put(path: Path, data: bytes | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if data is not None else picture_bytes())
    return path


def names(found: Found, root: Path) -> list[str]:
    return [os.path.relpath(photo.path, root) for photo in found.photos]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("b.jpg", "a.PNG", "sub/c.webp", "sub/deep/d.tif", "z.heic"):
        put(tmp_path / "photos" / name)
    put(tmp_path / "photos" / "notes.txt", b"not a photo")
    return tmp_path / "photos"


def test_a_folder_gives_its_photos_by_name_then_those_below(tree: Path) -> None:
    found = find_photos([str(tree)])
    assert names(found, tree) == ["a.PNG", "b.jpg", "z.heic", "sub/c.webp", "sub/deep/d.tif"]
    assert found.other_files == 1
    assert find_photos([str(tree)]) == found


def test_a_pattern_gives_what_it_matches_and_no_folder(tree: Path) -> None:
    found = find_photos([f"{tree}/**/*"])
    assert sorted(names(found, tree)) == ["a.PNG", "b.jpg", "sub/c.webp", "sub/deep/d.tif", "z.heic"]
    assert names(find_photos([f"{tree}/sub/*.webp"]), tree) == ["sub/c.webp"]
    with pytest.raises(BatchError, match="matches nothing"):
        find_photos([f"{tree}/*.gif"])


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tree: Path) -> None:
    odd = put(tree / "odd[1]*.jpg")
    assert [photo.path for photo in find_photos([str(odd)]).photos] == [str(odd)]


def test_a_list_keeps_its_order_and_names_what_is_missing(tree: Path) -> None:
    listed = put(
        tree / "list.txt", f"\ufeff{tree}/b.jpg\r\n\n  {tree}/gone.jpg \n{tree}/sub\n{tree}/a.PNG\n{tree}/b.jpg".encode()
    )
    found = find_photos([str(listed)])
    assert names(found, tree) == ["b.jpg", "gone.jpg", "sub", "a.PNG"]
    assert [photo.problem for photo in found.photos] == [None, "no such file", "is a folder, not a photo", None]
    assert found.repeated == 1


def test_a_list_comes_over_standard_input_too(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"{tree}/b.jpg\n".encode())))
    assert names(find_photos(["-"]), tree) == ["b.jpg"]


def test_names_that_are_no_text_and_no_name_are_photos_with_a_reason_or_a_shown_name(tree: Path) -> None:
    odd = os.fsencode(str(tree)) + b"/\xff\n.jpg"
    Path(os.fsdecode(odd)).write_bytes(picture_bytes())
    listed = put(tree / "list.txt", f"{tree}/nul\0byte.jpg\n".encode())
    found = find_photos([str(tree / "sub"), str(listed)])
    assert found.photos[-1].problem is not None
    assert "\0" not in found.photos[-1].name
    shown = [
        photo for photo in find_photos([str(tree)]).photos if photo.identity and photo.identity.path == os.path.realpath(odd)
    ]
    assert [photo.name for photo in shown] == [f"{tree}/��.jpg"]


def test_links_that_lead_back_are_followed_once_and_named(tree: Path) -> None:
    (tree / "sub" / "up").symlink_to(tree, target_is_directory=True)
    (tree / "self").symlink_to("self")
    (tree / "loop.jpg").symlink_to("loop.jpg")
    found = find_photos([str(tree)])
    assert names(found, tree) == ["a.PNG", "b.jpg", "loop.jpg", "z.heic", "sub/c.webp", "sub/deep/d.tif"]
    assert [(os.path.relpath(one.path, tree), one.lost) for one in found.skipped] == [("sub/up", False)]
    assert "looked into already" in found.skipped[0].reason
    broken = next(photo for photo in found.photos if photo.path.endswith("loop.jpg"))
    assert "Too many levels of symbolic links" in str(broken.problem)


def test_a_photo_reached_by_two_names_is_one_photo(tree: Path) -> None:
    (tree / "zz.jpg").symlink_to("b.jpg")
    found = find_photos([str(tree), str(tree / "b.jpg")])
    assert names(found, tree).count("b.jpg") == 1
    assert "zz.jpg" not in names(found, tree)
    assert found.repeated == 2


def test_pipes_and_devices_are_named_and_never_opened(tree: Path) -> None:
    os.mkfifo(tree / "pipe.jpg")
    found = find_photos([str(tree), "/dev/null"])
    assert [photo.problem for photo in found.photos if photo.identity is None] == ["is not a regular file"] * 2


def test_a_folder_that_cannot_be_looked_into_is_named_and_photos_may_be_lost(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scandir = os.scandir

    def refuse(path: str) -> object:
        if str(path).endswith("deep"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = find_photos([str(tree)])
    assert "sub/deep/d.tif" not in names(found, tree)
    assert [(one.reason, one.lost) for one in found.skipped] == [("cannot be looked into (Permission denied)", True)]


@pytest.mark.parametrize("what", ["empty", "list"])
def test_no_photo_at_all_is_said(tmp_path: Path, what: str) -> None:
    (tmp_path / "empty").mkdir()
    put(tmp_path / "list", b"").rename(tmp_path / "list.txt")
    with pytest.raises(BatchError, match="no photos in"):
        find_photos([str(tmp_path / ("list.txt" if what == "list" else "empty"))])
    with pytest.raises(BatchError, match=r"gone.txt cannot be read \(No such file"):
        find_photos([str(tmp_path / "gone.txt")])
