"""Making the data of a recipe on disk: drawn in parallel, written as they come."""

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import islice
from json import dumps, loads
from pathlib import Path
from typing import Any, TypeVar

from daskxmlc.benchmark.recipe import BLOCK, Recipe
from daskxmlc.errors import UsageError
from daskxmlc.report.writing import whole_folder, write_text
from daskxmlc.storage.writing import CHUNK_BYTES, DenseWriter, SparseWriter

Progress = Callable[[int, int], None]
T = TypeVar("T")

#: Written last, and read to know what a folder holds.
MARK = "recipe.json"
SCORES, TRUTH, TAXONOMY = "scores.zarr", "truth.zarr", "taxonomy.txt"


@dataclass(frozen=True, slots=True)
class Data:
    """Paths of what is measured.

    Attributes
    ----------
    scores, truth
        Stores, or files of any format.
    taxonomy
        Path, or None for one view only.
    """

    scores: str
    truth: str
    taxonomy: str | None


def make_data(folder: Path, recipe: Recipe, progress: Progress | None = None) -> Data:
    """Make the data of a recipe in a folder, or take them from there.

    Parameters
    ----------
    folder
        Where they will lie; it appears whole or not at all.
    recipe
        What to make.
    progress
        Called now and then with documents done and documents in all.

    Raises
    ------
    UsageError
        The folder holds something else.
    DataError
        The stores cannot be written.
    """
    data = Data(str(folder / SCORES), str(folder / TRUTH), str(folder / TAXONOMY))
    if folder.is_dir() and any(folder.iterdir()):
        _expect_same(folder, recipe)
        return data
    with whole_folder(folder, mark=MARK, what="bench") as pending:
        write_text(pending / TAXONOMY, recipe.taxonomy())
        _write_truth(pending / TRUTH, recipe)
        _write_scores(pending / SCORES, recipe, progress)
        write_text(pending / MARK, dumps(_described(recipe)))
    return data


def _described(recipe: Recipe) -> dict[str, Any]:
    return {name: value for name, value in asdict(recipe).items() if not name.startswith("_")}


def _expect_same(folder: Path, recipe: Recipe) -> None:
    try:
        found = loads((folder / MARK).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        found = None
    if not isinstance(found, dict):
        raise UsageError(f"bench: {str(folder)!r} holds other files; give a new folder")
    wanted = _described(recipe)
    for name, value in wanted.items():
        if found.get(name) != value:
            raise UsageError(
                f"bench: {str(folder)!r} holds data with {name} {found.get(name)}, got "
                f"{name} {value}; give a new folder, or the same options as before"
            )


def _write_truth(path: Path, recipe: Recipe) -> None:
    with SparseWriter(
        str(path),
        (recipe.documents, recipe.labels),
        kind="truth",
        labels=recipe.label_ids(),
        source="daskxmlc bench",
        codec=recipe.codec,
    ) as writer:
        for start, stop in _spans(recipe.documents, 32 * BLOCK):
            writer.append_documents(recipe.document_ids(start, stop))
            writer.append(recipe.truth(start, stop))


def _write_scores(path: Path, recipe: Recipe, progress: Progress | None) -> None:
    height = recipe.chunk_documents or _chunk_documents(recipe)
    with (
        DenseWriter(
            str(path),
            (recipe.documents, recipe.labels),
            recipe.dtype,
            labels=recipe.label_ids(),
            score_kind="probability",
            source="daskxmlc bench",
            chunk_documents=height,
            codec=recipe.codec,
        ) as writer,
        ThreadPoolExecutor(os.cpu_count()) as pool,
    ):
        spans = list(_spans(recipe.documents, height))
        ahead = (pool.submit(recipe.scores, *span) for span in spans)
        for (start, stop), rows in zip(spans, _in_order(ahead), strict=True):
            writer.append_documents(recipe.document_ids(start, stop))
            writer.append(rows)
            if progress is not None:
                progress(stop, recipe.documents)


def _chunk_documents(recipe: Recipe) -> int:
    """Choose the documents of a chunk: whole blocks, so that none is drawn twice."""
    row = recipe.decoded_bytes // recipe.documents
    return max(BLOCK, CHUNK_BYTES // row // BLOCK * BLOCK)


def _spans(documents: int, step: int) -> Iterator[tuple[int, int]]:
    for start in range(0, documents, step):
        yield start, min(start + step, documents)


def _in_order(work: Iterator[Future[T]]) -> Iterator[T]:
    """Give results as they were submitted, with only a few in memory."""
    running = deque(islice(work, 1 + (os.cpu_count() or 1)))
    while running:
        yield running.popleft().result()
        running.extend(islice(work, 1))
