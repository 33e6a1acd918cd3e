"""Files and folders appear whole or not at all."""

import os
from pathlib import Path

import pytest

from daskxmlc.errors import RunError, UsageError
from daskxmlc.report.writing import check_file, whole_file, whole_folder, write_text


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    write_text(path, "former")

    def fail() -> None:
        with whole_file(path) as file:
            file.write("half of")
            file.flush()
            assert path.read_text(encoding="utf-8") == "former"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert path.read_text(encoding="utf-8") == "former"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    def fail() -> None:
        with whole_folder(tmp_path / "tables", mark="mark") as folder:
            (folder / "mark").touch()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_a_file_behind_a_link_is_replaced_and_the_link_stays(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_text(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text(encoding="utf-8") == "text"


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    write_text(tmp_path / "ours", "")
    (tmp_path / "usual").touch()
    assert os.stat(tmp_path / "ours").st_mode == os.stat(tmp_path / "usual").st_mode  # noqa: PTH116


def test_a_place_where_no_file_can_be_written_is_refused_beforehand(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--output: there is no folder"):
        check_file(tmp_path / "missing/result.json", what="--output")
    with pytest.raises(UsageError, match="is a folder"):
        check_file(tmp_path, what="--output")
    check_file("/dev/stdout", what="--output")


def test_a_full_disk_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(RunError, match=r"--output: '.*' cannot be written, no space left on dev"):
        write_text(tmp_path / "result.json", "text", what="--output")
    with (
        pytest.raises(RunError, match="cannot be written, no space left"),
        whole_folder(tmp_path / "tables", mark="mark") as folder,
    ):
        (folder / "mark").touch()
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_text_is_written_with_backslashes(tmp_path: Path) -> None:
    write_text(tmp_path / "odd", "name \udcff")
    assert (tmp_path / "odd").read_text(encoding="utf-8") == r"name \udcff"
