"""Cases of NaN, zeros, chunks that cannot be read and k that makes no sense, after bug reports."""

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import dask
import numpy as np
import pytest
import zarr
from click.testing import CliRunner, Result

import daskxmlc
from daskxmlc.errors import DataError, UsageError
from daskxmlc.storage.chunks import strict
from daskxmlc_cli.main import main
from tests.cases import CASES
from tests.variants import (
    SCHEDULERS,
    evaluate_every_way,
    marks,
    own_stores,
    scores_every_way,
    write_dense,
    write_truth,
)

NAN = float("nan")


def run(*arguments: str, status: int) -> Result:
    done = CliRunner().invoke(main, arguments, prog_name="daskxmlc")
    assert done.exit_code == status, done.output
    return done


def one_line(text: str) -> str:
    (line,) = text.splitlines()
    return line


# D-01: pytorch/pytorch #16762; pydata/xarray PR #10086. 1 + 2 + 4 scores are NaN.
WITH_NAN = np.array([[0.9, NAN, 0.1, 0.2], [NAN, NAN, 0.3, 0.2], [NAN, NAN, NAN, NAN]])
OF_NAN = marks([{0}, {2}, {1}], 4)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_nan_is_refused_with_the_number_and_the_first_place(tmp_path: Path, dtype: str) -> None:
    for scores in scores_every_way(tmp_path, WITH_NAN.astype(dtype)):
        for scheduler in SCHEDULERS:
            with (
                dask.config.set(scheduler=scheduler),
                pytest.raises(DataError, match=r"7 scores are NaN.* document 0, label 1;"),
            ):
                daskxmlc.evaluate(scores, OF_NAN)


def test_nan_ends_the_command_with_one_line_and_no_file(tmp_path: Path) -> None:
    truth = write_truth(tmp_path / "truth.zarr", OF_NAN)
    for scores in own_stores(tmp_path, WITH_NAN):
        output = tmp_path / "result.json"
        done = run("evaluate", scores, "--truth", truth, "--output", str(output), status=1)
        assert "7 scores are NaN" in one_line(done.stderr)
        assert done.stdout == ""
        assert not output.exists()


# D-07: torchmetrics #886, PR #3406; hgp-lib #56; apple/turicreate #2886.


@pytest.mark.parametrize("k", ["0", "-1", "2.5"])
def test_a_k_that_is_no_positive_integer_ends_the_command_before_any_work(k: str) -> None:
    # Nothing lies at these paths, but that is not what the message is about.
    done = run("evaluate", "nothing.zarr", "--truth", "nothing.npz", "-k", k, status=2)
    assert k in one_line(done.stderr)
    assert "nothing" not in done.stderr


@pytest.mark.parametrize("k", [0, -1, 2.5])
def test_a_k_that_is_no_positive_integer_is_refused_before_any_work(k: Any) -> None:  # noqa: ANN401
    with pytest.raises(UsageError, match=str(k)):
        daskxmlc.evaluate("nothing.zarr", "nothing.npz", ks=(k,))


def test_a_level_of_one_label_has_every_measure(tmp_path: Path) -> None:
    taxonomy = tmp_path / "taxonomy.txt"
    taxonomy.write_text("root 0\n0 1 2\n")
    cells, truth = np.array([[0.7, 0.1, 0.9]]), marks([{0, 2}], 3)
    result = evaluate_every_way(
        scores_every_way(tmp_path, cells), truth, taxonomy=taxonomy, tasks=["per-level"]
    )
    for measure in ("precision@1", "recall@1", "mrr", "micro_f1"):
        assert result["per-level", "level-1", measure] == 1
    assert result["per-level", "level-1", "precision@5"] == 1 / 5


# D-12: pydata/xarray #4930, #5475. Seen: xarray opens the first row of format 2 as NaN, .4, NaN.


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_zeros_are_scores_where_the_fill_value_is_zero(
    tmp_path: Path, zarr_format: Literal[2, 3]
) -> None:
    (case,) = (each for each in CASES if each.name == "D-12")
    paths = {}
    for name, cells in {"scores": case.cells, "truth": case.marks}.items():
        paths[name] = str(tmp_path / f"{name}.zarr")
        zarr.create_array(
            paths[name],
            data=cells,
            chunks=(1, 3),
            fill_value=0,
            zarr_format=zarr_format,
            attributes={"_FillValue": 0},
            config={"write_empty_chunks": True},
        )
    result = daskxmlc.evaluate(paths["scores"], paths["truth"], threshold=0.0)
    # Every score, zeros too, is 0 or more: TP 2, P 6, T 2.
    assert result["micro_precision"] == 2 / 6
    assert result["micro_recall"] == 1
    assert result["precision@1"] == 0
    assert result["mrr"] == pytest.approx(5 / 12)  # places 2 and 3
    assert result.per_label()["true"].sum() == 2
    assert result.per_label()["predicted"].tolist() == [2, 2, 2]


# D-13: fsspec #255; xarray #8842; pangeo #691; iohub #415. Hits 1, 1, 0, 1.
CUT = np.array([[0.9, 0.1], [0.2, 0.8], [0.7, 0.3], [0.4, 0.6]])
OF_CUT = marks([{0}, {1}, {1}, {1}], 2)


@pytest.fixture
def cut(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, str, Path]]:
    """Give scores in two chunks, the truth, and the file of the second chunk."""
    monkeypatch.setattr(strict, "PAUSE_SECONDS", 0.0)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # so that another user can look into it
        scores = write_dense(Path(folder, "scores.zarr"), CUT, chunk_documents=2)
        truth = write_truth(Path(folder, "truth.zarr"), OF_CUT)
        assert daskxmlc.evaluate(scores, truth)["precision@1"] == 3 / 4
        yield scores, truth, Path(scores, "scores/c/1/0")


def halve(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


@pytest.mark.parametrize(
    "damage", [halve, lambda path: path.write_bytes(b""), Path.unlink], ids=["cut", "empty", "lost"]
)
def test_a_damaged_chunk_ends_the_run_without_a_value(
    cut: tuple[str, str, Path], damage: Callable[[Path], None]
) -> None:
    scores, truth, chunk = cut
    damage(chunk)
    done = run("evaluate", scores, "--truth", truth, status=1)
    assert "'c/1/0' of array 'scores' (documents 2 to 3)" in one_line(done.stderr)
    assert done.stdout == ""
    for scheduler in SCHEDULERS:
        with dask.config.set(scheduler=scheduler), pytest.raises(DataError, match="'c/1/0'"):
            daskxmlc.evaluate(scores, truth)


def test_a_chunk_that_may_not_be_read_ends_the_run_without_a_value(
    cut: tuple[str, str, Path],
) -> None:
    scores, truth, chunk = cut
    chunk.chmod(0)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)  # nothing is forbidden to root
    try:
        with (
            dask.config.set(scheduler="synchronous"),
            pytest.raises(DataError, match=r"'c/1/0' .*documents 2 to 3.* Permission denied"),
        ):
            daskxmlc.evaluate(scores, truth)
    finally:
        os.seteuid(user)


def test_a_chunk_that_cannot_be_read_once_is_tried_again(
    cut: tuple[str, str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    scores, truth, chunk = cut
    failed: list[Path] = []
    original = Path.open

    def open_late(self: Path, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401
        if self == chunk and not failed:
            failed.append(self)
            raise OSError(5, "Input/output error")
        return original(self, *arguments, **options)

    monkeypatch.setattr(Path, "open", open_late)
    assert daskxmlc.evaluate(scores, truth)["precision@1"] == 3 / 4
    assert failed == [chunk]
