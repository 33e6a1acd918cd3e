"""The first law: a result is the same to the last bit, however scores are cut, stored and run."""

import math
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
import scipy.sparse
import xarray as xr
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import daskxmlc
from daskxmlc_cli.main import main
from tests.reference import NAMES, reference_value
from tests.variants import (
    SCHEDULERS,
    Cells,
    results_of,
    stored_rows,
    write_dense,
    write_sparse,
    write_truth,
)

SCORES = (-math.inf, -0.5, -0.0, 0.0, 0.25, 0.5, 0.75, math.inf)
TASKS = ("classification", "per-level")
MEASURES = ("P@k", "R@k", "nDCG@k", "hit@k", "f1@k", "mrr", "one_error", *NAMES)


@dataclass(frozen=True)
class Input:
    """Scores with many ties, a truth with empty documents, and a taxonomy of the labels."""

    cells: Cells
    truth: Cells
    taxonomy: str
    threshold: float

    @property
    def documents(self) -> list[str]:
        return [f"W{(5 * i) % 11}" for i in range(len(self.cells))]

    @property
    def labels(self) -> list[str]:
        return [f"T{(3 * j) % 7}" for j in range(self.cells.shape[1])]

    def question(self, folder: Path) -> dict[str, Any]:
        path = folder / "taxonomy.txt"
        path.write_text(self.taxonomy)
        return {
            "taxonomy": path,
            "tasks": TASKS,
            "threshold": self.threshold,
            "measures": MEASURES,
            "ks": (1, 4, 9),
        }


@st.composite
def inputs(draw: st.DrawFn, least: int = 1) -> Input:
    """Draw at least so many documents."""
    shape = draw(st.integers(least, 7)), draw(st.integers(1, 7))
    dtype = draw(st.sampled_from(["float16", "float32", "float64"]))
    some = draw(st.lists(st.sampled_from(SCORES), min_size=1, max_size=4))
    given_labels = [f"T{(3 * j) % 7}" for j in range(shape[1])]
    children: dict[str, list[str]] = {"root": []}
    for number, label in enumerate(given_labels):
        before = ("root", *given_labels[:number])
        for parent in draw(st.sets(st.sampled_from(before), min_size=1, max_size=2)):
            children.setdefault(parent, []).append(label)
    lines = [" ".join((parent, *sorted(below))) for parent, below in children.items() if below]
    return Input(
        cells=draw(arrays(dtype, shape, elements=st.sampled_from(some))),
        truth=draw(arrays("int8", shape, elements=st.integers(0, 1))),
        taxonomy="\n".join(lines) + "\n",
        threshold=draw(st.sampled_from((-0.5, 0.0, 0.2, 0.5, 1.0))),
    )


def sparse(cells: Cells) -> Any:  # noqa: ANN401  # SciPy's
    # SciPy knows no float16; every one of them is a float32, too.
    rows = stored_rows(cells.astype(np.promote_types(cells.dtype, np.float32)))
    return scipy.sparse.csr_array((rows.data, rows.indices, rows.indptr), shape=cells.shape)


def named(cells: Cells, **names: list[str]) -> xr.DataArray:
    """Name documents or labels or both."""
    coords = {name.removesuffix("s"): ids for name, ids in names.items()}
    return xr.DataArray(cells, dims=("document", "label"), coords=coords)


def in_memory(given_input: Input, draw: st.DataObject) -> Iterator[Any]:
    """Give the scores as arrays of every kind, cut at random."""
    cells = given_input.cells
    yield np.asfortranarray(cells)
    yield sparse(cells)
    yield sparse(cells).tocoo()
    yield sparse(cells).tocsc()
    cuts = tuple(draw.draw(st.integers(1, side), label="chunk") for side in cells.shape)
    yield da.from_array(cells, chunks=cuts)
    array = named(cells, documents=given_input.documents, labels=given_input.labels)
    rows = draw.draw(st.permutations(range(len(cells))), label="documents")
    columns = draw.draw(st.permutations(range(cells.shape[1])), label="labels")
    turned = array.isel(document=list(rows), label=list(columns))
    yield turned
    yield turned.transpose()
    yield turned.chunk({"document": cuts[0], "label": cuts[1]})
    yield array


@given(given_input=inputs(), draw=st.data())
def test_every_kind_of_array_gives_one_text(given_input: Input, draw: st.DataObject) -> None:
    documents, labels = given_input.documents, given_input.labels
    truth = named(given_input.truth, documents=documents, labels=labels)
    scheduler = draw.draw(st.sampled_from(SCHEDULERS), label="scheduler")
    with tempfile.TemporaryDirectory() as name, dask.config.set(scheduler=scheduler):
        question = given_input.question(Path(name))
        text = results_of(daskxmlc.evaluate(given_input.cells, truth, **question))
        for scores in in_memory(given_input, draw):
            assert results_of(daskxmlc.evaluate(scores, truth, **question)) == text


@given(given_input=inputs(), names=st.sets(st.sampled_from(NAMES), min_size=3, max_size=6))
def test_every_value_of_every_view_is_the_definitions(given_input: Input, names: set[str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        question = given_input.question(Path(name))
        truth = named(given_input.truth, labels=given_input.labels)
        result = daskxmlc.evaluate(given_input.cells, truth, **question)
    assert result.tally is not None
    for view in result.tally.views:
        for measure in names:
            value, documents = reference_value(
                measure,
                given_input.cells.astype(float).tolist(),
                given_input.truth.tolist(),
                given_input.threshold,
                view.labels.tolist(),
            )
            found = [
                row
                for row in result
                if (row.task, row.view, row.measure) == (view.task, view.view, measure)
            ]
            assert [row.documents for row in found] == [documents], found
            assert found[0].value == value or (math.isnan(found[0].value) and math.isnan(value))


@settings(max_examples=25)
@given(given_input=inputs(), draw=st.data())
def test_every_store_gives_one_text(given_input: Input, draw: st.DataObject) -> None:
    cells, documents, labels = given_input.cells, given_input.documents, given_input.labels
    rows = list(draw.draw(st.permutations(range(len(cells))), label="documents"))
    columns = list(draw.draw(st.permutations(range(cells.shape[1])), label="labels"))
    moved = np.ascontiguousarray(cells[rows][:, columns])
    names = {"documents": [documents[i] for i in rows], "labels": [labels[j] for j in columns]}
    height, width = (draw.draw(st.integers(1, side), label="chunk") for side in cells.shape)
    shards = draw.draw(st.sampled_from([None, height, 2 * height, 3 * height]), label="shard")
    codec: Any = draw.draw(st.sampled_from(["lz4", "zstd", "none"]), label="codec")
    entries = draw.draw(st.integers(1, cells.size), label="entries")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        question = given_input.question(folder)
        truth = write_truth(
            folder / "truth.zarr",
            given_input.truth,
            documents=documents,
            labels=labels,
            chunk_entries=entries,
        )
        known = named(given_input.truth, labels=given_input.labels)
        text = results_of(daskxmlc.evaluate(cells, known, **question))
        dense = write_dense(
            folder / "dense.zarr",
            moved,
            **names,
            chunk_documents=height,
            chunk_labels=width,
            shard_documents=shards,
            codec=codec,
        )
        stored = write_sparse(
            folder / "sparse.zarr", moved, **names, chunk_entries=entries, codec=codec
        )
        for scores in (dense, stored):
            for scheduler in SCHEDULERS:
                with dask.config.set(scheduler=scheduler):
                    assert results_of(daskxmlc.evaluate(scores, truth, **question)) == text


@given(given_input=inputs(), draw=st.data())
def test_two_halves_that_are_merged_are_the_whole(given_input: Input, draw: st.DataObject) -> None:
    """Whichever documents a half has, if only all or none."""
    side = draw.draw(
        st.lists(st.booleans(), min_size=len(given_input.cells), max_size=len(given_input.cells)),
        label="half",
    )
    first = np.array(side)
    known = named(given_input.truth, labels=given_input.labels)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        question = given_input.question(folder)
        text = results_of(daskxmlc.evaluate(given_input.cells, known, **question))
        parts = [str(folder / "first"), str(folder / "second")]
        for path, half in zip(parts, (first, ~first), strict=True):
            scores = given_input.cells[half]
            part = daskxmlc.evaluate(scores, known.isel(document=half), **question)
            part.save_tables(path)
            assert results_of(daskxmlc.load_tables(path)) == results_of(part)
        assert results_of(daskxmlc.merge_tables(parts)) == text
        assert results_of(daskxmlc.merge_tables(parts[::-1])) == text
        done = CliRunner().invoke(main, ["merge", *parts, "--output-format", "json"])
        assert done.exit_code == 0, done.output
        assert done.stdout.partition('"results": ')[2] == text + "\n"


@settings(max_examples=20)
@example(seed=0, labels=15, distinct=1, dtype="int8", k=1)  # many predicted, no score negative
@given(
    seed=st.integers(0, 2**32 - 1),
    labels=st.sampled_from((15, 16, 17, 63, 64, 65, 127, 130, 257, 600)),
    distinct=st.sampled_from((1, 3, 20, 1000)),
    dtype=st.sampled_from(("float16", "float32", "float64", "int8", "uint16", "int64")),
    k=st.sampled_from((1, 5, 16, 40)),
)
def test_wide_rows_are_ranked_by_the_definitions(
    seed: int, labels: int, distinct: int, dtype: str, k: int
) -> None:
    """Rows wider than a vector register, with label cuts and levels at odd places."""
    random = np.random.default_rng(seed)
    values = random.integers(-20, 100, distinct)
    cells = random.choice(values, (9, labels)).astype(dtype)
    if cells.dtype.kind == "f":
        cells[random.random(cells.shape) < random.choice([0, 0.5, 0.97])] = -np.inf
    truth = (random.random(cells.shape) < random.choice([0.02, 0.3])).astype(np.int8)
    names = [f"T{j}" for j in range(labels)]
    level = random.integers(0, 3, labels)
    lines = [["root", *(n for n, at in zip(names, level, strict=True) if at == 0), "a"]]
    lines.append(["a", *(n for n, at in zip(names, level, strict=True) if at == 1), "b"])
    lines.append(["b", *(n for n, at in zip(names, level, strict=True) if at == 2), "c"])
    measures = [f"P@{k}", f"nDCG@{k}", "mrr", "micro_f1", "macro_f1", "example_f1"]
    measures += ["coverage", "ranking_loss", "LRAP", "r_precision", f"ranked_sum@{k}"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "taxonomy.txt").write_text("\n".join(map(" ".join, lines)) + "\n")
        question: dict[str, Any] = {
            "taxonomy": folder / "taxonomy.txt",
            "tasks": TASKS,
            "threshold": float(random.choice(values)),
            "measures": measures,
        }
        known = named(truth, labels=names)
        result = daskxmlc.evaluate(cells, known, **question)
        for number in range(2):
            order = random.permutation(labels)
            height, width = random.integers(1, 10), random.integers(1, labels + 1)
            store = write_dense(
                folder / f"{number}.zarr",
                np.ascontiguousarray(cells[:, order]),
                labels=[names[j] for j in order],
                chunk_documents=int(height),
                chunk_labels=int(width),
            )
            again = daskxmlc.evaluate(store, known, **question)
            assert results_of(again) == results_of(result), (order, height, width)
        thin = sparse(cells)
        assert results_of(daskxmlc.evaluate(thin, known, **question)) == results_of(result)
    assert result.tally is not None
    views = {(view.task, view.view): view.labels.tolist() for view in result.tally.views}
    for row in result:
        value, documents = reference_value(
            row.measure,
            cells.astype(float).tolist(),
            truth.tolist(),
            question["threshold"],
            views[row.task, row.view],
        )
        assert row.documents == documents, row
        assert row.value == value or (math.isnan(row.value) and math.isnan(value)), row
